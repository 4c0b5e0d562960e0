#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What runs in a job now: jobtrail-ps on its nodes, and what jobtrail-acct -j says of such a job.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    RULES="opt_out = yes" start_cluster NODES=2
    export STORE=sqlite:$DIR/store.db
    make_user jtother
    local job
    job=$(submit_and_wait "$PROGRAMS/exit_with 0")
    eventually 60 is_flushed "$job"
    "$STAGE/bin/jobtrail-load" --store "$STORE" "$DIR/records"
    chmod 644 "$DIR/store.db"*
    RUNS=$(submit "srun --overlap -N2 -n2 $PROGRAMS/spin 900 sleep &
        until squeue -h -s -j \$SLURM_JOB_ID -o %i | grep -qx \$SLURM_JOB_ID.0; do sleep 0.1; done
        srun --overlap -N1 -n1 -w n2 $PROGRAMS/spin 900 sleep &
        $PROGRAMS/spin 900 sleep" -N2 -n2)
    export RUNS
    eventually 60 runs_on n1 spin 2
    eventually 60 runs_on n2 spin 1
}

# runs_on NODE NAME COUNT: so many processes of the program have a capture there
runs_on() {
    (($(ps_on "$1" root -n -P -o exec 2>/dev/null | grep -cx "$2") >= $3))
}

# ps_on NODE USER OPTION...: as on that node, outside of any job
ps_on() {
    local node=$1 user=$2
    "$CLUSTER" exec "$node" setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups \
        env -i PATH=/usr/bin:/bin "$STAGE/bin/jobtrail-ps" --conf "$DIR/jobtrail.conf" --node "$node" "${@:3}"
}

# in_job OPTION...: as its owner does it
in_job() {
    run_as "$JOB_USER" srun --overlap --jobid="$RUNS" "$STAGE/bin/jobtrail-ps" --conf "$DIR/jobtrail.conf" "$@"
}

# Rank 0 records for rank 1, which is on n2.
@test "srun --overlap shows what runs on each node of the job, with process, rank and start" {
    in_job -n -P -o jobid,user,exec,node,ntasks,rank | sort >"$DIR/rows"
    diff - "$DIR/rows" <<ROWS
$RUNS.0|$JOB_USER|spin|n1|2|0
$RUNS.1|$JOB_USER|spin|n2|1|0
$RUNS.batch|$JOB_USER|spin|n1|1|0
ROWS
    in_job -n -P -o node,pid,execpath,start >"$DIR/rows"
    while IFS='|' read -r node pid path start; do
        [[ $("$CLUSTER" exec "$node" readlink "/proc/$pid/exe") == "$path" && $path == "$PROGRAMS/spin" ]]
        (($(date -d "$start" +%s) <= $(date +%s)))
    done <"$DIR/rows"
}

@test "the output has sacct's forms" {
    [[ $(ps_on n2 "$JOB_USER" -P -o JobID,Exec) == "JobID|Exec"$'\n'"$RUNS.1|spin" ]]
    [[ $(ps_on n2 "$JOB_USER" -n -p -o exec) == "spin|" ]]
    [[ $(ps_on n2 "$JOB_USER" -o exec%-6,node%3) == $'Exec   Node \n'* ]] || ps_on n2 "$JOB_USER" -o exec%-6,node%3
    [[ $(ps_on n2 "$JOB_USER" --json | jq -r '.runs[] | "\(.job_id_raw) \(.step_id) \(.node) \(.exec_path) \(.pid > 0)"') == \
        "$RUNS 1 n2 $PROGRAMS/spin true" ]]
    [[ $(ps_on n2 "$JOB_USER" -o exek 2>&1 || echo "$?") == *'"exek"'*2 ]]
    [[ $(ps_on n2 "$JOB_USER" --version) == "jobtrail-ps "* ]]
    [[ $(ps_on n2 "$JOB_USER" --helpformat) == *UUID ]]
}

@test "outside of the job its owner and root see it, and others are refused" {
    [[ $(ps_on n1 "$JOB_USER" -n -P -o jobid | sort -u) == "$RUNS.0"$'\n'"$RUNS.batch" ]]
    [[ $(ps_on n1 root -j "$RUNS" -n -P -o user | sort -u) == "$JOB_USER" ]]
    run -1 --separate-stderr ps_on n1 jtother -n -j "$RUNS"
    [[ -z $output && $stderr == "jobtrail-ps: job $RUNS on n1 is another user's" ]]
    run -0 --separate-stderr ps_on n1 jtother -n
    [[ -z $output && $stderr == *"no job on n1 of yours"* ]]
}

@test "of a job that has ended, or that was started with --jobtrail=no, stderr says so" {
    local ended out user
    ended=$(submit_and_wait true -w n1)
    run -1 --separate-stderr ps_on n1 "$JOB_USER" -n -j "$ended"
    [[ -z $output && $stderr == *"job $ended on n1 is not known here: it has ended"* ]]
    out=$(submit "$PROGRAMS/spin 900 sleep" -w n1 --jobtrail=no --overcommit)
    eventually 60 has_state "$out" RUNNING
    eventually 60 test -e "$DIR/run/n1/$out.0/job_opted_out"
    says_so() { # USER
        run --separate-stderr ps_on n1 "$1" -n -j "$out"
        [[ -z $output && $stderr == *"--jobtrail=no"* ]] || { echo "$output$stderr"; return 1; }
    }
    for user in root "$JOB_USER"; do
        eventually 60 says_so "$user"
    done
    run_as root scancel "$out"
    wait_job "$out"
}

