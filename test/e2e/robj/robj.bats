#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-robj on archives that the tests make: what is renamed, what stays, what is refused.
# bats file_tags=needs:routines
# shellcheck disable=SC2154 # bats sets stderr and output

# bats file_tags=needs:routines

bats_require_minimum_version 1.5.0

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    export LC_ALL=C.UTF-8
    cd "$BATS_TEST_TMPDIR" || return
}

robj() {
    run --separate-stderr jobtrail-robj "$@"
}

# object NAME: NAME.o, for any kind of program, from the C on stdin
object() {
    gcc -g -O1 -fPIC -x c -c - -o "$1.o"
}

# A library of three members: outer() calls middle() in another one, which calls inner() in its own and
# help(), local, as another member has one.
make_library() {
    object outer <<'C'
int middle(int);
static __attribute__((noinline)) int help(int a) { return a + 1; }
int outer(int a) { return middle(help(a)) + 1; }
C
    object middle <<'C'
__attribute__((noinline)) int inner(int a) { return 2 * a; }
static __attribute__((noinline)) int help(int a) { return a + 3; }
int middle(int a) { return inner(help(a)); }
int data = 5;
C
    object a_member_with_a_long_name <<'C'
int sum(int n, ...)
{
    __builtin_va_list list;
    double total = 0;
    __builtin_va_start(list, n);
    for (int i = 0; i < n; i++)
        total += __builtin_va_arg(list, double);
    return (int)total;
}
struct large { long a[9]; };
struct large large(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
    return (struct large){{a, b, c, d, e, f, g, h, (long)x}};
}
C
    ar rcU libmade.a outer.o middle.o a_member_with_a_long_name.o
    cat >program.c <<'C'
#include <stdio.h>
int outer(int), middle(int), inner(int), sum(int, ...);
struct large { long a[9]; };
struct large large(long, long, long, long, long, long, long, long, double);
extern int data;
int main(void)
{
    struct large all = large(1, 2, 3, 4, 5, 6, 7, 8, 9.5);
    printf("%d %d %ld %ld\n", outer(1) + data, sum(3, 1.5, 2.5, 3.5), all.a[0], all.a[8]);
    return 0;
}
C
}

# noted PROGRAM: the routines and libraries of its notes, in order
noted() {
    objcopy -O binary --only-section=.note.jobtrail.routine "$1" notes
    python3 - notes <<'PYTHON' | sort
import struct, sys

notes = open(sys.argv[1], "rb").read()
at = 0
while at < len(notes):
    owner, size, kind = struct.unpack_from("<3I", notes, at)
    assert (owner, kind, notes[at + 12:at + 21]) == (9, 0x4a545201, b"jobtrail\0")
    print(*(text.decode() for text in notes[at + 32:at + 24 + size].split(b"\0")[:2]))
    at += 24 + (size + 3) // 4 * 4
PYTHON
}

@test "entries and externals are listed, and an entry file is made that is good" {
    make_library
    robj -l libmade.a
    [[ $status == 0 && -z $stderr ]]
    diff - <(sort <<<"$output") <<'LIST'
a_member_with_a_long_name.o	routine	global	large
a_member_with_a_long_name.o	routine	global	sum
middle.o	data	global	data
middle.o	routine	global	inner
middle.o	routine	global	middle
outer.o	reference	global	middle
outer.o	routine	global	outer
LIST
    robj -m libmade.a
    [[ $output == "$(printf '%s\n' inner large middle outer sum)" ]]
    echo "$output" >entries
    robj -c -a -x -e entries libmade.a
    [[ $status == 0 && -z $output ]]
    printf '%s\n' '# some' 'outer  outer_of_ours # why' nothing >some
    robj -m -e some libmade.a
    [[ $output == "outer outer_of_ours" ]]
}

