#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Records for XALT's loaders and a strict database: tables as XALT 3.2.4 makes them, in a real MariaDB.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/collectors
load ../fixture/links
load ../fixture/mariadb

setup_file() {
    mariadb_start
}

teardown_file() {
    mariadb_stop
}

teardown() {
    stop_collectors
}

# stored: what XALT's loader stores of $RECORDS
stored() {
    "$COLLECTORS/store_as_xalt" "$JOBTRAIL_SOURCE/test/data/xalt/columns-3.2.4" "$MARIADB_DIR/socket" xalt "$RECORDS"
}

# overlong SECTIONS: what does not fit is in $RECORDS
overlong() {
    job_with "$1"
    rm -rf "$RECORDS"
    mkdir -p "$BATS_TEST_TMPDIR/state/outbox/file"
    chmod 700 "$BATS_TEST_TMPDIR/state" "$BATS_TEST_TMPDIR/state/outbox" "$BATS_TEST_TMPDIR/state/outbox/file"
    "$COLLECTORS/overlong_records" "$BATS_TEST_TMPDIR/state/outbox/file/01767261600000000000.1.1"
    outbox retry
    [[ $(waiting file) == 0 ]]
}

@test "a value that does not fit ends XALT's loader, and does not where xalt_strict names the transport" {
    overlong ''
    run --separate-stderr stored
    [[ $status == 1 && $stderr == *"Incorrect string value"* ]]
    overlong $'[transport]\nxalt_strict = file'
    run --separate-stderr stored
    echo "$stderr"
    [[ $status == 0 && $output == $'link 53\nrun 77\npkg 25' ]]
    # values that begin alike stay apart
    [[ $(mariadb_sql 'SELECT count(DISTINCT account), max(char_length(account)) FROM xalt_run' xalt) == $'5\t20' ]]
    [[ $(mariadb_sql "SELECT count(DISTINCT exec_path) FROM xalt_run WHERE exec_path LIKE 'xxx%~________'" xalt) == 2 ]]
    [[ $(mariadb_sql "SELECT count(DISTINCT env_name) FROM xalt_env_name WHERE env_name LIKE 'xxx%~________'" xalt) == 2 ]]
    # the check sum is that of the new text
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store" "$RECORDS"
}

@test "what a user can do to a record keeps XALT's loader from nothing" {
    PLACE=$BATS_TEST_TMPDIR job_with $'[transport]\nxalt_strict = file\n[environment]\nkeep = .*'
    rm -rf "$RECORDS"
    directory=$BATS_TEST_TMPDIR
    for _ in {1..6}; do
        directory+=/$(printf 'd%.0s' {1..200})😀
    done
    mkdir -p "$directory"
    cp "$PROGRAMS/exit_with" "$directory/program"
    name=$(printf 'N%.0s' {1..100})
    (cd "$directory" && tracked "$name=1" "${name}2=2" 😀=3 FACE=😀 APPTAINER_NAME="$name" "$directory/program" 0 😀)
    flush
    [[ $(records | jq length) == 1 ]]
    stored
    [[ $(records | jq -r '.[0].userT | .exec_path, .cwd | length, test("~[0-9a-f]{8}$")') == $'1024\ntrue\n1024\ntrue' ]]
    [[ $(records | jq -r '.[0].envT | keys | map(select(startswith("NNN"))) | length, (.[0] | length)') == $'2\n64' ]]
    # the bytes of the character
    [[ $(records | jq -c '.[0].envT.FACE | explode') == "[61424,61343,61336,61312]" ]]
    [[ $(records | jq -r '.[0].cmdlineA[2]') == 😀 ]]
    "$COLLECTORS/check_records" "$RECORDS"/*.json
}

@test "a link that the wrapper writes to the site's directory fits, too" {
    RULES=$'[transport]\nxalt_strict = file' new_links
    mkdir 😀
    cp hello.c 😀/a.c
    wrapped cc -o 😀/a 😀/a.c
    [[ $(links | jq '.[0].resultT.exec_path | explode | max') == 61424 ]]
    stored
}

@test "a record is signed as it is sent, and another transport has it whole" {
    job_with $'[environment]\nkeep = .*\n[signature]\nkey_file = '"$BATS_TEST_TMPDIR/key"$'\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR"$'/collected/log\n[transport]\nuse = file, syslog\nxalt_strict = file'
    rm -rf "$RECORDS"
    "$JOBTRAIL_BIN/jobtrail-conf" make-key "$BATS_TEST_TMPDIR/key"
    start_rsyslog
    tracked FACE=😀 "$PROGRAMS/exit_with" 0
    flush
    stop_rsyslog
    [[ $(records | jq -c '.[0].envT.FACE | explode') == "[61424,61343,61336,61312]" ]]
    [[ $(syslog_records 512 | jq -r 'select(.envT).envT.FACE') == 😀 ]]
    "$JOBTRAIL_BIN/jobtrail-load" --key "$BATS_TEST_TMPDIR/key" --require-signature --store "sqlite:$BATS_TEST_TMPDIR/store" "$RECORDS"
}
