#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Calls where the stack or the thread is not what it usually is: children that have their parent's memory, handlers of signals on stacks
# of their own, coroutines, first calls that a signal interrupts.

# bats file_tags=needs:profile

load ../fixture/job
load ../fixture/profile

setup() {
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libstar\\.so\\.1\n' new_job
    with_rules
    cd "$BATS_TEST_TMPDIR" || return
    cat >star.h <<'C'
int star_in(int x);
void star_out(void (*function)(void));
C
    printf '#include "star.h"\nint star_in(int x) { return x; }\nvoid star_out(void (*function)(void)) { function(); }\n' |
        gcc -O2 -shared -fPIC -Wl,-soname,libstar.so.1 -xc - -o libstar.so.1
}

# star_program [OPTION...]: ./program of the source on standard input
star_program() {
    gcc -O2 -D_GNU_SOURCE -I. "$@" -xc - -xnone libstar.so.1 -Wl,-rpath,"$PWD" -pthread -o program
}

# rows: routines, with their calls and how many of these were open at the end
rows() {
    routine_rows | awk -F '\t' '{ print $4, $5, $10 }' | LC_ALL=C sort
}

# of_rank NAME...: what the only rank of the JSON log has of these names
of_rank() {
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json "$PROFILE_FILE" >log.json || return 1
    for name; do
        jq -c --arg name "$name" '[.. | objects | select(has($name))][0][$name]' log.json
    done | xargs
}

