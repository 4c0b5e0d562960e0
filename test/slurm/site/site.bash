# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A site of one machine: a small system (see small_system) in namespaces of its own, with a Slurm cluster of one node
# and no jobtrail. Debian's packages are built once for a bats file.
#
#   build_packages        into $DEBS: `first`, `same` (a higher version, the same formats), `other` (other formats),
#                         `older` (a lower version, whose jobtrail.conf has fewer keys)
#   start_site; stop_site
#   at_site COMMAND...    as root, in the site's controller; in_node COMMAND... on its node; site_srun OPTION...
# They export DIR, ROOT, DEBS, PACKAGES (where the packages are built).

# shellcheck source=test/wait.bash
. "$(dirname "${BASH_SOURCE[0]}")/../../wait.bash"

# The checkout without what is built
build_packages() {
    local tree version
    export CMAKE_C_COMPILER_LAUNCHER=${JOBTRAIL_LAUNCHER-} CCACHE_BASEDIR=$DIR PACKAGES=$DIR/packages
    export DEB_BUILD_OPTIONS="noautodbgsym parallel=2" DPKG_DEB_COMPRESSOR_LEVEL=1
    tree=$PACKAGES/jobtrail
    mkdir -p "$tree" "$DEBS"/{older,first,same,other}
    tar -C "$JOBTRAIL_SOURCE" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf -
    build_in "$tree"
    mv "$PACKAGES"/*.deb "$PACKAGES"/*.changes "$PACKAGES"/*.buildinfo "$DEBS/first"
    version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$tree/debian/changelog")
    repack same "$version" "$version+1"
    repack older "$version" 0.0.9 "sed -i '/answers/,\$d; /always_ranks/d' etc/jobtrail/jobtrail.conf"
}

build_in() { # TREE [OPTION]
    (cd "$1" && dpkg-buildpackage -b -us -uc ${2+"$2"}) >"$PACKAGES/log" 2>&1 || {
        tail -n 40 "$PACKAGES/log" >&2
        return 1
    }
}

# Lets debhelper make the packages again, from the objects that are there.
forget_packages() { # TREE
    local file
    for file in "$1"/debian/*; do
        case $file in
        *.debhelper* | *.substvars | */files | */jobtrail-runtime-*) rm -rf "$file" ;;
        */jobtrail-*) [[ ! -d $file ]] || rm -rf "$file" ;;
        esac
    done
    rm -rf "$1/debian/.debhelper"
}

# Once more into $PACKAGES from the same objects, with other settings
build_again() {
    forget_packages "$PACKAGES/jobtrail"
    (umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 build_in "$PACKAGES/jobtrail" -nc)
}

# The same files under another version, as after a change that touches no format; in jobtrail-common COMMAND has changed some
repack() { # DIRECTORY VERSION OTHER-VERSION [COMMAND]
    local package tree=$DIR/package
    for package in "$DEBS"/first/*.deb; do
        rm -rf "$tree"
        dpkg-deb -R "$package" "$tree"
        sed -i "s/^Version: .*/Version: $3/; s/(= $2)/(= $3)/g" "$tree/DEBIAN/control"
        [[ $package != */jobtrail-common_* ]] || (cd "$tree" && eval "${4-}")
        dpkg-deb -Znone -b "$tree" "$DEBS/$1" >/dev/null
    done
}

