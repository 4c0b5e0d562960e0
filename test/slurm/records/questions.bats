#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each command of jobtrail-questions(7), over a store in which there is an answer to each. Jobs 12 and 14, and one that never started, are
# those of a real cluster with slurmdbd; what others ran, and when, is made.
# bats file_tags=needs:libraries,needs:routines,needs:witness
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/cluster
load ../../e2e/fixture/library
load ../../e2e/fixture/site

setup_file() {
    export TZ=UTC JOBTRAIL_BIN=$JOBTRAIL_STAGE/bin
    start_cluster cgroups ACCT=dbd ACCT_USERS=root,jtuser CLUSTER_NAME=tiny NODES=1 \
        SELECT_PARAMS=CR_Core_Memory EXTRA_CONF="FirstJobId=12
DefMemPerCPU=100"
    sed -i 's/^cluster = lab$/cluster = tiny/' "$DIR/jobtrail.conf"
    printf '\n[routines]\nkeep = soname:libc\\.so\\.6\n' >>"$DIR/jobtrail.conf"
    export STORE=sqlite:$DIR/store.db
    run_jobs
    site_records "$DIR/site"
    answers >"$DIR/answers"
    USE_AT=$(($(date +%s) - 86400)) made_use '.library = "hdf5" | .path = "/sw/hdf5/1.10.5/lib/libhdf5.so.103"' >>"$DIR/answers"
    printf '%s\n' '{"jobtrail_libraries": 1, "cluster": "tiny", "node": "n1", "made": "2026-01-01T00:00:00Z"}' \
        '{"path": "/sw/old/libold.so", "library": "libold", "size": 1, "since": "2020-01-01T00:00:00Z"}' >"$DIR/libraries"
    read -r _ GLIBC < <(getconf GNU_LIBC_VERSION)
    export GLIBC
    printf '%s\n' '/sw/hdf5/1.10.5 hdf5/1.10.5' '/sw/openmpi/4.1.4 openmpi/4.1.4' \
        "$(realpath "$(ldd "$PROGRAMS/eat_memory" | awk '$1 == "libc.so.6" { print $3 }')") glibc/$GLIBC" >>"$SITE/modules"
    # the made records have jobs 12 and 14, too
    jq -ac 'walk(if type == "object" and (.job_id | tostring | IN("12", "14")) then
        .job_id |= (if type == "number" then . + 100 else "1" + . end) else . end)' "$SITE/records" >"$DIR/made"
    "$STAGE/bin/jobtrail-load" --store "$STORE" --modules "$SITE/modules" --accounts "$SITE/accounts" \
        "$DIR/records" "$DIR/made" "$DIR/answers"
}

run_jobs() {
    local id out never more
    out=$(submit "srun --mem=60M $PROGRAMS/eat_memory 120 0" --mem=200M)
    never=$(submit "srun $DIR/nowhere")
    more=$(submit "srun --mem=90M $PROGRAMS/eat_memory 180 0" --mem=300M)
    for id in "$out" "$never" "$more"; do
        wait_job "$id"
        eventually 60 is_accounted "$id"
        eventually 60 is_flushed "$id"
    done
}

