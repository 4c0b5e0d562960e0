#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which routines of designated libraries a run calls: however programs are linked, in several
# languages, with threads, forked children, libraries that are loaded later, and kills.
# bats file_tags=needs:routines

load ../fixture/job
load ../fixture/links
load ../fixture/routines

DESIGNATED=$'\n[routines]\nkeep = soname:libdesignated\\.so\\..*\nkeep = archive:libarchive\\.a\n'

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    cat >library.c <<'END'
#include <stdarg.h>
double one(double x) { return x + 1; }
double two(double x) { return x + 2; }
double three(double x) { return one(x) + 3; }
int sum(int count, ...)
{
    va_list list;
    int all = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        all += (int)va_arg(list, double);
    va_end(list);
    return all;
}
struct large { double part[5]; };
struct large returns_struct(double a, double b, double c, double d, double e)
{
    return (struct large){{a, b, c, d, e}};
}
static int chosen_one(int x) { return x + 40; }
static int (*choose(void))(int) { return chosen_one; }
int chosen(int x) __attribute__((ifunc("choose")));
int old_two(void) { return 2; }
int new_two(void) { return 22; }
__asm__(".symver old_two, versioned@OLD\n.symver new_two, versioned@@NEW");
END
    echo 'OLD { }; NEW { global: *; } OLD;' >map
    cat >main.c <<'END'
#include <signal.h>
#include <stdio.h>
struct large { double part[5]; };
double one(double), two(double), three(double);
int sum(int, ...), chosen(int), versioned(void);
struct large returns_struct(double, double, double, double, double);
int main(int count, char **words)
{
    double all = 0;
    (void)words;
    for (int i = 0; i < 5; i++)
        all += one(i);
    all += three(1) + returns_struct(1, 2, 3, 4, 5).part[4];
    if (count > 5)
        all += two(3);
    printf("%g %d %d %d\n", all, sum(3, 1.0, 2.0, 3.0), chosen(2), versioned());
    fflush(stdout);
    if (count > 1)
        raise(SIGKILL);
    return 0;
}
END
    cc -O2 -fPIC -shared -Wl,-soname,libdesignated.so.1 -Wl,--version-script=map library.c -o libdesignated.so
    ln -s libdesignated.so libdesignated.so.1
}

setup() {
    LIBRARIES=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR" || return
    RULES=$KEEP_ALL$DESIGNATED
    new_job
}

# linked NAME SOURCE OPTION...: linked with the designated library and these
linked() {
    "${CC:-cc}" -O2 "${@:3}" "$2" -o "$1" -L"$LIBRARIES" -ldesignated -Wl,-rpath,"$LIBRARIES"
}

ALL_BUT_TWO="chosen one returns_struct sum three versioned"

@test "first calls are noted, however the program is linked, and what is not called is not" {
    local kind
    for kind in "-Wl,-z,lazy" "-Wl,-z,now" "-fno-plt -Wl,-z,now" "-fno-plt -Wl,-z,lazy" "-no-pie -Wl,-z,lazy" \
        "-no-pie -Wl,-z,now" "-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy" \
        "-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,now" "-Wl,-z,norelro" "-Wl,--hash-style=gnu -s" \
        "${LINKERS[@]/#/-Wl,-z,lazy -fuse-ld=}" "${LINKERS[@]/#/-fno-plt -fuse-ld=}" \
        "-no-pie -Wl,-z,lazy -fuse-ld=mold"; do
        # shellcheck disable=SC2086 # they are several options
        linked main "$LIBRARIES/main.c" $kind
        [[ $kind != *ibtplt* || $(readelf -SW main) == *" .plt.sec "* ]]
        another_job
        unnoticed ./main
        leaves "main fini"
        [[ $(called main) == "$ALL_BUT_TWO" && $(of_run main .watched) == 7 && $(of_run main .missed) == 0 ]] || {
            echo "$kind: $(of_run main .)"
            return 1
        }
    done
    another_job
    LD_BIND_NOW=1 unnoticed ./main
    leaves "main fini"
    [[ $(called main) == "$ALL_BUT_TWO" ]]
}

@test "the time is that of the first call, and the library has its build-id" {
    local before after
    linked main "$LIBRARIES/main.c"
    before=$(date +%s)
    tracked ./main
    after=$(date +%s)
    flush
    # a tick of the clock before
    of_run main ".routineA[] | select(.[2] < $before - 1 or .[2] > $after + 1)" | diff - /dev/null
    [[ $(of_run main '.libraryA[0][0]') == "$LIBRARIES/libdesignated.so" ]] # the real path, as of libA
    [[ $(of_run main '.libraryA[0][1]') == "$(readelf -n "$LIBRARIES/libdesignated.so" | sed -n 's/.*Build ID: //p')" ]]
    [[ $(of_run main '.counted') == false && $(of_run main '.routineA[0][3]') == null ]]
}

