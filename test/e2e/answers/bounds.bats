#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs of which nobody saw the end: no sum has time in which they may have been over, and each says how much
# more it may be.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets variables, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb

setup_file() {
    export TZ=UTC STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    bounded_runs >"$SITE/bounded"
    mv "$SITE/bounded" "$SITE/records"
    site_load "$STORE"
    mariadb_start
    site_load "$MARIADB_STORE"
}

# bounded NAME UUID-DIGIT PROBABILITY KNOWN MOST: a run of two cores, which took from KNOWN to MOST seconds
bounded() {
    site_run "019a9f00-1111-7000-8000-00000000000$2" "$1" "$3" '.slurmT.cpus_alloc = 2 |
        .slurmT += {exit_code: null, signal: null, end_source: "step_end", end_time_error: ('"$5 - $4"'),
            end_time_min: (.userDT.start_time + '"$4"'), end_time_max: (.userDT.start_time + '"$5"'),
            core_seconds: (2 * '"$4"'), core_seconds_max: (2 * '"$5"'), leads: false,
            core_days: (if '"$4"' > 0 then [["2024-11-20", 2 * '"$4"']] else [] end)} |
        .userDT += {run_time: '"$4"', end_time: (.userDT.start_time + '"$4"')}'
}

# `seen` ended after an hour; `unseen` at any time in ten, and once in the second of two: half of such runs
# are kept
bounded_runs() {
    site_run 019a9f00-1111-7000-8000-000000000001 seen 1 '.slurmT += {end_time_min: .userDT.end_time,
        end_time_max: .userDT.end_time, core_seconds: 7200, core_seconds_max: 7200, leads: false,
        core_days: [["2024-11-20", 7200]]}'
    bounded unseen 2 1 0 36000
    bounded unseen 3 0.5 3600 7200
    site_coverage | jq -c '.coverageA += [.coverageA[0] + {outcome: "uncertain", tasks: 0, core_seconds: 7200}] |
        .coverageA |= map(. + {day: "2024-11-20", runs: 0})'
}

acct() {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --store "$1" --allusers --no-sacct -n -P \
        -S 2024-11-20 -E 2024-11-21 "${@:2}"
    echo "$1: $output"
    [ "$status" -eq 0 ]
}

# cells STORE PAGE FIELDS OPTION...: these cells of the page's rows
cells() {
    cells=$("$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$1" -S 2024-11-01 -E 2024-11-30 \
        --summary "$BATS_TEST_TMPDIR/${1%%:*}" --json "$2" "${@:4}" |
        jq -r ".pages[0].rows[] | [$3] | map(. // \"-\") | join(\"|\")")
    echo "$*: $cells"
}

@test "jobtrail-acct says that an end is not known, what is known of it, and between which times it was" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -o exec,state,start,end,endmin,endmax,elapsed,elapsedraw,elapsedmax
        [ "${lines[0]}" = "seen|COMPLETED|2024-11-20T10:00:00|2024-11-20T11:00:00|2024-11-20T11:00:00|2024-11-20T11:00:00|01:00:00|3600|01:00:00" ]
        [ "${lines[1]}" = "unseen|UNKNOWN|2024-11-20T10:00:00|Unknown|2024-11-20T10:00:00|2024-11-20T20:00:00|>=00:00:00|>=0|10:00:00" ]
        [ "${lines[2]}" = "unseen|UNKNOWN|2024-11-20T10:00:00|Unknown|2024-11-20T11:00:00|2024-11-20T12:00:00|>=01:00:00|>=3600|02:00:00" ]
    done
}

@test "a record may have bounds and no run time" {
    sed -n 2p "$SITE/records" | jq -c 'del(.userDT.run_time)' >"$BATS_TEST_TMPDIR/odd"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/odd.db" "$BATS_TEST_TMPDIR/odd"
    acct "sqlite:$BATS_TEST_TMPDIR/odd.db" -o end,elapsed,elapsedraw
    [ "$output" = "Unknown||" ]
}

# replaced SECONDS: the last run, with an end by `exec`: that time after its start or before it
replaced() {
    sed -n 3p "$SITE/records" | jq -c '.userT.run_uuid = "019a9f00-1111-7000-8000-000000000004" |
        .userDT += {run_time: '"$1"', end_time: (.userDT.start_time + '"$1"')} |
        .slurmT += {end_source: "exec", end_time_min: .userDT.start_time, end_time_max: .userDT.end_time,
            end_time_error: '"$1"'}'
}

@test "a run whose end is the latest possible one took so long at the most" {
    replaced 3 >"$BATS_TEST_TMPDIR/exec"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/exec.db" "$BATS_TEST_TMPDIR/exec"
    acct "sqlite:$BATS_TEST_TMPDIR/exec.db" -o state,end,endmin,endmax,elapsed,elapsedraw,elapsedmax
    [ "$output" = "EXECED|Unknown|2024-11-20T10:00:00|2024-11-20T10:00:03|<=00:00:03|<=3|00:00:03" ]
    acct "sqlite:$BATS_TEST_TMPDIR/exec.db" -X -o end,elapsed
    [ "$output" = "Unknown|<=00:00:03" ]
}

