#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-conf, as administrators use it.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    DATA=$JOBTRAIL_SOURCE/test/data/conf
    # a directory of its own: bats keeps files in the one it gives
    mkdir "$BATS_TEST_TMPDIR/site"
    cd "$BATS_TEST_TMPDIR/site" || return
    conf=jobtrail.conf
    policy=jobtrail.policy
}

# configure: stdin becomes the configuration
configure() {
    cat >"$conf"
}

# conf COMMAND...: jobtrail-conf on it
conf() {
    run --separate-stderr jobtrail-conf "$1" --conf "$conf" "${@:2}"
}

# refused MESSAGE: the last command ended with status 1 and this message, and nothing on stdout
refused() {
    echo "$output" "$stderr"
    [ "$status" -eq 1 ]
    [ "$stderr" = "$1" ]
    [ "$output" = "" ]
}

# later FILE: as if it had been written a minute from now
later() {
    touch -d "now + 1 minute" "$1"
}

reference() {
    python3 -B -W ignore "$DATA/xalt_reference.py" "$@"
}

@test "check says that the installed configuration is good" {
    run --separate-stderr jobtrail-conf check --conf "$(find "$JOBTRAIL_STAGE" -name jobtrail.conf)"
    echo "$output" "$stderr"
    [ "$status" -eq 0 ]
    [[ $output == */jobtrail.conf:\ ok,\ *\ rules\ in\ \[paths\],*\ bytes\ compiled ]]
    [ "$stderr" = "" ]
}

# bats test_tags=needs:profile
@test "check warns of keys of profiles that have no effect, and calls the file good" {
    configure <<<$'[profile]\nsteps = asked'
    run --separate-stderr jobtrail-conf check --conf jobtrail.conf
    [[ $status == 0 && $output == *": ok, "* ]]
    [[ $stderr == "jobtrail.conf: warning: [profile] steps without directory: profiles are removed with the job, unread" ]]
    configure <<<$'[profile]\nlogs = all'
    run --separate-stderr jobtrail-conf check --conf jobtrail.conf
    [[ $status == 0 && $stderr == *"[profile] steps = none: no step leaves a profile, so the other keys have no effect" ]]
    configure <<<$'[profile]\nsteps = asked\ndirectory = /kept'
    run --separate-stderr jobtrail-conf check --conf jobtrail.conf
    [[ $status == 0 && -z $stderr ]]
}

@test "check names file, line and column of a mistake, and what to write instead" {
    configure <<<$'[spool]\ndri = /x'
    conf check
    refused "jobtrail.conf:2:1: unknown key 'dri' in [spool] (jobtrail.conf(5) lists them)"
    configure <<<$'[paths]\nskip = /a\nskip = /b[0-9'
    conf check
    refused "$PWD/jobtrail.conf:3:10: '[' is not closed (write \\[ for a bracket as such)"
    configure <<<$'[sampling]\nscalar = 0 0.01\nscalar = 1h 1.5'
    conf check
    refused "jobtrail.conf:3:13: a probability above 1 (write a decimal above 0 and up to 1, or 1:N for one in N runs)"
    configure <<<$'[arguments]\nskip = .*/python ;-c'
    conf check
    refused "jobtrail.conf:2:18: a ';' after a blank (it starts a comment; write PATH;ARGUMENT without blanks, and a comment on a line of its own)"
    rm jobtrail.conf
    conf check
    refused "jobtrail.conf: No such file or directory"
}

@test "wrong usage is status 2 and says how it is used" {
    for arguments in "" "frobnicate" "check x" "show --host x" "explain" "explain bin/x" \
        "explain --stdin=spool" "explain --stdin /bin/x" "compile --nope" \
        "import-xalt" "import-xalt a b" "import-xalt --conf x a"; do
        # shellcheck disable=SC2086 # words are meant
        run --separate-stderr jobtrail-conf $arguments
        echo "$arguments: $status $output $stderr"
        [ "$status" -eq 2 ]
        [ "$output" = "" ]
        [ "$stderr" != "" ]
    done
    run jobtrail-conf --help
    [ "$status" -eq 0 ]
    [[ $output == Usage:* ]]
}

