#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Numbers that add up: programs beside, below and after each other, on one node.

load numbers

setup_file() {
    export SYSTEM_TOOLS=no PARTLY=salloc-true
    start_numbers NODES=1 NODE_CPUS=64
    write_programs
    one_by_one
    at_once
    below_others
    not_seen
    batch_and_steps
    load_cases
}

write_programs() {
    cp "$SPIN" "$PROGRAMS/apptainer"
    # drive SECONDS COUNT COMMAND...: runs COUNT commands at once, and kills them after SECONDS, one by one
    write_program drive <<'PY'
#!/usr/bin/python3
import subprocess, sys, time
children = [subprocess.Popen(sys.argv[3:]) for _ in range(int(sys.argv[2]))]
for child in children:
    time.sleep(float(sys.argv[1]))
    child.kill()
    child.wait()
PY
    write_program threads <<'PY'
#!/usr/bin/python3
import threading, time
for thread in [threading.Thread(target=time.sleep, args=(1,)) for _ in range(4)]:
    thread.start()
PY
    write_program pool <<'PY'
#!/usr/bin/python3
import multiprocessing, sys, time
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(4) as pool:
        pool.map(time.sleep, [1] * 4, chunksize=1)
PY
    # run COMMAND...: and waits for it
    write_program run <<'PY'
#!/usr/bin/python3
import subprocess, sys
subprocess.run(sys.argv[1:])
PY
    cat >"$PROGRAMS/Makefile" <<MAKE
all: a b c d
a b c d:
	$SPIN 1 sleep
MAKE
}

one_by_one() {
    add_case sequential "srun -n1 $SPIN 1 sleep; srun -n1 $SPIN 1 sleep" -n1
    add_case loop "srun bash -c 'for i in {1..30}; do $SPIN 0.02 sleep; done'" -c2
    add_case exec-chain "srun $PROGRAMS/exec_to $PROGRAMS/exec_to $SPIN 1 sleep" -n1
    add_case env-nice-timeout "srun env nice timeout 60 $SPIN 2 sleep" -c2
    add_case thread-pool "srun -c4 $PROGRAMS/threads" -c4
    add_case script-only "read -t 2 <> <(:)" -n1
    add_case fails-at-once "exit 3" -n1
    add_case array "srun $SPIN 1 sleep" --array=1-3
}

at_once() {
    add_case concurrent "srun -c4 bash -c 'for i in 1 2 3 4; do $SPIN 2 sleep & done; wait'" -c4
    add_case pipeline "srun -c3 bash -c '$SPIN 1 sleep | $SPIN 1 sleep | $SPIN 1 sleep'" -c3
    add_case make-j4 "srun -c4 make -s -C $PROGRAMS -j4 all" -c4
    add_case spawn "srun -c4 $PROGRAMS/pool spawn" -c4
    add_case fork "srun -c4 $PROGRAMS/pool fork" -c4
    add_case short-and-long "srun -c2 bash -c '$SPIN 1 sleep & exec $SPIN 3 sleep'" -c2
    add_case spinning "srun bash -c '$SPIN 1 & $SPIN 1 & wait'" -n1
    add_case killed-children "srun -c2 $PROGRAMS/drive $(((SLOW + 3) / 4)) 3 $SPIN 100 sleep" -c2
    add_case driver-of-112 "srun -c2 $PROGRAMS/drive 0.01 112 $SPIN 100 sleep" -c2
    add_case left-behind "srun bash -c '$SPIN 2 sleep & exec $SPIN 1 sleep'" -n1
    add_case daemonized "srun bash -c 'setsid --fork $SPIN 3 sleep; $SPIN 1 sleep'; $SPIN 1 sleep" -n1
}

below_others() {
    add_case python-srun "$PROGRAMS/run srun $SPIN 2 sleep" -n2
    add_case nested-drivers "srun -c2 $PROGRAMS/run $PROGRAMS/run $SPIN 2 sleep" -c2
    add_case nested-shells "srun bash -c 'bash -c \"$SPIN 1 sleep; $SPIN 1 sleep\"'" -n1
    add_case fork-child "srun $PROGRAMS/fork_child" -n1
    add_case driver-and-children "srun -c2 $PROGRAMS/drive 1 2 $PROGRAMS/run $SPIN 4 sleep" -c2
    add_case ends-by-_exit "$PROGRAMS/_exit_with 0; $SPIN 1 sleep" -n1
}

