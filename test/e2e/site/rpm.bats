#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The RPM packages (contrib/rpm): built from a checkout, looked at by rpmlint, and installed into a root that has
# no other RPM package. Its shell, its systemctl and the libraries are this machine's, as files.
# bats file_tags=needs:root

load ../fixture/site
load ../fixture/munge

setup_file() {
    DIR=$(mktemp -d)
    chmod 755 "$DIR"
    SPEC=$JOBTRAIL_SOURCE/contrib/rpm/jobtrail.spec
    ROOT=$DIR/root BUILT=$DIR/built
    FORMATS=$(sed -n 's/^#define JOB_FORMATS //p' "$JOBTRAIL_SOURCE/spank/job_formats.h")
    NEXT=$((FORMATS + 1))
    RUNTIME=/usr/lib/jobtrail/$FORMATS
    POLICY=$ROOT/etc/jobtrail/jobtrail.policy
    ((FORMATS == 1)) || POLICY+=.$FORMATS
    mkdir "$ROOT"
    export DIR SPEC ROOT BUILT FORMATS NEXT RUNTIME POLICY
    # rpmbuild sets LANG, which is a part of what ccache knows an object by
    export CMAKE_C_COMPILER_LAUNCHER="${JOBTRAIL_LAUNCHER:+env;LANG=${LANG-};$JOBTRAIL_LAUNCHER}" CCACHE_BASEDIR=$DIR
    "$JOBTRAIL_SOURCE/contrib/rpm/make-source" "$DIR"
    build -ba --noclean "$SPEC" >"$DIR/log" 2>&1 || {
        tail -n 40 "$DIR/log" >&2
        return 1
    }
    make_root
}

teardown_file() {
    [[ -z ${USER_OF_LIBRARY-} ]] || kill "$USER_OF_LIBRARY" 2>/dev/null || true
    answer_stop
    umount "$ROOT/proc" "$ROOT/dev/null" "$ROOT${MUNGE-/munge}" 2>/dev/null || true
    munge_stop
    rm -rf --one-file-system "$DIR"
}

# build OPTION...: the distribution's own packages are not there: --nodeps. What they are for is how they are installed, so
# objects are compiled as for the preset dev, which ccache has, and little is compressed.
build() {
    rpmbuild --nodeps --buildroot "$BUILT" --define "_topdir $DIR" --define "_sourcedir $DIR" \
        --define "optflags %{nil}" --define "cmake_options -DJOBTRAIL_WERROR=ON" \
        --define "_binary_payload w1.gzdio" --define "_source_payload w1.gzdio" "$@"
}

make_root() {
    local libraries packages
    mapfile -t libraries < <(find "$BUILT" -type f \( -perm -100 -o -name '*.so' \) -exec ldd {} + 2>/dev/null |
        awk '$3 ~ /^\// { print $3 }' | sort -u)
    # with and without the link /lib
    packages=$({ printf '%s\n' "${libraries[@]/#\/usr/}" && realpath "${libraries[@]}"; } | xargs dpkg -S 2>/dev/null |
        sed 's/[:,].*//' | sort -u)
    # shellcheck disable=SC2086 # words
    "$JOBTRAIL_SOURCE/test/slurm/site/small_system" "$ROOT" libmunge2 passwd python3 systemd $packages
    mount -t proc proc "$ROOT/proc"
    rpm --root "$ROOT" --initdb
}

in_root() {
    env -i PATH=/usr/bin:/usr/sbin chroot "$ROOT" "$@"
}

# A collector with a run of the user games and others', whose service is of the user daemon
start_collector() {
    site_records "$DIR/site"
    site_run 019a9f00-7777-7000-8000-000000000001 game 1 '.userT.user = "games"' >>"$SITE/records"
    mkdir -m 700 "$DIR/store"
    site_load "sqlite:$DIR/store/jobtrail.db"
    chown -R daemon: "$DIR/store"
    cp -R "$JOBTRAIL_STAGE" "$DIR/stage"
    munge_start
    answer_conf user=daemon see=own "store=sqlite:$DIR/store/jobtrail.db"
    JOBTRAIL_STAGE=$DIR/stage answer_start setpriv --reuid daemon --regid daemon --clear-groups
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
        "jobtrail-client-$version-1 jobtrail-collector-$version-1 jobtrail-common-$version-1 jobtrail-doc-$version-1 jobtrail-login-$version-1 jobtrail-node-$version-1 jobtrail-runtime-$FORMATS-$version-1" ]]
    # shellcheck disable=SC2046 # words
    run rpmlint -r "${SPEC%.spec}.rpmlintrc" $(packages 1) "$SPEC"
    [[ $status == 0 && $output == *" 0 errors, 0 warnings"* ]] || {
        echo "$output"
        return 1
    }
    # what a program of a job has loaded imports nothing, whatever the flags of the distribution
    [[ $(nm -D "$BUILT$RUNTIME/lib/libjobtrail.so" 2>/dev/null) == "" ]]
}

