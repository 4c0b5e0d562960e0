#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-libdate -f: lines of users' scripts in logs of the site, by a socket of root's.
# bats file_tags=needs:root,needs:libraries

bats_require_minimum_version 1.5.0
load ../../wait

setup() {
    PLACE=$(readlink -f "$BATS_TEST_TMPDIR")
    DIR=$PLACE/applications
    CONF=$PLACE/jobtrail.conf
    SOCKET=$PLACE/socket
    STATE=$PLACE/state
    SERVICE=
    chmod o+x "$PLACE" "$BATS_RUN_TMPDIR" # for other users
    touch "$PLACE"/{said,answers,traced,client} # tail ends where one is not there yet
    configure
}

teardown() {
    [[ -z $SERVICE ]] || end_service
    if mountpoint -q "$DIR"; then umount -l "$DIR"; fi
}

configure() { # LINE...
    printf '%s\n' "[site]" "timezone = UTC" "[libraries]" "state = $STATE" "log_dir = $DIR" "log_socket = $SOCKET" \
        "log_names = app-*" "$@" >"$CONF"
}

start_service() {
    "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$CONF" >"$PLACE/said" 2>"$PLACE/trouble" 3>&- &
    SERVICE=$!
}

begin_service() {
    rm -f "$SOCKET"
    start_service
    serving
}

# serving: waits until it answers
serving() {
    local status=3
    while ((status == 3)); do
        kill -0 "$SERVICE"
        as 0 -f no-such-log -q && status=0 || status=$?
    done
}

end_service() {
    kill "$SERVICE" 2>/dev/null || true
    wait "$SERVICE" || true
    SERVICE=
}

# as UID OPTION...: jobtrail-libdate of this user
as() {
    local uid=$1
    shift
    setpriv --reuid="$uid" --regid="$uid" --clear-groups "$JOBTRAIL_BIN/jobtrail-libdate" --conf "$CONF" "$@"
}

date='[A-Z][a-z]{2}_[A-Z][a-z]{2}_[0-9]{2}_[0-9]{4}_[0-9]{2}:[0-9]{2}'

