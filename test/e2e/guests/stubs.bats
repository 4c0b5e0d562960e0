#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What runs that sampling leaves out leave in the ledger: who they were, and when they ran.
# shellcheck disable=SC2030,SC2031 # each test has its own TRACKED

load ../fixture/job

setup() {
    # shellcheck disable=SC2034 # new_job uses it
    RULES=$'[sampling]\nenabled = yes\nscalar = 0 1:100000000\nmpi = 0 1:100000000\nalways_ranks = 16'
    new_job
    LEDGER=${TRACKED[0]#*=}/ledger
}

# ledger KIND [FIELD...]: these fields of all that is of this kind, sorted
ledger() {
    "$PROGRAMS/list_ledger" "$LEDGER" | awk -F '\t' -v kind="$1" -v fields="${*:2}" '
        BEGIN { count = split(fields, wanted, " ") }
        $1 == kind {
            for (i = 1; i <= count; i++)
                printf "%s%s", $wanted[i], i < count ? " " : "\n"
        }' | sort
}

number_at() { # OFFSET: in the ledger
    od -An -tu8 -j "$1" -N 8 "$LEDGER" | tr -d ' '
}

set_number() { # OFFSET NUMBER
    perl -e 'open F, "+<", $ARGV[0] or die; seek F, $ARGV[1], 0; syswrite F, pack "Q", $ARGV[2] or die' \
        "$LEDGER" "$1" "$2"
}

# as_task: what follows is of a task of two CPUs in the journal, until task_ends
as_task() {
    sed -i 's/$/ cpus=2 tasks=1/' "$SPOOL/$JOB.0/journal"
    sleep 1000 3>&- &
    TASK=$!
    TRACKED[2]=JOBTRAIL_TASK=4294967291.0.$TASK
    printf 'task time=%s step=4294967291 task=0 pid=%s ticks=%s\n' "$(date +%s.%N)" "$TASK" \
        "$(awk '{ print $22 }' "/proc/$TASK/stat")" >>"$SPOOL/$JOB.0/journal"
}

task_ends() {
    kill "$TASK"
    wait "$TASK" || true
    printf 'exit time=%s step=4294967291 task=0 pid=%s status=0\n' "$(date +%s.%N)" "$TASK" \
        >>"$SPOOL/$JOB.0/journal"
}

# sampled NUMBER: "PROGRAM NUMBER" of the rows of what sampling left out, by program
sampled() {
    find "$RECORDS" -name 'coverage.*' -exec cat {} + | jq -r --arg number "$1" '
        [.coverageA[] | select(.outcome == "sampled")] | group_by(.program)[] |
        "\(.[0].program) \(map(.[$number]) | add)"'
}

# where numbers of the header are, see preload/ledger.h
SIZE=8 USED=24 FIRST=36864

@test "a run that is sampled out leaves a stub: who it was, and when it ran" {
    before=$(date +%s%N)
    # shellcheck disable=SC2016
    tracked PMI_RANK=0 PMI_SIZE=4 bash -c '"$1/exit_with" 0 & echo "$$ $PPID $!"; wait' _ "$PROGRAMS" \
        >"$BATS_TEST_TMPDIR/pids"
    read -r shell parent pid <"$BATS_TEST_TMPDIR/pids"
    after=$(date +%s%N)
    # pid, parent, step, task, pid of the task, rank, size, ancestors, by how much the clock was set, path
    echo "$shell $parent $pid: $(ledger stub 2 3 4 5 6 7 8 9 12 13)"
    [[ $(ledger stub 2 3 4 5 6 7 8 9 12 13) == \
        "$pid $shell -5 0 $parent 0 4 $shell,$parent 0 $PROGRAMS/exit_with" ]]
    read -r start end < <(ledger stub 10 11)
    ((before <= start && start <= end && end <= after + 100000000))
    [[ $(ledger run 2) == "" ]]
    leaves
}

@test "each of 1 000 runs (JOBTRAIL_SOAK: 10 000) that sampling leaves out is counted, with its program and its time" {
    count=$((JOBTRAIL_SOAK ? 10000 : 1000))
    as_task
    # shellcheck disable=SC2016
    tracked bash -c '
        for ((i = 0; i < $2; i += 10)); do
            for k in 1 2 3 4 5 6 7; do "$1/exit_with" 0; done
            "$1/spin" 0
            "$1/say_hello" >/dev/null &
            XALT_SAMPLING=no "$1/fork_child" >/dev/null
            wait
        done' _ "$PROGRAMS" "$count" >/dev/null
    ledger stub 13 | sort | uniq -c | awk '{ print $1, $2 }' >"$BATS_TEST_TMPDIR/found"
    cat "$BATS_TEST_TMPDIR/found"
    grep -qx "$((count * 7 / 10)) $PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/found"
    grep -qx "$((count / 10)) $PROGRAMS/spin" "$BATS_TEST_TMPDIR/found"
    grep -qx "$((count / 10)) $PROGRAMS/say_hello" "$BATS_TEST_TMPDIR/found"
    # no pid twice, unless the kernel has used it again
    [[ $(ledger stub 2 10 | sort -u | wc -l) == $((count * 9 / 10)) ]]
    [[ $(ledger run 13 | uniq -c | awk '{ print $1, $2 }') == *"$((count / 10)) $PROGRAMS/fork_child"* ]]
    [[ $("$PROGRAMS/list_ledger" "$LEDGER" | tail -n 2) == $'others 0 0\ndamaged 0' ]]
    task_ends
    flush
    [[ $(records | jq 'map(select(.userT.exec_path | endswith("/fork_child"))) | length') == $((count / 10)) ]]
    diff <(sampled runs | sort) <(printf '%s\n' "$PROGRAMS/exit_with $((count * 7 / 10))" \
        "$PROGRAMS/say_hello $((count / 10))" "$PROGRAMS/spin $((count / 10))")
}

@test "the core time of what sampling leaves out is that of its intervals, by program" {
    as_task
    # shellcheck disable=SC2016
    tracked bash -c 'for ((i = 0; i < 50; i++)); do "$1/exit_with" 0; "$1/spin" 0.02; done' _ "$PROGRAMS"
    "$PROGRAMS/list_ledger" "$LEDGER" | awk -F '\t' '
        $1 == "stub" { sum[$13] += 2 * ($11 - $10) / 1e9 }
        END { for (program in sum) print program, sum[program] }' | sort >"$BATS_TEST_TMPDIR/intervals"
    task_ends
    flush
    sampled core_seconds | sort >"$BATS_TEST_TMPDIR/rows"
    join "$BATS_TEST_TMPDIR/intervals" "$BATS_TEST_TMPDIR/rows"
    # the clock at the end is that of the kernel's tick, and two runs may share one
    join "$BATS_TEST_TMPDIR/intervals" "$BATS_TEST_TMPDIR/rows" |
        awk '{ if (($2 - $3) ^ 2 > 1e-6) bad = 1 } END { exit bad || NR != 2 }'
}

@test "a run that sampling leaves out takes a few hundred bytes, its slot included" {
    count=1000
    # shellcheck disable=SC2016
    tracked bash -c 'for ((i = 0; i < $2; i += 2)); do "$1/exit_with" 0; "$1/spin" 0; done' _ "$PROGRAMS" "$count"
    bytes=$((($(number_at $USED) - FIRST) / $(ledger stub 2 | wc -l)))
    echo "$bytes bytes"
    ((bytes <= 250))
}

@test "stubs take half of a ledger at the most; what has no room for one is counted" {
    count=$((JOBTRAIL_SOAK ? 2000 : 400))
    set_number $SIZE $((FIRST + 16 * 4096))
    for ((i = 0; i < count; i++)); do
        tracked "$PROGRAMS/exit_with" 0
    done
    read -r others ns < <("$PROGRAMS/list_ledger" "$LEDGER" | sed -n 's/^others //p')
    stubs=$(ledger stub 2 | wc -l)
    echo "$stubs stubs, $others others"
    ((stubs > 100 && others > 0 && stubs + others == count && ns >= others))
    # captures have the other half
    tracked XALT_SAMPLING=no "$PROGRAMS/exit_with" 0
    leaves "exit_with fini"
}

# compile_table LINES: the site's table is this one from now on
compile_table() {
    sed -i '/^\[sampling\]/,$d' "$CONF"
    printf '[sampling]\nenabled = yes\n%s\n' "$1" >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
}

@test "a run is kept by the table that it began with, whatever the site has compiled since" {
    count=150
    for table in 'scalar = 0 1:3' 'scalar = 0 0.5' 'scalar = 0 1'; do
        compile_table "$table"
        for ((i = 0; i < count; i++)); do
            tracked "$PROGRAMS/exit_with" "${table##* }" || true
            tracked "$PROGRAMS/kill_self" 9 "${table##* }" 2>/dev/null || true
        done
    done
    compile_table 'scalar = 0 1:100000000'
    lived=$(ledger stub 2 | wc -l)
    flush
    # Each way to end and table: kept as often as it says, within five standard deviations of the
    # weighted number.
    records | jq -r '.[] | "\(.cmdlineA | .[0] | split("/")[-1]) \(.cmdlineA[-1]) \(.userDT.probability)"' |
        awk -v n="$count" '
            BEGIN { chance["1:3"] = 1 / 3; chance["0.5"] = 0.5; chance["1"] = 1 }
            { kept[$1, $2]++; if (sprintf("%.17g", $3) != sprintf("%.17g", chance[$2])) bad = $0 }
            END {
                for (way in chance)
                    for (end = 0; end < 2; end++) {
                        name = end ? "kill_self" : "exit_with"
                        p = chance[way]
                        off = kept[name, way] / p - n
                        print name, way, kept[name, way], off
                        if (off * off > 25 * n * (1 - p) / p)
                            bad = name " " way
                    }
                if (bad != "")
                    print "bad:", bad
                exit bad != ""
            }'
    # each run that came to its end is a record or a stub
    [[ $(($(records | jq 'map(select(.cmdlineA[0] | endswith("/exit_with"))) | length') + lived)) == $((3 * count)) ]]
}