@test "a vfork child calls first: its threads and its process are not taken for the parent's" {
    star_program <<'C'
#include "star.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_barrier_t barrier;
static void calls_in_child(void)
{
    pid_t child = vfork();
    if (child == 0) {
        star_in(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}
static void *work(void *p)
{
    calls_in_child();
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 1000000; i++)
        star_in(i);
    pthread_barrier_wait(&barrier); /* none ends before the others */
    return p;
}
int main(void)
{
    pthread_t thread[4];
    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    printf("%d\n", (int)getpid());
    return 0;
}
C
    profiled ./program >pid
    # a thread that waits in vain for the one that makes the profile counts a lost call as well
    read -r process lost < <(of_rank pid lost_calls)
    [[ $process == "$(<pid)" ]]
    ((lost >= 4))
    [[ $(rows) == "star_in $((4000004 - lost)) 0" ]]
}

@test "a vfork child calls first, of a program that was built for it" {
    gcc -O1 -D_GNU_SOURCE -finstrument-functions -xc - -o program <<'C'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int part(int x) { __asm__ volatile("" : "+r"(x)); return x; }
__attribute__((no_instrument_function)) int main(void)
{
    pid_t child = vfork();
    if (child == 0)
        _exit(part(0));
    waitpid(child, NULL, 0);
    for (int i = 0; i < 100; i++)
        part(i);
    printf("%d\n", (int)getpid());
    return 0;
}
C
    profiled ./program >pid
    [[ $(profile functions) == "100 part" && $(sum lost) == 1 && $(sum processes) == 1 ]]
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE" | jq '[.. | objects | select(has("pid"))][0].pid') == "$(<pid)" ]]
}

# Stacks above that of the thread, which is in the lower part of what is mapped.
stacks_program() {
    cat >stacks.h <<'C'
#include "star.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
enum { PART = 1 << 20 };
static char *memory;
static void *work(void *);
static int run(void)
{
    pthread_attr_t attribute;
    pthread_t thread;
    memory = mmap(NULL, 4 * PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_init(&attribute);
    pthread_attr_setstack(&attribute, memory, PART);
    return pthread_create(&thread, &attribute, work, NULL) != 0 || pthread_join(thread, NULL) != 0;
}
static void handle(void (*handler)(int), char *stack)
{
    const stack_t alternate = {.ss_sp = stack, .ss_size = PART};
    const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    sigaction(SIGUSR1, &action, NULL);
}
C
    star_program
}

@test "a handler on a stack above the thread's: the call that it interrupts goes on" {
    stacks_program <<'C'
#include "stacks.h"
static void handler(int signal) { star_in(signal); star_in(signal); }
static void raises(void) { raise(SIGUSR1); }
static void ends(void) { raise(SIGUSR1); star_in(1); kill(getpid(), SIGKILL); }
static void *work(void *p)
{
    handle(handler, memory + 2 * PART);
    for (int i = 0; i < 10; i++)
        star_out(raises);
    star_out(ends);
    return p;
}
int main(void) { return run(); }
C
    run profiled ./program
    [[ $status == 137 ]]
    [[ $(rows) == $'star_in 23 0\nstar_out 11 1' ]]
    [[ $(of_rank dead_frames lost_calls) == "0 0" ]]
}

@test "a handler on such a stack is left by siglongjmp: what it left is over, and what comes after is timed" {
    stacks_program <<'C'
#include "stacks.h"
static sigjmp_buf back;
static void jumps(void) { siglongjmp(back, 1); }
static void handler(int signal) { (void)signal; star_out(jumps); }
static void raises(void) { raise(SIGUSR1); }
static void *work(void *p)
{
    handle(handler, memory + 2 * PART);
    for (volatile int i = 0; i < 10; i++)
        if (sigsetjmp(back, 1) == 0)
            star_out(raises);
        else
            star_in(i);
    return p;
}
int main(void) { return run(); }
C
    profiled ./program
    [[ $(rows) == $'star_in 10 0\nstar_out 20 0' ]]
    [[ $(of_rank dead_frames lost_calls) == "20 0" ]]
}

@test "a coroutine whose stack is above the thread's: the call that started it goes on" {
    stacks_program <<'C'
#include "stacks.h"
static ucontext_t here, there;
static void coroutine(void)
{
    for (;;) {
        star_in(1);
        swapcontext(&there, &here);
    }
}
static void switches(void) { swapcontext(&here, &there); }
static void *work(void *p)
{
    getcontext(&there);
    there.uc_stack = (stack_t){.ss_sp = memory + 2 * PART, .ss_size = PART};
    makecontext(&there, coroutine, 0);
    for (int i = 0; i < 10; i++)
        star_out(switches);
    return p;
}
int main(void) { return run(); }
C
    profiled ./program
    [[ $(rows) == $'star_in 10 0\nstar_out 10 0' ]]
    [[ $(of_rank dead_frames lost_calls) == "0 0" ]]
}

@test "a signal within the first call is handled after it, and its siglongjmp loses nothing" {
    local kind
    cat >first.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#ifndef BUILT_FOR_IT
#include "star.h"
#else
__attribute__((noinline)) static int star_in(int x) { __asm__ volatile("" : "+r"(x)); return x; }
#endif
static sigjmp_buf back;
__attribute__((no_instrument_function)) static void handler(int signal) { (void)signal; siglongjmp(back, 1); }
__attribute__((no_instrument_function)) int main(void)
{
    volatile int jumps = 0;
    int before = dup(0);
    signal(SIGUSR1, handler);
    if (sigsetjmp(back, 1) == 0)
        star_in(1);
    else
        jumps++;
    for (int i = 0; i < 100; i++)
        star_in(i);
    printf("%d %d\n", jumps, dup(0) - before); /* no descriptor stays open */
    return 0;
}
C
    for kind in "" "-finstrument-functions -DBUILT_FOR_IT"; do
        # shellcheck disable=SC2086 # words
        star_program $kind <first.c
        with_rules
        run profiled strace -qq -o trace -e trace=fstat -P "$PROFILE_FILE" -e inject=fstat:signal=SIGUSR1:when=1 ./program
        [[ $status == 0 && $output == "1 1" && $(<trace) == *SIGUSR1* ]]
        if [[ -z $kind ]]; then
            [[ $(rows) == "star_in 100 0" && $(of_rank lost_calls) == 0 ]]
        else
            [[ $(profile functions) == "100 star_in" && $(sum lost) == 0 ]]
        fi
    done
}

@test "a signal within a look at what was loaded is handled after it, and its siglongjmp loses nothing" {
    local number
    for number in 1 2; do
        printf '#include "star.h"\nint plug%d(int x) { return star_in(x); }\n' "$number" |
            gcc -O2 -I. -shared -fPIC -Wl,-z,lazy -xc - -xnone libstar.so.1 -Wl,-rpath,"$PWD" -o "plug$number.so"
    done
    star_program <<'C'
#include "star.h"
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
typedef int plug(int x);
static sigjmp_buf back;
static void handler(int signal) { (void)signal; siglongjmp(back, 1); }
int main(void)
{
    volatile int jumps = 0, sum = 0;
    signal(SIGUSR1, handler);
    void *first = dlopen("./plug1.so", RTLD_LAZY), *second;
    getppid(); /* the next futex(2) is that of a look */
    if (sigsetjmp(back, 1) == 0)
        dlsym(first, "plug1");
    else
        jumps++;
    for (int i = 0; i < 100; i++)
        sum += ((plug *)dlsym(first, "plug1"))(1);
    second = dlopen("./plug2.so", RTLD_LAZY);
    for (int i = 0; i < 20; i++)
        sum += ((plug *)dlsym(second, "plug2"))(1);
    printf("%d %d\n", jumps, sum);
    return 0;
}
C
    run profiled strace -qq -o trace -e trace=futex,getppid,rt_sigprocmask ./program
    [[ $status == 0 && $output == "0 120" ]]
    (($(grep -c rt_sigprocmask trace) < 20)) # none where nothing was loaded
    number=$(awk '/^getppid/ { print count + 1; exit } /^futex/ { count++ }' trace)
    with_rules
    run profiled strace -qq -o trace -e trace=futex,getppid -e inject="futex:signal=SIGUSR1:when=$number" ./program
    [[ $status == 0 && $output == "1 120" && $(grep -A 3 getppid trace) == *$'\n--- SIGUSR1 '* ]]
    [[ $(rows) == "star_in 120 0" && $(of_rank lost_calls missed) == "0 0" ]]
}
