#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs with a /tmp and a /dev/shm of their own (job_container/tmpfs), which makes a mount namespace
# and a step `extern` for each job.

load ../fixture/cluster
load ../fixture/own_tmp

setup_file() {
    # what is mounted before the namespace of a job is made is seen in it
    RULES=$'[spool]\nmount = yes' SCRATCH=/var/tmp start_cluster PRIVATE_TMP=yes
}

@test "batch script and steps of a job with a private /tmp have a record each" {
    job=$(submit_and_wait "echo 1 >/tmp/of-the-job; $PROGRAMS/exit_with 0
        stat --file-system --format='spool on %T' \$JOBTRAIL_SPOOL
        srun -N1 -n1 -w n1 cat /tmp/of-the-job
        srun -N2 -n2 $PROGRAMS/_exit_with 4; srun bash -c 'kill -KILL \$\$'" -N2 -n2)
    output_has "$job" '^1$'
    output_has "$job" '^spool on tmpfs$'
    [[ ! -e /tmp/of-the-job ]]
    [[ $(runs "$job" | grep -v "^cat\|^stat") == $'_exit_with 1 task_exit\nexit_with batch fini' ]]
    [[ $(field "$job" _exit_with '.slurmT | "\(.exit_code) \(.outlived)"') == "4 false" ]]
}

@test "a program that lay in the private /tmp has its record, and no hash" {
    program_of_own_tmp
}

@test "a cancelled job with a private /tmp has its signal, and nothing of it is left" {
    cancelled_with_own_tmp
}
