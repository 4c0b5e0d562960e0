#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Why a run ended, and what its job had asked for, with what a real slurmdbd has of each kind of end.
# bats file_tags=again

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    start_cluster cgroups ACCT=dbd ACCT_USERS=root,jtuser NODES=2 NODE_CPUS=16 \
        SELECT_PARAMS=CR_Core_Memory EXTRA_CONF="DefMemPerCPU=100
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=cancelled PriorityTier=1 PreemptMode=CANCEL
PartitionName=urgent PriorityTier=10 PreemptMode=OFF"
    export STORE=sqlite:$DIR/store.db
    keep_profiles
    lose_node
    end_on_first_node
    preempt
    eventually 90 is_accounted "$CRASHED"
    "$CLUSTER" start-slurmd n2
    eventually 60 is_recorded "$CRASHED"
    "$STAGE/bin/jobtrail-load" --store "$STORE" "$DIR/records"
}

# A program that waits until it is ended, or with an argument takes 120 MB.
keep_profiles() {
    mkdir -m 711 "$DIR/profiles"
    KEPT=$DIR/profiles/$(id -u "$JOB_USER")
    export KEPT
    configure "[profile]
steps = asked
mode = exact
size = 8M
directory = $DIR/profiles"
    cat >"$DIR/held.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define KEPT __attribute__((noinline))
KEPT static void held(void)
{
    puts("held");
    fflush(stdout);
    for (;;)
        pause();
}
KEPT static void grow(char *memory) { memset(memory, 1, 120 << 20); }
int main(int argc, char **argv)
{
    (void)argv;
    if (argc == 1)
        held();
    char *memory = malloc(120 << 20);
    if (memory != NULL)
        grow(memory);
    return memory == NULL || memory[99] != 1;
}
C
    gcc -O1 -g -finstrument-functions "$DIR/held.c" -o "$PROGRAMS/held"
}

submit_here() { # as submit, on n1
    submit "$@" -w n1
}

# Slurm misses the node after a while.
lose_node() {
    CRASHED=$(submit "srun $PROGRAMS/spin 900 sleep" -w n2 --no-requeue)
    eventually 60 step_runs "$CRASHED.0"
    "$CLUSTER" crash-node n2
    export CRASHED
}

