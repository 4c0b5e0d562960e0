#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Steps that slurmstepd on the job's first node manages in place of the controller (sbatch --stepmgr).
# bats file_tags=needs:stepmgr,again

load ../fixture/cluster

setup_file() {
    start_cluster EXTRA_CONF=$'SlurmctldParameters=enable_stepmgr\nPrologFlags=Contain'
}

@test "the steps of a job with a step manager have a record each, and the job its coverage" {
    job=$(submit_and_wait "srun -n2 $PROGRAMS/exit_with 3; srun -n1 $PROGRAMS/spin 0" --stepmgr -N2 -n2)
    [[ $(run_as root scontrol show job "$job") == *StepMgrEnabled=Yes* ]]
    [[ $(field "$job" exit_with '.slurmT | "\(.step_id) \(.exit_code) \(.partition)"') == "0 3 main" ]]
    [[ $(field "$job" spin .slurmT.step_id) == 1 ]]
    [[ $(coverage "$job" n1) == $'0 recorded 1\n1 recorded 1\nbatch script 1' && $(coverage "$job" n2) == "0 follower 1" ]]
}

@test "a step of such a job that is killed has its signal" {
    job=$(submit "srun $PROGRAMS/exit_late 600000 started; true" --stepmgr -n1)
    eventually 30 output_has "$job" started
    run_as "$JOB_USER" scancel "$job"
    wait_job "$job"
    [[ $(field "$job" exit_late '.slurmT | "\(.end_source) \(.signal)"') == "task_exit 15" ]]
}
