#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Several loaders that start at once at an old store, or at none, bring it up once.
# shellcheck disable=SC2030,SC2031,SC2119,SC2120,SC2154,SC2317 # bats sets variables

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/mariadb
load ../fixture/galera

LOADERS=4

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    stores=$JOBTRAIL_SOURCE/test/data/stores
    records=$JOBTRAIL_SOURCE/test/data/records
    ROUNDS=${JOBTRAIL_SOAK:+20}
    ROUNDS=${ROUNDS:-4}
}

teardown() {
    mariadb_stop
    galera_stop
}

# at_once STORE...: each is loaded into by a loader of its own, at the same time; none has trouble
at_once() {
    local n=0 pid pids=()
    for store in "$@"; do
        n=$((n + 1))
        jobtrail-load --store "$store" "$records" >"summary.$n" 2>"said.$n" 3>&- &
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

@test "an old store in SQLite" {
    for version in 1 2 3; do
        for ((round = 0; round < ROUNDS; round++)); do
            rm -f store.db*
            sqlite3 store.db <"$stores/sqlite_$version.sql"
            chmod 600 store.db
            mapfile -t addresses < <(same "sqlite:$PWD/store.db")
            at_once "${addresses[@]}"
            [ "$(sqlite3 store.db 'SELECT count(*) FROM run')" -eq 10 ]
            [ "$(sqlite3 store.db 'PRAGMA user_version')" -eq 4 ]
        done
    done
}

# SQL that writes the uuids of an old store in capitals. Two runs are there twice: one with its end in capitals,
# the other with its start.
capitals() { # IDS: 1 where runs have ids
    local ended=019A9F00-0000-7000-8000-000000000001 begun=019A9F00-0000-7000-8000-000000000002
    cat <<SQL
UPDATE run SET uuid = upper(uuid);
CREATE TEMPORARY TABLE twin AS SELECT * FROM run WHERE uuid IN ('$ended', '$begun');
UPDATE twin SET is_start_only = 1, run_time = NULL WHERE uuid = '$ended';
UPDATE run SET is_start_only = 1, run_time = NULL WHERE uuid = '$begun';
UPDATE twin SET uuid = lower(uuid);
$([ "$1" = 0 ] || echo 'UPDATE twin SET id = id + 1000;')
INSERT INTO run SELECT * FROM twin;
SQL
}

PACKAGES_IN_CAPITALS='UPDATE run_package SET run_uuid = upper(run_uuid);
    INSERT INTO run_package SELECT lower(run_uuid), package_id FROM run_package;'

# has_lowered SQL...: what was loaded before is known again, and there once
has_lowered() {
    [ "$(jq -c '[.new, .updated, .unchanged]' summary)" = '[0,0,11]' ]
    [ "$("$@" 'SELECT count(*), sum(is_start_only), count(run_time) FROM run' | tr '\t' '|')" = '10|1|9' ]
}

@test "uuids in capitals in an old store are those of the records" {
    for version in 1 2; do
        rm -f store.db*
        sqlite3 store.db <"$stores/sqlite_$version.sql"
        sqlite3 store.db <<<"$(capitals $((version - 1)))"
        [ $version = 1 ] || sqlite3 store.db "$PACKAGES_IN_CAPITALS"
        jobtrail-load --json --store sqlite:store.db "$records" >summary
        has_lowered sqlite3 store.db
    done
    [ "$(sqlite3 store.db 'SELECT count(*) FROM xalt_pkg')" -eq 1 ]
    mariadb_start
    mariadb_sql "source $stores/mariadb_2.sql" jobtrail
    mariadb_sql "$(capitals 1) $PACKAGES_IN_CAPITALS" jobtrail
    jobtrail-load --json --store "$MARIADB_STORE" "$records" >summary
    has_lowered in_mariadb
    [ "$(in_mariadb 'SELECT count(*) FROM xalt_pkg')" -eq 1 ]
}

# whole SQL...: with what runs SQL
is_whole() {
    [ "$("$@" 'SELECT count(*) FROM run')" -eq 10 ]
    [ "$("$@" 'SELECT count(*) FROM run WHERE executable_id IN (SELECT id FROM executable)')" -eq 10 ]
    [ "$("$@" "SELECT value FROM store_state WHERE name = 'schema'")" = 4 ]
    [ "$("$@" "SHOW TABLES" | grep -c -e '_[23]$' -e store_migration)" -eq 0 ]
}

in_mariadb() {
    mariadb_sql "$1" jobtrail
}

@test "an old store in MariaDB, and none yet" {
    mariadb_start
    for ((round = 0; round < ROUNDS; round++)); do
        for old in "$stores/mariadb_2.sql" "$stores/mariadb_3.sql" /dev/null; do
            mariadb_database jobtrail
            mariadb_sql "source $old" jobtrail
            mapfile -t addresses < <(same "$MARIADB_STORE")
            at_once "${addresses[@]}"
            is_whole in_mariadb
        done
    done
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
    mariadb_sql "source $stores/mariadb_2.sql" jobtrail
    hold "SELECT GET_LOCK(concat('jobtrail/', sha1('jobtrail')), 0);"
    jobtrail-load --store "$MARIADB_STORE" "$records" >summary 2>said 3>&- &
    local loader=$!
    wait_for is_one 'User lock'
    [ "$(mariadb_sql "SELECT value FROM store_state WHERE name = 'schema'" jobtrail)" = 2 ]
    kill -KILL "$holder_PID"
    wait "$loader" || cat said
    [ "$(cat said)" = "" ]
    is_whole in_mariadb
}

@test "a MariaDB that still does what a killed loader told it is waited for" {
    mariadb_start
    mariadb_sql "source $stores/mariadb_2.sql" jobtrail
    hold 'LOCK TABLES object READ; SELECT 1;' # which the first script changes
    jobtrail-load --store "$MARIADB_STORE" "$records" >summary 2>said 3>&- &
    local loader=$!
    wait_for is_one 'Waiting for table metadata lock'
    kill -KILL "$loader"
    wait "$loader" || true
    jobtrail-load --store "$MARIADB_STORE" "$records" >summary 2>said 3>&- &
    loader=$!
    wait_for is_one 'User lock'
    kill -KILL "$holder_PID"
    wait "$loader" || cat said
    [ "$(cat said)" = "" ]
    is_whole in_mariadb
}

@test "a dry run does not renew a MariaDB store" {
    mariadb_start
    mariadb_sql "source $stores/mariadb_2.sql" jobtrail
    mariadb_sql 'SHOW TABLES' jobtrail >before
    run --separate-stderr jobtrail-load --dry-run --store "$MARIADB_STORE" "$records"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"has older tables, and a dry run changes none"* ]]
    diff before <(mariadb_sql 'SHOW TABLES' jobtrail)
}