@test "a user on a machine with the client's package alone asks the collector's service" {
    start_collector
    # shellcheck disable=SC2046
    rpm --root "$ROOT" -i --nodeps $(packages 1 | grep -E '/jobtrail-(client|common|runtime)')
    [[ ! -e $ROOT/usr/bin/jobtrail-load ]]
    mkdir -p "$ROOT$MUNGE"
    mount --bind "$MUNGE" "$ROOT$MUNGE"
    : >"$ROOT/dev/null"
    mount --bind /dev/null "$ROOT/dev/null"
    cp -p "$ROOT/etc/jobtrail/jobtrail.conf" "$DIR/conf"
    cat "$MUNGE/jobtrail.conf" >"$ROOT/etc/jobtrail/jobtrail.conf"
    [[ $(in_root setpriv --reuid games --regid games --clear-groups jobtrail-acct -n -P -S 2024-01-01 -o user,exec) == "games|game" ]]
    run in_root setpriv --reuid games --regid games --clear-groups jobtrail-report users --csv -S 2024-01-01 -E 2024-12-31
    [[ $status == 0 && $output == *games* && $output != *alice* ]]
    cat "$DIR/conf" >"$ROOT/etc/jobtrail/jobtrail.conf"
    touch -r "$DIR/conf" "$ROOT/etc/jobtrail/jobtrail.conf"
    umount "$ROOT$MUNGE" "$ROOT/dev/null"
    rm -d "$ROOT$MUNGE"
    answer_stop
}

@test "installed, the files are whole, the units enabled, the plugin in plugstack.conf.d" {
    # shellcheck disable=SC2046
    rpm --root "$ROOT" -i --nodeps $(packages 1 | grep -vE '/jobtrail-(client|common|runtime)')
    # the compiled policy and the line for Slurm are made by the packages, and belong to none
    [[ $(rpm --root "$ROOT" -Va --nodeps) == "" ]]
    for timer in send load slurm; do is_enabled "jobtrail-$timer.timer"; done
    [[ -L $ROOT/etc/systemd/system/multi-user.target.wants/jobtrail-answer.service ]]
    [[ $(in_root stat -c %U:%G:%a:%s /var/lib/jobtrail/jobtrail.db) == root:jobtrail:640:0 ]]
    [[ -e $ROOT/usr/lib/systemd/system/jobtrail-libmon.timer && -e $ROOT/usr/lib/systemd/system/jobtrail-libmon.service ]]
    [[ -e $ROOT/usr/lib/systemd/system/jobtrail-libwatch.service && ! -L $ROOT/etc/systemd/system/multi-user.target.wants/jobtrail-libwatch.service ]]
    # a site enables it on one host
    [[ ! -L $ROOT/etc/systemd/system/timers.target.wants/jobtrail-libmon.timer ]]
    [[ -e $ROOT/usr/lib/systemd/system/jobtrail-alldoc.timer && ! -L $ROOT/etc/systemd/system/timers.target.wants/jobtrail-alldoc.timer ]]
    [[ $(grep -v '^#' "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf") == \
        "optional $RUNTIME/lib/slurm/spank_jobtrail.so conf=/etc/jobtrail/jobtrail.conf" ]]
    in_root jobtrail-conf check
    [[ -s $POLICY ]]
    in_root getent passwd jobtrail
    for program in jobtrail-load jobtrail-acct jobtrail-report jobtrail-submit jobtrail-ps jobtrail-libmon; do
        in_root "$program" --help >/dev/null
    done
    [[ -e $ROOT/usr/share/modulefiles/jobtrail && -e $ROOT/usr/share/modulefiles/jobtrail-ld.lua ]]
}

# What a site has, each file with its mode, owner, time, link and content. The compiled policy is made at each upgrade.
site_files() {
    (cd "$ROOT" && find etc/jobtrail etc/slurm etc/systemd var/lib/jobtrail var/spool/jobtrail ! -type d \
        ! -name 'jobtrail.policy*' ! -name '*.rpmnew' -printf '%p %M %U:%G %l %T@ ' -exec sh -c '[ -f "$1" ] && cksum <"$1" || echo' _ {} \; | sort)
}

