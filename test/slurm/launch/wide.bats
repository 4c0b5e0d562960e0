#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Many ranks on many nodes: still one record for each program of a step, written on one node.

load ../fixture/cluster

setup_file() {
    start_cluster NODES=4 NODE_CPUS=16
}

# one_of JOB PROGRAM RANKS NODES
one_of() {
    [[ $(records "$1" | jq -c --arg name "$2" 'map(select(.userT.exec_path | endswith("/" + $name))
        | [.userDT.num_tasks, .userDT.num_nodes, .slurmT.task_id, .slurmT.end_source])') == "[[$3,$4,0,\"fini\"]]" ]]
}

@test "64 tasks on four nodes are one run" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with" -N4 -n64)
    one_of "$job" exit_with 64 4
    [[ $(record_count "$job") == 1 ]]
}

@test "64 tasks of two programs on four nodes are two runs" {
    printf '0-39 %s/exit_with\n40-63 %s/say_hello\n' "$PROGRAMS" "$PROGRAMS" >"$DIR/out/two.conf"
    job=$(submit_and_wait "srun --multi-prog $DIR/out/two.conf" -N4 -n64)
    [[ $(records "$job" | jq -c 'map([(.userT.exec_path | split("/")[-1]), .slurmT.task_id]) | sort') == \
        '[["exit_with",0],["say_hello",40]]' ]]
}

@test "MPICH under srun --mpi=pmi2, 24 ranks on four nodes" {
    job=$(submit_and_wait "srun --mpi=pmi2 $PROGRAMS/hello_mpich" -N4 -n24)
    [[ $(output_of "$job" | grep -c "of 24") == 24 ]]
    one_of "$job" hello_mpich 24 4
    [[ $(record_count "$job") == 1 ]]
}

@test "Open MPI under mpirun, 16 ranks on four nodes" {
    job=$(submit_and_wait "$MPIRUN $PROGRAMS/hello_openmpi" -N4 -n16)
    [[ $(output_of "$job" | grep -c "of 16") == 16 ]]
    one_of "$job" hello_openmpi 16 4
    [[ $(record_count "$job") == 1 ]]
}
