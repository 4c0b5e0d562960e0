#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The service for answers, with a real munged: who sees what, and what hostile clients and networks do. Needs root, for
# users of the test's own: its /etc is seen by what it starts alone.
# bats file_tags=needs:root,needs:answers
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets stderr, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb
load ../fixture/munge
load ../fixture/askers

setup_file() {
    export TZ=UTC ETC=$BATS_FILE_TMPDIR/etc PLACE=$BATS_FILE_TMPDIR
    chmod 755 "$PLACE" "${PLACE%/*}" "$BATS_RUN_TMPDIR"
    site_records "$PLACE/site"
    sed -i /019a9f00-0000-7000-8000-000000000008/d "$SITE/records" # goes on: its elapsed time is never the same
    others_secrets >>"$SITE/records"
    private_etc
    answer_stores
    mkdir "$MUNGE/pages"
    chown 6100 "$MUNGE/pages"
}

teardown_file() {
    munge_stop
    mariadb_stop
}

teardown() {
    kill -CONT "$(cat "$MUNGE/pid")" "$MARIADB_PID" 2>/dev/null || true # where a test has failed that stops them
    answer_stop
    [ -n "${BATS_TEST_COMPLETED-}" ] || cat "$MUNGE/answer.err" >&2
}

serve() { # KEY=VALUE...: the service as the user jobtrail
    : >"$MUNGE/answer.err"
    answer_conf user=jobtrail "$@"
    # shellcheck disable=SC2016 # of the shell that is started
    answer_start env JOBTRAIL_CREDENTIALS="$MUNGE/credentials" unshare --mount sh -c \
        'mount --bind "$ETC" /etc && cd / && exec setpriv --reuid jobtrail --regid jobtrail --clear-groups "$@"' sh
}

ASK() { # USER PROGRAM ARGUMENT...: by the service
    run --separate-stderr as "$1" env JOBTRAIL_CONF="$MUNGE/jobtrail.conf" "$JOBTRAIL_STAGE/bin/jobtrail-$2" "${@:3}"
    echo "$status: $output $stderr"
}

hostile() { # USER COMMAND...
    run --separate-stderr as "$1" /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/hostile_client.py" \
        "$JOBTRAIL_STAGE/libexec/jobtrail" "$MUNGE/socket" "${@:2}"
    echo "$status: $output $stderr"
}

same_as_direct() { # PROGRAM ARGUMENT...: what an operator sees, byte for byte, but for the time of the question
    local sacct=()
    [ "$1" == report ] || sacct=(--no-sacct)
    as jobtrail env JOBTRAIL_CREDENTIALS="$MUNGE/credentials" "$JOBTRAIL_STAGE/bin/jobtrail-$1" --store "$STORE" "${sacct[@]}" \
        "${@:2}" >"$BATS_TEST_TMPDIR/direct" 2>"$BATS_TEST_TMPDIR/direct.err" || true
    as carol env JOBTRAIL_CONF="$MUNGE/jobtrail.conf" "$JOBTRAIL_STAGE/bin/jobtrail-$1" "${sacct[@]}" \
        "${@:2}" >"$BATS_TEST_TMPDIR/asked" 2>"$BATS_TEST_TMPDIR/asked.err" || true
    sed -i 's/"time": [0-9.]*}/}/; s/"made": "[^"]*"//; s/made [0-9T:-]*//; s/jobtrail-report, [0-9T:-]*,//' \
        "$BATS_TEST_TMPDIR/direct" "$BATS_TEST_TMPDIR/asked"
    diff "$BATS_TEST_TMPDIR/direct" "$BATS_TEST_TMPDIR/asked"
    diff "$BATS_TEST_TMPDIR/direct.err" "$BATS_TEST_TMPDIR/asked.err"
}

all_forms_are_the_same() {
    local form
    for form in "" --json --csv --jsonl "--libs -P" -l -X --coverage "--coverage --json" "-u nobody" "--exec *a*" "--state KILLED" \
        "--links -P" "--routines --json" "--routine SECRET* -o jobid,routines -P" "--routine SECRETroutin" "--sort=-elapsed --top 3" "--cwd /home --hash a94a --gpus 0" "--name x" -V; do
        # shellcheck disable=SC2086 # several words, or none
        same_as_direct acct -a -S 2024-11-01 $form
    done
    [ -s "$BATS_TEST_TMPDIR/asked" ]
    same_as_direct job -a diff 12 13
    [ -s "$BATS_TEST_TMPDIR/asked" ]
    same_as_direct job -a 12
    [ -s "$BATS_TEST_TMPDIR/asked" ]
    for form in "" --json "users --csv" "libraries --jsonl" --csv --html "users --top 0" "bogus" "-S 2024-12-01 -E 2024-11-01"; do
        # shellcheck disable=SC2086 # one word, or none
        same_as_direct report -S 2024-11-01 -E 2024-11-30 --full-paths $form
    done
}

@test "an operator gets what the store gives, byte for byte, from SQLite" {
    serve see=own operators="carol, alice" "store=$STORE"
    all_forms_are_the_same
}

@test "an operator gets what the store gives, byte for byte, from MariaDB" {
    STORE=$MARIADB_STORE
    serve see=own operators=carol "store=$STORE"
    all_forms_are_the_same
}

@test "the format of the asker's environment is the answer's" {
    serve see=own operators=carol "store=$STORE"
    JOBTRAIL_ACCT_FORMAT=jobid,exec same_as_direct acct -a -S 2024-11-01 -P
    [ "$(head -n 1 "$BATS_TEST_TMPDIR/asked")" = "JobID|Exec" ]
}

@test "users see their own runs, and with them what belongs to them, from SQLite" {
    serve see=own "store=$STORE"
    sees_own ASK
}

@test "users see their own runs, and with them what belongs to them, from MariaDB" {
    serve see=own "store=$MARIADB_STORE"
    sees_own ASK
}

