# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Random schedules: JOBTRAIL_SEEDS (2) seeds of JOBTRAIL_JOBS (20) jobs, from JOBTRAIL_SEED (1) on, of JOBTRAIL_KINDS.
# See schedule. The same seed makes the same jobs.

load numbers

KINDS=batch,batch,steps,steps,nodes,multi,mpirun_,array,het,cancel,kill_step,requeue,requeue_anywhere

start_schedules() {
    local i
    start_cluster ACCT=dbd ACCT_USERS=root,jtuser KILL_WAIT=2 NODE_CPUS=8 "$@"
    SCHEDULE=$JOBTRAIL_SOURCE/test/slurm/numbers/schedule CHECK=$JOBTRAIL_SOURCE/test/slurm/numbers/check_numbers
    export SCHEDULE CHECK STORE=sqlite:$DIR/store.db NUMBERS=$DIR/numbers.json NOTES=$DIR/out/notes
    mkdir "$DIR/cases" "$DIR/jobs"
    : >"$NOTES"
    chmod 666 "$NOTES"
    for i in {0..7}; do
        cp "$PROGRAMS/noted" "$PROGRAMS/p$i"
    done
    cp "$PROGRAMS/noted_static" "$PROGRAMS/s0"
    ln -s p1 "$PROGRAMS/l0"
    ln -s p2 "$PROGRAMS/l1"
    export WITNESS=$DIR/witness
    "$PROGRAMS/witness" "$WITNESS" >"$DIR/truth" 3>&- &
    export WITNESS_PID=$!
    eventually 10 test -S "$WITNESS"
    chmod 666 "$WITNESS"
}

has_noted() { # JOB STARTS
    (($(grep -c " $1 [^ ]* \($(($2 - 1))\|$([ "$2" -gt 1 ] || echo -)\) " "$NOTES") > 0))
}

# act JOB ACTION...: each when its next attempt runs
act() {
    local job=$1 action attempt=0
    shift
    for action; do
        eventually 600 has_noted "$job" $((++attempt)) || return
        pause "0.$((job * 37 % 100))"
        echo "$job kill $(date +%s.%N)" >>"$NOTES"
        case $action in
        cancel) run_as root scancel "$job" ;;
        kill_step) run_as root scancel -s KILL "$job.0" ;;
        requeue) requeue "$job" ;;
        requeue_now) requeue "$job" at_once ;;
        esac
    done
}

# of what runs meanwhile nodes need not tell all: no step runs on one of them, a job was requeued
run_schedules() {
    local seed name script actions options id partly=() acting=() todo
    for ((seed = ${JOBTRAIL_SEED:-1}; seed < ${JOBTRAIL_SEED:-1} + ${JOBTRAIL_SEEDS:-2}; seed++)); do
        while IFS='|' read -r name script actions options; do
            # shellcheck disable=SC2086 # several words
            id=$(submit "export WITNESS=$WITNESS"$'\n'"$(<"$script")" --job-name="$name" $options)
            echo "$id" >"$DIR/cases/$name"
            partly+=("$name")
            IFS=, read -ra todo <<<"$actions"
            act "$id" "${todo[@]}" >"$DIR/cases/.$id" 2>&1 3>&- &
            acting+=("$!")
        done < <("$SCHEDULE" make "$seed" "${JOBTRAIL_JOBS:-20}" "${JOBTRAIL_KINDS:-$KINDS}" "$DIR/jobs" "$PROGRAMS" "$NOTES" "$MPIRUN")
    done
    for id in "${acting[@]}"; do
        wait "$id" || cat "$DIR"/cases/.*
    done
    export PARTLY="${partly[*]}"
    eventually 900 nothing_runs
    eventually 60 is_flushed
    eventually 60 is_accounted
    kill "$WITNESS_PID"
    wait "$WITNESS_PID"
    load_store

}

teardown_file() {
    kill "$WITNESS_PID" 2>/dev/null || true
    stop_cluster
}
