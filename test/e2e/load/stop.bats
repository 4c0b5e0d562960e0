#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A jobtrail-load that gets SIGTERM or SIGINT stops soon, with all that it has read in the store; the next one
# goes on.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/job

RECORDS=2000
BATCH=5

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    store=$BATS_TEST_TMPDIR/store.db
    umask 077 # sqlite3, which may look for the store before it is there, makes it
}

teardown() {
    [ -z "${loader:-}" ] || kill -KILL "$loader" 2>/dev/null || true
}

make() { # OPTION... [PLACE]: the same records, however they are written
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 11 --until 1760000000 --programs 100 "$@"
}

runs() {
    sqlite3 "$store" 'SELECT count(*) FROM run' 2>/dev/null || echo 0
}

has_runs() {
    [ "$(runs)" -ge "$1" ]
}

begin() { # OPTION...: a loader in the background
    jobtrail-load --json --batch $BATCH --store "sqlite:$store" "$@" >summary 2>said 3>&- &
    loader=$!
}

has_ended() {
    ! kill -0 "$loader" 2>/dev/null
}

# end SIGNAL: while it loads; $before is the number of runs that were stored then, $status how it ended
end() {
    until has_runs 1 || has_ended; do :; done
    kill -STOP "$loader"
    before=$(runs)
    kill -"$1" "$loader"
    kill -CONT "$loader"
    status=0
    wait "$loader" || status=$?
    cat said summary
}

# little was read after the signal, and all of that is stored and told
stopped_soon() {
    local stored
    stored=$(runs)
    [ "$(cat said)" = "" ]
    [ "$stored" -lt $RECORDS ]
    [ "$stored" -le $((before + 100)) ]
    [ "$(jq '.new' summary)" -eq "$stored" ]
}

# load_rest OPTION...: to the end
load_rest() {
    jobtrail-load --json --store "sqlite:$store" "$@" >summary
    [ "$(jq -c '[.damaged, .stopped]' summary)" = '[0,false]' ]
    [ "$(runs)" -eq $RECORDS ]
    diff <(sqlite3 "$store" 'SELECT uuid FROM run ORDER BY uuid') \
        <(make $RECORDS | grep -o '"run_uuid":"[^"]*' | cut -d'"' -f4 | sort)
}

@test "a large directory is left at a signal, without the files that are stored" {
    mkdir records
    for signal in TERM INT; do
        rm -f "$store"*
        make $RECORDS records
        begin --delete records
        end $signal
        [ "$status" -eq 4 ]
        stopped_soon
        [ "$(jq '.stopped' summary)" = true ]
        [ "$(jq '.deleted' summary)" -eq "$(runs)" ]
        [ "$(find records -type f | wc -l)" -eq $((RECORDS - $(runs))) ]
    done
    load_rest --delete records
    [ "$(find records -type f)" = "" ]
}

@test "a long file is left at a signal, and stays as it is" {
    make --syslog 900 $RECORDS >lines
    make $RECORDS >json
    for file in lines json; do
        rm -rf "$store"* bad
        cp $file log
        begin --delete --quarantine bad log
        end TERM
        [ "$status" -eq 4 ]
        stopped_soon
        cmp $file log
        [ "$(find bad -type f)" = "" ] # what is not whole is read again
        load_rest --delete --quarantine bad log
        [ ! -e log ]
    done
}

@test "what is followed is left at a signal, too" {
    mkdir records
    make $RECORDS records
    begin --follow --delete records
    end TERM
    [ "$status" -eq 0 ]
    stopped_soon
    [ "$(find records -type f | wc -l)" -eq $((RECORDS - $(runs))) ]
    load_rest --delete records
    rm "$store"*
    make --syslog 900 $RECORDS >log
    begin --follow log
    end TERM
    [ "$status" -eq 0 ]
    stopped_soon
    load_rest log
}

@test "a pipe that says nothing keeps nobody from ending" {
    mkfifo pipe
    for option in --json --follow; do
        exec 4<>pipe
        begin $option pipe
        head -n 1 <(make 1) >&4
        wait_for has_runs 1
        kill "$loader"
        wait_for has_ended
        exec 4>&-
        rm "$store"*
    done
    begin --follow pipe # that nobody has opened
    wait_for test -e "$store"
    kill "$loader"
    wait_for has_ended
    [ "$(cat said)" = "" ]
}

@test "what has come out of a pipe at a signal is in the store or the quarantine" {
    mkfifo pipe
    make --syslog 900 40 >lines
    # up to the middle of a line
    head -n 103 lines | head -c -20 >begun
    for option in --json --follow; do
        exec 4<>pipe
        begin $option --quarantine bad pipe
        cat begun >&4
        wait_for has_runs "$(($(head -n 100 lines | grep -o 'key:[^ ]*' | uniq | wc -l) - 1))"
        kill "$loader"
        wait_for has_ended
        exec 4>&-
        [ "$(jq '.damaged == .quarantined' summary)" = true ]
        run jobtrail-load --store "sqlite:$store" bad/record.*[0-9] <(tail -n +103 lines)
        echo "$output"
        [ "$(runs)" -eq 40 ]
        rm -r "$store"* bad
    done
}

@test "runs stop to expire at a signal, and the next time the others do" {
    make 12000 >records
    jobtrail-load --store "sqlite:$store" records
    coproc holder { exec sqlite3 "$store"; }
    echo "BEGIN IMMEDIATE; SELECT 'held';" >&"${holder[1]}"
    read -r held <&"${holder[0]}"
    [ "$held" = held ]
    begin --expire 1
    has_opened() { find "/proc/$loader/fd" -lname "$store" | grep -q .; }
    wait_for has_opened # and waits for its turn
    kill "$loader"
    echo 'ROLLBACK;' >&"${holder[1]}"
    status=0
    wait "$loader" || status=$?
    cat said summary
    [ "$status" -eq 4 ]
    [ "$(jq '.expired' summary)" -eq $((12000 - $(runs))) ]
    [ "$(runs)" -gt 0 ]
    jobtrail-load --store "sqlite:$store" --expire 1
    [ "$(runs)" -eq 0 ]
}
