# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# For the bats files of the e2e tier: programs with and without the library, without Slurm.
#
#   load helper
#   setup() { new_job; }
#
# new_job makes a job's spool directory, as the plugin does, and a policy; $RULES (text, for
# example a [paths] section) is appended to the configuration. $PLACE is the directory for all of
# it, $LIBRARY what is preloaded, $OWNER the job's user; all have defaults.

# for $RULES: the default rules leave out shells and small tools
# shellcheck disable=SC2034 # tests use it
KEEP_ALL=$'[paths]\nkeep = .*'

new_job() {
    local place=${PLACE:-$BATS_TEST_TMPDIR}
    JOB=4711
    PROGRAMS=$JOBTRAIL_BUILD/test/programs
    SPOOL=$place/spool
    RECORDS=$place/records
    CONF=$place/jobtrail.conf
    LIBRARY=${LIBRARY:-$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/lib64/libjobtrail.so}
    cat >"$CONF" <<EOF
[site]
cluster = lab

[spool]
dir = $SPOOL

[submit]
state = $place/state

[file]
dir = $RECORDS

${RULES-}
EOF
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB" $((64 << 20)) "${OWNER:-$(id -un)}"
    TRACKED=(JOBTRAIL_SPOOL="$SPOOL/$JOB.0/user" JOBTRAIL_POLICY="${CONF%.conf}.policy"
        JOBTRAIL_TASK=4294967291.0.$$ XALT_EXECUTABLE_TRACKING=yes LD_PRELOAD="$LIBRARY")
}

# tracked COMMAND...: as a task of the job runs it
tracked() {
    env "${TRACKED[@]}" "$@"
}

# observe NAME [VARIABLE=VALUE]... COMMAND...: stdout, stderr and exit status of the command in this
# environment, in the directory NAME; stdin is empty
observe() {
    local status=0 seen=$BATS_TEST_TMPDIR/seen
    mkdir "$seen"
    # exec: no shell between, which would say on stderr what killed the command
    (exec env "${@:2}" >"$seen/stdout" 2>"$seen/stderr" </dev/null) || status=$?
    echo "$status" >"$seen/status"
    rm -rf "${BATS_TEST_TMPDIR:?}/$1"
    mv "$seen" "$BATS_TEST_TMPDIR/$1"
}

# unnoticed COMMAND...: stdout, stderr and exit status are the same with and without the library
unnoticed() {
    observe without "${TRACKED[@]:0:4}" "$@"
    observe with "${TRACKED[@]}" "$@"
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
}

# flush OPTION...: the job is over
# shellcheck disable=SC2120 # tests pass options
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

# leaves ENDING...: the job is over, the flush has nothing to complain about and leaves nothing
# behind, and the records are these, in any order ("NAME END_SOURCE", as `endings` prints them)
leaves() {
    local said
    # shellcheck disable=SC2119
    said=$(flush 2>&1 >/dev/null) || said+="status $?"
    if [[ $said != "" || -e $SPOOL/$JOB.0 ]]; then
        echo "flush: ${said:-the job is still in the spool}"
        return 1
    fi
    diff <(printf '%s\n' "$@" | sed '/^$/d' | sort) <(endings)
}

# repeated COUNT WORD: the word, COUNT times, one a line
repeated() {
    local i
    for ((i = 0; i < $1; i++)); do
        echo "$2"
    done
}

# wait_for COMMAND...: until it is true, 20 s at the most
wait_for() {
    local i
    for ((i = 0; i < 200; i++)); do
        ! "$@" || return 0
        sleep 0.1
    done
    echo "20 s without: $*"
    return 1
}
