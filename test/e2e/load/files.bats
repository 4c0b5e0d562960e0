#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-load, from record files to the store.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    records=$BATS_TEST_TMPDIR/records
    store=$BATS_TEST_TMPDIR/store.db
    cp -r "$JOBTRAIL_SOURCE/test/data/records" "$records"
    start=$(echo "$records"/*.aaa.*-000000000002.json)
    end=$(echo "$records"/*.zzz.*-000000000002.json)
}

teardown() {
    [ -z "${other:-}" ] || rm -r "$other"
}

load() {
    run --separate-stderr jobtrail-load --json --store "sqlite:$store" "$@"
}

# count KEY: a number of the summary that load printed.
count() {
    grep -o "\"$1\":[0-9]*" <<<"$output" | cut -d: -f2
}

query() {
    python3 - "$store" "$1" <<'EOF'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row, sep="|")
EOF
}

damage() {
    sed -i 's/alice/mallo/' "$1"
}

@test "loading twice changes nothing" {
    load "$records"
    before=$(query 'SELECT * FROM run ORDER BY uuid')
    load "$records"
    [ "$status" -eq 0 ]
    [ "$(count new)" -eq 0 ]
    [ "$(count updated)" -eq 0 ]
    [ "$(count unchanged)" -eq 11 ]
    [ "$(query 'SELECT * FROM run ORDER BY uuid')" = "$before" ]
}

@test "a record as XALT writes it is loaded" {
    load "$records"/*.8c8d61fb-*.json
    [ "$status" -eq 0 ]
    [ "$(query 'SELECT job_id_raw, num_cores, step_id IS NULL, cmdline FROM run')" = \
        '17|1|1|["namd2","helloñ.namd"]' ]
}

@test "numbered subdirectories are loaded, others are not" {
    mkdir "$records/017" "$records/other" "$records/017/018"
    mv "$start" "$records/017"
    mv "$end" "$records/other"
    cp "$records"/*-000000000001.json "$records/017/018"
    load "$records"
    [ "$(count read)" -eq 10 ]
    [ "$(query "SELECT is_start_only FROM run WHERE uuid LIKE '%2' AND job_id_raw = 12")" -eq 1 ]
}

@test "subdirectories of kinds, and numbers in them, are loaded, but not through links" {
    mkdir -p "$records"/run/017/run "$records"/{link,runs,elsewhere} "$records"/pkg/other
    mv "$start" "$records/run/017"
    mv "$end" "$records/run"
    for place in run/017/run runs elsewhere pkg/other; do
        cp "$records"/*-000000000001.json "$records/$place"
    done
    ln -s ../elsewhere "$records/link/018"
    ln -s elsewhere "$records/coverage"
    load --delete "$records"
    [ "$(count read)" -eq 11 ]
    [ "$(count deleted)" -eq 11 ]
    [ ! -e "$records/run/017/$(basename "$start")" ]
    [ "$(find "$records" -name '*.json' | wc -l)" -eq 4 ]
}

@test "temporary and foreign names are left alone" {
    mv "$start" "$records/.run.new.json"
    mv "$end" "$records/note.tiny.json"
    load --delete "$records"
    [ "$(count read)" -eq 9 ]
    [ -e "$records/.run.new.json" ]
    [ -e "$records/note.tiny.json" ]
}

@test "a record that contradicts its crc is set aside and the load goes on" {
    damage "$end"
    load "$records"
    [ "$status" -eq 1 ]
    [ "$(count damaged)" -eq 1 ]
    [ "$(count new)" -eq 10 ]
    [[ "$stderr" == *"$end: crc is 0x"* ]]
    [ -e "$end" ]
}

@test "cut, empty and too large files, links and pipes are set aside with a reason" {
    mkdir "$BATS_TEST_TMPDIR/odd"
    cd "$BATS_TEST_TMPDIR/odd"
    head -c 100 "$end" | sed 's/^{"crc":"0x....",/{/' >run.cut.json
    : >run.empty.json
    truncate -s 17M run.large.json
    ln -s "$end" run.link.json
    mkfifo run.pipe.json
    echo '{"userT":{"run_uuid":"none"}}' >run.uuid.json
    load .
    [ "$status" -eq 1 ]
    [ "$(count damaged)" -eq 6 ]
    [[ "$stderr" == *"run.cut.json: JSON is cut short"* ]]
    [[ "$stderr" == *"run.empty.json: JSON is cut short"* ]]
    [[ "$stderr" == *"run.large.json: is larger than 16777216 bytes"* ]]
    [[ "$stderr" == *"run.link.json: is a symbolic link"* ]]
    [[ "$stderr" == *"run.pipe.json: is not a regular file"* ]]
    [[ "$stderr" == *"run.uuid.json: userT.run_uuid is not a uuid"* ]]
}

@test "control characters of a file name do not reach the terminal" {
    mkdir "$BATS_TEST_TMPDIR/odd"
    : >"$BATS_TEST_TMPDIR/odd/run."$'\e[31m'".json"
    load "$BATS_TEST_TMPDIR/odd"
    [[ "$stderr" == *"run.?[31m.json: "* ]]
}

@test "a record of a later version is loaded for what is known of it" {
    jq -c 'del(.crc) | .userT += {new_key: "x", newer: {a: [1]}} | .userDT.more = 5 | .slurmT.extra = null
        | .laterT = {a: {b: [1, "c"]}} | .laterA = [[]] | .XALT_qaT.version = {"major": 99}' "$end" >"$records/run.later.json"
    load "$records/run.later.json"
    [ "$status" -eq 0 ]
    expected=$(query 'SELECT * FROM run')
    rm "$store"
    load "$end"
    [ "$(query 'SELECT * FROM run')" = "$expected" ]
    echo '{"futureT":{"uuid":"019a9f00-0000-7000-8000-000000000001"}}' >"$records/run.future.json"
    load --delete "$records/run.future.json"
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"is no run, link, package, coverage, library, ranks or profile record"* ]]
    [ -e "$records/run.future.json" ]
}

@test "a record with keys of several kinds, or of another kind than its name, is set aside and nobody's run" {
    local forged='"userT":{"run_uuid":"019a9f00-1122-7abc-8def-010203040500","user":"root","job_id":"7"}' here="$BATS_TEST_TMPDIR/forged"
    mkdir "$here"
    echo "{\"xalt_run_uuid\":\"019a9f00-1122-7abc-8def-010203040500\",$forged}" >"$here/pkg.tiny.a.games.json"
    echo "{\"resultT\":{},$forged}" >"$here/link.tiny.a.games.json"
    echo "{\"coverageT\":{},$forged}" >"$here/coverage.tiny.a.games.json"
    echo "{$forged}" >"$here/pkg.tiny.b.games.json"
    echo "{$forged,$forged}" >"$here/run.tiny.b.games.json"
    echo "{$forged,\"linkA\":[]}" >"$here/note.json"
    cp "$end" "$here"
    load --quarantine "$BATS_TEST_TMPDIR/bad" "$here" "$here/note.json"
    [ "$status" -eq 1 ]
    [ "$(count new)" -eq 1 ]
    [ "$(count damaged)" -eq 6 ]
    [ "$(count quarantined)" -eq 6 ]
    [ "$(cat "$BATS_TEST_TMPDIR"/bad/*.reason | grep -c 'has keys of records of several kinds')" -eq 4 ]
    grep -q 'is named pkg and is run' "$BATS_TEST_TMPDIR/bad/pkg.tiny.b.games.json.reason"
    grep -q 'has a key twice' "$BATS_TEST_TMPDIR/bad/run.tiny.b.games.json.reason"
    [ "$(query 'SELECT count(*) FROM run')" -eq 1 ]
    # one that has no name is what its keys say
    echo "{$forged}" >"$here/note.json"
    load "$here/note.json"
    [ "$(count new)" -eq 1 ]
}

@test "a terminal sees total, rate and time left, and one summary" {
    cd "$BATS_TEST_TMPDIR"
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 2 1000 >lines
    mkdir many
    awk '{ print >("many/run." NR ".json") }' lines
    run script -qec "jobtrail-load --batch 200 --store sqlite:$store many" /dev/null
    echo "$output"
    [ "$status" -eq 0 ]
    # shellcheck disable=SC2016 # quoted for the expression
    [[ $output =~ $'\r\e[K500 of 1000 read, 50 %, '[0-9]+'/s, '[0-9]+' s left, 0 set aside' ]]
    [ "$(grep -c '1000 new, 0 updated' <<<"$output")" -eq 1 ]
    # of a file how much was read, of standard input neither that nor a time
    run script -qec "jobtrail-load --store sqlite:$store lines" /dev/null
    [[ $output =~ $'\r\e[K500 read, '[0-9]+' %, '[0-9]+'/s, '[0-9]+' s left, 0 set aside' ]]
    run script -qec "cat lines | jobtrail-load --store sqlite:$store -" /dev/null
    [[ $output =~ $'\r\e[K500 read, '[0-9]+'/s, 0 set aside' && $output == *" 1000 unchanged"* ]]
    load many
    [ "$stderr" = "" ]
}

@test "what holds no records is an error, and all else is loaded" {
    cd "$BATS_TEST_TMPDIR"
    mkdir none others
    echo '{}' >others/package.json
    printf 'Nov 23 10:00:00 n1 sshd[1]: session opened\n' >syslog
    for input in none others syslog - "$records others" "syslog $records"; do
        # shellcheck disable=SC2086 # words
        load $input <syslog
        echo "$input: $output $stderr"
        [ "$status" -eq 6 ]
        [[ $stderr == "jobtrail-load: "*": holds no records: "* ]]
    done
    [ "$(query 'SELECT count(*) FROM run')" -gt 0 ]
}

@test "where records arrive there may be none, and a log may be empty" {
    cd "$BATS_TEST_TMPDIR"
    mkdir arrival
    : >log
    load --delete arrival
    [ "$status" -eq 0 ]
    for input in log - /dev/null; do
        load "$input" <log
        echo "$input: $output $stderr"
        [ "$status" -eq 0 ]
        [ "$stderr" = "" ]
    done
    # what the timer's unit calls
    load --delete --quarantine refused arrival
    [ "$status" -eq 0 ]
}

@test "damaged files are moved to the quarantine beside their reason" {
    damage "$end"
    load --quarantine "$BATS_TEST_TMPDIR/bad" "$records"
    [ "$status" -eq 1 ]
    [ "$(count quarantined)" -eq 1 ]
    [ ! -e "$end" ]
    moved=$BATS_TEST_TMPDIR/bad/${end##*/}
    grep -q mallo "$moved"
    grep -q "^$end: crc is 0x" "$moved.reason"
    load --quarantine "$BATS_TEST_TMPDIR/bad" "$records"
    [ "$status" -eq 0 ]
}