@test "an upgrade keeps the configuration, and what the administrator has switched off" {
    # as of an older version
    sed -i '/always_ranks/d' "$ROOT/etc/jobtrail/jobtrail.conf"
    echo "# ours" >>"$ROOT/etc/jobtrail/jobtrail.conf"
    echo JOBTRAIL_LOAD_OPTIONS=--expire=3650 >>"$ROOT/etc/jobtrail/collector.env"
    mkdir -p "$ROOT/etc/systemd/system/jobtrail-load.service.d" "$ROOT/var/lib/jobtrail/outbox/http" "$ROOT/var/spool/jobtrail/records"
    printf '[Service]\nReadWritePaths=/srv\n' >"$ROOT/etc/systemd/system/jobtrail-load.service.d/override.conf"
    echo '{}' | tee "$ROOT/var/lib/jobtrail/outbox/http/a" "$ROOT/var/lib/jobtrail/jobtrail.db" >"$ROOT/var/spool/jobtrail/records/run.json"
    rm "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf" "$ROOT/etc/systemd/system/timers.target.wants/jobtrail-slurm.timer"
    ln -s /usr/lib/systemd/system/jobtrail-libmon.timer "$ROOT/etc/systemd/system/timers.target.wants"
    # newer than jobtrail.conf, and of a version with other defaults
    echo older >"$POLICY"
    touch -d tomorrow "$POLICY"
    # the next release, with another default
    echo "# new" >>"$BUILT/etc/jobtrail/jobtrail.conf"
    sed 's/^Release: 1/Release: 2/' "$SPEC" >"$DIR/jobtrail.spec"
    build -bb --short-circuit --noclean "$DIR/jobtrail.spec" >"$DIR/log" 2>&1
    site_files >"$DIR/before"
    # shellcheck disable=SC2046
    run rpm --root "$ROOT" -U --nodeps $(packages 2)
    echo "$output"
    [[ $status == 0 ]]
    site_files | diff "$DIR/before" -
    rm -r "$ROOT/etc/systemd/system/jobtrail-load.service.d" "$ROOT/var/lib/jobtrail/outbox" "$ROOT/var/lib/jobtrail/jobtrail.db"
    [[ $(rpm --root "$ROOT" -qa --qf '%{release}\n' | sort -u) == 2 ]]
    [[ $(cat "$POLICY") != older ]]
    [[ $(tail -n 1 "$ROOT/etc/jobtrail/jobtrail.conf") == "# ours" ]]
    [[ $(tail -n 1 "$ROOT/etc/jobtrail/jobtrail.conf.rpmnew") == "# new" ]]
    [[ ! -e $ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf ]]
    is_enabled jobtrail-send.timer && is_enabled jobtrail-load.timer && is_enabled jobtrail-libmon.timer && ! is_enabled jobtrail-slurm.timer
}

# as a program of a job has it
use_library() {
    chroot "$ROOT" env LD_PRELOAD="$RUNTIME/lib/libjobtrail.so" sleep 1000 3>&- &
    USER_OF_LIBRARY=$!
    until grep -qs libjobtrail "/proc/$USER_OF_LIBRARY/maps"; do kill -0 "$USER_OF_LIBRARY"; sleep 0.05; done
}

@test "what running jobs use cannot be erased while they do" {
    use_library
    run rpm --root "$ROOT" -e --nodeps "jobtrail-runtime-$FORMATS"
    [[ $status != 0 && $output == *"jobtrail-runtime-$FORMATS is in use"* ]]
    [[ -e $ROOT$RUNTIME/lib/slurm/spank_jobtrail.so ]]
    kill "$USER_OF_LIBRARY"
    wait "$USER_OF_LIBRARY" || true
}