# A run that ended now, with all that is asked for, one of the week in October, and its link, package and
# coverage. It was killed; another has failed. And ranks of another step of job 12.
answers() {
    jq -ac --slurp --argjson now "$(date +%s)" '
        map(select(.slurmT.step_id == "batch"))[0] |
        .userT += {exec_path: "/home/alice/a.out", user: "alice", account: "physics", job_id: "70"} |
        .envT.OMP_NUM_THREADS = "1" |
        .libA = [["/sw/hdf5/1.10.5/lib/libhdf5.so.103", "0"], ["/sw/openmpi/4.1.4/lib/libmpi.so.40", "0"]] |
        .xaltLinkT = {Build_User: "carol", Build_compiler: "ifort", Build_UUID: "019a9f00-7000-7000-8000-000000000020",
                      Build_Epoch: "\($now - 86400)"} |
        .slurmT += {job_id: 70, step_id: "0", end_source: "task_exit"} |
        def at($from; $to; $uuid): .userT.run_uuid = $uuid |
            .userDT += {start_time: $from, end_time: $to, run_time: ($to - $from)};
        (at($now - 3600; $now; "019a9f00-7000-7000-8000-000000000001") |
            .slurmT += {signal: 9, exit_code: null, user_cpu: 10.5, system_cpu: 0.5, max_rss: 104857600, disk_read: 0, disk_write: 4096} |
            .routineT = {libraryA: [["/sw/mkl/2024.1/lib/libmkl_rt.so.2", "ab12"]], routineA: [[0, "dgemm_", ($now - 3599), 5, false]],
                watched: 1, missed: 0, counted: true}),
        (at($now - 3600; $now; "019a9f00-7000-7000-8000-000000000002") | .slurmT += {job_id: 71, exit_code: 1}),
        (at(1790900000; 1790900060; "019a9f00-7000-7000-8000-000000000003") | .slurmT += {job_id: 72}),
        {resultT: {uuid: "019a9f00-7000-7000-8000-000000000020", build_user: "carol", build_host: "login1", build_syshost: "tiny",
            build_epoch: "\($now - 86400)", exec_path: .userT.exec_path, hash_id: .hash_id,
            link_path: "/sw/intel/ifort", link_program: "ifort", wd: "/"},
         linkA: [["/sw/mkl/lib/libmkl.so", "0"]], link_line: ["ifort"], function: ["dgemm_"]},
        ({size: 1, mtime: 1, sha1: null, build_id: null, soname: "libhdf5.so.103", package: null, version: null, owner: 0} |
            {libraryT: {uuid: "019a9f00-7000-7000-8000-000000000030", event: "019a9f00-7000-7000-8000-000000000031",
                kind: "change", what: "replaced", library: "hdf5", group: "", path: "/sw/hdf5/1.10.5/lib/libhdf5.so.103",
                path_before: "", files: 1, links: 0, count: 0, first_scan: false, found: ($now - 1800), after: ($now - 1800),
                before: ($now - 1799), source: "watch", uid: 0, login_uid: null, user: "root", program: "/usr/bin/cp",
                command: "cp", cluster: "tiny", syshost: "tiny", node: "n1", job_id: null, step_id: null, version: "1"},
             wasT: ., isT: .}),
        ("numpy", "scipy" | {package_name: ., package_version: "1.26.4", package_path: "/x",
            program: "python", xalt_run_uuid: "019a9f00-7000-7000-8000-000000000001",
            ownerT: {user: "alice", cluster: "tiny", node: "n1", restart_count: 0, job_id: 70}}),
        {ranksT: {uuid: "019a9f00-7000-7000-8000-000000000040", cluster: "tiny", syshost: "tiny", job_id: 12, array_job_id: null,
            array_task_id: null, het_job_id: null, het_offset: null, restart_count: 0, node: "n1", user: "jtuser", account: "physics",
            partition: "main", step_id: "1", step_tasks: 2, step_nodes: 1, node_tasks: 2, program: "/sw/x", ranks: 2, unseen: 0,
            start_time: ($now - 9), end_time: $now, timed: 2, elapsed_min: 9, elapsed_mean: 9, elapsed_max: 9, measured: 2, cpu_min: 1,
            cpu_mean: 1, cpu_max: 1, memory_min: 1, memory_mean: 1, memory_max: 1, largest_task: 0, ended_zero: 2, ended_code: 0,
            ended_signal: 0, ended_unknown: 0, ends: "0:0=2", failed_task: null, failed_time: null, failed_end: null}},
        {coverageT: {uuid: "019a9f00-7000-7000-8000-000000000010", cluster: "tiny", syshost: "tiny",
            job_id: 70, array_job_id: null, array_task_id: null, het_job_id: null, het_offset: null,
            restart_count: 0, node: "n1", user: "alice", account: "physics", partition: "main", dropped: 0,
            cpus: 1, start_time: ($now - 3600), end_time: $now, start_source: "slurm", end_source: "epilog", suspended: 0.5,
            core_seconds: 3600.5, timezone: "UTC", others_runs: 0, others_seconds: 0.5, clock_step: null},
         coverageA: [{outcome: "recorded", leader: 0, first_task: 0, core_seconds: 3600.5, step_id: "0",
            day: ($now | todate[:10]), runs: 1, program: "/x", tasks: 1, start_time: ($now - 3600), end_time: $now}]}' "$SITE/records"
}

# The commands: lines of the page that begin with a tab. In scdoc a backslash keeps the next character.
# jobtrail-alldoc asks no store (test/e2e/libraries/alldoc.bats); no step of these jobs leaves a profile (test/e2e/answers/profiles.bats).
commands() {
    sed -n 's/^\t//p' "$JOBTRAIL_SOURCE/contrib/jobtrail-questions.7.scd" | sed 's/\\\(.\)/\1/g' | grep -v -e '^jobtrail-alldoc ' -e '^jobtrail-report mpi '
}