@test "compile puts the policy beside the configuration, for all to read" {
    umask 077
    configure <<<$'[paths]\nskip = /a'
    conf compile
    [ "$status" -eq 0 ]
    [ "$output$stderr" = "" ]
    [ "$(stat -c %a "$policy")" = 644 ]
    [ "$(ls)" = $'jobtrail.conf\njobtrail.policy' ]
    conf compile --output other.policy
    cmp "$policy" other.policy
}

@test "a bad configuration leaves the policy in force" {
    configure <<<$'[paths]\nskip = /a'
    conf compile
    before=$(stat -c %i "$policy") sum=$(sha256sum "$policy")
    configure <<<$'[paths]\nskip = /a('
    conf compile
    refused "$PWD/jobtrail.conf:2:10: '(' is not closed (write \\( for a parenthesis as such)"
    [ "$(stat -c %i "$policy")" = "$before" ]
    [ "$(sha256sum "$policy")" = "$sum" ]
    [ "$(ls)" = $'jobtrail.conf\njobtrail.policy' ]
}

@test "a policy that cannot be written is said so, and nothing is left" {
    configure <<<$'[paths]\nskip = /a'
    conf compile --output "$PWD/missing/x.policy"
    refused "jobtrail-conf: cannot write $PWD/missing/x.policy: No such file or directory; the old policy is used"
    mkdir there.policy
    conf compile --output there.policy
    refused "jobtrail-conf: cannot write there.policy: Is a directory; the old policy is used"
    [ "$(ls)" = $'jobtrail.conf\nthere.policy' ]
}

@test "a reader sees the old policy or the new one, never a part" {
    configure <<<$'[paths]\nskip = /a'
    cp "$conf" a.conf
    conf compile --output a.policy
    for i in {1..60}; do echo "skip = /new/path/$i.*x" >>"$conf"; done
    cp "$conf" b.conf
    conf compile --output b.policy
    cp b.policy "$policy"
    for i in {1..60}; do
        if ((i % 2)); then cp a.conf "$conf"; else cp b.conf "$conf"; fi
        jobtrail-conf compile --conf "$conf"
    done &
    writer=$! reads=0
    while kill -0 "$writer" 2>/dev/null; do
        cat "$policy" >seen
        cmp -s seen a.policy || cmp -s seen b.policy
        reads=$((reads + 1))
    done
    wait "$writer"
    echo "$reads reads"
    [ "$reads" -gt 20 ]
}

@test "compile --if-newer does nothing as long as the policy is current" {
    configure <<<$'[paths]\nskip = /a'
    conf compile --if-newer
    [ -s "$policy" ]
    later "$policy"
    first=$(stat -c %i "$policy")
    conf compile --if-newer
    [ "$status" -eq 0 ]
    [ "$(stat -c %i "$policy")" = "$first" ]
    conf compile
    [ "$(stat -c %i "$policy")" != "$first" ]
}

@test "compile --if-newer compiles after each kind of change" {
    configure <<<$'[paths]\nskip = /a'
    cp "$conf" older.conf
    touch -d yesterday older.conf
    recompiled() {
        local before
        before=$(stat -c %i "$policy")
        conf compile --if-newer
        [ "$status" -eq 0 ]
        [ "$(stat -c %i "$policy")" != "$before" ]
    }
    conf compile
    # content
    sleep 0.01
    echo "skip = /b" >>"$conf"
    recompiled
    # an older file moved into its place
    sleep 0.01
    mv older.conf "$conf"
    recompiled
    # a policy that is no policy, is cut, or of another configuration
    echo junk >"$policy" && later "$policy"
    recompiled
    truncate -s -1 "$policy" && later "$policy"
    recompiled
    cp "$conf" other.conf
    jobtrail-conf compile --conf other.conf --output "$policy" && later "$policy"
    recompiled
}

