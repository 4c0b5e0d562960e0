#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A node's clock that was set while programs ran. Nobody sets this machine's: the ledger is made to say
# what processes on such a node would have written.

load ../fixture/job

setup() {
    new_job
    LEDGER=${TRACKED[0]#*=}/ledger
}

# clock_was_set SECONDS: during the run in the first slot of the ledger
clock_was_set() {
    # where end_ns is: see preload/ledger.h
    perl -e '
        open F, "+<", $ARGV[0] or die;
        seek F, 36864 + 56, 0;
        read F, my $end, 8 or die;
        seek F, 36864 + 56, 0;
        syswrite F, pack "q", unpack("q", $end) + $ARGV[1] * 1e9 or die' "$LEDGER" "$1"
}

one() { # FILTER: of the only record
    records | jq -c ".[0] | $1"
}

# journal_says SECONDS: the step is over, on a node whose clock was set by so much since it began
journal_says() {
    python3 -c '
import sys, time
both = [time.clock_gettime_ns(clock) for clock in (time.CLOCK_REALTIME, time.CLOCK_BOOTTIME)]
both[0] += int(sys.argv[1]) * 10**9
seconds = ["%d.%09d" % divmod(ns, 10**9) for ns in both]
print("end time=%s up=%s step=4294967291" % tuple(seconds))' "$1" >>"$SPOOL/$JOB.0/journal"
}

@test "a clock that was set forward is said, and an hour that nobody confirms is not taken off" {
    tracked "$PROGRAMS/exit_with" 0
    clock_was_set 40
    flush
    [[ $(one '.slurmT.clock_step | round') == 40 ]]
    [[ $(one '.userDT.run_time >= 40') == true ]]
}

@test "a run lasted as long as its process measured, where root saw that the clock was set" {
    tracked "$PROGRAMS/exit_with" 0
    clock_was_set 40
    journal_says 40
    flush
    [[ $(one '.slurmT.clock_step | round') == 40 ]]
    [[ $(one '.userDT.run_time < 40') == true ]]
}

@test "a clock that was set back is said, and no run ends before it has begun" {
    tracked "$PROGRAMS/exit_with" 0
    clock_was_set -3600
    journal_says -3600
    flush
    [[ $(one '.slurmT.clock_step | round') == -3600 ]]
    [[ $(one '.userDT.end_time == .userDT.start_time and .userDT.run_time >= 0') == true ]]
}

@test "that nobody has set the clock is known, however a run ended" {
    tracked "$PROGRAMS/exit_with" 0
    tracked "$PROGRAMS/kill_self" 9 || true
    journal_says 0
    flush
    [[ $(records | jq -c 'map(.slurmT.clock_step == 0)') == "[true,true]" ]]
}

@test "of a killed run it is not known where the clock was set" {
    tracked "$PROGRAMS/kill_self" 9 || true
    journal_says 5
    flush
    [[ $(one .slurmT.clock_step) == null ]]
}

# began YEAR: the run in the first slot of the ledger says that it began then, and wrote no other time
began() {
    # where start_ns is: see preload/ledger.h
    perl -MTime::Local -e 'open F, "+<", $ARGV[0] or die;
        seek F, 36864 + 48, 0;
        syswrite F, pack "Q", timegm(0, 0, 0, 1, 0, $ARGV[1]) * 1e9 + 1 or die' "$1" "$2"
}

@test "a run that says it began in 1970 or in 2554 began when its job did or ended, and is counted" {
    local year
    for year in 1970 2554; do
        another_job
        tracked "$PROGRAMS/exit_with" 0
        began "$LEDGER" $year
        [[ $(flush --json | jq -c '[.records, .misdated, .damaged]') == "[1,1,0]" ]]
        [[ $(one '.userDT.start_time > now - 3600 and .userDT.end_time < now + 3600 and .userDT.run_time < 3600 and .slurmT.clock_step == null') == true ]]
    done
}
