#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sanitizers, and debuggers and tracers that watch a program in which the library is.
# shellcheck disable=SC2016 # for other shells and languages to expand

bats_require_minimum_version 1.5.0

load ../fixture/job

setup() {
    new_job
}

teardown() {
    [[ -z ${started-} ]] || kill "$started" 2>/dev/null || true
}

# build COMPILER OPTION...: say_hello with that compiler
build() {
    "$1" -g "${@:2}" -o "$BATS_TEST_TMPDIR/hello" "$JOBTRAIL_SOURCE/test/programs/say_hello.c"
}

# sanitised FAULT MESSAGE: a sound run is the same with and without us; the fault is found as ever
sanitised() {
    local run
    unnoticed "$BATS_TEST_TMPDIR/hello" 3
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    observe without "${TRACKED[@]:0:4}" "$BATS_TEST_TMPDIR/hello" 3 "$1"
    observe with "${TRACKED[@]}" "$BATS_TEST_TMPDIR/hello" 3 "$1"
    for run in without with; do
        grep -q "$2" "$BATS_TEST_TMPDIR/$run/stderr"
    done
    cmp "$BATS_TEST_TMPDIR/without/status" "$BATS_TEST_TMPDIR/with/status"
}

@test "a program with gcc's AddressSanitizer, which wants to be first, runs as ever" {
    build gcc -fsanitize=address
    sanitised overflow heap-buffer-overflow
    flush
    (($(endings | grep -c '^hello ') == 2))
}

@test "a program with clang's AddressSanitizer runs as ever" {
    build clang -fsanitize=address
    sanitised overflow heap-buffer-overflow
    flush
    (($(endings | grep -c '^hello ') == 2))
}

@test "a program with UndefinedBehaviorSanitizer runs as ever" {
    build gcc -fsanitize=undefined
    sanitised shift 'shift exponent 40'
    leaves "hello fini" "hello fini"
}

@test "a program with UndefinedBehaviorSanitizer that stops at the first fault runs as ever" {
    build clang -fsanitize=undefined -fno-sanitize-recover=all
    sanitised shift 'shift exponent 40'
    flush
    (($(endings | grep -c '^hello ') == 2))
}

@test "a program with ThreadSanitizer or MemorySanitizer runs as ever" {
    build gcc -fsanitize=thread
    unnoticed "$BATS_TEST_TMPDIR/hello" 3
    build clang -fsanitize=memory
    unnoticed "$BATS_TEST_TMPDIR/hello" 3
    flush
    # ThreadSanitizer may start its program anew, without address randomisation
    [[ $(endings | grep -v exec) == "$(repeated 2 "hello fini")" ]]
}

# debugged GDB-COMMAND...: on say_hello; process numbers are left out
debugged() {
    local commands=() command
    for command; do
        commands+=(-ex "$command")
    done
    unnoticed bash -o pipefail -c 'gdb -nx -nh -batch -ex "set confirm off" "${@:2}" --args "$1" 7 2>&1 |
        sed -E "s/process [0-9]+/process N/g; s/LWP [0-9]+/LWP N/g; s/0x[0-9a-f]+/ADDRESS/g"' \
        bash "$PROGRAMS/say_hello" "${commands[@]}"
}

@test "gdb runs a program to its end" {
    debugged "set startup-with-shell off" "run"
    grep -q "exited with code 07" "$BATS_TEST_TMPDIR/with/stdout"
    flush
    [[ $(endings | grep -E '^(gdb|say_hello) ') == $'gdb fini\nsay_hello fini' ]]
}

@test "gdb stops in a program, shows its stack, steps and calls into it" {
    debugged "break puts" "run" "backtrace" "finish" "call (int)atoi(\"42\")" "next" "continue"
    grep -q 'Breakpoint 1' "$BATS_TEST_TMPDIR/with/stdout"
    # gdb 13 can't call anything where the processor has newer state than it knows: with and without us
    grep -q -e '= 42' -e "Couldn't write extended state" "$BATS_TEST_TMPDIR/with/stdout"
    flush
    [[ $(endings | grep -E '^(gdb|say_hello) ') == $'gdb fini\nsay_hello fini' ]]
}