@test "compile --if-newer refuses a bad configuration even when the policy is newer" {
    configure <<<$'[paths]\nskip = /a'
    conf compile
    configure <<<$'[paths]\nskp = /a'
    later "$policy"
    conf compile --if-newer
    refused "jobtrail.conf:2:1: unknown key 'skp' in [paths] (jobtrail.conf(5) lists them)"
}

@test "explain names the rule that decides about host, path, arguments and variable" {
    configure <<'EOT'
[hosts]
skip = login.*
[paths]
keep = /opt/.*
custom = .*/python[0-9.]*
[arguments]
jump_1 = .*/python[0-9.]*;-[WX]
skip = .*/python[0-9.]*;-c
pkgs = .*/python[0-9.]*;.*\.py
[sampling]
enabled = yes
EOT
    conf explain --host login1 --env LD_PRELOAD /usr/bin/python3 -X dev train.py --json
    diff - <(echo "$output") <<'EOT'
login1: skip, by 'login.*' (jobtrail.conf:2)
/usr/bin/python3: custom, by '.*/python[0-9.]*' (jobtrail.conf:5)
/usr/bin/python3;train.py: pkgs, by '.*/python[0-9.]*;.*\.py' (jobtrail.conf:9)
LD_PRELOAD: skip, as no rule in [environment] matches
EOT
    conf explain /usr/bin/python3 -c 'print()'
    [ "${lines[1]}" = "/usr/bin/python3;-c: skip, by '.*/python[0-9.]*;-c' (jobtrail.conf:8)" ]
    conf explain /usr/bin/python3
    [ "${lines[1]}" = "/usr/bin/python3;: skip, as no rule in [arguments] decides" ]
    conf explain /bin/other
    [ "$output" = "/bin/other: keep, as no rule in [paths] matches" ]
    configure </dev/null
    conf explain /bin/bash
    [[ $output == "/bin/bash: skip, by the built-in rule "* ]]
}

@test "explain says that a program is one of the system's small tools, and what brings it back" {
    configure </dev/null
    conf explain /usr/bin/sed
    [ "$output" = "/usr/bin/sed: skip, as it is one of the system's small tools; [tracking] system_tools = yes records them, and a 'keep' in [paths] this one" ]
    conf explain --json /usr/bin/sed
    [ "$(jq -c '.[0]' <<<"$output")" = '{"section":"paths","text":"/usr/bin/sed","action":"skip","rule":"system_tools","file":null,"line":null}' ]
    conf explain /home/ann/bin/sed
    [ "$output" = "/home/ann/bin/sed: keep, as no rule in [paths] matches" ]
    configure <<<$'[paths]\nkeep = /usr/bin/sed'
    conf explain /usr/bin/sed
    [ "$output" = "/usr/bin/sed: keep, by '/usr/bin/sed' (jobtrail.conf:2)" ]
    conf explain /usr/bin/cat
    [[ $output == "/usr/bin/cat: skip, as it is one of"* ]]
    configure <<<$'[tracking]\nsystem_tools = yes'
    conf explain /usr/bin/sed
    [ "$output" = "/usr/bin/sed: keep, as no rule in [paths] matches" ]
}

@test "commands of module systems are tools by their script, and other programs of their interpreters are not" {
    local words
    configure <<<$'[paths]\nskip = /opt/x'
    for words in "/usr/bin/tclsh8.6 /usr/share/modules/libexec/modulecmd.tcl bash load gcc" "/usr/bin/lua5.3 /opt/lmod/8.6/libexec/lmod bash load"; do
        # shellcheck disable=SC2086 # several words
        conf explain $words
        [[ ${lines[-1]} == *": skip, by the built-in rule"* ]]
    done
    for words in "/usr/bin/tclsh8.6 /home/ann/plot.tcl" /usr/bin/lua5.3 "/opt/vmd/tclsh8.6 -encoding utf-8 run.tcl"; do
        # shellcheck disable=SC2086
        conf explain $words
        [[ ${lines[-1]} == *": keep, by the built-in rule"* ]]
    done
    configure <<<$'[tracking]\nsystem_tools = yes'
    conf explain /usr/bin/tclsh8.6 /usr/share/modules/libexec/modulecmd.tcl
    [[ $output == *": keep, as no rule in [paths] matches" ]]
}

