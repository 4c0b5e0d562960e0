#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-load --slurm: the jobs of Slurm's accounting in the store, as sacct tells them, and each beside the
# records of the nodes that it is of.
# shellcheck disable=SC2154 # bats sets variables

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    start_cluster ACCT=dbd ACCT_USERS=root,jtuser NODES=2 SELECT_PARAMS=CR_Core_Memory
    export STORE=sqlite:$DIR/store.db
    run_jobs
    load_jobs "$DIR/records" >"$DIR/first"
}

load_jobs() { # ARGUMENT...
    "$CLUSTER" exec ctl env "SLURM_CONF=$CLUSTER_DIR/etc/slurm.conf" \
        "$STAGE/bin/jobtrail-load" --json --store "$STORE" --slurm "$@"
}

rows() { # SQL
    sqlite3 -separator '|' "${STORE#sqlite:}" "$1"
}

count() { # MEMBER FILE
    jq ".$1" "$2"
}

run_jobs() {
    local id
    PLAIN=$(submit "srun $PROGRAMS/exit_with 0" --cpus-per-task=2 --job-name=$'two\nlines|x')
    ARRAY=$(submit "srun $PROGRAMS/exit_with 0" --array=0-1)
    EXCLUSIVE=$(submit "srun $PROGRAMS/exit_with 0" --exclusive)
    HET=$(submit $'#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -n2\nsrun sleep 1')
    for id in "$PLAIN" "$ARRAY" "$EXCLUSIVE" "$HET"; do
        wait_job "$id"
    done
    resize_job
    REQUEUED=$(submit "srun $PROGRAMS/spin 900 sleep" --requeue)
    SUSPENDED=$(submit "srun $PROGRAMS/spin 900 sleep")
    eventually 60 step_runs "$REQUEUED.0"
    eventually 60 step_runs "$SUSPENDED.0"
    run_as root scontrol suspend "$SUSPENDED"
    requeue "$REQUEUED"
    PENDING=$(submit "true" --begin=now+1day)
    eventually 60 has_run_twice
    eventually 60 was_suspended
    run_as root scontrol resume "$SUSPENDED"
    run_as root scancel "$SUSPENDED"
    wait_job "$SUSPENDED"
    for id in "$PLAIN" "$ARRAY" "$EXCLUSIVE" "$HET" "$RESIZED" "$SUSPENDED"; do
        eventually 60 is_accounted "$id"
    done
    eventually 60 has_both_tasks
    export PLAIN ARRAY EXCLUSIVE HET REQUEUED RESIZED SUSPENDED PENDING
}

resize_job() {
    RESIZED=$(submit "srun -N1 -n1 $PROGRAMS/spin 900 sleep" --nodes=2 --ntasks=2)
    eventually 60 step_runs "$RESIZED.0"
    eventually 30 has_run_awhile "$RESIZED"
    run_as root scontrol update "jobid=$RESIZED" NumNodes=1
    eventually 60 was_resized
    run_as root scancel "$RESIZED"
    wait_job "$RESIZED"
}

has_run_awhile() { # JOB: for a time that shows
    [[ $(run_as root squeue -h -j "$1" -o %M) != 0:0[01] ]]
}

was_resized() {
    [[ $(sacct_says -j "$RESIZED" -o state | sort | paste -sd ' ') == "RESIZING RUNNING" ]]
}

sacct_says() {
    run_as root sacct -n -P -X -D "$@"
}

has_run_twice() {
    [[ $(sacct_says -j "$REQUEUED" -o state | sort | paste -sd ' ') == "REQUEUED RUNNING" ]] && step_runs "$REQUEUED.0"
}

has_told_twice() { # the nodes, in coverage records
    [[ $(coverage_of "$REQUEUED" .coverageT.restart_count | sort -u | paste -sd ' ') == "0 1" ]]
}

