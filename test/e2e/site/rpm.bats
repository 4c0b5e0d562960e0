#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The RPM packages (contrib/rpm): built from a checkout, looked at by rpmlint, and installed into a root that has
# no other RPM package. Its shell, its systemctl and the libraries are this machine's, as files.

setup_file() {
    DIR=$(mktemp -d)
    SPEC=$JOBTRAIL_SOURCE/contrib/rpm/jobtrail.spec
    ROOT=$DIR/root BUILT=$DIR/built
    mkdir "$ROOT"
    export DIR SPEC ROOT BUILT
    "$JOBTRAIL_SOURCE/contrib/rpm/make-source" "$DIR"
    build -ba --noclean "$SPEC" >"$DIR/log" 2>&1 || {
        tail -n 40 "$DIR/log" >&2
        return 1
    }
    make_root
}

teardown_file() {
    [[ -z ${USER_OF_LIBRARY-} ]] || kill "$USER_OF_LIBRARY" 2>/dev/null || true
    umount "$ROOT/proc" 2>/dev/null || true
    rm -rf --one-file-system "$DIR"
}

# The distribution's own packages are not there: --nodeps.
build() {
    rpmbuild --nodeps --buildroot "$BUILT" --define "_topdir $DIR" --define "_sourcedir $DIR" "$@"
}

make_root() {
    local libraries packages
    libraries=$(find "$BUILT" -type f \( -perm -100 -o -name '*.so' \) -exec ldd {} + 2>/dev/null |
        awk '$3 ~ /^\// { print $3 }' | sort -u)
    # with and without the link /lib
    packages=$(for library in $libraries; do dpkg -S "${library/#\/usr/}" "$(realpath "$library")"; done 2>/dev/null |
        sed 's/[:,].*//' | sort -u)
    # shellcheck disable=SC2086 # words
    "$JOBTRAIL_SOURCE/test/slurm/site/small_system" "$ROOT" passwd python3 systemd $packages
    mount -t proc proc "$ROOT/proc"
    rpm --root "$ROOT" --initdb
}

in_root() {
    env -i PATH=/usr/bin:/usr/sbin chroot "$ROOT" "$@"
}

packages() { # RELEASE
    printf '%s\n' "$DIR"/RPMS/*/*-"$1".*.rpm
}

is_enabled() { # TIMER
    [[ -L $ROOT/etc/systemd/system/timers.target.wants/$1 ]]
}

@test "the packages have the version of the build, and rpmlint finds nothing in them" {
    version=$(sed -n 's/^project(jobtrail VERSION \([0-9.]*\) .*/\1/p' "$JOBTRAIL_SOURCE/CMakeLists.txt")
    [[ $(packages 1 | sed 's|.*/||; s/[.][a-z_0-9]*[.]rpm$//' | sort | paste -sd ' ') == \
        "jobtrail-collector-$version-1 jobtrail-common-$version-1 jobtrail-doc-$version-1 jobtrail-login-$version-1 jobtrail-node-$version-1 jobtrail-runtime-1-$version-1" ]]
    # shellcheck disable=SC2046 # words
    run rpmlint -r "${SPEC%.spec}.rpmlintrc" $(packages 1) "$SPEC"
    [[ $status == 0 && $output == *" 0 errors, 0 warnings"* ]]
    # what a program of a job has loaded imports nothing, whatever the flags of the distribution
    [[ $(nm -D "$BUILT/usr/lib/jobtrail/1/lib/libjobtrail.so" 2>/dev/null) == "" ]]
}

@test "installed, the files are whole, the units enabled, the plugin in plugstack.conf.d" {
    # shellcheck disable=SC2046
    rpm --root "$ROOT" -i --nodeps $(packages 1)
    # the compiled policy and the line for Slurm are made by the packages, and belong to none
    [[ $(rpm --root "$ROOT" -Va --nodeps) == "" ]]
    for timer in send load slurm; do is_enabled "jobtrail-$timer.timer"; done
    [[ $(grep -v '^#' "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf") == \
        "optional /usr/lib/jobtrail/1/lib/slurm/spank_jobtrail.so conf=/etc/jobtrail/jobtrail.conf" ]]
    in_root jobtrail-conf check
    [[ -s $ROOT/etc/jobtrail/jobtrail.policy ]]
    in_root getent passwd jobtrail
    for program in jobtrail-load jobtrail-acct jobtrail-report jobtrail-submit jobtrail-own; do
        in_root "$program" --help >/dev/null
    done
    [[ -e $ROOT/usr/share/modulefiles/jobtrail && -e $ROOT/usr/share/modulefiles/jobtrail-ld.lua ]]
}

