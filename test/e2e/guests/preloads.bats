#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Other libraries that come into a process by the loader's doors, before us and behind us.
# shellcheck disable=SC2016 # for other shells and languages to expand

load ../fixture/job

setup() {
    new_job
    LIBS=/usr/lib/$(uname -m)-linux-gnu
}

# beside OBJECT COMMAND...: as `unnoticed`, with another object preloaded, in both orders
beside() {
    local order
    observe without "${TRACKED[@]:0:4}" LD_PRELOAD="$1" "${@:2}"
    for order in "$1:$LIBRARY" "$LIBRARY:$1" "$1 $LIBRARY"; do
        observe with "${TRACKED[@]}" LD_PRELOAD="$order" "${@:2}"
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
}

WORK='
import os, sys, threading
sums = []
def work():
    sums.append(sum(len("x" * i) for i in range(2000)))
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sums, flush=True)
if os.fork() == 0:
    sys.exit(2)
print(os.wait()[1])
sys.exit(4)'

@test "with jemalloc preloaded, in both orders" {
    beside "$LIBS/libjemalloc.so.2" /usr/bin/python3 -c "$WORK"
    leaves "$(repeated 3 "$PYTHON_NAME fini")"
}

@test "with tcmalloc preloaded, in both orders" {
    beside "$LIBS/libtcmalloc_minimal.so.4" /usr/bin/python3 -c "$WORK"
    leaves "$(repeated 3 "$PYTHON_NAME fini")"
}

@test "with a library that wraps write and exit and reports at its end, in both orders" {
    beside "$PROGRAMS/wrap_write.so" perl -e '$| = 1; print "one\n"; print "two\n"; exit 3'
    [[ $(<"$BATS_TEST_TMPDIR/with/stderr") == *$'start, 0 writes, 0 exits\n'*"end, 2 writes, 1 exits" ]]
    beside "$PROGRAMS/wrap_write.so" "$PROGRAMS/exit_with" 3
    [[ $(<"$BATS_TEST_TMPDIR/with/stderr") == *"1 exits" ]]
    beside "$PROGRAMS/wrap_write.so" "$PROGRAMS/_exit_with" 3
    leaves "$(repeated 3 "perl fini")" "$(repeated 3 "exit_with fini")" "$(repeated 3 "_exit_with epilog")"
}

@test "with an audit library" {
    observe without "${TRACKED[@]:0:4}" LD_AUDIT="$PROGRAMS/audit_calls.so" "$PROGRAMS/exit_with" 3
    observe with "${TRACKED[@]}" LD_AUDIT="$PROGRAMS/audit_calls.so" "$PROGRAMS/exit_with" 3
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    [[ $(<"$BATS_TEST_TMPDIR/with/stderr") == "audit: exit" ]]
    leaves "exit_with fini"
}

@test "with a preloaded object that does not exist" {
    beside /does-not-exist.so "$PROGRAMS/exit_with" 3
    leaves "$(repeated 3 "exit_with fini")"
}

@test "a process that has the library twice, from two places, is recorded once" {
    cp "$LIBRARY" "$BATS_TEST_TMPDIR/libjobtrail.so"
    beside "$BATS_TEST_TMPDIR/libjobtrail.so" "$PROGRAMS/exit_with" 3
    # without: the copy alone
    leaves "$(repeated 4 "exit_with fini")"
}

@test "a program that loads the library once more by dlopen is recorded once" {
    cp "$LIBRARY" "$BATS_TEST_TMPDIR/libjobtrail.so"
    tracked "$PROGRAMS/dlopen_one" "$LIBRARY"
    tracked "$PROGRAMS/dlopen_one" "$BATS_TEST_TMPDIR/libjobtrail.so"
    leaves "dlopen_one fini" "dlopen_one fini"
}

@test "the loader's own switches change nothing" {
    unnoticed env LD_BIND_NOW=1 "$PROGRAMS/exit_with" 3
    unnoticed env LD_LIBRARY_PATH=/nowhere:: "$PROGRAMS/exit_with" 3
    unnoticed env GLIBC_TUNABLES=glibc.malloc.perturb=85 LD_HWCAP_MASK=0 "$PROGRAMS/exit_with" 3
    flush
    [[ $(endings | grep exit_with) == "$(repeated 3 "exit_with fini")" ]]
}

@test "a program that is started through the loader runs as ever" {
    local loader
    loader=$(readlink -f /lib64/ld-linux-x86-64.so.2)
    unnoticed "$loader" "$PROGRAMS/exit_with" 3
    leaves "exit_with fini"
    [[ $(records | jq -c '.[0].cmdlineA[1:]') == '["3"]' ]]
}
