#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-conf doctor --run: a step, and its record all the way into the store; or the station at which it stopped.

load ../fixture/cluster

setup_file() {
    export SPOOL_IN_MEMORY=1
    NODES=1 start_cluster
}

setup() {
    # shellcheck disable=SC2034 # for teardown
    TEST_BEGAN=$(date +%FT%T)
    reconfigure
    rm -f "$DIR/collector.env" "$DIR"/store.db*
}

# reconfigure [SED-SCRIPT]: the configuration, with changes, in force
reconfigure() {
    configure "" "${1-}"
}

doctor() { # OPTION...
    "$CLUSTER" exec "${PLACE-n1}" env PATH="$STAGE/bin:$PATH" "$STAGE/bin/jobtrail-conf" doctor --node "${PLACE-n1}" \
        --plugstack "$CLUSTER_DIR/etc/plugstack.conf" --conf "$DIR/jobtrail.conf" --run "$@"
}

# run_doctor OPTION...: its findings about the run as "STATE STATION" in $stations, and what it found at the last one
run_doctor() {
    doctor --json "$@" >"$DIR/said" 2>"$DIR/progress" || true
    stations=$(jq -r 'map(select(.check == "run")) | sort_by(.state == "bad") | map("\(.state) \(.object)") | join(", ")' "$DIR/said")
    found=$(jq -r 'map(select(.check == "run")) | sort_by(.state == "bad") | last | "\(.found): \(.fix)"' "$DIR/said")
    echo "$stations; $found"
}

job_of_run() {
    jq -r '.[] | select(.check == "run" and .object == "step").found' "$DIR/said" | grep -oE '[0-9]+' | head -n 1
}

is_waiting_for_load() {
    grep -q ' store: waiting for jobtrail-load' "$DIR/progress"
}

# The record of doctor's step is with the collector.
has_arrived() {
    local job
    job=$(sed -n 's/.* step: job \([0-9]*\) ran on .*/\1/p' "$DIR/progress")
    [[ -n $job && $(record_count "$job" doctor-step) == 1 ]]
}

@test "a record is followed into the store, with progress, when the loader has run" {
    printf 'JOBTRAIL_STORE=sqlite:%s\nJOBTRAIL_RECORDS=%s\n' "$DIR/store.db" "$DIR/records" >"$DIR/collector.env"
    doctor --json --role node,collector >"$DIR/said" 2>"$DIR/progress" 3>&- &
    pid=$!
    eventually 120 is_waiting_for_load
    "$STAGE/bin/jobtrail-load" --store "sqlite:$DIR/store.db" "$DIR/records"
    wait "$pid"
    [[ $(jq -r 'map(select(.check == "run") | "\(.state) \(.object)") | join(", ")' "$DIR/said") == \
        "ok step, ok plugin, ok library, ok flush, ok outbox, ok store" ]]
    [[ $(sed -E 's/^ *[0-9]+\.[0-9] s  ([a-z]*):.*/\1/' "$DIR/progress" | uniq | xargs) == "step plugin library flush outbox store" ]]
    jq -e 'any(.[]; .check == "run" and .object == "store" and (.found | test("^jobtrail-acct -j [0-9]+ shows the run$")))' "$DIR/said"
}

@test "without a store here it says where to look" {
    run_doctor --role node
    [[ $stations == "ok step, ok plugin, ok library, ok flush, ok outbox, ok store" ]]
    [[ $found == "not followed, since no store can be read here "*"On the collector: jobtrail-acct -j "* ]]
}

@test "from a login node it follows the record past the node" {
    PLACE=ctl run_doctor --role login
    [[ $stations == "ok step, ok plugin, ok library, ok flush, ok store" ]]
    jq -e 'any(.[]; .check == "run" and .object == "flush" and (.found | startswith("not followed on n1")))' "$DIR/said"
}

@test "as another user, and from within a job" {
    SLURM_JOB_ID=1 SLURM_JOBID=1 run_doctor --role node --user "$JOB_USER"
    [[ $stations == "ok step, ok plugin, ok library, ok flush, ok outbox, ok store" ]]
    job=$(job_of_run)
    [[ $(field "$job" doctor-step .userT.user) == "$JOB_USER" ]]
}

# store_of_nobody [RECORDS]: what the service reads, with these
store_of_nobody() {
    rm -rf "$DIR/new"
    mkdir "$DIR/new"
    "$STAGE/bin/jobtrail-load" --store "sqlite:$DIR/new/store.db" --timezone UTC "$@"
    chown nobody "$DIR/new/store.db"
    mv "$DIR/new/store.db" "$DIR/own/store.db"
}

