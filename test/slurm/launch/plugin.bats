#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# How work is launched, and what the plugin does to it.
# bats file_tags=again

load ../fixture/cluster

@test "a job's record tells what Slurm vouches for" {
    job=$(submit_and_wait "srun --ntasks=2 --nodes=2 $PROGRAMS/exit_with 0" --nodes=2 --account=physics)
    [[ $(record_count "$job") == 1 ]]
    [[ $(field "$job" exit_with '.slurmT | "\(.cluster) \(.step_id) \(.node) \(.node_id) \(.task_id) \(.partition) \(.restart_count) \(.cpus_alloc) \(.uid)"') == "lab 0 n1 0 0 main 0 2 $(id -u "$JOB_USER")" ]]
    [[ $(field "$job" exit_with '.userT | "\(.user) \(.account) \(.queue) \(.job_id) \(.syshost) \(.scheduler)"') == "$JOB_USER physics main $job lab SLURM" ]]
    [[ $(field "$job" exit_with '.userDT | "\(.num_tasks) \(.num_nodes)"') == "2 2" ]]
}

@test "a record has every key of XALT's run table and of slurmT" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0")
    wanted='["crc","cmdlineA","hash_id","libA","ptA","envT","userT","userDT","xaltLinkT","XALT_measureT","XALT_qaT","slurmT"]'
    [[ $(records "$job" | jq --argjson wanted "$wanted" '$wanted - (.[0] | keys)') == '[]' ]]
    wanted='["account","currentEpoch","cwd","execModify","exec_path","exec_type","job_id","queue","run_uuid","scheduler","start_date","submit_host","syshost","user"]'
    [[ $(records "$job" | jq --argjson wanted "$wanted" '$wanted - (.[0].userT | keys)') == '[]' ]]
    wanted='["start_time","end_time","run_time","exec_epoch","num_cores","num_gpus","num_nodes","num_tasks","num_threads","probability"]'
    [[ $(records "$job" | jq --argjson wanted "$wanted" '$wanted - (.[0].userDT | keys)') == '[]' ]]
    wanted='["cluster","job_id","step_id","array_job_id","array_task_id","het_job_id","het_offset","restart_count","node","uid","node_id","task_id","exit_code","signal","core_dumped","end_source","end_time_error","end_time_min","end_time_max","cpus_alloc","gpus_alloc","partition","qos","dropped"]'
    [[ $(records "$job" | jq --argjson wanted "$wanted" '$wanted - (.[0].slurmT | keys)') == '[]' ]]
}

@test "a record tells executable, hash, libraries, arguments, directory, environment and parents" {
    job=$(submit_and_wait "cd $DIR; export OMP_NUM_THREADS=3; srun $PROGRAMS/exit_with 0 'two words' é")
    [[ $(field "$job" exit_with .userT.exec_path) == "$PROGRAMS/exit_with" ]]
    [[ $(field "$job" exit_with .hash_id) == "$(sha1sum <"$PROGRAMS/exit_with" | cut -d' ' -f1)" ]]
    [[ $(field "$job" exit_with '.libA | map(.[0]) | map(select(endswith("libc.so.6"))) | length') == 1 ]]
    [[ $(field "$job" exit_with '.cmdlineA | length') == 4 ]]
    [[ $(field "$job" exit_with '.cmdlineA[2:] | join("|")') == "two words|é" ]]
    [[ $(field "$job" exit_with .userT.cwd) == "$DIR" ]]
    [[ $(field "$job" exit_with .envT.OMP_NUM_THREADS) == 3 ]]
    [[ $(field "$job" exit_with .userDT.num_threads) == 3 ]]
    [[ $(field "$job" exit_with '.ptA[0].cmd_name') == slurmstepd ]]
}

@test "arguments that are no UTF-8 survive in a reversible form" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0 \$'a\\xffb'")
    [[ $(field "$job" exit_with '.cmdlineA[2] | explode | map(tostring) | join(" ")') == "97 61439 98" ]]
}

@test "the library comes before what the user preloads, which stays" {
    libm=$(ldconfig -p | awk '/libm\.so\.6 .*x86-64/ { print $NF; exit }')
    job=$(submit_and_wait "export LD_PRELOAD=$libm:\$LD_PRELOAD; srun bash -c 'echo preload=\$LD_PRELOAD'")
    [[ $(output_of "$job") == *"preload=$STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so:$libm" ]]
    job=$(submit_and_wait "export LD_PRELOAD=$libm; srun bash -c 'echo preload=\$LD_PRELOAD'")
    [[ $(output_of "$job") == *"preload=$STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so:$libm" ]]
    job=$(submit_and_wait "srun --export=ALL,LD_PRELOAD=$libm bash -c 'echo preload=\$LD_PRELOAD'")
    [[ $(output_of "$job") == *"preload=$STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so:$libm" ]]
}

@test "srun inside a preloaded batch script injects the library once" {
    job=$(submit_and_wait "srun bash -c 'echo preload=\$LD_PRELOAD'")
    [[ $(output_of "$job") == *"preload=$STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so" ]]
}

@test "a step with --export=NONE is recorded" {
    job=$(submit_and_wait "srun --export=NONE $PROGRAMS/exit_with 0")
    [[ $(record_count "$job" exit_with) == 1 ]]
}

@test "a batch job with --export=NONE is recorded" {
    job=$(submit_and_wait "$PROGRAMS/exit_with 0" --export=NONE)
    [[ $(record_count "$job" exit_with) == 1 ]]
}

