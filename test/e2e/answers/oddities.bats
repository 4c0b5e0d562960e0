#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-acct and jobtrail-report where arguments, names, outputs and stores are not as one likes them.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets stderr, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site

setup_file() {
    export TZ=UTC STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    hostile >>"$SITE/records"
    site_load "$STORE"
}

setup() {
    ACCT=$JOBTRAIL_SOURCE/contrib/jobtrail-acct REPORT=$JOBTRAIL_SOURCE/contrib/jobtrail-report
    WHEN=(-S 2024-11-01 -E 2024-11-30)
}

# names of everything that a user names: escape sequences, line ends, markup, SQL, a formula, NUL, text
# that runs the other way, bytes that are not UTF-8, wide characters
hostile() {
    python3 - "$SITE/records" <<'EOF'
import json, sys
with open(sys.argv[1]) as file:
    base = next(r for r in map(json.loads, file) if r.get("slurmT", {}).get("step_id") == "batch")
names = ["\x1b]0;owned\x07\x1b[31m", "a\tb\nc\rd", "<b>'\"&", "'; DROP TABLE run; --", "=1+1", "nul\0nul",
         "\u202eleft\u2028", "\uefff\uef80", "日本語"]
for number, name in enumerate(names):
    uuid = "019a9f00-6666-7000-8000-%012d" % number
    run = json.loads(json.dumps(base))
    run["userT"].update(run_uuid=uuid, exec_path="/opt/" + name, user=name, account=name, cwd=name,
                        job_id=str(600 + number))
    run["slurmT"]["job_id"] = 600 + number
    run["cmdlineA"], run["libA"] = [name, name], [["/lib/lib%s.so.1" % name, "0"]]
    run["xaltLinkT"] = {"Build_User": name + "x", "Build_compiler": name, "Build_UUID": name}
    print(json.dumps(run))
    for package in ("numpy", name):
        print(json.dumps({"package_name": package, "package_version": name, "package_path": name,
                          "program": name, "xalt_run_uuid": uuid,
                          "ownerT": {"user": name, "cluster": "tiny", "node": "n1", "restart_count": 0,
                                     "job_id": 600 + number}}))
EOF
}

everything() { # FORM: both programs, all that they can show
    local page
    if [[ "$*" == @(--csv|--jsonl) ]]; then
        for page in executables libraries users accounts packages; do "$REPORT" --store "$STORE" "${WHEN[@]}" "$page" "$@"; done
    else
        "$REPORT" --store "$STORE" "${WHEN[@]}" --top 0 "$@"
    fi
    "$ACCT" --store "$STORE" "${WHEN[@]}" -a --libs --no-sacct "$@" \
        -o jobid,user,account,exec,execpath,cwd,cmdline,libs,compiler,builtby,packages
}

# bats test_tags=needs:answers
@test "what users name is in no form a control character, nor a row of its own" {
    local form
    for form in "" --csv --jsonl --json --html; do
        # shellcheck disable=SC2086 # none is no argument
        if [ "$form" != --html ]; then everything $form; else "$REPORT" --store "$STORE" "${WHEN[@]}" --html; fi \
            >"$BATS_TEST_TMPDIR/out"
        python3 - "$BATS_TEST_TMPDIR/out" "$form" <<'EOF'
import re, sys
text = open(sys.argv[1], "rb").read().decode("utf-8")
bad = re.findall("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\ud800-\udfff]", text)
assert not bad, bad
assert "DROP TABLE" in text
assert sys.argv[2] != "--csv" or not re.search("(^|,)=1\\+1", text, re.M)
EOF
    done
    "$REPORT" --store "$STORE" "${WHEN[@]}" --csv --top 0 users | tail -n +4 |
        python3 -c 'import csv, sys; assert {len(row) for row in csv.reader(sys.stdin)} == {16}'
    # the store has lost nothing by it
    [ "$("$REPORT" --store "$STORE" "${WHEN[@]}" --json --top 0 users |
        jq '[.pages[0].rows[].user] | index("\u001b]0;owned\u0007\u001b[31m") != null')" = true ]
}

@test "columns stand below each other where characters are wide" {
    "$REPORT" --store "$STORE" "${WHEN[@]}" --top 0 users |
        sed -n '/^User  /,$p' | python3 -c '
import sys, unicodedata
wide = lambda line: sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line.rstrip("\n"))
lines = sys.stdin.read().splitlines()
assert any("日本語" in line for line in lines)
assert len({wide(line) for line in lines[2:]}) == 1, lines'
}

