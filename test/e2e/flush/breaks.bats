#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A node where the flush's child dies for every job, as with a library that is not what it was. The
# function that breaks is one that the child alone calls.

load ../fixture/job
load ../fixture/syslog

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
    a_job 2 broken | grep 'captures that stopped their reader twice'
    said=$(finding)
    [[ $said == "warning: it broke down for the last 1 job, last at 2"* ]]
    a_job 3 broken
    # a job without a run, as on idle nodes and on all but the first of a parallel job, is no sign of health
    "$PROGRAMS/make_spool" "$SPOOL" 15
    "$JOBTRAIL_BIN/jobtrail-submit" flush --job 15 --conf "$CONF" --node e2e
    a_job 4 broken
    said=$(finding)
    [[ $said == "bad: it broke down for the last 3 jobs, last at 2"*"in the quarantine" ]]
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e
    [[ $status == 1 ]]
    # bounded, whatever happens
    for job in {5..12}; do a_job "$job" broken; done
    [[ $(find "$STATE" -maxdepth 1 -name 'broken_flushes*' | wc -l) == 1 && $(wc -c <"$STATE/broken_flushes") -lt 64 ]]
    a_job 13
    [[ $(finding) == "" && $(<"$STATE/broken_flushes") == "0 0 "* ]] # when syslog was told
    sed -i "s/[0-9]*$/$(($(date +%s) - 3601))/" "$STATE/broken_flushes"
    a_job 14
    [[ $(finding) == "" && ! -e $STATE/broken_flushes ]]
}

# status OPTION...: of the node
status() {
    "$JOBTRAIL_BIN/jobtrail-submit" status --conf "$CONF" --node e2e "$@"
}

# break_jobs NUMBER...: their flushes break down
break_jobs() {
    local job
    for job in "$@"; do a_job "$job" broken; done
}

@test "status and its exit status say when the flush breaks down for job after job" {
    a_job 1
    run status
    [[ $status == 0 && $output == *"jobs in a row for which the flush broke down   0"* ]]
    break_jobs 2 3
    run status --json
    echo "$output"
    [[ $status == 0 && $(jq -c '[.broken_flushes, .quarantine, .quarantine_last_seconds > 1e9]' <<<"$output") == '[2,2,true]' ]]
    break_jobs 4
    run status --json
    echo "$output"
    [[ $status == 5 && $(jq -c '[.broken_flushes, .quarantine, .broken_flushes_last_seconds > 1e9]' <<<"$output") == '[3,3,true]' ]]
    # jobs that wait
    "$PROGRAMS/make_spool" "$SPOOL" 5
    run status --json
    [[ $(jq -c '[.jobs, .jobs_over]' <<<"$output") == '[2,0]' ]] # with that of new_job
    # nothing is read: no journal, no outbox
    rm -rf "$STATE" "$SPOOL"
    run status --json
    echo "$output"
    [[ $status == 0 && $(jq -c '[.jobs, .broken_flushes, .quarantine, .transports[0].outbox_records]' <<<"$output") == '[0,0,0,0]' ]]
}

# bats test_tags=needs:root
@test "syslog gets a line when the third flush in a row has broken down, and one an hour then" {
    local log=$BATS_TEST_TMPDIR/syslog
    break_jobs 1 2
    export -f a_job break_jobs tracked
    with_syslog bash -c "$(declare -p PROGRAMS SPOOL TRACKED JOB CONF); BATS_TEST_TMPDIR='$BATS_TEST_TMPDIR'
        break_jobs 3 4 5" >"$BATS_TEST_TMPDIR/said"
    cat "$log"
    [[ $(grep -c 'the flush broke down for the last 3 jobs: they have no records' "$log") == 1 ]]
    [[ $(grep -c 'the flush broke down for the last' "$log") == 1 ]]
    [[ $(<"$log") == *"<27>"* ]] # daemon.err
    # a flush that comes through in between changes nothing of that
    with_syslog bash -c "$(declare -p PROGRAMS SPOOL TRACKED JOB CONF); BATS_TEST_TMPDIR='$BATS_TEST_TMPDIR'
        a_job 8; break_jobs 9 10 11 12" >"$BATS_TEST_TMPDIR/said"
    [[ $(grep -c 'the flush broke down for the last' "$log") == 1 && $(<"$STATE/broken_flushes") == "4 "* ]]
    # an hour later
    sed -i "s/^\([0-9]* [0-9]*\) .*/\1 $(($(date +%s) - 3601))/" "$STATE/broken_flushes"
    with_syslog bash -c "$(declare -p PROGRAMS SPOOL TRACKED JOB CONF); BATS_TEST_TMPDIR='$BATS_TEST_TMPDIR'
        break_jobs 6 7" >"$BATS_TEST_TMPDIR/said"
    [[ $(grep -c 'the flush broke down for the last' "$log") == 2 ]]
    [[ $(grep -c 'the flush broke down for the last 5 jobs' "$log") == 1 ]]
}

