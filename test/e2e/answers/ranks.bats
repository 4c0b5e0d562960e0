#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Ranks of parallel programs: each node sends its own, and the store adds them up. Job 60 had a step on three nodes, of which
# two have sent.
# bats file_tags=needs:witness
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets variables, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb

setup_file() {
    export TZ=UTC STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    {
        site_run 019a9f00-6060-7000-8000-000000000001 wave 1 '.slurmT += {job_id: 60, step_id: "0"} | .userT.job_id = "60" |
            .userDT += {num_tasks: 7, num_nodes: 3}'
        site_run 019a9f00-6060-7000-8000-000000000002 other 1 '.slurmT += {job_id: 60, step_id: "0"} | .userT.job_id = "60" |
            .userDT += {num_tasks: 7, num_nodes: 3}'
        node n1 /opt/wave '.ranks = 2 | .timed = 2 | .elapsed_min = 1 | .elapsed_mean = 2 | .elapsed_max = 3 | .measured = 2 |
            .cpu_min = 1 | .cpu_mean = 1.5 | .cpu_max = 2 | .memory_min = 0 | .memory_mean = 104857600 | .memory_max = 209715200 |
            .largest_task = 1 | .faults_min = 0 | .faults_mean = 1 | .faults_max = 2 | .faults_task = 0 | .ended_zero = 2 | .ends = "0:0=2" | .start_time = 1732096800 | .end_time = 1732096803'
        node n2 /opt/wave '.ranks = 4 | .timed = 4 | .elapsed_min = 4 | .elapsed_mean = 5 | .elapsed_max = 6 | .measured = 2 |
            .cpu_min = 0.5 | .cpu_mean = 3.5 | .cpu_max = 6.5 | .memory_min = 314572800 | .memory_mean = 419430400 |
            .memory_max = 524288000 | .largest_task = 3 | .faults_min = 1 | .faults_mean = 50 | .faults_max = 99 | .faults_task = 4 | .ended_signal = 3 | .ended_unknown = 1 | .ends = "0:9=1 0:15=2" |
            .failed_task = 4 | .failed_time = 1732096804 | .failed_end = "0:9" | .start_time = 1732096800 | .end_time = 1732096806'
        node n2 "" '.unseen = 1 | .end_time = 1732096806'
    } >"$BATS_FILE_TMPDIR/nodes"
    mariadb_start
    for_both site_load_proven "$BATS_FILE_TMPDIR/nodes"
}

# node NAME PROGRAM JQ-FILTER: what it has sent of job 60's step 0
node() {
    jq -nc --arg node "$1" --arg program "$2" '{ranksT: ({uuid: "019a9f00-6060-7000-8000-0000000\($node[1:])\($program |
        if . == "" then 900 else 100 end)0", cluster: "tiny", syshost: "tiny", job_id: 60, array_job_id: null, array_task_id: null,
        het_job_id: null, het_offset: null, restart_count: 0, node: $node, user: "carol", account: "chem", partition: "main",
        step_id: "0", step_tasks: 7, step_nodes: 3, node_tasks: 4, program: $program, ranks: 0, unseen: 0, start_time: null,
        end_time: 0, timed: 0, elapsed_min: null, elapsed_mean: null, elapsed_max: null, measured: 0, cpu_min: null, cpu_mean: null,
        cpu_max: null, memory_min: null, memory_mean: null, memory_max: null, largest_task: null, faults_min: null, faults_mean: null, faults_max: null, faults_task: null, ended_zero: 0, ended_code: 0,
        ended_signal: 0, ended_unknown: 0, ends: "", failed_task: null, failed_time: null, failed_end: null} | '"$3"')}'
}

ranks() { # STORE OPTION...
    run --separate-stderr "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$1" --no-sacct -a --ranks "${@:2}"
    echo "$1: $status: $output $stderr"
    [ "$status" -eq 0 ]
}

