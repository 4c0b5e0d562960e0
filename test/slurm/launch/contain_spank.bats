#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Plugins that Slurm calls in the job's own mount namespace (job_container/tmpfs, contain_spank).
# bats file_tags=needs:contain_spank,again

load ../fixture/cluster
load ../fixture/own_tmp

setup_file() {
    # what is mounted before the namespace of a job is made is seen in it
    RULES=$'[spool]\nmount = yes' SCRATCH=/var/tmp start_cluster PRIVATE_TMP=yes SLURMD_PARAMS=contain_spank
}

@test "steps of a job in whose namespace plugins run have their records" {
    job=$(submit_and_wait "srun -n2 $PROGRAMS/exit_with 3; srun -n1 $PROGRAMS/spin 0" -N2 -n2)
    [[ $(field "$job" exit_with '.slurmT | "\(.step_id) \(.exit_code) \(.end_source)"') == "0 3 fini" ]]
    [[ $(coverage "$job" n1) == $'0 recorded 1\n1 recorded 1\nbatch script 1' && $(coverage "$job" n2) == "0 follower 1" ]]
}

@test "a cancelled job there has its signal, and nothing of it is left" {
    cancelled_with_own_tmp
}
