#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A library is replaced between two jobs: jobtrail-acct says which runs had the old one and which the new one, and how
# many failed. Needs root.
# shellcheck disable=SC2030,SC2031 # bats sets them

# bats file_tags=needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/mariadb

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
    make_file "$TREE/libmoon.so" libmoon.so "$@"
}

# make_file FILE SONAME WORD STATUS
make_file() {
    echo "int answer(void) { return $4; } const char word[] = \"$3\";" |
        gcc -shared -fPIC -Wl,--build-id="${BUILD_ID-sha1}" -Wl,-soname,"$2" -o "$1.made" -x c -
    mv "$1.made" "$1"
}

build_id() { # [FILE]
    readelf -n "${1:-$TREE/libmoon.so}" | sed -n 's/.*Build ID: //p'
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

# scan_apart: a scan with no run in its second
scan_apart() {
    next_second
    scan
    next_second
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

@test "of a removed library there are runs before, of an added one after" {
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

# sql STATEMENTS: in the store
sql() {
    if [[ $STORE == sqlite:* ]]; then sqlite3 "${STORE#sqlite:}" "$1"; else mariadb_sql "$1" jobtrail; fi
}

# in_both_stores COMMAND...: with all records in SQLite, and then in MariaDB
in_both_stores() {
    load_all
    "$@"
    mariadb_start
    STORE=$MARIADB_STORE
    load_all
    "$@"
}

# of_changes_without_id: two runs, a change, three, a touch, four, the same again, five, a change, one
of_changes_without_id() {
    local last
    run -0 acct --changes --format Change,Before,After -P -n
    [[ $output == $'replaced|0|2\nreplaced|2|12\ntouched|3|9\nreplaced|7|5\nreplaced|12|1' ]]
    # and so it is where others of them are not asked for
    last=$(acct --changes --format Found -P -n | tail -n 1)
    run -0 acct --changes -S "$last" --format Change,Before,After -P -n
    [[ $output == "replaced|12|1" ]]
    # what others can have written is no bound of what root has
    last=$(sql "SELECT max(found) FROM library_event")
    sql "UPDATE library_event SET proven = 0 WHERE found = $last"
    run -0 acct --changes --format Change,Before,After -P -n
    [[ $output == $'replaced|0|2\nreplaced|2|13\ntouched|3|10\nreplaced|7|6\nreplaced|12|1' ]]
    # in one event each run is once before and once after, whatever it was before and after of
    sql "UPDATE library_event SET proven = 1, event = 'one'"
    run -0 acct --events --format Before,After,UsersBefore,UsersAfter -P -n
    [[ $output == "14|15|1|1" ]]
}

# of_removals CONDITION: three runs, a removal, two that did not start, one run, a removal, four that did not start, for which
# the condition is true; no Slurm is here that would tell it
of_removals() {
    sql "INSERT INTO ending (id, identity, exit_code, end_source, missing_library)
            VALUES (98, x'01', 127, 'not_started', 'libmoon.so');
        UPDATE run_own SET ending_id = 98 WHERE $1"
    run -0 acct --changes --lib moon --format Change,Before,After,FailedAfter -P -n
    [[ $output == $'replaced|0|3|0\nremoved|3|2|2\nadded|0|1|0\nremoved|1|4|4' ]]
    run -0 acct --changed today --format Exec,MissingLib -P -n
    [[ $(sort <<<"$output" | uniq -c | tr -s ' ') == $' 4 program|\n 6 program|libmoon.so' ]]
}

@test "without a build-id runs are before a change since the one before it, and after it until the next one" {
    local BUILD_ID=none
    make_library one 0
    scan_apart
    runs 2 0
    scan_apart # between it and the next one is the change
    make_library two 0
    scan_apart
    runs 3 0
    scan_apart
    touch "$TREE/libmoon.so" # it stays the same file
    scan_apart
    runs 4 0
    scan_apart
    cp "$TREE/libmoon.so" "$TREE/made" # and so it does here
    mv "$TREE/made" "$TREE/libmoon.so"
    scan_apart
    runs 5 0
    scan_apart
    make_library three 0
    scan_apart
    runs 1 0
    in_both_stores of_changes_without_id
}

@test "runs that did not start are after the removal that they came after, and not after others" {
    local BUILD_ID=none first second third
    make_library one 0
    echo x >"$TREE/other.a" # a tree that is empty is new when something comes
    scan_apart
    runs 3 0
    scan_apart
    mv "$BATS_TEST_TMPDIR/program" "$BATS_TEST_TMPDIR/kept.program"
    mv "$TREE/libmoon.so" "$BATS_TEST_TMPDIR/kept"
    scan_apart
    first=$(date +%s)
    cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/program"
    runs 2 0
    scan_apart
    second=$(date +%s)
    mv "$BATS_TEST_TMPDIR/kept" "$TREE/libmoon.so"
    scan_apart
    mv "$BATS_TEST_TMPDIR/kept.program" "$BATS_TEST_TMPDIR/program"
    runs 1 0
    scan_apart
    mv "$TREE/libmoon.so" "$BATS_TEST_TMPDIR/kept"
    scan_apart
    third=$(date +%s)
    cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/program"
    runs 4 0
    in_both_stores of_removals "(start_time >= $first AND start_time < $second) OR start_time >= $third"
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

# install_fft VERSION: as `make install` does it, with links that lead to a file of this version
install_fft() {
    make_file "$TREE/libfft.so.$1" libfft.so.1 "$1" 0
    ln -sfn "libfft.so.$1" "$TREE/libfft.so.1"
}

@test "an upgrade to a file of another name is one change, with both files" {
    install_fft 1.0.0
    echo 'int answer(void); int main(void) { return answer(); }' |
        gcc -o "$BATS_TEST_TMPDIR/program" -x c - -x none "$TREE/libfft.so.1" -Wl,-rpath,"$TREE"
    scan
    local old new
    old=$(build_id "$TREE/libfft.so.1.0.0")
    runs 3 0
    next_second
    install_fft 1.1.0
    rm "$TREE/libfft.so.1.0.0"
    new=$(build_id "$TREE/libfft.so.1.1.0")
    scan_apart
    runs 2 0
    load_all
    run -0 acct --changes --lib libfft --format Change,From,Path,OldBuild,NewBuild,Before,After,Files -P -n
    [[ ${lines[1]} == "replaced|$TREE/libfft.so.1.0.0|$TREE/libfft.so.1.1.0|$old|$new|3|2|1" && ${#lines[@]} == 2 ]]
    [[ ${lines[0]} == "added||$TREE/libfft.so.1.0.0|"* ]]
    # two files of one soname that came while one went are no pair
    install_fft 1.2.0
    install_fft 1.3.0
    rm "$TREE/libfft.so.1.1.0"
    scan_apart
    load_all
    run -0 acct --changes --lib libfft --format Change -P -n
    [[ $(sort <<<"$output" | uniq -c | tr -s ' ') == $' 3 added\n 1 removed\n 1 replaced' ]]
}

teardown() {
    [[ -z ${ELSEWHERE-} ]] || rm -rf "$ELSEWHERE"
    mariadb_stop
}

# tree_elsewhere: records of links name nothing below /tmp
tree_elsewhere() {
    ELSEWHERE=$(mktemp -d /var/tmp/jobtrail-test-XXXXXX)
    sed -i "s|^tree = .*|tree = $ELSEWHERE|" "$CONF"
    chmod 755 "$ELSEWHERE" # of what is private no record tells the hash
    TREE=$ELSEWHERE
}

# archive STATUS: libsun.a, whose function returns it
archive() {
    echo "int answer(void) { return $1; }" | gcc -c -o "$BATS_TEST_TMPDIR/sun.o" -x c -
    ar rcs "$TREE/made.a" "$BATS_TEST_TMPDIR/sun.o"
    mv "$TREE/made.a" "$TREE/libsun.a"
}

# link NAME: a program with libsun.a, by the linker wrapper
link() {
    echo 'int answer(void); int main(void) { return answer(); }' >"$BATS_TEST_TMPDIR/$1.c"
    env JOBTRAIL_CONF="$CONF" XALT_EXECUTABLE_TRACKING=yes USER=root PATH="$JOBTRAIL_STAGE/libexec/jobtrail/ld:$PATH" \
        COMPILER_PATH="$JOBTRAIL_STAGE/libexec/jobtrail/ld" gcc -o "$BATS_TEST_TMPDIR/$1" "$BATS_TEST_TMPDIR/$1.c" "$TREE/libsun.a"
}

# linked: three runs of a program with an old archive, two of one with a new one, and one with the newest, all of them
# after the changes
linked() {
    tree_elsewhere
    archive 0
    echo one >"$TREE/sun.mod"
    link 0
    scan_apart
    archive 7
    echo two >"$TREE/sun.mod"
    scan_apart
    link 7
    scan_apart
    archive 8
    scan_apart
    link 8
    local program
    for program in 0 0 0 7 7 8; do
        mv "$BATS_TEST_TMPDIR/$program" "$BATS_TEST_TMPDIR/program"
        runs 1 "$program"
        mv "$BATS_TEST_TMPDIR/program" "$BATS_TEST_TMPDIR/$program"
    done
    load_all
}

@test "of an archive the runs count that were linked with it, whenever they ran; of module files nothing is known" {
    linked
    run -0 acct --changes --format Change,Path,Before,Unknown,After,UnknownAfter -P -n
    [[ $(grep 'libsun.a' <<<"$output") == "replaced|$TREE/libsun.a|3|3|2|2"$'\n'"replaced|$TREE/libsun.a|2|2|1|1" ]]
    [[ $output == *"modified|$TREE/sun.mod||||"* ]]
    acct --changes --json | jq -e '.changes[] | select(.path | endswith(".mod")) | .before == null and .after == null'
    # and each run is once in the event, whatever it had of it
    run -0 acct --changed today --format Exec -P -n
    [[ $(sort <<<"$output" | uniq -c | tr -s ' ') == ' 6 program' ]]
}

# what root has written alone is proven to be a user's
# bats test_tags=needs:root,needs:answers
@test "MariaDB says the same, also of the rows that a user may see" {
    linked
    make_library two 0
    scan_apart
    load_all
    mariadb_start
    "$JOBTRAIL_BIN/jobtrail-load" --store "$MARIADB_STORE" "$RECORDS" >/dev/null
    cat >"$BATS_TEST_TMPDIR/ask.py" <<'TEXT'
import json
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.libraries import library_changes
from jobtrail.answers.service.restricted import open_for
from jobtrail.answers.service.rights import Rights

for rights in Rights(everything=True), Rights([sys.argv[3]]), Rights(["nobody"]):
    store = open_for(sys.argv[2], rights)
    rows = library_changes.read(store)
    print(json.dumps(library_changes.with_runs(store, rows) + library_changes.with_runs(store, library_changes.events(rows))))
    print(store.lookup("SELECT count(*) FROM run WHERE " + library_changes.affected(store, rows))[0][0])
TEXT
    ask() { # STORE
        /usr/bin/python3 "$BATS_TEST_TMPDIR/ask.py" "$JOBTRAIL_STAGE/libexec/jobtrail" "$1" "$(id -un)"
    }
    ask "$STORE" >"$BATS_TEST_TMPDIR/sqlite"
    diff "$BATS_TEST_TMPDIR/sqlite" <(ask "$MARIADB_STORE")
    [[ $(sed -n 'n;p' "$BATS_TEST_TMPDIR/sqlite" | xargs) == "6 6 0" ]]
    [[ $(sed -n 1p "$BATS_TEST_TMPDIR/sqlite" | jq -c 'map(select(.path // "" | endswith("libsun.a")) | [.before.runs, .after.runs])') == "[[3,2],[2,1]]" ]]
    # whoever sees their own links alone does not see what others have linked for them
    [[ $(sed -n '1~2p' "$BATS_TEST_TMPDIR/sqlite" | jq -c 'map(select(.path // "" | test("libsun.a|libmoon")) | .before.at_least)' | xargs) == \
        "[false,false,false] [true,true,false] [true,true,false]" ]]
}

@test "with hashes of what is linked it is told which archive it was, where times tell nothing" {
    sed -i 's/^\[submit\]$/[link]\nhash_objects = yes\n&/' "$CONF"
    tree_elsewhere
    archive 0
    scan_apart
    link old
    archive 7
    link new
    scan_apart
    mv "$BATS_TEST_TMPDIR/old" "$BATS_TEST_TMPDIR/program"
    runs 2 0
    mv "$BATS_TEST_TMPDIR/new" "$BATS_TEST_TMPDIR/program"
    runs 1 7
    load_all
    run -0 acct --changes --lib libsun --format Change,Before,After -P -n
    [[ ${lines[-1]} == "replaced|2|1" ]]
}

# bats test_tags=needs:root
@test "runs of another cluster are not those of the change, and what several nodes tell is one change" {
    runs 1 0
    next_second
    make_library two 0
    scan_apart
    runs 2 0
    # the same library has the same change on a node that has a state of its own
    sed "s|^state = .*/libraries|&2|" "$CONF" >"$BATS_TEST_TMPDIR/second.conf"
    # shellcheck disable=SC2016 # of that shell
    local on_second=(unshare --uts sh -c 'hostname second && exec "$0" "$@"' "$JOBTRAIL_BIN/jobtrail-libmon" scan --quiet)
    cp "$TREE/libmoon.so" "$BATS_TEST_TMPDIR/new"
    make_library one 0
    "${on_second[@]}" --conf "$BATS_TEST_TMPDIR/second.conf"
    mv "$BATS_TEST_TMPDIR/new" "$TREE/libmoon.so"
    next_second
    "${on_second[@]}" --conf "$BATS_TEST_TMPDIR/second.conf"
    load_all
    run -0 acct --changes --format Change,Node,Before,After -P -n
    [[ $output == "replaced|$(hostname),second|1|2" || $output == "replaced|second,$(hostname)|1|2" ]]
    acct --changes --json | jq -e '.changes[0] | (.uuids | length) == 2 and (.nodes | length) == 2'
    # another cluster, with a library of this name and content
    sed -i 's/^cluster = lab$/cluster = other/' "$CONF"
    runs 5 0
    load_all
    run -0 acct --changes --format Before,After -P -n
    [[ $output == "1|2" ]]
}

@test "an event is one row, with each run once" {
    echo 'int other(void) { return 0; }' | gcc -shared -fPIC -Wl,--build-id -Wl,-soname,libstar.so -o "$TREE/libstar.so" -x c -
    echo 'int other(void), answer(void); int main(void) { return answer() + other(); }' |
        gcc -o "$BATS_TEST_TMPDIR/program" -x c - -L"$TREE" -lmoon -lstar -Wl,-rpath,"$TREE"
    printf '%s\n' "name = all *" >>"$CONF"
    scan_apart
    runs 3 0
    next_second
    make_library two 7
    cp "$TREE/libstar.so" "$TREE/libgone.so"
    echo 'int other(void) { return 1; }' | gcc -shared -fPIC -Wl,--build-id -Wl,-soname,libstar.so -o "$TREE/made.so" -x c -
    mv "$TREE/made.so" "$TREE/libstar.so"
    scan_apart
    runs 2 8
    load_all
    run -0 acct --events --format Files,Libraries,Changes,Before,After -P -n
    [[ ${lines[-1]} == "3|all|added 1, replaced 2|3|2" ]]
    acct --events --json | jq -e '.events[-1] | .changes == 3 and .before.runs == 3 and .after.users == 1'
}

# bats test_tags=needs:root
@test "what a record does not name is said, and its numbers are lower bounds" {
    chmod 1777 "$TREE"
    chmod o+x "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
    (cd "$TREE" && seq 1002 | sed 's/$/.so/' | setpriv --reuid 65534 --regid 65534 --clear-groups xargs touch)
    scan_apart
    runs 1 0
    load_all
    run -0 --separate-stderr acct --changes --format Files,Before,After -P -n
    [[ $(grep -v '^1|' <<<"$output") == "2|>=0|>=0" ]]
    [[ $stderr == *"names only the first: runs of the others (1) are not counted"* ]]
}

# bats test_tags=needs:answers
@test "what a user may see are the changes and their own runs alone" {
    two_builds
    cat >"$BATS_TEST_TMPDIR/ask.py" <<'TEXT'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.libraries import library_changes
from jobtrail.answers.service.restricted import open_for
from jobtrail.answers.service.rights import Rights

store = open_for(sys.argv[2], Rights(["nobody"]))
print(store.lookup("SELECT count(*) FROM library_event WHERE kind = 'change'"),
      store.lookup("SELECT count(*) FROM library_event WHERE kind = 'use'"), store.lookup("SELECT count(*) FROM run"))
for who in "nobody", sys.argv[3]:
    store = open_for(sys.argv[2], Rights([who]))
    rows = library_changes.with_runs(store, library_changes.read(store))
    print([(row["before"]["runs"], row["after"]["runs"]) for row in rows], library_changes.affected(store, rows)[:9])
TEXT
    sqlite3 "${STORE#sqlite:}" "UPDATE library_event SET kind = 'use' WHERE first_scan = 1"
    run -0 python3 "$BATS_TEST_TMPDIR/ask.py" "$JOBTRAIL_SOURCE/contrib" "$STORE" "$(id -un)"
    [[ $output == $'[(1,)] [(0,)] [(0,)]\n[(0, 0)] (1 = 0)\n[(3, 2)] (run.obje' ]]
}
