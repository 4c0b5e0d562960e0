#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The service for answers on a cluster with munge and slurmdbd: users, a coordinator and an operator see of jobtrail what
# they see of sacct.
# bats file_tags=needs:answers

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    # all have a default account of lab, and chem is the other one; below it is dyes
    start_cluster ACCT=dbd ACCT_USERS=root,jtuser NODES=1
    export CONF=$DIR/answers.conf
    local user
    for user in jtother jtcoord jtoper jtservice jtproxy; do make_user "$user"; done
    {
        run_as root sacctmgr -i add account chem Organization=lab Description=chem
        run_as root sacctmgr -i add account dyes Parent=chem Organization=lab Description=dyes
        run_as root sacctmgr -i add user jtother,jtcoord,jtservice Account=lab
        run_as root sacctmgr -i add user jtoper Account=lab AdminLevel=Operator
        run_as root sacctmgr -i add user jtother Account=chem
        run_as root sacctmgr -i add user jtother Account=dyes
        run_as root sacctmgr -i add coordinator Account=chem Names=jtcoord
        run_as root sacctmgr -i modify user jtservice set AdminLevel=Operator
    } >>"$CLUSTER_DIR/log/sacctmgr.log"
    run_jobs
    mkdir -m 700 "$DIR/store"
    "$STAGE/bin/jobtrail-load" --store "sqlite:$DIR/store/jobtrail.db" "$DIR/records"
    chown -R jtservice: "$DIR/store"
}

teardown_file() {
    service_stop
    stop_cluster
}

# one job of jtuser's in lab, and of jtother's one in each account
run_jobs() {
    local id
    MINE=$(submit "srun $PROGRAMS/exit_with 0")
    LAB=$(SUBMIT_AS=jtother submit "srun $PROGRAMS/exit_with 0" --account=lab)
    CHEM=$(SUBMIT_AS=jtother submit "srun $PROGRAMS/exit_with 3" --account=chem)
    DYES=$(SUBMIT_AS=jtother submit "srun $PROGRAMS/exit_with 0" --account=dyes)
    for id in "$MINE" "$LAB" "$CHEM" "$DYES"; do
        wait_job "$id"
        eventually 60 is_accounted "$id"
    done
    export MINE LAB CHEM DYES
}

is_accounted() { # JOB: slurmdbd knows the end of all of it
    local states
    states=$(run_as root sacct -n -P -X -j "$1" -o state) && [[ -n $states && $states != *PENDING* && $states != *RUNNING* ]]
}

# ANSWER: the command that starts it, by default as users do
service_start() { # KEY=VALUE...
    local answer=("$STAGE/bin/jobtrail-answer")
    [[ ! -v ANSWER ]] || answer=("${ANSWER[@]}")
    service_stop
    printf '%s\n' '[answers]' user=jtservice "munge_socket=$CLUSTER_DIR/run/munge.socket" listen=127.0.0.1:0 \
        "store=sqlite:$DIR/store/jobtrail.db" "$@" >"$CONF"
    : >"$DIR/answers.out"
    run_as jtservice "${answer[@]}" --conf "$CONF" >"$DIR/answers.out" 2>>"$DIR/answers.err" 3>&- 4>&- &
    eventually 30 grep -q 'listens on port' "$DIR/answers.out"
    echo "address=127.0.0.1:$(sed 's/.* port \([0-9]*\) .*/\1/' "$DIR/answers.out")" >>"$CONF"
}

service_stop() {
    local pid
    for pid in $(pgrep -f "/jobtrail-answer --conf $CONF\$"); do kill "$pid" 2>/dev/null || true; done
    eventually 30 is_stopped
}

is_stopped() {
    ! pgrep -f "/jobtrail-answer --conf $CONF\$" >/dev/null
}

private_data() { # WORDS: of slurmdbd, with jobs
    local conf=$CLUSTER_DIR/etc/slurmdbd.conf
    sed -i '/^PrivateData/d' "$conf"
    echo "PrivateData=$1" >>"$conf"
    run_as root sacctmgr -i reconfigure
    eventually 30 has_private_jobs
}

has_private_jobs() { # by what slurmdbd does: not every sacctmgr says it
    local users
    users=$(sacct_of jtuser -a -o user) && [[ $users == *jtuser* && $users != *jtother* ]]
}

