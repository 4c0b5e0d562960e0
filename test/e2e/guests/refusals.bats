#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A kernel, or a filter, that refuses what the library asks for: strace stands in for it, refusing
# one call at a time.

load ../fixture/job

setup() {
    new_job
}

# library_calls: what the library asks the kernel for in exit_with, one "NAME ORDINAL" a line;
# ORDINAL counts the calls of this name since the start of the process
library_calls() {
    tracked strace -o "$BATS_TEST_TMPDIR/trace" "$PROGRAMS/exit_with"
    awk -F '(' '{ count[$1]++ } /^readlinkat/ { ours = 1 } /^exit_group/ { exit }
        ours { print $1, count[$1] }' "$BATS_TEST_TMPDIR/trace"
}

# refused ERROR: a run of exit_with for each call that the library makes, in which just that one ends with ERROR
refused() {
    local name ordinal calls=0 status
    while read -r name ordinal; do
        calls=$((calls + 1))
        status=0
        tracked strace -o /dev/null -e "inject=$name:error=$1:when=$ordinal" \
            "$PROGRAMS/exit_with" 3 >"$BATS_TEST_TMPDIR/output" 2>&1 </dev/null || status=$?
        if ((status != 3)) || [[ -s $BATS_TEST_TMPDIR/output ]]; then
            echo "with $1 for $name, the $ordinal. time: status $status, $(<"$BATS_TEST_TMPDIR/output")"
            return 1
        fi
    done < <(library_calls)
    ((calls > 10))
    flush
    # library_calls' own run too; most calls are not essential
    [[ $(endings | grep exit_with | sort -u) == "exit_with fini" ]]
    (($(endings | grep -c exit_with) > calls / 2 && $(endings | grep -c exit_with) <= calls + 1))
    [[ ! -e $SPOOL/$JOB.0 ]]
}

@test "a program runs as ever whichever call of ours is forbidden" {
    refused EPERM
}

@test "a program runs as ever whichever call of ours does not exist" {
    refused ENOSYS
}

@test "a program runs as ever whichever call of ours finds no memory" {
    refused ENOMEM
}

@test "a program runs as ever whichever call of ours is interrupted" {
    refused EINTR
}
