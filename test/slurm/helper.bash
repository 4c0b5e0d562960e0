# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# For the bats files of the slurm tier: a cluster per file, jobs, records.
#
#   load helper
#   setup_file() { start_cluster [bare] [VARIABLE=VALUE...]; }    variables: see test/cluster/cluster
#   teardown_file() { stop_cluster; }
#
# start_cluster exports
#   DIR       scratch directory of this file's run, readable for everybody, removed at the end
#   STAGE     the installed jobtrail; PROGRAMS  the programs of test/programs and test/mpi
#   CLUSTER   the command test/cluster/cluster, CLUSTER_DIR its directory
#   JOB_USER  an ordinary user, whom the jobs of submit() belong to
# DIR lies in $SCRATCH, or in /tmp. With SPOOL_IN_MEMORY=1, to be exported, the spool of n1 is a file
# system of its own.
# Unless it is `bare`, the cluster has our plugin, with $DIR/jobtrail.conf, to which $RULES (text,
# for example a [paths] section) is appended. JOBTRAIL_KEEP=1 leaves DIR for a look at the logs.

start_cluster() {
    local bare=
    if [[ ${1-} == bare ]]; then
        bare=1
        shift
    fi
    # /tmp and not TMPDIR: ordinary users come here, and the paths of sockets are short
    DIR=$(mktemp -d "${SCRATCH:-/tmp}/jobtrail-test-XXXXXX")
    STAGE=$DIR/stage PROGRAMS=$DIR/programs
    CLUSTER=$JOBTRAIL_SOURCE/test/cluster/cluster CLUSTER_DIR=$DIR/cluster
    JOB_USER=jtuser
    export DIR STAGE PROGRAMS CLUSTER CLUSTER_DIR JOB_USER
    chmod 755 "$DIR"
    make_user "$JOB_USER"
    # Copies, because ordinary users cannot be expected to reach the build directory.
    cp -R "$JOBTRAIL_STAGE" "$STAGE"
    mkdir -p "$PROGRAMS" "$CLUSTER_DIR/etc" "$DIR/run" "$DIR/state" "$DIR/records" "$DIR/out"
    find "$JOBTRAIL_BUILD/test/programs" "$JOBTRAIL_BUILD/test/mpi" -maxdepth 1 -type f -executable \
        -exec cp -t "$PROGRAMS" {} +
    mkdir -m 1777 "$DIR/tmp"
    if [[ -n ${SPOOL_IN_MEMORY-} ]]; then
        mkdir "$DIR/run/n1"
        mount -t tmpfs -o size=256m,mode=711 none "$DIR/run/n1"
    fi
    chmod 1777 "$DIR/out"
    if [[ -z $bare ]]; then
        [[ -e $STAGE/lib/slurm/spank_jobtrail.so ]] || fail "the plugin is not installed in $STAGE"
        write_jobtrail_conf "${RULES-}"
        echo "optional $STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf" \
            >"$CLUSTER_DIR/etc/plugstack.conf"
    fi
    # When this run is killed, the cluster stops by itself and removes DIR.
    env OWNER=$$ OWNER_REMOVES="$DIR" "$@" "$CLUSTER" start
}

stop_cluster() {
    [[ -n ${DIR-} ]] || return 0
    "$CLUSTER" stop
    [[ -z ${SPOOL_IN_MEMORY-} ]] || umount "$DIR/run/n1"
    [[ ${JOBTRAIL_KEEP-} == 1 ]] || rm -rf --one-file-system "$DIR"
}

write_jobtrail_conf() { # TEXT to append
    cat >"$DIR/jobtrail.conf" <<CONF
[site]
cluster = lab

[spool]
dir = $DIR/run/%n

[preload]
library = $STAGE/lib/jobtrail/before-libasan.so/\$LIB/libjobtrail.so

[hooks]
dir = $STAGE/share/jobtrail/hooks

[submit]
program = $STAGE/bin/jobtrail-submit
state = $DIR/state

[transport]
use = file

[file]
dir = $DIR/records

$1
CONF
}

fail() {
    echo "$*" >&2
    return 1
}

# A test that failed shows what Slurm complained about meanwhile.
setup() {
    TEST_BEGAN=$(date +%FT%T)
}

teardown() {
    [[ -n ${BATS_TEST_COMPLETED-} || -z ${CLUSTER_DIR-} ]] || slurm_complaints
}

