#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A store that lacks the tables of an extension gets them, once, however many loaders start with it, and however
# often that is begun. jobtrail-load-next is the loader with a made extension (next_schema.c).
# shellcheck disable=SC2030,SC2031,SC2119,SC2120,SC2154,SC2317 # bats sets variables

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/mariadb
load ../fixture/galera

LOADERS=4

setup() {
    PATH=$JOBTRAIL_BIN:$JOBTRAIL_BUILD/test/e2e:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    records=$JOBTRAIL_SOURCE/test/data/records
    ROUNDS=${JOBTRAIL_SOAK:+20}
    ROUNDS=${ROUNDS:-4}
}

teardown() {
    mariadb_stop
    galera_stop
}

# at_once LOADER STORE...: each is loaded into by a loader of its own, at the same time; none has trouble
at_once() {
    local loader=$1 n=0 pid pids=()
    shift
    for store in "$@"; do
        n=$((n + 1))
        "$loader" --store "$store" "$records" >"summary.$n" 2>"said.$n" 3>&- &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || status=failed
    done
    cat said.*
    [ "$(cat said.*)" = "" ]
    [ -z "${status:-}" ]
}

# same STORE: in the place of each loader
same() {
    local i
    for ((i = 0; i < LOADERS; i++)); do
        echo "$1"
    done
}

# make_old STORE: with half of the records
make_old() {
    mkdir -p half
    find "$records" -name 'run.*-00000000000[1-5].json' -exec cp -t half {} +
    jobtrail-load --store "$1" half
}

rows() { # SQL...: what the step is not to change, with what runs SQL
    "$@" 'SELECT id, uuid, owner, program_id, job_part_id, layout_id, ending_id, environment_id FROM run_own
        WHERE made IS NOT NULL ORDER BY id'
}

# parts SQL...: of which the store has tables, with what runs SQL
parts() {
    "$@" "SELECT value FROM store_state WHERE name = 'parts'"
}

@test "an old store in SQLite" {
    for ((round = 0; round < ROUNDS; round++)); do
        rm -f store.db*
        make_old "sqlite:$PWD/store.db"
        sqlite3 store.db 'SELECT id, uuid, owner, program_id, job_part_id, layout_id, ending_id, environment_id
            FROM run_own ORDER BY id' >before
        mapfile -t addresses < <(same "sqlite:$PWD/store.db")
        at_once jobtrail-load-next "${addresses[@]}"
        diff before <(rows sqlite3 store.db)
        [ "$(sqlite3 store.db 'SELECT count(*), count(made), sum(made = uuid) FROM run_own')" = "10|$(wc -l <before)|$(wc -l <before)" ]
        [[ $(parts sqlite3 store.db) == *" next " ]]
        [ "$(sqlite3 store.db 'PRAGMA integrity_check')" = ok ]
    done
    jobtrail-load-next --json --store sqlite:store.db "$records" >summary
    [ "$(jq -c '[.new, .updated, .unchanged]' summary)" = '[0,0,11]' ]
    # the loader without the extension loads too, and leaves its tables; and makes nothing anew, as one after the other may load
    made=$(sqlite3 store.db 'PRAGMA schema_version')
    for loader in jobtrail-load jobtrail-load-next jobtrail-load; do
        "$loader" --json --store sqlite:store.db "$records" >summary
        [ "$(jq -c '[.new, .updated, .unchanged]' summary)" = '[0,0,11]' ]
        [ "$(sqlite3 store.db 'PRAGMA schema_version')" = "$made" ]
    done
    [[ $(parts sqlite3 store.db) == *" next " ]]
    [ "$(sqlite3 store.db 'SELECT count(made) FROM run_own')" -eq "$(wc -l <before)" ]
}

@test "a store of another version is refused, and stays as it is" {
    jobtrail-load --store sqlite:store.db "$records"
    mariadb_start
    jobtrail-load --store "$MARIADB_STORE" "$records"
    sqlite3 store.db "PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)"
    cp store.db before.db
    run --separate-stderr jobtrail-load --store sqlite:store.db "$records"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"its tables are of version 2, and this jobtrail-load makes version 1: "*"load the records into a new store"* ]]
    cmp before.db store.db
    in_mariadb "UPDATE store_state SET value = '2' WHERE name = 'schema'"
    run --separate-stderr jobtrail-load --store "$MARIADB_STORE" "$records"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"its tables are of version 2, and"*"load the records into a new store"* ]]
    [ "$(in_mariadb "SELECT value FROM store_state WHERE name = 'schema'")" = 2 ]
}

# whole SQL...: with what runs SQL
is_whole() {
    [ "$("$@" 'SELECT count(*) FROM run')" -eq 10 ]
    [ "$("$@" 'SELECT count(*) FROM run WHERE executable_id IN (SELECT id FROM executable)')" -eq 10 ]
    [ "$("$@" "SHOW TABLES" | grep -c store_migration)" -eq 0 ]
}

is_renewed() {
    is_whole "$@"
    [[ $(parts "$@") == *" next " ]]
    diff before <(rows "$@")
}