@test "arguments mean the same in any locale, and may be no UTF-8" {
    local locale program
    for locale in C.UTF-8 POSIX; do
        for program in "$ACCT -a --no-sacct -n -P -o user" "$REPORT --csv users"; do
            # shellcheck disable=SC2086 # words
            run env LC_ALL="$locale" PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 $program --store "$STORE" \
                "${WHEN[@]}" -u 日本語
            [[ "$status" -eq 0 && "$output" == *日本語* ]]
            # shellcheck disable=SC2086
            run env LC_ALL="$locale" PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 $program --store "$STORE" \
                "${WHEN[@]}" -u $'\xff\x80'
            [[ "$status" -eq 0 && "$output" == *'\xff\x80'* ]]
        done
        run -1 env LC_ALL="$locale" "$REPORT" $'\xff\e'
        [[ "$output" == 'jobtrail-report: there is no page \xff\x1b;'* ]]
        cp "$BATS_FILE_TMPDIR/store.db" "$BATS_TEST_TMPDIR/"$'\xff.db'
        env LC_ALL="$locale" "$REPORT" --store "sqlite:$BATS_TEST_TMPDIR/"$'\xff.db' --update
        env LC_ALL="$locale" "$REPORT" --store "sqlite:$BATS_TEST_TMPDIR/"$'\xff.db' -o "$BATS_TEST_TMPDIR/"$'\xff.out'
        rm "$BATS_TEST_TMPDIR/"$'\xff.db.summary' "$BATS_TEST_TMPDIR/"$'\xff.out'
    done
}

@test "a full disk is a message, a closed pipe is none" {
    local form program
    for program in "$ACCT -a --no-sacct" "$REPORT users"; do
        for form in -n --csv --json; do
            [[ "$program $form" != *users\ -n ]] || continue
            # shellcheck disable=SC2086 # words
            run --separate-stderr bash -c '"$@" >/dev/full' - $program $form --store "$STORE" "${WHEN[@]}"
            [ "$status" -eq 1 ]
            [[ "$stderr" =~ ^jobtrail-(acct|report):\ No\ space\ left\ on\ device$ ]]
            # shellcheck disable=SC2086
            run --separate-stderr bash -c '"$@" | true' - $program $form --store "$STORE" "${WHEN[@]}"
            [ "$stderr" = "" ]
            # shellcheck disable=SC2086
            run --separate-stderr bash -c '"$@" >&-' - $program $form --store "$STORE" "${WHEN[@]}"
            [ "$stderr" = "" ]
        done
    done
}

@test "an output file keeps its permissions and its links, a device stays one" {
    cd "$BATS_TEST_TMPDIR"
    touch real
    chmod 640 real
    ln -s real link
    "$REPORT" --store "$STORE" -o link users
    [ -L link ]
    [ "$(stat -c %a real)" = 640 ]
    [ -s real ]
    mkfifo pipe
    cat pipe >"seen" &
    "$REPORT" --store "$STORE" -o pipe users
    wait $!
    [ -p pipe ]
    [ -s seen ]
    run -1 --separate-stderr "$REPORT" --store "$STORE" -o /dev/full users
    [ "$stderr" = "jobtrail-report: No space left on device" ]
    [ -c /dev/full ]
    run -1 --separate-stderr "$REPORT" --store "$STORE" -o "$BATS_TEST_TMPDIR" users
    [ "$stderr" = "jobtrail-report: $BATS_TEST_TMPDIR: Is a directory" ]
    run -1 --separate-stderr "$REPORT" --store "$STORE" -o nowhere/out users
    [ "$stderr" = "jobtrail-report: $BATS_TEST_TMPDIR/nowhere/out: No such file or directory" ]
    [ "$(find "$BATS_TEST_TMPDIR" -name '.jobtrail*')" = "" ]
}

# bats test_tags=needs:answers
@test "an empty store is a report of nothing, in each form" {
    local store=sqlite:$BATS_TEST_TMPDIR/empty.db form
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" - </dev/null
    [ "$("$ACCT" --store "$store" -a --json | jq '.runs | length')" -eq 0 ]
    [ "$("$ACCT" --store "$store" -a -n | wc -l)" -eq 0 ]
    [ "$("$REPORT" --store "$store" --json | jq '[.pages[].rows[]] | length')" -eq 0 ]
    for form in "" "users --csv" --html; do
        # shellcheck disable=SC2086 # none is no argument
        "$REPORT" --store "$store" $form >"$BATS_TEST_TMPDIR/out"
        [ -s "$BATS_TEST_TMPDIR/out" ]
    done
    "$REPORT" --store "$store" --update
}

# refused STORE WORDS: by both programs, and by --update, which makes no file
refused() {
    run -1 --separate-stderr "$ACCT" --store "$1" -a
    [ "$stderr" = "jobtrail-acct: $2" ]
    run -1 --separate-stderr "$REPORT" --store "$1"
    [ "$stderr" = "jobtrail-report: $2" ]
    run -1 --separate-stderr "$REPORT" --store "$1" --update
    [ "$stderr" = "jobtrail-report: $2" ]
    [ ! -e "${1#sqlite:}.summary" ]
}

