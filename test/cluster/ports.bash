# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A block of TCP ports for one cluster.
#
# Blocks lie below the usual range of ephemeral ports (32768 and up). A block is taken by a file
# named for its first port that holds the owner's directory and the pid that started it; the
# directory of these files is locked while one looks, and goes with the last cluster.

PORT_LOCKS=/tmp/jobtrail-cluster-ports
PORT_BLOCK=100

# lock_ports: hold descriptor 9 on the directory, which another stop may just have removed
lock_ports() {
    for _ in {1..100}; do
        if [[ -e $PORT_LOCKS || -L $PORT_LOCKS ]] || ! mkdir -m 700 "$PORT_LOCKS" 2>/dev/null; then
            [[ -d $PORT_LOCKS && ! -L $PORT_LOCKS && -O $PORT_LOCKS ]] ||
                [[ ! -e $PORT_LOCKS && ! -L $PORT_LOCKS ]] ||
                die "$PORT_LOCKS is not a directory of ours: remove it"
        fi
        { exec 9<"$PORT_LOCKS"; } 2>/dev/null || continue
        flock 9
        [[ $PORT_LOCKS -ef /proc/self/fd/9 ]] && return 0
    done
    die "cannot lock $PORT_LOCKS"
}

unlock_ports() {
    exec 9<&-
}

is_taken() { # PORT or another name: by a cluster that still lives or is just starting
    local dir pid
    [[ -s $PORT_LOCKS/$1 ]] || return 1
    read -r dir pid <"$PORT_LOCKS/$1"
    grep -qsxz start "/proc/$pid/cmdline" || [[ -n $(CLUSTER_DIR=$dir members) ]]
}

listening() { # the ports of this machine that somebody listens on, in hexadecimal
    awk '$4 == "0A" { n = split($2, part, ":"); print part[n] }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

block_is_free() { # PORT
    local port busy
    busy=" $(listening | tr '\n' ' ') "
    for ((port = $1; port < $1 + PORT_BLOCK; port++)); do
        [[ $busy != *" $(printf %04X "$port") "* ]] || return 1
    done
}

take_ports() { # sets PORT_BASE, to the wanted one when it is set already
    local port candidates
    mapfile -t candidates < <(if [[ -n $PORT_BASE ]]; then echo "$PORT_BASE"; else seq 17000 "$PORT_BLOCK" 31900; fi)
    lock_ports
    for port in "${candidates[@]}"; do
        if ! is_taken "$port" && block_is_free "$port"; then
            echo "$CLUSTER_DIR $$" >"$PORT_LOCKS/$port"
            PORT_BASE=$port
            unlock_ports
            return 0
        fi
    done
    unlock_ports
    die "no free block of $PORT_BLOCK ports among ${candidates[0]} ... ${candidates[-1]}"
}

release_ports() {
    local file dir
    [[ -d $PORT_LOCKS ]] || return 0
    lock_ports
    for file in "$PORT_LOCKS"/*; do
        [[ -e $file ]] && read -r dir _ <"$file" && [[ $dir == "$CLUSTER_DIR" ]] && rm -f "$file"
    done
    rmdir "$PORT_LOCKS" 2>/dev/null || true
    unlock_ports
}
