#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that are linked through jobtrail-ld with an archive that [routines] designates: which of its routines a
# recorded run calls, and that the link and the program are the same otherwise.
# shellcheck disable=SC2030,SC2031 # each test has its own job

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/links

DESIGNATED=$'\n[routines]\nkeep = archive:libmade\\.a\nskip = routine:libmade\\.a:skipped\n'

setup() {
    RULES=$DESIGNATED new_links
    CONF_LINK=$CONF LINK_RECORDS=$RECORDS
    cat >inner.c <<'C'
void report(const char *text);
int helper(int a) { return a + 1; }
void fail(void) { report("fails"); }
int skipped(int a) { return a + 5; }
C
    cat >report.c <<'C'
#include <stdio.h>
void report(const char *text) { printf("library: %s\n", text); }
C
    cat >outer.c <<'C'
#include <stdarg.h>
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
int not_called(int a) { return a; }
C
    gcc -O2 -fPIC -c inner.c report.c outer.c
    ar rc libmade.a inner.o report.o outer.o
    cat >main.c <<'C'
#include <signal.h>
#include <stdio.h>
int called(int), variadic(int, ...), not_called(int), skipped(int);
void fail(void);
int main(int count, char **words)
{
    (void)words;
    fail();
    printf("%d %d %d\n", called(3) + (count > 5 ? not_called(1) : 0), variadic(3, 1.5, 2.5, 3.5), skipped(1));
    fflush(stdout);
    return count > 1 ? raise(SIGKILL) : 0;
}
C
    SAYS=$'library: fails\n8 7 6'
    # shellcheck disable=SC2034 # new_job uses them
    {
        LIBRARY=$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/\$LIB/libjobtrail.so
        RULES=$KEEP_ALL$DESIGNATED
    }
    new_job
}

another_job() {
    rm -rf "$RECORDS" "$SPOOL"
    new_job
}

# linked COMMAND...: through jobtrail-ld
linked() {
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" "$@"
}

# why COMMAND...: what jobtrail-ld says of the archives of this link
why() {
    XALT_TRACING="link:$BATS_TEST_TMPDIR/trace" linked "$@" || return
    sed -n 's/^jobtrail-ld: [^:]*: calls of \(.*\)/\1/p' "$BATS_TEST_TMPDIR/trace"
    rm "$BATS_TEST_TMPDIR/trace"
}

# unnoted: of how many archives the last link's record says that nothing is noted, and why
unnoted() {
    RECORDS=$LINK_RECORDS links | jq -r '.[-1].jobtrailT | "\(.unnoted) \(.unnoted_why)"'
}

# of_run PROGRAM JQ-PATH: of its run, of which there is one
of_run() {
    records | jq -r --arg name "$1" '[.[] | select((.userT.exec_path | split("/")[-1]) == $name)]
        | if length == 1 then .[0].routineT else error("\(length) runs") end | '"$2"
}

# called PROGRAM: its routines, sorted, with blanks between
called() {
    of_run "$1" '.routineA // [] | map(.[1]) | sort | join(" ")'
}

@test "users' calls are noted, and not those inside the library, however a program is linked" {
    ways=("-pie libmade.a" "-no-pie -L. -lmade" "-static -L. -lmade" "-static-pie libmade.a" "-s -Wl,--gc-sections -L. -l:libmade.a"
        "-Wl,--start-group libmade.a -Wl,--end-group" "-Wl,--whole-archive libmade.a -Wl,--no-whole-archive" "@response"
        "-rdynamic -Wl,-z,now libmade.a" "-fcf-protection=full -mshstk libmade.a")
    for linker in bfd gold lld mold; do
        ways+=("-fuse-ld=$linker -L. -lmade" "-fuse-ld=$linker -static libmade.a")
    done
    echo '-O1 -L. -lmade' >response
    for way in "${ways[@]}"; do
        # shellcheck disable=SC2086 # they are several options
        linked gcc -O2 main.c $way -o main
        another_job
        [[ $(tracked "$WORK/main") == "$SAYS" && $(./main) == "$SAYS" ]]
        is_marked main
        leaves "main fini"
        [[ $(called main) == "called fail variadic" && $(of_run main '.libraryA[0][0]') == libmade.a ]] || {
            echo "$way: $(of_run main .)"
            return 1
        }
    done
}

