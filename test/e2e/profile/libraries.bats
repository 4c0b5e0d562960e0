#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Time in libraries that [routines] designates: what a call may have passes through, however the program was linked, and
# calls are counted exactly.

# bats file_tags=needs:profile

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so\\.1\n' new_job
    new_profile
    cd "$BATS_TEST_TMPDIR" || return
    gcc -O2 -Wno-psabi -shared -fPIC -I"$PROFILE_PROGRAMS" -Wl,-soname,libmoon.so.1 -o libmoon.so.1 "$PROFILE_PROGRAMS/moon.c"
}

# build [OPTION...]
build() {
    g++ -O2 -I"$PROFILE_PROGRAMS" "$@" "$PROFILE_PROGRAMS/moon_user.cc" libmoon.so.1 -Wl,-rpath,"$PWD" -pthread -o user
}

# dumped ROUTINE: its calls
dumped() {
    "$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" | awk -F '\t' -v name="$1" '$4 == name { print $5 }'
}

# has_calls: as often as the source says
has_calls() {
    local want
    want=$(sed -n 's|^// calls: ||p' "$PROFILE_PROGRAMS/moon_user.cc" | tr , '\n' | sed 's/^ *//' | LC_ALL=C sort)
    diff <(routine_rows | cut -f 4,5 | tr '\t' ' ' | LC_ALL=C sort) - <<<"$want"
}

@test "arguments, results, exceptions, longjmp, cancellations and forks pass, and each call is counted" {
    for options in "" "-fno-plt" "-Wl,-z,now" "-Wl,-z,lazy -Wl,-z,norelro" "-no-pie"; do
        # shellcheck disable=SC2086 # words
        build $options
        with_rules
        observe without ./user
        observe with "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" ./user
        diff -r without with
        [[ $(cat with/status) == 3 ]]
        has_calls
    done
}

@test "first calls are noted beside it" {
    for options in "" "-Wl,-z,now" "-Wl,-z,lazy"; do
        # shellcheck disable=SC2086 # words
        build $options
        rm -rf "$RECORDS"
        with_rules
        observe with "${PROFILED[@]}" "${TRACKED[@]:1:3}" LD_PRELOAD="$LIBRARY $PROFILE_LIBRARY" ./user
        [[ $(cat with/status) == 3 ]]
        has_calls
        flush
        [[ $(records | jq -r '[.[] | select(.routineT)][0].routineT.routineA | map(.[1]) | sort | join(" ")') == \
            "moon_burns moon_calls moon_large moon_long_double moon_many moon_pair moon_variadic moon_waits" ]]
        [[ $(records | jq -r '.[].libA[][0]') == */libmoon.so.1* && $(records | jq -r '.[].libA[][0]') != */libjobtrail* ]]
    done
}

@test "times lie between what the library and its caller measure, and a call within another one counts once" {
    local within around own inner
    build
    with_rules
    profiled ./user all >seen || (($? == 3))
    read -r within around < <(tail -1 seen)
    "$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" >numbers
    inner=$(awk -F '\t' '$4 == "moon_burns" { print $7 }' numbers)
    own=$(awk -F '\t' '$4 == "moon_calls" { print $7 }' numbers)
    awk -v within="$within" -v around="$around" -v inner="$inner" -v own="$own" \
        'BEGIN { exit !(within * 0.999 <= inner && inner <= own && own <= around * 1.001) }'
    # the time of the largest is not in that of its caller, but for it
    [[ $(awk -F '\t' '$4 == "moon_calls" { print ($6 < 50000000) }' numbers) == 1 ]]
}

@test "routines that a rule leaves out are not counted, nor are other libraries" {
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so\\.1\nskip = routine:libmoon\\.so\\.1:moon_[^bc].*\n' new_job
    build
    with_rules
    profiled ./user || (($? == 3))
    [[ $(routine_rows | cut -f 4 | sort | xargs) == "moon_burns moon_calls" ]]
    RULES=$KEEP_ALL new_job
    with_rules
    profiled ./user || (($? == 3))
    [[ $(routine_rows) == "" ]]
}

