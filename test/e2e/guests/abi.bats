#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs of other ABIs than the shell's: one LD_PRELOAD with `$PLATFORM` for all.

load ../fixture/job

setup() {
    LIBRARY=$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so new_job
    cat >"$BATS_TEST_TMPDIR/program.c" <<'C'
#include <stdio.h>
int main(int argc, char **argv) { printf("%s %d\n", argv[1], (int)sizeof(void *)); return argc; }
C
}

build() { # NAME COMPILER OPTION...
    "${@:2}" -o "$BATS_TEST_TMPDIR/$1" "$BATS_TEST_TMPDIR/program.c"
}

# bats test_tags=needs:run_32bit
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

# bats test_tags=needs:run_32bit
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
    stubs=$("$PROGRAMS/list_ledger" "${TRACKED[0]#*=}/ledger" | grep '^stub')
    [[ $stubs == *"$BATS_TEST_TMPDIR/narrow" && $(wc -l <<<"$stubs") == 1 ]]
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
    local routines=()
    cd "$JOBTRAIL_SOURCE"
    ! test/systems/can routines || routines=(preload/{routines,slots}/*.c)
    aarch64-linux-gnu-gcc -std=gnu17 -O2 -fPIC -ffreestanding -fno-stack-protector -fvisibility=hidden \
        -Wall -Wextra -Wconversion -Werror -D_GNU_SOURCE -mno-outline-atomics -I. -I"$JOBTRAIL_BUILD" -shared -nostdlib \
        -Wl,--no-undefined -Wl,-soname,libjobtrail.so -Wl,--version-script,preload/libjobtrail.map \
        -o "$BATS_TEST_TMPDIR/libjobtrail.so" preload/*.c "${routines[@]}"
    [[ $(aarch64-linux-gnu-nm -D "$BATS_TEST_TMPDIR/libjobtrail.so" 2>/dev/null) == "" ]]
    build arm aarch64-linux-gnu-gcc
    run qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_PRELOAD="$BATS_TEST_TMPDIR/libjobtrail.so" \
        -E JOBTRAIL_SPOOL="$SPOOL/$JOB.0/user" -E JOBTRAIL_POLICY="${CONF%.conf}.policy" \
        -E XALT_EXECUTABLE_TRACKING=yes "$BATS_TEST_TMPDIR/arm" argument
    [[ $output == "argument 8" && $status == 2 ]]
    leaves "arm fini"
    [[ $(records | jq -c '.[0].cmdlineA[1:]') == '["argument"]' ]]
}

# What a library's constructor does with the variables, by CHANGE_VARIABLES; ours it leaves alone.
CHANGING='
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
extern char **environ;
static int is_ours(const char *entry)
{
    return strncmp(entry, "JOBTRAIL_", 9) == 0 || strncmp(entry, "XALT_", 5) == 0;
}
static void drop(const char *entry)
{
    char name[4096];
    strcpy(name, entry);
    *strchr(name, 61) = 0;
    unsetenv(name);
}
int change_variables(void) { return 0; }
__attribute__((constructor)) static void change(void)
{
    const char *how = getenv("CHANGE_VARIABLES");
    int count = 0;
    if (how == NULL)
        return;
    how = strdup(how);
    while (environ[count] != NULL)
        count++;
    if (strcmp(how, "first") == 0)
        drop(environ[0]);
    if (strcmp(how, "last") == 0)
        drop(environ[count - 1]);
    for (int i = count - 1; i >= 0 && strcmp(how, "all") == 0; i--)
        if (!is_ours(environ[i]))
            drop(environ[i]);
    if (strcmp(how, "null") == 0)
        environ[count - 1] = NULL;
    if (strcmp(how, "new") == 0)
        setenv("A_NEW_ONE", "1", 1);
    if (strcmp(how, "changed") == 0)
        setenv("FIRST", "another, longer value", 1);
}'

# whole NAME: the only record of this program has its libraries, their build-ids and no cut
whole() {
    flush >/dev/null
    [[ $(records | jq -c --arg name "/$1" 'map(select(.userT.exec_path | endswith($name)))
        | map([(.libA | map(.[0]) | any(test("/(libc[.]so|libc-|ld-musl|libc.so)"))), .XALT_qaT.JOBTRAIL_CAPTURE_CUT])') == \
        '[[true,"no"]]' ]]
    rm -rf "$RECORDS"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB" $((64 << 20))
}

@test "a capture of a dynamic program without its libraries says that it is cut" {
    # shellcheck disable=SC2016
    gcc -shared -fPIC -o "$BATS_TEST_TMPDIR/hide.so" -xc - <<<'
#include <link.h>
extern char **environ;
__attribute__((constructor)) static void hide(void)
{
    char **end = environ;
    while (*end != 0)
        end++;
    for (ElfW(auxv_t) *aux = (void *)(end + 1); aux->a_type != AT_NULL; aux++)
        if (aux->a_type == AT_PHDR)
            aux->a_type = AT_IGNORE;
}'
    build wide gcc
    env "${TRACKED[@]}" LD_PRELOAD="${TRACKED[4]#*=}:$BATS_TEST_TMPDIR/hide.so" "$BATS_TEST_TMPDIR/wide" || true
    flush
    [[ $(records | jq -c 'map([(.userT.exec_path | split("/")[-1]), (.libA | length), .XALT_qaT.JOBTRAIL_CAPTURE_CUT])') == *'["wide",0,"yes"]'* ]]
}

@test "what constructors before do to the variables loses neither library nor build-id" {
    local abi how order compiler library=${TRACKED[4]#*=}
    local abis=(wide small)
    ! "$JOBTRAIL_SOURCE/test/systems/can" run_32bit || abis+=(narrow)
    for abi in "${abis[@]}"; do
        case $abi in
        wide) compiler=(gcc) ;;
        narrow) compiler=(gcc -m32) ;;
        small) compiler=(musl-gcc) ;;
        esac
        "${compiler[@]}" -shared -fPIC -o "$BATS_TEST_TMPDIR/change-$abi.so" -xc - <<<"$CHANGING"
        build "$abi" "${compiler[@]}"
        cat >"$BATS_TEST_TMPDIR/linked.c" <<<'int change_variables(void); int main(void) { return change_variables(); }'
        "${compiler[@]}" -o "$BATS_TEST_TMPDIR/linked-$abi" "$BATS_TEST_TMPDIR/linked.c" "$BATS_TEST_TMPDIR/change-$abi.so"
        for how in none first last all null new changed; do
            for order in "$BATS_TEST_TMPDIR/change-$abi.so:$library" "$library:$BATS_TEST_TMPDIR/change-$abi.so"; do
                env -i FIRST=1 SECOND=2 "${TRACKED[@]}" LD_PRELOAD="$order" CHANGE_VARIABLES="$how" LAST=9 \
                    "$BATS_TEST_TMPDIR/$abi" argument >/dev/null || true
                whole "$abi"
            done
            env -i FIRST=1 SECOND=2 "${TRACKED[@]}" CHANGE_VARIABLES="$how" LAST=9 "$BATS_TEST_TMPDIR/linked-$abi"
            whole "linked-$abi"
        done
    done
}
