#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What jobtrail-conf doctor finds on a machine without Slurm: each trouble is made for real. What needs slurmd is
# in test/slurm/node/trouble.bats.

load ../fixture/job
load ../fixture/collectors
load ../fixture/munge

# a stable place: root acts on nothing below a directory that others can write to
setup() {
    LINE="optional $JOBTRAIL_STAGE/lib/slurm/spank_jobtrail.so"
    SLURM=$BATS_TEST_TMPDIR/slurm
    mkdir "$SLURM"
    SECRET=$BATS_TEST_TMPDIR/secret
}

teardown() {
    stop_collectors
    answer_stop
    munge_stop
}

# with_helper: the configuration names the program of this installation, where no group may write (umask 002)
with_helper() {
    local prefix=$BATS_TEST_TMPDIR/prefix
    mkdir -p "$prefix/bin" "$prefix/lib/jobtrail"
    cp "$JOBTRAIL_BIN/jobtrail-submit" "$prefix/bin"
    cp "$JOBTRAIL_STAGE"/lib/jobtrail/transport_*.so "$prefix/lib/jobtrail"
    sed -i "s|^\[submit\]|&\nprogram = $prefix/bin/jobtrail-submit|" "$CONF"
}

doctor() { # OPTION...
    "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e --plugstack "$SLURM/plugstack.conf" "$@"
}

# finds STATE CHECK FOUND MEND [OPTION...]: a finding whose texts contain these
finds() {
    doctor --json "${@:5}" >"$BATS_TEST_TMPDIR/said" || true
    jq -e --arg state "$1" --arg check "$2" --arg found "$3" --arg fix "$4" 'any(.[]; .state == $state and .check == $check
        and (.found | contains($found)) and (.fix | contains($fix)))' "$BATS_TEST_TMPDIR/said" || {
        cat "$BATS_TEST_TMPDIR/said"
        return 1
    }
}

# finds_none CHECK [OPTION...]
finds_none() {
    doctor --json "${@:2}" >"$BATS_TEST_TMPDIR/said" || true
    jq -e --arg check "$1" 'all(.[]; .check != $check)' "$BATS_TEST_TMPDIR/said" || {
        cat "$BATS_TEST_TMPDIR/said"
        return 1
    }
}

@test "bad ones come first, a summary is the last line, and JSON has the same" {
    new_job
    run doctor --role node
    [[ $status == 1 ]]
    [[ $(cut -d' ' -f1 <<<"$output" | uniq | head -n -1 | xargs) == "bad warning ok" ]]
    summary="node: $(grep -c '^bad ' <<<"$output") bad, $(grep -c '^warning ' <<<"$output") warnings, $(grep -c '^ok ' <<<"$output") ok"
    [[ ${lines[-1]} == "$summary" ]]
    texts=$(grep -cE '^(bad|warning|ok) ' <<<"$output")
    [[ $(doctor --role node --json | jq length) == "$texts" ]]
    doctor --role node --json | jq -e 'all(.[]; keys == ["check", "fix", "found", "object", "state"]
        and (.state == "ok") == (.fix == ""))'
}

@test "roles are asked for or found out, and decide what is looked at" {
    new_job
    run doctor --role clerk
    [[ $status == 2 && $output == *"--role takes node, login, collector"* ]]
    run doctor --role ""
    [[ $status == 2 ]]
    finds bad plugstack "No such file" "write '$LINE conf=$CONF' to $SLURM/plugstack.conf" --role node
    finds ok plugstack "this is no node" "" --role login
    finds_none spool --role login
    finds_none configuration --role collector
    finds_none collector --role node,login
    finds ok role collector.env ""
    [[ $(jq -r '.[] | select(.check == "role").object' "$BATS_TEST_TMPDIR/said") != *collector* ]]
    touch "${CONF%/*}/collector.env"
    finds ok role "there is ${CONF%/*}/collector.env" ""
    [[ $(jq -r '.[] | select(.check == "role").object' "$BATS_TEST_TMPDIR/said") == *collector ]]
}

