#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-libdate -f: lines of users' scripts in logs of the site, by way of the hand-in.
# bats file_tags=needs:root,needs:libraries
# shellcheck disable=SC2154 # bats sets variables

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0
load ../../wait

setup() {
    PLACE=$(readlink -f "$BATS_TEST_TMPDIR")
    DIR=$PLACE/applications
    CONF=$PLACE/jobtrail.conf
    SESSIONS=$PLACE/sessions
    chmod o+x "$PLACE" "$BATS_RUN_TMPDIR" # for other users
    configure
    collect
}

teardown() {
    if mountpoint -q "$DIR"; then umount -l "$DIR"; fi
}

configure() { # LINE...
    printf '%s\n' "[site]" "timezone = UTC" "[spool]" "sessions = $SESSIONS" "[submit]" "state = $PLACE/state" "[file]" "dir = $PLACE/records" \
        "[libraries]" "log_dir = $DIR" "log_names = app-*" "$@" >"$CONF"
}

# collect: what the timer runs
collect() {
    timeout $((60 * SLOW)) "$JOBTRAIL_BIN/jobtrail-submit" flush --sessions --conf "$CONF" --node e2e
}

# as UID OPTION...: jobtrail-libdate of this user
as() {
    local uid=$1
    shift
    setpriv --reuid="$uid" --regid="$uid" --clear-groups "$JOBTRAIL_BIN/jobtrail-libdate" --conf "$CONF" "$@"
}

waiting() { # UID
    find "$SESSIONS/$1/records" -type f | wc -l
}

date='[A-Z][a-z]{2}_[A-Z][a-z]{2}_[0-9]{2}_[0-9]{4}_[0-9]{2}:[0-9]{2}'