@test "rules that can match nothing are a warning, and no others" {
    configure <<<$'[hosts]\nskip = login*\n[paths]\nskip = /opt/*\nskip = python.*\nskip = .*/a(b|c)*\nskip = bash|.*/dash\nskip = .*/q\\\\b*\nskip = .*/q\\*\n[arguments]
skip = .*/python3\nskip = .*/python3;/x\nskip = [^;]*/y\n[packages]\nskip = numpy\nskip = .*numpy\nskip = R:name:x-*'
    conf check
    [ "$status" -eq 0 ]
    [ "$(grep -c ': warning: ' <<<"$stderr")" -eq 6 ]
    [[ $stderr == *"jobtrail.conf:2: warning: 'login*' in [hosts]: a pattern is no glob: for any text write .* in place of *"* ]]
    [[ $stderr == *":4: warning: '/opt/*' in [paths]: a pattern is no glob"*":5: warning: 'python.*' in [paths]: no path begins so"* ]]
    [[ $stderr == *"'numpy' in [packages]: no text is so: write PROGRAM:name:NAME"*"'R:name:x-*' in [packages]: a pattern is no glob"* ]]
}

@test "show prints the system's small tools, as rules that the file may take over" {
    configure </dev/null
    conf show
    [[ $output == *$'\nsystem_tools = no ; default\n'* ]]
    grep -x '#skip = .*|sed|.*' <<<"$output"
    paths=$(printf '%s\n' /usr/bin/sed /bin/[ /usr/sbin/ip /opt/x/bin/Rscript /usr/lib/systemd/systemd /usr/bin/git)
    run --separate-stderr jobtrail-conf explain --conf "$conf" --stdin <<<"$paths"
    decided=$(jq -r .action <<<"$output")
    conf show
    sed 's/^#skip/skip/; s/^system_tools = no.*/system_tools = yes/' <<<"$output" >taken.conf
    run --separate-stderr jobtrail-conf explain --conf taken.conf --stdin <<<"$paths"
    [ "$(jq -r .action <<<"$output")" = "$decided" ]
    [ "$decided" = $'skip\nskip\nskip\nskip\nskip\nkeep' ]
    configure <<<$'[tracking]\nsystem_tools = yes'
    conf show
    [[ $output != *"#skip"* ]]
}

@test "explain --json has all that the text has" {
    configure <<<$'[paths]\nskip = /a|/b'
    conf explain --json --host n1 /b x
    [ "$status" -eq 0 ]
    [ "$(jq -c '.[0]' <<<"$output")" = '{"section":"hosts","text":"n1","action":"keep","rule":null,"file":null,"line":null}' ]
    [ "$(jq -c '.[1]' <<<"$output")" = '{"section":"paths","text":"/b","action":"skip","rule":"/a|/b","file":"jobtrail.conf","line":2}' ]
}

@test "explain --stdin decides about a line at a time" {
    configure <<<$'[paths]\nskip = /a\ncustom = /p\n[arguments]\nkeep = /p;x y'
    run --separate-stderr jobtrail-conf explain --conf "$conf" --stdin < <(printf '/a\n/p\tv\tx y\n/p\n/c\t-c')
    [ "$status" -eq 0 ]
    [ "$(jq -r '"\(.text) \(.action) \(.line)"' <<<"$output")" = $'/a skip 2\n/p;x y keep 5\n/p; skip null\n/c keep null' ]
    run --separate-stderr jobtrail-conf explain --conf "$conf" --stdin < <(printf '/a\nb\n/c\n')
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
    [ "$stderr" = "jobtrail-conf: line 2: the path must be absolute" ]
    run --separate-stderr jobtrail-conf explain --conf "$conf" --stdin=environment <<<$'PATH\nTOKEN'
    [ "$(jq -r .action <<<"$output")" = $'keep\nskip' ]
}

@test "show prints a configuration that means the same" {
    configure <<'EOT'
[spool]
dir = /scratch/%n
[tracking]
programs = scalar
[sampling]
scalar = 0 0.25
scalar = 90 1:7
[paths]
custom = /p
[arguments]
jump_2 = /p;-x
[packages]
skip = R:name:base
EOT
    conf show
    [ "$status" -eq 0 ]
    [[ $output == *"[sampling]"$'\n'"enabled = no ; default"* ]]
    [[ $output == *"scalar = 0 0.25"$'\n'"scalar = 90s 1:7"$'\n'"mpi = 0 0.0001 ; default"* ]]
    conf show --json
    cp "$conf" before.conf
    echo "$output" | jq 'del(.. | .default?)' >before
    jobtrail-conf show --conf before.conf >"$conf"
    conf show --json
    echo "$output" | jq 'del(.. | .default?)' | diff before -
}

@test "hundreds of rules that overlap compile, and decide as they say" {
    {
        echo "[paths]"
        for i in {1..200}; do
            echo "skip = .*/name$i"
            echo "skip = /opt/apps/tool$i(_[0-9]+)?/(bin|lib)/.*"
        done
        echo "keep = .*/kept"
    } | configure
    conf compile
    [ "$status" -eq 0 ]
    run --separate-stderr jobtrail-conf explain --conf "$conf" --stdin <<'EOT'
/x/name77
/opt/apps/tool12_1/bin/x
/opt/apps/tool12_1/bin/name99
/opt/apps/tool12_1/bin/kept
/opt/apps/tool12_1/share/kept
/x/kept
EOT
    [ "$(jq -r .action <<<"$output" | tr '\n' ' ')" = "skip skip skip skip keep keep " ]
    [ "$(jq -r .line <<<"$output" | head -n 2 | tr '\n' ' ')" = "154 25 " ]
}

# same_as_xalt SECTION COUNT: XALT's reference and the converted configuration decide the same
same_as_xalt() {
    reference generate "$1" "$2" >texts
    reference decide "$1" "$DATA/xalt_config.py" <texts >expected
    jobtrail-conf explain --conf "$conf" --stdin="$1" <texts | jq -r .action >found
    paste expected found texts | awk -F '\t' '$1 != $2' | head
    cmp expected found
    [ "$(wc -l <found)" -eq "$2" ]
}

@test "a converted XALT configuration decides what XALT does" {
    run --separate-stderr jobtrail-conf import-xalt "$DATA/xalt_config.py" --output "$conf"
    echo "$stderr"
    [ "$status" -eq 0 ]
    [ "$output$stderr" = "" ]
    conf check
    [ "$status" -eq 0 ]
    # arguments that name files, and links to others
    mkdir data share
    touch data/in.h5 share/tool.py
    ln -s data/in.h5 train.py
    ln -s ../share/tool.py data/ix.h5
    ln -s share 8
    same_as_xalt paths 8000
    for action in keep skip pkgs; do
        [ "$(grep -c "^$action$" found)" -gt 400 ]
    done
    same_as_xalt hosts 1000
    same_as_xalt environment 2000
    same_as_xalt packages 2000
    conf show
    [[ $output == *$'scalar = 0 0.0001\nscalar = 30m 0.01\nscalar = 2h 1\n'* ]]
    [[ $output == *$'mpi = 0 0.0005\nmpi = 15m 0.05\nmpi = 30m 1\n'* && $output == *$'always_ranks = 64\n'* ]]
}

@test "no table of a configuration stays without a word" {
    cat >config.py <<'EOT'
import sys
prefix = '.*x'
path_patterns = [['SKIP', prefix]]
accept_path_patterns = ['^/usr']
Interval_Array = [[0, 1]]
first, second = 1, 2
for tool in ['ls']:
    tools = tool
if sys.version_info[0] > 2:
    ignore_host_patterns = ['x']
def function():
    local = 1
    return local
pre_ingest_patterns = [[1.0, '.*'], [1, 'x']]
EOT
    run --separate-stderr jobtrail-conf import-xalt config.py --output "$conf"
    [ "$status" -eq 1 ]
    for line in 4:accept_path_patterns 5:Interval_Array 6:first 6:second 8:tools 10:ignore_host_patterns; do
        echo "config.py:${line%:*}: left out: ${line#*:}: XALT 3.2.4 does not have this table; see jobtrail.conf(5) for what it was to do"
    done | diff - <(echo "$stderr")
    [ "$(grep -c '^# left out, line' "$conf")" -eq 6 ]
}

@test "every rule of the XALT configuration has decided in that comparison" {
    jobtrail-conf import-xalt "$DATA/xalt_config.py" --output "$conf"
    reference generate paths 8000 | jobtrail-conf explain --conf "$conf" --stdin |
        jq -r '.line | select(.)' | sort -nu >used
    # those that hand over to another rule decide nothing themselves
    awk '/^\[/ { on = /^.(paths|arguments)/ } on && /^[a-z]/ { print NR ": " $0 }' "$conf" |
        awk -F : 'NR == FNR { used[$1]; next } !($1 in used)' used - |
        grep -vE ': (continue|jump_.|custom) |jobtrail-' >unused || true
    cat unused
    [ ! -s unused ]
}

@test "what has no counterpart is left out, with line and reason, and the status says so" {
    cat >config.py <<'EOT'
import os
import sys
from site_tables import *
name = os.environ["X"]
hostname_patterns = [['KEEP', '.*'], ['MAYBE', 'x']]
path_patterns = [
    ['SKIP', r'^\/usr\/.*$'],
    ['SKIP', r'\/a b'],
    ['SKIP', r'\/opt/apps\/x'],
    ['SKIP', r'\/a/b/c'],
    ['KEEP', r'{NAME}'],
    ['KEEP', r'(?i:\/x)'],
    ['KEEP', name],
    'KEEP',
    ['KEEP', r'\/d\d'],
    ['SKIP', r'\/usr\/bin\/g++*'],
]
for tool in ['ls']:
    path_patterns.append(['SKIP', tool])
env_patterns = [['KEEP', r'^HOME=\/home\/.*'], ['KEEP', 'PATH']]
interval_array = [[0.0, 0.0], [60, 2], [sys.float_info.max, 1.0]]
pre_ingest_patterns = [[0.01, r'.*\/BAZ']]
python_pkg_patterns = [{'k_s': 'SKIP', 'kind': 'name', 'patt': r'(?!x)'}]
EOT
    run --separate-stderr jobtrail-conf import-xalt config.py --output "$conf"
    echo "$stderr"
    [ "$status" -eq 1 ]
    diff - <(echo "$stderr") <<'EOT'
config.py:9: note: flex takes '/' without a backslash for a separator that matches nothing; so does this rule
config.py:15: note: flex takes \d for the letter; so does this rule
config.py:3: left out: only literals in plain assignments, +=, append and extend are read
config.py:5: left out: there is no MAYBE here
config.py:7: left out: '$' at the end never matches in XALT; remove it if it should
config.py:8: left out: a blank, which ends a pattern in flex
config.py:10: left out: two '/' without backslashes, which flex refuses
config.py:11: left out: a brace that is no repeat: flex replaces a {NAME}
config.py:12: left out: an option or look-around, '(?'
config.py:13: left out: an element that is not a literal
config.py:14: left out: not [ACTION, PATTERN]
config.py:18: left out: only literals in plain assignments, +=, append and extend are read
config.py:20: left out: it decides by the variable's value, too
config.py:20: left out: it never matches in XALT, which matches NAME=VALUE
config.py:21: left out: every run needs a chance, as reports weigh by it; one in a million here
config.py:21: left out: not [SECONDS, PROBABILITY] with whole seconds
config.py:22: left out: records are not sampled by path when they are loaded
config.py:23: left out: an option or look-around, '(?'
EOT
    grep "^# left out" "$conf"
    [ "$(grep -c '^# left out, line' "$conf")" -eq 16 ]
    conf check
    [ "$status" -eq 0 ]
    run jobtrail-conf explain --conf "$conf" --stdin <<<$'/optapps/x\n/opt/apps/x\n/dd\n/usr/bin/ggg\n/usr/bin/g++'
    [ "$(jq -r .action <<<"$output" | tr '\n' ' ')" = "skip keep keep skip keep " ]
}

@test "a pattern too long for a line is split where it has alternatives, or left out" {
    long=$(printf 'alternative%d|' {1..40})
    {
        echo "hostname_patterns = [['KEEP', r'${long%|}']]"
        echo "path_patterns = [['SKIP', r'.*\\/(${long%|})\\/bin'], ['SKIP', r'\\/${long//|/}']]"
    } >config.py
    run --separate-stderr jobtrail-conf import-xalt --output "$conf" config.py
    [ "$status" -eq 1 ]
    [ "$stderr" = "config.py:2: left out: it is longer than 189 bytes and cannot be split" ]
    conf check
    [ "$status" -eq 0 ]
    for i in {1..40}; do echo "/x/alternative$i/bin"; done >texts
    run jobtrail-conf explain --conf "$conf" --stdin <texts
    [ "$(jq -r .action <<<"$output" | sort | uniq -c | xargs)" = "40 skip" ]
    [ "$(jq -r .line <<<"$output" | sort -u | wc -l)" -gt 3 ]
    conf explain --host alternative40
    [[ $output == "alternative40: keep,"* ]]
    conf explain --host alternative4x
    [[ $output == "alternative4x: skip,"* ]]
}

@test "import-xalt reads a program and never runs it" {
    cat >config.py <<'EOT'
import os
os.system("touch ran")
open("ran", "w")
path_patterns = [['SKIP', r'\/a']] + [['SKIP', (lambda: open("ran", "w"))()]]
hostname_patterns = eval("[['KEEP', open('ran', 'w') and '.*']]")
EOT
    run --separate-stderr jobtrail-conf import-xalt config.py
    [ "$status" -eq 1 ]
    [[ $output == *$'\nskip = /a\n'* ]]
    [ ! -e ran ]
    echo 'print "hello"' >config.py
    run --separate-stderr jobtrail-conf import-xalt config.py --output out.conf
    [ "$status" -eq 1 ]
    [[ $stderr == "config.py:1:1: not Python 3: "* ]]
    [ ! -e out.conf ]
    run --separate-stderr jobtrail-conf import-xalt missing.py
    [ "$status" -eq 1 ]
    [[ $stderr == *"No such file or directory"* ]]
}

@test "explain --command-line shows what becomes of a command line, and by which rule" {
    configure <<'EOT'
[redact]
hide = name:pin
EOT
    conf explain --command-line mysql -psecret --pin 5 -n 5
    [ "$status" -eq 0 ]
    diff - <(echo "$output") <<EOT
recorded: ["mysql","-p[redacted]","--pin","[redacted]","-n","5"]
redacted by the built-in rule 'option:(mysql|mariadb)[-a-z]*:-p'
redacted by 'name:pin' ($conf:2)
EOT
    conf explain --json --command-line run --pin=5
    [ "$(jq -c '.[0] | [.command_line, (.rules | map([.rule, .line]))]' <<<"$output")" = '[["run","--pin=[redacted]"],[["name:pin",2]]]' ]
    conf explain --command-line
    [ "$status" -eq 2 ]
    printf '[tracking]\ncommand_line = program\n' >"$conf"
    conf explain --command-line run --pin=5
    [ "$output" = 'recorded: ["run"]' ]
    printf '[tracking]\nredact_default = no\n' >"$conf"
    conf explain --command-line run --password=5
    [ "$output" = 'recorded: ["run","--password=5"]' ]
}

@test "check refuses a rule of [redact] that could never hold" {
    printf '[redact]\nhide = .*password\n' >"$conf"
    conf check
    refused "$conf:2:8: a pattern of no kind (start with name:, option:, before:, word:, url: or block:)"
    printf '[redact]\nhide = before:Bearer\n' >"$conf"
    conf check
    refused "$conf:2:15: an upper-case letter (write it in lower case, as it is matched)"
    printf '[redact]\nskip = name:pin\n' >"$conf"
    conf check
    refused "$conf:2:1: unknown key 'skip' in [redact] (jobtrail.conf(5) lists them)"
    printf '[tracking]\ncommand_line = all\n' >"$conf"
    conf check
    refused "$conf:2:16: unknown value (write yes, program or no)"
}

@test "a configuration of import-xalt decides about the system's tools by XALT's rules alone" {
    echo "path_patterns = [['SKIP', r'^\\/usr\\/bin\\/tar']]" >config.py
    jobtrail-conf import-xalt config.py --output "$conf"
    conf explain /usr/bin/sed
    [ "$output" = "/usr/bin/sed: keep, as no rule in [paths] matches" ]
    conf explain /usr/bin/tar
    [[ $output == "/usr/bin/tar: skip, by '"* ]]
}

@test "import-xalt takes over XALT's switch for command lines" {
    echo 'hostname_patterns = []' >config.py
    jobtrail-conf import-xalt --cmdline-record no config.py --output "$conf"
    conf show --json
    [ "$(jq -c .tracking.command_line <<<"$output")" = '{"value":"no","default":false}' ]
    jobtrail-conf import-xalt config.py --output "$conf"
    grep -qx '#command_line = no' "$conf"
    run jobtrail-conf import-xalt --cmdline-record maybe config.py
    [ "$status" -eq 2 ]
}

# bats test_tags=needs:routines
@test "explain --routines says by which names of the library a rule keeps it" {
    local loaders
    loaders=$(/sbin/ldconfig -p | sed -n 's/^\tlibz\.so\.1 .*=> //p' | head -n 1)
    configure <<<$'[routines]\nkeep = soname:libz\\.so\\.1\nskip = routine:libz\\.so\\.1:.*'
    conf explain --routines "$loaders"
    [[ $status == 0 && $output == "soname:libz.so.1: keep, by "*$'\n'"path:$loaders: skip, "*$'\n'"$loaders: keep, by 'soname:libz\\.so\\.1' ($conf:2)" ]]
}

# bats test_tags=needs:routines
@test "explain --routines of an archive asks for its name" {
    configure <<<$'[routines]\nkeep = archive:libmade\\.a'
    printf '!<arch>\n' >libmade.a
    cp libmade.a libother.a
    conf explain --routines "$PWD/libmade.a"
    [[ $status == 0 && $output == "archive:libmade.a: keep, by 'archive:libmade\\.a' ($conf:2)" ]]
    conf explain --routines "$PWD/libother.a"
    [[ $status == 0 && $output == "archive:libother.a: skip, as no rule in [routines] matches" ]]
    # a thin one likewise
    printf '!<thin>\n' >libmade.a
    conf explain --routines "$PWD/libmade.a"
    [[ $status == 0 && $output == "archive:libmade.a: keep, by 'archive:libmade\\.a' ($conf:2)" ]]
}