@test "without -a and -u users ask for themselves, root for all" {
    serve see=all "store=$STORE"
    ASK alice acct -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = alice ]
    ASK alice acct -S 2024-11-01 -a -n -P -o user
    [ "$(sort -u <<<"$output" | paste -sd,)" = alice,bob,carol ]
    ASK root acct -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output" | paste -sd,)" = alice,bob,carol ]
}

@test "the store is asked where it is named, and the service where it is not" {
    serve see=own "store=$STORE"
    ASK alice acct --store sqlite:/nonexistent
    [ "$status" -eq 1 ]
    [[ $stderr == *"no store at /nonexistent"* ]]
    run --separate-stderr as alice env JOBTRAIL_STORE=sqlite:/nonexistent JOBTRAIL_CONF="$MUNGE/jobtrail.conf" \
        "$JOBTRAIL_STAGE/bin/jobtrail-report"
    [[ $stderr == *"no store at /nonexistent"* ]]
    answer_stop
    ASK alice acct
    [ "$status" -eq 1 ]
    [[ $stderr == "jobtrail-acct: the service for answers at 127.0.0.1:"*"Connection refused" ]]
    ASK alice acct --help
    [ "$status" -eq 0 ]
    ASK alice acct --bogus
    [[ $stderr == *"unrecognized arguments: --bogus"* ]]
}

@test "without an address users ask the service of this host by its socket, and who may read the store reads it" {
    local here=/run/jobtrail-answer
    install -d -o 6100 "$here"
    RUNTIME_DIRECTORY=$here serve see=own "store=$STORE"
    sed -i '/^address = /d' "$MUNGE/jobtrail.conf"
    ASK alice acct -a -S 2024-11-01 -n -P -o user
    [ "$status" -eq 0 ]
    [ "$(sort -u <<<"$output")" = alice ]
    ASK jobtrail acct -a -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = $'alice\nbob\ncarol' ]
    kill -STOP "$ANSWER_PID"
    ASK jobtrail acct -a -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = $'alice\nbob\ncarol' ]
    kill -CONT "$ANSWER_PID"
    answer_stop
    [ ! -e "$here/socket" ]
    ASK alice acct -a -S 2024-11-01 -n
    [ "$status" -eq 1 ]
    [[ $stderr == *"store "*"Permission denied"* ]]
    rmdir "$here"
}

@test "without jobtrail-conf the service has the values of an empty file" {
    PYTHONPATH=$JOBTRAIL_STAGE/libexec/jobtrail /usr/bin/python3 - <<'PYTHON'
from jobtrail.answers.service.settings import DEFAULTS
from jobtrail.conf import section
assert section("answers", "/dev/null") == DEFAULTS, section("answers", "/dev/null")
PYTHON
}

@test "a report goes into a file of the asker's, and only a whole one" {
    serve see=own "store=$STORE"
    mkdir -m 777 "$BATS_TEST_TMPDIR/all"
    chmod 755 "$BATS_TEST_TMPDIR"
    ASK alice report -S 2024-11-01 -E 2024-11-30 users --csv -o "$BATS_TEST_TMPDIR/all/out"
    [ "$status" -eq 0 ]
    [ "$output" = "" ]
    grep -q '^alice,' "$BATS_TEST_TMPDIR/all/out"
    [ "$(stat -c %u "$BATS_TEST_TMPDIR/all/out")" = 6101 ]
    answer_stop
    cp "$BATS_TEST_TMPDIR/all/out" "$BATS_TEST_TMPDIR/before"
    ASK alice report -o "$BATS_TEST_TMPDIR/all/out"
    [ "$status" -eq 1 ]
    cmp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/all/out"
    ASK alice report --summary "$BATS_TEST_TMPDIR/all/summary"
    [[ $stderr == *"--summary needs --store"* ]]
}

@test "the summary is updated where the store is, without --store" {
    local form
    serve see=own operators=carol "store=$STORE"
    ASK alice report --update
    [ "$status" -eq 1 ]
    [[ $stderr == *"Permission denied"* ]]
    ASK jobtrail report --update
    [ "$status" -eq 0 ]
    [ -s "$PLACE/store/jobtrail.db.summary" ]
    same_as_direct report -S 2024-11-01 -E 2024-11-30 users
    ! everything alice ASK | grep -E 'SECRET|carol|solver' || false
    # of users who see a part it has the same as the store itself
    for form in "" --json "executables --csv --raw --full-paths" "--html --top 0"; do
        # shellcheck disable=SC2086 # one word, or none
        ASK bob report -S 2024-11-01 -E 2024-11-30 $form >/dev/null
        sed 's/"made": "[^"]*"//; s/jobtrail-report, [0-9T:-]*,//' <<<"$output" >>"$BATS_TEST_TMPDIR/with"
    done
    rm "$PLACE/store/jobtrail.db.summary"
    for form in "" --json "executables --csv --raw --full-paths" "--html --top 0"; do
        # shellcheck disable=SC2086 # one word, or none
        ASK bob report -S 2024-11-01 -E 2024-11-30 $form >/dev/null
        sed 's/"made": "[^"]*"//; s/jobtrail-report, [0-9T:-]*,//' <<<"$output" >>"$BATS_TEST_TMPDIR/without"
    done
    grep -q SECRETprogram "$BATS_TEST_TMPDIR/with"
    diff "$BATS_TEST_TMPDIR/with" "$BATS_TEST_TMPDIR/without"
}