adds_up() { # STORE
    ranks "$1" -j 60 -nP -o JobID,User,Exec,Ranks,NTasks,Unseen,Nodes
    [ "$output" = "60.0|carol|wave|6|7|1|2 of 3" ]
    ranks "$1" -j 60.0 -nP -o Timed,MinElapsed,AveElapsed,MaxElapsed,Measured,MinCPU,AveCPU,MaxCPU
    [ "$output" = "6|00:00:01|00:00:04|00:00:06|4|00:00:00|00:00:02|00:00:06" ]
    ranks "$1" -j 60 -nP -o MinRSS,AveRSS,MaxRSS,MaxRSSTask,MaxRSSNode,Ends,EndsUnknown,FirstFailed,FirstFailedTask,FirstFailedNode
    [ "$output" = "0K|250M|500M|3|n2|0:0=2,0:15=2,0:9=1|1|0:9|4|n2" ]
    ranks "$1" -j 60 -nP -o MinFaults,AveFaults,MaxFaults,MaxFaultsTask,MaxFaultsNode
    [ "$output" = "0|25.5|99|4|n2" ]
    ranks "$1" -j 60 --json
    [ "$(jq -c '.ranks | map([.ranks, .cpu_mean, .memory_mean, .ended_zero, .ended_signal, .proven])' <<<"$output")" = \
        '[[6,2.5,262144000,2,3,true]]' ]
}

@test "numbers of nodes are added up: least, mean by ranks, most" {
    for_both adds_up
}

@test "what is sent again is there once" {
    for_both site_load_proven "$BATS_FILE_TMPDIR/nodes"
    for_both adds_up
}

@test "jobs, users, runs and times choose" {
    for store in "$STORE" "$MARIADB_STORE"; do
        ranks "$store" -S 2024-11-20 -E 2024-11-21 -nP -o JobID
        [ "$output" = 60.0 ]
        ranks "$store" -S 2024-11-20T10:00:05 -E 2024-11-20T10:00:05 -nP -o Ranks # all of it, though n1's were over
        [ "$output" = 6 ]
        ranks "$store" -u alice -j 60 -nP
        [ "$output" = "" ]
        [[ $stderr == *"no ranks of job 60 of alice"* ]]
        ranks "$store" --uuid 019a9f00-6060-7000-8000-000000000001 -nP -o Ranks
        [ "$output" = 6 ]
        ranks "$store" --uuid 019a9f00-6060-7000-8000-000000000002 -nP -o Ranks # another program of the step
        [ "$output" = "" ]
        run --separate-stderr "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$store" --no-sacct -a --ranks -N n1
        [ "$status" -eq 1 ]
        [[ $stderr == *"--ranks does not go with -N"* ]]
    done
}

@test "the list of runs says which had ranks that failed, where rank 0 did not" {
    for store in "$STORE" "$MARIADB_STORE"; do
        run --separate-stderr "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$store" --no-sacct -a -j 60 -nP --sort exec \
            -o Exec,State,Ranks,RanksFailed,RanksFirstFailed
        [ "$output" = $'other|COMPLETED|||\nwave|COMPLETED|6|>=3|0:9' ]
    done
}

@test "the summary of a job has the rank that failed first, and the memory of the largest one" {
    for store in "$STORE" "$MARIADB_STORE"; do
        run --separate-stderr -0 "$JOBTRAIL_STAGE/bin/jobtrail-job" --store "$store" --no-sacct -a 60
        [[ $output == *"why "*" step 0: rank 4 of /opt/wave on n2 failed first, at 2024-11-20T10:00:04: it was killed by signal 9 (SIGKILL); 3 of 6 ranks failed"* ]]
        [[ $output == *"memory               500M in the largest process (step 0)"* ]]
    done
}