@test "sections of extensions that this jobtrail is built without, on every machine" {
    local role
    new_job
    printf '[answers]\naddress = nowhere:1\n[libraries]\nlog_size = 1M\n[profile]\nsteps = asked\n[routines]\nkeep = soname:x\n[witness]\nlevel = ends\n' >>"$CONF"
    for role in node login collector; do
        doctor --json --role "$role" >"$BATS_TEST_TMPDIR/said" || true
        diff <(jq -r '.[] | select(.found | contains("] has no effect: this jobtrail is built without ")).check' "$BATS_TEST_TMPDIR/said" | sort) \
            <(xargs -n 1 <<<"$JOBTRAIL_LEFT_OUT" | sed '/^$/d' | sort)
    done
}

@test "the plugin's line: none, one that is required, of a plugin that is not there" {
    new_job
    : >"$SLURM/plugstack.conf"
    finds bad plugstack "no line loads it" "add '$LINE conf=$CONF' to $SLURM/plugstack.conf, and restart slurmd" --role node
    echo "required ${LINE#* } conf=$CONF" >"$SLURM/plugstack.conf"
    finds warning plugstack "'required'" "write '$LINE conf=$CONF' in $SLURM/plugstack.conf, line 1" --role node
    echo "optional /nowhere/spank_jobtrail.so conf=$CONF" >"$SLURM/plugstack.conf"
    finds bad plugin "No such file" "write '$LINE conf=$CONF' in $SLURM/plugstack.conf, line 1" --role node
    echo "$LINE conf=$CONF" >"$SLURM/plugstack.conf"
    finds ok plugstack "loads" "" --role node
}

# bats test_tags=needs:root
@test "files of another owner or closed to users: the advice is the command" {
    new_job
    chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    chown nobody "$CONF"
    finds bad configuration "$CONF can be changed" "chown root: $CONF && chmod go-w $CONF"
    chown root "$CONF"
    ln -s "$CONF" "$BATS_TEST_TMPDIR/link.conf"
    chown -h nobody "$BATS_TEST_TMPDIR/link.conf"
    CONF=$BATS_TEST_TMPDIR/link.conf finds bad configuration "link.conf can be changed" "chown -h root: $BATS_TEST_TMPDIR/link.conf"
    chmod 600 "${CONF%.conf}.policy"
    finds bad policy "users cannot read" "chmod a+rX ${CONF%.conf}.policy"
    chmod 700 "$SPOOL"
    finds bad spool "users cannot reach" "chmod 711 $SPOOL" --role node
    sed -i "s|^\[spool\]|&\nsessions = $BATS_TEST_TMPDIR/sessions|" "$CONF"
    mkdir -m 777 "$BATS_TEST_TMPDIR/sessions"
    finds bad sessions "change each other's" "chown root: $BATS_TEST_TMPDIR/sessions && chmod 1733 $BATS_TEST_TMPDIR/sessions"
    echo "$LINE conf=$CONF" >"$SLURM/plugstack.conf"
    chmod 600 "$SLURM/plugstack.conf"
    finds bad plugstack "users cannot read it" "chmod a+r $SLURM/plugstack.conf" --role node
}

# bats test_tags=needs:root
@test "sessions that share the last byte of a file system with records are bad" {
    new_job
    mkdir "$BATS_TEST_TMPDIR/disk"
    mount -t tmpfs none "$BATS_TEST_TMPDIR/disk"
    mkdir -m 1733 "$BATS_TEST_TMPDIR/disk/sessions"
    sed -i "s|^\[spool\]|&\nsessions = $BATS_TEST_TMPDIR/disk/sessions|; s|^state = .*|state = $BATS_TEST_TMPDIR/disk/state|" "$CONF"
    mkdir "$BATS_TEST_TMPDIR/disk/state"
    finds bad sessions "users can take the last byte" "mount a file system of its own there"
    mount -t tmpfs -o mode=1733 none "$BATS_TEST_TMPDIR/disk/sessions"
    finds ok sessions "root's, with" ""
    umount "$BATS_TEST_TMPDIR/disk/sessions" "$BATS_TEST_TMPDIR/disk"
}