# The program's name has an escape, a bar and a byte that is no UTF-8.
@test "a name that could drive a terminal is shown escaped, and an ended program is not shown" {
    local job name=$'s\e[2J|\xff'
    cp "$PROGRAMS/spin" "$DIR/out/$name"
    job=$(submit "$PROGRAMS/exit_with 0; $(printf %q "$DIR/out/$name") 900 sleep" -w n1)
    eventually 60 has_row "$job" '^s\\x1b\[2J\\x7c\\xff$'
    [[ $(ps_on n1 root -j "$job" -n -P -o exec | wc -l) == 1 ]]
    [[ $(ps_on n1 root -j "$job" --json | jq -r '.runs | length') == 1 ]]
    run_as root scancel "$job"
    wait_job "$job"
}

@test "a program that the loader was asked to run is shown" {
    local job loader
    loader=$(readelf -lW "$PROGRAMS/spin" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
    job=$(submit "$loader $PROGRAMS/spin 900 sleep" -w n1)
    eventually 60 has_row "$job" '^spin$'
    run_as root scancel "$job"
    wait_job "$job"
}

has_row() { # JOB REGEX
    ps_on n1 root -j "$1" -n -P -o exec 2>/dev/null | grep -qE "$2"
}

# Only its user can write to the ledger: here with what others run, with random bytes, and with nothing.
@test "a ledger that its user has spoilt ends in rows of this user's processes, or in a message" {
    local job ledger status
    job=$(submit "$PROGRAMS/spin 900 sleep" -w n1)
    eventually 60 has_row "$job" '^spin$'
    ledger=$DIR/run/n1/$job.0/user/ledger
    # slots of foreign processes: each 4 KiB page of the ledger is copied over others, its pid changed
    run_as "$JOB_USER" "$PYTHON" - "$ledger" <<'PYTHON'
import os, random, sys
ledger = open(sys.argv[1], "r+b")
size = os.fstat(ledger.fileno()).st_size
page = os.pread(ledger.fileno(), 4096, 9 * 4096)
for number in range(1, min(size // 4096 - 9, 200)):
    copy = bytearray(page)
    copy[8:16] = ((9 + number) * 4096).to_bytes(8, "little")
    copy[36:40] = number.to_bytes(4, "little")
    os.pwrite(ledger.fileno(), copy, (9 + number) * 4096)
PYTHON
    ps_on n1 root -j "$job" -n -P -o user >"$DIR/rows"
    ! grep -vx "$JOB_USER" "$DIR/rows" || false
    for seed in 1 2 3 4 5 6; do
        run_as "$JOB_USER" "$PYTHON" - "$ledger" "$seed" <<'PYTHON'
import os, random, sys
random.seed(sys.argv[2])
ledger = open(sys.argv[1], "r+b")
for _ in range(4000):
    os.pwrite(ledger.fileno(), random.randbytes(8), random.randrange(512, 60 * 4096))
PYTHON
        for user in root "$JOB_USER"; do
            status=0
            ps_on n1 "$user" -j "$job" -n -P -o user >"$DIR/rows" || status=$?
            ((status <= 1))
            ! grep -vx "$JOB_USER" "$DIR/rows" || false
        done
    done
    run_as "$JOB_USER" truncate -s 0 "$ledger"
    run -1 --separate-stderr ps_on n1 root -j "$job" -n
    [[ -z $output && $stderr == *"job $job on n1 has no usable ledger" ]]
    run_as root scancel "$job"
    wait_job "$job"
}

acct() { # USER OPTION...
    run_as "$1" "$STAGE/bin/jobtrail-acct" --store "$STORE" -n -P "${@:2}"
}

@test "jobtrail-acct -j of a running job says how to see what runs, and that line works" {
    local line
    run -0 --separate-stderr acct "$JOB_USER" -j "$RUNS"
    [[ -z $output && $stderr == *"job $RUNS runs on n[1-2]"* ]]
    line=${stderr##*for the rest: }
    [[ $line == "srun --overlap --jobid=$RUNS -N2 -n2 jobtrail-ps" ]]
    read -ra words <<<"${line/jobtrail-ps/$STAGE/bin/jobtrail-ps}"
    [[ $(run_as "$JOB_USER" "${words[@]}" --conf "$DIR/jobtrail.conf" -n -P -o node | sort -u) == $'n1\nn2' ]]
    run -0 --separate-stderr acct root -j "$RUNS.0"
    [[ $stderr == *"as root on each of n[1-2]: jobtrail-ps -j $RUNS" ]]
    run -0 --separate-stderr acct root -j "$RUNS" --no-sacct
    [[ $stderr != *"$RUNS runs"* ]]
}
