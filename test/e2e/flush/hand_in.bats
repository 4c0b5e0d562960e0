#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What ordinary users put below [spool] sessions, and what root does about it.
# bats file_tags=needs:root

bats_require_minimum_version 1.5.0
load ../fixture/job

UUID=019a9f00-1122-7abc-8def-010203040500

setup() {
    PLACE=$(mktemp -d /tmp/jobtrail-hand-in-XXXXXX)
    chmod 755 "$PLACE"
    CONF=$PLACE/jobtrail.conf SESSIONS=$PLACE/sessions RECORDS=$PLACE/records
    SUBMIT=$JOBTRAIL_BIN/jobtrail-submit
    cat >"$CONF" <<CONF
[site]
cluster = lab
[spool]
dir = $PLACE/spool
sessions = $SESSIONS
[submit]
state = $PLACE/state
[file]
dir = $RECORDS
CONF
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    flush_sessions
}

teardown() {
    if mountpoint -q "$SESSIONS/5/99999991.1"; then umount "$SESSIONS/5/99999991.1"; fi
    rm -rf --one-file-system "$PLACE"
}

flush_sessions() {
    timeout $((60 * SLOW)) "$SUBMIT" flush --sessions --conf "$CONF" --node e2e "$@"
}

as_games() { # 'SCRIPT' [ARGUMENT...], in the user's directory
    (umask 077 && mkdir -p "$SESSIONS/5/records" && chown -R games:games "$SESSIONS/5")
    (cd "$SESSIONS/5" && setpriv --reuid 5 --regid 60 --clear-groups bash -euc "$1" _ "${@:2}")
}

# hand_in COUNT: as many records of links, by games
hand_in() {
    # shellcheck disable=SC2016
    as_games 'for ((i = 10; i < 10 + $1; i++)); do
        uuid=${2:0:34}$i
        echo "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"$uuid\"}}" >"records/link.lab.a.games.$uuid.json"
    done' "$1" "$UUID"
}

delivered() {
    find "$RECORDS" -name 'link.*' -type f | wc -l
}

waiting() {
    find "$SESSIONS/5/records" -type f | wc -l
}

@test "what users have handed in is opened, moved and removed by processes that have become the user" {
    hand_in 3
    as_games 'echo nothing >records/nothing; mkfifo records/fifo'
    strace -f -o "$PLACE/trace" -e trace=setresuid,openat,openat2,unlinkat,renameat \
        "$SUBMIT" flush --sessions --conf "$CONF" --node e2e >/dev/null 2>&1
    [[ $(delivered) == 3 && $(waiting) == 0 && $(ls "$SESSIONS/5/refused") == $'fifo\nnothing' ]]
    # three opened, three removed, two moved
    awk '/setresuid.* = 0$/ { user[$1] = 1 }
        /(openat2?|unlinkat|renameat)\([0-9]+, "(link|nothing|fifo)/ && !/renameat.*"link/ {
            if (!($1 in user)) { print "as root: " $0; bad = 1 }
            seen++
        }
        END { exit bad || seen != 8 }' "$PLACE/trace"
}

@test "a record that a user hands in becomes nobody's run, in no job" {
    # shellcheck disable=SC2016
    as_games 'forged="\"userT\":{\"run_uuid\":\"$1\",\"user\":\"root\",\"job_id\":\"7\",\"exec_path\":\"/bin/forged\"}"
        whole="\"resultT\":{\"build_user\":\"games\",\"uuid\":\"$1\"}"
        echo "{$whole,$forged}" >"records/link.lab.a.games.$1.json"
        echo "{$forged,$whole}" >"records/link.lab.b.games.$1.json"
        echo "{$whole,\"signature\":\"00\"}" >"records/link.lab.c.games.$1.json"
        echo "{\"xalt_run_uuid\":\"$1\",$forged}" >"records/pkg.lab.a.games.$1.0123456789ab.json"
        echo "{\"xalt_run_uuid\":\"$1\",\"package_name\":\"x\"}" >"records/pkg.lab.b.games.$1.0123456789ab.json"
        echo "{\"libraryT\":{\"uuid\":\"$1\",\"kind\":\"change\"}}" >"records/lib.lab.a.games.$1.json"' "$UUID"
    hand_in 1
    run -0 --separate-stderr flush_sessions --json
    [[ $(jq -c '[.records, .damaged]' <<<"$output") == "[1,6]" ]]
    # shellcheck disable=SC2154
    [[ $stderr == *"user 5: 6 files that are no records of theirs: now in "*/refused* ]]
    [[ $(find "$RECORDS" -type f | wc -l) == 1 && $(delivered) == 1 && $(waiting) == 0 ]]
    [[ $(find "$SESSIONS/5/refused" -type f | wc -l) == 6 ]]
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$PLACE/store" "$RECORDS"
    [[ $(sqlite3 "$PLACE/store" 'SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM link)') == '0|1' ]]
}

@test "a flush of sessions that is killed at any system call is completed by the next" {
    local all call number every
    hand_in 2
    strace -o "$PLACE/trace" "$SUBMIT" flush --sessions --conf "$CONF" --node e2e >/dev/null 2>&1
    awk -F'(' '/^[a-z_0-9]+\(/ { n[$1]++; if (index($0, "\"sessions\"") || index($0, "/sessions\"")) found = 1
        if (found && $1 != "exit_group") print $1, n[$1] }' "$PLACE/trace" >"$PLACE/calls"
    all=$(wc -l <"$PLACE/calls")
    ((all > 60))
    every=$((JOBTRAIL_SOAK ? 1 : all / 30))
    while read -r call number; do
        rm -rf "${RECORDS:?}" "$PLACE/state"
        hand_in 2
        strace -o /dev/null -e "inject=$call:signal=KILL:when=$number" "$SUBMIT" flush --sessions --conf "$CONF" \
            --node e2e >/dev/null 2>&1 || true
        flush_sessions >/dev/null 2>&1 || { echo "the flush after one killed at $call $number"; return 1; }
        [[ $(delivered) == 2 && $(waiting) == 0 && -z $(find "$PLACE/state/outbox" -name '0*') ]] ||
            { echo "killed at $call $number"; ls -R "$SESSIONS" "$RECORDS" "$PLACE/state"; return 1; }
    done < <(awk -v every="$every" 'NR % every == 0' "$PLACE/calls")
}

