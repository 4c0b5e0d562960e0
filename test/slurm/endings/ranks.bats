#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Ranks, summarised, where the kernel witness listens: rank 0 has the run record, and the others are told of all the same.
# bats file_tags=needs:hear_kernel,needs:witness

load ../fixture/cluster

setup_file() {
    RULES=$'[witness]\nlevel = objects' SYSTEM_TOOLS=no start_cluster
    eventually 60 witness_listens n1
    eventually 60 witness_listens n2
}

# rows JOB FILTER: of its records of ranks, by step, node and program
rows() {
    find "$DIR/records" -name 'ranks.*' -exec cat {} + | jq -sc --argjson job "$1" \
        "map(.ranksT | select(.job_id == \$job)) | sort_by(.step_id, .node, .program) | $2"
}

# pid_of JOB TASK: of a task of step 0, as its node's journal has it
pid_of() {
    grep -hs "^task .*step=0 .*task=$2 " "$DIR"/run/n*/"$1".*/journal | grep -o ' pid=[0-9]*' | cut -d= -f2
}

all_run() { # JOB: its four ranks
    [[ $(grep -cs "of 4" "$DIR/out/$1") == 4 ]]
}

# start_ranks PROGRAM MPI: job of four ranks on two nodes that all run
start_ranks() {
    local job
    job=$(submit "srun -K1 --mpi=$2 $PROGRAMS/$1 100" -N2 --ntasks-per-node=2 --no-requeue)
    eventually 60 all_run "$job"
    echo "$job"
}