@test "a killed run has called what it has called" {
    linked main "$LIBRARIES/main.c"
    unnoticed ./main killed
    flush
    [[ $(called main) == "$ALL_BUT_TWO" ]]
}

@test "nothing is noted where nothing is designated, or a routine is skipped" {
    linked main "$LIBRARIES/main.c"
    DESIGNATED="" RULES=$KEEP_ALL another_job
    tracked ./main
    flush
    [[ $(records | jq -c '.[0] | has("routineT")') == false ]]
    RULES=$KEEP_ALL$DESIGNATED$'skip = routine:libdesignated\\.so\\.1:(s|t).*\n' another_job
    tracked ./main
    flush
    [[ $(called main) == "chosen one returns_struct versioned" ]]
}

@test "a library is designated by the module of its directory, and explain says so" {
    linked main "$LIBRARIES/main.c"
    echo "$LIBRARIES designated/1.0" >map
    RULES=$KEEP_ALL$'\n[routines]\nkeep = module:designated/.*\n[link]\nmodules = '$PWD/map another_job
    unnoticed ./main
    leaves "main fini"
    [[ $(called main) == "$ALL_BUT_TWO" ]]
    "$JOBTRAIL_BIN/jobtrail-conf" explain --conf "$CONF" --routines "$LIBRARIES/libdesignated.so.1" >said
    grep -F "below:$LIBRARIES/libdesignated.so.1: keep, by 'module:designated/.*' ($CONF:" said
    grep -F "soname:libdesignated.so.1: skip, as no rule in [routines] matches" said
    "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --json >said || true
    [[ $(jq -r '.[] | select(.check == "routines").state' said) == ok ]]
    rm map
    "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --json >said || true
    [[ $(jq -r '.[] | select(.check == "routines") | .state, .object' said | paste -sd' ') == "warning $PWD/map" ]]
}

@test "calls are counted exactly, with threads too, or marked as a lower bound" {
    cat >threads.c <<'END'
#include <pthread.h>
#include <stdio.h>
double one(double), two(double);
static pthread_barrier_t start;
static void *call(void *unused)
{
    pthread_barrier_wait(&start);
    for (int i = 0; i < 10000; i++)
        one(i);
    two(1);
    return unused;
}
int main(void)
{
    pthread_t thread[16];
    pthread_barrier_init(&start, NULL, 16);
    for (int i = 0; i < 16; i++)
        pthread_create(&thread[i], NULL, call, NULL);
    for (int i = 0; i < 16; i++)
        pthread_join(thread[i], NULL);
    return puts("done") < 0;
}
END
    # shellcheck disable=SC2034 # new_job uses it
    RULES=$'[tracking]\nroutine_counts = yes\n'$KEEP_ALL$DESIGNATED
    linked threads threads.c -pthread -Wl,-z,now
    another_job
    unnoticed ./threads
    leaves "threads fini"
    [[ $(of_run threads '.routineA | map(.[1, 3, 4] | tostring) | join(" ")') == "one 160000 false two 16 false" ]]
    local linker
    for linker in "${LINKERS[@]}"; do
        linked threads threads.c -pthread -Wl,-z,lazy "-fuse-ld=$linker"
        another_job
        unnoticed ./threads
        leaves "threads fini"
        [[ $(of_run threads '.routineA | map(.[1, 3, 4] | tostring) | join(" ")') == "one 160000 false two 16 false" ]]
    done
    # what listens to the loader hears of each binding
    another_job
    tracked LD_DEBUG=bindings LD_DEBUG_OUTPUT="$PWD/heard" ./threads
    leaves "threads fini"
    [[ $(of_run threads '.routineA | map(.[1, 4] | tostring) | join(" ")') == "one true two true" ]]
    of_run threads '.routineA[] | select(.[3] < 1)' | diff - /dev/null
    grep -q "libdesignated.*symbol .one'" heard.*
}

