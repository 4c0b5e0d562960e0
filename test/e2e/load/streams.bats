#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-load from syslog files and standard input.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/job

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    store=$BATS_TEST_TMPDIR/store.db
    umask 077 # sqlite3, which may look for the store before it is there, makes it
    "$JOBTRAIL_SOURCE/test/bench/make_records" --syslog 900 --seed 7 --until 1760000000 40 >lines
}

teardown() {
    [ -z "${follower:-}" ] || kill "$follower" 2>/dev/null || true
}

load_from() {
    run --separate-stderr jobtrail-load --json --store "sqlite:$store" "$@"
}

count() {
    grep -o "\"$1\":[0-9]*" <<<"$output" | cut -d: -f2
}

runs() {
    sqlite3 "$store" 'SELECT count(*) FROM run' 2>/dev/null
}

has_runs() {
    [ "$(runs)" = "$1" ]
}

@test "syslog lines are put together and loaded, from standard input too" {
    load_from lines
    [ "$status" -eq 0 ]
    [ "$(count new)" -eq 40 ]
    load_from - <lines
    [ "$status" -eq 0 ]
    [ "$(count unchanged)" -eq 40 ]
}

@test "records may come as JSON, one a line, among lines of other programs" {
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 8 5 >json
    { cat json && echo "Nov 20 10:00:00 n1 sshd[1]: hello" && cat lines; } >mixed
    load_from mixed
    [ "$status" -eq 0 ]
    [ "$(count new)" -eq 45 ]
}

# record of a run, on one line
one_run() {
    echo '{"userT":{"run_uuid":"019a9f00-1122-7abc-8def-010203040500","user":"root","job_id":"7"}}'
}

@test "a line's record is of the kind that the line says, or is set aside, and again when it is given again" {
    local uuid=019a9f00-1122-7abc-8def-010203040500
    {
        echo "Nov 20 10:00:00 n1 XALT_LOGGING_tiny: V:4 kind:pkg syshost:tiny key:pkg_${uuid}_0123456789ab crcStr:0xFFFF nb:1 idx:0 value:$(one_run)"
        echo "Nov 20 10:00:00 n1 XALT_LOGGING_tiny: V:4 kind:other syshost:tiny key:link_$uuid crcStr:0xFFFF nb:1 idx:0 value:$(one_run)"
        echo "Nov 20 10:00:00 n1 XALT_LOGGING_tiny: V:4 kind:run syshost:tiny key:link_$uuid crcStr:0xFFFF nb:1 idx:0 value:$(one_run)"
        echo "Nov 20 10:00:00 n1 XALT_LOGGING_tiny: link:$(one_run)"
        echo "kind=coverage,site=x $(one_run)"
    } >forged
    load_from --quarantine bad forged
    [ "$status" -eq 1 ]
    [ "$(count new)" -eq 0 ]
    [ "$(count damaged)" -eq 5 ]
    [ "$(cat bad/*.reason | grep -c 'is named [a-z]* and is run')" -eq 4 ]
    [ "$(cat bad/*.reason | grep -c 'is a syslog line of one kind with the key of another')" -eq 1 ]
    load_from bad/record.*[0-9]
    [ "$(count new)" -eq 0 ]
    [ "$(count damaged)" -eq 5 ]
    { echo "kind=run $(one_run)" && echo "Nov 20 10:00:00 n1 sshd: kind=run $(one_run)"; } >sound
    load_from sound
    [ "$status" -eq 0 ]
    [ "$(count new)" -eq 1 ]
}

@test "blocks may be mixed, doubled and in any order" {
    { shuf --random-source=<(yes) lines && head -n 100 lines; } >mixed
    load_from mixed
    [ "$status" -eq 0 ]
    [ "$(count new)" -eq 40 ]
}

@test "a record whose blocks are in two rotated files is whole" {
    head -n 103 lines >syslog.1
    tail -n +104 lines >syslog
    load_from syslog.1 syslog
    [ "$status" -eq 0 ]
    [ "$(count new)" -eq 40 ]
}

@test "a compressed file is loaded by a pipe" {
    split -n l/3 lines part.
    gzip part.aa
    load_from part.aa.gz
    [ "$status" -eq 1 ]
    [[ "$stderr" == "jobtrail-load: part.aa.gz: is compressed; give it by a pipe: zcat FILE | jobtrail-load -" ]]
    load_from - part.ab part.ac < <(zcat part.aa.gz)
    [ "$status" -eq 0 ]
    [ "$(count new)" -eq 40 ]
}

