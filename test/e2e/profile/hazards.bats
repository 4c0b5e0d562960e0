#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What programs do that is hard on a profile: they end as ever, what is left in the file is whole, and
# what could not be kept is counted.

# bats file_tags=needs:profile

load ../fixture/job
load ../fixture/profile

setup() {
    new_profiled_job
}

# instrumented SOURCE... [-- OPTION...]: ./program
instrumented() {
    gcc -O1 -g -finstrument-functions "$@" -o program -pthread
}

@test "SIGKILL at any moment leaves no bad frame, and the open calls show where" {
    instrumented -x c - <<'C'
#include <pthread.h>
#define KEPT __attribute__((noinline))
KEPT int inner(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
KEPT int outer(int n) { int x = 0; for (int i = 0; i < n; i++) x = inner(x); return x; }
KEPT int tree(int n) { return n == 0 ? inner(n) : tree(n - 1) + tree(n - 1); }
static void *work(void *p) { for (;;) { outer(7); tree(5); } return p; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
}
C
    local rounds=${JOBTRAIL_SOAK:+1000} i moment
    for ((i = 0; i < ${rounds:-40}; i++)); do
        profiled timeout -s KILL "0.00$((1 + i % 9))$((RANDOM % 10))" ./program || true
        printf -v moment '%d.%03d' $(((10 + i % 10) * SLOW / 1000)) $(((10 + i % 10) * SLOW % 1000))
        profiled timeout -s KILL "$moment" ./program || true
    done
    run profile sums open
    [[ $status == 0 && $output == *$'\nlost 0\n'* && $output == *$'\nstray 0\n'* && $output == *"<work<main<init"* ]]
    # timeout(1) itself has no instrumented function
    [[ $output =~ processes\ [1-9] ]]
}

@test "calls that were open when the program was killed stay open, also those of a thread" {
    instrumented -x c - <<'C'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_barrier_t barrier;
static void stuck(void) { pthread_barrier_wait(&barrier); for (;;) pause(); }
static void *work(void *p) { stuck(); return p; }
static void end(void) { pthread_barrier_wait(&barrier); raise(SIGKILL); }
int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, work, 0);
    end();
}
C
    run profiled ./program
    [[ $status == 137 ]]
    run profile open
    [[ $status == 0 && $(awk '{ print $2 }' <<<"$output" | sort) == $'end<main<init\nstuck<work<init' ]]
}

@test "execve, _exit and exit: each program has a profile of its own" {
    instrumented -x c - <<'C'
#include <stdlib.h>
#include <unistd.h>
static void next(char **argv) { execv(argv[0], argv); }
int main(int argc, char **argv)
{
    if (argc > 2) {
        argv[argc - 1] = 0;
        next(argv);
    }
    if (argc == 2)
        _exit(4);
    return 5;
}
C
    run profiled ./program a b c
    [[ $status == 4 ]]
    run profile calls sums
    [[ $output == *"3 3 main<init"* || $output == *"3 0 main<init"* ]]
    [[ $output == *"next<main<init"* && $output == *$'\nprocesses 3\n'* ]]
}

@test "a recursion deeper than there are frames is counted, and what comes after it is right" {
    instrumented -x c - <<'C'
#include <stdio.h>
#include <sys/resource.h>
#include <pthread.h>
#define KEPT __attribute__((noinline))
KEPT static int down(int n) { int x = n == 0 ? 0 : down(n - 1); __asm__ volatile("" : "+r"(x)); return x + 1; }
KEPT static int after(int x) { __asm__ volatile("" : "+r"(x)); return x; }
static void *work(void *p) { int x = down(299999); for (int i = 0; i < 10; i++) after(i); printf("%d\n", x); return p; }
int main(void)
{
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 << 20);
    pthread_create(&thread, &attr, work, 0);
    pthread_join(thread, 0);
    return 0;
}
C
    BYTES=$((256 << 20)) new_profile
    run profiled ./program
    [[ $status == 0 && $output == 300000 ]]
    run profile functions sums
    [[ $status == 0 && $output == "262140 down"* && $output == *$'\nstray 0\n'* && $output == *$'\nopen 0\n'* ]]
    # 262144 frames, of which the root and work() have two; as many nodes, but for four, so that two calls
    # of down() and ten of after() have none of their own
    [[ $output == *$'\nlost 37858\nothers 12\n'* ]]
}