# shows_killed PROGRAM MPI: whose rank 2 is killed while it runs
shows_killed() {
    local job
    job=$(start_ranks "$1" "$2")
    kill -KILL "$(pid_of "$job" 2)"
    wait_job "$job"
    eventually 60 is_flushed "$job"
    [[ $(rows "$job" 'map([.step_id, .node, .step_tasks, .step_nodes, .node_tasks, .ranks, .unseen, .timed, .measured])') == \
        '[["0","n1",4,2,2,2,0,2,2],["0","n2",4,2,2,2,0,2,2]]' ]]
    [[ $(rows "$job" 'map([(.program | split("/")[-1]), .ended_zero, .ended_code, .ended_signal, .ended_unknown])') == \
        "[[\"$1\",0,0,2,0],[\"$1\",0,0,2,0]]" ]]
    [[ $(rows "$job" '[.[1].ends, .[1].failed_task, .[1].failed_end]') == '["0:9=1 0:15=1",2,"0:9"]' ]]
    [[ $(rows "$job" 'all(.[]; .elapsed_min <= .elapsed_mean and .elapsed_mean <= .elapsed_max and
        .cpu_min > 0 and .cpu_min <= .cpu_max and .memory_min > 1000000 and .memory_min <= .memory_max)') == true ]]
    [[ $(loaded_acct "$job" --ranks -nPo JobID,Exec,Ranks,NTasks,Unseen,Nodes,FirstFailed,FirstFailedTask,FirstFailedNode,Ends) == \
        "$job.0|$1|4|4|0|2 of 2|0:9|2|n2|0:15=3,0:9=1" ]]
    [[ $(loaded_acct "$job" --json | jq -c '.runs | map([.ranks.ranks, .ranks.failed_task])') == '[[4,2]]' ]]
}

@test "of four MPICH ranks on two nodes it is known which was killed" {
    shows_killed hello_mpich pmi2
}

# bats test_tags=needs:mpi_pmix
@test "of four ranks of Open MPI on two nodes it is known which was killed" {
    shows_killed hello_openmpi pmix
}

@test "ranks that a launcher's daemons have started are counted, without their numbers" {
    job=$(submit_and_wait "mpiexec.hydra $PROGRAMS/hello_mpich" -N2 --ntasks-per-node=2)
    eventually 60 is_flushed "$job"
    [[ $(loaded_acct "$job" --ranks -nPo Exec,Ranks,Nodes,Measured,MaxRSSTask,Ends) == "hello_mpich|4|2 of 2|4||0:0=4" ]]
}

@test "ranks of Open MPI's mpirun are counted, those of the batch script's node too" {
    job=$(submit_and_wait "$MPIRUN $PROGRAMS/hello_openmpi; $PROGRAMS/exit_with 0" -N2 -n4 --ntasks-per-node=2)
    eventually 60 is_flushed "$job"
    [[ $(rows "$job" 'map([.step_id, .node, (.program | split("/")[-1]), .ranks, .unseen, .measured, .ends])') == \
        '[["0","n2","hello_openmpi",2,0,2,"0:0=2"],["batch","n1","hello_openmpi",2,0,2,"0:0=2"]]' ]]
    [[ $(coverage_of "$job" .coverageT.witness_unexplained) == $'0\n0' ]]
    job=$(submit_and_wait "$MPIRUN -n 4 $PROGRAMS/hello_openmpi; $MPIRUN -n 1 $PROGRAMS/hello_openmpi" -N1 -n4)
    eventually 60 is_flushed "$job"
    [[ $(loaded_acct "$job" --ranks -nPo JobID,Exec,Ranks,Unseen,Nodes,Measured,Ends) == "$job.batch|hello_openmpi|4|0|1 of ?|4|0:0=4" ]]
    [[ $(loaded_acct "$job" --json | jq -c '[.runs[].ranks.ranks] | sort') == '[null,4]' ]]
}

@test "each program of a step has its ranks, below shells too, and what the rules leave out has none" {
    printf '#!/bin/sh\n%s 7\ntrue\n' "$PROGRAMS/_exit_with" >"$DIR/home/script"
    chmod 755 "$DIR/home/script"
    cat >"$DIR/multi" <<EOF
0-1 $PROGRAMS/exit_with 0
2 $DIR/home/script
3 $PROGRAMS/_exit_with 5
* /bin/sleep 0
EOF
    job=$(submit_and_wait "srun --multi-prog $DIR/multi; true" -N2 --ntasks-per-node=3)
    eventually 60 is_flushed "$job"
    [[ $(loaded_acct "$job" --ranks -nPo Exec,Ranks,NTasks,Unseen,Nodes,Ends) == \
        $'_exit_with|2|6|0|2 of 2|5:0=1,7:0=1\nexit_with|2|6|0|2 of 2|0:0=2' ]]
}

# witness_of NODE: its process
witness_of() {
    pgrep -f "jobtrail-submit witness .*$DIR/jobtrail.conf.*$1( |\$)"
}

@test "what is older than its witness is counted, and neither its program nor what it used is claimed" {
    job=$(start_ranks hello_mpich pmi2)
    kill -KILL "$(witness_of n1)"
    is_another() { [[ $(grep -c ^listen "$DIR"/run/n1/"$job".*/kernel) == 2 ]]; }
    eventually 60 is_another
    run_as root scancel "$job"
    wait_job "$job"
    eventually 60 is_flushed "$job"
    [[ $(loaded_acct "$job" --ranks -nPo Exec,Ranks,NTasks,Unseen,Nodes,Timed,Measured,Ends) == \
        $'|2|4|0|2 of 2|2|0|0:15=2\nhello_mpich|2|4|0|2 of 2|2|2|0:15=2' ]]
}

@test "of a node that dies nothing is told, and that is said" {
    job=$(start_ranks hello_mpich pmi2)
    "$CLUSTER" crash-node n2
    wait_job "$job" 180
    [[ $(loaded_acct "$job" --ranks -nPo Exec,Ranks,NTasks,Unseen,Nodes,Ends) == "hello_mpich|2|4|0|1 of 2|0:15=2" ]]
    "$CLUSTER" start-slurmd n2
    # The node's own witness may have told of its ranks before it died; or a second one, which the process watch had started at once
    # when the first was dead, and which did not know their program: that is a row of its own.
    is_told() { [[ $(loaded_acct "$job" --ranks -nPo Nodes | sort -u) == "2 of 2" ]]; }
    eventually 60 is_told
    [[ $(loaded_acct "$job" --ranks --json | jq -c '.ranks | (map(.ranks) | add) + .[0].unseen') == 4 ]]
}
