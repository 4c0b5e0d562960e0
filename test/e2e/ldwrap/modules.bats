#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What puts the linker wrapper in front: the modulefiles and the profile script.

load ../fixture/job
load ../fixture/links

# Lmod and Environment Modules conflict as packages: here are their files.
setup_file() {
    for package in lmod environment-modules; do
        "$JOBTRAIL_SOURCE/test/debian-source" "$JOBTRAIL_BUILD/test/debian-source" --binary $package
    done
}

setup() {
    new_links
    # The files name the directory that was configured; the stage is another.
    cp -R "$JOBTRAIL_STAGE/share/jobtrail" share
    configured=$(sed -n 's/^local linkers = "\(.*\)"/\1/p' share/modulefiles/lmod/jobtrail-ld.lua)
    [[ $configured == /*/libexec/jobtrail/ld ]]
    find share -type f -exec sed -i "s,$configured,$LD_DIRECTORY,g" {} +
}

# links_once SCRIPT: a shell with nothing set that has run it links by the wrapper, and the record is there
links_once() {
    rm -rf "$RECORDS"
    env -i HOME="$BATS_TEST_TMPDIR/home" USER=builder PATH=/usr/bin:/bin JOBTRAIL_CONF="$CONF" bash -c "$1"$'\n'"${2-gcc hello.c -o made}"
    recorded_as "$(mark made Build_UUID)"
}

keeps_the_users_no() {
    run -0 env -i PATH=/usr/bin:/bin XALT_EXECUTABLE_TRACKING=no bash -c "$module; module load jobtrail-ld
        echo \"\$XALT_EXECUTABLE_TRACKING\"; module unload jobtrail-ld; echo \"\$XALT_EXECUTABLE_TRACKING\""
    [[ $output == $'no\nno' ]]
}

@test "Lmod's modulefile" {
    lmod=$(echo "$JOBTRAIL_BUILD"/test/debian-source/lmod/usr/share/lmod/8*/libexec)
    module="module() { eval \"\$(LMOD_DIR=$lmod MODULEPATH=$PWD/share/modulefiles/lmod lua5.3 $lmod/lmod bash \"\$@\")\"; }"
    links_once "$module; module load jobtrail-ld"
    links_once "$module; module load jobtrail-ld; module load jobtrail-ld" 'clang -fuse-ld=lld hello.c -o made'
    run -0 env -i PATH=/usr/bin:/bin bash -c "$module; before=\$PATH; module load jobtrail-ld; module unload jobtrail-ld
        echo \"\${COMPILER_PATH-none} \${XALT_EXECUTABLE_TRACKING-none}\"; [[ \$PATH == \"\$before\" ]]"
    [[ $output == "none none" ]]
    keeps_the_users_no
}

@test "Environment Modules' modulefile" {
    command=$(find "$JOBTRAIL_BUILD/test/debian-source/environment-modules" -name modulecmd.tcl -path '*linux-gnu*')
    module="module() { eval \"\$(MODULEPATH=$PWD/share/modulefiles/tcl tclsh8.6 $command sh \"\$@\")\"; }"
    links_once "$module; module load jobtrail-ld"
    run -0 env -i PATH=/usr/bin:/bin bash -c "$module; before=\$PATH; module load jobtrail-ld; module unload jobtrail-ld
        echo \"\${COMPILER_PATH-none} \${XALT_EXECUTABLE_TRACKING-none}\"; [[ \$PATH == \"\$before\" ]]"
    [[ $output == "none none" ]]
    keeps_the_users_no
}

@test "the profile script: once, in any shell, and the user's word stands" {
    links_once ". share/profile.d/jobtrail-ld.sh"
    # shellcheck disable=SC2016
    run -0 env -i PATH=/usr/bin:/bin COMPILER_PATH=/mine sh -eu -c \
        '. share/profile.d/jobtrail-ld.sh; . share/profile.d/jobtrail-ld.sh; echo "$PATH $COMPILER_PATH $XALT_EXECUTABLE_TRACKING"'
    [[ $output == "$LD_DIRECTORY:/usr/bin:/bin $LD_DIRECTORY:/mine yes" ]]
    # shellcheck disable=SC2016
    run -0 env -i PATH=/usr/bin:/bin XALT_EXECUTABLE_TRACKING=no sh -c '. share/profile.d/jobtrail-ld.sh; echo "$XALT_EXECUTABLE_TRACKING"'
    [[ $output == no ]]
}