@test "blanks that a syslog daemon took off the end of a block are put back" {
    # values that end in blanks at the end of a block
    python3 - lines <<'PY'
import binascii, json, re, sys
text = json.dumps({"crc": "0xFFFF", "userT": {"run_uuid": "8c8d61fb-98c1-44c0-874c-d613312269f4",
    "cwd": "/" + " " * 300}}, separators=(",", ":"))
text = '{"crc":"0x%04X"' % binascii.crc_hqx(text.encode(), 0xFFFF) + text[15:]
size = 64
blocks = [text[at:at + size] for at in range(0, len(text), size)]
with open("blanks", "w") as file:
    for i, block in enumerate(blocks):
        file.write("Nov 20 10:00:00 n1 XALT_LOGGING_tiny V:4 kind:run syshost:tiny key:run_fini_8c8d crcStr:%s nb:%02d"
                   " idx:%02d value:%s\n" % (text[8:14], len(blocks), i, block.rstrip(" ")))
PY
    load_from blanks
    [ "$status" -eq 0 ]
    [ "$(sqlite3 "$store" 'SELECT length(cwd) FROM run')" -eq 301 ]
}

@test "who writes hundreds of broken records into a stream gets a hundred lines, and all are counted" {
    local number
    load_from lines
    [ "$(count new)" -eq 40 ]
    for number in {100..499}; do
        echo "Nov 20 10:00:00 n1 XALT_LOGGING_tiny: V:4 kind:run syshost:tiny key:link_$number crcStr:0xFFFF nb:1 idx:0 value:$(one_run)"
    done >broken
    load_from broken
    [ "$(count damaged)" -eq 400 ]
    # shellcheck disable=SC2154 # bats
    [ "$(wc -l <<<"$stderr")" -eq 101 ]
    [[ "$stderr" == *"what else is set aside in this hour is counted, not reported" ]]
}

@test "lost blocks, cut lines and bits that flipped are set aside with their reason" {
    sed -e '3d' -e '20s/value:.*//' -e '40s|[a-z]\([^a-z]*\)$|~\1|' -e '60s/nb:/mb:/' -e '80s/V:4/V:9/' lines >damaged
    load_from --quarantine bad damaged
    [ "$status" -eq 1 ]
    [ "$(count new)" -ge 35 ]
    [ "$(count new)" -le 37 ]
    [[ "$stderr" == *"damaged:19: is a syslog line that was cut short"* ]]
    [[ "$stderr" == *"crc is 0x"* ]]
    [[ "$stderr" == *"is a syslog line with a damaged head"* ]]
    [[ "$stderr" == *"of another version than 1, 3 and 4"* ]]
    [[ "$stderr" == *"syslog record: has "*" of "*" blocks"* ]]
    [ "$(count quarantined)" -eq "$(count damaged)" ]
    [ "$(find bad -name '*.reason' | wc -l)" -eq "$(count damaged)" ]
    load_from bad/record.*[0-9] lines
    [ "$(runs)" -eq 40 ]
}

@test "NUL bytes that a crash left in a log cost no more than the line they are in" {
    # a hole before a line, and one within a line
    python3 - <<'PY'
lines = open("lines", "rb").read().split(b"\n")
lines[9] = b"\0" * 5000 + lines[9]
lines[59] = lines[59][:-20] + b"\0" * 20
open("holes", "wb").write(b"\n".join(lines))
PY
    load_from --delete holes
    [ "$status" -eq 1 ]
    [ "$(runs)" -eq 39 ]
    [[ "$stderr" == *"holes:60: holds a NUL byte"* ]]
    [ "$(count damaged)" -eq 2 ] # the line, and its record that lacks it
    [ -e holes ]
}

@test "a line may come after a large hole" {
    python3 - <<'PY'
lines = open("lines", "rb").read().split(b"\n")
with open("holes", "wb") as file:
    file.write(b"\n".join(lines[:50]) + b"\n")
    file.seek(40 << 20)
    file.write(b"\n".join(lines[50:]))
PY
    load_from --delete holes
    [ "$status" -eq 0 ]
    [ "$(runs)" -eq 40 ]
    [ ! -e holes ]
}

@test "a file with a line that is too long for the quarantine stays" {
    python3 -c 'print("{\"x\":\"" + "y" * 17_000_000 + "\"}")' >long
    cat lines >>long
    load_from --delete --quarantine bad long
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"long:1: is a line that is too long"* ]]
    [ "$(runs)" -eq 40 ]
    [ -e long ]
}

@test "a file of another program or form is neither loaded nor deleted" {
    echo "Nov 20 10:00:00 n1 sshd[1]: hello" >other
    printf '\x28\xb5\x2f\xfd\x24\x00' >log.zst
    python3 -c 'import bz2; open("log.bz2", "wb").write(bz2.compress(open("lines", "rb").read()))'
    gzip -k lines
    xz -k lines
    load_from --delete other
    [ "$status" -eq 6 ]
    [[ $stderr == *"other: holds no records: none of its lines is one" ]]
    [ "$(count deleted)" -eq 0 ]
    for file in log.zst log.bz2 lines.gz lines.xz; do
        load_from --delete --quarantine bad $file
        [ "$status" -eq 1 ]
        [[ "$stderr" == *"$file: is compressed; "* ]]
        [ -e $file ]
    done
}

