#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Who uses libraries outside of jobs, as jobtrail-libmon watch counts it, in logs and in records: exact numbers, what is no
# use, and that nothing is lost without being said.
# bats file_tags=needs:fanotify_names,needs:root,needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/collectors
load ../fixture/library

setup() {
    PLACE=$(readlink -f "$BATS_TEST_TMPDIR")
    TREE=$PLACE/sw
    STATE=$PLACE/state
    USES=$PLACE/uses
    SPOOL=$PLACE/spool
    RECORDS=$PLACE/records
    CONF=$PLACE/jobtrail.conf
    WATCH=
    USERS=()
    GROUP=
    PYTHON=$(readlink -f /usr/bin/python3)
    mkdir -p "$TREE" "$PLACE/ready" "$SPOOL"
    chmod 1777 "$PLACE/ready"
    echo first >"$TREE/libfirst.so"
    chmod o+x "$PLACE" "$BATS_RUN_TMPDIR" # for other users
    printf '%s\n' "[site]" "timezone = UTC" "cluster = lab" "[spool]" "dir = $SPOOL" "mount = no" "[submit]" "state = $PLACE/submit" \
        "[file]" "dir = $RECORDS" "[libraries]" "tree = $TREE" "state = $STATE" "logs = $PLACE/logs" "watch = yes" \
        "use_logs = $USES" "use_records = yes" >"$CONF"
}

teardown() {
    local at
    let_go
    [[ -z $WATCH ]] || end_watch
    [[ -z $GROUP ]] || rmdir "$GROUP" "${GROUP%/*}"
    while read -r at; do umount -l "$at"; done < <(awk -v place="$PLACE/" 'index($2, place) == 1 { print $2 }' /proc/mounts | tac)
}

# counter: the pid of the child that counts opens, in whose marks is FAN_OPEN
counter() {
    local pid mask
    while read -r pid mask; do
        (((0x$mask & 0x20) == 0)) || { echo "$pid" && break; }
    done < <(pgrep -P "$WATCH" | while read -r pid; do
        cat "/proc/$pid/fdinfo/"* 2>/dev/null | sed -n "s/^fanotify ino:.* mask:\\([0-9a-f]*\\).*/$pid \\1/p"
    done)
}

# begin_watch: until it has scanned, and counts opens
begin_watch() {
    rm -f "$STATE/watch"
    "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$CONF" >"$PLACE/said" 2>"$PLACE/trouble" 3>&- &
    WATCH=$!
    until [[ -f $STATE/watch && $(sed 's/.*scans= *//' "$STATE/watch") -ge 1 && -n $(counter) ]]; do kill -0 $WATCH; sleep 0.05; done
}

end_watch() {
    kill "$WATCH" 2>/dev/null || true
    wait "$WATCH" || true
    WATCH=
}

# write_now: what was counted is written, as far as that goes
write_now() {
    local child
    child=$(counter)
    kill -USR1 "$child"
    until [[ -s $STATE/uses.db && -z $(cat "/proc/$child/task/$child/children") ]]; do kill -0 "$child"; sleep 0.05; done
}

