#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Trouble of ours on a node: the job runs unchanged, one line in slurmd's log says what to fix,
# jobtrail-conf doctor finds it, and what could be kept is recorded once it is fixed.

load ../fixture/cluster

setup_file() {
    export SPOOL_IN_MEMORY=1
    NODES=1 start_cluster
    LOG=$CLUSTER_DIR/log/slurmd.n1.log
    export LOG
}

setup() {
    # shellcheck disable=SC2034 # for teardown
    TEST_BEGAN=$(date +%FT%T)
    reconfigure
    SEEN=$(wc -l <"$LOG")
}

# reconfigure [SED-SCRIPT]: the configuration, with changes, in force
reconfigure() {
    configure "" "${1-}"
}

# complaints: what the plugin has said in slurmd's log in this test, one a line
complaints() {
    tail -n "+$((SEEN + 1))" "$LOG" | grep -o 'jobtrail: .*' || true
}

complains_once() { # REGEX
    local said
    said=$(complaints)
    [[ $(wc -l <<<"$said") == 1 && $said =~ $1 ]] || fail "slurmd's log says: $said"
}

doctor() { # OPTION...
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-conf" doctor --node n1 \
        --plugstack "$CLUSTER_DIR/etc/plugstack.conf" "$@"
}

# with_timer COMMAND...: on a node whose cron starts what is installed for it
with_timer() {
    # shellcheck disable=SC2016
    "$CLUSTER" exec n1 unshare --mount bash -c 'mount --bind "$0" /etc/cron.d && exec "$@"' "$DIR/cron.d" "$@"
}

# finds_bad CHECK REGEX: the doctor's only bad finding
finds_bad() {
    run doctor --json
    [[ $status == 1 ]]
    jq -e --arg check "$1" --arg found "$2" 'map(select(.state == "bad"))
        | length == 1 and .[0].check == $check and (.[0].found | test($found)) and .[0].fix != ""' \
        <<<"$output" || fail "$output"
}

# unchanged JOB: it did what it would have done, and its user saw nothing of us
unchanged() {
    [[ $(output_of "$1") == "out 3" ]]
    [[ $(run_as root scontrol -o show job "$1") == *JobState=COMPLETED*ExitCode=0:0* ]]
}

# a batch step alone: each step has its own line in the log
# shellcheck disable=SC2016 # for the job to expand
JOB_SCRIPT='$PROGRAMS/exit_with 3; echo "out $?"'

run_job() {
    submit_and_wait "PROGRAMS=$PROGRAMS; $JOB_SCRIPT"
}

flush_again() { # --orphans or --job ID
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" flush "$@" --conf "$DIR/jobtrail.conf" --node n1
}

@test "on a sound node the doctor finds nothing to fix, and slurmd's log has no word of us" {
    job=$(run_job)
    unchanged "$job"
    [[ $(complaints) == "" ]]
    [[ $(record_count "$job") == 1 ]]
    mkdir -p "$DIR/cron.d" /etc/cron.d
    cp "$STAGE/share/jobtrail/jobtrail-send.cron" "$DIR/cron.d/jobtrail-send"
    run with_timer "$STAGE/bin/jobtrail-conf" doctor --node n1 --plugstack "$CLUSTER_DIR/etc/plugstack.conf" --json
    [[ $status == 0 ]]
    other=none
    "$JOBTRAIL_SOURCE/test/systems/can" cpu_quota || other=cgroup # no flush can have a bound of its own
    [[ $(jq -c --arg other "$other" 'map(select(.state != "ok" and .check != $other))' <<<"$output") == "[]" ]] || fail "$output"
    [[ $(jq -r 'map(.check) - ["witness"] | sort | join(" ")' <<<"$output") == \
        "cgroup configuration helper hosts library outbox parts plugin plugstack policy records release role sessions slurmd spool state timer tracking watcher" ]]
    run doctor
    [[ ${lines[-1]} == "node: 0 bad, 1 warning, "*" ok" ]] # no timer
    [[ $status == 0 && $output == *"ok      release $STAGE/lib/slurm/spank_jobtrail.so: for Slurm 22.05, 24.11, 26.05; this is "* ]]
}

@test "a policy as old as its configuration is in force, and an older one is not" {
    touch -d "$(stat -c %z "$DIR/jobtrail.conf")" "$DIR/jobtrail.policy"
    run doctor
    [[ $status == 0 && $output == *"ok      policy "* ]]
    touch -d "$(stat -c %z "$DIR/jobtrail.conf") 1 second ago" "$DIR/jobtrail.policy"
    finds_bad policy "older than the configuration"
}

