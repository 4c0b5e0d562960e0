#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Nodes on which Slurm calls neither SPANK's prolog nor its epilog, as PrologFlags=RunInJob has it from
# Slurm 24.05 on. 22.05 does the same while slurmd is older than the plugin's line in plugstack.conf,
# and has the same extern steps.

load ../fixture/cluster

setup_file() {
    # there before slurmd reads slurm.conf; what it runs is $DIR/epilog, where a test has made one
    SCRIPT=$(mktemp /tmp/jobtrail-epilog-XXXXXX)
    export SCRIPT
    start_cluster bare NODES=1 EXTRA_CONF=$'PrologFlags=Contain\nEpilog='"$SCRIPT"
    printf '#!/bin/bash\n! [[ -e %s/epilog ]] || . %s/epilog\n' "$DIR" "$DIR" >"$SCRIPT"
    chmod 755 "$SCRIPT"
    write_jobtrail_conf ""
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    echo "optional $STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf" >"$CLUSTER_DIR/etc/plugstack.conf"
}

teardown_file() {
    stop_cluster
    rm -f "$SCRIPT"
}

journal() { # JOB
    cat "$DIR/run/n1/$1.0/journal"
}

# has_line JOB REGEX: in its journal
has_line() {
    journal "$1" 2>/dev/null | grep -qE "$2"
}

is_flushed() { # JOB
    [[ ! -e $DIR/run/n1/$1.0 ]]
}

kill_extern_step() { # JOB
    eventually 20 has_line "$1" '^step .* step=4294967292 '
    kill -KILL "$(journal "$1" | sed -n 's/^step .* step=4294967292 .* pid=\([0-9]*\) .*/\1/p')"
}

flush() {
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" flush --conf "$DIR/jobtrail.conf" --node n1 "$@"
}

@test "a job is flushed at the end of its extern step" {
    job=$(submit "srun -n2 $PROGRAMS/exit_with 3" -n2)
    wait_job "$job"
    eventually 20 is_flushed "$job"
    [[ $(record_count "$job" exit_with) == 1 && $(field "$job" exit_with .slurmT.exit_code) == 3 ]]
    [[ $(coverage "$job") == $'0 recorded 2\nbatch script 1' ]]
}

@test "a job that was cancelled is flushed, too" {
    job=$(submit "srun sleep 300" -n1)
    eventually 20 has_line "$job" '^task .* step=0 '
    run_as "$JOB_USER" scancel "$job"
    wait_job "$job"
    eventually 20 is_flushed "$job"
    [[ $(field "$job" sleep .slurmT.signal) == 15 ]]
}

@test "between two steps a job goes on, and the timer leaves it alone" {
    mkfifo -m 666 "$DIR/out/go"
    job=$(submit "srun $PROGRAMS/exit_with; echo ended; read -r <$DIR/out/go" -n1)
    eventually 20 output_has "$job" ended
    run flush --orphans --json
    [[ $status == 1 && $(jq '[.running, .jobs]' -c <<<"${lines[-1]}") == "[1,0]" ]]
    echo >"$DIR/out/go"
    wait_job "$job"
    eventually 20 is_flushed "$job"
}

@test "a job whose extern step was killed is flushed by the timer when nothing of it lives" {
    mkfifo -m 666 "$DIR/out/on"
    job=$(submit "srun $PROGRAMS/exit_with; read -r <$DIR/out/on" -n1)
    eventually 20 has_line "$job" '^end .* step=0$'
    kill_extern_step "$job"
    run flush --orphans --json
    [[ $(jq -c '[.running, .jobs]' <<<"${lines[-1]}") == "[1,0]" ]]
    echo >"$DIR/out/on"
    wait_job "$job"
    [[ -e $DIR/run/n1/$job.0 ]]
    run flush --orphans --json
    [[ $status == 0 && $(jq .jobs <<<"${lines[-1]}") == 1 ]]
    is_flushed "$job"
    [[ $(record_count "$job" exit_with) == 1 ]]
}

@test "the site's Epilog script tells account and partition, and flushes" {
    echo "$STAGE/bin/jobtrail-submit flush --epilog --conf $DIR/jobtrail.conf >$DIR/said 2>&1" >"$DIR/epilog"
    mkfifo -m 666 "$DIR/out/in"
    job=$(submit "srun $PROGRAMS/exit_with; read -r <$DIR/out/in" -n1 -A chemistry)
    # from 24.05 on the script runs inside of the extern step; here it runs when that is over, so that
    # step has to be gone without a flush
    kill_extern_step "$job"
    echo >"$DIR/out/in"
    wait_job "$job"
    is_flushed "$job"
    [[ $(cat "$DIR/said") == "jobs 1, records 1,"* ]]
    [[ $(field "$job" exit_with '"\(.userT.account) \(.userT.queue) \(.slurmT.partition)"') == "chemistry main main" ]]
    rm "$DIR/epilog"
}

@test "flush --epilog wants a job, and does not go with a dry run" {
    run flush --epilog
    [[ $status == 2 && $output == *"not a job id: none in SLURM_JOB_ID"* ]]
    run env SLURM_JOB_ID=5 "$STAGE/bin/jobtrail-submit" flush --epilog --dry-run --conf "$DIR/jobtrail.conf"
    [[ $status == 2 && $output == Usage:* ]]
}

@test "doctor says what RunInJob takes away" {
    echo "PrologFlags=Contain,RunInJob" >"$DIR/slurm.conf"
    run env SLURM_CONF="$DIR/slurm.conf" "$STAGE/bin/jobtrail-conf" doctor --json --node n1 \
        --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    jq -e 'map(select(.check == "prolog")) | length == 1 and .[0].state == "warning"
        and (.[0].mend | test("flush --epilog"))' <<<"$output"
    echo "PrologFlags=Contain" >"$DIR/slurm.conf"
    run env SLURM_CONF="$DIR/slurm.conf" "$STAGE/bin/jobtrail-conf" doctor --json --node n1 \
        --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    jq -e 'map(select(.check == "prolog")) == []' <<<"$output"
}
