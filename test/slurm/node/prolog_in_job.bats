#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# PrologFlags=RunInJob: Slurm calls neither SPANK's prolog nor its epilog, and runs the site's scripts
# in the job's extern step.
# bats file_tags=needs:run_in_job,again

load ../fixture/cluster

setup_file() {
    # there before slurmd reads slurm.conf; what it runs is $DIR/prolog, where a test has made one
    SCRIPT=$(mktemp /tmp/jobtrail-prolog-XXXXXX)
    export SCRIPT
    start_cluster NODES=2 EXTRA_CONF=$'PrologFlags=RunInJob\nProlog='"$SCRIPT"
    printf '#!/bin/bash\n! [[ -e %s/prolog ]] || . %s/prolog\n' "$DIR" "$DIR" >"$SCRIPT"
    chmod 755 "$SCRIPT"
}

teardown_file() {
    stop_cluster
    rm -f "$SCRIPT"
}

use_prolog() {
    echo "$STAGE/bin/jobtrail-submit prolog --conf $DIR/jobtrail.conf || true" >"$DIR/prolog"
}

is_flushed() { # JOB
    [[ -z $(find "$DIR/run" -mindepth 2 -maxdepth 2 -name "$1.*") ]]
}

flush_orphans() { # NODE
    "$CLUSTER" exec "$1" "$STAGE/bin/jobtrail-submit" flush --orphans --json --conf "$DIR/jobtrail.conf" --node "$1"
}

facts() { # JOB
    field "$1" exit_with '"\(.userT.account) \(.userT.queue) \(.slurmT.partition) \(.slurmT.restart_count)"'
}

@test "without the site's help a job is flushed at its end on each node, and has no account" {
    job=$(submit_and_wait "srun -n2 $PROGRAMS/exit_with 3" -N2 -n2 -A chemistry)
    eventually 60 is_flushed "$job"
    [[ $(record_count "$job") == 1 && $(field "$job" exit_with .slurmT.exit_code) == 3 ]]
    [[ $(coverage "$job" n1) == $'0 recorded 1\nbatch script 1' && $(coverage "$job" n2) == "0 follower 1" ]]
    [[ $(field "$job" exit_with '"\(.userT.account)|\(.slurmT.partition)"') == "unknown|" ]]
}

@test "a job that was cancelled is flushed, too" {
    job=$(submit "srun $PROGRAMS/exit_late 600000 started" -n1)
    eventually 30 output_has "$job" started
    run_as "$JOB_USER" scancel "$job"
    wait_job "$job"
    eventually 60 is_flushed "$job"
    [[ $(field "$job" exit_late .slurmT.signal) == 15 ]]
}

@test "the timer leaves a job alone that goes on, and flushes one whose daemon was killed" {
    mkfifo -m 666 "$DIR/out/on"
    job=$(submit "srun $PROGRAMS/exit_with; echo ended; read -r <$DIR/out/on" -n1 -w n1)
    eventually 30 output_has "$job" ended
    run flush_orphans n1
    [[ $status == 1 && $(jq -c '[.running, .jobs]' <<<"${lines[-1]}") == "[1,0]" ]]
    kill -KILL "$(sed -n 's/^step .* step=4294967292 .* pid=\([0-9]*\) .*/\1/p' "$DIR/run/n1/$job.0/journal")"
    echo >"$DIR/out/on"
    run_as root scancel "$job"
    nothing_lives() { flush_orphans n1 >/dev/null; }
    eventually 60 nothing_lives
    is_flushed "$job"
    [[ $(record_count "$job" exit_with) == 1 ]]
    # without its daemon Slurm waits for the job in vain
    "$CLUSTER" restart-slurmd n1
    run_as root scontrol update nodename=n1 state=down reason=test
    run_as root scontrol update nodename=n1 state=resume
    "$CLUSTER" wait-idle 60
}

@test "the site's Prolog script tells account, partition, restart count and the job's start" {
    use_prolog
    job=$(submit_and_wait "srun -n2 $PROGRAMS/exit_with" -N2 -n2 -A chemistry -p other)
    eventually 60 is_flushed "$job"
    [[ $(facts "$job") == "chemistry other other 0" ]]
    [[ $(coverage_of "$job" .coverageT.start_source | sort -u) == slurm ]]
}

@test "so does a job without a step on a node, whose time there is idle" {
    use_prolog
    job=$(submit_and_wait "$PROGRAMS/exit_with 0" -N2)
    eventually 60 is_flushed "$job"
    [[ $(coverage_of "$job" 'select(.coverageT.node == "n2") | .coverageA[].outcome') == idle ]]
}

@test "each run of a requeued job has its own restart count" {
    use_prolog
    job=$(submit "srun $PROGRAMS/exit_with \${SLURM_RESTART_COUNT:-0}
        echo run; [[ -n \${SLURM_RESTART_COUNT-} ]] || sleep 100" -n1 -w n1 --requeue --open-mode=append)
    eventually 30 output_has "$job" run
    requeue "$job"
    wait_job "$job"
    eventually 60 is_flushed "$job"
    [[ $(records "$job" | jq -c 'map(select(.userT.exec_path | endswith("/exit_with")))
        | map([.slurmT.restart_count, .cmdlineA[1]]) | sort') == '[[0,"0"],[1,"1"]]' ]]
}

@test "rules about accounts hold, which the Prolog script tells" {
    use_prolog
    write_jobtrail_conf $'[accounts]\nskip = secret'
    job=$(submit_and_wait "srun $PROGRAMS/exit_with" -A secret)
    other=$(submit_and_wait "srun $PROGRAMS/exit_with" -A open)
    write_jobtrail_conf ""
    [[ $(record_count "$job") == 0 && $(record_count "$other") == 1 ]]
}

@test "doctor knows whether the script does it" {
    doctor() {
        "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-conf" doctor --conf "$DIR/jobtrail.conf" --json --node n1 |
            jq -r '.[] | select(.check == "prolog").state'
    }
    [[ $(doctor) == warning ]]
    use_prolog
    cp "$DIR/prolog" "$SCRIPT.new"
    sed -i '1i #!/bin/bash' "$SCRIPT.new"
    chmod 755 "$SCRIPT.new"
    mv "$SCRIPT.new" "$SCRIPT"
    [[ $(doctor) == ok ]]
}
