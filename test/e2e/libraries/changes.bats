#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A library is replaced between two jobs: jobtrail-acct says which runs had the old one and which the new one, and how
# many failed. Needs root.

bats_require_minimum_version 1.5.0
load ../fixture/job

setup() {
    TREE=$BATS_TEST_TMPDIR/sw
    STORE=sqlite:$BATS_TEST_TMPDIR/store.db
    export JOBTRAIL_SACCT=/bin/false
    mkdir "$TREE"
    make_library one 0
    echo 'int answer(void); int main(void) { return answer(); }' |
        gcc -o "$BATS_TEST_TMPDIR/program" -x c - -L"$TREE" -lmoon -Wl,-rpath,"$TREE"
    job
    scan
}

# job: a new one, of which the records go where those of the one before went
job() {
    RULES=$'[libraries]\ntree = '$TREE$'\nstate = '$BATS_TEST_TMPDIR$'/libraries\nlogs =\n' new_job
}

# make_library WORD STATUS: libmoon, whose function returns the status, renamed over the one that is there
make_library() {
    echo "int answer(void) { return $2; } const char word[] = \"$1\";" |
        gcc -shared -fPIC -Wl,--build-id -Wl,-soname,libmoon.so -o "$TREE/libmoon.so.made" -x c -
    mv "$TREE/libmoon.so.made" "$TREE/libmoon.so"
}

build_id() {
    readelf -n "$TREE/libmoon.so" | sed -n 's/.*Build ID: //p'
}

scan() {
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --quiet --conf "$CONF"
}

# runs COUNT STATUS: so many runs of the program in one job
runs() {
    local one status
    [[ -d $SPOOL/$JOB.0 ]] || "$PROGRAMS/make_spool" "$SPOOL" "$JOB" $((64 << 20)) "$(id -un)"
    for one in $(seq "$1"); do
        status=0
        tracked "$BATS_TEST_TMPDIR/program" || status=$?
        [[ $status == "$2" ]] || echo "run $one: status $status"
    done
    flush >/dev/null
}

# fail_since SECONDS: runs that began then or later have ended with 7; no Slurm is here that would tell it
fail_since() {
    sqlite3 "${STORE#sqlite:}" "INSERT INTO ending (id, identity, exit_code) VALUES (99, x'00', 7);
        UPDATE run_own SET ending_id = 99 WHERE start_time >= $1"
}

load_all() {
    "$JOBTRAIL_BIN/jobtrail-submit" send --conf "$CONF" >/dev/null
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$RECORDS" >/dev/null
}

acct() {
    "$JOBTRAIL_BIN/jobtrail-acct" --store "$STORE" --no-sacct "$@"
}

# next_second: times of scans are whole seconds, and a run of the same second as a change would be in doubt
next_second() {
    local now
    now=$(date +%s)
    wait_for later "$now"
}

later() {
    (($(date +%s) > $1))
}

two_builds() {
    OLD=$(build_id)
    runs 3 0
    next_second
    make_library two 7
    NEW=$(build_id)
    next_second
    scan
    next_second
    local from
    from=$(date +%s)
    runs 2 7
    load_all
    fail_since "$from"
}

@test "the runs of before and after a change are told apart, and those that failed" {
    two_builds
    run -0 acct --changes --format Change,Library,OldBuild,NewBuild,Before,Failed,After,FailedAfter,UsersBefore,UsersAfter -P -n
    [[ $output == "replaced|libmoon|$OLD|$NEW|3|0|2|2|1|1" ]]
    acct --changes --json | jq -e '.changes | length == 1 and
        .[0].before == {runs: 3, failed: 0, unknown: 3, users: 1, at_least: false} and
        .[0].after == {runs: 2, failed: 2, unknown: 0, users: 1, at_least: false} and .[0].what == "replaced" and .[0].source == "scan"'
}

@test "a change that others than root can have told is marked" {
    two_builds
    run -0 acct --changes --format By,Change -P -n
    [[ $output == "|replaced" ]]
    sqlite3 "${STORE#sqlite:}" "UPDATE library_event SET proven = 0, user = 'root' WHERE first_scan = 0"
    run -0 acct --changes --format By,Change,Proven -P -n
    [[ $output == "?root|replaced|no" ]]
    acct --changes --json | jq -e '.changes[0].proven == false'
}