@test "no argument names a file, a store, a program or another user's rows" {
    local option
    serve see=own "store=$STORE"
    for option in "acct --store sqlite:/etc/x" "acct --stor=sqlite:/etc/x" "report --summary /tmp/x" "report --update" \
        "report --families /etc/shadow" "report @/etc/shadow"; do
        # shellcheck disable=SC2086 # a program, an option and its value
        hostile alice ask "$ANSWER_PORT" 6100 $option
        [[ $output == *"status 1" ]]
        [[ $output == *"unrecognized arguments"* || $output == *"there is no page"* ]]
    done
    hostile alice ask "$ANSWER_PORT" 6100 report -o "$PLACE/store/written" users
    [[ $output == *"status 0" ]]
    [ ! -e "$PLACE/store/written" ]
    hostile alice ask "$ANSWER_PORT" 6100 acct -u "x' OR '1'='1" -S 2024-11-01 -n
    [ "${#lines[@]}" -eq 3 ]
    [[ ${lines[0]} == *": the store has no run of that user" && ${lines[1]} == "jobtrail-acct: no runs of "* ]]
    [ "${lines[2]}" = "status 0" ]
    hostile alice ask "$ANSWER_PORT" 6100 acct -a -u bob -S 2024-11-01 -n TZ=../../../etc/shadow SLURM_TIME_FORMAT=%n
    [ "${#lines[@]}" -eq 3 ]
    [[ ${lines[0]} == *"-u bob: the store has no run of that user" && ${lines[1]} == *"no runs of bob from \\n until now" ]]
    [ "${lines[2]}" = "status 0" ]
}

@test "what is not a question of ours is refused without an answer, and harms nobody" {
    serve see=own "store=$STORE"
    hostile alice refused "$ANSWER_PORT" 6100
    [ "$status" -eq 0 ]
    [ "$output" = "refused 29" ]
    hostile alice garbage "$ANSWER_PORT" 6100 500
    [ "$output" = sent ]
    ASK alice acct -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = alice ]
    ! grep Traceback "$MUNGE/answer.err" || false
}

@test "parsers of both sides refuse what is not theirs, and nothing else happens" {
    hostile alice fuzz $((JOBTRAIL_SOAK ? 100000 : 20000))
    [ "$status" -eq 0 ]
    [[ $output == "questions: "*" taken, "*" refused; parts: "*" taken, "*" refused" ]]
}

@test "MariaDB itself ends a statement that takes too long, whoever reads the answer" {
    run --separate-stderr as jobtrail env JOBTRAIL_CREDENTIALS="$MUNGE/credentials" /usr/bin/python3 -I - \
        "$JOBTRAIL_STAGE/libexec/jobtrail" "$MARIADB_STORE" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.answers.service.restricted import open_for
from jobtrail.answers.service.rights import Rights
for rights in (Rights(["alice"]), Rights(everything=True)):
    store = open_for(sys.argv[2], rights, 1)
    for read in (store.lookup, lambda sql: list(store.query(sql)[1])):
        try:
            read("SELECT BENCHMARK(1000000000000, MD5('x')) FROM store_state")
            raise SystemExit("not ended")
        except store.errors as error:
            assert "max_statement_time" in str(error), error
PYTHON
    echo "$status $stderr"
    [ "$status" -eq 0 ]
}

@test "what is not read through the rows that may be seen is refused, in MariaDB" {
    run --separate-stderr as jobtrail env JOBTRAIL_CREDENTIALS="$MUNGE/credentials" /usr/bin/python3 -I - \
        "$JOBTRAIL_STAGE/libexec/jobtrail" "$MARIADB_STORE" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.program import Failure
from jobtrail.answers.service.restricted import TABLES, open_for
from jobtrail.answers.service.rights import Rights
store = open_for(sys.argv[2], Rights(["alice"]))
whole = open_for(sys.argv[2], Rights(everything=True))
names = [name for name, in whole.lookup("SHOW TABLES")]
assert len(names) > 20
for name in names:
    for place in ("", "jobtrail.", "`jobtrail`."):
        for sql in ("SELECT * FROM %s%s", "SELECT * FROM module, %s%s", "SELECT (SELECT count(*) FROM module, %s%s AS x)",
                    "SELECT * FROM module WHERE 1 IN (SELECT 1 FROM (module, %s%s))"):
            try:
                rows = store.lookup(sql % (place, name))
            except (Failure, store.errors):
                assert place or name not in TABLES or "," in sql, name
                continue
            assert place == "" and "SECRET" not in str(rows), (place, name)
for sql in ("SHOW TABLES", "SELECT 1; SELECT 2", "SELECT load_file('/etc/passwd')", "SELECT 1 INTO OUTFILE '/tmp/x'",
            "SELECT * FROM information_schema.tables", "SELECT 1 FROM mysql.user", "WITH run AS (SELECT 1) SELECT * FROM run",
            "DELETE FROM run", "SELECT 1 /* FROM jobtrail.run */", "SELECT * FROM run -- x"):
    try:
        store.lookup(sql)
        raise SystemExit(sql)
    except Failure as failure:
        assert "is not read here" in str(failure)
both = open_for(sys.argv[2], Rights(["alice", "bob", "carol"]))
assert both.lookup("SELECT count(*) FROM run") == whole.lookup("SELECT count(*) FROM run")
accounts = open_for(sys.argv[2], Rights(["nobody"], ["SECRETaccount"]))
assert accounts.lookup("SELECT DISTINCT user FROM run") == (("bob",),)
odd = open_for(sys.argv[2], Rights(["x' OR '1'='1", "\\", "%s", "?"]))
assert odd.lookup("SELECT count(*) FROM run") == ((0,),)
PYTHON
    echo "$output $stderr"
    [ "$status" -eq 0 ]
}

in_both() { # SQL...: in both databases
    local sql
    for sql in "$@"; do
        sqlite3 "${STORE#sqlite:}" "$sql"
        mariadb_sql "$sql" jobtrail
    done
}

