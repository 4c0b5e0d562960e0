#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What we load into a host, looked at as a file: what it asks of the host and what it shows to it.

LIBRARY=$JOBTRAIL_STAGE/lib/libjobtrail.so
PLUGIN=$JOBTRAIL_STAGE/lib/slurm/spank_jobtrail.so

@test "the preload library has no dynamic symbol at all" {
    [[ $(nm -D "$LIBRARY" 2>/dev/null) == "" ]]
    # One entry: the reserved one that every table starts with.
    [[ $(readelf --dyn-syms -W "$LIBRARY" | sed -n 's/.* contains \([0-9]*\) entr.*/\1/p') == 1 ]]
}

@test "the code of each preload library is at the start of its file, and its data is not, and stays writable" {
    local library libraries
    mapfile -t libraries < <(find "$JOBTRAIL_STAGE" -type f -name libjobtrail.so)
    [[ ${#libraries[@]} -ge 2 ]]
    for library in "${libraries[@]}"; do
        run readelf -lW "$library"
        [[ $(awk '$1 == "LOAD" { print $2 ~ /^0x0+$/, /R E/, / RW / }' <<<"$output") == $'1 1 0\n0 0 1' && $output != *GNU_RELRO* ]] ||
            { echo "$library"; false; }
    done
}

@test "the preload library needs no other library" {
    run readelf -dW "$LIBRARY"
    [[ $status == 0 && $output == *INIT_ARRAY* && $output == *FINI_ARRAY* ]]
    [[ $output != *NEEDED* && $output != *TEXTREL* && $output != *RPATH* && $output != *RUNPATH* ]]
}

# bats test_tags=needs:profile
@test "the library for profiles has what instrumented functions call, and dlclose(), and needs nothing" {
    local library=$JOBTRAIL_STAGE/lib/libjobtrail-profile.so
    [[ $(nm -D --defined-only "$library" | awk '{ print $3 }') == $'__cyg_profile_func_enter\n__cyg_profile_func_exit\ndlclose' ]]
    [[ $(nm -D --undefined-only "$library") == "" ]]
    run readelf -dlW "$library"
    [[ $status == 0 && $output == *INIT_ARRAY* && $output != *NEEDED* && $output != *TEXTREL* && $output != *RWE* ]]
    [[ $(nm --defined-only --extern-only "$JOBTRAIL_STAGE/lib/jobtrail/startup/profile-$(uname -m).a" | awk 'NF == 3 { print $3 }') == \
        $'__cyg_profile_func_enter\n__cyg_profile_func_exit' ]]
}

@test "the preload library has no TLS, and nothing that is writable and executable" {
    run readelf -lW "$LIBRARY"
    [[ $status == 0 && $output == *LOAD* ]]
    [[ $output != *TLS* && $output != *RWE* && $output != *INTERP* ]]
    [[ $output == *GNU_STACK* ]]
}

@test "the plugin exports what Slurm, other versions of it and the doctor look up, and nothing else" {
    [[ $(nm -D --defined-only "$PLUGIN" | awk '{ print $3 }' | grep -vE '^(jobtrail_hand_over|jobtrail_slurm_releases|jobtrail_slurm_untested|plugin_name|plugin_type|plugin_version|spank_plugin_version|slurm_spank_[a-z_]+)$') == "" ]]
    [[ $(nm -D --defined-only "$PLUGIN" | grep -c ' slurm_spank_') -ge 6 ]]
}

@test "the plugin needs libc alone: no libslurm, no threads" {
    [[ $(readelf -dW "$PLUGIN" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p') == libc.so.6 ]]
    [[ $(nm -D --undefined-only "$PLUGIN") != *pthread* ]]
}

# headers RELEASE: Slurm's, which say that they are of another release
headers() {
    local include=$BATS_TEST_TMPDIR/$1
    mkdir -p "$include"
    cp -R /usr/include/slurm "$include"
    sed -i "s/\(SLURM_VERSION_NUMBER 0x\).*/\1$2/" "$include/slurm/slurm_version.h"
    INCLUDE=$include
}

compile_plugin() {
    cc -D_GNU_SOURCE -fPIC -shared -I"$INCLUDE" -I"$JOBTRAIL_SOURCE" -DJOBTRAIL_CONF='"/c"' -DJOBTRAIL_BIN_FROM_PLUGIN='"b"' \
        "$JOBTRAIL_SOURCE"/spank/{slurm_release,spank_jobtrail}.c -o "$BATS_TEST_TMPDIR/plugin.so" 2>&1
}

@test "the plugin is built for the release of the headers, and says when it does not know it" {
    headers newer 1a0b03 # 26.11.3
    run compile_plugin
    [[ $status == 0 && $output == "" ]]
    [[ $(gdb -batch -ex 'print/x *(unsigned *)&plugin_version' "$BATS_TEST_TMPDIR/plugin.so") == *" = 0x1a0b03" ]]
    # the releases that the tests have run, and that of the headers
    [[ $(gdb -batch -ex 'print/x *(unsigned (*)[4])&jobtrail_slurm_releases' "$BATS_TEST_TMPDIR/plugin.so") == \
        *" = {0x160500, 0x180b00, 0x1a0500, 0x1a0b00}" ]]
    [[ $(gdb -batch -ex 'print/x *(unsigned *)&jobtrail_slurm_untested' "$BATS_TEST_TMPDIR/plugin.so") == *" = 0x1a0b00" ]]
    headers unknown 1b0500 # 27.05
    run compile_plugin
    [[ $status == 0 && $output == *"does not know this release of Slurm"* ]]
    headers old 150b00 # 21.11
    run compile_plugin
    [[ $status != 0 && $output == *"needs Slurm 22.05 or later"* ]]
}

@test "configuring for Slurm releases without the one that is installed warns" {
    local check=$JOBTRAIL_SOURCE/spank/slurm_release.cmake
    run cmake -D SLURM_INCLUDE_DIR=/usr/include -P "$check"
    [[ $status == 0 && $output == *"SPANK plugin for Slurm "* && $output != *Warning* ]]
    # another that the tests have run, and one that they have not
    headers newer 180b03
    run cmake -D SLURM_INCLUDE_DIR="$INCLUDE" -P "$check"
    [[ $status == 0 && $output == *"SPANK plugin for Slurm 22.05, 24.11, 26.05 (headers of 24.11.3)"* && $output != *Warning* ]]
    headers unknown 190b03
    run cmake -D SLURM_INCLUDE_DIR="$INCLUDE" -P "$check"
    [[ $status == 0 && $output == *"SPANK plugin for Slurm 22.05, 24.11, 26.05, 25.11 (headers of 25.11.3)"* && $output != *Warning* ]]
    printf '#!/bin/sh\necho slurm 23.11.4\n' >"$BATS_TEST_TMPDIR/slurmd"
    chmod 755 "$BATS_TEST_TMPDIR/slurmd"
    PATH=$BATS_TEST_TMPDIR:$PATH run cmake -D SLURM_INCLUDE_DIR="$INCLUDE" -P "$check"
    # CMake breaks its lines
    output=$(tr -s '[:space:]' ' ' <<<"$output")
    [[ $status == 0 && $output == *Warning*"is Slurm 23.11, in which the plugin would be inactive"* ]]
}

@test "the library knows the runtimes of containers that the flush knows" {
    sed -n '/names\[\]\[13\]/,/};/p' "$JOBTRAIL_SOURCE/preload/runtime.c" | grep -o '"[^"]*"' | sort >"$BATS_TEST_TMPDIR/known"
    [[ -s $BATS_TEST_TMPDIR/known ]]
    diff "$BATS_TEST_TMPDIR/known" <(
        sed -n '/} runtimes\[\]/,/^    };/p' "$JOBTRAIL_SOURCE/submit/facts/program_name.c" | grep -o ', {.*}}' | grep -o '"[^"]*"' | sort)
}
