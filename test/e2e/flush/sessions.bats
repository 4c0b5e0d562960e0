#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Outside of Slurm: sessions of ordinary users, with and without another batch system.
# bats file_tags=needs:root
# shellcheck disable=SC2016,SC2030,SC2031 # scripts that sessions run are in single quotes; each test has its own MORE

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/packages

# Everything lies where an ordinary user can reach it.
setup() {
    PLACE=$(mktemp -d /tmp/jobtrail-sessions-XXXXXX)
    chmod 755 "$PLACE"
    cp -R "$JOBTRAIL_STAGE" "$PLACE/stage"
    mkdir "$PLACE/programs"
    find "$JOBTRAIL_BUILD/test/programs" -maxdepth 1 -type f -executable -exec cp -t "$PLACE/programs" {} +
    CONF=$PLACE/jobtrail.conf SESSIONS=$PLACE/sessions RECORDS=$PLACE/records
    SUBMIT=$PLACE/stage/bin/jobtrail-submit
    BEGUN_BY=(setsid --wait)
    cat >"$CONF" <<CONF
[site]
cluster = lab
[spool]
dir = $PLACE/spool
sessions = $SESSIONS
[preload]
library = $PLACE/stage/lib/jobtrail/before-libasan.so/lib64/libjobtrail.so
[hooks]
dir = $PLACE/stage/share/jobtrail/hooks
[submit]
state = $PLACE/state
[file]
dir = $RECORDS
[tracking]
system_tools = yes
[packages]
skip = python:name:_distutils_hack
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
# variables of the environment $MORE are set in it; $BEGUN_BY makes it a session
session_of() {
    # shellcheck disable=SC2016
    ${BEGUN_BY[@]+"${BEGUN_BY[@]}"} setpriv --reuid "$1" --regid "$1" --clear-groups env -i PATH=/usr/bin:/bin \
        programs="$PLACE/programs" submit="$SUBMIT" conf="$CONF" place="$PLACE" ${MORE[@]+"${MORE[@]}"} \
        bash -c '
            while read -r verb name value; do
                case $verb in
                    prepend) value+=${!name:+:${!name}} ;;
                    prepend-word) value+=${!name:+ ${!name}} ;;
                esac
                export "$name=$value"
            done < <("$submit" session --conf "$conf")
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
    running() { pgrep -u 5 -x -r R,S spin >/dev/null; }
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
    [[ $(records | jq -r '.[] | "\(.userT.exec_path | split("/")[-1]) \(.userT.user) \(.slurmT.uid)"' | sort | xargs) == \
        "cat man 6 exit_with games 5 exit_with man 6 ls games 5" ]]
}

site_has() { # SYSTEM
    sed -i '/^scheduler/d; s/^\[site\]$/&\nscheduler = '"$1/" "$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
}