@test "bytes of any kind do no harm" {
    head -c 300000 /dev/urandom >noise
    { cat noise && printf '\nXALT_LOGGING_\n{\n{"userT":{}}\nXALT_LOGGING_x V:4 value:\n' && cat lines; } >mixed
    load_from mixed
    [ "$status" -eq 1 ]
    [ "$(count new)" -eq 40 ]
}

@test "a file is removed only when all of it is in the store or the quarantine" {
    cp lines whole
    head -n -1 lines >part
    load_from --delete whole
    [ "$status" -eq 0 ]
    load_from --delete part
    [ "$status" -eq 1 ]
    [ ! -e whole ]
    [ -e part ]
    load_from --delete part
    [ -e part ]
    load_from --delete --quarantine bad part
    [ ! -e part ]
}

# The first file ends within a line of a record that has begun in it, and the second has the rest.
cut_in_two() {
    head -n 103 lines | head -c -20 >syslog.1
    tail -c +"$(($(wc -c <syslog.1) + 1))" lines >rest
    tail -n +103 lines >syslog # a daemon sends a line again that it could not write
    [ "$(head -n 103 lines | tail -n 1 | cut -c 1-20)" = "$(tail -n 1 syslog.1 | cut -c 1-20)" ]
}

@test "a file that ends within a record stays until the rest has come" {
    cut_in_two
    load_from --delete syslog.1
    [ "$status" -eq 1 ]
    [ "$(count incomplete)" -eq 1 ]
    [ "$(count deleted)" -eq 0 ]
    cmp syslog.1 <(head -c "$(wc -c <syslog.1)" lines)
    load_from --delete syslog # without the beginning
    [ "$(count deleted)" -eq 0 ]
    load_from --delete syslog.1 syslog
    [ "$status" -eq 0 ]
    [ "$(runs)" -eq 40 ]
    [ "$(count deleted)" -eq 2 ]
    [ ! -e syslog.1 ]
    [ ! -e syslog ]
}

@test "a file that ends within a record goes when the record's blocks are in the quarantine" {
    cut_in_two
    load_from --delete --quarantine bad syslog.1
    [ "$status" -eq 1 ]
    [ "$(count incomplete)" -eq 1 ]
    [ "$(count deleted)" -eq 1 ]
    [ "$(cat bad/*.reason)" = "syslog record: has $(grep -c value: bad/record.*[0-9]) of $(grep -o ' nb:[0-9]*' bad/record.*[0-9] | head -n 1 | cut -d: -f2 | sed 's/^0//') blocks" ]
    load_from --delete --quarantine bad syslog
    [ "$(count deleted)" -eq 1 ]
    [ "$(runs)" -eq 39 ]
    [ "$(find bad -name 'record.*[0-9]' | wc -l)" -eq 2 ]
    load_from --delete bad/record.*[0-9]
    [ "$status" -eq 0 ]
    [ "$(runs)" -eq 40 ]
    [ "$(count deleted)" -eq 2 ]
}

# bats test_tags=needs:root
@test "without room in the quarantine nothing is deleted" {
    cut_in_two
    mkdir bad
    mount -t tmpfs -o size=4k,nr_inodes=2 tmpfs bad
    load_from --delete --quarantine bad syslog.1
    umount bad
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"could not be moved to the quarantine"* ]]
    [ "$(count deleted)" -eq 0 ]
    [ -e syslog.1 ]
}

# bats test_tags=needs:root
@test "what loaders of the same pid set aside is all there" {
    for n in {1..20}; do
        echo "XALT_LOGGING_x V:4 number $n" >"damaged.$n"
        unshare --pid --fork jobtrail-load --store "sqlite:$store.$n" --quarantine bad "damaged.$n" >"said.$n" 2>&1 3>&- &
    done
    wait
    [ "$(grep -ho 'number [0-9]*' bad/record.*[0-9] | sort -u | wc -l)" -eq 20 ]
}

