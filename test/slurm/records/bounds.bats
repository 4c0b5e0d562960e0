#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs of which nobody sees the end do not count for the whole of their job, from the record to the
# reports.

load ../fixture/cluster

setup_file() {
    start_cluster
    # 50 programs that end by _exit(2) one after the other, in a script that goes on
    JOB=$(submit_and_wait "date +before=%s.%N; for i in {1..50}; do $PROGRAMS/_exit_with 0; done
        date +after=%s.%N; sleep 5; $PROGRAMS/exit_with 0")
    export JOB STORE=sqlite:$DIR/store.db
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$DIR/records"
}

said() { # before|after
    sed -n "s/^$1=//p" "$DIR/out/$JOB"
}

# is_true EXPRESSION: about $took, the seconds that the 50 programs took together at the most, and $hours, the
# same in core hours
is_true() {
    local cpus took
    cpus=$(field "$JOB" exit_with .slurmT.cpus_alloc)
    took=$(jq -n "$(said after) - $(said before)")
    echo "took $took, $cpus cpus: $1"
    [[ $(jq -n --argjson took "$took" --argjson cpus "$cpus" "(\$took * \$cpus / 3600) as \$hours | $1") == true ]]
}

@test "each record says between which times the program ended, and has the time that is known" {
    [[ $(record_count "$JOB" _exit_with) == 50 ]]
    # bounds are rounded down and up, to 0.1 ms, and end_time to the nearest
    [[ $(records "$JOB" | jq 'map(select(.userT.exec_path | endswith("/_exit_with")))
        | all(.slurmT.end_source == "step_end" and (.userDT.end_time - .slurmT.end_time_min | . >= 0 and . < 0.00011)
            and .slurmT.end_time_max > .slurmT.end_time_min
            and .userDT.end_time >= .userDT.start_time)') == true ]]
    # a program had ended before the next one began
    [[ $(records "$JOB" | jq 'map(select(.userT.exec_path | endswith("/_exit_with"))) | sort_by(.userDT.start_time)
        | all(range(1; length) as $i | .[$i - 1].slurmT.end_time_min <= .[$i].userDT.start_time
            and .[$i - 1].slurmT.end_time_max >= .[$i - 1].userDT.start_time; .)') == true ]]
}

@test "an end that was seen lies between its bounds" {
    [[ $(field "$JOB" exit_with '(.slurmT.end_time_min <= .userDT.end_time and .userDT.end_time <= .slurmT.end_time_max
        and .slurmT.end_time_max - .slurmT.end_time_min < 1)') == true ]]
}

@test "the run times of 50 short programs are no longer than these took, in records and in XALT's view" {
    is_true "$(records "$JOB" | jq 'map(select(.userT.exec_path | endswith("/_exit_with")).userDT.run_time) | add') <= \$took"
    is_true "$(sqlite3 "${STORE#sqlite:}" "SELECT sum(run_time) FROM xalt_run WHERE exec_path LIKE '%/\_exit\_with' ESCAPE '\'") <= \$took"
}

@test "so are the core hours of a report, which says how much more they may be" {
    row=$("$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" --json executables |
        jq -c '.pages[0].rows[] | select(.executable == "_exit_with")')
    echo "$row"
    [[ $(jq .runs <<<"$row") == 50 ]]
    # sums are printed to a millionth
    is_true "$(jq .core_hours <<<"$row") <= \$hours + 0.000001"
    is_true "$(jq .core_hours_uncertain <<<"$row") > 0"
}

@test "jobtrail-acct says that the ends are not known, and what is" {
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --store "$STORE" --allusers --no-sacct -n -P -j "$JOB" \
        --exec _exit_with -o state,end
    [[ $(sort -u <<<"$output") == "UNKNOWN|Unknown" ]]
    [[ $(wc -l <<<"$output") == 50 ]]
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --store "$STORE" --allusers --no-sacct -n -P -j "$JOB" \
        --exec _exit_with -o elapsedraw
    is_true "$(tr -d '>=' <<<"$output" | paste -sd+) <= \$took"
}

# pid_of JOB step|task: in the journal on n1
pid_of() {
    sed -n "s/^$2 .* step=0 .*pid=\\([0-9]*\\) .*/\\1/p" "$DIR/run/n1/$1.0/journal" | head -n 1
}

@test "a task of which Slurm has not seen the end counts no time that is not known, in record and coverage" {
    job=$(submit "srun $PROGRAMS/eat_memory 1" -w n1)
    eventually 30 output_has "$job" full
    task=$(pid_of "$job" task)
    kill -KILL "$(pid_of "$job" step)"
    kill -KILL "$task"
    eventually 10 process_ended "$task"
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(field "$job" eat_memory '((.userDT.end_time - .slurmT.end_time_min | . >= 0 and . < 0.00011)
        and .slurmT.end_time_max > .userDT.end_time)') == true ]]
    facts=$(coverage_of "$job" '[.coverageA[] | select(.step_id == "0") | {outcome, core_seconds}] | @json')
    echo "$facts"
    [[ $(jq 'any(.outcome == "uncertain" and .core_seconds > 0)' <<<"$facts") == true ]]
    [[ $(jq '[.[] | select(.outcome == "recorded") | .core_seconds] | add // 0' <<<"$facts") == \
        $(field "$job" eat_memory .slurmT.core_seconds) ]]
}
