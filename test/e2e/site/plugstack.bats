#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-plugstack, which packages call: what it does with the file that names the plugin, and where it cannot.

setup() {
    ETC=$BATS_TEST_TMPDIR/slurm FILE=$BATS_TEST_TMPDIR/slurm/plugstack.conf.d/jobtrail.conf
    PROGRAM=$(realpath "$JOBTRAIL_STAGE/libexec/jobtrail/jobtrail-plugstack")
    export JOBTRAIL_SLURM_ETC=$ETC
    mkdir "$ETC"
    echo "include $ETC/plugstack.conf.d/*.conf" >"$ETC/plugstack.conf"
}

plugstack() {
    "$PROGRAM" "$@"
}

older() { # a line of another runtime's
    sed -n 's/^PACKAGES=\(.*\)/optional \1\/77\/lib\/slurm\/spank_jobtrail.so # ours/p' "$PROGRAM"
}

names_the_plugin() {
    grep -qxF "optional $(sed -n 's/^PLUGIN=//p' "$PROGRAM") # ours" "$FILE"
}

# What Slurm finds, also by the pattern *
seen() {
    (cd "$ETC/plugstack.conf.d" && printf '%s\n' *)
}

@test "off stays off when a package is upgraded, and what a removal took out comes back" {
    plugstack on
    echo "# ours" >>"$FILE"
    plugstack off
    plugstack renew
    [[ $(seen) == '*' ]]
    # removed and installed again
    plugstack removed
    plugstack renew
    [[ $(seen) == '*' ]]
    run plugstack installed
    [[ $status == 0 && $output == "jobtrail: $FILE was switched off and stays so; switch it on with: "*"jobtrail-plugstack on" ]]
    [[ $(seen) == '*' ]]
    plugstack on
    [[ $(seen) == jobtrail.conf && $(tail -n 1 "$FILE") == "# ours" ]]
    plugstack removed
    [[ $(seen) == '*' ]]
    plugstack installed
    [[ $(seen) == jobtrail.conf && $(tail -n 1 "$FILE") == "# ours" ]]
    plugstack removed
    plugstack renew
    [[ $(seen) == jobtrail.conf && $(tail -n 1 "$FILE") == "# ours" ]]
}

@test "an installation makes a file where none is there, also where one was made before it was removed by hand" {
    plugstack installed
    [[ $(seen) == jobtrail.conf ]]
    rm "$FILE"
    plugstack renew
    [[ $(seen) == '*' ]]
    plugstack installed
    [[ $(seen) == jobtrail.conf ]]
}

@test "a renewed file is readable for users, and a link stays one" {
    plugstack on
    mkdir "$ETC/site"
    older >"$ETC/site/ours.conf"
    ln -sf ../site/ours.conf "$FILE"
    umask 077
    plugstack renew
    names_the_plugin
    [[ -L $FILE && $(stat -c %a "$ETC/site/ours.conf") == 644 && $(ls -A "$ETC/site") == ours.conf ]]
    rm "$FILE"
    older >"$FILE"
    plugstack renew
    names_the_plugin
    [[ $(stat -c %a "$FILE") == 644 ]]
}

# bats test_tags=needs:root
@test "where the directory is read-only, what must change is told, and what need not change is no error" {
    plugstack on
    # shellcheck disable=SC2016 # for the inner shell
    read_only() { # COMMAND...
        unshare --mount bash -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && "$@"' bash "$ETC" "$PROGRAM" "$@"
    }
    read_only renew
    run read_only removed
    [[ $status == 1 && $output == *"cannot change $FILE"* ]]
    [[ $(JOBTRAIL_PLUGSTACK=keep read_only removed) == "" ]]
    older >"$FILE"
    run read_only renew
    [[ $status == 1 && $output == *"cannot change $FILE"* ]]
    [[ $(cat "$FILE") == "$(older)" ]]
    rm -r "$ETC/plugstack.conf.d"
    ln -s nowhere "$ETC/plugstack.conf.d"
    run plugstack on
    [[ $status == 1 && $output == *"cannot change $FILE"* ]]
    plugstack renew
    plugstack removed
}
