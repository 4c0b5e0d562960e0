#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs with a pid namespace, a /tmp and a /dev/shm of their own (namespace/linux, Slurm 25.11 or later).
# What private_tmp.bats shows of job_container/tmpfs holds here too; and processes have other numbers inside.
#
# bats file_tags=needs:namespace_linux

load ../fixture/cluster

setup_file() {
    SCRATCH=/var/tmp start_cluster NAMESPACES=CLONE_NEWPID
}

teardown_file() {
    stop_cluster
}

runs() { # JOB: "NAME STEP END" of each run, sorted
    records "$1" | jq -r '.[] | "\(.userT.exec_path | split("/")[-1]) \(.slurmT.step_id) \(.slurmT.end_source)"' | sort
}

@test "batch script and steps in a pid namespace have a record each" {
    job=$(submit_and_wait "echo 1 >/tmp/of-the-job; ls -d /proc/[0-9]* | wc -l; $PROGRAMS/exit_with 0
        srun -N1 -n1 -w n1 cat /tmp/of-the-job
        srun -N2 -n2 $PROGRAMS/_exit_with 4" -N2 -n2)
    output_has "$job" '^1$'
    (($(head -n 1 "$DIR/out/$job") < 20)) # processes that the script sees
    [[ ! -e /tmp/of-the-job ]]
    [[ $(runs "$job" | grep -v "^cat\|^ls\|^wc") == $'_exit_with 1 task_exit\nexit_with batch fini' ]]
    [[ $(field "$job" _exit_with '.slurmT | "\(.exit_code) \(.outlived)"') == "4 false" ]]
    [[ $(coverage "$job" n2) == "1 follower 1" ]]
}

@test "a task that is killed has its signal, as the pid that Slurm saw" {
    job=$(submit_and_wait "srun $PROGRAMS/kill_self 9")
    [[ $(runs "$job") == "kill_self 0 task_exit" && $(field "$job" kill_self .slurmT.signal) == 9 ]]
}

@test "a program that lay in the private /tmp has its record, and no hash" {
    job=$(submit_and_wait "cp $PROGRAMS/exit_with /tmp/brought; srun /tmp/brought 0" -n1)
    [[ $(runs "$job" | grep brought) == "brought 0 fini" ]]
    [[ $(field "$job" brought .userT.exec_path) == /tmp/brought ]]
    [[ ! -e /tmp/brought && $(field "$job" brought .hash_id) =~ ^0*$ ]]
}

@test "a cancelled job has its signal, and nothing of it is left" {
    job=$(submit "srun bash -c 'echo started; exec $PROGRAMS/spin 100 sleep'" -n1)
    eventually 30 output_has "$job" started
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(runs "$job") == "spin 0 task_exit" && $(field "$job" spin .slurmT.signal) == 15 ]]
    [[ -z $(find "$DIR/run" -mindepth 2 -type d) ]]
}
