#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every kind of launch, with the exact number of records. MPI, multi-prog and heterogeneous steps are
# in mpi.bats and ranks.bats, private /tmp in private_tmp.bats.
# bats file_tags=again

load ../fixture/cluster

setup_file() {
    start_cluster EXTRA_CONF="LaunchParameters=use_interactive_step"
}

# runs JOB: "NAME STEP TASK" of each run, sorted
runs() {
    records "$1" | jq -r '.[] | "\(.userT.exec_path | split("/")[-1]) \(.slurmT.step_id) \(.slurmT.task_id)"' | sort
}

# job_by ARGUMENT: the job whose records have it in a command line, when there is one
job_by() {
    find "$DIR/records" -type f -name 'run.*.json' -exec cat {} + |
        jq --arg text "$1" 'select(.cmdlineA | index($text)) | .slurmT.job_id' | sort -u
}

is_recorded() { # ARGUMENT
    [[ -n $(job_by "$1") ]]
}

wait_for() { # ARGUMENT: until a job with it is recorded; prints its id
    eventually 30 is_recorded "$1" && job_by "$1"
}

libm() {
    ldconfig -p | awk '/libm\.so\.6 .*x86-64/ { print $NF; exit }'
}

@test "a batch script's children and its steps have a record each" {
    job=$(submit_and_wait "$PROGRAMS/exit_with 0; (cd /; $PROGRAMS/spin 0; srun $PROGRAMS/exit_with 0)
        $PROGRAMS/fork_child & wait; srun -n2 bash -c '$PROGRAMS/spin 0; $PROGRAMS/spin 0'" -n2)
    [[ $(runs "$job") == "exit_with 0 0
exit_with batch 0
fork_child batch 0
spin 1 0
spin 1 0
spin batch 0" ]]
}

@test "salloc with srun has a record of the step, and none of what runs on the login node" {
    run_as "$JOB_USER" salloc -Q -n2 bash -c "$PROGRAMS/spin 0 sallocs-child; srun $PROGRAMS/exit_with 0 salloc"
    job=$(wait_for salloc)
    [[ $(runs "$job") == "exit_with 0 0" ]]
    [[ -z $(job_by sallocs-child) ]]
}

@test "an interactive step has a record of what its shell starts, and steps in it their own" {
    run_as "$JOB_USER" script -qec "salloc -Q -n1" /dev/null >"$DIR/out/interactive" \
        <<<"$PROGRAMS/exit_with 3 interactive; srun $PROGRAMS/spin 0; exit"
    job=$(wait_for interactive)
    [[ $(runs "$job") == $'exit_with interactive 0\nspin 0 0' ]]
    [[ $(field "$job" exit_with '.slurmT | "\(.end_source) \(.exit_code) \(.cpus_alloc)"') == "fini null 1" ]]
}

@test "every task of an array has its record, and each its own job" {
    job=$(submit "srun $PROGRAMS/exit_with 0; $PROGRAMS/spin 0" --array=1-6%3)
    array_is_over() { [[ -z $(run_as root squeue -h -j "$job") ]]; }
    eventually 120 array_is_over
    all=$(find "$DIR/records" -name 'run.*' -exec cat {} + | jq -sc --argjson job "$job" \
        'map(select(.slurmT.array_job_id == $job) | .slurmT)')
    [[ $(jq -c 'map(.array_task_id) | sort' <<<"$all") == '[1,1,2,2,3,3,4,4,5,5,6,6]' ]]
    [[ $(jq -c 'map(.job_id) | unique | length' <<<"$all") == 6 ]]
}

@test "a step that exports nothing but a preload has one record, and the user's library" {
    job=$(submit_and_wait "srun --export=LD_PRELOAD=$(libm) $PROGRAMS/exit_with 0")
    [[ $(runs "$job") == "exit_with 0 0" ]]
    [[ $(field "$job" exit_with '.libA | map(.[0] | select(test("/libm[.]"))) | length') == 1 ]]
}

@test "srun in a batch script that preloads has one record of each" {
    job=$(submit_and_wait "export LD_PRELOAD=$(libm):\$LD_PRELOAD; $PROGRAMS/spin 0
        srun $PROGRAMS/exit_with 0; srun --export=NONE $PROGRAMS/exit_with 0")
    [[ $(runs "$job") == $'exit_with 0 0\nexit_with 1 0\nspin batch 0' ]]
}

@test "a job that was requeued and ran again at once has both runs, told apart by the restart count" {
    for _ in 1 2 3 4 5 6; do
        job=$(submit "((SLURM_RESTART_COUNT)) || srun $PROGRAMS/eat_memory 1; srun $PROGRAMS/exit_with 0" --requeue)
        eventually 30 output_has "$job" full
        requeue "$job" at_once
        wait_job "$job"
        ! grep -q "Job $job already killed, do not launch" "$CLUSTER_DIR/log/slurmd.n1.log" || continue
        got=$(records "$job" | jq -r 'sort_by(.userDT.start_time) | .[] |
            "\(.userT.exec_path | split("/")[-1]) \(.slurmT | "\(.restart_count) \(.end_source) \(.exit_code):\(.signal)")"')
        [[ $got == "eat_memory 0 task_exit 0:15
exit_with 1 fini 0:0" ]] || fail "$got"
        [[ $(coverage_of "$job" .coverageT.restart_count | sort | paste -sd ' ') == "0 1" ]]
    done
}

# Slurm 22.05 runs no prolog on a node that had the job shortly before, in a quarter of such cases
@test "a requeued job that ran on another node in between has each run's restart count" {
    for _ in 1 2 3 4 5 6; do
        job=$(submit "echo run \${SLURM_RESTART_COUNT:-0}; ((SLURM_RESTART_COUNT > 1)) || sleep 100" --requeue -w n1)
        for count in 0 1; do
            eventually 30 output_has "$job" "run $count" || return
            run_as root scontrol requeue "$job"
            eventually 60 has_state "$job" PENDING || return
            run_as root scontrol update "jobid=$job" ReqNodeList=n$((2 - count))
            eventually 60 starts_again "$job" || return
        done
        wait_job "$job"
        eventually 60 is_flushed "$job"
        got=$(coverage_of "$job" '.coverageT | "\(.restart_count) \(.node)"' | sort | paste -sd ' ')
        [[ $got == "0 n1 1 n2 2 n1" ]] || fail "$got"
    done
}

@test "a program that srun copies to its node has its own name and path, as a parent too" {
    mkdir -m 777 "$DIR/tools" "$DIR/copies"
    cp "$PROGRAMS/exit_with" "$DIR/tools/gone"
    cp "$(readlink -f /bin/bash)" "$DIR/tools/parent"
    chmod -R a+rX "$DIR/tools"
    job=$(submit_and_wait "cd $DIR/copies; PATH=$PROGRAMS:\$PATH srun -n2 --bcast spin 0; srun --bcast $DIR/tools/parent -c '$PROGRAMS/spin 0; true'
        srun --bcast=$DIR/copies/gone $DIR/tools/gone 0; srun --bcast $DIR/tools/gone 0; rm $DIR/tools/gone" -n2)
    records "$job" | jq -r '.[] | select(.slurmT.step_id != "batch") | "\(.slurmT.step_id) \(.userT.exec_path)"' | sort >"$DIR/paths"
    [[ $(cat "$DIR/paths") == "0 $PROGRAMS/spin
1 $PROGRAMS/spin
1 $DIR/tools/parent
2 $DIR/tools/gone
3 $DIR/tools/gone" ]]
    [[ $(records "$job" | jq -r '.[] | select(.slurmT.step_id == "1") | .ptA[] | "\(.cmd_name) \(.cmd_path)"') == *"parent $DIR/tools/parent"* ]]
    [[ $(coverage_of "$job" '.coverageA[] | select(.tasks > 0 and .step_id == "0") | "\(.outcome) \(.tasks)"') == "recorded 2" ]]
}

# Each of them two: the step's task and a child of it.
@test "short steps in one job have all their records, once" {
    steps=50
    [[ ${JOBTRAIL_SOAK-} != 1 ]] || steps=1000
    job=$(submit "for ((i = 0; i < $steps; i++)); do
        srun -n1 --exact bash -c '$PROGRAMS/exit_with 0; exec $PROGRAMS/exit_with 5' &
        (( i % 4 != 3 )) || wait
    done; wait" -n4 --time=60)
    wait_job "$job" $((60 + steps * 2))
    [[ $(record_count "$job") == $((2 * steps)) ]]
    [[ $(records "$job" | jq 'map(.userT.run_uuid) | unique | length') == $((2 * steps)) ]]
    [[ $(records "$job" | jq -c 'map(.slurmT.step_id) | unique | length') == "$steps" ]]
    [[ $(records "$job" | jq -c 'map(.slurmT | [.end_source, .exit_code]) | group_by(.) | map([length, .[0]])') == \
        "[[$steps,[\"fini\",null]],[$steps,[\"fini\",5]]]" ]]
}

@test "a job without a step on a node leaves nothing there" {
    job=$(submit_and_wait "$PROGRAMS/exit_with 0" -N2)
    [[ $(record_count "$job") == 1 ]]
    run_as "$JOB_USER" salloc -Q -N2 true
    "$CLUSTER" wait-idle
    [[ -z $(find "$DIR/run" -mindepth 2 -type d) ]]
}

# bats test_tags=needs:credential_start
@test "a job's start on a node is the one that Slurm accounts by" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0" -N2 -n2)
    start=$(run_as root scontrol show job "$job" | sed -n 's/.*StartTime=\([^ ]*\).*/\1/p')
    [[ $(coverage_of "$job" '.coverageT | "\(.start_time) \(.start_source)"' | sort -u) == "$(date -d "$start" +%s) slurm" ]]
}

# For all steps from here on: the last tests of the file.
use_task_prolog() {
    cat >"$DIR/task_prolog"
    chmod 755 "$DIR/task_prolog"
    grep -q ^TaskProlog "$CLUSTER_DIR/etc/slurm.conf" && return
    echo "TaskProlog=$DIR/task_prolog" >>"$CLUSTER_DIR/etc/slurm.conf"
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" restart-slurmd n2
}

@test "a step with TaskProlog has one record of its task, with what the prolog sets, and no trouble" {
    use_task_prolog <<<$'#!/bin/sh\necho export OMP_NUM_THREADS=7\necho print from the prolog'
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0")
    [[ $(output_of "$job") == *"from the prolog"* && $(output_of "$job") != *error* ]]
    [[ $(runs "$job") == "exit_with 0 0" ]]
    [[ $(field "$job" exit_with .userDT.num_threads) == 7 ]]
}

@test "what TaskProlog and srun --task-prolog run is recorded beside the task" {
    use_task_prolog <<<"#!/bin/sh"$'\n'"$PROGRAMS/spin 0"
    printf '#!/bin/sh\n%s 0\n' "$PROGRAMS/_exit_with" >"$DIR/own_prolog"
    chmod 755 "$DIR/own_prolog"
    job=$(submit_and_wait "srun --task-prolog=$DIR/own_prolog $PROGRAMS/exit_with 0")
    [[ $(runs "$job") == $'_exit_with 0 0\nexit_with 0 0\nspin 0 0\nspin batch 0' ]]
}

@test "slurmstepd, which some releases execute for TaskProlog, is no run, though every path is kept" {
    use_task_prolog <<<$'#!/bin/sh\n'"$PROGRAMS/spin 0"
    write_jobtrail_conf $'[paths]\nkeep = .*'
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0")
    write_jobtrail_conf ''
    records "$job" | jq -r '.[].userT.exec_path' >"$DIR/paths"
    ! grep slurmstepd "$DIR/paths" || false
    [[ $(runs "$job" | grep ' 0 0$') == *$'exit_with 0 0\n'*$'spin 0 0' ]]
    [[ $(coverage "$job" | grep '^0 ') == '0 recorded 1' ]]
}