@test "killed runs have called what they have called; C++ and Fortran programs, too" {
    linked gcc main.c libmade.a -o main
    unnoticed "$WORK/main" killed
    flush
    [[ $(called main) == "called fail variadic" ]]
    cat >main.cc <<'C'
#include <iostream>
extern "C" int called(int);
int main() { std::cout << called(1) << std::endl; }
C
    cat >main.f90 <<'F'
program main
  use iso_c_binding
  interface
    function called(a) bind(c)
      import c_int
      integer(c_int), value :: a
      integer(c_int) :: called
    end function
  end interface
  print '(i0)', called(2)
end program
F
    linked g++ main.cc libmade.a -o cmain
    linked gfortran -static main.f90 -L. -lmade -o fmain
    another_job
    [[ $(tracked "$WORK/cmain") == 4 && $(tracked "$WORK/fmain") == 6 ]]
    flush
    [[ $(called cmain) == called && $(called fmain) == called ]]
}

@test "what a program has itself is the library's, too, as in the plain link, and so is not noted" {
    cat >own.c <<'C'
#include <stdio.h>
void report(const char *text) { printf("program: %s\n", text); }
void use(void) { report("used"); }
C
    sed -i 's/fail();/fail(); use();/; 1i void use(void);' main.c
    gcc -c own.c
    ar rc libown.a own.o
    for way in "own.c libmade.a" "libown.a libmade.a" "-fuse-ld=lld libown.a libmade.a"; do
        # shellcheck disable=SC2086 # they are several options
        linked gcc main.c $way -o main
        another_job
        [[ $(tracked "$WORK/main") == $'program: fails\nprogram: used\n8 7 6' ]]
        leaves "main fini"
        [[ $(called main) == "called fail variadic" ]]
    done
    # a shared library that has it, and comes first
    gcc -fPIC -shared own.c -o libown.so
    linked gcc main.c ./libown.so libmade.a -o main -Wl,-rpath,"$WORK"
    plain gcc main.c ./libown.so libmade.a -o plain -Wl,-rpath,"$WORK"
    [[ $(./main) == "$(./plain)" && $(./main) == *"program: fails"* ]]
    # whether it is there is asked by a weak reference
    cat >asks.c <<'C'
#include <stdio.h>
int not_called(int) __attribute__((weak)), called(int);
int main(void) { return printf("%d %d\n", called(1), not_called ? not_called(7) : -1) < 0; }
C
    linked gcc asks.c libmade.a -o asks
    [[ $(./asks) == "4 7" ]]
}

@test "what a program's record says, and a build's dependency file, is as without" {
    gcc -c main.c
    linked gcc main.o -L. -lmade -o main
    sed 's/archive:libmade/archive:libnone/' "$CONF_LINK" >none.conf
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$PWD/none.conf" gcc main.o -L. -lmade -o main
    # shellcheck disable=SC2016 # for jq
    RECORDS=$LINK_RECORDS
    [[ $(links | jq -c 'map({linkA, objects: .jobtrailT.objects, marked: .jobtrailT.marked}) | unique | length, .[0].linkA[][0]' |
        tr '\n' ' ') == "1 "*"\"$WORK/libmade.a\""* && $(links | jq length) == 2 ]]
    [[ $(links) != */proc/self* ]]
}

