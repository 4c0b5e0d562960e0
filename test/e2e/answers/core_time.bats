#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-acct shows what runs had of their job's allocation, and what became of it. Job 99 is the one that
# docs/numbers.md draws; job 98 is an MPI program on two nodes, whose record is the first node's.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets variables, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb

setup_file() {
    export TZ=UTC STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    jobs >"$SITE/jobs"
    cp "$SITE/records" "$SITE/others"
    mv "$SITE/jobs" "$SITE/records"
    site_load "$STORE"
    mariadb_start
    site_load "$MARIADB_STORE"
}

jobs() {
    ran 1 prep batch 2 4 480
    ran 2 gzip batch 4 2 480
    ran 3 sim 0 6 8 1200 '.slurmT.leads = true | .userT.num_tasks = 2'
    ran 4 fit batch 16 1 240 '.slurmT += {core_seconds_max: 960, end_time_max: (.userDT.end_time + 180), exit_code: null,
        signal: null, end_source: "step_end", end_time_error: 180}'
    divided 99 n1 '[{"outcome": "recorded", "step_id": "batch", "tasks": 1, "core_seconds": 1200},
        {"outcome": "recorded", "tasks": 2, "core_seconds": 1200},
        {"outcome": "script", "step_id": "batch", "core_seconds": 480},
        {"outcome": "uncertain", "step_id": "batch", "core_seconds": 720},
        {"outcome": "idle", "step_id": null, "core_seconds": 1200}]'

    local other='.slurmT.job_id = 98 | .userT.job_id = "98"'
    ran 5 wave 0 0 20 4800 "$other"' | .slurmT.leads = true'
    ran 6 tool batch 0 20 0 "$other"' | .slurmT.core_days = []'
    divided 98 n1 '[{"outcome": "recorded", "tasks": 4, "leader": 0, "core_seconds": 4800}]'
    divided 98 n2 '[{"outcome": "follower", "tasks": 4, "first_task": 4, "leader": 0, "core_seconds": 4000},
        {"outcome": "follower", "step_id": "1", "tasks": 1, "first_task": 1, "leader": 0, "core_seconds": 500},
        {"outcome": "idle", "step_id": null, "core_seconds": 300}]'
}

acct() { # STORE OPTION...
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --store "$1" --allusers --no-sacct -P "${@:2}"
    echo "$1: $output" "$stderr"
    [ "$status" -eq 0 ]
}

@test "each run has what it had of the allocation, and a bound says that it is one" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -n -j 99 -o exec,coreseconds,coresecondsmax
        [ "$output" = $'prep|480|480\ngzip|480|480\nsim|1200|1200\nfit|>=240|960' ]
    done
}

@test "a run that leads has the time of the tasks on other nodes that follow it, and of its own step" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -n -j 98 -o exec,coreseconds,coresecondsmax
        [ "$output" = $'wave|8800|8800\ntool|0|0' ]
        acct "$store" -j 98 --json
        [ "$(jq '.runs | map([.core_seconds, .core_time, .leads]) ==
            [[8800, "exclusive", true], [0, "exclusive", false]]' <<<"$output")" = true ]
    done
}

@test "with -X it is the sum of the job's runs" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -n -X -o jobid,exec,coreseconds,coresecondsmax
        [ "$output" = "" ]
        acct "$store" -n -X -j 98,99 -o jobid,exec,coreseconds,coresecondsmax
        [ "$output" = $'98|wave,tool|8800|8800\n99|sim,gzip,prep,fit|>=2400|3120' ]
    done
}

@test "records without it are inclusive, and of a run that goes on it is unknown: no column of numbers has a word" {
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/old.db" "$SITE/others"
    acct "sqlite:$BATS_TEST_TMPDIR/old.db" -n -j 12.0,15 -o exec,coreseconds,coresecondsmax,coretime
    [ "${lines[0]}" = "flow.mpi|||inclusive" ]
    [[ "${lines[1]}" = *"|||Unknown" ]]
    acct "sqlite:$BATS_TEST_TMPDIR/old.db" -n -X -j 12 -o coreseconds,coretime
    [ "$output" = "|inclusive" ]
    acct "sqlite:$BATS_TEST_TMPDIR/old.db" -j 12.0 --json
    [ "$(jq -c '.runs[0] | [.core_seconds, .core_time]' <<<"$output")" = '[null,"inclusive"]' ]
}

