#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Numbers that add up: ranks, several programs and several nodes.

load numbers

setup_file() {
    export SYSTEM_TOOLS=no PARTLY="batch-on-two salloc-on-two salloc-true-on-two" RULES=$'[partitions]\nskip = oth.*'
    start_numbers NODES=4 NODE_CPUS=16
    write_programs
    mpi
    several_programs
    several_nodes
    load_cases
}

write_programs() {
    cp "$SPIN" "$PROGRAMS/first"
    cp "$SPIN" "$PROGRAMS/other"
    # by_rank SECONDS PROGRAM SECONDS-OF-OTHERS PROGRAM: rank 0 runs the first, the others run the second
    write_program by_rank <<'SH'
#!/bin/bash
if ((SLURM_PROCID == 0)); then exec "$2" "$1" sleep; else exec "$4" "$3" sleep; fi
SH
    # ends SECONDS SECONDS-OF-OTHERS: the same program, which ends at another time in rank 0
    cat >"$PROGRAMS/ends.py" <<'PY'
import os, sys, time
time.sleep(float(sys.argv[1 if os.environ["SLURM_PROCID"] == "0" else 2]))
PY
    write_program below_by_rank <<'SH'
#!/bin/bash
if ((SLURM_PROCID == 0)); then "$2" "$1" sleep; else "$4" "$3" sleep; fi
true
SH
    write_program mpi_spawn <<'PY'
#!/usr/bin/python3
import sys, time
from mpi4py import MPI
if len(sys.argv) > 1:
    MPI.Comm.Get_parent().Disconnect()
    time.sleep(1)
else:
    MPI.COMM_SELF.Spawn(sys.executable, [__file__, "child"], maxprocs=2).Disconnect()
    time.sleep(1)
PY
}

mpi() {
    add_case srun-mpich "srun --mpi=pmi2 $PROGRAMS/hello_mpich 2" -N2 -n4
    ! "$JOBTRAIL_SOURCE/test/systems/can" mpi_pmix || add_case srun-openmpi "srun --mpi=pmix $PROGRAMS/hello_openmpi 2" -N2 -n4
    add_case mpirun "$MPIRUN $PROGRAMS/hello_openmpi 2" -N2 -n4
    add_case mpirun-one-node "$MPIRUN -n 4 $PROGRAMS/hello_openmpi 2" -N1 -n4
    add_case hydra "mpiexec.hydra $PROGRAMS/hello_mpich 2" -N2 -n4
    cp "$PROGRAMS/hello_openmpi" "$PROGRAMS/hello_other"
    ! "$JOBTRAIL_SOURCE/test/systems/can" openmpi_mpmd ||
        add_case mpmd "$MPIRUN -n 2 $PROGRAMS/hello_openmpi 2 : -n 2 $PROGRAMS/hello_other 2" -N2 -n4
    add_case mpi-spawn "$MPIRUN -n 1 $PROGRAMS/mpi_spawn" -N1 -n4
    add_case wide "srun -n32 $SPIN 1 sleep" -N4 -n32
}

several_programs() {
    printf '0-1 %s 2 sleep\n2-5 %s 2 sleep\n' "$PROGRAMS/first" "$PROGRAMS/other" >"$DIR/out/multi"
    add_case multi-prog "srun --multi-prog $DIR/out/multi" -N1 -n6
    add_case multi-prog-two-nodes "srun --multi-prog $DIR/out/multi" -N2 -n6
    add_case het-job "srun $PROGRAMS/first 2 sleep : $PROGRAMS/other 2 sleep" -n2 : -n3
    add_case early-rank-0 "srun python3 $PROGRAMS/ends.py 0.2 2" -N1 -n4
    add_case early-rank-0-two-nodes "srun python3 $PROGRAMS/ends.py 0.2 2" -N2 -n4
    add_case late-rank-0 "srun python3 $PROGRAMS/ends.py 2 0.2" -N2 -n4
    add_case others-run-another "srun $PROGRAMS/by_rank 2 $PROGRAMS/first 2 $PROGRAMS/other" -N1 -n4
    add_case others-below-a-shell "srun $PROGRAMS/below_by_rank 2 $PROGRAMS/first 2 $PROGRAMS/other" -N1 -n4
    add_case rank-fails "srun -n4 --kill-on-bad-exit=1 bash -c '((SLURM_PROCID == 2)) && exec $PROGRAMS/kill_self 11; exec $SPIN 30 sleep'" -n4
    add_case static-ranks "srun $PROGRAMS/spin_static 1 sleep" -N2 -n4
    add_case static-and-dynamic "srun bash -c '((SLURM_PROCID == 0)) && exec $PROGRAMS/spin_static 1 sleep; exec $SPIN 1 sleep'" -n2
}

several_nodes() {
    add_case batch-on-two "$SPIN 2 sleep" -N2 -n2
    add_case salloc-on-two "$SPIN 1 sleep; srun -N1 -n1 -w \${SLURM_JOB_NODELIST/*/n1} true; true" -N2 -w n1,n2
    add_case node-joins-late "$SPIN 1 sleep; srun -N2 -n2 $SPIN 1 sleep" -N2 -n2
    add_case steps-on-each "srun -N1 -n1 -w n3 $SPIN 2 sleep & srun -N1 -n1 -w n4 $SPIN 2 sleep & wait" -N2 -n2 -w n3,n4
    add_case exclusive "srun -n1 $SPIN 2 sleep" -N1 -n1 --exclusive
    add_case exclusive-two "srun -N2 -n2 $SPIN 1 sleep" -N2 --exclusive
    add_case uneven-nodes "srun -n5 $SPIN 1 sleep" -N2 -n5
    add_case step-on-the-second "srun -N1 -n1 -w n2 $SPIN 3 sleep" -N2 -n5 -w n1,n2
    add_case excluded-partition "srun $SPIN 2 sleep; $SPIN 1 sleep" -N2 -n2 --partition=other
    run_as "$JOB_USER" salloc -Q -N2 --job-name=salloc-true-on-two --account=salloc-true-on-two true
    touch "$DIR/cases/salloc-true-on-two"
}

