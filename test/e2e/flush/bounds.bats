#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2119 # of flush_orphans
# What a user can make root's programs do is bounded: bytes, processor time, files that hang, flushes at
# once. Needs root and FUSE.
# bats file_tags=needs:root

bats_require_minimum_version 1.5.0
load ../fixture/job

setup() {
    RULES=$KEEP_ALL new_job
    chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    DIR=$BATS_TEST_TMPDIR/dir
    mkdir "$DIR"
}

teardown() {
    [[ -z ${DAEMON-} ]] || kill -KILL "$DAEMON" 2>/dev/null || true
    [[ -z ${FLUSH-} ]] || kill -KILL "$FLUSH" 2>/dev/null || true
    umount -l "$DIR" 2>/dev/null || true
}

configure() { # LINE: of [submit]
    sed -i "/^\\[submit\\]/a $1" "$CONF"
}

is_over() { # JOB
    echo "epilog time=$(date +%s.%N) user=nobody account=a partition=p" >>"$SPOOL/$1.0/journal"
}

# of_nobody JOB: it is his
of_nobody() {
    sed -i "s/uid=0 gid=0/uid=$(id -u nobody) gid=$(id -g nobody)/" "$SPOOL/$1.0/journal"
    chown nobody "$SPOOL/$1.0/user/ledger" "$SPOOL/$1.0/user/packages"
    is_over "$1"
}

# another_job NUMBER: with one run, that must come through
another_job() {
    "$PROGRAMS/make_spool" "$SPOOL" "$1"
    tracked JOBTRAIL_SPOOL="$SPOOL/$1.0/user" "$PROGRAMS/exit_with" 0
    of_nobody "$1"
}

# shellcheck disable=SC2120 # run passes options
flush_orphans() {
    "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e "$@"
}

reason() { # JOB
    cat "$BATS_TEST_TMPDIR/state/quarantine/$1.0/reason"
}

# hashes: "NAME HASH? UNHASHED" of all runs, sorted
hashes() {
    records | jq -r '.[] | "\(.userT.exec_path | split("/")[-1]) \(.hash_id | length > 1) \(.XALT_qaT.JOBTRAIL_UNHASHED)"' | sort
}

# ---- hashing