@test "the allocation of a job is divided as docs/numbers.md draws it" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" --coverage -j 99
        [ "$output" = 'Part|Outcome|Tasks|CoreSeconds|Share
programs|recorded|3|2400|50.0%
uncertain|uncertain|0|720|15.0%
unseen|script|0|480|10.0%
idle|idle|0|1200|25.0%' ]
        acct "$store" --coverage -j 99 --json
        [ "$(jq '[.allocation | .allocation, .programs, .uncertain, .unseen, .idle] == [4800, 2400, 720, 480, 1200]' \
                <<<"$output")" = true ]
    done
}

@test "people see the five numbers in one line" {
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --store "$STORE" -a --no-sacct --coverage -j 99
    [ "${lines[0]}" = "Core seconds: allocation 4800 = programs 2400 (50.0%) + uncertain 720 (15.0%) + unseen 480 (10.0%) + idle 1200 (25.0%)" ]
    [[ "${lines[1]}" = "Part "*"Outcome"*"Tasks"*"CoreSeconds"*"Share "* ]]
}

@test "shares are of unrounded core seconds, and rows add up to the first line" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db
    divided 97 n1 '[{"outcome": "recorded", "core_seconds": 43}, {"outcome": "script", "core_seconds": 9.4},
        {"outcome": "launch", "core_seconds": 7.4}, {"outcome": "idle", "step_id": null, "core_seconds": 4.5}]' |
        "$JOBTRAIL_BIN/jobtrail-load" --store "$store" -
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --store "$store" -a --no-sacct --coverage -j 97
    [ "${lines[0]}" = "Core seconds: allocation 64 = programs 43 (66.9%) + uncertain 0 (0.0%) + unseen 17 (26.1%) + idle 4 (7.0%)" ]
    acct "$store" -n --coverage -j 97 -o outcome,coreseconds,share
    [ "$output" = $'recorded|43|66.9%\nscript|10|14.6%\nlaunch|7|11.5%\nidle|4|7.0%' ]
}

@test "followers are their leader's, also on another node; of those of nobody nothing is claimed" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -n --coverage -j 98
        [ "$output" = $'programs|recorded|8|8800|91.7%\nunseen|follower|1|500|5.2%\nidle|idle|0|300|3.1%' ]
    done
}

@test "nodes, steps, users and whole days choose what is divided" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -n --coverage -j 98 -N n2 -o outcome,coreseconds
        [ "$output" = $'recorded|4000\nfollower|500\nidle|300' ]
        acct "$store" -n --coverage -j 98.1 -o outcome,coreseconds
        [ "$output" = "follower|500" ]
        acct "$store" -n --coverage -S 2024-11-20T12:00 -E 2024-11-21 -o part,coreseconds
        [ "$output" = $'programs|11200\nuncertain|720\nunseen|500\nunseen|480\nidle|1500' ]
        acct "$store" -n --coverage -S 2024-11-21 -E 2024-11-22
        [ "$output" = "" ]
        acct "$store" -n --coverage -u bob -S 2024-11-20 -E 2024-11-21
        [ "$output" = "" ]
    done
}

# ---- Slurm's accounting, and records that nothing proves. These tests change the stores.

allocated() { # NUMBER USER ACCOUNT STATE NODES CORE-SECONDS: as sacct writes it
    echo "$1|$1|tiny|$2|$3|main|$4|1732096700|1732096800|1732098000|$((4 * $5))|$5|$6|00:00:00|"
}

load_rows() { # STORE
    {
        head -n 1 "$JOBTRAIL_SOURCE/test/data/sacct/ended"
        cat
    } >"$BATS_TEST_TMPDIR/rows"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$1" --slurm-rows "$BATS_TEST_TMPDIR/rows"
}

