# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# For the bats files of the e2e tier: programs with and without the library, without Slurm.
#
#   load helper
#   setup() { new_job; }
#
# new_job makes a job's spool directory, as the plugin does, and a policy; $RULES (text, for
# example a [paths] section) is appended to the configuration.

new_job() {
    JOB=4711
    PROGRAMS=$JOBTRAIL_BUILD/test/programs
    SPOOL=$BATS_TEST_TMPDIR/spool
    RECORDS=$BATS_TEST_TMPDIR/records
    CONF=$BATS_TEST_TMPDIR/jobtrail.conf
    LIBRARY=$JOBTRAIL_STAGE/lib/libjobtrail.so
    cat >"$CONF" <<EOF
[site]
cluster = lab

[spool]
dir = $SPOOL

[submit]
state = $BATS_TEST_TMPDIR/state

[file]
dir = $RECORDS

${RULES-}
EOF
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    TRACKED=(JOBTRAIL_SPOOL="$SPOOL/$JOB.0" JOBTRAIL_POLICY="${CONF%.conf}.policy"
        JOBTRAIL_TASK=4294967291.0 XALT_EXECUTABLE_TRACKING=yes LD_PRELOAD="$LIBRARY")
}

# tracked COMMAND...: as a task of the job runs it
tracked() {
    env "${TRACKED[@]}" "$@"
}

# untracked COMMAND...: the same environment without the library
untracked() {
    env "${TRACKED[@]:0:4}" "$@"
}

# observe NAME RUNNER COMMAND...: stdout, stderr and exit status in the directory NAME; stdin is empty
observe() {
    local status=0 seen=$BATS_TEST_TMPDIR/seen
    mkdir "$seen"
    "${@:2}" >"$seen/stdout" 2>"$seen/stderr" </dev/null || status=$?
    echo "$status" >"$seen/status"
    rm -rf "${BATS_TEST_TMPDIR:?}/$1"
    mv "$seen" "$BATS_TEST_TMPDIR/$1"
}

# unnoticed COMMAND...: stdout, stderr and exit status are the same with and without the library
unnoticed() {
    observe without untracked "$@"
    observe with tracked "$@"
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
}

# flush: the job is over
flush() {
    "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e "$@"
}

# records: all that has been delivered, one JSON array
records() {
    find "$RECORDS" -type f -name 'run.*.json' -exec cat {} + 2>/dev/null | jq --slurp .
}

# endings: "NAME END_SOURCE" of all records, sorted
endings() {
    records | jq -r '.[] | "\(.userT.exec_path | split("/")[-1]) \(.slurmT.end_source)"' | sort
}
