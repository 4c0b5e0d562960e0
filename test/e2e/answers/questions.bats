#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each command of jobtrail-questions(7), over a store in which there is an answer to each.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/site

setup_file() {
    export TZ=UTC JOBTRAIL_STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    answers >"$BATS_FILE_TMPDIR/answers"
    printf '%s\n' '/sw/hdf5/1.10.5 hdf5/1.10.5' '/sw/openmpi/4.1.4 openmpi/4.1.4' >>"$SITE/modules"
    "$JOBTRAIL_BIN/jobtrail-load" --modules "$SITE/modules" --accounts "$SITE/accounts" \
        "$SITE/records" "$BATS_FILE_TMPDIR/answers"
    mkdir "$BATS_FILE_TMPDIR/bin"
    slurm_accounting >"$BATS_FILE_TMPDIR/bin/sacct"
    chmod +x "$BATS_FILE_TMPDIR/bin/sacct"
    export PATH=$BATS_FILE_TMPDIR/bin:$JOBTRAIL_SOURCE/contrib:$PATH
}

# A run that ended now, with all that is asked for, one of the week in October, and its link, package and
# coverage. It was killed, and Slurm says that memory was the reason; another has failed.
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
            .slurmT += {signal: 9, exit_code: null}),
        (at($now - 3600; $now; "019a9f00-7000-7000-8000-000000000002") | .slurmT += {job_id: 71, exit_code: 1}),
        (at(1790900000; 1790900060; "019a9f00-7000-7000-8000-000000000003") | .slurmT += {job_id: 72}),
        {resultT: {uuid: "019a9f00-7000-7000-8000-000000000020", build_user: "carol", build_host: "login1", build_syshost: "tiny",
            build_epoch: "\($now - 86400)", exec_path: .userT.exec_path, hash_id: .hash_id,
            link_path: "/sw/intel/ifort", link_program: "ifort", wd: "/"},
         linkA: [["/sw/mkl/lib/libmkl.so", "0"]], link_line: ["ifort"], function: ["dgemm_"]},
        ("numpy", "scipy" | {package_name: ., package_version: "1.26.4", package_path: "/x",
            program: "python", xalt_run_uuid: "019a9f00-7000-7000-8000-000000000001",
            ownerT: {user: "alice", cluster: "tiny", node: "n1", restart_count: 0, job_id: 70}}),
        {coverageT: {uuid: "019a9f00-7000-7000-8000-000000000010", cluster: "tiny", syshost: "tiny",
            job_id: 70, array_job_id: null, array_task_id: null, het_job_id: null, het_offset: null,
            restart_count: 0, node: "n1", user: "alice", account: "physics", partition: "main", dropped: 0,
            cpus: 1, start_time: ($now - 3600), end_time: $now, start_source: "slurm", end_source: "epilog", suspended: 0.5,
            core_seconds: 3600.5, timezone: "UTC", others_runs: 0, others_seconds: 0.5, clock_step: null},
         coverageA: [{outcome: "recorded", leader: 0, first_task: 0, core_seconds: 3600.5, step_id: "0",
            day: ($now | todate[:10]), runs: 1, program: "/x", tasks: 1, start_time: ($now - 3600), end_time: $now}]}' "$SITE/records"
}

# What sacct says of step 70.0, with the delimiter and the fields that it is asked for.
slurm_accounting() {
    cat <<'EOF'
#!/bin/bash
declare -A says=([JobIDRaw]=70.0 [State]=OUT_OF_MEMORY [ExitCode]=0:125 [MaxRSS]=4G [ReqMem]=4G
    [Start]=$(($(date +%s) - 3600)) [End]=$(date +%s))
for word; do
    case $word in
    --delimiter=*) delimiter=${word#*=} ;;
    --format=*) IFS=, read -ra fields <<<"${word#*=}" ;;
    esac
done
for field in "${fields[@]}"; do printf '%s%s' "${says[$field]-}" "$delimiter"; done
echo
EOF
}

# The commands: lines of the page that begin with a tab. In scdoc a backslash keeps the next character.
commands() {
    sed -n 's/^\t//p' "$JOBTRAIL_SOURCE/contrib/jobtrail-questions.7.scd" | sed 's/\\\(.\)/\1/g'
}

# Rows of the answer, without what stands around them; a report's line is a row where it has a number
rows() { # COMMAND
    case $1 in
    *--json*) jq '.runs | length' ;;
    *--html*) grep -c '<tr><td' software.html ;;
    jobtrail-report*) grep -cE '^[^ ].*  +[0-9]' ;;
    *' -n '*) grep -c . ;;
    *' -P '*) sed 1d | grep -c . ;;
    *) sed 1,2d | grep -c . ;;
    esac
}

@test "each command answers its question" {
    local command count=0
    cd "$BATS_TEST_TMPDIR"
    while IFS= read -r command; do
        echo "$command"
        count=$((count + 1))
        run --separate-stderr bash -c "$command"
        echo "$output$stderr"
        [ "$status" -eq 0 ]
        [ "$stderr" = "" ]
        [ "$(rows "$command" <<<"$output")" -gt 0 ]
    done < <(commands)
    ((count > 30))
    [ "$(commands | grep -c '^jobtrail-\(acct\|report\) ')" -eq "$count" ]
}
