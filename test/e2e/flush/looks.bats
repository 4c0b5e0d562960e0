#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the process watch's looks at running processes say of ends that nobody told. Needs root.

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

# start_plain COMMAND...: PID runs it, without the library
start_plain() {
    (exec "$@" >/dev/null 2>&1 3>&-) &
    PID=$!
    PIDS+=("$PID")
}

# start COMMAND...: PID runs it
start() {
    start_plain env "${TRACKED[@]}" "$@"
}

# start_in_time OFFSET: PID is a child of the process that makes its time namespace
start_in_time() {
    start_plain unshare --fork --time --boottime "$1" -- env "${TRACKED[@]}" "$PROGRAMS/spin" 600 sleep
    wait_for pgrep -P "$PID" -x spin
    PID=$(pgrep -P "$PID" -x spin)
    PIDS[-1]=$PID
}

runs_file() { # PATH: PID has become it, past its constructors
    [[ $(readlink "/proc/$PID/exe") == "$1" && $(sed 's/.*) //' "/proc/$PID/stat") == S* ]]
}

runs() { # PROGRAM
    runs_file "$PROGRAMS/$1"
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

@test "so has one that the loader was asked to run" {
    local before killed loader
    loader=$(readelf -lW "$PROGRAMS/spin" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
    start "$loader" "$PROGRAMS/spin" 600 sleep
    wait_for runs_file "$(readlink -f "$loader")"
    before=$(now)
    look
    killed=$(now)
    end
    look
    flush >/dev/null
    [[ $(endings) == "spin epilog" ]]
    is_within "$before" "$killed" "$(now)"
}

start_watch() {
    "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e >/dev/null 2>&1 3>&- &
    PIDS+=("$!")
}

@test "the running process watch looks at processes when it starts" {
    start "$PROGRAMS/spin" 600 sleep
    wait_for runs spin
    start_watch
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

# lives_until_killed: the process PID, by looks before and after it is killed
lives_until_killed() {
    local before killed
    before=$(now)
    look
    killed=$(now)
    end
    look
    flush >/dev/null
    is_within "$before" "$killed" "$(now)"
}

@test "a program in whose process another one is seen has ended by exec" {
    local before seen
    mkfifo "$BATS_TEST_TMPDIR/go"
    # shellcheck disable=SC2016 # the shell in the job
    start sh -c ': >"$1/on"; read -r _ <"$1/go"; exec "$2" 600 sleep' \
        sh "$BATS_TEST_TMPDIR" "$PROGRAMS/spin_static"
    wait_for test -e "$BATS_TEST_TMPDIR/on"
    before=$(now)
    look
    seen=$(now)
    echo >"$BATS_TEST_TMPDIR/go"
    wait_for runs spin_static
    look
    end
    flush >/dev/null
    [[ $(endings) == "dash exec" ]]
    is_within "$before" "$seen" "$(now)"
}

@test "a program that was not seen before its file was another one may have run until the job's end" {
    local killed
    start "$PROGRAMS/exec_to" "$PROGRAMS/spin_static" 600 sleep
    wait_for runs spin_static
    look
    killed=$(now)
    end
    flush >/dev/null
    [[ $(endings) == "exec_to epilog" ]]
    is_within 0 "$killed" "$(now)"
    [[ $(records | jq '.[0].userDT.run_time') == 0 ]]
}

@test "a program lives on when its file, or a directory above it, is renamed" {
    mkdir "$BATS_TEST_TMPDIR/old"
    cp "$PROGRAMS/spin" "$BATS_TEST_TMPDIR/old/app"
    start "$BATS_TEST_TMPDIR/old/app" 600 sleep
    wait_for runs_file "$BATS_TEST_TMPDIR/old/app"
    look
    mv "$BATS_TEST_TMPDIR/old/app" "$BATS_TEST_TMPDIR/old/app.1"
    look
    mv "$BATS_TEST_TMPDIR/old" "$BATS_TEST_TMPDIR/new"
    lives_until_killed
    [[ $(endings) == "app epilog" ]]
}

@test "a program lives on when another file has taken the place of its own" {
    cp "$PROGRAMS/spin" "$BATS_TEST_TMPDIR/app"
    start "$BATS_TEST_TMPDIR/app" 600 sleep
    wait_for runs_file "$BATS_TEST_TMPDIR/app"
    look
    cp "$PROGRAMS/spin_static" "$BATS_TEST_TMPDIR/app.new"
    mv "$BATS_TEST_TMPDIR/app.new" "$BATS_TEST_TMPDIR/app"
    lives_until_killed
    [[ $(endings) == "app epilog" ]]
}

@test "a program whose file's name ends as that of a removed one lives on, also when it is removed" {
    local file="$BATS_TEST_TMPDIR/x (deleted)"
    cp "$PROGRAMS/spin" "$file"
    start "$file" 600 sleep
    wait_for runs_file "$file"
    look
    [[ $(awk 'NR == 2 { print ($6 > 0), $7 }' "$LOOKS") == "1 0" ]]
    rm "$file"
    lives_until_killed
    [[ $(endings) == "x (deleted) epilog" ]]
}

@test "a program without a file, in memory, lives until it is seen last" {
    cat >"$BATS_TEST_TMPDIR/in_memory.py" <<'EOF'
import os, sys
file = os.memfd_create("mem")
os.write(file, open(sys.argv[1], "rb").read())
os.execve(file, ["mem", "600", "sleep"], dict(one.split("=", 1) for one in sys.argv[2:]))
EOF
    start_plain python3 "$BATS_TEST_TMPDIR/in_memory.py" "$PROGRAMS/spin" "${TRACKED[@]}"
    wait_for runs_file "/memfd:mem (deleted)"
    lives_until_killed
}

@test "a process whose first thread has ended lives as long as another one" {
    is_left() { [[ $(awk '{ print $3, $20 }' "/proc/$PID/stat") == "Z 2" ]]; }
    start "$PROGRAMS/main_thread_leaves" wait
    wait_for is_left
    lives_until_killed
    [[ $(endings) == "main_thread_leaves epilog" ]]
}

@test "a process about which the kernel gives no answer is not gone" {
    local error path
    start "$PROGRAMS/spin" 600 sleep
    wait_for runs spin
    for error in EMFILE ENOMEM; do
        for path in "/proc/$PID" "/proc/$PID/stat"; do
            strace -o "$BATS_TEST_TMPDIR/trace" -P "$path" -e "inject=openat:error=$error" \
                "$JOBTRAIL_BIN/jobtrail-submit" watch --once --conf "$CONF" --node e2e
            [[ $(awk 'NR == 2 { print $6, $7 }' "$LOOKS") == "0 0" ]]
        done
    done
    lives_until_killed
    [[ $(endings) == "spin epilog" ]]
}

# bats test_tags=needs:root
@test "a process in a time namespace of its own is not gone as long as it runs" {
    local offset started killed
    started=$(now)
    for offset in 100000000 -1; do
        start_in_time "$offset"
        wait_for runs spin
    done
    look
    awk 'NR > 1 && $7 != 0 { exit 1 }' "$LOOKS"
    killed=$(now)
    kill -KILL "${PIDS[@]}"
    look
    flush >/dev/null
    [[ $(endings) == "$(repeated 2 "spin epilog")" ]]
    [[ $(records | jq "all(.slurmT.end_time_min >= $started and .slurmT.end_time_max >= $killed)") == true ]]
}

@test "processes are looked at while the looks for starts rest" {
    start "$PROGRAMS/spin" 600 sleep
    wait_for runs spin
    # a look reads the configuration first: this one takes long to read, and so the rest is long
    seq -f 'keep = /none/%.0f' 2500000 >>"$CONF"
    start_plain "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e
    wait_for test -e "$LOOKS"
}

# bats test_tags=needs:root
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

@test "of a job that holds more open slots than are noted, the rest is as without a process watch" {
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