@test "calls are counted exactly where the loader binds lazily: chosen ones, versions, vectors, forked children" {
    cat >wide.c <<'END'
typedef double wide __attribute__((vector_size(32)));
static wide wide_one(wide x, wide y) { return x + y; }
static wide (*choose(void))(wide, wide)
{
    __asm__ volatile("vzeroall" ::: "memory");
    return wide_one;
}
wide wide_chosen(wide x, wide y) __attribute__((ifunc("choose")));
END
    cc -O2 -mavx -fPIC -shared -Wl,-soname,libdesignated.so.3 wide.c -o libdesignated.so.3
    cat >many.c <<'END'
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int chosen(int), versioned(void);
#ifdef __AVX__
typedef double wide __attribute__((vector_size(32)));
wide wide_chosen(wide, wide);
#endif
static pthread_barrier_t start;
static double part[8];
static void *call(void *at)
{
    double all = 0;
    pthread_barrier_wait(&start);
    for (int i = 0; i < 1000; i++)
        all += sin(i) + pow(i, 1.5) + chosen(i) + versioned();
#ifdef __AVX__
    wide x = {1, 2, 3, all}, y = {5, 6, 7, 8};
    x = wide_chosen(x, y);
    all += x[0] + x[1] + x[2] + x[3];
#endif
    *(double *)at = all;
    return at;
}
int main(void)
{
    pthread_t thread[8];
    double all = 0;
    pthread_barrier_init(&start, NULL, 8);
    for (int i = 0; i < 8; i++)
        pthread_create(&thread[i], NULL, call, &part[i]);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 8; i++)
        all += part[i];
    if (fork() == 0)
        _exit(pow(all, 2) < sin(all));
    wait(NULL);
    return printf("%.17g\n", all) < 0;
}
END
    # shellcheck disable=SC2034 # new_job uses it
    RULES=$'[tracking]\nroutine_counts = yes\n'$KEEP_ALL$DESIGNATED$'keep = soname:libm\\.so\\.6\n'
    local avx="" wide=""
    if grep -qw avx /proc/cpuinfo; then
        avx=-mavx wide=" wide_chosen 8 false"
    fi
    # shellcheck disable=SC2086 # it is one option, or none
    linked many many.c -fno-builtin -pthread -Wl,-z,lazy,--no-as-needed $avx ./libdesignated.so.3 -lm -Wl,-rpath,"$PWD"
    another_job
    unnoticed ./many
    leaves "many fini"
    [[ $(of_run many '.routineA | sort_by(.[1]) | map(.[1, 3, 4] | tostring) | join(" ")') == "chosen 8000 false pow 8001 false sin 8001 false versioned 8000 false$wide" ]]
}

@test "which of two libraries is called stays the loader's choice, and such calls have a lower bound" {
    echo 'int which(void) { return 1; } int only(void) { return 1; } int shared(void) { return 0; }' >first.c
    echo 'int which(void) { return 2; } int only(void);  int user(void) { return which() * 10 + only(); }' >second.c
    cc -O2 -fPIC -shared -Wl,-soname,libdesignated.so.4 first.c -o libdesignated.so.4
    cc -O2 -fPIC -shared -Wl,-z,lazy -Wl,-soname,libsecond.so second.c -o libsecond.so ./libdesignated.so.4 -Wl,-rpath,"$PWD"
    # a plugin that a constructor has loaded is asked by itself alone, and before the start by deepbind
    cat >loads.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
static int (*user)(void);
int loaded(void) { return user(); }
__attribute__((constructor)) static void load(void)
{
    *(void **)&user = dlsym(dlopen("./plugin.so", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND), "user");
}
END
    cc -O2 -fPIC -shared -Wl,-soname,libloads.so loads.c -o libloads.so
    echo 'int which(void) { return 4; } int only(void) { return 7; }' >third.c
    cc -O2 -fPIC -shared -Wl,-soname,libdesignated.so.5 third.c -o libdesignated.so.5
    echo 'int which(void), only(void), shared(void); int user(void) { return which() * 10 + only() + shared(); }' >plugin.c
    cc -O2 -fPIC -shared -Wl,-z,lazy -Wl,-soname,plugin.so plugin.c -o plugin.so ./libdesignated.so.5 ./libdesignated.so.4 -Wl,-rpath,"$PWD"
    cat >asks.c <<'END'
#include <stdio.h>
int which(void), only(void), shared(void), user(void), loaded(void);
int main(void)
{
    for (int i = 0; i < 3; i++)
        printf("%d %d %d %d\n", which(), only() + shared(), user(), loaded());
    return 0;
}
END
    # shellcheck disable=SC2034 # new_job uses it
    RULES=$'[tracking]\nroutine_counts = yes\n'$KEEP_ALL$DESIGNATED
    cc -O2 -Wl,-z,lazy asks.c -o asks -Wl,-rpath,"$PWD" ./libdesignated.so.4 ./libsecond.so ./libloads.so
    another_job
    unnoticed ./asks
    leaves "asks fini"
    tracked ./asks >said
    [[ $(sort -u said) == "1 1 11 47" ]]
    flush
    [[ $(records | jq -c '[.[0].routineT.routineA[] | select(.[1] == "which")[4]] | unique') == "[true]" ]]
    # the plugin calls it, too, which the loader binds
    [[ $(records | jq -c '[.[0].routineT.routineA[] | select(.[1] == "shared")[4]]') == "[true]" ]]
    [[ $(records | jq -c '[.[0].routineT.routineA[] | select(.[1] == "only")[3]] | max') -ge 3 ]]
}