@test "where Slurm calls no prolog of the plugin's, no job has a file system of its own" {
    new_job
    sed -i "s|^\[spool\]|&\nmount = yes|" "$CONF"
    echo "PrologFlags=Contain" >"$SLURM/slurm.conf"
    SLURM_CONF=$SLURM/slurm.conf finds ok parts "each job has a file system of its own" "" --role node
    echo "PrologFlags=Contain,RunInJob" >"$SLURM/slurm.conf"
    SLURM_CONF=$SLURM/slurm.conf finds warning parts "RunInJob: users' files get no file system" "remove RunInJob from" --role node
    sed -i "s|^mount = yes|mount = no|" "$CONF"
    SLURM_CONF=$SLURM/slurm.conf finds ok parts "share the journals' file system" "" --role node
}

@test "tracking that is switched off, as a whole and by kind" {
    new_job
    finds ok tracking "steps are recorded" ""
    sed -i 's/^\[tracking\]/&\nenabled = no/' "$CONF"
    finds bad tracking "enabled = no" "write 'enabled = yes' in $CONF"
    sed -i 's/^enabled = no/programs = scalar/' "$CONF"
    finds warning tracking "programs = scalar" "write 'programs = all' in $CONF"
}

@test "a host rule that skips this host" {
    RULES=$'[hosts]\nskip = nobody\nskip = .*' new_job
    finds bad hosts "a rule of [hosts] skips this host" \
        "write 'keep = $(uname -n)' before 'skip = .*' in $CONF, line $(grep -n '^skip = \.\*$' "$CONF" | cut -d: -f1)" --role node
    finds warning hosts "nothing that runs here" "" --role login
    sed -i "s/^skip = nobody/keep = $(uname -n)/" "$CONF"
    finds ok hosts "no rule skips" "" --role node
}

@test "no transport, and records that cannot be written beside another transport" {
    RULES=$'[transport]\nuse = none' new_job
    finds bad transport "use = none" "write 'use = file' in $CONF"
    job_with $'[transport]\nuse = file, http\n[http]\nurl = http://127.0.0.1:1/'
    touch "$RECORDS"
    finds bad records "Not a directory" "[file] dir"
}

# closed_port: one that nobody listens on: a collector did a moment ago
closed_port() {
    local port
    mkdir -p "$BATS_TEST_TMPDIR/gone"
    "$COLLECTORS/http_collector" "$BATS_TEST_TMPDIR/gone" 3>&- &
    wait_for test -s "$BATS_TEST_TMPDIR/gone/port"
    port=$(cat "$BATS_TEST_TMPDIR/gone/port")
    stop $!
    rm "$BATS_TEST_TMPDIR/gone/port"
    echo "$port"
}

