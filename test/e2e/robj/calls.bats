#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which routines of archives that jobtrail-robj has prepared a recorded run calls: dynamic programs, static ones that
# jobtrail-ld has linked, C, C++ and Fortran, threads, kills.
# bats file_tags=needs:routines
# shellcheck disable=SC2030,SC2031 # each test has its own job

# bats file_tags=needs:routines

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/links

setup() {
    new_links
    PATH=$JOBTRAIL_BIN:$PATH
    CONF_LINK=$BATS_TEST_TMPDIR/link.conf
    cat >lib.c <<'C'
#include <stdarg.h>
int helper(int a) { return a + 1; }
C
    cat >lib2.c <<'C'
#include <stdarg.h>
#include <stdlib.h>
int helper(int);
int called(int a) { return helper(a) * 2; }
int variadic(int count, ...)
{
    double all = 0;
    va_list list;
    va_start(list, count);
    while (count-- > 0)
        all += va_arg(list, double);
    va_end(list);
    return (int)all;
}
int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int not_called(int a) { return a; }
C
    gcc -O2 -fPIC -c lib.c lib2.c
    ar rc libmade.a lib.o lib2.o
    cat >main.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
int called(int), variadic(int, ...), not_called(int), compare(const void *, const void *);
int main(int count, char **words)
{
    int all[] = {3, 1, 2};
    (void)words;
    qsort(all, 3, sizeof *all, compare);
    printf("%d %d %d\n", called(3) + (count > 5 ? not_called(1) : 0), variadic(3, 1.5, 2.5, 3.5), all[0]);
    fflush(stdout);
    return count > 1 ? raise(SIGKILL) : 3;
}
C
    jobtrail-robj -m libmade.a >entries
    RULES=$KEEP_ALL$'\n[routines]\nkeep = archive:libmade\\.a\n'
    # shellcheck disable=SC2034 # new_job uses it
    LIBRARY=$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so
    new_job
}

# prepare OPTION...: libnoted.a of libmade.a
prepare() {
    jobtrail-robj -w -a -i libmade.a "$@" -e entries -o libnoted.a libmade.a >said
}

# called PROGRAM: the routines of its run, of which there is one, sorted, with blanks between
called() {
    records | jq -r --arg name "$1" '[.[] | select((.userT.exec_path | split("/")[-1]) == $name)]
        | if length == 1 then .[0].routineT.routineA // [] else error("\(length) runs") end | map(.[1]) | sort | join(" ")'
}

# statically COMMAND...: by the linker wrapper
statically() {
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" "$@"
}

@test "calls are noted, also of static programs that jobtrail-ld links; with -x not those inside the library" {
    for way in "" -x; do
        # shellcheck disable=SC2086
        prepare $way
        all="called compare variadic"
        [[ $way == -x ]] || all="called compare helper variadic"
        for kind in -pie -no-pie -static -static-pie "-fuse-ld=lld" "-fuse-ld=mold" "-fuse-ld=gold -static" "-flto -O2" "-s -Wl,--gc-sections"; do
            # shellcheck disable=SC2086
            statically gcc $kind main.c libnoted.a -o main
            another_job
            run -3 tracked "$WORK/main"
            [[ $output == "8 7 1" ]]
            leaves "main fini"
            [[ $(called main) == "$all" ]] || {
                echo "$way $kind: $(records | jq -c '.[].routineT')"
                return 1
            }
        done
    done
}

@test "a killed run has called what it has called, and its library is named as -i says" {
    prepare
    gcc main.c libnoted.a -o main
    unnoticed "$WORK/main" killed
    flush
    [[ $(called main) == "called compare helper variadic" ]]
    [[ $(records | jq -r '.[0].routineT.libraryA[0][0]') == libmade.a ]]
}

@test "without a recorded run, a designation, or the library a program computes the same, and nothing is noted" {
    prepare
    gcc main.c libnoted.a -o main
    gcc -static main.c libnoted.a -o static # not by jobtrail-ld
    for program in main static; do
        run -3 "./$program"
        [[ $output == "8 7 1" ]]
    done
    # shellcheck disable=SC2034 # new_job uses it
    RULES=$KEEP_ALL
    another_job
    unnoticed "$WORK/main"
    unnoticed "$WORK/static"
    leaves "main fini"
    [[ $(called main) == "" ]]
}