@test "eight flushes of sessions at once take each record once" {
    local i
    for ((i = 0; i < (JOBTRAIL_SOAK ? 50 : 5); i++)); do
        rm -rf "${RECORDS:?}"
        hand_in 20
        : >"$PLACE/counts"
        for _ in {1..8}; do flush_sessions --json >>"$PLACE/counts" & done
        wait
        [[ $(delivered) == 20 && $(waiting) == 0 && $(jq -s 'map(.records) | add' "$PLACE/counts") == 20 ]]
    done
}

@test "of a session's directory root copies ledger and packages alone, and not more than they may have" {
    as_games 'mkdir 99999991.1
        echo nothing >99999991.1/ledger
        echo mine >99999991.1/journal
        echo mine >99999991.1/packages
        truncate -s 15T 99999991.1/journal 99999991.1/packages 99999991.1/ledger'
    run -0 flush_sessions --json
    [[ $(jq .quarantined <<<"${lines[-1]}") == 1 ]]
    [[ $(ls "$PLACE/state/quarantine/5.99999991.1") == $'ledger\nowner\npackages\nreason' ]]
    [[ $(stat -c %s "$PLACE/state/quarantine/5.99999991.1/ledger") -le $((65 << 20)) ]]
    [[ $(stat -c %s "$PLACE/state/quarantine/5.99999991.1/packages") -le $((17 << 20)) ]]
    # what lay beside it is put out of the way, by the user's own right
    [[ $(ls "$SESSIONS/5/refused/99999991.1") == journal ]]
    run -0 flush_sessions --json
    [[ $(jq -c '[.quarantined, .failed]' <<<"${lines[-1]}") == "[0,0]" ]]
}

@test "a user has a hundred sessions in the quarantine at the most, and others have theirs" {
    local flushes=0
    # shellcheck disable=SC2016
    as_games 'for ((i = 1; i <= 130; i++)); do mkdir $i.99; echo nothing >$i.99/ledger; done'
    mkdir -m 700 "$SESSIONS/6" "$SESSIONS/6/7.99"
    echo nothing >"$SESSIONS/6/7.99/ledger"
    chown -R man:man "$SESSIONS/6"
    # one flush, or more where it has not done all of them in the time that a user has
    while [[ -n $(find "$SESSIONS" -name ledger -print -quit) ]] && ((flushes++ < 20)); do
        run -0 --separate-stderr flush_sessions --json
        echo "$output" >>"$PLACE/counts"
        rm -f "$PLACE"/state/sessions/turn.* # who has used up that time would wait for five minutes
    done
    [[ $(jq -sc '[map(.quarantined), map(.lost), map(.failed)] | map(add)' "$PLACE/counts") == "[101,30,0]" ]]
    [[ $(find "$PLACE/state/quarantine" -maxdepth 1 -name '5.*' | wc -l) == 100 && -e $PLACE/state/quarantine/6.7.99 ]]
}

@test "twenty thousand names in a user's directory are looked at in pieces, and told" {
    # shellcheck disable=SC2016
    as_games 'for ((i = 1; i <= 20000; i++)); do : >x$i; done'
    run -0 --separate-stderr flush_sessions
    [[ $stderr == *"user 5: too many names: the other sessions are for the next flush"* ]]
    hand_in 1
    flush_sessions
    [[ $(delivered) == 1 ]]
}

