# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Nodes of the test cluster, and which processes belong to them.
#
# A node is a pair of namespaces (mounts, host name) that one idle process keeps open. Everything
# that runs on a node sees the node's mark: a mount whose source names the cluster and the node.
# The mark is inherited by every child, whatever it does to its parent, session or environment, so
# that "ours" never depends on a process name or on a pid that may have been used again.
# The node's own /dev/shm carries it: a mount point inside CLUSTER_DIR would go away, mark and all,
# with somebody's rm -r. (Only with UTS=0, where /dev/shm stays shared, it has to be there.)

mark() { # NODE
    printf 'jobtrail-cluster:%s:%s' "$CLUSTER_DIR" "$1"
}

# members [NODE]: pids of the processes on one node or on all
members() {
    local file
    grep -lsF -- " $(mark "${1:+$1 }")" /proc/[0-9]*/mountinfo | while IFS=/ read -r _ _ file _; do
        echo "$file"
    done
}

# A zombie has no mountinfo: it counts as gone, which kill -0 would not see.
is_member() { # PID
    local mounts=
    { read -rd '' mounts <"/proc/${1:-none}/mountinfo" || true; } 2>/dev/null
    [[ $mounts == *" jobtrail-cluster:$CLUSTER_DIR:"* ]]
}

pid_in() { # FILE: the pid in a pid file, when it is a living process of this cluster
    local pid
    [[ -s $1 ]] && read -r pid <"$1" && is_member "$pid" && echo "$pid"
}

gone() { # PID
    ! is_member "$1"
}

stop_daemon() { # PIDFILE [SIGNAL]
    local pid
    if pid=$(pid_in "$1"); then
        kill -s "${2:-TERM}" "$pid" 2>/dev/null || true
        eventually 10 gone "$pid" || kill -s KILL "$pid" 2>/dev/null || true
    fi
    rm -f "$1"
}

sweep() { # [NODE]: end whatever is left on a node or on all
    eventually 5 none_after_kill "${1-}" || {
        echo "cluster: still there after SIGKILL: $(members "${1-}" | paste -sd ' ')" >&2
        return 1
    }
}

none_after_kill() { # NODE
    local pids
    mapfile -t pids < <(members "$1")
    ((${#pids[@]} == 0)) || {
        kill -s KILL "${pids[@]}" 2>/dev/null || true
        return 1
    }
}

make_node() { # NAME
    local flags=(--mount) munge=
    pid_in "$RUN/node.$1.pid" >/dev/null && return 0
    [[ $UTS == 1 ]] && flags+=(--uts)
    [[ $CONFIGLESS != yes || $1 == ctl ]] || munge=$MUNGE_SOCKET
    # $1.. belong to the inner shell
    # shellcheck disable=SC2016
    env -i PATH="$PATH" unshare "${flags[@]}" bash -eu -c '
        name=$1 mark=$2 run=$3 uts=$4 hosts=$5 munge=$6
        if [[ $uts == 1 ]]; then
            hostname "$name"
            mount --bind "$hosts" /etc/hosts
            mount -t tmpfs -o mode=1777 "$mark" /dev/shm
        else
            mount -t tmpfs -o size=4k,mode=755 "$mark" "$run/mark"
        fi
        if [[ -n $munge ]]; then # where Slurm looks for it without a slurm.conf
            mount -t tmpfs -o mode=755 none /run
            mkdir /run/munge
            ln -s "$munge" /run/munge/munge.socket.2
        fi
        [[ ! -e $run/boot_id.$name ]] || mount --bind "$run/boot_id.$name" /proc/sys/kernel/random/boot_id
        setsid sleep infinity </dev/null >/dev/null 2>&1 &
        echo $! >"$run/node.$name.pid"
    ' _ "$1" "$(mark "$1")" "$RUN" "$UTS" "$ETC/hosts" "$munge" </dev/null >>"$LOG/node.$1.log" 2>&1 ||
        die "cannot make node $1 (needs root with mount namespaces; see $LOG/node.$1.log)"
}

# All is stopped before it is killed: slurmstepd sees no task end.
crash_node() { # NODE
    local pids
    for _ in 1 2; do
        mapfile -t pids < <(members "$1")
        kill -s STOP "${pids[@]}" 2>/dev/null || true
    done
    sweep "$1"
    rm -f "$RUN/slurmd.$1.pid" "$RUN/node.$1.pid"
    cat /proc/sys/kernel/random/uuid >"$RUN/boot_id.$1"
}

enter() { # NODE COMMAND...: run a command on a node, from the same directory
    local pid flags=(--mount) node=$1
    shift
    pid=$(pid_in "$RUN/node.$node.pid") || die "no node $node here"
    [[ $UTS == 1 ]] && flags+=(--uts)
    nsenter --target "$pid" "${flags[@]}" env -C "$PWD" -- "$@"
}

# Daemons get an environment of their own: Slurm's read many SLURM_* variables, and what they
# inherit reaches prologs and jobs.
daemon() { # NODE NAME COMMAND...
    local node=$1 name=$2
    shift 2
    enter "$node" env -i PATH="$PATH" SLURM_CONF="$SLURM_CONF" ${TZ:+TZ="$TZ"} "$@" \
        </dev/null >>"$LOG/$name.out" 2>&1 || die "cannot start $name (see $LOG/$name.log and .out)"
}
