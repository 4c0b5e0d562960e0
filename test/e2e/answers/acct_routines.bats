#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-acct --routine and --routines: which runs called a routine of a designated library, and which routines a run
# called. In SQLite and in MariaDB.
# bats file_tags=needs:routines
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets stderr, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb

LINK=019a9f00-4444-7000-8000-000000000001

setup_file() {
    export TZ=UTC JOBTRAIL_STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    routine_records >>"$SITE/records"
    echo '/sw/openblas openblas/0.3.21' >>"$SITE/modules"
    site_load "$JOBTRAIL_STORE"
    mariadb_start
    site_load "$MARIADB_STORE"
}

# called JOB USER ROUTINET [FILTER]: a run of an hour from 2024-11-20T10:00:00 on
called() {
    site_run "019a9f00-3333-7000-8000-0000000000$1" "prog$1" 1 ".userT += {user: \"$2\", job_id: \"$1\"} | .slurmT.job_id = $1
        | .userDT.start_time as \$t | .routineT = $3 | ${4:-.}"
}

# hours NUMBER [DAY]: the filter for a run that had so many core hours of its job
hours() {
    echo "($1 * 3600) as \$own | .slurmT += {core_seconds: \$own, core_seconds_max: \$own, core_days: [[\"${2-2024-11-20}\", \$own]], leads: false}"
}

