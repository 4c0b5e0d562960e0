#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The history in a database of XALT's own (test/data/xalt_database) is written as records, and they are loaded: nothing of
# it is lost or counted twice, whatever happens meanwhile.
# shellcheck disable=SC2030,SC2031,SC2154 # bats runs each test in a subshell, and sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/mariadb

setup_file() {
    mariadb_start --innodb-flush-log-at-trx-commit=0
    mariadb_sql "CREATE USER reader@localhost IDENTIFIED BY 'other'; GRANT SELECT ON xalt.* TO reader@localhost"
    printf '[xalt]\nuser = reader\npassword = other\n' >>"$MARIADB_DIR/credentials"
}

setup() {
    PATH=$JOBTRAIL_BIN:${JOBTRAIL_BIN%/bin}/libexec/jobtrail:$PATH
    export TZ=UTC XALT=mariadb://localhost/xalt
    cd "$BATS_TEST_TMPDIR" || return
    store=sqlite:$BATS_TEST_TMPDIR/store.db
    xalt_database
}

teardown() {
    [ -z "${loader:-}" ] || kill -KILL "$loader" 2>/dev/null || true
}

# the database as XALT has left it
xalt_database() {
    mariadb_sql "DROP DATABASE IF EXISTS xalt; CREATE DATABASE xalt CHARACTER SET utf8 COLLATE utf8_bin"
    mariadb --no-defaults -uroot -S "$MARIADB_DIR/socket" xalt <"$JOBTRAIL_SOURCE/test/data/xalt_database/xalt_3.2.4.sql"
}

# more TIMES: each run, with all of its rows, so many times more, with uuids of their own
more() {
    mariadb_sql "
        CREATE TEMPORARY TABLE copy AS SELECT run_id AS old_id, seq,
            (SELECT max(run_id) FROM xalt_run) + row_number() OVER (ORDER BY seq, run_id) AS new_id
            FROM xalt_run JOIN seq_1_to_$1;
        CREATE TEMPORARY TABLE new AS SELECT xalt_run.*, new_id FROM xalt_run JOIN copy ON run_id = old_id;
        UPDATE new SET run_id = new_id, run_uuid = concat('ffffffff-0000-7000-8000-', lpad(hex(new_id), 12, '0'));
        ALTER TABLE new DROP COLUMN new_id;
        INSERT INTO xalt_run SELECT * FROM new;
        INSERT INTO join_run_object (obj_id, run_id, date)
            SELECT obj_id, new_id, date FROM join_run_object JOIN copy ON run_id = old_id;
        INSERT INTO join_run_env (env_id, run_id, date, env_value)
            SELECT env_id, new_id, date, env_value FROM join_run_env JOIN copy ON run_id = old_id;
        INSERT INTO xalt_pkg (run_id, program, pkg_name, pkg_version, pkg_path)
            SELECT new_id, program, pkg_name, pkg_version, pkg_path FROM xalt_pkg JOIN copy ON run_id = old_id" xalt
}

# What is counted, by day: the same text for XALT's tables, and for the views of the store, in either database.
sums="SELECT 'runs', DATE(date), count(*), CAST(round(100 * sum(run_time * num_cores)) AS INTEGER), count(DISTINCT user),
        count(DISTINCT job_id) FROM xalt_run GROUP BY DATE(date)
    UNION ALL SELECT 'links', DATE(date), count(*), count(DISTINCT build_user), count(DISTINCT hash_id), 0
        FROM xalt_link GROUP BY DATE(date)
    UNION ALL SELECT kind, day, count(*), count(DISTINCT uuid), count(DISTINCT one), count(DISTINCT two) FROM (
        SELECT DISTINCT 'objects' AS kind, DATE(r.date) AS day, r.run_uuid AS uuid, object_path AS one, o.hash_id AS two
            FROM xalt_run r JOIN join_run_object j ON j.run_id = r.run_id JOIN xalt_object o ON o.obj_id = j.obj_id
        UNION ALL SELECT DISTINCT 'linked', DATE(l.date), l.uuid, object_path, o.hash_id
            FROM xalt_link l JOIN join_link_object j ON j.link_id = l.link_id JOIN xalt_object o ON o.obj_id = j.obj_id
        UNION ALL SELECT DISTINCT 'functions', DATE(l.date), l.uuid, function_name, '' FROM xalt_link l
            JOIN join_link_function j ON j.link_id = l.link_id JOIN xalt_function f ON f.func_id = j.func_id
        UNION ALL SELECT DISTINCT 'variables', DATE(r.date), r.run_uuid, env_name, env_value FROM xalt_run r
            JOIN join_run_env j ON j.run_id = r.run_id JOIN xalt_env_name e ON e.env_id = j.env_id
        UNION ALL SELECT DISTINCT 'packages', DATE(r.date), r.run_uuid, pkg_name, pkg_version
            FROM xalt_run r JOIN xalt_pkg p ON p.run_id = r.run_id) AS members GROUP BY kind, day ORDER BY 1, 2"
