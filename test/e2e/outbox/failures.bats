#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The outbox: what happens to records when collectors, disks and our own processes fail.
# shellcheck disable=SC2030,SC2031 # each test has its own HTTP_PID and MOUNTED

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/collectors

teardown() {
    stop_collectors
    [[ -z ${MOUNTED-} ]] || umount -l "$MOUNTED"
}

STATE() {
    echo "$BATS_TEST_TMPDIR/state"
}

http_job() {
    job_with $'[transport]\nuse = file, http\n[http]\nurl = http://127.0.0.1:1/\nformat = bulk\n'"${1-}"
}

to_collector() {
    sed -i "s|^url = .*|url = http://127.0.0.1:$HTTP_PORT/_bulk|" "$CONF"
}

batches() { # TRANSPORT
    find "$(STATE)/outbox/$1" -type f -name '[0-9]*'
}

@test "a transport that accepts does not wait for one that does not" {
    http_job
    more_records 3
    flush
    [[ $(waiting file) == 0 && $(waiting http) == 3 && $(file_keys | wc -l) == 3 ]]
    start_http
    to_collector
    outbox retry --transport file
    [[ $(waiting http) == 3 ]]
    outbox retry --transport http
    [[ $(waiting http) == 0 && $(file_keys) == "$(http_keys)" ]]
}

@test "list says what waits, since when, and why" {
    http_job
    more_records 2
    run outbox list
    [[ $status == 0 && $output == *"http            0 records"* ]]
    flush
    run outbox list
    [[ $status == 1 && $output == *"http            2 records"*"failed 1 times, again in "*"127.0.0.1"* ]]
    [[ $(outbox list --json | jq -c '.transports[1] | [.transport, .configured, .records, .failures, .oldest > 1700000000, .next_try > .oldest]') == \
        '["http",true,2,1,true,true]' ]]
    # records of a transport that is configured no more are told of too, and nobody sends them
    sed -i 's/^use = .*/use = file/' "$CONF"
    send
    run outbox list
    [[ $output == *"http            2 records"*"(not configured)"* ]]
}

@test "drop removes what waits, of one transport or all, and by age" {
    http_job
    more_records 2
    flush
    run -0 outbox drop --transport http --older-than 1
    [[ $output == "dropped 0 records" && $(waiting http) == 2 ]]
    run -0 outbox drop --transport http --json
    [[ $output == '{"dropped":2}' && $(waiting http) == 0 ]]
    run -2 outbox drop
    run -2 outbox drop --all --transport http
    run -2 outbox drop --transport pigeon
    run -2 outbox frobnicate
    run -0 outbox drop --all
}

@test "what finds no room in the outbox stays in the spool, is counted, and goes when there is room" {
    http_job $'[outbox]\nsize = 1M'
    more_records 1
    flush
    # what is there takes nearly all the room
    batch=$(batches http)
    dd if=/dev/zero bs=1k count=1020 status=none | tr '\0' x >>"$batch"
    more_records 3
    run -1 --separate-stderr flush --json
    [[ $(jq -c '[.jobs, .overflowed, .failed]' <<<"$output") == '[0,1,1]' ]]
    # shellcheck disable=SC2154
    [[ $stderr == *"job $JOB.0: its share of the outbox is full, the rest is for the next flush"* ]]
    run outbox list
    [[ $output == *"times records found no room so far, and wait in the spool"* ]]
    outbox drop --all
    flush
    [[ $(waiting http) == 3 && $(file_keys | wc -l) == 4 && -z $(ls "$SPOOL") ]]
}

# many_records COUNT JOB USER: a job of his with that many runs, of 3 KiB each
many_records() {
    "$PROGRAMS/make_spool" "$SPOOL" "$2"
    TRACKED=(JOBTRAIL_SPOOL="$SPOOL/$2.0/user" "${TRACKED[@]:1}")
    tracked "$PROGRAMS/exit_with" 0
    "$PROGRAMS/clone_captures" "$SPOOL/$2.0/user/ledger" "$1" >/dev/null
    sed -i "s/uid=0 gid=0/uid=$(id -u "$3") gid=$(id -g "$3")/" "$SPOOL/$2.0/journal"
    chown "$3" "$SPOOL/$2.0/user/ledger" "$SPOOL/$2.0/user/packages"
    echo "epilog time=$(date +%s.%N) user=$3 account=a partition=p" >>"$SPOOL/$2.0/journal"
}

