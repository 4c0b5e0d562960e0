#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A user sees his own runs and nobody else's: by sudo in SQLite, by views in MariaDB. Needs root, for users
# and a sudoers file of the test's own: its /etc is seen by what it starts alone.
# bats file_tags=needs:root
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets stderr, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb
load ../fixture/askers

setup_file() {
    export TZ=UTC ETC=$BATS_FILE_TMPDIR/etc PLACE=$BATS_FILE_TMPDIR
    chmod 755 "$PLACE" "${PLACE%/*}" "$BATS_RUN_TMPDIR"
    site_records "$PLACE/site"
    others_secrets >>"$SITE/records"
    private_etc
    sudoers
    mkdir "$PLACE/store" "$PLACE/program"
    chown 6100:6100 "$PLACE/store"
    chmod 700 "$PLACE/store"
    cp -R "$JOBTRAIL_SOURCE/contrib/jobtrail-own" "$JOBTRAIL_SOURCE/contrib/jobtrail" "$PLACE/program"
    cp "$JOBTRAIL_BIN/jobtrail-load" "$PLACE/program"
    chmod -R a+rX "$PLACE/site"
    setpriv --reuid 6100 --regid 6100 --clear-groups "$PLACE/program/jobtrail-load" \
        --store "sqlite:$PLACE/store/jobtrail.db" --modules "$SITE/modules" --accounts "$SITE/accounts" "$SITE/records"
    mariadb_start
    site_load "$MARIADB_STORE"
    own_views
}

teardown_file() {
    mariadb_stop
}

# sudoers: the example of a file of sudo's
sudoers() {
    sed "s|$JOBTRAIL_STAGE/bin|$PLACE/program|; s|^\(Defaults!\)[^ ]*/jobtrail-own|\1$PLACE/program/jobtrail-own|
        s|NOPASSWD: .*|NOPASSWD: $PLACE/program/jobtrail-own|" \
        "$JOBTRAIL_STAGE/share/jobtrail/jobtrail-own" >"$ETC/sudoers.d/jobtrail-own"
    chmod 440 "$ETC/sudoers.d/jobtrail-own"
    echo "sqlite:$PLACE/store/jobtrail.db" >"$ETC/jobtrail/own-store"
}

OWN() { # USER ARGUMENT...: as the site says it
    run --separate-stderr as "$1" sudo -n -u jobtrail "$PLACE/program/jobtrail-own" "${@:2}"
    echo "$status: $output $stderr"
}

@test "by sudo users see their own runs in a store that nobody else may read" {
    [ "$(stat -c %U:%a "$PLACE/store/jobtrail.db")" = UNKNOWN:600 ]
    sees_own OWN
}

@test "by sudo users see their own runs in a store of root's that a group may read" {
    mkdir "$PLACE/roots"
    site_load "sqlite:$PLACE/roots/jobtrail.db"
    chgrp 6100 "$PLACE/roots/jobtrail.db"
    chmod 640 "$PLACE/roots/jobtrail.db"
    site_load "sqlite:$PLACE/roots/jobtrail.db"
    echo "sqlite:$PLACE/roots/jobtrail.db" >"$ETC/jobtrail/own-store"
    OWN bob acct -S 2024-11-01 -n -P -o user
    echo "sqlite:$PLACE/store/jobtrail.db" >"$ETC/jobtrail/own-store"
    [ "$(sort -u <<<"$output")" = bob ]
    run as bob cat "$PLACE/roots/jobtrail.db"
    [ "$status" -ne 0 ]
}

@test "no option asks as somebody else, or names a file" {
    local option
    OWN alice acct -S 2024-11-01 -n -u bob
    [ "$status" -eq 0 ]
    [ "$output" = "" ]
    OWN alice acct -S 2024-11-01 -n -u "x' OR '1'='1"
    [ "$status" -eq 0 ]
    [ "$output" = "" ]
    OWN alice acct -S 2024-11-01 -n --exec '*SECRET*'
    [ "$status" -eq 0 ]
    [ "$output" = "" ]
    OWN alice report -u bob executables --json
    [ "$status" -eq 0 ]
    [ "$(jq '.pages[0].rows | length' <<<"$output")" -eq 0 ]
    for option in "--store sqlite:$SITE/x.db" "--stor sqlite:$SITE/x.db" --no-sacct; do
        # shellcheck disable=SC2086 # an option and its value
        OWN alice acct $option
        [ "$status" -eq 1 ]
        [[ "$stderr" == *"unrecognized arguments"* ]]
    done
    mkdir -m 777 "$BATS_TEST_TMPDIR/all"
    chmod 755 "$BATS_TEST_TMPDIR"
    for option in "-o $BATS_TEST_TMPDIR/all/out" "--output=$BATS_TEST_TMPDIR/all/out" --update "--families /etc/shadow" \
        "--summary $BATS_TEST_TMPDIR/all/summary" "--store sqlite:$SITE/x.db" "@/etc/shadow"; do
        # shellcheck disable=SC2086 # an option and its value
        OWN alice report $option
        [ "$status" -eq 1 ]
        [[ "$stderr" == *"unrecognized arguments"* || "$stderr" == *"there is no page"* || "$stderr" == *ambiguous* ]]
    done
    [ "$(ls -A "$BATS_TEST_TMPDIR/all")" = "" ]
}