# shares STORE JOB RANKS: OUTPUT has what runs had, and outcomes, if n1 tells that so many of four ranks ran wave
shares() {
    local of=".slurmT += {job_id: $2, task_id: 0} | .userT.job_id = \"$2\" | .userDT.num_tasks = 4"
    {
        ran 1 wave 0 0 10 100 "$of"
        ran 2 wave 0 10 10 300 "$of"
        ran 3 tool 0 0 1 20 "$of"
        divided "$2" n1 '[{"outcome": "recorded", "tasks": 1, "leader": 0, "core_seconds": 420},
            {"outcome": "follower", "tasks": 3, "first_task": 1, "leader": 0, "core_seconds": 1200}]'
        node n1 /opt/wave ".job_id = $2 | .uuid |= sub(\"00\$\"; \"$2\") | .step_tasks = 4 | .step_nodes = 1 |
            .end_time = 1732098000 | .ranks = $3 | .ended_zero = $3"
    } >"$BATS_TEST_TMPDIR/shares"
    site_load_proven "$BATS_TEST_TMPDIR/shares" "$1"
    set -- "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$1" --no-sacct -a -j "$2" -nP
    OUTPUT=$("$@" -o Exec,CoreSeconds && "$@" --coverage -o Outcome,CoreSeconds)
}

@test "below a wrapper all ranks' core time is the program's that all of them ran, and of nobody where they ran several" {
    for store in "sqlite:$BATS_TEST_TMPDIR/store.db" "$MARIADB_STORE"; do
        shares "$store" 63 3
        diff - <(sort <<<"$OUTPUT") <<<$'assumed|1200\nrecorded|420\ntool|20\nwave|100\nwave|300'
        shares "$store" 64 4
        diff - <(sort <<<"$OUTPUT") <<<$'recorded|1620\ntool|20\nwave|1200\nwave|400'
    done
}

@test "a run has its ranks in JSON" {
    run --separate-stderr "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$STORE" --no-sacct -a -j 60 --json
    [ "$(jq -c '[.runs[] | [.executables[0], .ranks.ranks, .ranks.nodes, .ranks.failed_task]] | sort' <<<"$output")" = \
        '[["/opt/other",null,null,null],["/opt/wave",6,2,4]]' ]
}

@test "without paths of mappings the kernel's short name finds the run" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db
    site_run 019a9f00-6060-7000-8000-000000000003 a_long_name_of_a_program 1 '.slurmT += {job_id: 60, step_id: "0"} |
        .userT.job_id = "60" | .userDT.num_tasks = 7' >"$BATS_TEST_TMPDIR/records"
    node n1 a_long_name_of_ '.ranks = 7 | .ended_zero = 7 | .end_time = 1732096803' >>"$BATS_TEST_TMPDIR/records"
    site_load_proven "$BATS_TEST_TMPDIR/records" "$store"
    ranks "$store" --uuid 019a9f00-6060-7000-8000-000000000003 -nP -o Exec,Ranks
    [ "$output" = "a_long_name_of_|7" ]
}

@test "what nothing proves is shown apart, and is nobody else's" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db
    site_load_proven "$BATS_FILE_TMPDIR/nodes" "$store"
    node n3 /opt/wave '.ranks = 1 | .ended_signal = 1 | .end_time = 1732096806' >"$BATS_TEST_TMPDIR/forged"
    node n1 /opt/wave '.ranks = 1 | .ended_signal = 1 | .end_time = 1732096806' >>"$BATS_TEST_TMPDIR/forged"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" - <"$BATS_TEST_TMPDIR/forged"
    ranks "$store" -j 60 -nP -o Exec,Ranks,Nodes,Proven
    [ "$output" = $'wave|6|2 of 3|yes\nwave|1|1 of 3|no' ]
    run --separate-stderr "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$store" --no-sacct -a -j 60 --exec wave --json
    [ "$(jq -c '.runs | map(.ranks.ranks)' <<<"$output")" = '[6]' ]
}

@test "ranks go with the runs that are old" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db
    site_load_proven "$BATS_FILE_TMPDIR/nodes" "$store"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --expire 1 >/dev/null
    ranks "$store" -j 60 -nP
    [ "$output" = "" ]
}

