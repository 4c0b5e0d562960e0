#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-job: what changed since the last good run of the same script, advice by rules, helpers in one line, and a script that
# repeats the job. What it says of ends and limits is in diff.bats and test/slurm/records/diff.bats.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets them

bats_require_minimum_version 1.5.0

setup_file() {
    export TZ=UTC JOBTRAIL_STORE=sqlite:$BATS_FILE_TMPDIR/store.db PROGRAM=$BATS_FILE_TMPDIR/solver
    # shellcheck disable=SC2016 # for the program to expand
    printf '#!/bin/sh\necho "$PWD $OMP_NUM_THREADS $*"\n' >"$PROGRAM"
    chmod 755 "$PROGRAM"
    made >"$BATS_FILE_TMPDIR/made"
    "$JOBTRAIL_BIN/jobtrail-load" "$BATS_FILE_TMPDIR/made"
}

# Runs like that of job 12's step 0, each in a job of its own, a day after the one before.
made() {
    jq -ac --slurp --arg program "$PROGRAM" --arg place "$BATS_FILE_TMPDIR" --arg sha1 "$(sha1sum <"$PROGRAM" | cut -d' ' -f1)" '
        map(select(.slurmT.job_id == 12 and .slurmT.step_id == "0" and .userDT.end_time != 0))[0] | del(.crc) |
        .slurmT += {end_source: "task_exit", unlisted: 0, exit_code: 0, signal: 0} | .hash_id = $sha1 |
        .envT = {PATH: "/usr/bin", OMP_NUM_THREADS: "4", SLURM_JOB_NAME: "flow.sh"} |
        .userT += {exec_path: $program, cwd: $place} | .cmdlineA = ["./solver", "-in", "a b"] |
        .libA = [["/lib/libc.so.6", "0"], ["/sw/hdf5/1.10.5/lib/libhdf5.so.103", "aa"]] |
        def job($id; $uuid): .slurmT.job_id = $id | .userT.job_id = "\($id)" | .userT.run_uuid = "019a9f00-eeee-7000-8000-0000000000\($uuid)" |
            .userDT.start_time += 86400 * ($id - 200) | .userDT.end_time += 86400 * ($id - 200);
        job(201; "01"),
        # failed, and under another name: neither is the last good run
        (job(202; "02") | .slurmT.exit_code = 1), (job(203; "03") | .envT.SLURM_JOB_NAME = "other.sh"),
        # another library and arguments; an instruction of another CPU; two GPUs that nothing used
        (job(204; "04") | .libA[1] = ["/sw/hdf5/1.14.3/lib/libhdf5.so.310", "bb"] | .cmdlineA += ["-fast"] |
            .slurmT += {signal: 4, exit_code: null, gpus_alloc: 2}),
        # beside it, commands of modules
        (job(204; "05", "06", "07") | .userT.exec_path = "/usr/bin/tclsh8.6" | .cmdlineA = ["tclsh", "/usr/share/modules/libexec/modulecmd.tcl", "bash", "load"] |
            .userDT.start_time -= 1 | .slurmT.step_id = "batch"),
        # three tasks that each took themselves for the only one
        (job(205; "11", "12", "13") | .slurmT.task_id = ((.userT.run_uuid[-1:] | tonumber) - 1) | .userDT.num_tasks = 3 |
            .libA += [["/usr/lib/libmpi.so.40", "0"]]),
        # of a user who wants that somebody else repeats more
        (job(207; "22") | .hash_id = "00000000000000000000000000000000000000ff"),
        (job(208; "23") | .envT.OMP_NUM_THREADS = "[redacted]" | .cmdlineA = ["./solver", "[redacted]"]),
        (job(206; "21") | .hash_id = "00ff" | .envT += {"OMP_X;touch injected;": "1", LOADEDMODULES: "gcc;touch injected:b"} |
            .userT += {cwd: "/tmp\ntouch injected", account: "x --wrap=y"} | .cmdlineA = ["./solver", "$(touch injected)\u001b]0;x"])' \
        "$JOBTRAIL_SOURCE"/test/data/records/*.json
}