# bats test_tags=needs:answers
@test "as another user, where the service for answers shows users their own runs" {
    mkdir -p "$DIR/own"
    chown nobody "$DIR/own"
    store_of_nobody
    printf '%s\n' '[answers]' user=nobody see=own "munge_socket=$CLUSTER_DIR/run/munge.socket" listen=127.0.0.1:0 \
        "store=sqlite:$DIR/own/store.db" >"$DIR/answers.conf"
    setpriv --reuid nobody --clear-groups "$STAGE/bin/jobtrail-answer" --conf "$DIR/answers.conf" >"$DIR/answers.out" 2>"$DIR/answers.err" 3>&- 4>&- &
    service=$!
    eventually 30 grep -q 'listens on port' "$DIR/answers.out"
    port=$(sed 's/.* port \([0-9]*\) .*/\1/' "$DIR/answers.out")
    reconfigure "s|^\[tracking\]|[answers]\naddress = 127.0.0.1:$port\nuser = nobody\nmunge_socket = $CLUSTER_DIR/run/munge.socket\n&|"
    PLACE=ctl doctor --json --role login --user "$JOB_USER" >"$DIR/said" 2>"$DIR/progress" 3>&- &
    pid=$!
    eventually 120 is_waiting_for_load || fail "$(cat "$DIR/progress" "$DIR/said" "$DIR/answers.err")"
    eventually 60 has_arrived # from a login node doctor does not wait for the flush
    store_of_nobody "$DIR/records"
    wait "$pid" || true
    kill "$service"
    cat "$DIR/said" "$DIR/answers.err"
    jq -e 'any(.[]; .check == "run" and .object == "store" and (.found | test("^jobtrail-acct -j [0-9]+ shows the run$")))' "$DIR/said"
    jq -e 'any(.[]; .check == "answers" and .found == "the service answers")' "$DIR/said"
}

@test "it stops where srun does, and says what srun says" {
    run_doctor --role node -- --partition=nowhere
    [[ $stations == "bad step" && $found == *srun*artition*"--account"* ]]
}

@test "it stops at the plugin: tracking is off" {
    reconfigure 's/^\[tracking\]/&\nenabled = no/'
    run_doctor --role node
    [[ $stations == "ok step, bad plugin" ]]
    jq -e 'any(.[]; .check == "tracking" and .state == "bad")' "$DIR/said"
}

@test "it stops at the library: a rule skips the program" {
    configure $'[paths]\nskip = .*/doctor-step'
    run_doctor --role node
    [[ $stations == "ok step, ok plugin, bad library" ]]
    [[ $found == "not tracked: a path rule skips it ($DIR/jobtrail.conf:$(grep -n '^skip = .*doctor-step' "$DIR/jobtrail.conf" | cut -d: -f1))"* ]]
}

@test "it stops at the flush: the helper is missing" {
    reconfigure "s|^program = .*|program = $DIR/none/jobtrail-submit|"
    run_doctor --role node --timeout $((2 * SLOW))
    [[ $stations == "ok step, ok plugin, ok library, bad flush" && $found == *"still in the spool"* ]]
    reconfigure
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" flush --orphans --conf "$DIR/jobtrail.conf" --node n1
}

@test "it stops at the outbox: nobody takes records" {
    # a port that was somebody's a moment ago
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    reconfigure "s|^use = file|use = http\n[http]\nurl = http://127.0.0.1:$port/|"
    run_doctor --role node
    [[ $stations == "ok step, ok plugin, ok library, ok flush, bad outbox" && $found == *"wait in the outbox"* ]]
    jq -e --arg port "$port" 'any(.[]; .check == "transport" and .state == "bad" and (.found | contains($port)))' "$DIR/said"
    # its epilog may still write down that the transport has failed
    wait_job "$(job_of_run)"
    "$STAGE/bin/jobtrail-submit" outbox drop --all --conf "$DIR/jobtrail.conf"
}

@test "it stops at the store: that cannot be read, or nobody loads" {
    printf 'JOBTRAIL_STORE=sqlite:%s\n' "$DIR/store.db" >"$DIR/collector.env"
    echo "no database at all, but long enough to be looked at as one" >"$DIR/store.db"
    run_doctor --role node,collector
    [[ $stations == "ok step, ok plugin, ok library, ok flush, ok outbox, bad store" && $found == "it cannot be read: "* ]]
    rm "$DIR/store.db"
    run_doctor --role node,collector --timeout $((10 * SLOW))
    [[ $stations == "ok step, ok plugin, ok library, ok flush, ok outbox, bad store" && $found == "the store does not have the run: "* ]]
}

@test "what goes with --run alone is wrong usage without it" {
    for option in "--user root" "--timeout 3" "-- -p main"; do
        # shellcheck disable=SC2086
        run "$STAGE/bin/jobtrail-conf" doctor --role node $option
        [[ $status == 2 ]]
    done
    run "$STAGE/bin/jobtrail-conf" doctor --role collector --run
    [[ $status == 2 ]]
}
