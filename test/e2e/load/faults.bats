#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The loader and its database are killed at random moments, and the disk fills up: in the end each
# record is in the store once. JOBTRAIL_SOAK=1 kills some hundred times.
# shellcheck disable=SC2030,SC2031,SC2119,SC2120,SC2154 # bats sets variables

bats_require_minimum_version 1.5.0
load ../fixture/mariadb
load ../fixture/galera

setup_file() {
    export KILLS=${JOBTRAIL_SOAK:+200}
    KILLS=${KILLS:-10}
    export RECORDS=$((KILLS * 300))
    cd "$BATS_FILE_TMPDIR" || return
    mkdir records
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 9 --until 1760000000 --programs 300 "$RECORDS" "$PWD/records"
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 9 --until 1760000000 --programs 300 "$RECORDS" |
        grep -o '"run_uuid":"[^"]*' | cut -d'"' -f4 | sort >uuids
}

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    cp -al "$BATS_FILE_TMPDIR"/{records,uuids} .
}

teardown() {
    mariadb_stop
    galera_stop
    [ -z "${mounted:-}" ] || umount "$mounted"
}

# until_killed COMMAND...: the command is killed after a random moment, unless it is faster
until_killed() {
    local pid
    "$@" >>log 2>&1 3>&- &
    pid=$!
    sleep "0.$(printf '%03d' $((RANDOM % 150)))"
    ! kill -KILL "$pid" 2>/dev/null || killed=$((killed + 1))
    wait "$pid" || true
}

in_mariadb() {
    mariadb_sql "$1" jobtrail
}

# every run of the records, once, and nothing that points to nowhere
is_whole() { # QUERY...: what runs SQL
    diff <("$@" 'SELECT uuid FROM run ORDER BY uuid') uuids >/dev/null
    is_consistent "$@"
}

is_consistent() { # QUERY...
    local column table
    while read -r column table; do
        [ "$("$@" "SELECT count(*) FROM run WHERE $column IS NOT NULL AND $column NOT IN (SELECT id FROM $table)")" = 0 ]
    done <<'LINKS'
executable_id executable
object_set_id object_set
environment_id environment
ancestors_id ancestors
build_id build
LINKS
    [ "$("$@" 'SELECT count(*) FROM run WHERE object_set_id IS NULL')" = 0 ]
    [ "$("$@" 'SELECT count(*) FROM object_set WHERE id NOT IN (SELECT object_set_id FROM object_set_member)')" = 0 ]
    [ "$("$@" 'SELECT count(*) FROM environment WHERE id NOT IN (SELECT environment_id FROM environment_member)')" = 0 ]
    [ "$("$@" 'SELECT count(*) FROM object_set_member WHERE object_id NOT IN (SELECT id FROM object)')" = 0 ]
    [ "$("$@" 'SELECT count(*) FROM environment_member WHERE env_value_id NOT IN (SELECT id FROM env_value)')" = 0 ]
}

# expires_beside STORE QUERY...: a loader of runs of 20 days, of which others expire those before the last 10
# meanwhile
expires_beside() {
    local store=$1 until=$EPOCHSECONDS loader
    shift
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 4 --until "$until" --days 20 --programs 200 "$RUNS" >both
    jobtrail-load --batch "$BATCH" --store "$store" both >summary 2>said 3>&- &
    loader=$!
    while kill -0 "$loader" 2>/dev/null; do
        jobtrail-load --expire 10 --json --store "$store" >>expired 2>>said
    done
    wait "$loader" || cat said
    cat said
    [ "$(cat said)" = "" ]
    [ "$(jq -s 'map(select(.expired > 0)) | length' expired)" -gt 0 ]
    jobtrail-load --expire 10 --store "$store"
    is_consistent "$@"
    # young ones, but for those that have come of age since
    diff <("$@" 'SELECT uuid FROM run ORDER BY uuid') <(jq -r --argjson before $((EPOCHSECONDS - 864000)) \
        'select(.userDT.start_time >= $before) | .userT.run_uuid' both | sort) >differences || true
    [ "$(wc -l <differences)" -le 2 ]
}