# bats test_tags=needs:root
@test "a collector that cannot be reached, one that refuses the token, and one that takes records" {
    job_with $'[transport]\nuse = http\n[http]\nformat = json\nurl = http://127.0.0.1:1/'
    with_helper
    start_http
    start_nginx # wants a token
    port=$(closed_port)
    sed -i "s|^url = .*|url = http://127.0.0.1:$port/json|" "$CONF"
    finds bad transport "127.0.0.1:$port" "url, token_file or ca of [http]"
    for place in json/json bulk/_bulk splunk/splunk; do
        sed -i "s|^url = .*|url = https://127.0.0.1:$NGINX_PORT/${place#*/}|; s|^format = .*|format = ${place%/*}|; /^ca = /d; /^token_file = /d" "$CONF"
        finds bad transport "certificate" "ca of [http]"
        sed -i "s|^url = .*|&\nca = $COLLECTED/ca.pem|" "$CONF"
        finds bad transport "status 401" "token_file"
        (umask 077 && echo other >"$SECRET")
        sed -i "s|^url = .*|&\ntoken_file = $SECRET|" "$CONF"
        finds bad transport "status 401" "token_file"
        (umask 077 && echo s3cret >"$SECRET")
        finds ok transport "takes records" ""
        chmod 644 "$SECRET"
        finds bad secret "others than its owner" "mode 600"
        rm "$SECRET"
        finds bad secret "No such file" "make it a plain file"
        finds bad transport "$SECRET: No such file" "token_file"
    done
    (umask 077 && echo s3cret >"$SECRET")
    sed -i "s|^url = .*|url = https://127.0.0.1:$NGINX_PORT/elsewhere|" "$CONF"
    finds bad transport "status 404" "url"
    # what answers 400 is no collector: nginx to one who speaks without TLS
    for format in splunk bulk; do
        sed -i "s|^url = .*|url = http://127.0.0.1:$NGINX_PORT/$format|; s|^format = .*|format = $format|" "$CONF"
        finds bad transport "status 400" "url"
    done
    sed -i "s|^format = .*|format = json|" "$CONF"
    finds warning transport "answers, and refuses an empty list" "jobtrail-conf doctor --run"
    # nothing was sent, and nothing is held against the transport
    [[ ! -e $COLLECTED/taken && ! -e $BATS_TEST_TMPDIR/state/outbox ]]
}

# bats test_tags=needs:root
@test "a syslog daemon and Kafka brokers that are not there, and that are" {
    job_with $'[transport]\nuse = syslog, kafka\n[syslog]\nsocket = '"$BATS_TEST_TMPDIR/collected/log"$'\n[kafka]\nbrokers = 127.0.0.1:1'
    with_helper
    finds bad transport "$COLLECTED/log: No such file" "syslog"
    jq -e 'any(.[]; .check == "transport" and .object == "kafka" and .state == "bad" and (.fix | contains("[kafka]")))' \
        "$BATS_TEST_TMPDIR/said"
    start_rsyslog
    start_kafka
    sed -i "s|^brokers = .*|brokers = $BROKERS|" "$CONF"
    finds ok transport "takes records" ""
    [[ $(jq -c '[.[] | select(.check == "transport") | [.object, .state]]' "$BATS_TEST_TMPDIR/said") == '[["syslog","ok"],["kafka","ok"]]' ]]
}

# bats test_tags=needs:root
@test "an outbox of another owner, with failures, with records for a transport that is not configured" {
    job_with $'[transport]\nuse = http\n[http]\nurl = http://127.0.0.1:1/'
    with_helper
    local box=$BATS_TEST_TMPDIR/state/outbox
    more_records 2
    flush || true
    finds warning outbox "2 records wait; it failed 1 times, last: http://127.0.0.1:1/: " "jobtrail-submit outbox retry"
    chmod 777 "$box"
    finds bad outbox "$box can be changed by others than root" "chmod go-w $box"
    chmod 700 "$box"
    sed -i 's/^use = http/use = file/' "$CONF"
    finds warning outbox "2 records wait for a transport that is not configured" "outbox drop --transport http"
    outbox drop --all
    finds ok outbox "0 records wait" ""
}

@test "a map of modules that is missing, empty, or closed to users" {
    local map=$BATS_TEST_TMPDIR/map
    RULES=$'[link]\nmodules = '"$map" new_job
    finds warning modules "no file, or empty" "spider -o jsonReverseMapT"
    : >"$map"
    finds warning modules "empty" "spider"
    echo "/opt/x x/1" >"$map"
    chmod 600 "$map"
    finds bad modules "users cannot read" "chmod a+rX $map"
    chmod 644 "$map"
    finds ok modules "" ""
    sed -i 's/^modules = .*//' "$CONF"
    finds_none modules
}