# sacctmgr_tells: what it calls slurmdbd's configuration is slurmdbd's. With Slurm 26.05 it is sacctmgr's.
sacctmgr_tells() {
    ! run_as root sacctmgr -nP show configuration | sed '1,/^SlurmDBD/d' | grep -q '^StorageType *= accounting_storage/slurmdbd$'
}

acct_of() { # USER OPTION...
    run_as "$1" env JOBTRAIL_CONF="$CONF" "$STAGE/bin/jobtrail-acct" -n -P -S now-1hour "${@:2}"
}

sacct_of() { # USER OPTION...
    run_as "$1" sacct -n -P -X -S now-1hour "${@:2}"
}

jobs_of() { # ID...: in the order of the list
    printf '%s\n' "$@" | sort
}

all_see_what_sacct_shows() {
    local user option
    for user in jtuser jtother jtcoord jtoper root; do
        for option in "" -a "-u jtother" "-A chem,dyes" "-a -A lab"; do
            echo "$user $option"
            # shellcheck disable=SC2086 # several options
            eventually 30 same_jobs "$user" $option
        done
    done
}

# slurmdbd leaves users' jobs out for a moment after it has read its users
same_jobs() { # USER OPTION...
    diff <(sacct_of "$1" "${@:2}" -o jobid | sort) <(acct_of "$1" "${@:2}" -X -o jobid | sort)
}

@test "with no PrivateData all see all, as with sacct; their own, where sacctmgr does not tell it" {
    service_start see=slurm
    if ! sacctmgr_tells; then
        [ "$(acct_of jtuser -a -o jobidraw -X)" = "$MINE" ]
        [ "$(acct_of jtoper -a -o jobidraw -X | wc -l)" -eq 4 ]
        return
    fi
    all_see_what_sacct_shows
    [ "$(acct_of jtuser -a -o jobidraw -X | sort)" = "$(jobs_of "$MINE" "$LAB" "$CHEM" "$DYES")" ]
}

@test "with PrivateData a user sees their own, a coordinator an account and those below, an operator all: as with sacct" {
    private_data jobs,usage
    service_start see=slurm
    all_see_what_sacct_shows
    [ "$(acct_of jtuser -a -o jobidraw -X)" = "$MINE" ]
    [ "$(acct_of jtother -a -o jobidraw -X | sort)" = "$(jobs_of "$LAB" "$CHEM" "$DYES")" ]
    [ "$(acct_of jtcoord -a -o jobidraw -X | sort)" = "$(jobs_of "$CHEM" "$DYES")" ]
    [ "$(acct_of jtoper -a -o jobidraw -X | sort)" = "$(jobs_of "$MINE" "$LAB" "$CHEM" "$DYES")" ]
    # and in reports
    run_as jtcoord env JOBTRAIL_CONF="$CONF" "$STAGE/bin/jobtrail-report" accounts --json >"$DIR/report"
    [ "$(jq -c '[.pages[0].rows[].account] | sort' "$DIR/report")" = '["chem","dyes"]' ]
    # and in Slurm's facts
    [ "$(acct_of jtcoord -a -j "$CHEM" -o user,state,exitcode,slurmstate)" = "jtother|FAILED|3:0|FAILED" ]
    [ "$(acct_of jtuser -j "$MINE" -X -o jobname)" = "$(sacct_of jtuser -j "$MINE" -o jobname)" ]
}

@test "the pages for the site's web server show each user what they see of sacct" {
    local user web
    web=$(mktemp -d /tmp/jobtrail-web.XXXXXX)
    chown jtservice: "$web"
    chmod 755 "$web"
    private_data jobs,usage
    service_start see=slurm "web_socket=$web/socket" web_proxy_user=jtproxy
    for user in jtuser jtother jtcoord jtoper; do
        run_as jtproxy python3 "$JOBTRAIL_SOURCE/test/e2e/answers/web_client.py" fetch "$web/socket" "/jobs.csv?from=now-1days" \
            "X-Remote-User: $user" >"$DIR/jobs.csv"
        echo "$user"
        diff <(sacct_of "$user" -a -o jobidraw | sort) <(tail -n +2 "$DIR/jobs.csv" | cut -d, -f1 | sort)
    done
    run_as jtproxy python3 "$JOBTRAIL_SOURCE/test/e2e/answers/web_client.py" fetch "$web/socket" "/job?id=$CHEM" \
        "X-Remote-User: jtcoord" >"$DIR/job.html"
    grep -q FAILED "$DIR/job.html"
    grep -q 'of jtcoord, and in chem, dyes' "$DIR/job.html"
    # who is not the proxy is nobody
    run run_as jtuser python3 "$JOBTRAIL_SOURCE/test/e2e/answers/web_client.py" fetch "$web/socket" /jobs.csv "X-Remote-User: jtoper"
    [[ $output != *job* ]]
    service_stop
    rmdir "$web"
}