@test "programs + uncertain + unseen + idle = allocation = sacct's, for each job, node and day" {
    adds_up
}

@test "so do the reports' rows, by cluster, user, account and day" {
    reports_agree "$DIR"/reports/*
}

# Each rank sleeps for as long as told. On a busy machine it may live longer than the one that records: how long
# the ranks lived together is not known from that one.
@test "MPI programs under srun have the time of all their ranks" {
    holds srun-mpich 'tasks_of("hello_mpich") == 4' '.programs >= 8 * least' '.programs <= .allocation + slack'
    holds wide 'tasks_of("spin") == 32' '.programs >= 32 * least' '.programs <= .allocation + slack'
    holds uneven-nodes 'tasks_of("spin") == 5' '.programs >= 5 * least' '.programs <= .allocation + slack'
}

# bats test_tags=needs:mpi_pmix
@test "so has Open MPI's" {
    holds srun-openmpi 'tasks_of("hello_openmpi") == 4' '.programs >= 8 * least' '.programs <= .allocation + slack'
}

@test "MPI programs under mpirun have the time of all their ranks, with daemons on other nodes" {
    holds mpirun '.programs >= 8 * least' '.programs <= .allocation + slack'
    holds mpirun-one-node '.programs >= 8 * least' 'near(.programs; 4 * seconds("hello_openmpi"); slack)'
    holds hydra '.programs >= 8 * least' '.programs <= .allocation + slack'
    holds mpi-spawn '.programs >= 4 * least' '.programs <= .allocation + slack'
}

@test "each program of a step of several has the time of its own ranks" {
    for name in multi-prog multi-prog-two-nodes; do
        holds "$name" 'tasks_of("first") == 2' 'tasks_of("other") == 4' \
            '.by.first >= 4 * least' '.by.other >= 8 * least' '.programs <= .allocation + slack'
    done
    [[ $(numbers het-job | wc -l) == 2 ]]
    holds het-job '.programs >= 4 * least' '.programs <= .allocation + slack' '.by | length == 1'
}

# bats test_tags=needs:openmpi_mpmd
@test "each program of an mpirun of several has the time of its own ranks" {
    holds mpmd '.programs >= 8 * least' '.programs <= .allocation + slack' '.by.hello_openmpi >= 3 * least' '.by.hello_other >= 3 * least'
}

@test "where rank 0 ends early or late, each rank has its own time" {
    holds early-rank-0 '.programs >= 6 * least' '.by["'"$PYTHON"'"] >= 6 * least'
    holds early-rank-0-two-nodes '.programs >= 6 * least' '.by["'"$PYTHON"'"] >= 6 * least'
    holds late-rank-0 '.programs >= 2 * least'
    holds rank-fails '.programs <= .allocation + slack'
}

@test "where each rank may run another program, rank 0 stands for itself" {
    holds others-run-another '.by.first <= .allocation / 4 + 1' '.outcomes.assumed >= 6 - slack'
    holds others-below-a-shell '.by.first <= .allocation / 4 + 1' '.programs + .unseen + .uncertain >= 8'
    holds static-ranks '.programs >= 4 * least' '.by.spin_static >= 4 * least'
    holds static-and-dynamic '.programs <= .allocation + slack'
}

@test "the nodes of a job on which no step runs are idle, or no node tells of them" {
    holds batch-on-two '.idle + .outcomes.no_record >= 2 - slack' 'about(.programs; seconds("spin"))'
    holds salloc-on-two '.programs >= 1 * least'
    # no node tells of it, unless slurmd saw that it was over
    holds salloc-true-on-two '.programs == 0' 'near(.unseen + .idle; .allocation; 0.01)'
    holds node-joins-late '.programs >= 3 * least' '.idle + .unseen >= 1 - 0.2'
    holds steps-on-each '.programs >= 4 * least'
}

@test "nodes of which a job has different shares have their own, also where a step comes to one of them alone" {
    holds step-on-the-second '.cpus == 5' '[.nodes[].cpus] | length == 2 and add == 5' \
        'near(.programs; .nodes.n2.cpus * seconds("spin"); slack)' '.nodes.n2.cpus * 3 * least <= .programs'
}

@test "of a node that a job has for itself, what its step does not hold is idle" {
    holds exclusive '.cpus == 16' '.programs >= 2 * least' '.programs + .idle >= .allocation - slack'
    holds exclusive-two '.cpus == 32' '.programs + .idle + .unseen >= .allocation - slack'
}

@test "a job of a partition that is left out has no programs, and all its time is said to be that" {
    holds excluded-partition '.programs == 0' '.outcomes.excluded >= 5 - slack'
}

@test "jobtrail-acct divides the same allocation, and its runs have no more than programs" {
    acct_agrees multi-prog multi-prog-two-nodes early-rank-0-two-nodes batch-on-two exclusive-two excluded-partition \
        others-below-a-shell salloc-true-on-two
}
