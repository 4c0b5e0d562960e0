#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs with a pid namespace, a /tmp and a /dev/shm of their own (namespace/linux, Slurm 25.11 or later).
# What private_tmp.bats shows of job_container/tmpfs holds here too; and processes have other numbers inside.
#
# bats file_tags=needs:namespace_linux,again

load ../fixture/cluster
load ../fixture/own_tmp

setup_file() {
    SCRATCH=/var/tmp start_cluster NAMESPACES=CLONE_NEWPID
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
    program_of_own_tmp
}

@test "a cancelled job has its signal, and nothing of it is left" {
    cancelled_with_own_tmp
}
