#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs that run steps after the plugin's line was added to plugstack.conf and before slurmd was restarted: steps have
# the plugin, and slurmd calls neither its prolog nor its epilog. With an extern step: run_in_job.bats.

load ../fixture/cluster

setup_file() {
    start_cluster bare NODES=1
    configure ""
    LINE="optional $STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf"
    export LINE
    echo "$LINE" >"$CLUSTER_DIR/etc/plugstack.conf"
}

flush() {
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" flush --conf "$DIR/jobtrail.conf" --node n1 --json "$@"
}

# summary KEYS...: these figures of the last flush, as in [1,0]
summary() {
    jq -c "[.$1, .$2]" <<<"${lines[-1]}"
}

no_step_runs() { # JOB: no slurmstepd of it is left, which might still write
    local pid
    while read -r pid; do
        [[ ! -e /proc/$pid ]] || return 1
    done < <(sed -n 's/^step .* pid=\([0-9]*\) .*/\1/p' "$DIR/run/n1/$1.0/journal")
}

# quiet JOB SINCE: nothing has happened to the job since then
quiet() {
    eventually 60 no_step_runs "$1"
    touch -d "$2" "$DIR/run/n1/$1.0/journal"
}

doctor() {
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-conf" doctor --node n1 --plugstack "$CLUSTER_DIR/etc/plugstack.conf" "$@"
}

@test "doctor says that slurmd has not loaded the plugin, and what to do" {
    run doctor --json
    jq -e 'any(.[]; .check == "slurmd" and .state == "bad" and (.found | contains("has not loaded the plugin"))
        and (.fix | startswith("restart slurmd")))' <<<"$output"
}

@test "a job that has ended without an epilog of ours is flushed by the timer: Slurm says that it is over" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 3" -n1)
    # nobody has begun an epilog, and nobody knows yet that none will come
    run flush --orphans
    [[ $(summary running jobs) == "[1,0]" && ! -e $DIR/run/n1/$job.0/asked ]]
    quiet "$job" "20 minutes ago"
    run flush --orphans
    [[ $status == 0 && $(summary running jobs) == "[0,1]" && ! -e $DIR/run/n1/$job.0 ]]
    [[ $(record_count "$job" exit_with) == 1 && $(field "$job" exit_with .slurmT.exit_code) == 3 ]]
    covered "$job"
}

@test "where Slurm cannot be asked, and while the job goes on, it is left alone" {
    # between two steps nothing of it runs
    run_as "$JOB_USER" salloc -n1 -J idle --no-shell
    job=$(run_as root squeue -h -n idle -o %A)
    run_as "$JOB_USER" srun --jobid="$job" "$PROGRAMS/exit_with" 0
    quiet "$job" "20 minutes ago"
    run "$CLUSTER" exec n1 env PATH=/nowhere "$STAGE/bin/jobtrail-submit" flush --orphans --conf "$DIR/jobtrail.conf" --node n1 --json
    [[ $(summary running jobs) == "[1,0]" ]]
    rm "$DIR/run/n1/$job.0/asked"
    run flush --orphans
    [[ $(summary running jobs) == "[1,0]" && -e $DIR/run/n1/$job.0/asked && ! -e $DIR/run/n1/$job.0/over ]]
    run_as root scancel "$job"
    wait_job "$job"
    # Slurm was asked a moment ago; after twice the time it is asked again
    run flush --orphans
    [[ $(summary running jobs) == "[1,0]" ]]
    quiet "$job" "50 minutes ago"
    touch -d "30 minutes ago" "$DIR/run/n1/$job.0/asked"
    run flush --orphans
    [[ $(summary running jobs) == "[0,1]" && $(record_count "$job" exit_with) == 1 ]]
}

@test "slurmd's restart gives the jobs that still run their epilog" {
    mkfifo -m 666 "$DIR/out/on"
    job=$(submit "srun $PROGRAMS/exit_with 0; echo ended; read -r <$DIR/out/on" -n1)
    eventually 20 output_has "$job" ended
    "$CLUSTER" restart-slurmd n1
    echo >"$DIR/out/on"
    wait_job "$job"
    eventually 60 is_flushed "$job"
    [[ $(record_count "$job" exit_with) == 1 ]]
    run doctor --json
    jq -e 'any(.[]; .check == "slurmd" and .state == "ok")' <<<"$output"
}
