#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the journal says of the CPUs and cores of jobs and steps, on nodes of four cores with two threads
# each, and of the clock.
bats_require_minimum_version 1.5.0

load ../fixture/cluster

export NODE_CPUS=8 NODE_CONF='Sockets=1 CoresPerSocket=4 ThreadsPerCore=2'

setup_file() {
    start_cluster EXTRA_CONF=PrologFlags=Contain
}

is_there() {
    [[ -e $1 ]]
}

# hold 'SCRIPT' [SBATCH-OPTION...]: a job that has run the script and waits, so that its journal stays
hold() {
    JOB=$(submit "$1"$'\n'"touch $DIR/out/done.\$SLURM_JOB_ID; sleep 300" "${@:2}")
    eventually 60 is_there "$DIR/out/done.$JOB"
}

release() {
    run_as root scancel "$JOB"
    wait_job "$JOB"
    JOB=
}

teardown() {
    [[ -z ${JOB-} ]] || release
}

# steps [NODE]: of the job that is held, "STEP TASKS-HERE CPUS CORES of JOB'S CORES", in order
steps() {
    awk '$1 == "step" {
            for (i = 2; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] }
            print value["step"], value["local_tasks"], value["cpus"], value["cores"], "of", value["job_cores"]
        }' "$DIR/run/${1:-n1}/$JOB.0/journal" |
        sed 's/^4294967291/batch/; s/^4294967292/extern/' | LC_ALL=C sort
}

# An exact step on one core of several has another one while the step before it is still being completed.
any_core() {
    sed 's/^\([0-9]* [0-9]* 2\) [0-3] of 0-/\1 any of 0-/'
}

# What Slurm accounts for, on all nodes
allocated() {
    run_as root scontrol show job "$JOB" | grep -oP 'NumCPUs=\K[0-9]+'
}

@test "a step has all cores of its job, unless it is an exact one" {
    hold 'srun true; srun -n1 true; srun --exact -n1 true; srun --exact -n2 true; srun --overlap -n1 true' -n3
    [[ $(steps | any_core) == "0 3 4 0-1 of 0-1
1 1 4 0-1 of 0-1
2 1 2 any of 0-1
3 2 2 any of 0-1
4 1 4 0-1 of 0-1
batch 1 4 0-1 of 0-1
extern 1 0 0-1 of 0-1" ]]
    [[ $(allocated) == 4 ]]
    release
}

@test "exact steps beside each other have cores of their own" {
    mkdir -m 777 "$DIR/out/beside"
    hold "for i in 1 2 3; do
            srun --exact -n1 -c2 bash -c 'touch $DIR/out/beside/\$SLURM_STEP_ID
                until [[ -e $DIR/out/beside/0 && -e $DIR/out/beside/1 && -e $DIR/out/beside/2 ]]; do sleep 0.05; done' &
        done; wait" -n4 -c2
    [[ $(steps | awk '$1 ~ /^[0-9]/ { print $2, $3, $4, $5, $6 }' | LC_ALL=C sort) == "1 2 0 of 0-3
1 2 1 of 0-3
1 2 2 of 0-3" ]]
    release
}

@test "an exclusive job has the whole node, and so have its steps" {
    hold 'srun true; srun --exact true' -n1 --exclusive
    [[ $(steps | any_core) == "0 1 8 0-3 of 0-3
1 1 2 any of 0-3
batch 1 8 0-3 of 0-3
extern 1 0 0-3 of 0-3" ]]
    [[ $(allocated) == 8 ]]
    release
}

@test "nodes of one job may have different shares" {
    hold 'srun true' -N2 -n5
    [[ $(steps n1) == "0 3 4 0-1 of 0-1
batch 1 4 0-1 of 0-1
extern 1 0 0-1 of 0-1" ]]
    [[ $(steps n2) == "0 2 2 0 of 0
extern 1 0 0 of 0" ]]
    grep -q '^prolog .* cpus=4,2 .*node_list=n\[1-2\]' "$DIR/run/n2/$JOB.0/journal"
    [[ $(allocated) == 6 ]]
    release
}

@test "without multithreading the credential counts cores, and job steps what Slurm accounts for" {
    hold 'srun true' -n3 --hint=nomultithread
    [[ $(steps) == "0 3 6 0-2 of 0-2
batch 1 3 0-2 of 0-2
extern 1 0 0-2 of 0-2" ]]
    grep -q '^step .* whole_cores=1' "$DIR/run/n1/$JOB.0/journal"
    [[ $(allocated) == 6 ]]
    release
}

@test "each line has the time since boot" {
    local from
    from=$(cut -d' ' -f1 /proc/uptime)
    hold 'srun true' -n1
    cp "$DIR/run/n1/$JOB.0/journal" "$BATS_TEST_TMPDIR/journal"
    awk -v from="$from" -v to="$(cut -d' ' -f1 /proc/uptime)" '{
            if (!match($0, / up=[0-9]+\.[0-9]+/)) exit 1
            at = substr($0, RSTART + 4, RLENGTH - 4) + 0
            if (at < from || at > to + 0.01) exit 1 # those of /proc are cut off
        }' "$BATS_TEST_TMPDIR/journal"
    release
}

start_again() { # VARIABLE=VALUE...: with another configuration, until the test's end
    "$CLUSTER" stop
    env OWNER=$$ "$@" "$CLUSTER" start
}

@test "where jobs get CPUs, job steps tell of all threads of their cores, and the credential of the job's" {
    start_again SELECT_PARAMS=CR_CPU EXTRA_CONF=
    hold 'srun true' -n3
    [[ $(steps) == "0 3 4 0-1 of 0-1
batch 1 3 0-1 of 0-1" ]]
    run ! grep -q ' whole_cores=' "$DIR/run/n1/$JOB.0/journal"
    [[ $(allocated) == 3 ]]
    release
}

@test "a node without a step is known where Slurm runs the prolog on it, and is no trouble" {
    start_again EXTRA_CONF=PrologFlags=Alloc
    hold true -N2 -n2
    [[ $(wc -l <"$DIR/run/n2/$JOB.0/journal") == 1 ]]
    grep -q '^prolog .* nodes=2 cpus=[12](x2)' "$DIR/run/n2/$JOB.0/journal"
    release
    [[ ! -e $DIR/run/n2/$JOB.0 && ! -e $DIR/state/quarantine ]]
}