routine_records() {
    local blas='["/sw/openblas/lib/libopenblas.so.0", "ab12"]' gsl='["libgsl.a", "0"]'
    called 71 alice "{libraryA: [$blas, $gsl], watched: 9, missed: 0, counted: true, routineA: [[1, \"gsl_sf_gamma\", \$t + 60, 2, true],
        [0, \"dgemm_\", \$t + 30, 7, false], [0, \"late\", null, 1, false]]}" "$(hours 2)"
    called 72 bob "{libraryA: [$blas], watched: 9, missed: 2, counted: false, routineA: [[0, \"dgemm_\", \$t + 5, null, false],
        [0, \"dgemv_\", \$t + 6, null, false]]}" "$(hours 1)"
    called 73 alice "{libraryA: [$blas], watched: 9, missed: 0, counted: true, routineA: []}"
    called 74 alice null 'del(.routineT)'
    # linked with the archive as it was before it was prepared
    called 79 alice null "del(.routineT) | .xaltLinkT = {Build_UUID: \"$LINK\", Build_User: \"alice\"}"
    jq -nac --arg uuid "$LINK" '{resultT: {uuid: $uuid, build_user: "alice", build_epoch: "1732010400", exec_path: "/home/alice/prog79"}, linkA: [["/sw/old/libgsl.a", "0"]],
        link_line: ["gcc"], function: [], jobtrailT: {}}'
    # still runs
    called 75 alice "{libraryA: [$blas], watched: 9, missed: 0, counted: true, routineA: [[0, \"zgemm_\", \$t + 1, 3, false]]}" \
        '.userDT += {end_time: 0, run_time: 0} | .slurmT |= del(.end_source, .end_time_min, .end_time_max, .core_days, .core_seconds)'
    called 77 alice "{libraryA: [$blas, $gsl], watched: 9, missed: 0, counted: true, routineA: [[0, \"dgemm_\", \$t + 30, 9, true],
        [1, \"gsl_sf_gamma\", \$t + 30, 2, true], [0, \"late\", \$t + 30, 1, true]]}" ".userDT.start_time += 86400 | .userDT.end_time += 86400 | $(hours 1.5 2024-11-21)"
    # the same job again, in another step
    called 76 alice "{libraryA: [$blas], watched: 9, missed: 0, counted: true, routineA: [[0, \"dgemm_\", \$t + 20, 5, false]]}" \
        ".userT.job_id = \"71\" | .slurmT += {job_id: 71, step_id: \"1\"} | $(hours 0.5)"
}

job() {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-job" --allusers --no-sacct "$@"
}

acct() {
    echo "$JOBTRAIL_STORE" >&2
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --allusers --no-sacct "$@"
}

# jobs OPTION...: the jobs of the runs that the option chooses on that day, on one line
jobs() {
    acct -n -P -S 2024-11-20 -E 2024-11-21 -o jobid "$@"
    [ "$status" -eq 0 ]
    jobs=$(paste -sd ' ' <<<"$output")
    echo "$*: $jobs $stderr"
}

@test "runs are chosen by the routines that they called" {
    for JOBTRAIL_STORE in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        jobs --routine dgemm_
        [ "$jobs" = "71.0 71.1 72.0" ]
        jobs --routine 'dgem*' --routine zgemm_
        [ "$jobs" = "71.0 71.1 72.0 75.0" ]
        jobs --routine 'dgemm_ & dgemv_'
        [ "$jobs" = "72.0" ]
        jobs --routine gsl_sf_gamma --exec prog71
        [ "$jobs" = "71.0" ]
        jobs --routine dgemm_ -u bob
        [ "$jobs" = "72.0" ]
        jobs --routine 'dgemm'
        [ "$jobs" = "" ]
        jobs --routine '*'
        [ "$jobs" = "71.0 71.1 72.0 75.0" ]
    done
}

@test "the routines of runs are listed with library, version, first call, and calls or a bound" {
    for JOBTRAIL_STORE in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        acct --routines -j 71,72,75 -P
        [ "$status" -eq 0 ]
        diff - <(echo "$output") <<'TEXT'
JobID|Exec|Library|Version|Routine|FirstCall|Calls
71.0|prog71|openblas|0.3.21|dgemm_|2024-11-20T10:00:30|7
71.0|prog71|libgsl.a||gsl_sf_gamma|2024-11-20T10:01:00|>=2
71.0|prog71|openblas|0.3.21|late||1
71.1|prog76|openblas|0.3.21|dgemm_|2024-11-20T10:00:20|5
72.0|prog72|openblas|0.3.21|dgemm_|2024-11-20T10:00:05|
72.0|prog72|openblas|0.3.21|dgemv_|2024-11-20T10:00:06|
75.0|prog75|openblas|0.3.21|zgemm_|2024-11-20T10:00:01|>=3
TEXT
        [ "$stderr" = "jobtrail-acct: not all calls of 1 of 4 runs were watched (Missed): there may be more" ]
    done
}

@test "fields, CSV and JSON have what the list has, and more" {
    for JOBTRAIL_STORE in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        acct --routines -j 71 --routine 'gsl*' -P -o jobidraw,uuid,user,librarypath,buildid,module,missed,state,step,proven
        [ "${lines[1]}" = "71.0|019a9f00-3333-7000-8000-000000000071|alice|libgsl.a|||0|COMPLETED|0|no" ]
        [ "${#lines[@]}" -eq 2 ]
        acct --routines -j 71 --csv --sort=-calls --top 1
        [ "$output" = $'JobID,Exec,Library,Version,Routine,FirstCall,Calls,CallsBound\n71.0,prog71,openblas,0.3.21,dgemm_,2024-11-20T10:00:30,7,' ]
        acct --routines -j 71 --json
        jq -e '[.routines[] | [.job, .library, .library_version, .library_module, .build_id, .routine, .first_call, .calls, .calls_at_least, .missed]] == [
            ["71.0", "openblas", "0.3.21", "openblas/0.3.21", "ab12", "dgemm_", 1732096830, 7, false, 0],
            ["71.0", "libgsl.a", null, null, null, "gsl_sf_gamma", 1732096860, 2, true, 0],
            ["71.0", "openblas", "0.3.21", "openblas/0.3.21", "ab12", "late", null, 1, false, 0],
            ["71.1", "openblas", "0.3.21", "openblas/0.3.21", "ab12", "dgemm_", 1732096820, 5, false, 0]]' <<<"$output"
        acct --routines -j 72 --json
        jq -e '.routines[0] | [.calls, .calls_at_least, .missed] == [null, null, 2]' <<<"$output"
    done
}

@test "rows of runs and of jobs have their routines, and none is not unknown" {
    for JOBTRAIL_STORE in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        acct -j 71,72,73,74 -n -P -o jobid,nroutines,routines
        [ "$output" = $'71.0|3|dgemm_,gsl_sf_gamma,late\n71.1|1|dgemm_\n72.0|>=2|dgemm_,dgemv_\n73.0|0|\n74.0||' ]
        acct -j 71 -X -n -P -o jobid,nroutines,routines
        [ "$output" = "71|3|dgemm_,gsl_sf_gamma,late" ]
        acct -j 71 -X --json
        jq -e '.runs[0].routines | [.missed, (.libraries | length), [.called[] | [.routine, .first_call, .calls, .calls_at_least]]] ==
            [0, 2, [["dgemm_", 1732096820, 12, false], ["gsl_sf_gamma", 1732096860, 2, true], ["late", null, 1, false]]]' <<<"$output"
        acct -j 73,74 --json
        jq -e '.runs[0].routines == {libraries: [{library: "openblas", library_version: "0.3.21", library_module: "openblas/0.3.21",
            library_path: "/sw/openblas/lib/libopenblas.so.0", build_id: "ab12"}], called: [], missed: 0, unnamed: 0}
            and .runs[1].routines == null' <<<"$output"
    done
}

said() { # TEXT OPTION...: on stderr, with nothing on stdout
    acct -n -P "${@:2}"
    echo "$stderr"
    [ "$status" -eq 0 ]
    [ "$output" = "" ]
    [[ $stderr == *"$1"* ]]
}

