#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each transport against the real thing: files, rsyslog, nginx with TLS, Kafka's protocol.
# shellcheck disable=SC2030,SC2031 # bats sets them

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/collectors

teardown() {
    stop_collectors
}

# ---- file

@test "file: numbered subdirectories and kinds apart, as XALT lays them out" {
    job_with ''
    sed -i '/^\[file\]/a subdirectories = 103\nseparate = yes' "$CONF"
    more_records 4
    flush
    [[ $(find "$RECORDS" -type f | wc -l) == 4 ]]
    while read -r path; do
        uuid=$(jq -r .userT.run_uuid "$path")
        [[ $path == $(printf '%s/run/%03d/run.lab.*.%s.json' "$RECORDS" $((16#${uuid:29} % 103)) "$uuid") ]]
    done < <(find "$RECORDS" -type f)
}

@test "file: records are on the disk together, before they have their names" {
    job_with ''
    rm -rf "$RECORDS"
    more_records 3
    strace -f -o "$BATS_TEST_TMPDIR/calls" -e trace=fsync,syncfs -yy "$JOBTRAIL_BIN/jobtrail-submit" \
        flush --job "$JOB" --conf "$CONF" --node e2e
    [[ $(find "$RECORDS" -type f | wc -l) == 3 ]]
    [[ $(grep -c "syncfs(.*$RECORDS" "$BATS_TEST_TMPDIR/calls") == 1 ]]
    # the outbox is on the disk before the spool goes
    grep -q "fsync(.*/state/outbox/.new" "$BATS_TEST_TMPDIR/calls"
}

# ---- syslog

@test "syslog: through rsyslog into a file and together again, with blocks of any size" {
    for size in 64 512 1000 8000 65000; do
        job_with $'[transport]\nuse = file, syslog\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"$'\nblock_size = '$size
        rm -rf "$RECORDS" "$COLLECTED/syslog"
        start_rsyslog
        more_records 3
        flush
        [[ $(waiting syslog) == 0 ]]
        stop_rsyslog
        diff <(cat "$RECORDS"/*.json | sort) <(syslog_records $size | sort)
    done
}

@test "syslog: blocks between each other, cut, twice and damaged cost no other record" {
    job_with $'[transport]\nuse = file, syslog\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"
    start_rsyslog
    more_records 5
    flush
    stop_rsyslog
    mapfile -t keys < <(grep -o 'key:[^ ]*' "$COLLECTED/syslog" | sort -u)
    {
        grep -vE "${keys[0]}|${keys[1]}|${keys[2]}" "$COLLECTED/syslog"
        grep "${keys[0]}" "$COLLECTED/syslog" | sed '2d'                 # a block is lost
        grep "${keys[1]}" "$COLLECTED/syslog" | sed '2s/xx*/y/'          # one is damaged
        grep "${keys[2]}" "$COLLECTED/syslog" | cut -c 1-600             # these are whole
        grep "${keys[2]}" "$COLLECTED/syslog" | head -n 1 | cut -c 1-150 # and one is cut
    } | sed 's/ *$//' | sort -t: -k 9 | awk '{ print } NR % 7 == 0' >"$COLLECTED/bad"
    mv "$COLLECTED/bad" "$COLLECTED/syslog"
    run --separate-stderr syslog_records 512
    [[ ${#lines[@]} -ge 2 ]]
    for line in "${lines[@]}"; do
        grep -qxF -- "$line" "$RECORDS"/*.json
    done
}

@test "syslog: a daemon that is not there keeps the records in the outbox" {
    job_with $'[transport]\nuse = syslog\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"
    more_records 2
    flush
    [[ $(waiting syslog) == 2 ]]
    start_rsyslog
    outbox retry
    [[ $(waiting syslog) == 0 ]]
    stop_rsyslog
    [[ $(syslog_records 512 | wc -l) == 2 ]]
}

# ---- http

http_job() { # LINES for [http]
    job_with $'[transport]\nuse = file, http\n[http]\nurl = http://127.0.0.1:1/\n'"$1"
}

to_collector() { # PATH
    sed -i "s|^url = .*|url = http://127.0.0.1:$HTTP_PORT$1|" "$CONF"
}

to_nginx() { # PATH
    sed -i "s|^url = .*|url = https://localhost:$NGINX_PORT$1|" "$CONF"
}

# in_format FORMAT PATH GZIP BATCH REQUESTS: four records arrive in so many requests
in_format() {
    http_job "format = $1"$'\n'"gzip = $3"$'\n'"batch = $4"
    rm -rf "$RECORDS" "${COLLECTED:?}"/*
    start_http
    to_collector "$2"
    more_records 4
    flush
    [[ $(file_keys) == "$(http_keys)" && $(http_keys | wc -l) == 4 && $(waiting http) == 0 ]]
    [[ ! -e $COLLECTED/wrong ]]
    [[ $(wc -l <"$COLLECTED/headers") == "$5" ]]
    [[ $(grep -c ' gzip None$' "$COLLECTED/headers") == "$([[ $3 == yes ]] && echo "$5" || echo 0)" ]]
    stop "$HTTP_PID"
}

@test "http: each format, compressed and not, one and many records in a request" {
    for gzip in yes no; do
        in_format json /json $gzip 1 4
        in_format json /json $gzip 3 2
        in_format bulk /_bulk $gzip 1 4
        in_format bulk /_bulk $gzip 3 2
        in_format splunk /splunk $gzip 1 4
        in_format splunk /splunk $gzip 3 2
    done
}

@test "http: nginx with TLS takes records from who knows the CA and the token" {
    job_with $'[transport]\nuse = file, http\n[http]\nurl = http://127.0.0.1:1/\nbatch = 1\ngzip = yes\ntoken_file = '"$BATS_TEST_TMPDIR/token"$'\nca = '"$BATS_TEST_TMPDIR/collected/ca.pem"
    start_http
    start_nginx
    to_nginx /json
    (umask 077 && echo s3cret >"$BATS_TEST_TMPDIR/token")
    more_records 2
    flush
    [[ $(file_keys) == "$(http_keys)" && $(http_keys | wc -l) == 2 ]]

    # another token: 401, the records stay
    echo wrong >"$BATS_TEST_TMPDIR/token"
    more_records 1
    run -0 flush
    [[ $output == *"status 401"* && $(waiting http) == 1 ]]
    # a token that others can read is none
    echo s3cret >"$BATS_TEST_TMPDIR/token"
    chmod 644 "$BATS_TEST_TMPDIR/token"
    run -1 outbox retry
    [[ $output == *"others than its owner may read it"* ]]
    chmod 600 "$BATS_TEST_TMPDIR/token"
    # a CA that is not the server's
    sed -i '/^ca = /d' "$CONF"
    run -1 outbox retry
    [[ $output == *"certificate"* && $(waiting http) == 1 ]]
    sed -i "/^\[http\]/a ca = $COLLECTED/ca.pem" "$CONF"
    outbox retry
    [[ $(file_keys) == "$(http_keys)" && $(http_keys | wc -l) == 3 && $(waiting http) == 0 ]]
    # the token is in no message of ours
    [[ $(cat "$BATS_TEST_TMPDIR"/state/outbox/http/.* 2>/dev/null) != *s3cret* ]]
}

@test "http: a record that is too large for nginx is set aside, the others go on" {
    job_with $'[transport]\nuse = http\n[http]\nurl = http://127.0.0.1:1/\ntoken_file = '"$BATS_TEST_TMPDIR/token"$'\nca = '"$BATS_TEST_TMPDIR/collected/ca.pem"
    start_http
    start_nginx
    to_nginx /json
    (umask 077 && echo s3cret >"$BATS_TEST_TMPDIR/token")
    more_records 5
    # shellcheck disable=SC2046
    tracked "$PROGRAMS/exit_with" 0 $(printf '\xff%.0s' {1..8000})
    flush --json >"$BATS_TEST_TMPDIR/summary"
    [[ $(jq .refused "$BATS_TEST_TMPDIR/summary") == 1 && $(http_keys | wc -l) == 5 ]]
    [[ $(waiting http) == 0 ]]
    [[ $(cat "$BATS_TEST_TMPDIR"/state/quarantine/outbox/http/*.reason) == *"status 413"* ]]
    jq -e .userT.run_uuid "$BATS_TEST_TMPDIR"/state/quarantine/outbox/http/run.*.json
}

@test "http: _bulk answers for each record by itself" {
    http_job 'format = bulk'
    start_http
    to_collector /_bulk
    more_records 3
    tracked "$PROGRAMS/exit_with" 0 bad-one
    echo "refuse bad-one" >"$COLLECTED/mode"
    flush --json >"$BATS_TEST_TMPDIR/summary"
    [[ $(jq .refused "$BATS_TEST_TMPDIR/summary") == 1 && $(http_keys | wc -l) == 3 && $(waiting http) == 0 ]]
    grep -q mapper_parsing_exception "$BATS_TEST_TMPDIR"/state/quarantine/outbox/http/*.reason
    # too many requests: that one is sent again, and only that one
    more_records 2
    tracked "$PROGRAMS/exit_with" 0 later-one
    echo "busy later-one" >"$COLLECTED/mode"
    flush
    [[ $(http_keys | wc -l) == 5 && $(waiting http) == 1 ]]
    rm "$COLLECTED/mode"
    outbox retry
    [[ $(http_keys | wc -l) == 6 && $(http_keys | uniq -d | wc -l) == 0 && $(waiting http) == 0 ]]
}

@test "http: an index that is closed to writers costs no record, nor does a Splunk token of the wrong kind" {
    http_job 'format = bulk'
    start_http
    to_collector /_bulk
    more_records 2
    tracked "$PROGRAMS/exit_with" 0 blocked-one
    echo "block blocked-one" >"$COLLECTED/mode"
    flush
    [[ $(http_keys | wc -l) == 2 && $(waiting http) == 1 && ! -e $BATS_TEST_TMPDIR/state/quarantine/outbox ]]
    rm "$COLLECTED/mode"
    outbox retry
    [[ $(http_keys | wc -l) == 3 && $(waiting http) == 0 ]]

    sed -i 's/^format = .*/format = splunk/' "$CONF"
    to_collector /splunk
    more_records 2
    tracked "$PROGRAMS/exit_with" 0 bad-one
    echo index >"$COLLECTED/mode"
    run -0 flush
    [[ $output == *"Incorrect index"* && $(waiting http) == 3 ]]
    [[ ! -e $BATS_TEST_TMPDIR/state/quarantine/outbox ]]
    echo "refuse bad-one" >"$COLLECTED/mode"
    outbox retry
    [[ $(http_keys | wc -l) == 5 && $(waiting http) == 0 ]]
    grep -q "Invalid data format" "$BATS_TEST_TMPDIR"/state/quarantine/outbox/http/*.reason
}

# asked: how often the collector was asked for acknowledgements, and what it said last
asked() {
    echo "$(wc -l <"$COLLECTED/asked") $(tail -n 1 "$COLLECTED/asked")"
}

# is_not_acknowledged: on a busy machine a try may not come so far within its timeout
is_not_acknowledged() {
    run outbox retry
    [[ $output == *"not acknowledged in time by the indexers"* ]]
}

@test "http: Splunk's indexer acknowledgement is waited for where the site says so" {
    http_job $'format = splunk\nbatch = 2\ngzip = yes\ntoken_file = '"$BATS_TEST_TMPDIR/token"$'\nca = '"$BATS_TEST_TMPDIR/collected/ca.pem"
    (umask 077 && echo s3cret >"$BATS_TEST_TMPDIR/token")
    start_http
    start_nginx
    to_nginx /splunk
    # without: the channel is there, which such a token wants, and nobody asks
    echo ack >"$COLLECTED/mode"
    more_records 3
    flush
    [[ $(file_keys) == "$(http_keys)" && $(http_keys | wc -l) == 3 && $(waiting http) == 0 && ! -e $COLLECTED/asked ]]
    # with: a record is accepted when the second answer says so of its request
    sed -i 's/^format = .*/&\nack = yes/' "$CONF"
    more_records 3
    flush
    [[ $(file_keys) == "$(http_keys)" && $(http_keys | wc -l) == 6 && $(waiting http) == 0 ]]
    [[ $(asked) == '4 {"3": true}' ]]
    # never acknowledged: all waits, and the next try brings it again
    echo unacked >"$COLLECTED/mode"
    sed -i "s/^format = .*/&\ntimeout = $SLOW/" "$CONF"
    more_records 1
    flush
    wait_for is_not_acknowledged
    [[ $(waiting http) == 1 ]]
    echo ack >"$COLLECTED/mode"
    sed -i '/^timeout = [0-9]*$/d' "$CONF"
    outbox retry
    [[ $(file_keys) == "$(http_keys | uniq)" && $(waiting http) == 0 && $(http_keys | uniq -d | wc -l) == 1 ]]
    # a token without it: what the collector has is accepted
    rm "$COLLECTED/mode"
    more_records 1
    flush
    [[ $(file_keys) == "$(http_keys | uniq)" && $(waiting http) == 0 && ! -e $COLLECTED/wrong ]]
}

# is_left_alone SECONDS: that long from now on, or from a moment since $from
is_left_alone() {
    local until
    until=$(cut -d' ' -f2 "$BATS_TEST_TMPDIR/state/outbox/http/.backoff")
    ((until >= from + $1)) || return
    ((until <= $(date +%s) + $1))
}

@test "http: a collector that says when to come again is left alone so long" {
    local from
    http_job 'format = bulk'
    start_http
    to_collector /_bulk
    more_records 1
    echo "wait 600" >"$COLLECTED/mode"
    from=$(date +%s)
    flush
    [[ $(waiting http) == 1 ]]
    is_left_alone 600
    echo "wait 1000000" >"$COLLECTED/mode" # but not for days
    from=$(date +%s)
    run -1 outbox retry
    is_left_alone 1800
    rm "$COLLECTED/mode"
    outbox retry
    [[ $(http_keys | wc -l) == 1 && $(waiting http) == 0 ]]
}

@test "http: errors, slow and dying answers lose nothing and are tried again later" {
    http_job 'format = bulk'
    start_http
    to_collector /_bulk
    for mode in error slow half; do
        echo "$mode" >"$COLLECTED/mode"
        more_records 2
        [[ $mode != slow ]] || sed -i 's/^format = .*/&\ntimeout = 1/' "$CONF"
        flush
        sed -i '/^timeout = 1$/d' "$CONF"
        [[ $(waiting http) == 2 ]]
        [[ $(outbox list --json | jq '.transports[] | select(.transport == "http") | .failures') == 1 ]]
        # the next flush leaves it alone, as late as it comes
        echo "1 $((EPOCHSECONDS + 1000)) later" >"$BATS_TEST_TMPDIR/state/outbox/http/.backoff"
        requests=$(wc -l <"$COLLECTED/headers")
        more_records 1
        flush
        [[ $(wc -l <"$COLLECTED/headers") == "$requests" && $(waiting http) == 3 ]]
        rm "$COLLECTED/mode"
        if [[ $mode == half ]]; then
            wait "$HTTP_PID" || true
            start_http
            to_collector /_bulk
        fi
        outbox retry
        [[ $(waiting http) == 0 ]]
    done
    # Each has arrived. The one whose receipt was lost came twice, under the same id, to a collector
    # that had forgotten.
    [[ $(file_keys) == "$(http_keys | uniq)" && $(file_keys | wc -l) == 9 ]]
}

# ---- kafka

@test "kafka: messages with the run's uuid as key, after an outage too" {
    job_with $'[transport]\nuse = file, kafka\n[kafka]\nbrokers = 127.0.0.1:1\nproperties = '"$BATS_TEST_TMPDIR/properties"
    sed -i '/^epilog_timeout/s/60/2/' "$CONF"
    (umask 077 && echo "socket.timeout.ms = 10000 " >"$BATS_TEST_TMPDIR/properties")
    more_records 2
    flush
    [[ $(waiting kafka) == 2 && $(waiting file) == 0 ]]
    start_kafka
    sed -i "s/^brokers = .*/brokers = $BROKERS/" "$CONF"
    outbox retry
    [[ $(waiting kafka) == 0 ]]
    taken() { [[ $(wc -l <"$COLLECTED/taken") == 2 ]]; }
    wait_for taken
    diff <(cat "$RECORDS"/*.json | sort) <(cut -d' ' -f3- "$COLLECTED/taken" | sort)
    while read -r kind key text; do
        [[ $kind == run && $key == $(jq -r .userT.run_uuid <<<"$text") ]]
    done <"$COLLECTED/taken"
    # header and message, as the loader takes them
    sed 's/^\([^ ]*\) [^ ]* /kind=\1 /' "$COLLECTED/taken" |
        "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store" -
    [[ $(sqlite3 "$BATS_TEST_TMPDIR/store" 'SELECT count(*) FROM run') == 2 ]]
    sed 's/^[^ ]* [^ ]* /kind=pkg /' "$COLLECTED/taken" >"$BATS_TEST_TMPDIR/wrong"
    run "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/other" "$BATS_TEST_TMPDIR/wrong"
    [[ $status == 1 && $output == *"is named pkg and is run"* ]]
}

@test "kafka: a record that is too large is set aside, the others go on" {
    job_with $'[transport]\nuse = kafka\n[kafka]\nbrokers = 127.0.0.1:1\nproperties = '"$BATS_TEST_TMPDIR/properties"
    (umask 077 && echo "message.max.bytes=20000" >"$BATS_TEST_TMPDIR/properties")
    start_kafka
    sed -i "s/^brokers = .*/brokers = $BROKERS/" "$CONF"
    more_records 2
    # shellcheck disable=SC2046
    tracked "$PROGRAMS/exit_with" 0 $(printf '\xff%.0s' {1..8000})
    flush --json >"$BATS_TEST_TMPDIR/summary"
    [[ $(jq -c '[.refused, .waiting]' "$BATS_TEST_TMPDIR/summary") == "[1,0]" && $(waiting kafka) == 0 ]]
    # shellcheck disable=SC2016
    wait_for eval '[[ $(wc -l <"$COLLECTED/taken") == 2 ]]'
    [[ $(cat "$BATS_TEST_TMPDIR"/state/quarantine/outbox/kafka/*.reason) == *"too large"* ]]
}

@test "kafka: a property that librdkafka does not know is told" {
    job_with $'[transport]\nuse = kafka\n[kafka]\nbrokers = 127.0.0.1:1\nproperties = '"$BATS_TEST_TMPDIR/properties"
    (umask 077 && echo 'no.such.property=1' >"$BATS_TEST_TMPDIR/properties")
    more_records 1
    run -0 flush
    [[ $output == *"transport kafka: "*"no.such.property"* && $(waiting kafka) == 1 ]]
}

@test "syslog: test/data/syslog holds what test/data/records holds" {
    diff <(cat "$JOBTRAIL_SOURCE"/test/data/records/*.json | sort) \
        <("$COLLECTORS/read_syslog" "$JOBTRAIL_SOURCE/test/data/syslog/sound" 512 | sort)
}
