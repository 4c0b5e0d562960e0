#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Profiles that nodes have kept: where they are, and the time in MPI in them. Each node sends its own, and the store adds them
# up. Job 60 had a step on two nodes; the script of job 65 called mpirun twice, the first time with ranks on two nodes. Job 66 was srun --multi-prog,
# with two executables on two nodes; 80 and 81 are components of a heterogeneous job, as are 90 and 91, of which n2 has not sent.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets variables, and runs each test in a subshell

# bats file_tags=needs:profile

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb

setup_file() {
    export TZ=UTC STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    {
        parallel 1 wave 60 0 4
        parallel 2 flow 61 0 2
        parallel 3 flow 62 0 2
        parallel 6 alone 64 0 2
        # two in one step
        parallel 4 pair 63 batch 2
        parallel 5 pair 63 batch 2
        parallel 7 first 65 batch 4
        parallel 8 second 65 batch 2
        parallel 9 sleep 65 batch 4
        node 1 60 0 n1 '.run_uuids = uuid(1) | .runs = 1 | .mpi_runs = 1 | .step_tasks = 4 | .step_nodes = 2 | .ranks = 2 | .mpi_ranks = 2 | .mpi_calls = 30 | .mpi_time = 100 | .mpi_elapsed = 200 |
            .mpi_outside_max = 80 | .mpi_routines = "MPI_Allreduce=20:90.000000:0 MPI_Wait=10:10.000000:0"'
        node 2 60 0 n2 '.step_tasks = 4 | .step_nodes = 2 | .ranks = 2 | .mpi_ranks = 2 | .mpi_calls = 20 | .mpi_time = 20 | .mpi_elapsed = 200 |
            .mpi_outside_max = 100 | .mpi_outside_rank = 3 | .mpi_routines = "mpi_allreduce_=20:20.000000:1"'
        # calls were missed; ranks ran longer than is known
        node 3 61 0 n1 '.mpi_missed = 2 | .ranks = 2 | .mpi_ranks = 2 | .mpi_calls = 1 | .mpi_time = 10 | .mpi_elapsed = 100 |
            .mpi_outside_max = 45 | .mpi_routines = "MPI_Barrier=1:10.000000:0"'
        node 4 62 0 n1 '.mpi_open = true | .ranks = 1 | .mpi_ranks = 1 | .mpi_calls = 1 | .mpi_time = 30 | .mpi_elapsed = 100 |
            .mpi_outside_max = 70 | .mpi_routines = "MPI_Barrier=1:30.000000:1"'
        node 5 63 batch n1 '.ranks = 4 | .mpi_ranks = 4 | .mpi_calls = 1 | .mpi_time = 30 | .mpi_elapsed = 100 | .mpi_outside_max = 70 |
            .mpi_routines = "MPI_Barrier=1:30.000000:0"'
        jq -c '.profileT += {uuid: "019a9f00-6060-7000-8000-000000000960", joined: true, node: "n2", path: "/kept/1000/60.0.0.profile"}' < <(
            node 6 60 0 n2 '.step_tasks = 4 | .step_nodes = 2')
        # what the first one has started is no program of its own
        node 7 65 batch n1 '.program = "00000000000000aa" | .programs = 2 | .run_uuids = uuid(7) + " " + uuid(1) | .runs = 2 | .mpi_runs = 1 | .mpi_size = 4 |
            .step_nodes = 0 | .ranks = 2 | .mpi_ranks = 2 | .mpi_calls = 30 | .mpi_time = 100 | .mpi_elapsed = 200 | .mpi_outside_max = 60 |
            .mpi_routines = "MPI_Wait=30:100.000000:0"'
        node 8 65 batch n1 '.program = "00000000000000bb" | .programs = 2 | .run_uuids = uuid(8) | .runs = 1 | .mpi_runs = 1 | .mpi_size = 4 |
            .step_nodes = 0 | .ranks = 2 | .mpi_ranks = 2 | .mpi_calls = 1 | .mpi_time = 10 | .mpi_elapsed = 40 | .mpi_outside_max = 15 |
            .mpi_routines = "MPI_Barrier=1:10.000000:0"'
        node 9 65 0 n2 '.program = "00000000000000aa" | .ranks = 2 | .mpi_ranks = 2 | .mpi_calls = 10 | .mpi_time = 50 | .mpi_elapsed = 200 |
            .mpi_outside_max = 75 | .mpi_outside_rank = 2 | .mpi_routines = "MPI_Wait=10:50.000000:0"'
        parallel a master 66 0 6
        parallel b worker 66 0 6
        several a 66 n1 aa 2 10 40 'uuid("a")'
        several b 66 n1 bb 1 10 20 'uuid("b")'
        several c 66 n2 bb 3 30 60
        parallel c ocean 80 0 4
        parallel d ice 81 0 4
        several d 80 n1 aa 2 10 40 'uuid("c")' | part 80
        several e 81 n2 aa 4 30 80 'uuid("d")' | part 80
        parallel e ocean 90 0 4
        several f 90 n1 aa 2 10 40 'uuid("e")' | part 90
    } >"$BATS_FILE_TMPDIR/nodes"
    mariadb_start
    for_both site_load_proven "$BATS_FILE_TMPDIR/nodes"
}

