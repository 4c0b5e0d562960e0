#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What root writes into a directory where somebody else has been before, or is meanwhile. Needs root;
# the somebody else is nobody.
# bats file_tags=needs:root
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets stderr, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/site

setup_file() {
    export TZ=UTC STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    site_load "$STORE"
}

setup() {
    chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    REPORT=$JOBTRAIL_SOURCE/contrib/jobtrail-report
    THEIRS=$BATS_TEST_TMPDIR/theirs
    VICTIM=$BATS_TEST_TMPDIR/system/victim
    mkdir "$THEIRS" "$BATS_TEST_TMPDIR/system"
    chown nobody:nogroup "$THEIRS"
    echo precious >"$VICTIM"
    chmod 600 "$VICTIM"
}

theirs() { # COMMAND...: as nobody does it
    setpriv --reuid nobody --regid nogroup --clear-groups --no-new-privs "$@"
}

plant() { # TARGET NAME: a link of nobody's
    ln -s "$1" "$2"
    chown -h nobody:nogroup "$2"
}

victim_is_whole() {
    [ "$(cat "$VICTIM")" = precious ]
    [ "$(stat -c %u:%g:%a "$VICTIM")" = 0:0:600 ]
    [ "$(find "$BATS_TEST_TMPDIR/system" -mindepth 1)" = "$VICTIM" ]
}

report() { # FILE
    run --separate-stderr "$REPORT" --store "$STORE" -S 2024-11-01 -E 2024-11-30 -o "$1" users
}

refused() { # FILE WORDS
    report "$1"
    echo "$output $stderr"
    [ "$status" -eq 1 ]
    [[ "$stderr" == "jobtrail-report: $1: "*"$2"* ]]
    victim_is_whole
    [ "$(find "$THEIRS" -name '.jobtrail-report*')" = "" ]
}

@test "a report does not follow another user's link, nor one on the way" {
    plant "$VICTIM" "$THEIRS/out"
    refused "$THEIRS/out" "another user's link"
    plant "$BATS_TEST_TMPDIR/system/new" "$THEIRS/dangling"
    refused "$THEIRS/dangling" "another user's link"
    plant "$BATS_TEST_TMPDIR/system" "$THEIRS/www"
    refused "$THEIRS/www/victim" "another user's link"
    refused "$THEIRS/www/../system/new" "another user's link"
}

@test "a report takes no owner and no mode from what another user has planted" {
    mkdir -m 1777 "$BATS_TEST_TMPDIR/all"
    theirs touch "$BATS_TEST_TMPDIR/all/out"
    refused "$BATS_TEST_TMPDIR/all/out" "another user's or has several names"
    # a name for a file of root's that everybody may write to
    install -m 666 /dev/null "$BATS_TEST_TMPDIR/log"
    ln "$BATS_TEST_TMPDIR/log" "$THEIRS/log"
    refused "$THEIRS/log" "another user's or has several names"
}

@test "a report does not wait for the reader of another user's pipe" {
    theirs mkfifo "$THEIRS/out"
    refused "$THEIRS/out" "another user's pipe"
}

@test "a report in another user's directory goes to him with his mode, and replaces what was linked to nothing" {
    (umask 027 && theirs touch "$THEIRS/out")
    report "$THEIRS/out"
    [ "$status" -eq 0 ]
    [[ "$(cat "$THEIRS/out")" == *alice* ]]
    [ "$(stat -c %U:%a "$THEIRS/out")" = nobody:640 ]
    report "$THEIRS/new"
    [ "$status" -eq 0 ]
    [ "$(stat -c %U "$THEIRS/new")" = root ]
}

@test "root's own links, a pipe and /dev/stdout are written to" {
    ln -s "$VICTIM" "$BATS_TEST_TMPDIR/link"
    report "$BATS_TEST_TMPDIR/link"
    [ "$status" -eq 0 ]
    [ -L "$BATS_TEST_TMPDIR/link" ]
    [[ "$(cat "$VICTIM")" == *alice* ]]
    [ "$(stat -c %a "$VICTIM")" = 600 ]
    report /dev/stdout
    [[ "$output" == *alice* ]]
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    cat "$BATS_TEST_TMPDIR/fifo" >"$BATS_TEST_TMPDIR/read" &
    report "$BATS_TEST_TMPDIR/fifo"
    [ "$status" -eq 0 ]
    wait $!
    [[ "$(cat "$BATS_TEST_TMPDIR/read")" == *alice* ]]
    report "$BATS_TEST_TMPDIR/missing/out"
    [ "$status" -eq 1 ]
    report "$BATS_TEST_TMPDIR/"
    [ "$status" -eq 1 ]
}