# rows PAGE FILTER OPTION...: of the report's JSON, for both days
rows() {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-report" "$1" --json --top 0 -S 2024-11-20 -E 2024-11-21 "${@:3}"
    rows=$(jq -c "[.pages[0].rows[] | $2]" <<<"$output")
    echo "$*: $rows $stderr"
    [ "$status" -eq 0 ]
}

@test "reports have the core hours of the runs that called a routine, its first and last day, and tables by weekday and month" {
    for JOBTRAIL_STORE in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        # hours of the runs that called it; by library and by user each run counts once
        rows routines '[.library, .routine, .core_hours, .runs, .users, .first, .last]' --by runs
        [ "$rows" = '[["openblas 0.3.21","dgemm_",5,4,2,"2024-11-20","2024-11-21"],["libgsl.a","gsl_sf_gamma",3.5,2,1,"2024-11-20","2024-11-21"],["openblas 0.3.21","late",3.5,2,1,"2024-11-20","2024-11-21"],["openblas 0.3.21","dgemv_",1,1,1,"2024-11-20","2024-11-20"],["openblas 0.3.21","zgemm_",0,1,1,"2024-11-20","2024-11-20"]]' ]
        rows routines '[.library, .routines, .core_hours, .runs]' --of libraries --by runs
        [ "$rows" = '[["openblas 0.3.21",4,5,5],["libgsl.a",1,3.5,2]]' ]
        rows routines '[.user, .routines, .core_hours, .runs]' --of users --by runs
        [ "$rows" = '[["alice",4,4,4],["bob",2,1,1]]' ]
        rows weekdays '[.library, .Tue, .Wed, .Thu, .total]' --use called
        [ "$rows" = '[["libgsl.a",0,1,1,2],["openblas 0.3.21",0,4,1,5]]' ]
        rows months '[.routine, .["2024-10"], .["2024-11"], .total]' --use called --of routines --lib gsl
        [ "$rows" = '[["libgsl.a: gsl_sf_gamma",null,2,2]]' ]
    done
}

uncalled() { # LIBRARY
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-report" uncalled --json -S 2024-11-20 -E 2024-11-20 --lib "$1" --entries "$BATS_TEST_TMPDIR/entries"
    echo "$output$stderr"
    [ "$status" -eq 0 ]
}

@test "runs of programs that were linked with an archive as it was before it was prepared make it unknown who calls it" {
    for JOBTRAIL_STORE in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        echo other >"$BATS_TEST_TMPDIR/entries"
        uncalled gsl
        jq -e '.pages[0].rows | map([.routine, .verdict, .why]) == [["other", "not known", "1 runs of programs linked with an archive that was not prepared"]]' <<<"$output"
        uncalled openblas
        [[ $output != *unprepared* ]]
        acct -j 71 --routines --json
        jq -e '.routines[0].unnamed == 0' <<<"$output"
    done
}

@test "where there is none it is said of what, and which names are like it" {
    for JOBTRAIL_STORE in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        said "--routine dgmm_: no run has called one; did you mean dgemm_" -S 2024-11-20 -E 2024-11-21 --routine dgmm_
        said "no runs of job 72 with --routine zgemm_" -j 72 --routine zgemm_
        said "no routines of job 72 with --routine zgemm_" --routines -j 72 --routine zgemm_
        said "no routines of job 73" --routines -j 73
        [[ $stderr != *"designates"* ]]
        said "1 of 1 run loaded no library that [routines] designates: their routines are not known" --routines -j 74
        [[ $stderr == *"no routines of job 74"* ]]
    done
    local JOBTRAIL_STORE=sqlite:$BATS_TEST_TMPDIR/none.db
    export JOBTRAIL_STORE
    "$JOBTRAIL_BIN/jobtrail-load" --store "$JOBTRAIL_STORE" "$JOBTRAIL_SOURCE/test/data/records"
    said "--routine dgemm_: no run has called one of any library: [routines] of jobtrail.conf designates some" -S 2024-11-01 --routine dgemm_
}

# compared A B: the section of routines as [status, different, unknown by reason, same]
compared() {
    job diff "$1" "$2" --json
    jq -c ".pairs[0].sections[] | select(.name == \"routines\") |
        [$status, (.different | map([.what, .a, .b])), (.unknown | map([.what, .why])), .same]" <<<"$output"
}

