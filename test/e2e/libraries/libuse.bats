#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-libuse: what times of last access tell of uses, on real mounts, and that a scan takes none of its doings for a
# change and misses none of others.
# bats file_tags=needs:root,needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/killed
load ../fixture/library

setup() {
    use_place "$(readlink -f "$BATS_TEST_TMPDIR")"
}

# use_place DIRECTORY: everything is there
use_place() {
    PLACE=$1
    TREE=$PLACE/sw
    STATE=$PLACE/state
    USES=$PLACE/uses
    CONF=$PLACE/jobtrail.conf
    mkdir -p "$TREE"
    configure
}

teardown() {
    unmount_all
}

configure() { # LINE...
    printf '%s\n' "[site]" "timezone = UTC" "[libraries]" "tree = $TREE" "state = $STATE" "logs = $PLACE/logs" "use_logs = $USES" \
        "use_records = yes" "use_atime = yes" "$@" "[submit]" "state = $PLACE/submit" >"$CONF"
}

# mount_tree OPTIONS: the tree is a file system of its own, of a loop device
mount_tree() {
    truncate -s 16M "$PLACE/image"
    mkfs.ext4 -q "$PLACE/image"
    mount -o "loop,$1" "$PLACE/image" "$TREE"
}

scan() {
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" --root "$PLACE" "$@"
}

libuse() {
    "$JOBTRAIL_BIN/jobtrail-libuse" "$1" --conf "$CONF" "${@:2}"
}

# changes: what a scan tells
changes() {
    scan --json | jq -r '.changes[] | "\(.change) \(.path | sub(".*/"; ""))"' | sort | paste -sd ,
}

# changed_before FILE: waits until its time of last change is one that a scan believes
changed_before() {
    local at
    at=$(stat -c %Z "$1")
    until (($(date +%s) > at + 2)); do sleep 0.05; done
}

# make NAME...: libraries that a scan has seen
make() {
    local name
    for name; do echo "$name" >"$TREE/$name"; done
    settle
}

# turn JQ: of what a turn says in JSON
turn() {
    libuse poll --json | jq -r "$1"
}

# unseen: "SOURCE PATH COUNT" of what is kept of no library
unseen() {
    sqlite3 -readonly -separator " " "$STATE/uses.db" "SELECT source, path, count FROM use WHERE library = '(unseen)'"
}

read_file() {
    cat "$1" >/dev/null
}

uses='[.uses[].path | sub(".*/"; "")] | sort | join(",")'

@test "a library that was read since the turn before has one use in it, and the next read is seen again" {
    mount_tree relatime
    make libone.so libtwo.so
    run -0 libuse poll
    [[ $output == "2 files, 2 checked, uses: at least 0" ]]
    read_file "$TREE/libone.so"
    read_file "$TREE/libone.so"
    run -0 libuse poll
    [[ ${lines[0]} == "read  $TREE/libone.so, after "*T*:*:*"+00:00" ]]
    [[ ${lines[1]} == "2 files, 2 checked, uses: at least 1; 1 had their time of last access set" ]]
    [[ $(turn .uses,.set | paste -sd ,) == "[],0" ]]
    read_file "$TREE/libone.so"
    read_file "$TREE/libtwo.so"
    [[ $(turn "$uses") == libone.so,libtwo.so && $(turn "$uses") == "" ]]
    # the scan tells nothing of it, and a real change all the same
    [[ $(changes) == "" ]]
    echo more >>"$TREE/libone.so"
    [[ $(changes) == "modified libone.so" ]]
}

@test "where each read moves the time of last access, no time is set" {
    mount_tree strictatime
    make libone.so
    local before
    before=$(stat -c %z "$TREE/libone.so")
    turn "$uses"
    read_file "$TREE/libone.so"
    [[ $(turn '"\([.uses[].path] | length) \(.set)"') == "1 0" ]]
    read_file "$TREE/libone.so"
    [[ $(turn "$uses") == libone.so && $(stat -c %z "$TREE/libone.so") == "$before" ]]
}