@test "what a constructor had loaded may be gone at the first call, and what is loaded after it is seen" {
    local counts
    echo 'int same(void) { return 1; }' >same.c
    cc -O2 -fPIC -shared -Wl,-soname,libsame.so.1 same.c -o libsame.so.1
    mkdir other
    echo 'int other(void) { return 2; } char large[1 << 20];' >other.c
    cc -O2 -fPIC -shared -Wl,-soname,libsame.so.1 other.c -o other/libsame.so.1 # the name of one that is needed
    cat >loads.c <<'END'
#include <dlfcn.h>
static void *handle;
void unload(void) { dlclose(handle); }
__attribute__((constructor)) static void load(void) { handle = dlopen(OTHER, RTLD_LAZY | RTLD_LOCAL); }
END
    cc -O2 -fPIC -shared -DOTHER="\"$PWD/other/libsame.so.1\"" -Wl,-soname,libloads.so loads.c -o libloads.so
    echo 'int late(void) { return 6; }' >late.c
    cc -O2 -fPIC -shared -Wl,-soname,libdesignated.so.7 late.c -o libdesignated.so.7
    echo 'int late(void); int user(void) { return late(); }' >user.c
    cc -O2 -fPIC -shared -Wl,-z,lazy user.c -o user.so ./libdesignated.so.7 -Wl,-rpath,"$PWD"
    cat >gone.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int same(void), versioned(void);
void unload(void);
int main(void)
{
    int (*user)(void);
    int first = same();
    unload();
    printf("%d %d\n", first, versioned());
    void *handle = dlopen("./user.so", RTLD_LAZY);
    *(void **)&user = dlsym(handle, "user");
    dlsym(handle, "late");
    printf("%d\n", user());
    return 0;
}
END
    linked gone gone.c -Wl,-z,lazy,--no-as-needed ./libloads.so ./libsame.so.1 -Wl,-rpath,"$PWD"
    for counts in no yes; do
        # shellcheck disable=SC2034 # new_job uses it
        RULES=$'[tracking]\nroutine_counts = '$counts$'\n'$KEEP_ALL$DESIGNATED
        another_job
        unnoticed ./gone
        leaves "gone fini"
        flush
        [[ $(called gone) == "late versioned" ]]
        (($(of_run gone .missed) > 0))
    done
}

@test "callers whose stack is not aligned call as ever" {
    local bind mode
    cat >unaligned.c <<'END'
#include <stdio.h>
double one(double);
int chosen(int);
/* calls with 8 bytes more on the stack than the ABI wants */
__asm__("    .text\n"
        "unaligned:\n"
        "    pushq %rbx\n"
        "    movq %rsp, %rbx\n"
        "    andq $-16, %rsp\n"
        "    subq $8, %rsp\n"
        "    call one@plt\n"
        "    movl $2, %edi\n"
        "    call chosen@plt\n"
        "    movq %rbx, %rsp\n"
        "    popq %rbx\n"
        "    ret\n");
int unaligned(double);
int main(void)
{
    printf("%d\n", unaligned(1));
    return 0;
}
END
    for bind in lazy now; do
        linked "unaligned_$bind" unaligned.c -Wl,-z,$bind
        for mode in no yes; do
            # shellcheck disable=SC2034 # new_job uses it
            RULES=$'[tracking]\nroutine_counts = '$mode$'\n'$KEEP_ALL$DESIGNATED
            another_job
            unnoticed "./unaligned_$bind"
            leaves "unaligned_$bind fini"
            flush
            [[ $(called "unaligned_$bind") == "chosen one" ]]
        done
    done
}

