#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-job, and its diff: what is compared with what, and what is said where a side has no record. That jobs of a real
# cluster differ as they do is in test/slurm/records/diff.bats; who may see what, in service.bats.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets them

bats_require_minimum_version 1.5.0
load ../../wait

setup_file() {
    export TZ=UTC JOBTRAIL_STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    made >"$BATS_FILE_TMPDIR/made"
    "$JOBTRAIL_BIN/jobtrail-load" "$JOBTRAIL_SOURCE/test/data/records" "$BATS_FILE_TMPDIR/made"
}

# Runs like that of job 12's step 0, which ended by themselves, each in a job of its own.
made() {
    jq -ac --slurp 'map(select(.slurmT.job_id == 12 and .slurmT.step_id == "0" and .userDT.end_time != 0))[0] | del(.crc) |
        .slurmT += {end_source: "fini", unlisted: 0} | .envT = {PATH: "/opt/a:/usr/bin", OMP_NUM_THREADS: "1",
            TOKEN: "[redacted]", SLURM_JOB_ID: "1", LOADEDMODULES: "gcc/12.2:hdf5/1.14.3"} |
        .libA = [["/lib/libc.so.6", "0"], ["/sw/hdf5/1.14.3/lib/libhdf5.so.310", "aa"], ["/sw/a/libgone.so.1", "0"]] |
        def job($id; $uuid): .slurmT.job_id = $id | .userT.job_id = "\($id)" |
            .userT.run_uuid = "019a9f00-dddd-7000-8000-0000000000\($uuid)";
        job(101; "01"),
        (job(102; "02") | .envT += {PATH: "/opt/b:/usr/bin", SLURM_JOB_ID: "2", LOADEDMODULES: "gcc/13.1:zlib/1", NEW: "x"} |
            del(.envT.OMP_NUM_THREADS) | .cmdlineA += ["--fast"] |
            .libA = [["/lib/libc.so.6", "0"], ["/sw/hdf5/1.14.3/lib/libhdf5.so.310", "bb"], ["/sw/new/libnew.so.1", "0"]]),
        # killed: what it loaded late is not known
        (job(103; "03") | .slurmT += {end_source: "task_exit", signal: 11, exit_code: null, unlisted: null} | .libA = [.libA[0]]),
        # no process told anything
        (job(104; "04") | .slurmT += {end_source: "not_started", exit_code: 127, captured: false, unlisted: null} | .libA = [] | .envT = {}),
        # a program of another name in the same step, and one more of the same
        (job(105; "05") | .userT.exec_path = "/home/alice/bin/renamed"),
        (job(106; "06"), job(106; "07") | .userDT.start_time += 1 | .userT.exec_path = "/opt/tool" | .slurmT.step_id = "1"),
        (job(106; "08")),
        (job(107; "09") | .slurmT.step_id = "7"),
        (job(107; "10") | .userT.exec_path = "/opt/tool" | .slurmT.step_id = "8"),
        (job(108; "11") | .slurmT.unlisted = 2),
        # the site hashes no libraries: libc was built anew, libgone has no build-id
        (job(109; "12") | .libA |= map(.[1] = "0") | .buildIdA = ["ab01", "cd02", "0"]),
        (job(110; "13") | .libA |= map(.[1] = "0") | .buildIdA = ["ab99", "cd02", "0"]),
        ({coverageT: {uuid: "019a9f00-dddd-7000-8000-000000000099", cluster: .slurmT.cluster, syshost: "tiny", job_id: 108,
            array_job_id: null, array_task_id: null, het_job_id: null, het_offset: null, restart_count: 0, node: "n1",
            user: "alice", account: "climate", partition: "main", dropped: 0, cpus: 1, start_time: 1732096800,
            end_time: 1732100400, start_source: "slurm", end_source: "epilog", suspended: 0, core_seconds: 3600,
            timezone: "UTC", others_runs: 0, others_seconds: 0, clock_step: null},
          coverageA: [{outcome: "sampled", leader: null, first_task: 0, core_seconds: 1, step_id: "1", day: "2024-11-20",
            runs: 9, program: "/opt/tool", tasks: 0, start_time: 1732096800, end_time: 1732096801}]})' \
        "$JOBTRAIL_SOURCE"/test/data/records/*.json
}

