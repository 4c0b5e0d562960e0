#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# contrib/demo/run checks its own runs; here: what it prints, and that it leaves nothing behind. With --soak it builds
# jobtrail itself.

bats_require_minimum_version 1.5.0
load ../../wait

# Of a copy it is certain that nobody else changes it meanwhile.
setup_file() {
    export CHECKOUT=$BATS_FILE_TMPDIR/checkout
    mkdir "$CHECKOUT"
    tar -C "$JOBTRAIL_SOURCE" --exclude=./.git --exclude=./build -cf - . | tar -C "$CHECKOUT" -xf -
}

setup() {
    DEMO=$CHECKOUT/contrib/demo/run
    BUILT=()
    [[ -n ${JOBTRAIL_SOAK-} ]] || BUILT=(--prefix "$JOBTRAIL_STAGE")
    OUT=$BATS_TEST_TMPDIR/out ERR=$BATS_TEST_TMPDIR/err
    checkout_before=$(checkout) users_before=$(getent passwd)
}

# The files of the checkout, when each was changed
checkout() {
    find "$CHECKOUT" -printf '%P %s %T@\n' | sort
}

scratch_of_demo() {
    sed -n 's/^demo: working in //p' "$ERR"
}

# Whatever mentions the directory in its command, environment or mounts
processes_of() { # DIRECTORY
    local pid
    for pid in /proc/[0-9]*; do
        pid=${pid#/proc/}
        [[ $pid != "$BASHPID" && $pid != "$$" ]] || continue
        if cat /proc/"$pid"/{cmdline,environ,mountinfo} 2>/dev/null | grep -qaF "$1"; then
            echo "$pid $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")"
        fi
    done
}

nothing_is_left() {
    local scratch left
    scratch=$(scratch_of_demo)
    [[ $scratch == /tmp/jobtrail-demo-* && ! -e $scratch ]]
    left=$(processes_of "$scratch")
    echo "$left"
    [[ -z $left ]]
    ! grep -qsF "$scratch" /tmp/jobtrail-cluster-ports/* || false
    diff <(echo "$checkout_before") <(checkout)
    diff <(echo "$users_before") <(getent passwd)
}

section() { # TITLE: the lines below it
    awk -v title="# $1" '/^(#|[0-9]+ runs)/ { on = $0 == title; next } on && NF' "$OUT"
}

rows() { # TITLE COLUMN...: of its table, without the header
    local columns=${*:2}
    section "$1" | awk '/^[0-9]/ { print '"\$${columns// /, \$}"' }'
}

run_demo() {
    "$DEMO" --no-install "${BUILT[@]}" >"$OUT" 2>"$ERR" || { cat "$OUT" "$ERR" && false; }
}

# The step of the program that mpiexec.hydra starts differs by its version, and the code of the other one is not certain
# on a busy machine (contrib/demo/run).
as_in_batch() {
    sed -E 's/^2\.1( |$)/2.batch\1/; s/^(2\.0 alice pi) EXITED \?:\?$/\1 COMPLETED 0:0/'
}

shows_every_run() {
    # JobID User Exec State ExitCode; the demo itself compares the tasks, the nodes and how each end is known
    diff - <(rows "Who ran what, and how it ended" 1 2 3 6 7 | as_in_batch) <<'ROWS'
1.0 alice heat COMPLETED 0:0
2.0 alice pi COMPLETED 0:0
2.batch alice pi EXITED ?:?
3.0 alice heat FAILED 2:0
4.0 bob heat COMPLETED 0:0
4.1 bob heat KILLED 0:9
5.0 bob heat KILLED 0:15
6.0 bob heat COMPLETED 0:0
ROWS
    [[ $(tail -n 1 "$OUT") == "8 runs of 6 jobs, "* ]]
}

# What differs from demo to demo: times, core hours, their shares, the scratch directory
masked() {
    sed -E 's|/tmp/jobtrail-demo-[^/]*|SCRATCH|g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:]{8})?/DATE/g; s/[0-9]{2}(:[0-9]{2}){2}/TIME/g
        s/[0-9]+\.[0-9]{3}/HOURS/g; s/[0-9.]+ %/SHARE/g; s/[^ /]*-linux-gnu/MACHINE/; s/ld-linux[^ ]*/LOADER/; s/ +/ /g; s/^ | $//g'
}

# The commands of a document and the lines below them stand so in what the demo has printed; "..." are any lines.
prints_what_is_shown() { # DOCUMENT
    # shellcheck disable=SC2016 # these are no commands
    sed -nE '/^ *\$ /,/^(```)?$/{ s/^    //; /^(```)?$/!p }' "$CHECKOUT/$1" | masked >"$BATS_TEST_TMPDIR/shown"
    masked <"$OUT" | awk '
        NR == FNR { printed[NR] = $0; next }
        $0 == "..." { skips = 1; next }
        { at++
          while ((skips || /^\$/) && at in printed && printed[at] != $0) at++
          if (printed[at] != $0) { print "not printed: " $0; bad = 1; exit }
          skips = 0; shown++ }
        END { exit bad || shown < 10 }' - "$BATS_TEST_TMPDIR/shown"
}

@test "the demo shows every run and its end, and leaves nothing behind" {
    run_demo
    shows_every_run
    nothing_is_left
}

@test "a second demo in a row shows the same, and the libraries, and Slurm's view" {
    run_demo
    shows_every_run
    section "On which libraries" | grep -q '/librod\.so$'
    section "On which libraries" | grep -q '/libm\.so\.6$'
    section "Loading them again changes nothing" | grep -q '^15 read: 0 new, 0 updated, 15 unchanged'
    section "For which part of the work the records speak" | grep -Eq '^Core seconds: allocation [0-9]+ = programs [1-9]'
    # Tasks are ten of srun, five batch scripts and the daemons of mpiexec.hydra on both nodes. Each counts in
    # the row that had most of its time: the script with mpiexec in that of its program or in that of scripts.
    section "For which part of the work the records speak" | awk '
        $1 ~ /^(programs|uncertain|unseen)$/ { tasks[$2] += $3; all += $3 }
        END { exit !(all == 17 && tasks["recorded"] >= 12 && tasks["recorded"] <= 13) }'
    diff <(rows "Who uses MPICH" 1 | as_in_batch) <(printf '%s\n' 2.0 2.batch)
    rows "What Slurm itself says of these jobs" 2 3 | grep -qx 'too-long TIMEOUT'
    prints_what_is_shown README.md
    prints_what_is_shown contrib/jobtrail.7.scd
    nothing_is_left
}

@test "a demo that is told to end while jobs run leaves nothing behind" {
    local status=0
    "$DEMO" --no-install "${BUILT[@]}" >"$OUT" 2>"$ERR" 3>&- &
    eventually 60 grep -q 'waiting for the jobs' "$ERR"
    kill -TERM $!
    wait $! || status=$?
    ((status == 143))
    nothing_is_left
}

@test "a demo that fails says why, and leaves nothing behind" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\necho no compiler today; exit 7\n' >"$BATS_TEST_TMPDIR/bin/mpicc.mpich"
    chmod +x "$BATS_TEST_TMPDIR/bin/mpicc.mpich"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run -1 "$DEMO" --no-install "${BUILT[@]}" >"$OUT" 2>"$ERR"
    echo "$output" >"$ERR"
    grep -qx "no compiler today" "$ERR"
    grep -q "^demo: FAILED: mpicc.mpich" "$ERR"
    nothing_is_left
}
