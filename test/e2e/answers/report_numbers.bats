#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The five numbers of jobtrail-report, programs + uncertain + unseen + idle = allocation, over made records: what
# the records say, in all selections, from both databases, with Slurm's accounting and without.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets variables, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/mariadb

setup_file() {
    export TZ=UTC RECORDS=$BATS_FILE_TMPDIR/records STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    # of jobs with an odd number in another partition
    made 400 --seed 3 --days 40 | jq -c 'del(.crc) | if .coverageT and .coverageT.job_id % 2 == 1 then .coverageT.partition = "gpu"
        elif .slurmT and .slurmT.job_id % 2 == 1 then .slurmT.partition = "gpu" else . end' >"$RECORDS"
    mariadb_start
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$RECORDS"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$MARIADB_STORE" "$RECORDS"
}

made() { # COUNT OPTION...: records up to the evening of 2024-11-20
    "$JOBTRAIL_SOURCE/test/bench/make_records" "$@" --users 6 --programs 8 --scripts 10 --packages 0.3 \
        --until 1732100000 --coverage
}

# report STORE OPTION...: of the months in which they lie
report() {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$1" -S 2024-09-01 -E 2024-12-31 "${@:2}"
    [ "$status" -eq 0 ] || echo "$stderr"
    [ "$status" -eq 0 ]
}

# checked STORE ONLY OPTION...: all pages are what the records say; ONLY: of this user, account or day; "": of all
checked() {
    local of
    report "$1" --json --top 0 "${@:3}"
    jq --arg only "$2" '.only = (if $only == "" then null else $only end)' <<<"$output" >"$BATS_TEST_TMPDIR/seen"
    "$JOBTRAIL_SOURCE/test/e2e/fixture/check_division" "$RECORDS" "$BATS_TEST_TMPDIR/seen"
    for of in users accounts days; do
        report "$1" allocation --of "$of" --json --top 0 "${@:3}"
        jq --arg only "$2" '.only = (if $only == "" then null else $only end)' <<<"$output" >"$BATS_TEST_TMPDIR/seen"
        "$JOBTRAIL_SOURCE/test/e2e/fixture/check_division" "$RECORDS" "$BATS_TEST_TMPDIR/seen"
    done
}

@test "the five numbers are what the records say, on each page, and rows of programs and people add up to them" {
    checked "$STORE" ""
    checked "$MARIADB_STORE" ""
}

@test "so they are of a user, of an account and of a day" {
    checked "$STORE" user0001 -u user0001
    account=$(jq -r 'select(.coverageT).coverageT.account' "$RECORDS" | head -n 1)
    checked "$STORE" "$account" -A "$account"
    checked "$STORE" 2024-11-05 -S 2024-11-05 -E 2024-11-05
    report "$STORE" users --json -M nowhere
    [ "$(jq -c '.pages[0] | .rows, .numbers.allocation, .numbers.coverage' <<<"$output" | paste -sd ' ')" = "[] 0 null" ]
}

# Two sets of nodes, each with ranks that follow a rank of the other one.
NODES=("n00[01-30]" "n00[31-99]")

@test "so they are of partitions and of nodes, whose parts are the whole" {
    local store part names
    for store in "$STORE" "$MARIADB_STORE"; do
        checked "$store" "" -r gpu
        checked "$store" "" -N "${NODES[0]}"
    done
    checked "$STORE" user0001 -u user0001 -r MAIN,none -N "${NODES[1]}"
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" --update
    checked "$STORE" "" -r gpu
    report "$STORE" allocation --of partitions --json
    jq '.pages[0] | [.total, (.rows[] | del(.partition, .coverage))] | map(del(.partition, .coverage)) |
        [.[0], (.[1:] | map(to_entries) | add | group_by(.key) | map({key: .[0].key, value: map(.value) | add}) | from_entries)]' \
        <<<"$output" | jq -e '. as [$whole, $sum] | ($whole | keys) == ($sum | keys) and
            all($whole | keys[]; ($whole[.] - $sum[.] | fabs) < 1e-4)'
    for part in "-r gpu" "-r main"; do
        # shellcheck disable=SC2086 # an option and its value
        report "$STORE" users --json $part
        jq -c .pages[0].numbers <<<"$output"
    done >"$BATS_TEST_TMPDIR/partitions"
    for part in "${NODES[@]}"; do
        report "$STORE" users --json -N "$part"
        jq -c .pages[0].numbers <<<"$output"
    done >"$BATS_TEST_TMPDIR/nodes"
    report "$STORE" users --json
    for names in partitions nodes; do
        jq -es --argjson whole "$(jq .pages[0].numbers <<<"$output")" '. as [$a, $b] |
            all("allocation", "programs", "uncertain", "unseen", "idle"; . as $name | $a[$name] > 0 or $name == "uncertain") and
            all("allocation", "programs", "uncertain", "unseen", "idle"; ($a[.] + $b[.] - $whole[.] | fabs) < 1e-4)' \
            "$BATS_TEST_TMPDIR/$names"
    done
    rm "$BATS_FILE_TMPDIR/store.db.summary"
}

