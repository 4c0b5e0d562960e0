#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the watcher's looks at running processes say of ends that nobody told. Needs root.

load ../fixture/job

setup() {
    RULES=$KEEP_ALL new_job
    LOOKS=$SPOOL/$JOB.0/looks
    PIDS=()
}

teardown() {
    ((${#PIDS[@]} == 0)) || kill -KILL "${PIDS[@]}" 2>/dev/null || true
}

now() {
    date +%s.%N
}

look() {
    "$JOBTRAIL_BIN/jobtrail-submit" watch --once --conf "$CONF" --node e2e
}

# start COMMAND...: PID runs it
start() {
    (exec env "${TRACKED[@]}" "$@" >/dev/null 2>&1 3>&-) &
    PID=$!
    PIDS+=("$PID")
}

runs() { # PROGRAM: PID has become it, past its constructors
    [[ $(readlink "/proc/$PID/exe") == "$PROGRAMS/$1" && $(awk '{ print $3 }' "/proc/$PID/stat") == S ]]
}

end() {
    kill -KILL "$PID"
    wait "$PID" || true
}

# is_within FIRST FROM TO: the only record's end, as it is told and at the latest
is_within() {
    [[ $(records | jq "length == 1 and .[0].userDT.end_time >= $1 and .[0].userDT.end_time <= $2
        and .[0].userDT.end_time + .[0].slurmT.end_time_error >= $2
        and .[0].userDT.end_time + .[0].slurmT.end_time_error <= $3") == true ]] || {
        records | jq -c '.[] | [.userDT.start_time, .userDT.end_time, .slurmT]'
        return 1
    }
}

@test "a process that was killed between two looks has its end in between" {
    local before killed
    start "$PROGRAMS/spin" 600 sleep
    wait_for runs spin
    before=$(now)
    look
    killed=$(now)
    end
    look
    flush >/dev/null
    [[ $(endings) == "spin epilog" ]]
    is_within "$before" "$killed" "$(now)"
}

@test "the running watcher looks at processes when it starts" {
    start "$PROGRAMS/spin" 600 sleep
    wait_for runs spin
    "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e >/dev/null 2>&1 3>&- &
    PIDS+=("$!")
    wait_for test -e "$LOOKS"
    [[ $(awk 'NR == 2 { print $2, ($6 > 0) }' "$LOOKS") == "$PID 1" ]] # it was seen alive
}

@test "a process that was gone before the first look counts no time, and ended before that look" {
    local started ended
    started=$(now)
    tracked "$PROGRAMS/_exit_with" 0
    ended=$(now)
    look
    look
    flush >/dev/null
    is_within "$started" "$ended" "$(now)"
    [[ $(records | jq '.[0].userDT.run_time') == 0 ]]
}

@test "a run whose library hangs in a destructor after it has signed lives until it is seen last" {
    local before killed
    HANGS=$BATS_TEST_TMPDIR/hangs
    start LD_PRELOAD="$LIBRARY $PROGRAMS/hang_at_end.so" HANGS="$HANGS" "$PROGRAMS/exit_with" 0
    wait_for test -e "$HANGS"
    sleep 0.1 # beyond the error of a signature
    before=$(now)
    look
    [[ $(awk 'NR == 2 { print $4 % 4 - $4 % 2 }' "$LOOKS") == 2 ]] # it has signed
    killed=$(now)
    end
    look
    flush >/dev/null
    [[ $(endings) == "exit_with epilog" ]]
    is_within "$before" "$killed" "$(now)"
}

@test "a parent for which a vforked child has signed lives until it is seen last" {
    local before killed
    start "$PROGRAMS/vfork_exit" "$BATS_TEST_TMPDIR/on"
    wait_for test -e "$BATS_TEST_TMPDIR/on"
    sleep 0.1
    before=$(now)
    look
    killed=$(now)
    end
    look
    flush >/dev/null
    [[ $(endings) == "vfork_exit epilog" ]]
    is_within "$before" "$killed" "$(now)"
}

@test "a program in whose process another one is seen has ended by exec" {
    start "$PROGRAMS/exec_to" "$PROGRAMS/spin_static" 600 sleep
    wait_for runs spin_static
    look
    end
    flush >/dev/null
    [[ $(endings) == "exec_to exec" ]]
    [[ $(records | jq '.[0].userDT.run_time') == 0 ]]
}

@test "nothing is noted of a process that is not the job's user's, nor without a change" {
    start "$PROGRAMS/spin" 600 sleep
    wait_for runs spin
    sed -i "s/uid=0 gid=0/uid=$(id -u nobody) gid=$(id -g nobody)/" "$SPOOL/$JOB.0/journal"
    chown nobody: "$SPOOL/$JOB.0/user"/*
    look
    [[ $(awk 'NR == 2 { print $6, $7 }' "$LOOKS") == "0 0" ]]
    before=$(stat -c %i "$LOOKS")
    look
    [[ $(stat -c %i "$LOOKS") == "$before" && $(stat -c '%U %a' "$LOOKS") == "root 600" ]]
}

@test "of a job that holds more open slots than are noted, the rest is as without a watcher" {
    rm -r "$SPOOL"
    sed -i '/^\[spool\]/a ledger_size = 256M' "$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB" $((256 << 20))
    tracked "$PROGRAMS/_exit_with" 0
    "$PROGRAMS/clone_captures" "$SPOOL/$JOB.0/user/ledger" 17000 >/dev/null
    look
    look
    [[ $(wc -l <"$LOOKS") == 16385 ]]
    flush >/dev/null
    [[ $(records | jq length) == 17000 && -z $(ls "$SPOOL") ]]
}

@test "a damaged file of looks is as none" {
    tracked "$PROGRAMS/_exit_with" 0
    look
    echo "1 2 3" >>"$LOOKS"
    leaves "_exit_with epilog"
}
