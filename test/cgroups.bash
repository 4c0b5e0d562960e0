# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Groups of cgroups of version 1 that belong to one run: each mounted hierarchy has a directory of the run's name, which
# is the root of all that the run sees (cgroup_namespaces(7)).

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

# remove_groups NAME: fails where processes of them end only now
remove_groups() {
    local dir
    for dir in $(v1_hierarchies); do
        dir=$dir/$1
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
