#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# MPI programs: one record, of rank 0, with the number of ranks.
# bats file_tags=again

load ../fixture/cluster

# one_run JOB PROGRAM RANKS NODES: one record of rank 0, and none of launchers
one_run() {
    [[ $(output_of "$1" | grep -c "of $3") == "$3" ]] || {
        output_of "$1"
        return 1
    }
    [[ $(records "$1" | jq -c 'map(.userT.exec_path | split("/")[-1])') == "[\"$2\"]" ]]
    [[ $(field "$1" "$2" '.userDT | "\(.num_tasks) \(.num_nodes)"') == "$3 $4" ]]
    [[ $(field "$1" "$2" .slurmT.end_source) == fini ]]
}

# bats test_tags=needs:mpi_pmix
@test "Open MPI under srun --mpi=pmix on two nodes" {
    job=$(submit_and_wait "srun --mpi=pmix $PROGRAMS/hello_openmpi" -N2 -n4)
    one_run "$job" hello_openmpi 4 2
}

@test "MPICH under srun --mpi=pmi2 on two nodes" {
    job=$(submit_and_wait "srun --mpi=pmi2 $PROGRAMS/hello_mpich" -N2 -n4)
    one_run "$job" hello_mpich 4 2
}

@test "Open MPI under mpirun on two nodes" {
    job=$(submit_and_wait "$MPIRUN $PROGRAMS/hello_openmpi" -N2 -n4)
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
    [[ $(field "$job" hello_mpich '.slurmT | "\(.end_source) \(.signal)"') == task_e*" 15" ]] # releases differ in whether it has threads
    [[ $(record_count "$job") == 1 ]]
}

@test "one rank is one run, and so are eight" {
    job=$(submit_and_wait "srun --mpi=pmi2 -n1 $PROGRAMS/hello_mpich" -n1)
    one_run "$job" hello_mpich 1 1
    job=$(submit_and_wait "srun --mpi=pmi2 $PROGRAMS/hello_mpich" -N2 -n8)
    one_run "$job" hello_mpich 8 2
}

# Each rank believes to be alone; Slurm knows better.
@test "MPICH under srun --mpi=none is one run of all its tasks" {
    job=$(submit_and_wait "srun --mpi=none $PROGRAMS/hello_mpich" -N2 -n4)
    [[ $(output_of "$job" | grep -c "of 1") == 4 ]]
    [[ $(field "$job" hello_mpich '.userDT | "\(.num_tasks) \(.num_nodes)"') == "4 2" ]]
}

@test "several steps of one MPI program are several runs" {
    job=$(submit_and_wait "for i in 1 2 3; do srun --mpi=pmi2 $PROGRAMS/hello_mpich; done" -N2 -n4)
    [[ $(records "$job" | jq -c 'map(.slurmT.step_id) | sort') == '["0","1","2"]' ]]
}