@test "the routines of two runs are compared, and what one of them may have called is no difference" {
    for JOBTRAIL_STORE in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        # counted exactly, by a bound, once alone
        [ "$(compared 71.0 71.1)" = '[1,[["openblas:dgemm_","7 calls","5 calls"],["openblas:late","1 calls",null]],[["libgsl.a:gsl_sf_gamma","B had no library of that name that [routines] designates"]],0]' ]
        # not all watched, and not counted; the calls of the other side are certain
        [ "$(compared 71.1 72.0)" = '[1,[["openblas:dgemv_",null,"called"]],[],1]' ]
        [ "$(compared 72.0 71.1 | jq -c '.[1]')" = '[["openblas:dgemv_","called",null]]' ]
        compared 73 72 | jq -e '.[1] == [["openblas:dgemm_",null,"called"],["openblas:dgemv_",null,"called"]]'
        compared 71.0 72.0 | jq -e '.[2] | map(select(.[0] == "openblas:late")) == [["openblas:late","B had calls that were not watched"]]'
        # still runs; nothing is known; the same
        compared 73 75 | jq -e '.[1] == [["openblas:zgemm_",null,">=3 calls"]]'
        compared 71.1 75 | jq -e '.[2] == [["openblas:dgemm_","B has no end record"]]'
        compared 73 74 | jq -e '.[1:] == [[],[["routines","not recorded for B"]],0]'
        compared 74 74 | jq -e '. == [0,[],[],0]'
        # of a bound only is certain that it is more
        compared 71.0 77 | jq -e '.[1] == [["openblas:dgemm_","7 calls",">=9 calls"]] and .[2] ==
            [["libgsl.a:gsl_sf_gamma","the number of calls is a lower bound"],["openblas:late","the number of calls is a lower bound"]]'
        job diff 71.0 71.1
        [[ $output == *"routines: 2 different, 0 the same"*"A: 7 calls"*"B: 5 calls"*"not known: routines: libgsl.a:gsl_sf_gamma: B had no library"* ]]
    done
}

@test "what is of jobs, or of other rows, does not go with --routines" {
    local option
    for option in -X --coverage --links --changes --libs -b; do
        # shellcheck disable=SC2086 # several options
        acct --routines $option
        echo "$option: $stderr"
        [ "$status" -ne 0 ]
        [[ $stderr == "--"*" go"*" with "* ]]
    done
}

@test "bash completes the options and the fields of routines" {
    completed() {
        PATH=$JOBTRAIL_SOURCE/contrib:$PATH bash -c '
            . "$JOBTRAIL_SOURCE/contrib/completion/jobtrail.bash"
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _jobtrail "$1"
            printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | paste -sd ' '
    }
    [ "$(completed jobtrail-acct --rout)" = "--routine --routines" ]
    [ "$(completed jobtrail-acct --routines -o first)" = "FirstCall" ]
}

# However many runs are listed: some statements for each hundred of them, that search by an index.
# bats test_tags=needs:answers
@test "statements are few, and find rows by indexes" {
    local many=$BATS_TEST_TMPDIR/many.db
    "$JOBTRAIL_SOURCE/test/bench/make_records" 1000 --seed 3 --routines 5 --until 1760000000 |
        "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$many" - >/dev/null
    /usr/bin/python3 - "$JOBTRAIL_SOURCE/contrib" "$many" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.routines import run_routines, select_door
from jobtrail.answers.service.restricted import open_for
from jobtrail.answers.service.rights import Rights
store = open_for("sqlite:" + sys.argv[2], Rights(everything=True))
runs = [{"id": number} for number, in store.lookup("SELECT id FROM run_own")]
assert len(runs) == 1000
statements = []
store.database.set_trace_callback(statements.append)
found = run_routines.read(store, runs)
assert len(statements) == 2 + 2 + 10, len(statements)
assert sum(len(one["called"]) for one in found.values()) == 5000
store.database.set_trace_callback(None)
def plan(sql, values=()):
    return [row[3] for row in store.lookup("EXPLAIN QUERY PLAN " + sql, values)]
sql, values = select_door.routine_condition(store, "routine_1*")
chosen = plan("SELECT run.id FROM run WHERE " + sql, values)
assert any("run_routine USING COVERING INDEX run_routine_routine" in step or "run_routine USING INDEX run_routine_routine" in step
    for step in chosen), chosen
for statement in run_routines.WATCHED, run_routines.LIBRARIES, run_routines.CALLED + "1 = 1":
    steps = plan(statement % "1, 2")
    assert not any(step.startswith("SCAN run_") or step == "SCAN link" for step in steps), steps
# who sees some runs is answered by these, and not by each pair of a run and a routine
(user, _), *_ = store.lookup("SELECT user, count(*) FROM run GROUP BY user ORDER BY 2 DESC")
store = open_for("sqlite:" + sys.argv[2], Rights([user]))
sql, values = select_door.routine_condition(store, "routine_1*")
assert store.lookup("SELECT count(*) FROM run WHERE " + sql, values) != [(0,)]
store.is_ours = True
chosen = [row[3] for row in store.database.execute("EXPLAIN QUERY PLAN SELECT run.id FROM run WHERE " + sql, values)]
assert any("run_routine USING PRIMARY KEY (run_id=?)" in step for step in chosen), chosen
PYTHON
}