# same PROGRAM...: it prints and ends as without a profile
same() {
    with_rules
    observe without "$@"
    observe with "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" "$@"
    diff -r without with
    [[ $(cat with/status) == 0 ]]
}

@test "arguments keep their alignment, stacks may end behind a caller, and registers that a routine keeps are kept" {
    gcc -O2 -Wno-psabi -I"$PROFILE_PROGRAMS" "$PROFILE_PROGRAMS/moon_edges.c" libmoon.so.1 -Wl,-rpath,"$PWD" -o edges
    same ./edges
    [[ $(dumped moon_wide) == 4 && $(dumped moon_many) == 1 ]]
    # mcount() changes no register that an argument may be in
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libc\\.so\\.6\n' new_job
    printf '#include <stdio.h>\n__attribute__((noinline)) int f(int a, int b, int c, int d, int e, int f)
        { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f; }\nint main(void) { return printf("%%d\\n", f(1, 2, 3, 4, 5, 6)) != 3; }\n' |
        gcc -O1 -pg -no-pie -fno-pie -xc - -o pg
    same ./pg
    [[ $(cat with/stdout) == 91 && $(dumped printf) == 1 ]]
}

# with_arguments NUMBER: a library's function of so many pointers, wide.c, which wide_user.c calls, also from a frame
# of 4 KiB, with a structure of 800 bytes
with_arguments() {
    local i ints='' sums='' places=''
    for ((i = 0; i < $1; i++)); do
        ints+=",int *p$i" sums+=" + $((i + 1)) * *p$i" places+=",&v[$i]"
    done
    ints=${ints#,} places=${places#,}
    printf 'struct room { long part[100]; }; long wide(%s); long struck(int, struct room, int);\n' "$ints" >wide.h
    printf '#include "wide.h"\nlong wide(%s) { return %s; }\nlong struck(int a, struct room r, int b)
        { return a + r.part[99] + b; }\n' "$ints" "$sums" >wide.c
    printf '#include "wide.h"\n#include <stdio.h>\nint v[%d]; struct room r = {.part[99] = 3};
        __attribute__((noinline)) long small(void) { return wide(%s) + 1; }
        __attribute__((noinline)) long large(void) { volatile char room[4096]; room[0] = 1; return wide(%s) + room[0]; }
        int main(void) { long sum = 0; for (int i = 0; i < %d; i++) v[i] = 1;
        for (int i = 0; i < 3; i++) sum += small() + 2 * large() + struck(1, r, 2);
        return printf("%%ld\\n", sum) < 0; }\n' "$1" "$places" "$places" "$1" >wide_user.c
    gcc -O2 -shared -fPIC -Wl,-soname,libwide.so.1 -o libwide.so.1 wide.c
}

@test "whatever number of arguments lies on the stack, and however large they are, they pass" {
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libwide\\.so\\.1\n' new_job
    for number in 45 250; do
        with_arguments "$number"
        for build in "gcc -O2" "gcc -O0" "clang -O2" "gcc -O2 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer"; do
            $build wide_user.c libwide.so.1 -Wl,-rpath,"$PWD" -o wide
            same ./wide
            [[ $(dumped wide) == 6 && $(dumped struck) == 3 ]]
        done
    done
    # with more than are copied it is called, and missed
    with_arguments 300
    gcc -O2 wide_user.c libwide.so.1 -Wl,-rpath,"$PWD" -o wide
    same ./wide
    [[ $(dumped wide) == "" && $(dumped struck) == 3 ]]
    [[ $(told .missed) == 1 ]]
}

@test "of two libraries, and of two versions in one, a call goes to the one that it was linked with" {
    local later
    printf 'V1 { global: moon_v; local: *; };\nV2 { global: moon_v; };\n' >both.map
    printf 'V2 { global: moon_v; local: *; };\n' >new.map
    printf 'int moon_v(void) { return 2; }\n' | gcc -O2 -shared -fPIC -xc - -Wl,--version-script=new.map -Wl,-soname,libmoon.so.2 -o libmoon.so.2
    printf 'int f1(void) { return 1; }\nint f3(void) { return 3; }\n__asm__(".symver f1, moon_v@V1\\n.symver f3, moon_v@@V2");\n' |
        gcc -O2 -shared -fPIC -xc - -Wl,--version-script=both.map -Wl,-soname,libmoon.so.3 -o libmoon.so.3
    printf 'V1 { global: moon_v; local: *; };\n' >old.map
    printf 'int moon_v(void) { return 0; }\n' | gcc -O2 -shared -fPIC -xc - -Wl,--version-script=old.map -Wl,-soname,libmoon.so.3 -o linked.so
    printf 'int moon_v(void); int use(void) { return moon_v(); }\n' >use.c
    gcc -O2 -shared -fPIC use.c -o libuse.so -L. -l:linked.so -Wl,-rpath,"$PWD"
    printf '#include <stdio.h>\nint moon_v(void), use(void); int main(void) { return printf("%%d %%d\\n", moon_v(), use()) != 4; }\n' >main.c
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so.*\n' new_job
    for later in 2 3; do # the version of the program is in another library than that of libuse.so, or in the same one
        gcc -O2 main.c -o main -Wl,-z,lazy -L. "-l:libmoon.so.$later" -Wl,--no-as-needed ./libuse.so -Wl,-rpath,"$PWD"
        same ./main
        [[ $(cat with/stdout) == "$later 1" ]]
        [[ $(dumped moon_v) == 2 ]]
    done
}

# told [JQ]: what show --mpi has of all ranks
told() {
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json "$PROFILE_FILE" | jq -r "$1"
}

@test "routines that a library chooses when they are first called are timed, whatever links the program" {
    local linker binding
    printf '#include <math.h>\n#include <stdio.h>\nint main(int argc, char **argv) { double sum = 0;
        for (int i = 0; i < 1000; i++) sum += pow(argc + i, 0.5) + sin(i * argc) + exp(-i * argc) + cbrt(i * argc) + fma(i, argc, 1);
        return printf("%%.17g\\n", sum) < 0; }\n' >numbers.c
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libm\\.so\\.6\n' new_job
    for linker in bfd gold lld mold; do
        for binding in lazy now; do
            gcc -O1 -fno-builtin numbers.c -o numbers "-Wl,-z,$binding" "-fuse-ld=$linker" -lm
            same ./numbers
            for routine in pow sin exp cbrt fma; do
                [[ $(dumped $routine) == 1000 ]]
            done
            [[ $(told '"\(.missed) \(.missed_mpi) \(.missed_routines | length) \(.all_ranks) \(.ranks)"') == "0 0 0 1 0" ]]
        done
    done
    # one whose loader stores no address
    gcc -O1 -fno-builtin numbers.c -o numbers -Wl,-z,lazy -lm
    new_profile
    LD_BIND_NOT=1 profiled ./numbers >bound
    diff bound without/stdout
}

