#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-report over random records: its pages of packages, and what the summary makes of records of
# packages and of coverage that come before, with and long after those of their runs.

bats_require_minimum_version 1.5.0
load ../fixture/mariadb

setup_file() {
    export TZ=UTC RECORDS=$BATS_FILE_TMPDIR/records SEED=${JOBTRAIL_SEED:-$RANDOM}
    mariadb_start
    random_records "$SEED" | shuf --random-source=<(yes "$SEED") >"$RECORDS"
}

setup() {
    echo "JOBTRAIL_SEED=$SEED makes the same records"
}

# Few programs, users and scripts, in two months. Some runs are samples, some have a start record too,
# some nothing else, and some load numpy in two versions.
random_records() { # SEED
    "$JOBTRAIL_SOURCE/test/bench/make_records" 300 --seed "$1" --users 6 --programs 8 --scripts 30 \
        --packages 0.7 --days 50 --until 1732100000 --coverage |
        jq -c 'del(.crc) |
            if .userT then
                .userDT.probability = ({"4": 0.01, "5": 0.0001}[.userT.run_uuid[-1:]] // 1) |
                (.userDT += {end_time: 0, run_time: 0} |
                    .slurmT += {end_source: null, exit_code: null, signal: null, core_seconds: null,
                        core_seconds_max: null, core_days: [], leads: false, clock_step: null}) as $start |
                {"7": [., $start], "8": [$start]}[.userT.run_uuid[-2:-1]] // [.]
            elif .coverageT then
                [.]
            else
                [., select(.package_name == "numpy" and .xalt_run_uuid[-1:] == "6") + {package_version: "9"}]
            end | .[]'
}

# reporter STORE OPTION...: with a margin as small as the records are few, and as late as they come
reporter() {
    PYTHONPATH=$JOBTRAIL_SOURCE/contrib /usr/bin/python3 -c '
from jobtrail.report import main, summary
summary.MARGIN["mariadb"] = 20
summary.RECENT_DAYS = 1000
main.main()' --store "$@"
}

report() { # STORE OPTION...: of those months
    reporter "$1" -S 2024-09-01 -E 2024-12-31 "${@:2}"
}

everything() { # STORE OPTION...: the whole report but for where and when it was made; rows by name
    report "$1" --json --top 0 "${@:2}" |
        jq 'del(.store, .made) | .pages[].rows |= sort_by([.[] | strings])'
}

load_lines() { # STORE FIRST COUNT: of the records
    tail -n "+$2" "$RECORDS" | head -n "$3" | "$JOBTRAIL_BIN/jobtrail-load" --store "$1" - >/dev/null
}

@test "packages, and which occur together, are what the records say" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$RECORDS"
    report "$store" packages together --json --top 0 >"$BATS_TEST_TMPDIR/seen"
    "$JOBTRAIL_SOURCE/test/e2e/fixture/check_packages" "$RECORDS" "$BATS_TEST_TMPDIR/seen"
    for by in hours runs users; do
        report "$store" packages --json --top 0 --by "$by" >"$BATS_TEST_TMPDIR/ordered"
        jq -e --arg key "${by/hours/core_hours}" '.pages[0].rows | map(.[$key]) | length > 5 and . == (sort | reverse)' \
            "$BATS_TEST_TMPDIR/ordered"
    done
}

# grow STORE SUMMARY: loads the records by and by; the report is the same with the summary, with one that
# is behind, and without
grow() {
    local at=1 count lines now
    lines=$(wc -l <"$RECORDS")
    RANDOM=$SEED
    while ((at <= lines)); do
        count=$((RANDOM % 900 + 1))
        load_lines "$1" "$at" "$count"
        at=$((at + count))
        everything "$1" --summary /nonexistent >"$BATS_TEST_TMPDIR/without"
        everything "$1" --summary "$2" >"$BATS_TEST_TMPDIR/behind"
        same_numbers "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/behind"
        ((RANDOM % 3 > 0)) || continue
        reporter "$1" --update --summary "$2"
        everything "$1" --summary "$2" >"$BATS_TEST_TMPDIR/with"
        same_numbers "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
    report "$1" packages together --json --top 0 --summary "$2" >"$BATS_TEST_TMPDIR/seen"
    "$JOBTRAIL_SOURCE/test/e2e/fixture/check_packages" "$RECORDS" "$BATS_TEST_TMPDIR/seen"
    # that was not all added up anew
    now=$(sqlite3 "$2" "SELECT sum(n) FROM usage")
    ((now > 100))
}

@test "a summary of SQLite that packages come to late says what a report without it says" {
    grow "sqlite:$BATS_TEST_TMPDIR/store.db" "$BATS_TEST_TMPDIR/summary"
}

@test "so does one of MariaDB, which leaves out the last numbers" {
    grow "$MARIADB_STORE" "$BATS_TEST_TMPDIR/summary"
}

# Of the row of a single number MariaDB made a constant, and its packages were NULL.
@test "the only run that goes on keeps its packages in a summary of MariaDB" {
    local store run
    run=$(jq -nr '[inputs] | map(.xalt_run_uuid) as $loaded | map(select(.userT and .userDT.end_time == 0).userT.run_uuid)
        | map(select(IN($loaded[])))[0]' "$RECORDS")
    [ -n "$run" ]
    jq -c --arg run "$run" 'select(.xalt_run_uuid == $run or (.userT.run_uuid == $run and .userDT.end_time == 0))' \
        "$RECORDS" >"$BATS_TEST_TMPDIR/one"
    mariadb_database one_run
    store=$MARIADB_STORE
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$BATS_TEST_TMPDIR/one"
    report "$store" packages --json --summary /nonexistent | jq '.pages[0].rows | map(.package)' >"$BATS_TEST_TMPDIR/without"
    PYTHONPATH=$JOBTRAIL_SOURCE/contrib /usr/bin/python3 -c '
from jobtrail.report import main, summary
summary.MARGIN["mariadb"] = 0
main.main()' --store "$store" --update --summary "$BATS_TEST_TMPDIR/summary"
    [ "$(sqlite3 "$BATS_TEST_TMPDIR/summary" 'SELECT count(*) FROM pending')" -eq 1 ]
    report "$store" packages --json --summary "$BATS_TEST_TMPDIR/summary" | jq '.pages[0].rows | map(.package)' >"$BATS_TEST_TMPDIR/with"
    [ "$(jq length "$BATS_TEST_TMPDIR/without")" -ge 1 ]
    diff "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
}
