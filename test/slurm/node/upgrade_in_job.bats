#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Upgrades to other formats while jobs run, under PrologFlags=RunInJob (prolog_in_job.bats): the job's extern step
# goes on with the version that it began under, and the site's Prolog script may name either version.
# bats file_tags=needs:run_in_job,again

load ../fixture/cluster
load ../fixture/versions

setup_file() {
    SCRIPT=$(mktemp /tmp/jobtrail-prolog-XXXXXX)
    export SCRIPT
    # a slurmstepd of another cluster's job with the same number counts (submit/job/job_cgroups.h)
    start_versions EXTRA_CONF="PrologFlags=RunInJob
Prolog=$SCRIPT
FirstJobId=$((100000 + RANDOM * 100))"
    printf '#!/bin/bash\n. %s/prolog\n' "$DIR" >"$SCRIPT"
    chmod 755 "$SCRIPT"
    use_prolog "$STAGE" "$DIR/jobtrail.conf"
}

teardown_file() {
    stop_cluster
    rm -f "$SCRIPT"
}

use_prolog() { # STAGE CONF
    echo "$1/bin/jobtrail-submit prolog --conf $2 || true" >"$DIR/prolog"
}

# flushed JOB...: at the end of their extern steps, or by the timer of the version that is installed
flushed() {
    local job
    for job in "$@"; do eventually 60 is_flushed_by_timer "$job"; done
}

is_flushed_by_timer() { # JOB
    "$TIMER" flush --orphans >/dev/null 2>&1 || true
    left_nothing "$1"
}

left_nothing() { # JOB
    [[ -z $(find "$RUN" -name "$1.*") ]]
}

account() { # JOB PROGRAM
    field "$1" "$2" .userT.account
}

@test "jobs that run over an upgrade, and back, have each of their records, once" {
    started_over 2 -A chemistry
    upgrade
    go_on "${JOBS[@]}"
    # without the timer: by steps of either version, whichever ended last
    for job in "${JOBS[@]}"; do
        eventually 60 left_nothing "$job"
        is_whole "$job"
        [[ $(account "$job" after) == chemistry ]]
    done
    use_prolog "$SECOND_STAGE" "$DIR/second.conf"
    started_over 1 -A chemistry
    [[ -e $RUN/n1/.2/$JOB.0/journal ]]
    downgrade
    go_on "$JOB"
    eventually 60 left_nothing "$JOB"
    is_whole "$JOB"
    [[ $(account "$JOB" after) == chemistry ]]
    nothing_left
}

@test "a Prolog script that names the other version tells what it knows of the job all the same" {
    TIMER=submit1
    # the second version's program, and a job of the first one's
    job=$(submit_and_wait "srun $PROGRAMS/after 0" -w n1 -A physics)
    flushed "$job"
    [[ $(account "$job" after) == physics ]]
    TIMER=submit2
    upgrade
    use_prolog "$STAGE" "$DIR/jobtrail.conf"
    job=$(submit_and_wait "srun $PROGRAMS/after 0" -w n1 -A physics)
    flushed "$job"
    [[ $(account "$job" after) == physics ]]
    nothing_left
}

@test "without the program of its version a job is left alone while it runs, and set aside when it is over" {
    TIMER=submit1
    upgrade
    use_prolog "$STAGE" "$DIR/jobtrail.conf"
    # shellcheck disable=SC2016 # for the job to expand
    submit_over '$P/before 1' 'srun $P/step_after 4' -w n1
    waits "$JOB"
    downgrade
    mv "$SECOND_STAGE" "$SECOND_STAGE.gone"
    run submit1 flush --job "$JOB"
    [[ $status == 1 && $output == *"job $JOB.0: left alone, as it may still run here"* && ! -e $DIR/state/quarantine ]]
    run submit1 flush --orphans
    [[ $status == 1 && $output == *'running 1,'* && ! -e $DIR/state/quarantine ]]
    go_on "$JOB"
    flushed "$JOB"
    mv "$SECOND_STAGE.gone" "$SECOND_STAGE"
    has_records "$JOB" before 0 step_after 1
    [[ $(<"$DIR/state/quarantine/$JOB.0/reason") == *"another version (formats 2)"* ]]
    [[ -s $DIR/state/quarantine/$JOB.0/ledger && -s $DIR/state/quarantine/$JOB.0/journal ]]
}
