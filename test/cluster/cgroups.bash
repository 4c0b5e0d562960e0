# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The cgroups of a cluster, which one cluster of a machine can have at a time: their directories are
# named for the node alone. Who has them is noted as with ports, and goes with the ports.

CGROUP_WAIT=180

uses_cgroups() {
    [[ $PROCTRACK == cgroup || $TASKPLUGIN == cgroup ]]
}

note_cgroups() { # fails while another cluster has them
    lock_ports
    if is_taken cgroups; then
        unlock_ports
        return 1
    fi
    echo "$CLUSTER_DIR $$" >"$PORT_LOCKS/cgroups"
    unlock_ports
}

take_cgroups() { # waits for the cluster that has them, removes what a dead one left
    uses_cgroups || return 0
    [[ -d /sys/fs/cgroup/freezer && -w /sys/fs/cgroup/freezer ]] ||
        die "cgroups need cgroup v1 with the freezer controller on this machine"
    eventually "$CGROUP_WAIT" note_cgroups ||
        die "another cluster uses cgroups: $(cut -d' ' -f1 "$PORT_LOCKS/cgroups" 2>/dev/null)"
    remove_cgroups || die "another Slurm uses cgroups"
}

remove_cgroups() { # fails where one has processes
    local node dir result=0
    uses_cgroups || return 0
    for node in $(node_names); do
        for dir in /sys/fs/cgroup/*/"slurm_$node"; do
            [[ -d $dir ]] || continue
            find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || true
            [[ ! -d $dir ]] || { echo "cluster: cannot remove $dir" >&2 && result=1; }
        done
    done
    return "$result"
}
