#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The guarantee: after the epilog every tracked process of a job has exactly one end record, with
# the exit code or the signal where somebody knows it, and how the end is known. One test for each
# way to end; tasks are processes that Slurm waits for, children are what a script starts.
# bats file_tags=again

load ../fixture/cluster

# A job that tells the pid of its running program in $DIR/out/JOB, for a test to kill it.
started_pid() { # JOB
    eventually 30 output_has "$1" '^pid [0-9]+$'
    sed -n 's/^pid //p' "$DIR/out/$1"
}

@test "a task that exits with 0 has signed and has exit code 0" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0")
    [[ $(ending "$job" exit_with) == "fini 0:0" ]]
    [[ $(record_count "$job") == 1 ]]
    [[ $(field "$job" exit_with .slurmT.end_time_error) == 0.01 ]]
}

@test "a task that exits with 3 has exit code 3" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 3")
    [[ $(ending "$job" exit_with) == "fini 3:0" ]]
}

@test "a task that ends by _exit has the exit code that Slurm saw" {
    job=$(submit_and_wait "srun $PROGRAMS/_exit_with 4")
    [[ $(ending "$job" _exit_with) == "task_exit 4:0" ]]
}

@test "a task that replaces itself has ended by exec, and its successor as it did" {
    job=$(submit_and_wait "srun $PROGRAMS/exec_to $PROGRAMS/exit_with 5")
    [[ $(ending "$job" exec_to) == "exec null:null" ]]
    [[ $(ending "$job" exit_with) == "fini 5:0" ]]
    [[ $(record_count "$job") == 2 ]]
}

@test "a chain of three programs in one process gives three records that follow each other" {
    job=$(submit_and_wait "srun $PROGRAMS/exec_to $PROGRAMS/exec_to $PROGRAMS/_exit_with 6")
    [[ $(records "$job" | jq -r 'sort_by(.userDT.start_time) | map(.slurmT.end_source) | join(" ")') == "exec exec task_exit" ]]
    [[ $(records "$job" | jq 'sort_by(.userDT.start_time)
        | all(range(1; length) as $i | .[$i].userDT.start_time == .[$i - 1].userDT.end_time; .)') == true ]]
}

@test "a task that dies of SIGSEGV has the signal" {
    job=$(submit_and_wait "ulimit -c 0; srun $PROGRAMS/kill_self 11")
    [[ $(ending "$job" kill_self) == "task_exit 0:11" ]]
    [[ $(field "$job" kill_self .slurmT.core_dumped) == false ]]
}

@test "a task that aborts has the signal" {
    job=$(submit_and_wait "ulimit -c 0; srun $PROGRAMS/kill_self 6")
    [[ $(ending "$job" kill_self) == "task_exit 0:6" ]]
}

@test "a task that is killed with SIGKILL in mid-run is recorded with signal and time" {
    before=$(date +%s)
    job=$(submit "srun $PROGRAMS/exit_late 600000 pid")
    pid=$(started_pid "$job")
    sleep 1 # how long it runs at the least
    kill -KILL "$pid"
    wait_job "$job"
    [[ $(ending "$job" exit_late) == "task_exit 0:9" ]]
    [[ $(field "$job" exit_late ".userDT.run_time >= 0.99 and .userDT.run_time <= $(date +%s) + 1 - $before") == true ]]
}

@test "scancel of a job records SIGTERM" {
    job=$(submit "srun $PROGRAMS/exit_late 600000 pid")
    started_pid "$job"
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(ending "$job" exit_late) == "task_exit 0:15" ]]
}

@test "scancel of a job that ignores SIGTERM records SIGKILL" {
    job=$(submit "srun $PROGRAMS/ignore_term 1000")
    eventually 30 output_has "$job" ready
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(ending "$job" ignore_term) == "task_exit 0:9" ]]
}

@test "scancel -s KILL of one step leaves the job's other records alone" {
    job=$(submit "srun $PROGRAMS/exit_late 600000 pid; srun $PROGRAMS/exit_with 0")
    started_pid "$job"
    run_as root scancel -s KILL "$job.0"
    wait_job "$job"
    [[ $(ending "$job" exit_late) == "task_exit 0:9" ]]
    [[ $(ending "$job" exit_with) == "fini 0:0" ]]
}

