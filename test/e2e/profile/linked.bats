#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The linker wrapper links the library for profiles into programs that call for it, static ones too.
# shellcheck disable=SC2030,SC2031,SC2034 # fixtures use what tests set

# bats file_tags=needs:profile

load ../fixture/job
load ../fixture/links
load ../fixture/nobody
load ../fixture/profile

setup() {
    RULES=$'[profile]\nsteps = asked' new_links
    LINK_CONF=$CONF
    new_job
    PRELOADED='' # same_with_profile uses it
}

# link PROGRAM COMMAND...: with the wrapper
link() {
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$LINK_CONF" "${@:2}" "$PROFILE_PROGRAMS/known.c" -o "$1"
    is_marked "$1"
}

has_library() { # PROGRAM
    nm "$1" | grep -q ' [tT] profile_stack_enter'
}

@test "instrumented programs have the library and need nothing preloaded: kinds of links" {
    local way
    for way in "gcc -O0" "gcc -O2 -no-pie" "gcc -O2 -static" "gcc -O2 -static-pie" "gcc -O2 -flto -static" \
        "gcc -O2 -fno-plt -Wl,-z,now" "clang -O2" "clang -O2 -static" "g++ -O2 -static -x c++ -fpermissive -w" \
        "gcc -O2 -fuse-ld=gold" "gcc -O2 -fuse-ld=lld" "clang -O2 -fuse-ld=lld -static"; do
        # shellcheck disable=SC2086 # words
        link "program" $way -finstrument-functions
        has_library program || {
            echo "$way: no library"
            return 1
        }
        # C++ has other names
        if [[ $way == g++* ]]; then
            new_profile
            run env "${PROFILED[@]}" ./program
            [[ $status == 3 && $(sum calls) == 1338 ]]
        else
            same_with_profile "$PROFILE_PROGRAMS/known.c" ./program || {
                echo "$way"
                return 1
            }
        fi
    done
}

@test "static programs of C, C++ and Fortran in each mode" {
    local MODE
    link program gcc -O2 -static -finstrument-functions
    for MODE in exact light coarse off; do
        same_with_profile "$PROFILE_PROGRAMS/known.c" ./program
    done
    wrapped JOBTRAIL_CONF="$LINK_CONF" g++ -g -O2 -static -finstrument-functions "$PROFILE_PROGRAMS/exceptions.cc" -o program
    for MODE in exact light coarse off; do
        same_with_profile "$PROFILE_PROGRAMS/exceptions.cc" ./program
    done
    wrapped JOBTRAIL_CONF="$LINK_CONF" gfortran -g -O2 -static -finstrument-functions "$PROFILE_PROGRAMS"/known*.f90 -o program
    for MODE in exact light coarse off; do
        same_with_profile "$PROFILE_PROGRAMS/known.f90" ./program
    done
}

@test "a program without instrumented functions does not get it, nor any where the site wants no profiles" {
    link plain gcc -O2
    run has_library plain
    [[ $status == 1 ]]
    sed -i 's/^steps = .*/steps = none/' "$LINK_CONF"
    link program gcc -O2 -finstrument-functions
    run has_library program
    [[ $status == 1 ]]
}

@test "functions of a shared library, which the program's copy counts" {
    cat >part.c <<'C'
__attribute__((noinline)) int part(int x) { __asm__ volatile("" : "+r"(x)); return x; }
C
    cat >main.c <<'C'
int part(int);
int main(void) { int s = 0; for (int i = 0; i < 50; i++) s += part(i); return s == 1225 ? 0 : 1; }
C
    gcc -O2 -g -fPIC -shared -finstrument-functions part.c -o libpart.so
    wrapped JOBTRAIL_CONF="$LINK_CONF" gcc -O2 -finstrument-functions main.c -L. -lpart -Wl,-rpath,"$PWD" -o program
    new_profile
    env "${PROFILED[@]}" ./program
    [[ $(profile calls) == $'1 1 main<init\n50 50 part<main<init' ]]
    # where it is preloaded as well, one copy counts
    new_profile
    profiled ./program
    [[ $(profile calls) == $'1 1 main<init\n50 50 part<main<init' ]]
}