@test "the entry file that is made is good for all trampolines, also where names are too long" {
    long=$(printf 'l%.0s' {1..256})
    gcc -c -x c - -o long.o <<<"int $long(void) { return 1; } int short_one(void) { return 2; }"
    ar rc liblong.a long.o
    robj -m liblong.a
    [[ $status == 0 && $output == "# $long: has a name of more than 255 bytes"*$'\nshort_one' ]]
    echo "$output" >entries
    robj -w -a -e entries -o new.a liblong.a
    [[ $status == 0 && $(nm new.a) == *" T $long"* ]]
}

@test "an entry file's faults are told with their lines, and nothing is written" {
    make_library
    printf '%s\n' "outr" "data" "sum a b" "inner inner" "middle outer" "outer" "outer" "f@V1" "large sum" >entries
    robj -c -e entries libmade.a
    [[ $status == 1 ]]
    diff - <(sort <<<"$output") <<'FAULTS'
entries:1: outr: is not in the archive
entries:2: data: is data, not a routine
entries:3: b: a line has a routine, its new name, and no more
entries:4: inner: its new name is the old one
entries:5: outer: the archive has something of this new name already
entries:5: outer: the new name is that of another entry
entries:7: outer: it has been named before
entries:8: f@V1: this cannot be the name of an entry
entries:9: sum: the archive has something of this new name already
FAULTS
    robj -w -x -a -e entries -o new.a libmade.a
    [[ $status == 1 && $stderr == *"entries:2: data: is data"* ]]
    [[ -z $(compgen -G 'new.a*') ]]
    run --separate-stderr bash -c 'jobtrail-robj -c -e <(echo a b c)'
    [[ $status == 1 && $output == *": c: a line has a routine, its new name, and no more" ]]
    robj -c -e .
    [[ $status == 2 && $stderr == *"Is a directory"* ]]
    printf '%s\n' OUTER inner_ >entries
    robj -c -e entries libmade.a
    [[ $(sort <<<"$output") == $'entries:1: OUTER: is not in the archive; did you mean outer?\nentries:2: inner_: is not in the archive; did you mean inner?' ]]
}

@test "definitions alone are renamed with -w, and references too with -x" {
    make_library
    cp libmade.a before.a
    printf '%s\n' "middle the_other_one_of_a_longer_name" "inner i" "outer" >entries
    robj -w -e entries -o new.a libmade.a
    [[ $status == 0 && $output == "3 definitions and 0 references renamed, 0 trampolines" ]]
    [[ $stderr == "jobtrail-robj: new.a: 1 references of its own are to names that it no longer has: -x renames them, -a adds trampolines" ]]
    diff - <(nm new.a | awk 'NF > 1 && $(NF - 1) != "r" { print $(NF - 1), $NF }' | sort -u) <<'NAMES'
D data
T i
T large
T outer.real
T sum
T the_other_one_of_a_longer_name
U middle
t help
NAMES
    robj -w -x -e entries -o new.a libmade.a
    [[ $status == 0 && -z $stderr && $output == "3 definitions and 1 references renamed, 0 trampolines" ]]
    [[ $(nm new.a | awk '$NF == "middle"') == "" ]]
    cmp before.a libmade.a
    # the index is the one that ranlib makes
    cp new.a indexed.a
    ranlib -D indexed.a
    diff <(nm -s new.a) <(nm -s indexed.a)
    [[ $(nm -s new.a) == *$'index:\nouter.real in outer.o\n'* ]]
    # members keep name, mode, owner and time
    diff <(ar tv libmade.a | awk '{ $3 = ""; print }') <(ar tv new.a | awk '{ $3 = ""; print }')
}

@test "all else of a member is the same bytes, debug information too" {
    make_library
    printf '%s\n' middle inner outer sum >entries
    robj -w -x -a -e entries -o new.a libmade.a
    mkdir old new
    (cd old && ar x ../libmade.a) && (cd new && ar x ../new.a)
    for member in old/*.o; do
        for section in $(readelf -SW "$member" | sed -n 's/^ *\[ *[0-9]*\] \([.][^ ]*\).*/\1/p'); do
            [[ $section != .symtab && $section != .strtab ]] || continue
            cmp <(readelf -x "$section" "$member") <(readelf -x "$section" "new/${member#old/}")
        done
        cmp <(readelf --debug-dump "$member" 2>&1 | tail -n +2) <(readelf --debug-dump "new/${member#old/}" 2>&1 | tail -n +2)
    done
    gcc -g program.c new.a -o program
    run gdb -q -batch -ex 'break middle.c:1' -ex 'break inner' -ex run -ex bt program
    [[ $output == *"inner (a="* && $output == *" outer (a="* ]]
}