@test "16 threads that call routines first at once leave nothing out and fail in no run" {
    {
        echo '#include <pthread.h>'
        for i in $(seq 200); do echo "int routine_$i(int);"; done
        echo 'static pthread_barrier_t start;'
        echo 'static void *call(void *unused) { int all = 0; pthread_barrier_wait(&start);'
        for i in $(seq 200); do echo "all += routine_$i(all);"; done
        echo 'return all == 200 ? unused : &start; }'
        cat <<'END'
int main(void)
{
    pthread_t thread[16];
    int wrong = 0;
    pthread_barrier_init(&start, NULL, 16);
    for (int i = 0; i < 16; i++)
        pthread_create(&thread[i], NULL, call, NULL);
    for (int i = 0; i < 16; i++) {
        void *result;
        pthread_join(thread[i], &result);
        wrong += result != NULL;
    }
    return wrong;
}
END
    } >threads.c
    for i in $(seq 200); do echo "int routine_$i(int x) { return x - x + 1; }"; done >many.c
    cc -O2 -fPIC -shared -Wl,-soname,libdesignated.so.2 many.c -o libmany.so
    ln -s libmany.so libdesignated.so.2
    cc -O2 threads.c -o threads -pthread -L. -lmany -Wl,-rpath,"$PWD" -Wl,-z,lazy
    cc -O2 threads.c -o threads_mold -pthread -L. -lmany -Wl,-rpath,"$PWD" -Wl,-z,lazy -fuse-ld=mold
    cc -O2 threads.c -o threads_now -pthread -L. -lmany -Wl,-rpath,"$PWD" -Wl,-z,now
    local rounds=${JOBTRAIL_SOAK:+400}
    rounds=${rounds:-50}
    for ((i = 0; i < rounds; i++)); do
        tracked ./threads
        tracked ./threads_mold
        tracked ./threads_now
    done
    flush
    [[ $(records | jq '[.[] | select((.routineT.routineA | length) == 200 and .routineT.missed == 0)] | length') == $((3 * rounds)) ]]
}

@test "a first call makes no system call: in the strictest sandbox a program calls as ever" {
    cat >strict.c <<'END'
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
double one(double), two(double);
int main(void)
{
    char text[] = "0\n";
    prctl(PR_SET_SECCOMP, 1); /* read, write, exit and sigreturn alone */
    text[0] += (char)(one(1) + two(1));
    syscall(SYS_write, 1, text, 2);
    syscall(SYS_exit, 0);
}
END
    local kind
    for kind in lazy now; do
        linked "strict_$kind" strict.c "-Wl,-z,$kind"
        unnoticed "./strict_$kind"
        [[ $(cat with/stdout) == 5 ]]
    done
    flush
    [[ $(called strict_lazy) == "one two" && $(called strict_now) == "one two" ]]
}

@test "tools that report stores of several threads have nothing to report, and the library is a miss" {
    cat >threads.c <<'END'
#include <pthread.h>
double one(double);
static void *call(void *unused) { one(1); return unused; }
int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, call, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
END
    linked threads threads.c -pthread
    unnoticed valgrind -q --error-exitcode=99 --tool=helgrind ./threads
    unnoticed valgrind -q --error-exitcode=99 --tool=drd ./threads
    flush
    [[ $(records | jq -c '[.[].routineT | select(.) | [.watched, .missed]] | sort') == "[[0,1],[0,1]]" ]]
}

