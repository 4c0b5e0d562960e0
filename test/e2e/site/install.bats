#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# cmake --install, again over what a site has made of it, and jobtrail-uninstall.
# shellcheck disable=SC2030,SC2031 # bats runs each test in a subshell

bats_require_minimum_version 1.5.0

install_into() { # PREFIX
    cmake --install "$JOBTRAIL_BUILD" --prefix "$1" >"$BATS_TEST_TMPDIR/said"
}

setup() {
    PREFIX=$BATS_TEST_TMPDIR/jobtrail-0.1.0
    DIRECTORY=$PREFIX/etc/jobtrail
}

# Each file below DIR...: name, kind, mode, owner, time, where a link leads, content
state_of() { # DIR...
    find "$@" -printf '%p %M %U:%G %T@ %l\n' | sort
    find "$@" -type f -print0 | sort -z | xargs -0 sha256sum
}

# What a site has below one prefix, with keys of its own version alone
make_site() {
    local directory
    printf '[site]\ncluster = ours\n[spool]\ndir = %s/spool/%%n\nsessions = %s/sessions\n[submit]\nstate = %s/state\n[file]\ndir = %s/records\n[redact]\nhide = name:secret\n[libraries]\nlogs = %s/logs\nstate = %s/seen\n' \
        "$PREFIX" "$PREFIX" "$PREFIX" "$PREFIX" "$PREFIX" "$PREFIX" >"$DIRECTORY/jobtrail.conf"
    echo 'JOBTRAIL_LOAD_OPTIONS=--expire=3650' >"$DIRECTORY/collector.env"
    (umask 077 && echo key >"$DIRECTORY/key")
    for directory in "spool/$(uname -n)/12.0" state/outbox/http records units/jobtrail-load.service.d; do
        mkdir -p "$PREFIX/$directory"
        echo '{}' >"$PREFIX/$directory/file"
    done
    chmod 700 "$PREFIX/state"
    ln -s "$PREFIX/share/jobtrail/jobtrail-load.timer" "$PREFIX/units/jobtrail-load.timer"
    "$PREFIX/bin/jobtrail-conf" compile --conf "$DIRECTORY/jobtrail.conf" >/dev/null
}

@test "the first installation makes jobtrail.conf, with an example beside it that is the same" {
    install_into "$PREFIX"
    cmp "$DIRECTORY/jobtrail.conf" "$DIRECTORY/jobtrail.conf.example"
    "$PREFIX/bin/jobtrail-conf" check --conf "$DIRECTORY/jobtrail.conf"
}

@test "another installation leaves what the site has edited alone, and renews the example" {
    install_into "$PREFIX"
    printf '[site]\ncluster = ours\n' >"$DIRECTORY/jobtrail.conf"
    chmod 600 "$DIRECTORY/jobtrail.conf"
    echo old >"$DIRECTORY/jobtrail.conf.example"
    install_into "$PREFIX"
    [[ $(cat "$DIRECTORY/jobtrail.conf") == $'[site]\ncluster = ours' ]]
    [[ $(stat -c %a "$DIRECTORY/jobtrail.conf") == 600 ]]
    grep -q "Left alone: $DIRECTORY/jobtrail.conf" "$BATS_TEST_TMPDIR/said"
    grep -q '^#dir = /run/jobtrail' "$DIRECTORY/jobtrail.conf.example"
}

@test "a configuration that is a link stays one, also while what it leads to is not there" {
    mkdir -p "$DIRECTORY"
    ln -s "$BATS_TEST_TMPDIR/shared/jobtrail.conf" "$DIRECTORY/jobtrail.conf"
    install_into "$PREFIX"
    [[ $(readlink "$DIRECTORY/jobtrail.conf") == "$BATS_TEST_TMPDIR/shared/jobtrail.conf" ]]
}