parallel() { # NUMBER PROGRAM JOB STEP TASKS: a run of two core hours
    site_run "019a9f00-6060-7000-8000-00000000000$1" "$2" 1 ".slurmT += {job_id: $3, step_id: \"$4\", core_seconds: 7200, core_seconds_max: 7200, core_days: [[\"2024-11-20\", 7200]]} |
        .userT.job_id = \"$3\" | .userT.node = \"n1\" | .userDT += {num_tasks: $5, num_nodes: 1}"
}

# several NUMBER JOB NODE EXECUTABLE RANKS SECONDS-IN-MPI SECONDS [UUID]: ranks of one executable, of a program of 6 ranks
several() {
    node "$1" "$2" 0 "$3" ".program = \"00000000000000cc\" | .executable = \"00000000000000$4\" | .programs = 2 | .mpi_size = 6 | .step_tasks = 6 | .step_nodes = 2 | .ranks = $5 |
        .mpi_ranks = $5 | .mpi_calls = 10 | .mpi_time = $6 | .mpi_elapsed = $7 | .mpi_outside_max = ($7 - $6) / $5 | .mpi_routines = \"MPI_Wait=10:$6:0\" ${8:+| .runs = 1 | .mpi_runs = 1 | .run_uuids = $8}"
}

part() { # JOB: of the heterogeneous job, with one node and one executable
    jq -c ".profileT |= (.het_job_id = $1 | .het_offset = .job_id - $1 | .step_nodes = 1 | .programs = 1)"
}

node() { # NUMBER JOB STEP NODE JQ-FILTER: what the node has kept
    jq -nc --arg number "$1" --argjson job "$2" --arg step "$3" --arg node "$4" 'def uuid(number): "019a9f00-6060-7000-8000-00000000000\(number)"; {profileT: ({uuid: "019a9f00-6060-7000-8000-0000000009\($number)0",
        cluster: "tiny", syshost: "tiny", job_id: $job, array_job_id: null, array_task_id: null, het_job_id: null, het_offset: null,
        restart_count: 0, node: $node, user: "carol", account: "chem", partition: "main", step_id: $step, step_tasks: 2, step_nodes: 1,
        node_tasks: 2, path: "/kept/1000/\($job).0.\($step).\($node).profile", bytes: 4711, end_time: 1732100400,
        joined: false, program: "", executable: "", programs: 1, runs: 0, mpi_runs: 0, run_uuids: "", mpi_size: 0, ranks: 0, mpi_ranks: 0,
        mpi_calls: 0, mpi_time: null, mpi_elapsed: null, mpi_outside_max: null, mpi_outside_rank: null, mpi_missed: 0, mpi_untimed: false, mpi_open: false,
        mpi_routines: ""} | '"$5"' | if .mpi_ranks > 0 and .mpi_outside_rank == null then .mpi_outside_rank = 0 else . end)}'
}

acct() { # STORE OPTION...
    run --separate-stderr "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$1" --no-sacct -a "${@:2}"
    echo "$1: $status: $output $stderr"
    [ "$status" -eq 0 ]
}

adds_up() { # STORE
    acct "$1" -j 60 -nP -o Profile,MPIShare,MPIImbalance,MPIRanks,MPIRoutines
    [ "$output" = "/kept/1000/60.0.0.profile|30.0%|42.9%|4 of 4|MPI_Allreduce:27.5%,MPI_Wait:2.5%" ]
    acct "$1" -j 60 --json
    [ "$(jq -c '.runs[].profile | [.nodes, .step_nodes, .ranks, .runs, .proven, .mpi.calls, .mpi.routines[0].open, .mpi.slowest, [.files[].node], .joined[].path]' <<<"$output")" = \
        '[2,2,4,1,true,50,1,{"rank":3,"node":"n2"},["n1","n2"],"/kept/1000/60.0.0.profile"]' ]
    acct "$1" -j 64 --json
    [ "$(jq -c '[.runs[].profile] | unique' <<<"$output")" = '[null]' ]
}

