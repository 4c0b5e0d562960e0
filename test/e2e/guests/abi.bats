#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs of other ABIs than the shell's: one LD_PRELOAD with `$LIB` for all.

load ../fixture/job

setup() {
    LIBRARY=$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/\$LIB/libjobtrail.so new_job
    cat >"$BATS_TEST_TMPDIR/program.c" <<'C'
#include <stdio.h>
int main(int argc, char **argv) { printf("%s %d\n", argv[1], (int)sizeof(void *)); return argc; }
C
}

build() { # NAME COMPILER OPTION...
    "${@:2}" -o "$BATS_TEST_TMPDIR/$1" "$BATS_TEST_TMPDIR/program.c"
}

@test "64-bit, 32-bit and musl programs are tracked by one LD_PRELOAD, and say nothing" {
    build wide gcc
    build narrow gcc -m32
    build narrow-fixed gcc -m32 -no-pie
    build small musl-gcc
    for program in wide narrow narrow-fixed small; do
        unnoticed "$BATS_TEST_TMPDIR/$program" argument
    done
    flush
    [[ $(records | jq -c 'map([(.userT.exec_path | split("/")[-1]), .cmdlineA[1], .slurmT.end_source]) | sort') == \
        '[["narrow","argument","fini"],["narrow-fixed","argument","fini"],["small","argument","fini"],["wide","argument","fini"]]' ]]
    # Each with the objects of its own ABI.
    [[ $(records | jq -r '.[] | select(.userT.exec_path | endswith("/narrow")) | .libA | map(.[0]) | map(select(test("/(lib32|i386-linux-gnu)/"))) | length') -ge 1 ]]
}

@test "a 32-bit program that is killed, that forks and that is sampled out does as a 64-bit one" {
    cat >"$BATS_TEST_TMPDIR/program.c" <<'C'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    if (fork() == 0)
        exit(0);
    wait(NULL);
    return argc > 1 ? raise(atoi(argv[1])) : 0;
}
C
    build narrow gcc -m32
    unnoticed "$BATS_TEST_TMPDIR/narrow"
    unnoticed "$BATS_TEST_TMPDIR/narrow" 9
    XALT_SIGNAL_HANDLER=yes unnoticed "$BATS_TEST_TMPDIR/narrow" 11
    XALT_SAMPLING=yes unnoticed "$BATS_TEST_TMPDIR/narrow"
    leaves "narrow epilog" "narrow fini" "narrow fini"
}

@test "the 32-bit library imports and exports nothing either" {
    library=$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/lib32/libjobtrail.so
    [[ $(nm -D "$library" 2>/dev/null) == "" ]]
    run readelf -dlW "$library"
    [[ $output == *"Elf file type is DYN"* && $output != *NEEDED* && $output != *TEXTREL* ]]
    [[ $output != *TLS* && $output != *RWE* ]]
}

# The library and the program are cross-compiled, the program runs under qemu-user.
@test "a program for aarch64 is tracked" {
    cd "$JOBTRAIL_SOURCE"
    aarch64-linux-gnu-gcc -std=gnu17 -O2 -fPIC -ffreestanding -fno-stack-protector -fvisibility=hidden \
        -Wall -Wextra -Wconversion -Werror -D_GNU_SOURCE -mno-outline-atomics -I. -shared -nostdlib \
        -Wl,--no-undefined -Wl,-soname,libjobtrail.so -Wl,--version-script,preload/libjobtrail.map \
        -o "$BATS_TEST_TMPDIR/libjobtrail.so" preload/*.c
    [[ $(aarch64-linux-gnu-nm -D "$BATS_TEST_TMPDIR/libjobtrail.so" 2>/dev/null) == "" ]]
    build arm aarch64-linux-gnu-gcc
    run qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_PRELOAD="$BATS_TEST_TMPDIR/libjobtrail.so" \
        -E JOBTRAIL_SPOOL="$SPOOL/$JOB.0/user" -E JOBTRAIL_POLICY="${CONF%.conf}.policy" \
        -E XALT_EXECUTABLE_TRACKING=yes "$BATS_TEST_TMPDIR/arm" argument
    [[ $output == "argument 8" && $status == 2 ]]
    leaves "arm fini"
    [[ $(records | jq -c '.[0].cmdlineA[1:]') == '["argument"]' ]]
}