@test "with DESTDIR what is there counts, not what this machine has at the same place" {
    install_into "$PREFIX"
    DESTDIR=$BATS_TEST_TMPDIR/package install_into "$PREFIX"
    cmp "$BATS_TEST_TMPDIR/package$DIRECTORY/jobtrail.conf" "$DIRECTORY/jobtrail.conf.example"
    echo '# packaged' >"$BATS_TEST_TMPDIR/package$DIRECTORY/jobtrail.conf"
    rm "$DIRECTORY/jobtrail.conf"
    DESTDIR=$BATS_TEST_TMPDIR/package install_into "$PREFIX"
    [[ $(cat "$BATS_TEST_TMPDIR/package$DIRECTORY/jobtrail.conf") == "# packaged" ]]
    [[ ! -e $DIRECTORY/jobtrail.conf ]]
}

@test "nothing else that is installed is a site's to edit where it lies" {
    install_into "$PREFIX"
    [[ $(cd "$PREFIX" && find etc -type f | sort | paste -sd ' ') == "etc/jobtrail/jobtrail.conf etc/jobtrail/jobtrail.conf.example" ]]
}

@test "over an older version everything of the site's stays to the byte, and that is said" {
    install_into "$PREFIX"
    make_site
    site=("$DIRECTORY"/{jobtrail.conf,jobtrail.policy,collector.env,key} "$PREFIX"/{spool,state,records,units})
    state_of "${site[@]}" >"$BATS_TEST_TMPDIR/before"
    install_into "$PREFIX"
    state_of "${site[@]}" | diff "$BATS_TEST_TMPDIR/before" -
    cat "$BATS_TEST_TMPDIR/said"
    grep -q "Left alone: $DIRECTORY/jobtrail.conf\$" "$BATS_TEST_TMPDIR/said"
}

@test "uninstalled, only what the site has made is left, and what stays is said" {
    install_into "$PREFIX"
    # of a version before
    mkdir "$PREFIX/share/jobtrail/old"
    touch "$PREFIX/share/jobtrail/old/file"
    echo "$PREFIX/share/jobtrail/old/file" >>"$PREFIX/share/jobtrail/installed"
    install_into "$PREFIX"
    make_site
    python3 -m compileall -q "$PREFIX/libexec"
    [[ -n $(find "$PREFIX/libexec" -name '*.pyc') ]]
    touch "$PREFIX/bin/ours"
    mkdir "$PREFIX/logs" "$PREFIX/seen"
    rm -r "$PREFIX/spool"
    state_of "$PREFIX"/{state,records,units} >"$BATS_TEST_TMPDIR/before"
    "$PREFIX/libexec/jobtrail/jobtrail-uninstall" --dry-run >"$BATS_TEST_TMPDIR/dry"
    grep -qx "$PREFIX/bin/jobtrail-conf" "$BATS_TEST_TMPDIR/dry"
    [[ $(cat "$BATS_TEST_TMPDIR/dry") != */jobtrail.conf$'\n'* && -x $PREFIX/bin/jobtrail-conf ]]
    run "$PREFIX/libexec/jobtrail/jobtrail-uninstall"
    echo "$output"
    [[ $status == 0 ]]
    for path in "$DIRECTORY" "$PREFIX"/{state,records,logs,seen}; do [[ $output == *"$path stays"* ]]; done
    state_of "$PREFIX"/{records,units} | diff <(grep -v "^[^/]*$PREFIX/state\|  $PREFIX/state" "$BATS_TEST_TMPDIR/before") -
    [[ $(cd "$PREFIX" && find . ! -type d ! -path './state/*' | sort | paste -sd ' ') == \
        "./bin/ours ./etc/jobtrail/collector.env ./etc/jobtrail/jobtrail.conf ./etc/jobtrail/jobtrail.policy ./etc/jobtrail/key ./records/file ./units/jobtrail-load.service.d/file ./units/jobtrail-load.timer" ]]
    [[ -e $PREFIX/state/outbox/http/file && ! -e $PREFIX/lib && ! -e $PREFIX/share ]]
}

