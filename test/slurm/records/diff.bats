#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-job, and its diff, of jobs of a real cluster with slurmdbd: a program that was linked anew with
# another version of a library, and jobs that ended in several ways.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets them

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    export MAIL=$BATS_FILE_TMPDIR/mail
    mail_program
    start_cluster cgroups ACCT=dbd ACCT_USERS=root,jtuser NODES=1 NODE_CPUS=16 \
        SELECT_PARAMS=CR_Core_Memory EXTRA_CONF="DefMemPerCPU=100" MAIL_PROG="$MAIL/jobtrail-mail"
    export STORE=sqlite:$DIR/store.db BUILT=$DIR/built
    mkdir -m 777 "$BUILT"
    chmod 1777 "$DIR/records"
    run_jobs
    # as sites have it: users cannot write where root's records are
    mkdir "$DIR/sent"
    find "$DIR/records" -type f -user root -exec mv -t "$DIR/sent" {} +
    "$STAGE/bin/jobtrail-load" --store "$STORE" "$DIR/sent" "$DIR/records"
}

# The controller's MailProg as a site would have it, with programs that keep what is sent.
mail_program() {
    mkdir "$MAIL"
    sed -e "s|^plain=.*|plain=$MAIL/plain|; s|^sendmail=.*|sendmail=$MAIL/sendmail|; s|^jobtrail_job=.*|jobtrail_job=$MAIL/job|" \
        -e "s|^seconds=[0-9]*|seconds=$((120 * SLOW))|; s|^pause=[0-9]*|pause=1|; s|^slots=.*|slots=$MAIL/slots|" \
        "$JOBTRAIL_STAGE/share/jobtrail/jobtrail-mail" >"$MAIL/jobtrail-mail"
    # shellcheck disable=SC2016 # of the shells that are started
    printf '%s\n' '#!/bin/sh' "cat >$MAIL/part; echo \"to \$3\" >>$MAIL/part; mv $MAIL/part $MAIL/sent" >"$MAIL/sendmail"
    # shellcheck disable=SC2016
    printf '%s\n' '#!/bin/sh' "echo \"\$*\" >>$MAIL/plain.sent" >"$MAIL/plain"
    printf '%s\n' '#!/bin/sh' 'exit 1' >"$MAIL/job" # until there is a store
    chmod 755 "$MAIL"/*
}

run_as_builder() { # COMMAND...
    run_as "$JOB_USER" env -C "$BUILT" JOBTRAIL_CONF="$DIR/jobtrail.conf" XALT_EXECUTABLE_TRACKING=yes \
        PATH="$STAGE/libexec/jobtrail/ld:/usr/bin:/bin" COMPILER_PATH="$STAGE/libexec/jobtrail/ld" "$@"
}

# A solver of this version, which ends the program with STATUS.
build_solver() { # VERSION STATUS
    mkdir -p "$BUILT/solver/$1/lib"
    chmod 777 "$BUILT/solver/$1/lib"
    echo "int solve(void) { return $2; }" >"$BUILT/solver.c"
    run_as_builder gcc -shared -fPIC -Wl,--build-id -Wl,-soname,"libsolver.so.${1%%.*}" solver.c -o "solver/$1/lib/libsolver.so.${1%%.*}"
}

# The program, with a solver.
build() { # VERSION STATUS
    build_solver "$@"
    echo 'int solve(void); int main(void) { return solve(); }' >"$BUILT/model.c"
    run_as_builder gcc model.c -o model "solver/$1/lib/libsolver.so.${1%%.*}" -Wl,-rpath,"$BUILT/solver/$1/lib"
}

run_jobs() {
    local job
    build 1.4.2 0
    WORKED=$(submit "export OMP_NUM_THREADS=1; srun $BUILT/model --steps 10" --time=5)
    AGAIN=$(submit "export OMP_NUM_THREADS=1; srun $BUILT/model --steps 10" --time=5)
    MEMORY=$(submit "srun --mem=60M $PROGRAMS/eat_memory 120 0" --mem=200M)
    NOWHERE=$(submit "srun $DIR/nowhere; true")
    # without -rpath the loader does not find the library
    run_as_builder gcc model.c -o lost solver/1.4.2/lib/libsolver.so.1
    LOST=$(submit "srun $BUILT/lost")
    wait_job "$WORKED"
    wait_job "$AGAIN"
    build_solver 1.4.2 3
    PATCHED=$(submit "export OMP_NUM_THREADS=1; srun $BUILT/model --steps 10" --time=5)
    wait_job "$PATCHED"
    build 2.0.1 1
    FAILS=$(submit "export OMP_NUM_THREADS=4 PATH=/opt/x:\$PATH; srun $BUILT/model --steps 20" --time=7)
    LIMIT=$(submit "srun $PROGRAMS/spin 900 sleep")
    CANCELLED=$(submit "srun $PROGRAMS/spin 900 sleep")
    IDLE=$(submit "srun -n1 $PROGRAMS/spin 11" -c4 -n1 --mem=400M --mail-type=END --mail-user=jtuser)
    eventually 60 step_runs "$CANCELLED.0"
    run_as root scancel "$CANCELLED"
    eventually 60 step_runs "$LIMIT.0"
    eventually 30 has_little_time "$LIMIT"
    for job in "$WORKED" "$AGAIN" "$FAILS" "$MEMORY" "$NOWHERE" "$LIMIT" "$IDLE" "$CANCELLED" "$PATCHED" "$LOST"; do
        wait_job "$job"
        eventually 60 is_accounted "$job"
        eventually 60 is_flushed "$job"
    done
    export WORKED AGAIN PATCHED LOST FAILS MEMORY NOWHERE LIMIT IDLE CANCELLED
}

has_little_time() { # JOB: its limit is now, which cannot be its start
    run_as root scontrol update "jobid=$1" EndTime=now
}

job() { # OPTION...
    run --separate-stderr run_as root env TZ=UTC "$STAGE/bin/jobtrail-job" --store "$STORE" "$@"
    echo "$status: $output$stderr"
}

# differing A B: the names of what differs, by section
differing() {
    job diff "$1" "$2" --json
    [ "$status" -eq 1 ]
    DIFFERING=$(jq -c '.pairs | map(.sections[] | select(.different != []) | {(.name): (.different | map(.what))}) | add' <<<"$output")
}

@test "it worked last week: another build, another library, environment, arguments and limits" {
    differing "$WORKED" "$FAILS"
    [ "$DIFFERING" = '{"executable":["hash","linked at"],"libraries":["solver"],"environment":["OMP_NUM_THREADS","PATH"],'\
'"arguments":["arguments"],"limits":["threads","time"],"end":["state","exit code"]}' ]
    [ "$(jq -c '[.pairs[0].sections[] | select(.name == "libraries").different[0] | .a.version, .b.version]' <<<"$output")" = \
        '["1.4.2","2.0.1"]' ]
    job diff "$WORKED.0" "$FAILS.0"
    [ "$status" -eq 1 ]
    [[ $output == *"  PATH                 B only: /opt/x"*"  time                 A: 00:05:00"*"B: 00:07:00"* ]]
    # who linked it, and with what, is the same
    job diff "$WORKED.0" "$FAILS.0" --json
    [[ $(jq -r '.pairs[].sections[].equal[] | "\(.what)=\(.a)"' <<<"$output") == \
        *"linked by=$JOB_USER"*"compiler=gcc"* ]]
}

@test "the same program again: nothing differs" {
    job diff "$WORKED" "$AGAIN"
    [ "$status" -eq 0 ]
    [[ $output == *"No recorded fact differs." ]]
}

@test "a library that was built anew in its place is told by its build-id" {
    differing "$WORKED" "$PATCHED"
    [ "$DIFFERING" = '{"libraries":["solver"],"end":["state","exit code"]}' ]
    [ "$(jq -c '[.pairs[0].sections[] | select(.name == "libraries").different[0] | .a.path == .b.path, .a.build_id == .b.build_id, .a.hash]' <<<"$output")" = \
        '[true,false,null]' ]
}

# bats test_tags=needs:cgroup_v1
@test "memory ran out: the summary has the step's memory, and the program" {
    job "$MEMORY"
    [ "$status" -eq 0 ]
    [[ $output == *"eat_memory was killed by signal 9 (SIGKILL): it used more memory than it had"* ]]
    [[ $output == *"the job had 200M"* ]]
}

@test "a time limit, a cancel, a path that is not there: the summary says so" {
    job "$LIMIT"
    [[ $output == *"state                TIMEOUT"*"Slurm's reason: it reached its time limit."*"spin was killed by signal "* ]]
    job "$CANCELLED"
    [[ $output == *"state                CANCELLED by root"*"It was cancelled by root."* ]]
    job "$NOWHERE"
    [[ $output == *"state                COMPLETED"*"/nowhere did not start: it does not exist or cannot be executed (exit code 2)"* ]]
    job "$LOST"
    [[ $output == *"/lost did not start: libsolver.so.1 is missing or too old (exit code 127)"* ]]
    job "$FAILS"
    [[ $output == *"model ended with exit code 1"*"Its batch script ended with exit code 1."* ]]
}

@test "what was asked for and what was used are what sacct has" {
    local sacct_says
    job "$IDLE" --json
    sacct_says=$(run_as root sacct -n -P -X --units=K -j "$IDLE" -o state,exitcode,elapsedraw,reqmem,alloccpus,account,qos)
    [ "$(jq -r '[.job.state, .job.exit, .time.elapsed + 0, "\(.memory.asked / 1024)K", .cpus.allocated, .job.account, .job.qos // ""] | join("|")' <<<"$output")" = "$sacct_says" ]
    [ "$(jq -c '[.time.limit + 0, (.programs | map([.step, (.exec_path | split("/")[-1]), .runs]))]' <<<"$output")" = "[$((600 * SLOW)),[[\"0\",\"spin\",1]]]" ]
}

@test "the controller mails the summary once the store has it, and the plain mail while it does not answer" {
    printf '%s\n' '#!/bin/sh' "SLURM_CONF=$CLUSTER_DIR/etc/slurm.conf exec $STAGE/bin/jobtrail-job --store $STORE \"\$@\"" >"$MAIL/new"
    chmod 755 "$MAIL/new"
    mv "$MAIL/new" "$MAIL/job"
    eventually 60 test -s "$MAIL/sent"
    cat "$MAIL/sent"
    not_of_another_start
    [[ $(<"$MAIL/sent") == "To: jtuser"*"Subject: Slurm Job_id=$IDLE Name=sbatch Ended, Run time 00:00:"*", COMPLETED, ExitCode 0"*spin*"to jtuser" ]]
    [ ! -e "$MAIL/plain.sent" ]
    sed -i 's|^seconds=[0-9]*|seconds=1|; s|^jobtrail_job=.*|jobtrail_job=/bin/false|' "$MAIL/jobtrail-mail"
    job=$(submit_and_wait true --mail-type=BEGIN,END --mail-user=jtuser)
    eventually 60 plain_mail "$job" Began
    eventually 60 plain_mail "$job" Ended
}

# What the store has of the job's number is not of Slurm's last start of it, or is another user's.
not_of_another_start() {
    local question=("$IDLE" --mail jtuser)
    job -u "$JOB_USER" "${question[@]}"
    [ "$status" -eq 0 ]
    job -u nobody "${question[@]}"
    [ "$status" -eq 1 ]
    [ "$output" = "" ]
    # as that of a job before, when this number was another's
    cp "${STORE#sqlite:}" "$DIR/older.db"
    sqlite3 "$DIR/older.db" "UPDATE run_own SET start_time = start_time - 86400"
    STORE=sqlite:$DIR/older.db job -u "$JOB_USER" "${question[@]}"
    [ "$status" -eq 1 ]
    [ "$output" = "" ]
    [[ $stderr == *"the job runs, or its last start has no runs in the store" ]]
}

plain_mail() { # JOB WORD
    grep -q "^-s Slurm Job_id=$1 Name=sbatch $2, .* jtuser\$" "$MAIL/plain.sent"
}