not_seen() {
    add_case static-then-ls "srun bash -c '$PROGRAMS/spin_static 2 sleep; ls'" -n1
    add_case mkdir-apptainer "srun bash -c 'mkdir -p $DIR/out/d; $PROGRAMS/apptainer 2 sleep'" -n1
    add_case apptainer-task "srun $PROGRAMS/apptainer 2 sleep" -n1
    add_case env-i "srun env -i $SPIN 2 sleep" -n1
    add_case no-preload "srun bash -c 'unset LD_PRELOAD; $SPIN 2 sleep'" -n1
    add_case static-task "srun -n2 $PROGRAMS/spin_static 2 sleep" -n2
    add_case opted-out "srun --jobtrail=no $SPIN 2 sleep" -n1
    add_case missing-program "srun $DIR/nowhere" -n1
    add_case late-static "srun bash -c '$SPIN 1 sleep; exec $PROGRAMS/spin_static 2 sleep'" -n1
}

batch_and_steps() {
    add_case batch-only "$SPIN 2 sleep" -c4
    add_case batch-beside-step "$SPIN 2 sleep & srun --exact -n1 -c1 $SPIN 2 sleep; wait" -c4
    add_case idle-cores "srun --exact -n1 -c1 $SPIN 2 sleep" -n1 -c4
    add_case exact-steps "for i in 1 2 3 4; do srun --exact -n1 -c1 $SPIN 2 sleep & done; wait" -n4
    add_case overlap-steps "srun --overlap -n1 $SPIN 2 sleep & srun --overlap -n1 $SPIN 2 sleep & wait" -n1
    add_case srun-without-c "srun -n1 $SPIN 2 sleep" -n1 -c4
    add_case tasks-of-a-step "srun -n4 -c2 $SPIN 2 sleep" -n4 -c2
    run_as "$JOB_USER" salloc -Q -n1 --job-name=salloc-true --account=salloc-true true
    run_as "$JOB_USER" salloc -Q -n2 --job-name=salloc-srun --account=salloc-srun srun -n2 "$SPIN" 1 sleep
    touch "$DIR/cases"/{salloc-true,salloc-srun}
}

@test "programs + uncertain + unseen + idle = allocation = sacct's, for each job, node and day" {
    adds_up
}

