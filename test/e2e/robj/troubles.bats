#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What is linked into a program to note its routines, in trouble: the routine is called as if nothing were there, and what
# is known to be missed is counted. With more rights than its caller: e2e/guests/privileged.bats.
# bats file_tags=needs:routines
# shellcheck disable=SC2030,SC2031 # each test has its own job
# shellcheck disable=SC2154 # bats sets output

# bats file_tags=needs:routines

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/links

DESIGNATED=$'\n[routines]\nkeep = archive:lib(made|noted)\\.a\n'

setup() {
    RULES=$DESIGNATED new_links
    CONF_LINK=$CONF
    gcc -O2 -fPIC -x c -c - -o lib.o <<<'int called(int a) { return a + 1; } int not_called(int a) { return a; }'
    ar rc libmade.a lib.o
    cat >main.c <<'C'
#include <stdio.h>
int called(int), not_called(int);
int main(int count, char **words)
{
    (void)words;
    return printf("%d\n", called(3) + (count > 5 ? not_called(1) : 0)) < 0;
}
C
    # shellcheck disable=SC2034 # new_job uses them
    {
        LIBRARY=$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so
        RULES=$KEEP_ALL$DESIGNATED
    }
    new_job
}

linked() {
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" "$@"
}

# programs: with trampolines, dynamic and static
programs() {
    "$JOBTRAIL_BIN/jobtrail-robj" -m libmade.a >entries
    "$JOBTRAIL_BIN/jobtrail-robj" -w -a -e entries -o libnoted.a libmade.a
    gcc main.c libnoted.a -o prepared
    linked gcc -static main.c libnoted.a -o prepared-static
    linked gcc -static-pie main.c libnoted.a -o prepared-pie
    PROGRAM_NAMES=(prepared prepared-static prepared-pie)
}

# of_run PROGRAM JQ-PATH: of its run, of which there is one
of_run() {
    records | jq -r --arg name "$1" '[.[] | select((.userT.exec_path | split("/")[-1]) == $name)]
        | if length == 1 then .[0].routineT else error("\(length) runs") end | '"$2"
}

# says_four PROGRAM: as a task, as it does without the library
says_four() {
    observe without env -i "$WORK/$1"
    observe with "${TRACKED[@]}" "$WORK/$1"
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with" &&
        [[ $(cat "$BATS_TEST_TMPDIR/with/stdout" "$BATS_TEST_TMPDIR/with/status") == $'4\n0' ]]
}

# noted PROGRAM: the routines of its run
noted() {
    of_run "$1" '[.routineA // [] | .[][1]] | join(" ")'
}

@test "stripped programs note what they call; without notes they run as ever" {
    programs
    for name in "${PROGRAM_NAMES[@]}"; do
        strip -s -o "$name-stripped" "$name"
        cp "$name-stripped" "$name-bare"
        # where the table of sections is, and how many they are
        printf '\0\0\0\0\0\0\0\0' | dd of="$name-bare" bs=1 seek=40 conv=notrunc status=none
        printf '\0\0\0\0' | dd of="$name-bare" bs=1 seek=60 conv=notrunc status=none
        objcopy --remove-section=.note.jobtrail.routine "$name" "$name-silent"
        for kind in "" -stripped -bare -silent; do
            says_four "$name$kind"
        done
    done
    flush
    for name in "${PROGRAM_NAMES[@]}"; do
        for kind in "" -stripped -bare; do
            [[ $(noted "$name$kind") == called ]]
        done
        [[ $(noted "$name-silent") == "" ]]
    done
}

@test "of damaged notes, and words that cannot be written to, none is used; each such word is a miss" {
    # note NAME WORD [TEXTS]: of a routine of libmade.a, whose word is there
    note() {
        printf '.section .note.jobtrail.routine, "a", @note\n.balign 4\n.long 9, 2f - 1f, 0x4a545201\n.asciz "jobtrail"\n.balign 4\n'
        printf '1: .quad %s\n%s\n2: .balign 4\n' "$2" "${3-.asciz \"$1\", \"libmade.a\"}"
    }
    {
        printf '.text\n.globl called\n.type called, @function\ncalled: endbr64\njmp *good(%%rip)\n'
        printf '.data\n.balign 8\ngood: .quad real_called\n'
        printf '.section .data.rel.ro, "aw"\n.balign 8\nfixed: .quad real_called\n.section .rodata\n.balign 8\nread_only: .quad 1\n'
        note far '0x7fffffffffffffff'
        note near '-0x100000'
        note fixed 'fixed - .'
        note read_only 'read_only - .'
        note odd 'good + 3 - .'
        note unended 'good - .' '.ascii "name without end"'
        note no_library 'good - .' '.asciz "name"'
        note long 'good - .' ".asciz \"$(printf 'x%.0s' {1..256})\", \"libmade.a\""
        note long 'good - .' ".asciz \"name\", \"$(printf 'x%.0s' {1..256})\""
        note other 'good - .' '.asciz "other", "libother.a"'
        printf '.section .note.jobtrail.routine, "a", @note\n.balign 4\n.long 9, 4, 0x4a545201\n.asciz "jobtrail"\n.balign 4\n.long 7\n'
        note called 'good - .'
        printf '.section .note.GNU-stack, "", @progbits\n'
    } >notes.s
    echo 'int not_called(int a) { return a; } int real_called(int a) { return a + 1; }' >real.c
    for kind in "-pie" "-no-pie" "-pie -Wl,-z,now"; do
        # shellcheck disable=SC2086 # they are several options
        gcc -O2 $kind main.c real.c notes.s -o "strange${kind##* }"
        says_four "strange${kind##* }"
    done
    flush
    for name in strange-pie strange-no-pie strange-Wl,-z,now; do
        [[ $(of_run "$name" '[.routineA[][1], .watched, .missed] | join(" ")') == "called 1 5" ]]
    done
    # the last note says that it is longer than the segment
    gcc -O2 main.c real.c notes.s -o strange
    objcopy --dump-section .note.jobtrail.routine=notes strange
    size=$(stat -c %s notes)
    printf '\377\377\377\177' | dd of=notes bs=1 seek=$((size - 44)) conv=notrunc status=none
    objcopy --update-section .note.jobtrail.routine=notes strange
    says_four strange
}

@test "without memory the routine is called as ever" {
    programs
    for name in prepared prepared-pie; do
        # the last of the library's mappings without reserve is for routines
        env "${TRACKED[@]}" strace -o calls -e trace=mmap "./$name"
        count=$(grep -n MAP_NORESERVE calls | tail -n 1 | cut -d: -f1)
        another_job
        [[ $(env "${TRACKED[@]:0:4}" strace -E "${TRACKED[4]}" -o calls -e trace=mmap -e inject="mmap:error=ENOMEM:when=$count" "./$name") == 4 ]]
        grep -q 'MAP_NORESERVE.*ENOMEM.*INJECTED' calls
        leaves "$name fini"
        [[ $(noted "$name") == "" ]]
        another_job
    done
}

# bats test_tags=needs:run_32bit
@test "an archive for 32-bit programs is refused" {
    [[ $(uname -m) == x86_64 ]] || skip
    gcc -m32 -O2 -x c -c - -o lib32.o <<<'int called(int a) { return a + 1; } int not_called(int a) { return a; }'
    rm libmade.a
    ar rc libmade.a lib32.o
    echo called >entries
    run -1 "$JOBTRAIL_BIN/jobtrail-robj" -w -a -e entries -o libnoted.a libmade.a
    [[ $output == *"has no trampolines for its machine"* ]]
}