@test "a static program whose resolver of an indirect function is instrumented starts as ever" {
    cat >ifunc.c <<'C'
#include <stdio.h>
static int one(void) { return 1; }
static int (*resolve(void))(void) { return one; }
int chosen(void) __attribute__((ifunc("resolve")));
int main(void) { printf("%d\n", chosen()); return 0; }
C
    wrapped JOBTRAIL_CONF="$LINK_CONF" gcc -O0 -g -static -finstrument-functions ifunc.c -o program
    has_library program
    new_profile
    run env "${PROFILED[@]}" ./program
    [[ $status == 0 && $output == 1 ]]
    [[ $(profile functions) == $'1 main\n1 one' ]]
}

@test "a sandbox that kills for the system calls of the library that is linked in: the program ends as ever, and it is said" {
    cat >sandbox.c <<'C'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#define LET(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
__attribute__((noinline)) static int part(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
int main(void)
{
    struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), LET(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    int before = part(1);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 9;
    exit(before + part(0));
}
C
    for way in "" "-Wl,-z,now"; do
        # shellcheck disable=SC2086 # a word or none
        wrapped JOBTRAIL_CONF="$LINK_CONF" gcc -O2 $way -finstrument-functions sandbox.c -o program
        has_library program
        new_profile
        run env "${PROFILED[@]}" ./program
        [[ $status == 3 && $output == "" && $(profile functions) == $'1 main\n1 part' ]]
        "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE" | grep -q ': entered a sandbox: nothing after that is counted$'
    done
}

@test "a tracer of the program's own beside a linked library is called as without it" {
    cat >tracer.c <<'C'
static int calls;
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller) { calls += function != caller; }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *caller) { calls += function != caller; }
__attribute__((no_instrument_function)) int traced(void) { return calls; }
C
    cat >traced.c <<'C'
int traced(void);
__attribute__((noinline)) static int part(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
int main(void) { return part(part(0)) + traced(); }
C
    gcc -O2 -shared -fPIC -Wl,-soname,libtracer.so tracer.c -o libtracer.so
    wrapped JOBTRAIL_CONF="$LINK_CONF" gcc -O2 -finstrument-functions traced.c ./libtracer.so -Wl,-rpath,"$PWD" -o program
    run ./program
    [[ $status == 7 ]]
    new_profile
    run env "${PROFILED[@]}" ./program
    [[ $status == 7 && $(profile functions) == "" ]]
}

# bats test_tags=needs:root
@test "a program that has it and more rights than its caller leaves no profile, and computes the same" {
    local way
    cat >secure.c <<'C'
#include <stdio.h>
#include <sys/auxv.h>
__attribute__((noinline)) static int part(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += part(i);
    printf("%lu %d\n", getauxval(AT_SECURE), sum);
    return 3;
}
C
    let_nobody_in
    for way in "" -static; do
        # shellcheck disable=SC2086 # a word or none
        wrapped JOBTRAIL_CONF="$LINK_CONF" gcc -O1 -finstrument-functions $way secure.c -o program
        has_library program
        chmod 0755 program
        OWNER=nobody new_profile
        run setpriv --reuid=nobody --clear-groups env "${PROFILED[@]}" ./program
        [[ $status == 3 && $output == "0 55" && $(profile functions) == $'1 main\n10 part' ]]
        # with its rights it could write to the file of another user, which its environment names
        chmod 4755 program
        new_profile
        run setpriv --reuid=nobody --clear-groups env "${PROFILED[@]}" ./program
        [[ $status == 3 && $output == "1 55" && $(sum processes) == 0 ]]
    done
}