@test "a directory for sessions in which users could rob each other" {
    reconfigure "s|^\[preload\]|sessions = $DIR/sessions\n&|"
    mkdir -m 777 "$DIR/sessions"
    finds_bad sessions "change each other's"
    chmod 1733 "$DIR/sessions"
    run doctor
    [[ $status == 0 && $output == *"ok      sessions $DIR/sessions: root's"* ]]
    rmdir "$DIR/sessions"
}

@test "a missing helper" {
    reconfigure "s|^program = .*|program = $DIR/none/jobtrail-submit|"
    job=$(run_job)
    unchanged "$job"
    complains_once "job $job: cannot run $DIR/none/jobtrail-submit: No such file"
    finds_bad helper "No such file"
    reconfigure
    run doctor
    [[ $status == 0 && $output == *"warning leftovers $DIR/run/n1: 1 jobs are over"* ]]
    flush_again --orphans
    [[ $(record_count "$job") == 1 ]]
}

@test "a spool that others can write to" {
    chmod 777 "$DIR/run/n1"
    job=$(run_job)
    finds_bad spool "can be changed by others"
    chmod 711 "$DIR/run/n1"
    unchanged "$job"
    complains_once "cannot use the spool directory $DIR/run/n1 \(Operation not permitted\)"
    [[ $(record_count "$job") == 0 ]]
}

@test "a spool on the file system of the directory above it" {
    mkdir -m 711 "$DIR/shared"
    reconfigure "s|^dir = .*/run/%n|dir = $DIR/shared|"
    finds_bad place "shares the file system"
    rmdir "$DIR/shared"
}

@test "what users own has a file system of its own, or the doctor tells why not" {
    run doctor
    [[ $status == 0 && $output == *"ok      parts $DIR/run/n1: "*"each job has a file system of its own"* ]]
    reconfigure "s|^\[spool\]|&\nmount = no|"
    run doctor
    [[ $status == 0 && $output == *"ok      parts $DIR/run/n1: "*"share the journals' file system"* ]]
    reconfigure
    run "$CLUSTER" exec n1 setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
        "$STAGE/bin/jobtrail-conf" doctor --node n1 --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    [[ $status == 0 && $output == *"warning parts $DIR/run/n1: "*"(Operation not permitted)"* ]]
    [[ -z $(find "$DIR/run/n1" -name '.doctor*') ]]
}

@test "a spool that is no directory" {
    reconfigure "s|^dir = .*/run/%n|dir = $DIR/jobtrail.conf/x|"
    job=$(run_job)
    unchanged "$job"
    complains_once "cannot use the spool directory $DIR/jobtrail.conf/x \(Not a directory\)"
    finds_bad spool "Not a directory"
}

@test "a spool on a full file system" {
    "$CLUSTER" exec n1 mkdir -p "$DIR/full"
    "$CLUSTER" exec n1 mount -t tmpfs -o size=64k,mode=711 none "$DIR/full"
    "$CLUSTER" exec n1 dd if=/dev/zero of="$DIR/full/fill" bs=4096 status=none 2>/dev/null || true
    reconfigure "s|^dir = .*/run/%n|dir = $DIR/full|"
    job=$(run_job)
    finds_bad spool "No space left"
    left=$("$CLUSTER" exec n1 ls "$DIR/full")
    "$CLUSTER" exec n1 umount "$DIR/full"
    unchanged "$job"
    complains_once "cannot use the spool directory $DIR/full \(No space left on device\)"
    [[ $left == fill ]]
}

@test "a bad configuration: the old one stays in force" {
    printf '[paths]\nskip = .*/exit_with[\n' >>"$DIR/jobtrail.conf"
    # the policy was compiled within the same tick of the clock
    touch -d "@$(stat -c %.9Z "$DIR/jobtrail.conf")" "$DIR/jobtrail.policy"
    job=$(run_job)
    unchanged "$job"
    complains_once "jobtrail.conf:.*: '\[' is not closed"
    [[ $(record_count "$job") == 1 ]]
    run doctor --json
    [[ $status == 1 ]]
    [[ $(jq -r '.[] | select(.check == "configuration" and .state == "bad").found' <<<"$output") == *"'[' is not closed"* ]]
}

@test "a wrong path of the library" {
    reconfigure "s|^library = .*|library = $DIR/none/libjobtrail.so|"
    job=$(run_job)
    unchanged "$job"
    complains_once "cannot read the library $DIR/none/libjobtrail.so"
    finds_bad library "No such file"
    [[ $(record_count "$job") == 0 ]]
}

