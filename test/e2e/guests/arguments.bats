#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Arguments and environment: large ones, odd ones, and programs that write over them.
# shellcheck disable=SC2016 # for other shells and languages to expand

bats_require_minimum_version 1.5.0
load ../fixture/job

setup() {
    new_job
}

teardown() {
    [[ -z ${server-} ]] || kill "$server" 2>/dev/null || true
}

@test "a program that clears its environment and writes its title over it runs as ever" {
    unnoticed "$PROGRAMS/clear_environ" "a title"
    leaves "clear_environ fini"
    [[ $(records | jq -c '.[0].cmdlineA[1:]') == '["a title"]' ]]
}

@test "perl may rename itself" {
    unnoticed perl -e '$0 = "a title"; %ENV = (); open my $own, "<", "/proc/$$/cmdline"; print <$own>; exit 3'
    leaves "perl fini"
    [[ $(records | jq -r '.[0].cmdlineA[1]') == -e ]]
}

has_no_client() { # but its own socket the server has none
    [[ $(find "/proc/$server/fd" -lname 'socket:*' | wc -l) == 1 ]]
}

redis() {
    cd "$BATS_TEST_TMPDIR" || return
    local status=0
    env "$@" redis-server --port 0 --unixsocket redis.sock --save '' --logfile redis.log \
        --set-proc-title yes --proc-title-template '{title} renamed {unixsocket}' &
    server=$!
    wait_for test -S redis.sock
    wait_for has_title
    {
        tr '\0' '\n' <"/proc/$server/cmdline"
        redis-cli -s redis.sock set key value
        redis-cli -s redis.sock get key
        redis-cli -s redis.sock config set proc-title-template "{title} again"
        tr '\0' '\n' <"/proc/$server/cmdline"
        redis-cli -s redis.sock bgsave
        wait_for bgsave_done
        wait_for has_no_client
        find "/proc/$server/fd" -type l -printf '%f ' | tr ' ' '\n' | sort -n
        redis-cli -s redis.sock shutdown nosave
    } 2>&1
    wait "$server" || status=$?
    server=
    echo "status $status"
    [[ ! -e dump.rdb ]] || rm dump.rdb
}

has_title() { # it listens before it has it
    grep -qa 'renamed redis.sock' "/proc/$server/cmdline"
}

bgsave_done() {
    redis-cli -s redis.sock info persistence | grep -q 'rdb_bgsave_in_progress:0'
}

@test "redis-server names itself, forks to save, and ends as ever" {
    redis >"$BATS_TEST_TMPDIR/without"
    redis "${TRACKED[@]}" >"$BATS_TEST_TMPDIR/with"
    diff "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    grep -q 'redis-server again' "$BATS_TEST_TMPDIR/with"
    leaves "redis-check-rdb fini"
    [[ $(records | jq -c '.[0].cmdlineA[0:3]') == '["redis-server","--port","0"]' ]]
}

@test "arguments that are not UTF-8 come through, and their record can be read" {
    unnoticed printf '%s|' $'\xff\xfe' $'a\x80b' $'\xc3' 'ä' $'\xed\xa0\x80' $'\xf4\x90\x80\x80'
    unnoticed "$PROGRAMS/exit_with" 3 $'\xff' $'new\nline' $'\e[31m' $'"\\'
    leaves "printf fini" "exit_with fini"
    [[ $(records | jq -c '.[] | select(.cmdlineA[1] == "3") | .cmdlineA[2:] | map(explode)') == '[[61439],[110,101,119,10,108,105,110,101],[27,91,51,49,109],[34,92]]' ]]
}

@test "empty arguments, and none at all, are no hindrance" {
    unnoticed "$PROGRAMS/exit_with" '' '' ''
    unnoticed perl -e 'exec { $ARGV[0] } ""' "$PROGRAMS/exit_with"
    leaves "exit_with fini" "exit_with fini" "perl exec"
}

@test "two megabytes of arguments come through" {
    unnoticed bash -c 'ulimit -s 65536
        word=$(printf "%0131000d" 7)
        exec perl -MDigest::MD5=md5_hex -e '\''print scalar(@ARGV), " ", md5_hex("@ARGV"), "\n"; exit 3'\'' \
            $(for i in {1..16}; do echo "$word"; done)'
    [[ $(<"$BATS_TEST_TMPDIR/with/stdout") == "16 "* ]]
    leaves "perl fini"
    [[ $(records | jq -r '.[0].cmdlineA[0:2] | join(" ")') == "perl -MDigest::MD5=md5_hex" ]]
}

@test "a record that lost arguments says so" {
    tracked "$PROGRAMS/exit_with" 0 "$(printf '%0100000d' 7)" "last"
    leaves "exit_with fini"
    [[ $(records | jq -r '.[0].XALT_qaT.JOBTRAIL_CAPTURE_CUT') == yes ]]
}

@test "an environment of a megabyte comes through" {
    unnoticed bash -c 'ulimit -s 65536
        for i in {1..10}; do export "LARGE_$i=$(printf "%0100000d" "$i")"; done
        export PATH=$PATH:/last
        exec perl -MDigest::MD5=md5_hex -e '\''delete $ENV{LD_PRELOAD};
            print md5_hex(join "\n", map { "$_=$ENV{$_}" } sort keys %ENV); exit 3'\'
    leaves "perl fini"
    [[ $(records | jq -r '.[0].envT.PATH') == *:/last ]]
}