@test "runs expire beside a loader, and nothing that it uses, in SQLite" {
    RUNS=6000 BATCH=4 expires_beside "sqlite:$PWD/store.db" sqlite3 store.db
}

@test "runs expire beside a loader, and nothing that it uses, in MariaDB" {
    mariadb_start
    RUNS=1500 BATCH=20 expires_beside "$MARIADB_STORE" in_mariadb
}

@test "a loader that is killed loses nothing and stores nothing twice, in SQLite" {
    killed=0
    for ((i = 0; i < KILLS; i++)); do
        until_killed jobtrail-load --delete --batch 100 --store "sqlite:$PWD/store.db" records
    done
    jobtrail-load --delete --store "sqlite:$PWD/store.db" records
    [ "$killed" -gt 0 ]
    is_whole sqlite3 store.db
    [ "$(find records -type f)" = "" ]
}

@test "a loader that is killed loses nothing and stores nothing twice, in MariaDB" {
    mariadb_start
    killed=0
    for ((i = 0; i < KILLS; i++)); do
        until_killed jobtrail-load --delete --batch 100 --store "$MARIADB_STORE" records
    done
    jobtrail-load --delete --store "$MARIADB_STORE" records
    [ "$killed" -gt 0 ]
    is_whole in_mariadb
    [ "$(find records -type f)" = "" ]
}

@test "a database that is killed and comes back is waited for" {
    mariadb_start
    jobtrail-load --delete --batch 20 --json --store "$MARIADB_STORE" records >summary 2>said 3>&- &
    local loader=$! kills=0
    while kill -0 "$loader" 2>/dev/null && ((kills < (KILLS + 9) / 10)); do
        sleep "0.$(printf '%03d' $((200 + RANDOM % 300)))"
        kill -KILL "$MARIADB_PID"
        wait "$MARIADB_PID" || true
        rm -f "$MARIADB_DIR/pid"
        mariadb_server
        kills=$((kills + 1))
    done
    wait "$loader" || cat said
    cat said
    [ "$(cat said)" = "" ]
    is_whole in_mariadb
    [ "$(find records -type f)" = "" ]
}

# bats test_tags=needs:root
@test "a full disk stops the load, and what is not stored stays" {
    mounted=$PWD/small
    mkdir small
    mount -t tmpfs -o size=3m,mode=755 tmpfs small
    run --separate-stderr jobtrail-load --delete --batch 100 --store "sqlite:$PWD/small/store.db" records
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"database or disk is full"* ]]
    local left stored
    left=$(find records -type f | wc -l)
    stored=$(sqlite3 small/store.db 'SELECT count(*) FROM run')
    [ "$stored" -gt 0 ]
    [ "$left" -gt 0 ]
    [ $((left + stored)) -ge "$RECORDS" ]
    mount -o remount,size=1g small
    jobtrail-load --delete --store "sqlite:$PWD/small/store.db" records
    is_whole sqlite3 small/store.db
}

in_node() { # NODE SQL
    galera_sql "$1" "SET SESSION wsrep_sync_wait = 1; $2" jobtrail
}

@test "a Galera cluster of three nodes loses one in mid-load, and no record" {
    galera_start
    local first=127.0.0.1:$((GALERA_PORT + 10)) second=127.0.0.1:$GALERA_PORT half
    half=$((RECORDS / 3))
    jobtrail-load --delete --batch 50 --store "mariadb://$first,$second/jobtrail" records >log 2>said 3>&- &
    local loader=$!
    half_is_there() { [ "$(in_node 0 'SELECT count(*) FROM run' 2>/dev/null || echo 0)" -ge "$half" ]; }
    eventually 60 half_is_there
    kill -KILL "${GALERA_PIDS[1]}"
    wait "$loader" || cat said
    [ "$(cat said)" = "" ]
    [ "$(find records -type f)" = "" ]
    is_whole in_node 0
    is_whole in_node 2
    two_are_left() { [ "$(galera_sql 0 "SHOW STATUS LIKE 'wsrep_cluster_size'" | cut -f2)" -eq 2 ]; }
    wait_for two_are_left
}