# make_old STORE, and `of_old` and `before`, with what runs SQL
old() {
    make_old "$1"
    shift
    of_old=$(parts "$@")
    "$@" 'SELECT id, uuid, owner, program_id, job_part_id, layout_id, ending_id, environment_id
        FROM run_own ORDER BY id' >before
}

in_mariadb() {
    mariadb_sql "$1" jobtrail
}

@test "an old store in MariaDB, and none yet" {
    mariadb_start
    for ((round = 0; round < ROUNDS; round++)); do
        mariadb_database jobtrail
        mapfile -t addresses < <(same "$MARIADB_STORE")
        at_once jobtrail-load "${addresses[@]}"
        is_whole in_mariadb
        mariadb_database jobtrail
        old "$MARIADB_STORE" in_mariadb
        at_once jobtrail-load-next "${addresses[@]}"
        is_renewed in_mariadb
    done
    # as if a loader had been killed before its last statement
    in_mariadb "UPDATE store_state SET value = '$of_old' WHERE name = 'parts'; UPDATE run_own SET made = NULL WHERE id > $(wc -l <before)"
    jobtrail-load-next --json --store "$MARIADB_STORE" "$records" >summary
    [ "$(jq -c '[.new, .updated, .unchanged]' summary)" = '[0,0,11]' ]
    is_whole in_mariadb
    [ "$(in_mariadb 'SELECT count(made) FROM run_own')" -eq 10 ]
}

# hold SQL: on a connection that stays, with the process $holder_PID; it answers 1
hold() {
    coproc holder { exec mariadb --no-defaults -uroot -S "$MARIADB_DIR/socket" -N -n jobtrail 2>&1; }
    echo "$1" >&"${holder[1]}"
    read -r taken <&"${holder[0]}"
    [ "$taken" = 1 ]
}

is_one() { # STATE: of a connection
    [ "$(mariadb_sql "SELECT count(*) FROM information_schema.processlist WHERE state = '$1'")" -eq 1 ]
}

@test "a MariaDB that another loader renews is waited for, a loader that is killed gives way" {
    mariadb_start
    old "$MARIADB_STORE" in_mariadb
    hold "SELECT GET_LOCK(concat('jobtrail/', sha1('jobtrail')), 0);"
    jobtrail-load-next --store "$MARIADB_STORE" "$records" >summary 2>said 3>&- &
    local loader=$!
    wait_for is_one 'User lock'
    [ "$(parts in_mariadb)" = "$of_old" ]
    kill -KILL "$holder_PID"
    wait "$loader" || cat said
    [ "$(cat said)" = "" ]
    is_renewed in_mariadb
}

@test "a MariaDB that still does what a killed loader told it is waited for" {
    mariadb_start
    old "$MARIADB_STORE" in_mariadb
    hold 'LOCK TABLES run_own READ; SELECT 1;' # which the step changes
    jobtrail-load-next --store "$MARIADB_STORE" "$records" >summary 2>said 3>&- &
    local loader=$!
    wait_for is_one 'Waiting for table metadata lock'
    kill -KILL "$loader"
    wait "$loader" || true
    jobtrail-load-next --store "$MARIADB_STORE" "$records" >summary 2>said 3>&- &
    loader=$!
    wait_for is_one 'User lock'
    kill -KILL "$holder_PID"
    wait "$loader" || cat said
    [ "$(cat said)" = "" ]
    is_renewed in_mariadb
}

@test "a dry run does not renew a MariaDB store" {
    mariadb_start
    old "$MARIADB_STORE" in_mariadb
    mariadb_sql 'SHOW TABLES' jobtrail >before
    run --separate-stderr jobtrail-load-next --dry-run --store "$MARIADB_STORE" "$records"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"lacks tables of this jobtrail, and a dry run makes none"* ]]
    diff before <(mariadb_sql 'SHOW TABLES' jobtrail)
}

in_node() { # NODE SQL
    galera_sql "$1" "SET SESSION wsrep_sync_wait = 1; $2" jobtrail
}

at_node() { # NODE: the store's address there
    echo "mariadb://127.0.0.1:$((GALERA_PORT + 10 * $1))/jobtrail"
}

@test "an old store in a Galera cluster, at several nodes" {
    galera_start
    for ((round = 0; round < ROUNDS; round++)); do
        galera_sql 0 'DROP DATABASE jobtrail; CREATE DATABASE jobtrail'
        old "$(at_node 0)" in_node 0
        at_once jobtrail-load-next "$(at_node 0)" "$(at_node 1)" "$(at_node 0)" "$(at_node 2)"
        is_renewed in_node 0
        is_renewed in_node 2
    done
    # as a loader at node 1 leaves it that was killed
    galera_sql 0 'DROP DATABASE jobtrail; CREATE DATABASE jobtrail'
    old "$(at_node 0)" in_node 0
    in_node 0 "CREATE TABLE store_migration (one TINYINT NOT NULL PRIMARY KEY, node VARCHAR(255) NOT NULL);
        INSERT INTO store_migration VALUES (1, 'node1')"
    jobtrail-load-next --store "$(at_node 0)" "$records" >summary 2>said 3>&- &
    local loader=$!
    jobtrail-load-next --store "$(at_node 1)" "$records"
    wait "$loader"
    is_renewed in_node 0
}
