#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What root writes into a directory where somebody else has been before, or is meanwhile. Needs root;
# the somebody else is nobody.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load helper
load site

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
    theirs sh -c 'umask 027; echo old >"$1"' - "$THEIRS/out"
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
            [ -f "$new" ] && [ ! -L "$new" ] || continue
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
    theirs sh -c 'umask 0; echo old >"$1"' - "$THEIRS/out"
    ! swap_at geteuid,fsync python3 "$REPORT" --store "$STORE" -o "$THEIRS/out" users || false
    cat "$BATS_TEST_TMPDIR/said"
    grep -F 'somebody else changed files there' "$BATS_TEST_TMPDIR/said"
    ((swapped == 1))
    victim_is_whole
}
