#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a user can do to the spool, and what root makes of what he left there. Needs root, and drops
# to nobody, whose job this is.
# bats file_tags=needs:root

load ../fixture/job
load ../fixture/nobody

setup() {
    RULES=$KEEP_ALL OWNER=nobody new_job
    let_nobody_in
    LEDGER=$SPOOL/$JOB.0/user/ledger
}

nobodys_job() { # [LEDGER-BYTES]
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB" "${1:-$((64 << 20))}" nobody
}

teardown() {
    end_attacker
}

# a_run: a run in the job, as its user
a_run() {
    tracked setpriv --reuid nobody --regid nogroup --clear-groups "$PROGRAMS/exit_with" 0
}

flush_all() {
    "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e 2>&1
}

# set_aside REASON: the flush keeps the job aside, the other job has its records, all in a bounded time
set_aside() {
    timeout $((60 * SLOW)) "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e >/dev/null 2>&1
    [[ $(reason) == "$1" && $(records_of 4712) == 2 && -z $(ls "$SPOOL") ]]
}

@test "a user can put nothing into a job's directory, nor take anything away, nor read the journal" {
    a_run
    run as_nobody touch "$SPOOL/$JOB.0/x"
    [[ $status != 0 ]]
    run as_nobody ln -s /etc/shadow "$SPOOL/$JOB.0/x"
    [[ $status != 0 ]]
    run as_nobody ln "$LEDGER" "$SPOOL/$JOB.0/x"
    [[ $status != 0 ]]
    run as_nobody mkfifo "$SPOOL/$JOB.0/x"
    [[ $status != 0 ]]
    run as_nobody mv "$LEDGER" "$SPOOL/$JOB.0/x"
    [[ $status != 0 ]]
    run as_nobody rm -f "$LEDGER"
    [[ $status != 0 ]]
    run as_nobody mkdir "$SPOOL/9.0"
    [[ $status != 0 ]]
    run as_nobody cat "$SPOOL/$JOB.0/journal"
    [[ $status != 0 ]]
    run as_nobody ls "$SPOOL" "$SPOOL/$JOB.0"
    [[ $status != 0 ]]
    [[ $(find "$SPOOL/$JOB.0" -type f -printf "%f\n" | sort | paste -sd " ") == "journal ledger packages" ]]
    flush >/dev/null
    [[ $(records_of "$JOB") -ge 1 ]]
}

@test "a user can neither read nor write the ledger of another user's job" {
    another_job
    run as_nobody head -c 1 "$SPOOL/4712.0/user/ledger"
    [[ $status != 0 && $output == *"Permission denied"* ]]
    # shellcheck disable=SC2016
    run as_nobody bash -c 'echo x >>"$1"' _ "$SPOOL/4712.0/user/ledger"
    [[ $status != 0 && $output == *"Permission denied"* ]]
    as_nobody env "${TRACKED[@]}" JOBTRAIL_SPOOL="$SPOOL/4712.0/user" "$PROGRAMS/exit_with" 0
    flush_all
    [[ $(records_of 4712) == 2 ]]
}

@test "in a user namespace a job's user gets at his own directory, and at no other's" {
    another_job
    tracked setpriv --reuid nobody --regid nogroup --clear-groups \
        unshare --user --map-root-user --mount "$PROGRAMS/exit_with" 0
    run as_nobody unshare --user --map-root-user --mount stat "$SPOOL/4712.0/user"
    [[ $status != 0 && $output == *"Permission denied"* ]]
    flush_all
    [[ $(endings) == *"exit_with fini"* && $(records_of 4712) == 2 ]]
    [[ $(records | jq -r "map(select(.slurmT.job_id | tostring == \"$JOB\") | .userT.user) | unique | .[]") == nobody ]]
}