@test "of a run that outlived its job no end is claimed, and its core time in the job is known" {
    sed -n 1p "$SITE/records" | jq -c '.slurmT += {end_source: "epilog", outlived: true, exit_code: null, signal: null,
        core_seconds: 7200, core_seconds_max: 7200, core_days: [["2024-11-20", 7200]], leads: false}' \
        >"$BATS_TEST_TMPDIR/outlived"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/outlived.db" "$BATS_TEST_TMPDIR/outlived"
    acct "sqlite:$BATS_TEST_TMPDIR/outlived.db" -o state,end,endmin,endmax,enderror,elapsed,elapsedmax,coreseconds
    [ "$output" = "OUTLIVED|Unknown|2024-11-20T11:00:00|||>=01:00:00||7200" ]
    acct "sqlite:$BATS_TEST_TMPDIR/outlived.db" -X -s OUTLIVED -o state,end,endmin,endmax,elapsed
    [ "$output" = "OUTLIVED|Unknown|2024-11-20T11:00:00||>=01:00:00" ]
}

@test "with -X nothing of such a run counts as known" {
    { sed -n 3p "$SITE/records" && replaced 5400; } >"$BATS_TEST_TMPDIR/two"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/two.db" "$BATS_TEST_TMPDIR/two"
    acct "sqlite:$BATS_TEST_TMPDIR/two.db" -X -o nruns,end,elapsed,elapsedmax
    [ "$output" = "2|Unknown|>=01:00:00|02:00:00" ]
}

@test "with -X a run without bounds ended when it says" {
    { sed -n 3p "$SITE/records" && replaced 5400 | jq -c 'del(.slurmT.end_time_min, .slurmT.end_time_max) |
        .userDT += {run_time: 10800, end_time: (.userDT.start_time + 10800)}'; } >"$BATS_TEST_TMPDIR/old"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/old.db" "$BATS_TEST_TMPDIR/old"
    acct "sqlite:$BATS_TEST_TMPDIR/old.db" -X -o nruns,end,endmin,endmax,elapsed
    [ "$output" = "2|2024-11-20T13:00:00|2024-11-20T13:00:00|2024-11-20T13:00:00|03:00:00" ]
}

@test "with -X the job's end lies between the last ones of its runs" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -X -o end,endmin,endmax,elapsed
        [ "$output" = "Unknown|2024-11-20T11:00:00|2024-11-20T20:00:00|>=01:00:00" ]
    done
}

@test "a run is shown for the times at which it may have run" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -S 2024-11-20T19:00:00 -E 2024-11-20T19:30:00 -o exec,endmax
        [ "$output" = "unseen|2024-11-20T20:00:00" ]
    done
}

# What may be more is no more than what is uncertain in the allocation. The runs were sampled, but core time is exact: it
# is not weighed.
in_a_report() {
    cells "$1" executables '.executable, .core_hours, .core_hours_uncertain, .runs'
    [ "$cells" = $'seen|2|0|1\nunseen|2|4|2\n(not known)|1|0|0' ]
    cells "$1" users '.user, .core_hours, .core_hours_uncertain'
    [ "$cells" = $'carol|4|0\nalice|1|4' ]
    cells "$1" endings '.outcome, .core_hours'
    [ "$cells" = $'UNKNOWN|2\nCOMPLETED|2' ]
    cells "$1" failures '.executable, .failed_core_hours'
    [ "$cells" = "" ]
}

@test "sums of jobtrail-report are what is known; what may be more stands beside; an unknown end is no failure" {
    for_both in_a_report
}

@test "so they are from the file of sums" {
    for store in "$STORE" "$MARIADB_STORE"; do
        "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --summary "$BATS_TEST_TMPDIR/${store%%:*}" --update
        in_a_report "$store"
    done
}

# bats test_tags=needs:answers
@test "text and HTML say that a sum may be more, and nothing where all ends were seen" {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" -S 2024-11-01 -E 2024-11-30 executables
    [[ "$output" == *"programs 5.0 + uncertain 4.0 + unseen 1.0 + idle 0.0"* ]]
    [[ "$output" == *"+ up to"* ]]
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" -S 2024-11-01 -E 2024-11-30 --html
    [[ "$output" == *"uncertain 4.0"* && "$output" == *"+ up to"* ]]
    head -n 1 "$SITE/records" >"$BATS_TEST_TMPDIR/seen"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/seen.db" "$BATS_TEST_TMPDIR/seen"
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "sqlite:$BATS_TEST_TMPDIR/seen.db" -S 2024-11-01 -E 2024-11-30 executables
    [[ "$output" == *"2.0"* && "$output" != *"up to"* ]]
}

@test "the coverage has what is uncertain apart, and a follower of a program that does not lead is assumed" {
    for store in "$STORE" "$MARIADB_STORE"; do
        cells "$store" coverage '.outcome, .core_hours, .share'
        [ "$cells" = $'not_allocated|4|0.4\nuncertain|4|0.4\nrecorded|1|0.1\nassumed|0.5|0.05\ncontainer|0.5|0.05' ]
        acct "$store" --coverage
        [ "$output" = $'programs|recorded|1|3600|16.7%\nuncertain|uncertain|0|14400|66.7%
unseen|assumed|1|1800|8.3%\nunseen|container|1|1800|8.3%' ]
    done
}

@test "XALT's view has the time that is known" {
    local ask='SELECT run_time, end_time - start_time FROM xalt_run ORDER BY run_uuid'
    for store in "$STORE" "$MARIADB_STORE"; do
        if [[ $store == sqlite:* ]]; then
            run sqlite3 -separator ' ' "${store#sqlite:}" "$ask"
        else
            run mariadb_sql "$ask" jobtrail
        fi
        echo "$output"
        [ "$(tr '\t' ' ' <<<"$output" | sed 's/\.0//g')" = $'3600 3600\n0 0\n3600 3600' ]
    done
}