@test "where the site hashes objects the sha1 tells it" {
    sed -i 's/^\[submit\]$/&\nhash_objects = yes/' "$CONF"
    two_builds
    [[ $(sqlite3 "${STORE#sqlite:}" "SELECT count(*) FROM object WHERE path LIKE '%libmoon.so' AND length(hash) = 40") == 2 ]]
    run -0 acct --changes --format OldBuild,NewBuild,Before,Failed,After,FailedAfter -P -n
    [[ $output == "$OLD|$NEW|3|0|2|2" ]]
}

@test "the jobs that a change since a time is about are listed, and no others" {
    tracked "$PROGRAMS/exit_with" 0
    two_builds
    run -0 acct --changed today --format Exec -P -n
    [[ $(sort <<<"$output" | uniq -c | tr -s ' ') == ' 5 program' ]]
    [[ $(acct --format Exec -P -n | sort | uniq -c | tr -s ' ') == $' 1 exit_with\n 5 program' ]]
    run -0 --separate-stderr acct --changed tomorrow --format Exec -P -n
    [[ $output == "" ]]
}

@test "a library that came back as it was has its runs in both changes" {
    runs 1 0
    next_second
    cp "$TREE/libmoon.so" "$BATS_TEST_TMPDIR/kept"
    make_library two 0
    next_second
    scan
    next_second
    runs 2 0
    next_second
    cp "$BATS_TEST_TMPDIR/kept" "$TREE/made"
    mv "$TREE/made" "$TREE/libmoon.so"
    next_second
    scan
    next_second
    runs 4 0
    load_all
    run -0 acct --changes --format Change,Before,After -P -n
    [[ $output == $'replaced|1|2\nreplaced|2|4' ]]
}

@test "of a removed library there are runs before alone, of an added one after" {
    echo x >"$TREE/other.a" # a tree that is empty is new when something comes
    runs 2 0
    next_second
    mv "$TREE/libmoon.so" "$BATS_TEST_TMPDIR/kept"
    scan
    next_second
    mv "$BATS_TEST_TMPDIR/kept" "$TREE/libmoon.so"
    scan
    next_second
    runs 1 0
    load_all
    run -0 acct --changes --lib moon --format Change,Before,After -P -n
    [[ $output == $'removed|2|0\nadded|0|1' ]]
}

@test "changes are chosen by time and library, and runs by user" {
    two_builds
    [[ $(acct --changes --lib moon --format Change -P -n) == replaced ]]
    [[ $(acct --changes --lib 'lib*' --format Change -P -n) == replaced ]]
    run -0 --separate-stderr acct --changes --lib sun -P -n
    # shellcheck disable=SC2154 # run sets it
    [[ $output == "" && $stderr == *"no changes"*"with --lib sun"* ]]
    run -0 --separate-stderr acct --changes -S 2001-01-01 -E 2002-01-01 -P -n
    [[ $output == "" ]]
    run -0 --separate-stderr acct --changes -u nobody --format Before,After -P -n
    [[ $output == "0|0" ]]
    run -1 acct --changes --exec x
    [[ $output == *"--changes does not go with --exec"* ]]
}

@test "what a user may see are the changes and their own runs alone" {
    two_builds
    cat >"$BATS_TEST_TMPDIR/ask.py" <<'TEXT'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.service.restricted import open_for
from jobtrail.service.rights import Rights

store = open_for(sys.argv[2], Rights(["nobody"]))
print(store.lookup("SELECT count(*) FROM library_event WHERE kind = 'change'"),
      store.lookup("SELECT count(*) FROM library_event WHERE kind = 'use'"), store.lookup("SELECT count(*) FROM run"))
TEXT
    sqlite3 "${STORE#sqlite:}" "UPDATE library_event SET kind = 'use' WHERE first_scan = 1"
    run -0 python3 "$BATS_TEST_TMPDIR/ask.py" "$JOBTRAIL_SOURCE/contrib" "$STORE"
    [[ $output == "[(1,)] [(0,)] [(0,)]" ]]
}
