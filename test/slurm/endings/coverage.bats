#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every task that Slurm launched is counted, with the reason where it left no capture.
# bats file_tags=again

load ../fixture/cluster

setup_file() {
    export BEGAN=$EPOCHSECONDS
    start_cluster EXTRA_CONF=PrologFlags=Alloc
}

teardown_file() {
    [[ -z ${CLUSTER-} ]] || "$CLUSTER" exec n2 umount "$DIR/run/n2" 2>/dev/null || true
    stop_cluster
}

# step JOB JQ-PATH: of the one fact of its step 0 that counts tasks and is no follower
step() {
    coverage_of "$1" '.coverageA[] | select(.step_id == "0" and .tasks > 0 and .outcome != "follower") | '"$2"
}

# rows JOB STEP OUTCOME JQ-PATH: of each of these rows
rows() {
    coverage_of "$1" '.coverageA[] | select((.step_id // "") == "'"$2"'" and .outcome == "'"$3"'") | '"$4"
}

# adds_up JOB: on each node the rows have the whole allocation
adds_up() {
    coverage_of "$1" '[([.coverageA[].core_seconds] | add), .coverageT.core_seconds]' |
        jq -se 'length > 0 and all((.[0] - .[1]) | fabs < 0.000001)'
}

program_of() { # JOB
    step "$1" .program
}

@test "a task that left a capture is recorded, the other ranks follow it, on each node" {
    job=$(submit_and_wait "srun $PROGRAMS/spin 1" --nodes=2 --ntasks-per-node=2 --account=physics)
    [[ $(record_count "$job") == 1 ]]
    [[ $(coverage "$job" n1) == $'0 recorded 2\nbatch script 1' ]]
    [[ $(coverage "$job" n2) == '0 follower 2' ]]
    [[ $(coverage_of "$job" '.coverageT | "\(.cluster) \(.user) \(.uid) \(.account) \(.partition) \(.restart_count) \(.dropped)"' | sort -u) == "lab $JOB_USER $(id -u "$JOB_USER") physics main 0 0" ]]
    [[ $(coverage_of "$job" '.coverageA[] | select(.step_id == "0") | "\(.leader) \(.program)"' | sort -u) == "0 $PROGRAMS/spin" ]]
    [[ $(field "$job" spin .slurmT.leads) == true ]]
}

