#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Ledger and kernel tell the same of processes that die in all ways, on a cluster: of more than ten thousand none differs
# without a known cause.
# bats file_tags=needs:hear_events,needs:witness

load ../fixture/cluster

setup_file() {
    export WITNESSED=$BATS_FILE_TMPDIR/witnessed
    RULES=$'[witness]\nlevel = objects' start_cluster
    eventually 60 witness_listens
    : >"$WITNESSED"
}

# The job's processes count for the last test.
count() { # JOB
    coverage_of "$1" '.coverageT | "\(.witness) \(.witness_agreed) \(.witness_unexplained) \(.witness_causes)"' >>"$WITNESSED"
    [[ $(coverage_of "$1" .coverageT.witness_unexplained) == 0 && $(coverage_of "$1" .coverageT.witness_lost) == 0 ]]
    [[ $(coverage_of "$1" .coverageT.witness_overruns) == 0 ]]
}

# cause JOB NAME: processes that it explains
cause() {
    coverage_of "$1" .coverageT.witness_causes | tr ' ' '\n' | sed -n "s/^$2=//p"
}

@test "children of batch scripts, in all ways" {
    local job
    cat >"$DIR/ways" <<SH
P=$PROGRAMS
for i in \$(seq "\$1"); do
    \$P/exit_with 0; \$P/exit_with 3; \$P/_exit_with 4; \$P/kill_self 9; \$P/kill_self 15; \$P/kill_self 11
    for way in abort quick_exit _Exit exit_group trap; do \$P/end_by \$way; done
    \$P/main_thread_leaves; \$P/threads_exit; \$P/exec_to \$P/exit_with 5; \$P/exec_to \$P/exec_to \$P/_exit_with 6
    \$P/thread_exec \$P/exit_with 7
    (exit 8); (\$P/exit_with 9; exit 1) & wait
    setsid \$P/exit_with 10; nohup \$P/exit_with 11 >/dev/null; timeout 5 \$P/_exit_with 12; env \$P/exit_with 13
done >/dev/null 2>&1
exit 0
SH
    # a ledger of 64 MiB has room for the captures of some 8000 processes
    for job in 1 2 3; do
        job=$(submit_and_wait "ulimit -c 0; bash $DIR/ways 165")
        count "$job"
        [[ $(coverage_of "$job" .coverageT.witness_agreed) -gt 3900 ]]
        [[ $(coverage_of "$job" .coverageT.witness_left) == 0 && -z $(cause "$job" unmapped) ]]
    done
}

@test "tasks of steps, in all ways" {
    local job ways='' way
    for way in "exit_with 0" "exit_with 3" "_exit_with 4" "kill_self 9" "kill_self 15" "end_by abort" "end_by trap" \
        main_thread_leaves threads_exit "exec_to $PROGRAMS/exit_with 5" "thread_exec $PROGRAMS/exit_with 7"; do
        ways+="srun $PROGRAMS/$way; "
    done
    job=$(submit_and_wait "ulimit -c 0; ${ways}srun -n2 $PROGRAMS/exit_with 0; true")
    count "$job"
    [[ $(coverage_of "$job" .coverageT.witness_agreed) -ge 13 ]]
}

@test "jobs that are cancelled, and steps that are killed" {
    local job
    job=$(submit "$PROGRAMS/exit_late 600000 pid & $PROGRAMS/ignore_term & wait")
    eventually 30 output_has "$job" '^pid [0-9]+$'
    eventually 30 output_has "$job" ready
    run_as root scancel "$job"
    wait_job "$job"
    count "$job"
    job=$(submit "srun $PROGRAMS/eat_memory 1 & srun -n1 $PROGRAMS/eat_memory 1; wait; true")
    eventually 30 output_has "$job" full
    run_as root scancel --signal=KILL "$job"
    wait_job "$job"
    count "$job"
}

@test "what leaves no capture has a known cause" {
    local job
    cp "$PROGRAMS/exit_with" "$PROGRAMS/exit_with_suid"
    chmod 4755 "$PROGRAMS/exit_with_suid"
    job=$(submit_and_wait "$PROGRAMS/exit_with_static 3; $PROGRAMS/exec_to $PROGRAMS/exit_with_static 3
        $PROGRAMS/exit_with_suid 4; env -i $PROGRAMS/_exit_with 5; true")
    count "$job"
    [[ "$(cause "$job" static) $(cause "$job" unloaded)" == "2 2" ]]
    job=$(submit_and_wait "srun -n4 --overcommit $PROGRAMS/exit_with 0")
    count "$job"
    [[ $(cause "$job" follower) == 3 ]]
    # one that is too old, as the journal tells of a task, and one that is missing
    make_library
    job=$(submit_and_wait "LD_LIBRARY_PATH=$DIR/old srun $DIR/needs; $DIR/needs; true")
    count "$job"
    [[ $(cause "$job" not_started) == 2 ]]
}

listens_anew() { # SINCE
    witness_listens && ! grep -q "$1" "$DIR/run/n1/witness"
}

@test "slurmd is restarted while a job runs, and with it the witness" {
    local job since
    mkfifo -m 666 "$DIR/out/go"
    job=$(submit "$PROGRAMS/exit_with 3; read -r _ <$DIR/out/go; $PROGRAMS/_exit_with 4; true")
    eventually 30 test -e "$DIR/run/n1/$job.0/kernel"
    since=$(grep -o 'since= *[0-9]*' "$DIR/run/n1/witness")
    "$CLUSTER" restart-slurmd n1
    eventually 90 listens_anew "$since"
    echo >"$DIR/out/go"
    wait_job "$job"
    count "$job"
    [[ $(coverage_of "$job" '.coverageT | .witness_unheard > 0 and .witness_older > 0') == true ]]
    [[ $(field "$job" _exit_with '.slurmT.captured') == true ]]
}

@test "of more than ten thousand processes none differs without a known cause" {
    cat "$WITNESSED"
    awk '$1 == "objects" { agreed += $2; unexplained += $3 }
        END { exit !(agreed > 10000 && unexplained == 0) }' "$WITNESSED"
}
