#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-load --follow: of logs that are rotated in all ways, of pipes, and of several things at once.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/job

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    store=$BATS_TEST_TMPDIR/store.db
    umask 077 # sqlite3, which may look for the store before it is there, makes it
}

teardown() {
    [ -z "${follower:-}" ] || kill "$follower" 2>/dev/null || true
}

follow() { # OPTION... PATH...
    jobtrail-load --json --follow --store "sqlite:$store" "$@" >summary 2>said 3>&- 4>&- &
    follower=$!
}

# stop: the follower has had nothing to say
stop() {
    kill "$follower"
    status=0
    wait "$follower" || status=$?
    cat said summary
}

record() { # NUMBER...
    printf '{"userT":{"run_uuid":"00000000-0000-7000-8000-%012d"}}\n' "$@"
}

has_runs() {
    [ "$(sqlite3 "$store" 'SELECT count(*) FROM run' 2>/dev/null)" = "$1" ]
}

has_open() { # COUNT: of the files log, log.1, ...
    [ "$(find "/proc/$follower/fd" -lname "$PWD/log*" | wc -l)" -eq "$1" ]
}

@test "a log that is rotated again at once is read in all its pieces, and the old ones are closed" {
    record 1 >log
    follow log
    wait_for has_runs 1
    for n in {1..20}; do
        mv log "log.$n"
        record $((2 * n)) >log
        wait_for has_runs $((2 * n))
        record $((2 * n + 1)) >>"log.$n" # by a daemon that nobody has told yet
        wait_for has_runs $((2 * n + 1))
        [ "$n" -gt 1 ] || has_open 2
    done
    wait_for has_open 1
    stop
    [ "$status" -eq 0 ]
    [ "$(cat said)" = "" ]
}

@test "a log that is missing for a moment while it is rotated is no trouble" {
    record 1 >log
    record 2 >other
    follow log other
    wait_for has_runs 2
    mv log log.1
    : >log
    wait_for has_open 2
    mv log log.2
    record 3 >>other
    wait_for has_runs 3 # so all have been looked at
    record 4 >log
    wait_for has_runs 4
    stop
    [ "$status" -eq 0 ]
    [ "$(cat said)" = "" ]
}

@test "a log that is cut to nothing and has grown larger at once is read from its beginning" {
    record 1 >log
    follow log
    wait_for has_runs 1
    record 2 3 4 >new
    kill -STOP "$follower" # so that it sees nothing between
    cat new >log
    kill -CONT "$follower"
    wait_for has_runs 4
    stop
    [ "$status" -eq 0 ]
}

@test "blocks of a log that has been rotated are kept when the follower stops" {
    "$JOBTRAIL_SOURCE/test/bench/make_records" --syslog 300 --seed 7 --until 1760000000 1 >lines
    { record 1 && head -n 3 lines; } >log
    follow --quarantine bad log
    wait_for has_runs 1
    mv log log.1
    tail -n +4 lines | head -n 1 >log
    stop
    [ "$(jq -c '[.incomplete, .quarantined]' summary)" = '[1,1]' ]
    jobtrail-load --store "sqlite:$store" bad/record.*[0-9] <(tail -n +4 lines)
    has_runs 2
}

@test "a compressed file that is followed is reported once, and another one at its path read" {
    record {1..2000} | gzip >log.gz
    printf '\x28\xb5\x2f\xfd\x24\x00' >log.zst
    touch other
    follow log.gz log.zst other
    for n in {3001..3004}; do # four more looks
        record "$n" >>other
        has_it() { [ "$(sqlite3 "$store" "SELECT count(*) FROM run WHERE uuid LIKE '%$n'" 2>/dev/null)" = 1 ]; }
        wait_for has_it
    done
    record {1..2000} >new
    mv new log.gz
    wait_for has_runs 2004
    stop
    [ "$status" -eq 1 ]
    [ "$(grep -c 'log.gz: is compressed' said)" -eq 1 ]
    [ "$(grep -c 'log.zst: is compressed' said)" -eq 1 ]
    [ "$(jq .read summary)" -lt 5000 ]
}

@test "a log that cannot be read is tried again, and reported once" {
    touch other
    ln -s "/proc/$$/mem" log # as of a disk that fails
    follow log other
    for n in {1..4}; do # four more looks
        record "$n" >>other
        wait_for has_runs "$n"
    done
    record 5 >new
    ln -sf new log
    wait_for has_runs 5
    stop
    [ "$status" -eq 2 ]
    [ "$(cat said)" = "jobtrail-load: log: Input/output error" ]
}

@test "a pipe that always has a little more keeps nobody from reading a log, or from committing" {
    mkfifo pipe
    exec 4<>pipe
    record 1 >log
    follow pipe log
    { for ((n = 101; ; n++)); do record "$n" && sleep 0.2; done >&4; } 3>&- &
    local writer=$!
    has_both() { [ "$(sqlite3 "$store" "SELECT count(*) FROM run WHERE uuid LIKE '%0001' OR uuid LIKE '%0101'" 2>/dev/null)" = 2 ]; }
    wait_for has_both
    kill -0 "$writer" # still at it
    kill "$writer"
    stop
    exec 4>&-
}

@test "what comes through a pipe while its last writer's records are committed is not lost" {
    mkfifo pipe
    follow pipe
    record 1 >pipe
    wait_for has_runs 1
    coproc holder { exec sqlite3 "$store"; }
    echo "BEGIN IMMEDIATE; SELECT 'held';" >&"${holder[1]}"
    read -r held <&"${holder[0]}"
    [ "$held" = held ]
    record 2 >pipe
    waits() { cat "/proc/$follower"/task/*/wchan | grep -q nanosleep; }
    wait_for waits # for the store
    record 3 >pipe
    echo 'ROLLBACK;' >&"${holder[1]}"
    wait_for has_runs 3
    stop
    [ "$status" -eq 0 ]
}

@test "what has come out of a pipe is in the quarantine when the store fails" {
    "$JOBTRAIL_SOURCE/test/bench/make_records" --syslog 300 --seed 7 --until 1760000000 1 >lines
    mkfifo pipe
    exec 4<>pipe
    follow --quarantine bad --batch 2 pipe
    record 1 >&4
    wait_for has_runs 1
    sqlite3 "$store" 'DROP TABLE store_state'
    { head -n 3 lines && record 2 3 4; } >&4
    status=0
    wait "$follower" || status=$?
    exec 4>&-
    cat said summary
    [ "$status" -eq 3 ]
    rm "$store"*
    jobtrail-load --store "sqlite:$store" bad/record.*[0-9] <(tail -n +4 lines)
    has_runs 4
}
