#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which ranks record, and the start records of large runs.

load ../fixture/cluster

setup_file() {
    export RULES=$'[sampling]\nalways_ranks = 4'
    start_cluster
}

# runs JOB: "NAME RANK" of each run, sorted. A start record may have come too.
runs() {
    records "$1" | jq -r 'unique_by(.userT.run_uuid)[] | "\(.userT.exec_path | split("/")[-1]) \(.slurmT.task_id)"' | sort
}

start_record() { # JOB: the path of its start record
    grep -l "\"job_id\":$1,.*" "$DIR"/records/run.*.aaa.*.json
}

@test "in a multi-prog step the first rank of each executable records" {
    cat >"$DIR/multi" <<EOF
0-1 $PROGRAMS/exit_with 0
2,4 $PROGRAMS/_exit_with 0
* $PROGRAMS/spin 0
EOF
    job=$(submit_and_wait "srun --multi-prog $DIR/multi" -N2 -n6)
    [[ $(runs "$job") == $'_exit_with 2\nexit_with 0\nspin 3' ]]
}

@test "in a heterogeneous step the first rank of each component records" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0 : $PROGRAMS/spin 0" -n2 : -n2)
    all=$(find "$DIR/records" -name 'run.*.zzz.*' -exec cat {} + | jq -s --argjson job "$job" \
        'map(select(.slurmT.job_id == $job or .slurmT.het_job_id == $job))')
    [[ $(jq -r 'map(.userT.exec_path | split("/")[-1]) | sort | join(" ")' <<<"$all") == "exit_with spin" ]]
    [[ $(jq -c 'map([.slurmT.het_job_id, .slurmT.het_offset]) | sort' <<<"$all") == "[[$job,0],[$job,1]]" ]]
}

# bats test_tags=needs:openmpi_mpmd
@test "an mpirun with two programs has a record of each" {
    job=$(submit_and_wait "$MPIRUN -n 2 $PROGRAMS/hello_openmpi : -n 2 bash -c 'exec -a other $PROGRAMS/hello_openmpi'" -N2 -n4)
    # with a start record too, where a program ran long enough
    [[ $(records "$job" | jq -c 'map(.userT.run_uuid) | unique | length') == 2 ]]
    [[ $(records "$job" | jq -r '[.[].cmdlineA[0] | split("/")[-1]] | unique | join(" ")') == "hello_openmpi other" ]]
}

# What XALT's loader keeps of a start record when the end comes (run_to_db in py_src/XALTdb.py)
kept() {
    jq -c "$AS_NUMBERS |"' [(.userT | .account, .queue, .job_id, .syshost, .user, .exec_path, .exec_type, .cwd, .container),
        (.userDT | .num_cores, .num_nodes, .probability, .start_time), .hash_id, .cmdlineA, .envT, .xaltLinkT]' "$1"
}

@test "a large run has a start record while it runs, and one end record" {
    job=$(submit "srun --mpi=pmi2 $PROGRAMS/hello_mpich 100" -N2 -n4)
    eventually 60 start_record "$job"
    start=$(start_record "$job")
    [[ $(jq -c "$AS_NUMBERS |"' [.userDT.end_time, .userDT.run_time, .userDT.num_tasks, .slurmT.end_source]' "$start") == '[0,0,4,null]' ]]
    [[ $(jq -r .userT.user "$start") == "$JOB_USER" ]]
    [[ $(jq -r .userT.queue "$start") == main ]]
    uuid=$(jq -r .userT.run_uuid "$start")
    run_as root scancel "$job"
    wait_job "$job"
    diff <(kept "$start") <(kept "${start/.aaa./.zzz.}")
    [[ $(records "$job" | jq -c --arg uuid "$uuid" 'map(select(.userT.run_uuid == $uuid) | .slurmT.end_source) | sort') == '[null,"task_end"]' ]]
    [[ $("$STAGE/bin/jobtrail-load" --json "$DIR/records" --store "sqlite:$DIR/store.db" | jq .conflicts) == 0 ]]
    [[ $("$STAGE/bin/jobtrail-acct" --store "sqlite:$DIR/store.db" -j "$job" -nPo State,EndSource) == "KILLED|task_end" ]]
}

@test "a run below the threshold has no start record" {
    job=$(submit_and_wait "srun -n2 $PROGRAMS/spin 3 sleep" -n2)
    run start_record "$job"
    [[ $output == "" || $status != 0 ]]
    [[ $(record_count "$job") == 1 ]]
}

@test "bytes from anybody in the process watch's pipe make it look, and nothing else" {
    head -c 100000 /dev/zero | run_as "$JOB_USER" dd of="$DIR/run/n1/wake" oflag=nonblock status=none || true
    job=$(submit "srun --mpi=pmi2 $PROGRAMS/hello_mpich 100" -n4)
    eventually 60 start_record "$job"
    run_as root scancel "$job"
    wait_job "$job"
}

@test "slurmd's restart replaces the process watch" {
    before=$(<"$DIR/run/n1/watch.pid")
    "$CLUSTER" restart-slurmd n1
    changed() { [[ -s $DIR/run/n1/watch.pid && $(<"$DIR/run/n1/watch.pid") != "$before" ]]; }
    eventually 30 changed
    gone() { [[ ! -d /proc/$before || $(<"/proc/$before/stat") == *") Z "* ]]; }
    eventually 10 gone
    job=$(submit "srun --mpi=pmi2 -w n1 $PROGRAMS/hello_mpich 100" -n4 -w n1)
    eventually 60 start_record "$job"
    run_as root scancel "$job"
    wait_job "$job"
}
