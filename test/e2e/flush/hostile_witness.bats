#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What users and the node can do to the kernel's witness. Needs root.
# bats file_tags=needs:hear_events

load ../fixture/job
load ../fixture/witness

# sound: each line of the file is one of the format, and no process stands there twice
sound() {
    [[ $(tr '\0' ' ' <"$KERNEL" | grep -vcE '^(left|listen|unheard|clock|program|objects|end|lost|overrun) +[0-9]') == 0 ]]
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

@test "users can neither read nor change what the kernel told" {
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
    flush
    hush
    [[ $(records | jq '[.[].userT.exec_path | select(endswith("/exit_with"))] | length') == 1 ]]
    [[ $(find "$RECORDS" -name 'coverage.*' -exec cat {} + | jq -r '.coverageT.witness_causes') == *name_space=1 ]]
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
