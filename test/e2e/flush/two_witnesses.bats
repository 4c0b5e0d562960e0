#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The flush compares what processes wrote with what the kernel told, and says what was lost. Needs root.
# bats file_tags=needs:hear_events

load ../fixture/job
load ../fixture/witness

# covered JQ: of the job's coverage record
covered() {
    find "$RECORDS" -type f -name 'coverage.*.json' -exec cat {} + | jq -r ".coverageT | $1"
}

# cause NAME: processes that it explains
cause() {
    covered .witness_causes | tr ' ' '\n' | sed -n "s/^$1=//p"
}

# answers: jobtrail-acct --coverage of the records, without rows
answers() {
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" "$RECORDS" >/dev/null
    "$JOBTRAIL_BIN/jobtrail-acct" --store "sqlite:$BATS_TEST_TMPDIR/store.db" --coverage --allusers --jobs "$JOB" "$@"
}

storm() { # COUNT: of threads
    python3 -c "
import threading
for i in range($1):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()"
}

@test "processes that end in any way agree" {
    listen
    run_one tracked "$PROGRAMS/exit_with" 3
    run_one tracked "$PROGRAMS/_exit_with" 4
    run_one tracked "$PROGRAMS/kill_self" 9
    run_one tracked "$PROGRAMS/end_by" exit_group
    run_one tracked "$PROGRAMS/threads_exit"
    run_one tracked "$PROGRAMS/main_thread_leaves"
    run_one tracked "$PROGRAMS/thread_exec" "$PROGRAMS/exit_with" 6
    run_one tracked "$PROGRAMS/exec_to" "$PROGRAMS/exit_with" 7
    run_one tracked sh -c "(true); $PROGRAMS/exit_with 8; exit 8"
    flush
    hush
    [[ $(covered .witness) == objects && $(covered .witness_unexplained) == 0 && $(covered .witness_agreed) -ge 10 ]]
    [[ $(covered .witness_causes) =~ ^(unloaded=[0-9]+ ?)?(unmapped=[0-9]+)?$ ]]
}

@test "what leaves no capture is explained, by its cause" {
    listen
    run_one tracked "$PROGRAMS/exit_with_static" 3
    run_one tracked "$PROGRAMS/exec_to" "$PROGRAMS/exit_with_static" 4
    run_one tracked env -i "$PROGRAMS/exit_with" 5
    echo $'[paths]\nskip = .*/_exit_with\nkeep = .*\n[witness]\nlevel = objects' >"$BATS_TEST_TMPDIR/rules"
    sed -i '/^\[paths\]/,$d' "$CONF"
    cat "$BATS_TEST_TMPDIR/rules" >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    run_one tracked "$PROGRAMS/_exit_with" 6
    flush
    hush
    [[ "$(cause static) $(cause left_out) $(covered .witness_unexplained)" == "2 1 0" && $(cause unloaded) -ge 1 ]]
}

@test "a claim about processes that there were not is not explained" {
    listen
    run_one tracked "$PROGRAMS/exit_with" 3
    "$PROGRAMS/clone_captures" "$SPOOL/$JOB.0/user/ledger" 60 >/dev/null
    flush
    hush
    # their pids follow the program's: some may be those of processes that there are
    [[ $(covered .witness_unexplained) -ge 40 ]]
    [[ $(answers) == *", $(covered .witness_unexplained) unexplained"* ]]
    "$JOBTRAIL_BIN/jobtrail-report" coverage --store "sqlite:$BATS_TEST_TMPDIR/store.db" >"$BATS_TEST_TMPDIR/report"
    tr -s '\n ' ' ' <"$BATS_TEST_TMPDIR/report" | grep -qF ", $(covered .witness_unexplained) unexplained."
}

@test "a witness that did not come round to read tells of what was lost" {
    listen
    kill -STOP "$WITNESS"
    run_one storm 20000
    kill -CONT "$WITNESS"
    run_one tracked "$PROGRAMS/exit_with" 3
    flush
    hush
    [[ $(covered .witness_lost) -gt 0 && $(covered .witness_unexplained) == 0 ]]
    [[ $(answers) == *"Losses on the nodes of 1 jobs"* ]]
    [[ $(answers --json | jq '.witness.lost > 0 and .witness.jobs_lost == 1') == true ]]
}

# bats test_tags=needs:hear_kernel
@test "ends that had no room are told of, too" {
    listen
    kill -STOP "$WITNESS"
    run_one storm 20000
    kill -CONT "$WITNESS"
    flush
    hush
    [[ $(covered .witness_overruns) -gt 0 && $(covered .witness_unexplained) == 0 ]]
    [[ $(answers --json | jq '.witness.overruns > 0') == true ]]
}

@test "a witness that stays stopped is not waited for, and the job's time is not heard" {
    listen
    kill -STOP "$WITNESS"
    run_one tracked "$PROGRAMS/exit_with" 3
    flush
    [[ "$(cause unheard) $(covered .witness_unexplained)" == "1 0" && $(covered '.witness_unheard > 0') == true ]]
}

@test "the time between two witnesses, and what ended in it, are told" {
    local between
    listen
    run_one tracked "$PROGRAMS/exit_with" 3
    wait_for noted "$PID"
    kill -KILL "$WITNESS"
    wait "$WITNESS" || true
    run_one tracked "$PROGRAMS/exit_with" 4
    between=$PID
    listen_on
    flush
    hush
    [[ "$(cause unheard) $(covered .witness_unexplained)" == "1 0" && $(covered '.witness_unheard > 0') == true ]]
    [[ -z $(records | jq -r ".[] | select(.slurmT.pid == $between and .slurmT.end_source == \"kernel\") | .slurmT.pid") ]]
    [[ $(answers) == *"Nobody listened for "*" of 1 jobs"* ]]
}

@test "processes that are older than the witness are counted" {
    local older
    "$PROGRAMS/spin" 600 sleep >/dev/null 3>&- &
    older=$!
    wait_for grep -qx spin "/proc/$older/comm"
    listen
    kill -TERM "$older"
    wait "$older" || true
    wait_for noted "$older"
    flush
    hush
    [[ $(covered .witness_older) -ge 1 && $(covered '.witness_unheard > 0') == true ]]
    [[ $(answers) == *"were older than the witness"* ]]
}

@test "where nobody listens, all of the job is unheard; where nobody asks for it, nothing is" {
    run_one tracked "$PROGRAMS/exit_with" 3
    flush
    [[ $(covered '"\(.witness) \(.witness_agreed) \((.witness_unheard - .end_time + .start_time) | fabs < 0.001)"') == "none 0 true" ]]
    rm -r "$RECORDS"
    setup
    sed -i 's/^level = .*/level = off/' "$CONF"
    run_one tracked "$PROGRAMS/exit_with" 3
    flush
    [[ $(covered '"\(.witness) \(.witness_unheard)"') == "off 0"* ]]
    [[ $(answers) != *witness* ]]
}