@test "lines have the date, the user and the words, and jobtrail-libq reads them" {
    begin_service
    as 65534 -f app-one start 3.2 "two words"
    as 54321 -f app-one.log
    as 0 -f "$DIR/app-one.log" -- -x
    [[ $(sed -n 1p "$DIR/app-one.log") == "# jobtrail: sorted UTC" ]]
    [[ $(sed -n 2p "$DIR/app-one.log") =~ ^$date\ nobody\ start\ 3.2\ two\ words$ ]]
    [[ $(sed -n 3p "$DIR/app-one.log") =~ ^$date\ 54321$ ]]
    [[ $(sed -n 4p "$DIR/app-one.log") =~ ^$date\ root\ -x$ ]]
    [[ $(stat -c '%a %U' "$DIR/app-one.log") == "644 root" && $(wc -l <"$DIR/app-one.log") == 4 ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-libq" -c "$DIR/app-one.log"
    [[ $output == *3* ]]
    [[ $(stat -c %a "$SOCKET") == 666 ]]
}

@test "a log is one that is there, or that the site names; others are refused" {
    begin_service
    install -m 644 /dev/null "$DIR/there.log"
    as 65534 -f there word
    run -1 as 65534 -f other word
    [[ $output == *"there is no log other.log in $DIR"* && ! -e $DIR/other.log ]]
    local name
    for name in ../passwd /etc/passwd .hidden app-/x $'app-\n' "" -x "$(printf 'app-%080d' 1)"; do
        run -1 as 65534 "--file=$name" word
        [[ $output == *"no name of a log"* ]]
    done
    ln -s /etc/passwd "$DIR/app-link.log"
    ln "$DIR/there.log" "$DIR/app-hard.log"
    mkfifo "$DIR/app-pipe.log"
    for name in link hard pipe; do run -3 as 65534 -f app-$name word; done
    run ! grep -q word /etc/passwd
    # without log_dir
    sed -i /^log_dir/d "$CONF"
    run -1 as 65534 -f there word
    [[ $output == *"no log_dir"* ]]
}

@test "users write no lines where log_dir is the directory of other logs, by a link or above it" {
    local other
    mkdir -p "$PLACE/logs/sub"
    for other in "$PLACE/logs" "$PLACE/logs/sub"; do
        ln -sfn "$other" "$DIR"
        configure "logs = $PLACE/logs"
        start_service
        until grep -q "log_dir: $DIR is, has or lies in the directory of 'logs': name one of its own" "$PLACE/trouble"; do kill -0 "$SERVICE"; sleep 0.05; done
        run -3 as 65534 -f app-x word
        end_service
    done
    [[ $(find "$PLACE/logs" -type f) == "" ]]
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
    [[ $output == *"users append no lines: by a link or a mount it is, has or lies in the directory of 'logs'"* ]]
}

@test "a user forges no line: bytes are escaped, lines are bounded, and a cut line is ended" {
    begin_service
    as 65534 -f app-x $'a\nThu_Nov_26_2026_03:00 root evil' $'\x1b[2J' 'back\slash' "ä"
    [[ $(tail -n 1 "$DIR/app-x.log") == *' nobody a\x0aThu_Nov_26_2026_03:00 root evil \x1b[2J back\x5cslash \xc3\xa4' ]]
    run -1 as 65534 -f app-x "$(printf '%0600d' 1)"
    [[ $output == *"too long"* ]]
    run -1 as 65534 -f app-x "$(printf '%09000d' 1)"
    printf 'Thu_Nov_26_2026_03:00 nobody cu' >>"$DIR/app-x.log"
    as 65534 -f app-x next
    [[ $(wc -l <"$DIR/app-x.log") == 4 && $(tail -n 2 "$DIR/app-x.log" | head -n 1) == *" cu" ]]
}

@test "a flood is bounded and counted, and holds no other user up" {
    begin_service
    local i statuses='' status
    for ((i = 0; i < 5000; i++)); do
        status=0
        as 65534 -q -f app-x "$i" || status=$?
        statuses+="$status"
        [[ $statuses != *4444 ]] || break
    done
    [[ $statuses == *4444 ]]
    run -4 as 65534 -f app-x more
    [[ $output == *"too many lines"* ]]
    as 54321 -f app-x mine
    [[ $(tail -n 1 "$DIR/app-x.log") == *" 54321 mine" ]]
    local written=${statuses//4/} left_out=${statuses//0/}
    # what was left out is told before the end
    end_service
    [[ $(grep -c " nobody [0-9]*$" "$DIR/app-x.log") == "${#written}" ]]
    (($(sed -n 's/.* nobody LINES_LEFT_OUT count=//p' "$DIR/app-x.log" | awk '{ sum += $1 } END { print sum }') == ${#left_out} + 1))
}

@test "uids without a name share one place, and a user begins some logs a day: nobody is locked out" {
    begin_service
    /usr/bin/python3 - "$SOCKET" $((60 * SLOW)) >"$PLACE/answers" <<'TEXT'
import os, pwd, socket, sys

known = {entry.pw_uid for entry in pwd.getpwall()}
for uid in [uid for uid in range(700000, 701000) if uid not in known][:600]:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(int(sys.argv[2]))
        s.connect(sys.argv[1])
        s.send(b"jobtrail line 1\napp-x\0word\0")
        print(s.recv(9).decode())
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
TEXT
    [[ $(wc -l <"$PLACE/answers") == 600 ]]
    (($(grep -c '^f' "$PLACE/answers") > 300))
    as 65534 -f app-x mine
    local i
    for ((i = 0; i < 20; i++)); do as 65534 -f "app-new$i" mine; done
    run -4 as 65534 -f app-new20 mine
    [[ $output == *"too many logs were begun by you today"* && ! -e $DIR/app-new20.log ]]
    as 65534 -f app-new0 mine
    as 0 -f app-new20 mine
    end_service
    grep -q " unknown LINES_LEFT_OUT count=" "$DIR/app-x.log"
}

@test "a client that sends more and more has no answer, and holds no other user up" {
    begin_service
    local child tracer client
    child=$(pgrep -P "$SERVICE")
    strace -f -p "$child" -o "$PLACE/calls" -e trace=recvfrom -e inject=recvfrom:delay_enter=2000 2>"$PLACE/traced" 3>&- &
    tracer=$!
    tail -n +1 -f --pid=$tracer "$PLACE/traced" | grep -q -m 1 attached
    setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect(sys.argv[1])
print("connected", flush=True)
try:
    while True: s.send(b"x")
except OSError: pass
' "$SOCKET" >"$PLACE/client" 3>&- &
    client=$!
    tail -n +1 -f --pid=$client "$PLACE/client" | grep -q -m 1 connected
    run as 0 -f app-x mine
    kill $tracer $client 2>/dev/null || true
    wait $tracer || true
    [[ $status == 0 ]]
    grep -q " root mine$" "$DIR/app-x.log"
}

@test "connections that say nothing, or garbage, take nobody's place for long" {
    begin_service
    local go=$PLACE/go
    chmod 755 "$PLACE"
    setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 -c '
import os, socket, sys
held = []
for i in range(40):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.settimeout('$((10 * SLOW))')
    s.connect(sys.argv[1]); held.append(s)
for text in b"", b"x", b"jobtrail line 1\n", b"jobtrail line 1\napp-x", b"\0" * 4096, b"jobtrail line 1\n" + b"\xff" * 4000 + b"\0", b"y" * 60000:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.settimeout('$((10 * SLOW))')
    s.connect(sys.argv[1])
    try: s.send(text)
    except OSError: pass
    try: print(s.recv(9))
    except ConnectionResetError: print(b"b")
print("held", flush=True)
sys.stdin.read()
' "$SOCKET" >"$PLACE/answers" < <(until [[ -e $go ]]; do sleep 0.05; done) 3>&- &
    local writer=$!
    tail -n +1 -f --pid=$writer "$PLACE/answers" | grep -q -m 1 held
    as 54321 -f app-x mine
    touch "$go"
    wait $writer
    [[ $(wc -l <"$DIR/app-x.log") == 2 && $(grep -vc "b'[bm]'" "$PLACE/answers") == 1 ]]
}

@test "a service that is killed comes back, and until then says so to scripts" {
    begin_service
    as 65534 -f app-x one
    local child
    child=$(pgrep -P "$SERVICE")
    kill -KILL "$child"
    wait_for process_ended "$child"
    run as 65534 -f app-x lost
    [[ $status == 3 && $output == *"does not run"* || $status == 0 ]]
    serving
    as 65534 -f app-x two
    grep -q " nobody one$" "$DIR/app-x.log"
    [[ $(tail -n 1 "$DIR/app-x.log") == *" nobody two" ]]
    kill -KILL "$SERVICE"
    wait "$SERVICE" || true
    begin_service
    as 65534 -f app-x three
    [[ $(tail -n 1 "$DIR/app-x.log") == *" nobody three" ]]
    end_service
    run -3 as 65534 -f app-x four
    run -3 as 65534 -q -f app-x four
    [[ $output == "" ]]
}

@test "a full disk is said, leaves no half of a line, and lines follow when there is room" {
    mkdir "$DIR"
    mount -t tmpfs -o size=64k,mode=755 none "$DIR"
    begin_service
    as 65534 -f app-x one
    dd if=/dev/zero of="$DIR/filler" bs=1k 2>/dev/null || true
    local status=0 i
    for ((i = 0; i < 40 && status == 0; i++)); do as 54321 -q -f app-x "$(printf '%0400d' "$i")" || status=$?; done
    ((status == 3))
    grep -q "No space left" "$PLACE/trouble"
    rm "$DIR/filler"
    as 65534 -f app-x two
    [[ $(tail -n 1 "$DIR/app-x.log") == *" nobody two" ]]
    run ! grep -vE "^# jobtrail: sorted UTC$|^$date (nobody (one|two)|54321 [0-9]{400})$" "$DIR/app-x.log"
}

@test "a log is renamed when it is full" {
    configure "log_size = 1M" "log_files = 2"
    begin_service
    as 65534 -f app-x one
    yes "Thu_Nov_26_2026_03:00 nobody x" | head -c 1048576 >>"$DIR/app-x.log"
    as 65534 -f app-x two
    [[ $(wc -l <"$DIR/app-x.log") == 2 && -s $DIR/app-x.log.1 ]]
}

@test "a site that others can change is refused" {
    install -d -o nobody "$DIR"
    "$JOBTRAIL_BIN/jobtrail-libmon" watch --conf "$CONF" >"$PLACE/said" 2>&1 3>&- &
    SERVICE=$!
    tail -n +1 -f --pid="$SERVICE" "$PLACE/said" | grep -q -m 1 "$DIR: Operation not permitted"
    [[ ! -e $SOCKET ]]
    run -3 as 65534 -f app-x word
}

@test "usage is told" {
    run -2 as 0 -f app-x -d @1
    [[ $output == *"-f has no -d"* ]]
    run -0 as 0 --help
    [[ $output == *"-f LOG"* ]]
}
