#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The test cluster itself, without our plugin: the ground that the other files stand on.

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    start_cluster bare
}

# ---- a second cluster beside the one of this file, in $OTHER

other() { # [VARIABLE=VALUE...] COMMAND...: the cluster command for it
    env -u PORT_BASE CLUSTER_DIR="$OTHER/c" OWNER=$$ "${@:1:$#-1}" "$CLUSTER" "${!#}"
}

in_other() { # COMMAND...
    env CLUSTER_DIR="$OTHER/c" "$CLUSTER" exec ctl "$@"
}

make_other() {
    OTHER=$(mktemp -d "$DIR/other-XXXXXX")
    chmod 755 "$OTHER"
}

# Whatever mentions its directory in its command, environment or mounts
processes_of_other() {
    local pid
    for pid in /proc/[0-9]*; do
        pid=${pid#/proc/}
        [[ $pid != "$BASHPID" && $pid != "$$" ]] || continue
        if cat /proc/"$pid"/{cmdline,environ,mountinfo} 2>/dev/null | grep -qaF "$OTHER/c"; then
            echo "$pid $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")"
        fi
    done
}

nothing_of_other_is_left() {
    local left
    left=$(processes_of_other)
    [[ -z $left ]] || fail "$left" || return 1
    ! grep -qsF "$OTHER/c" /tmp/jobtrail-cluster-ports/*
}

nobody_runs() { # PROGRAM
    local exe
    for exe in /proc/[0-9]*/exe; do
        [[ $(readlink "$exe" 2>/dev/null) != "$1" ]] || return 1
    done
}

# ---- jobs

@test "each node has its own /dev/shm" {
    run run_as "$JOB_USER" srun -N1 -w n1 sh -c 'echo 1 > /dev/shm/here && ls /dev/shm'
    [ "$output" = here ]
    run run_as "$JOB_USER" srun -N1 -w n2 ls /dev/shm
    [ -z "$output" ]
}

@test "a job is over for wait_job only when it has left every node" {
    mkfifo -m 666 "$DIR/out/go"
    id=$(submit "read -r _ <$DIR/out/go; echo done" -N2)
    run ! has_ended "$id"
    echo >"$DIR/out/go"
    wait_job "$id"
    [ "$(output_of "$id")" = "done" ]
    run run_as root scontrol show job "$id"
    [[ $output == *JobState=COMPLETED* ]]
}

@test "sacct -c of root knows the job without a database" {
    id=$(submit_and_wait 'exit 3' --job-name=three)
    run run_as root sacct -c -P -n -j "$id" -o JobID,JobName,State
    [[ $output == "$id|three|FAILED" ]]
}

# ---- nodes

@test "a job outlives the stop, the kill and the restart of its slurmd" {
    # a slurmd that is killed while it starts a step loses it
    id=$(submit "srun bash -c 'touch $DIR/out/task; exec $PROGRAMS/spin 3 sleep'; echo alive" -w n2)
    eventually 20 test -e "$DIR/out/task"
    "$CLUSTER" restart-slurmd n2
    "$CLUSTER" kill-slurmd 2
    "$CLUSTER" start-slurmd 2
    wait_job "$id"
    [ "$(output_of "$id")" = alive ]
    "$CLUSTER" stop-slurmd n2
    run ! "$CLUSTER" start-slurmd n3
    [[ $output == *"no such node"* ]]
    "$CLUSTER" start-slurmd n2
    "$CLUSTER" wait-idle
}

@test "status lists every daemon" {
    run -0 "$CLUSTER" status
    for name in munged slurmctld slurmd.n1 slurmd.n2; do
        grep -qE "^$name [0-9]+$" <<<"$output"
    done
}

# ---- two clusters, and what a cluster leaves behind

@test "two clusters run at once, and stopping one leaves the other alone" {
    make_other
    other NODES=3 start
    run in_other srun -N3 hostname
    [ "$(sort <<<"$output")" = $'n1\nn2\nn3' ]
    mkfifo -m 666 "$DIR/out/stopped"
    id=$(submit "read -r _ <$DIR/out/stopped; echo still here")
    other stop
    echo >"$DIR/out/stopped"
    wait_job "$id"
    [ "$(output_of "$id")" = "still here" ]
    nothing_of_other_is_left
}

