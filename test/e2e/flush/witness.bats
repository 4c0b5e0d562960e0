#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the kernel tells root of the processes of a job (jobtrail-submit witness). bats itself is the daemon of
# the job's step here, so all that a test starts is of the job.
# bats file_tags=needs:hear_events,needs:root,needs:witness
# shellcheck disable=SC2030,SC2031 # bats runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/witness

# bats test_tags=needs:hear_kernel
@test "every process of a job has status and program, whatever it does" {
    local exits plain static empty killed threads other child pid
    listen
    run_one "$PROGRAMS/exit_with" 3 && plain=$PID
    run_one "$PROGRAMS/exit_with_static" 4 && static=$PID
    run_one env -i setsid "$PROGRAMS/exit_with" 5 && empty=$PID
    run_one sh -c 'kill -KILL $$' && killed=$PID
    run_one "$PROGRAMS/thread_exec" "$PROGRAMS/exit_with" 6 && threads=$PID
    run_one setpriv --reuid=65534 --clear-groups sh -c 'exit 7' && other=$PID
    run_one unshare --fork --pid --mount sh -c 'exit 8' && child=$PID
    hush
    exits="$(field "$plain" status) $(field "$static" status) $(field "$empty" status) $(field "$killed" status)"
    [[ $exits == "768 1024 1280 9" ]]
    [[ "$(field "$threads" status) $(field "$other" status) $(field "$child" status)" == "1536 1792 2048" ]]
    [[ $(program "$plain") == */exit_with && $(program "$static") == */exit_with_static ]]
    [[ $(program "$threads") == */exit_with && $(program "$killed") == "$(readlink -f /bin/sh)" ]]
    [[ "$(field "$other" uid) $(field "$plain" uid)" == "65534 0" ]]
    # its child in another pid namespace, by the pid that it has here
    [[ $(awk -v pid="$child" '$1 == "end" && $3 == pid { print $10 }' "$KERNEL") == 2048 ]]
    for pid in "$plain" "$static" "$empty" "$killed" "$threads" "$other" "$child"; do
        [[ $(lack "$pid") == 0 ]]
    done
    [[ $(stat -c '%a %u' "$KERNEL") == "600 0" && ! -s $BATS_TEST_TMPDIR/said ]]
}

@test "build-ids are those in the files" {
    listen
    run_one "$PROGRAMS/exit_with" 3
    hush
    [[ $(awk '$1 == "program" && $4 ~ /exit_with$/ { print $3 }' "$KERNEL") == \
    "$(readelf -n "$PROGRAMS/exit_with" | sed -n 's/ *Build ID: //p')" ]]
}

# bats test_tags=needs:hear_kernel
@test "memory, processor time and parents are known" {
    local memory spin
    listen
    run_one python3 -c 'x = bytearray(200 << 20)' && memory=$PID
    run_one python3 -c 'for i in range(2000000): pass' && spin=$PID
    hush
    [[ $(field "$memory" peak) -gt $((200 << 10)) && $(field "$spin" peak) -lt $((100 << 10)) ]]
    [[ $(field "$spin" run) -gt 10000000 && $(field "$spin" run) -le $(($(field "$spin" end) - $(field "$spin" start))) ]]
    [[ $(field "$spin" parent) == "$BASHPID" ]]
}

# bats test_tags=needs:hear_kernel
@test "it is known how often a process waited for memory that had to be read in" {
    listen
    head -c 8M /dev/zero >"$BATS_TEST_TMPDIR/mapped"
    run_one python3 -c '
import mmap, os, resource, sys
with open(sys.argv[1], "r+b") as file:
    os.fsync(file)
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    mapped = mmap.mmap(file.fileno(), 0)
    mapped[::4096]
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_majflt))' "$BATS_TEST_TMPDIR/mapped"
    hush
    [[ $(field "$PID" faults) -ge $(<"$BATS_TEST_TMPDIR/mapped") ]]
}

# bats test_tags=needs:hear_kernel
@test "a process that is older than the witness is told of, with what is not known" {
    local pid
    "$PROGRAMS/spin" 600 sleep >/dev/null 3>&- &
    pid=$!
    wait_for grep -qx spin "/proc/$pid/comm"
    listen
    kill -TERM "$pid"
    wait "$pid" || true
    hush
    [[ "$(field "$pid" status) $(lack "$pid")" == "15 1" ]]
}

