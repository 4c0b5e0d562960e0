# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Many kinds of job on a cluster with slurmdbd, of which terminal, mail, JSON, CSV and the web are asked the same.
#
#   load alike
#   setup_file() { start_alike [RULE...]; make_kinds; load_kinds; }
#   compared [OPTION...]      what alike_compare.py found: see there
#
# $KINDS has a line for each: job, expected state, a regular expression of the cause. With an empty one the job must have none.

start_alike() { # RULES [VARIABLE=VALUE...]
    RULES="$1" start_cluster cgroups ACCT=dbd ACCT_USERS=root,jtuser NODES=2 NODE_CPUS=32 SELECT_PARAMS=CR_Core_Memory \
        EXTRA_CONF="DefMemPerCPU=100" "${@:2}"
    export STORE=sqlite:$DIR/store.db KINDS=$DIR/kinds
    : >"$KINDS"
}

# kind STATE CAUSE SCRIPT [SBATCH-OPTION...]: that job; $JOB is its number
kind() {
    JOB=$(submit "P=$PROGRAMS; $3" -w n1 "${@:4}")
    printf '%s\t%s\t%s\n' "$JOB" "$1" "$2" >>"$KINDS"
}

make_kinds() {
    make_library
    echo 'raise SystemExit(6)' >"$DIR/ends.py"
    printf '#!/usr/bin/python3\nraise SystemExit(8)\n' >"$DIR/script"
    chmod 755 "$DIR/script"
    # shellcheck disable=SC2016 # of the job's shell
    ends_well
    ends_badly
    is_ended
}

# shellcheck disable=SC2016 # of the job's shell
ends_well() {
    kind COMPLETED '' 'srun $P/exit_with 0'
    kind COMPLETED '' '$P/exit_with 0'
    kind COMPLETED '' 'srun $P/spin 3; srun $P/exit_with 0' -J spins
    kind COMPLETED '' 'srun $P/eat_memory 60 3' -J 'a "b", c'
    kind COMPLETED '' 'srun $P/spin 1 & srun -n1 $P/exit_with 0; wait' -n2
    kind COMPLETED '' 'srun $P/exec_to $P/exit_with 0'
    kind COMPLETED '' 'srun bash -c "for i in 1 2 3; do $P/exit_with 0; done"'
    kind COMPLETED '' 'srun $P/fork_child'
    kind COMPLETED '' 'srun -n4 $P/exit_with 0' -n4
    kind COMPLETED '' 'srun $P/exit_with_static 0'
    kind COMPLETED '' 'srun --mpi=pmi2 -n2 $P/hello_mpich' -n2
    kind COMPLETED '' "srun $PYTHON -c 'print(1)'"
    kind COMPLETED '' 'srun env -i $P/exit_with 0; srun $P/exit_with 0'
    kind COMPLETED 'kill_self was killed by signal 9 \(SIGKILL\)' 'srun $P/kill_self 9; true'
    kind COMPLETED '/nowhere did not start: it does not exist or cannot be executed \(exit code 2\)' "srun $DIR/nowhere; true"
}

# shellcheck disable=SC2016
ends_badly() {
    kind FAILED '/exit_with ended with exit code 3$' 'srun $P/exit_with 3'
    kind FAILED 'batch script ended with exit code 4\.$' '$P/exit_with 0; exit 4'
    kind FAILED "$UNWAITED" '$P/exit_with 5'
    kind FAILED '/kill_self was killed by signal 11 \(SIGSEGV\)' 'ulimit -c 0; srun $P/kill_self 11'
    kind FAILED '/end_by was killed by signal 6 \(SIGABRT\)' 'ulimit -c 0; srun $P/end_by abort'
    kind FAILED '/end_by was killed by signal 4 \(SIGILL\)' 'ulimit -c 0; srun $P/end_by trap'
    kind FAILED "$OUTSIDE" '$P/spin 900 sleep & until grep -q spin /proc/$!/comm; do :; done; sleep 2; kill -9 $!; wait $!'
    kind FAILED "$RANK_KILLED" 'srun -n2 -K0 bash -c "if [ \$SLURM_PROCID = 1 ]; then exec $P/kill_self 9; fi; exec $P/spin 2"' -n2
    kind FAILED "$RANK_ENDED" 'srun -n2 -K0 bash -c "if [ \$SLURM_PROCID = 1 ]; then exec $P/exit_with 7; fi; exec $P/spin 2"' -n2
    kind FAILED '/exit_with_static ended with exit code 3$' 'srun $P/exit_with_static 3'
    kind FAILED 'needs did not start: libneeded.so is missing or too old \(exit code 127\)' "srun $DIR/needs"
    kind FAILED '/nowhere did not start' "srun $DIR/nowhere"
    kind FAILED '/exit_with ended with exit code 6$' 'srun nice $P/exit_with 6'
    kind FAILED '(python[0-9.]*) ended with exit code 6$' "srun $PYTHON $DIR/ends.py"
    kind FAILED '(python[0-9.]*) ended with exit code 1$' "srun $PYTHON -m no.such.module"
    kind FAILED '(python[0-9.]*) was killed by signal 11' "ulimit -c 0; srun $PYTHON -c 'import os; os.kill(os.getpid(), 11)'"
    kind FAILED '(python[0-9.]*) ended with exit code 8$' "srun $DIR/script"
    kind FAILED '/R ended with exit code 7$' "srun Rscript -e 'quit(status = 7)'"
    kind FAILED "$THREADS ended with exit code 8\.?$" "srun octave-cli --eval 'exit(8)'"
    kind FAILED 'batch script ended with exit code 1\.$' 'srun $P/kill_self 1; exit 1'
    kind FAILED '/perl ended with exit code 9$' "srun perl -e 'exit 9'"
    kind FAILED '/exit_with ended with exit code 3$' 'srun $P/exit_with 0 & srun -n1 $P/exit_with 3; code=$?; wait; exit $code' -n2
    kind FAILED 'batch script ended with exit code 124\.$' 'timeout 2 srun $P/spin 900 sleep; exit 124'
    kind FAILED '/_exit_with ended with exit code 4$' 'srun $P/_exit_with 4'
    kind FAILED 'batch script ended with exit code 1\.$' 'srun $P/thread_exec $P/exit_with 7; exit 1'
    kind FAILED 'eat_memory was killed by signal 9 \(SIGKILL\): it used more memory' 'srun --mem=60M $P/eat_memory 120 0' --mem=200M
    kind COMPLETED 'eat_memory was killed by signal 9 \(SIGKILL\): it used more memory' 'srun --mem=60M $P/eat_memory 120 0; true' --mem=200M
}