# bats test_tags=needs:root
@test "a file that is full, a full file system, no room to grow: the program goes on, and losses are counted" {
    BYTES=$((100 << 10)) new_profile
    instrumented "$PROFILE_PROGRAMS/recursion.c"
    run profiled ./program
    [[ $status == 0 && $output == 100001 ]]
    run profile sums
    [[ $status == 0 && ! $output =~ lost\ 0 && $output =~ dropped\ [1-9] ]]
    mkdir small
    mount -t tmpfs -o size=400k tmpfs small
    # shellcheck disable=SC2030
    SPOOL=$PWD/small/spool new_profile || true
    run profiled ./program
    umount -l small
    [[ $status == 0 && $output == 100001 ]]
}

@test "RLIMIT_FSIZE, RLIMIT_NOFILE and closed descriptors do no harm" {
    instrumented "$PROFILE_PROGRAMS/recursion.c"
    run profiled prlimit --fsize=0 ./program
    [[ $status == 0 || $output == *"100001"* ]]
    has_calls "$PROFILE_PROGRAMS/recursion.c"
    new_profile
    instrumented -x c - <<'C'
#include <sys/resource.h>
#include <unistd.h>
__attribute__((noinline)) static int down(int n) { int x = n == 0 ? 0 : down(n - 1); __asm__ volatile("" : "+r"(x)); return x; }
int main(int argc, char **argv)
{
    static const struct rlimit none = {0, 0};
    (void)argv;
    close_range(0, ~0u, 0);
    return argc == 1 ? down(999) : setrlimit(RLIMIT_NOFILE, &none) + down(999);
}
C
    profiled ./program
    [[ $(profile functions) == $'1000 down\n1 main' ]]
    # the file cannot be opened again: there are frames for 256 calls, and nodes
    new_profile
    profiled ./program limited
    [[ $(profile functions) == $'252 down\n1 main' && $(sum others) == 2 && $(sum lost) == 746 ]]
}

# unseen.h: unseen(), a system call that the program makes by an instruction of its own, so that nobody notices which
unseen() {
    cat >unseen.h <<'C'
#include <sys/syscall.h>
__attribute__((no_instrument_function)) static inline long unseen(long number, long a, long b, long c)
{
    long result;
    register long none __asm__("r10") = 0;
    register long last __asm__("r8") = 0;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(none), "r"(last)
        : "rcx", "r11", "memory");
    return result;
}
C
}

@test "a program that may not read the counter is timed by the kernel's clock" {
    unseen
    instrumented -I. -x c - <<'C'
#include <sys/prctl.h>
#include "unseen.h"
__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    extern int part(int);
    return unseen(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0) == 0 ? part(argc) : 9;
}
int part(int x) { return x + 1; }
C
    run profiled ./program
    [[ $status == 2 && $(profile functions) == "1 part" ]]
}

@test "coroutines: no crash, and each call is counted" {
    instrumented -x c - <<'C'
#include <stdio.h>
#include <ucontext.h>
static ucontext_t back, there;
static char stack[2][65536];
__attribute__((noinline)) static void turn(int i) { __asm__ volatile("" : "+r"(i)); swapcontext(&there, &back); }
static void routine(void) { for (int i = 0; i < 100; i++) turn(i); }
int main(void)
{
    getcontext(&there);
    there.uc_stack.ss_sp = stack[1];
    there.uc_stack.ss_size = sizeof stack[1];
    there.uc_link = &back;
    makecontext(&there, routine, 0);
    for (int i = 0; i < 101; i++)
        swapcontext(&back, &there);
    puts("done");
    return 0;
}
C
    run profiled ./program
    [[ $status == 0 && $output == "done" ]]
    [[ $(profile functions) == $'1 main\n1 routine\n100 turn' ]]
}

@test "OpenMP: workers begin at the root" {
    gcc -O1 -g -fopenmp -finstrument-functions -x c - -o program <<'C'
#include <stdio.h>
__attribute__((noinline)) static int work(int i) { __asm__ volatile("" : "+r"(i)); return i; }
int main(void)
{
    int sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        sum += work(i);
    printf("%d\n", sum);
    return 0;
}
C
    run profiled ./program
    [[ $status == 0 && $output == 499500 ]]
    run profile functions sums
    [[ $output == *"1000 work"* && $output == *$'\nlost 0\n'* && $output == *$'\nthreads 4\n'* ]]
}

