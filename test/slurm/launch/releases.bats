#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# One plugin for several releases of Slurm (spank/slurm_release.h).
#
# JOBTRAIL_OTHER_PLUGIN=FILE is a plugin that was built elsewhere, with another release's Slurm and
# another system's compiler. `test/run --on` hands in this system's.
# bats file_tags=again

load ../fixture/cluster

setup_file() {
    start_cluster
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
}

# install FILE: the cluster's plugin from now on
install_plugin() {
    "$CLUSTER" stop-slurmd n1
    "$CLUSTER" stop-slurmd n2
    install -m 755 "$1" "$STAGE/lib/slurm/spank_jobtrail.so"
    BEFORE=$(log_lines)
    "$CLUSTER" start-slurmd n1
    "$CLUSTER" start-slurmd n2
    "$CLUSTER" wait-idle
}

log_lines() {
    wc -l <"$CLUSTER_DIR/log/slurmd.n1.log"
}

# what Slurm's log on n1 has of us since install_plugin. Slurm itself may name a file of the test's directory.
our_lines() {
    tail -n +$((BEFORE + 1)) "$CLUSTER_DIR/log/slurmd.n1.log" | sed -e "s|${DIR}[^ ]*||g" -e 's/^\[[^]]*\] *//' |
        grep -iE 'jobtrail|incompatible'
}

# all_launchers OPTION...: what each command that loads the plugin prints, on both channels
all_launchers() {
    run_as "$JOB_USER" srun -w n1 "$@" echo by srun 2>&1
    run_as "$JOB_USER" salloc -Q -w n1 "$@" srun "$@" echo by salloc 2>&1
    run_as "$JOB_USER" sbatch -Q --wait -w n1 --output="$DIR/out/batch" "$@" \
        <<<$'#!/bin/bash\nsrun echo by sbatch; echo "$LD_PRELOAD$JOBTRAIL_SPOOL"' 2>&1
    cat "$DIR/out/batch"
}

# It records, and reads what this release has in another place.
works_here() { # PLUGIN
    install_plugin "$1"
    job=$(submit "srun -n2 $PROGRAMS/exit_with 0; srun bash -c 'echo waits; exec $PROGRAMS/spin 100 sleep'" -w n1 --ntasks=2)
    eventually 30 output_has "$job" waits
    grep -q '^step .* whole_cores=1' "$DIR/run/n1/$job.0/journal"
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(record_count "$job" exit_with) == 1 && $(record_count "$job" spin) == 1 ]]
    [[ $(our_lines) == "" ]]
    run "$STAGE/bin/jobtrail-conf" doctor --conf "$DIR/jobtrail.conf" --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    [[ $output == *"ok      release $STAGE/lib/slurm/spank_jobtrail.so: for Slurm 22.05, 24.11, 26.05"* ]]
}

@test "a plugin that was built with another release's headers records" {
    works_here "$JOBTRAIL_BUILD/test/slurm/plugin_of_other_headers.so"
}

# bats test_tags=needs:other_plugin
@test "a plugin that was built on another system records" {
    works_here "$JOBTRAIL_OTHER_PLUGIN"
}

@test "in an unknown release jobs run as without the plugin, and slurmd's log has one line" {
    configure $'[tracking]\nopt_out = yes'
    find "$DIR/records" "$DIR/run" -mindepth 1 -delete
    install_plugin "$JOBTRAIL_BUILD/test/slurm/plugin_without_release.so"
    wanted=$'by srun\nby salloc\nby sbatch\n'
    [[ $(all_launchers)$'\n' == "$wanted" ]]
    # scripts that have the option go on
    [[ $(all_launchers --jobtrail=no)$'\n' == "$wanted" ]]
    job=$(submit "srun $PROGRAMS/exit_with 3" -w n1)
    wait_job "$job"
    [[ $(run_as root scontrol -o show job "$job") == *ExitCode=3:0* ]]
    [[ $(find "$DIR/records" "$DIR/run" -mindepth 1) == "" ]]
    release=$(slurmd -V | sed -E 's/^[^ ]+ ([0-9]+\.[0-9]+).*/\1/')
    [[ $(our_lines) == "jobtrail: inactive, jobs leave no records: the plugin is for Slurm 99.05, and this is $release; install a jobtrail that knows it, or build one with its headers" ]]
    run "$STAGE/bin/jobtrail-conf" doctor --conf "$DIR/jobtrail.conf" --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    [[ $status == 1 && $output == *"bad     release $STAGE/lib/slurm/spank_jobtrail.so: for Slurm 99.05, and this is $release: the plugin is inactive in it"* ]]
}
