#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Upgrades while jobs run, to a build with other versions of policy, ledger, journal and outbox, and
# back: a job stays with the version that it began under, and each run has its record, once.
# bats file_tags=again

load ../fixture/cluster
load ../fixture/versions

setup_file() {
    export RULES=$'[tracking]\nopt_out = yes\n[sampling]\nalways_ranks = 4'
    start_versions
}

# shellcheck disable=SC2153 # JOBS is the fixture's
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

# start_and_end JOB: "START END", how many records of both kinds there are of its large run
start_and_end() {
    records "$1" | jq -r 'map(select(.userT.exec_path | endswith("/hello_mpich")))
        | map(.slurmT.end_source) | "\(map(select(. == null)) | length) \(map(select(. != null)) | length)"'
}

@test "a large run has its start record from the version that the job began under, and one end record" {
    # shellcheck disable=SC2016 # for the job to expand
    submit_over '$P/before 1' 'srun --mpi=pmi2 $P/hello_mpich 100' -w n1 -n4
    waits "$JOB"
    downgrade
    pgrep -f "^$SECOND_STAGE/bin/jobtrail-submit watch .* --node n1 "
    touch "$DIR/out/go.$JOB"
    has_start() { [[ $(start_and_end "$JOB") == "1 0" ]]; }
    eventually 100 has_start
    [[ -e $RUN/n1/.2/$JOB.0 && ! -e $RUN/n1/$JOB.0 ]]
    run_as root scancel "$JOB"
    wait_job "$JOB"
    [[ $(start_and_end "$JOB") == "1 1" ]]
    [[ $(records "$JOB" | jq 'map(select(.userT.exec_path | endswith("/hello_mpich")).userT.run_uuid) | unique | length') == 1 ]]
    nothing_left
}

@test "jobs and steps that opted out stay out of the records" {
    # shellcheck disable=SC2016 # for the job to expand
    submit_over '$P/before 1; srun $P/step_before 2' '$P/after 3; srun $P/step_after 4' -w n1 --jobtrail=no
    whole=$JOB
    # shellcheck disable=SC2016
    submit_over 'srun --jobtrail=no $P/step_before 2' '$P/after 3; srun --jobtrail=no $P/step_after 4; srun $P/step_killed 9' -w n1
    for job in "$whole" "$JOB"; do waits "$job"; done
    upgrade
    go_on "$whole" "$JOB"
    [[ $(record_count "$whole") == 0 ]]
    [[ $(coverage "$whole") == $'0 opted_out 1\n1 opted_out 1\nbatch opted_out 1' ]]
    has_records "$JOB" step_before 0 after 1 step_after 0 step_killed 1
    [[ $(coverage "$JOB" | grep -v batch) == $'0 opted_out 1\n1 opted_out 1\n2 recorded 1' ]]
    nothing_left
}

@test "a link that was handed in before is sent after it, and runs of the program name it" {
    mkdir -m 777 "$DIR/built"
    echo 'int main(void) { return 0; }' >"$DIR/built/program.c"
    run_as "$JOB_USER" env JOBTRAIL_CONF="$DIR/jobtrail.conf" XALT_EXECUTABLE_TRACKING=yes \
        PATH="$STAGE/libexec/jobtrail/ld:/usr/bin:/bin" COMPILER_PATH="$STAGE/libexec/jobtrail/ld" \
        gcc "$DIR/built/program.c" -o "$DIR/built/linked"
    links() { find "$DIR/records" -name 'link.*.json' -exec cat {} + | jq -r .resultT.uuid; }
    [[ -z $(links) ]]
    job=$(submit_and_wait "$DIR/built/linked" -w n1)
    submit2 flush --sessions --node n1
    submit2 outbox retry
    [[ $(field "$job" linked .xaltLinkT.Build_UUID) == "$(links)" ]]
    nothing_left
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
    run submit1 flush --job "$JOB"
    [[ $status == 1 && $output == *"job $JOB.0: left alone, as it may still run here"* && ! -e $DIR/state/quarantine ]]
    run submit1 status --json
    [[ $(jq .jobs_other_version <<<"$output") == 2 ]]
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