@test "what is larger than the site hashes has no hash, and its record says so" {
    configure 'hash_file_size = 1M'
    mount -t tmpfs none "$DIR"
    for name in sparse large small fifo; do
        cp "$PROGRAMS/exit_with" "$DIR/$name"
        tracked "$DIR/$name"
    done
    truncate -s 7E "$DIR/sparse"
    truncate -s 2M "$DIR/large"
    rm "$DIR/fifo"
    mkfifo "$DIR/fifo"
    of_nobody "$JOB"
    run -0 --separate-stderr flush_orphans
    [[ -z $(ls "$SPOOL") && ! -e $BATS_TEST_TMPDIR/state/quarantine ]]
    [[ $(hashes) == $'fifo false 0\nlarge false 1\nsmall true 0\nsparse false 1' ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/*.json
}

@test "of the files of a job those are hashed that 16 of the largest size have room for" {
    local number
    configure 'hash_file_size = 1M'
    for number in {1..20}; do
        cp "$PROGRAMS/exit_with" "$DIR/program$number"
        truncate -s 1000K "$DIR/program$number"
        tracked "$DIR/program$number"
    done
    of_nobody "$JOB"
    flush_orphans
    [[ $(hashes | cut -d' ' -f2- | sort | uniq -c | xargs) == "4 false 1 16 true 0" ]]
}

# ---- processor time

# worst_job: nobody's, whose captures and tasks cost as much as he can make them
worst_job() {
    mount -t tmpfs none "$DIR"
    local program=$DIR/program0000
    cp "$PROGRAMS/exit_with" "$program"
    tracked "$program"
    "$PROGRAMS/clone_captures" "$SPOOL/$JOB.0/user/ledger" 3000 >/dev/null
    # each capture names a file of its own: of 1 GiB, of 7 EiB, none, one of /proc, or a pipe
    python3 - "$SPOOL/$JOB.0/user/ledger" "$DIR" <<'PY'
import os, sys
ledger, directory = sys.argv[1], sys.argv[2]
data = open(ledger, "rb").read()
first = (directory + "/program0000").encode()
size = int.from_bytes(data[24:32], "little")
data = data[:size]
head = 36864 # LEDGER_FIRST
step = (size - head) // 3000
slots = [data[:head]]
for number in range(3000):
    slot = data[head + number * step:head + (number + 1) * step]
    name = "/program%04d" % number
    slots.append(slot.replace(first, (directory + name).encode()))
    path = directory + name
    if number == 0:
        os.remove(path)
    if number % 5 == 1:
        os.mkfifo(path)
    elif number % 5 == 2:
        os.symlink("/proc/kallsyms", path)
    elif number % 5 != 3:
        os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 7 << 60 if number % 5 == 4 else 1 << 30)
os.pwrite(os.open(ledger, os.O_WRONLY), b"".join(slots), 0)
PY
    local search
    search=$(printf '/usr/bin/../lib/../bin/../%s:' {1..100})
    seq 2000 | awk -v search="$search" '{
        print "task time=1700000000.000000000 step=0 task=" $1 " pid=" 100000 + $1 " ticks=1"
        print "program step=0 task=" $1 " path=none search=" search }' >>"$SPOOL/$JOB.0/journal"
    printf 'package %s name version /path\n' {1..20000} >"$SPOOL/$JOB.0/user/packages"
    of_nobody "$JOB"
}

# cpu_of COMMAND...: seconds that it and its children took of processors
cpu_of() {
    python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=sys.stderr)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)' "$@"
}

@test "a user's worst job costs the node the processor time of job_cpu, and then goes to the quarantine" {
    local flushes=0 all=0 used
    configure 'job_cpu = '"$SLOW"
    worst_job
    another_job 9999
    while [[ -n $(ls "$SPOOL") ]]; do
        used=$(cpu_of "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --conf "$CONF" --node e2e)
        all=$(awk -v all="$all" -v used="$used" 'BEGIN { print all + used }')
        ((++flushes < 10))
    done
    echo "$all s"
    # half a second until it is noticed; the other job, sending, and copying to the quarantine
    awk -v all="$all" -v most=$((2 * SLOW)) 'BEGIN { exit !(all > 1 && all < most) }'
    [[ $(reason "$JOB") == "its records take more processor time than [submit] job_cpu" ]]
    [[ $(records | jq 'map(select(.slurmT.job_id == 9999)) | length') == 1 ]]
    # what it was worth is there: the first captures
    [[ $(records | jq 'map(select(.slurmT.job_id == 4711)) | length') -ge 1 ]]
}

# ---- what hangs

# hang: what is in $DIR hangs from now on
hang() {
    mkdir "$BATS_TEST_TMPDIR/behind"
    cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/behind/hanging"
    bindfs -f -o allow_other "$BATS_TEST_TMPDIR/behind" "$DIR" 3>&- &
    DAEMON=$!
    wait_for test -e "$DIR/hanging"
    "$@"
    kill -STOP "$DAEMON"
}

@test "a capture whose file hangs is passed over by the third try, and the rest of the job recorded" {
    local flushes=0
    configure "job_timeout = $SLOW"
    tracked "$PROGRAMS/exit_with" 0
    hang tracked "$DIR/hanging"
    tracked "$PROGRAMS/exit_with" 0
    of_nobody "$JOB"
    another_job 9999
    while [[ -n $(ls "$SPOOL") ]]; do
        flush_orphans || true
        ((++flushes <= 4))
    done
    [[ $(reason "$JOB") == "captures that stopped their reader twice are not recorded" ]]
    [[ $(endings) == $'exit_with fini\nexit_with fini\nexit_with fini' ]]
    [[ -s $BATS_TEST_TMPDIR/state/quarantine/$JOB.0/ledger ]]
}

@test "a session whose file hangs neither keeps other users from their turn nor is read for ever" {
    local run=0 sessions=$BATS_TEST_TMPDIR/sessions notes=$BATS_TEST_TMPDIR/state/sessions
    sed -i "/^\\[spool\\]/a sessions = $sessions" "$CONF"
    cp -R "$JOBTRAIL_STAGE" "$BATS_TEST_TMPDIR/stage"
    flush_sessions() {
        "$JOBTRAIL_BIN/jobtrail-submit" flush --sessions --conf "$CONF" --node e2e
    }
    as_session() { # UID COMMAND...: recorded in a session of its own
        # shellcheck disable=SC2016
        setsid --wait setpriv --reuid "$1" --regid "$1" --clear-groups env -i PATH=/usr/bin:/bin bash -c '
            while read -r verb name value; do export "$name=$value"; done < <("$1" session --conf "$2")
            shift 2
            "$@"
            true' _ "$BATS_TEST_TMPDIR/stage/bin/jobtrail-submit" "$CONF" "${@:2}"
    }
    sed -i "s|^\\[submit\\]|[preload]\\nlibrary = $BATS_TEST_TMPDIR/stage/lib/jobtrail/before-libasan.so/lib64/libjobtrail.so\\n&|" "$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    flush_sessions
    cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/stage/exit_with"
    hang as_session 5 "$DIR/hanging"
    as_session 6 "$BATS_TEST_TMPDIR/stage/exit_with"
    flush_sessions || true
    [[ $(endings) == "exit_with fini" ]]
    # who has used up his share is left alone for a while
    [[ -e $notes/turn.5 && ! -e $notes/turn.6 ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-submit" flush --sessions --conf "$CONF" --node e2e
    for ((run = 0; run < 3; run++)); do
        touch -d '1 hour ago' "$notes/turn.5" 2>/dev/null || true
        flush_sessions || true
    done
    [[ -z $(ls "$sessions/5") && $(cat "$BATS_TEST_TMPDIR"/state/quarantine/5.*/reason) == "captures that"* ]]
}