@test "two objects one after another at the same addresses have functions of their own" {
    local name
    for name in first second; do
        gcc -O1 -g -fPIC -shared -finstrument-functions -x c - -o lib$name.so <<C
int part_of_$name(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
C
    done
    instrumented -x c - <<'C'
#include <dlfcn.h>
#include <stdio.h>
static void *use(const char *library, const char *name, int calls)
{
    void *handle = dlopen(library, RTLD_NOW);
    int (*function)(int) = (int (*)(int))dlsym(handle, name);
    for (int i = 0; i < calls; i++)
        function(i);
    printf("%d\n", dlclose(handle));
    return (void *)function;
}
int main(void)
{
    void *first = use("./libfirst.so", "part_of_first", 5);
    void *second = use("./libsecond.so", "part_of_second", 7);
    use("./libfirst.so", "part_of_first", 2);
    return first == second ? 6 : 1;
}
C
    run env LD_PRELOAD="$PROFILE_LIBRARY" ./program
    [[ $status == 6 && $output == $'0\n0\n0' ]]
    run profiled ./program
    # the loader gave them the same place
    [[ $status == 6 && $output == $'0\n0\n0' ]]
    [[ $(profile functions) == $'1 main\n7 part_of_first\n7 part_of_second\n3 use' ]]
}

@test "handlers of signals that come within the library itself: each call is counted, on either stack" {
    instrumented -x c - <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#define KEPT __attribute__((noinline))
#define OURS __attribute__((no_instrument_function))
static volatile int handlers;
KEPT static void deep(int n) { __asm__ volatile("" : "+r"(n)); if (n > 0) deep(n - 1); }
static void handler(int signal) { (void)signal; handlers++; deep(3); }
KEPT static int busy(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
OURS int main(int argc, char **argv)
{
    static char other[1 << 16];
    const stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
    struct sigaction action = {.sa_handler = handler, .sa_flags = argc > 1 ? SA_ONSTACK : 0};
    const struct itimerval often = {{0, 60}, {0, 60}}, never = {{0, 0}, {0, 0}};
    int calls = busy(0); /* what comes while the profile is begun is lost */
    (void)argv;
    sigaltstack(&stack, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (handlers < 3000)
        calls = busy(calls);
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);
    printf("%d busy\n%d deep\n%d handler\n", calls, 4 * handlers, handlers);
    return 0;
}
C
    for where in "" alternate; do
        new_profile
        # shellcheck disable=SC2086 # a word or none
        run profiled ./program $where
        [[ $status == 0 && $output == *" handler" ]]
        [[ $(profile functions) == "$output" ]]
        [[ $(sum stray) == 0 && $(sum lost) == 0 && $(sum open) == 0 ]]
    done
}

# bats test_tags=needs:tsc_clock
@test "the time of a function lies between what it measures itself and what its caller does" {
    instrumented -x c - <<'C'
#include <stdio.h>
#include <x86intrin.h>
#define KEPT __attribute__((noinline))
#define OURS __attribute__((no_instrument_function))
static unsigned long long inside[3], outside[3];
KEPT static void part(int n, unsigned long long ticks)
{
    unsigned long long start = __rdtsc();
    while (__rdtsc() - start < ticks)
        ;
    inside[n] += __rdtsc() - start;
}
KEPT static void quick(void) { part(0, 20000); }
KEPT static void slow(void) { part(1, 200000); }
OURS int main(void)
{
    for (int i = 0; i < 300; i++) {
        unsigned long long start = __rdtsc();
        quick();
        unsigned long long middle = __rdtsc();
        slow();
        outside[0] += middle - start;
        outside[1] += __rdtsc() - middle;
    }
    printf("%llu %llu quick\n%llu %llu slow\n", inside[0], outside[0], inside[1], outside[1]);
    return 0;
}
C
    run profiled ./program
    [[ $status == 0 ]]
    join -1 3 -2 3 <(sort -k3 <<<"$output") <(profile ticks | sort -k3) >joined
    # NAME INSIDE OUTSIDE TICKS LARGEST
    awk '!($2 <= $4 && $4 <= $3 && $5 <= $4 && $5 * 300 >= $4) { print; wrong = 1 }
        END { exit wrong || NR != 2 }' joined
}

@test "a process of the user's that writes anything into the file takes no other one down" {
    local scribbler program
    cat >scribble.c <<'C'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char bytes[256];
    int fd = open(argv[argc - 1], O_WRONLY);
    /* the first megabyte but for the header, which the programs look at when they begin */
    for (;;) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)(random() % 3 == 0 ? random() : random() % 4);
        if (pwrite(fd, bytes, sizeof bytes, 4096 + random() % (1 << 20)) < 0)
            return 1;
    }
}
C
    gcc -O2 scribble.c -o scribble
    for program in recursion threads jumps handlers; do
        instrumented "$PROFILE_PROGRAMS/$program.c"
        new_profile
        observe without ./program
        ./scribble "$PROFILE_FILE" 3>&- &
        scribbler=$!
        for ((i = 0; i < ${JOBTRAIL_SOAK:+50} + 5; i++)); do
            observe with "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" ./program
            diff -r without with
        done
        kill "$scribbler"
        wait "$scribbler" || true
    done
}

