#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Ranks that were killed where the site has no witness: Slurm has not waited for them, so nobody knows when they ended, and
# what is told are bounds. And ends are not moved by whoever sets the clock.

# bats file_tags=needs:profile

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    new_profiled_job
    keep_profiles
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    cat >held.c <<'C'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#define OURS __attribute__((no_instrument_function))
OURS static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}
OURS static void say(void)
{
    printf("%lld\n", now());
    fflush(stdout);
}
__attribute__((noinline)) void work(void)
{
    for (long long start = now(); now() < start + 20000000;)
        ;
}
__attribute__((noinline)) void held(void)
{
    say();
    pause();
}
int main(void)
{
    say();
    work();
    held();
}
C
    gcc -O1 -finstrument-functions held.c -o held
}

teardown() {
    [[ -z ${LAUNCHER-} ]] || kill "$LAUNCHER" || true
}

# held: PID is in held(), a process of the batch step
held() {
    env "${PROFILED[@]}" JOBTRAIL_TASK="4294967291.0.$$" LD_PRELOAD="$PROFILE_LIBRARY" ./held >said 3>&- &
    PID=$!
    wait_for has_lines 2
}

has_lines() {
    [[ $(wc -l <said) == "$1" ]]
}

# killed: PID ends by SIGKILL
killed() {
    kill -KILL "$PID"
    wait "$PID" || (($? == 137))
}

# shown [OPTION...]: what jobtrail-profile shows of the file that the flush has kept
shown() {
    "$JOBTRAIL_BIN/jobtrail-profile" show "$@" kept/*/*.profile
}

# note VERB WORD...: a line of root's in the journal
note() {
    echo "$1 $(python3 -c 'import time; print("time=%.9f up=%.9f" % (time.time(), time.clock_gettime(7)))') step=4294967291 ${*:2}" >>"$SPOOL/$JOB.0/journal"
}

@test "a program of the batch script that is killed: bounds, and in words that they are such" {
    held
    killed
    flush >/dev/null
    run shown
    [[ $output == *": ended, how is not known; was in held<main<init"*" (its end is not known; it ended at most "*" s later)"* ]]
    [[ $output == *"# the end of 1 rank is not known: its times are too short (see ENDS in jobtrail-profile(1))"* ]]
    [[ $output != *"still running"* && $output != *"killed"* ]]
    shown --json >log
    jq -e '.ranks[0] | .ended == "unknown" and (.end_known | not) and (.reached_exit | not) and .end_later_seconds_max > 0' log
    # what came before held() is measured, and in held() it was from then on
    jq -e '[.rows[] | {key: .function, value: .}] | from_entries | .work.inclusive_seconds >= 0.02 and .main.inclusive_seconds >= 0.02' log
    "$JOBTRAIL_BIN/jobtrail-profile" flame --svg kept/*/*.profile >svg
    grep -F "; the end of 1 rank is not known: its times are too short" svg
}

@test "mpirun ends the others where one rank is killed: none is said to have been in its call for no time" {
    local mpi pid
    for mpi in openmpi mpich; do
        new_profile
        rm -rf kept/*
        mpicc.$mpi -O2 "$PROFILE_PROGRAMS/mpi_known.c" -o known
        ranks $mpi ./known wait >seen 2>/dev/null 3>&- &
        LAUNCHER=$!
        wait_for has_open
        pid=$(awk '$1 == "pid" { print $2 }' seen)
        kill -KILL "$pid"
        wait "$LAUNCHER" || true
        LAUNCHER=
        flush >/dev/null
        run shown --mpi
        [[ $output == *"# rank 0 of 2, "*", pid $pid: was in MPI_Recv since 2"*"; ended, how is not known, between 2"*" and 2"* ]]
        [[ $output == *"# the end"*" not known: "*" times are too short"* ]]
        shown --json >log
        jq -e --argjson pid "$pid" '.ranks[] | select(.pid == $pid) | .ended == "unknown" and (.end_known | not) and .end_later_seconds_max > 0' log
    done
}

# ranks MPI PROGRAM...: two ranks of it, below a launcher that is no task of Slurm's
ranks() {
    local launcher=(mpirun."$1")
    [[ $1 != openmpi ]] || launcher+=(--oversubscribe)
    exec env "${PROFILED[@]}" JOBTRAIL_TASK="4294967291.0.$$" "${launcher[@]}" -n 2 env LD_PRELOAD="$PROFILE_LIBRARY" "${@:2}"
}

has_open() {
    grep -q '^pid ' seen && "$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" |
        awk -F '\t' '$3 == 0 && $4 == "MPI_Recv" && $10 == 1 { found = 1 } END { exit !found }'
}

# a_task: the held program is Slurm's task, which was waited for when it had been killed
a_task() {
    held
    note task "task=0 pid=$PID ticks=$(cut -d' ' -f22 "/proc/$PID/stat") thread=1 busy=1"
    killed
    note exit "task=0 pid=$PID status=9 thread=1 busy=1"
    MOST=$(($(python3 -c 'import time; print(int(time.monotonic() * 1e9))') - $(head -n 1 said)))
}

# is_short: the end is known, and was in the time that the test saw
is_short() {
    shown --json >log
    jq -e --argjson most "$MOST" '.ranks[0] | .ended == "signal" and .signal == "SIGKILL" and .end_known and
        .was_in == "held<main<init" and .was_in_seconds * 1e9 <= $most * 1.001 + 2e7 and .end_later_seconds_max == 0' log
}

@test "the clock that is set while a rank runs does not move its end" {
    local seconds
    a_task
    cp -r "$SPOOL" before
    for seconds in 0 3600 -3600; do
        rm -rf "$SPOOL" kept/*
        cp -r before "$SPOOL"
        "$JOBTRAIL_SOURCE/test/e2e/fixture/spoil_profile" "$PROFILE_FILE" clock "$seconds"
        flush >/dev/null
        is_short
    done
}

@test "nothing ends after the flush, whatever a process says" {
    a_task
    "$JOBTRAIL_SOURCE/test/e2e/fixture/spoil_profile" "$PROFILE_FILE" last $((1 << 61))
    flush >/dev/null
    shown --json >log
    jq -e '.seconds < 3600' log
}