@test "a first call that does not return has not been seen, and later ones neither" {
    printf 'static void first(void (*leave)(void)) { if (leave) leave(); }\nstatic void *choose(void) { return first; }
        void moon_chosen(void (*)(void)) __attribute__((ifunc("choose")));\n' |
        gcc -O2 -shared -fPIC -xc - -Wl,-soname,libmoon.so.4 -o libmoon.so.4
    printf '#include <setjmp.h>\nvoid moon_chosen(void (*)(void)); static jmp_buf before; static void leave(void) { longjmp(before, 1); }
        int main(int argc, char **argv) { if (setjmp(before) == 0) moon_chosen(argc > 1 ? leave : 0); for (int i = 0; i < 9; i++) moon_chosen(0); return 0; }\n' |
        gcc -O2 -xc - -o chosen -Wl,-z,lazy -L. -l:libmoon.so.4 -Wl,-rpath,"$PWD"
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so.*\n' new_job
    same ./chosen
    [[ $(dumped moon_chosen) == 10 && $(told .missed) == 0 ]]
    same ./chosen leave
    [[ $(dumped moon_chosen) == 1 && $(told .missed) == 1 ]]
}

@test "a program without MPI is told what part of its time designated libraries have, and what was missed" {
    build
    with_rules
    profiled ./user || (($? == 3))
    run "$JOBTRAIL_BIN/jobtrail-profile" show --mpi "$PROFILE_FILE"
    [[ $output == *"# 1 rank counted calls of designated libraries alone, and ran for "* && $output != *" of MPI"* ]]
    awk '$NF == "moon_burns" { found = $3 > 0 && $3 <= 100 } END { exit !found }' <<<"$output"
    told '.all_seconds > 0 and .run_seconds == 0 and .mpi_share == 0' | grep -x true
    # an address that is taken: the linker makes one slot of both
    printf 'int moon_calls(int), moon_burns(int); int main(void) { int (*volatile taken)(int) = moon_calls; return moon_burns(0) + moon_calls(0) - taken(0) - moon_burns(0); }\n' |
        gcc -O2 -xc - -L. -l:libmoon.so.1 -Wl,-rpath,"$PWD" -o user
    with_rules
    profiled ./user || true
    run "$JOBTRAIL_BIN/jobtrail-profile" show --mpi "$PROFILE_FILE"
    [[ $output == *"# 1 routine or object of designated libraries could not be counted, times in them are too short: moon_calls"* ]]
    [[ $(told '.missed_routines[] | "\(.routine) \(.is_mpi)"') == "moon_calls false" && $(told .missed_mpi) == 0 ]]
}