# Of TWICE one step is over when the job is cancelled. The shell in the step of SHELL_JOB becomes spin itself.
end_on_first_node() {
    local job
    SEGV=$(submit_here "srun $PROGRAMS/kill_self 11; true")
    SHOT=$(submit_here "srun $PROGRAMS/kill_self 9; true")
    LAST=$(submit_here "srun $PROGRAMS/kill_self 9")
    TWICE=$(submit_here "srun $PROGRAMS/kill_self 9; $PROGRAMS/spin 12 sleep; srun $PROGRAMS/spin 900 sleep")
    NOWHERE=$(submit_here "srun $DIR/nowhere")
    SHELL_JOB=$(submit_here "srun bash -c '$PROGRAMS/kill_self 9; $PROGRAMS/spin 900 sleep' &
        $PROGRAMS/kill_self 9
        bash -c '$PROGRAMS/kill_self 11; true'
        $PROGRAMS/spin 900 sleep")
    STEP=$(submit_here "srun $PROGRAMS/spin 900 sleep; true")
    SIGNAL=$(submit_here "srun $PROGRAMS/spin 900 sleep; true")
    JOB=$(submit_here "srun $PROGRAMS/spin 900 sleep" --time=7)
    LIMIT=$(submit_here "srun $PROGRAMS/spin 900 sleep")
    MEMORY=$(submit_here "srun --mem=60M $PROGRAMS/eat_memory 120 0; true" --mem=200M)
    HELD=$(submit_here "srun --jobtrail-profile $PROGRAMS/held")
    GROWN=$(submit_here "srun --jobtrail-profile --mem=60M $PROGRAMS/held grow; true" --mem=200M)
    REQUEUED=$(submit_here "srun $PROGRAMS/spin 900 sleep" --requeue)
    for job in "$STEP" "$SIGNAL" "$JOB" "$LIMIT" "$REQUEUED" "$SHELL_JOB"; do
        eventually 60 step_runs "$job.0"
        eventually 60 spins "$job" 1
    done
    eventually 60 spins "$SHELL_JOB" 2
    eventually 60 output_has "$HELD" held
    eventually 30 has_little_time "$LIMIT"
    eventually 30 has_little_time "$HELD"
    run_as "$JOB_USER" scancel "$STEP.0"
    run_as "$JOB_USER" scancel --signal=KILL "$SIGNAL.0"
    run_as "$JOB_USER" scancel "$JOB" "$SHELL_JOB"
    run_as root scontrol requeue "$REQUEUED"
    eventually 60 has_state "$REQUEUED" PENDING
    run_as root scancel "$REQUEUED"
    eventually 60 step_runs "$TWICE.1"
    eventually 60 spins "$TWICE" 1
    run_as root scancel "$TWICE"
    for job in "$SEGV" "$SHOT" "$LAST" "$TWICE" "$NOWHERE" "$STEP" "$SIGNAL" "$JOB" "$LIMIT" "$MEMORY" \
        "$REQUEUED" "$SHELL_JOB" "$HELD" "$GROWN"; do
        wait_job "$job"
        eventually 60 is_accounted "$job"
    done
    export SEGV SHOT LAST TWICE NOWHERE STEP SIGNAL JOB LIMIT MEMORY REQUEUED SHELL_JOB HELD GROWN
}

preempt() {
    PREEMPTED=$(submit_here "srun $PROGRAMS/spin 900 sleep" -p cancelled -n16 --no-requeue)
    eventually 60 step_runs "$PREEMPTED.0"
    wait_job "$(submit_here true -p urgent -n16)"
    wait_job "$PREEMPTED"
    eventually 60 is_accounted "$PREEMPTED"
    export PREEMPTED
}

has_little_time() { # JOB: its limit is now, which cannot be its start
    run_as root scontrol update "jobid=$1" EndTime=now
}

is_recorded() { # JOB
    [[ $(record_count "$1" spin) == 1 ]]
}

spins() { # JOB COUNT: so many `spin 900 sleep` in it left a capture; it has the arguments, each with its NUL
    [[ $(LC_ALL=C grep -aoP "\Q$PROGRAMS\E/spin\x00900\x00" "$DIR/run/n1/$1.0/user/ledger" | wc -l) -ge $2 ]]
}

is_accounted() { # JOB: slurmdbd knows the end of all of it
    local states
    states=$(run_as root sacct -n -P -D -j "$1" -o state) && [[ -n $states && ! $states =~ PENDING|RUNNING ]]
}

acct_says() {
    run_as root "$STAGE/bin/jobtrail-acct" --store "$STORE" -n -P "$@"
}

# state RUN: of the program that the step was made for
state() {
    run_as root sacct -n -P -D -j "${1%.*}" -o jobid,state,exitcode,end >&2
    acct_says -D -j "$1" --exec "$PROGRAMS/*" -o state,exitcode,end | tee /dev/stderr | cut -d'|' -f1,2
}

@test "a signal that a program got is no cancel, and sacct has CANCELLED for its step" {
    local job
    for job in "$SEGV" "$SHOT" "$LAST" "$SIGNAL"; do
        [[ $(run_as root sacct -n -P -j "$job.0" -o state) == CANCELLED ]]
    done
    [[ $(state "$SEGV.0") == "KILLED|0:11" ]]
    [[ $(state "$SHOT.0") == "KILLED|0:9" ]]
    [[ $(state "$LAST.0") == "KILLED|0:9" ]]
    [[ $(state "$SIGNAL.0") == "KILLED|0:9" ]]
}

@test "a step and a job that somebody cancelled are CANCELLED, and not what had ended before" {
    [[ $(state "$STEP.0") =~ ^"CANCELLED|0:"(9|15)$ ]]
    [[ $(state "$JOB.0") =~ ^"CANCELLED|0:"(9|15)$ ]]
    [[ $(state "$TWICE.0") == "KILLED|0:9" ]]
    [[ $(state "$TWICE.1") =~ ^"CANCELLED|0:"(9|15)$ ]]
}

@test "of programs that a shell started, the one that ran last is CANCELLED, and none that had ended before" {
    local step
    acct_says -j "$SHELL_JOB" -o jobid,exec,state,exitcode,endsource,start,end >&2
    for step in 0 batch; do
        [[ $(acct_says -j "$SHELL_JOB.$step" --exec spin -o state) == CANCELLED ]]
        [[ $(acct_says -j "$SHELL_JOB.$step" --exec kill_self -o state | sort -u) == UNKNOWN ]]
    done
    [[ $(acct_says -j "$SHELL_JOB.batch" --exec kill_self -o state | wc -l) == 2 ]]
}

# bats test_tags=needs:cgroup_v1
@test "too little memory is a reason" {
    [[ $(state "$MEMORY.0") == "OUT_OF_MEMORY|0:9" ]]
    [[ $(acct_says -j "$MEMORY.0" -o slurmstate) == OUT_OF_MEMORY ]]
}

@test "a time limit, a requeue, a preemption and a crash of the node are reasons" {
    [[ $(state "$LIMIT.0") =~ ^"TIMEOUT|0:"(9|15)$ ]]
    [[ $(state "$REQUEUED.0") =~ ^"REQUEUED|0:"(9|15)$ ]]
    [[ $(state "$PREEMPTED.0") =~ ^"PREEMPTED|0:"(9|15)$ ]]
    [[ $(state "$CRASHED.0") == "NODE_FAIL|?:?" ]]
}

# was_in JOB: where the one rank of its profile was when a signal ended it, which the profile's times go on to
was_in() {
    eventually 60 is_flushed "$1"
    run_as "$JOB_USER" "$STAGE/bin/jobtrail-profile" show --json "$KEPT/$1.0.0.n1.profile" |
        jq -r '(.ranks | map([.was_in, .reached_exit, .end_known, .was_in_seconds > 0]) | tojson),
            (.rows | map([.stack, .calls]) | sort | tojson)'
}

# bats test_tags=needs:profile
@test "a profile shows in which function the time limit ended a program" {
    [[ $(run_as root sacct -n -P -X -j "$HELD" -o state) == TIMEOUT ]]
    [[ $(was_in "$HELD") == '[["held<main<init",false,true,true]]
[["held<main<init",1],["main<init",1]]' ]]
}

# bats test_tags=needs:cgroup_v1,needs:profile
@test "a profile shows in which function a program was that took too much memory" {
    [[ $(run_as root sacct -n -P -j "$GROWN.0" -o state) == OUT_OF_MEMORY ]]
    [[ $(was_in "$GROWN") == '[["grow<main<init",false,true,true]]
[["grow<main<init",1],["main<init",1]]' ]]
}

@test "a program that was not there has a row with the exit code that sacct has" {
    [[ $(acct_says -j "$NOWHERE.0" -o state,exitcode,exec) == "NOT_STARTED|2:0|nowhere" ]]
    [[ $(run_as root sacct -n -P -j "$NOWHERE.0" -o state,exitcode) == "FAILED|2:0" ]]
    [[ $(acct_says -S now-1hour -s NOT_STARTED -o jobid) == "$NOWHERE.0" ]]
    [[ $(run_as root "$STAGE/bin/jobtrail-report" --store "$STORE" failures --csv) == *$'\n'nowhere,1,* ]]
}

@test "what failed is found by the states that sacct has" {
    [[ $(acct_says -S now-1hour -s FAILED -o jobid | sort) == \
        "$(printf '%s\n' "$SEGV.0" "$SHOT.0" "$LAST.0" "$TWICE.0" "$NOWHERE.0" "$SIGNAL.0" | sort)" ]]
    [[ $(acct_says -S now-1hour -s CANCELLED -o jobid | sort) == \
        "$(printf '%s\n' "$STEP.0" "$JOB.0" "$TWICE.1" "$SHELL_JOB.0" "$SHELL_JOB.batch" | sort)" ]]
}

@test "each run has what Slurm's row of the job alone has" {
    local job
    for job in "$SEGV" "$JOB" "$MEMORY"; do
        diff <(run_as root sacct -n -P -X -j "$job" -o reqmem,timelimit,reason,qos,account) \
            <(acct_says -j "$job.0" -o reqmem,timelimit,reason,qos,account)
    done
    [[ $(acct_says -j "$MEMORY.0" -o reqmem) == 200M && $(acct_says -j "$JOB.0" -o timelimit) == 00:07:00 ]]
    # and what the step alone has is still the step's
    [[ $(acct_says -j "$MEMORY.0" -o stepname) == eat_memory ]]
    [[ $(run_as root "$STAGE/bin/jobtrail-acct" --store "$STORE" --json -j "$JOB.0" |
        jq -r '.runs[0].slurm | "\(.Timelimit) \(.JobName)"') == "00:07:00 spin" ]]
}