@test "a filter that refuses the system calls of the library, installed unseen: the program goes on, and losses are counted" {
    unseen
    instrumented -I. -x c - <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include "unseen.h"
#define REFUSE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
static jmp_buf place;
__attribute__((noinline)) static int down(int n)
{
    if (n < 0)
        longjmp(place, 1);
    int x = n == 0 ? 0 : down(n - 1);
    __asm__ volatile("" : "+r"(x));
    return x;
}
__attribute__((noinline)) static void jump(void)
{
    if (setjmp(place) == 0)
        down(-1);
}
int main(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(SYS_openat), REFUSE(SYS_mmap), REFUSE(SYS_munmap), REFUSE(SYS_sigaltstack), REFUSE(SYS_fallocate),
        REFUSE(SYS_tgkill), REFUSE(SYS_madvise), REFUSE(SYS_readlinkat),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    puts("begun");
    fflush(stdout);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        unseen(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program) != 0)
        return 9;
    for (int i = 0; i < 3; i++)
        jump();
    return down(999);
}
C
    run profiled ./program
    [[ $status == 0 && $output == begun ]]
    # 256 frames and nodes, as where the file cannot be opened again
    run profile functions sums
    [[ $status == 0 && $output == *"3 jump"* && $output == *$'\nstray 0\n'* && ! $output == *$'\nlost 0\n'* ]]
    # each array was tried to be enlarged once
    [[ $output == *"dropped 0 0 2" ]]
}

# designated [SOURCE...]: ./program, which calls part(x) = x + 1 of the designated library ./libpart.so.1
designated() {
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libpart\\.so\\.1\n' new_job
    echo 'int part(int x) { return x + 1; }' | gcc -O2 -shared -fPIC -Wl,-soname,libpart.so.1 -x c - -o libpart.so.1
    gcc -O2 -Wno-unused-result "$@" -x none ./libpart.so.1 -Wl,-rpath,"$PWD" -o program
}

# same_beside COMMAND...: prints and ends as without us, with a profile, and with first calls noted as well
same_beside() {
    local both
    observe without "$@" || return
    for both in "$LIBRARY" ""; do
        new_profile || return
        PROFILED+=(JOBTRAIL_POLICY="${CONF%.conf}.policy")
        observe with "${PROFILED[@]}" "${TRACKED[@]:1:3}" LD_PRELOAD="$both $PROFILE_LIBRARY" "$@" || return
        diff -r without with || return
    done
}

# tells_of_sandbox: the logs say that nothing was counted after it; nobody says that the rank was killed
tells_of_sandbox() {
    local order
    for order in show "show --mpi"; do
        # shellcheck disable=SC2086 # words
        "$JOBTRAIL_BIN/jobtrail-profile" $order "$PROFILE_FILE" >shown || return
        [[ $(grep -c '^# rank 0, .*: entered a sandbox: nothing after that is counted$' shown) == 1 ]] || return
        ! grep -q 'killed' shown || return
    done
    "$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE" >shown || return
    jq -e '.ranks[0] | .entered_sandbox and (.reached_exit | not)' shown >/dev/null
}

# calls_of_part: as many were counted
calls_of_part() {
    "$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" | awk -F '\t' '$4 == "part" { sum += $5 } END { print sum + 0 }'
}

@test "seccomp's strict mode, before and after the first timed call: the program is not killed, and it is said" {
    cat >strict.c <<'C'
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
extern int part(int);
int main(int argc, char **argv)
{
    int before = argc > 1 ? part(1) : 2;
    (void)argv;
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    write(1, before == 2 && part(1) == 2 ? "yes\n" : "no!\n", 4);
    syscall(SYS_exit, 3);
}
C
    for way in "" -fno-plt "-Wl,-z,now" "-Wl,-z,lazy"; do
        # shellcheck disable=SC2086 # words
        designated $way strict.c
        same_beside ./program
        [[ $(cat with/stdout with/status) == $'yes\n3' && $(calls_of_part) == 0 ]]
        tells_of_sandbox
        same_beside ./program before
        [[ $(cat with/stdout with/status) == $'yes\n3' && $(calls_of_part) == 1 ]]
        tells_of_sandbox
    done
}