@test "names with an underscore are timed, and what passes its arguments in other ways is missed" {
    printf 'int _moon_one(void) { return 1; }\nint __kmpc_moon(void) { return 2; }\nint __svml_moon(void) { return 3; }\nint _setjmp_moon(void) { return 4; }\n' |
        gcc -O2 -shared -fPIC -xc - -Wl,-soname,libmoon.so.1 -o libmoon.so.1
    printf 'int _moon_one(void), __kmpc_moon(void), __svml_moon(void), _setjmp_moon(void);
        int main(void) { return _moon_one() + __kmpc_moon() + __svml_moon() + _setjmp_moon() - 10; }\n' |
        gcc -O2 -xc - -L. -l:libmoon.so.1 -Wl,-rpath,"$PWD" -o user
    same ./user
    [[ $(routine_rows | cut -f 4 | LC_ALL=C sort | xargs) == "__kmpc_moon _moon_one _setjmp_moon" ]]
    [[ $(told '.missed_routines[].routine') == __svml_moon && $(told .missed) == 1 ]]
}

@test "plugins that call designated libraries are timed, and where first calls are noted too" {
    local binding libraries
    printf 'int moon_burns(int); int solve(void) { for (int i = 0; i < 5; i++) moon_burns(0); return 0; }\n' >plugin.c
    # another object is half unloaded then: no other one's pages are read
    cat >main.c <<'END'
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
int main(void)
{
    struct link_map *half = dlopen("./half.so", RTLD_LAZY);
    void *plugin = dlopen("./plugin.so", RTLD_LAZY);
    int (*solve)(void) = (int (*)(void))dlsym(plugin, "solve");
    mprotect((void *)half->l_addr, 4096, PROT_NONE);
    int status = solve();
    mprotect((void *)half->l_addr, 4096, PROT_READ);
    return status + dlclose(plugin);
}
END
    gcc -shared -fPIC -x c /dev/null -o half.so
    gcc -O2 -shared -fPIC plugin.c -o plugin.so -L. -l:libmoon.so.1 -Wl,-rpath,"$PWD"
    for binding in lazy now; do
        gcc -O2 main.c -o main "-Wl,-z,$binding"
        same ./main
        [[ $(dumped moon_burns) == 5 && $(told .missed) == 0 ]]
        for libraries in "$LIBRARY $PROFILE_LIBRARY" "$PROFILE_LIBRARY $LIBRARY"; do
            rm -rf "$RECORDS"
            with_rules
            observe with "${PROFILED[@]}" "${TRACKED[@]:1:3}" LD_PRELOAD="$libraries" ./main
            [[ $(cat with/status) == 0 ]]
            [[ $(dumped moon_burns) == 5 && $(told .missed) == 0 ]]
            flush
            [[ $(records | jq -r '[.[] | select(.routineT)][0].routineT.routineA | map(.[1]) | join(" ")') == moon_burns ]]
        done
    done
}