@test "the metrics of a node are OpenMetrics, and are written where node_exporter finds them" {
    local metrics=$BATS_TEST_TMPDIR/jobtrail.prom
    sed -i "s|^\[submit\]|[submit]\nmetrics = $metrics|" "$CONF"
    break_jobs 1 2 3
    run status --openmetrics
    echo "$output"
    [[ $status == 5 && ${lines[-1]} == "# EOF" && ! -e $metrics ]]
    grep -x 'jobtrail_broken_flushes 3' <<<"$output"
    grep -x 'jobtrail_outbox_records{transport="file"} 0' <<<"$output"
    # a sample is a line of a metric that has been named before
    awk '/^# TYPE/ { type[$3] = $4; next } /^#/ { next }
        { sub("{.*}", "", $1); if (type[$1] != "gauge" || $2 !~ /^[0-9]+$/ || NF != 2) exit 1 }' <<<"$output"
    run status --write
    [[ $status == 5 && $output == "" && $(stat -c %a "$metrics") == 644 ]]
    diff <(grep -v '^#' "$metrics") <(status --openmetrics | grep -v '^#')
    # a killed writer's file is used, and its process id does not matter
    echo half >"$metrics.new"
    run status --write
    [[ $status == 5 && $output == "" && ! -e $metrics.new && $(tail -n 1 "$metrics") == "# EOF" ]]
    # a directory that is not there
    sed -i "s|^metrics = .*|metrics = $BATS_TEST_TMPDIR/none/x.prom|" "$CONF"
    a_job 4
    run status --write
    [[ $status == 3 && $output == *"none/x.prom: No such file or directory"* ]]
}

# bats test_tags=needs:root
@test "the metrics are written as the user who could redirect them" {
    local at=$BATS_TEST_TMPDIR/exporter
    chmod a+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$BATS_TEST_TMPDIR"
    mkdir -p "$at/textfile" "$BATS_TEST_TMPDIR/roots"
    sed -i "s|^\[submit\]|[submit]\nmetrics = $at/textfile/jobtrail.prom|" "$CONF"
    run status --write
    [[ $status == 0 && $(stat -c '%u %a' "$at/textfile/jobtrail.prom") == "0 644" ]]
    chown -R 4321:4322 "$at"
    run status --write
    echo "$output"
    [[ $status == 0 && $(stat -c '%u %g %a' "$at/textfile/jobtrail.prom") == "4321 4322 644" ]]
    # to a place of root's
    mv "$at/textfile" "$at/away"
    ln -s "$BATS_TEST_TMPDIR/roots" "$at/textfile"
    run status --write
    echo "$output"
    [[ $status == 3 && $output == *"jobtrail.prom: Permission denied" && $(ls "$BATS_TEST_TMPDIR/roots") == "" ]]
    # root's directory, others can write to it: nobody's rights would do
    rm "$at/textfile"
    mkdir "$at/textfile"
    chown -R 0:0 "$at"
    chmod 1777 "$at/textfile"
    run status --write
    echo "$output"
    [[ $status == 3 && $output == *"others can write to $at/textfile"* && $(ls "$at/textfile") == "" ]]
}

@test "figures that cannot be read are left out of the status" {
    a_job 1
    run status --json
    echo "$output"
    [[ $status == 0 && $(jq -c '[.jobs, .status_errors]' <<<"$output") == '[1,0]' ]]
    # a spool that others can write to; and what is no directory, or no file
    chmod 777 "$SPOOL"
    run status --openmetrics
    echo "$output"
    [[ $status == 3 && $output == *"the spool $SPOOL cannot be read: "* ]]
    grep -x 'jobtrail_status_errors 1' <<<"$output"
    grep -x 'jobtrail_quarantine 0' <<<"$output"
    [[ $(grep -c '^jobtrail_jobs' <<<"$output") == 0 ]]
    rm -rf "$STATE"/{outbox,quarantine,broken_flushes}
    touch "$STATE"/{outbox,quarantine}
    mkdir "$STATE/broken_flushes"
    run status --openmetrics
    echo "$output"
    [[ $status == 3 && $(grep '^jobtrail_' <<<"$output") == "jobtrail_status_errors 4" ]]
    [[ $(status --json 2>/dev/null | jq -c '[.jobs, .broken_flushes, .quarantine, .status_errors]') == '[null,null,null,4]' ]]
}
