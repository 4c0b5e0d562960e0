#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The guarantee where not the job but something around it dies, or takes the job's nodes from it:
# preemption, srun, slurmstepd, slurmd, the node, memory, and where the first thread of a task dies
# before the task. What a program or a user does is in
# processes.bats.

load ../fixture/cluster

setup_file() {
    start_cluster SELECT_PARAMS=CR_Core_Memory EXTRA_CONF="DefMemPerCPU=100
JobAcctGatherParams=OverMemoryKill
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=requeued PriorityTier=1 PreemptMode=REQUEUE
PartitionName=cancelled PriorityTier=1 PreemptMode=CANCEL
PartitionName=urgent PriorityTier=10 PreemptMode=OFF"
}

# The end lies between two times that the test has seen, but for the error that the record admits.
ended_between() { # JOB NAME SECONDS SECONDS
    [[ $(field "$1" "$2" ".userDT.end_time + .slurmT.end_time_error >= $3
        and .userDT.end_time - .slurmT.end_time_error <= $4") == true ]] ||
        fail "ended at $(field "$1" "$2" "[.userDT.end_time, .slurmT.end_time_error]"), not in $3 ... $4"
}

now() {
    date +%s.%N
}

# A job whose step's task, `eat_memory`, has made its capture.
submit_and_see() { # [SBATCH-OPTION...]
    local id
    id=$(submit "srun -n1 $PROGRAMS/eat_memory 1" --no-requeue "$@") && eventually 30 output_has "$id" full && echo "$id"
}

recorded() { # JOB [COUNT]
    [[ $(record_count "$1") == "${2-1}" ]]
}

journal_pid() { # NODE JOB VERB STEP: the pid in the youngest such line of the job's journal
    sed -n "s/^$3 .*\bstep=$4 .*\bpid=\([0-9]*\).*/\1/p" "$DIR/run/$1/$2.0/journal" | tail -n 1
}

# Slurm knows the nodes again, and nothing of the jobs is left
nothing_is_left() {
    "$CLUSTER" wait-idle 60
    [[ -z $(find "$DIR/run" -mindepth 2 -type d) && ! -e $DIR/state/quarantine ]]
}

# ---- preemption

@test "a job that is preempted and requeued has its run with the signal" {
    job=$(submit "srun -n1 $PROGRAMS/eat_memory 1" --requeue -p requeued -n4 -w n1)
    eventually 30 output_has "$job" full
    before=$(now)
    urgent=$(submit_and_wait "srun $PROGRAMS/exit_with 0" -p urgent -n4 -w n1)
    eventually 30 recorded "$job"
    [[ $(ending "$job" eat_memory) == "task_exit 0:15" ]]
    ended_between "$job" eat_memory "$before" "$(now)"
    [[ $(field "$job" eat_memory .slurmT.restart_count) == 0 ]]
    recorded "$urgent"
    has_state "$job" PENDING
    run_as root scancel "$job"
}

@test "a job that is preempted and cancelled has its run with the signal" {
    job=$(submit_and_see -p cancelled -n4 -w n1)
    before=$(now)
    urgent=$(submit_and_wait "srun $PROGRAMS/exit_with 0" -p urgent -n4 -w n1)
    wait_job "$job"
    recorded "$job"
    [[ $(ending "$job" eat_memory) == "task_exit 0:15" ]]
    ended_between "$job" eat_memory "$before" "$(now)"
    [[ $(run_as root scontrol -o show job "$job") == *JobState=PREEMPTED* ]]
    recorded "$urgent"
}

# ---- srun

@test "a step whose srun gets SIGTERM, and one whose srun gets SIGKILL, have their signal" {
    for signal in TERM KILL; do
        job=$(submit "srun $PROGRAMS/eat_memory 1 & echo pid \$!; wait; true")
        eventually 30 output_has "$job" full
        srun=$(sed -n 's/^pid //p' "$DIR/out/$job")
        before=$(now)
        kill -s "$signal" "$srun"
        wait_job "$job"
        recorded "$job"
        # srun forwards SIGTERM to its tasks, and slurmstepd kills those of an srun that is gone
        [[ $(ending "$job" eat_memory) =~ ^"task_exit 0:"(9|15)$ ]]
        ended_between "$job" eat_memory "$before" "$(now)"
    done
}

# ---- slurmstepd

@test "when slurmstepd is killed, a task that lives until the epilog has outlived its job" {
    job=$(submit_and_see -w n1)
    task=$(journal_pid n1 "$job" task 0)
    kill -KILL "$(journal_pid n1 "$job" step 0)"
    before=$(now)
    run_as root scancel "$job"
    wait_job "$job"
    recorded "$job"
    [[ $(ending "$job" eat_memory) == "epilog null:null" ]]
    [[ $(field "$job" eat_memory .slurmT.end_time_error) == 0 ]]
    [[ $(field "$job" eat_memory .slurmT.outlived) == true ]]
    ended_between "$job" eat_memory "$before" "$(now)"
    kill -KILL "$task"
}

@test "when slurmstepd is killed, a task that dies before the epilog ended at any time" {
    job=$(submit_and_see -w n1)
    task=$(journal_pid n1 "$job" task 0)
    kill -KILL "$(journal_pid n1 "$job" step 0)"
    kill -KILL "$task"
    eventually 10 process_ended "$task"
    died=$(now)
    run_as root scancel "$job"
    wait_job "$job"
    recorded "$job"
    [[ $(field "$job" eat_memory '.slurmT | "\(.end_source) \(.signal) \(.outlived)"') == "epilog null false" ]]
    ended_between "$job" eat_memory 0 "$died"
    [[ $(field "$job" eat_memory '.slurmT.end_time_error >= .userDT.run_time') == true ]]
}

# ---- slurmd and the node

@test "a job whose slurmd is killed and started again while it runs ends as ever" {
    job=$(submit "srun $PROGRAMS/eat_memory 1; srun $PROGRAMS/exit_with 3" -w n2)
    eventually 30 output_has "$job" full
    "$CLUSTER" kill-slurmd n2
    "$CLUSTER" start-slurmd n2
    before=$(now)
    kill -KILL "$(journal_pid n2 "$job" task 0)"
    wait_job "$job"
    recorded "$job" 2
    [[ $(ending "$job" eat_memory) == "task_exit 0:9" ]]
    ended_between "$job" eat_memory "$before" "$(now)"
    [[ $(ending "$job" exit_with) == "fini 3:0" ]]
}

@test "a job that ends while its slurmd is gone is recorded when slurmd is back" {
    job=$(submit_and_see -w n2)
    "$CLUSTER" kill-slurmd n2
    before=$(now)
    kill -KILL "$(journal_pid n2 "$job" task 0)"
    step_is_over() { grep -q '^end .*step=0' "$DIR/run/n2/$job.0/journal"; }
    eventually 30 step_is_over
    over=$(now)
    "$CLUSTER" start-slurmd n2
    wait_job "$job"
    recorded "$job"
    [[ $(ending "$job" eat_memory) == "task_exit 0:9" ]]
    ended_between "$job" eat_memory "$before" "$over"
}

@test "a job whose node lost power is recorded when the node is back, as ended by the reboot" {
    job=$(submit_and_see -w n2 -A physics)
    alive=$(now)
    "$CLUSTER" crash-node n2
    died=$(now)
    [[ $(record_count "$job") == 0 ]]
    "$CLUSTER" start-slurmd n2
    eventually 60 recorded "$job"
    [[ $(field "$job" eat_memory '.slurmT | "\(.end_source) \(.exit_code):\(.signal) \(.outlived) \(.partition)"') == "reboot null:null false main" ]]
    [[ $(field "$job" eat_memory .userT.account) == physics ]]
    ended_between "$job" eat_memory "$alive" "$died"
    run_as root scancel "$job"
    wait_job "$job"
    recorded "$job"
    nothing_is_left
}

@test "a job whose node lost power and the spool leaves no record, and later jobs have theirs" {
    job=$(submit_and_see -w n2)
    "$CLUSTER" crash-node n2
    rm -r "${DIR:?}/run/n2"
    "$CLUSTER" start-slurmd n2
    run_as root scancel "$job"
    wait_job "$job"
    nothing_is_left
    [[ $(record_count "$job") == 0 ]]
    later=$(submit_and_wait "srun $PROGRAMS/exit_with 0" -w n2)
    recorded "$later"
}

@test "a job on two nodes of which one lost power has the records of both" {
    cat >"$DIR/multi" <<EOF
0 $PROGRAMS/eat_memory 1
1 $PROGRAMS/spin 600 sleep
EOF
    job=$(submit "srun --multi-prog $DIR/multi" -N2 -n2 --no-requeue)
    eventually 30 output_has "$job" full
    eventually 30 grep -q '^task' "$DIR/run/n2/$job.0/journal"
    eventually 30 has_open_slot n2 "$job"
    "$CLUSTER" crash-node n2
    "$CLUSTER" start-slurmd n2
    # before scancel: an epilog on n2 could be faster, and would end the job there
    eventually 60 recorded "$job"
    run_as root scancel "$job"
    wait_job "$job"
    eventually 60 recorded "$job" 2
    [[ $(field "$job" eat_memory '.slurmT | "\(.node) \(.end_source) \(.signal)"') =~ ^"n1 task_exit "(9|15)$ ]]
    [[ $(field "$job" spin '.slurmT | "\(.node) \(.end_source) \(.signal)"') == "n2 reboot null" ]]
}

has_open_slot() { # NODE JOB: some process has made its capture there
    grep -aq "$PROGRAMS" "$DIR/run/$1/$2.0/user/ledger"
}

# ---- the first thread of a task

# The kernel tells when that one ended (spank/exit_note.h).
@test "a task that signs and lives on when its first thread is gone may have ended later" {
    local job before
    job=$(submit "srun -n1 --export=ALL,HANGS=$DIR/out/hangs,HANGS_UNTIL=$DIR/out/goes,LD_PRELOAD=$PROGRAMS/hang_at_end.so \
$PROGRAMS/main_thread_leaves" -w n1)
    eventually 30 test -e "$DIR/out/hangs"
    sleep 1.5 # how long it lives on
    before=$(now)
    touch "$DIR/out/goes"
    wait_job "$job"
    recorded "$job"
    run field "$job" main_thread_leaves ".slurmT | [.end_source, .exit_code,
        .end_time_min < $before - 1, .end_time_max >= $before - 1e-4, .end_time_error >= 1] | tostring"
    echo "$output"
    [[ $output == '["fini",0,true,true,true]' ]]
}

# That program begins when the first thread has been gone for a while.
@test "a program that a thread has started in its process has the end that slurmstepd saw" {
    local job
    job=$(submit "srun -n1 $PROGRAMS/thread_exec /bin/sh -c 'sleep 0.1; exec $PROGRAMS/exit_late 4000 late'" -w n1)
    wait_job "$job"
    run field "$job" exit_late '[.slurmT.end_source, .slurmT.exit_code,
        .slurmT.end_time_max >= .userDT.start_time + 4, .slurmT.end_time_min >= .userDT.start_time + 1] | tostring'
    echo "$output"
    [[ $output == '["task_exit",3,true,true]' ]]
}

# ---- memory

@test "a step that slurmstepd ends for its memory has the signal" {
    job=$(submit "srun --mem=60M $PROGRAMS/eat_memory 120; true" --mem=60M --acctg-freq=task=1)
    wait_job "$job"
    recorded "$job"
    output_has "$job" "exceeded memory limit"
    [[ $(ending "$job" eat_memory) =~ ^"task_exit 0:"(9|15)$ ]]
}

# A cluster of its own: directories of cgroups are named for the node alone.
# bats test_tags=needs:cgroup_v1
@test "a step that the kernel ends for its memory has SIGKILL" {
    "$CLUSTER" stop
    PROCTRACK=cgroup TASKPLUGIN=cgroup CONSTRAIN_RAM=yes SELECT_PARAMS=CR_Core_Memory \
        EXTRA_CONF="DefMemPerCPU=100" OWNER=$$ "$CLUSTER" start
    job=$(submit "setsid $PROGRAMS/spin 600 sleep & srun --mem=60M $PROGRAMS/eat_memory 120; true" --mem=60M)
    wait_job "$job"
    recorded "$job" 3 # setsid too
    [[ $(ending "$job" eat_memory) == "task_exit 0:9" ]]
    # what leaves its session does not leave the cgroup
    [[ $(field "$job" spin '.slurmT | "\(.end_source) \(.outlived)"') == "step_end false" ]]
}
