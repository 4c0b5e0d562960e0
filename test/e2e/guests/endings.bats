#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Ways to end, with signals and threads; ways to have children; programs that outlive their job.
# shellcheck disable=SC2016 # for other shells and languages to expand

load ../fixture/job

setup() {
    new_job
}

teardown() {
    [[ -z ${started-} ]] || kill "$started" 2>/dev/null || true
    [[ -z ${socket-} ]] || tmux -L "$socket" kill-server 2>/dev/null || true
}

@test "exit in a signal handler is an end" {
    unnoticed "$PROGRAMS/exit_in_handler" 4
    leaves "exit_in_handler fini"
}

@test "abort, _Exit, quick_exit, exit_group and a fault end a program as ever" {
    local way
    for way in abort _Exit quick_exit exit_group trap; do
        unnoticed "$PROGRAMS/end_by" "$way"
    done
    leaves "$(repeated 5 "end_by epilog")"
}

@test "every signal that ends a program ends it as ever" {
    local signal
    for signal in 1 2 3 4 6 7 8 9 11 13 14 15 24 25 31; do
        unnoticed "$PROGRAMS/kill_self" "$signal"
    done
    leaves "$(repeated 15 "kill_self epilog")"
}

@test "signals that were ignored or blocked at the start stay so" {
    unnoticed bash -c "trap '' HUP TERM; exec grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status"
    unnoticed env --block-signal=USR1 --ignore-signal=PIPE grep -E '^Sig[^Q]' /proc/self/status
    leaves "grep fini" "grep fini" "env exec"
}

@test "the last thread's end is an end when main has left first" {
    unnoticed "$PROGRAMS/main_thread_leaves"
    leaves "main_thread_leaves fini"
}

@test "a thread ends the program while others start and end threads" {
    for _ in {1..10}; do
        unnoticed "$PROGRAMS/threads_exit" 6
    done
    leaves "$(repeated 10 "threads_exit fini")"
}

@test "a grandchild of fork that execs is recorded once, its parents once" {
    unnoticed perl -e 'unless (fork) { exec @ARGV unless fork; wait; exit 2 } wait; exit $? >> 8' \
        "$PROGRAMS/exit_with" 1
    leaves "exit_with fini" "perl fini"
}

@test "a forked child that goes on after its parent's end signs nothing" {
    mkfifo "$BATS_TEST_TMPDIR/go"
    local child end
    child=$(tracked perl -e 'if (my $pid = fork) { print $pid; exit 0 } close STDOUT; open my $go, "<", shift; <$go>; exit 1' "$BATS_TEST_TMPDIR/go")
    [[ $(flush --dry-run | jq -r .slurmT.end_source) == fini ]]
    end=$(flush --dry-run | jq .userDT.end_time)
    : >"$BATS_TEST_TMPDIR/go"
    wait_for process_ended "$child"
    leaves "perl fini"
    [[ $(records | jq '.[0].userDT.end_time') == "$end" ]]
}

@test "a daemon that outlives its job ends as ever when its capture is gone" {
    mkfifo "$BATS_TEST_TMPDIR/go"
    env "${TRACKED[@]}" setsid perl -e 'open my $go, "<", shift; <$go>; print "done\n"; exit 7' \
        "$BATS_TEST_TMPDIR/go" >"$BATS_TEST_TMPDIR/output" 2>&1 &
    started=$!
    exec {go}>"$BATS_TEST_TMPDIR/go"
    leaves "perl epilog" "setsid exec"
    exec {go}>&-
    local status=0
    wait "$started" || status=$?
    started=
    ((status == 7))
    [[ $(<"$BATS_TEST_TMPDIR/output") == "done" ]]
}

@test "a program that was started before the flush may start others behind it" {
    mkfifo "$BATS_TEST_TMPDIR/go"
    env "${TRACKED[@]}" bash -c 'read -r < "$1"; ls /does-not-exist; exit 7' bash "$BATS_TEST_TMPDIR/go" \
        >"$BATS_TEST_TMPDIR/output" 2>&1 &
    started=$!
    flush
    echo >"$BATS_TEST_TMPDIR/go"
    local status=0
    wait "$started" || status=$?
    started=
    ((status == 7))
    [[ $(<"$BATS_TEST_TMPDIR/output") == "ls: cannot access '/does-not-exist': No such file or directory" ]]
    [[ ! -e $SPOOL/$JOB.0 ]]
}

@test "tmux serves a session in a job, and what runs in it is recorded" {
    socket=jobtrail-$$-$BATS_TEST_NUMBER
    tracked tmux -L "$socket" -f /dev/null new-session -d \
        "'$PROGRAMS/exit_with' 3; tmux -L $socket wait-for -S over; read -r line"
    tracked tmux -L "$socket" wait-for over
    tracked tmux -L "$socket" kill-server
    wait_for eval '! tmux -L "$socket" has-session 2>/dev/null'
    flush
    [[ $(endings | grep -v '^tmux ') == "exit_with fini" ]]
    (($(endings | grep -c '^tmux ') == 4))
}

# bats test_tags=needs:root
@test "a program that locks all its memory runs as ever" {
    unnoticed perl -e 'syscall(151, 3) == 0 or die "mlockall: $!"; system "true"; exit 2'
    leaves "perl fini" "true fini"
}

@test "a program that unmaps nothing of ours but every hole it finds runs as ever" {
    unnoticed /usr/bin/python3 -c '
import ctypes, re
libc = ctypes.CDLL(None, use_errno=True)
spans = [tuple(int(x, 16) for x in re.match("(\\w+)-(\\w+)", line).groups())
         for line in open("/proc/self/maps")]
for (_, end), (start, _) in zip(spans, spans[1:]):
    if 0 < start - end < 1 << 40:
        assert libc.munmap(ctypes.c_void_p(end), ctypes.c_size_t(start - end)) == 0
raise SystemExit(4)'
    leaves "$PYTHON_NAME fini"
}

@test "a library may be loaded and unloaded, in its own namespace too" {
    unnoticed /usr/bin/python3 -c '
import _ctypes, ctypes
for _ in range(20):
    _ctypes.dlclose(ctypes.CDLL("libm.so.6")._handle)
    _ctypes.dlclose(ctypes.CDLL("libz.so.1")._handle)
libc = ctypes.CDLL(None)
libc.dlmopen.restype = libc.dlsym.restype = ctypes.c_void_p
space = libc.dlmopen(ctypes.c_long(-1), b"libm.so.6", 2)
assert space, "dlmopen"
print(libc.dlclose(ctypes.c_void_p(space)))'
    leaves "$PYTHON_NAME fini"
}