# bats test_tags=needs:routines
@test "where first calls are counted too, a plugin's calls stay exact, whatever else is unloaded beside it, or it is itself" {
    local libraries
    printf 'int moon_burns(int); int solve(void) { for (int i = 0; i < 5; i++) moon_burns(0); return 0; }\n' |
        gcc -O2 -shared -fPIC -xc - -o plugin.so -L. -l:libmoon.so.1 -Wl,-rpath,"$PWD"
    printf 'int other;\n' | gcc -shared -fPIC -xc - -o other.so
    gcc -O2 -xc - -o main <<'C'
#include <dlfcn.h>
static void *plugin;
static int solve(void)
{
    plugin = dlopen("./plugin.so", RTLD_NOW);
    return plugin ? ((int (*)(void))dlsym(plugin, "solve"))() : 1;
}
int main(void)
{
    int wrong = solve();
    for (int i = 0; i < 3; i++)
        wrong |= dlclose(dlopen("./other.so", RTLD_NOW)) | solve() | dlclose(plugin);
    for (int i = 0; i < 2; i++)
        wrong |= dlclose(plugin) | solve();
    return wrong;
}
C
    for libraries in "$LIBRARY $PROFILE_LIBRARY" "$PROFILE_LIBRARY $LIBRARY"; do
        RULES=$'[tracking]\nroutine_counts = yes\n'$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so\\.1\n' another_job
        with_rules
        env "${PROFILED[@]}" "${TRACKED[@]:1:3}" LD_PRELOAD="$libraries" ./main
        [[ $(dumped moon_burns) == 30 && $(told .missed) == 0 ]]
        flush
        [[ $(records | jq -c '.[] | select(.routineT) | .routineT.routineA | map(.[1, 3])') == '["moon_burns",30]' ]]
    done
}

# bats test_tags=needs:routines
@test "numpy and scipy have the same routines in the list of first calls as in the profile, in any order of the libraries" {
    local libraries program
    for program in 'import numpy as n; a = n.ones((9, 9)); print(n.linalg.eigvalsh(a @ a)[0] < 1)' \
        'import scipy.linalg as s; print(s.lu_factor([[4., 3], [6, 3]])[0])'; do
        for libraries in "$LIBRARY $PROFILE_LIBRARY" "$PROFILE_LIBRARY $LIBRARY"; do
            RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:lib(blas|lapack)\\.so\\.3\n' another_job
            with_rules
            env "${PROFILED[@]}" "${TRACKED[@]:1:3}" LD_PRELOAD="$libraries" /usr/bin/python3 -c "$program"
            routine_rows | cut -f 4 | LC_ALL=C sort -u >timed
            told '.missed_routines[].routine' | LC_ALL=C sort -u >missed
            flush
            records | jq -r '.[] | select(.routineT) | .routineT.routineA[][1]' | LC_ALL=C sort -u >listed
            grep -xE 'cblas_dgemm|dtrsm_' listed
            diff listed timed
            diff <(records | jq -r '.[] | select(.routineT) | .routineT.missedA[][1]' | LC_ALL=C sort -u) missed
        done
    done
}

@test "a call goes to the routine that the loader finds, whatever was loaded before the first one" {
    local way
    printf 'int moon_way(int a) { return a + 1; }\n' | gcc -O2 -shared -fPIC -xc - -Wl,-soname,libmoon.so.5 -o libmoon.so.5
    printf 'int moon_way(int a) { return a + 2; }\n' | gcc -O2 -shared -fPIC -xc - -Wl,-soname,libmoon.so.6 -o libmoon.so.6
    printf 'int moon_way(int); int solve(int a) { return moon_way(a); }\n' |
        gcc -O2 -shared -fPIC -xc - -o plugin.so -Wl,-z,lazy -L. -l:libmoon.so.6 -Wl,-rpath,"$PWD"
    cat >main.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
enum { DEEP, LOCAL, GLOBAL };
static int (*solve)(int);
static void find(int flags) { void *plugin = dlopen("./plugin.so", RTLD_LAZY | flags); solve = (int (*)(int))dlsym(plugin, "solve"); }
static void early(int argc, char **argv, char **environment) /* before constructors */
{
    if (WAY == LOCAL)
        dlopen("./libmoon.so.5", RTLD_LAZY);
    if (WAY != GLOBAL)
        find(WAY == DEEP ? RTLD_DEEPBIND : 0);
}
__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **, char **) = early;
int main(void)
{
    if (WAY == GLOBAL) {
        find(0);
        dlopen("./libmoon.so.5", RTLD_NOW | RTLD_GLOBAL);
    }
    return printf("%d %d\n", solve(10), solve(20)) != 6;
}
C
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so.*\n' new_job
    for way in DEEP LOCAL GLOBAL; do
        gcc -O2 -DWAY=$way main.c -o main -Wl,--no-as-needed -L. "-l:libmoon.so.$([[ $way == DEEP ]] && echo 5 || echo 1)" -Wl,-rpath,"$PWD"
        same ./main
        [[ $(cat with/stdout) == $([[ $way == GLOBAL ]] && echo 11 21 || echo 12 22) ]]
        # the last one alone defined it when the plugin was looked at
        [[ $(dumped moon_way) == "" && $(told .missed) == 1 ]]
        [[ $(told '.missed_routines[].routine') == $([[ $way == GLOBAL ]] || echo moon_way) ]]
    done
}