@test "shells and launchers are left out by policy" {
    job=$(submit_and_wait "srun bash -c 'exit 0'; sh -c 'exit 0'")
    [[ $(record_count "$job") == 0 ]]
}

@test "the job of root is recorded too" {
    job=$(SUBMIT_AS=root submit_and_wait "srun $PROGRAMS/exit_with 0")
    [[ $(field "$job" exit_with .userT.user) == root ]]
}

@test "a path that a rule skips is not recorded, and the policy is seen by the next job" {
    write_jobtrail_conf $'[paths]\nskip = .*/exit_with\n'
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0; srun $PROGRAMS/spin 0.1")
    [[ $(record_count "$job" exit_with) == 0 ]]
    [[ $(record_count "$job" spin) == 1 ]]
    write_jobtrail_conf ''
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0")
    [[ $(record_count "$job" exit_with) == 1 ]]
}

@test "a bad configuration stops no job, is named in the log, and the old policy stays" {
    write_jobtrail_conf $'[paths]\nskip = .*/(oops\n'
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0 && echo all is well")
    write_jobtrail_conf ''
    [[ $(output_of "$job") == *"all is well"* ]]
    grep -q "jobtrail: $DIR/jobtrail.conf not compiled: .*jobtrail.conf:[0-9]*:[0-9]*: " "$CLUSTER_DIR"/log/slurmd.n1.log
    [[ $(output_of "$job") != *jobtrail* ]]
    [[ $(record_count "$job" exit_with) == 1 ]]
}

@test "without the library the job runs unchanged" {
    mv "$STAGE/lib/jobtrail" "$STAGE/lib/away"
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0 && echo all is well")
    mv "$STAGE/lib/away" "$STAGE/lib/jobtrail"
    [[ $(output_of "$job") == "all is well" ]]
}

@test "without the helper the job ends as ever, and its records come with the next flush" {
    mv "$STAGE/bin/jobtrail-submit" "$STAGE/bin/away"
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0")
    mv "$STAGE/bin/away" "$STAGE/bin/jobtrail-submit"
    [[ $(record_count "$job") == 0 ]]
    [[ $(run_as root sinfo -h -t drain,down -o %n | wc -l) == 0 ]]
    "$STAGE/bin/jobtrail-submit" flush --all --conf "$DIR/jobtrail.conf" --node n1
    [[ $(field "$job" exit_with '.slurmT | "\(.end_source) \(.exit_code)"') == "fini 0" ]]
}

@test "what an epilog could not flush is flushed when slurmd starts" {
    mv "$STAGE/bin/jobtrail-submit" "$STAGE/bin/away"
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0" -w n1)
    mv "$STAGE/bin/away" "$STAGE/bin/jobtrail-submit"
    [[ $(record_count "$job") == 0 ]]
    "$CLUSTER" restart-slurmd n1
    has_record() { [[ $(record_count "$job") == 1 ]]; }
    eventually 30 has_record
    [[ $(field "$job" exit_with '.slurmT | "\(.end_source) \(.exit_code)"') == "fini 0" ]]
}

@test "a restart of slurmd leaves a job between its steps alone" {
    mkfifo -m 666 "$DIR/out/on"
    job=$(submit "srun $PROGRAMS/exit_with 0; echo between; read -r _ <$DIR/out/on; srun $PROGRAMS/exit_with 0" -w n2)
    eventually 30 output_has "$job" between
    "$CLUSTER" restart-slurmd n2
    echo >"$DIR/out/on"
    wait_job "$job"
    [[ $(record_count "$job" exit_with) == 2 ]]
    [[ $(records "$job" | jq -c 'map(.userT.queue) | unique') == '["main"]' ]]
}

@test "a flush by hand leaves a running job alone" {
    job=$(submit "srun $PROGRAMS/exit_late 600000 started")
    eventually 30 output_has "$job" started
    run "$STAGE/bin/jobtrail-submit" flush --job "$job" --conf "$DIR/jobtrail.conf" --node n1
    [[ $status == 1 && $output == *"still runs here"* ]]
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(record_count "$job" exit_late) == 1 ]]
}

# leaks WORD: whether a record, or what else has left the spool, has the word in it
leaks() {
    grep -rqa "$1" "$DIR/records" "$DIR/state"
}

@test "secrets that users give to srun, to scripts and to programs do not leave the node" {
    job=$(submit_and_wait "export DB_TOKEN=hunter2; srun $PROGRAMS/exit_with 0 --password hunter2 --url=https://me:hunter2@host 'Bearer hunter2' open; srun '$DIR/nowhere --password=hunter2' || true")
    [[ $(field "$job" exit_with '.cmdlineA[2:] | join("|")') == "--password|[redacted]|--url=https://me:[redacted]@host|Bearer [redacted]|open" ]]
    ! leaks hunter2 || false
    grep -rhq "nowhere --password=.redacted" "$DIR/records"
}

@test "with command_line = program srun's job tells programs, and no script its arguments" {
    write_jobtrail_conf $'[tracking]\ncommand_line = program\n[paths]\nkeep = .*'
    job=$(submit_and_wait "bash -c '$PROGRAMS/exit_with 0 kept-quiet; true' kept-quiet-too; srun $PROGRAMS/exit_with 0 kept-quiet")
    [[ $(records "$job" | jq -c 'map(.cmdlineA, .ptA[].cmdlineA | length) | unique') == '[1]' ]]
    ! leaks kept-quiet || false
    write_jobtrail_conf ""
}
