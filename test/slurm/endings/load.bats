#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The bounds of ends hold when there are too few processors: what records say is compared with what a
# witness saw of the same processes (test/programs/witness.c).
# bats file_tags=soak

load ../fixture/cluster

# STEPS steps of TASKS tasks, of which each runs two programs, and ALONE steps of one
STEPS=5 TASKS=100 ALONE=30

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

# stolen: ticks of processor time that the hypervisor has given to others
stolen() {
    awk '/^cpu / { print $9 }' /proc/stat
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
    what, pid, before, after = line.split()
    truth[what, pid] = float(before), float(after)
for line in open(sys.argv[2]):
    words = line.split()
    if line.startswith(("step", "alone")) and len(words) == 2:
        pids[words[0]] = words[1]
for line in open(sys.argv[3]):
    step, name, source, *times = line.split()
    if not name.startswith(("first", "last", "alone")):
        continue
    task = name.removeprefix("first").removeprefix("last")
    pid = pids.get(name if name.startswith("alone") else f"step{step}.task{task}")
    what = "exec" if name.startswith("first") else "exit"
    if (what, pid) not in truth:
        print(f"{name} of step {step}: process {pid} was not seen to {what}")
        continue
    before, after = truth[what, pid]
    expected = "exec" if name.startswith("first") else "task_exit"
    compared += 1
    low, high, told, error = map(float, times)
    exact = 1e-6  # of a double
    rounding = 1e-4  # of the end in a record; its bounds are widened
    if (source != expected or low - exact > after or high + exact < before
            or told - error - rounding > after or told + error + rounding < before):
        print(f"{name} of step {step}: {source} {told} +- {error}, {low} to {high}, but {before} to {after}")
print(compared)
EOF
}

@test "of 1000 ends under load none lies outside of its bounds" {
    local witness step i before first=(nice -n -20) script="export WITNESS='$DIR/witness'"$'\n'
    make_programs
    WITNESS=$DIR/witness
    # It is not late itself; where a cgroup forbids real-time priority it may be, which proves less.
    ! chrt -f 50 true || first=(chrt -f 50)
    "${first[@]}" "$PROGRAMS/witness" "$WITNESS" >"$DIR/truth" 3>&- &
    witness=$!
    eventually 10 test -S "$WITNESS"
    chmod 666 "$WITNESS"
    start_load
    before=$(stolen)
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
    echo "$(($(stolen) - before)) ticks of processor time were stolen"
    stop_load
    kill "$witness"
    wait "$witness"
    eventually 120 is_flushed "$job"
    grep -v -e '^step' -e '^alone' -e 'Exited with exit code 3' "$DIR/out/$job" || true
    run compare "$job"
    echo "$output"
    [[ $status == 0 && $output == $((2 * STEPS * TASKS + ALONE)) ]]
    [[ $(records "$job" | jq "map(select(.slurmT.step_id != \"batch\")) | length") == $((2 * STEPS * TASKS + ALONE)) ]]
}