@test "what is uninstalled lies in the prefix of the program that is called: a copy, or below DESTDIR" {
    local copy=$BATS_TEST_TMPDIR/copy
    install_into "$PREFIX"
    make_site
    DESTDIR=$BATS_TEST_TMPDIR/package install_into "$PREFIX"
    run ! grep '^/' "$PREFIX/share/jobtrail/installed"
    "$BATS_TEST_TMPDIR/package$PREFIX/libexec/jobtrail/jobtrail-uninstall" --dry-run >"$BATS_TEST_TMPDIR/dry"
    [[ -s $BATS_TEST_TMPDIR/dry ]]
    run ! grep -v "^$BATS_TEST_TMPDIR/package$PREFIX/" "$BATS_TEST_TMPDIR/dry"
    rm -r "$PREFIX/spool"
    cp -a "$PREFIX" "$copy"
    # parts of the copy that are not its own, and lines that lead out of it
    rm -r "$copy/share/man"
    ln -s "$PREFIX/share/man" "$copy/share/man"
    printf '%s\n' "$PREFIX/bin/jobtrail-conf" "../${PREFIX##*/}/bin/jobtrail-acct" >>"$copy/share/jobtrail/installed"
    state_of "$PREFIX"/{bin,etc,lib,libexec,share,records,units} >"$BATS_TEST_TMPDIR/before"
    run "$copy/libexec/jobtrail/jobtrail-uninstall"
    echo "$output"
    [[ $status == 0 && ! -e $copy/libexec/jobtrail && ! -e $copy/bin/jobtrail-conf && -e $copy/etc/jobtrail/jobtrail.conf ]]
    [[ $output == *" $PREFIX/bin/jobtrail-conf stays;"* && $output == *" $copy/share/man/"*" stays;"* ]]
    state_of "$PREFIX"/{bin,etc,lib,libexec,share,records,units} | diff "$BATS_TEST_TMPDIR/before" -
}

# jobtrail-uninstall refuses for this file of Slurm.
refused() { # WHERE
    run in_host "$PREFIX/libexec/jobtrail/jobtrail-uninstall"
    echo "$1: $output"
    [[ $status == 1 && $output == *"remove the line of the plugin from $1, and"* && -e $PREFIX/bin/jobtrail-conf ]]
}

# With $BATS_TEST_TMPDIR/host/{etc,run} as /etc/slurm and /run
in_host() { # COMMAND...
    # shellcheck disable=SC2016 # for the shell that is started
    HOST=$BATS_TEST_TMPDIR/host unshare --mount sh -c \
        'mount --bind "$HOST/etc" /etc/slurm && mount --bind "$HOST/run" /run && exec "$@"' - "$@"
}