# one_by_one STORE PAGE KEY OPTION...: of each row of the page, what is asked of it alone is the same
one_by_one() {
    local name paths=()
    case $2 in executables) paths=(--full-paths) ;; esac
    report "$1" "$2" --json --top 0 "${paths[@]}"
    jq -c --arg key "$3" '.pages[0].rows[] | select(.[$key] | IN("(not known)", "(others)", null) | not) |
        [.[$key], .core_hours, .runs, .users, .jobs]' <<<"$output" | sed -n '1p;2p;5p' >"$BATS_TEST_TMPDIR/rows"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/rows")" -eq 3 ]
    while read -r row; do
        name=$(jq -r '.[0]' <<<"$row")
        report "$1" --json --top 0 --full-paths "$4" "${name/ /=}"
        # the numbers, the row itself, and the sums of all pages that have them
        jq -e --argjson row "$row" --arg page "$2" --arg key "$3" 'def near($a; $b): ($a - $b | fabs) < 2e-5;
            (.pages[0].numbers | near(.programs; $row[1]) and ([.allocation, .uncertain, .unseen, .idle, .coverage] | unique) == [null])
            and [.runs, .users, .jobs] == $row[2:]
            and ([.pages[] | select(.name == $page).rows[] | select(.[$key] == $row[0]) | [.core_hours, .runs, .users, .jobs]] |
                length == 1 and near(.[0][0]; $row[1]) and .[0][1:] == $row[2:])
            and all(.pages[] | select(.name | IN("executables", "families", "users", "accounts", "fields", "compilers"));
                near([.rows[].core_hours] | add; $row[1]) and near(.total.core_hours; $row[1]) and
                ([.rows[].runs] | add) == .total.runs and .total.runs == $row[2])
            and all(.pages[]; .name != "allocation" and .name != "coverage")' <<<"$output" >/dev/null || {
            echo "$row"
            return 1
        }
    done <"$BATS_TEST_TMPDIR/rows"
}

@test "what is asked of one executable or library is its row in the report of all" {
    one_by_one "$MARIADB_STORE" executables executable --exec
    one_by_one "$STORE" libraries library --lib
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" --update
    one_by_one "$STORE" executables executable --exec
    rm "$BATS_FILE_TMPDIR/store.db.summary"
}

@test "each page shows them once, so rounded that they add up as they are written" {
    local pages
    report "$STORE" --json
    pages=$(jq '.pages | length' <<<"$output")
    report "$STORE"
    [ "$(grep -c '^Allocation .* core hours = programs .* + uncertain .* + unseen .* + idle .*\. Coverage ' <<<"$output")" -eq "$pages" ]
    [ "$(grep -c '^[A-Z].*, 2024-09-01 to 2024-12-31, days of UTC$' <<<"$output")" -eq "$pages" ]
    [ "$(grep -c '^Allocated time as seen by the nodes, short suspensions included$' <<<"$output")" -eq "$pages" ]
    grep -m 1 '^Allocation ' <<<"$output" | tr -d ,. | awk '{ exit $2 != $7 + $10 + $13 + $16 }'
    report "$STORE" users --json
    jq -e '.pages[0].numbers | .programs + .uncertain + .unseen + .idle - .allocation | fabs < 1e-6' <<<"$output"
    report "$STORE" allocation --of days
    # each row: allocation, programs, uncertain, unseen, idle
    awk '/^(2024-|Total)/ { gsub(",", ""); if ($2 != $3 + $4 + $5 + $6) exit 1; rows++ } END { if (rows < 20) exit 1 }' <<<"$output"
}

