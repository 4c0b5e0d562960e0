#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A node whose slurmd is older than the plugin's line in plugstack.conf: scontrol reconfigure.
# bats file_tags=needs:reload_plugins,again

load ../fixture/cluster

setup_file() {
    start_cluster bare NODES=1
}

@test "after scontrol reconfigure, and with no restart, slurmd has the plugin and its process watch" {
    configure ""
    echo "optional $STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf" >"$CLUSTER_DIR/etc/plugstack.conf"
    mkfifo -m 666 "$DIR/out/go"
    running=$(submit "srun bash -c 'echo started; read -r <$DIR/out/go; exec $PROGRAMS/exit_with 5'")
    eventually 30 output_has "$running" started
    run_as root scontrol reconfigure
    eventually 30 test -s "$DIR/run/n1/watch.pid"
    echo >"$DIR/out/go"
    wait_job "$running"
    "$CLUSTER" wait-idle
    [[ $(field "$running" exit_with '"\(.slurmT.exit_code) \(.userT.queue)"') == "5 main" ]]
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 3" -A physics)
    [[ $(field "$job" exit_with '"\(.slurmT.exit_code) \(.userT.queue) \(.userT.account)"') == "3 main physics" ]]
    run_as root scontrol reconfigure
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 3" -A physics)
    [[ $(field "$job" exit_with .slurmT.exit_code) == 3 ]]
}