@test "so do the reports' rows, by cluster, user, account and day" {
    reports_agree "$DIR"/reports/*
}

@test "programs one after the other have their time" {
    holds sequential '.programs >= 2 * least' 'about(.programs; seconds("spin"))'
    holds loop 'runs("spin") | length == 30' 'about(.programs; 2 * seconds("spin"))'
    holds exec-chain 'core("spin") >= least'
    holds array '.programs >= least'
    [[ $(numbers array | wc -l) == 3 ]]
}

@test "what runs another program in its place, or for it, has none of its time" {
    holds env-nice-timeout '.programs >= 4 * least' 'near(.programs; 2 * seconds("spin"); slack)' '.programs <= .allocation + slack'
    holds nested-shells 'about(.programs; seconds("spin"))'
}

@test "four programs at once have their step's time together, and equal shares" {
    holds concurrent 'about(.programs; 4 * span("spin"))' 'runs("spin") | length == 4' \
        '[.runs[].core_seconds] | max - min <= 4' '[.runs[].core_seconds] | min > 0'
    holds pipeline 'about(.programs; 3 * span("spin"))'
    holds spinning 'about(.programs; span("spin"))'
}

@test "make, and multiprocessing, have no more than their step" {
    holds make-j4 '(runs("spin") | length == 4) and (.by.spin >= 4 * least)' '.programs <= .allocation + slack'
    holds spawn '.programs <= .allocation + slack' '.programs >= 4 * least'
    holds fork '.programs <= .allocation + slack' '.programs >= 4 * least'
    holds thread-pool '.programs >= 4 * least' '.programs <= .allocation + slack'
}

@test "a program that outlives another at once with it has the rest alone" {
    holds short-and-long 'core("spin") >= 6 * least' 'runs("spin") | map(.core_seconds) | sort | .[1] > .[0]'
}

@test "a driver whose children are killed has no more than its allocation" {
    holds killed-children '.programs + .uncertain <= .allocation + slack' 'runs("spin") | length == 3'
    holds driver-of-112 '.programs + .uncertain <= .allocation + slack' 'runs("spin") | length == 112'
    holds driver-and-children '.programs + .uncertain <= .allocation + slack'
}

@test "what a step leaves behind has time until its end is known" {
    holds left-behind '.programs >= least'
    holds daemonized '.programs >= 4 * least'
    holds ends-by-_exit '.programs >= least'
}

@test "the innermost program has the time, those above it nothing of it" {
    # the second task is given to the first one's run, with its own times, which a loaded machine spreads
    holds python-srun 'core("spin") >= 4 * least' 'near(core("spin"); 2 * seconds("spin"); slack)' \
        'core("'"$PYTHON"'") <= .allocation - core("spin") + slack'
    holds nested-drivers 'core("spin") >= 4 * least' 'about(core("spin"); 2 * seconds("spin"))'
    holds fork-child '.programs <= .allocation + slack'
}

@test "where no program was seen there are none: static, a container, env -i, no LD_PRELOAD" {
    holds static-then-ls '.programs < 1' '.unseen >= 2 - slack'
    holds mkdir-apptainer '.programs < 1' '.outcomes.container >= 2 - slack'
    holds apptainer-task '.programs < 0.01' '.outcomes.container >= 2 - slack'
    holds env-i '.programs < 1' '.unseen >= 2 - slack'
    holds no-preload '.programs < 0.01' '.unseen >= 2 - slack'
    holds opted-out '.programs < 0.01' '.outcomes.opted_out >= 2 - slack'
    holds missing-program '.programs < 0.01'
    holds script-only '.programs < 0.01' '.outcomes.script >= 2 - slack'
    holds fails-at-once '.programs < 0.01'
    holds late-static '.programs >= least' '.unseen >= 2 - slack' 'about(.programs; seconds("spin"))'
}

@test "a static program that Slurm started has its time" {
    holds static-task '.programs >= 4 * least' 'core("spin_static") >= 4 * least'
}

@test "a batch script's program has all CPUs, and beside a step those that it does not hold" {
    holds batch-only 'about(.programs; 4 * seconds("spin"))'
    holds batch-beside-step '.steps.batch.programs >= 6 * least' '.steps["0"].programs >= 2 * least'
    holds idle-cores '.steps["0"].programs >= 2 * least' '.idle >= 6 - slack'
    holds srun-without-c '.programs >= 2 * least'
}

@test "steps beside each other have a core each, steps on the same cores share them" {
    holds exact-steps '.programs >= 8 * least' '.steps | del(.batch, .[""]) | length == 4' 'about(.programs; seconds("spin"))'
    holds overlap-steps '.programs <= .allocation + slack' '.programs >= 2 * least'
    holds tasks-of-a-step 'near(.programs; 8 * seconds("spin"); slack)'
}

@test "a job without a batch script has its steps; without a step, too, it is idle, or no node tells of it" {
    holds salloc-true '.programs == 0' 'near(.unseen + .idle; .allocation; 0.01)'
    holds salloc-srun '.programs >= 2 * least'
}

# lasts CASE START END: a statement by which its node tells of other times, and all else agrees with these. Both are
# expressions of Slurm's times
lasts() {
    local row
    row="job_id_raw = $(job_of "$1")"
    cat <<SQL
        UPDATE coverage SET core_seconds = core_seconds - allocation +
            (SELECT cpus * (($3) - ($2)) FROM slurm_job WHERE slurm_job.job_id_raw = coverage.job_id_raw)
            WHERE (uuid, position) = (SELECT uuid, position FROM coverage WHERE $row ORDER BY core_seconds DESC LIMIT 1);
        UPDATE coverage SET (job_start, job_end, allocation) =
            (SELECT $2, $3, cpus * (($3) - ($2)) FROM slurm_job WHERE slurm_job.job_id_raw = coverage.job_id_raw)
            WHERE $row
SQL
}

@test "a number that is not right is found" {
    finds_change "UPDATE run_own SET core_seconds = core_seconds + 0.5 WHERE id = (SELECT max(id) FROM run_own WHERE core_seconds > 0)"
    finds_change "UPDATE run_own SET core_day = core_day + 1 WHERE id = (SELECT max(id) FROM run_own WHERE core_seconds > 1)"
    finds_change "UPDATE coverage SET core_seconds = core_seconds - 0.5 WHERE outcome = 'script' AND core_seconds > 1"
    finds_change "UPDATE coverage SET allocation = allocation * 2 WHERE job_id_raw = $(job_of pipeline)"
    finds_change "DELETE FROM coverage WHERE outcome = 'container'"
    finds_change "UPDATE slurm_job SET core_seconds = core_seconds + 3 WHERE job_id_raw = $(job_of pipeline)"
    finds_change "DELETE FROM slurm_job WHERE job_id_raw = $(job_of concurrent)"
    # a node tells nothing of a job, of more than its time, or of less
    finds_change "DELETE FROM coverage WHERE job_id_raw = $(job_of opted-out)"
    finds_change "$(lasts opted-out 'start_time - 0.6' 'end_time + 0.9')"
    finds_change "$(lasts opted-out 'start_time' 'end_time - 1.1')"
    # the end may be late by what Slurm rounds off
    run finds_change "$(lasts opted-out 'start_time' 'end_time + 0.9')"
    [[ $output == *"not found: "* ]]
}
