#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Numbers that add up: nodes with two threads a core, prologs on all nodes of a job at its start, and sampling.

load numbers

setup_file() {
    # what is over within two seconds is left out
    export SYSTEM_TOOLS=no PARTLY=salloc-on-two RULES=$'[sampling]\nenabled = yes\nscalar = 0 0.000000001\nscalar = 2 1\nmpi = 0 1'
    start_numbers NODES=3 NODE_CPUS=32 NODE_CONF="Sockets=1 CoresPerSocket=16 ThreadsPerCore=2" \
        EXTRA_CONF="PrologFlags=Alloc"
    write_programs
    on_threads
    on_nodes
    sampled
    load_cases
}

write_programs() {
    # run COMMAND...: and waits for it
    write_program run <<'PY'
#!/usr/bin/python3
import subprocess, sys
subprocess.run(sys.argv[1:])
PY
}

on_threads() {
    add_case one-task "srun $SPIN 3 sleep" -n1
    add_case two-tasks "srun -n2 $SPIN 3 sleep" -n2
    add_case no-multithread "srun --hint=nomultithread -n2 $SPIN 3 sleep" -n2 --hint=nomultithread
    add_case threads-of-one-core "srun -n2 --ntasks-per-core=2 $SPIN 3 sleep" -n2 --ntasks-per-core=2
    add_case odd-cpus "srun -c3 $SPIN 3 sleep" -c3
    add_case exact-on-threads "for i in 1 2; do srun --exact -n1 -c2 $SPIN 3 sleep & done; wait" -n2 -c2
    add_case one-thread-steps "for i in 1 2; do srun --exact -n1 -c1 --threads-per-core=1 $SPIN 3 sleep & done; wait" -n2 -c2
    add_case overlap-on-threads "srun --overlap -n1 $SPIN 3 sleep & srun --overlap -n1 $SPIN 3 sleep & wait" -n1
    add_case batch-beside-step "$SPIN 3 sleep & srun --exact -n1 -c2 $SPIN 3 sleep; wait" -n1 -c4
    add_case exclusive "srun -n1 $SPIN 3 sleep" -N1 -n1 --exclusive
    add_case exclusive-exact "srun --exact -n1 $SPIN 3 sleep" -N1 -n1 --exclusive
}

on_nodes() {
    add_case batch-on-two "$SPIN 3 sleep" -N2 -n2
    add_case one-node-of-two "srun -N1 -n1 $SPIN 3 sleep" -N2 -n2
    run_as "$JOB_USER" salloc -Q -N2 --job-name=salloc-on-two --account=salloc-on-two true
    touch "$DIR/cases/salloc-on-two"
    add_case cancelled-early "srun $SPIN 300 sleep" -N3 -n3
    eventually 60 is_captured cancelled-early "$SPIN"
    run_as root scancel "$(job_of cancelled-early)"
}

sampled() {
    add_case short-ones "for i in {1..10}; do $SPIN 0.2 sleep; done" -n2
    add_case short-tasks "srun -n4 $SPIN 0.5 sleep; sleep 1.1" -N2 -n4
    add_case short-in-a-step "srun -c2 bash -c '$SPIN 0.5 sleep & $SPIN 0.5 sleep & wait; $SPIN 3 sleep'" -n1 -c2
    add_case short-below-long "srun -c2 $PROGRAMS/run bash -c '$SPIN 0.5 sleep; $SPIN 3 sleep'" -n1 -c2
    add_case short-and-static "srun -c2 bash -c '$SPIN 0.5 sleep; $PROGRAMS/spin_static 1 sleep'" -n1 -c2
    add_case short-mpi "srun --mpi=pmi2 $PROGRAMS/hello_mpich" -N2 -n4
}

@test "programs + uncertain + unseen + idle = allocation = sacct's, for each job, node and day" {
    adds_up
}

@test "so do the reports' rows, by cluster, user, account and day" {
    reports_agree "$DIR"/reports/*
}

@test "a program has both threads of its cores, since Slurm allocated them" {
    holds one-task '.cpus == 2' 'about(.programs; 2 * seconds("spin"))'
    holds two-tasks 'near(.programs; .cpus * seconds("spin"); slack)'
    holds no-multithread '.programs >= 6 * least'
    holds threads-of-one-core 'near(.programs; .cpus * seconds("spin"); slack)'
    holds odd-cpus '.cpus == 4' '.programs >= 9 * least' '.programs + .idle + .unseen + .uncertain <= .allocation + slack'
    # a step takes all that it is not told to leave
    holds exclusive '.cpus == 32' '.programs >= 32 * 3 * least'
    holds exclusive-exact '.cpus == 32' 'about(.programs; 2 * seconds("spin"))' '.idle >= 30 * 3 - slack'
}

@test "steps on parts of the cores have theirs, and the batch script the others" {
    holds exact-on-threads '.programs >= 12 * least'
    holds one-thread-steps '.programs >= 6 * least' '.programs <= .allocation + slack'
    holds overlap-on-threads '.programs >= 6 * least' '.programs <= .allocation + slack'
    holds batch-beside-step '.programs >= 12 * least' '.steps["0"].programs >= 6 * least' '.steps.batch.programs >= 6 * least'
}

@test "nodes without a step are idle" {
    holds batch-on-two '.idle >= 6 - slack'
    holds one-node-of-two '.idle >= 6 - slack'
    holds salloc-on-two '.programs == 0'
    holds cancelled-early '.programs <= .allocation + slack'
}

@test "runs that sampling left out are programs, by their paths" {
    holds short-ones '.runs == []' '.programs >= 4 - lost(10)' '.by.spin >= 4 - lost(10)' '[rows("sampled")[].runs] | add == 10'
    holds short-tasks '.programs >= 4 * 0.5 * least' '.by.spin >= 2 * least'
    holds short-in-a-step '.by.spin >= 7 * least' 'runs("spin") | length == 1' '[rows("sampled")[].runs] | add == 2'
    holds short-below-long '.by.spin >= 7 * least'
    holds short-and-static '.by.spin >= 1 * least' '.unseen >= 2 - slack'
    holds short-mpi '.programs <= .allocation + slack'
}