stops() { # how often the traced program has been stopped
    grep -c 'stopped by SIGSTOP' "$BATS_TEST_TMPDIR/trace"
}

has_stopped_or_ended() { # COUNT
    [[ $(stops) -gt $1 ]] || ! kill -0 "$TRACER" 2>/dev/null
}

# swap_at CALL COMMAND...: each time that the command comes to such a call, it is stopped, and nobody
# puts a link to the victim in the place of each new file
swap_at() {
    local seen=0 new
    : >"$BATS_TEST_TMPDIR/trace"
    strace -qq -o "$BATS_TEST_TMPDIR/trace" --inject="$1:signal=STOP" -e trace="$1" "${@:2}" \
        >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
    TRACER=$!
    while wait_for has_stopped_or_ended "$seen" && kill -0 "$TRACER" 2>/dev/null; do
        seen=$((seen + 1))
        for new in "$THEIRS"/.jobtrail-report-* "$THEIRS"/new.*; do
            if [ ! -f "$new" ] || [ -L "$new" ]; then continue; fi
            theirs rm -f "$new"
            theirs ln -s "$VICTIM" "$new"
            swapped=$((swapped + 1))
        done
        kill -CONT "$(pgrep -P "$TRACER")"
    done
    wait "$TRACER"
}

@test "owner and mode are not given to what stands in the place of the new file" {
    local swapped=0
    (umask 0 && theirs touch "$THEIRS/out")
    ! swap_at geteuid,fsync python3 "$REPORT" --store "$STORE" -o "$THEIRS/out" users || false
    cat "$BATS_TEST_TMPDIR/said"
    grep -F 'another process changed files there' "$BATS_TEST_TMPDIR/said"
    ((swapped == 1))
    victim_is_whole
}

@test "a compiled policy takes the place of a planted link, and nothing is done to what stands in its own" {
    local swapped=0
    printf '[site]\ncluster = lab\n' >"$BATS_TEST_TMPDIR/jobtrail.conf"
    plant "$VICTIM" "$THEIRS/new.policy"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$BATS_TEST_TMPDIR/jobtrail.conf" --output "$THEIRS/new.policy"
    [ -f "$THEIRS/new.policy" ]
    [ ! -L "$THEIRS/new.policy" ]
    victim_is_whole
    rm "$THEIRS/new.policy"
    ! swap_at fsync "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$BATS_TEST_TMPDIR/jobtrail.conf" \
        --output "$THEIRS/new.policy" || false
    ((swapped == 1))
    grep -F 'cannot write' "$BATS_TEST_TMPDIR/said"
    victim_is_whole
}

@test "a converted configuration takes the place of a planted link" {
    plant "$VICTIM" "$THEIRS/jobtrail.conf"
    "$JOBTRAIL_BIN/jobtrail-conf" import-xalt --output "$THEIRS/jobtrail.conf" \
        "$JOBTRAIL_SOURCE/test/data/conf/xalt_config.py" || true
    [ -f "$THEIRS/jobtrail.conf" ]
    [ ! -L "$THEIRS/jobtrail.conf" ]
    [ "$(stat -c %U:%a "$THEIRS/jobtrail.conf")" = root:644 ]
    victim_is_whole
}

# by_no_way COMMAND... DIRECTORY: fails, and makes nothing where nobody leads it: not by his link, not by a
# link of root's in his directory, not through a directory in his
by_no_way() {
    local way
    for way in "$THEIRS/www" "$THEIRS/roots" "$BATS_TEST_TMPDIR/far" "$THEIRS/sub"; do
        run --separate-stderr "${@//WAY/$way}"
        echo "$way: $status $output $stderr"
        [ "$status" -ne 0 ]
        [[ "$stderr" == *"others than root can change"* || "$stderr" == *"another user's"* || "$stderr" == *"which is user"* ]]
        victim_is_whole
        [ "$(ls -A "$THEIRS/sub")" = "" ]
    done
}

