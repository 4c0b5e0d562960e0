#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs with a /tmp of their own (job_container/tmpfs) for which no prolog of ours has run: the extern step makes the
# job's directory, when Slurm has made the job's mount namespace. The spool is in memory, where a prolog mounts a
# file system for the user's files: one that is mounted now would be seen by no task.
# bats file_tags=again

load ../fixture/cluster
load ../fixture/own_tmp

setup_file() {
    export SPOOL_IN_MEMORY=1
    SCRATCH=/var/tmp start_cluster bare NODES=1 PRIVATE_TMP=yes
    configure ""
    echo "optional $STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf" >"$CLUSTER_DIR/etc/plugstack.conf"
}

# all_is_recorded: of a job with two programs, for which no prolog has run
all_is_recorded() {
    mkfifo -m 666 "$DIR/out/go"
    job=$(submit "echo 1 >/tmp/of-the-job; srun cat /tmp/of-the-job; $PROGRAMS/exit_with 0; srun $PROGRAMS/_exit_with 4
        echo ended; read -r <$DIR/out/go" -n1)
    eventually 30 output_has "$job" ended
    output_has "$job" '^1$'
    [[ ! -e /tmp/of-the-job ]]
    run grep '^prolog ' "$DIR/run/n1/$job.0/journal"
    [[ $status == 1 ]]
    echo >"$DIR/out/go"
    rm "$DIR/out/go"
    wait_job "$job"
    eventually 60 is_flushed "$job"
    [[ $(runs "$job" | grep -v ^cat) == $'_exit_with 1 task_exit\nexit_with batch fini' ]]
    [[ $(coverage "$job") == $'0 recorded 1\n1 recorded 1\nbatch script 1' ]]
}

@test "the plugin's line is older than slurmd's start: batch script and steps have a record each" {
    all_is_recorded
}

# bats test_tags=needs:run_in_job
@test "with PrologFlags=RunInJob they have, too" {
    sed -i 's/^PrologFlags=.*/PrologFlags=RunInJob/' "$CLUSTER_DIR/etc/slurm.conf"
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" wait-idle
    all_is_recorded
}

# bats test_tags=needs:run_in_job,needs:entire_step_in_ns
@test "so they have where slurmstepd is in the job's namespace, besides (EntireStepInNS)" {
    echo EntireStepInNS=true >>"$CLUSTER_DIR/etc/job_container.conf"
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" wait-idle
    all_is_recorded
}
