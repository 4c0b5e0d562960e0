#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-acct beside sacct, on a cluster with slurmdbd: the same questions, the same answers.
# bats file_tags=again

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    start_cluster cgroups ACCT=dbd ACCT_USERS=root,jtuser NODES=2 SELECT_PARAMS=CR_Core_Memory
    export STORE=sqlite:$DIR/store.db
    run_jobs
    "$STAGE/bin/jobtrail-load" --store "$STORE" "$DIR/records"
    chmod 644 "$DIR/store.db"*
}

run_jobs() {
    local id
    OK=$(submit "srun -n2 -N2 $PROGRAMS/exit_with 0; srun $PROGRAMS/exit_with 3" --nodes=2 --job-name=$'two\nlines|x')
    ARRAY=$(submit "srun $PROGRAMS/exit_with \$SLURM_ARRAY_TASK_ID" --array=0-1)
    CRASH=$(SUBMIT_AS=root submit "srun $PROGRAMS/kill_self 11" --partition=other)
    CANCELLED=$(submit "srun $PROGRAMS/spin 900 sleep")
    OOM=$(submit "srun --mem=60M /usr/bin/python3 -c 'x = bytearray(300 << 20)'" --mem=200M)
    eventually 60 step_runs "$CANCELLED.0"
    run_as root scancel "$CANCELLED"
    for id in "$OK" "$ARRAY" "$CRASH" "$CANCELLED" "$OOM"; do
        wait_job "$id"
        eventually 60 is_accounted "$id"
    done
    eventually 60 has_both_tasks
    export OK ARRAY CRASH CANCELLED OOM
}

is_accounted() { # JOB: slurmdbd knows the end of all of it
    local states
    states=$(sacct_says -X -j "$1" -o state) && [[ -n $states && $states != *PENDING* && $states != *RUNNING* ]]
}

has_both_tasks() { # the array's last task is the job's own row, which learns that late
    [[ $(sacct_says -j "$ARRAY" -o jobid | steps | sort | paste -sd ' ') == "${ARRAY}_0.0 ${ARRAY}_1.0" ]]
}

sacct_says() {
    run_as "${ASK_AS:-root}" sacct -n -P "$@"
}

acct_says() {
    run_as "${ASK_AS:-root}" "$STAGE/bin/jobtrail-acct" --store "$STORE" -n -P "$@"
}

# steps: of sacct's rows those of steps that srun started: batch scripts are bash, which is left out
steps() {
    grep -E '^[0-9_]+\.[0-9]+(\||$)' || true
}

same() { # OPTION...: both show the same rows
    diff <(sacct_says "$@" | steps | sort) <(acct_says "$@" | sort -u)
}

@test "the same jobs are found by id, step, array task, account, partition, node, user and state" {
    local question
    for question in "-j $OK" "-j $OK.0" "-j $OK.0,$OK.1" "-j ${ARRAY}" "-j ${ARRAY}_1" "-j ${ARRAY}_1.0" \
        "-j 4711" "-S now-1hour" "-S now-1hour -A lab" "-S now-1hour -A LAB" "-S now-1hour -A none" \
        "-S now-1hour -r other" "-S now-1hour -r MAIN" "-S now-1hour -u $JOB_USER" "-S now-1hour -u root,$JOB_USER" \
        "-S now-1hour -u $(id -u "$JOB_USER")" "-S now-1hour -q normal" "-S now-1hour -q other" "-S now-1hour -M lab" \
        "-S now-1hour -M all" "-S now-1hour -L" "-S now-1hour -E now-30minutes" \
        "-S now-1hour -N n1" "-S now-1hour -N n2" "-S now-1hour -N n2 -r other" "-S tomorrow -E now+3days" "-S today -a"; do
        echo "$question"
        # shellcheck disable=SC2086 # several options
        same $question -o jobid
    done
    [[ $(acct_says -S now-1hour -o jobid | sort -u | wc -l) -eq 7 ]]
}

@test "state, exit code, tasks, job name, memory and times are those of sacct" {
    same -S now-1hour -o jobid,exitcode,ntasks -j "$OK,$ARRAY"
    same -S now-1hour -o jobid,state -j "$OK,$ARRAY,$OOM,$CANCELLED"
    for names in "State SlurmState" "ExitCode SlurmExit" "TotalCPU TotalCPU" "MaxRSS MaxRSS" "AveRSS AveRSS" \
        "MaxVMSize MaxVMSize" "NodeList NodeList" "AllocTRES AllocTRES"; do
        echo "$names"
        diff <(sacct_says -S now-1hour -o "jobid,${names% *}" | steps | sort) \
            <(acct_says -S now-1hour -o "jobid,${names#* }" | sort -u)
    done
    for unit in --units=K --units=G; do
        [[ $(acct_says -j "$OK.0" -o maxvmsize "$unit") == $(sacct_says -j "$OK.0" -o maxvmsize "$unit") ]]
    done
}