@test "nothing is done again where no archive is designated, in shared libraries, and where the user's options are about names" {
    gcc -c -fPIC main.c
    [[ $(why gcc main.o libmade.a -o main) == "1 archives are noted" ]]
    [[ $(unnoted) == "0 " ]]
    [[ $(why gcc main.o libmade.a -o main -Wl,--defsym=other=called) == "archives are not noted: symbols or archives have a meaning of the user's" ]]
    [[ $(why gcc main.o libmade.a -o main -Wl,--wrap,helper -Wl,--defsym=__wrap_helper=not_called) == *"of the user's" ]]
    [[ $(why gcc main.o libmade.a -o main -Wl,--exclude-libs,ALL) == *"of the user's" ]]
    [[ $(why gcc main.o libmade.a -o main -Wl,--dependency-file=inputs) == *"the linker is to list its inputs" ]]
    [[ $(cat inputs) != */proc/self* ]]
    [[ $(why gcc main.o libmade.a -o main -Wl,-Map=map) == *"the linker is to report on the link" ]]
    [[ $(why gcc -shared main.o libmade.a -o main.so) == *"in shared libraries nothing is noted" ]]
    [[ $(unnoted) == "1 in shared libraries nothing is noted" ]]
    [[ $(why gcc -r main.o libmade.a -o main.r.o) == "" ]]
    [[ $(why gcc -flto main.c libmade.a -o main) == *"not all names of all files can be known" ]]
    [[ $(./main) == "$SAYS" ]]
    ar rcT libthin.a main.o
    [[ $(why gcc -Wl,--whole-archive libthin.a -Wl,--no-whole-archive libmade.a -o main) == *"not all names of all files can be known" ]]
    [[ $(unnoted) == "1 not all names of all files can be known" ]]
    [[ $(why gcc -x c - -o other <<<'int main(void) { return 0; }') == "" ]]
    [[ $(unnoted) == "0 " ]]
    # of the archive itself
    rm libmade.a
    ar rcT libmade.a inner.o report.o outer.o
    local cannot="an archive is thin, has intermediate code, or cannot be prepared"
    [[ $(why gcc main.o libmade.a -o main) == *"not noted: $cannot" && $(./main) == "$SAYS" && $(unnoted) == "1 $cannot" ]]
    rm libmade.a
    gcc -flto -c inner.c -o inner.lto.o
    gcc-ar rc libmade.a inner.lto.o report.o outer.o
    [[ $(why gcc -flto main.c libmade.a -o main) == *"not noted: $cannot" && $(./main) == "$SAYS" && $(unnoted) == "1 $cannot" ]]
    # prepared already
    rm libmade.a
    ar rc libmade.a inner.o report.o outer.o
    "$JOBTRAIL_BIN/jobtrail-robj" -m libmade.a >entries
    "$JOBTRAIL_BIN/jobtrail-robj" -w -a -e entries -o prepared.a libmade.a
    mv prepared.a libmade.a
    [[ $(why gcc main.o libmade.a -o main) == "" && $(./main) == "$SAYS" && $(unnoted) == "0 " ]]
}

@test "archives beyond the eighth, too large ones and those of linker scripts are counted; the others are noted" {
    printf 'keep = archive:libpart.*\\.a\n' >>"$CONF_LINK"
    gcc -c main.c
    local i
    for i in {1..9}; do
        gcc -c -xc - -o part.o <<<"int part$i(void) { return $i; }"
        ar rc "libpart$i.a" part.o
    done
    {
        for i in {1..9}; do echo "int part$i(void);"; done
        echo 'int main(void) { return 45'
        for i in {1..9}; do echo "- part$i()"; done
        echo '; }'
    } >parts.c
    [[ $(why gcc parts.c libpart?.a -o parts) == $'archives are not noted: more than eight archives are designated\n8 archives are noted' ]]
    [[ $(unnoted) == "1 more than eight archives are designated" ]]
    ./parts
    # one that has stubs already needs no room
    "$JOBTRAIL_BIN/jobtrail-robj" -m libpart9.a >entries
    "$JOBTRAIL_BIN/jobtrail-robj" -w -a -e entries -o prepared.a libpart9.a
    mv prepared.a libpart9.a
    [[ $(why gcc parts.c libpart?.a -o parts) == "8 archives are noted" && $(unnoted) == "0 " ]]
    # a hole makes it large
    cp libmade.a libparts.a
    head -c 1 /dev/zero >hole
    truncate -s 257M hole
    ar rc libparts.a hole
    sed -i 's/int called(int)/int part1(void), called(int)/; s/called(3)/called(3) + part1() - 1/' main.c
    [[ $(why gcc main.c libpart1.a libparts.a -o main) == $'archives are not noted: an archive is larger than 256 MiB\n1 archives are noted' ]]
    [[ $(unnoted) == "1 an archive is larger than 256 MiB" && $(./main) == "$SAYS" ]]
    rm libparts.a hole
    echo "INPUT($PWD/libmade.a)" >libscript.so
    [[ $(why gcc main.c libpart1.a -L. -lscript -o main) == $'archives are not noted: an archive is named by a linker script alone\n1 archives are noted' ]]
    [[ $(unnoted) == "1 an archive is named by a linker script alone" && $(./main) == "$SAYS" ]]
}

