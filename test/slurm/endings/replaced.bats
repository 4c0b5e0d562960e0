#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Whose end and whose status it is, where a process ran several programs or lived on after it had
# written its end.

load ../fixture/cluster

setup_file() {
    export RULES=$'[paths]\nskip = .*/dash\nkeep = .*'
    start_cluster
}

# The end as it is told is no later than that; and it may have been so late.
may_have_ended_at() { # JOB NAME SECONDS SECONDS
    [[ $(field "$1" "$2" ".userDT.end_time <= $3 and .userDT.end_time + .slurmT.end_time_error >= $4") == true ]]
}

on_n1() {
    "$CLUSTER" exec n1 "$@"
}

look() {
    on_n1 "$STAGE/bin/jobtrail-submit" watch --once --conf "$DIR/jobtrail.conf" --node n1
}

@test "a program that cannot replace itself keeps its signal, and the exit code of its _exit" {
    job=$(submit_and_wait "ulimit -c 0; srun $PROGRAMS/kill_self 9; srun $PROGRAMS/_exit_with 3")
    [[ $(ending "$job" kill_self) == "task_exit 0:9" ]]
    [[ $(ending "$job" _exit_with) == "task_exit 3:0" ]]
}

@test "a program that could replace itself keeps its signal where the kernel reported that it did not" {
    job=$(submit "srun -n1 bash -c 'echo pid \$\$; read -r line </dev/zero'" -w n1)
    eventually 30 output_has "$job" '^pid'
    kill -KILL "$(sed -n 's/^pid //p' "$DIR/out/$job")"
    wait_job "$job"
    [[ $(records "$job" | jq -r '.[] | select(.slurmT.step_id == "0") | .slurmT | "\(.end_source) \(.exit_code):\(.signal)"') == "task_exit 0:9" ]]
}

@test "a program that becomes a shell that is not recorded ended when that began, and has no status" {
    job=$(submit_and_wait "srun $PROGRAMS/exec_to /bin/sh -c '$PROGRAMS/spin 2 sleep; exec $PROGRAMS/exit_with 4'")
    [[ $(ending "$job" exec_to) == "exec null:null" ]]
    # two seconds before the shell became the next one
    [[ $(field "$job" exec_to ".userDT.end_time + 2 <= $(field "$job" exit_with .userDT.start_time) + 0.02") == true ]]
    [[ $(ending "$job" exit_with) == "fini 4:0" ]]
    job=$(submit_and_wait "srun $PROGRAMS/exec_to /bin/sh -c 'exit 4'")
    [[ $(ending "$job" exec_to) == "exec null:null" ]]
}

@test "a program that runs again in its process, after another one, was not seen in between" {
    gcc -static -x c -o "$DIR/wait_and_exec" - <<<'#include <unistd.h>
        int main(int argc, char **argv) { (void)argc; sleep(2); return execv(argv[1], argv + 1); }'
    printf '%s\n' 'import os, sys, time' "open('$DIR/out/again', 'w').close()" "while not os.path.exists('$DIR/out/seen'): time.sleep(0.02)" >"$DIR/again"
    job=$(submit "srun -n1 /usr/bin/python3 -c 'import os; os.execv(\"$DIR/wait_and_exec\", [\"wait\", \"/usr/bin/python3\", \"$DIR/again\"])'" -w n1)
    eventually 30 test -e "$DIR/out/again"
    look
    touch "$DIR/out/seen"
    wait_job "$job"
    records "$job" | jq -s '.[] | map(select(.userT.exec_path | endswith("/'"$PYTHON"'")))' >"$DIR/runs"
    [[ $(jq 'length' "$DIR/runs") == 2 ]]
    # it may have ended two seconds before
    [[ $(jq 'sort_by(.userDT.start_time) | .[0].userDT.end_time - .[0].slurmT.end_time_error + 2 <= .[1].userDT.start_time + 0.02' "$DIR/runs") == true ]]
}

@test "the exit code of a static program is not that of the one that it has replaced" {
    job=$(submit_and_wait "srun $PROGRAMS/exec_to $PROGRAMS/exit_with_static 4")
    [[ $(ending "$job" exec_to) == "task_end null:null" ]]
    [[ $(field "$job" exec_to .userDT.run_time) == 0 ]]
}

