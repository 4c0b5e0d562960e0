#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Whose word a record is: signatures, places that others can write to, and who sent a syslog line.
# Needs root: a user is to forge records.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/collectors

setup() {
    # a user is to get at the daemons' sockets
    chmod 711 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$BATS_TEST_TMPDIR"
    store=$BATS_TEST_TMPDIR/store.db
    KEY=$BATS_TEST_TMPDIR/key
    "$JOBTRAIL_BIN/jobtrail-conf" make-key "$KEY"
}

teardown() {
    stop_collectors
    [[ ! -e $BATS_TEST_TMPDIR/journald ]] || stop "$(cat "$BATS_TEST_TMPDIR/journald")"
}

# signed_job SECTIONS: as job_with, with a key
signed_job() {
    job_with "$1"$'\n[signature]\nkey_file = '"$KEY"
}

as_user() {
    setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

load_from() {
    run --separate-stderr "$JOBTRAIL_BIN/jobtrail-load" --json --store "sqlite:$store" "$@"
}

count() {
    jq ".$1" <<<"$output"
}

users() {
    sqlite3 "$store" "SELECT group_concat(user) FROM (SELECT DISTINCT user FROM run ORDER BY user)"
}

# A whole record as one line: a run of root's that never was.
forged() {
    echo '{"userT":{"run_uuid":"00000000-0000-7000-8000-00000000f0e0","user":"victim"},"userDT":{"start_time":1760000000}}'
}

# The same as a block of syslog.
forged_block() {
    echo "V:4 kind:run syshost:lab key:run_fini_00000000-0000-7000-8000-00000000f0e0 crcStr:0x0000 nb:1 idx:0 value:$(forged)"
}

# verify KEY: of records on stdin, one a line, by another implementation than ours; prints how many are right
verify() {
    python3 -c '
import hashlib, hmac, re, sys
key = bytes.fromhex(open(sys.argv[1]).readline().strip())
name = hmac.new(key, b"jobtrail key id", hashlib.sha256).hexdigest()[:16]
good = 0
for line in sys.stdin:
    body, found = re.fullmatch(r"(.*),\"signature\":\"hmac-sha256:([^\"]*)\"}\n", line).groups()
    text = re.sub(r"^{\"crc\":\"0x[0-9A-F]{4}\"", "{\"crc\":\"0xFFFF\"", body) + "}"
    good += found == name + ":" + hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
print(good)' "$1"
}

@test "what leaves by any transport is signed, the same by all, and readers of XALT see a member more" {
    signed_job $'[transport]\nuse = file, syslog, http, kafka\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"$'\n[http]\nurl = http://127.0.0.1:1/\nbatch = 2\n[kafka]\nbrokers = 127.0.0.1:1'
    start_rsyslog
    start_http
    start_kafka
    sed -i "s|^url = .*|url = http://127.0.0.1:$HTTP_PORT/json|; s/^brokers = .*/brokers = $BROKERS/" "$CONF"
    more_records 3
    flush
    taken() { [[ $(wc -l <"$COLLECTED/taken") == 6 ]]; } # by HTTP and Kafka
    wait_for taken
    stop_rsyslog
    cat "$RECORDS"/run.*.json >"$COLLECTED/files"
    [[ $(wc -l <"$COLLECTED/files") == 3 && $(verify "$KEY" <"$COLLECTED/files") == 3 ]]
    # read_syslog checks the CRC as XALT's loader does
    diff <(sort "$COLLECTED/files") <(syslog_records 512 | sort)
    diff <(sort "$COLLECTED/files") <(grep -h '^run ' "$COLLECTED/taken" | cut -d' ' -f3- | sort)
    [[ $(jq -c 'keys_unsorted | [.[0], .[-1]]' "$COLLECTED/files" | sort -u) == '["crc","signature"]' ]]
    # and the loader believes each way
    for input in "$COLLECTED/syslog" "$COLLECTED/files"; do
        rm -f "$store"
        load_from --key "$KEY" --require-signature "$input"
        [[ $status == 0 && $(count new) == 3 && $(count unproven) == 0 ]]
    done
}

@test "without a key a record is as it was, and what others can write to proves nothing" {
    job_with $'[transport]\nuse = file, syslog\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"
    start_rsyslog
    more_records 2
    flush
    stop_rsyslog
    [[ $(jq 'has("signature")' "$RECORDS"/run.*.json | sort -u) == false ]]
    load_from "$COLLECTED/syslog"
    [[ $status == 0 && $(count new) == 2 && $(count unproven) == 2 ]]
    rm "$store"
    load_from "$RECORDS"
    [[ $status == 0 && $(count new) == 2 && $(count unproven) == 0 ]]
}

# bats test_tags=needs:root
@test "a directory or file that others can change proves nothing, unless its records are signed" {
    signed_job ''
    more_records 1
    flush
    local signed=("$RECORDS"/run.*.json)
    sed -i '/signature/,$d' "$CONF"
    more_records 1
    flush
    [[ $(find "$RECORDS" -name '*.json' | wc -l) == 2 ]]
    for change in "true 0" "chmod g+w $RECORDS 1" "chmod o+w $RECORDS 1" "chmod 1777 $RECORDS 1" \
        "chown 65534 $RECORDS 1" "setfacl -m u:65534:rwx $RECORDS 1"; do
        chown 0 "$RECORDS"
        setfacl -b "$RECORDS"
        chmod 755 "$RECORDS"
        rm -f "$store"
        ${change% *}
        load_from --key "$KEY" "$RECORDS"
        [[ $status == 0 && $(count new) == 2 && $(count unproven) == "${change##* }" ]]
    done
    # without the key of the nodes nothing there is proven
    rm "$store"
    load_from "$RECORDS"
    [[ $(count unproven) == 2 ]]
    setfacl -b "$RECORDS"
    # a user's file that somebody has moved to a closed directory
    chmod 755 "$RECORDS"
    chown 65534 "$RECORDS"/*
    rm "$store"
    load_from --key "$KEY" "$RECORDS"
    [[ $(count new) == 2 && $(count unproven) == 1 ]]
    # all of it is demanded to be signed
    rm "$store"
    load_from --key "$KEY" --require-signature --quarantine "$BATS_TEST_TMPDIR/bad" "$RECORDS"
    [[ $status == 1 && $(count new) == 1 && $(count damaged) == 1 && $(count quarantined) == 1 ]]
    [[ $(cat "$BATS_TEST_TMPDIR"/bad/*.reason) == *": is not signed" && -e ${signed[0]} ]]
}

@test "a record that was changed is damaged, whoever may write there and whatever its CRC says" {
    signed_job ''
    more_records 2
    flush
    python3 - "$RECORDS" "$(id -un)" <<'PY'
import binascii, glob, re, sys
for path in glob.glob(sys.argv[1] + "/run.*.json"):
    text = open(path).read().rstrip("\n")
    text = '{"crc":"0xFFFF"' + text[15:].replace('"user":"%s"' % sys.argv[2], '"user":"alice"')
    assert "alice" in text
    crc = binascii.crc_hqx(text.encode(), 0xFFFF)
    open(path, "w").write('{"crc":"0x%04X"' % crc + text[15:] + "\n")
PY
    load_from --key "$KEY" "$RECORDS"
    [[ $status == 1 && $(count new) == 0 && $(count damaged) == 2 ]]
    [[ $stderr == *"has a signature that is not of this text"* ]]
    # cut off, it is a record of nobody's
    sed -i 's/,"signature":.*/}/; s/^{"crc":"0x....",/{/' "$RECORDS"/run.*.json
    cat "$RECORDS"/run.*.json >"$BATS_TEST_TMPDIR/lines"
    load_from --key "$KEY" "$BATS_TEST_TMPDIR/lines"
    [[ $status == 0 && $(count unproven) == 2 ]]
    load_from --key "$KEY" --require-signature "$BATS_TEST_TMPDIR/lines"
    [[ $status == 1 && $(count damaged) == 2 ]]
}

# bats test_tags=needs:root
@test "what a user hands in gets the signature of root, and keeps none of his own" {
    local sessions=$BATS_TEST_TMPDIR/sessions uuid=019a9f00-1122-7abc-8def-01020304050
    signed_job $'[outbox]'
    sed -i "/^\[spool\]/a sessions = $sessions" "$CONF"
    "$JOBTRAIL_BIN/jobtrail-submit" flush --sessions --conf "$CONF" --node e2e
    mkdir -p "$sessions/5/records"
    echo "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"${uuid}1\"}}" >"$sessions/5/records/link.lab.a.games.${uuid}1.json"
    echo "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"${uuid}2\"},\"signature\":\"hmac-sha256:0123456789abcdef:$(printf '0%.0s' {1..64})\"}" \
        >"$sessions/5/records/link.lab.a.games.${uuid}2.json"
    chown -R games:games "$sessions/5"
    chmod -R go= "$sessions/5"
    "$JOBTRAIL_BIN/jobtrail-submit" flush --sessions --conf "$CONF" --node e2e
    [[ -e $RECORDS/link.lab.a.games.${uuid}1.json ]]
    cat "$RECORDS"/link.*.json >"$COLLECTED/links"
    [[ $(verify "$KEY" <"$COLLECTED/links") == $(wc -l <"$COLLECTED/links") ]]
    run ! grep -c 'signature.*signature' "$COLLECTED/links"
}

@test "a key is replaced while records are on their way: the loader has both" {
    signed_job ''
    more_records 1
    flush
    mv "$KEY" "$KEY.old"
    "$JOBTRAIL_BIN/jobtrail-conf" make-key "$KEY"
    more_records 1
    flush
    cat "$RECORDS"/run.*.json >"$BATS_TEST_TMPDIR/lines"
    [[ $(wc -l <"$BATS_TEST_TMPDIR/lines") == 2 ]]
    load_from --key "$KEY" --key "$KEY.old" --require-signature --dry-run "$BATS_TEST_TMPDIR/lines"
    [[ $status == 0 && $(count unproven) == 0 ]]
    load_from --key "$KEY" "$BATS_TEST_TMPDIR/lines"
    [[ $status == 0 && $(count new) == 2 && $(count unproven) == 1 ]]
    load_from --key "$KEY" --require-signature "$BATS_TEST_TMPDIR/lines"
    [[ $status == 1 && $(count damaged) == 1 && $stderr == *"signed with a key that is none of ours"* ]]
}

# bats test_tags=needs:root
@test "without a key that is a secret nothing leaves and nothing is lost, and all say why" {
    signed_job $'[transport]\nuse = file'
    for fault in "chmod 640 $KEY" "chown 65534 $KEY" "truncate -s 20 $KEY" "rm $KEY"; do
        "$JOBTRAIL_BIN/jobtrail-conf" make-key "$KEY" || true
        $fault
        more_records 1
        run -0 flush
        [[ $output == *"transport file: key file $KEY: "* ]]
        [[ ! -e $RECORDS && ! -e $SPOOL/$JOB.0 ]]
        rm -f "$BATS_TEST_TMPDIR/state/outbox/file/.backoff"
        run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
        [[ $output == *"bad     secret $KEY: [signature] key_file: "* ]]
        run "$JOBTRAIL_BIN/jobtrail-conf" check --conf "$CONF"
        if [[ $fault == rm* ]]; then # the configuration may be checked elsewhere
            [[ $status == 0 ]]
        else
            [[ $status == 1 && $output == "$CONF:"*"$KEY: "* ]]
        fi
        rm -f "$KEY"
    done
    [[ $(waiting file) == 4 ]]
    "$JOBTRAIL_BIN/jobtrail-conf" make-key "$KEY"
    outbox retry
    [[ $(waiting file) == 0 && $(cat "$RECORDS"/run.*.json | verify "$KEY") == 4 ]]
    run "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
    [[ $output == *"ok      secret $KEY: "* ]]
}

@test "make-key makes keys of root's alone, replaces none, and openssl's will do" {
    [[ $(stat -c '%a %s' "$KEY") == "600 65" && $(cat "$KEY") =~ ^[0-9a-f]{64}$ ]]
    run -1 "$JOBTRAIL_BIN/jobtrail-conf" make-key "$KEY"
    [[ $output == *"$KEY: File exists" ]]
    run -2 "$JOBTRAIL_BIN/jobtrail-conf" make-key
    (umask 077 && openssl rand -hex 32 >"$KEY.openssl")
    [[ $(cat "$KEY.openssl") != "$(cat "$KEY")" ]]
    load_from --key "$KEY.openssl" --key "$KEY" /dev/null
    [[ $status == 0 ]]
    chmod 644 "$KEY"
    load_from --key "$KEY" /dev/null
    [[ $status == 2 && $stderr == *"key $KEY: others than its owner may read it"* ]]
    load_from --require-signature /dev/null
    [[ $status == 2 && $stderr == *"needs the --key"* ]]
}

# bats test_tags=needs:root
@test "syslog: a line of another program's is no record, whatever it says" {
    job_with $'[transport]\nuse = syslog\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"
    start_rsyslog
    more_records 1
    flush
    as_user logger -u "$COLLECTED/log" "XALT_LOGGING_lab: $(forged_block)"
    as_user logger -u "$COLLECTED/log" -t su -- " XALT_LOGGING_lab: $(forged_block)"
    as_user logger -u "$COLLECTED/log" -t 'x XALT_LOGGING_lab' "$(forged_block)"
    as_user logger -u "$COLLECTED/log" -t su "x XALT_LOGGING_lab run:$(forged)"
    as_user logger -u "$COLLECTED/log" -t su $'two lines\n'"XALT_LOGGING_lab: $(forged_block)"
    as_user logger -u "$COLLECTED/log" -t su $'two lines\n'"$(forged)"
    stop_rsyslog
    [[ $(grep -c 'user":"victim' "$COLLECTED/syslog") -ge 6 ]]
    load_from "$COLLECTED/syslog"
    [[ $status == 0 && $(count new) == 1 && $(users) == root ]]
}

# rsyslog keeps apart what root has sent: the recipe of the administrator's guide
start_rsyslog_trusted() {
    cat >"$COLLECTED/rsyslog.conf" <<CONF
global(workDirectory="$COLLECTED" maxMessageSize="80k")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="$COLLECTED/log" RateLimit.Interval="0" Annotate="on" ParseTrusted="on")
if \$programname startswith "XALT_LOGGING_" then {
    if \$!uid == 0 then action(type="omfile" file="$COLLECTED/syslog")
    stop
}
action(type="omfile" file="$COLLECTED/others")
CONF
    rsyslogd -n -i NONE -f "$COLLECTED/rsyslog.conf" 3>&- &
    RSYSLOG_PID=$!
    wait_for test -S "$COLLECTED/log"
}

# bats test_tags=needs:root
@test "syslog: with rsyslog's trusted properties only what root has sent is a record" {
    job_with $'[transport]\nuse = file, syslog\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"
    start_rsyslog_trusted
    more_records 3
    as_user logger -u "$COLLECTED/log" -t XALT_LOGGING_lab "$(forged_block)"
    flush
    as_user logger -u "$COLLECTED/log" -t XALT_LOGGING_lab "$(forged_block) @[_UID=0]"
    as_user logger -u "$COLLECTED/log" -t XALT_LOGGING_lab '@cee:{"uid":0}'"$(forged_block)"
    as_user logger -u "$COLLECTED/log" -t su "the last"
    wait_for grep -qs "the last" "$COLLECTED/others"
    stop "$RSYSLOG_PID" TERM
    run ! grep -q victim "$COLLECTED/syslog"
    diff <(cat "$RECORDS"/*.json | sort) <(syslog_records 512 | sort)
    load_from "$COLLECTED/syslog"
    [[ $status == 0 && $(count new) == 3 && $(users) == root ]]
}

# bats test_tags=needs:root
@test "syslog: a user can set the program's name, and then a signature tells" {
    signed_job $'[transport]\nuse = syslog\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"
    start_rsyslog
    more_records 2
    flush
    as_user logger -u "$COLLECTED/log" -t XALT_LOGGING_lab "run:$(forged)"
    stop_rsyslog
    load_from --key "$KEY" "$COLLECTED/syslog"
    [[ $status == 0 && $(count new) == 3 && $(count unproven) == 1 && $(users) == root,victim ]]
    rm "$store"
    load_from --key "$KEY" --require-signature --quarantine "$BATS_TEST_TMPDIR/bad" "$COLLECTED/syslog"
    [[ $status == 1 && $(count new) == 2 && $(count damaged) == 1 && $(users) == root ]]
    grep -q victim "$BATS_TEST_TMPDIR"/bad/record.*[0-9]
}

# syslog-ng, taken as files: its package conflicts with rsyslog's. The recipe of the administrator's guide.
start_syslog_ng() {
    local tree=$JOBTRAIL_BUILD/test/debian-source path
    "$JOBTRAIL_SOURCE/test/debian-source" "$tree" --binary syslog-ng-core
    tree+=/syslog-ng-core
    cat >"$COLLECTED/syslog-ng.conf" <<CONF
@version: 3.38
options { stats_freq(0); };
source local { unix-dgram("$COLLECTED/log" flags(no-multi-line) so-rcvbuf(1048576) log-msg-size(131072)); };
filter from_root { program("^XALT_LOGGING_") and "\${.unix.uid}" eq "0"; };
log { source(local); filter(from_root); destination { file("$COLLECTED/syslog"); }; };
log { source(local); destination { file("$COLLECTED/others"); }; };
CONF
    path=$(find "$tree" -name libafsocket.so -printf '%h\n')
    LD_LIBRARY_PATH=$tree/usr/lib/syslog-ng:$tree/usr/lib/x86_64-linux-gnu \
        "$tree/usr/sbin/syslog-ng" --foreground --no-caps --cfgfile "$COLLECTED/syslog-ng.conf" \
        --persist-file "$COLLECTED/persist" --pidfile "$COLLECTED/pid" --control "$COLLECTED/control" \
        --module-path "$path:$(dirname "$path")" 3>&- &
    RSYSLOG_PID=$!
    wait_for test -S "$COLLECTED/log"
}

# bats test_tags=needs:root
@test "syslog: with syslog-ng's credentials of the sender only what root has sent is a record" {
    job_with $'[transport]\nuse = file, syslog\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"
    start_syslog_ng
    more_records 3
    as_user logger -u "$COLLECTED/log" -t XALT_LOGGING_lab "$(forged_block)"
    flush
    as_user logger -u "$COLLECTED/log" -t su $'two lines\n'"XALT_LOGGING_lab: $(forged_block)"
    as_user logger -u "$COLLECTED/log" -t su "the last"
    wait_for grep -qs "the last" "$COLLECTED/others"
    stop "$RSYSLOG_PID" TERM
    run ! grep -q victim "$COLLECTED/syslog"
    diff <(cat "$RECORDS"/*.json | sort) <(syslog_records 512 | sort)
    load_from "$COLLECTED/syslog"
    [[ $status == 0 && $(count new) == 3 && $(users) == root ]]
    rm "$store"
    load_from "$COLLECTED/others" # the name again, but none within a message
    [[ $(count new) == 4 && $(users) == root,victim ]]
}

# A journald of our own, in a mount namespace, from what root and a user log to what journalctl prints.
journal_of() { # MATCH... of journalctl
    # shellcheck disable=SC2016
    BLOCK=$(forged_block) RECORD=$(forged) unshare --mount bash -eu -c '
        mount -t tmpfs tmpfs /run
        mount -t tmpfs tmpfs /var/log
        mkdir -p /run/systemd/journald.conf.d /run/systemd/journal
        printf "[Journal]\nStorage=volatile\nReadKMsg=no\nAudit=no\nRateLimitIntervalSec=0\nForwardToSyslog=no\n" \
            >/run/systemd/journald.conf.d/test.conf
        /lib/systemd/systemd-journald 3>&- &
        echo $! >"$1/journald"
        . "$JOBTRAIL_SOURCE/test/wait.bash"
        wait_for test -S /run/systemd/journal/socket
        sock=/run/systemd/journal/dev-log
        as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
        sed -i "s|^socket = .*|socket = $sock|" "$2"
        "$3/jobtrail-submit" send --conf "$2" >&2
        as_user logger -u $sock -t XALT_LOGGING_lab "$BLOCK"
        as_user logger -u $sock -t su "XALT_LOGGING_lab: $BLOCK"
        as_user /usr/bin/python3 -c "
import os, socket, struct
def send(name, text):
    data = b\"SYSLOG_IDENTIFIER=\" + name + b\"\nMESSAGE\n\" + struct.pack(\"<Q\", len(text)) + text + b\"\n_UID=0\n\"
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.sendto(data, \"/run/systemd/journal/socket\")
block = os.environb[b\"BLOCK\"]
send(b\"su\", b\"two\nXALT_LOGGING_lab: \" + block)
send(b\"su\", b\"two\n\" + os.environb[b\"RECORD\"])
send(b\"XALT_LOGGING_lab\", block)
"
        journalctl --sync
        journalctl -D /run/log/journal --no-pager "${@:4}"
        kill "$(cat "$1/journald")"
        wait' _ "$BATS_TEST_TMPDIR" "$CONF" "$JOBTRAIL_BIN" "$@"
}

# bats test_tags=needs:root
@test "syslog: of journald's what root has sent is asked for by _UID, in each of its forms" {
    for form in short short-precise short-iso short-full short-unix short-monotonic; do
        job_with $'[transport]\nuse = syslog\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/none"
        more_records 2
        flush
        [[ $(waiting syslog) == 2 ]]
        rm -f "$BATS_TEST_TMPDIR/state/outbox/syslog/.backoff"
        journal_of -o "$form" >"$COLLECTED/all"
        [[ $(waiting syslog) == 0 ]]
        grep -q '"user":"victim"' "$COLLECTED/all"
        rm -f "$store"
        load_from "$COLLECTED/all" # the user has said our name, twice the same
        [[ $(count new) == 3 && $(count unproven) == 3 && $(users) == root,victim ]]
        more_records 2
        flush
        rm -f "$BATS_TEST_TMPDIR/state/outbox/syslog/.backoff"
        journal_of -o "$form" _UID=0 >"$COLLECTED/root"
        rm -f "$store"
        load_from "$COLLECTED/root"
        [[ $status == 0 && $(count new) == 2 && $(users) == root ]]
    done
}