@test "of a C library's archive, what its start-up code calls stays as it is" {
    printf 'keep = archive:libc\\.a\n' >>"$CONF_LINK"
    for kind in -static -static-pie; do
        linked gcc -O2 $kind main.c libmade.a -o main
        [[ $(./main) == "$SAYS" ]]
        nm main >symbols
        [[ $(cat symbols) == *" printf.real"* && $(cat symbols) != *"__libc_start_main.real"* ]]
    done
}

@test "a later archive may ask for what an earlier one has pulled in by itself" {
    local linker
    echo 'int called(int), bottom(int); int middle(int a) { return called(a) + bottom(a); }' >middle.c
    echo 'int not_called(int), middle(int); int top(int a) { return not_called(a) + middle(a); }' >top.c
    echo 'int helper(int), called(int); int bottom(int a) { return helper(a) + called(a); }' >bottom.c
    echo 'int called(int a) { return a + 1; }' >called.c
    echo 'int called(int); int helper(int a) { return called(a) + 1; }' >helper.c
    echo 'int not_called(int a) { return a; }' >not_called.c
    echo 'int helper(int), top(int); int main(void) { return helper(1) + top(1) - 11; }' >main.c
    gcc -c middle.c top.c bottom.c called.c helper.c not_called.c
    rm libmade.a
    ar rc libmade.a called.o helper.o not_called.o
    ar rc libmiddle.a middle.o bottom.o
    ar rc libtop.a top.o
    sed -i 's/^keep = archive:.*/&\nkeep = archive:libmiddle\\.a/' "$CONF_LINK"
    RULES+=$'keep = archive:libmiddle\\.a\n'
    for linker in "${LINKERS[@]}"; do
        gcc "-fuse-ld=$linker" main.c libtop.a libmade.a libmiddle.a -o plain
        ./plain
        for way in "main.c libtop.a libmade.a libmiddle.a" "main.c -Wl,--whole-archive libmade.a libtop.a libmiddle.a -Wl,--no-whole-archive"; do
            # shellcheck disable=SC2086 # they are several options
            [[ $(why gcc "-fuse-ld=$linker" $way -o main) == "2 archives are noted" ]]
            another_job
            tracked "$WORK/main"
            leaves "main fini"
            [[ $(called main) == "called helper middle not_called" ]] || {
                echo "$linker: $way: $(called main)"
                return 1
            }
        done
    done
}

@test "constructors of an archive's members run in the order of the plain link" {
    local linker
    cat >first.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void begin(void) { puts("first"); }
int called(int a) { return a + 1; }
C
    cat >third.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void begin(void) { puts("third"); }
int data = 3;
C
    echo 'int called(int); extern int data; int main(void) { return called(data) - 4; }' >main.c
    gcc -c first.c third.c
    rm libmade.a
    ar rc libmade.a first.o third.o
    for linker in "${LINKERS[@]}"; do
        gcc "-fuse-ld=$linker" main.c libmade.a -o plain
        linked gcc "-fuse-ld=$linker" main.c libmade.a -o main
        another_job
        [[ $(tracked "$WORK/main") == "$(./plain)" ]] || {
            echo "$linker: $(./main)"
            return 1
        }
        leaves "main fini"
        [[ $(called main) == called ]]
    done
}