# [environment] keeps none of these variables
@test "PBS, SGE and LSF are told by their variables, as XALT tells them, where the site has them" {
    # elsewhere users would give what they claim the place of facts: none is known
    MORE=(PBS_JOBID=1.s PBS_ACCOUNT=physics PBS_QUEUE=batch)
    session_of 5 '"$programs/exit_with" 0 claim'
    flush_sessions
    [[ $(records | jq -c '.[].userT | [.scheduler, .job_id, .queue, .account, .submit_host]') == \
        '["unknown","unknown","unknown","unknown","unknown"]' ]]
    rm "$RECORDS"/*
    printf '[environment]\nkeep = COLOUR\n' >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    site_has PBS
    MORE=(OMP_NUM_THREADS="6,2" COLOUR=red PBS_JOBID=17.server PBS_QUEUE=long PBS_ACCOUNT=chem PBS_O_HOST=login1 PBS_NUM_NODES=4)
    session_of 5 '"$programs/exit_with" 0 pbs'
    flush_sessions
    site_has SGE
    MORE=(SGE_ACCOUNT=bio JOB_ID=99 QUEUE=all.q NHOSTS=2)
    session_of 5 '"$programs/exit_with" 0 sge'
    flush_sessions
    site_has LSF
    MORE=(LSF_VERSION=34 LSB_JOBID=5 LSB_QUEUE=normal LSB_EXEC_CLUSTER=c1 LSB_MCPU_HOSTS="h1 4 h2 4 h3 4")
    session_of 5 '"$programs/exit_with" 0 lsf'
    flush_sessions
    [[ $(records | jq -c 'sort_by(.cmdlineA[2]) | .[] | [.cmdlineA[2], .userT.scheduler, .userT.job_id, .userT.queue, .userT.account, .userT.submit_host, .userDT.num_nodes, .userDT.num_threads, .envT]') == \
        '["lsf","LSF","5","normal","unknown","c1",3,1,{}]
["pbs","PBS","17","long","chem","login1",4,6,{"COLOUR":"red"}]
["sge","SGE","99","all.q","bio","unknown",2,1,{}]' ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/*.json
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$PLACE/store" "$RECORDS"
    # users set such variables: none of these is a job of Slurm's
    [[ $(sqlite3 "$PLACE/store" 'SELECT count(job_id), count(job_id_raw) FROM run') == '3|0' ]]
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
    [[ -e $(echo "$SESSIONS"/.aside.6.*)/99999996.1/ledger ]] # not the user's directory
    # the flush comes to an end, and sound sessions beside them are flushed
    session_of 5 '"$programs/exit_with"'
    flush_sessions || true
    [[ $(endings | grep exit_with) == "exit_with fini" ]]
}

# make_alpha: a package alpha for Python, and Alpha for Perl, in $place/lib
make_alpha() {
    make_module "$PLACE/lib" alpha '__version__ = "2.5"'
    printf 'package Alpha; our $VERSION = "1.50"; 1;\n' >"$PLACE/lib/Alpha.pm"
}

# told: "ENDING PACKAGE" of the packages of all runs, sorted
told() {
    jq -r --slurpfile packages <(packages) '.[] | . as $run | $packages[0][]
        | select(.xalt_run_uuid == $run.userT.run_uuid)
        | "\($run.slurmT.end_source) \(.program) \(.package_name) \(.package_version)"' <(records) | sort
}

@test "a session's packages are recorded, also of killed programs" {
    make_alpha
    session_of 5 '
        export PYTHONPATH=$PYTHONPATH:$place/lib PERL5LIB=$place/lib
        python3 -c "import alpha, json"
        python3 -c "import alpha, os; os.kill(os.getpid(), 9)"
        perl -e "use Alpha"
        perl -e "use Alpha; kill 9, \$\$"
        Rscript -e "library(jsonlite); tools::pskill(Sys.getpid(), 9); Sys.sleep(10)"
        true'
    run -0 "$SUBMIT" flush --sessions --conf "$CONF" --node e2e --json
    [[ $(jq -c '[.packages, .unhooked, .damaged]' <<<"$output") == "[5,0,0]" ]]
    [[ $(told | grep -v jsonlite) == 'fini perl Alpha 1.50
fini python alpha 2.5
session perl Alpha 1.50
session python alpha 2.5' ]]
    [[ $(told | grep jsonlite) == "session R jsonlite "* ]]
    is_gone 5
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/*.json
}

@test "of a session that goes on, packages are sent with their runs, once" {
    make_alpha
    # more packages than the notes have room for
    sed -i 's/^\[spool\]$/&\nledger_size = 1M/' "$CONF"
    for number in {1..1000}; do
        : >"$PLACE/lib/many$number.py"
    done
    session_of 5 '
        export PYTHONPATH=$PYTHONPATH:$place/lib PERL5LIB=$place/lib
        perl -e "use Alpha"
        python3 -c "for number in range(1, 1001): __import__(\"many%d\" % number)"
        python3 -c "import alpha, os, time; os.mkdir(os.environ[\"JOBTRAIL_SPOOL\"] + \"/up\"); time.sleep(300)" & wait' 3>&- &
    is_up() { [[ -d $(echo "$SESSIONS"/5/*)/up ]]; }
    wait_for is_up
    rmdir "$SESSIONS"/5/*/up
    LEADER=$(basename "$SESSIONS"/5/*)
    LEADER=${LEADER%.*}
    flush_sessions
    [[ $(told | grep -v many) == "fini perl Alpha 1.50" && $(told | grep -c many) == 1000 ]]
    rm "$RECORDS"/*
    flush_sessions
    [[ $(ls "$RECORDS") == "" ]]
    kill -KILL -- "-$LEADER"
    wait || true
    LEADER=
    flush_sessions
    [[ $(told) == "session python alpha 2.5" ]]
    is_gone 5
}

@test "damaged lines of a session's packages are set aside, and the sound ones sent" {
    make_alpha
    session_of 5 '
        PYTHONPATH=$PYTHONPATH:$place/lib python3 -c "import alpha"
        printf "pkg\tno run\n\t\n" >>"$JOBTRAIL_SPOOL/packages"'
    run -0 --separate-stderr "$SUBMIT" flush --sessions --conf "$CONF" --node e2e --json
    [[ $(jq -c '[.packages, .damaged, .quarantined]' <<<"$output") == "[1,2,1]" && $(told) == "fini python alpha 2.5" ]]
    grep -q "no run" "$PLACE"/state/quarantine/5.*/packages
    grep -q "damaged lines in the packages" "$PLACE"/state/quarantine/5.*/reason
    is_gone 5
}

@test "what a user puts in the place of the packages is neither read nor followed, and keeps no run" {
    echo treasure >"$PLACE/secret"
    chmod 600 "$PLACE/secret"
    for way in 'ln -s "$place/secret" packages' 'mkfifo packages' 'mkdir -p packages/more'; do
        rm -rf "$RECORDS"
        session_of 5 '"$programs/exit_with"; cd "$JOBTRAIL_SPOOL" && rm packages && '"$way"
        flush_sessions
        [[ $(endings | grep exit_with) == "exit_with fini" && -s $PLACE/secret ]]
        [[ $(ls "$SESSIONS/5") == "" || $(ls "$SESSIONS/5") == refused ]]
    done
    [[ $(find "$PLACE/state/quarantine" -name reason | wc -l) == 3 ]]
    [[ $(find "$PLACE/state/quarantine" -type f -exec cat {} + | grep -c treasure) == 0 ]]
}

@test "without hooks in the configuration a session has none of their variables" {
    sed -i 's/^dir = .*hooks$/dir =/' "$CONF"
    session_of 5 '[[ ! -e $JOBTRAIL_SPOOL/packages && ! -v PYTHONPATH && ! -v PERL5OPT ]] && "$programs/exit_with"'
    flush_sessions
    [[ $(endings) == "exit_with fini" ]]
}

# module_shell 'SCRIPT': in a session that has the modulefile and the environment $MORE; `variables` prints
# all but what the module systems note for themselves
module_shell() {
    mkdir -p "$PLACE/modulefiles"
    sed "s|exec [^ ]*/jobtrail-submit session|exec $SUBMIT session --conf $CONF|" \
        "$PLACE/stage/share/jobtrail/modulefiles/jobtrail" >"$PLACE/modulefiles/jobtrail"
    setsid --wait setpriv --reuid 5 --regid 5 --clear-groups env -i PATH=/usr/bin:/bin HOME=/ USER=games \
        MODULEPATH="$PLACE/modulefiles" programs="$PLACE/programs" place="$PLACE" PERL5LIB="$PLACE/lib" "${MORE[@]}" bash -c '
            variables() {
                env -0 | grep -zv "^\(_\|LOADEDMODULES\|_LMFILES_\|__MODULES_[^=]*\|_*LMOD_[^=]*\|_ModuleTable[^=]*\)=" |
                    sort -z | tr "\0" "\n"
            }
            '"$1"
}

# module_session LOAD UNLOAD: a session that loads the module by this shell text, runs programs, unloads it
# and runs one more: the first ones alone are recorded, with the packages $MODULE_PACKAGES, and the
# environment is what it was
module_session() {
    rm -rf "$RECORDS"
    module_shell '
        before=$(variables)
        eval "$('"$1"')"
        "$programs/exit_with" 0 recorded
        python3 -c "import sys; sys.path.append(\"$PERL5LIB\"); import alpha"
        perl -e "use Alpha"
        Rscript -e "library(jsonlite)"
        eval "$('"$2"')"
        diff <(echo "$before") <(variables) || exit 1
        "$programs/exit_with" 0 not' >"$PLACE/said" 2>&1
    flush_sessions
    [[ $(records | jq -c 'map(select(.userT.exec_path | endswith("/exit_with"))
        | [.cmdlineA[2], .userT.scheduler, .userT.user])') == '[["recorded","unknown","games"]]' ]]
    [[ $(package_names) == "$MODULE_PACKAGES" ]]
}

# module_sessions LOAD UNLOAD [PERL5OPT=VALUE]: of a user without and with values of his own, set before
# and after; and what a job's task does that comes from such a session
module_sessions() {
    local system=("${MORE[@]}")
    make_alpha
    echo 'message("my profile")' >"$PLACE/Rprofile"
    MODULE_PACKAGES="Alpha alpha jsonlite"
    module_session "$1" "$2"
    [[ ! -s $PLACE/said ]]
    MORE=("${system[@]}" PYTHONPATH="$PLACE/lib:/nowhere" MATLABPATH=/m R_PROFILE="$PLACE/Rprofile" OCTAVE_SITE_INITFILE='/a *$' "${@:3}")
    module_session "$1" "$2"
    [[ $(cat "$PLACE/said") == "my profile" ]]
    MORE=("${system[@]}" R_PROFILE="$PLACE/Rprofile:1" OCTAVE_SITE_INITFILE=)
    MODULE_PACKAGES="Alpha alpha" # what could not be given back is left alone
    module_session "$1" "$2"
    MORE=("${system[@]}")
    module_shell '
        eval "$('"$1"')"
        export XALT_EXECUTABLE_TRACKING=no R_PROFILE=/mine PYTHONPATH=/mine:$PYTHONPATH PERL5OPT="$PERL5OPT -w"
        eval "$('"$2"')"
        [[ $(variables | grep "^XALT\|^JOBTRAIL\|^R_PRO\|^PYTHONPATH\|^PERL5OPT\|^LD_\|^OCTAVE" | xargs) == \
            "PERL5OPT=-w PYTHONPATH=/mine R_PROFILE=/mine XALT_EXECUTABLE_TRACKING=no" ]]'
    module_shell '
        eval "$('"$1"')"
        export JOBTRAIL_TASK=0.0.1 JOBTRAIL_SPOOL=/plugins/1.0
        before=$(variables)
        eval "$('"$2"')"
        diff <(echo "$before") <(variables) || exit 1
        eval "$('"$1"')"
        diff <(echo "$before") <(variables)'
    # csh takes no braces, which Perl's has
    MORE=("${system[@]}" PYTHONPATH=/mine R_PROFILE=/mine PERL5OPT=-w)
    cat >"$PLACE/csh" <<CSH
eval \`${1/ bash / tcsh }\`
printenv R_PROFILE
printenv PYTHONPATH
printenv PERL5OPT
eval \`${2/ bash / tcsh }\`
env | grep "^XALT\|^JOBTRAIL\|^R_PRO\|^PYTHONPATH\|^PERL5OPT\|^LD_\|^OCTAVE" | sort
CSH
    hooks=$PLACE/stage/share/jobtrail/hooks
    [[ $(module_shell 'tcsh -f "$place/csh"' | xargs) == \
        "$hooks/r/Rprofile $hooks/python:/mine -w PERL5OPT=-w PYTHONPATH=/mine R_PROFILE=/mine" ]]
}

@test "the modulefile has the session recorded, and takes it back: Environment Modules" {
    MORE=(modulecmd=/usr/lib/x86_64-linux-gnu/modulecmd.tcl)
    module_sessions '"$modulecmd" bash load jobtrail' '"$modulecmd" bash unload jobtrail' PERL5OPT='-w  -Mstrict -w'
}

@test "the modulefile has the session recorded, and takes it back: Lmod" {
    "$JOBTRAIL_SOURCE/test/debian-source" "$JOBTRAIL_BUILD/test/debian-source" --binary lmod
    cp -R "$(echo "$JOBTRAIL_BUILD"/test/debian-source/lmod/usr/share/lmod/8*)" "$PLACE/lmod"
    rm "$PLACE/lmod/lib" # a link to where the package has it
    cp -R "$(echo "$JOBTRAIL_BUILD"/test/debian-source/lmod/usr/lib/lmod/8*/lib)" "$PLACE/lmod"
    for fast in yes no; do # Tcl's library in Lmod's process, or a process of its own
        MORE=(LMOD_DIR="$PLACE/lmod/libexec" LMOD_FAST_TCL_INTERP="$fast")
        module_sessions 'lua5.3 "$LMOD_DIR/lmod" bash load jobtrail' 'lua5.3 "$LMOD_DIR/lmod" bash unload jobtrail'
        # Lmod would write these options anew
        MORE=(LMOD_DIR="$PLACE/lmod/libexec" LMOD_FAST_TCL_INTERP="$fast" PERL5OPT='-w  -I/x/ -w')
        MODULE_PACKAGES="alpha jsonlite"
        module_session 'lua5.3 "$LMOD_DIR/lmod" bash load jobtrail' 'lua5.3 "$LMOD_DIR/lmod" bash unload jobtrail'
    done
}

@test "where no sessions are recorded, the modulefile and the command do nothing" {
    sed -i 's/^sessions = .*/sessions =/' "$CONF"
    run "$SUBMIT" session --conf "$CONF"
    [[ $status == 1 && $output == "" ]]
    run -0 flush_sessions
}

@test "where no timer has made the directory, sessions start without a word" {
    rm "$SESSIONS/version"
    rmdir "$SESSIONS"
    session_of 5 '[[ -z ${LD_PRELOAD-} ]] && "$programs/exit_with"' >"$PLACE/said" 2>&1
    [[ ! -s $PLACE/said ]]
    run "$SUBMIT" session --conf "$CONF"
    [[ $status == 1 && $output == "" ]]
}

# has_runs_recorded UID: of a session that BEGUN_BY made
has_runs_recorded() {
    session_of "$1" '"$programs/exit_with"; "$programs/kill_self" 9; true' 2>&1 | cat >"$PLACE/said" # until the last has gone
    [[ $(<"$PLACE/said") == *Killed* && $(<"$PLACE/said") != *jobtrail* && -d $SESSIONS/$1 ]]
    flush_sessions
    [[ $(endings) == $'exit_with fini\nkill_self session' ]]
    is_gone "$1"
}

@test "a session whose leader has ended is one of its next process" {
    BEGUN_BY=(setsid bash -c '{ while kill -0 $$ 2>/dev/null; do sleep 0.01; done; exec "$@"; } &' _)
    has_runs_recorded 5
}

@test "a session whose leader is outside of the pid namespace is one of the first process inside" {
    BEGUN_BY=(unshare --pid --fork --mount-proc)
    has_runs_recorded 5
    rm -r "$RECORDS"
    has_runs_recorded 0
}

@test "a session in a pid namespace is left alone by a flush outside until it is over" {
    local inside
    BEGUN_BY=(unshare --pid --fork --mount-proc)
    mkfifo -m 666 "$PLACE/begun"
    session_of 5 '"$programs/exit_with"; { "$programs/spin" 100 >/dev/null; } & echo >"$place/begun"; wait' 3>&- &
    read -r _ <"$PLACE/begun"
    flush_sessions
    [[ $(endings) == "" && -e $(echo "$SESSIONS"/5/1.*/ledger) ]]
    inside=$(pgrep -P "$(pgrep -P "$!" unshare || echo "$!")")
    kill -KILL "$inside"
    wait || true
    ended() { flush_sessions && [[ $(endings) == $'exit_with fini\nspin session' ]]; } # with its last process
    wait_for ended
    is_gone 5
}

@test "sessions take half of the outbox at the most, and the rest is for later flushes" {
    printf '[outbox]\nsize = 1M\n' >>"$CONF"
    session_of 5 'printf -v long %020000d; for ((i = 0; i < 60; i++)); do "$programs/exit_with" 0 "$long"; done'
    run -0 --separate-stderr "$SUBMIT" flush --sessions --conf "$CONF" --node e2e --json
    # shellcheck disable=SC2154
    [[ $stderr == *"user 5: no room in the outbox"* && $(jq .overflowed <<<"$output") == 1 ]]
    (($(jq .records <<<"$output") > 5 && $(jq .records <<<"$output") < 60))
    for ((i = 0; i < 20 && $(endings | wc -l) < 60; i++)); do
        flush_sessions
    done
    [[ $(endings | sort | uniq -c | xargs) == "60 exit_with fini" ]]
    is_gone 5
}

@test "a session's notes go when its user has put it away himself" {
    session_of 5 '"$programs/exit_with"; "$programs/spin" 100 >/dev/null & wait' 3>&- &
    spins() { pgrep -u 5 -x -r R,S spin >/dev/null; }
    wait_for spins
    LEADER=$(basename "$SESSIONS"/5/*)
    LEADER=${LEADER%.*}
    flush_sessions
    [[ $(ls "$PLACE/state/sessions") == "5.$LEADER".* ]]
    setpriv --reuid 5 --clear-groups bash -c 'cd "$1" && mv [0-9]* away' _ "$SESSIONS/5"
    flush_sessions
    [[ $(ls "$PLACE/state/sessions") == "" ]]
}

# as_if_in CGROUP COMMAND...: in a session of its own, as user 5, with no variables but those that the command
# begins with, in a process whose /proc/self/cgroup says CGROUP
as_if_in() {
    local cgroup=$1
    shift
    printf '%s\n' "$cgroup" >"$PLACE/cgroup"
    unshare --mount bash -c 'mount --bind "$1" /proc/$$/cgroup; shift; exec "$@"' bash "$PLACE/cgroup" \
        setsid --wait setpriv --reuid 5 --regid 5 --clear-groups env -i PATH=/usr/bin:/bin "$@"
}

@test "in a job that opted out, in a recorded task, and for a user who refuses, there is no session" {
    local session=("$SUBMIT" session --conf "$CONF") cgroup=0::/system.slice/slurmstepd.scope/job_17/step_0/user
    mkdir -p "$PLACE/spool/17.2" "$PLACE/spool/18.0" # requeued twice; not opted out
    touch "$PLACE/spool/17.2/opted_out"
    chmod 711 "$PLACE/spool" "$PLACE/spool/"*
    run -1 as_if_in "$cgroup" "${session[@]}"
    [[ $output == "" ]]
    # Slurm 26.05 with cgroup v2, whatever the user's variables say (spank/job_sluid.h)
    ln -s 17.2 "$PLACE/spool/sJ8Z3V0CEB4N00"
    run -1 as_if_in "${cgroup/job_17/sJ8Z3V0CEB4N00}" SLURM_JOB_ID=18 "${session[@]}"
    run -1 as_if_in 0::/ SLURM_JOB_ID=17 "${session[@]}"
    run -1 as_if_in 0::/ XALT_EXECUTABLE_TRACKING=no "${session[@]}"
    run -1 as_if_in 0::/ JOBTRAIL_TASK=0.0.1 "${session[@]}"
    [[ $(ls "$SESSIONS") == version ]]
    # others; jobs of other nodes, as a shell of salloc on a login node has one; no job; and another user's word
    for job in SLURM_JOB_ID=18 SLURM_JOB_ID=19 SLURM_JOB_ID= SLURM_JOB_ID=17x SLURM_JOB_ID=1 XALT_EXECUTABLE_TRACKING=yes; do
        for other in job_18 sJ8Z3V0CEB4N01; do
            as_if_in "${cgroup/job_17/$other}" "$job" "${session[@]}" | grep -q "^set JOBTRAIL_SPOOL $SESSIONS/5/"
        done
    done
}

@test "who reads and removes a user's files has no descriptor of root's" {
    local flush pid uid fd links
    session_of 5 '"$programs/exit_with"; umask 077; mkdir -p "$JOBTRAIL_SPOOL/../records"
        uuid=019a9f00-1122-7abc-8def-010203040506
        echo "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"$uuid\"}}" \
            >"$JOBTRAIL_SPOOL/../records/link.lab.a.games.$uuid.json"'
    # each stops when it has become the user, and goes on when it has been looked at
    strace -f -o "$PLACE/trace" -e trace=prctl -e inject=prctl:signal=SIGSTOP:when=3 \
        "$SUBMIT" flush --sessions --conf "$CONF" --node e2e >"$PLACE/said" 2>&1 &
    flush=$!
    mkdir "$PLACE/seen"
    while kill -0 "$flush" 2>/dev/null; do
        for pid in $(pgrep -P "$(pgrep -P "$flush" || echo 1)" -x jobtrail-submit); do
            read -r _ _ uid _ < <(grep ^Uid: "/proc/$pid/status" 2>/dev/null) || continue
            if [[ $uid == 5 && $(awk '$1 == "State:" { print tolower($2) }' "/proc/$pid/status") == t ]]; then
                links=$(for fd in "/proc/$pid/fd"/*; do readlink "$fd"; done) || true
                [[ $links == "" ]] || echo "$links" >"$PLACE/seen/$pid"
                kill -CONT "$pid" || true # it goes on as soon as it has been traced
            fi
        done
    done
    wait "$flush"
    # a worker and its hasher, the reader of handed-in records, and two that remove
    [[ $(find "$PLACE/seen" -type f -size +0 | wc -l) == 5 ]]
    [[ $(sort -u "$PLACE"/seen/* | grep -v '^/dev/null$\|^pipe:\|^socket:' | sed "s|$SESSIONS/5|USER|; s|/[0-9.]*\>|/SESSION|") == \
        $'USER\nUSER/SESSION\nUSER/SESSION/ledger\nUSER/SESSION/packages' ]]
    [[ $(endings) == $'exit_with fini\nmkdir fini' && $(find "$RECORDS" -name "link.*" | wc -l) == 1 ]]
    [[ $(ls "$SESSIONS/5") == records ]]
}

@test "a session's run that says it began in 1970 or in 2554 began when the session did or was over" {
    local year
    for year in 0 18446744073709551615; do # where start_ns is: see preload/ledger.h
        rm -rf "$RECORDS"
        MORE=(year="$year")
        session_of 5 '"$programs/exit_with"; perl -e '"'"'open F, "+<", glob "$ENV{place}/sessions/5/*/ledger" or die;
            seek F, 36864 + 48, 0; syswrite F, pack "Q", $ENV{year} + 1 * !$ENV{year} or die'"'"
        [[ $("$SUBMIT" flush --sessions --json --conf "$CONF" --node e2e | jq -c '[.records, .misdated, .damaged]') == "[2,1,0]" ]]
        [[ $(records | jq 'all(.[].userDT; .start_time > now - 3600 and .run_time < 3600)') == true ]]
    done
}
