#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Numbers of jobs that come again.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets variables, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/stores

DAY=86400 START=1732096800

setup() { new_stores && site_records site; }

# job NUMBER USER START RESTART: it, and its rows of sacct
job() {
    allocation "$@"
    echo "$1|$1|tiny|$2|chem|main|REQUEUED|$(($3 - 90))|$(($3 - 90))|$(($3 - 60))|4|1|0|00:00:00|" | tail -n "$4" >>rows
    echo "$1|$1|tiny|$2|chem|main|COMPLETED|$(($3 - 30))|$3|$(($3 + 1200))|4|1|4800|00:00:00|" >>rows
}

answer() { # PROGRAM OPTION...
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/$1" --store "$store" "${@:2}"
    echo "$output" "$stderr"
    [ "$status" -eq 0 ]
}

acct() { answer jobtrail-acct -a --no-sacct -nP "$@"; }
jobs() { answer jobtrail-report users -S 2024-11-20 -E 2024-11-30 && [[ $output == *", $1 jobs"* ]]; }
allocated() { # USER CORE-SECONDS
    acct --coverage -u "$1" -S 2024-11-20 -E 2024-11-30 -o coreseconds
    [ "$(awk '{ sum += $1 } END { print sum }' <<<"$output")" -eq "$2" ]
}

@test "two users' jobs of the same numbers are apart: in records, accounting and answers, and when the first expire" {
    head -n 1 "$JOBTRAIL_SOURCE/test/data/sacct/ended" >rows
    for number in 21 22 23 24; do
        job "$number" alice "$START" "$((number == 24))"
        job "$number" bob "$((START + 2 * DAY))" "$((number == 23))"
    done >records
    sed -i 's/^\(23|.*|REQUEUED|[0-9]*\)|[0-9]*/\1|Unknown/' rows # Slurm has lost the start of its first run
    for store in "${stores[@]}"; do
        site_load_proven records "$store"
        jobs 8
        acct -X -j 21,24 -o jobid,user,exec
        [ "$output" = $'21@2024-11-20|alice|of-alice\n21@2024-11-22|bob|of-bob\n24@2024-11-20|alice|of-alice\n24@2024-11-22|bob|of-bob' ]
        acct -X -u bob -j 21 -o jobid,coreseconds
        [ "$output" = "21|1000" ]
        load_into --slurm-rows rows
        jobs 8
        allocated alice 19200
        allocated bob 19200
        load_into --expire "$((($(date +%s) - START - DAY / 2) / DAY))"
        jobs 4
        allocated bob 19200
        acct -X -j 21 -o jobid,user
        [ "$output" = "21|bob" ]
    done
}

@test "what claims alone say of a number makes no job of it" {
    for late in 0 1260; do job 21 alice "$((START + late))" 0; done >records
    for store in "${stores[@]}"; do
        load_into records
        [ "$(count unproven)" -eq 4 ]
        acct -X -j 21 -o jobid
        [ "$output" = 21 ]
    done
}

days_by() { # SUMMARY: how many jobs each day has
    local day
    for day in 20 21 22 23; do
        answer jobtrail-report --summary "$1" users -S "2024-11-$day" -E "2024-11-$day" --csv
    done
}

@test "a summary made before the coverage of a number's jobs has their days, as one made after it" {
    store=${stores[0]}
    for late in 0 $((3 * DAY)); do job 21 alice "$((START + late))" 0; done >records
    jq -c 'select(.coverageT)' records >facts
    jq -c 'select(.coverageT | not)' records >runs
    site_load_proven runs "$store"
    answer jobtrail-report --summary early --update
    site_load_proven facts "$store"
    days_by late >expected
    days_by early | diff expected -
    answer jobtrail-report --summary early --update
    days_by early | diff expected -
}

@test "one user's jobs of a number are apart a minute and a day after the end, and on several nodes each is one" {
    for late in 0 1260 "$DAY"; do job 21 alice "$((START + late))" 0; done >records
    jq -c 'select(.coverageT) | .coverageT.node = "n2" | .coverageT.uuid |= sub("^0"; "1") | .coverageT.start_time += 600' records >on-n2
    for store in "${stores[@]}"; do
        site_load_proven on-n2 "$store"
        site_load_proven records "$store"
        acct -X -j 21 -o jobid,exec
        [ "$output" = $'21@2024-11-20T10:00:00|of-alice\n21@2024-11-20T10:21:00|of-alice\n21@2024-11-21T10:00:00|of-alice' ]
        jobs 3
    done
}

# bats test_tags=needs:witness
@test "ranks are those of the job that is named" {
    store=${stores[0]}
    for late in 0 $((3 * DAY)); do job 21 alice "$((START + late))" 0; done >records
    site_load_proven records "$store"
    for late in 0 $((3 * DAY)); do
        sql "INSERT INTO ranks (uuid, owner, proven, cluster, user, job_id_raw, restart_count, step_id, step_tasks, step_nodes, node, program, ranks, unseen,
            end_time, timed, measured) VALUES ('$late', 1, 1, 'tiny', 'alice', 21, 0, '0', 2, 1, 'n1', 'x', 2, 0, $((START + late + 60)), 0, 0)"
    done
    acct --ranks -j 21 -o jobid,ranks
    [ "$output" = $'21@2024-11-20.0|2\n21@2024-11-23.0|2' ]
    acct --ranks -j 21@2024-11-23 -o jobid,end
    [ "$output" = "21.0|2024-11-23T10:01:00" ]
}

@test "runs of ssh are named where the coverage of their job is told" {
    for late in 0 $((3 * DAY)); do job 21 alice "$((START + late))" 0; done >records
    jq -c 'if .userT and .userDT.start_time > '"$((START + DAY))"' then .userT.exec_path = "/usr/bin/ssh" else . end | del(.crc)' records >with_ssh
    for store in "${stores[@]}"; do
        site_load_proven with_ssh "$store"
        answer jobtrail-acct -a --no-sacct --coverage -j 21@2024-11-23
        [[ $output == *"1 run of ssh: what it started on other nodes is not seen"* ]]
        answer jobtrail-acct -a --no-sacct --coverage -j 21@2024-11-20
        [[ $output == *recorded* && $output != *ssh* ]]
        answer jobtrail-acct -a --no-sacct --coverage -S 2024-11-20 -E 2024-11-30 --json
        [ "$(jq .ssh <<<"${output% }")" = 1 ]
        answer jobtrail-report -S 2024-11-20 -E 2024-11-30
        [[ $output == *"1 run of ssh: what it started on other nodes is not seen"* ]]
    done
}