# Each row of each table, as plain code finds it in the whole store, whatever was read before it.
@test "the rows that may be seen are those of one's runs and links, in both databases" {
    local store
    in_both "INSERT INTO run_day SELECT id, 20000, 1 FROM run_own" "INSERT INTO job_again VALUES ('tiny', 99999, 1)" \
        "INSERT INTO slurm_job SELECT 'tiny', job_id_raw, id, 0, user, account, 'main', 'COMPLETED', NULL, NULL, NULL, NULL,
            1, 2, 1, 1, 1, 0, 2 FROM job_part WHERE job_id_raw IS NOT NULL AND account IS NOT NULL" \
        "INSERT INTO routine_library (id, identity, path, build_id) VALUES (900, 'x', '/sw/libx.so', '0'), (901, 'y', '/sw/liby.so', '0')" \
        "INSERT INTO routine (id, identity, routine_library_id, name) SELECT 900 + id, CAST(id AS CHAR), 900 + id % 2, 'r' FROM run_own" \
        "INSERT INTO run_routine SELECT id, 900 + id, 1, NULL, NULL FROM run_own" \
        "INSERT INTO run_routine_library SELECT id, 900 + id % 2 FROM run_own" \
        "INSERT INTO run_routine_watch SELECT id, 1, 0, 0 FROM run_own WHERE id NOT IN (SELECT run_id FROM run_routine_watch)" \
        "INSERT INTO library_event (uuid, proven, event, kind, what, library, path, found, user) VALUES
            ('1', 1, '', 'change', 'added', 'libm', '/sw/libm.so', 1, 'root'), ('2', 1, '', 'use', 'open', 'libm', '/sw/libm.so', 1, 'alice'),
            ('3', 1, '', 'use', 'open', 'libm', '/sw/libm.so', 1, 'bob'), ('4', 1, '', 'use', 'open', 'libm', '/sw/libm.so', 1, NULL)" \
        "INSERT INTO ranks (uuid, owner, proven, user, account, job_id_raw, step_id, node, program, ranks, unseen, end_time)
            SELECT id, 1, 1, user, account, job_id_raw, '0', 'n1', '/x', 1, 0, 1 FROM job_part WHERE job_id_raw IS NOT NULL" \
        "INSERT INTO profile (uuid, owner, proven, user, account, job_id_raw, step_id, node, path, bytes, end_time)
            SELECT id, 1, 1, user, account, job_id_raw, '0', 'n1', '/x', 1, 1 FROM job_part WHERE job_id_raw IS NOT NULL"
    for store in "$STORE" "$MARIADB_STORE"; do
        run --separate-stderr as jobtrail env JOBTRAIL_CREDENTIALS="$MUNGE/credentials" /usr/bin/python3 -I - \
            "$JOBTRAIL_STAGE/libexec/jobtrail" "$store" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.answers.service.restricted import TABLES, open_for
from jobtrail.answers.service.rights import Rights
def rows_of(store, table):
    names, rows = store.query("SELECT * FROM " + table)
    return [dict(zip(names, row)) for row in rows]
def ids(rows, column):
    return {row[column] for row in rows} - {None}
whole = open_for(sys.argv[2], Rights(everything=True))
stored = {table: rows_of(whole, table) for table in TABLES}
def expected(users, accounts):
    def own(row):
        return row["user"] in users or (row["account"] or "").lower() in accounts
    def chosen(table, column, numbers):
        return [row for row in stored[table] if row[column] in numbers]
    found = {table: list(filter(own, stored[table])) for table in ("job_part", "run", "coverage", "ranks", "profile", "slurm_job")}
    for table in ("store_state", "module", "job_again"):
        found[table] = stored[table]
    runs, links = found["run"], chosen("link", "build_user", users)
    found["link"] = links
    found["library_event"] = [row for row in stored["library_event"] if row["kind"] == "change" or row["user"] in users]
    found["run_day"] = chosen("run_day", "run_id", ids(runs, "id"))
    for table in ("run_routine", "run_routine_library", "run_routine_watch"):
        found[table] = chosen(table, "run_id", ids(runs, "id"))
    found["routine"] = chosen("routine", "id", ids(found["run_routine"], "routine_id"))
    found["routine_library"] = chosen("routine_library", "id", ids(found["run_routine_library"], "routine_library_id"))
    found["account_field"] = chosen("account_field", "account", ids(found["job_part"], "account"))
    found["executable"] = chosen("executable", "id", ids(runs, "executable_id") | ids(links, "executable_id"))
    sets = ids(runs, "object_set_id") | ids(links, "object_set_id")
    found["object_set_member"] = chosen("object_set_member", "object_set_id", sets)
    found["object"] = chosen("object", "id", ids(found["object_set_member"], "object_id"))
    found["function_set_member"] = chosen("function_set_member", "function_set_id", ids(links, "function_set_id"))
    found["function_name"] = chosen("function_name", "id", ids(found["function_set_member"], "function_name_id"))
    found["environment_member"] = chosen("environment_member", "environment_id", ids(runs, "environment_id"))
    found["env_value"] = chosen("env_value", "id", ids(found["environment_member"], "env_value_id"))
    found["env_name"] = chosen("env_name", "id", ids(found["env_value"], "env_name_id"))
    found["ancestors"] = chosen("ancestors", "id", ids(runs, "ancestors_id"))
    owned = {(run["uuid"], run["package_owner"]) for run in runs}
    found["run_package"] = [row for row in stored["run_package"] if (row["run_uuid"], row["owner"]) in owned]
    found["package"] = chosen("package", "id", ids(found["run_package"], "package_id"))
    found["build"] = chosen("build", "id", ids(runs, "build_id"))
    return found
def sorted_rows(rows):
    return sorted(str(sorted(row.items())) for row in rows)
askers = [((name,), ()) for name in ("alice", "bob", "carol", "nobody")]
some, others = set(), set()
for users, accounts in askers + [(("nobody",), ("secretaccount",)), (("alice",), ("chem",))]:
    wanted = expected(set(users), set(accounts))
    assert set(wanted) == set(TABLES)
    for tables in (list(TABLES), list(reversed(list(TABLES)))):
        store = open_for(sys.argv[2], Rights(users, accounts))
        for table in tables:
            assert sorted_rows(rows_of(store, table)) == sorted_rows(wanted[table]), (users, accounts, table)
    some |= {table for table in TABLES if wanted[table]}
    others |= {table for table in TABLES if len(wanted[table]) < len(stored[table])}
# the comparison says something about each table
assert some == set(TABLES) and others == set(TABLES) - {"store_state", "module", "job_again"}, (some, others)
PYTHON
        echo "$status $output $stderr"
        [ "$status" -eq 0 ]
    done
    in_both "DELETE FROM run_day" "DELETE FROM job_again" "DELETE FROM slurm_job" "DELETE FROM library_event" "DELETE FROM ranks" "DELETE FROM profile" "DELETE FROM run_routine WHERE routine_id >= 900" \
        "DELETE FROM run_routine_library WHERE routine_library_id >= 900" "DELETE FROM routine WHERE id >= 900" \
        "DELETE FROM routine_library WHERE id >= 900" \
        "DELETE FROM run_routine_watch WHERE run_id NOT IN (SELECT run_id FROM run_routine)"
}

