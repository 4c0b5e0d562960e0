#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Static programs, which LD_PRELOAD does not reach: the wrapper links the library into them.
# shellcheck disable=SC2030,SC2031 # each test has its own TRACKED

load ../fixture/job
load ../fixture/links

setup() {
    new_links
    # shellcheck disable=SC2034 # new_job uses it
    LIBRARY=$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so
    RULES=$KEEP_ALL new_job
    CONF_LINK=$BATS_TEST_TMPDIR/link.conf
    cat >program.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <unistd.h>
#include <sys/wait.h>
int memcmp_calls; /* names of our own code */
int main(int argc, char **argv)
{
    if (argc > 2 && fork() == 0)
        exit(0);
    if (argc > 2)
        wait(NULL);
    printf("%s\n", argc > 1 ? argv[1] : "");
    fflush(stdout);
    return argc > 2 ? raise(atoi(argv[2])) : 3;
}
C
}

# link_static NAME COMMAND...
link_static() {
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" "${@:2}" program.c -o "$1"
    is_marked "$1"
}

# as a task, without LD_PRELOAD's help and with it
run_both_ways() { # PROGRAM ARGUMENT...
    observe without env -i "$@"
    observe with "${TRACKED[@]}" "$@"
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
}

@test "static programs are tracked as dynamic ones: glibc, musl, static-pie, 32 bit, each linker" {
    i=0
    expected=()
    narrow=()
    ! "$JOBTRAIL_SOURCE/test/systems/can" run_32bit || narrow=("gcc -m32 -static")
    for command in "gcc -static" "gcc -static-pie" "${narrow[@]}" "musl-gcc -static" "gcc -static -fuse-ld=gold" \
        "gcc -static -fuse-ld=lld" "gcc -static -fuse-ld=mold" "gcc -static-pie -fuse-ld=lld" "clang -static" \
        "gcc -static -flto -O2 -Wl,--gc-sections -s" "g++ -static -x c++"; do
        # shellcheck disable=SC2086
        link_static "program$i" $command
        [[ $(readelf -lW "program$i") != *INTERP* ]]
        run_both_ways "$WORK/program$i" argument
        [[ $(cat "$BATS_TEST_TMPDIR/with/status") == 3 ]]
        expected+=("program$i fini")
        i=$((i + 1))
    done
    leaves "${expected[@]}"
    [[ $(records | jq -c '[.[] | .cmdlineA[1], (.xaltLinkT.Build_UUID | length)] | unique') == '[36,"argument"]' ]]
}

@test "what is linked into static programs has no unwind tables, which would follow those of the program's end" {
    count=0
    for object in "$JOBTRAIL_STAGE"/lib/jobtrail/startup/*.o; do
        [[ $(readelf -SW "$object") != *eh_frame* ]]
        count=$((count + 1))
    done
    [[ $count -ge 2 ]] # this machine's, and the 32-bit one
}

@test "a static program that is killed, and its children" {
    link_static killed gcc -static
    run_both_ways "$WORK/killed" argument 9
    leaves "killed epilog"
}

@test "outside of a job, or switched off, a static program is as it was" {
    link_static quiet gcc -static
    TRACKED+=(XALT_EXECUTABLE_TRACKING=no)
    run_both_ways "$WORK/quiet" argument
    leaves
    [[ $(env -i strace -f -e trace=file "$WORK/quiet" 2>&1 | grep -c jobtrail) == 0 ]]
}

@test "no start-up code where there is none to call it, and where the site wants none" {
    # shellcheck disable=SC2016
    echo 'void _start(void) { __asm__("mov $60, %eax; xor %edi, %edi; syscall"); }' >program.c
    link_static bare gcc -static -nostdlib && return 1
    ./bare
    [[ $(nm bare | grep -c jobtrail_start) == 0 ]]
    echo 'int main(void) { return 0; }' >program.c
    link_static with gcc -static
    [[ $(nm with | grep -c ' t jobtrail_start$') == 1 ]]
    echo 'startup_object = none' >>"$CONF_LINK"
    link_static without gcc -static
    [[ $(nm without | grep -c jobtrail_start) == 0 ]]
}

@test "by the site's choice dynamic programs have it too: one capture, with the library and without" {
    echo 'startup_object = all' >>"$CONF_LINK"
    i=0 expected=() narrow=()
    ! "$JOBTRAIL_SOURCE/test/systems/can" run_32bit || narrow=("gcc -m32")
    for command in gcc "gcc -no-pie" "gcc -fuse-ld=gold" "gcc -fuse-ld=lld" "gcc -fuse-ld=mold" "${narrow[@]}"; do
        name=dynamic$((i = i + 1))
        # shellcheck disable=SC2086
        link_static $name $command
        run_both_ways "$WORK/$name" preloaded
        TRACKED+=(LD_PRELOAD=)
        run_both_ways "$WORK/$name" alone
        unset 'TRACKED[-1]'
        expected+=("$name fini" "$name fini")
    done
    leaves "${expected[@]}"
    [[ $(records | jq -c '[.[].cmdlineA[1]] | group_by(.) | map(length)') == "[$i,$i]" ]]
}