@test "what root makes does not go through another user's link or directory" {
    plant "$BATS_TEST_TMPDIR/system" "$THEIRS/www"
    ln -s "$BATS_TEST_TMPDIR/system" "$THEIRS/roots"
    ln -s "$THEIRS/www" "$BATS_TEST_TMPDIR/far"
    theirs mkdir "$THEIRS/sub"
    mkdir "$BATS_TEST_TMPDIR/damaged"
    echo no >"$BATS_TEST_TMPDIR/damaged/run.x.y.json"
    printf '[site]\ncluster = lab\n' >"$BATS_TEST_TMPDIR/jobtrail.conf"
    by_no_way "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$BATS_TEST_TMPDIR/jobtrail.conf" --output WAY/victim
    by_no_way "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$BATS_TEST_TMPDIR/jobtrail.conf" --output WAY/new
    by_no_way "$JOBTRAIL_BIN/jobtrail-conf" import-xalt --output WAY/victim \
        "$JOBTRAIL_SOURCE/test/data/conf/xalt_config.py"
    by_no_way "$JOBTRAIL_BIN/jobtrail-conf" make-key WAY/key
    by_no_way "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" --quarantine WAY/new \
        "$BATS_TEST_TMPDIR/damaged"
    mkdir "$BATS_TEST_TMPDIR/system/quarantine"
    run -2 "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" \
        --quarantine "$THEIRS/www/quarantine" "$BATS_TEST_TMPDIR/damaged"
    rmdir "$BATS_TEST_TMPDIR/system/quarantine"
    [ -e "$BATS_TEST_TMPDIR/damaged/run.x.y.json" ]
    by_no_way "$JOBTRAIL_BIN/jobtrail-load" --store sqlite:WAY/store.db "$SITE/records"
    by_no_way "$REPORT" --store "$STORE" --update --summary WAY/summary
}

@test "what root makes goes by root's own links, and into a directory like /tmp" {
    local all=$BATS_TEST_TMPDIR/all
    mkdir -m 1777 "$all"
    mkdir "$all/roots"
    ln -s "$all/roots" "$all/link"
    printf '[site]\ncluster = lab\n' >"$BATS_TEST_TMPDIR/jobtrail.conf"
    for way in "$all" "$all/link"; do
        "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$BATS_TEST_TMPDIR/jobtrail.conf" --output "$way/policy"
        "$JOBTRAIL_BIN/jobtrail-conf" import-xalt --output "$way/conf" "$JOBTRAIL_SOURCE/test/data/conf/xalt_config.py" || true
        [ -f "$way/conf" ]
        "$JOBTRAIL_BIN/jobtrail-conf" make-key "$way/key"
    done
    mkdir "$BATS_TEST_TMPDIR/damaged"
    echo no >"$BATS_TEST_TMPDIR/damaged/run.x.y.json"
    run -1 "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$all/link/store.db" --quarantine "$all/link/quarantine/" \
        "$BATS_TEST_TMPDIR/damaged"
    [ -e "$all/roots/quarantine/run.x.y.json" ]
}

load_into() { # STORE OPTION...
    run --separate-stderr "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$1" "${@:2}" "$SITE/records"
    echo "$output $stderr"
}

@test "root makes no store, and no summary, where another user could lead him elsewhere" {
    load_into "$THEIRS/store.db"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"which is user $(id -u nobody)'s: run this as that user"* ]]
    [ "$(ls -A "$THEIRS")" = "" ]
    mkdir -m 1777 "$BATS_TEST_TMPDIR/all"
    load_into "$BATS_TEST_TMPDIR/all/store.db"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"which others can write to"* ]]
    # his directory is on the way
    mkdir "$THEIRS/roots"
    load_into "$THEIRS/roots/store.db"
    [ "$status" -eq 3 ]
    plant "$BATS_TEST_TMPDIR/system/new" "$BATS_TEST_TMPDIR/link.db"
    load_into "$BATS_TEST_TMPDIR/link.db"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"another user's link"* ]]
    run --separate-stderr "$REPORT" --store "$STORE" --update --summary "$THEIRS/summary"
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"$THEIRS/summary: root writes nothing below a directory that is another user's"* ]]
    plant "$BATS_TEST_TMPDIR/system/new" "$BATS_TEST_TMPDIR/summary"
    run --separate-stderr "$REPORT" --store "$STORE" --update --summary "$BATS_TEST_TMPDIR/summary"
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"another user's link"* ]]
    victim_is_whole
    # the user himself may
    cp "$JOBTRAIL_BIN/jobtrail-load" "$SITE/records" "$BATS_TEST_TMPDIR"
    theirs "$BATS_TEST_TMPDIR/jobtrail-load" --store "sqlite:$THEIRS/store.db" "$BATS_TEST_TMPDIR/records"
    [ "$(stat -c %U:%a "$THEIRS"/store.db "$THEIRS"/store.db-wal "$THEIRS"/store.db-shm | sort -u)" = nobody:600 ]
}