@test "what nodes tell of a step is added up" {
    for_both adds_up
}

@test "what is sent again is there once" {
    for_both site_load_proven "$BATS_FILE_TMPDIR/nodes"
    for_both adds_up
}

@test "bounds are marked: calls that were missed, ranks that are missing or ran longer" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -j 61,62 -nP -o MPIShare,MPIImbalance,MPIRanks --sort=jobid
        [ "$output" = $'>=10.0%|~0.0%|2 of 2\n~30.0%|~0.0%|1 of 2' ]
    done
}

@test "a program that mpirun has started in two steps is one, and another one of the same script is not part of it" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -j 65 -nP -o Exec,Profile,MPIShare,MPIImbalance,MPIRanks --sort=exec
        [ "$output" = "first|/kept/1000/65.0.0.n2.profile /kept/1000/65.0.batch.n1.profile|37.5%|20.0%|4 of 4
second|/kept/1000/65.0.batch.n1.profile|~25.0%|~0.0%|2 of 4
sleep||||" ]
        acct "$store" -j 65 --exec first --json
        [ "$(jq -c '.runs[].profile | [.steps, .nodes, .step_nodes, .size, .runs, .mpi.runs, .mpi.slowest.rank, .untold, .is_own]' <<<"$output")" = \
            '[["0","batch"],2,2,4,2,1,2,0,true]' ]
    done
}