# Rows of the answer, without what stands around them; a report's line is a row where it has a number
rows() { # COMMAND
    case $1 in
    *--json*) jq '.runs | length' ;;
    *--html*) grep -c '<tr><th scope="row"' software.html ;;
    jobtrail-job*) grep -c . ;;
    jobtrail-report*) awk '/^-+( +-+)*$/ { is_in = 1; next } !NF { is_in = 0 } is_in' | grep -c . ;;
    *' -n '*) grep -c . ;;
    *' -P '*) sed 1d | grep -c . ;;
    *) sed 1,2d | grep -c . ;;
    esac
}

ask() { # COMMAND
    run_as root env -C "$BATS_TEST_TMPDIR" TZ=UTC "PATH=$STAGE/bin:/usr/bin:/bin" "JOBTRAIL_STORE=$STORE" "JOBTRAIL_LIBRARIES=$DIR/libraries" bash -c "$1"
}

# bats test_tags=needs:answers
@test "each command answers its question" {
    local command different count=0
    cd "$BATS_TEST_TMPDIR"
    while IFS= read -r command; do
        echo "$command"
        count=$((count + 1))
        [[ $command != *" OOM,"* ]] || "$JOBTRAIL_SOURCE/test/systems/can" cgroup_v1 || continue
        run --separate-stderr ask "$command"
        echo "$output$stderr"
        different=0
        [[ $command != *" diff "* ]] || different=1
        [ "$status" -eq "$different" ]
        [ "$stderr" = "" ]
        [ "$(rows "$command" <<<"$output")" -gt 0 ]
    done < <(commands)
    ((count > 30))
    [ "$(commands | grep -c '^jobtrail-\(acct\|job\|report\) ')" -eq "$count" ]
}

@test "README's questions are among these" {
    # shellcheck disable=SC2016 # no command
    [ "$(sed -n 's/^|.*| `\(jobtrail-.*\)` |$/\1/p' "$JOBTRAIL_SOURCE/README.md" | grep -cxFf <(commands))" -eq 6 ]
}

@test "the C library that a job loaded has the version that people know, by the site's map" {
    [[ $(ask "jobtrail-acct -j 12.0 -n -P -o libversions") == *"glibc/$GLIBC"* ]]
    [[ $(ask "jobtrail-acct -j 12.0 --lib 'glibc=$GLIBC' --lib 'nothing>=1' -n -P -o exec" 2>"$BATS_TEST_TMPDIR/hints") == eat_memory ]]
    [[ $(ask "jobtrail-report system -u jtuser --lib 'glibc>=$GLIBC' --json" |
        jq -r '.pages[0].rows[].library | select(startswith("glibc"))') == "glibc $GLIBC" ]]
}

# bats test_tags=needs:cgroup_v1
@test "why the job died and what it had asked for is what Slurm's accounting has" {
    [[ $(ask "jobtrail-acct -j 12 -n -P -o exec,state,exitcode,slurmstate,reqmem") == \
        "eat_memory|OUT_OF_MEMORY|0:9|OUT_OF_MEMORY|200M" ]]
    [[ $(run_as root sacct -n -P -X -j 12 -o reqmem) == 200M ]]
    [[ $(ask "jobtrail-acct -j 12.0 -n -P -o maxrss") == "$(run_as root sacct -n -P -j 12.0 -o maxrss)" ]]
}

# bats test_tags=needs:cgroup_v1
@test "why the job failed" {
    [[ $(ask "jobtrail-job 12") == *"eat_memory was killed by signal 9 (SIGKILL): it used more memory than it had"* ]]
}

@test "what is different today" {
    run --separate-stderr ask "jobtrail-job diff 12 14"
    [[ $output == *"arguments: 1 different"*"eat_memory 120"*"eat_memory 180"*"  memory               A: 200M"*"B: 300M"* ]]
}

@test "core hours of a library's routines are those of the runs that called them, each once" {
    run --separate-stderr ask "jobtrail-report routines --of libraries --lib glibc -u jtuser --exec eat_memory -S now-1days --json"
    echo "$output"
    jq -e '.pages[0] | (.rows | length == 1 and .[0].runs == 2 and .[0].jobs == 2) and .numbers.programs > 0 and
        (.rows[0].core_hours - .numbers.programs | fabs) < 0.00001' <<<"$output"
    # nobody has called what no program has a use for
    [[ $(ask "jobtrail-report uncalled --lib glibc --entries /lib/x86_64-linux-gnu/libc.so.6 --top 0 --json" |
        jq -c '[.pages[0].rows[] | select(.routine == "wcsftime")] | length') == 1 ]]
}