# with_cron NAME FILE COMMAND...: with this file alone in /etc/cron.d
with_cron() {
    mkdir -p "$BATS_TEST_TMPDIR/cron.d"
    rm -f "$BATS_TEST_TMPDIR"/cron.d/*
    [[ $1 == none ]] || cp "$2" "$BATS_TEST_TMPDIR/cron.d/$1"
    # shellcheck disable=SC2016
    unshare --mount bash -c 'mkdir -p /etc/cron.d 2>/dev/null
        mount --bind "$0" /etc/cron.d && : >"$0/../crontab" && { [[ ! -e /etc/crontab ]] || mount --bind "$0/../crontab" /etc/crontab; } &&
        if [[ -d /var/spool/cron ]]; then mount -t tmpfs none /var/spool/cron; fi && exec "$@"' "$BATS_TEST_TMPDIR/cron.d" \
        "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e --json "${@:3}" >"$BATS_TEST_TMPDIR/said" || true
    jq -r '.[] | select(.check == "timer") | "\(.state) \(.object): \(.found): \(.fix)"' "$BATS_TEST_TMPDIR/said"
}

# bats test_tags=needs:root
@test "nothing that sends, or loads, at regular times; a line of cron that does" {
    new_job
    local example=$JOBTRAIL_STAGE/share/jobtrail/jobtrail-send.cron
    [[ $(with_cron none "" --role node) == "warning jobtrail-submit flush --orphans: no "*"cannot be seen from here: "* ]]
    [[ $(with_cron none "" --role node) == *"systemctl enable --now jobtrail-send.timer" ||
        $(with_cron none "" --role node) == *": let cron run 'jobtrail-submit flush --orphans', as jobtrail-send.timer does" ]]
    [[ $(with_cron none "" --role login) == "warning jobtrail-submit flush --sessions: "*"records of links and of sessions stay here"* ]]
    [[ $(with_cron none "" --role collector) == "warning jobtrail-load: "*"not loaded"* ]]
    # the file that is installed, under a name that every cron reads
    [[ $(with_cron jobtrail-send "$example" --role node,login) == "ok jobtrail-submit flush --orphans: a line in /etc/cron.d/jobtrail-send runs it; whether cron is running is not checked: "*$'\n'"ok jobtrail-submit flush --sessions: "* ]]
    sed 's/^/#/' "$example" >"$BATS_TEST_TMPDIR/commented"
    [[ $(with_cron jobtrail-send "$BATS_TEST_TMPDIR/commented" --role node) == warning* ]]
    echo "*/5 * * * * root jobtrail-load --delete /srv/records" >"$BATS_TEST_TMPDIR/loads"
    [[ $(with_cron ours "$BATS_TEST_TMPDIR/loads" --role collector) == "ok jobtrail-load: a line in /etc/cron.d/ours "* ]]
}

# timer_by_systemd: what doctor says of the timer of a node where a manager of systemd runs
timer_by_systemd() {
    # shellcheck disable=SC2016
    "$JOBTRAIL_SOURCE/test/e2e/fixture/with_systemd" "$BATS_TEST_TMPDIR" bash -c 'eval "$0"; "$@"' "$1" \
        "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e --json --role node >"$BATS_TEST_TMPDIR/said" || true
    jq -r '.[] | select(.check == "timer") | "\(.state): \(.found): \(.fix)"' "$BATS_TEST_TMPDIR/said"
}