@test "what Slurm gave to nodes that sent no record is not idle" {
    for store in "$STORE" "$MARIADB_STORE"; do
        # of three nodes n1 sent its records: its own 4800 s, and 100 more that it had before its prolog
        divided 96 n1 '[{"outcome": "recorded", "tasks": 1, "core_seconds": 4800}]' >"$BATS_TEST_TMPDIR/node"
        "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$BATS_TEST_TMPDIR/node"
        allocated 96 carol chem NODE_FAIL 3 15000 | load_rows "$store"
        acct "$store" -n --coverage -j 96 -o outcome,coreseconds
        [ "$output" = $'recorded|4800\nno_record|10000\nidle|200' ]
        # the second one's come later
        divided 96 n2 '[{"outcome": "recorded", "tasks": 1, "core_seconds": 4800}]' >"$BATS_TEST_TMPDIR/node"
        "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$BATS_TEST_TMPDIR/node"
        acct "$store" -n --coverage -j 96 -o outcome,coreseconds
        [ "$output" = $'recorded|9600\nno_record|5000\nidle|400' ]
    done
}

load_proven() { # STORE: records of root's, each in a file of its own
    cat >"$BATS_TEST_TMPDIR/proven"
    site_load_proven "$BATS_TEST_TMPDIR/proven" "$1"
}

people() { # STORE SUMMARY: rows of all but mallory and aaron
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$1" --summary "$2" -S 2024-11-01 -E 2024-11-30 --json --top 0 users |
        jq -c '.pages[0] | (.rows[] | select(.user | IN("mallory", "aaron") | not) | [.user, .jobs, .core_hours, .uncertain_core_hours]),
            (.numbers | [.uncertain, .unseen, .idle])'
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$1" --summary "$2" -S 2024-11-01 -E 2024-11-30 --json --top 0 allocation --of users |
        jq -c '.pages[0].rows[] | select(.user | IN("mallory", "aaron") | not)'
}

# jobs of carol's, which are proven, and one of dave's, which only Slurm knows
claims() {
    local by='.coverageT += {user: "mallory", account: "bad"}' other='.slurmT.job_id = 98 | .userT.job_id = "98"'
    divided 99 n7 '[{"outcome": "sampled", "program": "/bin/x", "runs": 9, "core_seconds": 1000000000}]' | jq -c "$by"
    divided 98 n8 '[{"outcome": "follower", "tasks": 4, "first_task": 8, "leader": 0, "core_seconds": 1000000}]' |
        jq -c "$by"' | .coverageT.syshost = "aaa"'
    divided 97 n9 '[{"outcome": "idle", "step_id": null, "core_seconds": 0}]' | jq -c "$by"
    ran 7 wave 0 0 20 10000000000 '.userT += {user: "aaron", account: "bad"} | .slurmT.leads = true'
    ran 8 wave 0 0 20 4800 '.userT += {user: "aaron", account: "bad", syshost: "aaa"} | .slurmT.leads = true | '"$other"
    ran 9 wave 0 0 20 4800 '.userT += {user: "aaron", account: "bad", syshost: "aaa"} | .slurmT.leads = true | .slurmT.job_id = 97 |
        .userT.job_id = "97"'
}