# A list may have many numbers: it must not be what SQLite joins the tables of a statement from. SQLite does so where many
# environments are asked for.
@test "environments of runs cost the same, whatever else somebody may see" {
    local copy=$BATS_TEST_TMPDIR/copy.db
    sqlite3 "${STORE#sqlite:}" "VACUUM INTO '$copy'"
    # all of alice's runs have two thousand variables, with two thousand environments, but one
    sqlite3 "$copy" <<'SQL'
CREATE TABLE number AS WITH RECURSIVE n (n) AS (SELECT 1000000 UNION ALL SELECT n + 1 FROM n WHERE n < 1002000) SELECT n FROM n;
INSERT INTO env_name SELECT n, CAST('n' || n AS BLOB), 'NAME' || n FROM number;
INSERT INTO env_value SELECT n, CAST('v' || n AS BLOB), n, 'value' FROM number;
INSERT INTO environment SELECT n, CAST('e' || n AS BLOB), (SELECT json_group_array(n) FROM number) FROM number WHERE n < 1000010;
UPDATE run_own SET environment_id = 1000000 + id % 10
WHERE job_part_id IN (SELECT id FROM job_part WHERE user = 'alice') AND id NOT IN (SELECT max(id) FROM run WHERE user = 'alice');
SQL
    chmod a+r "$copy"
    run --separate-stderr as jobtrail /usr/bin/python3 -I - "$JOBTRAIL_STAGE/libexec/jobtrail" "sqlite:$copy" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.acct.details import environments
from jobtrail.answers.service.rights import Rights
from jobtrail.answers.service.restricted import open_for
whole = open_for(sys.argv[2], Rights(everything=True))
(number,), = whole.lookup("SELECT environment_id FROM run WHERE user = 'alice' ORDER BY id DESC LIMIT 1")
assert number < 1000000
steps, found = {}, {}
for rights in (Rights(everything=True), Rights(["alice"])):
    store = open_for(sys.argv[2], rights)
    runs = [{"environment_id": at} for at in [number, *range(10 ** 9, 10 ** 9 + 400)]]
    environments(store, runs)  # makes the lists
    counted = []
    store.database.set_progress_handler(lambda: counted.append(1) and 0, 10)
    found[rights.all] = environments(store, runs)
    steps[rights.all] = 10 * len(counted)
assert found[True] == found[False] and found[True][number], found
print(steps, file=sys.stderr)
assert steps[False] < 3 * steps[True] + 1000, steps
PYTHON
    echo "$status $output $stderr"
    [ "$status" -eq 0 ]
}

@test "a question is answered once" {
    serve see=own "store=$STORE"
    hostile alice replay "$ANSWER_PORT" 6100
    [[ $output == *alice*"status 0"*"replay refused" ]]
    grep -q "Replayed credential" "$MUNGE/answer.err"
}

@test "a user without a name is told so" {
    serve see=own "store=$STORE"
    run --separate-stderr setpriv --reuid 6999 --regid 6999 --clear-groups /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/hostile_client.py" \
        "$JOBTRAIL_STAGE/libexec/jobtrail" "$MUNGE/socket" ask "$ANSWER_PORT" 6100 acct
    [[ $output == *"knows no user of your uid, 6999"*"status 1" ]]
}

# ---- In the place of the service

stand() { # USER COMMAND... : in the background, with its port in the configuration
    rm -f "$BATS_TEST_TMPDIR/port"
    mkdir -m 777 "$BATS_TEST_TMPDIR/stand"
    chmod 755 "$BATS_TEST_TMPDIR"
    as_exec "$1" /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/hostile_client.py" "$JOBTRAIL_STAGE/libexec/jobtrail" \
        "$MUNGE/socket" "${@:2}" 3>&- 4>&- &
    STAND=$!
    until [ -s "$BATS_TEST_TMPDIR/stand/port" ]; do
        kill -0 "$STAND"
        sleep 0.05
    done
    sed -i "s/^address = .*/address = 127.0.0.1:$(cat "$BATS_TEST_TMPDIR/stand/port")/" "$MUNGE/jobtrail.conf"
}

@test "nobody can pose as the service" {
    serve see=own "store=$STORE"
    stand bob pose "$BATS_TEST_TMPDIR/stand/port" 6101 6102
    ASK alice acct
    [ "$status" -eq 1 ]
    [ "$output" = "" ]
    [[ $stderr == *"it was made by uid 6102, not by the service's uid, 6100" ]]
    ASK alice acct
    [ "$status" -eq 1 ]
    [ "$output" = "" ]
    [[ $stderr == *"Unauthorized credential"* ]]
}

@test "who stands between cannot cut, repeat, exchange or change an answer unseen" {
    local kind
    serve see=own "store=$STORE"
    stand bob between "$ANSWER_PORT" "$BATS_TEST_TMPDIR/stand/port" same without-end without-first twice exchanged cut \
        of-before flipped long junk nothing
    ASK alice acct -S 2024-11-01 -n -P -o user
    [ "$status" -eq 0 ]
    [ "$(sort -u <<<"$output")" = alice ]
    for kind in "without-end:ended before it was complete" "without-first:part 1 of the answer where part 0 is due" \
        "twice:Replayed credential" "exchanged:part 1 of the answer" "cut:ended before" \
        "of-before:" "flipped:" "long:a frame of" "junk:not a frame" "nothing:ended before"; do
        echo "$kind"
        ASK alice acct -S 2024-11-01 -n -P -o user
        [ "$status" -eq 1 ]
        [[ $stderr == "jobtrail-acct: the service for answers at "*"${kind#*:}"* ]]
    done
}

