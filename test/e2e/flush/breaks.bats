#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A node where the flush's child dies for every job, as with a library that is not what it was. The
# function that breaks is one that the child alone calls.

load ../fixture/job

setup() {
    RULES=$KEEP_ALL new_job
    STATE=$BATS_TEST_TMPDIR/state
    printf 'void json_object_set_serializer(void) { __builtin_trap(); }\n' >"$BATS_TEST_TMPDIR/broken.c"
    cc -fPIC -shared "$BATS_TEST_TMPDIR/broken.c" -o "$BATS_TEST_TMPDIR/broken.so"
}

# a_job NUMBER [BROKEN]: with one run, flushed
a_job() {
    "$PROGRAMS/make_spool" "$SPOOL" "$1"
    tracked "${TRACKED[0]/$JOB.0/$1.0}" "$PROGRAMS/exit_with" 0
    LD_PRELOAD=${2:+$BATS_TEST_TMPDIR/broken.so} "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$1" --conf "$CONF" \
        --node e2e 2>&1
}

finding() {
    "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e --json |
        jq -r '.[] | select(.check == "flush") | "\(.state): \(.found)"'
}

@test "doctor says when the flush breaks down for job after job, until one comes through" {
    local said
    a_job 1
    [[ $(finding) == "" ]]
    a_job 2 broken | grep 'captures that ended their reader twice'
    said=$(finding)
    [[ $said == "warning: it broke down for the last 1 job, last at 2"* ]]
    a_job 3 broken
    a_job 4 broken
    said=$(finding)
    [[ $said == "bad: it broke down for the last 3 jobs, last at 2"*"in the quarantine" ]]
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e
    [[ $status == 1 ]]
    # bounded, whatever happens
    for job in {5..12}; do a_job "$job" broken; done
    [[ $(find "$STATE" -maxdepth 1 -name 'broken_flushes*' | wc -l) == 1 && $(wc -c <"$STATE/broken_flushes") -lt 64 ]]
    a_job 13
    [[ $(finding) == "" && ! -e $STATE/broken_flushes ]]
}
