#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the site switches off, and what it lets users switch off.

load helper

setup_file() {
    start_cluster
}

teardown_file() {
    stop_cluster
}

configure() { # TEXT: a configuration that the next step sees, and srun, which compiles nothing
    write_jobtrail_conf "$1"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
}

# coverage JOB: its coverage facts, as "STEP OUTCOME TASKS", sorted
coverage() {
    find "$DIR/records" -name 'coverage.*.json' -exec cat {} + | jq -r --arg job "$1" \
        'select((.coverageT.job_id | tostring) == $job)
         | .coverageA[] | "\(.step_id) \(.outcome) \(.tasks)"' | sort
}

@test "without opt_out there is no option, and one that is forged is not heard" {
    configure ''
    [[ $(run_as "$JOB_USER" srun --help) != *--jobtrail* ]]
    run run_as "$JOB_USER" srun --jobtrail=no true
    [[ $status != 0 && $output == *"--jobtrail"* ]]
    job=$(submit_and_wait "_SLURM_SPANK_OPTION_jobtrail_jobtrail=no srun $PROGRAMS/exit_with 0")
    cat $DIR/out/$job >&2
    [[ $(record_count "$job" exit_with) == 1 ]]
}

@test "with opt_out srun, sbatch and salloc show the option, and refuse what is neither yes nor no" {
    configure $'[tracking]\nopt_out = yes'
    for program in srun sbatch salloc; do
        [[ $(run_as "$JOB_USER" "$program" --help) == *"--jobtrail=yes|no"* ]]
    done
    run run_as "$JOB_USER" srun --jobtrail=maybe true
    [[ $status != 0 && $output == *"write --jobtrail=yes or --jobtrail=no"* ]]
}

@test "a step that opted out has no record, and the job's other steps have theirs" {
    job=$(submit_and_wait "srun --jobtrail=no -n2 $PROGRAMS/exit_with 0; srun --jobtrail=yes $PROGRAMS/exit_with 0" -n2)
    cat $DIR/out/$job >&2
    coverage $job >&2
    [[ $(record_count "$job") == 1 ]]
    [[ $(field "$job" exit_with .slurmT.step_id) == 1 ]]
}

@test "a batch job that opted out has no record of its children, nor of its steps" {
    job=$(submit_and_wait "env | grep -E 'SPANK|JOBTRAIL'; $PROGRAMS/exit_with 0; srun $PROGRAMS/exit_with 0; srun --jobtrail=yes $PROGRAMS/spin 0" --jobtrail=no)
    cat $DIR/out/$job >&2
    coverage $job >&2
    records $job | jq -c '.[]|[.userT.exec_path,.slurmT.step_id]' >&2
    [[ $(record_count "$job") == 0 ]]
}