@test "what is no store, or none that can be read, is named with the reason" {
    local there=$BATS_TEST_TMPDIR
    refused "sqlite:$there/no.db" "there is no store at $there/no.db. jobtrail-load makes it; if it is \
elsewhere, say --store sqlite:FILE or set JOBTRAIL_STORE."
    refused "sqlite:$there" "store $there: Is a directory"
    : >"$there/none.db"
    refused "sqlite:$there/none.db" "the store $there/none.db is empty: jobtrail-load has loaded nothing yet"
    echo "a text that is longer than the header of a database" >"$there/text.db"
    refused "sqlite:$there/text.db" "store sqlite:$there/text.db: file is not a database"
    cp "$BATS_FILE_TMPDIR/store.db" "$there/new.db"
    sqlite3 "$there/new.db" 'PRAGMA user_version = 99'
    refused "sqlite:$there/new.db" "the store's tables are of version 99: use a newer jobtrail"
    refused nothing "nothing is no store; write sqlite:FILE or mariadb://HOST/DATABASE"
}

# bats test_tags=needs:root
@test "a store that may only be read is read, one that may not is refused" {
    local shared as=(setpriv --reuid nobody --regid nogroup --clear-groups)
    shared=$(mktemp -d)
    cp -R "$JOBTRAIL_SOURCE/contrib/jobtrail-report" "$JOBTRAIL_SOURCE/contrib/jobtrail" \
        "$BATS_FILE_TMPDIR/store.db" "$shared"
    chmod 444 "$shared/store.db"
    chmod 555 "$shared"
    cd /
    seen=$("${as[@]}" "$shared/jobtrail-report" --store "sqlite:$shared/store.db" "${WHEN[@]}" --json users |
        jq '.pages[0].rows | length')
    run --separate-stderr "${as[@]}" "$shared/jobtrail-report" --store "sqlite:$shared/store.db" --update
    local update=$stderr
    chmod 400 "$shared/store.db"
    run --separate-stderr "${as[@]}" "$shared/jobtrail-report" --store "sqlite:$shared/store.db"
    rm -r "$shared"
    [ "$seen" -gt 3 ]
    [ "$update" = "jobtrail-report: summary $shared/store.db.summary: Permission denied" ]
    [ "$stderr" = "jobtrail-report: store $shared/store.db: Permission denied" ]
}

@test "while a loader writes, each answer is one moment's" {
    local store=sqlite:$BATS_TEST_TMPDIR/busy.db loader seen last=0 asked=0
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" - </dev/null
    "$JOBTRAIL_SOURCE/test/bench/make_records" 20000 --users 20 --programs 50 --packages 0.1 --days 5 \
        --until 1732100000 | "$JOBTRAIL_BIN/jobtrail-load" --store "$store" - >/dev/null 3>&- &
    loader=$!
    while kill -0 "$loader" 2>/dev/null; do
        seen=$("$REPORT" --store "$store" "${WHEN[@]}" --json --raw --top 0 users endings |
            jq -e '(.pages | map(.rows | map(.runs) | add // 0)) as [$users, $endings] |
                if $users == $endings and $users == .runs then .runs else error("\(.)") end')
        ((seen >= last))
        last=$seen asked=$((asked + 1))
        "$REPORT" --store "$store" --update
        "$ACCT" --store "$store" "${WHEN[@]}" -a --no-sacct -n -X >/dev/null
    done
    wait "$loader"
    ((asked > 1))
    [ "$("$REPORT" --store "$store" "${WHEN[@]}" --json --raw users | jq .runs)" -eq 20000 ]
}

@test "wrong options are refused, and --help names them all as the man page does" {
    run -1 "$REPORT" --store "$STORE" --top -1
    [[ "$output" == *"--top: must be a number from 0 on"* ]]
    run -1 "$REPORT" --store "$STORE" --update users
    [[ $output == "jobtrail-report: --update makes no report, "*": call jobtrail-report again for one" ]]
    local program page
    for program in jobtrail-acct jobtrail-report; do
        page=$JOBTRAIL_SOURCE/contrib/$program.1.scd
        "$JOBTRAIL_SOURCE/contrib/$program" --help | grep -oE -e '--[a-z][a-z0-9-]+' | sort -u >"$BATS_TEST_TMPDIR/help"
        sed -n '/^# OPTIONS/,/^# \(NUMBERS\|SLURM\)/p' "$page" | grep -E '^\*-' | grep -oE -e '--[a-z][a-z0-9-]+' |
            sort >"$BATS_TEST_TMPDIR/page"
        [ "$(uniq -d "$BATS_TEST_TMPDIR/page")" = "" ]
        # other spellings, as sacct has them, are in --help alone
        comm -23 "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/page" | paste -sd ' ' >"$BATS_TEST_TMPDIR/more"
        # the page also has those of extensions that are not built
        [[ ${JOBTRAIL_LEFT_OUT-} || $(comm -13 "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/page") == "" ]]
        cat "$BATS_TEST_TMPDIR/more"
        run grep -vxE '(--accounts|--clusters|--group|--nodelist|--uid| )*' "$BATS_TEST_TMPDIR/more"
        [ "$output" = "" ]
    done
    COLUMNS=20 "$REPORT" --help >/dev/null
}