# bats test_tags=needs:root
@test "Slurm's files are read as Slurm reads them to see whether they name the plugin of this prefix" {
    local host=$BATS_TEST_TMPDIR/host name plugin
    unset SLURM_CONF
    install_into "$PREFIX"
    make_site
    plugin=$(find "$PREFIX/lib" -name spank_jobtrail.so)
    mkdir -p "$host"/etc/more "$host"/run/slurm/conf "$BATS_TEST_TMPDIR"/{plugins,site}
    ln -s "$PREFIX" "$BATS_TEST_TMPDIR/current"
    ln -s "$plugin" "$BATS_TEST_TMPDIR/plugins/trail.so"
    for name in "optional $plugin" "  required	${plugin/lib\//lib//} conf=/x" "optional \"$plugin\"" "REQUIRED $BATS_TEST_TMPDIR/current/${plugin#"$PREFIX"}" \
        "optional $BATS_TEST_TMPDIR/plugins/trail.so" "required spank_jobtrail.so"; do
        echo "$name # of ours" >"$host/etc/plugstack.conf"
        refused /etc/slurm/plugstack.conf
    done
    echo "optional trail.so" >"$host/etc/plugstack.conf"
    echo "ClusterName=x PluginDir=/usr/lib/slurm:$BATS_TEST_TMPDIR/plugins" >"$host/etc/slurm.conf"
    refused /etc/slurm/plugstack.conf
    rm "$host"/etc/*.conf
    for name in 'include /etc/slurm/more/*.conf' 'Include more/*' '  include /etc/slurm/m*'; do
        echo "$name" >"$host/etc/plugstack.conf"
        echo "optional $plugin" >"$host/etc/more/one.conf"
        refused /etc/slurm/more/one.conf
    done
    # a file that includes itself ends
    printf 'include *.conf\ninclude more/*.conf\n' >"$host/etc/plugstack.conf"
    refused /etc/slurm/more/one.conf
    rm -r "${host:?}/etc"
    mkdir "$host/etc"
    echo "optional $plugin" | tee "$BATS_TEST_TMPDIR/site/stack" >"$host/run/slurm/conf/plugstack.conf"
    refused /run/slurm/conf/plugstack.conf
    rm "$host/run/slurm/conf/plugstack.conf"
    echo "include /etc/slurm/part" >"$host/etc/slurm.conf"
    echo "plugstackconfig = $BATS_TEST_TMPDIR/site/stack # ours" >"$host/etc/part"
    refused "$BATS_TEST_TMPDIR/site/stack"
    # comments, and another's plugins
    cp "$plugin" "$BATS_TEST_TMPDIR/plugins/spank_jobtrail.so"
    echo "PluginDir=$BATS_TEST_TMPDIR/plugins" >"$host/etc/slurm.conf"
    printf '%s\n' "#optional $plugin" " # required spank_jobtrail.so" "optional spank_jobtrail.so" \
        "optional $BATS_TEST_TMPDIR/other/lib/slurm/spank_jobtrail.so" >"$host/etc/plugstack.conf"
    run in_host "$PREFIX/libexec/jobtrail/jobtrail-uninstall"
    echo "$output"
    [[ $status == 0 && ! -e $PREFIX/bin/jobtrail-conf ]]
}

@test "nothing is uninstalled that Slurm or a program of a job has in use" {
    install_into "$PREFIX"
    mkdir "$BATS_TEST_TMPDIR/slurm"
    export SLURM_CONF=$BATS_TEST_TMPDIR/slurm/slurm.conf
    echo "optional $PREFIX/lib/slurm/spank_jobtrail.so" >"$BATS_TEST_TMPDIR/slurm/plugstack.conf"
    run "$PREFIX/libexec/jobtrail/jobtrail-uninstall"
    [[ $status == 1 && $output == *"remove the line of the plugin from $BATS_TEST_TMPDIR/slurm/plugstack.conf"* ]]
    sed -i 's/^/#/' "$BATS_TEST_TMPDIR/slurm/plugstack.conf"
    library=$(find "$PREFIX/lib" -name libjobtrail.so | head -n 1)
    LD_PRELOAD=$library sleep 1000 3>&- &
    user=$!
    until grep -qs libjobtrail "/proc/$user/maps"; do kill -0 "$user"; sleep 0.05; done
    run "$PREFIX/libexec/jobtrail/jobtrail-uninstall"
    kill "$user"
    wait "$user" || true
    [[ $status == 1 && $output == *"have the library"*" $user" && -e $library ]]
}

@test "each program says its version" {
    local program version
    version=$(sed -n 's/^project(jobtrail VERSION \([0-9.]*\).*/\1/p' "$JOBTRAIL_SOURCE/CMakeLists.txt")
    for program in "$JOBTRAIL_STAGE"/bin/*; do
        [ "$("$program" --version)" = "${program##*/} $version" ]
    done
}

