#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Changes of libraries as records: from jobtrail-libmon's scan through outbox, transports and loader into the store. Needs
# root.

# bats file_tags=needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/collectors
load ../fixture/mariadb
load ../fixture/library

setup_file() {
    mariadb_start
}

setup() {
    PLACE=$(readlink -f "$BATS_TEST_TMPDIR")
    TREE=$PLACE/sw
    CONF=$PLACE/jobtrail.conf
    RECORDS=$PLACE/records
    COLLECTED=$PLACE/collected
    STORE=sqlite:$PLACE/store.db
    mkdir -p "$TREE" "$COLLECTED"
    configure
}

teardown() {
    stop_collectors
}

configure() { # LINE...
    printf '%s\n' "[site]" "timezone = UTC" "cluster = lab" "[submit]" "state = $PLACE/submit" "[file]" "dir = $RECORDS" \
        "[libraries]" "tree = $TREE" "state = $PLACE/state" "logs = $PLACE/logs" "$@" >"$CONF"
}

scan() {
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" "$@"
}

deliver() { # what waits goes to the records, and into the store
    send
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$RECORDS"
}

use_mariadb() { # an empty database
    mariadb_database jobtrail
    STORE=$MARIADB_STORE
}

ask() { # SQL
    if [[ $STORE == sqlite:* ]]; then
        sqlite3 -separator ' ' -nullvalue NULL "${STORE#sqlite:}" "$1"
    else
        mariadb_sql "$1" jobtrail | tr '\t' ' '
    fi
}

# tree_of_changes: a library of each kind of change, seen by two scans
tree_of_changes() {
    local name
    for name in replaced modified touched moved removed; do make_library "$TREE/lib$name.so.1" "$name"; done
    scan >/dev/null
    OLD=$(build_id "$TREE/libreplaced.so.1")
    make_library "$TREE/libreplaced.so.1" other
    NEW=$(build_id "$TREE/libreplaced.so.1")
    cat "$TREE/libreplaced.so.1" >"$TREE/libmodified.so.1"
    touch -d 2001-02-03 "$TREE/libtouched.so.1"
    mv "$TREE/libmoved.so.1" "$TREE/libmoved.so.2"
    rm "$TREE/libremoved.so.1"
    make_library "$TREE/libadded.so.1" added
    scan >/dev/null
}

kinds="SELECT what, count(*) FROM library_event WHERE first_scan = 0 GROUP BY what ORDER BY what"
each_kind=$'added 1\nmodified 1\nmoved 1\nremoved 1\nreplaced 1\ntouched 1'