was_suspended() { # for a time that shows
    [[ $(sacct_says -j "$SUSPENDED" -o suspended) != 00:00:0[01] ]]
}

is_accounted() { # JOB
    local states
    states=$(sacct_says -j "$1" -o state) && [[ -n $states && ! $states =~ PENDING|RUNNING|SUSPENDED ]]
}

has_both_tasks() {
    [[ $(sacct_says -j "$ARRAY" -o jobid | sort | paste -sd ' ') == "${ARRAY}_0 ${ARRAY}_1" ]]
}

@test "each job that has begun is there once, with what sacct says of it" {
    run_as root env SLURM_TIME_FORMAT=%s TZ=UTC sacct -n -P -X -D -a --delimiter='|' \
        -o jobidraw,cluster,user,account,partition,submit,start,alloccpus,allocnodes |
        awk -F '|' -v OFS='|' '$7 < $6 { $7 = $6 } $7 != "Unknown"' | sort >"$DIR/said"
    rows "SELECT job_id_raw, cluster, user, account, partition, submit_time, CAST(start_time AS INTEGER),
        alloc_cpus, nodes FROM slurm_job" | sort >"$DIR/found"
    diff "$DIR/said" "$DIR/found"
    [[ $(wc -l <"$DIR/found") -eq 11 ]]
    [[ $(count slurm_new "$DIR/first") -eq 11 ]]
    [[ $(count slurm_damaged "$DIR/first") -eq 0 ]]
}

