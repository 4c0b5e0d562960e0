#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs' SLUIDs, by which Slurm 26.05 names their directories in cgroup v2: root's way from one to the job.
#
# bats file_tags=needs:sluid

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    RULES=$'[tracking]\nopt_out = yes' start_cluster EXTRA_CONF=PrologFlags=Alloc
    mkdir -m 1777 "$DIR/sessions"
    sed -i "s|^\[spool\]|&\nsessions = $DIR/sessions|" "$DIR/jobtrail.conf"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
}

sluid() { # JOB: as Slurm tells it
    run_as root squeue -h -j "$1" -O sluid:20 | tr -d ' '
}

# start [SBATCH-OPTION...]: a job on n1 whose step runs
start() {
    JOB=$(submit "srun $PROGRAMS/exit_late 900000 started" -w n1 -n1 "$@")
    eventually 60 output_has "$JOB" started
    SLUID=$(sluid "$JOB")
    [[ $SLUID =~ ^s[0-9A-Z]{13}$ ]]
}

finish() {
    run_as root scancel "$JOB"
    wait_job "$JOB"
}

@test "the prolog journals the SLUID, and a link leads from it to the job until that is flushed" {
    start
    grep -q "^prolog .*\bsluid=$SLUID\b" "$DIR/run/n1/$JOB.0/journal"
    [[ $(readlink "$DIR/run/n1/$SLUID") == "$JOB.0" ]]
    finish
    [[ $(find "$DIR/run/n1" -name 's[0-9A-Z]*') == "" ]]
    [[ $(record_count "$JOB" exit_late) == 1 ]]
}

@test "a job that is requeued has another SLUID, which leads to its next run" {
    start --requeue
    first=$SLUID
    requeue "$JOB"
    has_restarted() { [[ -e $DIR/run/n1/$JOB.1/journal && $(sluid "$JOB") != "$first" ]]; }
    eventually 60 has_restarted
    [[ $(readlink "$DIR/run/n1/$(sluid "$JOB")") == "$JOB.1" ]]
    [[ ! -L $DIR/run/n1/$first ]]
    finish
}

# as_if_in CGROUP VARIABLE=VALUE...: a session of the job's user, with no other variables
# $1.. belong to the inner shell
# shellcheck disable=SC2016
as_if_in() {
    echo "0::/system.slice/n1_slurmstepd.scope/$1/step_0/user/task_0" >"$DIR/cgroup"
    shift
    "$CLUSTER" exec n1 unshare --mount bash -c 'mount --bind "$1" /proc/$$/cgroup; shift; exec "$@"' bash "$DIR/cgroup" \
        setsid --wait setpriv --reuid "$JOB_USER" --regid "$(id -g "$JOB_USER")" --clear-groups \
        env -i PATH=/usr/bin:/bin "$@" "$STAGE/bin/jobtrail-submit" session --conf "$DIR/jobtrail.conf" --node n1
}

@test "a job that opted out is found by its cgroup, whatever the user's variables say" {
    start --jobtrail=no
    run -1 as_if_in "$SLUID"
    [[ $output == "" ]]
    run -1 as_if_in "$SLUID" SLURM_JOB_ID=1 SLURM_JOB_SLUID=s00000000000000
    run -1 as_if_in "job_$JOB" # CgroupJobIdPaths=yes
    finish
    start
    as_if_in "$SLUID" | grep -q "^set JOBTRAIL_SPOOL $DIR/sessions/"
    finish
}