@test "an environment with entries that are no assignments is no hindrance" {
    unnoticed /usr/bin/python3 -c '
import ctypes, os, sys
environment = [b"", b"no assignment", b"=", b"=x", b"PATH", b"PATH=/twice", b"\xff=\xff"]
environment += [name + b"=" + value for name, value in os.environb.items()]
libc = ctypes.CDLL(None)
def strings(all):
    return (ctypes.c_char_p * (len(all) + 1))(*all, None)
libc.execve(sys.argv[1].encode(), strings([b"exit_with", b"5"]), strings(environment))' \
        "$PROGRAMS/exit_with"
    leaves "exit_with fini" "$PYTHON_NAME exec"
}

@test "a program that is started with an empty environment is not tracked" {
    unnoticed env -i "$PROGRAMS/exit_with" 5
    leaves "env exec"
}

# told WORD...: what explain says of $PROGRAMS/exit_with with these arguments, and what the library does: the last
# word is keep or skip
told() {
    local said
    said=$("$JOBTRAIL_BIN/jobtrail-conf" explain --conf "$CONF" --json "$PROGRAMS/exit_with" "${@:1:$#-1}" | jq -r '.[-1].action')
    tracked XALT_TRACING=yes "$PROGRAMS/exit_with" "${@:1:$#-1}" 2>trace || true
    echo "${*}: explain says $said, $(grep -o '\(not \)\?tracked.*' trace)"
    [[ $said == "${!#}" ]]
    if [[ $said == keep ]]; then
        grep -q ' tracked: a path rule' trace
    else
        grep -q ' not tracked: a path rule' trace
    fi
}

@test "an argument that names a file is matched by its real path, as XALT does it, and any other by its text" {
    RULES=$'[paths]\ncustom = .*/exit_with\n[arguments]\njump_1 = .*;-j\nskip = .*;.*/private/.*\nkeep = .*;/.*/mine/.*\nkeep = .*;word|.*;-mine' \
        new_job
    cd "$BATS_TEST_TMPDIR"
    mkdir mine private
    touch mine/run private/run -- mine/-mine
    mkfifo mine/pipe
    ln -s ../mine/run private/link
    ln -s ../private/run mine/link
    ln -s nowhere mine/broken
    ln -s loop mine/loop
    told 0 mine/run keep
    told 0 "$PWD/mine/../mine/./run" keep
    told 0 private/run skip
    told 0 private/link keep
    told 0 mine/link skip
    told 0 mine/pipe keep # it is not opened
    told 0 mine/none skip
    told 0 mine/broken skip
    told 0 mine/loop skip
    told 0 word keep
    touch word # now it is the file
    told 0 word skip
    told 0 -j private/run mine/run keep
    cd mine
    told 0 run keep
    told 0 -mine keep
    told 0 ../private/run run skip
    told 0 '' run keep
    told 0 "$(printf 'x%.0s' {1..5000})" run keep
    cd ../private
    told 0 run skip
}

@test "of the first 256 arguments the files are looked for" {
    RULES=$'[paths]\ncustom = .*/exit_with\n[arguments]\nkeep = .*;/.*/mine/.*' new_job
    mkdir "$BATS_TEST_TMPDIR/mine"
    cd "$BATS_TEST_TMPDIR/mine"
    touch run
    # shellcheck disable=SC2046 # words
    told $(seq 0 254) run keep
    # shellcheck disable=SC2046 # words
    told $(seq 0 255) run skip
}

@test "an ancestor that is left out by the file that it was given keeps its arguments to itself" {
    RULES=$'[paths]\ncustom = .*/bash\n[arguments]\nskip = .*/bash;.*/private/.*\nkeep = .*' new_job
    mkdir "$BATS_TEST_TMPDIR/private" "$BATS_TEST_TMPDIR/public"
    for place in private public; do
        cd "$BATS_TEST_TMPDIR/$place"
        printf '%s 0 %s\ntrue\n' "$PROGRAMS/exit_with" "$place" >script
        tracked bash script "of $place"
    done
    flush
    [[ $(records | jq -cS 'map(select(.cmdlineA[1] == "0")) | map({(.cmdlineA[2]): .ptA[0].cmdlineA}) | add') == \
        '{"private":["bash"],"public":["bash","script","of public"]}' ]]
}

@test "without rules for an executable's arguments no file is looked for" {
    for rules in $'[paths]\nkeep = .*' $'[paths]\ncustom = .*\n[arguments]\nkeep = /opt/other;.*'; do
        RULES=$rules new_job
        rm -f "$BATS_TEST_TMPDIR/calls"
        strace -f -o "$BATS_TEST_TMPDIR/calls" env "${TRACKED[@]}" "$PROGRAMS/exit_with" 0 /etc/passwd run
        run ! grep -q '"/etc/passwd"\|"run"' <(grep -v execve "$BATS_TEST_TMPDIR/calls")
    done
}
