#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Slurm drains a node whose `required` plugin fails at the start of a step; from 25.05 on it does what the plugin's
# slurm_spank_init_failure_mode says. Ours never fails, so that no trouble of ours drains a node, even where the
# line in plugstack.conf is not `optional`, as it should be, and the variable says that the node is to be drained.
# bats file_tags=again

load ../fixture/cluster

setup_file() {
    NODES=1 start_cluster
    cp "$JOBTRAIL_BUILD/test/slurm/plugin_that_may_drain.so" "$STAGE/lib/slurm/spank_jobtrail.so"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    require "$STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf"
}

require() { # PLUGIN-AND-ARGUMENTS
    echo "required $1" >"$CLUSTER_DIR/etc/plugstack.conf"
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" wait-idle
}

# no_harm: a batch job with a step, and a job without a script, run as without us, and the node stays up
no_harm() {
    local job
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0 && echo ran")
    [[ $(output_of "$job" | tail -n 1) == ran && $(run_as root scontrol -o show job "$job") == *JobState=COMPLETED*ExitCode=0:0* ]] ||
        fail "$(output_of "$job")" || return 1
    run_as "$JOB_USER" srun true
    "$CLUSTER" wait-idle
}

@test "a sound node records" {
    no_harm
    [[ -n $(find "$DIR/records" -name 'run.*') ]]
}

@test "no policy, and none that could be made" {
    mv "$DIR/jobtrail.conf" "$DIR/jobtrail.policy" "$DIR/home"
    no_harm
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" wait-idle
    no_harm
    mv "$DIR/home/jobtrail.conf" "$DIR/home/jobtrail.policy" "$DIR"
}

@test "a spool that cannot be written" {
    mv "$DIR/run/n1" "$DIR/away"
    touch "$DIR/run/n1"
    no_harm
    rm "$DIR/run/n1"
    "$CLUSTER" exec n1 mkdir -p "$DIR/run/n1"
    "$CLUSTER" exec n1 mount -t tmpfs -o ro none "$DIR/run/n1"
    no_harm
    "$CLUSTER" exec n1 umount "$DIR/run/n1"
    rmdir "$DIR/run/n1"
    mv "$DIR/away" "$DIR/run/n1"
}

@test "neither library nor jobtrail-submit" {
    mv "$STAGE/lib/jobtrail" "$STAGE/bin/jobtrail-submit" "$DIR/home"
    no_harm
    mv "$DIR/home/jobtrail" "$STAGE/lib"
    mv "$DIR/home/jobtrail-submit" "$STAGE/bin"
}

@test "an argument that nobody knows" {
    require "$STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf nonsense=1"
    no_harm
    require "$STAGE/lib/slurm/spank_jobtrail.so conf=relative"
    no_harm
}

# In a plugstack.conf as we say, while an upgrade or a removal takes files away
@test "no plugin" {
    echo "optional $STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf" >"$CLUSTER_DIR/etc/plugstack.conf"
    mv "$STAGE/lib/slurm/spank_jobtrail.so" "$DIR/home"
    no_harm
    mv "$DIR/home/spank_jobtrail.so" "$STAGE/lib/slurm"
}

# what the cases above would see
@test "another plugin that fails drains the node" {
    require "$JOBTRAIL_BUILD/test/slurm/failing_plugin.so"
    submit true
    is_drained() { [[ $(run_as root sinfo -h -N -n n1 -p main -o %T) == drain* ]]; }
    eventually 60 is_drained
}