# ---- Bounds

@test "connections that send nothing keep nobody out" {
    serve see=own "store=$STORE"
    mkfifo "$BATS_TEST_TMPDIR/end"
    as_exec bob /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/hostile_client.py" "$JOBTRAIL_STAGE/libexec/jobtrail" \
        "$MUNGE/socket" hold "$ANSWER_PORT" 300 <"$BATS_TEST_TMPDIR/end" >"$BATS_TEST_TMPDIR/said" 3>&- 4>&- &
    exec 9>"$BATS_TEST_TMPDIR/end"
    eventually 60 grep -q held "$BATS_TEST_TMPDIR/said"
    ASK alice acct -S 2024-11-01 -n -P -o user
    exec 9>&-
    wait $!
    [ "$(sort -u <<<"$output")" = alice ]
}

# faults_of_children: the page faults of processes that the service has waited for: proc_pid_stat(5), cminflt
faults_of_children() {
    cut -d' ' -f11 "/proc/$ANSWER_PID/stat"
}

@test "a flood of questions that nobody has asked takes the service from nobody" {
    local flood before
    serve see=own "store=$STORE"
    mkfifo "$BATS_TEST_TMPDIR/end"
    as_exec bob /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/hostile_client.py" "$JOBTRAIL_STAGE/libexec/jobtrail" \
        "$MUNGE/socket" flood "$ANSWER_PORT" 127.0.0.2 <"$BATS_TEST_TMPDIR/end" >"$BATS_TEST_TMPDIR/said" 3>&- 4>&- &
    flood=$!
    exec 9>"$BATS_TEST_TMPDIR/end"
    before=$(faults_of_children)
    eventually 60 grep -q asked "$BATS_TEST_TMPDIR/said"
    # no process was started for them
    [ "$(faults_of_children)" -eq "$before" ]
    for _ in {1..10}; do
        ASK alice acct -S 2024-11-01 -n -P -o user
        [ "$(sort -u <<<"$output")" = alice ]
    done
    kill -0 "$flood"
    exec 9>&-
    wait "$flood"
    ! grep Traceback "$MUNGE/answer.err" || false
}

# more_than_is_buffered: fields that make an answer so long that it ends only when it is read
more_than_is_buffered() {
    printf 'exec%%9999,%.0s' {1..2000}
}

@test "a user's questions wait for their turn, and too many of them are refused; others are answered" {
    local asker
    serve see=all requests=2 time=60 "store=$STORE"
    mkfifo "$BATS_TEST_TMPDIR/end"
    as_exec bob /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/hostile_client.py" "$JOBTRAIL_STAGE/libexec/jobtrail" \
        "$MUNGE/socket" unread "$ANSWER_PORT" 6100 40 -a -S 2024-11-01 -o "$(more_than_is_buffered)" \
        <"$BATS_TEST_TMPDIR/end" >"$BATS_TEST_TMPDIR/said" 3>&- 4>&- &
    exec 9>"$BATS_TEST_TMPDIR/end"
    asker=$!
    eventually 60 grep -q asked "$BATS_TEST_TMPDIR/said"
    ASK alice acct -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = alice ]
    # hers came after all of his, of which 23 are too many; they do not fill the log
    [ "$(grep -c 'too many questions' "$MUNGE/answer.err")" -eq 10 ]
    kill "$asker"
    exec 9>&-
    # nobody reads his answers any more: they end, and his next question has its turn
    ASK bob acct -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = bob ]
}