@test "a symbolic link, a hard link, a FIFO, a socket, a device and a directory are not read" {
    local target=$BATS_TEST_TMPDIR/target kind
    a_run
    cp "$LEDGER" "$target"
    for kind in symlink hardlink fifo socket zero null directory; do
        rm -rf "$LEDGER" "$BATS_TEST_TMPDIR/state"
        another_job
        case $kind in
        symlink) ln -s "$target" "$LEDGER" ;;
        hardlink) ln "$target" "$LEDGER" ;;
        fifo) mkfifo "$LEDGER" ;;
        socket) perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un($ARGV[0])) or die' "$LEDGER" ;;
        zero) mknod "$LEDGER" c 1 5 ;;
        null) mknod "$LEDGER" c 1 3 ;;
        directory) mkdir "$LEDGER" ;;
        esac
        if [[ $kind == directory ]]; then # which no user can make there
            run flush_all
            rmdir "$LEDGER"
            flush >/dev/null
            [[ $(records_of 4712) == 2 && -z $(ls "$SPOOL") ]]
        else
            set_aside "the ledger is not one of this version of jobtrail"
            [[ ! -e $BATS_TEST_TMPDIR/state/quarantine/$JOB.0/ledger ]]
        fi
        [[ $(records_of "$JOB") == 0 ]]
        rm -rf "$RECORDS"
        nobodys_job
    done
    [[ -s $target ]]
}

@test "a ledger of 15 TiB of nothing is read as far as it is one" {
    a_run
    another_job
    as_nobody truncate -s 15T "$LEDGER"
    timeout $((60 * SLOW)) "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e
    [[ $(records_of "$JOB") -ge 1 && $(records_of 4712) == 2 && -z $(ls "$SPOOL") ]]
}

@test "an empty ledger, one of a byte and one that nobody may read are kept aside" {
    another_job
    as_nobody truncate -s 0 "$LEDGER"
    set_aside "the ledger is not one of this version of jobtrail"
    nobodys_job
    as_nobody truncate -s 1 "$LEDGER"
    set_aside "the ledger is not one of this version of jobtrail"
    # root opens it, and its user reads through that descriptor: modes do not matter
    nobodys_job
    a_run
    as_nobody chmod 000 "$LEDGER"
    flush_all
    [[ $(records_of "$JOB") -ge 1 ]]
}

@test "a ledger that changes, shrinks and grows while it is read ends in records or in the quarantine" {
    local round
    for ((round = 0; round < (JOBTRAIL_SOAK ? 100 : 5); round++)); do
        rm -rf "$SPOOL" "$BATS_TEST_TMPDIR/state"
        nobodys_job 4194304
        for _ in 1 2 3; do a_run; done
        cp "$LEDGER" "$BATS_TEST_TMPDIR/before"
        in_background_as_nobody perl -e '
            srand shift;
            open F, "+<", shift or die;
            while (1) { # noise over a sound ledger, and its size
                seek F, 4 * int rand 16384, 0;
                syswrite F, pack "L", rand 2**32;
                truncate F, 4096 * int rand 1024 if rand() < .02;
            }' "$round" "$LEDGER"
        # shellcheck disable=SC2016
        wait_for bash -c '! cmp -s "$1" "$2"' _ "$LEDGER" "$BATS_TEST_TMPDIR/before"
        timeout $((60 * SLOW)) "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e >/dev/null 2>&1
        end_attacker
        [[ -z $(ls "$SPOOL") ]]
    done
}

@test "an endless ledger is read to an end" {
    a_run
    # shellcheck disable=SC2016
    in_background_as_nobody bash -c 'while :; do head -c 1M /dev/urandom >>"$1"; done' _ "$LEDGER"
    timeout $((60 * SLOW)) "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e >/dev/null 2>&1
    end_attacker
    [[ -z $(ls "$SPOOL") ]]
}

@test "noise in a ledger becomes records or goes to the quarantine, and the other job comes through" {
    local round
    for ((round = 0; round < (JOBTRAIL_SOAK ? 300 : 10); round++)); do
        rm -rf "$SPOOL" "$RECORDS" "$BATS_TEST_TMPDIR/state"
        nobodys_job 1048576
        for _ in 1 2 3; do a_run; done
        another_job
        perl -e 'srand $ARGV[0]; open F, "+<", $ARGV[1]; for (1 .. 1 + rand 200) {
            seek F, int rand 65536, 0; syswrite F, chr rand 256 }' "$round" "$LEDGER"
        timeout $((60 * SLOW)) "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e >/dev/null 2>&1
        [[ $(records_of 4712) == 2 && -z $(ls "$SPOOL") ]]
        (($(records_of "$JOB") >= 3)) || [[ -s $BATS_TEST_TMPDIR/state/quarantine/$JOB.0/reason ]]
    done
}

