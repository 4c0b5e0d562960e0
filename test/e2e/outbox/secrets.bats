#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tokens and passwords of transports: who may read the files that they are in, and whom they are sent to.

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/collectors

teardown() {
    stop_collectors
    [[ -z ${OTHER_PID-} ]] || stop "$OTHER_PID"
}

# secret TEXT: into a file that is one
secret() {
    SECRET=$BATS_TEST_TMPDIR/secret
    rm -f "$SECRET"
    (umask 077 && echo "$1" >"$SECRET")
}

# token_job: a collector on this host, and a token
token_job() {
    secret s3cret
    job_with $'[transport]\nuse = http\n[http]\nurl = http://127.0.0.1:1/\ntoken_file = '"$SECRET"
    start_http
    sed -i "s|^url = .*|url = http://127.0.0.1:$HTTP_PORT/json|" "$CONF"
}

# start_other: another collector, in $OTHER
start_other() {
    OTHER=$BATS_TEST_TMPDIR/other
    mkdir "$OTHER"
    "$COLLECTORS/http_collector" "$OTHER" 3>&- &
    OTHER_PID=$!
    wait_for test -s "$OTHER/port"
}

@test "http: a token is not sent in clear text, but to this host" {
    token_job
    more_records 1
    flush
    [[ $(http_keys | wc -l) == 1 && $(cat "$COLLECTED/headers") == *"Bearer s3cret" ]]
    for host in collector.example.org 127.0.0.1.example.org 'localhost@example.org' 192.0.2.1; do
        sed -i "s|^url = .*|url = http://$host:1/|" "$CONF"
        run -1 "$JOBTRAIL_BIN/jobtrail-conf" check --conf "$CONF"
        [[ $output == "$CONF:"*": a token or password would be sent in clear text (write url = https://"* ]]
        run -1 "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
        [[ $output == *"bad     configuration $CONF: "*"in clear text"* ]]
        run outbox retry
        [[ $status != 0 && $output == *"in clear text"* ]]
    done
}

@test "http: a token follows no answer to another place" {
    token_job
    start_other
    for where in "http://127.0.0.1:$(cat "$OTHER/port")/json" "http://127.0.0.1:$HTTP_PORT/other"; do
        echo "redirect $where" >"$COLLECTED/mode"
        more_records 1
        run -0 flush
        [[ $output == *"status 307"* ]]
        rm "$BATS_TEST_TMPDIR/state/outbox/http/.backoff"
    done
    [[ $(waiting http) == 2 && ! -e $OTHER/headers && $(cut -d' ' -f1 "$COLLECTED/headers" | sort -u) == /json ]]
    rm "$COLLECTED/mode"
    outbox retry
    [[ $(waiting http) == 0 && $(http_keys | wc -l) == 2 ]]
}

@test "http: a password in the URL is in no message" {
    job_with $'[transport]\nuse = http\n[http]\nurl = https://me:s3cret@127.0.0.1:1/x@y'
    more_records 1
    run -0 flush
    [[ $output == *"https://127.0.0.1:1/x@y: "* && $output != *s3cret* ]]
    run grep -r s3cret "$BATS_TEST_TMPDIR/state"
    [[ $status == 1 ]]
    run outbox list
    [[ $output != *s3cret* ]]
}

@test "http: the environment sends no token to a proxy, nor a password from a .netrc" {
    token_job
    start_other
    more_records 1
    echo "default login a password b" >"$BATS_TEST_TMPDIR/.netrc"
    proxy=http://127.0.0.1:$(cat "$OTHER/port")
    http_proxy=$proxy ALL_PROXY=$proxy HOME=$BATS_TEST_TMPDIR flush
    [[ $(waiting http) == 0 && $(http_keys | wc -l) == 1 && ! -e $OTHER/headers ]]
    [[ $(cat "$COLLECTED/headers") == *"Bearer s3cret" ]]
}

# bats test_tags=needs:root
@test "http and kafka: a file with secrets that others can read is refused, and all say so" {
    for use in http kafka; do
        secret "client.id=secret"
        job_with $'[transport]\nuse = '"$use"$'\n[http]\nurl = http://127.0.0.1:1/\ntoken_file = '"$SECRET"$'\n[kafka]\nbrokers = 127.0.0.1:1\nproperties = '"$SECRET"
        "$JOBTRAIL_BIN/jobtrail-conf" check --conf "$CONF"
        for fault in "chmod 604 $SECRET" "chmod 640 $SECRET" "chown 65534 $SECRET" "mv $SECRET $SECRET.real"; do
            secret "client.id=secret"
            $fault
            [[ $fault != mv* ]] || ln -s "$SECRET.real" "$SECRET"
            more_records 1
            run -0 flush
            [[ $output == *"transport $use: $SECRET: others than its owner may read it, or it is not root's"* ]]
            rm "$BATS_TEST_TMPDIR/state/outbox/$use/.backoff"
            run -1 "$JOBTRAIL_BIN/jobtrail-conf" check --conf "$CONF"
            [[ $output == "$CONF:"*": $SECRET: others than its owner may read it"* ]]
            run -1 "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF"
            [[ $output == *"bad     secret $SECRET: [$use] "* ]]
        done
        [[ $(waiting $use) == 4 ]]
        rm -r "$BATS_TEST_TMPDIR/state"
    done
}

@test "kafka: properties that load or run something, or tell a password, are refused" {
    secret "plugin.library.paths=$BATS_TEST_TMPDIR/evil"
    job_with $'[transport]\nuse = kafka\n[kafka]\nbrokers = broker.example.org:9092\nproperties = '"$SECRET"
    more_records 1
    flush
    for line in "plugin.library.paths = $BATS_TEST_TMPDIR/evil" "ssl.engine.location=$BATS_TEST_TMPDIR/evil" \
        "sasl.kerberos.kinit.cmd=touch $BATS_TEST_TMPDIR/evil"; do
        secret "$line"
        run -1 outbox retry
        [[ $output == *"transport kafka: the property ${line%%[ =]*} loads or runs something"* ]]
    done
    secret $'security.protocol=sasl_plaintext\nsasl.mechanism = PLAIN\nsasl.username=a\nsasl.password=b'
    run -1 outbox retry
    [[ $output == *"would be sent in clear text: write security.protocol = sasl_ssl"* ]]
    secret $'security.protocol=sasl_ssl\nsasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.token.endpoint.url=http://idp.example.org/'
    run -1 outbox retry
    [[ $output == *"would be sent in clear text: write https://"* ]]
    [[ $(waiting kafka) == 1 && ! -e $BATS_TEST_TMPDIR/evil ]]
}

@test "kafka: a file of properties that is a secret is used" {
    secret "client.id = site"
    job_with $'[transport]\nuse = kafka\n[kafka]\nbrokers = 127.0.0.1:1\nproperties = '"$SECRET"
    start_kafka
    sed -i "s/^brokers = .*/brokers = $BROKERS/" "$CONF"
    more_records 1
    flush
    [[ $(waiting kafka) == 0 ]]
}