@test "no policy, and none that could be made" {
    mv "$DIR/jobtrail.conf" "$DIR/jobtrail.policy" "$DIR/home"
    job=$(run_job)
    mv "$DIR/home/jobtrail.conf" "$DIR/home/jobtrail.policy" "$DIR"
    unchanged "$job"
    complaints | grep -q "no usable policy for $DIR/jobtrail.conf"
    rm "$DIR/jobtrail.policy"
    finds_bad policy "No such file"
}

@test "a configuration, or a policy, that others can change" {
    chmod 777 "$DIR"
    job=$(run_job)
    found=$(doctor --json | jq -r '.[] | select(.check == "configuration").found')
    chmod 755 "$DIR"
    unchanged "$job"
    complaints | grep -q "jobtrail.conf not compiled: .*root does not use it: others can change $DIR"
    complaints | grep -q "no usable policy for $DIR/jobtrail.conf (others than root can change it)"
    [[ $found == "$DIR can be changed by others than root" && $(record_count "$job") == 0 ]]
    # a policy alone is made anew
    chmod 666 "$DIR/jobtrail.policy"
    job=$(run_job)
    unchanged "$job"
    [[ $(stat -c %a "$DIR/jobtrail.policy") == 644 && $(record_count "$job") == 1 ]]
}

@test "records that cannot be delivered wait in the outbox" {
    mv "$DIR/records" "$DIR/records.away"
    touch "$DIR/records"
    job=$(run_job)
    unchanged "$job"
    complains_once "job $job: jobtrail-submit: transport file: .*Not a directory"
    finds_bad records "Not a directory"
    rm "$DIR/records"
    mv "$DIR/records.away" "$DIR/records"
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" outbox retry --conf "$DIR/jobtrail.conf"
    [[ $(record_count "$job") == 1 ]]
}

@test "where there can be no outbox, captures stay in the spool until slurmd starts again" {
    mv "$DIR/state" "$DIR/state.away"
    touch "$DIR/state"
    job=$(run_job)
    unchanged "$job"
    complains_once "job $job: the flush failed: .*Not a directory"
    finds_bad state "Not a directory"
    rm "$DIR/state"
    mv "$DIR/state.away" "$DIR/state"
    "$CLUSTER" restart-slurmd n1
    # shellcheck disable=SC2317,SC2329 # called by eventually
    recorded() { [[ $(record_count "$job") == 1 ]]; }
    eventually 30 recorded
    "$CLUSTER" wait-idle
}

@test "of a flush that is killed the log says so, and the next one records the job" {
    mv "$STAGE/bin/jobtrail-submit" "$STAGE/bin/jobtrail-submit.away"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nkill -KILL $$\n' >"$STAGE/bin/jobtrail-submit"
    chmod 755 "$STAGE/bin/jobtrail-submit"
    job=$(run_job)
    mv "$STAGE/bin/jobtrail-submit.away" "$STAGE/bin/jobtrail-submit"
    unchanged "$job"
    complains_once "job $job: the flush failed: ended by signal 9 [(]Killed[)]"
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" flush --orphans --conf "$DIR/jobtrail.conf" --node n1
    [[ $(record_count "$job") == 1 ]]
}

@test "a spool on a file system without access control lists" {
    "$CLUSTER" exec n1 mkdir -p "$DIR/ramfs"
    "$CLUSTER" exec n1 mount -t ramfs -o mode=711 none "$DIR/ramfs"
    reconfigure "s|^dir = .*/run/%n|dir = $DIR/ramfs|"
    run doctor
    "$CLUSTER" exec n1 umount "$DIR/ramfs"
    [[ $output == *"warning privacy $DIR/ramfs: "* ]]
}

@test "a plugin that is inactive in this Slurm, one that others can change, one that is gone" {
    local plugin=$STAGE/lib/slurm/spank_jobtrail.so
    mkdir -p "$DIR/other"
    printf '#!/bin/sh\necho slurm 23.11.3\n' >"$DIR/other/slurmd"
    chmod 755 "$DIR/other/slurmd"
    PATH=$DIR/other:$PATH finds_bad release "and this is 23.11: the plugin is inactive in it"
    chmod 777 "$plugin"
    finds_bad plugin "can be changed by others"
    chmod 755 "$plugin"
    sed 's|spank_jobtrail.so|gone/spank_jobtrail.so|' "$CLUSTER_DIR/etc/plugstack.conf" >"$DIR/plugstack.conf"
    run doctor --plugstack "$DIR/plugstack.conf"
    [[ $status == 1 && $output == *"bad     plugin $STAGE/lib/slurm/gone/spank_jobtrail.so: No such file"* ]]
    : >"$DIR/plugstack.conf"
    run doctor --plugstack "$DIR/plugstack.conf" --conf "$DIR/jobtrail.conf"
    [[ $status == 1 && $output == *"bad     plugstack $DIR/plugstack.conf: no line loads it"* ]]
    mkdir "$DIR/plugstack.conf.d"
    echo "required $plugin conf=$DIR/jobtrail.conf" >"$DIR/plugstack.conf.d/jobtrail.conf"
    echo "include plugstack.conf.d/*.conf" >"$DIR/plugstack.conf"
    run doctor --plugstack "$DIR/plugstack.conf"
    [[ $status == 0 && $output == *"warning plugstack $DIR/plugstack.conf: it is 'required'"* ]]
}