# leave_child NAME: one waits in the cgroup GROUPS_AT/NAME, and this shell, its parent, ends; its pid is in the file NAME
leave_child() {
    # shellcheck disable=SC2016
    setsid sh -c 'echo $$ >"$1/cgroup.procs" && exec "$0" 600 sleep' \
        "$PROGRAMS/spin" "$GROUPS_AT/$1/job_$JOB/step_0" >/dev/null 3>&- &
    wait_for grep -qx spin "/proc/$!/comm"
    echo $! >"$BATS_TEST_TMPDIR/$1"
}

# bats test_tags=needs:hear_kernel
@test "one that is older than the witness, and has lost its ancestors, is found by the job's cgroup, which is root's" {
    local ours forged
    GROUPS_AT=/sys/fs/cgroup
    [[ ! -d $GROUPS_AT/freezer ]] || GROUPS_AT=$GROUPS_AT/freezer
    GROUPS_AT=$GROUPS_AT/jobtrail.$$
    mkdir -p "$GROUPS_AT"/{slurm,slurm_user}/"job_$JOB/step_0"
    chown 65534 "$GROUPS_AT/slurm_user/job_$JOB"
    (leave_child slurm)
    (leave_child slurm_user)
    ours=$(<"$BATS_TEST_TMPDIR/slurm")
    forged=$(<"$BATS_TEST_TMPDIR/slurm_user")
    listen
    kill -TERM "$ours" "$forged"
    wait_for noted "$ours"
    hush
    [[ "$(field "$ours" status) $(lack "$ours") $(field "$forged" status)" == "15 1 " ]]
}

# bats test_tags=needs:hear_kernel
@test "a witness that was killed is followed by one that goes on" {
    local before between
    listen
    run_one "$PROGRAMS/exit_with" 3 && before=$PID
    "$PROGRAMS/spin" 600 sleep >/dev/null 3>&- &
    between=$!
    wait_for grep -qx spin "/proc/$between/comm"
    wait_for noted "$before"
    kill -KILL "$WITNESS"
    wait "$WITNESS" || true
    listen
    kill -TERM "$between"
    wait "$between" || true
    hush
    [[ "$(field "$before" status) $(field "$between" status)" == "768 15" ]]
    [[ $(grep -c '^listen ' "$KERNEL") == 2 ]]
}

