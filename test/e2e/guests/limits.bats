#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Resource limits as low as a program can live with.
# shellcheck disable=SC2016 # for other shells and languages to expand

load ../fixture/job

setup() {
    RULES=$'[paths]\nskip = .*/(bash|prlimit)\nkeep = .*' new_job
}

# spend COUNT: leaves no room in the part of the ledger that is backed from the start
spend() {
    local i
    for ((i = 0; i < $1; i++)); do
        tracked "$PROGRAMS/exit_with"
    done
}

@test "a program that may not let a file grow ends as ever, and its end is recorded" {
    unnoticed prlimit --fsize=0 "$PROGRAMS/exit_with" 3
    leaves "exit_with fini"
}

@test "a program that may not let a file grow is recorded where the ledger is still a hole" {
    rm -r "${SPOOL:?}"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    spend 130
    unnoticed prlimit --fsize=0 "$PROGRAMS/exit_with" 3
    leaves "$(repeated 131 "exit_with fini")"
}

@test "a program that writes more than it may gets its signal as ever" {
    unnoticed bash -c 'ulimit -f 1; exec head -c 100000 /dev/zero >"$0"' "$BATS_TEST_TMPDIR/large"
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 153 ]]
    leaves "head epilog"
}

@test "a program that limits itself to no descriptor, no process, no time ends as ever" {
    unnoticed /usr/bin/python3 -c '
import os, resource
for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE,
              resource.RLIMIT_MEMLOCK, resource.RLIMIT_CORE, resource.RLIMIT_DATA, resource.RLIMIT_AS):
    resource.setrlimit(limit, (0, 0))
raise SystemExit(5)'
    leaves "$PYTHON_NAME fini"
}

@test "a program that is allowed one descriptor runs as ever, and is recorded" {
    unnoticed bash -c 'exec <&-; ulimit -n 1; exec "$0"' "$PROGRAMS/list_fds"
    unnoticed bash -c 'exec <&- >&- 2>&-; ulimit -n 1; exec "$0" 4' "$PROGRAMS/exit_with"
    leaves "list_fds fini" "exit_with fini"
}

@test "a program with a small stack runs as ever" {
    local size
    for size in 32768 65536 131072; do
        unnoticed prlimit --stack="$size" "$PROGRAMS/exit_with" 3
        [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    done
    flush
    [[ $(endings | grep exit_with) == "$(repeated 3 "exit_with fini")" ]]
}

@test "a program with a small address space, or little data, runs as ever" {
    unnoticed prlimit --as=8388608 "$PROGRAMS/exit_with" 3
    unnoticed prlimit --data=1048576 "$PROGRAMS/exit_with" 3
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    leaves "exit_with fini" "exit_with fini"
}

@test "programs with an unlimited stack or a foreign personality are tracked" {
    unnoticed prlimit --stack=unlimited "$PROGRAMS/exit_with" 3
    unnoticed setarch -R "$PROGRAMS/exit_with" 3
    unnoticed setarch -X "$PROGRAMS/exit_with" 3
    unnoticed setarch -L "$PROGRAMS/exit_with" 3
    flush
    [[ $(endings | grep exit_with) == "$(repeated 4 "exit_with fini")" ]]
}

@test "a program whose umask, niceness, timer slack and priority are odd keeps them" {
    unnoticed bash -c 'umask 0777; exec nice -n 5 taskset -c 0 grep -E "^(Umask|NoNewPrivs|Seccomp|Cpus_allowed_list|Threads)" /proc/self/status'
    flush
    [[ $(endings | grep grep) == "grep fini" ]]
}