@test "seccomp's strict mode of an instrumented program, before and after its first call" {
    cat >strict.c <<'C'
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) int part(int x) { return x + 1; }
__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    int before = argc > 1 ? part(1) : 2;
    (void)argv;
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    return syscall(SYS_exit, before + part(1));
}
C
    instrumented strict.c
    same_beside ./program
    [[ $(cat with/status) == 4 && $(profile functions) == "" ]]
    tells_of_sandbox
    same_beside ./program before
    [[ $(cat with/status) == 4 && $(profile functions) == "1 part" ]]
    tells_of_sandbox
}

@test "a filter that kills for the library's system calls, entered by prctl(2) and syscall(2): calls before it are counted" {
    cat >filter.c <<'C'
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
extern int part(int);
#define LET(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
static long enter(const char *how, const struct sock_fprog *program)
{
    return strchr(how, 's') ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program)
                            : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
}
int main(int argc, char **argv)
{
    int sum = 0;
    struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), LET(SYS_write),
        LET(SYS_exit_group), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    void *handle = strchr(argv[argc - 1], 'd') ? dlopen("libz.so.1", RTLD_NOW) : NULL;
    setvbuf(stdout, NULL, _IONBF, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL); /* whether there are filters */
    if (strchr(argv[argc - 1], 'b'))
        sum += part(0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (enter(argv[argc - 1], &program) != 0)
        return 9;
    if (strchr(argv[argc - 1], 'a'))
        sum += part(1);
    printf("%d\n", sum);
    if (handle != NULL)
        dlsym(handle, "inflate");
    exit(3);
}
C
    designated filter.c
    for how in x b ba bad bs bsa; do
        same_beside ./program $how
        [[ $(cat with/status) == 3 && $(calls_of_part) == "$([[ $how == b* ]] && echo 1 || echo 0)" ]]
        tells_of_sandbox
    done
    # main() and enter() are open
    designated -finstrument-functions filter.c
    same_beside ./program bad
    [[ $(cat with/status) == 3 && $(profile functions) == $'1 enter\n1 main' && $(calls_of_part) == 1 ]]
    tells_of_sandbox
}

@test "a program that gives the counter away later is not killed, and calls before that are counted" {
    designated -x c - <<'C'
#include <sys/prctl.h>
extern int part(int);
int main(void)
{
    int sum = part(1);
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    return sum + part(2);
}
C
    same_beside ./program
    [[ $(cat with/status) == 5 && $(calls_of_part) == 1 ]]
    tells_of_sandbox
}

@test "slots that a library of the program has made writable stay so" {
    gcc -O2 -shared -fPIC -Wl,-soname,libopen.so -x c - -o libopen.so <<'C'
#define _GNU_SOURCE
#include <link.h>
#include <sys/mman.h>
static int open_program(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        unsigned long start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
            mprotect((void *)(start & -4096ul), (end & -4096ul) - (start & -4096ul), PROT_READ | PROT_WRITE);
    }
    return 1;
}
__attribute__((constructor)) static void open_slots(void) { dl_iterate_phdr(open_program, 0); }
C
    cat >hook.c <<'C'
#include <link.h>
#include <stdio.h>
#include <string.h>
extern int part(int);
static int own(int x) { return 100 + x; }
int main(void)
{
    int first = part(1);
    const struct link_map *program = _r_debug.r_map;
    const ElfW(Rela) *calls = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t count = 0;
    for (const ElfW(Dyn) *at = program->l_ld; at->d_tag != DT_NULL; at++) {
        calls = at->d_tag == DT_JMPREL ? (void *)at->d_un.d_ptr : calls;
        count = at->d_tag == DT_PLTRELSZ ? at->d_un.d_val / sizeof *calls : count;
        symbols = at->d_tag == DT_SYMTAB ? (void *)at->d_un.d_ptr : symbols;
        names = at->d_tag == DT_STRTAB ? (void *)at->d_un.d_ptr : names;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(names + symbols[ELF64_R_SYM(calls[i].r_info)].st_name, "part") == 0)
            *(void **)(program->l_addr + calls[i].r_offset) = (void *)own;
    printf("%d %d\n", first, part(1));
    return 0;
}
C
    designated -Wl,-z,now hook.c -Wl,--no-as-needed ./libopen.so
    same_beside ./program
    [[ $(cat with/stdout) == "2 101" && $(calls_of_part) == 1 ]]
    # first calls alone
    observe with "${TRACKED[@]}" ./program
    diff -r without with
    # what nobody has opened is read-only afterwards
    designated -Wl,-z,now hook.c
    same_beside ./program
    [[ $(cat with/status) == 139 && $(calls_of_part) == 1 ]]
}

