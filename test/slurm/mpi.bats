#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# MPI programs: one record, of rank 0, with the number of ranks.

load helper

setup_file() {
    start_cluster
}

teardown_file() {
    stop_cluster
}

# one_run JOB PROGRAM RANKS NODES: one record of rank 0, and none of launchers
one_run() {
    [[ $(output_of "$1" | grep -c "of $3") == "$3" ]]
    [[ $(records "$1" | jq -c 'map(.userT.exec_path | split("/")[-1])') == "[\"$2\"]" ]]
    [[ $(field "$1" "$2" '.userDT | "\(.num_tasks) \(.num_nodes)"') == "$3 $4" ]]
    [[ $(field "$1" "$2" .slurmT.end_source) == fini ]]
}

@test "Open MPI under srun --mpi=pmix on two nodes" {
    job=$(submit_and_wait "srun --mpi=pmix $PROGRAMS/hello_openmpi" -N2 -n4)
    one_run "$job" hello_openmpi 4 2
}

@test "MPICH under srun --mpi=pmi2 on two nodes" {
    job=$(submit_and_wait "srun --mpi=pmi2 $PROGRAMS/hello_mpich" -N2 -n4)
    one_run "$job" hello_mpich 4 2
}

@test "Open MPI under mpirun on two nodes" {
    job=$(submit_and_wait "mpirun.openmpi $PROGRAMS/hello_openmpi" -N2 -n4)
    one_run "$job" hello_openmpi 4 2
}

@test "MPICH under mpiexec.hydra on two nodes" {
    job=$(submit_and_wait "mpiexec.hydra $PROGRAMS/hello_mpich" -N2 -n4)
    one_run "$job" hello_mpich 4 2
}

@test "an MPI program that is killed has its record" {
    job=$(submit "srun --mpi=pmi2 $PROGRAMS/hello_mpich 100" -N2 -n2)
    eventually 30 output_has "$job" "of 2"
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(field "$job" hello_mpich '.slurmT | "\(.end_source) \(.signal)"') == "task_exit 15" ]]
    [[ $(record_count "$job") == 1 ]]
}
