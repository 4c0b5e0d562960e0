# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs in namespaces of their own, for test/apart and test/systems/enter. A run has a directory, and groups of cgroups of
# version 1: each mounted hierarchy has a directory of the run's name, which is the root of all that the run sees
# (cgroup_namespaces(7)).

NAMESPACES=$(readlink -f "${BASH_SOURCE[0]}")

# ---- groups

# The hierarchies that are mounted here, one directory a line
v1_hierarchies() {
    awk '$0 ~ / - cgroup / { print $5 }' /proc/self/mountinfo
}

make_groups() { # NAME
    local dir
    for dir in $(v1_hierarchies); do
        dir=$dir/$1
        mkdir "$dir" 2>/dev/null || continue
        [[ ! -e $dir/cpuset.cpus ]] || {
            cat "${dir%/*}/cpuset.cpus" >"$dir/cpuset.cpus"
            cat "${dir%/*}/cpuset.mems" >"$dir/cpuset.mems"
            echo 1 >"$dir/cgroup.clone_children"
        }
        # Without a share of its own, a cgroup has no real-time processes (chrt -f). Those within one have shares of it.
        [[ ! -e $dir/cpu.rt_runtime_us ]] || { echo 10000 >"$dir/cpu.rt_runtime_us"; } 2>/dev/null || true
    done
}

# join_groups NAME: this process. A cgroup namespace's root is where the process is that makes it.
join_groups() {
    local dir
    for dir in $(v1_hierarchies); do
        { echo "$BASHPID" >"$dir/$1/cgroup.procs"; } 2>/dev/null || true
    done
}

# thaw DIRECTORY: the groups in it; what is frozen does not end
thaw() {
    find "$1" -name freezer.state -exec sh -c 'for state; do echo THAWED >"$state"; done' sh {} + 2>/dev/null || true
}

# remove_groups NAME: ends what is in them, also what is frozen; fails where that ends only now
remove_groups() {
    local dir dirs
    mapfile -t dirs < <(v1_hierarchies | sed "s|\$|/$1|")
    for dir in "${dirs[@]}"; do
        [[ -d $dir ]] || continue
        # shellcheck disable=SC2038 # numbers; 0: in no pid namespace of ours
        find "$dir" -name cgroup.procs -exec grep -hvx 0 {} + 2>/dev/null | xargs -r kill -KILL 2>/dev/null || true
        thaw "$dir"
    done
    for dir in "${dirs[@]}"; do
        [[ ! -d $dir ]] || find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || return 1
    done
}

# mount_groups ROOT: in a new cgroup namespace, the same hierarchies below ROOT/sys/fs/cgroup
mount_groups() {
    local at options second lines
    lines=$(awk '$0 ~ / - cgroup2? / { sub(/^rw,/, "", $NF); print $5, $NF, / - cgroup2 / }' /proc/self/mountinfo)
    mount -t tmpfs -o mode=755 none "$1/sys/fs/cgroup"
    while read -r at options second; do
        if ((second)); then
            [[ $at != /sys/fs/cgroup ]] || mount -t cgroup2 none "$1$at"
        elif [[ $at == /sys/fs/cgroup/* && ! -d $1$at ]]; then
            mkdir "$1$at"
            mount -t cgroup -o "$options" none "$1$at"
        fi
    done <<<"$lines"
}

# ---- a run

# remove_run DIRECTORY: with its groups; fails where processes of the run end only now
remove_run() {
    remove_groups "${1##*/}" && rm -rf --one-file-system "$1"
}

# lock FD DIRECTORY: opens it and locks it, so that nobody removes it; fails where somebody has
lock() {
    { eval "exec $1<\"\$2\""; } 2>/dev/null && flock --shared "$1" && [[ $2 -ef /dev/fd/$1 ]]
}

# Waits until nobody holds its standard input, outlives who is killed, and removes the run then.
remove_later() { # DIRECTORY
    # shellcheck disable=SC2016 # for bash to expand
    setsid --fork bash -c '
        . "$1"
        read -r _
        for _ in {1..3000}; do
            ! remove_run "$2" || break
            sleep 0.1
        done' remove-later "$NAMESPACES" "$1" >/dev/null 2>&1
}

# cache_is_roots: nobody else can make root write, or remove, or run something through /var/cache/jobtrail
cache_is_roots() {
    local others
    others=$(find /var/cache/jobtrail -maxdepth 1 \( -type l -o -type d \( ! -uid 0 -o -perm /022 \) \) 2>/dev/null)
    [[ -z $others ]] || {
        echo "others can write here, or have made it; remove it: ${others//$'\n'/ }" >&2
        return 1
    }
}

# begin_run NAME: makes $run, a directory whose name begins so. It is removed when this program ends. Where that is killed, a
# process does so that outlives it, and is there before the directory; and where a pid namespace ended both, the next run.
# Within another run, that one removes all. Descriptor 4 becomes its lock.
begin_run() {
    local old
    for old in "$1"-*; do
        (exec 6<"$old" && flock --nonblock --exclusive 6 && remove_run "$old") 2>/dev/null || true
    done
    run=$1-$$-${EPOCHREALTIME/[.,]/}
    inside='' alive=''
    trap end_run EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    [[ -n ${JOBTRAIL_WITHIN-} ]] || exec {alive}> >(remove_later "$run")
    for _ in {1..100}; do # another run may remove it before it is locked
        mkdir -p "$run" || exit 1
        ! lock 4 "$run" || return 0
    done
    echo "${0##*/}: cannot lock $run" >&2
    exit 1
}

# run_in OPTION-OF-UNSHARE... COMMAND...: waits for it, and ends with its status
run_in() {
    local status=0
    (
        [[ -z $alive ]] || exec {alive}>&-
        exec 4<&-
        join_groups "${run##*/}"
        # env: bash has told what it starts in the background to ignore these signals
        exec setpriv --pdeathsig KILL env --default-signal=INT,QUIT unshare --propagation private "$@"
    ) <&0 &
    inside=$!
    wait "$inside" || status=$?
    inside=
    return "$status"
}

# shellcheck disable=SC2317,SC2329 # the trap calls it
end_run() {
    local status=$?
    trap '' HUP INT TERM
    if [[ -n $inside ]]; then
        kill -KILL "$inside" 2>/dev/null || true # unshare; --kill-child ends the rest
        wait "$inside" 2>/dev/null || true
    fi
    before_removal || true
    # What ends only now is removed later.
    remove_run "$run" || [[ -n $alive ]] || rm -rf --one-file-system "$run" || true
    exit "$status"
}

# What end_run() keeps of a run
before_removal() {
    :
}

# Names are resolved to IPv4 addresses only where an interface other than the loopback device has one
# (getaddrinfo(3), AI_ADDRCONFIG): Slurm and Open MPI need that. 192.0.2.0/24 is for such use (RFC 5737).
start_network() {
    ip -batch - <<'TEXT'
link set lo up
link add eth0 type veth peer name eth0-peer
address add 192.0.2.1/24 dev eth0
link set eth0-peer up
link set eth0 up
TEXT
}