# load_one UUID: a run into the store; then its log has nothing that a reader still needs
load_one() {
    site_run "$1" tiny 0.5 >"$BATS_TEST_TMPDIR/one"
    chmod 644 "$BATS_TEST_TMPDIR/one"
    as jobtrail "$JOBTRAIL_STAGE/bin/jobtrail-load" --store "$STORE" "$BATS_TEST_TMPDIR/one" || return
    [ "$(stat -c %s "${STORE#sqlite:}-wal")" -eq 0 ]
}

@test "answers that nobody reads, of the service and of jobtrail-acct, hold nothing of the store" {
    local asker answer=$BATS_TEST_TMPDIR/answer
    load_one 019a9f00-2222-7000-8000-000000000001
    serve see=all requests=2 time=60 "store=$STORE"
    mkfifo "$BATS_TEST_TMPDIR/end" "$answer"
    as_exec bob /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/hostile_client.py" "$JOBTRAIL_STAGE/libexec/jobtrail" \
        "$MUNGE/socket" unread "$ANSWER_PORT" 6100 1 -a -S 2024-11-01 -o "$(more_than_is_buffered)" \
        <"$BATS_TEST_TMPDIR/end" >"$BATS_TEST_TMPDIR/said" 3>&- 4>&- &
    asker=$!
    exec 9>"$BATS_TEST_TMPDIR/end"
    eventually 60 grep -q asked "$BATS_TEST_TMPDIR/said"
    load_one 019a9f00-2222-7000-8000-000000000002
    kill "$asker"
    exec 9>&-
    exec 8<>"$answer"
    as_exec jobtrail "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$STORE" --no-sacct -a -S 2024-11-01 \
        -o "$(printf 'exec%%9999,%.0s' {1..99})exec" >"$answer" 3>&- 4>&- 8>&- &
    asker=$!
    timeout 60 head -c 1 <&8 >"$BATS_TEST_TMPDIR/first"
    [ -s "$BATS_TEST_TMPDIR/first" ]
    load_one 019a9f00-2222-7000-8000-000000000003
    kill "$asker"
    exec 8>&-
    # nor does who has it open, and reads nothing
    exec 9<>"$BATS_TEST_TMPDIR/end"
    as_exec jobtrail /usr/bin/python3 -c 'import sqlite3, sys; store = sqlite3.connect(sys.argv[1])
print(store.execute("SELECT count(*) FROM run").fetchone(), flush=True); sys.stdin.read()' "${STORE#sqlite:}" \
        <"$BATS_TEST_TMPDIR/end" >"$BATS_TEST_TMPDIR/counted" 3>&- 4>&- 9>&- &
    asker=$!
    eventually 60 test -s "$BATS_TEST_TMPDIR/counted"
    load_one 019a9f00-2222-7000-8000-000000000004
    kill "$asker"
    exec 9>&-
}

@test "an answer that takes too long, too much memory or too many bytes is ended, with a message" {
    serve see=own time=1 "store=$MARIADB_STORE"
    kill -STOP "$MARIADB_PID"
    ASK bob acct -S 2024-11-01
    kill -CONT "$MARIADB_PID"
    [ "$status" -eq 1 ]
    [[ $stderr == "jobtrail: the answer takes more than 1 s"*"; ask for less" ]]
    answer_stop
    serve see=own "store=$STORE"
    ASK bob acct -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = bob ]
    answer_stop
    serve see=own memory=1M "store=$STORE"
    ASK bob acct -S 2024-11-01
    [ "$status" -eq 1 ]
    [[ $stderr == "jobtrail: the answer needs too much memory; ask for less" ]]
    answer_stop
    serve see=own size=1M "store=$STORE"
    ASK bob acct -S 2024-11-01 -o "$(printf "exec%%9999,%.0s" {1..99})exec"
    [ "$status" -eq 1 ]
    [[ $stderr == "jobtrail: the answer has more than 1048576 bytes; ask for less" ]]
}

@test "while munged does not answer, nobody waits for it but who asks by it" {
    serve see=own "store=$STORE" "web_socket=$MUNGE/pages/web" web_proxy_user=carol
    mkfifo "$BATS_TEST_TMPDIR/go"
    as_exec bob /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/hostile_client.py" "$JOBTRAIL_STAGE/libexec/jobtrail" \
        "$MUNGE/socket" behind "$ANSWER_PORT" 6100 20 -S 2024-11-01 -n -P -o user \
        <"$BATS_TEST_TMPDIR/go" >"$BATS_TEST_TMPDIR/said" 3>&- 4>&- &
    exec 9>"$BATS_TEST_TMPDIR/go"
    eventually 60 grep -q made "$BATS_TEST_TMPDIR/said"
    kill -STOP "$(cat "$MUNGE/pid")"
    echo >&9
    eventually 60 grep -q asked "$BATS_TEST_TMPDIR/said"
    page alice
    [[ $output == "HTTP/1.1 200 "* && $output == *flow.mpi* ]]
    # the first ones are given up, and it is said why
    eventually 60 grep -q "refused: munged does not answer" "$MUNGE/answer.err"
    page alice
    [[ $output == "HTTP/1.1 200 "* && $output == *flow.mpi* ]]
    # of more connections than may wait, those of the host that has most
    hostile bob flood "$ANSWER_PORT" 127.0.0.2 </dev/null
    kill -CONT "$(cat "$MUNGE/pid")"
    # the time of one that has waited begins with its turn
    wait $!
    exec 9>&-
    grep -qx bob "$BATS_TEST_TMPDIR/said"
    grep -qx "status 0" "$BATS_TEST_TMPDIR/said"
    ASK alice acct -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = alice ]
    ! grep Traceback "$MUNGE/answer.err" || false
}

page() { # USER [TARGET]: by the web server, who is carol
    run as carol /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/web_client.py" fetch "$MUNGE/pages/web" \
        "${2-/executables?from=2024-11-01&to=2024-11-30}" "X-Remote-User: $1"
    head -n 1 <<<"$output"
}

@test "a page is of a time in which there can be runs" {
    serve see=own "store=$STORE" "web_socket=$MUNGE/pages/web" web_proxy_user=carol
    page alice "/overview.json?from=1902-01-01&to=9998-01-01"
    [[ $output == *'"first": "2002-01-01"'* && $output == *'"runs": '[1-9]* ]]
    page alice "/user?name=alice&from=1902-01-01&to=9998-01-01"
    [[ $output == "HTTP/1.1 200 "* && $output != *">2001"* ]]
}