@test "runs that sampling left out count in their executable, and in no library" {
    report "$STORE" executables system compilers --json --top 0
    left=$(jq -s 'map(select(.coverageA).coverageA[] | select(.outcome == "sampled").runs) | add' "$RECORDS")
    kept=$(jq -s 'map(select(.userT)) | length' "$RECORDS")
    [ "$(jq .pages[0].total.runs <<<"$output")" -eq $((left + kept)) ]
    [ "$(jq '.pages[1].rows[] | select(.library == "glibc").runs' <<<"$output")" -eq "$kept" ]
    [ "$(jq '.pages[2].rows[] | select(.compiler == "(not known)").runs' <<<"$output")" -eq "$left" ]
    report "$STORE" executables --lib 'libc.so*'
    [[ $output == *"Sampling left out $left more runs"* && $output != *"No run was left out by sampling"* ]]
}

@test "what the others stand for is estimated between bounds, and exact where their number is known" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db
    jq -c 'del(.crc) | if .userT and (.userT.run_uuid[-1:] | test("[0-7]")) then .userDT.probability = 0.5 else . end' \
        "$RECORDS" >"$BATS_TEST_TMPDIR/sampled"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$BATS_TEST_TMPDIR/sampled"
    report "$store" --json --top 0
    jq -e '.sampled' <<<"$output"
    # every page of what sampling leaves to estimate
    jq -e '.pages[] | select(.name == "compilers").rows | map(select(.runs_low)) | length > 0' <<<"$output"
    for page in libraries packages together others endings; do
        jq -e --arg page "$page" '.pages[] | select(.name == $page).rows | map(select(.runs_low)) | length > 0 and
            all(.[]; .runs_low <= .runs + 1e-6 and (.runs_high == null or .runs_high >= .runs_low))' <<<"$output"
    done
    jq -e '.pages[] | select(.name == "failures").rows | all(.[]; .failed_runs_low <= .failed_runs + 1e-6)' <<<"$output"
    for page in months weekdays; do
        jq -e --arg page "$page" '.pages[] | select(.name == $page).rows | all(.[]; .total_low <= .total + 1e-6)' <<<"$output"
    done
    for page in executables families users accounts fields last; do
        jq -e --arg page "$page" '.pages[] | select(.name == $page).rows | all(.[]; .runs_low == null)' <<<"$output"
    done
    report "$store" libraries
    [[ "$output" != *"No run was left out by sampling"* && "$output" == *"95 % interval"* ]]
}

@test "a job counts in each month in which it was active, and once in both" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db days update
    # begins in October, and ends in November
    jq -c 'del(.crc) | select((.slurmT // .coverageT).job_id as $job | $job == '"$(over_month)"')' "$RECORDS" |
        "$JOBTRAIL_BIN/jobtrail-load" --store "$store" -
    for update in no yes; do
        [ "$update" = no ] || "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update
        for days in "2024-10-01 2024-10-31" "2024-11-01 2024-11-30" "2024-10-01 2024-11-30" "2024-10-31 2024-11-01"; do
            report "$store" accounts --json -S "${days% *}" -E "${days#* }"
            [ "$(jq -c '[.jobs, .pages[0].rows[].jobs, (.pages[0].numbers.programs > 0)]' <<<"$output")" = '[1,1,true]' ]
        done
    done
    report "$store" allocation --of days --json
    jq -e '.pages[0] | (.rows | length > 1) and all(.rows[]; .jobs == 1) and .total.jobs == 1' <<<"$output"
}

over_month() { # the number of such a job
    jq -s 'map(select(.coverageT and .coverageT.start_time < 1730419200 and .coverageT.end_time > 1730419200 and
        (.coverageA | map(select(.outcome == "recorded").day[5:7]) | unique == ["10", "11"])))[0].coverageT.job_id' "$RECORDS"
}

# As sacct writes them: of some jobs 30 s more, of some 2 CPU seconds less than the nodes' records have, and a job of
# which no node told.
rows_of_sacct() {
    head -n 1 "$JOBTRAIL_SOURCE/test/data/sacct/ended"
    jq -rs 'map(select(.coverageT).coverageT) | group_by(.job_id)[] | .[0] as $job | $job.job_id as $id |
        (map(.cpus) | add) as $cpus | (map(.core_seconds) | add + [$cpus * 30, -2, 0][$id % 3] | floor) as $seconds |
        [$id, $id, "tiny", $job.user, $job.account, "main", "COMPLETED", ($job.start_time | floor) - 1,
        ($job.start_time | floor), ($job.end_time | floor), $cpus, length, $seconds, "00:00:00", ""] | map(tostring) |
        join("|")' "$RECORDS"
    echo "77|77|tiny|user0001|physics|main|COMPLETED|1730999000|1730999999|1731010799|4|1|43200|00:00:00|"
}