@test "damaged files of the same name are all in the quarantine" {
    mkdir -p "$records/000" "$records/001"
    for n in 1 2 3; do
        for place in . 000 001; do
            echo "damaged $n $place" >"$records/$place/run.same.json"
        done
        load --quarantine "$BATS_TEST_TMPDIR/bad" "$records"
    done
    [ "$(cat "$BATS_TEST_TMPDIR"/bad/run.same*.json | sort -u | wc -l)" -eq 9 ]
    for kept in "$BATS_TEST_TMPDIR"/bad/run.same*.json; do
        grep -q "$(cut -d' ' -f3 "$kept")/*run.same.json: JSON is damaged" "$kept.reason"
    done
}

# bats test_tags=needs:root
@test "a sparse file takes no more in a quarantine on another file system than where it was" {
    cd "$BATS_TEST_TMPDIR"
    mkdir small
    mount -t tmpfs -o size=1m,mode=755 tmpfs small
    mkdir small/records
    printf '{"userT":' >small/records/run.lab.x.json
    truncate -s 3G small/records/run.lab.x.json
    load --quarantine "$PWD/bad" small/records
    umount small
    [ "$status" -eq 1 ]
    [ "$(stat -c %s bad/run.lab.x.json)" -eq $((3 << 30)) ]
    [ "$(du -k bad/run.lab.x.json | cut -f 1)" -lt 100 ]
    [ "$(head -c 9 bad/run.lab.x.json)" = '{"userT":' ]
}

