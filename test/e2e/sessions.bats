#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Outside of Slurm: sessions of ordinary users, with and without another batch system.
# shellcheck disable=SC2016 # scripts that sessions run are in single quotes

bats_require_minimum_version 1.5.0
load helper

# Everything lies where an ordinary user can reach it.
setup() {
    PLACE=$(mktemp -d /tmp/jobtrail-sessions-XXXXXX)
    chmod 755 "$PLACE"
    cp -R "$JOBTRAIL_STAGE" "$PLACE/stage"
    mkdir "$PLACE/programs"
    find "$JOBTRAIL_BUILD/test/programs" -maxdepth 1 -type f -executable -exec cp -t "$PLACE/programs" {} +
    CONF=$PLACE/jobtrail.conf SESSIONS=$PLACE/sessions RECORDS=$PLACE/records
    SUBMIT=$PLACE/stage/bin/jobtrail-submit
    cat >"$CONF" <<CONF
[site]
cluster = lab
[spool]
dir = $PLACE/spool
sessions = $SESSIONS
[preload]
library = $PLACE/stage/lib/jobtrail/before-libasan.so/lib64/libjobtrail.so
[submit]
state = $PLACE/state
[file]
dir = $RECORDS
CONF
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    flush_sessions
}

teardown() {
    [[ -z ${LEADER-} ]] || kill -KILL -- "-$LEADER" 2>/dev/null || true
    rm -rf --one-file-system "$PLACE"
}

flush_sessions() {
    "$SUBMIT" flush --sessions --conf "$CONF" --node e2e
}

# session_of UID 'SCRIPT': a session of its own of this user, in which `$programs/x` is recorded; the
# variables of the environment $MORE are set in it
session_of() {
    # shellcheck disable=SC2016
    setsid --wait setpriv --reuid "$1" --regid "$1" --clear-groups env -i PATH=/usr/bin:/bin \
        programs="$PLACE/programs" submit="$SUBMIT" conf="$CONF" place="$PLACE" ${MORE[@]+"${MORE[@]}"} \
        bash -c '
            while read -r name value; do export "$name=$value"; done < <("$submit" session --conf "$conf")
            '"$2"
}

is_gone() {
    [[ ! -e $SESSIONS/$1 || $(ls "$SESSIONS/$1") == "" ]]
}