@test "who a run belongs to is what root wrote down, whatever its environment and its ledger claim" {
    tracked SLURM_JOB_ID=1 SLURM_JOB_USER=root SLURM_JOB_ACCOUNT=rich SLURM_CLUSTER_NAME=other \
        SLURM_JOB_PARTITION=fast USER=root LOGNAME=root SLURMD_NODENAME=elsewhere SLURM_RESTART_COUNT=9 \
        setpriv --reuid nobody --regid nogroup --clear-groups "$PROGRAMS/exit_with" 0
    flush
    [[ $(records | jq -c 'map(select(.userT.exec_path | endswith("exit_with")) | .slurmT
        | [.job_id, .cluster, .partition, .account, .node, .restart_count] | map(tostring)) | unique') == \
        *"\"$JOB\""* ]]
    [[ $(records | jq -r 'map(.userT.user, .slurmT.uid) | unique | map(tostring) | join(" ")') == "65534 nobody" ]]
    run grep -rlE '"(rich|fast|elsewhere)"|"cluster":"other"' "$RECORDS"
    [[ $output == "" ]]
}

# claim UUID: each run in the job's ledger says that it has this uuid
claim() {
    perl -e 'my $uuid = pack "H32", $ARGV[1] =~ tr/-//dr;
        open F, "+<", $ARGV[0] or die; binmode F;
        for (my $at = 36864; $at < -s F; $at += 4096) {
            seek F, $at + 64, 0; read F, my $own, 16;
            next unless unpack("x6 C", $own) >> 4 == 7; # version 7
            seek F, $at + 64, 0; print F $uuid;
        }' "$LEDGER" "$1"
}

@test "a ledger that tells the uuid of another's run takes nothing away from that one" {
    "$PROGRAMS/make_spool" "$SPOOL" 4712
    tracked JOBTRAIL_SPOOL="$SPOOL/4712.0/user" "$PROGRAMS/exit_with" 0
    "$JOBTRAIL_BIN/jobtrail-submit" flush --job 4712 --conf "$CONF" --node e2e >/dev/null
    local uuid owners
    uuid=$(records | jq -r 'map(select(.userT.exec_path | endswith("exit_with")))[0].userT.run_uuid')
    a_run
    claim "$uuid"
    flush
    [[ $(records | jq -r --arg uuid "$uuid" 'map(select(.userT.run_uuid == $uuid) | .userT.user) | sort | unique | join(" ")') == "nobody root" ]]
    cd "$BATS_TEST_TMPDIR"
    for owners in "root nobody" "nobody root"; do
        for owner in $owners; do
            "$JOBTRAIL_BIN/jobtrail-load" --json --store "sqlite:$PWD/${owners/ /.}.db" "$RECORDS"/run.*."$owner".*.json >"summary.$owner"
        done
        [[ $(jq .conflicts "summary.$owner") == 1 ]]
        [[ $(sqlite3 "${owners/ /.}.db" "SELECT user, job_id_raw, is_start_only FROM run WHERE uuid = '$uuid' ORDER BY user") == \
            "nobody|$JOB|0"$'\n'"root|4712|0" ]]
        [[ $(sqlite3 "${owners/ /.}.db" "SELECT count(DISTINCT user) FROM conflict WHERE kind = 'run'") == 2 ]]
    done
}

@test "a process cannot take the exit status of a task that it is not" {
    # the journal knows a task with pid 1 that was killed; this process says that it is that task
    printf 'task time=1700000000.000000000 step=4294967291 task=0 pid=1 ticks=1\nexit time=4000000000.000000000 step=4294967291 task=0 pid=1 status=9\n' \
        >>"$SPOOL/$JOB.0/journal"
    tracked JOBTRAIL_TASK=4294967291.0.1 setpriv --reuid nobody --regid nogroup --clear-groups "$PROGRAMS/exit_with" 0
    flush
    [[ $(records | jq -c 'map(select(.userT.exec_path | endswith("exit_with")) | .slurmT | [.exit_code, .signal])') == '[[null,null]]' ]]
}

@test "a fork bomb fills no more than the job's ledger, and what found no room is counted" {
    local size count
    rm -rf "$SPOOL"
    nobodys_job 1048576
    size=$(stat -c %s "$LEDGER")
    for ((i = 0; i < 400; i++)); do
        env "${TRACKED[@]}" LD_PRELOAD= setpriv --reuid nobody --regid nogroup --clear-groups \
            env LD_PRELOAD="$LIBRARY" "$PROGRAMS/exit_with" 0 3>&- &
        ((i % 100)) || wait
    done
    wait
    [[ $(stat -c %s "$LEDGER") == "$size" ]]
    count=$(flush --json)
    ((size / 1024 * 1024 == 1048576))
    (($(jq .records <<<"$count") < 400))
    (($(jq '.records + .dropped' <<<"$count") >= 400))
}

@test "a spool, and a job's directory, that others can write to is not believed" {
    a_run
    chmod 777 "$SPOOL"
    as_nobody mkdir "$SPOOL/99.0"
    as_nobody tee "$SPOOL/99.0/journal" <<<"step time=1700000000.000000000 job=99 step=0 uid=0 gid=0" >/dev/null
    run flush_all
    [[ $status == 3 && $output == *"Operation not permitted"* ]]
    [[ ! -e $RECORDS ]] || [[ $(records) == "[]" ]]
    chmod 711 "$SPOOL"
    run flush_all
    [[ $status == 1 && $output == *"job 99.0: not flushed, to be tried again: Operation not permitted"* ]]
    [[ $(records_of "$JOB") -ge 1 && -e $SPOOL/99.0/journal ]]
}

@test "programs that the ledger names are opened with the user's rights alone" {
    local secret=$BATS_TEST_TMPDIR/secret
    install -m 755 "$PROGRAMS/exit_with" "$secret"
    tracked setpriv --reuid nobody --regid nogroup --clear-groups "$secret" 0
    chmod 700 "$secret"
    flush
    [[ $(records | jq -r 'map(select(.userT.exec_path | endswith("secret")) | .hash_id) | .[0]') == 0 ]]
}

# shellcheck disable=SC2016 # a name
@test "what a node, user, cluster, account or queue is called names no file but its records" {
    local name count=0
    touch "$BATS_TEST_TMPDIR/before"
    rm -rf "$SPOOL"
    for name in plain .. . ../../up /etc/up a/../b "$(printf 'n%.0s' {1..255})" $'a\nb' ROOT -rf '*' '$(id)' a%40b; do
        "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
        tracked "$PROGRAMS/exit_with" 0
        python3 -c '
import sys
word = "".join("%%%02X" % byte for byte in sys.argv[2].encode())
line = open(sys.argv[1]).read().replace("node=e2e", "node=" + word)
names = "".join(" %s=%s" % (key, word) for key in ("user", "cluster", "account", "partition", "qos"))
open(sys.argv[1], "w").write(line + "credential time=1700000000.000000000" + names + "\n")' "$SPOOL/$JOB.0/journal" "$name"
        run "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node "$name"
        echo "$name: $status $output"
        [[ -z $(ls "$SPOOL") && $(find "$RECORDS" -type f -printf '%h\n' | sort -u) == "$RECORDS" ]]
        [[ $name != plain || $(ls "$RECORDS") == *.plain.* ]]
        count=$((count + 1))
        [[ $(find "$RECORDS" -type f -name "run.*.json" | wc -l) == "$count" ]]
    done
    [[ $(find /etc / "$BATS_TEST_TMPDIR/.." -maxdepth 1 -newer "$BATS_TEST_TMPDIR/before" -name '*up*') == "" ]]
}