in_node() { # NODE SQL
    galera_sql "$1" "$2" jobtrail
}

at_node() { # NODE: the store's address there
    echo "mariadb://127.0.0.1:$((GALERA_PORT + 10 * $1))/jobtrail"
}

@test "an old store in a Galera cluster, at several nodes" {
    galera_start
    for ((round = 0; round < ROUNDS; round++)); do
        galera_sql 0 'DROP DATABASE jobtrail; CREATE DATABASE jobtrail'
        galera_sql 0 "source $stores/mariadb_2.sql" jobtrail
        at_once "$(at_node 0)" "$(at_node 1)" "$(at_node 0)" "$(at_node 2)"
        is_whole in_node 0
        is_whole in_node 2
    done
    # as a loader at node 1 leaves it that was killed
    galera_sql 0 'DROP DATABASE jobtrail; CREATE DATABASE jobtrail'
    galera_sql 0 "source $stores/mariadb_2.sql" jobtrail
    in_node 0 "CREATE TABLE store_migration (one TINYINT NOT NULL PRIMARY KEY, node VARCHAR(255) NOT NULL);
        INSERT INTO store_migration VALUES (1, 'node1')"
    jobtrail-load --store "$(at_node 0)" "$records" >summary 2>said 3>&- &
    local loader=$!
    jobtrail-load --store "$(at_node 1)" "$records"
    wait "$loader"
    is_whole in_node 0
}
