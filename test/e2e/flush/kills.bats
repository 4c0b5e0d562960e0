#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The flush: killed anywhere, run several times at once, with nobody who reads what it says. Needs
# root.
# bats file_tags=needs:root

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/syslog

setup() {
    RULES=$KEEP_ALL new_job
}

# three_and_damaged: a job of four runs, of which the first one's capture is damaged, in $TEMPLATE
three_and_damaged() {
    local i
    for i in 1 2 3 4; do tracked "$PROGRAMS/exit_with" "$i" || true; done
    # the first slot's fields_bytes (preload/ledger.h)
    printf '\xff\xff\xff\xff' | dd of="$SPOOL/$JOB.0/user/ledger" bs=1 seek=$((36864 + 88)) conv=notrunc status=none
    TEMPLATE=$BATS_TEST_TMPDIR/template
    cp -a "$SPOOL" "$TEMPLATE"
}

# again: the job as it was; with $MOUNTED what its user owns is on a file system of its own
again() {
    unmount_part
    rm -rf "${SPOOL:?}" "${RECORDS:?}" "$BATS_TEST_TMPDIR/state"
    cp -a "$TEMPLATE" "$SPOOL"
    [[ -n ${MOUNTED-} ]] || return 0
    rm "$SPOOL/$JOB.0/user"/*
    mount -t tmpfs -o mode=711,size=80m jobtrail "$SPOOL/$JOB.0/user"
    cp -a "$TEMPLATE/$JOB.0/user/." "$SPOOL/$JOB.0/user"
    ln -s "$(readlink /proc/self/ns/mnt)" "$SPOOL/$JOB.0/mounted"
}

unmount_part() {
    ! mountpoint -q "$SPOOL/$JOB.0/user" || umount -l "$SPOOL/$JOB.0/user"
}

teardown() {
    unmount_part
}

# calls: "NAME NUMBER" of each system call of a flush from where it has found the job: the
# NUMBERth call of this name
calls() {
    again
    flush_traced -o "$BATS_TEST_TMPDIR/trace" >/dev/null 2>&1
    awk -F'(' -v job="\"$JOB.0\"" '/^[a-z_0-9]+\(/ { n[$1]++; if (index($0, job)) found = 1
        if (found && $1 != "exit_group") print $1, n[$1] }' "$BATS_TEST_TMPDIR/trace"
}

flush_traced() { # STRACE-OPTION...
    strace "$@" "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e
}

killed_anywhere() {
    local all call number every
    three_and_damaged
    calls >"$BATS_TEST_TMPDIR/calls"
    all=$(wc -l <"$BATS_TEST_TMPDIR/calls")
    ((all > 60))
    every=$((JOBTRAIL_SOAK ? 1 : all / 40))
    while read -r call number; do
        again
        flush_traced -o /dev/null -e "inject=$call:signal=KILL:when=$number" >/dev/null 2>&1 || true
        flush >/dev/null 2>&1 || { echo "the flush after one killed at $call $number"; return 1; }
        [[ -z $(ls "$SPOOL") && $(records | jq length) == 3 &&
            $(ls "$BATS_TEST_TMPDIR/state/quarantine") == "$JOB.0" &&
            $(<"$BATS_TEST_TMPDIR/state/quarantine/$JOB.0/reason") == damaged* ]] ||
            { echo "killed at $call $number"; ls -R "$SPOOL" "$RECORDS" "$BATS_TEST_TMPDIR/state"; return 1; }
    done < <(awk -v every="$every" 'NR % every == 0' "$BATS_TEST_TMPDIR/calls")
}

@test "a flush that is killed at any system call is completed by the next, each record once" {
    killed_anywhere
}

@test "so it is where the job's files have a file system of their own" {
    MOUNTED=yes killed_anywhere
}

# removals: "NAME NUMBER" of each call of a flush by which it removes something
removals() {
    again
    flush_traced -o "$BATS_TEST_TMPDIR/trace" >/dev/null 2>&1
    awk -F'(' '/^[a-z_0-9]+\(/ { n[$1]++ } /^(unlink|unlinkat|rmdir|umount2)\(/ { print $1, n[$1] }' \
        "$BATS_TEST_TMPDIR/trace"
}

# The timer's flush, which takes a directory that has just been made for one in use.
removed_by_the_next() {
    local call number
    for number in 1 2 3; do tracked "$PROGRAMS/exit_with" "$number" || true; done
    echo "epilog time=$(date +%s.%N) user=root account=a partition=p" >>"$SPOOL/$JOB.0/journal"
    TEMPLATE=$BATS_TEST_TMPDIR/template
    cp -a "$SPOOL" "$TEMPLATE"
    removals >"$BATS_TEST_TMPDIR/removals"
    (($(wc -l <"$BATS_TEST_TMPDIR/removals") > 6))
    while read -r call number; do
        again
        flush_traced -o /dev/null -e "inject=$call:signal=KILL:when=$number" >/dev/null 2>&1 || true
        "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e >/dev/null
        [[ -z $(ls "$SPOOL") && $(records | jq length) == 3 ]] ||
            { echo "killed at $call $number"; ls -R "$SPOOL" "$RECORDS"; return 1; }
    done <"$BATS_TEST_TMPDIR/removals"
}

@test "what a flush leaves that is killed while it removes is gone after the next, at once" {
    removed_by_the_next
}

@test "so it is on a file system of its own" {
    MOUNTED=yes removed_by_the_next
}

@test "a flush that is killed at a random moment is completed by the next, each record once" {
    local i pid
    three_and_damaged
    for ((i = 0; i < (JOBTRAIL_SOAK ? 400 : 40); i++)); do
        again
        "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e >/dev/null 2>&1 3>&- &
        pid=$!
        sleep "0.00$((RANDOM % 10))$((RANDOM % 10))"
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" || true
        flush >/dev/null 2>&1
        [[ -z $(ls "$SPOOL") && $(records | jq length) == 3 ]]
    done
}

@test "eight flushes of a job at once give each record once" {
    local i
    three_and_damaged
    for ((i = 0; i < (JOBTRAIL_SOAK ? 50 : 5); i++)); do
        again
        for _ in {1..8}; do flush >>"$BATS_TEST_TMPDIR/counts" 2>/dev/null & done
        wait
        [[ -z $(ls "$SPOOL") && $(records | jq length) == 3 ]]
    done
    # each directory was dealt with by one of them, and no record was sent twice
    awk -v rounds="$i" '{ for (f = 1; f < NF; f += 2) { gsub(",", "", $(f + 1)); sum[$f] += $(f + 1) } }
        END { exit !(sum["jobs"] == rounds && sum["records"] == 3 * rounds && sum["quarantined"] == rounds) }' \
        "$BATS_TEST_TMPDIR/counts"
}

# ---- the child that reads what the user wrote

# slow_job USER: a job of his whose executable takes long to hash
slow_job() {
    local journal=$SPOOL/$JOB.0/journal
    grep -q '^hash_file_size' "$CONF" ||
        sed -i '/^\[submit\]/a hash_file_size = 1024G' "$CONF"
    # 64 GiB of nothing
    cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/slow"
    tracked "$BATS_TEST_TMPDIR/slow" 0
    truncate -s 64G "$BATS_TEST_TMPDIR/slow"
    sed -i "s/uid=0 gid=0/uid=$(id -u "$1") gid=$(id -g "$1")/" "$journal"
    chown "$1:" "$SPOOL/$JOB.0/user"/*
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" 2>/dev/null || true
}

# start_slow_flush: FLUSH and its child WORKER, which has dropped its privileges
start_slow_flush() {
    "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e \
        >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
    FLUSH=$!
    wait_for find_worker
    # shellcheck disable=SC2016
    wait_for bash -c 'grep -q "NoNewPrivs:.1" /proc/$1/status' _ "$WORKER"
}

# its children are the one that hashes and, younger, the one that reads the ledger
find_worker() {
    local children
    read -ra children <"/proc/$FLUSH/task/$FLUSH/children" || true
    ((${#children[@]} == 2)) && WORKER=${children[1]}
}

another_worker() { # THAN
    find_worker 2>/dev/null && [[ $WORKER != "$1" ]] && grep -q 'NoNewPrivs:.1' "/proc/$WORKER/status"
}

@test "the child that reads a job's files is the user in what it may open alone" {
    slow_job nobody
    start_slow_flush
    grep -qE "^Uid:.4294967293.$(id -u nobody).4294967293.$(id -u nobody)$" "/proc/$WORKER/status"
    grep -qE "^Gid:.$(id -g nobody).$(id -g nobody).$(id -g nobody).$(id -g nobody)$" "/proc/$WORKER/status"
    grep -qE '^Groups:[[:space:]]*$' "/proc/$WORKER/status"
    grep -qE '^Cap(Inh|Prm|Eff|Amb):.0+$' "/proc/$WORKER/status"
    [[ $(grep -cE '^Cap(Inh|Prm|Eff|Amb):.0+$' "/proc/$WORKER/status") == 4 ]]
    grep -qE '^Max processes +0 +0 ' "/proc/$WORKER/limits"
    grep -qE '^Max file size +0 +0 ' "/proc/$WORKER/limits"
    grep -qE '^Max core file size +0 +0 ' "/proc/$WORKER/limits"
    [[ $(stat -c %U "/proc/$WORKER/mem") == root ]] # not dumpable
    kill -KILL "$FLUSH"
    wait_for process_ended "$WORKER" # it dies with its parent
}

@test "the job's user can neither stop, kill nor trace the child that reads his files" {
    local signal
    slow_job nobody
    start_slow_flush
    for signal in STOP TERM KILL; do
        run setpriv --reuid nobody --regid nogroup --clear-groups bash -c "kill -$signal $WORKER"
        [[ $status != 0 && $output == *"not permitted"* ]]
    done
    run setpriv --reuid nobody --regid nogroup --clear-groups strace -qp "$WORKER"
    [[ $status != 0 && $output == *"not permitted"* ]]
    grep -qE '^State:.[RSD]' "/proc/$WORKER/status"
    truncate -s 64K "$BATS_TEST_TMPDIR/slow"
    wait "$FLUSH"
    [[ $(endings) == "slow fini" ]]
}

@test "a child that is killed is started again; the capture that it was at twice is passed over" {
    local first
    slow_job nobody
    start_slow_flush
    first=$WORKER
    kill -KILL "$WORKER"
    wait_for another_worker "$first"
    truncate -s 64K "$BATS_TEST_TMPDIR/slow"
    wait "$FLUSH"
    [[ $(endings) == "slow fini" ]]

    rm -rf "$RECORDS"
    RULES=$KEEP_ALL new_job
    tracked "$PROGRAMS/exit_with" 0
    slow_job nobody
    chown root: "$SPOOL/$JOB.0/user"/* # a process uses a ledger of its own user alone
    tracked "$PROGRAMS/exit_with" 0
    chown nobody: "$SPOOL/$JOB.0/user"/*
    start_slow_flush
    wait_for is_at_slow
    first=$WORKER
    kill -KILL "$WORKER"
    wait_for another_worker "$first"
    wait_for is_at_slow
    kill -KILL "$WORKER"
    wait "$FLUSH"
    [[ $(endings) == $'exit_with fini\nexit_with fini' && -z $(ls "$SPOOL") ]]
    [[ $(<"$BATS_TEST_TMPDIR/state/quarantine/$JOB.0/reason") == "captures that stopped their reader twice are not recorded" ]]
    [[ -s $BATS_TEST_TMPDIR/state/quarantine/$JOB.0/ledger ]]
}

# the second of three slots, of a page each, from page 9 on: its unit is the page and 1 (conf/base/worker.h)
is_at_slow() {
    [[ $(od -An -tu8 "$SPOOL/$JOB.0/flushed.begun" | xargs) == 11 ]]
}

@test "a capture that has killed two flushes is passed over by the third" {
    local round
    tracked "$PROGRAMS/exit_with" 0
    slow_job nobody
    for round in 1 2; do
        start_slow_flush
        wait_for is_at_slow
        kill -KILL "$FLUSH"
        wait "$FLUSH" || true
        echo "$round"
    done
    flush >/dev/null 2>&1
    [[ $(endings) == "exit_with fini" && -z $(ls "$SPOOL") ]]
    [[ $(<"$BATS_TEST_TMPDIR/state/quarantine/$JOB.0/reason") == captures\ that* ]]
}

# ---- memory

# kib_of_flush COUNT: the largest memory of any process of the flush of a job with COUNT captures
kib_of_flush() {
    rm -rf "${SPOOL:?}" "${RECORDS:?}"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    tracked "$PROGRAMS/exit_with" 0
    "$PROGRAMS/clone_captures" "$SPOOL/$JOB.0/user/ledger" "$1" >/dev/null
    python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
' "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e
    [[ $(find "$RECORDS" -type f | wc -l) == "$1" ]]
}

@test "ten times as many captures take hardly more memory" {
    local few many
    few=$(kib_of_flush 1500)
    many=$(kib_of_flush 15000)
    echo "$few KiB and $many KiB"
    # 40 bytes a capture are kept; 3 KiB were, when all were in memory
    ((many - few < 6 * 1024))
}

# ---- nobody reads what it says

@test "what a flush says when the epilog has stopped waiting goes to syslog" {
    tracked "$PROGRAMS/exit_with" 0
    touch "$BATS_TEST_TMPDIR/state" # no directory: there is no outbox
    # shellcheck disable=SC2016
    with_syslog bash -c '
        mkfifo "$1.pipe"
        true <"$1.pipe" &
        exec 9>"$1.pipe"
        wait $!
        shift
        "$@" 2>&9
        true' _ "$BATS_TEST_TMPDIR/fifo" "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e
    grep -q 'jobtrail-submit\[[0-9]*\]: nothing flushed: .*' "$BATS_TEST_TMPDIR/syslog"
    [[ -e $SPOOL/$JOB.0/user/ledger ]]
}

@test "what the process watch says in the background goes to syslog" {
    touch "$BATS_TEST_TMPDIR/state"
    with_syslog "$JOBTRAIL_BIN/jobtrail-submit" watch --detach --conf "$CONF" --node e2e
    "$JOBTRAIL_BIN/jobtrail-submit" watch --stop --conf "$CONF" --node e2e
    grep -q 'jobtrail-submit\[[0-9]*\]: no start records: ' "$BATS_TEST_TMPDIR/syslog"
}

# slow_flush PATH...: as a flush where each opening of these files takes a second, or more on a slow machine
slow_flush() {
    local path paths=()
    for path in "$@"; do
        paths+=(-P "$path")
    done
    # shellcheck disable=SC2153 # of wait.bash
    strace -f -o "$BATS_TEST_TMPDIR/slow" "${paths[@]}" -e trace=openat,open -e inject=openat:delay_enter=$((SLOW * 500))ms \
        "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e --json
}

@test "a job that takes longer than its time goes on with the next flush, nothing lost and nothing twice" {
    local i all=0 flushes=0 late=0 slow=()
    RULES=$KEEP_ALL new_job
    sed -i '/^\[submit\]/a job_timeout = '$((SLOW * 3 / 2)) "$CONF"
    for i in {1..5}; do # each to be hashed
        cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/program$i"
        slow+=("$BATS_TEST_TMPDIR/program$i")
        tracked "$BATS_TEST_TMPDIR/program$i"
    done
    # one more job, which is not to wait for the end of the first: the next flush begins with it
    "$PROGRAMS/make_spool" "$SPOOL" 9999
    sed 's/job=4711/job=9999/' "$SPOOL/$JOB.0/journal" >"$SPOOL/9999.0/journal"
    TRACKED=(JOBTRAIL_SPOOL="$SPOOL/9999.0/user" "${TRACKED[@]:1}")
    tracked "$PROGRAMS/exit_with"
    tee -a "$SPOOL"/{"$JOB",9999}.0/journal <<<"epilog time=$(date +%s.%N) user=root account=a partition=p"
    while [[ $(ls "$SPOOL") != "" ]]; do
        run --separate-stderr slow_flush "${slow[@]}"
        [[ $status == 0 || $status == 1 ]]
        ((++flushes < 12))
        [[ $(find "$RECORDS" -name 'run.*' | wc -l) == $((all + $(jq .records <<<"$output"))) ]]
        all=$(find "$RECORDS" -name 'run.*' | wc -l)
        # shellcheck disable=SC2154
        [[ $stderr != *"job $JOB.0: not flushed to its end, the rest is for the next flush"* ]] || late=$((late + 1))
        case $flushes in
        1) [[ -e $SPOOL/9999.0 && -e $SPOOL/$JOB.0/flushed && $stderr == *"out of time: 1 jobs are left for the next flush"* ]] ;;
        2) [[ ! -e $SPOOL/9999.0 && $stderr != *"no more time"* ]] ;;
        esac
    done
    ((late >= 1 && flushes == late + 1))
    endings
    [[ $(endings | sort | uniq -c | xargs) == "1 exit_with fini 1 program1 fini 1 program2 fini 1 program3 fini 1 program4 fini 1 program5 fini" ]]
    [[ $(records | jq -c 'map(.hash_id == "0") | unique') == "[false]" ]]
}
