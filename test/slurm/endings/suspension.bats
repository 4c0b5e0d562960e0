#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Suspended jobs: the process watch's look notes in the journal when Slurm suspends and resumes a job, and takes a
# user's own signals for it only where no process of root's tells.
# bats file_tags=again

load ../fixture/cluster

setup_file() {
    start_cluster EXTRA_CONF=PrologFlags=Contain
}

look() {
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" watch --once --conf "$DIR/jobtrail.conf" --node n1
}

now() {
    date +%s.%N
}

control() {
    run_as root scontrol "$@"
}

# start_job 'TEXT': a batch job on n1 whose script runs the text and a step beside it
start_job() {
    JOB=$(submit "$1"$'\n'"srun -n1 --overlap bash -c 'echo ready; read -r line <> <(:)'" -w n1 -n1)
    eventually 60 output_has "$JOB" '^ready'
}

notes() { # VERB: how many such lines the job's journal has
    grep -c "^$1 " "$DIR/run/n1/$JOB.0/journal" || true
}

has_noted() { # VERB: after a look
    look
    [[ $(notes "$1") == 1 ]]
}

value() { # VERB KEY: in the job's journal
    sed -n "s/^$1 .*\b$2=\([0-9.]*\).*/\1/p" "$DIR/run/n1/$JOB.0/journal"
}

are_ascending() { # SECONDS...
    printf '%s\n' "$@" | sort -C -g
}

# Of a job that Slurm has suspended between two looks, and resumed. Slurm stops and resumes processes after
# scontrol has ended, so that looks after it may still see what was before.
suspend_and_resume() {
    local first began seen left
    first=$(now)
    look
    [[ $(notes suspend) == 0 ]]
    began=$(now)
    control suspend "$JOB"
    eventually 60 has_noted suspend
    seen=$(now)
    look
    look
    left=$(now)
    control resume "$JOB"
    eventually 60 has_noted resume
    look
    [[ $(notes suspend) == 1 && $(notes resume) == 1 ]]
    are_ascending "$first" "$(value suspend since)" "$(value suspend time)" "$seen" \
        "$(value resume since)" "$(value resume time)"
    are_ascending "$began" "$(value suspend time)" "$left" "$(value resume time)"
    SUSPENDED=$(awk -v from="$(value suspend time)" -v to="$(value resume since)" 'BEGIN { print to - from }')
}

# The job's coverage has no allocation for the time in which it was surely suspended.
has_suspension() { # SECONDS
    [[ $(coverage_of "$JOB" 'select(.coverageT.node == "n1") | .coverageT
        | (.suspended - '"$1"' | fabs) < 0.001
        and ((.end_time - .start_time - .suspended) * .cpus - .core_seconds | fabs) < 0.01') == true ]]
}

finish_job() {
    run_as root scancel "$JOB"
    wait_job "$JOB"
    [[ ! -e $DIR/run/n1/$JOB.0 ]]
    [[ -n $(coverage "$JOB" n1) ]]
}

@test "a suspension is noted between the looks that have seen it" {
    start_job true
    suspend_and_resume
    finish_job
    has_suspension "$SUSPENDED"
}

tasks() { # pids
    sed -n 's/^task .*\bpid=\([1-9][0-9]*\).*/\1/p' "$DIR/run/n1/$JOB.0/journal"
}

are_stopped() {
    local pid
    for pid in $(tasks); do
        [[ $(<"/proc/$pid/stat") == *") T "* ]] || return 1
    done
}

stop_all_tasks() {
    [[ $(tasks | wc -l) == 2 ]]
    # shellcheck disable=SC2046 # several pids
    run_as "$JOB_USER" kill -STOP $(tasks)
    eventually 30 are_stopped
    look
    look
}

# Until 24.11, Slurm keeps a process in the extern step.
keeps_process() {
    pgrep -P "$(sed -n 's/^step .*\bstep=4294967292 .*\bpid=\([0-9]*\).*/\1/p' "$DIR/run/n1/$JOB.0/journal")" >/dev/null
}

@test "a user who stops all tasks does not look suspended where Slurm keeps a process in the extern step" {
    start_job true
    stop_all_tasks
    if keeps_process; then
        [[ $(notes suspend) == 0 ]]
        finish_job
        has_suspension 0
    else
        [[ $(notes suspend) == 1 ]] # the user's own loss: SECURITY.md
        finish_job
    fi
}

@test "a job that is killed while it is suspended is flushed" {
    start_job true
    look
    control suspend "$JOB"
    eventually 60 has_noted suspend
    look
    seen=$(awk -v from="$(value suspend time)" '$1 == "suspended" { printf "%.6f", $2 / 1e9 - from }' \
        "$DIR/run/n1/$JOB.0/suspension")
    finish_job
    has_suspension "$seen"
}

@test "without an extern step all tasks tell" {
    "$CLUSTER" stop
    env EXTRA_CONF= OWNER=$$ "$CLUSTER" start
    start_job true
    suspend_and_resume
    finish_job
    has_suspension "$SUSPENDED"
}

# bats test_tags=needs:cgroup_v1
@test "cgroups that Slurm has frozen are seen, and a user who stops all tasks does not look suspended" {
    "$CLUSTER" stop
    env PROCTRACK=cgroup TASKPLUGIN=cgroup EXTRA_CONF= OWNER=$$ "$CLUSTER" start
    # such programs are not stopped by SIGTSTP
    start_job "trap '' TSTP"
    suspend_and_resume
    finish_job
    has_suspension "$SUSPENDED"
    start_job true
    stop_all_tasks
    [[ $(notes suspend) == 0 ]]
    finish_job
    has_suspension 0
}