@test "nothing of his environment or directory asks as somebody else" {
    local bob=6102 hostile=$BATS_TEST_TMPDIR/hostile
    chmod 755 "$BATS_TEST_TMPDIR"
    mkdir -p "$hostile/jobtrail"
    echo 'open("/dev/stderr", "w").write("TAKEN")' | tee "$hostile"/{sitecustomize,usercustomize,os,re,pwd}.py \
        >"$hostile/jobtrail/__init__.py"
    printf '#!/bin/sh\necho TAKEN >&2\n' | tee "$hostile/sacct" "$hostile/python3" >/dev/null
    chmod -R a+rx "$hostile"
    cp "$PLACE/program/jobtrail-own" "$hostile"
    cd "$hostile"
    # shellcheck disable=SC2016 # of the shell that is started
    run --separate-stderr env SUDO_UID=$bob SUDO_USER=bob USER=bob LOGNAME=bob HOME="$hostile" PYTHONPATH="$hostile" \
        PYTHONSTARTUP="$hostile/os.py" PYTHONHOME="$hostile" PYTHONINSPECT=1 PATH="$hostile:$PATH" \
        JOBTRAIL_STORE="sqlite:$hostile/x" JOBTRAIL_CREDENTIALS="$hostile/x" TZ=:/etc/shadow LANGUAGE=../../x \
        unshare --mount sh -c 'mount --bind "$ETC" /etc && exec setpriv --reuid alice --regid alice --init-groups "$@"' - \
        /usr/bin/sudo -n -u jobtrail "$PLACE/program/jobtrail-own" acct -S 2024-11-01 -n -P -o user
    echo "$status $output $stderr"
    [ "$status" -eq 0 ]
    [ "$stderr" = "" ]
    [ "$(sort -u <<<"$output")" = alice ]
    # nor does sudo let it be set
    run as alice sudo -n -u jobtrail SUDO_UID=$bob "$PLACE/program/jobtrail-own" acct -S 2024-11-01 -n -P -o user
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"not allowed to set"* ]]
    run as alice sudo -n -u jobtrail PYTHONPATH="$hostile" "$PLACE/program/jobtrail-own" acct
    [ "$status" -ne 0 ]
    # by itself it is nobody who may read the store, and sudo starts nothing else
    run as alice env SUDO_UID=$bob "$PLACE/program/jobtrail-own" acct
    [ "$status" -eq 1 ]
    [[ "$output" == *"Permission denied"* ]]
    for command in "$hostile/jobtrail-own" /usr/bin/python3 /bin/sh; do
        run as alice sudo -n -u jobtrail "$command"
        [ "$status" -ne 0 ]
        [[ "$output" != *TAKEN* ]]
    done
    run as alice sudo -n "$PLACE/program/jobtrail-own" acct
    [ "$status" -ne 0 ]
}

@test "the site alone says which store it is" {
    cp "$ETC/jobtrail/own-store" "$BATS_TEST_TMPDIR"
    chmod 666 "$ETC/jobtrail/own-store"
    OWN alice acct
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"own-store must be root's to write to alone"* ]]
    chmod 644 "$ETC/jobtrail/own-store"
    echo mariadb://localhost/jobtrail >"$ETC/jobtrail/own-store"
    OWN alice acct
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"MariaDB has views by user"* ]]
    cat "$BATS_TEST_TMPDIR/own-store" >"$ETC/jobtrail/own-store"
}

