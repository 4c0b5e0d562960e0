#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Nodes without a slurm.conf: slurmd has fetched it, and plugstack.conf, from the controller.

load ../fixture/cluster

setup_file() {
    start_cluster CONFIGLESS=yes NODES=1
}

doctor() {
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-conf" doctor --conf "$DIR/jobtrail.conf" --json --node n1
}

found() { # CHECK JQ-PATH
    jq -r --arg check "$1" ".[] | select(.check == \$check) | $2"
}

@test "a job on a configless node is recorded and flushed" {
    "$CLUSTER" exec n1 test ! -e "$CLUSTER_DIR/run/spool/n1/slurm.conf"
    "$CLUSTER" exec n1 test -e /run/slurm/conf/plugstack.conf
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 3")
    [[ $(field "$job" exit_with '"\(.slurmT.exit_code) \(.userT.queue)"') == "3 main" ]]
    [[ $(coverage "$job") == $'0 recorded 1\nbatch script 1' ]]
}

@test "doctor finds the configuration that the controller has sent" {
    [[ ! -e /etc/slurm/slurm.conf ]] || rm /nowhere/etc-slurm-has-one # Slurm would use that
    doctor >"$DIR/found" || true # it may find other things
    cat "$DIR/found"
    [[ $(found plugstack '"\(.state) \(.object)"' <"$DIR/found") == "ok /run/slurm/conf/plugstack.conf" ]]
    [[ $(found plugin .state <"$DIR/found") == ok && $(found release .state <"$DIR/found") == ok ]]
}