modes() { # FILE
    stat -c %a "$1" "$1-wal" "$1-shm" | paste -sd' '
}

@test "a store is its owner's alone, whatever the umask, and keeps the group that it is given" {
    local store=$BATS_TEST_TMPDIR/store.db
    umask 000
    load_into "$store"
    [ "$status" -eq 0 ]
    [ "$stderr" = "" ]
    [ "$(modes "$store")" = "600 600 600" ]
    ln -s "$BATS_TEST_TMPDIR/elsewhere.db" "$BATS_TEST_TMPDIR/link.db"
    load_into "$BATS_TEST_TMPDIR/link.db"
    [ "$status" -eq 0 ]
    [ "$(modes "$BATS_TEST_TMPDIR/elsewhere.db")" = "600 600 600" ]
    # as the man page says; log and index follow
    chgrp nogroup "$store"
    chmod 640 "$store"
    load_into "$store"
    [ "$status" -eq 0 ]
    [ "$stderr" = "" ]
    [ "$(modes "$store")" = "640 640 640" ]
    [ "$(stat -c %G "$store"*| sort -u)" = nogroup ]
    "$REPORT" --store "sqlite:$store" --update
    [ "$(stat -c %G:%a "$store.summary")" = nogroup:640 ]
    chmod 600 "$store"
    "$REPORT" --store "sqlite:$store" --update
    [ "$(stat -c %a "$store.summary")" = 600 ]
}

@test "a store that everybody may read stays so, and the loader says how to close it" {
    local store=$BATS_TEST_TMPDIR/store.db
    load_into "$store"
    chmod 644 "$store"
    load_into "$store"
    [ "$status" -eq 0 ]
    [ "$stderr" = "jobtrail-load: everybody on this host may read what every user ran, in $store: chmod o= it" ]
    [ "$(modes "$store")" = "644 644 644" ]
    chmod o= "$store"
    load_into "$store"
    [ "$stderr" = "" ]
    [ "$(modes "$store")" = "640 640 640" ]
}

@test "a quarantine is no link of another user's" {
    mkdir "$BATS_TEST_TMPDIR/damaged"
    echo no >"$BATS_TEST_TMPDIR/damaged/run.x.y.json"
    plant "$BATS_TEST_TMPDIR/system" "$THEIRS/quarantine"
    run --separate-stderr "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" \
        --quarantine "$THEIRS/quarantine" "$BATS_TEST_TMPDIR/damaged"
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"others than root can change $THEIRS"* ]]
    [ -e "$BATS_TEST_TMPDIR/damaged/run.x.y.json" ]
    victim_is_whole
}

# wrapped VARIABLE=VALUE...: a link by the wrapper, as root, whose record nobody takes
wrapped() {
    printf '[site]\ncluster = lab\n[transport]\nuse = syslog\n[spool]\nsessions = %s\n' \
        "$BATS_TEST_TMPDIR/no-timer" >"$BATS_TEST_TMPDIR/jobtrail.conf"
    (cd "$THEIRS" && timeout -k 1 $((60 * SLOW)) env XALT_EXECUTABLE_TRACKING=yes \
        JOBTRAIL_CONF="$BATS_TEST_TMPDIR/jobtrail.conf" "$@" \
        "$JOBTRAIL_STAGE/libexec/jobtrail/ld/ld" -shared -o made "$BATS_TEST_TMPDIR/hello.o")
}

@test "a link that root makes in a user's directory writes nothing where he leads" {
    echo 'int hello;' | gcc -xc -c -o "$BATS_TEST_TMPDIR/hello.o" -
    theirs mkdir -p "$THEIRS/.local/state"
    plant "$BATS_TEST_TMPDIR/system" "$THEIRS/.local/state/jobtrail"
    plant "$BATS_TEST_TMPDIR/system" "$THEIRS/jobtrail"
    wrapped HOME="$THEIRS"
    wrapped HOME=/nowhere XDG_STATE_HOME="$THEIRS"
    victim_is_whole
    plant "$VICTIM" "$THEIRS/trace"
    wrapped HOME="$THEIRS" XALT_TRACING=link:"$THEIRS/trace"
    theirs mkfifo "$THEIRS/pipe"
    wrapped HOME="$THEIRS" XALT_TRACING=link:"$THEIRS/pipe"
    victim_is_whole
}