@test "lines have the date, the user and the words, in their order, and jobtrail-libq reads them" {
    local i
    as 65534 -f app-one start 3.2 "two words"
    for i in 1 2 3 4 5 6 7 8; do as 65534 -f app-one.log "$i"; done
    [[ ! -e $DIR/app-one.log && $(waiting 65534) == 9 ]]
    collect
    as 0 -f "$DIR/app-one.log" -- -x
    [[ $(sed -n 1p "$DIR/app-one.log") == "# jobtrail: sorted UTC" ]]
    [[ $(sed -n 2p "$DIR/app-one.log") =~ ^$date\ nobody\ start\ 3.2\ two\ words$ ]]
    [[ $(sed -n 's/.* nobody \([0-9]\)$/\1/p' "$DIR/app-one.log" | tr -d '\n') == 12345678 ]]
    [[ $(tail -n 1 "$DIR/app-one.log") =~ ^$date\ root\ -x$ ]]
    [[ $(stat -c '%a %U' "$DIR/app-one.log") == "644 root" && $(wc -l <"$DIR/app-one.log") == 11 && $(waiting 65534) == 0 ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-libq" -c "$DIR/app-one.log"
    [[ $output == *10* ]]
    collect
    [[ $(wc -l <"$DIR/app-one.log") == 11 ]]
}

@test "a log is one that is there, or that the site names; others are refused" {
    install -d -m 755 "$DIR"
    install -m 644 /dev/null "$DIR/there.log"
    as 65534 -f there word
    run -1 as 65534 -f other word
    [[ $output == *"there is no log other.log in $DIR"* ]]
    local name
    for name in ../passwd /etc/passwd .hidden app-/x $'app-\n' "" -x "$(printf 'app-%080d' 1)"; do
        run -1 as 65534 "--file=$name" word
        [[ $output == *"no name of a log"* ]]
    done
    ln -s /etc/passwd "$DIR/app-link.log"
    touch "$DIR/other"
    ln "$DIR/other" "$DIR/app-hard.log"
    mkfifo "$DIR/app-pipe.log"
    install -o daemon /dev/null "$DIR/app-theirs.log"
    for name in link hard pipe theirs; do
        run -1 as 65534 -f app-$name word
        [[ $output == *"is no plain file of root's"* ]]
        as 65534 -f app-later word
        mv "$DIR/app-$name.log" "$DIR/app-later.log"
        as 65534 -f there behind $name
        run -0 --separate-stderr collect
        [[ $stderr == *"user nobody: app-later.log: lines are left out"* ]]
        [[ $(tail -n 1 "$DIR/there.log") == *" nobody behind $name" ]]
        rm "$DIR/app-later.log"
    done
    as 65534 -f there behind
    run -0 --separate-stderr collect
    [[ $(tail -n 1 "$DIR/there.log") == *" nobody behind" && ! -e $DIR/other.log && $(waiting 65534) == 0 ]]
    run ! grep -q word /etc/passwd
    # without log_dir
    as 65534 -f there late
    sed -i /^log_dir/d "$CONF"
    run -1 as 65534 -f there word
    [[ $output == *"no log_dir"* ]]
    run -0 --separate-stderr collect
    [[ $stderr == *"lines that users have handed in are left out"* ]]
}

@test "nobody writes in another's name, whatever they hand in" {
    local records=$SESSIONS/65534/records
    as 65534 -f app-x one
    # files of a form that nothing of ours writes
    setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 - "$records" <<'TEXT'
import os, sys, time
now = time.time_ns()
def put(name, text):
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(text)
line = b"jobtrail line 1\napp-x\0word\0"
put("line.x.1", line)
put("line.1.1", line)
put(f"line.{now}.1.json", line)
put(f"line.{now}.2", b"jobtrail line 1\n../x\0word\0")
put(f"line.{now}.3", b"jobtrail line 1\napp-x")
put(f"line.{now}.4", b"y" * 60000)
put(f"line.{now}.5", b"jobtrail line 1\nno-such\0word\0")
put("line.9999999999999999999.6", b"jobtrail line 1\napp-x\0later\0")
put("line.0000000000000000001.7", b"jobtrail line 1\napp-x\0earlier\0")
os.symlink("/etc/shadow", os.path.join(sys.argv[1], f"line.{now}.8"))
TEXT
    run -0 --separate-stderr collect
    [[ $stderr == *"7 files that are no records of theirs"* && $stderr == *"no-such.log: lines are left out: the site has no such log"* ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-libq" --starttime 2020 "$DIR/app-x.log"
    [[ $output == *"nobody one"* && $output == *"nobody later"* ]]
    [[ $(grep -c nobody "$DIR/app-x.log") == 3 && $(waiting 65534) == 0 ]]
    as 65534 -f app-x last
    collect
    [[ $(tail -n 1 "$DIR/app-x.log") == *"nobody last" && $("$JOBTRAIL_BIN/jobtrail-libq" -c --starttime 2020 "$DIR/app-x.log") == 3 ]]
}

@test "users write no lines where log_dir is the directory of other logs, by a link or above it" {
    local other
    mkdir -p "$PLACE/logs/sub"
    as 65534 -f app-x word
    for other in "$PLACE/logs" "$PLACE/logs/sub"; do
        ln -sfn "$other" "$DIR"
        configure "logs = $PLACE/logs"
        run -0 --separate-stderr collect
        [[ $stderr == *"log_dir: $DIR and 'logs' must be separate directories"* ]]
        run -3 as 0 -f app-x word
    done
    [[ $(find "$PLACE/logs" -name '*.log') == "" && $(waiting 65534) == 1 ]]
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
    [[ $output == *"users cannot append lines: by a link or a mount it is not separate from 'logs'"* ]]
}

@test "a user forges no line: bytes are escaped, lines are bounded, and a cut line is ended" {
    as 65534 -f app-x $'a\nThu_Nov_26_2026_03:00 root evil' $'\x1b[2J' 'back\slash' "ä"
    collect
    [[ $(tail -n 1 "$DIR/app-x.log") == *' nobody a\x0aThu_Nov_26_2026_03:00 root evil \x1b[2J back\x5cslash \xc3\xa4' ]]
    run -1 as 65534 -f app-x "$(printf '%0600d' 1)"
    [[ $output == *"too long"* ]]
    run -1 as 65534 -f app-x "$(printf '%09000d' 1)"
    printf 'Thu_Nov_26_2026_03:00 nobody cu' >>"$DIR/app-x.log"
    as 65534 -f app-x next
    collect
    [[ $(wc -l <"$DIR/app-x.log") == 4 && $(tail -n 2 "$DIR/app-x.log" | head -n 1) == *" cu" ]]
}

@test "of a flood some lines are written each time, and it holds no other user up" {
    as 65534 -f app-x 0
    setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 - "$SESSIONS/65534/records" <<'TEXT'
import os, sys, time
for i in range(1, 3000):
    with open(os.path.join(sys.argv[1], f"line.{time.time_ns()}.{i}"), "wb") as file:
        file.write(b"jobtrail line 1\napp-x\0%d\0" % i)
TEXT
    as 1 -f app-x mine
    collect
    [[ $(grep -c " nobody [0-9]*$" "$DIR/app-x.log") == 20 && $(waiting 65534) == 2980 ]]
    grep -q " daemon mine$" "$DIR/app-x.log"
    collect
    diff <(sed -n 's/.* nobody //p' "$DIR/app-x.log") <(seq 0 39)
    [[ $(waiting 65534) == 2960 ]]
}

@test "a user begins some logs, and locks nobody out" {
    local i
    for ((i = 10; i < 31; i++)); do as 65534 -f "app-new$i" mine; done
    as 1 -f app-other mine
    collect
    [[ $(waiting 65534) == 1 ]]
    run -0 --separate-stderr collect
    [[ $stderr == *"user nobody: app-new30.log: lines are left out: too many logs were begun"* && ! -e $DIR/app-new30.log ]]
    [[ -s $DIR/app-new29.log && -s $DIR/app-other.log && $(waiting 65534) == 0 ]]
    as 65534 -f app-other mine
    as 0 -f app-new30 mine
    as 65534 -f app-new30 mine
    collect
    grep -q "nobody mine" "$DIR/app-other.log"
    grep -q "nobody mine" "$DIR/app-new30.log"
}

@test "who appends waits for another who does, and no user holds them up" {
    as 65534 -f app-x one
    collect
    setpriv --reuid=65534 --regid=65534 --clear-groups flock "$DIR" sleep 1000 3>&- &
    local holder=$! others=() i
    run ! setpriv --reuid=65534 --regid=65534 --clear-groups flock -n "$DIR/.lock" true
    for ((i = 0; i < 20; i++)); do
        as 0 -f app-x root 3>&- &
        others+=($!)
    done
    as 65534 -f app-x two
    collect
    wait "${others[@]}"
    kill "$holder"
    [[ $(wc -l <"$DIR/app-x.log") == 23 ]]
    run ! grep -vE "^# jobtrail: sorted UTC$|^$date (nobody (one|two)|root root)$" "$DIR/app-x.log"
}

@test "a full disk is said, leaves no half of a line, and lines follow when there is room" {
    mkdir "$DIR"
    mount -t tmpfs -o size=64k,mode=755 none "$DIR"
    as 65534 -f app-x one
    collect
    dd if=/dev/zero of="$DIR/filler" bs=1k 2>/dev/null || true
    local i
    for ((i = 0; i < 40; i++)); do as 1 -f app-x "$(printf '%0400d' "$i")"; done
    run -0 --separate-stderr collect
    [[ $stderr == *"No space left"* ]]
    (($(waiting 1) > 0))
    rm "$DIR/filler"
    as 65534 -f app-x two
    for i in 1 2 3; do collect; done
    grep -q " nobody two$" "$DIR/app-x.log"
    [[ $(waiting 1) == 0 && $(grep -c " daemon 0" "$DIR/app-x.log") == 40 ]]
    run ! grep -vE "^# jobtrail: sorted UTC$|^$date (nobody (one|two)|daemon [0-9]{400})$" "$DIR/app-x.log"
}

@test "a log is renamed when it is full" {
    configure "log_size = 1M" "log_files = 2"
    as 65534 -f app-x one
    collect
    yes "Thu_Nov_26_2026_03:00 nobody x" | head -c 1048576 >>"$DIR/app-x.log"
    as 65534 -f app-x two
    collect
    [[ $(wc -l <"$DIR/app-x.log") == 2 && -s $DIR/app-x.log.1 ]]
}

@test "a site that others can change is refused, and lines wait" {
    install -d -o nobody "$DIR"
    as 65534 -f app-x word
    run -0 --separate-stderr collect
    [[ $stderr == *"log_dir: $DIR: Operation not permitted"* && $(waiting 65534) == 1 ]]
    rmdir "$DIR"
    collect
    [[ $(tail -n 1 "$DIR/app-x.log") == *" nobody word" ]]
}

@test "usage is told, and a host without sessions" {
    run -2 as 0 -f app-x -d @1
    [[ $output == *"-f has no -d"* ]]
    run -0 as 0 --help
    [[ $output == *"-f LOG"* ]]
    sed -i 's/^sessions = .*/sessions =/' "$CONF"
    run -3 as 65534 -f app-x word
    [[ $output == *"this host has no [spool] sessions"* ]]
    run -3 as 65534 -q -f app-x word
    [[ $output == "" ]]
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
    [[ $output == *"log_dir has no effect here"* ]]
}