@test "calls of forked and vforked children are the run's, until it ends" {
    cat >fork.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
double one(double), two(double), three(double);
int main(void)
{
    int status;
    double all = three(1);
    if (fork() == 0)
        _exit((int)two(1));
    wait(&status);
    for (int i = 0; i < 3; i++) {
        if (vfork() == 0) {
            all += one(i);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
    return printf("%g %d\n", all, status) < 0;
}
END
    linked fork fork.c
    unnoticed ./fork
    leaves "fork fini"
    [[ $(called fork) == "one three two" ]]
}

@test "a child that outlives its run, which was sampled out, writes into no other one's slot" {
    cat >outlive.c <<'END'
#include <stdio.h>
#include <unistd.h>
double one(double);
/* The child calls when its standard input ends. */
int main(void)
{
    char byte;
    if (fork() == 0) {
        ssize_t got = read(0, &byte, 1);
        _exit(one(1) == 2 && got == 0 ? 0 : 1);
    }
    return 0;
}
END
    linked outlive outlive.c
    linked main "$LIBRARIES/main.c"
    RULES=$KEEP_ALL$DESIGNATED$'[sampling]\nenabled = yes\nscalar = 0 1:100000000' another_job
    mkfifo fifo
    tracked ./outlive <fifo &
    exec {hold}>fifo
    wait %1
    # this one has called routines, and so is kept; it may lie where the other was
    tracked ./main
    exec {hold}>&-
    flush
    [[ $(called main) == "$ALL_BUT_TWO" ]]
    [[ $(records | jq -r '[.[] | .userT.exec_path | split("/")[-1]] | sort | join(" ")') == main ]]
}

@test "libraries that are loaded later are looked at, and may be unloaded" {
    cat >plugin.c <<'END'
double one(double), two(double);
double plug(double x) { return x < 0 ? two(x) : one(x); }
END
    cat >load.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words)
{
    double all = 0;
    for (int i = 0; i < 3; i++) {
        void *plugin = dlopen(words[1], count > 2 ? RTLD_LAZY : RTLD_NOW);
        if (plugin == NULL)
            return puts(dlerror()), 1;
        double (*plug)(double) = (double (*)(double))dlsym(plugin, "plug");
        all += plug(i);
        if (i == 1)
            dlclose(plugin);
    }
    return printf("%g\n", all) < 0;
}
END
    local kind
    for kind in -Wl,-z,lazy -Wl,-z,now "-fno-plt -Wl,-z,now" "-fuse-ld=mold -Wl,-z,lazy"; do
        # shellcheck disable=SC2086 # they are several options
        {
            linked plugin.so plugin.c -shared -fPIC $kind
            cc -O2 load.c -o load $kind
        }
        another_job
        unnoticed ./load ./plugin.so
        unnoticed ./load ./plugin.so lazy
        leaves "load fini" "load fini"
        [[ $(records | jq -r '[.[].routineT.routineA | map(.[1]) | join(" ")] | join(",")') == "one,one" ]] || {
            echo "$kind: $(records | jq -c '.[].routineT')"
            return 1
        }
    done
}

# bats test_tags=needs:root
@test "routines of prepared archives are noted, in dynamic and in static programs" {
    cat >stub.s <<'END'
        .text
        .globl  one
        .type   one, @function
one:    endbr64
        jmp     *word(%rip)
        .size   one, . - one
        .data
        .balign 8
word:   .quad   real_one
        .section .note.jobtrail.routine, "a", @note
        .balign 4
        .long   9, 2f - 1f, 0x4a545201
        .asciz  "jobtrail"
        .balign 4
1:      .quad   word - .
        .asciz  "one"
        .asciz  "libarchive.a"
2:      .balign 4
        .section .note.GNU-stack, "", @progbits
END
    sed 's/word/word_two/; s/one/two/g' stub.s >stub_two.s
    cat >main.c <<'END'
#include <stdio.h>
double one(double), two(double);
double real_one(double x) { return x + 1; }
double real_two(double x) { return x + 2; }
int main(int count, char **words)
{
    (void)words;
    return printf("%g\n", one(1) + one(2) + (count > 1 ? two(1) : 0)) < 0;
}
END
    local kind
    for kind in -pie -no-pie "-static" "-static-pie"; do
        # shellcheck disable=SC2086 # they are several options
        case $kind in
        -static*) cc -O2 $kind main.c stub.s stub_two.s "$JOBTRAIL_STAGE/lib/jobtrail/startup/$(uname -m).o" -o main ;;
        *) cc -O2 $kind main.c stub.s stub_two.s -o main ;;
        esac
        another_job
        [[ $(tracked ./main) == 5 && $(./main) == 5 ]]
        leaves "main fini"
        [[ $(called main) == one && $(of_run main '.libraryA[0] | join(" ")') == "libarchive.a 0" ]] || {
            echo "$kind: $(records | jq -c '.[].routineT')"
            return 1
        }
    done
    # with more rights than its caller
    another_job
    chown nobody main
    chmod 4755 main
    [[ $(tracked ./main) == 5 ]]
    leaves
}

