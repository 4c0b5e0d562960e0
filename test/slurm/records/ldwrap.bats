#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that were built with the linker wrapper, as jobs.

load ../fixture/cluster

setup_file() {
    export RULES=$'[paths]\nskip = .*/(bash|srun|sleep)\nkeep = .*'
    start_cluster NODES=1
    # An ordinary user builds, on the login node.
    mkdir -m 777 "$DIR/built"
    chmod 1777 "$DIR/records"
    export BUILT=$DIR/built
    cat >"$BUILT/program.c" <<'C'
#include <stdio.h>
int main(int argc, char **argv) { return printf("%d %s\n", argc, argv[0]) < 0; }
C
    build dynamic gcc
    build static gcc -static
    build static-pie gcc -static-pie
}

build() { # NAME COMMAND...
    run_as "$JOB_USER" env JOBTRAIL_CONF="$DIR/jobtrail.conf" XALT_EXECUTABLE_TRACKING=yes \
        PATH="$STAGE/libexec/jobtrail/ld:/usr/bin:/bin" COMPILER_PATH="$STAGE/libexec/jobtrail/ld" \
        "${@:2}" "$BUILT/program.c" -o "$BUILT/$1"
}

# The record of the link that made this program: jq's PATH in it
link_field() { # NAME PATH
    find "$DIR/records" "$DIR/home" -name 'link.*.json' -exec cat {} + |
        jq --slurp --raw-output --arg path "$BUILT/$1" \
            "map(select(.resultT.exec_path == \$path)) | if length == 1 then .[0] else error(\"no link\") end | $2"
}

@test "a marked program's run has xaltLinkT, and Build_UUID is the link record's uuid" {
    job=$(submit_and_wait "$BUILT/dynamic; srun -n2 $BUILT/dynamic" -n2)
    [[ $(record_count "$job" dynamic) == 2 ]]
    [[ $(records "$job" | jq -r '[.[] | select(.userT.exec_path | endswith("/dynamic")) | .xaltLinkT.Build_UUID] | unique | .[]') == "$(link_field dynamic .resultT.uuid)" ]]
    [[ $(records "$job" | jq -c '[.[].xaltLinkT | keys] | unique') == '[["Build_CWD","Build_Epoch","Build_LMFILES","Build_LOADEDMODULES","Build_OS","Build_Syshost","Build_UUID","Build_User","Build_Year","Build_compiler","Build_compilerPath","Build_date","Build_host","XALT_Version"]]' ]]
    [[ $(records "$job" | jq -r '.[0].xaltLinkT | .Build_User, .Build_compiler, .Build_Syshost' | tr '\n' ' ') == "$JOB_USER gcc lab " ]]
    # and the executable is the one that was linked
    [[ $(records "$job" | jq -r '.[0].hash_id') == "$(link_field dynamic .resultT.hash_id)" ]]
    [[ $(records "$job" | jq -r '.[0].slurmT.build_id') == "$(link_field dynamic .jobtrailT.build_id)" ]]
    [[ $(records "$job" | jq -r '.[0].userDT.Build_Epoch > 0') == true ]]
}

@test "static programs are recorded as dynamic ones: in the batch script and in steps" {
    job=$(submit_and_wait "$BUILT/static one; srun -n2 $BUILT/static-pie two" -n2)
    [[ $(record_count "$job" static) == 1 && $(record_count "$job" static-pie) == 1 ]]
    [[ $(field "$job" static .slurmT.end_source) == fini && $(field "$job" static-pie .slurmT.end_source) == fini ]]
    [[ $(field "$job" static .xaltLinkT.Build_UUID) == "$(link_field static .resultT.uuid)" ]]
    [[ $(field "$job" static-pie '.cmdlineA[1]') == two && $(field "$job" static-pie .userDT.num_tasks) == 2 ]]
}