@test "gdb attaches to a program that runs already, and leaves it again" {
    env "${TRACKED[@]}" "$PROGRAMS/spin" 60 sleep &
    started=$!
    wait_for grep -q libjobtrail "/proc/$started/maps"
    gdb -nx -nh -batch -p "$started" -ex "backtrace" -ex "detach" >"$BATS_TEST_TMPDIR/output" 2>&1
    grep -q nanosleep "$BATS_TEST_TMPDIR/output"
    kill "$started"
    wait "$started" || (($? == 143))
    started=
    leaves "spin epilog"
}

# checked OPTION... COMMAND...: under valgrind, whose report goes to stdout without process numbers
checked() {
    unnoticed bash -c 'valgrind --error-exitcode=99 --log-file="$0" "$@"
        status=$?
        sed -E "s/^([=-])[=-]*[0-9]+[=-]+/\1/; /(Parent PID|Command|Copyright|Using)/d" "$0"
        exit $status' "$BATS_TEST_TMPDIR/report" "$@"
}

@test "valgrind finds no fault in a program that has none, and counts the same allocations" {
    checked --leak-check=full --show-leak-kinds=all --track-origins=yes "$PROGRAMS/say_hello" 3
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    grep -q 'ERROR SUMMARY: 0 errors' "$BATS_TEST_TMPDIR/with/stdout"
    flush
    [[ $(endings | grep say_hello) == "say_hello fini" ]]
}

@test "valgrind follows children, threads and execs" {
    unnoticed valgrind --error-exitcode=99 --log-file="$BATS_TEST_TMPDIR/report.%p" --trace-children=yes \
        "$PROGRAMS/vfork_child" "$PROGRAMS/exec_to" "$PROGRAMS/exit_with" 3
    unnoticed valgrind --error-exitcode=99 --log-file="$BATS_TEST_TMPDIR/report.%p" --tool=helgrind \
        "$PROGRAMS/thread_exit" 9
    flush
    [[ $(endings | grep -v '^valgrind') == $'exec_to exec\nexit_with fini\nthread_exit fini\nvfork_child fini' ]]
}

@test "strace -f follows a program and its children" {
    unnoticed strace -f -o "$BATS_TEST_TMPDIR/trace" \
        bash -c "'$PROGRAMS/exit_with' 3; '$PROGRAMS/fork_child' 4; '$PROGRAMS/vfork_child' '$PROGRAMS/exit_with' 5"
    leaves "strace fini" "exit_with fini" "fork_child fini" "vfork_child fini" "exit_with fini"
}

# calls RUN: what the traced program asked of the kernel, from its own first call on
calls() {
    sed -nE '/^write\(1, "in/,$p' "$BATS_TEST_TMPDIR/$1"
}

@test "a program asks the kernel for the same from main on, with and without the library" {
    observe without "${TRACKED[@]:0:4}" strace -o "$BATS_TEST_TMPDIR/plain" -E LD_PRELOAD= "$PROGRAMS/seccomp_exit" filter
    observe with "${TRACKED[@]:0:4}" strace -o "$BATS_TEST_TMPDIR/ours" -E LD_PRELOAD="$LIBRARY" "$PROGRAMS/seccomp_exit" filter
    [[ $(calls plain) == "write(1, \"in\\n\", 3)"*"exit_group(3)"* ]]
    [[ $(calls ours) == "$(calls plain)" ]]
    leaves "seccomp_exit fini"
}

@test "the library starts no process and no thread, sends nothing and waits for nothing" {
    tracked strace -f -o "$BATS_TEST_TMPDIR/trace" "$PROGRAMS/exit_with"
    grep -q '/ledger' "$BATS_TEST_TMPDIR/trace"
    run ! grep -E ' (v?fork|clone3?|socket|connect|send[a-z]*|write[v]?|futex|flock|poll|select|nanosleep|kill|tgkill|rt_sigaction|brk|set_tid_address)\(.* = [^-]*$' \
        <(sed -n '/libjobtrail.so/,$p' "$BATS_TEST_TMPDIR/trace" | sed -n '/"\/proc\/self\/exe"/,$p')
}