@test "a program that has the routine itself, or gets it from a preload, does not call the library's" {
    cat >own.c <<'END'
#include <stdio.h>
double one(double), three(double);
#ifdef OWN
double one(double x) { return x + 100; }
#endif
int main(void) { return printf("%g\n", one(1) + three(1)) < 0; }
END
    linked own own.c -DOWN -Wl,-z,lazy
    unnoticed ./own
    leaves "own fini"
    [[ $(called own) == three ]]
    linked own own.c -Wl,-z,lazy
    linked own_now own.c -Wl,-z,now
    echo 'double one(double x) { return x + 1000; }' | cc -shared -fPIC -xc - -o interposer.so
    # a symbol without a type
    printf '.globl one\none: addsd number(%%rip), %%xmm0\nret\n.balign 8\nnumber: .double 1000\n' |
        cc -shared -xassembler - -o assembly.so
    local order
    for order in "$LIBRARY ./interposer.so" "./interposer.so $LIBRARY" "$LIBRARY ./assembly.so"; do
        another_job
        [[ $(env "${TRACKED[@]}" LD_PRELOAD="$order" ./own) == 2005 ]]
        [[ $(env "${TRACKED[@]}" LD_PRELOAD="$order" ./own_now) == 2005 ]]
        flush
        [[ $(called own) == three && $(called own_now) == three ]]
    done
}

@test "exceptions and longjmp pass through stubs" {
    cat >thrower.cc <<'END'
#include <csetjmp>
#include <stdexcept>
void throws(int x) { if (x > 0) throw std::runtime_error("thrown"); }
void jumps(jmp_buf to) { longjmp(to, 3); }
END
    cat >catcher.cc <<'END'
#include <csetjmp>
#include <cstdio>
#include <stdexcept>
void throws(int);
void jumps(jmp_buf);
int main()
{
    static jmp_buf here;
    int caught = 0;
    for (int i = 0; i < 2; i++)
        try {
            throws(1);
        } catch (const std::runtime_error &) {
            caught++;
        }
    int jumped = setjmp(here);
    if (jumped == 0)
        jumps(here);
    return std::printf("%d %d\n", caught, jumped) < 0;
}
END
    c++ -O2 -shared -fPIC -Wl,-soname,libdesignated.so.3 thrower.cc -o libdesignated.so.3
    local kind
    for kind in lazy now; do
        c++ -O2 catcher.cc -o "$kind" ./libdesignated.so.3 -Wl,-rpath,"$PWD" "-Wl,-z,$kind"
        unnoticed "./$kind"
    done
    leaves "lazy fini" "now fini"
    [[ $(called lazy) == "_Z5jumpsP13__jmp_buf_tag _Z6throwsi" && $(called now) == "$(called lazy)" ]]
}

@test "each instruction of a stub, and of what notes the call, can be unwound" {
    local kind
    for kind in -Wl,-z,lazy -Wl,-z,now -fno-plt; do
        linked unwinds "$JOBTRAIL_SOURCE/test/e2e/fixture/unwinds.c" "$kind"
        another_job
        tracked ./unwinds
        leaves "unwinds fini"
        [[ $(called unwinds) == one ]]
    done
}

@test "C++ and Fortran programs are seen however they are linked, and what they do not call is not" {
    cat >shape.cc <<'END'
namespace shape {
struct Square { double side; Square(double); double area() const; virtual double edges() const; virtual ~Square(); };
Square::Square(double s) : side(s) {}
double Square::area() const { return side * side; }
double Square::edges() const { return 4; }
Square::~Square() {}
double unused(double x) { return x; }
}
END
    cat >shapes.cc <<'END'
#include <cstdio>
namespace shape {
struct Square { double side; Square(double); double area() const; virtual double edges() const; virtual ~Square(); };
double unused(double);
}
int main(int count, char **)
{
    shape::Square square(3);
    return std::printf("%g %g\n", square.area(), count > 5 ? shape::unused(1) : 0) < 0;
}
END
    cat >norms.f90 <<'END'
double precision function norm_one(n, x)
    integer :: n
    double precision :: x(n)
    norm_one = sum(abs(x))
end function
subroutine norm_unused(x)
    double precision :: x
    x = 0
end subroutine
END
    cat >norm.f90 <<'END'
program norm
    double precision :: x(3) = [1d0, -2d0, 3d0], norm_one
    if (command_argument_count() > 5) call norm_unused(x(1))
    print *, norm_one(3, x)
end program
END
    c++ -O2 -fPIC -shared -Wl,-soname,libdesignated.so.5 shape.cc -o libdesignated.so.5
    gfortran -O2 -fPIC -shared -Wl,-soname,libdesignated.so.6 norms.f90 -o libdesignated.so.6
    local kind bind
    for kind in -Wl,-z,lazy -Wl,-z,now "-fno-plt -Wl,-z,now" "-no-pie -Wl,-z,lazy" "-no-pie -Wl,-z,now" \
        "-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy" "-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,now"; do
        # shellcheck disable=SC2086 # they are several options
        {
            c++ -O2 $kind shapes.cc -o shapes ./libdesignated.so.5 -Wl,-rpath,"$PWD"
            gfortran -O2 $kind norm.f90 -o norm ./libdesignated.so.6 -Wl,-rpath,"$PWD"
        }
        [[ $kind != *ibtplt* || $(readelf -SW shapes norm | grep -cF " .plt.sec ") == 2 ]]
        for bind in "" 1; do
            another_job
            LD_BIND_NOW=$bind unnoticed ./shapes
            LD_BIND_NOW=$bind unnoticed ./norm
            leaves "shapes fini" "norm fini"
            [[ $(called shapes) == "_ZN5shape6SquareC1Ed _ZN5shape6SquareD1Ev _ZNK5shape6Square4areaEv" &&
                $(called norm) == norm_one_ ]] || {
                echo "$kind LD_BIND_NOW=$bind: $(called shapes), $(called norm)"
                return 1
            }
        done
    done
}

