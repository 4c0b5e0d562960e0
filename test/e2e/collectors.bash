# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# For the bats files about transports: collectors, and records that go to them.
#
#   load helper
#   load collectors
#   setup() { ... }
#   teardown() { stop_collectors; }
#
# What is started writes into $COLLECTED and is ended by stop_collectors.

COLLECTORS=$JOBTRAIL_SOURCE/test/collectors

# job_with SECTIONS: a job whose configuration has these sections beside the default ones; a flush waits
# long enough on a loaded machine
job_with() {
    RULES=$1 new_job
    sed -i '/^\[submit\]/a epilog_timeout = 60' "$CONF"
    COLLECTED=$BATS_TEST_TMPDIR/collected
    mkdir -p "$COLLECTED"
}

# more_records COUNT: so many more runs of the job, one with an argument that is hard to carry
more_records() {
    local i
    [[ -d $SPOOL/$JOB.0 ]] || "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    for ((i = 0; i < $1; i++)); do
        tracked "$PROGRAMS/exit_with" 0 "a  b 'c' \"d\" ä€ $(printf 'x%.0s %.0s' {1..300})" "$i"
    done
}

outbox() {
    "$JOBTRAIL_BIN/jobtrail-submit" outbox "$@" --conf "$CONF"
}

# send: as the timer does it
send() {
    "$JOBTRAIL_BIN/jobtrail-submit" send --conf "$CONF" "$@"
}

# waiting TRANSPORT: how many records wait for it
waiting() {
    outbox list --json | jq ".transports[] | select(.transport == \"$1\") | .records"
}

# file_keys: "uuid:end_time" of what the transport file has delivered, sorted
file_keys() {
    find "$RECORDS" -type f -name '*.json' -exec cat {} + |
        jq -r '"\(.userT.run_uuid):\(.userDT.end_time)"' | sort
}

# http_keys: the same of what the HTTP collector has taken
http_keys() {
    cut -d' ' -f2 "$COLLECTED/taken" | sort
}

start_http() {
    rm -f "$COLLECTED/port"
    "$COLLECTORS/http_collector" "$COLLECTED" 3>&- &
    HTTP_PID=$!
    wait_for test -s "$COLLECTED/port"
    HTTP_PORT=$(cat "$COLLECTED/port")
}

start_rsyslog() {
    cat >"$COLLECTED/rsyslog.conf" <<CONF
global(workDirectory="$COLLECTED" maxMessageSize="80k")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="$COLLECTED/log" RateLimit.Interval="0")
action(type="omfile" file="$COLLECTED/syslog")
CONF
    rm -f "$COLLECTED/log"
    rsyslogd -n -i NONE -f "$COLLECTED/rsyslog.conf" 3>&- &
    RSYSLOG_PID=$!
    wait_for test -S "$COLLECTED/log"
}

# syslog_records BLOCK-SIZE: what is in the syslog file, as records
syslog_records() {
    "$COLLECTORS/read_syslog" "$COLLECTED/syslog" "$1"
}

start_kafka() {
    rm -f "$COLLECTED/brokers"
    "$JOBTRAIL_BUILD/test/collectors/kafka_collector" "$COLLECTED" jobtrail 3>&- &
    KAFKA_PID=$!
    wait_for test -s "$COLLECTED/brokers"
    # shellcheck disable=SC2034 # tests use it
    BROKERS=$(cat "$COLLECTED/brokers")
}

stop() { # PID [SIGNAL]
    kill "-${2:-KILL}" "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

stop_collectors() {
    local pid
    for pid in ${HTTP_PID-} ${RSYSLOG_PID-} ${KAFKA_PID-} ${NGINX_PID-}; do
        stop "$pid"
    done
}

# start_nginx: TLS with a private CA ($COLLECTED/ca.pem) and a token in front of the HTTP collector
start_nginx() {
    local dir=$COLLECTED
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
        -subj /CN=test-ca -keyout "$dir/ca.key" -out "$dir/ca.pem" 2>/dev/null
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost \
        -keyout "$dir/server.key" -out "$dir/server.csr" 2>/dev/null
    openssl x509 -req -in "$dir/server.csr" -CA "$dir/ca.pem" -CAkey "$dir/ca.key" -days 2 \
        -set_serial 1 -extfile <(echo subjectAltName=DNS:localhost,IP:127.0.0.1) \
        -out "$dir/server.pem" 2>/dev/null
    NGINX_PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    cat >"$dir/nginx.conf" <<CONF
daemon off;
master_process off;
pid $dir/nginx.pid;
error_log $dir/nginx.log;
events {}
http {
    access_log $dir/access.log;
    client_body_temp_path $dir/body;
    proxy_temp_path $dir/proxy;
    fastcgi_temp_path $dir/fastcgi;
    uwsgi_temp_path $dir/uwsgi;
    scgi_temp_path $dir/scgi;
    client_max_body_size 16k;
    server {
        listen 127.0.0.1:$NGINX_PORT ssl;
        ssl_certificate $dir/server.pem;
        ssl_certificate_key $dir/server.key;
        location / {
            if (\$http_authorization !~ "^(Bearer|Splunk) s3cret\$") { return 401; }
            proxy_pass http://127.0.0.1:$HTTP_PORT;
        }
    }
}
CONF
    nginx -p "$dir" -c "$dir/nginx.conf" 3>&- &
    NGINX_PID=$!
    wait_for test -s "$dir/nginx.pid"
    wait_for bash -c "exec 9<>/dev/tcp/127.0.0.1/$NGINX_PORT" 2>/dev/null
}