@test "a program with trampolines computes the same with each linker, and has notes of what it refers to" {
    make_library
    jobtrail-robj -m libmade.a >entries
    gcc program.c libmade.a -o plain
    expected=$(./plain)
    [[ $expected == "16 7 1 9" ]]
    for way in "" -x; do
        # shellcheck disable=SC2086
        robj -w -a $way -e entries -o new.a libmade.a
        [[ $output == "5 definitions and "[01]" references renamed, 5 trampolines, noted as libmade.a" ]]
        calls=("large libmade.a" "outer libmade.a" "sum libmade.a")
        [[ $way == -x ]] || calls=("large libmade.a" "middle libmade.a" "outer libmade.a" "sum libmade.a")
        for flags in "" -static -static-pie -no-pie -fuse-ld=gold "-fuse-ld=gold -static" -fuse-ld=lld "-fuse-ld=lld -static-pie" \
            -fuse-ld=mold "-Wl,--gc-sections -ffunction-sections" "-flto -O2" -Wl,-z,now "-fcf-protection -Wl,-z,ibt,-z,shstk"; do
            # shellcheck disable=SC2086
            gcc $flags program.c new.a -o program
            [[ $(./program) == "$expected" ]]
            [[ $(noted program) == "$(printf '%s\n' "${calls[@]}")" ]]
        done
        [[ $(readelf -nW program) == *IBT* ]]
    done
}

@test "a shared library that has a prepared archive exports the trampolines, and not the routines" {
    make_library
    jobtrail-robj -m libmade.a >entries
    robj -w -a -e entries -i "made 1.0" -o new.a libmade.a
    [[ $output == *", noted as made 1.0" ]]
    gcc -shared -Wl,--whole-archive new.a -Wl,--no-whole-archive -o libnew.so
    [[ $(nm -D --defined-only libnew.so | awk '{ print $3 }' | paste -sd' ') == "data inner large middle outer sum" ]]
    gcc program.c -L. -lnew -Wl,-rpath,. -o program
    [[ $(./program) == "16 7 1 9" ]]
    [[ $(noted libnew.so) == *"outer made 1.0"* ]]
}

@test "a program's own routine in the place of the library's is used as before" {
    gcc -O1 -c -x c - -o uses.o <<<'int report(int); int compute(int a) { return report(a) + 1; }'
    gcc -O1 -c -x c - -o report.o <<<'int report(int a) { return a; }'
    gcc -O1 -c -x c - -o weak.o <<<'__attribute__((weak)) int spare(int a) { return a; } int also(int a) { return a + 5; }'
    ar rc libown.a uses.o report.o weak.o
    jobtrail-robj -m libown.a >entries
    [[ $(paste -sd' ' entries) == "also compute report spare" ]]
    jobtrail-robj -w -a -e entries -o new.a libown.a
    cat >main.c <<'C'
#include <stdio.h>
int compute(int), spare(int), also(int);
#ifdef OWN
int report(int a) { return a + 100; }
int spare(int a) { return a + 1000; }
#endif
int main(void) { return printf("%d %d %d\n", compute(1), spare(1), also(1)) < 0; }
C
    for own in "" -DOWN; do
        # shellcheck disable=SC2086
        gcc $own main.c libown.a -o plain
        # shellcheck disable=SC2086
        gcc $own main.c new.a -o program
        [[ $(./program) == "$(./plain)" ]]
    done
    [[ $(./program) == "102 1001 6" && $(noted program) == $'also libown.a\ncompute libown.a' ]]
    # with -x this would not be so, which is said of the routine, and of how many there are
    robj -m -x libown.a
    [[ $output == *$'\nreport # other members call it: '* && $output == also$'\n'compute$'\n'* ]]
    jobtrail-robj -m -x libown.a >entries
    robj -w -a -x -e entries -o new.a libown.a
    [[ $status == 0 && $stderr == "jobtrail-robj: new.a: members call 1 of the entries: "* ]]
    grep -v '^report ' entries >others
    robj -w -a -x -e others -o new.a libown.a
    [[ $status == 0 && -z $stderr ]]
    gcc -DOWN main.c new.a -o program
    [[ $(./program) == "102 1001 6" ]]
}