@test "a Fortran program calls BLAS" {
    cat >solve.f90 <<'END'
program solve
    double precision :: a(2, 2) = reshape([2d0, 0d0, 0d0, 4d0], [2, 2]), b(2) = [2d0, 8d0], ddot
    integer :: pivots(2), info
    external :: dgesv, ddot
    call dgesv(2, 1, a, 2, pivots, b, 2, info)
    print *, b, info, ddot(2, b, 1, b, 1)
end program
END
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:lib(blas|lapack)\\.so\\.3\n' another_job
    gfortran solve.f90 -o solve -llapack -lblas
    unnoticed ./solve
    leaves "solve fini"
    # what LAPACK calls of BLAS as well, and not what it calls of its own
    [[ $(of_run solve '.routineA | map(select(.[1] == "dgesv_" or .[1] == "ddot_" or .[1] == "dtrsm_") | .[1]) | sort | join(" ")') == \
        "ddot_ dgesv_ dtrsm_" ]]
}

@test "numpy, scipy, R and Octave call BLAS and LAPACK by libraries that they load, and not what they do not" {
    local bind
    for bind in "" 1; do
        RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:lib(blas|lapack)\\.so\\.3\n' another_job
        export LD_BIND_NOW=$bind
        unnoticed /usr/bin/python3 -c 'import numpy as n; print(n.linalg.eigvalsh(n.ones((2, 2)) @ n.ones((2, 2))))'
        unnoticed R --vanilla -s -e 'a <- matrix(1, 20, 20); print(sum(a %*% a)); print(solve(diag(3)))'
        unnoticed octave-cli --no-history --eval 'a = ones(20); disp(sum((a * a)(:)))'
        flush
        [[ " $(called "$PYTHON_NAME") " == *" cblas_dgemm "* && " $(called "$PYTHON_NAME") " == *" dsyevd_ "* ]]
        [[ " $(called "$PYTHON_NAME") " != *gesv* && " $(called "$PYTHON_NAME") " != *" cblas_zgemm "* ]]
        [[ " $(called R) " == *" dgemm_ "* && " $(called R) " == *" dgesv_ "* && " $(called R) " != *" dgeev_ "* ]]
        [[ " $(called octave-cli) " == *" dgemm_ "* && " $(called octave-cli) " != *" dgesv_ "* ]]
        # scipy calls LAPACK by a table of pointers, which is not seen; what LAPACK calls of BLAS for it is
        RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:lib(blas|lapack)\\.so\\.3\n' another_job
        unnoticed /usr/bin/python3 -c 'import scipy.linalg as s; print(s.lu_factor([[4., 3], [6, 3]])[0])'
        flush
        [[ " $(called "$PYTHON_NAME") " == *" dtrsm_ "* && " $(called "$PYTHON_NAME") " != *getrf* ]]
    done
}

# bats test_tags=needs:run_32bit
@test "of a 32-bit program a designated library is a miss" {
    [[ $(uname -m) == x86_64 ]] || skip
    cc -m32 -O2 -fPIC -shared -Wl,-soname,libdesignated.so.4 -xc - -o libdesignated.so.4 <<<'int four(void) { return 4; }'
    cc -m32 -O2 -xc - -xnone -o small ./libdesignated.so.4 -Wl,-rpath,"$PWD" <<<'int four(void); int main(void) { return four() - 4; }'
    tracked env LD_PRELOAD="$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so" ./small
    flush
    [[ $(of_run small '[.watched, .missed] | join(" ")') == "0 1" ]]
}