@test "an upgrade keeps the configuration, and what the administrator has switched off" {
    echo "# ours" >>"$ROOT/etc/jobtrail/jobtrail.conf"
    rm "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf" "$ROOT/etc/systemd/system/timers.target.wants/jobtrail-slurm.timer"
    # newer than jobtrail.conf, and of a version with other defaults
    echo older >"$ROOT/etc/jobtrail/jobtrail.policy"
    touch -d tomorrow "$ROOT/etc/jobtrail/jobtrail.policy"
    # the next release, with another default
    echo "# new" >>"$BUILT/etc/jobtrail/jobtrail.conf"
    sed 's/^Release: 1/Release: 2/' "$SPEC" >"$DIR/jobtrail.spec"
    build -bb --short-circuit --noclean "$DIR/jobtrail.spec" >"$DIR/log" 2>&1
    # shellcheck disable=SC2046
    rpm --root "$ROOT" -U --nodeps $(packages 2)
    [[ $(rpm --root "$ROOT" -qa --qf '%{release}\n' | sort -u) == 2 ]]
    [[ $(cat "$ROOT/etc/jobtrail/jobtrail.policy") != older ]]
    [[ $(tail -n 1 "$ROOT/etc/jobtrail/jobtrail.conf") == "# ours" ]]
    [[ $(tail -n 1 "$ROOT/etc/jobtrail/jobtrail.conf.rpmnew") == "# new" ]]
    [[ ! -e $ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf ]]
    is_enabled jobtrail-send.timer && is_enabled jobtrail-load.timer && ! is_enabled jobtrail-slurm.timer
}

@test "what running jobs use cannot be erased while they do" {
    # as a program of a job has it
    chroot "$ROOT" env LD_PRELOAD=/usr/lib/jobtrail/1/lib/libjobtrail.so sleep 1000 3>&- &
    USER_OF_LIBRARY=$!
    until grep -qs libjobtrail "/proc/$USER_OF_LIBRARY/maps"; do kill -0 "$USER_OF_LIBRARY"; done
    run rpm --root "$ROOT" -e --nodeps jobtrail-runtime-1
    [[ $status != 0 && $output == *"jobtrail-runtime-1 is in use"* ]]
    [[ -e $ROOT/usr/lib/jobtrail/1/lib/slurm/spank_jobtrail.so ]]
    kill "$USER_OF_LIBRARY"
    wait "$USER_OF_LIBRARY" || true
}

@test "erased, nothing is left but the administrator's configuration" {
    in_root /usr/libexec/jobtrail/jobtrail-plugstack on
    # made again at any time, by this version and by one with other formats; and somebody's
    touch "$ROOT/etc/jobtrail/jobtrail.policy.2" "$ROOT/etc/jobtrail/site.policy" "$ROOT/var/lib/jobtrail/hashes.2"
    mkdir -p "$ROOT/var/spool/jobtrail/records"
    echo '{}' >"$ROOT/var/spool/jobtrail/records/run.json"
    # shellcheck disable=SC2046
    rpm --root "$ROOT" -e $(rpm --root "$ROOT" -qa)
    [[ $(find "$ROOT/etc" "$ROOT/usr" "$ROOT/var/lib/jobtrail" "$ROOT/var/spool" -name '*jobtrail*' -printf '%P\n' 2>/dev/null | sort | paste -sd ' ') == \
        "jobtrail jobtrail jobtrail/jobtrail.conf.rpmnew jobtrail/jobtrail.conf.rpmsave slurm/plugstack.conf.d/.jobtrail.conf.removed" ]]
    [[ $(tail -n 1 "$ROOT/etc/jobtrail/jobtrail.conf.rpmsave") == "# ours" ]]
    [[ -e $ROOT/var/spool/jobtrail/records/run.json && -e $ROOT/etc/jobtrail/site.policy ]]
    [[ ! -e $ROOT/var/lib/jobtrail/hashes.2 ]]
}