# ---- one at a time

# slow_job NUMBER: of nobody, whose executable takes long to hash
slow_job() {
    "$PROGRAMS/make_spool" "$SPOOL" "$1"
    cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/slow$1"
    tracked JOBTRAIL_SPOOL="$SPOOL/$1.0/user" "$BATS_TEST_TMPDIR/slow$1"
    truncate -s 500G "$BATS_TEST_TMPDIR/slow$1"
    of_nobody "$1"
}

has_slot() {
    [[ -e $BATS_TEST_TMPDIR/state/flush.lock ]] && ! flock -n "$BATS_TEST_TMPDIR/state/flush.lock" true
}

@test "when epilogs wait no longer one flush goes on, and does what the others have left" {
    local number pids=() pid left=()
    configure 'epilog_timeout = 1\nhash_file_size = 1024G'
    rm -rf "${SPOOL:?}/$JOB.0"
    for number in 1 2 3 4; do slow_job "$number"; done
    for number in 1 2 3 4; do
        "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$number" --conf "$CONF" --node e2e \
            >/dev/null 2>"$BATS_TEST_TMPDIR/said$number" 3>&- &
        pids+=($!)
    done
    wait_for has_slot
    one_is_left() {
        left=()
        for pid in "${pids[@]}"; do
            ! grep -qE '^State:.[^ZX]' "/proc/$pid/status" 2>/dev/null || left+=("$pid")
        done
        ((${#left[@]} == 1))
    }
    wait_for one_is_left
    [[ $(find "$SPOOL" -maxdepth 1 -name '*.0' | wc -l) == 4 ]]
    [[ $(cat "$BATS_TEST_TMPDIR"/said* | grep -c 'another flush is running: that does the rest') == 3 ]]
    truncate -s 64K "$BATS_TEST_TMPDIR"/slow?
    wait "${left[0]}"
    [[ -z $(find "$SPOOL" -maxdepth 1 -name '*.0') && ! -e $BATS_TEST_TMPDIR/state/quarantine ]]
    [[ $(endings) == $'slow1 fini\nslow2 fini\nslow3 fini\nslow4 fini' ]]
    # that of the file that was cut while it was read is none, and none of a part
    (($(hashes | grep -c 'true 0') >= 3))
}

@test "a flush at the end of an extern step does what others have left, too" {
    local number pids=()
    configure 'epilog_timeout = 1\nhash_file_size = 1024G'
    rm -rf "${SPOOL:?}/$JOB.0"
    for number in 1 2; do slow_job "$number"; done
    "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --job 1 --conf "$CONF" --node e2e >/dev/null 2>&1 3>&- &
    FLUSH=$!
    wait_for has_slot
    run "$JOBTRAIL_BIN/jobtrail-submit" flush --orphans --job 2 --conf "$CONF" --node e2e
    [[ $output == *'another flush is running: that does the rest'* && -e $SPOOL/2.0 ]]
    truncate -s 64K "$BATS_TEST_TMPDIR"/slow?
    wait "$FLUSH"
    [[ -z $(find "$SPOOL" -maxdepth 1 -name '*.0') ]]
    [[ $(endings) == $'slow1 fini\nslow2 fini' ]]
}

@test "flushes come behind everything else on the node, in a cgroup of their own" {
    local pid children
    configure 'hash_file_size = 1024G'
    slow_job 1
    "$JOBTRAIL_BIN/jobtrail-submit" flush --job 1 --conf "$CONF" --node e2e >/dev/null 2>&1 3>&- &
    FLUSH=$!
    has_children() {
        read -ra children <"/proc/$FLUSH/task/$FLUSH/children"
        ((${#children[@]} == 2)) && grep -q 'NoNewPrivs:.1' "/proc/${children[0]}/status" "/proc/${children[1]}/status"
    }
    wait_for has_children 2>/dev/null
    for pid in "$FLUSH" "${children[@]}"; do
        [[ $(awk '{ print $19 }' "/proc/$pid/stat") == 19 && $(ionice -p "$pid") == idle ]]
        grep -qE '^[0-9]+:[^:]*:/jobtrail$' "/proc/$pid/cgroup"
    done
    run -0 "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e || true
    [[ $output == *"cgroup"*"flushes get one processor and 4 GiB"* ]]
    # both of those that read are confined
    for pid in "${children[@]}"; do
        grep -qE '^Seccomp:.2$' "/proc/$pid/status"
    done
}

# A tree that is made: of version 2 the kernel's files are here only where it has the controllers there.
@test "cgroups of version 2 have limits of their own names" {
    local group=$BATS_TEST_TMPDIR/cgroup/jobtrail
    is_over "$JOB"
    mkdir -p "$group"
    touch "$group"/{cpu.max,memory.max,cgroup.procs}
    printf '31 23 0:28 / %s rw,relatime - cgroup2 cgroup2 rw\n' "${group%/*}" >"$BATS_TEST_TMPDIR/mountinfo"
    # shellcheck disable=SC2016 # for the inner shell
    run -0 unshare --mount bash -c 'mount --bind "$1" "/proc/$$/mountinfo"; shift; exec "$@"' _ \
        "$BATS_TEST_TMPDIR/mountinfo" "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e
    [[ $(<"$group/cpu.max") == "100000 100000" && $(<"$group/memory.max") == 4294967296 ]]
    [[ $(<"$group/cgroup.procs") == 0 ]] # who writes
}

@test "where there are no cgroups, a flush works all the same, and doctor says so" {
    tracked "$PROGRAMS/exit_with" 0
    # shellcheck disable=SC2016
    run unshare --mount bash -c 'umount -R /sys/fs/cgroup && "$1" flush --job "$2" --conf "$3" --node e2e && ! "$4" doctor --conf "$3" --node e2e' \
        _ "$JOBTRAIL_BIN/jobtrail-submit" "$JOB" "$CONF" "$JOBTRAIL_BIN/jobtrail-conf"
    [[ $output == *"cgroup"*"flushes are limited in neither processors nor memory"* ]]
    [[ $(endings) == "exit_with fini" ]]
}

# ---- the ledger and the process watch

@test "what lies beyond ledger_size is not read, and counted" {
    tracked "$PROGRAMS/exit_with" 0
    "$PROGRAMS/clone_captures" "$SPOOL/$JOB.0/user/ledger" 400 >/dev/null
    # the site makes ledgers of 1 MiB: the user has made his larger
    sed -i '/^\[spool\]/a ledger_size = 1M' "$CONF"
    of_nobody "$JOB"
    run -0 flush_orphans --json
    [[ $(jq -c '[.damaged, .quarantined]' <<<"$(tail -n 1 <<<"$output")") == '[1,1]' ]]
    (($(records | jq length) > 200 && $(records | jq length) < 256))
    [[ $(reason "$JOB") == "damaged captures in the ledger" ]]
}

@test "whatever is written to the process watch's pipe, and whatever the ledgers hold, it rests" {
    local used
    sed -i '/^\[submit\]/a hash_file_size = 1024G' "$CONF"
    printf '[sampling]\nalways_ranks = 2\n' >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    # 60 jobs that go on, each with a capture whose file takes long
    for number in {1..60}; do
        "$PROGRAMS/make_spool" "$SPOOL" "$number"
    done
    cp "$PROGRAMS/spin" "$BATS_TEST_TMPDIR/slow"
    env "${TRACKED[@]}" JOBTRAIL_SPOOL="$SPOOL/1.0/user" PMI_RANK=0 PMI_SIZE=4 "$BATS_TEST_TMPDIR/slow" 600 >/dev/null 3>&- &
    DAEMON=$!
    captured() { [[ $(od -An -tu8 -j24 -N8 "$SPOOL/1.0/user/ledger") -gt 36864 ]]; } # used_bytes
    wait_for captured
    for number in {2..60}; do
        cp "$SPOOL/1.0/user/ledger" "$SPOOL/$number.0/user/ledger"
    done
    kill -KILL "$DAEMON"
    wait "$DAEMON" || true # or its file would be busy
    truncate -s 500G "$BATS_TEST_TMPDIR/slow"
    "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e >/dev/null 2>&1 3>&- &
    FLUSH=$!
    wait_for test -p "$SPOOL/wake"
    timeout 30 setpriv --reuid nobody --regid nogroup --clear-groups bash -c "yes >'$SPOOL/wake'" || true
    # clock ticks of it and its children: a look's ten seconds on two processors at the most
    used=$(awk '{ print ($14 + $15 + $16 + $17) / 100 }' "/proc/$FLUSH/stat")
    echo "$used s"
    awk -v used="$used" 'BEGIN { exit !(used < 21) }'
}