@test "a cluster can be started again in its directory" {
    make_other
    other start
    other stop
    other start
    run -0 in_other srun hostname
    other stop
    nothing_of_other_is_left
}

@test "stop leaves no process, whatever a job has left behind" {
    make_other
    other start
    # no parent, no session, no environment, deaf to SIGTERM; and a task whose slurmstepd is dead
    cp "$PROGRAMS/ignore_term" "$OTHER/orphan"
    cp "$PROGRAMS/ignore_term" "$OTHER/task"
    in_other srun sh -c "env -i setsid --fork $OTHER/orphan >$OTHER/orphan.out 2>&1"
    in_other sbatch --chdir=/ --output=/dev/null -w n1 --wrap "srun $OTHER/task >$OTHER/task.out"
    eventually 10 grep -qs ready "$OTHER/task.out"
    grep -q ready "$OTHER/orphan.out"
    env CLUSTER_DIR="$OTHER/c" "$CLUSTER" kill-slurmd n1
    other stop
    nothing_of_other_is_left
}

@test "a cluster whose directory was removed can still be stopped" {
    make_other
    other start
    rm -rf "$OTHER/c"
    other stop
    eventually 10 nothing_of_other_is_left
}

@test "a cluster stops and removes itself when its owner is gone" {
    make_other
    sleep 600 &
    owner=$!
    env CLUSTER_DIR="$OTHER/c" OWNER=$owner OWNER_REMOVES="$OTHER" "$CLUSTER" start
    [ -d "$OTHER/c" ]
    kill "$owner"
    eventually 30 test ! -e "$OTHER"
    eventually 10 nothing_of_other_is_left
}

cgroup_inodes() {
    find /sys/fs/cgroup -maxdepth 2 -name 'slurm_n[12]' -printf '%p %i\n' 2>/dev/null | sort
}

@test "where there are no cgroups of version 1, a cluster with cgroups says so" {
    make_other
    # shellcheck disable=SC2016 # for the inner shell
    run ! env -u PORT_BASE CLUSTER_DIR="$OTHER/c" OWNER=$$ PROCTRACK=cgroup \
        unshare --mount bash -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$1" start' _ "$CLUSTER"
    [[ $output == *"cgroup v1"* ]]
}

# bats test_tags=needs:cgroup_v1
@test "cgroups that a killed cluster left are removed by the next start" {
    make_other
    other PROCTRACK=cgroup start
    in_other srun true
    cgroups=$(cgroup_inodes)
    [ -n "$cgroups" ]
    mapfile -t pids < <(cat "$OTHER/c/run/watch.pid"
        grep -lsF " jobtrail-cluster:$OTHER/c:" /proc/[0-9]*/mountinfo | cut -d/ -f3)
    kill -KILL "${pids[@]}"
    killed_are_gone() { ! grep -qsF " jobtrail-cluster:$OTHER/c:" /proc/[0-9]*/mountinfo; }
    eventually 10 killed_are_gone
    other PROCTRACK=cgroup start
    run comm -12 <(echo "$cgroups") <(cgroup_inodes)
    other stop
    [ -z "$output" ]
}

# bats test_tags=needs:cgroup_v1
@test "with cgroups a background child dies with its job, and no cgroup is left" {
    make_other
    other PROCTRACK=cgroup start
    cp "$PROGRAMS/ignore_term" "$OTHER/child"
    in_other srun sh -c "setsid --fork $OTHER/child >$OTHER/ready;
        until grep -q ready $OTHER/ready; do sleep 0.05; done"
    grep -q ready "$OTHER/ready"
    other wait-idle
    eventually 10 nobody_runs "$OTHER/child"
    cgroups=$(cgroup_inodes)
    [ -n "$cgroups" ]
    other stop
    nothing_of_other_is_left
    # another test may have made its own meanwhile
    run comm -12 <(echo "$cgroups") <(cgroup_inodes)
    [ -z "$output" ]
}
