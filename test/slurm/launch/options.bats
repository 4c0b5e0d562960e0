#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the site switches off, and what it lets users switch off.
# bats file_tags=again

load ../fixture/cluster

# ---- the site

@test "a job of a partition that is skipped leaves no run record, and says how much it was" {
    configure $'[partitions]\nskip = oth.*'
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0" --partition=other)
    [[ $(record_count "$job") == 0 ]]
    [[ $(coverage "$job") == $'0 excluded 1\nbatch excluded 1' ]]
    [[ $(coverage_of "$job" '.coverageA | map(.program) | unique | tostring') == '[null]' ]]
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0" --partition=main)
    [[ $(record_count "$job") == 1 ]]
}

@test "a job of an account that is skipped leaves no run record, whatever its environment says" {
    configure $'[accounts]\nskip = secret'
    job=$(submit_and_wait "export SLURM_JOB_ACCOUNT=physics SLURM_JOB_PARTITION=main
        srun $PROGRAMS/exit_with 0" --account=secret)
    [[ $(record_count "$job") == 0 ]]
    [[ $(coverage "$job") == $'0 excluded 1\nbatch excluded 1' ]]
    job=$(submit_and_wait "SLURM_JOB_ACCOUNT=secret srun $PROGRAMS/exit_with 0" --account=physics)
    [[ $(record_count "$job") == 1 ]]
}

@test "a record has job and threads where the site keeps no variable" {
    configure $'[environment]\nskip = .*'
    job=$(submit_and_wait "OMP_NUM_THREADS=5,2 PBS_JOBID=1.other srun $PROGRAMS/exit_with 0" --account=physics)
    [[ $(field "$job" exit_with '[.userT.scheduler, .userT.job_id, .userT.queue, .userT.account, .userDT.num_threads, .envT] | tojson') == \
        "[\"SLURM\",\"$job\",\"main\",\"physics\",5,{}]" ]]
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0")
    [[ $(field "$job" exit_with '.userDT.num_threads') == 1 ]]
}

@test "where an account may be skipped a large run has no start record" {
    configure $'[sampling]\nalways_ranks = 2\n[accounts]\nskip = secret'
    job=$(submit_and_wait "srun --mpi=pmi2 $PROGRAMS/hello_mpich 3" -n2 --account=secret)
    [[ $(record_count "$job") == 0 ]]
}

@test "with programs = mpi only MPI programs are recorded, with scalar only the others" {
    configure $'[tracking]\nprograms = mpi'
    script="srun -n1 $PROGRAMS/exit_with 0; srun -n2 $PROGRAMS/spin 0"
    job=$(submit_and_wait "$script" -n2)
    [[ $(record_count "$job") == 1 && $(record_count "$job" spin) == 1 ]]
    [[ $(coverage "$job") == $'0 policy 1\n1 recorded 2\nbatch script 1' ]]
    configure $'[tracking]\nprograms = scalar'
    job=$(submit_and_wait "$script" -n2)
    [[ $(record_count "$job") == 1 && $(record_count "$job" exit_with) == 1 ]]
    [[ $(coverage "$job") == $'0 recorded 1\n1 follower 1\n1 policy 1\nbatch script 1' ]]
}

@test "srun says that no profile is kept, or that jobtrail is built without profiles, and goes on" {
    local why="no profile will be kept: this site has set no directory for them"
    [[ -e $STAGE/lib/libjobtrail-profile.so ]] || why="no profile will be made: this jobtrail is built without profiles"
    configure $'[profile]\nsteps = asked'
    job=$(submit_and_wait "srun --jobtrail-profile $PROGRAMS/exit_with 0")
    [[ $(output_of "$job") == *"jobtrail: $why"* ]]
    [[ $(record_count "$job") == 1 ]]
    [[ $why == *directory* || $(output_of "$(submit_and_wait "JOBTRAIL_PROFILE=light srun $PROGRAMS/exit_with 0")") == *"jobtrail: $why"* ]]
}

@test "with enabled = no a job's environment is untouched, and it leaves nothing in the spool" {
    configure $'[tracking]\nenabled = no'
    job=$(submit_and_wait "env; srun $PROGRAMS/exit_with 0; srun env" -w n1)
    [[ $(output_of "$job") != *libjobtrail* && $(output_of "$job") != *JOBTRAIL_* ]]
    [[ $(record_count "$job") == 0 && $(coverage "$job") == "" ]]
    [[ -z $(find "$DIR/run/n1" -mindepth 1 -maxdepth 1 -type d) ]]
    run slurm_complaints
    [[ $output != *"not noted"* ]]
}

@test "what runs when the site switches jobtrail off is recorded to its end" {
    configure ''
    mkfifo -m 666 "$DIR/out/off"
    job=$(submit "srun bash -c 'echo started; exec $PROGRAMS/spin 3 sleep'; read -r _ <$DIR/out/off; srun $PROGRAMS/exit_with 0")
    eventually 30 output_has "$job" started
    configure $'[tracking]\nenabled = no'
    echo >"$DIR/out/off"
    wait_job "$job"
    [[ $(field "$job" spin '.slurmT | "\(.end_source) \(.exit_code)"') == "fini 0" ]]
    [[ $(record_count "$job") == 1 ]]
    [[ $(coverage "$job") == $'0 recorded 1\nbatch script 1' ]]
}

@test "an upgrade into another prefix while a job runs loses nothing of it" {
    configure ''
    mkfifo -m 666 "$DIR/out/next"
    job=$(submit "srun bash -c 'echo started; exec $PROGRAMS/spin 3 sleep'
        read -r _ <$DIR/out/next; $PROGRAMS/exit_with 0; srun $PROGRAMS/spin 0; srun bash -c 'echo preload=\$LD_PRELOAD'")
    eventually 30 output_has "$job" started
    cp -R "$STAGE" "$DIR/next"
    sed -i "s|$STAGE/|$DIR/next/|" "$DIR/jobtrail.conf" "$CLUSTER_DIR/etc/plugstack.conf"
    "$DIR/next/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    echo >"$DIR/out/next"
    wait_job "$job"
    sed -i "s|$DIR/next/|$STAGE/|" "$CLUSTER_DIR/etc/plugstack.conf"
    [[ $(output_of "$job") == *"preload=$DIR/next/"* ]]
    [[ $(record_count "$job" spin) == 2 && $(record_count "$job" exit_with) == 1 ]]
    [[ $(coverage "$job") == $'0 recorded 1\n1 recorded 1\n2 script 1\nbatch script 1' ]]
}

@test "out of plugstack.conf jobs end as ever, and what ran before is flushed by hand" {
    mkfifo -m 666 "$DIR/out/without"
    job=$(submit "srun bash -c 'echo started; exec $PROGRAMS/spin 3 sleep'; read -r _ <$DIR/out/without; srun env" -w n1)
    eventually 30 output_has "$job" started
    sed -i 's/^optional/#&/' "$CLUSTER_DIR/etc/plugstack.conf"
    echo >"$DIR/out/without"
    wait_job "$job"
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" wait-idle
    next=$(submit_and_wait "env" -w n1)
    sed -i 's/^#//' "$CLUSTER_DIR/etc/plugstack.conf"
    "$CLUSTER" restart-slurmd n1
    [[ $(output_of "$next") != *libjobtrail* ]]
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" flush --all --conf "$DIR/jobtrail.conf" --node n1
    # env has the library from the batch script's environment
    [[ $(record_count "$job") == 2 && $(record_count "$job" env) == 1 ]]
    [[ $(field "$job" spin '.slurmT | "\(.end_source) \(.exit_code)"') == "fini 0" ]]
}

# ---- users

@test "without opt_out there is no option, and one that is forged is not heard" {
    configure ''
    [[ $(run_as "$JOB_USER" srun --help) != *--jobtrail* ]]
    run run_as "$JOB_USER" srun --jobtrail=no true
    [[ $status != 0 && $output == *"--jobtrail"* ]]
    job=$(submit_and_wait "_SLURM_SPANK_OPTION_jobtrail_jobtrail=no srun $PROGRAMS/exit_with 0")
    [[ $(record_count "$job" exit_with) == 1 ]]
    [[ $(coverage "$job") == $'0 recorded 1\nbatch script 1' ]]
}

# bats test_tags=needs:profile
@test "without opt_out --jobtrail=no is refused where steps can have profiles, and is no beginning of that option" {
    configure $'[profile]\nsteps = asked'
    run run_as "$JOB_USER" srun --jobtrail=no true
    [[ $status != 0 && $output == *"this site does not let users leave steps out"* ]]
    job=$(submit_and_wait "_SLURM_SPANK_OPTION_jobtrail_jobtrail=no srun $PROGRAMS/exit_with 0")
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

@test "a step that opted out has no run record, is told as such, and others have theirs" {
    job=$(submit_and_wait "srun --jobtrail=no -n2 $PROGRAMS/exit_with 0
        srun -n1 --jobtrail=yes $PROGRAMS/exit_with 0; srun -n1 --jobtrail=no env" -n2)
    [[ $(record_count "$job") == 1 ]]
    [[ $(field "$job" exit_with .slurmT.step_id) == 1 ]]
    [[ $(coverage "$job") == $'0 opted_out 2\n1 recorded 1\n2 opted_out 1\nbatch script 1' ]]
    [[ $(coverage_of "$job" '.coverageA[] | select(.outcome == "opted_out") | .program' | sort -u) == null ]]
    [[ $(output_of "$job") != *libjobtrail* ]]
}

@test "a batch job that opted out takes its steps along, but for those that say otherwise" {
    job=$(submit_and_wait "$PROGRAMS/exit_with 0; srun $PROGRAMS/exit_with 0
        srun --jobtrail=yes $PROGRAMS/spin 0" --jobtrail=no)
    [[ $(record_count "$job") == 1 && $(record_count "$job" spin) == 1 ]]
    [[ $(coverage "$job") == $'0 opted_out 1\n1 recorded 1\nbatch opted_out 1' ]]
}

@test "a batch job that opted out with another environment than sbatch's is opted out" {
    local variables
    for variables in NONE NIL FOO=1; do
        job=$(submit_and_wait "$PROGRAMS/exit_with 0; srun $PROGRAMS/exit_with 0" --jobtrail=no --export="$variables")
        [[ $(record_count "$job") == 0 && $(coverage "$job") == $'0 opted_out 1\nbatch opted_out 1' ]]
    done
    # who may not opt out is not heard
    configure ""
    job=$(SPANK_JOBTRAIL_OPTED_OUT=1 submit_and_wait "$PROGRAMS/exit_with 0")
    configure $'[tracking]\nopt_out = yes'
    [[ $(record_count "$job" exit_with) == 1 ]]
}

@test "salloc --jobtrail=no takes its steps along" {
    run_as "$JOB_USER" salloc --jobtrail=no srun "$PROGRAMS/exit_with" 0 2>"$DIR/out/salloc"
    job=$(sed -n 's/.*Granted job allocation //p' "$DIR/out/salloc")
    eventually 30 covered "$job"
    [[ $(coverage "$job") == "0 opted_out 1" ]]
    [[ $(record_count "$job") == 0 ]]
}

# module_load PROGRAM ARGUMENT...: the lines of a script that, as a fresh login shell does, loads the modulefile
# and runs a program
module_load() {
    echo "eval \"\$(env MODULEPATH=$DIR/modulefiles /usr/lib/x86_64-linux-gnu/modulecmd.tcl bash load jobtrail)\"; $*"
}

# session_runs: the arguments of each program that was recorded in a session
session_runs() {
    "$STAGE/bin/jobtrail-submit" flush --sessions --conf "$DIR/jobtrail.conf" --node n1 >/dev/null
    find "$DIR/records" -type f -name 'run.*.json' -exec cat {} + |
        jq -r 'select(.slurmT.job_id == null) | .cmdlineA | if length > 2 then .[2] else empty end' | sort | xargs
}

@test "a job that opted out stays so in login shells that record sessions, and salloc's shell has its session" {
    configure $'[tracking]\nopt_out = yes'
    sed -i "s|^dir = .*/run/%n$|&\nsessions = $DIR/sessions|" "$DIR/jobtrail.conf"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    mkdir -p "$DIR/modulefiles"
    sed "s|exec [^ ]*/jobtrail-submit session|exec $STAGE/bin/jobtrail-submit session --conf $DIR/jobtrail.conf|" \
        "$STAGE/share/jobtrail/modulefiles/jobtrail" >"$DIR/modulefiles/jobtrail"
    [[ $(session_runs) == "" ]] # which makes the directory
    fresh="setsid --wait env -i PATH=\$PATH SLURM_JOB_ID=\$SLURM_JOB_ID SLURMD_NODENAME=\$SLURMD_NODENAME bash -c"
    job=$(submit_and_wait "setsid --wait bash -c '$(module_load "$PROGRAMS/exit_with" 0 same)'
        $fresh '$(module_load "$PROGRAMS/exit_with" 0 clean)'
        srun $fresh '$(module_load "$PROGRAMS/exit_with" 0 step)'" --jobtrail=no)
    [[ $(record_count "$job") == 0 ]]
    [[ $(session_runs) == "" ]]
    run_as "$JOB_USER" salloc -Q --jobtrail=no bash -c "$(module_load "$PROGRAMS/exit_with" 0 login)"
    run_as "$JOB_USER" salloc -Q bash -c "$(module_load "$PROGRAMS/exit_with" 0 login)"
    [[ $(session_runs) == "login login" ]]
}
