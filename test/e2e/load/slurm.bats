#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-load --slurm and --slurm-rows where there is no cluster, and the time zone of the store, into SQLite and
# into MariaDB. What sacct answers on a cluster is in test/slurm/records/slurm_jobs.bats.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154,SC2119,SC2120 # SQL has backticks, bats sets variables

bats_require_minimum_version 1.5.0
load ../fixture/mariadb

setup_file() {
    export TZ=UTC
    mariadb_start
}

teardown_file() {
    mariadb_stop
}

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    cp -r "$JOBTRAIL_SOURCE/test/data/records" records
    mariadb_database jobtrail
}

in_both() { # FUNCTION
    local kind
    for kind in sqlite mariadb; do
        store=$([ $kind = sqlite ] && echo "sqlite:$PWD/store.db" || echo "$MARIADB_STORE")
        echo "in $kind"
        "$1"
    done
}

sql() {
    if [[ $store == sqlite:* ]]; then
        sqlite3 -nullvalue NULL -separator $'\t' "${store#sqlite:}" "$1"
    else
        mariadb_sql "$1" jobtrail
    fi
}

load_into() { # OPTION...
    run --separate-stderr jobtrail-load --json --store "$store" "$@"
}

count() {
    grep -o "\"$1\":[0-9]*" <<<"$output" | cut -d: -f2
}

heading() {
    local name names
    IFS=, read -ra names <<<JobIDRaw,JobID,Cluster,User,Account,Partition,State,Submit,Start,End,AllocCPUS,AllocNodes,CPUTimeRAW,Suspended
    for name in "${names[@]}"; do
        printf '%s|' "$name"
    done
    echo
}

sacct_rows() {
    heading
    echo '7|7|lab|alice|physics|main|REQUEUED|100|110|200|4|1|360|00:00:00|'
    echo '7|7|lab|alice|physics|main|RUNNING|200|250|Unknown|4|1|40|00:00:10|'
    echo '8|8|lab|bob||main|PENDING|200|Unknown|Unknown|4|1|0|00:00:00|'
}

jobs_of_a_file() {
    sacct_rows >rows
    load_into --slurm-rows rows
    [ "$status" -eq 0 ]
    [ "$(count slurm_new)" -eq 2 ]
    [ "$(sql 'SELECT restart_count, state, end_time = 200, core_seconds = 360 FROM slurm_job
        ORDER BY submit_time')" = $'0\tREQUEUED\t1\t1\n1\tRUNNING\tNULL\t0' ]
    sed -i 's/RUNNING|200|250|Unknown|4|1|40|/COMPLETED|200|250|310|4|1|200|/' rows
    load_into --slurm-rows - --dry-run <rows
    [ "$(count slurm_updated)" -eq 1 ]
    load_into --slurm-rows - <rows
    [ "$(count slurm_updated)" -eq 1 ]
    [ "$(count slurm_unchanged)" -eq 1 ]
    [ "$(sql 'SELECT count(*) FROM slurm_job WHERE end_time IS NULL')" -eq 0 ]
    echo '9|9|lab|x|x|main|FAILED|1|2|1|4|1|1|00:00:00|' >>rows
    load_into --slurm-rows rows
    [ "$status" -eq 1 ]
    [ "$(count slurm_damaged)" -eq 1 ]
    load_into --expire 1
    [ "$(sql 'SELECT count(*) FROM slurm_job')" -eq 0 ]
}

@test "jobs are read from what sacct has written, renewed and expired" {
    in_both jobs_of_a_file
}

@test "what is no output of sacct is refused, and the records are loaded" {
    store=sqlite:$PWD/store.db
    echo 'sacct: error: no' >rows
    load_into --slurm-rows rows records
    [ "$status" -eq 5 ]
    [ "$(count new)" -eq 10 ]
    [[ $stderr == *"jobs of Slurm: rows: is no output of sacct"* ]]
    sacct_rows | head -c -20 >rows
    load_into --slurm-rows rows
    [ "$status" -eq 5 ]
    [[ $stderr == *"rows: is cut short"* ]]
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

@test "a signal ends a sacct that does not answer" {
    store=sqlite:$PWD/store.db
    mkdir bin
    mkfifo begun
    printf '#!/bin/bash\necho $$ >%q\nexec sleep 900\n' "$PWD/begun" >bin/sacct
    chmod +x bin/sacct
    PATH=$PWD/bin:$PATH jobtrail-load --store "$store" --slurm >summary 2>said 3>&- &
    local loader=$! sacct
    read -r sacct <begun
    kill -TERM "$loader"
    status=0
    wait "$loader" || status=$?
    [ "$status" -eq 4 ]
    run ! kill -0 "$sacct"
}

@test "clusters of proven records are asked for, each whatever the one before answers" {
    store=sqlite:$PWD/store.db
    mkdir bin proven
    {
        printf '%s\n' '#!/bin/bash' '[[ $* == *" --clusters=lab "* ]] || { echo "sacct: no" >&2; exit 1; }'
        printf '%s\n' 'cat rows'
    } >bin/sacct
    chmod +x bin/sacct
    sacct_rows >rows
    for cluster in forged{1..70}; do
        job_covered 3 UTC "$cluster"
    done >covered
    job_covered 1 UTC broken >proven/coverage.one.json
    job_covered 2 UTC lab >proven/coverage.two.json
    load_into covered
    [ "$(count new)" -ge 16 ]
    PATH=$PWD/bin:$PATH load_into --slurm proven
    [ "$status" -eq 5 ]
    [ "$stderr" = "jobtrail-load: jobs of Slurm: broken: sacct: no" ]
    [ "$(count slurm_new)" -eq 2 ]
}

# job_covered NUMBER ZONE [CLUSTER]
job_covered() {
    echo "{\"coverageT\":{\"uuid\":\"00000000-0000-7000-8000-00000000000$1\",\"cluster\":\"${3:-lab}\",\"job_id\":$1,\"restart_count\":0,\"user\":\"alice\",\"timezone\":\"$2\"},\"coverageA\":[{\"outcome\":\"idle\",\"tasks\":0}]}"
}

zones() {
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
    [[ $output == *"did you mean Europe/Berlin?"* ]]
}

@test "dates are in the zone that was said, and records of another are counted" {
    in_both zones
}

@test "restarts and zones are the same in MariaDB" {
    JOBTRAIL_TEST_STORE=$MARIADB_STORE "$JOBTRAIL_BUILD/test/unit/load/store/unit-load_store-slurm"
    JOBTRAIL_TEST_STORE=$MARIADB_STORE "$JOBTRAIL_BUILD/test/unit/load/store/unit-load_store-zone"
}