@test "a file that has grown or gone since it was read is not deleted" {
    "$JOBTRAIL_SOURCE/test/bench/make_records" --syslog 900 --seed 8 --until 1760000000 10 >whole
    for change in true 'cat lines >>log' 'mv log log.1; cp lines log'; do
        rm -f "$store"* log*
        cp whole log
        mkfifo gate
        # the loader has read log and waits at the gate
        jobtrail-load --json --delete --store "sqlite:$store" log gate >summary 3>&- 4>&- &
        follower=$!
        exec 4>gate
        wait_for has_runs 10
        eval "$change"
        exec 4>&-
        wait "$follower"
        rm gate
        output=$(cat summary)
        if [ "$change" = true ]; then
            [ "$(count deleted)" -eq 1 ]
            continue
        fi
        [ "$(count deleted)" -eq 0 ]
        load_from --delete log
        [ "$(runs)" -eq 50 ]
        [ ! -e log ]
    done
}

whole_records() { # records whose last block is there; the blocks of each come in order
    sed -n 's/.* nb:0*\([0-9]*\) idx:0*\([0-9]*\) .*/\1 \2/p' | awk '$1 == $2 + 1' | wc -l
}

@test "a log is followed while it grows and when it is rotated" {
    head -n 52 lines >log # in the middle of a record
    [ "$(whole_records <log)" -lt "$(grep -o 'key:[^ ]*' log | uniq | wc -l)" ]
    jobtrail-load --json --follow --store "sqlite:$store" log >summary 2>said 3>&- &
    follower=$!
    wait_for has_runs "$(whole_records <log)"
    sed -n '53,150p' lines >>log
    wait_for has_runs "$(whole_records <log)"
    mv log log.1
    tail -n +151 lines >log
    wait_for has_runs 40
    kill "$follower"
    wait "$follower"
    [ "$(cat said)" = "" ]
    output=$(cat summary)
    [ "$(count new)" -eq 40 ]
}

record_line() { # NUMBER
    echo "{\"userT\":{\"run_uuid\":\"00000000-0000-7000-8000-$(printf '%012d' "$1")\"}}"
}

@test "what a daemon still writes to a rotated log is loaded, and a log may be cut to nothing" {
    for n in {1..5}; do record_line "$n"; done >log
    touch other
    jobtrail-load --follow --store "sqlite:$store" log other >summary 2>said 3>&- &
    follower=$!
    wait_for has_runs 5
    mv log log.1
    record_line 6 >log
    record_line 7 >>other
    has_7() { [ "$(sqlite3 "$store" "SELECT count(*) FROM run WHERE uuid LIKE '%7'")" = 1 ]; }
    wait_for has_7 # so log has been looked at, too
    record_line 8 >>log.1
    wait_for has_runs 8
    : >log
    record_line 9 >>other
    wait_for has_runs 9
    record_line 10 >>other
    wait_for has_runs 10 # the next look at all: so log has been seen empty
    record_line 11 >>log
    wait_for has_runs 11
    kill "$follower"
    wait "$follower"
    [ "$(cat said)" = "" ]
}

@test "following standard input ends with it" {
    run timeout $((20 * SLOW)) jobtrail-load --follow --json --store "sqlite:$store" - < <(cat lines)
    [ "$status" -eq 0 ]
    [ "$(count new)" -eq 40 ]
    run timeout $((20 * SLOW)) jobtrail-load --follow --json --store "sqlite:$store" - < <(head -n -1 lines)
    [ "$status" -eq 1 ]
    [ "$(count incomplete)" -eq 1 ]
}

@test "what stays in a directory that is followed is looked at once" {
    mkdir records
    cp "$JOBTRAIL_SOURCE"/test/data/records/*-000000000001.json records/run.bad.json
    sed -i 's/alice/mallo/' records/run.bad.json
    jobtrail-load --json --follow --delete --store "sqlite:$store" records missing >summary 2>said 3>&- &
    follower=$!
    for n in 4 5 6; do # three more looks
        cp "$JOBTRAIL_SOURCE"/test/data/records/*.zzz.*-00000000000$n.json records
        wait_for has_runs $((n - 3))
    done
    rm records/run.bad.json
    cp "$JOBTRAIL_SOURCE"/test/data/records/*-000000000001.json records/run.bad.json
    wait_for has_runs 4
    kill "$follower"
    wait "$follower" || true
    cat said
    [ "$(grep -c 'run.bad.json: crc is 0x' said)" -eq 1 ]
    [ "$(grep -c 'missing: No such file' said)" -eq 1 ]
    [ "$(wc -l <said)" -eq 2 ]
    output=$(cat summary)
    [ "$(count damaged)" -eq 1 ]
}

@test "a directory is followed, and needs to be emptied" {
    mkdir records
    load_from --follow records
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"needs --delete"* ]]
    jobtrail-load --follow --delete --store "sqlite:$store" records >summary 3>&- &
    follower=$!
    cp "$JOBTRAIL_SOURCE"/test/data/records/* records
    wait_for has_runs 10
    kill "$follower"
    wait "$follower"
    [ "$(find records -type f)" = "" ]
}