# What a change of the formats makes of the tree: debian/rules refuses to build before control says so too.
build_other_formats() {
    local tree=$PACKAGES/jobtrail number
    number=$(sed -n 's/^.*define JOB_FORMATS //p' "$tree/spank/job_formats.h")
    sed -i "s/define JOB_FORMATS $number/define JOB_FORMATS $((number + 1))/" "$tree/spank/job_formats.h"
    sed -i "s/jobtrail-runtime-$number/jobtrail-runtime-$((number + 1))/" "$tree/debian/control"
    sed -i '1s/)/+2)/' "$tree/debian/changelog"
    forget_packages "$tree"
    build_in "$tree" -nc
    mv "$PACKAGES"/*.deb "$DEBS/other"
}

start_site() {
    local unshared
    ROOT=$DIR/site
    mkdir -p "$ROOT"
    "$JOBTRAIL_SOURCE/test/slurm/site/small_system" "$ROOT" apt iproute2 mount munge python3 slurm-client slurmctld slurmd \
        util-linux "$DEBS"/first/*.deb
    mkdir -p "$ROOT/cluster" "$ROOT/debs" "$ROOT/old" "$ROOT/usr/local/bin" "$ROOT/srv"
    cp "$JOBTRAIL_SOURCE/test/wait.bash" "$ROOT" # beside cluster
    write_systemctl >"$ROOT/usr/local/bin/systemctl"
    chmod 755 "$ROOT/usr/local/bin/systemctl"
    # $1.. belong to the inner shell
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child --uts --ipc --net --propagation private bash -eu -c '
        root=$1 debs=$2 cluster=$3
        mount --bind "$root" "$root"
        mount --bind "$debs" "$root/debs"
        mount --bind "$cluster" "$root/cluster"
        mount --rbind /dev "$root/dev"
        mount --rbind /sys "$root/sys"
        mount -t proc proc "$root/proc"
        mount -t tmpfs -o mode=755 tmpfs "$root/run"
        mkdir "$root/run/lock"
        cd "$root"
        pivot_root . old
        umount -l /old
        hostname site
        echo "127.0.0.1 localhost site" >/etc/hosts
        # glibc resolves no name where loopback is the only interface
        ip link set lo up
        ip link add eth0 type veth peer name eth1
        ip addr add 192.0.2.1/24 dev eth0
        ip link set eth0 up
        ip link set eth1 up
        : >/run/ready
        exec sleep infinity' _ "$ROOT" "$DEBS" "$JOBTRAIL_SOURCE/test/cluster" </dev/null >"$DIR/site.log" 2>&1 3>&- &
    unshared=$!
    # bats must not wait for it
    disown
    eventually 20 grep -q . "/proc/$unshared/task/$unshared/children" || return 1
    SITE_PID=$(tr -d ' ' <"/proc/$unshared/task/$unshared/children")
    export ROOT SITE_PID
    eventually 20 at_site test -e /run/ready || { cat "$DIR/site.log" >&2; return 1; }
    at_site env NODES=1 PLUGSTACK=/etc/slurm/plugstack.conf /cluster/cluster start
}

stop_site() {
    [[ -z ${SITE_PID-} ]] || {
        at_site /cluster/cluster stop || true
        kill -KILL "$SITE_PID"
    }
    [[ -z ${DIR-} ]] || rm -rf --one-file-system "$DIR"
}

at_site() {
    nsenter --target "$SITE_PID" --mount --pid --uts --ipc --net -- env -i -C / PATH="/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive JOBTRAIL_SLOW="$SLOW" CLUSTER_DIR=/srv/lab SLURM_CONF=/srv/lab/etc/slurm.conf "$@" 3>&-
}

in_node() {
    at_site /cluster/cluster exec n1 "$@"
}

# srun, which slurmctld (24.11) reaches by the name of the host that it runs on: only the cluster's own have names there
site_srun() {
    at_site /cluster/cluster exec ctl srun "$@"
}

# systemctl of a system without systemd, as far as README and the packages' units need it
write_systemctl() {
    cat <<'SH'
#!/bin/bash
set -eu
run() { # KEY: each command of the unit
    local line status
    while read -r line; do
        line=${line#"$1="}
        while [[ $line == [-+@!:]* ]]; do line=${line:1}; done
        status=0
        eval "$line" || status=$?
        ((status <= 1)) || exit "$status" # SuccessExitStatus
    done < <(grep "^$1=" "$unit")
}
case "$1 $2" in
"restart slurmd") exec /cluster/cluster restart-slurmd n1 ;;
"start "*)
    unit=/lib/systemd/system/$2.service
    set -a
    file=$(sed -n 's/^EnvironmentFile=-//p' "$unit")
    [[ -z $file ]] || . "$file"
    user=$(sed -n 's/^User=//p' "$unit")
    if [[ $user ]]; then # a service that stays, with the umask that it says
        RUNTIME_DIRECTORY=/run/$(sed -n 's/^RuntimeDirectory=//p' "$unit")
        install -d -o "$user" -g "$user" "$RUNTIME_DIRECTORY"
        umask "$(sed -n 's/^UMask=//p' "$unit")"
        setsid setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --bounding-set=-all \
            "$(sed -n 's/^ExecStart=//p' "$unit")" >"/srv/$2.out" 2>&1 </dev/null &
        echo $! >"/srv/$2.pid"
        exit
    fi
    condition=$(sed -n "s/^ExecCondition=//p" "$unit")
    [[ -z $condition ]] || eval "$condition" || exit 0
    run ExecStartPre
    run ExecStart
    ;;
*) exit 1 ;;
esac
SH
}

# submit SCRIPT: the number of its job; its output is /srv/out.NUMBER at the site
submit() {
    at_site sbatch --parsable --chdir=/ --output=/srv/out.%j <<<"#!/bin/bash"$'\n'"$1"
}

has_ended() { # JOB
    local states
    states=$(at_site squeue -h -j "$1" -t all -o %T 2>/dev/null) && ! grep -qvxE 'COMPLETED|FAILED|CANCELLED' <<<"$states"
}

wait_job() { # JOB: until its epilog is done, too
    eventually 60 has_ended "$1"
}
