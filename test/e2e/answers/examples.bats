#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The examples of jobtrail-acct(1) and jobtrail-report(1) print what the pages show. Job 12 of alice is killed, her job 11 was
# not and had another HDF5, job 13 is bob's.

bats_require_minimum_version 1.5.0
load ../fixture/site

setup_file() {
    export TZ=UTC JOBTRAIL_STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    jobs >"$SITE/jobs" && mv "$SITE/jobs" "$SITE/records"
    site_load "$JOBTRAIL_STORE"
    # what Slurm's accounting has of job 12
    mkdir "$BATS_FILE_TMPDIR/bin"
    cat >"$BATS_FILE_TMPDIR/bin/sacct" <<'END'
#!/bin/bash
for word; do case $word in --delimiter=*) end=${word#*=} ;; --format=*) IFS=, read -ra fields <<<"${word#*=}" ;; esac done
row() { # FIELD=VALUE...
    local -A of
    for word; do of[${word%%=*}]=${word#*=}; done
    for field in "${fields[@]}"; do printf '%s%s' "${of[$field]-}" "$end"; done
    echo
}
job=(Cluster=tiny JobName=flow Start=1732096800 NodeList=n1 State=FAILED AllocTRES=cpu=4,mem=8G,node=1)
row JobIDRaw=12 End=1732098600 ExitCode=1:0 Elapsed=00:30:00 Timelimit=01:00:00 TotalCPU=01:06:40 ReqMem=8G "${job[@]}"
row JobIDRaw=12.0 ExitCode=0:9 NTasks=4 MaxRSS=1572864K "${job[@]}"
END
    chmod +x "$BATS_FILE_TMPDIR/bin/sacct"
}

# of JOB USER HDF5 [JQ-FILTER]: a filter for what ran() has
of() {
    echo '.userT += {job_id: "'"$1"'", user: "'"$2"'", account: "climate", exec_path: ("/home/'"$2"'/bin/" + (.userT.exec_path | split("/")[-1]))} |
        .slurmT.job_id = '"$1"' | .userDT.num_tasks = 1 | .cmdlineA = ["./" + (.userT.exec_path | split("/")[-1])] |
        .libA = [["/usr/lib/x86_64-linux-gnu/libc.so.6", "0"], ["/sw/hdf5/'"$3"'/lib/libhdf5.so.103.2.0", "0"]] | '"${4:-.}"
}

# job NUMBER USER MINUTES FACTS [JQ-FILTER]: each is [outcome, step, tasks, core seconds]
job() {
    divided "$1" n1 "$(jq -c 'map({outcome: .[0], step_id: .[1], tasks: .[2], core_seconds: .[3]})' <<<"$4")" \
        '.coverageT += {user: "'"$2"'", account: "climate", end_time: (1732096800 + 60 * '"$3"')} | .coverageA[].end_time = .coverageT.end_time |
        '"${5:-.}"
}

jobs() {
    local ranks='.userDT.num_tasks = 4 | .slurmT.leads = true'
    ran 1 prep batch -70 5 1200 "$(of 11 alice 1.14.3)"
    ran 2 solver 0 -65 50 12000 "$(of 11 alice 1.14.3 "$ranks")"
    job 11 alice 60 '[["recorded", "batch", 1, 1200], ["recorded", "0", 4, 12000], ["idle", null, 0, 1200]]' '.coverageT |= (.start_time -= 4200 | .end_time -= 4200)'
    ran 3 prep batch 0 5 1200 "$(of 12 alice 1.10.5)"
    ran 4 solver 0 5 20 4800 "$(of 12 alice 1.10.5 "$ranks"' | .slurmT += {end_source: "task_exit", exit_code: null, signal: 9, unlisted: null}')"
    ran 5 plot batch 25 1 240 "$(of 12 alice 1.10.5 '.slurmT += {end_source: "task_exit", exit_code: 1}')"
    job 12 alice 30 '[["recorded", "batch", 1, 1440], ["recorded", "0", 4, 4800], ["script", "batch", 0, 480], ["idle", null, 0, 480]]'
    ran 6 a.out 0 0 90 21600 "$(of 13 bob 1.10.5)"
    job 13 bob 100 '[["recorded", "0", 1, 21600], ["idle", null, 0, 2400]]'
}

# shown PAGE: its commands, after a $, and what they print; without blanks at ends of lines
shown() {
    # shellcheck disable=SC2016 # marks of a literal block
    sed -n '/^# DESCRIPTION/,/^# OPTIONS/p' "$JOBTRAIL_SOURCE/$1" | sed -n '/^```/,/^```/ { /^```/! s/ *$//p }'
}

# printed PAGE: the same, as the commands print it now
printed() {
    local command
    shown "$1" | sed -n 's/^\$ //p' | while read -r command; do
        echo "\$ $command"
        command=${command/#jobtrail-job/jobtrail-job -a}
        PATH=$BATS_FILE_TMPDIR/bin:$JOBTRAIL_SOURCE/contrib:$PATH bash -c "${command/#jobtrail-acct/jobtrail-acct -a}" 2>&1 |
            sed "s|$JOBTRAIL_STORE|sqlite:/var/lib/jobtrail/jobtrail.db|; s/ *$//"
    done
}

@test "jobtrail-acct(1), jobtrail-job(1) and jobtrail-report(1) show what these print" {
    local page
    for page in contrib/jobtrail-{acct,job,report}.1.scd; do
        [ "$(shown "$page" | grep -c '^\$ ')" -ge 2 ]
        diff <(shown "$page") <(printed "$page")
    done
}
