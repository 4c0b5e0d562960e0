#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Steps that others start or supervise: external launchers (srun --external-launcher, as mpirun and hydra
# start their daemons in jobs of Slurm 23.11 or later), and srun --async (26.05).
# bats file_tags=again

load ../fixture/cluster

setup_file() {
    start_cluster EXTRA_CONF=$'PrologFlags=Contain\nSlurmctldParameters=enable_stepmgr'
}

# runs JOB: "NAME STEP END CODE" of each run, sorted
runs() {
    records "$1" | jq -r '.[] | "\(.userT.exec_path | split("/")[-1]) \(.slurmT | "\(.step_id) \(.end_source) \(.exit_code)")"' | sort
}

# bats test_tags=needs:external_launcher
@test "a step for an external launcher has a record, and a step beside it has its own" {
    job=$(submit_and_wait "srun --external-launcher -N2 -n2 --ntasks-per-node=1 bash -c '$PROGRAMS/spin 0; exec $PROGRAMS/_exit_with 3' &
        srun -n1 $PROGRAMS/_exit_with 4; wait" -N2 -n2 --overcommit)
    [[ $(runs "$job" | grep -c ' 3$') == 1 && $(runs "$job" | grep -c ' 4$') == 1 ]]
    [[ $(records "$job" | jq 'map(select(.slurmT.exit_code == 3).userDT.num_tasks) | add') == 2 ]]
}

# bats test_tags=needs:external_launcher
@test "Slurm has mpirun and hydra start their daemons so, and their programs are one run each" {
    job=$(submit_and_wait "env | grep -c '_MCA_plm_slurm_args=.*--external-launcher\|HYDRA_LAUNCHER_EXTRA_ARGS=.*--external-launcher'
        $MPIRUN $PROGRAMS/hello_openmpi; mpiexec.hydra $PROGRAMS/hello_mpich" -N2 -n4)
    (($(head -n 1 "$DIR/out/$job") >= 2))
    [[ $(output_of "$job" | grep -c "of 4") == 8 ]]
    for program in hello_openmpi hello_mpich; do
        [[ $(field "$job" "$program" '.userDT | "\(.num_tasks) \(.num_nodes)"') == "4 2" ]]
    done
}

# bats test_tags=needs:srun_async
@test "asynchronous steps have a record each, and those that wait for a place too" {
    job=$(submit_and_wait "cd $DIR/out; for code in 1 2 3; do srun --async --exact -n1 -c1 $PROGRAMS/_exit_with \$code; done; swait" -n1 -c1)
    [[ $(runs "$job" | grep -v ^swait) == "_exit_with 0 task_exit 1
_exit_with 1 task_exit 2
_exit_with 2 task_exit 3" ]]
    [[ $(coverage "$job") == *$'0 recorded 1\n1 recorded 1\n2 recorded 1'* ]]
}