runs_of() { # USER: how many of his wait for the collector
    find "$(STATE)/outbox/http" -type f -name '[0-9]*' -exec cat {} + | grep -c " run\.[^ ]*\.$1\." || true
}

# bats test_tags=needs:root
@test "one job and one user fill their share of the outbox, and others' records go on" {
    local held first
    http_job $'[outbox]\nsize = 1M'
    rm -r "${SPOOL:?}/$JOB.0"
    chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    many_records 400 101 games
    many_records 400 102 games
    many_records 10 103 man
    run -1 "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e --json
    [[ $(jq -c '[.jobs, .overflowed, .failed, .quarantined]' <<<"$(tail -n 1 <<<"$output")") == '[1,2,2,0]' ]]
    # nobody's collector answers: of the first job a quarter of a MiB waits, of the two a half at the most
    held=$(find "$(STATE)/outbox/http" -name '*.u5.j101' -printf '%s\n' | awk '{ n += $1 } END { print n }')
    ((held > 200 * 1024 && held <= 256 * 1024))
    held=$(find "$(STATE)/outbox/http" -name '*.u5.*' -printf '%s\n' | awk '{ n += $1 } END { print n }')
    ((held > 256 * 1024 && held <= 512 * 1024))
    [[ $(runs_of man) == 10 && ! -e $SPOOL/103.0 && -e $SPOOL/101.0/user/ledger && -e $SPOOL/102.0/user/ledger ]]
    # while nothing is sent, nothing is read again and nothing is lost
    first=$(runs_of games)
    run -1 "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e
    [[ $(runs_of games) == "$first" ]]
    # with a collector, all get through, each record once
    start_http
    to_collector
    rm -f "$(STATE)/outbox/http/.backoff"
    for _ in {1..20}; do
        "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e >/dev/null 2>&1 || true
        [[ -n $(ls "$SPOOL") ]] || break
    done
    [[ $(waiting http) == 0 && -z $(ls "$SPOOL") && ! -e $(STATE)/quarantine ]]
    [[ $(http_keys | wc -l) == 810 && $(http_keys | sort -u | wc -l) == 810 ]]
}

orphans() {
    run -"$1" --separate-stderr "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e --json
}