@test "mounts with noatime and read-only ones are said and counted, also below a tree" {
    mount_tree relatime
    mkdir "$TREE/fast"
    mount -t tmpfs -o noatime fast "$TREE/fast"
    make libone.so fast/libtwo.so
    run -1 libuse poll
    [[ $output == "jobtrail-libuse: $TREE/fast: it is mounted with noatime: reads leave no trace
2 files, 1 checked, uses: at least 0; 1 are on mounts with noatime" ]]
    run -1 libuse status
    [[ ${lines[0]} == "atime  $TREE: the first read after each turn moves the time of last access (relatime); last turn: 20"* ]]
    [[ ${lines[1]} == "none   $TREE/fast: it is mounted with noatime: reads leave no trace" ]]
    [[ $output == *"Counts are lower bounds. "*"do not add them up." ]]
    mount -o remount,ro "$TREE"
    run -1 libuse poll --json
    [[ $(jq -c '[.files, .looked, .noatime, .read_only]' <<<"${lines[-1]}") == "[2,0,1,1]" ]]
    run -1 libuse status --json
    [[ $(jq -c '[.[] | .source]' <<<"$output") == '["none","none"]' ]]
}

@test "on an overlay no time is set, which would copy the file, and that there is no source is said" {
    mkdir "$PLACE/lower" "$PLACE/layer"
    mount -t tmpfs lower "$PLACE/lower"
    mount -t tmpfs layer "$PLACE/layer"
    mkdir "$PLACE/layer/upper" "$PLACE/layer/work"
    echo one >"$PLACE/lower/libone.so"
    changed_before "$PLACE/lower/libone.so"
    read_file "$PLACE/lower/libone.so"
    mount -t overlay -o "lowerdir=$PLACE/lower,upperdir=$PLACE/layer/upper,workdir=$PLACE/layer/work" layers "$TREE"
    settle
    run -1 libuse poll
    [[ $output == "jobtrail-libuse: $TREE: it is an overlay: to set a time would copy the file
1 files, 0 checked, uses: at least 0; 1 are on overlays" ]]
    [[ $(turn .overlay,.set | paste -sd ,) == 1,0 ]]
    run -1 libuse status
    [[ ${lines[0]} == "none   $TREE: it is an overlay: to set a time would copy the file" ]]
    [[ $(ls -A "$PLACE/layer/upper") == "" && $(changes) == "" ]]
}

@test "a file of which the state has no row is said, and its time is not set" {
    mount_tree relatime
    mkdir "$PLACE/other"
    mount -t tmpfs other "$PLACE/other"
    echo other >"$PLACE/other/lib.so"
    make libone.so libtwo.so
    mount --bind "$PLACE/other/lib.so" "$TREE/libone.so"
    settle
    read_file "$TREE/libtwo.so"
    read_file "$TREE/libone.so"
    local before
    before=$(stat -c %z "$TREE/libone.so")
    run -1 libuse poll
    [[ ${lines[0]} == "jobtrail-libuse: $TREE/libone.so: inode "*" of device "*" is in no scan: it can be on another device than its directory" ]]
    [[ ${lines[1]} == "2 files, 1 checked, uses: at least 0; 1 had their time of last access set; 1 have no row in the state" ]]
    [[ $(turn .not_noted,.set | paste -sd ,) == 1,0 && $(stat -c %z "$TREE/libone.so") == "$before" ]]
    [[ $(changes) == "" ]]
}

@test "lines of uses are in logs of their own, records of the hour have the source atime, and files of users have neither" {
    mount_tree relatime
    configure "name = math $TREE/libm*" "group = numbers math"
    touch "$TREE/libmine.so"
    chown nobody "$TREE/libmine.so"
    make libm.so libma.a other.so libmine.so
    turn "$uses"
    read_file "$TREE/libmine.so"
    read_file "$TREE/libm.so"
    read_file "$TREE/libma.a"
    read_file "$TREE/other.so"
    [[ $(turn "$uses") == libm.so,libma.a,libmine.so,other.so ]]
    [[ $(sqlite3 "$STATE/uses.db" "SELECT group_concat(library) FROM (SELECT DISTINCT library FROM use ORDER BY library)") == math,other ]]
    read_file "$TREE/libm.so"
    [[ $(turn "$uses") == libm.so ]]
    [[ $(find "$USES" -type f -printf '%P\n' | sort | paste -sd ,) == atime/math.log,atime/other.log ]]
    [[ $(grep -cE "^[A-Z][a-z]{2}_[^ ]* unknown LIB_READ count=1 how=atime after=[A-Z][^ ]* path=$TREE/libma?\.[a-z]*$" "$USES/atime/math.log") == 3 ]]
    [[ $("$JOBTRAIL_BIN/jobtrail-libq" -c "$USES/atime/math.log") == *3* ]]
    # the records of an hour come after it
    sqlite3 "$STATE/uses.db" "UPDATE use SET hour = hour - 1"
    turn "$uses"
    printf '%s\n' "[transport]" "use = file" "[file]" "dir = $PLACE/records" >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-submit" send --conf "$CONF"
    [[ $(find "$PLACE/records" -name 'lib.*.json' -exec jq -r '.libraryT | select(.kind == "use") |
        "\(.library) \(.group) \(.what) \(.source) \(.count) \(.files) \(.user) \(.uid) \(.after < .before)"' {} + | sort | paste -sd ,) == \
        "math numbers open atime 3 2 null null true,other  open atime 1 1 null null true" ]]
}

@test "names of one file have one use, and a scan takes none of them for changed" {
    mount_tree relatime
    mkdir "$TREE/second" "$TREE/first"
    make first/libone.so
    mount --bind "$TREE/first" "$TREE/second"
    ln "$TREE/first/libone.so" "$TREE/liblink.so"
    changed_before "$TREE/liblink.so"
    settle
    turn "$uses"
    read_file "$TREE/liblink.so"
    [[ $(turn '[([.uses[].path] | length), .set, .changed] | join(",")') == 1,1,0 && $(turn "$uses") == "" && $(changes) == "" ]]
    read_file "$TREE/second/libone.so"
    [[ $(turn '[.uses[].path] | length') == 1 && $(changes) == "" ]]
}

@test "most of a tree read in one turn is one line, and no uses" {
    mount_tree relatime
    local i
    for i in {10..39}; do echo "$i" >"$TREE/lib$i.so"; done
    settle
    turn "$uses"
    for i in {10..28}; do read_file "$TREE/lib$i.so"; done
    [[ $(turn '.uses | length') == 19 ]]
    tar -cf "$PLACE/backup.tar" -C "$TREE" .
    run -0 libuse poll
    [[ $output == "most of $TREE was read, 30 files: no uses
30 files, 30 checked, uses: at least 0; 30 had their time of last access set" ]]
    [[ $(cat "$USES"/atime/*.log | grep -c " LIB_READ ") == 19 ]]
    [[ $(unseen) == "atime $TREE 30" ]]
    [[ $(grep -h " LIB_READ_ALL " "$USES"/atime/*.log) == *" unknown LIB_READ_ALL files=30 how=atime after="*" path=$TREE" ]]
    read_file "$TREE/lib11.so"
    [[ $(turn "$uses") == lib11.so ]]
}

@test "what has changed is the scan's first, and a time of last access that somebody sets is no use" {
    mount_tree relatime
    make libone.so libtwo.so
    turn "$uses"
    touch -a -d tomorrow "$TREE/libone.so"
    echo more >>"$TREE/libtwo.so"
    read_file "$TREE/libtwo.so"
    echo new >"$TREE/libnew.so"
    [[ $(turn '[(.uses | length), .looked, .waiting] | join(",")') == 0,0,3 ]]
    changed_before "$TREE/libnew.so"
    [[ $(changes) == "added libnew.so,modified libtwo.so,touched libone.so" ]]
    [[ $(turn '[(.uses | length), .looked, .waiting] | join(",")') == 0,3,0 ]]
}

# traced STRACE-OPTION...: a turn
traced() {
    strace "$@" "$JOBTRAIL_BIN/jobtrail-libuse" poll --conf "$CONF"
}

# rearming: waits until the times that are to be set are on the disk
rearming() {
    until [[ $(sqlite3 -readonly "$STATE/libraries.db" "SELECT count(*) FROM rearm" 2>/dev/null) == "$1" ]]; do kill -0 "$2"; sleep 0.05; done
}

# held PID COMMAND...: with strace, which traced() runs as this process, stopped in the delay of a call: the call waits for
# it, however long COMMAND takes
held() {
    local tracer
    tracer=$(pgrep -P "$1" -x strace)
    kill -STOP "$tracer"
    "${@:2}"
    kill -CONT "$tracer"
}

change_four() {
    chmod 700 "$TREE/libmode.so"
    python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.x", b"y")' "$TREE/libattr.so"
    echo LIBTEXT.so >"$TREE/libtext.so" # as long as before
    change_mode libback.so
}

change_mode() { # NAME: it is as it was
    chmod 700 "$TREE/$1"
    chmod 644 "$TREE/$1"
}

@test "a change between the look at a file and the setting of its time is told, whatever it is, and so is one right behind" {
    mount_tree relatime
    make libmode.so libattr.so libtext.so libback.so liblate.so libours.so
    turn "$uses"
    cat "$TREE"/*.so >/dev/null
    # the first time is set after all are to be
    traced -o "$PLACE/trace" -e trace=utimensat -e inject=utimensat:delay_enter=$((2 * SLOW))000000:when=1 >"$PLACE/said" 2>&1 3>&- &
    rearming 6 $!
    held $! change_four
    wait $!
    [[ $(tail -n 1 "$PLACE/said") == "6 files, 6 checked, uses: at least 6; 2 had their time of last access set; 4 are new or changed: they wait for the next scan" ]]
    # while it waits for the clock to go on
    cat "$TREE/liblate.so" >/dev/null
    rm "$PLACE/trace"
    traced -o "$PLACE/trace" -e trace=clock_nanosleep,utimensat -e inject=clock_nanosleep:delay_enter=$((2 * SLOW))000000 >"$PLACE/said" 2>&1 3>&- &
    local pid=$!
    until grep -qs utimensat "$PLACE/trace"; do kill -0 $pid; sleep 0.05; done
    held $pid change_mode liblate.so
    wait $pid
    changed_before "$TREE/liblate.so"
    [[ $(changes) == "modified libtext.so,touched libattr.so,touched libback.so,touched liblate.so,touched libmode.so" ]]
}

change_back() { # TIME
    echo LIBZ.SO >"$TREE/libz.so" # as long as before
    touch -m -d "$1" "$TREE/libz.so"
}

@test "a change of another host, of which the kernel tells nothing, is told where it was made before the time is set" {
    mount_tree relatime
    make liba.so libz.so
    turn "$uses"
    cat "$TREE"/*.so >/dev/null
    local at
    at=$(stat -c %y "$TREE/libz.so")
    traced -o "$PLACE/trace" -e trace=inotify_add_watch,utimensat -e inject=inotify_add_watch:retval=1 \
        -e inject=utimensat:delay_enter=$((2 * SLOW))000000:when=1 >"$PLACE/said" 2>&1 3>&- &
    rearming 2 $!
    held $! change_back "$at"
    wait $!
    [[ $(tail -n 1 "$PLACE/said") == "2 files, 2 checked, uses: at least 2; 1 had their time of last access set; 1 are new or changed: they wait for the next scan" ]]
    changed_before "$TREE/libz.so"
    [[ $(changes) == "modified libz.so" ]]
}

# while_stopped PYTHON: a turn that stops behind the first time that it sets, until PYTHON has ended
while_stopped() {
    rm -f "$PLACE/trace" # of another turn, which was stopped, too
    traced -o "$PLACE/trace" -e trace=utimensat -e inject=utimensat:signal=STOP:when=1 >"$PLACE/said" 2>&1 3>&- &
    local pid=$!
    until grep -qs "stopped by SIGSTOP" "$PLACE/trace"; do kill -0 $pid; sleep 0.05; done
    python3 -c "$1" "$TREE"/liba?.so
    kill -CONT "$(pgrep -P "$(pgrep -P $pid)")"
    wait $pid
    tail -n 1 "$PLACE/said"
}

@test "who opens or changes their own files all the time hides no use of others" {
    mount_tree relatime
    make liba1.so liba2.so libone.so
    turn "$uses"
    cat "$TREE"/*.so >/dev/null
    # more events than the kernel keeps
    run -0 while_stopped 'import os, sys
for i in range(10000):
    for path in sys.argv[1:]:
        os.close(os.open(path, os.O_WRONLY))'
    [[ $output == "3 files, 3 checked, uses: at least 3; 3 had their time of last access set" ]]
    cat "$TREE"/*.so >/dev/null
    run -0 while_stopped 'import os, sys
for i in range(10000):
    for path in sys.argv[1:]:
        os.chmod(path, 0o600)
        os.truncate(path, 0)'
    echo "$output"
    [[ $output == "3 files, 3 checked, uses: at least 3; 1 had their time of last access set; 2 are new or changed: they wait for the next scan" ]]
    read_file "$TREE/libone.so"
    [[ $(turn "$uses") == libone.so ]]
}

@test "where the kernel drops events this is said, and the scan tells what has changed and nothing else" {
    mount_tree relatime
    make libone.so libtwo.so
    turn "$uses"
    local reads at drop=retval=16:poke_exit=@arg2=ffffffff004000000000000000000000 # an event IN_Q_OVERFLOW
    cat "$TREE"/*.so >/dev/null
    traced -y -o "$PLACE/trace" -e trace=read >/dev/null
    reads=$(grep -n anon_inode:inotify "$PLACE/trace" | head -n 1)
    reads=${reads%%:*}
    # before a time is set
    cat "$TREE"/*.so >/dev/null
    at=$(stat -c %z "$TREE/libone.so")
    run -1 traced -o /dev/null -e "inject=read:$drop:when=$reads"
    [[ ${lines[0]} == "jobtrail-libuse: $TREE: the kernel has dropped events (fs.inotify.max_queued_events): reads of 2 files are not seen until the next scan" ]]
    [[ ${lines[3]} == "2 files, 2 checked, uses: at least 2; 2 may have been changed: they wait for the next scan" ]]
    [[ $(grep -h " LIB_READ_UNHEARD " "$USES"/atime/*.log) == *" unknown LIB_READ_UNHEARD files=2 how=atime after="*" path=$TREE" ]]
    [[ $(unseen) == "atime $TREE 0" ]]
    [[ $(stat -c %z "$TREE/libone.so") == "$at" && $(turn '[.set, .unheard] | join(",")') == 2,0 ]]
    # and after all are set
    cat "$TREE"/*.so >/dev/null
    run -1 traced -o /dev/null -e "inject=read:$drop:when=$((reads + 1))"
    [[ ${lines[3]} == "2 files, 2 checked, uses: at least 2; 2 may have been changed: they wait for the next scan" ]]
    at=$(stat -c %y "$TREE/libone.so")
    echo LIBONE.SO >"$TREE/libone.so" # as long as before
    touch -m -d "$at" "$TREE/libone.so"
    changed_before "$TREE/libone.so"
    [[ $(changes) == "modified libone.so" ]]
    settle
    [[ $(turn '[.looked, .waiting] | join(",")') == 2,0 ]]
}

again() {
    umount "$TREE"
    rm -rf "$STATE" "$USES" "$PLACE/submit" "$PLACE/image" # whoever has a copy of the mount keeps the old one
    cp -a "$PLACE/saved/." "$PLACE"
    mount -o loop,relatime "$PLACE/image" "$TREE"
    scan >/dev/null # it can be another loop device
    # what was read just before
    read_file "$TREE/libone.so"
    read_file "$TREE/libtwo.so"
}

@test "after a kill at any system call a scan tells no change of ours, no use is told twice, and the next read is seen" {
    local call number waiting told most killed=0 is_seen=no
    fail_at() { echo "$1 after a kill at $call $number"; return 1; }
    mkdir "$PLACE/memory"
    mount -t tmpfs -o mode=755 memory "$PLACE/memory"
    use_place "$PLACE/memory"
    mount_tree relatime
    make libone.so libtwo.so libthree.so
    turn "$uses"
    umount "$TREE"
    mkdir "$PLACE/saved"
    cp -a "$STATE" "$PLACE/image" "$PLACE/saved"
    mount -o loop,relatime "$PLACE/image" "$TREE"
    again
    traced -o "$PLACE/trace" >/dev/null
    calls_that_change "$PLACE/trace" "\"${CONF##*/}\"" >"$PLACE/calls"
    (($(wc -l <"$PLACE/calls") > 30))
    while read -r call number; do
        again
        killed_at "$call" "$number" "$JOBTRAIL_BIN/jobtrail-libuse" poll --conf "$CONF" >/dev/null 2>&1 3>&- &&
            fail_at "not killed"
        [[ $(changes) == "" ]] || fail_at "a change"
        waiting=$(turn .waiting)
        told=$(cat "$USES"/atime/*.log 2>/dev/null | grep -c " LIB_READ ") || true
        most=$(sqlite3 "$STATE/uses.db" "SELECT ifnull(max(count), 0) FROM use") || most=0
        if ((told > 2 || most > 1)); then fail_at "a use twice"; fi
        killed=$((killed + 1))
        # the scan reads again what was set just now, when it is not now any more: that takes seconds
        if ((waiting > 0)); then
            [[ $is_seen == no || ${JOBTRAIL_SOAK:-0} == 1 ]] || continue
            is_seen=yes
            until [[ $(turn .waiting) == 0 ]]; do
                [[ $(changes) == "" ]] || fail_at "a change, later,"
            done
        fi
        read_file "$TREE/libone.so"
        [[ $(turn "$uses") == libone.so ]] || fail_at blind
    done <"$PLACE/calls"
    ((killed > 30)) && [[ $is_seen == yes ]]
}

@test "after a kill, a change of others is told: of mode, attributes or content" {
    mount_tree relatime
    make libmode.so libattr.so libtext.so libours.so
    turn "$uses"
    cat "$TREE"/*.so >/dev/null
    # all times are set
    run traced -o /dev/null -e inject=clock_nanosleep:signal=KILL:when=1
    ((status != 0))
    [[ $(sqlite3 "$STATE/libraries.db" "SELECT count(*) FROM rearm") == 4 ]]
    chmod 700 "$TREE/libmode.so"
    python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.x", b"y")' "$TREE/libattr.so"
    local at
    at=$(stat -c %y "$TREE/libtext.so")
    echo LIBTEXT.so >"$TREE/libtext.so"
    touch -m -d "$at" "$TREE/libtext.so"
    changed_before "$TREE/libtext.so"
    [[ $(changes) == "modified libtext.so,touched libattr.so,touched libmode.so" ]]
}

@test "what a turn cannot do is said" {
    run -2 libuse pol
    [[ $output == *"no command pol: there are poll and status"* ]]
    run -2 "$JOBTRAIL_BIN/jobtrail-libuse"
    run -2 libuse poll more
    run -2 libuse status --wait
    run -0 "$JOBTRAIL_BIN/jobtrail-libuse" --help
    [[ $output == Usage:* ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-libuse" --version
    [[ $output == "jobtrail-libuse "[0-9]* ]]
    mkdir "$PLACE/plain" # and no overlay, as a container can have
    mount -t tmpfs -o mode=755 plain "$PLACE/plain"
    use_place "$PLACE/plain"
    echo x >"$TREE/libone.so"
    # no scan yet
    run -0 libuse poll
    [[ $output == "1 files, 0 checked, uses: at least 0; 1 are new or changed: they wait for the next scan" ]]
    scan >/dev/null
    exec 7>>"$STATE/lock"
    flock 7
    run -4 libuse poll
    [[ $output == *"a scan or another turn is running"* ]]
    exec 7>&-
    mv "$TREE" "$TREE.away"
    run -1 libuse poll
    [[ $output == *"$TREE: No such file or directory"* ]]
    mv "$TREE.away" "$TREE"
    chmod 777 "$STATE"
    run -3 libuse poll
    [[ $output == *"$STATE can be changed by others"* ]]
    chmod 700 "$STATE"
    sed -i /^use_atime/d "$CONF"
    run -0 libuse poll
    [[ $output == *"no 'use_atime = yes': nothing to do" ]]
    run -0 libuse poll --quiet
    [[ $output == "" ]]
    run -1 libuse status
    [[ ${lines[0]} == "none   $TREE: no watch counts opens here, and there is no use_atime = yes" ]]
}

@test "a full disk is said, and no use is lost" {
    mkdir "$PLACE/small"
    mount -t tmpfs -o size=2m,mode=755 small "$PLACE/small"
    use_place "$PLACE/small"
    mount -t tmpfs -o relatime tree "$TREE"
    make libone.so
    turn "$uses"
    read_file "$TREE/libone.so"
    head -c 4M /dev/zero >"$PLACE/full" 2>/dev/null || true
    run -3 libuse poll
    rm "$PLACE/full"
    [[ $(turn "$uses") == libone.so ]]
}

# bats test_tags=needs:fanotify_names
@test "where the watch counts opens, a turn leaves them to it, and nothing counts them twice" {
    mount_tree relatime
    make libone.so
    configure "watch = yes"
    "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$CONF" >"$PLACE/said" 2>&1 3>&- &
    local watch=$!
    until [[ -s $STATE/watch ]]; do kill -0 $watch; sleep 0.05; done
    run -0 libuse status
    kill $watch
    local status_said=${lines[0]}
    wait $watch || true
    [[ $status_said == "watch  $TREE: the watch counts the opens of this host (fanotify)" ]]
    run -0 libuse status
    [[ ${lines[0]} == "atime  $TREE: "* ]]
}
