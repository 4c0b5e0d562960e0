#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A spool that is missing, full, read-only, damaged or taken away: no program notices. Needs root.
# shellcheck disable=SC2016 # for other shells and languages to expand

load ../fixture/job

setup() {
    new_job
}

teardown() {
    if mountpoint -q "$SPOOL"; then umount -l "$SPOOL"; fi
}

# small_spool BYTES: a spool on a file system of this size
small_spool() {
    rm -rf "${SPOOL:?}"
    mkdir "$SPOOL"
    mount -t tmpfs -o "mode=711,size=$1" none "$SPOOL"
}

@test "without a spool directory, a job's directory or a ledger a program runs as ever" {
    mv "$SPOOL/$JOB.0/user/ledger" "$BATS_TEST_TMPDIR"
    unnoticed "$PROGRAMS/exit_with" 3
    rm -r "${SPOOL:?}/$JOB.0"
    unnoticed "$PROGRAMS/exit_with" 3
    rm -r "$SPOOL"
    unnoticed "$PROGRAMS/exit_with" 3
    [[ ! -e $SPOOL ]]
}

@test "what is no ledger is left alone" {
    local ledger=$SPOOL/$JOB.0/user/ledger
    echo "no ledger" >"$ledger"
    unnoticed "$PROGRAMS/exit_with" 3
    [[ $(<"$ledger") == "no ledger" ]]
    : >"$ledger"
    unnoticed "$PROGRAMS/exit_with" 3
    [[ ! -s $ledger ]]
    rm "$ledger"
    ln -s /etc/passwd "$ledger"
    unnoticed "$PROGRAMS/exit_with" 3
    rm "$ledger"
    mkfifo "$ledger"
    unnoticed "$PROGRAMS/exit_with" 3
    rm "$ledger"
    mkdir "$ledger"
    unnoticed "$PROGRAMS/exit_with" 3
}

@test "a ledger of one page that says it has more harms no program" {
    truncate -s 4096 "$SPOOL/$JOB.0/user/ledger"
    unnoticed "$PROGRAMS/exit_with" 3
}

# bats test_tags=needs:root
@test "a spool that may only be read leaves a program as ever, without a record" {
    mount --bind "$SPOOL" "$SPOOL"
    mount -o remount,ro,bind "$SPOOL"
    unnoticed "$PROGRAMS/exit_with" 3
    umount "$SPOOL"
    leaves
}

# bats test_tags=needs:root
@test "on a full file system what finds no room is counted, and no program is hurt" {
    local i
    small_spool 1M
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    dd if=/dev/zero of="$SPOOL/fill" bs=4096 status=none 2>/dev/null || true
    for i in {1..100}; do
        tracked "$PROGRAMS/exit_with" "$((i % 7))" || (($? == i % 7))
    done
    unnoticed "$PROGRAMS/exit_with" 3
    unnoticed "$PROGRAMS/vfork_child" "$PROGRAMS/exit_with" 3
    rm "$SPOOL/fill"
    flush
    (($(records | jq length) > 10))
    (($(records | jq 'length + .[0].slurmT.dropped') == 103))
    [[ $(records | jq -c 'map(.slurmT.end_source) | unique') == '["fini"]' ]]
}

# bats test_tags=needs:root
@test "on a file system that was full before the job began all is counted" {
    small_spool 64K
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    dd if=/dev/zero of="$SPOOL/fill" bs=4096 status=none 2>/dev/null || true
    unnoticed "$PROGRAMS/exit_with" 3
    unnoticed "$PROGRAMS/exit_with" 3
    rm "$SPOOL/fill"
    [[ $(flush) == *" dropped 2,"* ]]
    [[ $(records) == "[]" ]]
}

# bats test_tags=needs:root
@test "a spool that is taken away while a program runs leaves it as ever" {
    mkfifo "$BATS_TEST_TMPDIR/go"
    small_spool 4M
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    env "${TRACKED[@]}" perl -e 'open my $go, "<", shift; <$go>; print "done\n"; exit 7' \
        "$BATS_TEST_TMPDIR/go" >"$BATS_TEST_TMPDIR/output" 2>&1 &
    local pid=$! status=0
    exec {go}>"$BATS_TEST_TMPDIR/go"
    rm -r "${SPOOL:?}/$JOB.0"
    umount -l "$SPOOL"
    exec {go}>&-
    wait "$pid" || status=$?
    ((status == 7))
    [[ $(<"$BATS_TEST_TMPDIR/output") == "done" ]]
}

@test "a policy that is replaced while programs start is one or the other" {
    local i
    for i in {1..20}; do
        "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF" || touch "$BATS_TEST_TMPDIR/failed"
    done &
    for i in {1..60}; do
        tracked "$PROGRAMS/exit_with"
    done
    wait
    [[ ! -e $BATS_TEST_TMPDIR/failed ]]
    leaves "$(repeated 60 "exit_with fini")"
}