# bats test_tags=needs:hear_kernel
@test "records have the status of what Slurm did not start" {
    listen
    run_one tracked "$PROGRAMS/exit_with" 3
    run_one tracked "$PROGRAMS/_exit_with" 4
    run_one tracked "$PROGRAMS/kill_self" 9
    run_one tracked "$PROGRAMS/exec_to" "$PROGRAMS/exit_with_static" 5
    settle
    flush
    [[ $(records | jq -r '.[] | "\(.userT.exec_path | split("/")[-1]) \(.slurmT | "\(.end_source) \(.exit_code) \(.signal)")"' |
        sort) == "_exit_with kernel 4 0
exec_to exec null null
exit_with fini 3 0
kill_self kernel 0 9" ]]
    [[ $(records | jq 'all(.[]; .slurmT.end_source == "exec" or .slurmT.end_time_error <= 0.0001)') == true ]]
    hush
}

@test "one witness listens for a spool" {
    listen
    run "$JOBTRAIL_BIN/jobtrail-submit" witness --conf "$CONF" --node e2e
    [[ $status == 3 && $output == *"another witness runs"* ]]
    hush
}

@test "it has the room of 256 CPUs, however few there are, so that it can wait for its turn" {
    local cpus kib=4096
    cpus=$(getconf _NPROCESSORS_CONF)
    while ((kib > 256 && kib * cpus > 65536)); do kib=$((kib / 2)); done
    listen
    [[ $(awk '/perf_event/ { getline; print $2 }' "/proc/$WITNESS/smaps" | sort -u) == "$((kib + $(getconf PAGESIZE) / 1024))" ]]
    hush
}

@test "it keeps no capability, and has the lowest priority" {
    listen
    [[ $(sed -n 's/^CapEff:\s*//p' "/proc/$WITNESS/status") == 0000000000000000 ]]
    [[ $(sed -n 's/^CapPrm:\s*//p' "/proc/$WITNESS/status") == 0000000000000000 ]]
    [[ $(sed 's/.*) //' "/proc/$WITNESS/stat" | cut -d' ' -f17) == 19 ]]
    hush
}

@test "where the kernel does not tell of ends it says so, and tells times alone" {
    listen unshare --net
    run_one "$PROGRAMS/exit_with" 3
    hush
    [[ $(<"$BATS_TEST_TMPDIR/said") == *"the first "*" namespace"* ]]
    [[ "$(lack "$PID") $(field "$PID" status)" == "4 0" && $(program "$PID") == */exit_with ]]
}

# bats test_tags=needs:hear_kernel
@test "without mappings the program is a short name" {
    sed -i 's/^level = .*/level = ends/' "$CONF"
    listen
    run_one "$PROGRAMS/exit_with" 3
    hush
    [[ "$(program "$PID") $(field "$PID" status)" == "exit_with 768" ]]
}

# finds TEXT: what doctor says of the witness
finds() {
    "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e --role node --json >"$BATS_TEST_TMPDIR/found" || true
    jq -r '.[] | select(.check == "witness") | "\(.state) \(.found)"' "$BATS_TEST_TMPDIR/found" | grep -F "$1"
}

# bats test_tags=needs:hear_kernel
@test "doctor says whether it listens, and what the kernel refuses" {
    finds "warning no kernel witness is running"
    listen
    finds "ok running; jobs: 1"
    hush
    finds "warning no kernel witness is running"
    listen unshare --net
    finds "warning the kernel does not report how processes ended"
    hush
    run setpriv --bounding-set=-perfmon,-sys_admin --inh-caps=-perfmon,-sys_admin \
        "$JOBTRAIL_BIN/jobtrail-submit" witness --conf "$CONF" --node e2e
    [[ $status == 3 ]]
    finds "warning the kernel does not report processes"
    sed -i 's/^level = .*/level = off/' "$CONF"
    ! finds "" || return 1
}

@test "by default it is off, without a word, where the kernel does not report to it" {
    sed -i '/^level = /d' "$CONF"
    run setpriv --bounding-set=-perfmon,-sys_admin --inh-caps=-perfmon,-sys_admin \
        "$JOBTRAIL_BIN/jobtrail-submit" witness --conf "$CONF" --node e2e
    [[ $status == 0 && -z $output ]]
    finds "ok off: the kernel did not report to it at its last start"
    tracked "$PROGRAMS/exit_with" 0
    flush
    [[ $(find "$RECORDS" -name 'coverage.*' -exec cat {} + | jq -r .coverageT.witness) == off ]]
}

# bats test_tags=needs:hear_kernel
@test "by default it listens where the kernel reports all that it needs" {
    sed -i '/^level = /d' "$CONF"
    listen
    run_one "$PROGRAMS/exit_with" 3
    hush
    [[ $(field "$PID" status) == 768 ]]
}

@test "where nobody asks for it, it does nothing" {
    sed -i 's/^level = .*/level = off/' "$CONF"
    run "$JOBTRAIL_BIN/jobtrail-submit" witness --conf "$CONF" --node e2e
    [[ $status == 0 && $output == *"nothing to do"* && ! -e $KERNEL && ! -e $SPOOL/witness ]]
}

# bats test_tags=needs:hear_kernel
@test "the process watch keeps it" {
    "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e 3>&- &
    WATCH=$!
    wait_for listens
    run_one "$PROGRAMS/exit_with" 3
    wait_for noted "$PID"
    kill "$WATCH"
    wait "$WATCH" || true
    wait_for unlocked
    [[ $(field "$PID" status) == 768 ]]
}

# other_than PID: the witness that the process watch keeps is another one by now, and listens
other_than() {
    local pid
    pid=$(pgrep -P "$WATCH" -f "^jobtrail-submit witness ") && [[ $pid != "$1" ]] && listens
}

@test "one that dies is back before the process watch's next turn" {
    local first
    "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e 3>&- &
    WATCH=$!
    wait_for listens
    first=$(pgrep -P "$WATCH" -f "^jobtrail-submit witness ")
    kill -KILL "$first"
    wait_for other_than "$first"
    kill "$WATCH"
    wait "$WATCH" || true
    wait_for unlocked
}

unlocked() {
    [[ $(pgrep -f "^jobtrail-submit witness --detach --conf $CONF") == "" ]]
}

# used JQ: of the only run of Python, by jobtrail-acct
used() {
    "$JOBTRAIL_BIN/jobtrail-acct" --store "sqlite:$BATS_TEST_TMPDIR/store" -S 2000-01-01 --no-sacct --json |
        jq -r ".runs[] | select(.exec_path | test(\"python\")) | $1"
}

# bats test_tags=needs:hear_kernel
@test "what a run used is in its record, in its row, and in the report" {
    listen
    run_one tracked /usr/bin/python3 -c $'x = bytearray(200 << 20)\nfor i in range(3000000): pass'
    run_one tracked "$PROGRAMS/exec_to" "$PROGRAMS/exit_with_static" 5
    settle
    flush
    hush
    [[ $(records | jq -c '.[] | select(.userT.exec_path | test("exec_to")) | .slurmT |
        [.captured_by, .user_cpu, .system_cpu, .max_rss, .disk_read, .disk_write]') == '["library",null,null,null,null,null]' ]]
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store" "$RECORDS"
    [[ $(used '.max_rss > 200 * 1048576 and .user_cpu > 0 and .system_cpu >= 0 and .disk_read >= 0') == true ]]
    [[ $(used .captured_by) == library ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-acct" --store "sqlite:$BATS_TEST_TMPDIR/store" -S 2000-01-01 --no-sacct -P -n \
        --format RunCPU,RunUserCPU,RunSystemCPU,RunMaxRSS,RunDiskRead,RunDiskWrite,CapturedBy
    [[ $output =~ (^|$'\n')00:0[0-9]\.[0-9]{3}\|00:0[0-9]\.[0-9]{3}\|00:0[0-9]\.[0-9]{3}\|2[0-9]{2}M\|[0-9.]+[KM]\|[0-9.]+[KM]\|library ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-report" --store "sqlite:$BATS_TEST_TMPDIR/store" efficiency -S 2000-01-01 --json
    jq -e '.pages[] | select(.name == "efficiency").rows[] | select(.executable | test("python")) |
        .measured_runs == 1 and .other_runs == 0 and .largest_memory_mib > 200 and .used_cpu_hours > 0' <<<"$output"
}

# workers: Python's, which execute nothing; the last one aborts
workers() {
    /usr/bin/python3 -c '
import os
def work():
    x = bytearray(100 << 20)
    for i in range(6000000): pass
for worker in range(3):
    if os.fork() == 0:
        work()
        os.abort() if worker == 2 else os._exit(0)
for worker in range(3): os.wait()'
}

# bats test_tags=needs:hear_kernel
@test "what forked workers used is told of the program that forked them" {
    listen
    ulimit -c 0
    export -f workers
    run_one tracked bash -c workers
    settle
    flush
    hush
    [[ $(records | jq -c '.[] | select(.userT.exec_path | test("python")).slurmT |
        [.forked, .forked_signaled, .forked_max_rss > 100 * 1048576, .max_rss < 60 * 1048576, .forked_cpu > .user_cpu, .forked_least]') == "[3,1,true,true,true,false]" ]]
    [[ $(records | jq -c '.[] | select(.userT.exec_path | test("bash")).slurmT | [.forked, .forked_cpu]') == "[0,0]" ]]
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store" "$RECORDS"
    run -0 "$JOBTRAIL_BIN/jobtrail-acct" --store "sqlite:$BATS_TEST_TMPDIR/store" -S 2000-01-01 --no-sacct -P -n \
        --exec '*python*' --format RunForked,RunForkedSignaled,RunForkedMaxRSS,RunForkedCPU
    [[ $output =~ ^3\|1\|1[0-9]{2}M\|00:[0-9]{2}\.[0-9]{3}$ ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-report" --store "sqlite:$BATS_TEST_TMPDIR/store" efficiency -S 2000-01-01 --json
    jq -e --argjson own "$(used '.user_cpu + .system_cpu + .forked_cpu')" '.pages[] | select(.name == "efficiency").rows[] |
        select(.executable | test("python")) | .largest_memory_mib > 100 and .least_runs == 0 and
        (.used_cpu_hours * 3600 - $own | fabs < 0.2)' <<<"$output"
}