# And what each row says.
rows="SELECT job_id, run_uuid, date, syshost, coalesce(uuid, '-'), hash_id, account, exec_type, CAST(100 * end_time AS INTEGER),
        CAST(100 * run_time AS INTEGER), CAST(100 * probability AS INTEGER), num_cores, num_nodes, num_threads, num_gpus, queue,
        user, exec_path, cwd, coalesce(container, '-') FROM xalt_run ORDER BY run_uuid"
links="SELECT uuid, hash_id, DATE(date), link_program, link_path, cwd, build_user, build_syshost, CAST(build_epoch AS INTEGER),
        exec_path FROM xalt_link ORDER BY uuid"

# ask SIDE SQL: of the XALT database, or of the store
ask() {
    case $1 in
    xalt) mariadb_sql "$2" xalt ;;
    sqlite:*) sqlite3 -separator $'\t' "${1#sqlite:}" "$2" ;;
    mariadb:*) mariadb_sql "$2" "${1##*/}" ;;
    esac
}

# the sums are the same on both sides
the_same() {
    diff <(ask xalt "$sums") <(ask "$store" "$sums")
}

# history [OPTION...] [-- OPTION...]: of what writes the records, and of the loader. `output` is the loader's, `stderr` of both,
# and `status` the worst.
history() {
    local writing=()
    while [[ $# -gt 0 && $1 != -- ]]; do
        writing+=("$1")
        shift
    done
    # shellcheck disable=SC2016 # of the other shell
    run --separate-stderr bash -o pipefail -c 'jobtrail-xalt-history "${@:3:$2}" "$XALT" | jobtrail-load --json --history --store "$1" "${@:3+$2}" -' \
        history "$store" "${#writing[@]}" "${writing[@]}" "${@:2}"
    echo "$output $stderr"
}

counted() { # KEY...: their numbers
    jq -c "[$(printf '.%s,' "$@" | sed 's/,$//')]" <<<"$output"
}

@test "runs, core time, users, jobs, links, objects, functions, variables and packages of each day are the same" {
    for store in "$store" "$MARIADB_STORE"; do
        history
        [ "$status" -eq 0 ]
        [ "$(counted new damaged conflicts)" = '[21,0,0]' ]
        [ "$stderr" = "jobtrail-xalt-history: 21 rows of XALT's: 5 links, 11 runs, 5 packages" ]
        the_same
        # in SQLite a cut of a number and a cast are the same, in MariaDB a cast rounds
        case $store in
        mariadb:*)
            diff <(ask xalt "$rows") <(ask "$store" "$rows")
            diff <(ask xalt "$links") <(ask "$store" "$links")
            ;;
        esac
        [ "$(ask "$store" 'SELECT count(*) FROM run WHERE is_start_only = 1')" -eq 1 ]
    done
    [ "$(ask xalt "$sums" | cut -f1 | sort -u | wc -l)" -eq 7 ]
}

@test "reading it again changes nothing" {
    history
    before=$(sqlite3 store.db .dump | grep -v store_state | md5sum)
    history
    [ "$status" -eq 0 ]
    [ "$(counted new updated unchanged)" = '[0,0,21]' ]
    [ "$before" = "$(sqlite3 store.db .dump | grep -v store_state | md5sum)" ]
}

@test "command lines that XALT has cut keep what is left of them" {
    history
    [ "$(sqlite3 store.db "SELECT cmdline FROM run WHERE user = 'bob' AND job_id = '102'" | jq -r '.[0:2] | join(" ")' | sort)" = \
        './flow 3'$'\n''./grüß gott 3' ]
    [ "$(sqlite3 store.db "SELECT max(length(json_extract(cmdline, '\$[2]'))) FROM run")" -gt 1000 ]
    mariadb_sql "UPDATE xalt_run SET cmdline = COMPRESS(left(UNCOMPRESS(cmdline), run_id * 3))" xalt
    rm store.db
    history
    [ "$(counted new damaged)" = '[21,0]' ]
    [ "$(sqlite3 store.db "SELECT count(*) FROM run WHERE json_type(cmdline) = 'array'")" -eq 11 ]
    the_same
}

@test "command lines that are cut anywhere, and link lines of words, are read" {
    PYTHONPATH=${JOBTRAIL_BIN%/bin}/libexec/jobtrail /usr/bin/python3 - <<'EOF'
import json
from jobtrail.xalt_history import words_text
cases = {
    '["a", "b c"]': ["a", "b c"], '["a", "b c': ["a", "b c"], '["a", "b': ["a", "b"], '["a", "': ["a", ""], '["a", ': ["a"],
    '["a"': ["a"], "[": [], '["a\\': ["a"], '["a\\u00': ["a"], '["a\\u00e': ["a"], '["a\\\\': ["a\\"], '["]': ["]"],
    "gcc  -o a": ["gcc", "-o", "a"], 'say "x\\': ["say", '"x\\'], "[1, 2]": ["[1,", "2]"], "": [],
}
for stored, read in cases.items():
    assert json.loads(words_text(stored)) == read, (stored, words_text(stored))
EOF
}

@test "a start has the second of its date" {
    PYTHONPATH=${JOBTRAIL_BIN%/bin}/libexec/jobtrail /usr/bin/python3 - <<'EOF'
from jobtrail.xalt_history import is_other_day, start_of
start = 1761868800  # 2025-10-31 00:00:00 UTC
before, exact, far = "2025-10-30 23:59:59", "2025-10-31 00:00:00", "2025-10-31 09:00:00"
assert start_of(start, before) == start - 0.5
assert start_of(start, exact) == start_of(start, far) == start_of(start, None) == start
assert [is_other_day(start, date) for date in (exact, far, before, None)] == [False, False, True, False]
EOF
}

@test "texts come into the store as they are" {
    mariadb_sql "UPDATE xalt_run SET cwd = concat('/a b\"', char(92), char(9), char(10), 'größe {\"crc\":1}')" xalt
    history
    [ "$(counted new damaged)" = '[21,0]' ]
    [ "$(sqlite3 store.db 'SELECT DISTINCT hex(cwd) FROM run')" = "$(mariadb_sql 'SELECT DISTINCT hex(cwd) FROM xalt_run' xalt)" ]
}

@test "databases of XALT 2 are read" {
    # as its link lines were
    mariadb_sql "UPDATE xalt_link SET link_line = COMPRESS(JSON_ARRAY('gcc', '-o', 'a b'))" xalt
    # 2.9.7 on, 2.2 on, 2.0: see test/data/xalt_database/README.md
    for change in 'MODIFY queue varchar(32) NOT NULL' 'DROP COLUMN container' 'DROP COLUMN num_gpus'; do
        mariadb_sql "ALTER TABLE xalt_run $change; DROP TABLE IF EXISTS xalt_field_of_science" xalt
        rm -f store.db
        history
        [ "$status" -eq 0 ]
        [ "$(counted new damaged)" = '[21,0]' ]
        the_same
    done
    [ "$(sqlite3 store.db 'SELECT DISTINCT link_line FROM link')" = '["gcc","-o","a b"]' ]
}

runs() {
    sqlite3 store.db 'SELECT count(*) FROM run_own' 2>/dev/null || echo 0
}

@test "a loader that is killed at any point loads the rest in the next call" {
    local had=0 calls=0
    more 50
    jobtrail-xalt-history "$XALT" >records
    umask 077 # sqlite3, which may look for the store before it is there, makes it
    while [ "$had" -lt 400 ]; do
        jobtrail-load --history --batch 1 --store "$store" records >summary 2>said 3>&- &
        loader=$!
        until ! kill -0 "$loader" 2>/dev/null || [ "$(runs)" -gt $((had + 40)) ]; do :; done
        kill -KILL "$loader" 2>/dev/null || true
        wait "$loader" || true
        had=$(runs)
        calls=$((calls + 1))
    done
    history
    [ "$(counted damaged stopped)" = '[0,false]' ]
    [ "$(runs)" -eq 561 ]
    the_same
    [ "$calls" -gt 1 ]
}

@test "XALT's server sorts nothing, however large its tables are" {
    more 50
    sorted="SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'Sort_rows'"
    before=$(mariadb_sql "$sorted")
    history
    [ "$before" -eq "$(mariadb_sql "$sorted")" ]
}

@test "a connection that breaks is made anew" {
    local id
    more 50
    jobtrail-xalt-history "$XALT" >records 3>&- &
    loader=$!
    for ((i = 0; i < 5; i++)); do
        until ! kill -0 "$loader" 2>/dev/null || [ -n "${id:=$(mariadb_sql "SELECT id FROM information_schema.processlist WHERE user = 'reader'")}" ]; do :; done
        [ -z "$id" ] || mariadb_sql "KILL $id" || true
        id=
    done
    wait "$loader"
    run --separate-stderr jobtrail-load --json --history --store "$store" records
    [ "$(counted damaged)" = '[0]' ]
    the_same
}

@test "a later call reads what is new, and the ends of runs that had none" {
    history
    mariadb_sql "UPDATE xalt_run SET end_time = start_time + 10, run_time = 10 WHERE end_time = 0" xalt
    more 1
    history --since 2000-01-01
    [ "$(counted new updated conflicts)" = '[16,1,0]' ]
    the_same
    [ "$(sqlite3 store.db 'SELECT count(*) FROM run WHERE is_start_only = 1')" -eq 0 ]
    # and of the rows since a day alone
    day=$(mariadb_sql "SELECT max(DATE(date)) FROM xalt_run" xalt)
    history --since "$day"
    [ "$(counted read)" = "[$(mariadb_sql "SELECT (SELECT count(*) FROM xalt_run WHERE date >= '$day') + (SELECT count(*) FROM xalt_link
        WHERE date >= '$day') + (SELECT count(*) FROM xalt_pkg JOIN xalt_run USING (run_id) WHERE date >= '$day')" xalt)]" ]
}

@test "rows that cannot be loaded are named and kept, and loaded once they are mended" {
    mariadb_sql "SET foreign_key_checks = 0; UPDATE xalt_run SET run_uuid = 'none' WHERE end_time > 0 ORDER BY run_id LIMIT 1;
        UPDATE xalt_link SET uuid = 'none' LIMIT 1" xalt
    for store in "$store" "$MARIADB_STORE"; do
        history -- --quarantine bad
        [ "$status" -eq 1 ]
        [ "$(counted damaged quarantined)" = '[2,2]' ]
        [[ $stderr == *" uuid"* ]]
        rm -r bad
    done
    mariadb_sql "UPDATE xalt_run SET run_uuid = concat('eeeeeeee-0000-7000-8000-', lpad(hex(run_id), 12, '0')) WHERE run_uuid = 'none'" xalt
    history
    [ "$(counted damaged new)" = '[1,1]' ]
    [ "$(ask "$store" "SELECT count(*) FROM run WHERE uuid LIKE 'eeeeeeee-%'")" -eq 1 ]
}

@test "an end or an elapsed time that cannot be is made of the other, and the run is kept" {
    mariadb_sql "UPDATE xalt_run SET end_time = 1e300, run_time = 100 WHERE end_time > 0 ORDER BY run_id LIMIT 1;
        UPDATE xalt_run SET run_time = -1e300 WHERE end_time > 0 AND end_time < 1e300 ORDER BY run_id LIMIT 1" xalt
    mariadb_sql "SELECT run_uuid FROM xalt_run WHERE end_time = 1e300" xalt >no_end
    mariadb_sql "SELECT run_uuid FROM xalt_run WHERE run_time = -1e300" xalt >no_span
    mariadb_sql "UPDATE xalt_run SET end_time = 1e300, run_time = 1e300 WHERE end_time > 0 AND end_time < 1e300 ORDER BY run_id DESC LIMIT 1" xalt
    history
    [ "$(counted new damaged)" = '[21,0]' ]
    # XALT has rounded the start
    [ "$(sqlite3 store.db "SELECT abs(end_time - start_time - 100) <= 0.5 AND run_time = 100 FROM run WHERE uuid = '$(cat no_end)'")" -eq 1 ]
    [ "$(sqlite3 store.db "SELECT run_time > 0 AND abs(run_time - end_time + start_time) <= 0.5 FROM run WHERE uuid = '$(cat no_span)'")" -eq 1 ]
    [ "$(sqlite3 store.db "SELECT count(*) FROM run WHERE is_start_only = 1")" -eq 2 ]
}

@test "what XALT's database says is proven if the site vouches for it" {
    history
    [ "$(counted unproven)" = '[21]' ]
    [ "$(sqlite3 store.db 'SELECT DISTINCT proven FROM run_own UNION SELECT proven FROM link UNION SELECT proven FROM run_package')" -eq 0 ]
    jobtrail-conf make-key key
    history --key key -- --key key --require-signature
    [ "$(counted unproven updated)" = '[0,21]' ]
    [ "$(sqlite3 store.db 'SELECT DISTINCT proven FROM run_own UNION SELECT proven FROM link UNION SELECT proven FROM run_package')" -eq 1 ]
    # and nothing that is less sure changes it
    mariadb_sql "UPDATE xalt_run SET account = 'forged'" xalt
    history
    [ "$(counted unchanged)" = '[21]' ]
    [ "$(sqlite3 store.db "SELECT count(*) FROM run WHERE account = 'forged'")" -eq 0 ]
}

@test "a run that the store has as jobtrail's own is not counted twice" {
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 3 --until 1762000000 --programs 5 40 records >/dev/null
    jobtrail-load --store "$store" records
    read -r uuid user job < <(sqlite3 -separator ' ' store.db 'SELECT uuid, user, job_id FROM run WHERE proven = 1 AND job_id_raw IS NOT NULL ORDER BY id LIMIT 1')
    mariadb_sql "UPDATE xalt_run SET run_uuid = '$uuid', user = '$user', job_id = '$job' WHERE job_id = '106'" xalt
    before=$(sqlite3 store.db 'SELECT count(*) FROM run_package')
    history
    [ "$(counted new unchanged conflicts)" = '[15,6,0]' ] # its packages are jobtrail's, too
    [ "$(sqlite3 store.db "SELECT count(*) FROM run WHERE uuid = '$uuid'")" -eq 1 ]
    [ "$before" -eq "$(sqlite3 store.db 'SELECT count(*) FROM run_package')" ]
    # another user's is kept beside it, and told
    mariadb_sql "UPDATE xalt_run SET user = 'mallory' WHERE run_uuid = '$uuid'" xalt
    history
    [ "$(counted conflicts)" = '[1]' ]
    [ "$(sqlite3 store.db "SELECT group_concat(proven || user, ' ') FROM (SELECT * FROM run WHERE uuid = '$uuid' ORDER BY proven)")" = "0mallory 1$user" ]
}

@test "records of XALT's that were loaded as files are the same runs" {
    cp "$JOBTRAIL_SOURCE"/test/data/xalt_3.2.4/run_marked.json run.marked.json
    jobtrail-load --store "$store" run.marked.json
    mariadb_sql "UPDATE xalt_run SET run_uuid = '$(jq -r .userT.run_uuid run.marked.json)', user = 'alice', job_id = '12'
        WHERE job_id = '101'" xalt
    history
    [ "$(counted new unchanged conflicts)" = '[20,1,0]' ]
}

@test "days of another time zone are counted" {
    jobtrail-load --store "$store" --timezone Asia/Tokyo
    history --timezone Asia/Tokyo
    [ "$status" -eq 0 ]
    [[ $stderr == *" of them are on another day here than in XALT's database: its loader had another time zone, see --timezone"* ]]
    history --timezone UTC -- --timezone UTC
    [[ $stderr != *"another day"* ]]
    the_same
}

@test "what is no database of XALT's is refused" {
    mariadb_sql "GRANT SELECT ON jobtrail.* TO reader@localhost"
    jobtrail-load --store "$MARIADB_STORE" --timezone UTC
    for where in jobtrail mysql nowhere; do
        run --separate-stderr jobtrail-xalt-history "mariadb://localhost/$where"
        [ "$status" -eq 2 ]
        [ -z "$output" ]
        [[ $stderr == "jobtrail-xalt-history: XALT's database //localhost/$where: "* ]]
    done
    run --separate-stderr jobtrail-xalt-history mariadb://localhost/jobtrail
    [[ $stderr == *"no database of XALT 2 or 3"* ]]
    for wrong in "sqlite:store.db" "" "--since yesterday $XALT" "--key /dev/null $XALT" "--key nowhere $XALT"; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr jobtrail-xalt-history $wrong
        [ "$status" -ne 0 ]
        [ -z "$output" ]
    done
}

@test "a dry run says what there is, and changes nothing" {
    jobtrail-load --store "$store" --timezone UTC
    before=$(sqlite3 store.db .dump | md5sum)
    history -- --dry-run
    [ "$(counted new)" = '[21]' ]
    [ "$before" = "$(sqlite3 store.db .dump | md5sum)" ]
}