@test "of several executables that are one program each run has the time in MPI of its own ranks, and the imbalance is the program's" {
    for store in "$STORE" "$MARIADB_STORE"; do
        # the imbalance is that of all six ranks: 15 s outside of MPI, where the mean is 70 / 6 s
        acct "$store" -j 66 -nP -o Exec,MPIShare,MPIImbalance,MPIRanks,MPIRoutines --sort=exec
        [ "$output" = "master|25.0%|28.6%|2 of 6|MPI_Wait:25.0%
worker|50.0%|28.6%|4 of 6|MPI_Wait:50.0%" ]
        acct "$store" -j 66 --exec worker --json
        [ "$(jq -c '.runs[].profile | [.ranks, .nodes, .runs, .mpi.ranks, .mpi.seconds, .mpi.slowest.node, .own.ranks, .own.seconds, .own.is_whole, (.files | map([.node, .ranks]))]' <<<"$output")" = \
            '[6,2,2,6,50,"n1",4,40,true,[["n1",3],["n2",3]]]' ]
    done
}

@test "ranks that run one executable after the other are each one's, and partial where a node has not sent" {
    local store
    # seconds of a and of b: each has all six ranks; then the half of the ranks, and one run that two executables name
    for store in all half; do
        {
            parallel c first 82 0 6
            parallel d second 82 0 6
            several 1 82 n1 aa 3 30 300 'uuid("c")'
            several 2 82 n1 bb 3 15 30 'uuid("d")'
            [ $store = half ] || several 3 82 n2 aa 3 30 300 'uuid("c")'
            [ $store = half ] || several 4 82 n2 bb 3 15 30 'uuid("d")'
        } >"$BATS_TEST_TMPDIR/records"
        site_load_proven "$BATS_TEST_TMPDIR/records" "sqlite:$BATS_TEST_TMPDIR/$store.db"
    done
    acct "sqlite:$BATS_TEST_TMPDIR/all.db" -j 82 -nP -o Exec,MPIShare,MPIImbalance,MPIRanks --sort=exec
    [ "$output" = "first|10.0%|0.0%|6 of 6
second|50.0%|0.0%|6 of 6" ]
    acct "sqlite:$BATS_TEST_TMPDIR/half.db" -j 82 -nP -o Exec,MPIShare,MPIRanks --sort=exec
    [ "$output" = "first|~10.0%|3 of 6
second|~50.0%|3 of 6" ]
    {
        parallel c first 82 0 6
        several 1 82 n1 aa 3 30 300 'uuid("c")'
        several 2 82 n2 bb 3 270 300 'uuid("c")'
    } >"$BATS_TEST_TMPDIR/records"
    site_load_proven "$BATS_TEST_TMPDIR/records" "sqlite:$BATS_TEST_TMPDIR/one.db"
    acct "sqlite:$BATS_TEST_TMPDIR/one.db" -j 82 -nP -o Exec,MPIShare,MPIRanks
    [ "$output" = "first|50.0%|6 of 6" ]
    # both on one node of two: its ranks may have run one after the other
    {
        parallel c first 82 0 6
        several 1 82 n1 aa 3 30 300 'uuid("c")'
        several 2 82 n1 bb 3 270 300 'uuid("c")'
    } >"$BATS_TEST_TMPDIR/records"
    site_load_proven "$BATS_TEST_TMPDIR/records" "sqlite:$BATS_TEST_TMPDIR/turn.db"
    acct "sqlite:$BATS_TEST_TMPDIR/turn.db" -j 82 -nP -o Exec,MPIShare,MPIRanks
    [ "$output" = "first|~50.0%|6 of 6" ]
}

@test "components of a heterogeneous job are one program, and partial until all have sent" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -j 80,81 -nP -o Exec,Profile,MPIShare,MPIImbalance,MPIRanks --sort=exec
        local files="/kept/1000/80.0.0.n1.profile /kept/1000/81.0.0.n2.profile"
        [ "$output" = "ice|$files|37.5%|12.5%|4 of 6
ocean|$files|25.0%|12.5%|2 of 6" ]
        # one of them alone is asked for
        acct "$store" -j 81 --json
        [ "$(jq -c '[.runs[].profile | [.steps, .nodes, .step_nodes, .size, .ranks, .runs, .mpi.ranks, .own.ranks]]' <<<"$output")" = '[[["0"],2,2,6,6,2,6,4]]' ]
        acct "$store" -j 90 -nP -o MPIShare,MPIImbalance,MPIRanks
        [ "$output" = "~25.0%|~0.0%|2 of 6" ]
    done
}

@test "components of another user, restart or cluster are not added" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db change
    {
        parallel c ocean 80 0 4
        several d 80 n1 aa 2 10 40 'uuid("c")' | part 80
        for change in '.user = "mallory"' '.restart_count = 1' '.cluster = "other"' '.het_job_id = 79' '.program = "00000000000000dd"'; do
            several "$((++number))" 81 n2 aa 4 30 80 'uuid("d")' | part 80 | jq -c ".profileT |= ($change)"
        done
    } >"$BATS_TEST_TMPDIR/records"
    site_load_proven "$BATS_TEST_TMPDIR/records" "$store"
    acct "$store" -j 80 -nP -o MPIShare,MPIRanks
    [ "$output" = "~25.0%|2 of 6" ]
}

@test "of two programs of a step the time in MPI is neither's" {
    for store in "$STORE" "$MARIADB_STORE"; do
        acct "$store" -j 63 -nP -o Profile,MPIShare
        [ "$output" = $'/kept/1000/63.0.batch.n1.profile|\n/kept/1000/63.0.batch.n1.profile|' ]
        acct "$store" -j 63 --json
        [ "$(jq -c '[.runs[].profile | [.runs, .mpi.ranks]]' <<<"$output")" = '[[2,4],[2,4]]' ]
    done
}

@test "the report tells which programs spend how much of their time in which routine" {
    for store in "$STORE" "$MARIADB_STORE"; do
        local place=(--store "$store" --summary "$BATS_TEST_TMPDIR/summary.db" -S 2024-11-01 -E 2024-12-01 --json)
        run --separate-stderr "$JOBTRAIL_STAGE/bin/jobtrail-report" "${place[@]}" mpi
        echo "$output $stderr"
        jq -e '.pages[0].rows | map([.executable, .runs, .bounds, (.mpi_share * 1000 | round), (.mpi_core_hours * 10000 | round), .core_hours, .routine,
            (.routine_share * 1000 | round), (.imbalance * 1000 | round)]) == [["worker", 1, 0, 500, 10000, 2, "MPI_Wait", 500, 286],
            ["flow", 2, 2, 200, 8000, 4, "MPI_Barrier", 200, 0],
            ["first", 1, 0, 375, 7500, 2, "MPI_Wait", 375, 200], ["ice", 1, 0, 375, 7500, 2, "MPI_Wait", 375, 125],
            ["wave", 1, 0, 300, 6000, 2, "MPI_Allreduce", 275, 429], ["master", 1, 0, 250, 5000, 2, "MPI_Wait", 250, 286], ["ocean", 2, 1, 250, 5000, 4, "MPI_Wait", 250, 125],
            ["second", 1, 1, 250, 5000, 2, "MPI_Barrier", 250, 0]]' <<<"$output"
        [[ $(jq -r '.pages[0].note' <<<"$output") == *" 2 runs are not included:"* ]]
        run --separate-stderr "$JOBTRAIL_STAGE/bin/jobtrail-report" "${place[@]}" mpi --of routines
        jq -e '.pages[0].rows | map([.executable, .routine, (.mpi_core_hours * 10000 | round)]) == [["worker", "MPI_Wait", 10000],
            ["flow", "MPI_Barrier", 8000], ["first", "MPI_Wait", 7500], ["ice", "MPI_Wait", 7500], ["wave", "MPI_Allreduce", 5500], ["master", "MPI_Wait", 5000], ["ocean", "MPI_Wait", 5000],
            ["second", "MPI_Barrier", 5000], ["wave", "MPI_Wait", 500]]' <<<"$output"
        run --separate-stderr "$JOBTRAIL_STAGE/bin/jobtrail-report" "${place[@]}" mpi --exec wave
        ((status == 1))
        [[ $stderr == *"--exec does not go with the page mpi: it is by program"* ]]
    done
}