@test "an allocation that Slurm knows better is Slurm's" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db first
    rows_of_sacct >"$BATS_TEST_TMPDIR/rows"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$RECORDS"
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update
    report "$store" allocation coverage --json --top 0
    first=$(jq -c '.pages[0].numbers' <<<"$output")
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --slurm-rows "$BATS_TEST_TMPDIR/rows"
    [ "$(sqlite3 "$BATS_TEST_TMPDIR/store.db" 'SELECT count(*) FROM slurm_job')" -gt 20 ]
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update
    report "$store" --json --top 0
    jq -S 'del(.store, .made)' <<<"$output" >"$BATS_TEST_TMPDIR/in_steps"
    rm "$BATS_TEST_TMPDIR/store.db.summary"
    report "$store" --json --top 0
    jq -S 'del(.store, .made)' <<<"$output" >"$BATS_TEST_TMPDIR/anew"
    same_numbers "$BATS_TEST_TMPDIR/in_steps" "$BATS_TEST_TMPDIR/anew"
    # the sum is Slurm's; what programs had is theirs
    jq -e --argjson first "$first" --argjson slurm "$(awk -F '|' 'NR > 1 { sum += $13 } END { printf "%.0f", sum }' "$BATS_TEST_TMPDIR/rows")" '.pages[0].numbers |
        (.allocation - $slurm / 3600 | fabs) < 1e-4 and (.programs - $first.programs | fabs) < 1e-4 and
        .idle > $first.idle and .uncertain < $first.uncertain' <<<"$output"
    jq -e '.pages[] | select(.name == "coverage").rows[] | select(.outcome == "no_record").core_hours == 3 * 4' <<<"$output"
}

# bats test_tags=needs:answers
@test "where the five numbers are small, rows have as many decimals" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db
    jq -c 'del(.crc) | select(.coverageT) | .coverageT.core_seconds = 36 | .coverageA = [
            .coverageA[0] + {outcome: "script", leader: null, core_seconds: 28.8, program: "/bin/sh"},
            .coverageA[0] + {outcome: "idle", step_id: null, leader: null, core_seconds: 7.2, program: null}]' "$RECORDS" |
        head -n 1 | "$JOBTRAIL_BIN/jobtrail-load" --store "$store" -
    report "$store" coverage
    grep -q '^Allocation 0.010 core hours = .* + unseen 0.008 + idle 0.002. ' <<<"$output"
    grep -q '^script .* 0.008  *80.0%' <<<"$output"
    grep -q '^idle .* 0.002  *20.0%' <<<"$output"
    report "$store" coverage --html
    [[ "$output" == *">0.008</td>"* && "$output" != *">0.0</"* ]]
}

in_accounting() { # STORE OPTION...: [of how many jobs the allocation is Slurm's, jobs]
    report "$1" accounts --json "${@:2}"
    jq -c '.pages[0].numbers | [.jobs_in_accounting, .jobs]' <<<"$output"
}

