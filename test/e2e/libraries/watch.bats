#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-libmon watch: who has changed a library, as fanotify tells it, and what is said where that is not known. Needs
# root.
# bats file_tags=needs:fanotify_names,needs:root,needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/library

setup() {
    PLACE=$(readlink -f "$BATS_TEST_TMPDIR")
    TREE=$PLACE/sw
    STATE=$PLACE/state
    LOGS=$PLACE/logs
    CONF=$PLACE/jobtrail.conf
    WATCH=
    mkdir -p "$TREE"
    echo first >"$TREE/libfirst.so"
    chmod o+x "$PLACE" "$BATS_RUN_TMPDIR" # for other users
    printf '%s\n' "[site]" "timezone = UTC" "[libraries]" "tree = $TREE" "state = $STATE" "logs = $LOGS" "watch = yes" >"$CONF"
}

teardown() {
    local at
    [[ -z $WATCH ]] || end_watch
    while read -r at; do umount -l "$at"; done < <(awk -v place="$PLACE/" 'index($2, place) == 1 { print $2 }' /proc/mounts | tac)
}

begin_watch() {
    rm -f "$STATE/who" "$STATE/watch" # of the one before
    "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$CONF" >"$PLACE/said" 2>"$PLACE/trouble" 3>&- &
    WATCH=$!
    until [[ -S $STATE/who ]]; do kill -0 $WATCH; sleep 0.05; done
    scans 1
}

end_watch() { # [SIGNAL]
    kill "-${1:-TERM}" "$WATCH" 2>/dev/null || true
    wait "$WATCH" || true
    WATCH=
}

# scans NUMBER: waits until the watch has made so many
scans() {
    until [[ -f $STATE/watch && $(sed 's/.*scans= *//' "$STATE/watch") -ge $1 ]]; do kill -0 "$WATCH"; sleep 0.05; done
}

# figure NAME: of the state of the watch
figure() {
    sed "s/.*$1= *\([0-9]*\).*/\1/" "$STATE/watch"
}

scan() {
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" "$@"
}

# said PATTERN [PID]: waits until the watch has printed it, while that process or the watch runs
said() {
    tail -n +1 -f --pid="${2:-$WATCH}" "$PLACE/said" | grep -q -m 1 -- "$1"
}