@test "names of pages are quoted in addresses" {
    run /usr/bin/python3 -I - "$JOBTRAIL_STAGE/libexec/jobtrail" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.answers.web.local import Door
from jobtrail.answers.web.request import Head
for name in ("a%0d%0aSet-Cookie:%20x=y", "%E2%82%AC", "overview"):
    door = Door()
    head = "GET %s%s?secret=%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (door.path, name, door.secret)
    fields = door.check(Head(head.encode())).encode().split(b"\r\n")
    assert [line for line in fields if line.startswith(b"Location: /")] and b"Set-Cookie: x=y" not in fields, fields
PYTHON
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "questions of one user are counted together, by whatever way they come" {
    serve see=own requests=3 time=60 "store=$STORE" "web_socket=$MUNGE/pages/web" web_proxy_user=carol
    mkfifo "$BATS_TEST_TMPDIR/end"
    as_exec bob /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/hostile_client.py" "$JOBTRAIL_STAGE/libexec/jobtrail" \
        "$MUNGE/socket" unread "$ANSWER_PORT" 6100 18 -a -S 2024-11-01 -o "$(more_than_is_buffered)" \
        <"$BATS_TEST_TMPDIR/end" >"$BATS_TEST_TMPDIR/said" 3>&- 4>&- &
    exec 9>"$BATS_TEST_TMPDIR/end"
    # one has a place, 16 wait
    eventually 60 grep -q 'too many questions' "$MUNGE/answer.err"
    page bob
    [[ $output == "HTTP/1.1 503 "*"too many questions"* ]]
    page alice
    [[ $output == "HTTP/1.1 200 "* ]]
    kill $!
    exec 9>&-
}

@test "who can connect writes neither control characters nor many lines into the log" {
    serve see=own "store=$STORE"
    as bob /usr/bin/python3 -c 'import socket, sys
for number in range(40):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
        connection.sendall(b"JTQ" + (b"\n", b"\33")[number % 2] + b"abcd")
        assert connection.recv(1) == b""' "$ANSWER_PORT"
    grep -qF 'speaks version \n of' "$MUNGE/answer.err"
    grep -qF 'speaks version \x1b of' "$MUNGE/answer.err"
    [ "$(wc -l <"$MUNGE/answer.err")" -eq 10 ]
    ! grep -q '[[:cntrl:]]' "$MUNGE/answer.err" || false
}

@test "what is not read through a view is refused" {
    as jobtrail /usr/bin/python3 -I - "$JOBTRAIL_STAGE/libexec/jobtrail" "${STORE#sqlite:}" <<'EOF'
import sqlite3, sys
sys.path.insert(0, sys.argv[1])
from jobtrail.program import Failure
from jobtrail.answers.service.restricted import RestrictedSqlite
from jobtrail.answers.service.rights import Rights
from jobtrail.store import SqliteStore
store = RestrictedSqlite(Rights(["alice"]))
store.connect(sys.argv[2])
store.begin()
names = [row[0] for row in sqlite3.connect(sys.argv[2]).execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
assert len(names) > 20
seen = set()
for name in names:
    for place, read in (("", store.lookup), ("main.", lambda sql: SqliteStore.lookup(store, sql))):
        try:
            rows = read("SELECT * FROM %s%s" % (place, name))
        except sqlite3.DatabaseError as error:
            assert "prohibited" in str(error) or "not authorized" in str(error), error
            continue
        assert place == "" and "SECRET" not in str(rows), (place, name)
        if rows:
            seen.add(name)
assert seen >= {"executable", "object", "env_value", "ancestors", "package"}, seen
for sql in ("ATTACH ? AS other", "PRAGMA user_version", "DROP VIEW temp.run", "DELETE FROM temp.may_user",
            "UPDATE temp.may_user SET name = ?", "CREATE TABLE temp.x (y)"):
    try:
        SqliteStore.lookup(store, sql, ("bob",) * sql.count("?"))
        raise SystemExit(sql)
    except sqlite3.DatabaseError as error:
        assert "authorized" in str(error), error
# the authorizer takes names of common table expressions for those of views
for sql in ("SELECT * FROM main.run_own", "WITH x AS (SELECT uuid FROM main.run_own) SELECT * FROM x",
            "SELECT * FROM (WITH run AS (SELECT uuid FROM run_own) SELECT * FROM run)"):
    for read in (store.lookup, store.query):
        try:
            read(sql)
            raise SystemExit(sql)
        except Failure as error:
            assert "is not read here" in str(error), error
EOF
}

@test "what is not read through the rows that may be seen is not even counted, in SQLite" {
    run --separate-stderr as jobtrail /usr/bin/python3 -I - "$JOBTRAIL_STAGE/libexec/jobtrail" "$STORE" <<'PYTHON'
import sqlite3, sys
sys.path.insert(0, sys.argv[1])
from jobtrail.program import Failure
from jobtrail.answers.service.restricted import TABLES, open_for
from jobtrail.answers.service.rights import Rights
store = open_for(sys.argv[2], Rights(["nobody"]))
names = [row[0] for row in sqlite3.connect(sys.argv[2][7:]).execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
others = [name for name in names if name not in TABLES and not name.startswith("sqlite")]
assert "run_own" in others and "xalt_run" in others, others
for name in others:
    for sql in ("SELECT count(*) FROM %s", "SELECT count(*) FROM (%s)", "SELECT count(*) FROM [%s]", "SELECT 1 FROM %s"):
        try:
            rows = store.lookup(sql % name)
        except (Failure, sqlite3.Error):
            continue
        assert rows in ([], [(0,)]), (sql % name, rows)
PYTHON
    echo "$output $stderr"
    [ "$status" -eq 0 ]
}

@test "a wrong pattern or number is the asker's fault, and not the service's" {
    local option
    serve see=own "store=$STORE"
    for option in --exec --lib --module --pkg --env --cwd; do
        ASK bob acct -S 2024-11-01 "$option" '[z-a]'
        [ "$status" -eq 1 ]
        [[ $stderr == *"Bad pattern"* && $stderr != *fault* ]]
    done
    ASK bob report --exec '[z-a]'
    [[ $stderr == *"Bad pattern"* && $stderr != *fault* ]]
    ASK bob acct -u ² -S 2024-11-01
    [[ $stderr == *"no run of that user"* && $stderr != *fault* ]]
    [ ! -s "$MUNGE/answer.err" ]
}

@test "without munged a question ends with a message, and the service goes on when it is back" {
    serve see=own "store=$STORE"
    munge_end
    ASK alice acct
    [ "$status" -eq 1 ]
    [[ $stderr == *"the service for answers at "* ]]
    munge_again
    ASK alice acct -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = alice ]
}

@test "it is started as its user, and not as root" {
    answer_conf user=jobtrail "store=$STORE"
    run as root "$JOBTRAIL_STAGE/bin/jobtrail-answer" --conf "$MUNGE/jobtrail.conf"
    [ "$status" -eq 1 ]
    [[ $output == *"start it as the user jobtrail"* ]]
    run as alice "$JOBTRAIL_STAGE/bin/jobtrail-answer" --conf "$MUNGE/jobtrail.conf"
    [[ $output == *"start it as the user jobtrail"* ]]
    echo '[answers]' >"$MUNGE/jobtrail.conf"
    run as jobtrail "$JOBTRAIL_STAGE/bin/jobtrail-answer" --conf "$MUNGE/jobtrail.conf"
    [[ $output == *"set \`listen\` in [answers]"* ]]
}