@test "a signal and a cancelled job are told apart" {
    acct_says -j "$CANCELLED" -o jobid,state,exitcode,slurmstate,endsource,end
    sacct_says -j "$CANCELLED" -o jobid,state,exitcode,end
    [[ $(acct_says -j "$CRASH" -o state,exitcode) == "KILLED|0:11" ]]
    [[ $(acct_says -j "$CANCELLED" -o state) == CANCELLED ]]
    [[ $(acct_says -S now-1hour -s CA -o jobid) == "$CANCELLED.0" ]]
}

# bats test_tags=needs:cgroup_v1
@test "a lack of memory is a state of its own, which Slurm knows" {
    acct_says -j "$OOM" -o jobid,state,exitcode,slurmstate,endsource,end
    [[ $(acct_says -j "$OOM" -o state,exitcode,slurmstate) == "OUT_OF_MEMORY|0:9|OUT_OF_MEMORY" ]]
    [[ $(acct_says -S now-1hour -s OOM -o jobid) == "$OOM.0" ]]
    [[ $(acct_says -j "$OOM" -o state --no-sacct) == KILLED ]]
}

@test "what Slurm alone has chooses runs, and is shown as sacct has it" {
    local question field
    for question in "--name sbatch" "--name none" "-i 1" "-i 2" "-i 1-2" "-I 2-9"; do
        echo "$question"
        # shellcheck disable=SC2086 # several options
        diff <(sacct_says -X -S now-1hour $question -o jobid | sort) \
            <(acct_says -X -S now-1hour $question -o jobid | sort)
    done
    # the step has what its job has alone
    field=uid,gid,group,workdir,timelimitraw,reqtres,derivedexitcode,qosraw,priority,jobname,reservation,flags,associd
    diff <(sacct_says -X -j "$CRASH" -o "$field") <(acct_says -X -j "$CRASH" -o "$field")
    diff <(sacct_says -X -j "$CRASH" -o "$field") <(acct_says -j "$CRASH.0" -o "$field")
    field=submitline,layout,avecpu,maxdiskread,maxrssnode,maxrsstask,tresusageintot,consumedenergy,allocnodes,reqcpus
    diff <(sacct_says -j "$CRASH.0" -o "$field") <(acct_says -j "$CRASH.0" -o "$field")
    diff <(sacct_says -j "$CRASH.0" -o jobname) <(acct_says -j "$CRASH.0" -o stepname)
    [[ $(acct_says -X -j "$CRASH" -o planned) =~ ^[0-9:-]+$ ]]
    [[ $(run_as root "$STAGE/bin/jobtrail-acct" --store "$STORE" -j "$CRASH" -n) == *" sbatch "* ]]
}

@test "-X is sacct's row of the job" {
    diff <(sacct_says -X -S now-1hour -o jobid,state,exitcode | sed 's/CANCELLED by [0-9]*/CANCELLED/' | sort) \
        <(acct_says -X -S now-1hour -o jobid,state,exitcode | sort)
}

@test "a job name with a newline and bars is data" {
    [[ $(acct_says -j "$OK.0" -X -o jobname) == 'two\nlines\x7cx' ]]
}

@test "an ordinary user sees his own runs" {
    [[ $(ASK_AS=$JOB_USER acct_says -S now-1hour -o user | sort -u) == "$JOB_USER" ]]
    ASK_AS=$JOB_USER same -S now-1hour -o jobid
    [[ $(SUBMIT_AS=x ASK_AS=$JOB_USER acct_says -a -S now-1hour -o user | sort -u | paste -sd,) == "$JOB_USER,root" ]]
}

@test "times that sacct takes are taken, those that it refuses are refused" {
    local text theirs ours
    for text in 2026-11-21 11/21 112126 21:40 noon midnight today now-1hour now-2days 2026-11-21T10:00 \
        uts1700000000 yesterday 1700000000 -1hour now-1h 25:00 12:60 2026-13-01 tuesday fika teatime; do
        theirs=0 ours=0
        sacct_says -S "$text" -E now+2days >/dev/null 2>&1 || theirs=1
        acct_says -S "$text" -E now+2days >/dev/null 2>&1 || ours=1
        echo "$text: $theirs $ours"
        [[ $theirs -eq $ours ]]
    done
}

@test "header, widths, sides and cuts are sacct's" {
    for form in user%5,account,partition%-12,state%9,ntasks,exitcode,elapsed%3 account,user start,end; do
        diff <(run_as root sacct -j "$OK.0" -o "$form" | head -2) \
            <(run_as root "$STAGE/bin/jobtrail-acct" --store "$STORE" -j "$OK.0" -o "$form" | head -2)
    done
    for form in -P "-P --delimiter=;;"; do
        # shellcheck disable=SC2086 # several options
        diff <(run_as root sacct $form -j "$OK.0" -o jobid,ntasks,state,exitcode) \
            <(run_as root "$STAGE/bin/jobtrail-acct" --store "$STORE" $form -j "$OK.0" -o jobid,ntasks,state,exitcode)
    done
}

@test "without an answer from Slurm the rows come, and a line says what is missing" {
    run --separate-stderr "$STAGE/bin/jobtrail-acct" --store "$STORE" -j "$CRASH" -n -P -o state,maxrss
    [ "$status" -eq 0 ]
    [ "$output" = "KILLED|" ]
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == "jobtrail-acct: without Slurm's accounting: "* ]]
}
