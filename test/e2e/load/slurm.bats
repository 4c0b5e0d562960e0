#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-load --slurm and --slurm-rows where there is no cluster, and the time zone of the store, into SQLite and
# into MariaDB. What sacct answers on a cluster is in test/slurm/records/slurm_jobs.bats.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154,SC2119,SC2120 # SQL has backticks, bats sets variables

bats_require_minimum_version 1.5.0
load ../fixture/stores

setup() {
    new_stores
    cp -r "$JOBTRAIL_SOURCE/test/data/records" records
}

# What sacct of Slurm 22.05 wrote of a job that was requeued, while it ran again and after somebody cancelled it.
ROWS=$JOBTRAIL_SOURCE/test/data/sacct

@test "jobs are read from what sacct has written, renewed and expired" {
    for store in "${stores[@]}"; do
        load_into --slurm-rows "$ROWS/running"
        [ "$status" -eq 0 ]
        [ "$(count slurm_new)" -eq 2 ]
        [ "$(sql 'SELECT restart_count, state, end_time = submit_time + 4, core_seconds = 4 FROM slurm_job
            ORDER BY submit_time')" = $'0\tREQUEUED\t1\t1\n1\tRUNNING\tNULL\t1' ]
        load_into --slurm-rows - --dry-run <"$ROWS/ended"
        [ "$(count slurm_updated)" -eq 1 ]
        load_into --slurm-rows - <"$ROWS/ended"
        [ "$(count slurm_updated)" -eq 1 ]
        [ "$(count slurm_unchanged)" -eq 1 ]
        [ "$(sql 'SELECT count(*) FROM slurm_job WHERE end_time IS NULL')" -eq 0 ]
        [ "$(sql 'SELECT state FROM slurm_job WHERE restart_count = 1')" = CANCELLED ]
        # a run whose start Slurm has lost
        sed 's/|1795424616|1795424620|/|Unknown|1795424620|/; s/^1|1|/2|2|/' "$ROWS/ended" | load_into --slurm-rows -
        [ "$(sql 'SELECT restart_count, state, start_time > 0, core_seconds > 0 FROM slurm_job WHERE job_id_raw = 2
            ORDER BY submit_time')" = $'0\tREQUEUED\t0\t0\n1\tCANCELLED\t1\t1' ]
        # an end before the start
        awk -F '|' -v OFS='|' '{ print } END { $2 = $1 = 9; $10 = 1; print }' "$ROWS/ended" >damaged
        load_into --slurm-rows damaged
        [ "$status" -eq 1 ]
        [ "$(count slurm_damaged)" -eq 1 ]
        sql 'UPDATE slurm_job SET submit_time = 100 + restart_count, start_time = 110, end_time = 200'
        load_into --expire 1
        [ "$(sql 'SELECT count(*) FROM slurm_job')" -eq 0 ]
    done
}

# row RAW NAME ACCOUNT STATE SUBMIT START END CPUS SUSPENDED: of 120 core seconds, in a file with the heading
row() {
    printf '%s\037;' "$1" "$2" lab alice "$3" main "${@:4:5}" 2 120 "$9"
    echo
}

heading() {
    head -n1 "$ROWS/ended" | sed $'s/|/\037;/g'
}

@test "each form of sacct's cells is read, and a part of a resized job begins with its submission" {
    store=sqlite:$PWD/store.db
    {
        heading
        row 1 1 physics COMPLETED 100 110 170 4 00:00:00
        row 9 8_3 '' "CANCELLED by 1000" 100 110 Unknown 4 1-02:03:04
        row 12 11+1 $'a|b\n12|c' RUNNING 100 110 Unknown 4 01:05
        row 13 13 $'\xff' PENDING 100 Unknown Unknown 4 00:00:00
        row 14 14 $'\xff' COMPLETED 1 2 3 4 00:00
        row 15 15 "$(printf 'x%.0s' {1..255})" COMPLETED 1 2 3 4 00:00
        row 7 7 x RESIZING 90 100 160 2 00:00:00
        row 7 7 x COMPLETED 160 100 220 1 00:00:00
        row 7 7 x RUNNING 150 100 Unknown 2 00:00:00
        row 7 7 x CANCELLED 300 100 220 1 00:00:00
        row 7 7 x COMPLETED 200 100 220 4 00:01:30
        row 16 16 x REQUEUED 90 Unknown 160 2 00:00:00
        row 17 17 x REQUEUED 90 Unknown Unknown 2 00:00:00
        row 18 18 x CANCELLED 90 None 160 2 00:00:00
    } >rows
    load_into --slurm-rows rows
    [ "$status" -eq 0 ]
    [ "$(count slurm_new)" -eq 11 ]
    [ "$(sql 'SELECT job_id_raw, hex(account), state, array_job_id, array_task_id, het_job_id, het_offset, end_time, suspended FROM slurm_job
        WHERE job_id_raw IN (1, 9, 12) ORDER BY 1')" = \
        $'1\t70687973696373\tCOMPLETED\tNULL\tNULL\tNULL\tNULL\t170.0\t0.0\n9\t\tCANCELLED\t8\t3\tNULL\tNULL\tNULL\t93784.0\n12\t617C620A31327C63\tRUNNING\tNULL\tNULL\t11\t1\tNULL\t65.0' ]
    [ "$(sql 'SELECT hex(account) FROM slurm_job WHERE job_id_raw = 14')" = EEBFBF ] # U+EFFF
    [ "$(SEPARATOR=, sql 'SELECT submit_time, start_time, core_seconds FROM slurm_job WHERE job_id_raw IN (7, 16) ORDER BY 1, 2' | paste -sd ' ')" = \
        "90,0.0,0.0 90,100.0,120.0 150,150.0,20.0 160,160.0,60.0 200,200.0,0.0 300,220.0,0.0" ]
}

@test "rows that say no job are counted" {
    store=sqlite:$PWD/store.db
    {
        heading
        row x 7 p COMPLETED 100 110 170 4 00:00:00
        row 7.0 7.0 p COMPLETED 100 110 170 4 00:00:00
        row -7 7 p COMPLETED 100 110 170 4 00:00:00
        row 99999999999999999999 7 p COMPLETED 100 110 170 4 00:00:00
        row 7 '7_[1-4]' p COMPLETED 100 110 170 4 00:00:00
        row 7 7 p COMPLETED Unknown 110 170 4 00:00:00
        row 7 7 p COMPLETED 100 2026-11-23T01:00:00 170 4 00:00:00
        row 7 7 p COMPLETED 100 110 109 4 00:00:00
        row 7 7 p COMPLETED 100 110 170 1K 00:00:00
        row 7 7 p COMPLETED 100 110 170 '' 00:00:00
        row 7 7 p COMPLETED 100 110 170 4 5
        row 7 7 p COMPLETED 100 110 170 4 1:2:3:4
        row 7 7 p COMPLETED 100 110 170 4 00:00:00x
        row 7 7 p COMPLETED 100 110 170 4 -00:00:00
        row 7 7 "$(printf 'x%.0s' {1..256})" COMPLETED 1 2 3 4 00:00
        row 7 7 NUL COMPLETED 1 2 3 4 00:00 | tr L '\0'
    } >rows
    load_into --slurm-rows rows
    [ "$status" -eq 1 ]
    [ "$(count slurm_damaged)" -eq 16 ]
    [ "$(count slurm_new)" -eq 0 ]
}

@test "what is no output of sacct is refused, and the records are loaded" {
    store=sqlite:$PWD/store.db
    echo 'sacct: error: no' >rows
    load_into --slurm-rows rows records
    [ "$status" -eq 5 ]
    [ "$(count new)" -eq 10 ]
    [[ $stderr == *"jobs of Slurm: rows: is no output of sacct"* ]]
    head -c -20 "$ROWS/ended" >rows
    load_into --slurm-rows rows
    [ "$status" -eq 5 ]
    [[ $stderr == *"rows: is cut short"* ]]
    { cat "$ROWS/ended" && echo 'more|' && head -n 1 "$ROWS/ended"; } >rows
    load_into --slurm-rows rows
    [[ $stderr == *"rows: has a row with more cells than its heading"* ]]
    { cat "$ROWS/ended" && head -c 2000000 /dev/zero; } >rows
    load_into --slurm-rows rows
    [[ $stderr == *"rows: has a row without an end"* ]]
    load_into --slurm-rows /dev/null
    [[ $stderr == *"/dev/null: has no heading"* ]]
    load_into --slurm-rows missing
    [ "$status" -eq 5 ]
    [[ $stderr == *"missing: No such file or directory"* ]]
    load_into --slurm --follow -
    [ "$status" -eq 2 ]
    load_into --slurm=0
    [ "$status" -eq 2 ]
}

@test "where there is no sacct, or no accounting, the loader says so" {
    store=sqlite:$PWD/store.db
    mkdir bin
    ln -s "$(command -v jobtrail-load)" bin
    run --separate-stderr env "PATH=$PWD/bin" jobtrail-load --json --store "$store" --slurm records
    [ "$status" -eq 5 ]
    [ "$(count new)" -eq 10 ]
    [[ $stderr == *"jobs of Slurm: there is no sacct here"* ]]
    echo 'AccountingStorageType=accounting_storage/none' >slurm.conf
    printf '%s\n' ClusterName=lab SlurmctldHost=localhost NodeName=n1 PartitionName=p >>slurm.conf
    SLURM_CONF=$PWD/slurm.conf load_into --slurm=2
    [ "$status" -eq 5 ]
    [[ $stderr == *"jobs of Slurm: "*"Slurm accounting storage is disabled"* ]]
}

@test "a sacct that never ends its output is left" {
    run timeout 60 /usr/bin/python3 -Bc 'import os, sys, time
sys.path.insert(0, sys.argv[1])
from jobtrail import slurm
for part in slurm.answer(["yes"], dict(os.environ), 1):
    time.sleep(0.01)' "$JOBTRAIL_SOURCE/contrib"
    [[ $status == 1 && $output == *"sacct took more than 1 s" ]]
}

# That sacct fails for one cluster alone cannot be had of a real one.
@test "clusters of proven records are asked for, each whatever the one before answers" {
    store=sqlite:$PWD/store.db
    mkdir bin proven
    {
        printf '%s\n' '#!/bin/bash' '[[ $* == *" --clusters=lab "* ]] || { echo "sacct: no" >&2; exit 1; }' \
            '[[ ! -v SACCT_FEDERATION && ! -v SACCT_FORMAT && ! -v SACCT_LOCAL ]] || exit 1'
        printf 'cat %q\n' "$ROWS/ended"
    } >bin/sacct
    chmod +x bin/sacct
    for cluster in forged{1..70}; do
        job_covered 3 UTC "$cluster"
    done >covered
    job_covered 1 UTC broken >proven/coverage.one.json
    job_covered 2 UTC lab >proven/coverage.two.json
    load_into covered
    [ "$(count new)" -ge 16 ]
    export SACCT_FEDERATION=1 SACCT_FORMAT=User SACCT_LOCAL=1 # sacct would answer something else
    PATH=$PWD/bin:$PATH load_into --slurm proven
    [ "$status" -eq 5 ]
    [ "$stderr" = "jobtrail-load: jobs of Slurm: broken: sacct: no" ]
    [ "$(count slurm_new)" -eq 2 ]
}

@test "jobs from before the first proven coverage of a cluster are not asked for" {
    local now began more asked first
    store=sqlite:$PWD/store.db
    now=$(date +%s) began=$((now - 7200))
    mkdir bin proven
    printf '%s\n' '#!/bin/bash' 'echo "$*" >>asked' "cat $(printf %q "$ROWS/ended")" >bin/sacct
    chmod +x bin/sacct
    job_covered 2 UTC lab | jq -c --argjson at "$began" '.coverageA[0] += {start_time: $at, end_time: ($at + 60)}' >proven/coverage.two.json
    for more in "" "" =2; do
        rm -f asked
        PATH=$PWD/bin:$PATH TZ=UTC load_into --slurm$more proven
        [ "$status" -eq 0 ]
        asked=$(grep -o -m 1 'starttime=[^ ]*' asked)
        first=starttime=$(TZ=UTC date -d "@$began" +%FT%T)
        if [[ -z $more ]]; then [ "$asked" = "$first" ]; else [[ $asked < $first ]]; fi
    done
}

# job_covered NUMBER ZONE [CLUSTER]
job_covered() {
    echo "{\"coverageT\":{\"uuid\":\"00000000-0000-7000-8000-00000000000$1\",\"cluster\":\"${3:-lab}\",\"job_id\":$1,\"restart_count\":0,\"user\":\"alice\",\"timezone\":\"$2\"},\"coverageA\":[{\"outcome\":\"idle\",\"tasks\":0}]}"
}

@test "dates are in the zone that was said, and records of another are counted" {
    for store in "${stores[@]}"; do
        load_into records
        [ "$(sql "SELECT value FROM store_state WHERE name = 'timezone'")" = UTC ]
        [ "$(sql 'SELECT min(date) FROM run')" = "2024-11-20 10:00:00" ]
        load_into --timezone Europe/Berlin
        [ "$status" -eq 0 ]
        [ "$(sql 'SELECT min(date) FROM run')" = "2024-11-20 11:00:00" ]
        job_covered 1 Europe/Berlin >covered
        job_covered 2 Asia/Tokyo >>covered
        load_into covered
        [ "$(count other_timezones)" -eq 1 ]
        run jobtrail-load --store "$store" --timezone Europe/Berln
        [ "$status" -eq 2 ]
        [[ $output == *"this machine has no such time zone" ]]
    done
}

@test "restarts and zones are the same in MariaDB" {
    JOBTRAIL_TEST_STORE=$MARIADB_STORE "$JOBTRAIL_BUILD/test/unit/load/store/unit-load_store-slurm"
    JOBTRAIL_TEST_STORE=$MARIADB_STORE "$JOBTRAIL_BUILD/test/unit/load/store/unit-load_store-zone"
}