@test "what is not read through a view is refused" {
    setpriv --reuid 6100 --regid 6100 --clear-groups /usr/bin/python3 -I - "$PLACE/program" "$PLACE/store/jobtrail.db" <<'EOF'
import sqlite3, sys
sys.path.insert(0, sys.argv[1])
from jobtrail.program import Failure
from jobtrail.service.restricted import RestrictedSqlite
from jobtrail.service.rights import Rights
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

@test "a call ends in time, whatever its caller ignores and blocks" {
    setpriv --reuid 6100 --regid 6100 --clear-groups strace -e trace=rt_sigaction,rt_sigprocmask,alarm,setitimer \
        env --ignore-signal=ALRM --block-signal=ALRM "$PLACE/program/jobtrail-own" acct >"$BATS_TEST_TMPDIR/trace" 2>&1 || true
    grep -E 'rt_sigaction\(SIGALRM, \{sa_handler=SIG_DFL' "$BATS_TEST_TMPDIR/trace"
    grep -E 'rt_sigprocmask\(SIG_UNBLOCK, \[ALRM\]' "$BATS_TEST_TMPDIR/trace"
    grep -E '(alarm\(|tv_sec=)600' "$BATS_TEST_TMPDIR/trace"
}

# ---- MariaDB

own_views() {
    local name
    mariadb --no-defaults -uroot -S "$MARIADB_DIR/socket" <"$JOBTRAIL_SOURCE/contrib/own-runs-mariadb.sql"
    for name in alice bob; do
        mariadb_sql "CREATE USER $name@localhost IDENTIFIED BY 'theirs'; GRANT SELECT ON jobtrail_own.* TO $name@localhost"
        printf '[client]\nuser = %s\npassword = theirs\nsocket = %s\n' "$name" "$MARIADB_DIR/socket" >"$MARIADB_DIR/$name"
        chmod 600 "$MARIADB_DIR/$name"
    done
}

VIEWS() { # USER PROGRAM ARGUMENT...
    local alone=(--no-sacct)
    [ "$2" = acct ] || alone=(--summary /nonexistent)
    run --separate-stderr env JOBTRAIL_CREDENTIALS="$MARIADB_DIR/$1" "$JOBTRAIL_SOURCE/contrib/jobtrail-$2" \
        --store mariadb:///jobtrail_own "${alone[@]}" "${@:3}"
    echo "$status: $output $stderr"
}

as_alice() { # SQL [DATABASE]
    run mariadb --no-defaults -ualice -ptheirs -S "$MARIADB_DIR/socket" -N -B -e "$1" "${2:-jobtrail_own}"
    echo "$status: $output"
}

@test "by views users see their own runs in MariaDB" {
    sees_own VIEWS
}

@test "no SQL of his shows another user's rows" {
    local view
    for view in $(mariadb_sql 'SHOW TABLES' jobtrail_own); do
        as_alice "SELECT * FROM \`$view\`"
        [ "$status" -eq 0 ]
        [[ "$output" != *SECRET* ]]
        # tried on others' rows, it would warn of what is in them
        for column in $(mariadb_sql "SELECT column_name FROM information_schema.columns
            WHERE table_schema = 'jobtrail_own' AND table_name = '$view' AND data_type IN ('varchar', 'text', 'mediumtext', 'longtext')"); do
            as_alice "SET optimizer_switch = 'derived_merge=on,condition_pushdown_for_derived=on';
                SELECT count(*) FROM \`$view\` WHERE \`$column\` LIKE concat('%SEC', 'RET%')
                AND CAST(\`$column\` AS SIGNED) = 1; SHOW WARNINGS"
            [ "$status" -eq 0 ]
            [[ "$output" != *SECRET* ]]
        done
    done
    as_alice "SET ROLE NONE; SET @me = 'bob'; SELECT DISTINCT user FROM run"
    [[ "$output" == *alice ]]
    for sql in 'SELECT * FROM jobtrail.run' 'SHOW CREATE VIEW run' 'CREATE VIEW mine AS SELECT 1' 'DELETE FROM run' \
        'SELECT * FROM mysql.user'; do
        as_alice "$sql"
        [ "$status" -ne 0 ]
        [[ "$output" == *denied* ]]
    done
    run mariadb --no-defaults -ujobtrail_own -S "$MARIADB_DIR/socket" -e 'SELECT 1'
    [[ "$output" == *"account is locked"* ]]
}

@test "a name with an @ in it is not the one before, and no anonymous account lets a name be chosen" {
    mariadb_sql "CREATE USER 'bob@x'@localhost; GRANT SELECT ON jobtrail_own.* TO 'bob@x'@localhost"
    run mariadb --no-defaults -u'bob@x' -S "$MARIADB_DIR/socket" -N -B -e 'SELECT count(*) FROM run' jobtrail_own
    [ "$output" = 0 ]
    mariadb_sql "CREATE USER ''@localhost"
    run mariadb --no-defaults -uroot -S "$MARIADB_DIR/socket" <"$JOBTRAIL_SOURCE/contrib/own-runs-mariadb.sql"
    mariadb_sql "DROP USER ''@localhost"
    [ "$status" -ne 0 ]
    [[ "$output" == *"an anonymous account lets anybody log in by any name"* ]]
}