@test "scancel -s KILL of a job records the signal that came first" {
    job=$(submit "srun $PROGRAMS/eat_memory 1")
    eventually 30 output_has "$job" full
    run_as root scancel -s KILL "$job"
    wait_job "$job"
    [[ $(ending "$job" eat_memory) =~ ^"task_exit 0:"(9|15)$ ]]
    [[ $(record_count "$job") == 1 ]]
}

@test "a grandchild that is killed with SIGKILL is closed when its step is over, its parents as they end" {
    job=$(submit "srun bash -c 'bash -c \"$PROGRAMS/eat_memory 1 & echo pid \\\$!; wait\"; $PROGRAMS/exit_with 0; exec $PROGRAMS/_exit_with 5'")
    eventually 30 output_has "$job" full
    kill -KILL "$(started_pid "$job")"
    wait_job "$job"
    [[ $(ending "$job" eat_memory) == "step_end null:null" ]]
    [[ $(field "$job" eat_memory '.slurmT.end_time_error >= .userDT.run_time') == true ]]
    [[ $(ending "$job" exit_with) == "fini null:null" ]]
    [[ $(ending "$job" _exit_with) == "task_exit 5:0" ]]
    [[ $(record_count "$job") == 3 ]]
}

# The end is no later than told, and no earlier than the error says.
@test "the end of a task that Slurm waited for lies within its bounds" {
    job=$(submit "srun -n1 bash -c 'date +%s.%N >$DIR/out/before; exec $PROGRAMS/kill_self 9'
        date +%s.%N >$DIR/out/after; srun -n1 $PROGRAMS/_exit_with 4")
    wait_job "$job"
    before=$(<"$DIR/out/before") after=$(<"$DIR/out/after")
    [[ $(field "$job" kill_self ".userDT.end_time >= $before
        and .userDT.end_time - .slurmT.end_time_error <= $after") == true ]]
    [[ $(field "$job" _exit_with '.slurmT.end_time_error <= .userDT.run_time') == true ]]
}

# task_pid JOB TASK: of its first step on n1
task_pid() {
    sed -n "s/^task .* step=0 task=$2 pid=\\([0-9]*\\) .*/\\1/p" "$DIR/run/n1/$1.0/journal"
}

# has_exits JOB COUNT: slurmstepd has told the plugin of so many ended tasks
has_exits() {
    (($(grep -c '^exit ' "$DIR/run/n1/$1.0/journal") >= $2))
}

@test "the end of a task that ends soon after another is as exact as its record says" {
    cp "$PROGRAMS/eat_memory" "$DIR/eat_too" # another program: of each one task is recorded
    printf '0 %s 1\n1 %s 1\n' "$PROGRAMS/eat_memory" "$DIR/eat_too" >"$DIR/multi"
    job=$(submit "srun -K0 --multi-prog $DIR/multi; true" -N1 -n2 -w n1)
    # shellcheck disable=SC2317 # called by eventually
    both_run() { [[ $(grep -sc full "$DIR/out/$job") == 2 ]]; }
    eventually 30 both_run
    first=$(task_pid "$job" 0) second=$(task_pid "$job" 1)
    kill -KILL "$first"
    # more often than slurmstepd does (100 ms)
    PAUSE=0.005 eventually 30 has_exits "$job" 1
    # slurmstepd has seen the first one, and looks for others 100 ms later
    before=$(date +%s.%N)
    kill -KILL "$second"
    PAUSE=0.005 eventually 30 process_ended "$second"
    after=$(date +%s.%N)
    wait_job "$job"
    [[ $(records "$job" | jq --argjson before "$before" --argjson after "$after" '
        .[] | select(.slurmT.task_id == 1)
        | .userDT.end_time >= $before and .userDT.end_time - .slurmT.end_time_error <= $after') == true ]]
}

@test "a job that hits its time limit is recorded with the signal that ended it" {
    job=$(submit "srun $PROGRAMS/exit_late 1000000 pid")
    started_pid "$job"
    run_as root scontrol update "jobid=$job" EndTime=now+1
    wait_job "$job" 180
    [[ $(ending "$job" exit_late) == "task_exit 0:15" ]]
    [[ $(run_as root scontrol -o show job "$job") == *JobState=TIMEOUT* ]]
}

# It would start again after two minutes.
@test "a job that is requeued has the record of its first run" {
    job=$(submit "srun $PROGRAMS/exit_late 600000 pid" --requeue)
    started_pid "$job"
    run_as root scontrol requeue "$job"
    recorded() { [[ $(record_count "$job" exit_late) == 1 ]]; }
    eventually 60 recorded
    run_as root scancel "$job"
    [[ $(ending "$job" exit_late) == "task_exit 0:15" ]]
    [[ $(field "$job" exit_late .slurmT.restart_count) == 0 ]]
}

@test "children of the batch script that exit have signed, and nobody knows their exit code" {
    job=$(submit_and_wait "$PROGRAMS/exit_with 0; $PROGRAMS/exit_with 7; true")
    [[ $(records "$job" | jq -c 'map(.slurmT | [.end_source, .exit_code, .step_id]) | unique') == '[["fini",null,"batch"]]' ]]
    [[ $(record_count "$job" exit_with) == 2 ]]
}

@test "a child of the batch script that ends by _exit is closed when its step is over" {
    job=$(submit_and_wait "$PROGRAMS/_exit_with 0; sleep 1; true")
    [[ $(ending "$job" _exit_with) == "step_end null:null" ]]
    # It may have ended at any time from its start to the end of the step.
    [[ $(field "$job" _exit_with '.slurmT.end_time_error >= .userDT.run_time') == true ]]
}

@test "a child that is killed with SIGKILL is closed when its step is over" {
    job=$(submit_and_wait "$PROGRAMS/eat_memory 1 & until grep -q full $DIR/out/\$SLURM_JOB_ID; do sleep 0.05; done; kill -KILL \$!; wait; true")
    [[ $(ending "$job" eat_memory) == "step_end null:null" ]]
}

@test "a child of the batch script is closed when the job is cancelled" {
    job=$(submit "$PROGRAMS/exit_late 600000 pid & wait")
    started_pid "$job"
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(ending "$job" exit_late) == "step_end null:null" ]]
}

@test "a daemon that lives when the epilog runs is closed by the epilog, and one that has ended is not" {
    job=$(submit "setsid $PROGRAMS/eat_memory 1 </dev/null & echo pid \$!
        setsid $PROGRAMS/_exit_with 0; until grep -q full $DIR/out/\$SLURM_JOB_ID; do sleep 0.05; done")
    wait_job "$job"
    over=$(date +%s.%N)
    [[ $(record_count "$job" eat_memory) == 1 ]]
    [[ $(ending "$job" eat_memory) == "epilog null:null" ]]
    [[ $(field "$job" eat_memory '.slurmT | "\(.outlived) \(.end_time_error)"') == "true 0" ]]
    [[ $(field "$job" eat_memory ".userDT.end_time < $over") == true ]]
    [[ $(ending "$job" _exit_with) == "step_end null:null" ]]
    [[ $(field "$job" _exit_with .slurmT.outlived) == false ]]
    kill -KILL "$(started_pid "$job")"
}

@test "a fork without exec is one run, and its child signs nothing" {
    job=$(submit_and_wait "srun $PROGRAMS/fork_child")
    [[ $(ending "$job" fork_child) == "fini 0:0" ]]
    [[ $(record_count "$job") == 1 ]]
}

@test "nothing of these jobs is left in the spool" {
    [[ -z $(find "$DIR/run" -mindepth 2 -type d) ]]
    [[ ! -e $DIR/state/quarantine ]]
}

is_in_state() { # PID LETTER: "T" (stopped), "Z" (dead, and not waited for)
    [[ $(sed 's/.*) //' "/proc/$1/stat") == "$2"* ]]
}

# slurmstepd may wait for a lock, a disk or a plugin that is called before ours, for any time.
@test "an end that slurmstepd sees late lies within its bounds" {
    local job pid daemon before after
    job=$(submit "srun -n1 $PROGRAMS/exit_late 600000 victim" -w n1)
    eventually 30 output_has "$job" '^victim [0-9]+$'
    pid=$(sed -n 's/^victim //p' "$DIR/out/$job")
    daemon=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$pid/stat")
    kill -STOP "$daemon"
    eventually 10 is_in_state "$daemon" T
    before=$(date +%s.%N)
    kill -KILL "$pid"
    eventually 10 is_in_state "$pid" Z
    after=$(date +%s.%N)
    sleep 0.5 # how late it is
    kill -CONT "$daemon"
    wait_job "$job"
    eventually 120 is_flushed "$job"
    run field "$job" exit_late ".slurmT | [.end_source, .signal,
        .end_time_min >= $before - 1e-4, .end_time_min <= $after, .end_time_max >= $after + 0.5] | tostring"
    echo "$output"
    [[ $output == '["task_exit",9,true,true,true]' ]]
}
