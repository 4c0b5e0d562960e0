#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that look at, close and reuse descriptors.
# shellcheck disable=SC2016 # for other shells and languages to expand

load ../fixture/job

setup() {
    new_job
}

@test "lsof sees the same open files in itself and in others" {
    unnoticed bash -c 'exec 5</etc/passwd; lsof -w -nP -a -d 0-999 -F ftn -p $$ | sed 1d; exit 3'
    unnoticed lsof -v
    leaves "lsof fini" "lsof fini" "sed fini"
}

@test "what is mapped of ours cannot be found as an open descriptor" {
    unnoticed find /proc/self/fd -printf '%f\n'
    unnoticed /usr/bin/python3 -c 'import os; print(sorted(os.listdir("/proc/self/fd"), key=int))'
    leaves "find fini" "$PYTHON_NAME fini"
}

# python's os.closerange and subprocess' close_fds are close_range(2), perl's loop is what others do
@test "programs that close all descriptors, at once and one by one, end as ever" {
    unnoticed /usr/bin/python3 -c '
import os, subprocess
os.closerange(3, 1 << 20)
print(subprocess.call(["ls", "/proc/self/fd"], close_fds=True), flush=True)
os.closerange(0, 1 << 20)
raise SystemExit(3)'
    unnoticed perl -MPOSIX -e 'POSIX::close($_) for 0 .. 1024; exit 3'
    leaves "$PYTHON_NAME fini" "ls fini" "perl fini"
}

@test "a program that gives each descriptor another file finds only its own bytes there" {
    unnoticed /usr/bin/python3 -c '
import atexit, os, sys
os.closerange(3, 256)
fds = [os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | os.O_APPEND) for _ in range(200)]
atexit.register(lambda: [os.write(fd, b"mine ") for fd in fds])' "$BATS_TEST_TMPDIR/reused"
    [[ $(<"$BATS_TEST_TMPDIR/reused") == "$(repeated 400 mine | paste -sd ' ') " ]]
    leaves "$PYTHON_NAME fini"
}

@test "standard descriptors that are closed at the start stay closed" {
    unnoticed bash -c "exec <&-; exec '$PROGRAMS/exit_with' 4"
    unnoticed bash -c "exec <&- >&- 2>&-; exec '$PROGRAMS/exit_with' 4"
    unnoticed bash -c "exec <&- >&-; exec '$PROGRAMS/list_fds' 2>&-"
    leaves "exit_with fini" "exit_with fini" "list_fds fini"
}

@test "files that a program maps, locks or has open for its children are as ever" {
    unnoticed /usr/bin/python3 -c '
import fcntl, os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.lockf(fd, fcntl.LOCK_EX)
if os.fork() == 0:
    other = os.open(sys.argv[1], os.O_RDWR)
    try:
        fcntl.lockf(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        print("locked", error.errno, flush=True)
    os._exit(0)
os.wait()
os.set_inheritable(fd, True)
os.execv(sys.argv[2], [sys.argv[2]])' "$BATS_TEST_TMPDIR/locked" "$PROGRAMS/list_fds"
    leaves "$PYTHON_NAME exec" "list_fds fini"
}