# bats test_tags=needs:root
@test "a user's jobs that wait for room are bounded, what is more is their loss, and it is said once a day" {
    local job
    http_job $'[outbox]\nsize = 1M'
    rm -r "${SPOOL:?}/$JOB.0"
    chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    many_records 400 101 games
    many_records 400 102 games
    many_records 1 103 games
    orphans 1
    [[ $(jq -c '[.overflowed, .quarantined, .lost]' <<<"$output") == '[3,0,0]' ]]
    [[ $(grep -c "its share of the outbox is full" <<<"$stderr") == 1 ]]
    for job in {200..499}; do
        cp -a "$SPOOL/103.0" "$SPOOL/$job.0"
        sed -i "s/job=103 /job=$job /" "$SPOOL/$job.0/journal"
        rm -f "$SPOOL/$job.0/waits"
    done
    many_records 10 600 man
    orphans 1
    # of 303 jobs 250 wait, and a hundred may be in the quarantine
    [[ $(jq -c '[.overflowed, .quarantined, .lost]' <<<"$output") == '[250,53,0]' ]]
    [[ $(runs_of man) == 10 && ! -e $SPOOL/600.0 ]]
    [[ $(grep -c "its user's jobs that wait hold too much: kept in" <<<"$stderr") == 1 && $(wc -l <<<"$stderr") == 1 ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-submit" status --conf "$CONF" --node e2e --json
    [[ $(jq -c '.users[] | select(.user == "games") | [.user, .jobs, .quarantined]' <<<"$output") == '["games",250,53]' ]]
    # ten more end as one does
    for job in {500..509}; do
        cp -a "$SPOOL/103.0" "$SPOOL/$job.0"
        sed -i "s/job=103 /job=$job /" "$SPOOL/$job.0/journal"
        rm -f "$SPOOL/$job.0/waits"
    done
    orphans 1
    [[ $(jq -c '[.overflowed, .quarantined]' <<<"$output") == '[250,10]' && $stderr == "" ]]
}

# bats test_tags=needs:root
@test "a spool that is full keeps the place to which a flush has come" {
    http_job $'[outbox]\nsize = 1M'
    rm -r "${SPOOL:?}/$JOB.0"
    chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    MOUNTED=$SPOOL
    mount -t tmpfs -o size=16m,mode=755 spool "$MOUNTED"
    many_records 400 101 games
    run -1 "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e
    [[ -s $SPOOL/101.0/flushed && $(runs_of games) -gt 10 ]]
    ! dd if=/dev/zero of="$SPOOL/fill" bs=4k status=none 2>&1 || false
    # each record once, though nothing finds room there
    start_http
    to_collector
    rm -f "$(STATE)/outbox/http/.backoff"
    for _ in {1..20}; do
        "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e >/dev/null 2>&1 || true
        [[ -e $SPOOL/101.0 ]] || break
    done
    [[ $(waiting http) == 0 && ! -e $SPOOL/101.0 ]]
    [[ $(http_keys | wc -l) == 400 && $(http_keys | sort -u | wc -l) == 400 ]]
    # where there was none from the first, what cannot be noted is not sent; what can be finished is
    rm "$SPOOL/fill"
    sed -i "s|^url = .*|url = http://127.0.0.1:1/|" "$CONF"
    many_records 400 102 games
    many_records 10 103 games
    ! dd if=/dev/zero of="$SPOOL/fill" bs=4k status=none 2>&1 || false
    run -1 "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e
    [[ $output == *"job 102.0: not flushed, to be tried again: No space left on device"* ]]
    [[ $(runs_of games) == 10 && -e $SPOOL/102.0 && ! -e $SPOOL/103.0 ]]
}

@test "start records leave half of the outbox to ends" {
    http_job $'[outbox]\nsize = 1M\n[sampling]\nalways_ranks = 2'
    more_records 1
    flush
    filled=$(batches http)
    dd if=/dev/zero bs=1k count=600 status=none | tr '\0' x >>"$filled"
    mv "$filled" "${filled%.u*}" # nobody's, so that no share is full
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    env "${TRACKED[@]}" PMI_RANK=0 PMI_SIZE=4 "$PROGRAMS/spin" 600 >/dev/null 3>&- &
    spinning=$!
    captured() { [[ $(od -An -tu8 -j24 -N8 "$SPOOL/$JOB.0/user/ledger") -gt 36864 ]]; } # used_bytes
    wait_for captured || status=1
    timeout --preserve-status $((2 * SLOW)) "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e || true
    held=$(waiting http)
    kill "$spinning"
    wait "$spinning" || true
    [[ ${status-} == "" && $held == 1 ]]
    flush
    [[ $(waiting http) == 2 && $(outbox list --json | jq .overflow) == 0 ]]
}

@test "a dead collector does not hold a flush up, nor the next one" {
    # A port that takes connections and never says a word
    python3 -c '
import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(100)
open(sys.argv[1], "w").write(str(s.getsockname()[1]))
time.sleep(600)' "$BATS_TEST_TMPDIR/port" 3>&- &
    HTTP_PID=$!
    wait_for test -s "$BATS_TEST_TMPDIR/port"
    http_job 'timeout = 300'
    HTTP_PORT=$(cat "$BATS_TEST_TMPDIR/port")
    to_collector
    sed -i 's/^epilog_timeout = .*/epilog_timeout = 4/' "$CONF"
    more_records 2
    # the flush ends by itself before the epilog would leave it behind
    timeout $((4 * SLOW)) "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e
    [[ $(waiting http) == 2 && $(waiting file) == 0 ]]
    # the next one makes no connection at all
    more_records 1
    strace -f -o "$BATS_TEST_TMPDIR/calls" -e trace=connect,openat "$JOBTRAIL_BIN/jobtrail-submit" \
        flush --job "$JOB" --conf "$CONF" --node e2e
    [[ $(grep -c 'AF_INET' "$BATS_TEST_TMPDIR/calls") == 0 ]]
    [[ $(grep -c 'transport_http.so' "$BATS_TEST_TMPDIR/calls") == 0 ]]
    [[ $(waiting http) == 3 ]]
}

@test "the epilog of a site that uses files loads no transport module" {
    job_with ''
    more_records 1
    strace -f -o "$BATS_TEST_TMPDIR/calls" -e trace=openat "$JOBTRAIL_BIN/jobtrail-submit" \
        flush --job "$JOB" --conf "$CONF" --node e2e
    [[ $(grep -cE 'transport_|libcurl|librdkafka' "$BATS_TEST_TMPDIR/calls") == 0 ]]
}

@test "back-off doubles, is spread by chance, and outlives who made it" {
    http_job
    more_records 1
    flush
    for failures in 2 3 4; do
        from=$(date +%s)
        run -1 outbox retry
        to=$(date +%s)
        read -r count until reason <"$(STATE)/outbox/http/.backoff"
        [[ $count == "$failures" && $reason == *127.0.0.1* ]]
        least=$((15 * 2 ** (failures - 1) / 2))
        [[ $((until - to)) -le $((least * 3 + 1)) && $((until - from)) -ge $least ]]
    done
    pauses=()
    for _ in 1 2 3 4 5 6; do # of 450 to 1350 s
        echo "9 0 often" >"$(STATE)/outbox/http/.backoff"
        run -1 outbox retry
        read -r count until reason <"$(STATE)/outbox/http/.backoff"
        pauses+=($(((until - $(date +%s)) / 10)))
    done
    [[ $(printf '%s\n' "${pauses[@]}" | sort -u | wc -l) -gt 1 ]]
    # a clock that was set back does not stop it for years
    echo "3 99999999999 the clock" >"$(STATE)/outbox/http/.backoff"
    start_http
    to_collector
    send
    [[ $(waiting http) == 0 && ! -e $(STATE)/outbox/http/.backoff ]]
}

@test "flipped bits and cut batches cost the records they hit, which are kept with the reason" {
    http_job
    more_records 4
    flush
    batch=$(batches http)
    python3 - "$batch" <<'PY'
import sys
path = sys.argv[1]
lines = open(path, "rb").read().split(b"\n")
lines[1] = lines[1][:300] + bytes([lines[1][300] ^ 1]) + lines[1][301:]
lines[3] = lines[3][:-50]
open(path, "wb").write(b"\n".join(lines[:4]))
PY
    echo "no batch at all" >"$(STATE)/outbox/http/00000000000000000001.1.0"
    mkdir "$(STATE)/outbox/http/00000000000000000002.1.0" "$(STATE)/outbox/http/.odd"
    truncate -s 30M "$(STATE)/outbox/http/00000000000000000003.1.0"
    rmdir "$(STATE)/outbox/http/00000000000000000002.1.0"
    start_http
    to_collector
    outbox retry
    [[ $(http_keys | wc -l) == 2 && $(waiting http) == 0 && $(batches http) == "" ]]
    [[ $(http_keys | comm -23 - <(file_keys)) == "" ]]
    # the flipped line, the cut one, the line that is none; the file that is none
    [[ $(cat "$(STATE)"/quarantine/outbox/http/*.reason | sort | uniq -c | awk '{ print $1 }' | xargs) == "3 1" ]]
    grep -q "its CRC does not fit" "$(STATE)"/quarantine/outbox/http/*.reason
    grep -q "File too large" "$(STATE)"/quarantine/outbox/http/*.reason
    [[ $(stat -c %s "$(STATE)/quarantine/outbox/http/00000000000000000003.1.0") == $((30 << 20)) ]]
}

@test "refused records fill no more than the outbox may have, and what is lost is counted" {
    local full
    full=$(STATE)/quarantine/outbox/http
    http_job
    printf '[outbox]\nsize = 1M\n' >>"$CONF"
    more_records 6
    flush
    start_http
    to_collector
    echo "refuse exit_with" >"$COLLECTED/mode"
    mkdir -p "$full"
    fallocate -l $((1020 << 10)) "$full/older"
    truncate -s 30M "$(STATE)/outbox/http/00000000000000000001.1.0"
    run -0 --separate-stderr outbox retry --json
    # shellcheck disable=SC2154
    [[ $(jq -c '[.refused, .damaged, .waiting]' <<<"$output") == "[6,1,0]" && $stderr == *"are lost: $full is full"* ]]
    [[ $(ls "$full") == $'older\noverflow' && $(cat "$full/overflow") == *07 ]]
    [[ $(du -sk "$full" | cut -f1) -le 1032 && $(waiting http) == 0 && $(batches http) == "" ]]
    run outbox list
    [[ $status == 0 && $output == *"7 refused or damaged ones found no room in the quarantine so far"* ]]
    [[ $(outbox list --json | jq '.transports[] | select(.transport == "http") | .lost') == 7 ]]
    # with room there, what is refused is kept again
    rm "$full/older"
    more_records 1
    run flush
    [[ $output == *"refused 1,"* && $output != *"are lost"* && $(find "$full" -name '*.reason' | wc -l) == 1 ]]
    [[ $(cat "$full/overflow") == *07 ]]
}

# bats test_tags=needs:root
@test "a full disk under the outbox keeps the captures, one under the records the outbox" {
    job_with ''
    mkdir -p "$(STATE)"
    MOUNTED=$(STATE)
    mount -t tmpfs -o size=256k outbox "$MOUNTED"
    dd if=/dev/zero of="$MOUNTED/filler" bs=1k count=250 status=none
    more_records 20
    run -1 flush
    [[ $output == *"No space left on device"* && -e $SPOOL/$JOB.0/user/ledger ]]
    [[ ! -e $RECORDS && $(find "$MOUNTED/outbox" -name '.new*') == "" ]]
    rm "$MOUNTED/filler"
    flush
    [[ $(file_keys | wc -l) == 20 && ! -e $SPOOL/$JOB.0 ]]
    umount "$MOUNTED"

    MOUNTED=$RECORDS
    mount -t tmpfs -o size=64k records "$MOUNTED"
    more_records 30
    run -0 flush
    [[ $output == *"transport file: "*"No space left on device"* && ! -e $SPOOL/$JOB.0 ]]
    [[ $(find "$RECORDS" -name '.*.new') == "" ]]
    mount -o remount,size=10M "$MOUNTED"
    outbox retry
    [[ $(file_keys | uniq | wc -l) == 30 && $(waiting file) == 0 ]]
}

# bats test_tags=needs:root
@test "directories that are read-only keep everything where it is" {
    job_with ''
    mkdir -p "$(STATE)" "$RECORDS"
    MOUNTED=$(STATE)
    mount -t tmpfs -o ro outbox "$MOUNTED"
    more_records 3
    run -3 flush
    [[ $output == *"Read-only file system"* && -e $SPOOL/$JOB.0/user/ledger ]]
    mount -o remount,rw "$MOUNTED"
    flush
    [[ $(file_keys | wc -l) == 3 ]]
    umount "$MOUNTED"
    MOUNTED=$RECORDS
    mount -t tmpfs -o ro records "$MOUNTED"
    more_records 2
    run -0 flush
    [[ $output == *"Read-only file system"* && $(waiting file) == 2 ]]
    mount -o remount,rw "$MOUNTED"
    outbox retry
    [[ $(file_keys | wc -l) == 2 ]]
}

# killed_after SECONDS COMMAND...: in a process group of its own, as its worker
killed_after() {
    timeout --signal=KILL "$@" >/dev/null 2>&1 || true
}

random_moment() { # up to MILLISECONDS
    printf '0.%03d' $((RANDOM % $1 + 1))
}

# next_job: what has been flushed in part is no place for further runs
next_job() {
    JOB=$((JOB + 1))
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    TRACKED=(JOBTRAIL_SPOOL="$SPOOL/$JOB.0/user" "${TRACKED[@]:1}")
}

# is_being_read: a flush was killed while it read a capture. A second one in the same capture would have it passed over.
is_being_read() {
    [[ $(find "$SPOOL" -name flushed.begun -exec cat {} + | tr -d '\0' | wc -c) -gt 0 ]]
}

@test "flushes and senders that are killed at random moments lose nothing and double nothing" {
    kills=60
    [[ -z ${JOBTRAIL_SOAK-} ]] || kills=1000
    job_with $'[transport]\nuse = file, http\n[http]\nformat = bulk\nurl = http://127.0.0.1:1/'
    start_http
    to_collector
    for ((i = 0; i < kills; i += 2)); do
        next_job
        more_records 2
        killed_after "$(random_moment 60)" "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e
        ! is_being_read || "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e
        killed_after "$(random_moment 30)" "$JOBTRAIL_BIN/jobtrail-submit" outbox retry --conf "$CONF"
    done 2>/dev/null
    "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e
    outbox retry
    # a directory that was empty and about to be removed is taken for a new one, for a minute
    [[ $(waiting file) == 0 && $(waiting http) == 0 && $(find "$SPOOL" -type f ! -name .reserve) == "" ]]
    [[ $(find "$(STATE)/outbox" -name '.new*') == "" ]]
    echo "$(file_keys | wc -l) files, $(http_keys | wc -l) by http, $(find "$(STATE)/quarantine" -name reason)"
    [[ $(file_keys | wc -l) == "$kills" && $(file_keys | uniq -d) == "" ]]
    [[ $(file_keys | cut -d: -f1) == "$(http_keys | cut -d: -f1)" ]]
    # at the most a directory that was being removed
    [[ $(find "$(STATE)" -path '*/quarantine/*' -name ledger -o -path '*/quarantine/outbox/*') == "" ]]
}

@test "collectors that are killed at random moments get each record" {
    kills=20
    [[ -z ${JOBTRAIL_SOAK-} ]] || kills=400
    job_with $'[transport]\nuse = file, syslog, http\n[http]\nformat = bulk\nurl = http://127.0.0.1:1/\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"
    for ((i = 0; i < kills; i++)); do
        start_http
        start_rsyslog
        to_collector
        more_records 2
        (
            sleep "$(random_moment 40)"
            kill -KILL "$HTTP_PID"
        ) 3>&- &
        (
            sleep "$(random_moment 40)"
            mv "$COLLECTED/log" "$COLLECTED/log.before" # nobody else finds it any more
            stop_rsyslog "$COLLECTED/log.before"
        ) 3>&- &
        flush || true
        outbox retry || true
        wait
    done 2>/dev/null
    start_http
    start_rsyslog
    to_collector
    outbox retry
    stop_rsyslog
    [[ $(waiting file) == 0 && $(waiting http) == 0 && $(waiting syslog) == 0 ]]
    [[ $(file_keys | wc -l) == $((2 * kills)) && $(file_keys | uniq -d) == "" ]]
    diff <(file_keys) <(http_keys | uniq)
    diff <(cat "$RECORDS"/*.json | sort) <(syslog_records 512 | sort)
}

# bats test_tags=needs:root
@test "the timer and the cron line run what there is" {
    share=$JOBTRAIL_STAGE/share/jobtrail
    if command -v systemd-analyze >/dev/null; then
        run systemd-analyze verify "$share/jobtrail-send.timer" "$share/jobtrail-send.service"
        echo "$output"
        [[ $output != *jobtrail-send*"nknown"* ]]
    fi
    http_job
    more_records 1
    flush
    rm "$(STATE)/outbox/http/.backoff"
    start_http
    to_collector
    # the commands of the unit and of the cron lines, on this installation and configuration
    for commands in "$(sed -nE 's/^Exec(Start|StopPost)=//p' "$share/jobtrail-send.service")" \
        "$(sed -n 's/^\* \* \* \* \* root //p' "$share/jobtrail-send.cron")"; do
        [[ $commands == *"/bin/jobtrail-submit send"*"/bin/jobtrail-submit status --write"* ]]
        while read -r command; do
            bash -c "$JOBTRAIL_BIN/${command##*/bin/} --conf $CONF"
        done <<<"$commands"
    done
    [[ $(waiting http) == 0 && $(http_keys | wc -l) == 1 ]]
}