@test "a process watch that is gone" {
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" watch --stop --conf "$DIR/jobtrail.conf" --node n1
    run doctor
    [[ $status == 0 && $output == *"warning watcher $DIR/run/n1/watch.pid: no process watch is running"* ]]
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" wait-idle
    run doctor
    [[ $status == 0 && $output == *"ok      watcher $DIR/run/n1/watch.pid: process "* ]]
}

# ---- bounded, and once

# slow_program NAME: one that takes long to hash: 64 GiB of nothing
slow_program() {
    cp "$PROGRAMS/exit_with" "$DIR/home/$1"
    chmod 755 "$DIR/home/$1"
    truncate -s 64G "$DIR/home/$1"
}

@test "an epilog waits as long as it may, and the flush goes on by itself" {
    reconfigure '/^epilog_timeout/d; s|^\[submit\]|&\nepilog_timeout = 1\nhash_file_size = 1024G|'
    slow_program slow
    job=$(submit_and_wait "$DIR/home/slow 0")
    complains_once "job $job: the flush goes on after 1 s"
    [[ $(record_count "$job") == 0 ]]
    truncate -s 64K "$DIR/home/slow"
    recorded() { [[ $(record_count "$job") == 1 && ! -e $DIR/run/n1/$job.0 ]]; }
    eventually 60 recorded
}

@test "the epilog, slurmd's restart and four flushes by hand at once give each record once" {
    job=$(submit "for i in {1..40}; do $PROGRAMS/exit_with 0; done; echo pid \$\$; sleep 1000")
    eventually 60 output_has "$job" '^pid'
    for _ in {1..4}; do
        (while [[ ! -e $DIR/stop-flushes ]]; do flush_again --job "$job" || true; done) >>"$DIR/flushes" 2>&1 3>&- &
    done
    run_as root scancel "$job"
    "$CLUSTER" restart-slurmd n1
    wait_job "$job"
    gone() { [[ ! -e $DIR/run/n1/$job.0 ]]; }
    eventually 30 gone
    touch "$DIR/stop-flushes"
    wait
    rm "$DIR/stop-flushes"
    [[ $(record_count "$job" exit_with) == 40 ]]
    [[ $(records "$job" | jq 'map(.userT.run_uuid) | unique | length') == $(record_count "$job") ]]
    [[ ! -e $DIR/state/quarantine ]]
    "$CLUSTER" wait-idle
}

@test "when the flush breaks down in every epilog, status, doctor and the exit status say so" {
    local job
    # as a library that is not what it was: the function is called by the child alone
    printf 'void json_object_set_serializer(void) { __builtin_trap(); }\n' >"$DIR/broken.c"
    cc -fPIC -shared "$DIR/broken.c" -o "$DIR/broken.so"
    printf '#!/bin/sh\nLD_PRELOAD=%s exec %s "$@"\n' "$DIR/broken.so" "$STAGE/bin/jobtrail-submit" >"$DIR/broken-submit"
    chmod 755 "$DIR/broken-submit" "$DIR/broken.so"
    reconfigure "s|^program = .*|program = $DIR/broken-submit|"
    for _ in 1 2 3; do
        job=$(submit_and_wait "$PROGRAMS/say_hello; echo out 3" -w n1)
        [[ $(output_of "$job") == *"out 3" ]]
        eventually 30 test -e "$DIR/state/quarantine/$job.0"
    done
    run "$STAGE/bin/jobtrail-submit" status --json --conf "$DIR/jobtrail.conf" --node n1
    echo "$output"
    [[ $status == 5 && $(jq .broken_flushes <<<"$output") == 3 ]]
    run doctor --json
    [[ $status == 1 && $output == *"it broke down for the last 3 jobs"* ]]
    # one that comes through ends it
    reconfigure
    submit_and_wait "$PROGRAMS/say_hello" -w n1
    run "$STAGE/bin/jobtrail-submit" status --json --conf "$DIR/jobtrail.conf" --node n1
    [[ $status == 0 && $(jq .broken_flushes <<<"$output") == 0 ]]
}