@test "a tracer of the program's own is called as without a profile, and time in libraries is still counted" {
    cat >tracer.c <<'C'
static int calls;
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller) { calls += function != caller; }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *caller) { calls += function != caller; }
__attribute__((no_instrument_function)) int traced(void) { return calls; }
C
    cat >traced.c <<'C'
#include <pthread.h>
#include <stdio.h>
extern int part(int), traced(void);
__attribute__((noinline)) int own(int x) { return part(x); }
static void *work(void *p) { own(1); return p; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    for (int i = 0; i < 10; i++)
        own(i);
    printf("%d\n", traced());
    return 0;
}
C
    gcc -O2 -shared -fPIC -Wl,-soname,libtracer.so tracer.c -o libtracer.so
    designated -finstrument-functions traced.c ./libtracer.so
    same_beside ./program
    # eleven calls of own(), one of work(), and main() is open
    [[ $(cat with/stdout) == 25 && $(profile functions) == "" && $(calls_of_part) == 11 ]]
    "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE" >shown
    [[ $(grep -c '^# rank 0, .*: has hooks of its own: it has no stacks$' shown) == 1 ]]
    # behind libc's, which are empty, nothing would be called
    designated -finstrument-functions traced.c -lc ./libtracer.so
    same_beside ./program
    [[ $(cat with/stdout) == 0 && $(calls_of_part) == 11 && $(profile functions) == $'1 main\n11 own\n1 work' ]]
}

@test "threads that are cancelled at any moment, also within the library, and children forked beside them" {
    cat >cancel.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#define KEPT __attribute__((noinline))
KEPT static int busy(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
KEPT static int deep(int n) { int x = n ? deep(n - 1) : busy(n); __asm__ volatile("" : "+r"(x)); return x; }
static void *work(void *p) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL); for (;;) deep(20); return p; }
static void child(void) { for (int i = 0; i < 10; i++) deep(3); _exit(7); }
int main(void)
{
    int wrong = 0, status;
    for (int i = 0; i < 500; i++) {
        pthread_t thread[2];
        void *result;
        for (int j = 0; j < 2; j++)
            pthread_create(&thread[j], NULL, work, NULL);
        for (int j = 0; j < i % 400; j++)
            busy(j); /* another moment each time */
        pid_t pid = i % 50 == 0 ? fork() : -1;
        if (pid == 0)
            child();
        if (pid > 0)
            wrong += waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7;
        for (int j = 0; j < 2; j++)
            pthread_cancel(thread[j]);
        for (int j = 0; j < 2; j++)
            wrong += pthread_join(thread[j], &result) != 0 || result != PTHREAD_CANCELED;
    }
    return wrong;
}
C
    for unwinding in -fno-exceptions -fexceptions; do
        new_profile
        instrumented $unwinding cancel.c
        run profiled ./program
        [[ $status == 0 ]]
        run profile sums
        [[ $status == 0 && $output == *$'\nlost 0\n'* && $output == *$'processes 11\n'* ]]
    done
}

@test "more forked children than there is room for: they run as ever, and the file says how many found none" {
    instrumented -x c - <<'C'
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int part(int x) { __asm__ volatile("" : "+r"(x)); return x; }
int main(void)
{
    int status, wrong = 0;
    for (int i = 0; i < 300; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(part(i & 7));
        wrong += waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != (i & 7);
    }
    return wrong;
}
C
    BYTES=$((8 << 20)) new_profile
    run profiled ./program
    [[ $status == 0 ]]
    # of the first 1024 pages the header and the parent have 13, and each child has 12; the last child that finds
    # room for the chunk of a process finds none for that of its thread
    run profile functions sums
    [[ $status == 0 && $output == *$'84 part\n'* && $output == *$'processes 86\n'* && $output == *$'\nlost 1\n'* && $output == *"dropped 216 0 0" ]]
}