job() {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-job" --allusers --no-sacct "$@"
    echo "$status: $output$stderr"
}

@test "what changed since the last good run of the same script" {
    job 204
    [[ $status == 0 && $output == *"  changed              since job 201 of 2024-11-21T10:00:01, which completed"* ]]
    [[ $output == *"libraries, hdf5: 1.10.5  /sw/hdf5/1.10.5/lib/libhdf5.so.103  sha1 aa, now 1.14.3 "* ]]
    [[ $output == *"arguments, arguments: ./solver -in a b, now ./solver -in a b -fast"* ]]
    job 204 --json
    [[ $(jq -c '.since | [.job, (.changes | map(.what))]' <<<"$output") == '["201",["hdf5","arguments"]]' ]]
    # the same again: nothing but its time; and of the first one there is none before
    job 202 --json
    [[ $(jq -c '.since | [.job, .changes]' <<<"$output") == '["201",[]]' ]]
    job 201 --json
    [[ $(jq -c .since <<<"$output") == null ]]
}

@test "helpers are one line, and no program" {
    job 204
    [[ $output == *"  beside               3 module commands"* && $output != *tclsh* ]]
    job 204 --json
    [[ $(jq -c '[.programs[] | [.kind, .runs]] | sort' <<<"$output") == '[[null,1],["module commands",3]]' ]]
}

@test "advice comes of rules, and a site changes them" {
    job 204
    [[ $output == *"  GPUs                 2 allocated; no program loaded a library for GPUs"$'\n'* ]]
    [[ $output == *"  advice "*"compiled for another CPU"*"No program of the job loaded a library for GPUs"* ]]
    job 205
    [[ $output == *"Each task took itself for the only one"* ]]
    job 201
    [[ $output != *"  advice "* ]]
    if [[ $EUID == 0 ]]; then
        printf '%s\n' 'illegal-instruction solver = Write to help@site.' 'gpus-unused =' 'illegal-instruction other = no' >"$BATS_TEST_TMPDIR/rules"
        mkdir -p /etc/jobtrail
        mount --bind "$BATS_TEST_TMPDIR" /etc/jobtrail # in the namespace of the tests
        mv "$BATS_TEST_TMPDIR/rules" "$BATS_TEST_TMPDIR/job-advice.conf"
        job 204
        umount /etc/jobtrail
        [[ $output == *"compiled for another CPU"*"Write to help@site."* && $output != *"library for GPUs: ask"* && $output != *" no"$'\n' ]]
    fi
}

@test "repeat prints a script that does it once more, and says whether the program is the same" {
    job repeat 201
    [[ $status == 0 && $stderr == "" ]]
    bash -n <<<"$output"
    [[ $(bash <<<"${output/srun /}") == "$BATS_FILE_TMPDIR 4 -in a b" ]]
    # another file, by sha1: not started
    job repeat 207
    cd "$BATS_TEST_TMPDIR"
    run bash <<<"${output/srun /}"
    [[ $status == 1 && $output == *"solver: FAILED"* && $output != *"-in"* ]]
    # of a user who wants that somebody else repeats more
    job repeat 206
    [[ $output != *"export OMP_X;"* && $output != *"#SBATCH --account"* && $output != *"gcc;touch"* && $output != *$'\e'* ]]
    bash <<<"module() { :; }; srun() { :; }; cd() { :; }; $output"
    [[ ! -e injected ]]
    # nor is what is not known an argument
    job repeat 208
    [[ $status == 0 && $output == *$'\n# '*solver* && $stderr == *"lacks the value of OMP_NUM_THREADS: it is redacted"*"lacks the command"* ]]
    job repeat
    [[ $status == 1 && $stderr == *"repeat takes a job"* ]]
}