@test "core seconds are processors times time, and a batch script has none while a step runs" {
    job=$(submit_and_wait "srun -n1 -c2 $PROGRAMS/spin 2 sleep" --nodes=1 --ntasks=1 --cpus-per-task=2)
    adds_up "$job"
    [[ $(field "$job" spin '.slurmT.core_seconds - 2 * .userDT.run_time | fabs < 0.001') == true ]]
    [[ $(field "$job" spin '.slurmT | [.core_days[][1]] | add') == "$(field "$job" spin .slurmT.core_seconds)" ]]
    [[ $(coverage_of "$job" '[.coverageA[] | select(.step_id == "0")] |
        (map(.core_seconds) | add) - 2 * (.[0] | .end_time - .start_time) | fabs < 0.01') == true ]]
    [[ $(coverage_of "$job" '([.coverageA[] | select(.step_id == "batch") | .core_seconds] | add)
        <= .coverageT.core_seconds - 4') == true ]]
}

@test "time of programs that nobody saw is of no program" {
    cp "$PROGRAMS/spin_static" "$DIR/unseen"
    for script in "srun bash -c '$DIR/unseen 0.5 sleep; ls'" "srun env -i $PROGRAMS/spin 0.5 sleep"; do
        job=$(submit_and_wait "$script")
        adds_up "$job"
        [[ $(coverage "$job") == $'0 script 1\nbatch script 1' ]]
        [[ $(rows "$job" 0 script .core_seconds) != 0 ]]
        # but for ls
        [[ $(record_count "$job" unseen) == 0 && $(record_count "$job" spin) == 0 ]]
        jq -ne "($(coverage_of "$job" '[.coverageA[] | select(.outcome | IN("recorded", "static", "sampled")) | .core_seconds] | add // 0')
            - $(records "$job" | jq 'map(.slurmT.core_seconds) | add // 0') | fabs) < 0.000001"
    done
}

@test "a node where the job had no step is idle" {
    job=$(submit_and_wait "$PROGRAMS/spin 0" --nodes=2)
    adds_up "$job"
    # slurm: the epilog is told when the job started
    source=$("$JOBTRAIL_SOURCE/test/systems/can" credential_start && echo slurm || echo prolog)
    [[ $(coverage_of "$job" 'select(.coverageT.node == "n2") | .coverageA | map("\(.step_id) \(.outcome)") | @text') == '["null idle"]' ]]
    [[ $(coverage_of "$job" 'select(.coverageT.node == "n2") | .coverageT
        | "\(.cpus > 0) \(.start_source) \(.end_source) \(.core_seconds - .cpus * (.end_time - .start_time) | fabs < 0.001)"') == "true $source epilog true" ]]
}

@test "a wrapper is spoken for by the programs that it starts" {
    job=$(submit_and_wait "srun bash -c '$PROGRAMS/exit_with 0; $PROGRAMS/exit_with 0'; $PROGRAMS/spin 0")
    [[ $(record_count "$job") == 3 ]]
    [[ $(rows "$job" 0 recorded .runs) == 2 ]]
    [[ $(rows "$job" batch recorded '[.runs, .tasks] | @text') == '[1,0]' ]]
}

@test "a static program has a run record of what root knows" {
    job=$(submit_and_wait "cd $DIR; srun -n3 $PROGRAMS/exit_with_static 7" -n3)
    [[ $(coverage "$job") == $'0 static 3\nbatch script 1' ]]
    [[ $(record_count "$job") == 1 ]]
    [[ $(field "$job" exit_with_static '.slurmT | "\(.captured) \(.end_source) \(.exit_code):\(.signal) \(.step_id) \(.task_id)"') == "false task_exit 7:0 0 0" ]]
    [[ $(field "$job" exit_with_static '.userT.exec_path, .hash_id, .userDT.num_tasks') == "$PROGRAMS/exit_with_static"$'\n'"$(sha1sum <"$PROGRAMS/exit_with_static" | cut -d' ' -f1)"$'\n'3 ]]
    [[ $(field "$job" exit_with_static '.userDT | .run_time > 0 and .run_time <= '$((EPOCHSECONDS + 1 - BEGAN))) == true ]]
}

@test "a static program that is killed has its signal and its time" {
    job=$(submit "srun bash -c 'echo pid \$\$; exec $PROGRAMS/spin_static 100 sleep'")
    eventually 30 output_has "$job" '^pid [0-9]+$'
    run_as root scancel "$job"
    wait_job "$job"
    # Slurm was asked for the shell: what that became nobody tells
    [[ $(coverage "$job") == $'0 script 1\nbatch script 1' ]]
    job=$(submit "srun $PROGRAMS/spin_static 100 sleep" -w n1)
    eventually 30 grep -q '^task .*step=0 ' "$DIR/run/n1/$job.0/journal"
    sleep 1
    run_as root scancel -s KILL "$job.0"
    wait_job "$job"
    [[ $(field "$job" spin_static '.slurmT | "\(.end_source) \(.exit_code):\(.signal)"') == "task_exit 0:9" ]]
    [[ $(field "$job" spin_static '.userDT.run_time >= 1') == true ]]
}

@test "a set-user-id program is told as such, but not where it is the user's own" {
    cp "$PROGRAMS/exit_with" "$DIR/setuid"
    chmod 4755 "$DIR/setuid"
    job=$(submit_and_wait "srun $DIR/setuid 0")
    [[ $(coverage "$job") == $'0 setuid 1\nbatch script 1' && $(program_of "$job") == "$DIR/setuid" ]]
    [[ $(record_count "$job") == 0 ]]
    chown "$JOB_USER" "$DIR/setuid"
    chmod 4755 "$DIR/setuid"
    job=$(submit_and_wait "srun $DIR/setuid 0")
    [[ $(coverage "$job") == $'0 recorded 1\nbatch script 1' && $(record_count "$job") == 1 ]]
}

@test "a program in a container without the library is told as such, though the runtime left a capture" {
    mkdir -p "$DIR"/image/{bin,dev,etc,proc,sys,tmp,usr,home,mnt,root,run}
    cp "$PROGRAMS/exit_with_static" "$DIR/image/bin/program"
    : >"$DIR/image/etc/hosts"
    : >"$DIR/image/etc/resolv.conf"
    : >"$DIR/image/etc/passwd"
    : >"$DIR/image/etc/group"
    job=$(SUBMIT_AS=root submit_and_wait "srun ch-run $DIR/image -- /bin/program 0 && echo it ran")
    [[ $(output_of "$job") == *"it ran"* ]]
    [[ $(coverage "$job") == $'0 container 1\nbatch script 1' ]]
    [[ $(record_count "$job" ch-run) == 1 && $(record_count "$job") == 1 ]]
}

@test "a program that the site's rules skip, and a script whose interpreter they skip, are no misses" {
    printf '#!/bin/sh\nexit 0\n' >"$DIR/script"
    chmod 755 "$DIR/script"
    job=$(submit_and_wait "srun $DIR/script; srun bash -c true")
    [[ $(coverage "$job") == $'0 script 1\n1 script 1\nbatch script 1' ]]
    [[ $(program_of "$job") == "$(readlink -f /bin/sh)" ]]
}

# has_not_started JOB PROGRAM EXIT-CODE TASKS
has_not_started() {
    [[ $(coverage "$1") == "0 not_started $4"$'\nbatch script 1' && $(program_of "$1") == "$2" ]]
    [[ $(record_count "$1") == 1 ]]
    [[ $(records "$1" | jq -r '.[0] | "\(.userT.exec_path) \(.slurmT.end_source) \(.slurmT.exit_code):\(.slurmT.signal)"') == \
        "$2 not_started $3:0" ]]
    [[ $(records "$1" | jq '.[0] | .slurmT.captured == false and .slurmT.core_seconds == 0 and .userDT.run_time <= '$((EPOCHSECONDS + 1 - BEGAN))) == true ]]
    adds_up "$1"
}

lacks() { # JOB LIBRARY: of `needs`, as the record and the store have it
    [[ $(field "$1" needs .slurmT.missing_library) == "$2" ]]
    "$STAGE/bin/jobtrail-load" --store "sqlite:$DIR/lacks.db" "$DIR/records" 2>/dev/null
    [[ $("$STAGE/bin/jobtrail-acct" --no-sacct --store "sqlite:$DIR/lacks.db" -n -P -j "$1" -o exec,missinglib) == "needs|$2" ]]
}

@test "a program that is not there or cannot be executed has not started" {
    job=$(submit_and_wait "cd $DIR; srun -n3 ./nowhere" -n3)
    has_not_started "$job" "$DIR/nowhere" 2 3
    printf '#!%s\n' "$DIR/nowhere" >"$DIR/headless"
    printf 'nothing' >"$DIR/nothing"
    chmod 755 "$DIR/headless" "$DIR/nothing"
    job=$(submit_and_wait "srun $DIR/headless")
    has_not_started "$job" "$DIR/headless" 2 1
    job=$(submit_and_wait "srun $DIR/nothing")
    has_not_started "$job" "$DIR/nothing" 8 1
    # what ends with these numbers by itself is no such program
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 2")
    [[ $(coverage "$job") == $'0 recorded 1\nbatch script 1' ]]
}

@test "a batch script whose interpreter is not there has not started" {
    job=$(run_as "$JOB_USER" sbatch --parsable --output="$DIR/out/%j" <<<"#!$DIR/nowhere")
    wait_job "$job"
    [[ $(coverage "$job") == 'batch not_started 1' ]]
    [[ $(field "$job" slurm_script '.slurmT | "\(.step_id) \(.end_source) \(.exit_code)"') == "batch not_started 2" ]]
}

@test "a program that its loader ends has not started, whatever the reason" {
    make_library
    job=$(submit_and_wait "srun -n2 $DIR/needs" -n2)
    output_has "$job" "libneeded.so: cannot open shared object file"
    has_not_started "$job" "$DIR/needs" 127 2
    lacks "$job" libneeded.so
    job=$(submit_and_wait "export LD_LIBRARY_PATH=/nonexistent:$DIR/old:; srun $DIR/needs")
    output_has "$job" "version .TWO. not found"
    has_not_started "$job" "$DIR/needs" 1 1
    lacks "$job" libneeded.so
    # of many modules, in one variable
    long=$(printf "/opt/site/software/compiler-12.2.0/library-%d.1.2/lib:" {1..300})
    job=$(submit_and_wait "export LD_LIBRARY_PATH=$long$DIR/old; srun -n2 $DIR/needs" -n2)
    has_not_started "$job" "$DIR/needs" 1 2
    # one that the user may not read, or whose directory they may not pass
    cp -r "$DIR/new" "$DIR/closed_file"
    cp -r "$DIR/new" "$DIR/closed"
    chmod 600 "$DIR/closed_file/libneeded.so"
    chmod 700 "$DIR/closed"
    job=$(submit_and_wait "LD_LIBRARY_PATH=$DIR/closed_file srun $DIR/needs; LD_LIBRARY_PATH=$DIR/closed srun $DIR/needs")
    [[ $(coverage "$job") == $'0 not_started 1\n1 not_started 1\nbatch script 1' ]]
    job=$(submit_and_wait "export LD_LIBRARY_PATH=/nonexistent:$DIR/new; srun $DIR/needs")
    [[ $(coverage "$job") == $'0 recorded 1\nbatch script 1' ]]
}

@test "a program that itself ends as a loader ends one is not taken for one that has not started" {
    # it leaves no capture, and its exit code is the loader's
    printf '#!/bin/bash\necho unset LD_PRELOAD\n' >"$DIR/prolog"
    chmod 755 "$DIR/prolog"
    for code in 127 1; do
        job=$(submit_and_wait "srun --task-prolog=$DIR/prolog $PROGRAMS/exit_with $code")
        [[ $(coverage "$job") == $'0 unknown 1\nbatch script 1' && $(record_count "$job") == 0 ]]
    done
    job=$(submit_and_wait "srun bash -c 'exit 127'")
    [[ $(coverage "$job") == $'0 script 1\nbatch script 1' ]]
}

@test "a program that found its library by what a TaskProlog exported has started" {
    [[ -e $DIR/new/libneeded.so ]] || make_library
    echo 'int needed(void); int main(void) { return needed() + 127; }' >"$DIR/ends.c"
    cc -o "$DIR/ends" "$DIR/ends.c" -L"$DIR/new" -lneeded
    printf '#!/bin/bash\necho "export LD_LIBRARY_PATH=%s"\necho unset LD_PRELOAD\n' "$DIR/new" >"$DIR/prolog"
    chmod 755 "$DIR/prolog"
    job=$(submit_and_wait "srun --task-prolog=$DIR/prolog $DIR/ends")
    [[ $(coverage "$job") == $'0 unknown 1\nbatch script 1' && $(record_count "$job") == 0 ]]
}

@test "on the other nodes of a program that has not started each task counts as such" {
    job=$(submit_and_wait "srun $DIR/nowhere" --nodes=2 --ntasks-per-node=2)
    [[ $(coverage "$job" n1) == $'0 not_started 2\nbatch script 1' ]]
    [[ $(coverage "$job" n2) == '0 not_started 2' ]]
    [[ $(record_count "$job") == 1 ]]
    # it is not there on one node alone
    mkdir -p "$DIR/mounted"
    "$CLUSTER" exec n1 mount -t tmpfs none "$DIR/mounted"
    "$CLUSTER" exec n1 cp "$PROGRAMS/exit_with" "$DIR/mounted/exit_with"
    job=$(submit_and_wait "srun $DIR/mounted/exit_with 0" --nodes=2 --ntasks-per-node=1)
    "$CLUSTER" exec n1 umount "$DIR/mounted"
    [[ $(coverage "$job" n1) == $'0 recorded 1\nbatch script 1' ]]
    [[ $(coverage "$job" n2) == '0 not_started 1' ]]
}

@test "a task that is killed before its program starts is killed" {
    mkfifo "$DIR/out/fifo"
    chown "$JOB_USER" "$DIR/out/fifo"
    cat >"$DIR/prolog" <<PROLOG
#!/bin/bash
echo task \$PPID >$DIR/out/prolog
read -r <>$DIR/out/fifo
PROLOG
    chmod 755 "$DIR/prolog"
    job=$(submit "srun --task-prolog=$DIR/prolog $PROGRAMS/exit_with 0")
    eventually 30 output_has prolog '^task [0-9]+$'
    kill -KILL "$(sed 's/task //' "$DIR/out/prolog")"
    wait_job "$job"
    [[ $(coverage "$job") == $'0 killed 1\nbatch script 1' && $(record_count "$job") == 0 ]]
    [[ $(program_of "$job") == "$PROGRAMS/exit_with" ]]
}

@test "a task whose LD_PRELOAD was unset on the way is unknown" {
    printf '#!/bin/bash\necho unset LD_PRELOAD\n' >"$DIR/prolog"
    job=$(submit_and_wait "srun --task-prolog=$DIR/prolog $PROGRAMS/exit_with 0")
    [[ $(coverage "$job") == $'0 unknown 1\nbatch script 1' && $(record_count "$job") == 0 ]]
}

@test "a step of several programs has a fact for each, by the first task of each" {
    cat >"$DIR/multi" <<MULTI
0-1 $PROGRAMS/exit_with 0
2-4 ./exit_with_static 3
5 exit_with 0
MULTI
    "$CLUSTER" wait-idle 60 # or the nodes have other numbers of tasks
    job=$(submit_and_wait "cd $PROGRAMS; export PATH=$PROGRAMS:\$PATH; srun --multi-prog $DIR/multi" -n6 -N2)
    [[ $(coverage_of "$job" '.coverageA[] | select(.step_id == "0" and .tasks > 0)
        | "\(.first_task) \(.outcome) \(.leader) \(.tasks)"' | sort) == $'0 recorded 0 2\n2 static 2 2\n4 follower 2 1\n5 recorded 5 1' ]]
    [[ $(coverage_of "$job" '.coverageA[] | select(.step_id == "0") | .tasks' | jq -s add) == 6 ]]
    [[ $(coverage_of "$job" '.coverageA[] | select(.outcome == "static") | .program') == "$PROGRAMS/exit_with_static" ]]
    [[ $(field "$job" exit_with_static '.slurmT | "\(.task_id) \(.exit_code)"') == "2 3" ]]
    [[ $(record_count "$job" exit_with) == 2 ]]
}

@test "both components of a heterogeneous step are counted" {
    job=$(submit_and_wait "srun -n1 $PROGRAMS/exit_with 0 : -n2 $PROGRAMS/spin 0" -n1 : -n2)
    [[ $(coverage "$job") == $'0 recorded 1\nbatch script 1' ]]
    [[ $(coverage "$((job + 1))") == '0 recorded 2' ]]
}

@test "mpirun's daemons are launchers, whose ranks rank 0 records for" {
    job=$(submit_and_wait "$MPIRUN -n 4 $PROGRAMS/hello_openmpi" --nodes=2 --ntasks-per-node=2)
    [[ $(record_count "$job") == 1 ]]
    adds_up "$job"
    [[ $(rows "$job" batch recorded .runs) == 1 && $(coverage "$job" n2) == '0 launcher 1' ]]
    [[ $(coverage_of "$job" '.coverageA[] | select(.outcome == "launcher")
        | .core_seconds - 2 * (.end_time - .start_time) | fabs < 0.01') == true ]]
}

@test "a run that sampling leaves out is no miss" {
    write_jobtrail_conf $'[sampling]\nenabled = yes\nscalar = 0 0.000000001'
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0; srun $PROGRAMS/exit_with_static 0")
    write_jobtrail_conf ''
    [[ $(coverage "$job") == $'0 sampled 1\n1 sampled 1\nbatch script 1' && $(record_count "$job") == 0 ]]
    [[ $(coverage_of "$job" '.coverageA[] | select(.outcome == "sampled") | "\(.step_id) \(.runs) \(.program)"' | sort) == \
        "0 1 $PROGRAMS/exit_with"$'\n'"1 1 $PROGRAMS/exit_with_static" ]]
    adds_up "$job"
}

# ---- trouble with the spool

@test "where the ledger is full the tasks that found no room are told" {
    write_jobtrail_conf $'[spool]\nledger_size = 1M'
    sed -i '0,/^\[spool\]/{/^\[spool\]/d}' "$DIR/jobtrail.conf" # the first one's dir goes to the second
    sed -i "s|^ledger_size|dir = $DIR/run/%n\nledger_size|; 0,/^dir = .*run/{/^dir = .*run/d}" "$DIR/jobtrail.conf"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    job=$(submit_and_wait "for i in {1..260}; do $PROGRAMS/exit_with 0; done; srun $PROGRAMS/exit_with 0")
    write_jobtrail_conf ''
    [[ $(coverage "$job") == $'0 spool 1\nbatch script 1' ]]
    [[ $(coverage_of "$job" '.coverageT.dropped + '"$(record_count "$job")") == 261 ]]
}

@test "where the user spoils the ledger the tasks without captures are told, and it is set aside" {
    job=$(submit_and_wait ": >\$JOBTRAIL_SPOOL/ledger; srun $PROGRAMS/exit_with 0")
    [[ $(coverage "$job") == $'0 spool 1\nbatch spool 1' ]]
    [[ -d $DIR/state/quarantine/$job.0 ]]
}

@test "where there is no room for a ledger every task is told" {
    configure $'[spool]\nmount = no' # the prolog does not
    "$CLUSTER" exec n2 mount -t tmpfs -o size=4k,mode=711 none "$DIR/run/n2"
    job=$(submit_and_wait "$PROGRAMS/exit_with 0" -w n2)
    "$CLUSTER" exec n2 umount "$DIR/run/n2"
    write_jobtrail_conf ''
    [[ $(coverage "$job") == 'batch spool 1' && $(record_count "$job") == 0 ]]
}

# ---- what becomes of it

@test "coverage is loaded once, and summed up by outcome" {
    store=sqlite:$DIR/store.db
    "$STAGE/bin/jobtrail-load" "$DIR/records" --store "$store"
    [[ $("$STAGE/bin/jobtrail-load" "$DIR/records" --store "$store" --json | jq .new) == 0 ]]
    facts=$(find "$DIR/records" -name 'coverage.*' -exec cat {} + | jq -s 'map(.coverageA[].tasks) | add')
    [[ $(sqlite3 "$DIR/store.db" 'SELECT sum(tasks) FROM coverage') == "$facts" ]]
    job=$(submit_and_wait "srun -n4 $PROGRAMS/exit_with 0; srun -n2 $PROGRAMS/exit_with_static 0; srun $PROGRAMS/exit_with 0" -N2 -n4)
    "$STAGE/bin/jobtrail-load" "$DIR/records" --store "$store"
    [[ $("$STAGE/bin/jobtrail-acct" --store "$store" --coverage -j "$job" -nPo Outcome,Tasks | grep -v '|0$' | sort) == $'recorded|9\nscript|1\nstatic|1' ]]
}

@test "on each node the rows of all these jobs have the whole allocation" {
    find "$DIR" -name 'coverage.lab.*.json' -exec cat {} + |
        jq -se 'all(.[]; ([.coverageA[].core_seconds] | add) - .coverageT.core_seconds | fabs < 0.000001)'
    # runs, static ones too, have what the rows say that records have
    find "$DIR/records" \( -name 'run.*.json' -o -name 'coverage.*.json' \) -exec cat {} + | jq -se '
        ([.[] | .coverageA // [] | .[] | select(.outcome | IN("recorded", "static")) | .core_seconds] | add) as $rows
        | [.[] | .slurmT.core_seconds // 0] | add - $rows | fabs < 0.000001'
}

@test "the coverage records of all these jobs are what the schema says" {
    mapfile -t files < <(find "$DIR" -name 'coverage.lab.*.json')
    ((${#files[@]} > 20))
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "${files[@]}"
}