@test "memory and processor time of a program are those of all its ranks" {
    {
        # job 61, all of which is known: two ranks on one node; one process of it was another program before
        site_run 019a9f00-6161-7000-8000-000000000001 tide 1 '.slurmT += {job_id: 61, step_id: "0", pid: 700, user_cpu: 1,
            system_cpu: 0.5, max_rss: 1048576, mem_alloc: 1073741824, cpus_alloc: 4, disk_read: 0, disk_write: 0, forked: 0, forked_signaled: 0,
            forked_cpu: 0, forked_max_rss: 0, forked_read: 0, forked_write: 0, forked_least: false} | .userT.job_id = "61" |
            .userDT += {num_tasks: 2, num_nodes: 1}'
        node n1 /opt/tide '.job_id = 61 | .uuid |= sub("0$"; "1") | .step_tasks = 2 | .step_nodes = 1 | .ranks = 2 | .timed = 2 |
            .elapsed_min = 9 | .elapsed_mean = 10 | .elapsed_max = 11 | .measured = 2 | .cpu_min = 1.5 | .cpu_mean = 16 | .cpu_max = 30.5 |
            .memory_min = 1048576 | .memory_mean = 104857600 | .memory_max = 209715200 | .largest_task = 1 | .ended_zero = 2 |
            .ends = "0:0=2" | .start_time = 1732096800 | .end_time = 1732096811'
        site_run 019a9f00-6262-7000-8000-000000000001 first 1 '.slurmT += {job_id: 62, step_id: "0", pid: 800, end_source: "exec"} |
            .userT.job_id = "62"'
        site_run 019a9f00-6262-7000-8000-000000000002 second 1 '.slurmT += {job_id: 62, step_id: "0", pid: 800, user_cpu: 90, system_cpu: 0,
            max_rss: 1048576, disk_read: 0, disk_write: 0, cpus_alloc: 1} | .userT.job_id = "62"'
    } >"$BATS_TEST_TMPDIR/nodes"
    for_both site_load_proven "$BATS_TEST_TMPDIR/nodes"
    for store in "$STORE" "$MARIADB_STORE"; do
        run -0 "$JOBTRAIL_STAGE/bin/jobtrail-report" --store "$store" efficiency -S 2000-01-01 --json
        [ "$(jq -c '.pages[] | select(.name == "efficiency").rows[] | [.executable, .measured_runs, .ranks, .least_runs,
            (.given_cpu_hours * 3600 | round), (.used_cpu_hours * 3600 | round), .mean_memory_mib, .largest_memory_mib, .bounded_runs,
            (.largest_memory_share * 10000 | round)]' <<<"$output")" = '["tide",1,2,0,40,32,100,200,1,3906]' ]
        # where not all ranks have told, and of what their summary does not have, it is a bound
        run --separate-stderr -0 "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$store" --no-sacct -a -X -j 60,61,62 -nP \
            -o JobID,RunCPU,RunMaxRSS,RunUserCPU,RunDiskRead
        [ "$output" = $'60|>=00:10.000|>=500M||\n61|00:32.000|200M|>=00:01.000|>=0K\n62|01:30.000|1M|01:30.000|0K' ]
    done
}

@test "ends and numbers that cannot be are refused, and disturb nobody" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db claim
    for claim in '.ends = "0:0=" + "1" * 5000' '.ends = "boom"' '.ends = "0:0=1 "' '.ends = "256:0=1"' '.ends = "0:128=1"' \
        '.ends = "0:0=1  0:9=1"' '.failed_end = "boom"' '.elapsed_mean = 1' '.memory_max = 1' \
        '.cpu_min = 1e300 | .cpu_mean = 1e300 | .cpu_max = 1e300' '.faults_min = -1 | .faults_mean = 0 | .faults_max = 0' '.ranks = 1'; do
        node n1 /opt/wave ".user = \"mallory\" | $claim" >"$BATS_TEST_TMPDIR/claim"
        run "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --json - <"$BATS_TEST_TMPDIR/claim"
        [ "$(jq -c '[.damaged, .new]' <<<"${lines[-1]}")" = '[1,0]' ] || { echo "$claim: $output"; false; }
    done
}