@test "a session's runs are recorded, once each, and its directory goes with it" {
    session_of 5 '"$programs/exit_with"; "$programs/exit_with" 3; "$programs/kill_self" 9; true'
    [[ $(stat -c '%a %u' "$SESSIONS" "$SESSIONS/5" | xargs) == "1733 0 700 5" ]]
    flush_sessions
    [[ $(endings) == $'exit_with fini\nexit_with fini\nkill_self session' ]]
    [[ $(records | jq -c 'map([.userT.scheduler, .userT.job_id, .userT.account, .userT.user, .slurmT.job_id, .slurmT.node]) | unique') == \
        '[["unknown","unknown","unknown","games",null,"e2e"]]' ]]
    is_gone 5
    flush_sessions
    [[ $(records | jq length) == 3 && $(ls "$PLACE/state/sessions") == "" ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/*.json
}

@test "a session that goes on has its ended runs sent, and the others later" {
    session_of 5 '"$programs/exit_with"; "$programs/spin" 100 >/dev/null & wait' 3>&- &
    running() { pgrep -u 5 -x spin >/dev/null; }
    wait_for running
    LEADER=$(basename "$SESSIONS"/5/*)
    LEADER=${LEADER%.*}
    flush_sessions
    flush_sessions
    [[ $(endings) == "exit_with fini" ]]
    rm "$RECORDS"/* # what has been sent is not sent again
    flush_sessions
    [[ $(ls "$RECORDS") == "" ]]
    kill -KILL -- "-$LEADER"
    wait || true
    LEADER=
    flush_sessions
    [[ $(endings) == "spin session" ]]
    is_gone 5
}

@test "users do not see each other, and each is recorded under his own name" {
    session_of 5 '"$programs/exit_with"; ls '"$SESSIONS"' 2>/dev/null && exit 1; true'
    session_of 6 'USER=root LOGNAME=root "$programs/exit_with"; cat '"$SESSIONS"'/5/*/ledger && exit 1; true' 2>/dev/null
    flush_sessions
    [[ $(records | jq -r '.[] | "\(.userT.exec_path | split("/")[-1]) \(.userT.user)"' | sort | xargs) == \
        "cat man exit_with games exit_with man ls games" ]]
}

@test "PBS, SGE and LSF are told by their variables, as XALT tells them" {
    MORE=(PBS_JOBID=17.server PBS_QUEUE=long PBS_ACCOUNT=chem PBS_O_HOST=login1 PBS_NUM_NODES=4)
    session_of 5 '"$programs/exit_with" 0 pbs'
    MORE=(SGE_ACCOUNT=bio JOB_ID=99 QUEUE=all.q NHOSTS=2)
    session_of 5 '"$programs/exit_with" 0 sge'
    MORE=(LSF_VERSION=34 LSB_JOBID=5 LSB_QUEUE=normal LSB_EXEC_CLUSTER=c1 LSB_MCPU_HOSTS="h1 4 h2 4 h3 4")
    session_of 5 '"$programs/exit_with" 0 lsf'
    flush_sessions
    [[ $(records | jq -c 'sort_by(.cmdlineA[2]) | .[] | [.cmdlineA[2], .userT.scheduler, .userT.job_id, .userT.queue, .userT.account, .userT.submit_host, .userDT.num_nodes]') == \
        '["lsf","LSF","5","normal","unknown","c1",3]
["pbs","PBS","17.server","long","chem","login1",4]
["sge","SGE","99","all.q","bio","unknown",2]' ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/*.json
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$PLACE/store" "$RECORDS"
}

@test "what a user puts in a ledger's place is neither read nor followed" {
    echo secret >"$PLACE/secret"
    chmod 600 "$PLACE/secret"
    session_of 5 '
        cd '"$SESSIONS"'/5
        mkdir -p 99999991.1 99999992.1 99999993.1 99999994.1/ledger odd 1.x
        ln -s "$place/secret" 99999991.1/ledger
        mkfifo 99999992.1/ledger
        echo nothing >99999993.1/ledger
        ln -s /etc 99999995.1'
    mkdir -p "$SESSIONS/6/99999996.1"
    echo "root made this" >"$SESSIONS/6/99999996.1/ledger"
    flush_sessions || true
    [[ -s $PLACE/secret && -d /etc ]]
    [[ $(find "$PLACE/state/quarantine" -type f -exec cat {} + | grep -c secret) == 0 ]]
    [[ -e $SESSIONS/6/99999996.1/ledger ]] # not the user's directory
    # the flush comes to an end, and sound sessions beside them are flushed
    session_of 5 '"$programs/exit_with"'
    flush_sessions || true
    [[ $(endings | grep exit_with) == "exit_with fini" ]]
}

# module_session LOAD UNLOAD VARIABLE=VALUE...: a session that loads the module by this shell text, runs a program, unloads it
# and runs another: the first alone is recorded
module_session() {
    mkdir -p "$PLACE/modulefiles"
    sed "s|exec [^ ]*/jobtrail-submit session|exec $SUBMIT session --conf $CONF|" \
        "$PLACE/stage/share/jobtrail/modulefiles/jobtrail" >"$PLACE/modulefiles/jobtrail"
    # shellcheck disable=SC2016
    setsid --wait setpriv --reuid 5 --regid 5 --clear-groups env -i PATH=/usr/bin:/bin HOME=/ USER=games \
        MODULEPATH="$PLACE/modulefiles" programs="$PLACE/programs" "${@:3}" bash -c '
            eval "$('"$1"')"
            "$programs/exit_with" 0 recorded
            eval "$('"$2"')"
            [[ -z ${LD_PRELOAD-} && -z ${JOBTRAIL_SPOOL-} ]] || exit 1
            "$programs/exit_with" 0 not'
    flush_sessions
    [[ $(records | jq -c 'map(select(.userT.exec_path | endswith("/exit_with"))
        | [.cmdlineA[2], .userT.scheduler, .userT.user])') == '[["recorded","unknown","games"]]' ]]
}

@test "the modulefile has the session recorded, and takes it back: Environment Modules" {
    module_session '"$modulecmd" bash load jobtrail' '"$modulecmd" bash unload jobtrail' \
        modulecmd=/usr/lib/x86_64-linux-gnu/modulecmd.tcl
}

@test "the modulefile has the session recorded, and takes it back: Lmod" {
    "$JOBTRAIL_SOURCE/test/debian-source" "$JOBTRAIL_BUILD/test/debian-source" --binary lmod
    cp -R "$(echo "$JOBTRAIL_BUILD"/test/debian-source/lmod/usr/share/lmod/8*)" "$PLACE/lmod"
    rm "$PLACE/lmod/lib" # a link to where the package has it
    cp -R "$(echo "$JOBTRAIL_BUILD"/test/debian-source/lmod/usr/lib/lmod/8*/lib)" "$PLACE/lmod"
    for fast in yes no; do # Tcl's library in Lmod's process, or a process of its own
        rm -rf "$RECORDS"
        module_session 'lua5.3 "$LMOD_DIR/lmod" bash load jobtrail' 'lua5.3 "$LMOD_DIR/lmod" bash unload jobtrail' \
            LMOD_DIR="$PLACE/lmod/libexec" LMOD_FAST_TCL_INTERP=$fast
    done
}

@test "where no sessions are recorded, the modulefile and the command do nothing" {
    sed -i 's/^sessions = .*/sessions =/' "$CONF"
    run "$SUBMIT" session --conf "$CONF"
    [[ $status == 1 && $output == "" ]]
    run -0 flush_sessions
}

@test "where no timer has made the directory, sessions start without a word" {
    rmdir "$SESSIONS"
    session_of 5 '[[ -z ${LD_PRELOAD-} ]] && "$programs/exit_with"' >"$PLACE/said" 2>&1
    [[ ! -s $PLACE/said ]]
    run "$SUBMIT" session --conf "$CONF"
    [[ $status == 1 && $output == "" ]]
}

@test "sessions take half of the outbox at the most, and the rest is for later flushes" {
    printf '[outbox]\nsize = 1M\n' >>"$CONF"
    session_of 5 'printf -v long %020000d; for ((i = 0; i < 60; i++)); do "$programs/exit_with" 0 "$long"; done'
    run -0 --separate-stderr "$SUBMIT" flush --sessions --conf "$CONF" --node e2e --json
    # shellcheck disable=SC2154
    [[ $stderr == *"user 5: no room in the outbox"* && $(jq .overflowed <<<"$output") == 0 ]]
    (($(jq .records <<<"$output") > 5 && $(jq .records <<<"$output") < 60))
    for ((i = 0; i < 20 && $(endings | wc -l) < 60; i++)); do
        flush_sessions
    done
    [[ $(endings | sort | uniq -c | xargs) == "60 exit_with fini" ]]
    is_gone 5
}

@test "a session's notes go when its user has put it away himself" {
    session_of 5 '"$programs/exit_with"; "$programs/spin" 100 >/dev/null & wait' 3>&- &
    spins() { pgrep -u 5 -x spin >/dev/null; }
    wait_for spins
    LEADER=$(basename "$SESSIONS"/5/*)
    LEADER=${LEADER%.*}
    flush_sessions
    [[ $(ls "$PLACE/state/sessions") == "5.$LEADER".* ]]
    setpriv --reuid 5 --clear-groups bash -c 'cd "$1" && mv [0-9]* away' _ "$SESSIONS/5"
    flush_sessions
    [[ $(ls "$PLACE/state/sessions") == "" ]]
}