# What others end, or begin anew.
# shellcheck disable=SC2016
is_ended() {
    local spins='srun $P/spin 900 sleep' limit rank mine roots step requeued crashed held
    kind TIMEOUT 'time limit' "$spins" && limit=$JOB
    # the others wait for the rank that was killed, until the limit
    kind TIMEOUT "$RANK_HANGS" 'srun -n2 -K0 bash -c "if [ \$SLURM_PROCID = 1 ]; then exec $P/kill_self 9; fi; exec $P/spin 900 sleep"' -n2 && rank=$JOB
    kind CANCELLED 'cancelled by its own user' "$spins" && mine=$JOB
    kind CANCELLED 'cancelled by root' "$spins" && roots=$JOB
    kind COMPLETED 'spin was killed by signal ' "$spins; true" && step=$JOB
    kind COMPLETED '' "[ -e $DIR/out/again ] || { touch $DIR/out/again; $spins; }; "'$P/exit_with 0' --requeue && requeued=$JOB
    crashed=$(submit "P=$PROGRAMS; $spins" -w n2 --no-requeue)
    printf '%s\tNODE_FAIL\t%s\n' "$crashed" 'a node failed' >>"$KINDS"
    kind COMPLETED '' '$P/exit_with 0' --array=1-2
    KINDS_AGAIN=$(tail -n1 "$KINDS")
    sed -i '$d' "$KINDS"
    printf '%s_%s\t%s\n' "${KINDS_AGAIN%%$'\t'*}" 1 "${KINDS_AGAIN#*$'\t'}" "${KINDS_AGAIN%%$'\t'*}" 2 "${KINDS_AGAIN#*$'\t'}" >>"$KINDS"
    held=$(SUBMIT_AS=$JOB_USER submit "srun --het-group=0,1 $PROGRAMS/exit_with 0" -n1 : -n1)
    printf '%s+0\tCOMPLETED\t\n' "$held" >>"$KINDS"
    for job in "$limit" "$mine" "$roots" "$step" "$requeued"; do eventually 60 step_runs "$job.0"; done
    eventually 60 grep -aqs "$PROGRAMS/spin" "$DIR/run/n2/$crashed.0/user/ledger"
    eventually 60 grep -aqs "$PROGRAMS/spin" "$DIR/run/n1/$rank.0/user/ledger"
    sleep_a_tick
    eventually 30 has_little_time "$limit"
    eventually 30 has_little_time "$rank"
    run_as "$JOB_USER" scancel "$mine"
    run_as root scancel "$roots"
    run_as "$JOB_USER" scancel "$step.0"
    requeue "$requeued"
    "$CLUSTER" crash-node n2
}

# The rank that was killed is some seconds older than the limit.
sleep_a_tick() {
    eventually 30 is_after $(($(date +%s) + 3))
}

has_little_time() { # JOB: its limit is now, which cannot be its start
    run_as root scontrol update "jobid=$1" EndTime=now
}

load_kinds() {
    local job
    while IFS=$'\t' read -r job _; do
        wait_job "${job%[_+]*}" 240
        eventually 90 is_accounted "${job%[_+]*}"
    done <"$KINDS"
    "$CLUSTER" start-slurmd n2
    while IFS=$'\t' read -r job _; do
        eventually 90 is_flushed "${job%[_+]*}"
    done <"$KINDS"
    "$STAGE/bin/jobtrail-load" --store "$STORE" "$DIR/records"
}

# with_web COMMAND...: while jobtrail-web runs; $ADDRESS is its own
with_web() {
    local web status=0
    rm -f "$DIR/web.out"
    SLURM_CONF=$CLUSTER_DIR/etc/slurm.conf "$STAGE/bin/jobtrail-web" --store "$STORE" >"$DIR/web.out" 2>"$DIR/web.err" 3>&- 4>&- &
    web=$!
    eventually 30 test -s "$DIR/web.out"
    ADDRESS=$(head -n1 "$DIR/web.out") "$@" || status=$?
    kill "$web"
    return "$status"
}

compare() { # OPTION...
    SLURM_CONF=$CLUSTER_DIR/etc/slurm.conf python3 -B "$JOBTRAIL_SOURCE/test/slurm/records/alike_compare.py" \
        "$STAGE/libexec/jobtrail" "$STORE" "$ADDRESS" "$KINDS" "$@"
}

crawl() {
    SLURM_CONF=$CLUSTER_DIR/etc/slurm.conf python3 -B "$JOBTRAIL_SOURCE/test/e2e/answers/web_crawl.py" --kinds "$ADDRESS"
}
