#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# However a program ends, its open calls end when the kernel says that it did (jobtrail-submit witness). bats
# itself is the daemon of the job's step here. The programs have no capture: the kernel's word is all that there is.
# bats file_tags=needs:hear_kernel,needs:root,needs:profile,needs:witness

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/witness
load ../fixture/profile

setup() {
    RULES=$'[witness]\nlevel = ends' SYSTEM_TOOLS=no new_job
    new_profile
    # shellcheck disable=SC2034 # the fixture uses it
    WITNESS=
    GROUPS_AT=
    name_daemon
    cd "$BATS_TEST_TMPDIR" || return
    keep_profiles
    gcc -O1 -finstrument-functions -DEXEC "$PROFILE_PROGRAMS/ends.c" -o ends
}

# begin HOW [COMMAND...]: PID is in last(), as a task of the job's step
begin() {
    env "${PROFILED[@]}" JOBTRAIL_TASK=4294967291.0.0 LD_PRELOAD="$PROFILE_LIBRARY" "${@:2}" "$PWD/ends" "$1" >said.times 2>/dev/null 3>&- &
    PID=$!
    wait_for has_begun
}

has_begun() {
    [[ $(wc -l <said.times) == 3 ]]
}

# ended_in_last STATUS FROM WORDS: it has this status; it was in last() from when it said so until its end, which was after FROM, and
# was as the words say
ended_in_last() {
    local status=0 after times
    wait "$PID" || status=$?
    after=$(date +%s%N)
    ((status == $1))
    hush
    flush >/dev/null
    mapfile -t times <said.times
    "$JOBTRAIL_BIN/jobtrail-profile" show --json kept/*/*.profile >shown
    jq -e '.ranks | length == 1 and .[0].was_in == "last<main<init" and .[0].end_known and (.[0].reached_exit | not)' shown
    # clocks may be slewed, and processes are ended by a coarse one
    awk -v was="$(jq '.ranks[0].was_in_seconds' shown)" -v least="$2" -v most="$after" -v before="${times[0]}" -v in_it="${times[1]}" \
        'BEGIN { exit !(was * 1e9 >= (least - in_it) * 0.999 - 2e7 && was * 1e9 <= (most - before) * 1.001 + 2e7) }'
    # so it is with the calls around it
    jq -e '[.rows[] | {key: .function, value: .}] | from_entries |
        .main.calls == 1 and .last.calls == 1 and .work.calls == 10 and .main.inclusive_seconds >= .last.inclusive_seconds' shown
    has_sound_times kept/*/*.profile
    run "$JOBTRAIL_BIN/jobtrail-profile" show kept/*/*.profile
    [[ $output == *": $3; was in last<main<init for "*" s"$'\n'* ]]
}

# later: the times at two moments differ by more than the coarse clocks do
later() {
    ((i++ > 3))
}

@test "a signal: the open calls last until the kernel's time" {
    local signal from i
    for signal in KILL TERM; do
        rm -rf kept/* "$SPOOL"
        new_profile
        name_daemon
        listen
        begin sleep
        i=0
        wait_for later
        from=$(date +%s%N)
        kill -"$signal" "$PID"
        ended_in_last $((128 + $(kill -l "$signal"))) "$from" "killed by SIG$signal"
    done
}

@test "the limit of processor time" {
    listen
    begin spin prlimit --cpu=1:1
    # a second of processor time is one on the clock at the least, but for what was used before
    ended_in_last 137 "$(($(tail -n 1 said.times) + 900000000))" "killed by SIGKILL"
}

@test "_exit: no exit handler has run" {
    listen
    begin _exit
    ended_in_last 7 "$(tail -n 1 said.times)" "ended by _exit with status 7"
}

@test "exec: the calls of the program that is replaced are open until then at the most" {
    listen
    begin exec
    wait "$PID"
    hush
    flush >/dev/null
    after=$(date +%s%N)
    run "$JOBTRAIL_BIN/jobtrail-profile" show kept/*/*.profile
    [[ $output == *": replaced by exec; was in last<main<init"*" (its end is not known; it ended at most "*" s later)"* ]]
    "$JOBTRAIL_BIN/jobtrail-profile" show --json kept/*/*.profile >shown
    jq -e --argjson most $((after - $(head -n 1 said.times))) \
        '.ranks[0] | .ended == "exec" and .end_later_seconds_max >= 0 and .end_later_seconds_max * 1e9 <= $most' shown
}

@test "of ranks that were all killed it is told which one was so first" {
    local first second i=0
    listen
    begin sleep env JOBTRAIL_TASK=4294967291.3.0
    first=$PID
    begin sleep env JOBTRAIL_TASK=4294967291.1.0
    second=$PID
    wait_for later
    kill -KILL "$first"
    wait "$first" || (($? == 137))
    i=0
    wait_for later
    kill -KILL "$second"
    wait "$second" || (($? == 137))
    hush
    flush >/dev/null
    run "$JOBTRAIL_BIN/jobtrail-profile" show kept/*/*.profile
    [[ $output == *"# rank 3, step "*", node e2e, pid $first, ended first: killed by SIGKILL, at 2"*", at least 0."*" s before the next one ended"* ]]
}

# bats test_tags=needs:cgroup_v1
@test "the kernel ends it for its memory" {
    listen
    GROUPS_AT=/sys/fs/cgroup/memory/jobtrail-test-$$
    mkdir "$GROUPS_AT"
    echo $((64 << 20)) >"$GROUPS_AT/memory.limit_in_bytes"
    # shellcheck disable=SC2016 # it is the inner shell's
    begin eat sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUPS_AT"
    ended_in_last 137 "$(tail -n 1 said.times)" "killed by SIGKILL"
}