job() {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-job" --allusers --no-sacct "$@"
    echo "$status: $output$stderr"
}

# facts SECTION WHICH: of the only pair
facts() {
    jq -c ".pairs | if length == 1 then .[0] else error(\"\(length) pairs\") end | .sections[] |
        select(.name == \"$1\") | $2" <<<"$output"
}

@test "what differs is listed with both values, and what is the same is counted" {
    job diff 101 102 --json
    [ "$status" -eq 1 ]
    [ "$(jq -c '[.different, .a.asked, .b.jobs, .only_a, .only_b]' <<<"$output")" = '[true,"101",["102"],[],[]]' ]
    [ "$(facts environment '.different | map([.what, .a, .b])')" = \
        '[["NEW",null,"x"],["OMP_NUM_THREADS","1",null],["PATH","/opt/a:/usr/bin","/opt/b:/usr/bin"]]' ]
    [ "$(facts modules '.different | map([.what, .a, .b])')" = '[["gcc","12.2","13.1"],["hdf5","1.14.3",null],["zlib",null,"1"]]' ]
    [ "$(facts libraries '.different | map([.what, .a.hash, .b.hash, .a.path, .b.path])')" = \
        '[["gone",null,null,"/sw/a/libgone.so.1",null],["hdf5","aa","bb","/sw/hdf5/1.14.3/lib/libhdf5.so.310","/sw/hdf5/1.14.3/lib/libhdf5.so.310"],["new",null,null,null,"/sw/new/libnew.so.1"]]' ]
    [ "$(facts libraries '[.same, .notes[]]')" = '[1,"1 by path alone: their content is not recorded"]' ]
    [ "$(facts arguments '.different | length')" = 1 ]
    [ "$(facts place '[.same, (.different | length)]')" = '[7,0]' ]
    job diff 101 102
    [ "$status" -eq 1 ]
    [[ $output == *"  PATH                 A only: /opt/a"*"B only: /opt/b"* ]]
    [[ $output != *SLURM_JOB_ID* && $output == *"(1 that differ in each job are not compared)"* ]]
    [[ $output == *"the same: executable ("*"Something differs." ]]
}

@test "libraries without a hash are known by their build-ids, and XALT's views have no hash of them" {
    job diff 109 110 --json
    [ "$(facts libraries '.different | map([.what, .a.build_id, .b.build_id, .a.hash])')" = '[["glibc","ab01","ab99",null]]' ]
    [ "$(facts libraries '[.same, .notes[]]')" = '[2,"1 by path alone: their content is not recorded"]' ]
    job diff 109 110
    [[ $output == *"  glibc "*"A: "*"/lib/libc.so.6  build-id ab01"*"B: "*"build-id ab99"* ]]
    # that of a file whose build-id is not known is not that of one where it is
    job diff 101 109 --json
    [ "$(facts libraries '[(.different | length), .same, .notes[]]')" = '[0,3,"3 by path alone: their content is not recorded"]' ]
    [ "$(sqlite3 "${JOBTRAIL_STORE#sqlite:}" "SELECT DISTINCT hash_id FROM xalt_object WHERE object_path = '/lib/libc.so.6'")" = 0 ]
    [ "$(sqlite3 "${JOBTRAIL_STORE#sqlite:}" "SELECT count(*) FROM object WHERE path = '/lib/libc.so.6'")" -ge 3 ]
}

@test "what is redacted is said to be, and is neither the same nor different" {
    job diff 101 102 --json
    [ "$(facts environment .unknown)" = '[{"what":"TOKEN","a":"[redacted]","b":"[redacted]","why":"redacted on both sides"}]' ]
}

@test "a job and itself are the same, and end with 0" {
    job diff 101 101
    [ "$status" -eq 0 ]
    [[ $output == *"No recorded fact differs." ]]
    job diff 101 101 --json
    [ "$(facts environment '.equal[] | select(.what == "OMP_NUM_THREADS") | .a')" = '"1"' ]
    job diff 101 019a9f00-DDDD-7000-8000-000000000001
    [ "$status" -eq 0 ]
    [[ $output != *OMP_NUM_THREADS* ]]
}

@test "what a killed program may have loaded is no difference, and nor is what a side has no record of" {
    job diff 101 103 --json
    [ "$(facts libraries '[(.different | length), (.unknown | map(.what)), .unknown[0].why, .notes[0]]')" = \
        '[0,["gone","hdf5"],"B: complete list not known","B: complete list not known"]' ]
    [ "$(facts end '.different | map([.what, .a, .b])')" = '[["state","COMPLETED","KILLED"],["exit code","0:0","0:11"]]' ]
    job diff 101 104 --json
    [ "$(jq -c '[.pairs[0].sections[] | select(.name | IN("libraries", "environment", "arguments")) |
        [(.different | length), .unknown[0].why]]' <<<"$output")" = \
        '[[0,"not recorded for B"],[0,"not recorded for B"],[0,"not recorded for B"]]' ]
    job diff 101 13.0 --json
    [ "$(jq -c '[.pairs[].sections[] | select(.name == "end") | .different] | flatten' <<<"$output")" = '[]' ]
    job diff 108 102 --json
    [ "$(facts libraries '[(.different | map(.what)), (.unknown | map([.what, .why])), .notes[0]]')" = \
        '[["gone","hdf5"],[["new","A: 2 more were loaded"]],"A: 2 more were loaded"]' ]
}

@test "runs are paired by step and name, then by name, then by step; the rest is on one side" {
    job diff 101 105 --json # one on each side
    [ "$(jq -c '[.pairs[] | [.a.exec_path, .b.exec_path]]' <<<"$output")" = '[["/home/alice/bin/flow.mpi","/home/alice/bin/renamed"]]' ]
    job diff 106 107 --json
    [ "$(jq -c '[.pairs[] | [.a.uuid[-2:], .b.uuid[-2:]]]' <<<"$output")" = '[["08","09"],["06","10"]]' ]
    [ "$(jq -c '[.only_a[] | [.uuid[-2:], .certain]]' <<<"$output")" = '[["07",true]]' ]
    job diff 106.1 107.7 # steps count as the same
    [ "$status" -eq 1 ]
    [[ $output == *"only in A:"*tool* ]]
}

@test "a run that the other side may have had without a record is no difference" {
    job diff 106 108 --json
    [ "$(jq -c '[.b.unseen, (.only_a | map(.certain))]' <<<"$output")" = \
        '[[{"step":"1","outcome":"sampled","tasks":0,"runs":9}],[false,false]]' ]
    [ "$(jq -c '[.different, .pairs[0].different]' <<<"$output")" = '[false,0]' ]
    [ "$status" -eq 0 ]
    job diff 106 108
    [[ $output == *"no record: step 1: 9 programs left out by sampling"*"(B may have no record of it)"* ]]
}

@test "trouble ends with 2, wherever it is" {
    local words
    for words in "diff 101 4711" "diff 101 nothing" "diff 101" "diff 101 102 -s F" "--bogus diff 101 102" "diff 101 102 --csv"; do
        # shellcheck disable=SC2086 # several words
        job $words
        [ "$status" -eq 2 ]
        [ "$output" = "" ]
        [ -n "$stderr" ]
    done
    JOBTRAIL_STORE=sqlite:/nonexistent job diff 101 102
    [ "$status" -eq 2 ]
    job nothing
    [ "$status" -eq 3 ]
}

@test "a summary without Slurm's accounting has what the records tell, and says what is not known" {
    job 103
    [ "$status" -eq 0 ]
    [[ $output == *"state                KILLED, exit code 0:11"* ]]
    [[ $output == *"flow.mpi was killed by signal 11 (SIGSEGV)"* ]]
    [[ $output == *"memory               not known"*"Slurm's accounting does not have the job"* ]]
    job 104
    [[ $output == *"flow.mpi did not start: a library is missing or too old (exit code 127)"* ]]
    job 108 --json
    [ "$(jq -c '[.job.state, .time.limit, .memory.asked, .cpus.efficiency, .unseen[0].outcome, .programs[0].runs]' <<<"$output")" = \
        '["COMPLETED",null,null,null,"sampled",1]' ]
}

@test "a summary is of one job, and a mail of one that has ended" {
    job 12.0
    [ "$status" -eq 3 ]
    [[ $stderr == *"12.0 is no job" ]]
    job 4711
    [ "$status" -eq 1 ]
    [[ $stderr == *"the store has no run of job 4711" ]]
    job 15 --mail alice
    [ "$status" -eq 1 ]
    [ "$output" = "" ]
    job 12 --mail $'alice\nBcc:bob'
    [ "$status" -eq 3 ]
    [ "$output" = "" ]
    job 12 --subject x
    [ "$status" -eq 3 ]
    [[ $stderr == "jobtrail-job: --subject goes with --mail only"* ]]
    # of another user's job not without Slurm's word, and not by what is not proven
    job 12 --mail alice@example.org
    [ "$status" -eq 1 ]
    [ "$output" = "" ]
    own_mail 12
    [[ $output == "To: alice@example.org"$'\n'"Subject: Slurm Job_id=12 Ended, Run time 00:00:05, COMPLETED, ExitCode 0:0"$'\n'*$'\n\n'*flow.mpi* ]]
    own_mail 103
    [[ $output == *"Subject: Slurm Job_id=103 Failed, Run time "*", KILLED, ExitCode 0:11"$'\n'* ]]
    own_mail 12 --subject $'Slurm Job_id=12 Ended\nBcc: bob'
    [[ $output == *$'\n'"Subject: Slurm Job_id=12 Ended"*Bcc*$'\n'"Auto-Submitted: "* && $output != *$'\n'Bcc* ]]
}

@test "a mail is for an address, and has the lines of its head alone" {
    local address
    for address in a@ a@[ '=?utf-8?q?=0aBcc=3a_x@y?=@z' '=?utf-8?q?evil=2c?=@b' 'a@b=?' -a '|sh' /tmp/x 'a,,b' 'a,' 'a@b@c' 'a(b)' é@x \
        "$(printf 'a%.0s' {1..255})" ''; do
        echo "$address"
        job 12 "--mail=$address"
        [ "$status" -eq 3 ]
        [ "$output" = "" ]
        [[ $stderr == *"is no address" ]]
    done
    for address in alice a.b+c=d@x-y.example.org 'alice,bob@host'; do
        own_mail 12 "--mail=$address"
        [ "${lines[0]}" = "To: $address" ]
    done
    # as the name of a job, which its user chooses, is a part of Slurm's subject
    own_mail 12 --subject 'Slurm Job_id=12 Name==?utf-8?q?x=0aBcc=3abob=0a=0atext?= Ended'
    [[ ${lines[1]} == "Subject: "* && ${lines[2]} == " =?utf-8?"* && ${lines[3]} == "Auto-Submitted: "* && $output != *Bcc* ]]
    own_mail 12 --subject "Slurm Job_id=12 Name=$(printf 'é%.0s' {1..80}) Ended"
    [[ ${lines[3]} == " =?utf-8?"* ]] && ! sed '/^$/q' <<<"$output" | grep -E '.{77}' || false
    own_mail 12 --subject '=?utf-8?q?x=0aBcc=3abob?='
    [[ ${lines[1]} == "Subject: "* && ${lines[2]} == "Auto-Submitted: "* && $output != *Bcc* ]]
}

own_mail() { # JOB OPTION...: as alice would ask for it, who is no user of this host
    PYTHONPATH=$JOBTRAIL_SOURCE/contrib run --separate-stderr python3 - "$@" <<'END'
import sys
from jobtrail import program
from jobtrail.acct import main as acct
from jobtrail.job.main import main
acct.user_name = lambda _: "alice"
sys.argv[1:] = ["--no-sacct", "-u", "alice", "--mail", "alice@example.org"] + sys.argv[1:]
program.run(main)
END
    echo "$status: $output$stderr"
    [ "$status" -eq 0 ]
}

@test "jobs of one number, of several clusters or users, are several" {
    jq -ac 'select(.slurmT.job_id == 101) | .slurmT += {job_id: 130} | .userT.job_id = "130" |
        (.slurmT.cluster = "one" | .userT.run_uuid = "019a9f00-dddd-7000-8000-000000000131"),
        (.slurmT.cluster = "two" | .userT.user = "bob" | .userT.run_uuid = "019a9f00-dddd-7000-8000-000000000132")' \
        "$BATS_FILE_TMPDIR/made" | "$JOBTRAIL_BIN/jobtrail-load" /dev/stdin
    job 130
    [ "$status" -eq 3 ]
    [ "$output" = "" ]
    [[ $stderr == *"130 is several jobs: 130 of alice on one, 130 of bob on two" ]]
    job 130 -u bob --json
    [ "$(jq -c '[.job.user, .job.cluster, .programs[0].runs]' <<<"$output")" = '["bob","two",1]' ]
    job 130 -M one --json
    [ "$(jq -c '[.job.user, .job.cluster, .programs[0].runs]' <<<"$output")" = '["alice","one",1]' ]
}

@test "runs of the same arguments are a pair, wherever they started; what one side redacts is not known" {
    jq -ac 'select(.slurmT.job_id == 101) |
        def run($job; $uuid; $at; $words): .slurmT.job_id = $job | .userDT.start_time += $at | .cmdlineA = ["python3"] + $words |
            .userT += {job_id: "\($job)", exec_path: "/bin/python3", run_uuid: "019a9f00-dddd-7000-8000-0000000001\($uuid)"};
        run(140; "40"; 0; ["prep"]), run(140; "41"; 1; ["train"]), run(140; "42"; 2; ["plot"]),
        run(141; "43"; 0; ["plot"]), run(141; "44"; 1; ["train"]),
        run(142; "45"; 0; ["--key=[redacted]", "a"]), (run(143; "46"; 0; ["--key=abc", "a"]) | .envT.TOKEN = "abc"),
        run(144; "47"; 0; ["--key=[redacted]", "b"])' "$BATS_FILE_TMPDIR/made" | "$JOBTRAIL_BIN/jobtrail-load" /dev/stdin
    job diff 140 141 --json
    [ "$(jq -c '[.pairs[] | [.a.uuid[-2:], .b.uuid[-2:], .different]]' <<<"$output")" = '[["41","44",0],["42","43",0]]' ]
    [ "$(jq -c '[.only_a[].uuid[-2:]]' <<<"$output")" = '["40"]' ]
    job diff 142 143 --json
    [ "$status" -eq 0 ]
    [ "$(facts arguments '.unknown | map(.why)')" = '["redacted of A"]' ]
    [ "$(facts environment '.unknown | map([.what, .why])')" = '[["TOKEN","redacted of A"]]' ]
    job diff 143 144
    [ "$status" -eq 1 ]
}

has_sent() { # NUMBER
    [ "$(wc -l <sent)" -eq "$1" ]
}

# controller_mails USER JOB: as Slurm's controller calls its MailProg
controller_mails() {
    SLURM_JOB_USER=$1 SLURM_JOB_UID=$1 SLURM_CLUSTER_NAME=tiny "$BATS_TEST_TMPDIR/jobtrail-mail" \
        -s "Slurm Job_id=$2 Name=x Ended, Run time 00:00:01, COMPLETED, ExitCode 0" "$1"
}

# bats test_tags=needs:root
@test "few mails of a user, and of all, wait for their summaries; the others are plain at once" {
    cd "$BATS_TEST_TMPDIR"
    sed -e "s|^plain=.*|plain=$PWD/plain|; s|^sendmail=.*|sendmail=$PWD/sendmail|; s|^jobtrail_job=.*|jobtrail_job=$PWD/job|" \
        -e "s|^pause=[0-9]*|pause=1|; s|^most=[0-9]*|most=3|; s|^of_user=[0-9]*|of_user=2|; s|^slots=.*|slots=$PWD/slots|" \
        "${JOBTRAIL_STAGE:?}/share/jobtrail/jobtrail-mail" >jobtrail-mail
    printf '%s\n' '#!/bin/sh' "echo \"\$*\" >>$PWD/asked; [ -e $PWD/go ] && exit 3; exit 1" >job
    printf '%s\n' '#!/bin/sh' "echo \"\$3\" >>$PWD/sent" >plain
    cp plain sendmail
    chmod 755 jobtrail-mail job plain sendmail
    controller_mails alice 1
    controller_mails alice 2
    [ ! -e sent ]
    controller_mails alice 3
    [ "$(<sent)" = alice ]
    controller_mails bob 4
    [ "$(<sent)" = alice ]
    controller_mails bob 5
    [ "$(<sent)" = alice$'\n'bob ]
    # without the user nobody is asked
    controller_mails '' 6
    [ "$(wc -l <sent)" -eq 3 ]
    # an answer that stays so ends the waiting
    touch go
    wait_for has_sent 6
    grep -q -- '--user=alice --cluster=tiny --mail=alice --subject=Slurm Job_id=1 Name=x Ended, .* -- 1$' asked
    flock slots/0 flock slots/1 flock slots/2 true
    # a directory of another user's is not used, and the log says so
    printf '%s\n' '#!/bin/sh' "echo \"\$*\" >>$PWD/log" >"$PWD/logger"
    chmod 755 logger
    sed -i "s|^PATH=|PATH=$PWD:|" jobtrail-mail
    chown 6100 slots
    controller_mails alice 7
    [ "$(wc -l <sent)" -eq 7 ]
    grep -q "$PWD/slots is not a directory of this user" log
    # nor is it silent about why there is no summary
    chown 0 slots
    printf '%s\n' '#!/bin/sh' 'echo "it does not know the job" >&2; exit 3' >job
    controller_mails alice 8
    wait_for has_sent 8
    grep -q "job 8: no summary (status 3): it does not know the job" log
    [ "$(find slots -name 'why.*')" = "" ]
    # by default it is where nobody else can make a name
    mkdir -m 1777 everybodys
    mkdir -m 775 groups
    mkdir own
    sed -i "/^find_slots/,\$ s|^slots=.*|slots=\$(find_slots)|; s|for place in .*; do|for place in $PWD/everybodys $PWD/groups $PWD/own; do|" jobtrail-mail
    controller_mails alice 9
    wait_for has_sent 9
    [ -d own/jobtrail-mail ]
}

@test "amounts of sacct are read and written" {
    PYTHONPATH=$JOBTRAIL_SOURCE/contrib python3 - <<'END'
from jobtrail.acct import amounts

assert (amounts.size("62464K"), amounts.size("1.5G"), amounts.size("100Mc", cpus=4), amounts.size("")) == (62464 << 10, 3 << 29, 400 << 20, None)
assert [amounts.seconds(text) for text in ("1-02:03:04", "00:01:00", "01:02.500", "UNLIMITED")] == [93784, 60, 62.5, None]
assert [amounts.size_text(number) for number in (62464 << 10, 3 << 29, 400 << 20, 1000 << 20, None)] == ["61M", "1.5G", "400M", "1.0G", None]
END
}