@test "quarantine on another file system gets a copy" {
    other=$(mktemp -d -p /dev/shm)
    [ "$(stat -c %d "$other")" != "$(stat -c %d "$records")" ] || skip "no second file system"
    damage "$end"
    load --quarantine "$other" "$records"
    [ "$(find "$other" -type f | wc -l)" -eq 2 ]
    [ ! -e "$end" ]
}

@test "delete removes what the store holds and nothing else" {
    mkdir "$records/003"
    mv "$start" "$records/003"
    damage "$end"
    load --delete --batch 3 "$records"
    [ "$status" -eq 1 ]
    [ "$(count deleted)" -eq 10 ]
    [ "$(find "$records" -type f)" = "$end" ]
}

@test "dry run changes neither files nor store" {
    load --dry-run --delete --quarantine "$BATS_TEST_TMPDIR/bad" "$records"
    [ "$status" -eq 0 ]
    [ "$(count new)" -eq 10 ]
    [ "$(count deleted)" -eq 0 ]
    [ ! -e "$store" ]
    [ ! -e "$BATS_TEST_TMPDIR/bad" ]
    [ "$(find "$records" -type f | wc -l)" -eq 11 ]
}

@test "files stay when the store fails" {
    echo "no database" >"$store"
    load --delete "$records"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"file is not a database"* ]]
    [ "$(find "$records" -type f | wc -l)" -eq 11 ]
}

@test "a missing directory is named, the others are loaded" {
    load /nonexistent "$records"
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"/nonexistent: No such file or directory"* ]]
    [ "$(count new)" -eq 10 ]
}

@test "wrong usage ends with 2 and says what to do" {
    run jobtrail-load
    [ "$status" -eq 2 ]
    run jobtrail-load --store mysql:x "$records"
    [ "$status" -eq 2 ]
    [[ "$output" == *"write sqlite:FILE"* ]]
    run jobtrail-load --batch 0 "$records"
    [ "$status" -eq 2 ]
    run jobtrail-load --frobnicate
    [ "$status" -eq 2 ]
}

@test "two loaders at once load every record once" {
    jobtrail-load --batch 1 --delete --store "sqlite:$store" "$records" &
    jobtrail-load --batch 1 --delete --store "sqlite:$store" "$records"
    wait
    [ "$(query 'SELECT count(*) FROM run')" -eq 10 ]
    [ "$(find "$records" -type f)" = "" ]
}