@test "the core seconds of jobs that have ended are sacct's CPUTimeRAW, without suspension" {
    run_as root env SLURM_TIME_FORMAT=%s TZ=UTC sacct -n -P -X -D -a -o jobidraw,state,end,cputimeraw |
        awk -F '|' '$3 != "Unknown" { sub(" .*", "", $2); print $1 "|" $2 "|" $3 "|" $4 }' |
        grep -v "^$RESIZED|" | sort >"$DIR/said"
    rows "SELECT job_id_raw, state, CAST(end_time AS INTEGER), CAST(core_seconds AS INTEGER) FROM slurm_job
        WHERE end_time IS NOT NULL AND job_id_raw <> $RESIZED" | sort >"$DIR/found"
    diff "$DIR/said" "$DIR/found"
    [[ $(rows "SELECT suspended >= 2 FROM slurm_job WHERE job_id_raw = $SUSPENDED") -eq 1 ]]
    [[ $(rows "SELECT count(*) FROM slurm_job WHERE end_time IS NOT NULL
        AND core_seconds <> alloc_cpus * (end_time - start_time - suspended)") -eq 0 ]]
}

@test "a job that was shrunk has each of its times once, in one restart" {
    # CPUs: see the first test. Slurm 26.05 may say of the first part that it had those of the second.
    rows "SELECT restart_count, state, alloc_cpus, nodes FROM slurm_job WHERE job_id_raw = $RESIZED"
    [[ $(rows "SELECT restart_count, state, nodes FROM slurm_job WHERE job_id_raw = $RESIZED
        ORDER BY submit_time" | paste -sd ' ') == "0|RESIZING|2 0|CANCELLED|1" ]]
    [[ $(rows "SELECT count(*) FROM slurm_job one JOIN slurm_job two ON two.job_id_raw = one.job_id_raw
        AND two.submit_time > one.submit_time AND two.start_time = one.end_time WHERE one.job_id_raw = $RESIZED") -eq 1 ]]
    local more
    more=$(($(sacct_says -j "$RESIZED" -o cputimeraw | paste -sd +) -
        $(rows "SELECT CAST(sum(core_seconds) AS INTEGER) FROM slurm_job WHERE job_id_raw = $RESIZED")))
    # sacct of 22.05 has a CPU of the second part from the job's start on, that of 26.05 has not
    [[ $more -eq 0 || $more -eq $(rows "SELECT CAST(end_time - start_time AS INTEGER) FROM slurm_job
        WHERE job_id_raw = $RESIZED AND state = 'RESIZING'") ]]
}

@test "tasks of arrays and parts of heterogeneous jobs are known as such, and --exclusive has whole nodes" {
    [[ $(rows "SELECT array_task_id FROM slurm_job WHERE array_job_id = $ARRAY ORDER BY 1" | paste -sd ' ') == "0 1" ]]
    [[ $(rows "SELECT het_offset FROM slurm_job WHERE het_job_id = $HET ORDER BY 1" | paste -sd ' ') == "0 1" ]]
    [[ $(rows "SELECT alloc_cpus FROM slurm_job WHERE job_id_raw = $EXCLUSIVE") -eq 4 ]]
    [[ $(rows "SELECT array_job_id IS NULL AND het_job_id IS NULL FROM slurm_job WHERE job_id_raw = $PLAIN") -eq 1 ]]
    [[ $(rows "SELECT count(*) FROM slurm_job WHERE job_id_raw = $PENDING") -eq 0 ]]
}

@test "each run of a requeued job has the number that the nodes' records have" {
    run_as root scancel "$REQUEUED"
    wait_job "$REQUEUED"
    eventually 60 is_accounted "$REQUEUED"
    eventually 60 has_told_twice
    load_jobs "$DIR/records" >"$DIR/second"
    [[ $(rows "SELECT restart_count, state FROM slurm_job WHERE job_id_raw = $REQUEUED ORDER BY 1" |
        paste -sd ' ') == "0|REQUEUED 1|CANCELLED" ]]
    [[ $(rows "SELECT count(DISTINCT coverage.restart_count) FROM coverage JOIN slurm_job
        ON slurm_job.cluster = coverage.cluster AND slurm_job.job_id_raw = coverage.job_id_raw
        AND slurm_job.restart_count = coverage.restart_count
        WHERE coverage.job_id_raw = $REQUEUED AND coverage.start_time BETWEEN slurm_job.start_time - 1
        AND slurm_job.end_time + 1") -eq 2 ]]
    [[ $(count slurm_updated "$DIR/second") -eq 1 ]]
    [[ $(rows 'SELECT count(*) FROM slurm_job WHERE end_time IS NULL') -eq 0 ]]
}

@test "only what goes on is told again, and a dry run changes nothing" {
    local before
    before=$(rows 'SELECT * FROM slurm_job')
    load_jobs --dry-run >"$DIR/third"
    load_jobs >"$DIR/third"
    [[ $(count 'slurm_new + .slurm_updated' "$DIR/third") -eq 0 ]]
    [[ $(rows 'SELECT * FROM slurm_job') == "$before" ]]
    [[ $(rows "SELECT count(*) FROM store_state WHERE name = 'slurm lab'") -eq 1 ]]
}

@test "an end that Slurm learnt late is learnt, however long ago it is" {
    # as if the job had run a month ago, and its end had not been known at the last call
    mariadb --no-defaults -uroot -S "$CLUSTER_DIR/run/mysqld.sock" slurm_acct_db -e "UPDATE lab_job_table SET
        time_submit = time_submit - 2600000, time_eligible = time_eligible - 2600000,
        time_start = time_start - 2600000, time_end = time_end - 2600000 WHERE id_job = $PLAIN"
    rows "UPDATE slurm_job SET submit_time = submit_time - 2600000, start_time = start_time - 2600000,
        end_time = NULL, asked_time = 1, state = 'RUNNING' WHERE job_id_raw = $PLAIN"
    load_jobs >"$DIR/fourth"
    [[ $(count slurm_updated "$DIR/fourth") -eq 1 ]]
    [[ $(rows "SELECT state, count(*) FROM slurm_job WHERE job_id_raw = $PLAIN AND end_time IS NOT NULL") == "COMPLETED|1" ]]
}

@test "a name of a cluster that Slurm does not know is told, and the others are asked for" {
    mkdir "$DIR/renamed"
    jq -ac 'del(.crc) | .coverageT.cluster = "elsewhere"' "$(find "$DIR/records" -name 'coverage.*' | head -n1)" \
        >"$DIR/renamed/coverage.renamed.json"
    run --separate-stderr load_jobs "$DIR/renamed"
    echo "$status $output $stderr"
    [[ $status -eq 0 ]]
    [[ $stderr == *"sacct has none of cluster elsewhere"* && $stderr != *"of cluster lab"* ]]
    [[ $(rows "SELECT count(*) FROM store_state WHERE name IN ('slurm elsewhere', 'slurm lab')") -eq 2 ]]
}

@test "what sacct writes into a file is read elsewhere" {
    run_as root env LC_ALL=C TZ=UTC SLURM_TIME_FORMAT=%s sacct --allocations --duplicates --allusers --parsable \
        --delimiter='|;|' --starttime=now-60days --format="$(sed -n 's/.*--format=\([A-Za-z,]*\).*/\1/p' \
        "$JOBTRAIL_SOURCE/submit/load/jobtrail-load.1.scd")" >"$DIR/rows"
    "$STAGE/bin/jobtrail-load" --store "sqlite:$DIR/other.db" --slurm-rows - <"$DIR/rows"
    diff <(rows 'SELECT cluster, job_id_raw, submit_time, restart_count, state, end_time, core_seconds FROM slurm_job') \
        <(STORE=sqlite:$DIR/other.db rows \
            'SELECT cluster, job_id_raw, submit_time, restart_count, state, end_time, core_seconds FROM slurm_job')
}

@test "a signal ends the loader and its sacct while slurmdbd does not answer" {
    local dbd loader sacct status=0
    dbd=$(cat "$CLUSTER_DIR"/run/slurmdbd.pid)
    kill -STOP "$dbd"
    load_jobs >"$DIR/stopped" 2>&1 3>&- &
    eventually 30 asks_accounting
    loader=$(loader_that_asks) sacct=$(sacct_of "$loader")
    kill -TERM "$loader"
    wait $! || status=$?
    kill -CONT "$dbd"
    cat "$DIR/stopped"
    [[ $status -eq 4 ]]
    run ! kill -0 "$sacct"
}

loader_that_asks() {
    pgrep -xf "$STAGE/bin/jobtrail-load --json --store $STORE --slurm"
}

asks_accounting() {
    local loader
    loader=$(loader_that_asks) && sacct_of "$loader" >/dev/null
}

sacct_of() { # LOADER: asks by jobtrail-slurm-rows
    local program
    program=$(pgrep -P "$1") && pgrep -P "$program" -x sacct
}

@test "the rows of sacct in test/data have the columns that sacct writes" {
    run_as root sacct --allocations --parsable --format="$(sed -n 's/.*--format=\([A-Za-z,]*\).*/\1/p' \
        "$JOBTRAIL_SOURCE/submit/load/jobtrail-load.1.scd")" | head -n 1 >"$DIR/heading"
    diff "$DIR/heading" <(head -n 1 "$JOBTRAIL_SOURCE/test/data/sacct/ended")
}

@test "where slurmdbd is away the loader says so, and loads the records" {
    local dbd
    dbd=$(cat "$CLUSTER_DIR"/run/slurmdbd.pid)
    kill "$dbd"
    eventually 120 has_gone "$dbd"
    run --separate-stderr load_jobs "$DIR/records"
    echo "$status $output $stderr"
    [[ $status -eq 5 ]]
    [[ $stderr == *"jobs of Slurm: lab: "*"sacct: "* ]]
    [[ $(jq .unchanged <<<"$output") -gt 0 ]]
}

# A zombie has no mountinfo: it has gone, and kill -0 would not see that.
has_gone() { # PID
    ! cat "/proc/$1/mountinfo" >/dev/null 2>&1
}