@test "what cannot be an entry is refused, each with its reason" {
    gcc -O1 -fcommon -x c -c - -o kinds.o <<'C'
int tentative;
_Thread_local int of_thread;
static int chosen(void) { return 1; }
static int (*choose(void))(void) { return chosen; }
int ifunc(void) __attribute__((ifunc("choose")));
int versioned_1(void) { return 1; }
__asm__(".symver versioned_1, versioned@@V1");
__asm__(".globl untyped\n.text\nuntyped: ret\n");
__attribute__((weak, noinline, noipa)) int weak_used(void) { return 1; }
__attribute__((weak)) int weak_alone(void) { return 1; }
int uses(void) { return weak_used(); }
int asked_for(void) { return 1; }
C
    gcc -O1 -x c -c - -o asks.o <<'C'
int asked_for(void) __attribute__((weak));
int asks(void) { return asked_for == 0; }
C
    g++ -x c++ -c - -o group.o <<'C'
inline int shared_by_all() { return 1; }
int uses_group() { return shared_by_all(); }
C
    ar rc libkinds.a kinds.o asks.o group.o
    printf '%s\n' tentative of_thread ifunc untyped weak_used weak_alone asked_for _Z13shared_by_allv nowhere >entries
    robj -c -e entries libkinds.a
    [[ $status == 1 ]]
    diff - <(cut -d' ' -f2- <<<"$output") <<'REASONS'
_Z13shared_by_allv: is in a group of sections: other objects' copies could be called instead
asked_for: another member refers to it weakly, which links no trampoline: use -x
ifunc: is an IFUNC: the program's start-up code calls it to choose the routine
nowhere: is not in the archive
of_thread: is thread-local data, not a routine
tentative: is a common block, not a routine
untyped: has no type, so that it is not known to be a routine
weak_used: is weak, and its own object would no longer call a program's own
REASONS
    robj -c -x -e entries libkinds.a
    [[ $output == *"weak_alone: is weak: programs may have their own, which the library would not call with -x"* ]]
    [[ $output != *asked_for* ]]
    robj -m libkinds.a
    [[ $output == *$'\nuses\n'* && $output == *$'\n# versioned@@V1: is a symbol with a version'* ]]
    grep -v '^#' <<<"$output" >good
    robj -w -a -e good -o new.a libkinds.a
    [[ $status == 0 ]]
    # the trampoline of a weak routine is weak
    [[ $(nm new.a) == *" W weak_alone"* ]]
}