# bats test_tags=needs:answers
@test "each page says of how many jobs the allocation is that of Slurm's accounting" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db jobs told first=sqlite:$BATS_TEST_TMPDIR/first.db address
    jobs=$(jq -s 'map(select(.coverageT).coverageT.job_id) | unique | length' "$RECORDS")
    # Slurm's accounting has the first ten, and the job that no node has
    rows_of_sacct | sed -n '1,11p;$p' >"$BATS_TEST_TMPDIR/rows"
    told=$(($(wc -l <"$BATS_TEST_TMPDIR/rows") - 1))
    for address in "$store" "$first"; do
        "$JOBTRAIL_BIN/jobtrail-load" --store "$address" "$RECORDS"
        [ "$address" = "$first" ] || "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$address" --update
        [ "$(in_accounting "$address")" = "[0,$jobs]" ]
        "$JOBTRAIL_BIN/jobtrail-load" --store "$address" --slurm-rows "$BATS_TEST_TMPDIR/rows"
        # a summary has rows that come late after its next update
        [ "$address" = "$store" ] || [ "$(in_accounting "$address")" = "[$told,$((jobs + 1))]" ]
        "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$address" --update
        [ "$(in_accounting "$address")" = "[$told,$((jobs + 1))]" ]
    done
    report "$store" --html
    # above all tables
    [ "$(grep -o "Allocated time by Slurm&#x27;s accounting for $told of $((jobs + 1)) jobs, else as seen by the nodes" \
        <<<"$output" | wc -l)" -eq 1 ]
    # of users, and of days within a month
    jq -rs 'map(select(.coverageT).coverageT) | group_by(.job_id) | map(.[0])[:10] | group_by(.user)[] |
        "\(.[0].user) \(length)"' "$RECORDS" >"$BATS_TEST_TMPDIR/users"
    while read -r user told; do
        [ "$user" != user0001 ] || told=$((told + 1))
        [[ "$(in_accounting "$store" -u "$user")" == "[$told,"* ]]
    done <"$BATS_TEST_TMPDIR/users"
    rows_of_sacct >"$BATS_TEST_TMPDIR/rows"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --slurm-rows "$BATS_TEST_TMPDIR/rows"
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update
    report "$store"
    [ "$(grep '^Allocated time' <<<"$output" | sort -u)" = "Allocated time by Slurm's accounting" ]
    in_accounting "$store" -S 2024-11-05 -E 2024-11-05 | jq -e '.[0] == .[1] and .[0] > 0'
}

@test "days are of the store's time zone, whatever the reader's is" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db zone
    jq -c 'del(.crc) | if .coverageT then .coverageT.timezone = "Asia/Kolkata" else . end' "$RECORDS" |
        "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --timezone Asia/Kolkata -
    for zone in UTC America/St_Johns Asia/Kolkata; do
        TZ=$zone report "$store" executables months --of users --json --top 0
        jq -e '.pages[0].numbers.timezone == "Asia/Kolkata" and .pages[0].numbers.programs > 0' <<<"$output"
        jq 'del(.made)' <<<"$output" >"$BATS_TEST_TMPDIR/$(basename "$zone")"
        diff "$BATS_TEST_TMPDIR/UTC" "$BATS_TEST_TMPDIR/$(basename "$zone")"
        TZ=$zone report "$store" allocation --of days --json --top 0
        # no day of the nodes' is lost
        jq -r '.pages[0].rows[].day' <<<"$output" | diff - <(jq -r 'select(.coverageA).coverageA[].day' "$RECORDS" | sort -u)
    done
}

@test "runs that go on count up to now, beside the five numbers" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db hours
    jq -c --argjson now "$(date +%s)" 'del(.crc) | select(.userT) | .userDT += {start_time: ($now - 7200), end_time: 0, run_time: 0} |
        .userT.job_id = "900" | .slurmT += {job_id: 900, cpus_alloc: 4, end_source: null, exit_code: null, signal: null,
            core_seconds: null, core_seconds_max: null, core_days: [], leads: false, clock_step: null} |
        .userDT.num_cores = 4' "$RECORDS" | head -n 1 >"$BATS_TEST_TMPDIR/start"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$BATS_TEST_TMPDIR/start"
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" -S now-2days users executables --json
    hours=$(jq .pages[0].numbers.running <<<"$output")
    jq -en --argjson hours "$hours" '$hours >= 8 and $hours < 9'
    [ "$(jq -c '[.pages[0].numbers.programs, .pages[0].numbers.inclusive, (.pages[0].rows[0].running_core_hours > 8),
        (.pages[1].rows[0].running_core_hours > 8)]' <<<"$output")" = '[0,0,true,true]' ]
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" -S now-2days users
    [[ "$output" == *"Not included: 8."*" core hours so far of runs that are still running"* ]]
    # its node tells that the job is over
    jq -c 'del(.crc) | select(.coverageT) | .coverageT.job_id = 900' "$RECORDS" | head -n 1 |
        jq -c --slurpfile run "$BATS_TEST_TMPDIR/start" '.coverageT += {node: $run[0].slurmT.node, cluster: $run[0].slurmT.cluster,
            restart_count: $run[0].slurmT.restart_count}' | "$JOBTRAIL_BIN/jobtrail-load" --store "$store" -
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" -S now-2days users --json
    [ "$(jq .pages[0].numbers.running <<<"$output")" = 0 ]
}