@test "Fortran and C++: a routine that throws, and one that returns a string" {
    cat >flib.f90 <<'F'
function greeting(n) result(text)
  integer, intent(in) :: n
  character(len=n) :: text
  text = 'good morning'
end function
subroutine swap(a, b)
  double precision :: a, b, c
  c = a; a = b; b = c
end subroutine
subroutine never()
  print *, 'never'
end subroutine
F
    cat >main.f90 <<'F'
program main
  interface
    function greeting(n) result(text)
      integer, intent(in) :: n
      character(len=n) :: text
    end function
  end interface
  double precision :: a = 1, b = 2
  integer :: i
  do i = 1, 3
    call swap(a, b)
  end do
  print '(a,2f4.1)', greeting(4), a, b
  if (a > 5) call never()
end program
F
    cat >clib.cc <<'C'
#include <stdexcept>
#include <string>
std::string thrown(int a)
{
    if (a > 1)
        throw std::runtime_error("too large");
    return std::string(a + 1, 'x');
}
C
    cat >main.cc <<'C'
#include <iostream>
#include <stdexcept>
#include <string>
std::string thrown(int);
int main()
{
    try {
        std::cout << thrown(1) << thrown(2);
    } catch (const std::runtime_error &error) {
        std::cout << error.what() << std::endl;
    }
}
C
    gfortran -O2 -c flib.f90
    g++ -O2 -c clib.cc
    ar rc libmade.a flib.o clib.o
    jobtrail-robj -m libmade.a | grep -v '^#' >entries
    prepare -x
    gfortran main.f90 libnoted.a -o fmain
    statically g++ -static main.cc libnoted.a -o cmain
    [[ $(tracked "$WORK/fmain") == "good 2.0 1.0" && $(tracked "$WORK/cmain") == "xxtoo large" ]]
    flush
    [[ $(called fmain) == "greeting_ swap_" && $(called cmain) == "_Z6thrownB5cxx11i" ]]
}

@test "threads that call a routine first at once compute the same" {
    prepare
    cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
int called(int), variadic(int, ...);
static pthread_barrier_t all;
static void *work(void *sum)
{
    pthread_barrier_wait(&all);
    *(int *)sum = called(3) + variadic(2, 1.0, 2.0);
    return sum;
}
int main(void)
{
    enum { THREADS = 16 };
    pthread_t thread[THREADS];
    int sums[THREADS], total = 0;
    pthread_barrier_init(&all, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, &sums[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        total += sums[i];
    }
    printf("%d\n", total);
    return 0;
}
C
    gcc -O2 threads.c libnoted.a -o threads
    runs=$((JOBTRAIL_SOAK ? 800 : 40))
    for ((i = 0; i < runs; i++)); do
        [[ $(tracked ./threads) == 176 ]]
    done
    flush
    [[ $(records | jq -c '[.[].routineT.routineA | map(.[1]) | sort | join(" ")] | group_by(.) | map([.[0], length])') == \
        "[[\"called helper variadic\",$runs]]" ]]
}

@test "a pointer to a member function of C++ calls it by its trampoline, wherever the trampoline comes to stand" {
    cat >part.h <<'C'
struct part {
    int value;
    explicit part(int a) : value(a) {}
    virtual int same(int a) { return a; } // only then is an odd address another thing
    int twice(int a), thrice(int a);
};
C
    cat >part.cc <<'C'
#include "part.h"
int part::twice(int a) { return value + 2 * a; }
int part::thrice(int a) { return value + 3 * a; }
C
    cat >members.cc <<'C'
#include "part.h"
int main()
{
    int (part::*const all[])(int) = {&part::twice, &part::thrice};
    part one(4);
    for (auto member : all)
        one.value = (one.*member)(1);
    return one.value;
}
C
    g++ -O2 -c part.cc
    ar rc libpart.a part.o
    jobtrail-robj -m libpart.a >entries
    jobtrail-robj -w -a -e entries -o libnoted.a libpart.a
    # by odd and by even numbers of bytes later
    for bytes in 0 1; do
        gcc -x assembler -c - -o odd.o <<<".text; .fill $bytes; .section .note.GNU-stack, \"\", @progbits"
        g++ -O0 members.cc odd.o libnoted.a -o "members$bytes"
        run -9 "./members$bytes"
    done
}

@test "each instruction of a trampoline can be unwound, and those of other machines stand as far apart and mark the same" {
    local at=$JOBTRAIL_SOURCE/contrib/routines/robj
    gcc -O2 -c -x c - -o one.o <<<'double one(double x) { return x + 1; }'
    rm libmade.a && ar rc libmade.a one.o && echo one >entries
    prepare
    gcc -O2 "$JOBTRAIL_SOURCE/test/e2e/fixture/unwinds.c" libnoted.a -o unwinds
    ./unwinds
    tracked ./unwinds
    leaves "unwinds fini"
    [[ $(called unwinds) == one ]]
    gcc -c "$at/trampoline_x86_64.S" -o x86_64.o
    aarch64-linux-gnu-gcc -c "$at/trampoline_aarch64.S" -o aarch64.o
    [[ $(objdump -d x86_64.o) == *"<jobtrail_entry>:"*"endbr64"* && $(aarch64-linux-gnu-objdump -d aarch64.o) == *"<jobtrail_entry>:"*"bti"*"c"* ]]
    for machine in x86_64 aarch64; do
        [[ $(readelf -SW $machine.o | awk '$2 == ".text" || $3 == ".text" { print $NF }') == 16 ]]
        [[ $(readelf -wf $machine.o) == *FDE* ]]
        objcopy -O binary --only-section=.note.gnu.property -I elf64-little $machine.o $machine.note
    done
    # IBT and SHSTK; BTI, PAC and GCS
    [[ $(od -An -tx4 -j16 -N12 x86_64.note | xargs) == "c0000002 00000004 00000003" ]]
    [[ $(od -An -tx4 -j16 -N12 aarch64.note | xargs) == "c0000000 00000004 00000007" ]]
}