@test "nothing is read across a mount in a user's directory, nor out of another user's" {
    as_games 'mkdir 99999991.1'
    mount -t tmpfs none "$SESSIONS/5/99999991.1"
    echo nothing >"$SESSIONS/5/99999991.1/ledger"
    mkdir "$SESSIONS/5/99999992.1"
    echo nothing >"$SESSIONS/5/99999992.1/ledger"
    chown games "$SESSIONS/5/99999991.1" "$SESSIONS/5/9999999"*/ledger
    run -0 flush_sessions --json
    [[ $(jq -c '[.jobs, .quarantined]' <<<"${lines[-1]}") == "[0,0]" ]]
    [[ -e $SESSIONS/5/99999991.1/ledger && -e $SESSIONS/5/99999992.1/ledger && ! -e $PLACE/state/quarantine ]]
    umount "$SESSIONS/5/99999991.1"
}

@test "a FIFO that nobody writes to holds no flush up" {
    as_games 'mkdir 1.99; mkfifo 1.99/ledger; mkfifo records/fifo; ln -s /dev/zero records/zero'
    hand_in 1
    flush_sessions
    [[ $(delivered) == 1 && $(ls "$SESSIONS/5/refused") == $'fifo\nzero' ]]
}

@test "a user has one directory, however its number is written" {
    # shellcheck disable=SC2016
    as_games 'mkdir ../05 ../05/7.99; chmod -R 700 ../05; echo nothing >../05/7.99/ledger'
    run -0 --separate-stderr flush_sessions --json
    [[ $(jq -c '[.jobs, .quarantined]' <<<"$output") == "[0,0]" && -e $SESSIONS/05/7.99/ledger ]]
}

@test "who has taken the place of another user's directory does not keep it" {
    # 6: man, 7: lp, 8: mail, 9: news, 10: uucp
    as_games ': >../6; ln -s 5 ../7; mkfifo ../8; mkdir -m 777 ../9 ../10; echo forged >../9/mine'
    run -0 --separate-stderr flush_sessions --json
    for uid in 6 7 8 9 10; do
        [[ $stderr == *"sessions/$uid: was no directory of this user's, and is one now"* ]]
        [[ $(stat -c '%F %a %u %g' "$SESSIONS/$uid") == "directory 700 $uid $(getent passwd "$uid" | cut -d: -f4)" ]]
        [[ -z $(ls -A "$SESSIONS/$uid") ]]
    done
    # what was there is still games's, but for the empty directory
    [[ $(find "$SESSIONS" -maxdepth 1 -name '.aside.*' -user games | wc -l) == 4 ]]
    [[ $(cat "$SESSIONS"/.aside.9.*/mine) == forged ]]
    run -0 --separate-stderr flush_sessions --json
    [[ -z $stderr ]]
}

@test "what users make with numbers that no account has is removed or put aside, once and behind real users" {
    local flushes=0
    hand_in 1
    as_games 'mkdir ../4123{100000..112000}; mkdir ../4123123123; echo mine >../4123123123/mine; ln -s / ../4123123124'
    run -0 --separate-stderr flush_sessions
    # bounded in one go, by number and by time; the rest is for the next
    [[ $(delivered) == 1 && $stderr == *"names with numbers that no account has: "*" put aside (.aside.*), 0 stay" ]]
    [[ $(find "$SESSIONS" -maxdepth 1 -name '4*' | wc -l) -ge 2003 && $(wc -l <<<"$stderr") == 1 ]]
    while [[ $(ls "$SESSIONS") != $'5\nversion' ]] && ((flushes++ < 20)); do run -0 flush_sessions; done
    [[ $(ls "$SESSIONS") == $'5\nversion' && $(cat "$SESSIONS"/.aside.4123123123.*/mine) == mine ]]
    [[ $(find "$SESSIONS" -mindepth 1 -maxdepth 1 -name '.aside.*' -user games | wc -l) == 2 ]]
    # they are no numbers any more, and go when they are empty
    # shellcheck disable=SC2016
    as_games 'rm "$1"/mine' "$(echo "$SESSIONS"/.aside.4123123123.*)"
    run -0 --separate-stderr flush_sessions
    [[ -z $stderr && $(find "$SESSIONS" -mindepth 1 -maxdepth 1 -name '.aside.*' | wc -l) == 1 ]]
}

@test "users' own directories come before what somebody has made with numbers" {
    hand_in 1
    as_games 'mkdir ../4123{100000..100200}'
    strace -f -o "$PLACE/trace" -e trace=openat2,renameat2 \
        "$SUBMIT" flush --sessions --conf "$CONF" --node e2e >/dev/null 2>&1
    [[ $(grep -oE 'openat2\([0-9]+, "(5|4123[0-9]*)"|renameat2\(' "$PLACE/trace" | head -n 1) == *'"5"' ]]
    [[ $(ls "$SESSIONS") == $'5\nversion' ]]
}

@test "a record with the longest name of a file keeps none of the others" {
    # shellcheck disable=SC2016
    as_games 'printf -v long %0198d 0
        echo "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"$1\"}}" >"records/link.lab.$long.games.$1.json"' "$UUID"
    hand_in 2
    run -0 flush_sessions
    [[ $(delivered) == 2 && $(find "$SESSIONS/5/refused" -type f | wc -l) == 1 ]]
}
