#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Upgrades while jobs run, to a build with other versions of policy, ledger, journal and outbox, and
# back: a job stays with the version that it began under, and each run has its record, once.

load ../fixture/cluster

setup_file() {
    export SECOND_STAGE RUN
    start_cluster
    SECOND_STAGE=$DIR/second-stage RUN=$DIR/run
    cp -R "$JOBTRAIL_BUILD/second-stage" "$SECOND_STAGE"
    sed -i "s|^dir = $DIR/run/%n|&\nsessions = $DIR/sessions|" "$DIR/jobtrail.conf"
    sed "s|^library = .*|library = $SECOND_STAGE/lib/libjobtrail.so|
         s|^program = .*|program = $SECOND_STAGE/bin/jobtrail-submit|" "$DIR/jobtrail.conf" >"$DIR/second.conf"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    for name in before after step_before step_after step_over step_killed; do
        cp "$PROGRAMS/exit_with" "$PROGRAMS/$name"
    done
    cp "$PROGRAMS/spin" "$PROGRAMS/step_over"
    cp "$PROGRAMS/kill_self" "$PROGRAMS/step_killed"
    # shellcheck disable=SC2016 # for the job to expand
    PREFACE="P=$PROGRAMS OUT=$DIR/out"'
        wait_for() { until [[ -e $OUT/$1 ]]; do read -rt 0.1 <><(:); done; }'
    export PREFACE
}

teardown_file() {
    stop_cluster
}

# install_version STAGE CONF: as the administrator's guide says, on all nodes
install_version() {
    "$1/bin/jobtrail-conf" compile --conf "$2"
    echo "optional $1/lib/slurm/spank_jobtrail.so conf=$2" >"$CLUSTER_DIR/etc/plugstack.conf"
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" restart-slurmd n2
}

upgrade() {
    install_version "$SECOND_STAGE" "$DIR/second.conf"
}

downgrade() {
    install_version "$STAGE" "$DIR/jobtrail.conf"
}

# submit_over 'SCRIPT BEFORE' 'SCRIPT AFTER' [SBATCH-OPTION...]: JOB has run the first one and waits for
# go_on
submit_over() {
    local wait="touch \$OUT/waits.\$SLURM_JOB_ID; wait_for go.\$SLURM_JOB_ID"
    JOB=$(submit "$PREFACE"$'\n'"$1"$'\n'"$wait"$'\n'"$2"$'\n'wait "${@:3}")
}

waits() { # JOB
    eventually 60 test -e "$DIR/out/waits.$1"
}

go_on() { # JOB...
    for job in "$@"; do touch "$DIR/out/go.$job"; done
    for job in "$@"; do wait_job "$job"; done
}

# submit2 COMMAND...: by root on n1, of the version after the upgrade
submit2() {
    "$CLUSTER" exec n1 "$SECOND_STAGE/bin/jobtrail-submit" "$@" --conf "$DIR/second.conf"
}

# submit1 COMMAND...: of the version before it
submit1() {
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-submit" "$@" --conf "$DIR/jobtrail.conf" --node n1
}

prolog1() { # JOB
    "$CLUSTER" exec n1 env SLURM_JOB_ID="$1" SLURM_JOB_UID=1 \
        "$STAGE/bin/jobtrail-submit" prolog --conf "$DIR/jobtrail.conf" --node n1
}