@test "what the site's configuration says goes before" {
    private_data jobs
    service_start see=own operators=jtuser
    [ "$(acct_of jtuser -a -o jobidraw -X | wc -l)" -eq 4 ]
    [ "$(acct_of jtcoord -a -o jobidraw -X)" = "" ]
    service_start see=all
    [ "$(acct_of jtcoord -a -o jobidraw -X | wc -l)" -eq 4 ]
}

@test "of a running job its owner and an operator hear how to see what runs, and nobody else hears of it" {
    local job user
    private_data jobs
    service_start see=slurm
    job=$(submit "$PROGRAMS/spin 900 sleep")
    eventually 60 has_state "$job" RUNNING
    run --separate-stderr acct_of jtuser -j "$job"
    [[ $status == 0 && -z $output ]]
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *"job $job runs on n1: "*": srun --overlap --jobid=$job jobtrail-ps" ]]
    run --separate-stderr acct_of jtoper -a -j "$job"
    [[ $stderr == *"as root on each of n1: jobtrail-ps -j $job" ]]
    for user in jtother jtcoord; do
        run --separate-stderr acct_of "$user" -a -j "$job"
        [[ $status == 0 && -z $output && $stderr != *"$job runs"* ]]
    done
    run_as root scancel "$job"
    wait_job "$job"
}

@test "while slurmdbd does not answer users see their own runs, and operators of the configuration all" {
    private_data jobs
    kill -STOP "$(cat "$CLUSTER_DIR/run/slurmdbd.pid")"
    service_start see=slurm operators=jtuser
    run --separate-stderr acct_of jtother -a -o user --no-sacct
    kill -CONT "$(cat "$CLUSTER_DIR/run/slurmdbd.pid")"
    echo "$status: $output"
    [ "$(sort -u <<<"$output")" = jtother ]
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == "jobtrail: you see your own runs only, since Slurm's accounting does not answer: "* ]]
    [ "$(acct_of jtuser -a -o user --no-sacct | sort -u | paste -sd,)" = jtother,jtuser ]
}

# What Slurm said is kept for one second in place of five minutes.
service_start_forgetful() { # KEY=VALUE...
    local ANSWER=(/usr/bin/python3 -I -c '
import sys
sys.path.insert(0, sys.argv[1])
del sys.argv[1:3]
from jobtrail import program
from jobtrail.answers.service import rights, server
rights.KEEP_SECONDS = 1
program.run(server.main)' "$STAGE/libexec/jobtrail" "$STAGE/bin/jobtrail-answer")
    service_start "$@"
}

@test "rights that Slurm has taken away are gone with the next question after they were kept" {
    private_data jobs
    service_start_forgetful see=slurm
    [ "$(acct_of jtcoord -a -o jobidraw -X | sort)" = "$(jobs_of "$CHEM" "$DYES")" ]
    [ "$(acct_of jtoper -a -o user --no-sacct | sort -u | paste -sd,)" = jtother,jtuser ]
    run_as root sacctmgr -iQ delete coordinator account=chem,dyes names=jtcoord
    sleep 1.1
    [ "$(acct_of jtcoord -a -o jobidraw -X)" = "" ]
    sleep 1.1
    kill -STOP "$(cat "$CLUSTER_DIR/run/slurmdbd.pid")"
    run --separate-stderr acct_of jtoper -a -o user --no-sacct
    kill -CONT "$(cat "$CLUSTER_DIR/run/slurmdbd.pid")"
    [ "$output" = "" ]
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *"since Slurm's accounting does not answer: "* ]]
}
