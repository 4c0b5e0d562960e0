#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What users and the node can do to the kernel witness.
# bats file_tags=needs:hear_events,needs:root,needs:witness

load ../fixture/job
load ../fixture/witness

# sound: each line of the file is one of the format, and no process stands there twice
sound() {
    [[ $(tr '\0' ' ' <"$KERNEL" | grep -vcE '^(left|listen|unheard|clock|program|objects|end|replaced|lost|overrun) +[0-9]') == 0 ]]
    [[ -z $(awk '$1 == "end" { print $2, $4 }' "$KERNEL" | sort | uniq -d) ]]
}

@test "names of programs are text, whatever is in them" {
    local name long
    name=$BATS_TEST_TMPDIR/$'x\nend 1 1 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\nleft 7\n\e[31m%s'
    long=$BATS_TEST_TMPDIR/$(printf '%0250d' 0)
    long=$long/${long##*/}/${long##*/}
    mkdir -p "${long%/*}"
    cp "$PROGRAMS/exit_with" "$name"
    cp "$PROGRAMS/exit_with" "$long"
    listen
    run_one tracked "$name" 3
    run_one tracked "$long" 4
    flush
    hush
    [[ $(records | jq length) == 2 ]]
    [[ $(records | jq --arg name "$name" '[.[] | select(.userT.exec_path == $name)] | length') == 1 ]]
    [[ $(find "$RECORDS" -name 'coverage.*' -exec cat {} + | jq '.coverageT | .witness_unexplained + .witness_left') == 0 ]]
}

@test "a witness that is killed at any moment leaves a file that can be read, with each process once" {
    local i storm
    listen
    (for i in {1..400}; do "$PROGRAMS/exit_with" 3; done) >/dev/null 2>&1 3>&- &
    storm=$!
    for i in 1 2 3 4 5 6 7 8; do
        kill -KILL "$WITNESS"
        wait "$WITNESS" || true
        sound
        listen_on
    done
    wait "$storm" || true # its status is the last program's
    run_one tracked "$PROGRAMS/exit_with" 3
    wait_for noted "$PID"
    sound
    [[ $(grep -c '^listen ' "$KERNEL") == 9 && $(grep -c '^unheard [1-9]' "$KERNEL") == 8 ]]
    flush
    hush
    [[ $(find "$RECORDS" -name 'coverage.*' -exec cat {} + | jq '.coverageT.witness_unexplained') == 0 ]]
}

@test "a job id that comes again has a file of its own" {
    local first
    listen
    run_one "$PROGRAMS/exit_with" 3 && first=$PID
    wait_for noted "$first"
    flush
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB" $((64 << 20)) root
    name_daemon
    wait_for test -e "$KERNEL"
    run_one "$PROGRAMS/exit_with" 4
    wait_for noted "$PID"
    hush
    [[ -z $(field "$first" start) && $(program "$PID") == */exit_with ]]
}

@test "users can neither read nor change what the kernel reported" {
    listen
    run_one setpriv --reuid=65534 --clear-groups sh -c "cat '$KERNEL'; : >>'$KERNEL'; rm -f '$KERNEL'"
    run_one "$PROGRAMS/exit_with" 3
    wait_for noted "$PID"
    hush
    sound
    [[ $(stat -c '%a %u' "$KERNEL") == "600 0" ]]
}

@test "a process in namespaces of its own is of the job" {
    listen
    run_one tracked unshare --user --map-root-user --mount --pid --fork --net "$PROGRAMS/exit_with" 5
    settle
    flush
    hush
    # where the kernel refuses ends of threads, it tells of no status
    status=5
    "$JOBTRAIL_SOURCE/test/systems/can" hear_kernel || status=null
    [[ "$(records | jq -r '.[] | select(.userT.exec_path | endswith("/exit_with")).slurmT | "\(.captured_by) \(.exit_code)"')" == "library $status" ]]
    [[ $(find "$RECORDS" -name 'coverage.*' -exec cat {} + | jq -r '.coverageT.witness_causes') != *name_space* ]]
    [[ $(find "$RECORDS" -name 'coverage.*' -exec cat {} + | jq '.coverageT.witness_unexplained') == 0 ]]
}

# comes_again PID: the next process of this namespace gets this pid, if nobody else starts one
comes_again() {
    echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid
}

@test "a pid that comes again is another process" {
    local first i
    listen
    for ((i = 0; i < 100; i++)); do
        run_one "$PROGRAMS/exit_with" 3 && first=$PID
        comes_again "$first"
        run_one "$PROGRAMS/_exit_with" 4
        [[ $PID != "$first" ]] || break
    done
    hush
    [[ $i -lt 100 && $(awk -v pid="$first" '$1 == "end" && $2 == pid' "$KERNEL" | wc -l) == 2 ]]
    [[ $(program "$first") == */_exit_with ]]
    sound
}

# of_stranger TICKS BOOT: how many ends the job's file has of a process of another user's, older than the witness, whose pid
# stands in the journal as that of a daemon that started so many ticks after the process, in that boot
of_stranger() {
    local pid ticks step
    exec 5<>"$BATS_TEST_TMPDIR/go"
    setpriv --reuid=65534 --clear-groups sh -c 'read -r go <&5; /bin/true; exit 3' 3>&- &
    pid=$!
    ticks=$(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f20)
    step=$(grep -m 1 '^step ' "$SPOOL/$JOB.0/journal" | sed -E 's/ (pid|boot)=.*//')
    sed -i '/ pid=/d' "$SPOOL/$JOB.0/journal"
    echo "$step boot=$2 pid=$pid ticks=$((ticks + $1))" >>"$SPOOL/$JOB.0/journal"
    rm -f "$KERNEL"
    listen
    echo go >&5
    wait "$pid" || true
    hush
    grep -c '^end ' "$KERNEL"
}

@test "a process that has the pid of a daemon which has ended is of no job" {
    local boot
    boot=$(</proc/sys/kernel/random/boot_id)
    mkfifo "$BATS_TEST_TMPDIR/go"
    run of_stranger 0 "$boot"
    [[ $status == 0 && $output == *1 ]] # it is the daemon: its child is told of
    run of_stranger -100 "$boot"
    [[ $status == 1 && $output == *0 ]]
    run of_stranger 50000000 "$boot"
    [[ $status == 1 && $output == *0 ]]
    run of_stranger 0 00000000-0000-0000-0000-000000000000
    [[ $status == 1 && $output == *0 ]]
}

@test "of two journals with one pid, the job of the daemon that lives has its processes" {
    local pid=$BASHPID step ticks
    "$PROGRAMS/make_spool" "$SPOOL" 4712 $((64 << 20)) root
    step=$(grep -m 1 '^step ' "$SPOOL/$JOB.0/journal" | sed 's/ pid=.*//')
    ticks=$(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f20)
    echo "$step pid=$pid ticks=$((ticks - 5000))" >>"$SPOOL/4712.0/journal"
    listen
    run_one "$PROGRAMS/exit_with" 3
    hush
    [[ -n $(field "$PID" status) ]]
    [[ $(grep -c '^end ' "$SPOOL/4712.0/kernel") == 0 ]]
}
