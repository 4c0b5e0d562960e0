#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Slurm tells of a task's end after the task's epilogs: how long these take is no part of the run.
# bats file_tags=again

load ../fixture/cluster

setup_file() {
    export RULES=$'[paths]\nskip = .*/(sleep|date|env)\nkeep = .*'
    start_cluster
    # says when it began: the task had ended before
    cat >"$DIR/epilog" <<EPILOG
#!/bin/sh
[ -e "$DIR/out/began.\$SLURM_JOB_ID.\$SLURM_STEP_ID" ] ||
    env -u LD_PRELOAD date +%s.%N >"$DIR/out/began.\$SLURM_JOB_ID.\$SLURM_STEP_ID"
env -u LD_PRELOAD sleep 3
EPILOG
    chmod 755 "$DIR/epilog"
}

# ended JOB STEP NAME: "end_source exit_code:signal" of its record, where the end that it tells lies
# before the step's first epilog, and the bounds have a time between its start and that epilog
ended() {
    local began
    began=$(<"$DIR/out/began.$1.$2")
    field "$1" "$3" "if .userDT.end_time <= $began and .slurmT.end_time_min <= $began
            and .slurmT.end_time_max >= .userDT.start_time
        then .slurmT | \"\\(.end_source) \\(.exit_code):\\(.signal)\"
        else \"epilog at $began, \" + ([.userDT.end_time, .slurmT.end_time_min, .slurmT.end_time_max] | tostring) end"
}

# each_way SRUN-OPTION...: of one job, the ends of a task that signs, of one that does not, and of
# one that is killed
each_way() {
    local job
    job=$(submit_and_wait "ulimit -c 0
srun -n1 $* $PROGRAMS/exit_with 3
srun -n1 $* $PROGRAMS/_exit_with 4
srun -n1 $* $PROGRAMS/kill_self 9
exit 5" -w n1)
    run ended "$job" 0 exit_with
    echo "$output"
    [[ $output == "fini 3:0" ]]
    [[ $(field "$job" exit_with .slurmT.end_time_error) == 0.01 ]]
    run ended "$job" 1 _exit_with
    echo "$output"
    [[ $output == "task_exit 4:0" ]]
    run ended "$job" 2 kill_self
    echo "$output"
    [[ $output == "task_exit 0:9" ]]
    JOB=$job
}

@test "the end of a task does not lie in the epilog that srun was given for it" {
    each_way "--task-epilog=$DIR/epilog"
}

@test "a task that hangs after it has signed and is killed ended before its epilog, and after it signed" {
    job=$(submit "srun -n1 --task-epilog=$DIR/epilog $PROGRAMS/vfork_exit $DIR/out/on" -w n1)
    eventually 30 test -e "$DIR/out/on"
    before=$(date +%s.%N)
    run_as root scancel -s KILL "$job.0"
    wait_job "$job"
    [[ $(ended "$job" 0 vfork_exit) == "task_exit 0:9" ]]
    [[ $(field "$job" vfork_exit ".userDT.end_time >= $before") == true ]]
}

# The first epilog begins when the other tasks may still start: it says its time when all have ended.
@test "of many tasks with an epilog each, none ended in the epilogs that came after its end" {
    cat >"$DIR/last" <<EPILOG
#!/bin/sh
for task in 0 1 2; do
    until [ -s "$DIR/out/pid.\$task" ]; do env -u LD_PRELOAD sleep 0.1; done
    read -r pid <"$DIR/out/pid.\$task"
    while { read -r _ _ state _ <"/proc/\$pid/stat"; } 2>/dev/null && [ "\$state" != Z ]; do
        env -u LD_PRELOAD sleep 0.1
    done
done
exec "$DIR/epilog"
EPILOG
    chmod 755 "$DIR/last"
    job=$(submit_and_wait "srun -n3 -O --task-epilog=$DIR/last bash -c 'echo \$\$ >$DIR/out/pid.\$SLURM_PROCID; exec $PROGRAMS/_exit_with 4'" -w n1)
    run jq --argjson began "$(<"$DIR/out/began.$job.0")" 'map(select(.userT.exec_path | endswith("/_exit_with")))
        | (map([.slurmT.end_time_min, .slurmT.end_time_max, $began]) | tostring),
        (length > 0 and all(.slurmT.end_time_min <= $began))' <<<"$(records "$job")"
    echo "$output"
    [[ ${lines[-1]} == true ]]
}

@test "nor in the site's epilog, nor in both, and a batch script keeps its status" {
    "$CLUSTER" stop
    EXTRA_CONF="TaskEpilog=$DIR/epilog" OWNER=$$ "$CLUSTER" start
    each_way
    [[ $(ended "$JOB" "" bash) == "fini 5:0" ]]
    each_way "--task-epilog=$DIR/epilog"
}