# What differs is built in the tree of the first build.
build_other_formats() {
    local options=(--short-circuit --noclean)
    sed -i "s/define JOB_FORMATS $FORMATS/define JOB_FORMATS $NEXT/" "$DIR"/BUILD/*/spank/job_formats.h || return
    sed -e 's/^Release: 1/Release: 3/' -e "s/^%global formats $FORMATS/%global formats $NEXT/" "$SPEC" >"$DIR/jobtrail.spec"
    build -bc "${options[@]}" "$DIR/jobtrail.spec" || return
    find "$DIR/BUILD" -type d -name parts -prune -exec rm -r {} +
    find "$DIR/BUILD" -name '*.files' -delete
    build -bi "${options[@]}" "$DIR/jobtrail.spec" || return
    build -bb "${options[@]}" "$DIR/jobtrail.spec"
}

@test "an upgrade to other formats leaves running jobs their runtime until they have ended" {
    build_other_formats >"$DIR/log" 2>&1 || {
        tail -n 40 "$DIR/log"
        false
    }
    in_root /usr/libexec/jobtrail/jobtrail-plugstack on
    grep -q " /usr/lib/jobtrail/$FORMATS/" "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf"
    use_library
    # shellcheck disable=SC2046
    rpm --root "$ROOT" -U --nodeps $(packages 3)
    [[ $(rpm --root "$ROOT" -qa 'jobtrail-runtime-*' --qf '%{name} %{release}\n' | sort) == "jobtrail-runtime-$FORMATS 2"$'\n'"jobtrail-runtime-$NEXT 3" ]]
    [[ -z $(rpm --root "$ROOT" -V --nodeps "jobtrail-runtime-$FORMATS" "jobtrail-runtime-$NEXT") ]]
    grep -q " /usr/lib/jobtrail/$NEXT/" "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf"
    [[ -s $ROOT/etc/jobtrail/jobtrail.policy.$NEXT && $(in_root readlink -f /usr/bin/jobtrail-submit) == "/usr/lib/jobtrail/$NEXT/"* ]]
    run rpm --root "$ROOT" -e --nodeps "jobtrail-runtime-$FORMATS"
    [[ $status != 0 && $output == *"jobtrail-runtime-$FORMATS is in use"* ]]
    kill "$USER_OF_LIBRARY"
    wait "$USER_OF_LIBRARY" || true
    rpm --root "$ROOT" -e "jobtrail-runtime-$FORMATS"
    [[ ! -e $ROOT$RUNTIME && -e $ROOT/usr/lib/jobtrail/$NEXT/lib/libjobtrail.so ]]
}

@test "what was switched off stays so when the packages are erased and installed again" {
    in_root /usr/libexec/jobtrail/jobtrail-plugstack off
    rpm --root "$ROOT" -e --nodeps jobtrail-node
    # shellcheck disable=SC2046
    run rpm --root "$ROOT" -i --nodeps $(packages 3 | grep /jobtrail-node)
    [[ $status == 0 && $output == *"was switched off and stays so"* ]]
    [[ $(ls -A "$ROOT/etc/slurm/plugstack.conf.d") == .jobtrail.conf.off ]]
}

@test "erased, nothing is left but the administrator's configuration" {
    in_root /usr/libexec/jobtrail/jobtrail-plugstack on
    # made again at any time, by this version and by one with other formats; and somebody's
    touch "$ROOT/etc/jobtrail/jobtrail.policy.$((FORMATS + 1))" "$ROOT/etc/jobtrail/site.policy" "$ROOT/var/lib/jobtrail/hashes.$((FORMATS + 1))"
    mkdir -p "$ROOT/var/spool/jobtrail/records" "$ROOT/var/lib/jobtrail/libraries" "$ROOT/var/log/jobtrail/libraries"
    echo '{}' >"$ROOT/var/spool/jobtrail/records/run.json"
    touch "$ROOT"/var/lib/jobtrail/{flush.lock,broken_flushes,libraries/{lock,libraries.db,watch,who}} "$ROOT/var/log/jobtrail/libraries/x.log"
    # shellcheck disable=SC2046
    rpm --root "$ROOT" -e $(rpm --root "$ROOT" -qa)
    left=$(find "$ROOT/etc" "$ROOT/usr" "$ROOT/var/lib/jobtrail" "$ROOT/var/spool" -name '*jobtrail*' -printf '%P\n' 2>/dev/null | sort | paste -sd ' ')
    echo "$left"
    [[ $left == \
        "jobtrail jobtrail jobtrail/jobtrail.conf.rpmnew jobtrail/jobtrail.conf.rpmsave slurm/plugstack.conf.d/.jobtrail.conf.removed" ]]
    [[ $(tail -n 1 "$ROOT/etc/jobtrail/jobtrail.conf.rpmsave") == "# ours" ]]
    [[ -e $ROOT/var/spool/jobtrail/records/run.json && -e $ROOT/etc/jobtrail/site.policy ]]
    [[ $(find "$ROOT/var/lib/jobtrail" -name '*.lock' -o -name 'broken*' -o -name 'hashes*' -o -path '*/libraries*') == "" ]]
    [[ -e $ROOT/var/log/jobtrail/libraries/x.log ]]
}