# has_records JOB NAME COUNT...: exactly so many of these programs
has_records() {
    local job=$1
    shift
    while (($#)); do
        [[ $(record_count "$job" "$1") == "$2" ]] ||
            fail "job $job has $(record_count "$job" "$1") records of $1, not $2" || return 1
        shift 2
    done
}

# the part that goes on under the other version: plain programs, steps, a kill, a step from before
# shellcheck disable=SC2016 # for the job to expand
OVER_BEFORE='$P/before 1; srun $P/step_before 2; srun --overlap $P/step_over 900 sleep &
    wait_for spins; '
# shellcheck disable=SC2016
OVER_AFTER='$P/after 3; srun --overlap $P/step_after 4; srun --overlap $P/step_killed 9
    scancel --signal=KILL $SLURM_JOB_ID.1'

spins() { # JOB...: the steps that go on have begun
    for job in "$@"; do eventually 60 grep -qs 'step=1 ' "$RUN/n1/$job.0/journal" "$RUN/n1/.2/$job.0/journal"; done
    touch "$DIR/out/spins"
}

is_whole() { # JOB
    has_records "$1" before 1 after 1 step_before 1 step_over 1 step_after 1 step_killed 1 &&
        [[ $(field "$1" step_after .slurmT.exit_code) == 4 ]] &&
        [[ $(field "$1" step_killed .slurmT.signal) == 9 && $(field "$1" step_over .slurmT.signal) == 9 ]]
}

# started_over N [SBATCH-OPTION...]: N such jobs, in the array JOBS, are in their middle
started_over() {
    local count=$1
    JOBS=()
    for ((; count > 0; count--)); do
        submit_over "$OVER_BEFORE" "$OVER_AFTER" -w n1 "${@:2}"
        JOBS+=("$JOB")
    done
    spins "${JOBS[@]}"
    for job in "${JOBS[@]}"; do waits "$job"; done
}

nothing_left() {
    [[ -z $(find "$RUN" -name '[1-9]*.*') && ! -e $DIR/state/quarantine ]]
}

@test "jobs that run over an upgrade stay with their version, and each run has its record, once" {
    started_over 2
    [[ -e $RUN/n1/${JOBS[0]}.0/journal && $(<"$RUN/n1/version") == "formats 1"* ]]
    upgrade
    srun_of_new=$(submit_and_wait "srun $PROGRAMS/after 0" -w n1)
    [[ -e $RUN/n1/${JOBS[0]}.0/journal && ! -e $RUN/n1/.2/${JOBS[0]}.0 ]]
    go_on "${JOBS[@]}"
    for job in "${JOBS[@]}"; do is_whole "$job"; done
    has_records "$srun_of_new" after 1
    nothing_left
    [[ $(<"$RUN/n1/.2/version") == "formats 2"* ]]
}

@test "and over a downgrade" {
    started_over 1
    [[ -e $RUN/n1/.2/$JOB.0/journal ]]
    downgrade
    go_on "$JOB"
    is_whole "$JOB"
    nothing_left
}

@test "an array whose jobs begin before and after it, and a job that is requeued after it" {
    # shellcheck disable=SC2016 # for the job to expand
    array=$(submit "$PREFACE"'; $P/before 1; srun $P/step_before 2; touch $OUT/array.$SLURM_ARRAY_TASK_ID.$SLURM_JOB_ID
        wait_for array.go; $P/after 3; srun $P/step_after 4' --array=1-3%2 -w n1)
    # shellcheck disable=SC2016
    requeued=$(submit "$PREFACE"'; [[ ! -e $OUT/first_run ]] || exec $P/after 0
        touch $OUT/first_run; exec $P/step_over 900 sleep' --requeue -w n1)
    eventually 60 test -e "$DIR/out/first_run"
    two_run() { compgen -G "$DIR/out/array.1.*" && compgen -G "$DIR/out/array.2.*"; }
    eventually 60 two_run
    upgrade
    run_as root scontrol requeue "$requeued"
    touch "$DIR/out/array.go"
    wait_job "$array" 180
    wait_job "$requeued" 180
    for file in "$DIR"/out/array.[123].*; do
        has_records "${file##*.}" before 1 step_before 1 after 1 step_after 1
    done
    has_records "$requeued" step_over 1 after 1
    [[ $(field "$requeued" step_over .slurmT.restart_count) == 0 ]]
    [[ $(field "$requeued" after .slurmT.restart_count) == 1 ]]
    nothing_left
}

@test "jobs that a crash has ended, and slurmd comes back with the other version" {
    job=$(submit "srun bash -c '$PROGRAMS/before 0; echo ran; exec $PROGRAMS/spin 900 sleep'" -w n2 --no-requeue)
    eventually 60 output_has "$job" ran
    [[ -e $RUN/n2/.2/$job.0/journal ]]
    "$CLUSTER" crash-node n2
    echo "optional $STAGE/lib/slurm/spank_jobtrail.so conf=$DIR/jobtrail.conf" >"$CLUSTER_DIR/etc/plugstack.conf"
    "$CLUSTER" start-slurmd n2
    "$CLUSTER" restart-slurmd n1
    recorded() { [[ $(record_count "$job" before) == 1 ]]; }
    eventually 60 recorded
    run_as root scancel "$job"
    wait_job "$job"
    has_records "$job" before 1
}

@test "records that wait in the outbox, and sessions, are sent by the version that made them" {
    "$STAGE/bin/jobtrail-submit" flush --sessions --conf "$DIR/jobtrail.conf" --node n1
    # shellcheck disable=SC2016 # for the user's shell to expand
    run_as "$JOB_USER" bash -c '
        while read -r verb name value; do export "$name=$value"; done < <("$1/bin/jobtrail-submit" session --conf "$2")
        "$3"' - "$STAGE" "$DIR/jobtrail.conf" "$PROGRAMS/say_hello"
    mv "$DIR/records" "$DIR/away"
    touch "$DIR/records"
    job=$(submit_and_wait "srun $PROGRAMS/before 0" -w n1)
    rm "$DIR/records"
    mv "$DIR/away" "$DIR/records"
    [[ -n $(find "$DIR/state/outbox/file" -name '[0-9]*') ]]
    upgrade
    has_records "$job" before 0
    submit2 outbox retry
    has_records "$job" before 1
    [[ -z $(find "$DIR/state/outbox/file" -name '[0-9]*') ]]
    submit2 flush --sessions --node n1
    submit2 outbox retry
    [[ $(grep -l say_hello "$DIR"/records/run.*.json | wc -l) == 1 ]]
}

@test "without the program of its version a job goes to the quarantine, and what it starts later is recorded" {
    # shellcheck disable=SC2016 # for the job to expand
    submit_over '$P/before 1' : -w n1
    without_step=$JOB
    # shellcheck disable=SC2016
    submit_over '$P/before 1' 'srun $P/step_after 4' -w n1
    jobs=("$without_step" "$JOB")
    for job in "${jobs[@]}"; do waits "$job"; done
    downgrade
    mv "$SECOND_STAGE" "$SECOND_STAGE.gone"
    # while they run none is taken
    run submit1 flush --all
    [[ $status == 1 && $output == *'running 2,'* && ! -e $DIR/state/quarantine ]]
    run submit1 flush --orphans
    [[ $status == 1 && $output == *'running 2,'* && ! -e $DIR/state/quarantine ]]
    run submit1 status --json
    [[ $(jq .jobs_other_version <<<"$output") == 2 ]]
    run "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-conf" doctor --conf "$DIR/jobtrail.conf" --node n1
    [[ $output == *"version $RUN/n1/.2: 2 jobs of another version, whose program is not there"* ]]
    go_on "${jobs[@]}"
    mv "$SECOND_STAGE.gone" "$SECOND_STAGE"
    has_records "$without_step" before 0
    has_records "$JOB" before 0 step_after 1
    for job in "${jobs[@]}"; do
        [[ $(<"$DIR/state/quarantine/$job.0/reason") == *"another version (formats 2)"* ]]
        [[ -s $DIR/state/quarantine/$job.0/ledger && -s $DIR/state/quarantine/$job.0/journal ]]
        grep -q "jobtrail: job $job began under another version" "$CLUSTER_DIR/log/slurmd.n1.log"
    done
    [[ -z $(find "$RUN" -name '[1-9]*.*') ]]
    rm -r "$DIR/state/quarantine"
}

# The job is the other version's, and its program is there but does not do its work.
@test "a version in trouble keeps its jobs, and does not keep this one from its work" {
    upgrade
    # shellcheck disable=SC2016 # for the job to expand
    submit_over '$P/before 1' '$P/after 3' -w n1
    waits "$JOB"
    downgrade
    chmod g+w "$SECOND_STAGE/bin"
    run submit1 flush --all
    [[ $status == 1 && $output == *"of another version, cannot be run: others than root can change it"* ]]
    # the prolog of another job runs nothing for this one
    run prolog1 99999
    [[ $status == 0 && -z $output ]]
    run prolog1 "$JOB"
    [[ $status == 0 && $output == *"of another version, cannot be run"* ]]
    chmod g-w "$SECOND_STAGE/bin"
    mv "$DIR/second.conf" "$DIR/second.conf.away"
    echo '[nonsense' >"$DIR/second.conf"
    run submit1 flush --all
    mv "$DIR/second.conf.away" "$DIR/second.conf"
    [[ $status == 1 && $output == *"of another version, ended with status 3"* && $output != *gone* ]]
    go_on "$JOB"
    has_records "$JOB" before 1 after 1
    nothing_left
}