@test "archives that cannot be prepared are refused, each with its reason" {
    make_library
    echo outer >entries
    gcc -flto -c -x c - -o slim.o <<<"int slim(void) { return 1; }"
    gcc -flto -ffat-lto-objects -c -x c - -o fat.o <<<"int fat(void) { return 1; }"
    clang -flto -c -x c - -o bitcode.o <<<"int bitcode(void) { return 1; }"
    aarch64-linux-gnu-gcc -c -x c - -o other.o <<<"int other(void) { return 1; }"
    gcc -shared -x c - -o shared.o <<<"int shared(void) { return 1; }"
    echo text >text.o
    head -c 400 outer.o >short.o
    cp libmade.a bad.a
    ar rS bad.a slim.o fat.o bitcode.o other.o shared.o text.o short.o 2>/dev/null
    robj -w -a -e entries -o new.a bad.a
    [[ $status == 1 && ! -e new.a ]]
    diff - <(cut -d' ' -f2- <<<"$stderr") <<'REASONS'
slim.o: has intermediate code for link-time optimization (LTO), with names that cannot be changed
fat.o: has intermediate code for link-time optimization (LTO), with names that cannot be changed
bitcode.o: is LLVM's intermediate code, for link-time optimization (LTO)
other.o: is for another machine than the first member
shared.o: is no relocatable object
text.o: is no ELF object
short.o: is damaged
REASONS
    robj -m bad.a
    [[ $status == 1 && -z $output && $stderr == *": fat.o: has intermediate code"* && $stderr == *": short.o: is damaged"* ]]
    ar rcT thin.a outer.o
    robj -l thin.a
    [[ $status == 1 && $stderr == *"is a thin archive"*"ar rc NEW.a"* ]]
    head -c -100 libmade.a >cut.a
    robj -l cut.a
    [[ $status == 1 && $stderr == "jobtrail-robj: cut.a: is damaged, or no archive of the System V kind" ]]
    aarch64-linux-gnu-ar rc arm.a other.o
    echo other >entries
    robj -w -a -e entries -o new.a arm.a
    [[ $status == 1 && $stderr == "jobtrail-robj: arm.a: this jobtrail-robj has no trampolines for its machine" ]]
    robj -w -e entries -o new.a arm.a
    [[ $status == 0 && $(aarch64-linux-gnu-nm new.a) == *"T other.real"* ]]
}

@test "the archive itself is not changed, and nothing else but a file is replaced" {
    make_library
    echo outer >entries
    sum=$(sha1sum <libmade.a)
    ln libmade.a same.a
    ln -s libmade.a link.a
    mkfifo pipe
    for output in libmade.a same.a link.a pipe /dev/null .; do
        robj -w -x -e entries -o "$output" libmade.a
        [[ $status == 2 && $stderr == *"which is not changed"* || $stderr == *"is there, and no file"* ]]
    done
    [[ $(sha1sum <libmade.a) == "$sum" && -p pipe && -c /dev/null ]]
    robj -w -x -e entries -o none/new.a libmade.a
    [[ $status == 2 && $stderr == *"No such file or directory"* ]]
    umask 027
    robj -w -x -e entries -o new.a libmade.a
    [[ $(stat -c %a new.a) == 640 && -z $(compgen -G '*.new') ]]
    # what is written is a good archive, prepared once: a second time its trampolines are in the way
    robj -w -x -a -e entries -o twice.a new.a
    [[ $status == 1 && $stderr == *"outer: is not in the archive"* ]]
}

@test "one object becomes an object, or an archive with its trampolines; -a alone writes the trampolines" {
    make_library
    printf '%s\n' middle inner >entries
    robj -w -e entries -o new.o middle.o
    [[ $status == 0 && $(nm new.o) == *"T middle.real"* && $(readelf -h new.o) == *"REL (Relocatable file)"* ]]
    robj -w -a -e entries -o new.a middle.o
    [[ $(ar t new.a | paste -sd' ') == "trampoline1.o trampoline2.o middle.o" ]]
    robj -a -e entries -o trampolines.a middle.o
    [[ $status == 0 && $(ar t trampolines.a | paste -sd' ') == "trampoline1.o trampoline2.o" ]]
    gcc program.c outer.o a_member_with_a_long_name.o new.o trampolines.a -o program
    [[ $(./program) == "16 7 1 9" ]]
    [[ $(noted program) == "middle middle.o" ]]
}

@test "options that exclude each other, and typing errors, are told" {
    make_library
    for words in "" "-l -m libmade.a" "-l" "-w libmade.a" "-w -e x libmade.a" "-l -o x libmade.a" "-l a b" "-w -i n -e x -o y libmade.a"; do
        # shellcheck disable=SC2086
        robj $words
        [[ $status == 2 && $stderr == *"Try 'jobtrail-robj --help'."* ]]
    done
    robj --list absent.a
    [[ $status == 2 && $stderr == "jobtrail-robj: absent.a: No such file or directory" ]]
    robj --help
    [[ $status == 0 && $output == Usage:* ]]
    run -2 bash -c 'jobtrail-robj -l libmade.a >/dev/full'
}