@test "nor is that of a shell with an empty environment" {
    job=$(submit_and_wait "srun $PROGRAMS/exec_to /usr/bin/env -i bash -c 'exit 4'")
    [[ $(ending "$job" exec_to) == "exec null:null" ]]
    [[ $(ending "$job" env) == "exec null:null" ]]
}

@test "of a batch script that env starts, neither end nor status is that of env" {
    cat >"$DIR/script" <<EOF
#!/usr/bin/env -S -i /bin/bash
$PROGRAMS/spin 1 sleep
exit 4
EOF
    job=$(run_as "$JOB_USER" sbatch --parsable --output="$DIR/out/%j" "$DIR/script")
    wait_job "$job"
    [[ $(ending "$job" env) == "exec null:null" ]]
    [[ $(field "$job" env .userDT.run_time) == 0 ]]
    [[ $(coverage "$job") == "batch script 1" ]]
}

@test "with its shell recorded, such a script is recorded, and env ended when the shell began" {
    cat >"$DIR/script" <<EOF
#!/usr/bin/env bash
$PROGRAMS/spin 1 sleep
exit 4
EOF
    job=$(run_as "$JOB_USER" sbatch --parsable --output="$DIR/out/%j" "$DIR/script")
    wait_job "$job"
    [[ $(ending "$job" env) == "exec null:null" ]]
    [[ $(ending "$job" bash) == "fini 4:0" ]]
    [[ $(field "$job" env ".userDT.end_time + 1 <= $(field "$job" bash .userDT.end_time) + 0.02") == true ]]
    [[ $(coverage "$job") == "batch recorded 1" ]]
}

@test "a task that hangs in a library's destructor and is killed has its signal, and lived until then" {
    job=$(submit "srun -n1 --export=ALL,HANGS=$DIR/out/hangs,LD_PRELOAD=$PROGRAMS/hang_at_end.so \
        $PROGRAMS/exit_with 0" -w n1)
    eventually 30 test -e "$DIR/out/hangs"
    sleep 2 # more than the error of an end that slurmstepd sees
    before=$(date +%s.%N)
    run_as root scancel -s KILL "$job.0"
    wait_job "$job"
    [[ $(ending "$job" exit_with) == "task_exit 0:9" ]]
    may_have_ended_at "$job" exit_with "$(date +%s.%N)" "$before"
    [[ $(field "$job" exit_with '.userDT.run_time > 2') == true ]]
}

@test "a task that ends long after it has signed has its exit code, though it could have replaced itself" {
    job=$(submit "srun -n1 --export=ALL,HANGS=$DIR/out/late,HANGS_UNTIL=$DIR/out/go,LD_PRELOAD=$PROGRAMS/hang_at_end.so \
        /usr/bin/python3 -c 'raise SystemExit(3)'" -w n1)
    eventually 30 test -e "$DIR/out/late"
    sleep 2 # more than the error of an end that slurmstepd sees
    touch "$DIR/out/go"
    wait_job "$job"
    [[ $(ending "$job" "$PYTHON") == *" 3:0" ]]
}

@test "a task for which its vforked child has signed has the signal that killed it" {
    job=$(submit "srun -n1 $PROGRAMS/vfork_exit $DIR/out/on" -w n1)
    eventually 30 test -e "$DIR/out/on"
    sleep 2
    run_as root scancel -s KILL "$job.0"
    wait_job "$job"
    [[ $(ending "$job" vfork_exit) == "task_exit 0:9" ]]
    [[ $(field "$job" vfork_exit '.userDT.run_time > 2') == true ]]
}

@test "a child of a batch script that lives on after it has signed runs until it is seen last" {
    job=$(submit "$PROGRAMS/vfork_exit $DIR/out/child & echo pid \$!; wait" -w n1)
    eventually 30 test -e "$DIR/out/child"
    sleep 0.1
    before=$(date +%s.%N)
    look
    after=$(date +%s.%N)
    kill -KILL "$(sed -n 's/^pid //p' "$DIR/out/$job")"
    wait_job "$job"
    [[ $(ending "$job" vfork_exit) == "step_end null:null" ]]
    may_have_ended_at "$job" vfork_exit "$after" "$after"
    [[ $(field "$job" vfork_exit ".userDT.end_time >= $before") == true ]]
}