@test "an audit library hears of the routines that the loader binds, and what it puts in their place is called" {
    local binding
    printf 'int moon_plain(int a) { return a; }\nstatic int chosen(int a) { return a; }\nstatic void *choose(void) { return chosen; }
        int moon_chosen(int a) __attribute__((ifunc("choose")));\n' |
        gcc -O2 -shared -fPIC -xc - -Wl,-soname,libmoon.so.4 -o libmoon.so.4
    printf 'int moon_plain(int); int solve(int a) { return moon_plain(a); }\n' |
        gcc -O2 -shared -fPIC -xc - -o plugin.so -Wl,-z,lazy -L. -l:libmoon.so.4 -Wl,-rpath,"$PWD"
    cat >audit.c <<'C'
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
unsigned la_version(unsigned version) { return version; }
unsigned la_objopen(struct link_map *map, Lmid_t id, uintptr_t *cookie) { return LA_FLG_BINDTO | LA_FLG_BINDFROM; }
static int other(int a) { return a + 100; }
uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags, const char *name)
{
    if (strncmp(name, "moon_", 5) == 0 || strcmp(name, "dlopen") == 0 || strcmp(name, "dlsym") == 0) {
        write(2, name, strlen(name));
        write(2, "\n", 1);
    }
    return getenv("REPLACES") && strcmp(name, "moon_plain") == 0 ? (uintptr_t)other : symbol->st_value;
}
#ifdef EACH
uintptr_t la_x86_64_gnu_pltenter(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, La_x86_64_regs *registers,
                                 unsigned *flags, const char *name, long *frame) { return la_symbind64(symbol, index, from, to, flags, name); }
#endif
C
    gcc -O2 -D_GNU_SOURCE -shared -fPIC -w audit.c -o audit.so
    gcc -O2 -D_GNU_SOURCE -DEACH -shared -fPIC -w audit.c -o each.so
    printf '#include <dlfcn.h>\n#include <stdio.h>\nint moon_plain(int), moon_chosen(int); int main(void) { int own = moon_plain(1) + moon_chosen(1);
        return printf("%%d %%d\\n", own, ((int (*)(int))dlsym(dlopen("./plugin.so", RTLD_LAZY), "solve"))(1)) < 0; }\n' >main.c
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so.*\n' new_job
    for binding in lazy now; do
        gcc -O2 main.c -o main "-Wl,-z,$binding" -L. -l:libmoon.so.4 -Wl,-rpath,"$PWD"
        LD_AUDIT=./audit.so ./main >without 2>heard
        with_rules
        LD_AUDIT=./audit.so profiled ./main >with 2>heard_with
        diff without with
        [[ $(dumped moon_plain) == 2 && $(dumped moon_chosen) == 1 && $(told .missed) == 0 ]]
        [[ $(LC_ALL=C sort heard | xargs) == "dlopen dlsym moon_chosen moon_plain moon_plain" ]]
        [[ $(LC_ALL=C sort heard_with | xargs) == $([[ $binding == lazy ]] && echo moon_chosen moon_plain || LC_ALL=C sort heard | xargs) ]]
        with_rules
        REPLACES=yes LD_AUDIT=./audit.so profiled ./main >with 2>heard_with
        [[ $(cat with) == $([[ $binding == lazy ]] && echo 2 101 || echo 102 101) ]]
        [[ $(dumped moon_plain) == $([[ $binding == lazy ]] && echo 1) && $(told .missed) == 1 ]]
        with_rules # one of each call: then the loader binds nothing for good
        LD_AUDIT=./each.so profiled ./main >with 2>heard_with
        diff without with
        [[ $(dumped moon_plain) == 2 && $(dumped moon_chosen) == 1 && $(told .missed) == 2 ]]
        [[ $(LC_ALL=C sort heard_with | xargs) == "moon_chosen moon_chosen moon_plain moon_plain" ]]
    done
}

