#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The flush compares what processes wrote with what the kernel reported, and says what was lost.
# bats file_tags=needs:hear_events,needs:root,needs:witness

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

# bats test_tags=needs:hear_kernel
@test "a program ends when the kernel saw another one replace it, whatever that is" {
    listen
    run_one tracked "$PROGRAMS/exec_to" "$PROGRAMS/exec_to" "$PROGRAMS/exit_with" 7
    run_one tracked "$PROGRAMS/thread_exec" "$PROGRAMS/exit_with_static" 3
    flush
    hush
    # their starts and ends follow each other
    [[ $(records | jq -c 'map(select(.userT.exec_path | test("/(exec_to|thread_exec)$"))) | sort_by(.userDT.start_time) |
        [map([.slurmT.captured_by, .slurmT.end_source, .slurmT.end_time_error <= 0.0001])[],
        .[0].userDT.end_time <= .[1].userDT.start_time]') == \
        '[["library","exec",true],["library","exec",true],["library","exec",true],true]' ]]
}

@test "what leaves no capture is explained, by its cause" {
    local missing=" 1"
    cc -shared -o "$BATS_TEST_TMPDIR/libgone.so" -x c /dev/null
    cc -o "$BATS_TEST_TMPDIR/needs" -x c - -Wl,--no-as-needed -L"$BATS_TEST_TMPDIR" -lgone <<<'int main(void) { return 0; }'
    rm "$BATS_TEST_TMPDIR/libgone.so"
    listen
    run_one tracked "$BATS_TEST_TMPDIR/needs"
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
    # a program that lacks a library is known by its exit code, which not every kernel reports
    ! "$JOBTRAIL_SOURCE/test/systems/can" hear_kernel || missing="1 0"
    [[ "$(cause static) $(cause left_out) $(cause not_started) $(covered .witness_unexplained)" == "2 1 $missing" && $(cause unloaded) -ge 1 ]]
}

# bats test_tags=needs:hear_kernel
@test "without mappings what leaves no capture has no run of the kernel's word, and why is not known" {
    sed -i 's/^level = .*/level = ends/' "$CONF"
    listen
    run_one tracked "$PROGRAMS/exit_with_static" 3
    run_one env -i "$PROGRAMS/exit_with" 4
    run_one tracked "$PROGRAMS/exit_with" 5
    flush
    hush
    [[ "$(covered .witness) $(covered .witness_unexplained) $(covered .witness_causes)" =~ ^"ends 0 unmapped="[0-9]+$ ]]
    [[ $(cause unmapped) -ge 2 ]]
    [[ $(records | jq -r '.[].slurmT | "\(.captured_by) \(.end_source) \(.exit_code)"') == "library fini 5" ]]
}

# bats test_tags=needs:hear_kernel
@test "a process in a pid namespace of its own is found by its start and its path" {
    listen
    run_one unshare --fork --pid --mount-proc env "${TRACKED[@]}" "$PROGRAMS/_exit_with" 6
    flush
    hush
    [[ "$(records | jq -r '.[].slurmT | "\(.captured_by) \(.end_source) \(.exit_code)"' | sort -u)" == *"library kernel 6"* ]]
    [[ -z $(cause name_space) && $(covered .witness_unexplained) == 0 ]]
}

# bats test_tags=needs:hear_kernel
@test "equal processes that live at once in a pid namespace of their own have a process of the kernel's each" {
    listen
    # shellcheck disable=SC2016 # the inner shell's
    run_one unshare --fork --pid --mount-proc env "${TRACKED[@]}" sh -c 'for i in 1 2 3 4; do "$@" & done; wait' sh "$PROGRAMS/spin" 1 sleep
    flush
    hush
    [[ $(records | jq -c '[.[] | select(.userT.exec_path | endswith("/spin")).slurmT | [.exit_code, .max_rss > 0]]') == \
        "[[0,true],[0,true],[0,true],[0,true]]" ]]
    [[ -z $(cause name_space) && $(covered .witness_unexplained) == 0 ]]
}

# as_task COMMAND...: a task of the job's step has run it
as_task() {
    local ticks time go=$BATS_TEST_TMPDIR/go
    mkfifo "$go"
    { read -r <"$go"; "$@"; } >/dev/null 2>&1 3>&- &
    PID=$!
    ticks=$(sed 's/.*) //' "/proc/$PID/stat" | cut -d' ' -f20)
    time=$(date +%s.%N)
    echo >"$go"
    wait "$PID" || true
    echo "task time=$time step=4294967291 task=0 pid=$PID ticks=$ticks thread=1 busy=1" >>"$SPOOL/$JOB.0/journal"
}

# exits: how many runs of _exit_with there are, by witness and status
exits() {
    records | jq -r '.[] | select(.userT.exec_path | test("/_exit_with$")).slurmT | "\(.captured_by) \(.exit_code)"' |
        sort | uniq -c | tr -s '\n ' ' '
}

# many: 12 processes that write, and one that its user leaves out
many() {
    local i
    for ((i = 0; i < 12; i++)); do tracked "$PROGRAMS/_exit_with" 3 || true; done
    tracked env XALT_EXECUTABLE_TRACKING=no "$PROGRAMS/_exit_with" 4 || true
}

# bats test_tags=needs:hear_kernel
@test "what found no room in the ledger is a run by the kernel's word, and what its user left out is none" {
    rm -rf "$SPOOL/$JOB.0" # no process of the job is older than the witness
    listen
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB" $((64 << 10)) root # room for 7 captures
    name_daemon
    as_task many
    settle
    flush
    hush
    [[ "$(exits)" == " 5 kernel 3 7 library 3 " && $(cause no_room) == 5 && $(covered .witness_unexplained) == 1 ]]
}

# read_only COMMAND...: as tracked, in a sandbox in which all is read-only
read_only() {
    bwrap --ro-bind / / --dev /dev --proc /proc env "${TRACKED[@]}" "$@"
}

# blind: processes that cannot leave a capture, and two that their user leaves out
blind() {
    read_only "$PROGRAMS/_exit_with" 3 || true
    read_only "$PROGRAMS/exec_to" "$PROGRAMS/_exit_with" 3 || true
    tracked env -u JOBTRAIL_SPOOL "$PROGRAMS/_exit_with" 3 || true
    tracked env JOBTRAIL_POLICY=/nowhere "$PROGRAMS/_exit_with" 3 || true
    read_only env XALT_EXECUTABLE_TRACKING=no "$PROGRAMS/_exit_with" 4 || true
    tracked env -u JOBTRAIL_SPOOL XALT_EXECUTABLE_TRACKING=no "$PROGRAMS/_exit_with" 4 || true
}

# bats test_tags=needs:hear_kernel
@test "what cannot write the ledger, or does not find it, is a run by the kernel's word, unless its user left it out" {
    listen
    as_task blind
    settle
    flush
    hush
    [[ "$(exits)" == " 4 kernel 3 " && $(cause unwritten) == 4 && $(covered .witness_unexplained) == 2 ]]
    [[ $(records | jq -r '.[] | select(.userT.exec_path | endswith("/exec_to")).slurmT | "\(.captured_by) \(.end_source)"') == "kernel exec" ]]
    [[ $(records | jq 'map(select(.userT.exec_path | endswith("/_exit_with")).slurmT.core_seconds > 0) | all') == true ]]
}

# linked_copies: a static program with the library in it, as task, killed, and left out by its user
linked_copies() {
    tracked "$BATS_TEST_TMPDIR/linked" 3 || true
    tracked "$BATS_TEST_TMPDIR/linked" || true
    tracked env XALT_EXECUTABLE_TRACKING=no "$BATS_TEST_TMPDIR/linked" 5 || true
    tracked "$BATS_TEST_TMPDIR/gone" 6 && false
    rm "$BATS_TEST_TMPDIR/gone"
}

# bats test_tags=needs:hear_kernel
@test "a static program that the library was linked into is recorded once, or as its user says not at all" {
    local ld=$JOBTRAIL_STAGE/libexec/jobtrail/ld
    JOBTRAIL_CONF=$CONF XALT_EXECUTABLE_TRACKING=yes PATH=$ld:$PATH COMPILER_PATH=$ld \
        gcc -static -o "$BATS_TEST_TMPDIR/linked" -x c - <<'C'
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv) { return argc > 1 ? atoi(argv[1]) : raise(SIGKILL); }
C
    cp "$BATS_TEST_TMPDIR/linked" "$BATS_TEST_TMPDIR/gone"
    listen
    as_task linked_copies
    settle
    flush
    hush
    run records_of linked gone
    [[ $output == $'gone library 6:0\nlinked library 0:9\nlinked library 3:0' ]]
    [[ $(records | jq '[.[] | select(.userT.exec_path | test("/(linked|gone)$")).slurmT.max_rss > 0] | all') == true ]]
    [[ $(covered .witness_unexplained) == 0 ]]
}

# records_of NAME...: of all their runs the program, the witness and the status
records_of() {
    records | jq -r --arg names "/($(IFS='|' && echo "$*"))\$" '.[] | select(.userT.exec_path | test($names)) |
        "\(.userT.exec_path | split("/")[-1]) \(.slurmT | "\(.captured_by) \(.exit_code):\(.signal)")"' | sort
}

# files_of_that_name: programs that map a file of the user's that has the library's name, alone or beside the library
files_of_that_name() {
    local file=$BATS_TEST_TMPDIR/libjobtrail.so
    cc -shared -fPIC -o "$file" -x c - <<<'int nothing(void) { return 0; }'
    tracked env LD_PRELOAD="$file" "$PROGRAMS/_exit_with" 3 || true
    tracked env LD_PRELOAD="$LIBRARY:$file" "$PROGRAMS/exec_to" "$PROGRAMS/_exit_with" 4 || true
}

# bats test_tags=needs:hear_kernel
@test "a file of the user's that has the library's name hides no run, and doubles none" {
    listen
    as_task files_of_that_name
    settle
    flush
    hush
    [[ "$(exits)" == " 1 kernel 3 1 library 4 " && $(covered .witness_unexplained) == 0 ]]
    [[ $(records_of exec_to) == "exec_to library null:null" ]]
}

@test "a claim about processes that there were not is not explained" {
    listen
    run_one tracked "$PROGRAMS/exit_with" 3
    "$PROGRAMS/clone_captures" "$SPOOL/$JOB.0/user/ledger" 60 >/dev/null
    flush
    hush
    # their pids follow the program's: some may be those of processes that there are
    [[ $(covered .witness_unexplained) -ge 40 ]]
    [[ $(answers) == *", $(covered .witness_unexplained) are unexplained"* ]]
    "$JOBTRAIL_BIN/jobtrail-report" coverage --store "sqlite:$BATS_TEST_TMPDIR/store.db" >"$BATS_TEST_TMPDIR/report"
    tr -s '\n ' ' ' <"$BATS_TEST_TMPDIR/report" | grep -qF ", $(covered .witness_unexplained) are unexplained."
}

# map_often: more events than all rings have room for, as each has a path of some 3000 bytes
map_often() {
    local path=$BATS_TEST_TMPDIR i
    for i in {1..14}; do path+=/$(printf '%0200d' "$i"); done
    mkdir -p "$path"
    cp "$PROGRAMS/exit_with" "$path/mapped"
    run_one python3 -c '
import mmap, sys
with open(sys.argv[1], "rb") as file:
    for _ in range(40000):
        mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()' "$path/mapped"
}

@test "a witness that did not come round to read tells of what was lost" {
    listen
    kill -STOP "$WITNESS"
    map_often
    kill -CONT "$WITNESS"
    run_one tracked "$PROGRAMS/exit_with" 3
    flush
    hush
    [[ $(covered .witness_lost) -gt 0 && $(covered .witness_unexplained) == 0 ]]
    [[ $(answers) == *"Lost on the nodes of 1 jobs: 0 processes (no room), $(covered .witness_lost) events,"* ]]
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

# fill_file: the job's file has all but some 40 of the bytes that processes may take
fill_file() {
    local line room
    line=$(awk '$1 == "listen" { print "clock", $2, $3; exit }' "$KERNEL")
    room=$(((32 << 20) - (64 << 10) - $(stat -c %s "$KERNEL")))
    yes "$line" 2>/dev/null | head -n $((room / (${#line} + 1))) >>"$KERNEL"
}

had_no_room() { # COUNT: of processes, at least
    (($(head -n 1 "$KERNEL" | tr -dc 0-9) >= $1))
}

@test "processes for which the job's file has no room are counted, and the file does not grow beyond its bound" {
    local left
    listen
    run_one tracked "$PROGRAMS/exit_with" 3
    wait_for noted "$PID"
    hush
    fill_file
    listen_on
    run_one tracked "$PROGRAMS/exit_with" 4
    run_one tracked "$PROGRAMS/exit_with" 5
    wait_for had_no_room 2
    [[ -z $(field "$PID" status) && $(stat -c %s "$KERNEL") -le $((32 << 20)) ]]
    flush
    hush
    left=$(covered .witness_left)
    [[ $left -ge 2 && "$(cause lost) $(covered .witness_unexplained)" == "2 0" ]]
    [[ $(answers) == *"Lost on the nodes of 1 jobs: $left processes (no room)"* ]]
    [[ $(answers --json | jq ".witness.left == $left and .witness.jobs_lost == 1") == true ]]
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
    [[ $(answers) == *"The kernel witness was down for "*" of 1 jobs"* ]]
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
    [[ $(answers) == *"began before the kernel witness"* ]]
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

@test "causes that a store has of another loader drive no terminal" {
    run_one tracked "$PROGRAMS/exit_with" 3
    flush
    answers >/dev/null # loads them
    python3 -c "
import sqlite3
with sqlite3.connect('$BATS_TEST_TMPDIR/store.db') as store:
    store.execute('UPDATE coverage SET witness_causes = ?', ('\x1b[31mRED\x07=3',))"
    answers >"$BATS_TEST_TMPDIR/answers"
    "$JOBTRAIL_BIN/jobtrail-report" coverage --store "sqlite:$BATS_TEST_TMPDIR/store.db" >"$BATS_TEST_TMPDIR/report"
    grep -qF '\x1b[31mRED\x07 3' "$BATS_TEST_TMPDIR/answers"
    [[ $(grep -cP '[\x00-\x08\x1b]' "$BATS_TEST_TMPDIR/answers") == 0 ]]
    tr -s '\n ' ' ' <"$BATS_TEST_TMPDIR/report" | grep -qF '[31mRED'
    [[ $(grep -cP '[\x00-\x08\x1b]' "$BATS_TEST_TMPDIR/report") == 0 ]]
}
