#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Numbers that add up: jobs that are killed, requeued, suspended, or lose their node.

load numbers

setup_file() {
    export SYSTEM_TOOLS=no PARTLY="suspended suspended-shortly suspended-batch requeued node-lost"
    start_numbers NODES=4 NODE_CPUS=32 KILL_WAIT=2
    let_run
    end_them
    load_cases
}

# Jobs that run until something is done to them
let_run() {
    add_case time-limit "srun $SPIN 3000 sleep" -n2 --time=1 -w n1
    add_case step-time-limit "srun --time=1 $SPIN 3000 sleep; $SPIN 1 sleep" -n2 -w n1
    add_case cancelled "srun $SPIN 3000 sleep" -n2 -w n1
    add_case ignores-term "srun $PROGRAMS/ignore_term 3000" -n1 -w n1
    add_case killed "srun $SPIN 3000 sleep" -n2 -w n1
    add_case batch-killed "$SPIN 3000 sleep" -n2 -w n1
    add_case step-cancelled "srun $SPIN 3000 sleep; srun $PROGRAMS/spin 1 sleep" -n1 -w n1
    add_case task-killed "srun -n2 $SPIN 3000 sleep" -n2 -w n1
    add_case stepd-killed "srun $SPIN 3000 sleep" -n1 -w n1
    add_case requeued "((SLURM_RESTART_COUNT)) || srun $SPIN 3000 sleep; srun $SPIN 1 sleep" -N1 -n2 -w n1 --requeue
    add_case suspended "srun $SPIN 3000 sleep" -n2 -w n2 --partition=main
    add_case suspended-shortly "srun $SPIN 3000 sleep" -n2 -w n2
    add_case suspended-batch "$SPIN 3000 sleep" -n2 -w n2
    add_case slurmd-restarts "srun $SPIN 3000 sleep" -n2 -w n3
    add_case slurmd-killed "srun $SPIN 3000 sleep" -n2 -w n3
    add_case node-lost "srun $SPIN 3000 sleep" -N2 -n2 -w n3,n4 --no-requeue
    add_case never-ran "srun $SPIN 1 sleep" -w n1 --exclusive
}

task_pids() { # CASE NODE STEP
    sed -n "s/^task .* step=$3 .*pid=\\([0-9]*\\) .*/\\1/p" "$DIR/run/$2/$(job_of "$1").0/journal"
}

step_pid() { # CASE NODE STEP
    sed -n "s/^step .* step=$3 .*pid=\\([0-9]*\\) .*/\\1/p" "$DIR/run/$2/$(job_of "$1").0/journal" | head -n 1
}

case_is() { # CASE STATE
    has_state "$(job_of "$1")" "$2"
}

cancel() { # CASE [OPTION...]
    run_as root scancel "${@:2}" "$(job_of "$1")"
}

one_second() { # for work to be there; nothing is asserted about it
    sleep 1
}

end_them() {
    local case
    for case in time-limit step-time-limit cancelled killed batch-killed step-cancelled task-killed stepd-killed requeued \
        suspended suspended-shortly suspended-batch slurmd-restarts slurmd-killed node-lost; do
        eventually 60 is_captured "$case" "$SPIN"
    done
    eventually 60 is_captured ignores-term "$PROGRAMS/ignore_term"
    cancel never-ran
    suspend_them
    one_second
    cancel cancelled
    cancel ignores-term
    cancel killed --signal=KILL
    cancel batch-killed --signal=KILL --full
    run_as root scancel "$(job_of step-cancelled).0"
    kill -KILL "$(task_pids task-killed n1 0 | head -n 1)"
    eventually 20 task_is_over
    cancel task-killed
    # its srun would wait for ever
    kill -KILL "$(step_pid stepd-killed n1 0)" "$(task_pids stepd-killed n1 0)"
    cancel stepd-killed
    requeue "$(job_of requeued)"
    "$CLUSTER" restart-slurmd n3
    "$CLUSTER" kill-slurmd n3
    "$CLUSTER" start-slurmd n3
    cancel slurmd-restarts
    cancel slurmd-killed
    resume suspended-shortly
    cancel suspended-shortly
    "$CLUSTER" crash-node n4
    cancel node-lost
    "$CLUSTER" start-slurmd n4
    # these are suspended for longer than the process watch looks away
    eventually 200 has_ended "$(job_of step-time-limit)"
    resume suspended suspended-batch
    one_second
    cancel suspended
    cancel suspended-batch
}

task_is_over() {
    grep -q '^exit .*step=0 ' "$DIR/run/n1/$(job_of task-killed).0/journal"
}

suspend_them() {
    local case
    for case in suspended suspended-batch suspended-shortly; do
        run_as root scontrol suspend "$(job_of "$case")"
    done
    for case in suspended suspended-batch suspended-shortly; do
        eventually 20 case_is "$case" SUSPENDED
    done
}

resume() { # CASE...
    local case
    for case; do
        run_as root scontrol resume "$(job_of "$case")"
    done
}

@test "programs + uncertain + unseen + idle = allocation = sacct's, for each job, node and day" {
    adds_up
}

@test "so do the reports' rows, by cluster, user, account and day" {
    reports_agree "$DIR"/reports/*
}

@test "what was killed had its time until then" {
    local case
    for case in time-limit cancelled killed task-killed ignores-term; do
        holds "$case" '.programs + .uncertain >= .allocation - .idle - .unseen - slack' '.programs > 0' '.programs <= .allocation + slack'
    done
    holds time-limit '.allocation >= 2 * 60 * least'
    holds batch-killed '.programs + .uncertain > 0' '.programs <= .allocation + slack'
    holds step-time-limit '.programs > 0'
    holds step-cancelled '.programs >= 2 * least' 'runs("spin") | length == 2'
}

@test "a step whose slurmstepd was killed claims no more than may be true" {
    holds stepd-killed '.programs + .uncertain <= .allocation + slack'
}

@test "a job that ran twice has both allocations" {
    [[ $(numbers requeued | wc -l) == 2 ]]
    holds requeued '.programs <= .allocation + slack'
    [[ $(numbers requeued | jq -s 'map(.programs) | add >= 2 * 0.98') == true ]]
}

@test "the time of a suspension is not allocated" {
    # that it was suspended is seen, and not for how long
    holds suspended '.uncertain > 0' '.programs + .uncertain <= .allocation + slack'
    holds suspended-shortly '.programs <= .allocation + slack' '.programs > 0'
    holds suspended-batch '.programs + .uncertain > 0' '.programs + .uncertain <= .allocation + slack'
}

@test "a restart of slurmd changes nothing" {
    holds slurmd-restarts '.programs > 0' '.programs + .uncertain >= 2'
    holds slurmd-killed '.programs > 0' '.programs + .uncertain >= 2'
}

@test "a job whose node is lost has its allocation, and what is not known is said so" {
    holds node-lost '.programs > 0' '.programs <= .allocation + slack'
}

@test "a job that never ran has nothing" {
    holds never-ran '.allocation == 0'
}
