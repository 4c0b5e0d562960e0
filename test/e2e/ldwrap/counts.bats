#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the wrapper itself does for a link, in numbers that repeat: its system calls, and the instructions
# that it runs in user space. test/bench/ldwrap measures the time.

load ../fixture/job
load ../fixture/links

setup() {
    new_links
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    for number in {1..200}; do
        echo "int f$number(void) { return $number; }" >"$number.c"
    done
    plain gcc -c {1..200}.c
    mkdir -m 750 "$RECORDS"
}

# link_of OBJECTS COMMAND...: the wrapper under COMMAND links so many objects
link_of() {
    local objects
    mapfile -t objects < <(seq -f %g.o 1 "$1")
    env -i JOBTRAIL_CONF="$CONF" XALT_EXECUTABLE_TRACKING=yes USER=builder HOME="$WORK" PATH="$LD_DIRECTORY:/usr/bin:/bin" \
        "${@:2}" "$LD_DIRECTORY/ld.bfd" -shared "${objects[@]}" -o made
}

# calls OBJECTS: "NAME COUNT" a line, of the wrapper and not of the linker, without those for memory and
# those that say how often it looked whether the linker has ended
calls() {
    link_of "$1" strace -o "$BATS_TEST_TMPDIR/calls"
    sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' "$BATS_TEST_TMPDIR/calls" | grep -vxE 'brk|mmap|munmap|mremap|ppoll|read|rt_sigreturn|wait4' | sort | uniq -c |
        awk '{ print $2, $1 }'
}

instructions() { # OBJECTS
    link_of "$1" valgrind --tool=callgrind --callgrind-out-file=/dev/null 2>&1 | sed -n 's/.*Collected : //p'
}

@test "200 objects take as many system calls as one: none is opened, looked up or hashed" {
    calls 1 >one
    calls 200 >many
    diff one many
    awk '{ sum += $2 } END { print sum; exit sum > 330 }' many
    [[ $(links | jq -c '[.[].jobtrailT.objects] | sort') == '[1,200]' ]]
}

@test "it syncs nothing, and does not copy its page tables for the linker" {
    calls 1 >one
    run grep -E '^(sync|syncfs|fsync|fdatasync|fork|clone|clone3) ' one
    [[ $status == 1 && $output == "" ]]
}

@test "an object takes at most 10000 instructions, and the rest of a link 2.5 million" {
    one=$(instructions 1) many=$(instructions 200)
    echo "$one $many"
    ((one < 2500000 && many - one < 199 * 10000))
}
