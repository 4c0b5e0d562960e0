#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The bounds of ends hold when there are too few processors: what records say is compared with what
# the kernel told of the same processes (the process connector).

load ../fixture/cluster

# STEPS steps of TASKS tasks, of which each runs two programs, and ALONE steps of one
STEPS=5 TASKS=100 ALONE=30

setup_file() {
    start_cluster
}

teardown_file() {
    stop_cluster
}

start_load() {
    local i
    LOAD=()
    for ((i = 0; i < 4 * $(nproc); i++)); do
        "$PROGRAMS/spin" 300 3>&- &
        LOAD+=("$!")
    done
}

stop_load() {
    kill -KILL "${LOAD[@]}" 2>/dev/null || true
    wait "${LOAD[@]}" 2>/dev/null || true
}

# Each task runs a program of its own name, of which each leaves a record, and becomes another one.
make_programs() {
    local i
    mkdir "$DIR/many"
    for ((i = 0; i < TASKS; i++)); do
        cp -l "$PROGRAMS/exec_to" "$DIR/many/first$i"
        cp -l "$PROGRAMS/exit_late" "$DIR/many/last$i"
        echo "$i $DIR/many/first$i $DIR/many/last$i $((i * 37 % 2000)) task$i."
    done >"$DIR/multi"
    for ((i = 0; i < ALONE; i++)); do
        cp -l "$PROGRAMS/exit_late" "$DIR/many/alone$i"
    done
}

# compare: "COUNT" of ends that were compared, and a line for each that lies outside of its bounds
compare() { # JOB
    records "$1" | jq -r '.[] | [.slurmT.step_id, (.userT.exec_path | split("/")[-1]),
        .slurmT.end_source, .slurmT.end_time_min, .slurmT.end_time_max, .userDT.end_time,
        .slurmT.end_time_error] | @tsv' >"$DIR/told"
    python3 - "$DIR/truth" "$DIR/out/$1" "$DIR/told" <<'EOF'
import sys

truth, pids, compared = {}, {}, 0
for line in open(sys.argv[1]):
    what, pid, time = line.split()
    truth[what, pid] = float(time)  # the last one: of an exec, the one into the second program
for line in open(sys.argv[2]):
    if line.startswith(("step", "alone")):
        name, pid = line.split()
        pids[name] = pid
for line in open(sys.argv[3]):
    step, name, source, *times = line.split()
    if not name.startswith(("first", "last", "alone")):
        continue
    task = name.removeprefix("first").removeprefix("last")
    pid = pids[name if name.startswith("alone") else f"step{step}.task{task}"]
    time = truth["exec" if name.startswith("first") else "exit", pid]
    expected = "exec" if name.startswith("first") else "task_exit"
    compared += 1
    low, high, told, error = map(float, times)
    # a time in a record is exact to less than a microsecond
    if source != expected or not low - 1e-6 <= time <= high + 1e-6 or abs(told - time) > error + 1e-6:
        print(f"{name} of step {step}: {source} {told} +- {error}, {low} to {high}, the kernel says {time:.6f}")
print(compared)
EOF
}

@test "of 1000 ends under load none lies outside of its bounds" {
    local witness step script="" i
    make_programs
    "$PROGRAMS/witness" >"$DIR/truth" 3>&- &
    witness=$!
    eventually 10 kill -0 "$witness"
    start_load
    for ((step = 0; step < STEPS; step++)); do
        script+="sed 's/task\\([0-9]*\\)[.]/step$step.task\\1/' $DIR/multi >$DIR/out/multi$step
srun -O -n$TASKS --multi-prog $DIR/out/multi$step
"
    done
    for ((i = 0; i < ALONE; i++)); do
        script+="srun --overlap -O -n1 $DIR/many/alone$i $((3000 + i * 37)) alone$i &
"
    done
    job=$(submit "$script wait" -w n1)
    wait_job "$job" 300
    stop_load
    kill "$witness"
    wait "$witness" # it has lost nothing
    [[ $(records "$job" | jq "map(select(.slurmT.step_id != \"batch\")) | length") == $((2 * STEPS * TASKS + ALONE)) ]]
    run compare "$job"
    echo "$output"
    [[ $status == 0 && $output == $((2 * STEPS * TASKS + ALONE)) ]]
}