slurm_complaints() {
    awk -v began="[$TEST_BEGAN" '/error|fatal|jobtrail/ && !/debug levels/ && $1 >= began {
        sub(".*/", "", FILENAME); print FILENAME ": " $0 }' "$CLUSTER_DIR"/log/*.log | tail -n 40
}

# ---- users

# The test user stays on the machine, like the packages that tests need.
make_user() { # NAME
    id -u "$1" >/dev/null 2>&1 || useradd --no-create-home --home-dir /nonexistent \
        --comment "jobtrail tests" --shell /bin/bash "$1" || id -u "$1" >/dev/null
    mkdir -p "$DIR/home/$1"
    chown "$1:" "$DIR/home/$1"
}

# run_as USER COMMAND...: as on a login node of the cluster, with a clean environment
run_as() {
    local user=$1 home=$DIR/home/$1 more=()
    shift
    [[ -d $home ]] || make_user "$user"
    [[ $user != root ]] || more=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
    "$CLUSTER" exec ctl setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups \
        env -i -C "$home" PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 TMPDIR="$DIR/tmp" \
        HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash \
        SLURM_CONF="$CLUSTER_DIR/etc/slurm.conf" "${more[@]}" "$@"
}

# ---- jobs

eventually() { # SECONDS COMMAND...: until it succeeds
    local end=$((SECONDS + $1 + 1))
    shift
    until "$@"; do
        ((SECONDS < end)) || fail "still not true: $*" || return 1
        sleep 0.05
    done
}

# submit 'SCRIPT' [SBATCH-OPTION...]: job id; output in $DIR/out/ID.
# SUBMIT_AS=root submit ... for another user than JOB_USER
submit() {
    local script=$1 id
    shift
    id=$(run_as "${SUBMIT_AS:-$JOB_USER}" sbatch --parsable --output="$DIR/out/%j" "$@" \
        <<<"#!/bin/bash"$'\n'"$script") || return 1
    echo "${id%%;*}"
}

job_states() { # ID: states of a job's parts that Slurm still works on, COMPLETING included
    run_as root squeue -h -t PD,CF,R,S,CG,SO,SE,RQ,ST,RS,RD,RF,RH -j "$1" -o %T 2>/dev/null || true
}

has_state() { # ID STATE
    job_states "$1" | grep -qx "$2"
}

has_ended() { # ID
    [[ -z $(job_states "$1") ]]
}

# wait_job ID [SECONDS]: until its epilogs are done on all nodes
wait_job() {
    eventually "${2:-120}" has_ended "$1"
}

submit_and_wait() { # as submit
    local id
    id=$(submit "$@") && wait_job "$id" && echo "$id"
}

output_of() { # ID
    cat "$DIR/out/$1"
}

output_has() { # ID REGEX
    grep -qE "$2" "$DIR/out/$1" 2>/dev/null
}

# ---- records

# records JOB: its run records, one JSON array
records() {
    find "$DIR/records" -type f -name 'run.*.json' -exec cat {} + |
        jq --slurp --arg job "$1" 'map(select((.slurmT.job_id | tostring) == $job))'
}

record_count() { # JOB [NAME of the executable]
    records "$1" | jq --arg name "${2-}" \
        'map(select($name == "" or (.userT.exec_path | split("/")[-1]) == $name)) | length'
}

# field JOB NAME JQ-PATH: from the one record of this executable in this job
field() {
    records "$1" | jq --raw-output --arg job "$1" --arg name "$2" \
        'map(select((.userT.exec_path | split("/")[-1]) == $name))
         | if length == 1 then .[0] else error("\(length) records of \($name) in job \($job)") end
         | '"$3"
}

# ---- coverage

coverage_of() { # JOB JQ-PATH: of each of its coverage records
    find "$DIR/records" -type f -name 'coverage.*.json' -exec cat {} + |
        jq --raw-output --arg job "$1" 'select((.coverageT.job_id | tostring) == $job) | '"$2"
}

# coverage JOB [NODE]: its coverage facts, as "STEP OUTCOME TASKS", sorted
coverage() {
    coverage_of "$1" 'select("'"${2-}"'" == "" or .coverageT.node == "'"${2-}"'")
        | .coverageA[] | "\(.step_id) \(.outcome) \(.tasks)"' | sort
}

covered() { # JOB
    [[ -n $(coverage "$1") ]]
}
