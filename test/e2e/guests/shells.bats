#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shells, and what they are known for: many short processes, forks without exec, exec without fork.
# dash and tcsh end by _exit(2), which is no word to us: their end is the flush.
# shellcheck disable=SC2016 # for other shells and languages to expand

load ../fixture/job

setup() {
    RULES=$KEEP_ALL new_job
}

SCRIPT='
    greet() { echo "hello $1"; }
    trap "echo trapped" USR1
    trap "echo leaving" EXIT
    greet world | (while read -r line; do echo "got: $line"; done)
    ( exit 5 ) || echo "subshell: $?"
    kill -USR1 $$
    text=$(greet "$(printf %s there)")
    export text
    unset HOME
    echo "$text ${HOME-homeless}"
    /bin/echo outside
    /bin/sh -c "exit 6" || echo "child: $?"
    ls /proc/self/fd | wc -l
    exit 9
'

@test "bash runs a script with subshells, traps and pipes as ever" {
    unnoticed bash -c "$SCRIPT"
    leaves "bash fini" "echo fini" "dash epilog" "ls fini" "wc fini"
}

@test "dash runs a script with subshells, traps and pipes as ever" {
    unnoticed dash -c "$SCRIPT"
    leaves "dash epilog" "echo fini" "dash epilog" "ls fini" "wc fini"
}

@test "tcsh, which moves and closes descriptors, runs as ever" {
    unnoticed tcsh -f -c 'set a = `echo one two`; echo $a[2]; (exit 3); echo $status; ls /proc/self/fd; exit 4'
    leaves "tcsh epilog" "ls fini"
}

@test "bash with process substitution and a coprocess runs as ever" {
    unnoticed bash -c 'coproc cat; echo to >&"${COPROC[1]}"; read -r back <&"${COPROC[0]}"
        echo "$back"; exec {COPROC[1]}>&-; wait; diff <(echo a) <(echo b)'
    leaves "bash exec" "cat fini" "diff fini"
}

@test "a shell that the policy skips runs as ever, and its children are recorded" {
    RULES=$'[paths]\nskip = .*/bash\nkeep = .*' new_job
    unnoticed bash -c "$SCRIPT"
    leaves "echo fini" "dash epilog" "ls fini" "wc fini"
}

@test "a shell that execs its last command has two records for its one process" {
    unnoticed bash -c "exec '$PROGRAMS/exit_with' 3"
    leaves "bash exec" "exit_with fini"
    # the first one ended when the second one began, or before; bounds are rounded away from the end, to 0.1 ms
    [[ $(records | jq 'sort_by(.userDT.start_time)
        | (.[0].slurmT.end_time_max - .[1].userDT.start_time) as $late
        | (.[0].userDT.start_time - .[0].slurmT.end_time_min) as $early
        | [$late, $early] | all(. > -0.00001 and . < 0.00011)') == true ]]
}

@test "a chain of execs has a record for each program" {
    unnoticed "$PROGRAMS/exec_to" "$PROGRAMS/exec_to" "$PROGRAMS/exec_to" "$PROGRAMS/exit_with" 7
    leaves "exec_to exec" "exec_to exec" "exec_to exec" "exit_with fini"
}

@test "a program whose exec fails has one record" {
    unnoticed "$PROGRAMS/exec_to" /does-not-exist
    leaves "exec_to fini"
}

# 10 000 with JOBTRAIL_SOAK: more than the ledger of a job usually holds
@test "every one of many short processes has its record" {
    local count=500
    [[ -z ${JOBTRAIL_SOAK-} ]] || count=10000
    rm -r "${SPOOL:?}"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB" $((count * 16384 + (1 << 20)))
    tracked bash -c 'for ((i = 0; i < $1; i++)); do /bin/true "$i"; done' bash "$count"
    leaves "bash fini" "$(repeated "$count" "true fini")"
    [[ $(records | jq -r '.[] | select(.userT.exec_path | endswith("/true")) | .cmdlineA[1]' | sort -n) == "$(seq 0 $((count - 1)))" ]]
    [[ $(records | jq 'map(.userT.run_uuid) | unique | length') == $((count + 1)) ]]
}

@test "short processes of many shells at once each have their record" {
    local shells=()
    for _ in {1..8}; do
        tracked dash -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do /bin/true & done; wait' &
        shells+=($!)
    done
    wait "${shells[@]}"
    leaves "$(repeated 96 "true fini")" "$(repeated 8 "dash epilog")"
}

@test "of more short processes than the ledger has room for each is recorded or counted" {
    rm -r "${SPOOL:?}"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB" 262144
    tracked bash -c 'for ((i = 0; i < 100; i++)); do /bin/true; done'
    flush
    (($(records | jq length) > 10))
    (($(records | jq 'length + .[0].slurmT.dropped') == 101))
}