# opens COUNT UID PROGRAM FILE [MODE [COMMAND...]]: so many processes open it, each once, and stay until let_go
opens() {
    local count=$1 uid=$2 program=$3 file=$4 mode=${5:-r} i before
    shift 4
    [[ $# == 0 ]] || shift
    before=$(find "$PLACE/ready" -type f | wc -l)
    for ((i = 0; i < count; i++)); do
        as "$uid" "$@" "$program" -c '
import os, sys, time
file = open(sys.argv[1], sys.argv[2])
open(f"{sys.argv[3]}/{os.getpid()}", "w").close()
while not os.path.exists(sys.argv[4]): time.sleep(0.01)' "$file" "$mode" "$PLACE/ready" "$PLACE/go" 3>&- &
        USERS+=($!)
    done
    wait_for are_ready $((before + count))
}

are_ready() { # NUMBER
    [[ $(find "$PLACE/ready" -type f | wc -l) == "$1" ]]
}

let_go() {
    touch "$PLACE/go"
    [[ ${#USERS[@]} == 0 ]] || wait "${USERS[@]}" || true
    USERS=()
    rm -f "$PLACE/go"
}

# logged: all lines of uses, without their times; equal ones, as of two turns, are one with the sum of their counts
logged() {
    cat "$USES"/*.log 2>/dev/null | sed -n 's/^[A-Z][^ ]*_[^ ]* \(.*\) count=\([0-9]*\) /\2 \1 count=+ /p' |
        awk '{ count = $1; sub(/^[0-9]+ /, ""); sum[$0] += count } END { for (line in sum) { text = line; sub(/\+/, sum[line], text); print text } }' | sort
}

counts() { # of logged lines: their sum
    sed 's/.* count=\([0-9]*\) .*/\1/' | awk '{ sum += $1 } END { print sum }'
}

# only_logged PATTERN: that is the one line
only_logged() {
    # shellcheck disable=SC2053
    [[ $(logged | wc -l) == 1 && $(logged) == $1 ]]
}

# summed: the sums that are no records yet
summed() {
    sqlite3 -separator ' ' "$STATE/uses.db" "SELECT library, kind, uid, sum(count) FROM use GROUP BY library, kind, uid ORDER BY 1, 2, 3"
}

# records_of_uses: after the hour is over, and the next watch has ended
records_of_uses() {
    sqlite3 "$STATE/uses.db" "UPDATE use SET hour = hour - 1"
    begin_watch
    end_watch
    send
    find "$RECORDS" -name 'lib.*.json' -exec jq -c '.libraryT | select(.kind == "use" and .library != "(unseen)")' {} + >"$PLACE/found"
}

@test "uses are counted exactly, by user, program and kind, in logs and in records" {
    cp "$PYTHON" "$PLACE/ld"
    cp "$PYTHON" "$PLACE/f951"
    echo two >"$TREE/libfirst.so.2"
    begin_watch
    opens 3 65534 "$PYTHON" "$TREE/libfirst.so"
    opens 1 65534 "$PYTHON" "$TREE/libfirst.so.2"
    opens 2 0 "$PLACE/ld" "$TREE/libfirst.so"
    opens 1 0 "$PLACE/f951" "$TREE/libfirst.so"
    opens 1 65534 "$PYTHON" /etc/hostname
    end_watch
    let_go
    local name=${PYTHON##*/}
    diff <(logged) - <<TEXT
nobody LIB_OPENED count=1 how=watch command=$name program=$PYTHON path=$TREE/libfirst.so.2
nobody LIB_OPENED count=3 how=watch command=$name program=$PYTHON path=$TREE/libfirst.so
root LIB_COMPILED count=1 how=watch command=f951 program=$PLACE/f951 path=$TREE/libfirst.so
root LIB_LINKED count=2 how=watch command=ld program=$PLACE/ld path=$TREE/libfirst.so
TEXT
    [[ $(sed -n 1p "$USES/libfirst.log") == "# jobtrail: sorted UTC" ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-libq" -c "$USES/libfirst.log"
    [[ $output == "$(grep -c count= "$USES/libfirst.log")" ]]
    send
    [[ $(find "$RECORDS" -name 'lib.*.json' -exec jq -r '.libraryT.kind' {} + | sort -u) == change ]] # the hour goes on
    records_of_uses
    diff <(jq -r '"\(.user) \(.uid) \(.what) \(.count) \(.files) \(.program) \(.path) \(.source) \(.before > .after and .before - .after < 3600)"' "$PLACE/found" | sort) - <<TEXT
nobody 65534 open 4 2 $PYTHON $TREE/libfirst.so watch true
root 0 compile 1 1 $PLACE/f951 $TREE/libfirst.so watch true
root 0 link 2 1 $PLACE/ld $TREE/libfirst.so watch true
TEXT
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$PLACE/store.db" "$RECORDS"
    [[ $(sqlite3 "$PLACE/store.db" "SELECT sum(uses), count(*), min(proven) FROM library_event WHERE kind = 'use' AND library = 'libfirst'") == "7|3|1" ]]
    report() { # ROWS PAGE OPTION...
        diff <("$JOBTRAIL_BIN/jobtrail-report" --store "sqlite:$PLACE/store.db" --json -S now-2days "${@:2}" 2>/dev/null | jq -c ".pages[0].rows[] | $1") -
    }
    report '[.user, .program, .how, .opens, .certainty]' removal --lib first <<TEXT
["nobody","$name","opened",4,"at least"]
["root","ld","opened by a linker",2,"at least"]
["root","f951","opened by a compiler",1,"at least"]
TEXT
    report '[.library, .total, .total_low, .total_high]' weekdays --use opened <<<'["libfirst",7,7,null]'
    "$JOBTRAIL_BIN/jobtrail-libmon" list --json --conf "$CONF" >"$PLACE/list"
    report .library unused --libraries "$PLACE/list" </dev/null
}

@test "who writes a library does not use it, also while it is open still, or closed by another process" {
    begin_watch
    opens 1 65534 "$PYTHON" "$TREE/libfirst.so"
    cp /etc/hostname "$TREE/libmade.so"
    echo more >>"$TREE/libmade.so"
    opens 1 0 "$PYTHON" "$TREE/libopen.so" w
    # the parent closes it before its child does
    "$PYTHON" -c '
import subprocess, sys
file = open(sys.argv[1], "w")
child = subprocess.Popen(["sh", "-c", "read line"], stdin=subprocess.PIPE, stdout=file)
file.close()
child.communicate(b"x\n")' "$TREE/libpassed.so"
    until [[ $(grep -c '^added' "$PLACE/said") == 3 ]]; do kill -0 "$WATCH"; sleep 0.05; done # they have names
    end_watch
    let_go
    only_logged "nobody LIB_OPENED count=1 how=watch command=* path=$TREE/libfirst.so"
    [[ $(summed | grep -v unseen) == "libfirst 0 65534 1" ]]
}

@test "programs of jobtrail's are no users" {
    begin_watch
    opens 1 65534 "$PYTHON" "$TREE/libfirst.so"
    "$PYTHON" -c 'import os, sys; os.utime(sys.argv[1], (1, 1))' "$TREE/libfirst.so"
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --wait --conf "$CONF" # reads it
    # also one that is over when it is looked at
    local child
    child=$(counter)
    kill -STOP "$child"
    "$PYTHON" -c 'import os, sys; os.utime(sys.argv[1], (2, 2))' "$TREE/libfirst.so"
    run -0 "$JOBTRAIL_BIN/jobtrail-libmon" scan --wait --conf "$CONF"
    [[ $output == "touched "*"libfirst.so"* ]]
    kill -CONT "$child"
    end_watch
    let_go
    only_logged "nobody LIB_OPENED count=1 *"
}

@test "a file that was made just now is counted as soon as a scan has seen it" {
    begin_watch
    kill -STOP "$WATCH" # makes no scan
    echo new >"$TREE/libnew.so"
    opens 2 65534 "$PYTHON" "$TREE/libnew.so"
    write_now
    write_now # and knows no library of it
    [[ $(summed) == "" && $(logged) == "" ]]
    kill -CONT "$WATCH"
    until grep -q '^added.*libnew' "$PLACE/said"; do kill -0 "$WATCH"; sleep 0.05; done
    end_watch
    let_go
    only_logged "nobody LIB_OPENED count=2 *path=$TREE/libnew.so"
    [[ $(summed | grep -v unseen) == "libnew 0 65534 2" ]]
}

@test "opens in jobs are none, and those of processes that are gone are said where a job is on the node" {
    local root=/sys/fs/cgroup
    [[ ! -d $root/freezer ]] || root=$root/freezer
    begin_watch
    local child
    child=$(counter)
    # no job: somebody has used it, nobody knows who
    kill -STOP "$child"
    "$PYTHON" -c 'import sys; open(sys.argv[1])' "$TREE/libfirst.so"
    kill -CONT "$child"
    kill -USR1 "$child"
    until [[ $(logged) == "unknown LIB_OPENED count=1 how=watch path=$TREE/libfirst.so" ]]; do kill -0 "$WATCH"; sleep 0.05; done
    # a job
    mkdir -m 755 "$SPOOL/77.0" "$root/slurm_uses.$$" "$root/slurm_uses.$$/job_77"
    GROUP=$root/slurm_uses.$$/job_77
    # shellcheck disable=SC2016
    opens 2 0 "$PYTHON" "$TREE/libfirst.so" r sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP"
    opens 1 65534 "$PYTHON" "$TREE/libfirst.so"
    kill -STOP "$child"
    "$PYTHON" -c 'import sys; open(sys.argv[1])' "$TREE/libfirst.so"
    kill -CONT "$child"
    end_watch
    let_go
    [[ $(logged | wc -l) == 2 && $(logged) == "nobody LIB_OPENED count=1 "*$'\nunknown LIB_OPENED count=1 '* ]]
    grep -q "uses: not counted: 0 opens of different uses (too many), 1 that may have been in jobs" "$PLACE/trouble"
    [[ $(summed) == $'(unseen) 0 -1 1\nlibfirst 0 -1 1\nlibfirst 0 65534 1' ]]
}

# full_disk DIRECTORY: what is written there finds no room
full_disk() {
    mkdir -p "$1"
    mount -t tmpfs -o size=256k,mode=755 none "$1"
}

@test "a full disk loses no use, and no use is told twice: neither in logs nor in records" {
    local child disk
    for disk in "$USES" "$STATE"; do
        full_disk "$disk"
        begin_watch
        child=$(counter)
        head -c 1M /dev/zero >"$disk/filling" || true
        opens 3 65534 "$PYTHON" "$TREE/libfirst.so"
        kill -USR1 "$child"
        until grep -q "No space left on device" "$PLACE/trouble"; do kill -0 "$WATCH"; sleep 0.05; done
        opens 2 65534 "$PYTHON" "$TREE/libfirst.so"
        rm "$disk/filling"
        kill -USR1 "$child"
        end_watch
        let_go
        [[ $(logged | counts) == 5 ]]
        [[ $(summed | grep -v unseen) == "libfirst 0 65534 5" ]]
        umount "$disk"
        rm -rf "$STATE" "$USES"
    done
}

@test "who is killed while it writes is known to have been, and nothing is told twice" {
    local call at child tracer total of
    for call in pwrite64 write fdatasync unlink; do
        for at in 1 2 4; do
            rm -f "$PLACE/calls"
            begin_watch
            child=$(counter)
            opens 2 65534 "$PYTHON" "$TREE/libfirst.so"
            of=()
            [[ $call != write ]] || of=(-P "$USES/libfirst.log")
            # the child of the child; the child itself calls none of these
            strace -f -q -p "$child" -o "$PLACE/calls" "${of[@]}" -e trace=$call -e inject=$call:signal=KILL:when=$at 2>"$PLACE/traced" 3>&- &
            tracer=$!
            until [[ $(sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$child/status") == "$tracer" ]]; do kill -0 $tracer; sleep 0.05; done
            kill -USR1 "$child"
            until grep -q "+++ " "$PLACE/calls"; do kill -0 $tracer; sleep 0.05; done # killed, or it has ended before
            kill $tracer
            wait $tracer || true
            opens 1 65534 "$PYTHON" "$TREE/libfirst.so"
            end_watch
            let_go
            total=$(sqlite3 "$STATE/uses.db" "SELECT coalesce(sum(count), 0) FROM use WHERE library = 'libfirst'")
            ((total <= 3))
            ((total == 3)) || grep -q "uses: killed while it wrote" "$PLACE/trouble"
            total=$(logged | counts)
            ((total <= 3))
            ((total == 3)) || grep -q "uses: killed while it wrote" "$PLACE/trouble"
            rm -rf "$STATE" "$USES"
        done
    done
}

@test "times when nobody looked are said, and a record is the same however often it is sent" {
    begin_watch
    opens 1 65534 "$PYTHON" "$TREE/libfirst.so"
    write_now
    [[ $(summed) == "libfirst 0 65534 1" ]] # it had never looked before
    kill -KILL "$(counter)"
    let_go
    end_watch
    begin_watch
    end_watch
    [[ $(summed) == $'(unseen) 0 -1 0\nlibfirst 0 65534 1' ]]
    cp "$STATE/uses.db" "$PLACE/before"
    records_of_uses
    sqlite3 "$PLACE/before" "UPDATE use SET closed = 1, hour = hour - 1"
    cp "$PLACE/before" "$STATE/uses.db" # as if it had been killed between outbox and state
    begin_watch
    end_watch
    send
    [[ $(find "$RECORDS" -name 'lib.*.json' -exec jq -r '.libraryT | select(.kind == "use" and .library == "libfirst").uuid' {} + | sort | uniq -c | awk '{ print $1 }') == 1 ]]
    [[ $(find "$RECORDS" -name 'lib.*.json' -exec jq -r '.libraryT | select(.library == "(unseen)") | "\(.what) \(.count) \(.uid)"' {} + | sort -u) == "open 0 null" ]]
}

@test "a watch that has nothing to count has looked all the same, and doctor says if one tells nothing for long" {
    local from old
    begin_watch
    from=$(($(date +%s) + 3))
    until (($(date +%s) > from)); do sleep 0.05; done # the kernel's times of files lie a tick behind date's
    end_watch
    (($(stat -c %Y "$STATE/uses.seen") >= from))
    begin_watch
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
    [[ $output == *"watched directories: 1"* && $output != *"no uses of libraries are reported"* ]]
    (($(sed 's/.* uses= *\([0-9]*\) .*/\1/' "$STATE/watch") >= from))
    # as if its child had failed for half an hour
    kill -STOP "$WATCH"
    old=$(date -d "31 minutes ago" +%s)
    sed "s/ uses= *[0-9]* / uses=$(printf %20d "$old") /" "$STATE/watch" >"$PLACE/line"
    dd if="$PLACE/line" of="$STATE/watch" conv=notrunc status=none
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
    kill -CONT "$WATCH"
    [[ $output == *"no uses of libraries are reported since $(date -d "@$old" +%Y-%m-%d)"*"for 'jobtrail-libmon: uses:'"* ]]
}

@test "without use_records there are none, and without use_logs no logs" {
    sed -i /^use_records/d "$CONF"
    begin_watch
    opens 1 65534 "$PYTHON" "$TREE/libfirst.so"
    end_watch
    let_go
    only_logged "nobody LIB_OPENED count=1 *"
    [[ ! -e $STATE/uses.db ]]
    rm -r "$USES"
    sed -i 's/^use_logs.*/use_records = yes/' "$CONF"
    begin_watch
    opens 1 65534 "$PYTHON" "$TREE/libfirst.so"
    end_watch
    let_go
    [[ ! -e $USES && $(summed | grep -v unseen) == "libfirst 0 65534 1" ]]
    sed -i /^use_records/d "$CONF"
    rm -f "$STATE/watch"
    "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$CONF" >"$PLACE/said" 2>"$PLACE/trouble" 3>&- &
    WATCH=$!
    until [[ -f $STATE/watch && $(sed 's/.*scans= *//' "$STATE/watch") -ge 1 ]]; do kill -0 $WATCH; sleep 0.05; done
    [[ -z $(counter) ]]
}