# bats test_tags=needs:systemd_manager
@test "a timer of systemd's that is active, whatever it is called, and one that is not" {
    new_job
    mkdir -p "$BATS_TEST_TMPDIR/units"
    cp "$JOBTRAIL_STAGE"/share/jobtrail/jobtrail-send.{timer,service} "$BATS_TEST_TMPDIR/units"
    [[ $(timer_by_systemd true) == "warning: no active timer of systemd's and no line of cron's runs it: "*": systemctl enable --now jobtrail-send.timer" ]]
    [[ $(timer_by_systemd "systemctl start jobtrail-send.timer") == "ok: jobtrail-send.timer is active: " ]]
    rm "$BATS_TEST_TMPDIR"/units/*
    printf '[Timer]\nOnCalendar=yearly\nUnit=theirs.service\n' >"$BATS_TEST_TMPDIR/units/ours.timer"
    printf '[Service]\nType=oneshot\nExecStart=/bin/true\nExecStart=/usr/bin/jobtrail-submit flush --orphans\n' >"$BATS_TEST_TMPDIR/units/theirs.service"
    [[ $(timer_by_systemd "systemctl start ours.timer") == "ok: ours.timer is active: " ]]
    sed -i 's/--orphans/--sessions/' "$BATS_TEST_TMPDIR/units/theirs.service"
    [[ $(timer_by_systemd "systemctl start ours.timer") == "warning: "* ]]
}

@test "a collector: no store, one that everybody can change, one that cannot be opened" {
    new_job
    local env=${CONF%/*}/collector.env store=$BATS_TEST_TMPDIR/store.db
    finds warning collector "No such file" "collector.env" --role collector
    printf 'JOBTRAIL_STORE=sqlite:%s\nJOBTRAIL_RECORDS="%s"\n' "$store" "$RECORDS" >"$env"
    finds warning store "No such file" "jobtrail-load" --role collector
    finds warning arrival "No such file" "mkdir -p -m 750 $RECORDS" --role collector
    tracked "$PROGRAMS/exit_with" 0
    flush
    finds ok arrival "no file is older" "" --role collector
    find "$RECORDS" -type f -exec touch -d "2 hours ago" {} +
    finds warning arrival "files that are older than an hour, and not loaded: 1" "jobtrail-load" --role collector
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$store" --delete "$RECORDS"
    finds ok arrival "no file is older" "" --role collector
    finds ok store "it can be opened" "" --role collector
    chmod o+w "$store"
    finds bad store "everybody can change it" "chmod o-w" --role collector
    chmod o-w "$store"
    echo "no database at all, but long enough to be looked at as one" >"$store"
    finds bad store "" "JOBTRAIL_STORE" --role collector
    sed -i 's|^JOBTRAIL_STORE=.*|JOBTRAIL_STORE=mariadb://127.0.0.1:1/jobtrail|' "$env"
    finds bad store "" "JOBTRAIL_STORE" --role collector
}

# bats test_tags=needs:root
@test "records that the loader has refused" {
    new_job
    # shellcheck disable=SC2016
    unshare --mount bash -c 'mount -t tmpfs none /var/lib && mkdir -p /var/lib/jobtrail/refused && echo why >/var/lib/jobtrail/refused/x.reason &&
        "$0" doctor --role collector --conf "$1" --json' "$JOBTRAIL_BIN/jobtrail-conf" "$CONF" >"$BATS_TEST_TMPDIR/said" || true
    jq -e 'any(.[]; .check == "refused" and .state == "warning" and .found == "1 records were not loaded")' "$BATS_TEST_TMPDIR/said"
}

# answers KEY=VALUE: in [answers] of the configuration, in the place of what it had
answers() {
    sed -i "/^${1%%=*} = /d" "$CONF"
    sed -i "s|^\[answers\]|&\n${1%%=*} = ${1#*=}|" "$CONF"
}

# bats test_tags=needs:root,needs:answers
@test "the service for answers: a client without its user, munge or the service, and with all of them" {
    local port
    new_job
    finds_none answers --role node,login,collector
    munge_start
    port=$(closed_port)
    printf '[answers]\n' >>"$CONF"
    answers "munge_socket=$MUNGE/socket"
    finds_none answers --role node,login,collector
    answers "address=127.0.0.1:$port"
    answers user=nobody
    for role in node login; do
        finds warning answers "users get no answers: Connection refused" "systemctl enable --now jobtrail-answer on that host" --role $role
        finds ok answers "munged takes connections" "" --role $role
    done
    answers user=nowhere-man
    finds warning answers "[answers] user: there is no such user here" "create the user nowhere-man, with the same uid" --role login
    answers user=nobody
    answers "address=nowhere.invalid:$port"
    finds warning answers "users get no answers: " "fix [answers] address in $CONF" --role login
    mkdir "$MUNGE/store"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$MUNGE/store/store.db" --timezone UTC
    chown -R nobody "$MUNGE/store"
    answer_conf user=nobody see=own "store=sqlite:$MUNGE/store/store.db"
    answer_start setpriv --reuid nobody --clear-groups
    answers "address=127.0.0.1:$ANSWER_PORT"
    finds ok answers "the service answers" "" --role login
    JOBTRAIL_STORE=sqlite:/nowhere finds ok answers "the service answers" "" --role login
    # connections are not all: answers of another uid are refused
    answers user=daemon
    finds warning answers "jobtrail-acct: " "see journalctl -u jobtrail-answer there; munge's key" --role login
    answers user=nobody
    munge_end
    finds warning answers "munged: No such file" "systemctl start munge; or fix [answers] munge_socket in $CONF" --role login
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$MUNGE/socket"
    finds warning answers "munged: Connection refused" "systemctl start munge" --role login
    finds ok answers "it takes connections" "" --role login
}

# bats test_tags=needs:root,needs:answers
@test "the service for answers: its collector without its user or a listener, and with the web server's socket" {
    new_job
    munge_start
    printf '[answers]\n' >>"$CONF"
    answers "munge_socket=$MUNGE/socket"
    answers "listen=127.0.0.1:$(closed_port)"
    answers user=nowhere-man
    finds_none answers --role node,login
    finds warning answers "[answers] user: there is no such user here" "useradd --system --shell /usr/sbin/nologin nowhere-man" --role collector
    answers user=nobody
    finds warning answers "jobtrail-answer does not listen: Connection refused" "systemctl enable --now jobtrail-answer; " --role collector
    answers "web_socket=$MUNGE/web"
    finds bad configuration "web_socket needs web_proxy_user" "fix it" --role collector
    answers web_proxy_user=nowhere-man
    finds warning answers "[answers] web_proxy_user: there is no such user here" "set [answers] web_proxy_user in $CONF to" --role collector
    answers web_proxy_user=daemon
    finds warning answers "users get no pages: No such file" "systemctl restart jobtrail-answer" --role collector
    touch "$MUNGE/web"
    finds warning answers "users get no pages: it is no socket" "remove it" --role collector
    rm "$MUNGE/web"
    install -d -o nobody "$MUNGE/place"
    answer_conf user=nobody see=own "web_socket=$MUNGE/place/web" web_proxy_user=daemon
    answer_start setpriv --reuid nobody --clear-groups
    answers "listen=:$ANSWER_PORT"
    answers "web_socket=$MUNGE/place/web"
    finds ok answers "something listens there" "" --role collector
    finds ok answers "the socket is there" "" --role collector
    # a machine that is a collector alone reads the configuration, too
    jq -e 'all(.[]; .state == "ok" or .check != "answers")' "$BATS_TEST_TMPDIR/said"
    answers listen=nonsense
    finds bad configuration "no port" "fix it" --role collector
}

# with_profiles KEY...: lines of [profile]
with_profiles() {
    local staged=$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/lib64
    if [[ ${LIBRARY-$staged} == "$staged"* ]]; then # as with_helper; and a line has 198 bytes
        cp "$staged"/libjobtrail*.so "$BATS_TEST_TMPDIR"
        LIBRARY=$BATS_TEST_TMPDIR/libjobtrail.so
    fi
    RULES=$(printf '[profile]\n'; printf '%s\n' "$@") new_job
    printf '[preload]\nlibrary = %s\n' "$LIBRARY" >>"$CONF"
}

# finds_under STATE FOUND COMMAND...: the finding of profiles, where doctor runs under the command
finds_under() {
    "${@:3}" "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e --plugstack "$SLURM/plugstack.conf" --role node --json \
        >"$BATS_TEST_TMPDIR/said" || true
    jq -e --arg state "$1" --arg found "$2" 'any(.[]; .check == "profiles" and .state == $state and (.found | contains($found)))' \
        "$BATS_TEST_TMPDIR/said"
}

# bats test_tags=needs:root,needs:profile
@test "profiles: nowhere kept, or in a directory that is not there, others can change, or users cannot pass" {
    local kept=$BATS_TEST_TMPDIR/kept
    new_job
    finds_none profiles --role node
    with_profiles 'steps = asked'
    finds warning profiles "steps without directory" "fix [profile]" --role node
    with_profiles 'steps = none' 'samples = all'
    finds warning profiles "steps = none" "fix [profile]" --role node
    with_profiles 'steps = asked' "directory = $kept"
    finds bad profiles "not there: no profile is kept" "mkdir -m 711 $kept" --role node
    finds_none profiles --role login
    mkdir -m 700 "$kept"
    finds bad profiles "users cannot pass it" "chmod 711 $kept" --role node
    chmod 777 "$kept"
    finds bad profiles "can be changed by others than root" "chmod go-w $kept" --role node
    chmod 711 "$kept"
    finds ok profiles "a flush can keep profiles there" "" --role node
    [[ -z $(ls -A "$kept") ]]
    jq -e --arg library "${LIBRARY%.so}-profile.so" 'any(.[]; .check == "profiles" and .state == "ok" and .object == $library)' "$BATS_TEST_TMPDIR/said"
}

# bats test_tags=needs:root,needs:profile
@test "profiles: what a flush needs in their directory is tried: files, flock, chown" {
    local kept=$BATS_TEST_TMPDIR/kept
    with_profiles 'steps = asked' "directory = $kept"
    mkdir -m 711 "$kept"
    finds_under ok "a flush can keep profiles there" env
    finds_under bad "cannot give a file to its user (chown) there: Operation not permitted" setpriv --bounding-set=-chown
    finds_under bad "cannot lock a file (flock) there: No locks available" strace -f -o /dev/null -e trace=flock -e inject=flock:error=ENOLCK
    mount -t tmpfs -o ro,mode=711 none "$kept"
    finds_under bad "cannot make a file there: Read-only file system" env
    umount "$kept"
    [[ -z $(ls -A "$kept") ]]
}

# bats test_tags=needs:profile
@test "profiles: the library for them is missing, or that of runs has another name" {
    local place=$BATS_TEST_TMPDIR/libraries
    mkdir "$place"
    cp "$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/lib64/libjobtrail.so" "$place"
    LIBRARY=$place/libjobtrail.so with_profiles 'steps = all'
    finds bad profiles "No such file" "install jobtrail on this node" --role node
    mv "$place/libjobtrail.so" "$place/other.so"
    LIBRARY=$place/other.so with_profiles 'steps = all'
    finds warning profiles "not called libjobtrail.so" "fix [preload] library" --role node
}

@test "a release of Slurm that the plugin was built for, and no test has run" {
    local plugin=$BATS_TEST_TMPDIR/spank_jobtrail.so release
    new_job
    cp "$JOBTRAIL_BUILD/test/slurm/plugin_of_other_headers.so" "$plugin" # of 23.11
    echo "optional $plugin conf=$CONF" >"$SLURM/plugstack.conf"
    mkdir "$BATS_TEST_TMPDIR/bin"
    for release in 24.11 25.05 23.11; do
        printf '#!/bin/sh\necho slurm %s.4\n' "$release" >"$BATS_TEST_TMPDIR/bin/slurmd"
        chmod 755 "$BATS_TEST_TMPDIR/bin/slurmd"
        PATH=$BATS_TEST_TMPDIR/bin:$PATH doctor --role node --json >"$BATS_TEST_TMPDIR/$release" || true
    done
    cd "$BATS_TEST_TMPDIR"
    [[ $(jq -r '.[] | select(.check == "release") | "\(.state): \(.found)"' 24.11 25.05 23.11) == \
        "ok: for Slurm 22.05, 24.11, 26.05, 23.11; this is 24.11
bad: for Slurm 22.05, 24.11, 26.05, 23.11, and this is 25.05: the plugin is inactive in it
warning: for Slurm 22.05, 24.11, 26.05, 23.11; this is 23.11, whose headers this jobtrail was built with, but which it was not tested with" ]]
}
