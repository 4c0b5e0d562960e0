#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs of whose steps slurmstepd itself is in the job's mount namespace (job_container/tmpfs, EntireStepInNS), the
# extern step's excepted: the plugin is loaded and called there.
# bats file_tags=needs:entire_step_in_ns,again

load ../fixture/cluster
load ../fixture/own_tmp

setup_file() {
    # what is mounted before the namespace of a job is made is seen in it
    RULES=$'[spool]\nmount = yes' SCRATCH=/var/tmp start_cluster PRIVATE_TMP=yes CONTAINER_CONF=EntireStepInNS=true
}

pid_of_step() { # JOB STEP: of its slurmstepd on n1, as the journal has it
    sed -n "s/^step .* step=$2 .* pid=\([0-9]*\) .*/\1/p" "$DIR/run/n1/$1.0/journal"
}

namespace() { # PID
    readlink "/proc/$1/ns/mnt"
}

records_are_complete() {
    job=$(submit_and_wait "echo 1 >/tmp/of-the-job; $PROGRAMS/exit_with 0
        stat --file-system --format='spool on %T' \$JOBTRAIL_SPOOL
        srun -N1 -n1 -w n1 cat /tmp/of-the-job
        srun -N2 -n2 $PROGRAMS/_exit_with 4; srun -n1 -w n1 -N1 $PROGRAMS/kill_self 9" -N2 -n2)
    output_has "$job" '^1$'
    output_has "$job" '^spool on tmpfs$'
    [[ ! -e /tmp/of-the-job ]]
    [[ $(runs "$job" | grep -v "^cat\|^stat") == $'_exit_with 1 task_exit\nexit_with batch fini\nkill_self 2 task_exit' ]]
    [[ $(field "$job" _exit_with '.slurmT | "\(.exit_code) \(.outlived)"') == "4 false" ]]
    [[ $(field "$job" kill_self .slurmT.signal) == 9 ]]
}

@test "slurmstepd is in the job's namespace, and has journal and ledger of the spool" {
    long=$(submit "srun $PROGRAMS/exit_late 600000 started" -n1 -w n1)
    eventually 30 output_has "$long" started
    daemon=$(pid_of_step "$long" 0)
    [[ $(namespace "$daemon") != "$(namespace self)" ]]
    [[ $(namespace "$daemon") == "$(namespace "$(pgrep -P "$daemon" exit_late)")" ]]
    [[ -s /proc/$daemon/root/$DIR/run/n1/$long.0/journal && -s /proc/$daemon/root/$DIR/run/n1/$long.0/user/ledger ]]
    run_as root scancel "$long"
    wait_job "$long"
    [[ $(runs "$long") == "exit_late 0 task_exit" ]]
}

@test "batch script and steps have a record each, and the coverage tells of all tasks" {
    records_are_complete
    [[ $(coverage "$job" n1) == $'0 recorded 1\n1 recorded 1\n2 recorded 1\nbatch script 1' && $(coverage "$job" n2) == "1 follower 1" ]]
}

@test "a program that lay in the private /tmp has its record, and no hash" {
    program_of_own_tmp
}

@test "a cancelled job has its signal, and nothing of it is left" {
    cancelled_with_own_tmp
}

# bats test_tags=needs:contain_spank
@test "so it is where some of the plugin's calls are made in a child of slurmstepd, besides (contain_spank)" {
    sed -i 's/^SlurmdParameters=.*/&,contain_spank/' "$CLUSTER_DIR/etc/slurm.conf"
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" restart-slurmd n2
    "$CLUSTER" wait-idle
    records_are_complete
    # those that did not end by themselves have wide bounds (spank/slurm_release.h)
    [[ $(coverage "$job" n1) == $'0 recorded 1\n1 recorded 1\n2 recorded 1\nbatch script 1' && $(coverage "$job" n2) == "1 follower 1" ]]
    [[ $(coverage_of "$job" '.coverageA[] | select(.outcome == "uncertain" and .core_seconds > 0) | .step_id' | sort -u) == $'1\n2' ]]
    cancelled_with_own_tmp
}