@test "programs and manual pages of another prefix are found by profile.d and by the module" {
    cd "$BATS_TEST_TMPDIR"
    export MANPATH='' bin=$JOBTRAIL_STAGE/bin
    sed "s|/usr/local|$JOBTRAIL_STAGE|g" "$JOBTRAIL_STAGE/share/jobtrail/profile.d/jobtrail.sh" >profile
    mkdir modules
    sed "s|/usr/local|$JOBTRAIL_STAGE|g" "$JOBTRAIL_STAGE/share/jobtrail/modulefiles/jobtrail-tools" >modules/jobtrail-tools
    # shellcheck disable=SC2016 # for the shell that is started
    for how in '. ./profile; . ./profile' '. /usr/share/modules/init/sh; module use "$PWD/modules"; module load jobtrail-tools'; do
        for manpath in 'unset MANPATH' 'MANPATH=/usr/share/man' 'MANPATH=/opt/man:'; do
            run sh -c "$manpath; $how"'; command -v jobtrail-acct; man -w 1 jobtrail-acct; man -w 1 ls; echo "$PATH"'
            echo "$how, $manpath: $output"
            [[ ${lines[0]} == "$bin/jobtrail-acct" && ${lines[1]} == "$JOBTRAIL_STAGE/share/man/"*jobtrail-acct.1* && ${lines[2]} == /usr/share/man/*ls.1* ]]
            [[ $(tr : '\n' <<<"$output" | grep -cx "$bin") == 1 ]]
        done
    done
}

# bats test_tags=needs:root
@test "systemd makes the spool's directory at boot, and leaves what is in it" {
    local rules=$JOBTRAIL_STAGE/lib/tmpfiles.d/jobtrail-node.conf
    systemd-tmpfiles --create --root="$BATS_TEST_TMPDIR" "$rules"
    [[ $(stat -c '%a %U' "$BATS_TEST_TMPDIR/run/jobtrail") == "711 root" ]]
    mkdir "$BATS_TEST_TMPDIR/run/jobtrail/12.0"
    systemd-tmpfiles --create --clean --remove --root="$BATS_TEST_TMPDIR" "$rules"
    [[ -d $BATS_TEST_TMPDIR/run/jobtrail/12.0 ]]
}

# bats test_tags=needs:root
@test "systemd removes profiles of a site's directory when they are old, and no others" {
    local kept=$BATS_TEST_TMPDIR/var/lib/jobtrail/profiles rules=$JOBTRAIL_STAGE/lib/tmpfiles.d/jobtrail-node.conf
    systemd-tmpfiles --create --clean --root="$BATS_TEST_TMPDIR" "$rules"
    [[ ! -e $kept ]] # nobody has made it
    mkdir -p "$kept/1000"
    touch "$kept/1000/1.0.0.n1.profile"
    systemd-tmpfiles --create --clean --root="$BATS_TEST_TMPDIR" "$rules"
    [[ -e $kept/1000/1.0.0.n1.profile ]]
    sed 's/ 90d$/ 0/' "$rules" >"$BATS_TEST_TMPDIR/now.conf" # nobody can set the time of a change
    systemd-tmpfiles --create --clean --root="$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/now.conf"
    [[ -d $kept && ! -e $kept/1000/1.0.0.n1.profile && -d $BATS_TEST_TMPDIR/run/jobtrail ]]
}

@test "systemd takes the units of another prefix" {
    mkdir "$BATS_TEST_TMPDIR/units"
    for unit in "$JOBTRAIL_STAGE"/share/jobtrail/*.{service,timer}; do
        sed "s|/usr/local/|$JOBTRAIL_STAGE/|" "$unit" >"$BATS_TEST_TMPDIR/units/${unit##*/}"
    done
    [[ ! -e $JOBTRAIL_BIN/jobtrail-answer || -e $BATS_TEST_TMPDIR/units/jobtrail-answer.service ]]
    [[ -e $BATS_TEST_TMPDIR/units/jobtrail-load.timer ]]
    [[ ! -e $JOBTRAIL_BIN/jobtrail-libmon || $(cd "$BATS_TEST_TMPDIR/units" && ls jobtrail-{libmon.timer,alldoc.timer,libwatch.service}) ]]
    run systemd-analyze verify --man=no "$BATS_TEST_TMPDIR"/units/*
    echo "$output"
    [[ $status == 0 && -z $output ]]
}