# line WORD FILE: the words of the line of the logs that has both
line() {
    grep -h " $1 path=[^ ]*$2 " "$LOGS"/*.log
}

@test "a change is told at once, with user, command, program and event; one installation is one event" {
    echo old >"$TREE/libold.so"
    echo "owners = nobody" >>"$CONF"
    begin_watch
    [[ $(line LOG_CREATED libold.so) != *" by="* ]]
    chmod 1777 "$TREE"
    # stays while the watch looks
    as 65534 /usr/bin/python3 -c '
import os, sys, time
tree = sys.argv[1]
os.mkdir(tree + "/new")
for name in "one", "two":
    open(f"{tree}/new/lib{name}.so", "w").write(name)
open(tree + "/libthree.so.tmp", "w").write("three")
os.rename(tree + "/libthree.so.tmp", tree + "/libthree.so")
while not os.path.exists(sys.argv[2]): time.sleep(0.01)
' "$TREE" "$PLACE/go" 3>&- &
    local writer=$!
    said libthree $writer
    touch "$PLACE/go"
    wait $writer
    local name words event=
    for name in one two three; do
        words=$(line LOG_CREATED "lib$name.so")
        [[ $words == *" by=nobody command=python3 program=/usr/bin/python3"*" event="* ]]
        words=${words#* event=}
        [[ -z $event || ${words%% *} == "$event" ]]
        event=${words%% *}
    done
    grep -q "^added .*libthree.so .* by nobody, python3" "$PLACE/said"
    [[ $(figure unknown) == 0 ]]
}

@test "an installation that goes on over several scans is one event, and another session's is another one" {
    local name first
    begin_watch
    for name in one two; do
        exec 8>"$TREE/lib$name.so"
        exec 8>&-
        said "lib$name"
    done
    setsid --wait /usr/bin/python3 -c '
import os, sys, time
open(sys.argv[1], "w").close()
while not os.path.exists(sys.argv[2]): time.sleep(0.01)' "$TREE/libother.so" "$PLACE/go" 3>&- &
    local writer=$!
    said libother $writer
    touch "$PLACE/go"
    wait $writer
    first=$(line LOG_CREATED libone.so)
    first=${first#* event=}
    [[ $(line LOG_CREATED libtwo.so) == *" event=${first%% *}"* ]]
    [[ $(line LOG_CREATED libother.so) == *" event="* && $(line LOG_CREATED libother.so) != *" event=${first%% *}"* ]]
}

@test "two users in one session have an event each" {
    local root user
    echo "owners = nobody" >>"$CONF"
    chmod 1777 "$TREE"
    begin_watch
    /usr/bin/python3 -c '
import os, sys, time
user = os.fork()
if user == 0:
    os.setgid(65534)
    os.setuid(65534)
for name in "one", "two":
    open("%s/lib%s%s.so" % (sys.argv[1], "root" if user else "user", name), "w").close()
while not os.path.exists(sys.argv[2]): time.sleep(0.01)
if user: os.waitpid(user, 0)' "$TREE" "$PLACE/go" 3>&- &
    local writer=$!
    said libusertwo $writer
    touch "$PLACE/go"
    wait $writer
    root=$(line LOG_CREATED librootone.so)
    user=$(line LOG_CREATED libuserone.so)
    [[ $root == *" by=root "*" event="* && $user == *" by=nobody "*" event="* ]]
    root=${root#* event=} user=${user#* event=}
    [[ ${root%% *} != "${user%% *}" ]]
    [[ $(line LOG_CREATED libroottwo.so) == *" event=${root%% *}"* && $(line LOG_CREATED libusertwo.so) == *" event=${user%% *}"* ]]
}

# bats test_tags=needs:login_uid
@test "who has logged in is told beside the user who has done it" {
    begin_watch
    # the shell that sets its loginuid is the one that writes
    # shellcheck disable=SC2016
    bash -c 'echo 65534 >/proc/self/loginuid && exec 8>"$0/liblogin.so" && exec 8>&- && until [[ -e $1 ]]; do sleep 0.05; done' \
        "$TREE" "$PLACE/go" 3>&- &
    local writer=$!
    said liblogin $writer
    touch "$PLACE/go"
    wait $writer
    [[ $(line LOG_CREATED liblogin.so) == *" by=root login=nobody command=bash "* ]]
    grep -q "^added .*liblogin.so .* by root, logged in as nobody, bash" "$PLACE/said"
}

@test "who runs a program of root's, by its set-user-id bit, has changed what it writes" {
    begin_watch
    cp "$(readlink -f /usr/bin/python3)" "$PLACE/setuid"
    chmod 4755 "$PLACE/setuid"
    as 65534 "$PLACE/setuid" -c '
import os, sys, time
if os.geteuid() == 0:
    open(sys.argv[1] + "/libsetuid.so", "w").write("x")
while not os.path.exists(sys.argv[2]): time.sleep(0.01)
' "$TREE" "$PLACE/go" 3>&- &
    local writer=$!
    said libsetuid $writer
    touch "$PLACE/go"
    wait $writer
    [[ $(line LOG_CREATED libsetuid.so) == *" by=nobody command=setuid "* ]]
}

@test "who closes a file that somebody else has sent has not written it" {
    echo "owners = nobody" >>"$CONF"
    begin_watch
    chmod 1777 "$TREE"
    /usr/bin/python3 -c '
import os, socket, sys, time
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
user = os.fork()
if user == 0:
    os.setgid(65534)
    os.setuid(65534)
    fd = os.open(sys.argv[1] + "/libsent.so", os.O_CREAT | os.O_WRONLY, 0o644)
    os.write(fd, b"x")
    socket.send_fds(theirs, [b"x"], [fd])
    os.close(fd)
    theirs.send(b"closed")
    while not os.path.exists(sys.argv[2]): time.sleep(0.01)
    os._exit(0)
fds = socket.recv_fds(ours, 1, 1)[1]
ours.recv(6)
os.close(fds[0])
os.waitpid(user, 0)
' "$TREE" "$PLACE/go" 3>&- &
    local writer=$!
    said libsent $writer
    touch "$PLACE/go"
    wait $writer
    [[ $(line LOG_CREATED libsent.so) == *" by=nobody command=python3"*" by_others=1"* ]]
}

@test "of what was moved and removed it is told who did it, also with its directory" {
    mkdir -p "$TREE/a/deep" "$TREE/b"
    echo one >"$TREE/a/libone.so"
    echo two >"$TREE/a/deep/libtwo.so"
    echo three >"$TREE/b/libthree.so"
    begin_watch
    # the shell itself does it
    PLACE=$PLACE TREE=$TREE perl -e '
        rename "$ENV{TREE}/a", "$ENV{TREE}/c" or die; unlink "$ENV{TREE}/b/libthree.so" or die;
        select undef, undef, undef, 0.01 until -e "$ENV{PLACE}/go"' 3>&- &
    local writer=$!
    said libthree $writer
    touch "$PLACE/go"
    wait $writer
    [[ $(line LIB_REMOVED libthree.so) == *" by=root command=perl "* ]]
    [[ $(line LIB_MOVED c/libone.so) == *" by=root command=perl "*" by_how=directory"* ]]
    [[ $(line LIB_MOVED c/deep/libtwo.so) == *" by=root command=perl "*" by_how=directory"* ]]
    # it is known under its new name
    scans 2
    exec 8>>"$TREE/c/deep/libtwo.so"
    echo more >&8
    exec 8>&-
    said "modified .*c/deep/libtwo.so"
    [[ $(line LIB_MODIFIED c/deep/libtwo.so) == *" by=root command=bats"* || $(line LIB_MODIFIED c/deep/libtwo.so) == *" by=root command=bash"* ]]
}

@test "a scan of the timer asks the watch who it was" {
    begin_watch
    exec 8>"$TREE/libone.so"
    echo one >&8
    exec 8>&-
    run -0 scan --json
    [[ $(jq -r '.changes[0].who | "\(.user) \(.user_uid) \(.how) \(.others)"' <<<"$output") == "root 0 file 0" ]]
    [[ $(line LOG_CREATED libone.so) == *" by=root command=ba"* ]]
}

@test "what was changed while nobody watched was changed by nobody that is known, and is told" {
    echo one >"$TREE/libone.so"
    begin_watch
    exec 8>>"$TREE/libone.so"
    echo more >&8
    exec 8>&-
    said "modified"
    kill -KILL "$WATCH"
    wait "$WATCH" || true
    echo evil >"$TREE/libone.so"
    echo two >"$TREE/libtwo.so"
    rm -f "$STATE/watch"
    begin_watch
    [[ $(line LIB_MODIFIED libone.so | tail -n 1) == *" by=unknown"* ]]
    [[ $(line LOG_CREATED libtwo.so) == *" by=unknown"* ]]
    # a scan without a watch, where one is asked for
    end_watch
    rm "$TREE/libtwo.so"
    run -0 scan
    [[ $output == *"removed "*"libtwo.so"*" by unknown"* ]]
    # and where none is
    sed -i /^watch/d "$CONF"
    rm "$TREE/libone.so"
    run -0 scan
    [[ $output == *"removed "*"libone.so"* && $output != *" by "* ]]
}

@test "changes that a killed scan has begun to tell have who it was, also where the watch is gone" {
    echo one >"$TREE/libone.so"
    begin_watch
    exec 8>>"$TREE/libone.so"
    echo more >&8
    exec 8>&-
    # killed before the line is known to be written
    run -137 strace -qq -o /dev/null -P "$LOGS/libone.log" -e inject=fsync:signal=KILL "$JOBTRAIL_BIN/jobtrail-libmon" scan --wait --conf "$CONF"
    end_watch KILL
    grep -q "LIB_MODIFIED .* by=root" "$LOGS/libone.log"
    [[ -e $STATE/whos ]]
    run -0 scan
    [[ $(grep -c LIB_MODIFIED "$LOGS/libone.log") == 1 && $(line LIB_MODIFIED libone.so) == *" by=root command=ba"* ]]
    [[ ! -e $STATE/whos ]]
}

@test "a process that is gone is counted, and its change told" {
    begin_watch
    kill -STOP "$WATCH"
    cp /etc/hostname "$TREE/libgone.so"
    kill -CONT "$WATCH"
    said libgone
    [[ $(line LOG_CREATED libgone.so) == *" by=unknown"* ]]
    scans 2
    (($(figure unknown) > 0))
}

@test "events that the kernel has no room for are made good by a scan, and said" {
    begin_watch
    kill -STOP "$WATCH"
    (cd "$TREE" && seq 20000 | sed 's/^/libmany.so./' | xargs touch)
    kill -CONT "$WATCH"
    said "^20001 files"
    scans 2
    (($(figure overruns) == 1))
    grep -q "there were more events than the kernel queues" "$PLACE/trouble"
    [[ $(grep -c " path=$TREE/libmany.so.* by=unknown" "$LOGS/libmany.log") == 20000 ]]
}

@test "directories that are gone do not count for ever" {
    local round
    begin_watch
    for round in 1 2 3; do
        (cd "$TREE" && seq 2000 | xargs mkdir)
        exec 8>"$TREE/libround$round.so"
        exec 8>&-
        said "libround$round"
        (cd "$TREE" && seq 2000 | xargs rmdir)
    done
    scans 4
    # twice of what there were at once, and some
    (($(figure directories) <= 2 * 2001 + 1024))
}

@test "names of any bytes and commands of any name drive no line" {
    begin_watch
    local evil=$PLACE/x$'\n'by=root
    cp "$(readlink -f /usr/bin/python3)" "$evil"
    "$evil" -c '
import os, sys, time
open(sys.argv[1] + "/libe\nvil \x1b[2J.so", "w").write("x")
while not os.path.exists(sys.argv[2]): time.sleep(0.01)
' "$TREE" "$PLACE/go" 3>&- &
    local writer=$!
    said 'libe\\x0avil' $writer
    touch "$PLACE/go"
    wait $writer
    [[ $(cat "$LOGS"/*.log | wc -l) == 4 ]]
    grep -q ' by=root command=x\\x0aby=root program=[^ ]*/x\\x0aby=root event=' "$LOGS"/*.log
    [[ $(cat "$PLACE/said" "$LOGS"/*.log) != *$'\x1b'* ]]
}

logged() { # FILE: that it is there
    grep -qs "LOG_CREATED path=$1" "$LOGS"/*.log
}

@test "one watch runs on a host, the process watch runs it, and it takes a new configuration" {
    printf '%s\n' "[spool]" "dir = $PLACE/spool" "mount = no" >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-submit" watch --detach --conf "$CONF" --node e2e
    wait_for test -S "$STATE/who"
    run -4 "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$CONF"
    [[ $output == *"another one runs"*"process watch"* ]]
    echo one >"$TREE/libone.so"
    wait_for logged "$TREE/libone.so"
    # one that is killed comes back with the process watch's next look; this one takes another file
    mkdir "$PLACE/more"
    sed "s|^tree = .*|&\ntree = $PLACE/more|" "$CONF" >"$CONF.new"
    mv "$CONF.new" "$CONF"
    two_directories() { (($(figure directories) == 2)); }
    eventually 60 two_directories
    echo two >"$PLACE/more/libtwo.so"
    wait_for logged "$PLACE/more/libtwo.so"
    # it ends with the process watch
    "$JOBTRAIL_BIN/jobtrail-submit" watch --stop --conf "$CONF" --node e2e
    no_watch() { "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$PLACE/none.conf" 2>&1 | grep -q . && ! pgrep -f "libmon watch.*$CONF" >/dev/null; }
    wait_for no_watch
}

@test "without the right to it the kernel tells nothing, which is said, and scans work" {
    run -3 unshare --user --map-root-user "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$CONF"
    [[ $output == *"CAP_SYS_ADMIN"*"scans work"* || $output == *"others than root"* ]]
    run -0 scan
}

@test "records of changes have who did it, when, and the event" {
    printf '%s\n' "[submit]" "state = $PLACE/submit" "[file]" "dir = $PLACE/records" >>"$CONF"
    begin_watch
    exec 8>"$TREE/libone.so" 9>"$TREE/libtwo.so"
    exec 8>&- 9>&-
    said libtwo
    end_watch
    "$JOBTRAIL_BIN/jobtrail-submit" send --conf "$CONF"
    [[ $(find "$PLACE/records" -name 'lib.*.json' -exec jq -r '.libraryT | select(.source == "watch") | "\(.path | sub(".*/"; "")) \(.uid) \(.user) \(.before - .after | . == 1 or . == 2)"' {} + | sort) == \
        $'libone.so 0 root true\nlibtwo.so 0 root true' ]]
    [[ $(find "$PLACE/records" -name 'lib.*.json' -exec jq -r '.libraryT | select(.source == "watch").event' {} + | sort -u | wc -l) == 1 ]]
}

@test "a change of which the watch reads late was not later than the file says" {
    local written
    printf '%s\n' "[submit]" "state = $PLACE/submit" "[file]" "dir = $PLACE/records" >>"$CONF"
    begin_watch
    kill -STOP "$WATCH"
    exec 8>"$TREE/libone.so"
    exec 8>&-
    written=$(stat -c %Z "$TREE/libone.so")
    until (($(date +%s) > written + 3)); do sleep 0.05; done
    kill -CONT "$WATCH"
    said libone
    end_watch
    "$JOBTRAIL_BIN/jobtrail-submit" send --conf "$CONF"
    find "$PLACE/records" -name 'lib.*.json' -exec jq -c '.libraryT | select(.source == "watch")' {} + >"$PLACE/changes"
    cat "$PLACE/changes"
    [[ $(jq ".after <= $written and .before > $written" "$PLACE/changes") == true ]]
}

@test "usage is told" {
    run -2 "$JOBTRAIL_BIN/jobtrail-libmon" wach
    [[ $output == *"no command wach"* ]]
    run -2 "$JOBTRAIL_BIN/jobtrail-libmon" watch --json
    run -2 "$JOBTRAIL_BIN/jobtrail-libmon" watch more
    run -2 "$JOBTRAIL_BIN/jobtrail-libmon" scan --background
    sed -i /^watch/d "$CONF"
    run -0 "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$CONF"
    [[ $output == *"nothing to do"* ]]
}

@test "doctor says how the watch does, and what it cannot watch" {
    begin_watch
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
    [[ $output == *"watched directories: 1"* ]]
    end_watch
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
    [[ $output == *"no library watch is running"*"without Slurm: systemctl enable --now jobtrail-libwatch, or jobtrail-libmon watch --conf $CONF"* ]]
}