# in_the_store: each kind of change of tree_of_changes is, with the file as it was and is
in_the_store() {
    [[ $(ask "$kinds") == "$each_kind" ]]
    [[ $(ask "SELECT count(*), min(files), max(files) FROM library_event WHERE first_scan = 1") == "5 1 1" ]]
    [[ $(ask "SELECT was_build_id, is_build_id, library, source, proven FROM library_event WHERE what = 'replaced'") == \
        "$OLD $NEW libreplaced scan 1" ]]
    [[ $(ask "SELECT path_before, path FROM library_event WHERE what = 'moved'") == "$TREE/libmoved.so.1 $TREE/libmoved.so.2" ]]
    [[ $(ask "SELECT count(*) FROM library_event WHERE what = 'removed' AND is_sha1 IS NULL AND was_sha1 IS NOT NULL") == 1 ]]
    [[ $(ask "SELECT count(*) FROM library_event WHERE uid IS NULL AND user IS NULL AND cluster = 'lab'") == 11 ]]
    # the scan before saw all; a file's own times lie between
    [[ $(ask "SELECT count(*) FROM library_event WHERE what IN ('added', 'replaced') AND first_scan = 0
        AND after_time <= is_mtime AND is_mtime <= before_time") == 2 ]]
}

@test "each kind of change goes by files into SQLite, and once however often it comes" {
    tree_of_changes
    deliver
    in_the_store
    "$JOBTRAIL_BIN/jobtrail-load" --json --store "$STORE" "$RECORDS" >"$PLACE/again"
    [[ $(jq -c '[.new, .updated, .unchanged]' "$PLACE/again") == "[0,0,11]" ]]
}

@test "and into MariaDB" {
    use_mariadb
    tree_of_changes
    deliver
    in_the_store
    "$JOBTRAIL_BIN/jobtrail-load" --json --store "$STORE" "$RECORDS" >"$PLACE/again"
    [[ $(jq -c '[.new, .updated, .unchanged]' "$PLACE/again") == "[0,0,11]" ]]
}

@test "and by http" {
    start_http
    configure "[transport]" "use = file, http" "[http]" "url = http://127.0.0.1:$HTTP_PORT/json"
    tree_of_changes
    send
    [[ $(waiting http) == 0 && $(waiting file) == 0 ]]
    [[ $(http_keys | wc -l) == 11 ]]
    diff <(http_keys) <(find "$RECORDS" -name 'lib.lab.*.json' -exec jq -r '"\(.libraryT.uuid):\(.libraryT.what)"' {} + | sort)
}

@test "and by syslog" {
    configure "[transport]" "use = syslog" "[syslog]" "socket = $COLLECTED/log"
    start_rsyslog
    tree_of_changes
    send
    stop_rsyslog
    [[ $(waiting syslog) == 0 ]]
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$COLLECTED/syslog"
    [[ $(ask "$kinds") == "$each_kind" ]]
}

@test "the records are as the schema says" {
    tree_of_changes
    send
    python3 - "$JOBTRAIL_STAGE/share/jobtrail/schema/lib.schema.json" "$RECORDS" <<'TEXT'
import json, sys
from pathlib import Path
import jsonschema

schema = json.loads(Path(sys.argv[1]).read_text())
paths = list(Path(sys.argv[2]).rglob("lib.*.json"))
assert len(paths) == 11
for path in paths:
    jsonschema.validate(json.loads(path.read_text()), schema)
TEXT
}

@test "a dry run makes none, and neither does a scan without a change or without a transport" {
    make_library "$TREE/liba.so" one
    scan --dry-run
    [[ ! -e $PLACE/submit ]]
    scan
    [[ $(waiting file) == 1 ]]
    scan
    [[ $(waiting file) == 1 ]]
    configure "[transport]" "use = none"
    make_library "$TREE/liba.so" other
    rm -r "$PLACE/submit"
    scan
    [[ ! -e $PLACE/submit ]]
}

@test "where no logs are written the records are made all the same" {
    sed -i 's/^logs = .*/logs =/' "$CONF"
    tree_of_changes
    deliver
    in_the_store
}

@test "a full outbox is said, and the next scan tells what found no room" {
    configure "[outbox]" "size = 1M"
    local i full=$PLACE/submit/outbox/file/00000000001000000000.1.0.u0.j0
    mkdir -p "${full%/*}" && head -c 600K /dev/zero >"$full"
    for i in {1..20}; do make_library "$TREE/lib$i.so" "$i"; done
    run -3 --separate-stderr scan
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr == *"records of the changes: root's share of the outbox is full ([outbox] size); see jobtrail-submit outbox"*"nothing is lost, the next scan reports it again"* ]]
    rm "$full"
    [[ $(waiting file) == 0 ]]
    configure
    run -0 scan
    deliver
    [[ $(ask "SELECT count(*) FROM library_event") == 20 ]]
    [[ $(cat "$PLACE"/logs/*.log | grep -c LOG_CREATED) == 20 ]]
}

# again: state and logs as before the changes, and nothing of records
again() {
    rm -rf "$PLACE/state" "$PLACE/logs" "$PLACE/submit" "$RECORDS" "$PLACE"/store.db*
    cp -a "$PLACE/state.before" "$PLACE/state"
    cp -a "$PLACE/logs.before" "$PLACE/logs"
}

@test "a scan that is killed at writes to outbox, logs and state loses no change, and the store has none twice" {
    make_library "$TREE/liba.so" one
    make_library "$TREE/libb.so" one
    scan >/dev/null
    cp -a "$PLACE/state" "$PLACE/state.before"
    cp -a "$PLACE/logs" "$PLACE/logs.before"
    make_library "$TREE/liba.so" two
    rm "$TREE/libb.so"
    local call count at step killed=0
    for call in fsync linkat ftruncate pwrite64; do
        again
        strace -f -o "$PLACE/calls" -e trace=$call "$JOBTRAIL_BIN/jobtrail-libmon" scan --quiet --conf "$CONF"
        count=$(grep -c "$call(" "$PLACE/calls" || true)
        step=$((count / 8 + 1))
        for ((at = 1; at <= count; at += step)); do
            again
            strace -f -o "$PLACE/calls" -e trace=$call -e inject=$call:signal=KILL:when=$at \
                "$JOBTRAIL_BIN/jobtrail-libmon" scan --quiet --conf "$CONF" 2>/dev/null || killed=$((killed + 1))
            scan --quiet
            deliver >/dev/null 2>&1
            [[ $(ask "$kinds") == $'removed 1\nreplaced 1' ]]
            [[ $(cat "$PLACE"/logs/*.log | grep -c 'LIB_RE') == 2 ]]
        done
    done
    echo "$killed scans were killed"
    ((killed > 10))
}

@test "of one change, told with the watch and without it, the store has who it was, in whatever order it comes" {
    make_library "$TREE/liba.so" one
    scan >/dev/null
    send
    local record
    record=$(find "$RECORDS" -name 'lib.*.json')
    mkdir -p "$PLACE/watched"
    chmod 755 "$PLACE/watched"
    # as the watch has seen it
    sed -e 's/^{"crc":"0x....",/{/' -e 's/"source":"scan"/"source":"watch"/' -e 's/"uid":null/"uid":0/' -e 's/"user":null/"user":"root"/' \
        "$record" >"$PLACE/watched/${record##*/}"
    local order from turn=0
    for order in "$RECORDS $PLACE/watched" "$PLACE/watched $RECORDS"; do
        turn=$((turn + 1))
        for from in $order; do "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$PLACE/$turn.db" "$from"; done
        [[ $(sqlite3 "$PLACE/$turn.db" "SELECT source, user, proven FROM library_event") == "watch|root|1" ]]
    done
}

# bats test_tags=needs:root
@test "what users put where all can write does not replace what root has seen" {
    make_library "$TREE/liba.so" one
    scan >/dev/null
    send
    local record name
    record=$(find "$RECORDS" -name 'lib.*.json')
    name=${record##*/}
    # where anybody can write: it is kept as a claim, and root's own replaces it
    install -d -m 1777 "$PLACE/open"
    sed 's/^{"crc":"0x....",/{/; s/"what":"added"/"what":"moved"/' "$record" >"$PLACE/open/$name"
    chown nobody "$PLACE/open/$name"
    run -0 "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$PLACE/open"
    [[ $(ask "SELECT what, proven FROM library_event") == "moved 0" ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$RECORDS"
    [[ $(ask "SELECT what, proven FROM library_event") == "added 1" ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$PLACE/open"
    [[ $(ask "SELECT what, proven FROM library_event") == "added 1" ]]
}

@test "names that drive a terminal or break a line come into the store as they are" {
    local name=$'lib\e[31m\nx\xff\'";--.so'
    make_library "$TREE/libplain.so" one
    mv "$TREE/libplain.so" "$TREE/$name"
    scan >/dev/null
    deliver
    [[ $(ask "SELECT count(*) FROM library_event") == 1 ]]
    [[ $(ask "SELECT hex(path) FROM library_event") == *"$(printf '%s' $'lib\e[31m\nx' | od -An -tx1 | tr -d ' \n' | tr a-f A-F)EEBFBF"* ]]
}