@test "a library that a plugin has called stays, though its own handle is closed" {
    printf 'int PMPI_Init(int *a, char ***b) { return 0; } int MPI_Init(int *a, char ***b) { return 0; } int MPI_Barrier(void *c) { return 7; }\n' |
        gcc -O2 -shared -fPIC -xc - -Wl,-soname,libmoon_mpi.so -o libmoon_mpi.so
    printf 'int MPI_Barrier(void *); int solve(void) { return MPI_Barrier(0); }\n' | gcc -O2 -shared -fPIC -xc - -Wl,-z,lazy -o plugin.so
    gcc -O2 -xc - -o main <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *mpi = dlopen("./libmoon_mpi.so", RTLD_NOW | RTLD_GLOBAL);
    int (*solve)(void) = (int (*)(void))dlsym(dlopen("./plugin.so", RTLD_LAZY), "solve"), first = solve();
    dlclose(mpi);
    return printf("%d %d\n", first, solve()) != 4;
}
C
    same ./main
    [[ $(dumped MPI_Barrier) == 2 && $(told .missed_mpi) == 0 ]]
}

@test "a program ends though a thread is within dl_iterate_phdr(3), and what was not looked at is missed" {
    printf 'int plugin;\n' | gcc -shared -fPIC -xc - -o plugin.so
    gcc -O2 -xc - -o main -pthread -L. -l:libmoon.so.1 -Wl,-rpath,"$PWD" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
int moon_burns(int);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_in;
static int wait_here(struct dl_phdr_info *info, size_t size, void *data) { is_in = 1; return pthread_mutex_lock(&mutex) + 1; }
static void *walk(void *argument) { dl_iterate_phdr(wait_here, argument); return NULL; }
int main(void)
{
    pthread_t thread;
    moon_burns(0);
    dlopen("./plugin.so", RTLD_NOW);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, walk, NULL);
    while (!is_in)
        sched_yield();
    exit(0);
}
C
    same timeout $((60 * SLOW)) ./main
    [[ $(dumped moon_burns) == 1 && $(told .missed) == 1 && $(told .missed_mpi) == 0 ]]
    [[ $(told '.missed_routines[] | "\(.routine) \(.is_mpi)"') == "(loaded later) false" ]]
}

@test "dlsym(3) looks once at what was loaded, though not all that loads can be seen" {
    local binding
    gcc -O2 "$PROFILE_PROGRAMS/steps.c" -o steps
    printf '#include <dlfcn.h>\nvoid *look(const char *name) { return dlsym((void *)0, name); }\n' >plugin.c
    printf '#include <dlfcn.h>\nint main(void) { void *plugin = dlopen("./plugin.so", RTLD_NOW); dlsym(plugin, "look");
        __asm__ volatile("int3"); void *look = dlsym(plugin, "look"); __asm__ volatile("int3"); return look == 0; }\n' |
        gcc -O2 -xc - -o main -L. -l:libmoon.so.1 -Wl,-rpath,"$PWD"
    for binding in lazy now; do
        gcc -O2 -shared -fPIC plugin.c -o plugin.so "-Wl,-z,$binding"
        with_rules
        env "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" ./steps ./main >"$binding"
    done
    echo "$(<now) instructions, $(<lazy) where all is seen"
    (($(<now) - $(<lazy) < 1000))
}