@test "a record that nothing proves changes no proven number of another user" {
    for store in "$STORE" "$MARIADB_STORE"; do
        local at=$BATS_TEST_TMPDIR
        cp "$SITE/others" "$SITE/records" # of which `ran` makes its own
        jobs | load_proven "$store"
        {
            allocated 99 carol chem COMPLETED 1 5000
            allocated 97 dave math COMPLETED 1 4800
        } | load_rows "$store"
        rm -f "$at/summary"
        "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --summary "$at/summary" --update
        people "$store" "$at/summary" >"$at/before"
        grep '"user":"dave".*"unseen_no_record":1.333' "$at/before"
        acct "$store" -n --coverage -j 97,98,99
        echo "$output" >"$at/coverage"
        acct "$store" -n -j 98,99 -o user,exec,coreseconds
        echo "$output" >"$at/runs"
        claims >"$at/claims"
        run "$JOBTRAIL_BIN/jobtrail-load" --store "$store" - <"$at/claims"
        [[ "$output" == *" 6 unproven"* ]]
        people "$store" "$at/summary" | diff "$at/before" -
        people "$store" "$at/none" | diff "$at/before" -
        acct "$store" -n --coverage -j 97,98,99
        diff "$at/coverage" - <<<"$output"
        acct "$store" -n --coverage -S 2024-11-01 -E 2024-11-30 -u mallory
        [ "$output" = "" ]
        acct "$store" -n -j 98,99 -o user,exec,coreseconds
        grep -v '^aaron' <<<"$output" | diff "$at/runs" -
        "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --summary "$at/summary" --update
        people "$store" "$at/summary" | diff "$at/before" -
    done
}

running() { # STORE
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$1" -S now-2days --json users | jq '.pages[0].numbers.running > 0'
}

@test "a record that nothing proves ends no run that goes on" {
    for store in "$STORE" "$MARIADB_STORE"; do
        local filter
        filter='.userDT += {start_time: '"$(($(date +%s) - 7200))"', end_time: 0, run_time: 0} | .userT.job_id = "95" |
            .slurmT += {job_id: 95, end_source: null, exit_code: null, signal: null, core_seconds: null, core_seconds_max: null,
                core_days: [], end_time_min: null, end_time_max: null}'
        cp "$SITE/others" "$SITE/records"
        ran 12 prep batch 0 0 0 "$filter" | load_proven "$store"
        [ "$(running "$store")" = true ]
        divided 95 n1 '[{"outcome": "idle", "step_id": null, "core_seconds": 0}]' >"$BATS_TEST_TMPDIR/claim"
        "$JOBTRAIL_BIN/jobtrail-load" --store "$store" - <"$BATS_TEST_TMPDIR/claim"
        [ "$(running "$store")" = true ]
        load_proven "$store" <"$BATS_TEST_TMPDIR/claim"
        [ "$(running "$store")" = false ]
    done
}

# Slurm says that a job had 600 s less than its programs.
@test "if Slurm says less than programs had, rows of programs have less, as their sum has" {
    for store in "$STORE" "$MARIADB_STORE"; do
        local at=$BATS_TEST_TMPDIR way other='.slurmT.job_id = 94 | .userT.job_id = "94" | .userT.user = "erin"'
        cp "$SITE/others" "$SITE/records"
        {
            ran 13 long 0 0 20 4000 "$other"' | .slurmT.leads = true'
            ran 14 over 0 0 20 2000 "$other"' | .slurmT.core_days = [["2024-11-20", 1500], ["2024-11-21", 500]]'
            divided 94 n1 '[{"outcome": "recorded", "tasks": 1, "core_seconds": 5500},
                {"outcome": "recorded", "day": "2024-11-21", "core_seconds": 500}]' | jq -c '.coverageT.user = "erin"'
        } | load_proven "$store"
        rm -f "$at/summary"
        for way in before after anew; do
            [ "$way" = anew ] || "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --summary "$at/summary" --update
            [ "$way" = anew ] && rm "$at/summary"
            "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --summary "$at/summary" -S 2024-11-01 -E 2024-11-30 -u erin \
                --json --top 0 executables >"$at/report"
            jq -c '.pages[0] | [.numbers.programs, (.rows | sort_by(.executable)[].core_hours)] | map(. * 3600 | round)' "$at/report"
            allocated 94 erin chem COMPLETED 1 5400 | load_rows "$store" >/dev/null
        done >"$at/seen"
        diff - "$at/seen" <<<$'[6000,4000,2000]\n[5400,3600,1800]\n[5400,3600,1800]'
        acct "$store" -n --coverage -j 94 -o outcome,tasks,coreseconds
        [ "$output" = "recorded|1|5400" ]
    done
}
