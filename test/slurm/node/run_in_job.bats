#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Nodes on which Slurm calls neither SPANK's prolog nor its epilog, as PrologFlags=RunInJob has it from
# Slurm 24.05 on. 22.05 does the same while slurmd is older than the plugin's line in plugstack.conf,
# and has the same extern steps.
# prolog_in_job.bats has the real thing.

load ../fixture/cluster

bats_require_minimum_version 1.5.0

setup_file() {
    start_cluster bare NODES=1 EXTRA_CONF=PrologFlags=Contain
    configure ""
    echo "optional $STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf" >"$CLUSTER_DIR/etc/plugstack.conf"
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
    eventually 60 is_flushed "$job"
    [[ $(record_count "$job" exit_with) == 1 && $(field "$job" exit_with .slurmT.exit_code) == 3 ]]
    [[ $(coverage "$job") == $'0 recorded 2\nbatch script 1' ]]
}

@test "a job that was cancelled is flushed, too" {
    job=$(submit "srun sleep 300" -n1)
    eventually 20 has_line "$job" '^task .* step=0 '
    run_as "$JOB_USER" scancel "$job"
    wait_job "$job"
    eventually 60 is_flushed "$job"
    [[ $(field "$job" sleep .slurmT.signal) == 15 ]]
}

@test "the end of an extern step is noted, and starts the flush, while its daemon acts as the user" {
    local mode
    sed -i "1i optional $JOBTRAIL_BUILD/test/slurm/acting_as_user.so" "$CLUSTER_DIR/etc/plugstack.conf"
    for mode in 755 711; do # with the first users can list the directory, too
        chmod "$mode" "$DIR/run/n1"
        job=$(submit_and_wait "srun $PROGRAMS/exit_with 3" -n1)
        eventually 60 is_flushed "$job"
        [[ $(record_count "$job" exit_with) == 1 && $(field "$job" exit_with .slurmT.exit_code) == 3 ]]
    done
    sed -i 1d "$CLUSTER_DIR/etc/plugstack.conf"
    grep -F "jobtrail-test: acts as the user" "$CLUSTER_DIR/log/slurmd.n1.log"
}

@test "between two steps a job goes on, and the timer leaves it alone" {
    mkfifo -m 666 "$DIR/out/go"
    job=$(submit "srun $PROGRAMS/exit_with; echo ended; read -r <$DIR/out/go" -n1)
    eventually 20 output_has "$job" ended
    run flush --orphans --json
    [[ $status == 1 && $(jq '[.running, .jobs]' -c <<<"${lines[-1]}") == "[1,0]" ]]
    echo >"$DIR/out/go"
    wait_job "$job"
    eventually 60 is_flushed "$job"
}

@test "a flush that sees no process of a job, since it is in another pid namespace, leaves the job alone" {
    mkfifo -m 666 "$DIR/out/unseen"
    job=$(submit "srun $PROGRAMS/exit_with; echo ended; read -r <$DIR/out/unseen" -n1)
    eventually 20 output_has "$job" ended
    run "$CLUSTER" exec n1 unshare --pid --fork --mount-proc "$STAGE/bin/jobtrail-submit" flush --orphans --json \
        --conf "$DIR/jobtrail.conf" --node n1
    [[ $status == 1 && $(jq -c '[.running, .jobs]' <<<"${lines[-1]}") == "[1,0]" ]]
    echo >"$DIR/out/unseen"
    wait_job "$job"
    eventually 60 is_flushed "$job"
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

# from the environment of the site's Prolog script, which 22.05 runs before the extern step: so by hand
@test "jobtrail-submit prolog tells account, partition and restart count of the job that runs" {
    mkfifo -m 666 "$DIR/out/in"
    job=$(submit "srun $PROGRAMS/exit_with; read -r <$DIR/out/in" -n1)
    eventually 20 has_line "$job" '^end .* step=0$'
    "$CLUSTER" exec n1 env SLURM_JOB_ID="$job" SLURM_JOB_UID="$(id -u "$JOB_USER")" SLURM_JOB_RESTART_COUNT=3 \
        SLURM_JOB_ACCOUNT=chemistry SLURM_JOB_PARTITION=main SLURM_JOB_USER="$JOB_USER" \
        "$STAGE/bin/jobtrail-submit" prolog --conf "$DIR/jobtrail.conf" --node n1
    echo >"$DIR/out/in"
    wait_job "$job"
    eventually 60 is_flushed "$job"
    [[ $(field "$job" exit_with '"\(.userT.account) \(.userT.queue) \(.slurmT.restart_count)"') == "chemistry main 3" ]]
}

@test "jobtrail-submit prolog drains no node, whatever it finds" {
    run --separate-stderr "$STAGE/bin/jobtrail-submit" prolog
    # shellcheck disable=SC2154 # of bats
    [[ $status == 0 && -z $output && $stderr == *"no job in SLURM_JOB_ID"* ]]
    run env SLURM_JOB_ID=99 SLURM_JOB_UID=0 "$STAGE/bin/jobtrail-submit" prolog --conf "$DIR/nowhere"
    [[ $status == 0 ]]
    run env SLURM_JOB_ID=99 SLURM_JOB_UID=0 "$STAGE/bin/jobtrail-submit" prolog --conf "$DIR/jobtrail.conf" --node n9
    [[ $status == 0 ]]
}

@test "doctor says what RunInJob takes away" {
    echo "PrologFlags = Contain,RunInJob" >"$DIR/slurm.conf"
    run env SLURM_CONF="$DIR/slurm.conf" "$STAGE/bin/jobtrail-conf" doctor --json --node n1 \
        --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    jq -e 'map(select(.check == "prolog")) | length == 1 and .[0].state == "warning"
        and (.[0].fix | test("jobtrail-submit prolog [|][|] true"))' <<<"$output"
    echo "exec $STAGE/bin/jobtrail-submit prolog --conf $DIR/jobtrail.conf" >"$DIR/prolog.sh"
    printf 'PrologFlags=Contain,RunInJob\nProlog=/nowhere\nProlog=%s\n' "$DIR/prolog.*" >"$DIR/slurm.conf"
    run env SLURM_CONF="$DIR/slurm.conf" "$STAGE/bin/jobtrail-conf" doctor --json --node n1 \
        --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    jq -e 'map(select(.check == "prolog")) | map(.state) == ["ok"]' <<<"$output"
    echo "PrologFlags=Contain" >"$DIR/slurm.conf"
    run env SLURM_CONF="$DIR/slurm.conf" "$STAGE/bin/jobtrail-conf" doctor --json --node n1 \
        --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    jq -e 'map(select(.check == "prolog")) == []' <<<"$output"
}