@test "a small run that claims what it likes has little weight in what the report tells of its program" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db job
    local place=(--store "$store" --summary "$BATS_TEST_TMPDIR/summary.db" -S 2024-11-01 -E 2024-12-01 --json)
    # 990 of 1 000 core seconds are those of a job with an imbalance of a quarter; a rank of four took all the time of the other one
    for job in 70 71; do
        parallel $((job - 69)) wave $job 0 4 | sed "s/7200/$((job == 70 ? 990 : 10))/g"
        node $((job - 69)) $job 0 n1 '.step_tasks = 4 | .ranks = 4 | .mpi_ranks = 4 | .mpi_calls = 30 | .mpi_time = 100 | .mpi_elapsed = 200 | .mpi_outside_max = 31.25' |
            if ((job == 70)); then cat; else jq -c '.profileT += {mpi_time: 0, mpi_outside_max: 200}'; fi
    done >"$BATS_TEST_TMPDIR/records"
    site_load_proven "$BATS_TEST_TMPDIR/records" "$store"
    "$JOBTRAIL_STAGE/bin/jobtrail-report" "${place[@]}" mpi >"$BATS_TEST_TMPDIR/page"
    # 0.99 of 1/5 and 0.01 of 3/4
    jq -e '.pages[0].rows | map([.executable, .runs, (.mpi_share * 1000 | round), (.imbalance * 1000 | round)]) == [["wave", 2, 495, 259]]' "$BATS_TEST_TMPDIR/page"
}

@test "what nothing proves is of no run that is proven, and what cannot be is refused" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db
    parallel 1 wave 60 0 4 >"$BATS_TEST_TMPDIR/run"
    site_load_proven "$BATS_TEST_TMPDIR/run" "$store"
    node 1 60 0 n1 '.ranks = 1' >"$BATS_TEST_TMPDIR/claim"
    run "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --json "$BATS_TEST_TMPDIR/claim"
    [ "$(jq -c '[.quarantined, .unproven]' <<<"$output")" = '[0,1]' ]
    acct "$store" -j 60 -nP -o JobID,Profile
    [ "$output" = "60.0|" ]
    for claim in '.mpi_ranks = 1' '.ranks = 1 | .mpi_ranks = 1' '.program = "aa"' '.program = "000000000000000A"' '.executable = "aa"' 'del(.executable)' '.runs = 1' '.run_uuids = uuid(1)' \
        '.runs = 2 | .run_uuids = uuid(1) + "," + uuid(7)' '.runs = 1 | .run_uuids = uuid(1)[:-1] + "x"' '.mpi_runs = 1' '.mpi_size = -1' '.joined = true | .ranks = 1' \
        '.mpi_outside_rank = 1' '.mpi_time = 1' '.ranks = -1' '.bytes = -1' '.path = null'; do
        node 1 60 0 n1 "$claim" >"$BATS_TEST_TMPDIR/wrong"
        run --separate-stderr "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --json "$BATS_TEST_TMPDIR/wrong"
        [[ $stderr == *profileT* ]]
    done
}

# claim TEXT: the first summary of job 60, by somebody whom nothing proves, with this text about routines
claim() {
    node 9 60 0 n9 ".user = \"mallory\" | .ranks = 2 | .mpi_ranks = 2 | .mpi_calls = 30 | .mpi_time = 100 | .mpi_elapsed = 200 |
        .mpi_outside_max = 80 | .mpi_routines = \"$1\""
}

@test "what cannot be of routines is refused, and disturbs nobody" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db text
    for text in boom A=1 A=x:y:z A=1:nan:0 "A=1:1:1 " "A=31:1:1" "A=1:101:1" "A=1:60:1 B=1:60:1" "A=1:1:3" "A=$(printf '%0500d' 1):1:1" "A-B=1:1:1"; do
        claim "$text" >"$BATS_TEST_TMPDIR/claim"
        run "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --json - <"$BATS_TEST_TMPDIR/claim"
        [ "$(jq -c '[.damaged, .new]' <<<"${lines[-1]}")" = '[1,0]' ] || { echo "$text: $output"; false; }
    done
}
