#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What runs called of designated libraries, in the store: each routine and library once, nothing twice, and gone with
# its runs; in SQLite and in MariaDB.
# bats file_tags=needs:routines
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154,SC2119,SC2120 # SQL has backticks, bats sets variables

bats_require_minimum_version 1.5.0
load ../fixture/stores

SEPARATOR='|'

setup() {
    new_stores
    began=$(jq .userDT.start_time "$end")
}

loads_into() { # OPTION...: which succeeds
    load_into "$@"
    echo "$output$stderr"
    [ "$status" -eq 0 ]
}

counted() {
    jq -c '[.new, .updated, .unchanged, .conflicts, .damaged]' <<<"$output"
}

# with_routines RECORD ROUTINET [JQ]: the record, with what it called. $began is the run's start.
with_routines() {
    jq -ac --argjson began "$began" "del(.crc) | .routineT = $2 | ${3:-.}" "$1"
}

LIBS='libraryA: [["/sw/blas/3.21/libblas.so.3", "ab12"], ["libgsl.a", "0"]]'

# with their libraries, version of the library's file, calls, and whether these are a lower bound
called() {
    sql "SELECT routine_library.path, build_id, name, round(first_call - start_time, 2) + 0.0, calls, is_at_least FROM run_routine
        JOIN routine ON routine.id = routine_id JOIN routine_library ON routine_library.id = routine_library_id
        JOIN run_own ON run_own.id = run_id ORDER BY start_time, name"
}

rows_of() { # TABLE...
    local table
    for table in "$@"; do
        sql "SELECT '$table', count(*) FROM $table"
    done
}

@test "a run's routines are stored once, however often it is loaded" {
    with_routines "$end" "{$LIBS, watched: 5, missed: 0, counted: true, routineA: [[0, \"dgemm_\", \$began + 0.25, 7, false],
        [1, \"gsl_sf_bessel_J0\", null, 2, true]]}" >run.json
    for store in "${stores[@]}"; do
        loads_into run.json
        [ "$(counted)" = "[1,0,0,0,0]" ]
        called >found
        echo '/sw/blas/3.21/libblas.so.3|ab12|dgemm_|0.25|7|0' >wanted
        echo 'libgsl.a|0|gsl_sf_bessel_J0|NULL|2|1' >>wanted
        diff wanted found
        [ "$(sql 'SELECT watched, missed FROM run_routine_watch')" = '5|0' ]
        [ "$(rows_of run_routine_library)" = 'run_routine_library|2' ]
        # and nothing is counted twice
        loads_into run.json
        [ "$(counted)" = "[0,0,1,0,0]" ]
        called | diff wanted -
        [ "$(rows_of run_routine run_routine_library run_routine_watch)" = \
            $'run_routine|2\nrun_routine_library|2\nrun_routine_watch|1' ]
    done
}

@test "an end takes the place of what its start said of routines" {
    with_routines "$start" "{$LIBS, watched: 5, missed: 0, counted: true, routineA: [[0, \"dgemm_\", \$began + 0.25, 7, false],
        [0, \"early\", null, 1, false]]}" >aaa.json
    with_routines "$end" "{$LIBS, watched: 5, missed: 0, counted: true, routineA: [[0, \"dgemm_\", \$began + 0.25, 9, false]]}" >zzz.json
    for store in "${stores[@]}"; do
        loads_into aaa.json
        # it still ran, so there may have been more
        [ "$(called | cut -d'|' -f3-)" = $'dgemm_|0.25|7|1\nearly|NULL|1|1' ]
        loads_into zzz.json
        [ "$(counted)" = "[0,1,0,0,0]" ]
        [ "$(called | cut -d'|' -f3-)" = 'dgemm_|0.25|9|0' ]
        loads_into aaa.json
        [ "$(counted)" = "[0,0,1,0,0]" ]
        [ "$(called | cut -d'|' -f3-)" = 'dgemm_|0.25|9|0' ]
        [ "$(rows_of run_routine run_routine_library run_routine_watch)" = \
            $'run_routine|1\nrun_routine_library|2\nrun_routine_watch|1' ]
    done
}

@test "a start and its end in one batch leave the routines of the end" {
    local what="{$LIBS, watched: 5, missed: 0, counted: true, routineA: [[0, \"dgemm_\", null, 7, false], [0, \"early\", null, 1, false]]}"
    mkdir -p both
    with_routines "$start" "$what" >both/run.aaa.json
    with_routines "$end" "$what" '.routineT.routineA |= .[:1]' >both/run.zzz.json
    # and others, before and after it in the order of uuids
    with_routines "$end" "$what" '.userT.run_uuid |= sub("2$"; "1")' >both/run.one.json
    with_routines "$end" "$what" '.userT.run_uuid |= sub("2$"; "3") | del(.routineT)' >both/run.two.json
    with_routines "$end" "$what" '.userT.run_uuid |= sub("2$"; "4")' >both/run.three.json
    for store in "${stores[@]}"; do
        loads_into both # in the directory's order: the start is replaced, or comes too late
        [[ $(counted) == "[4,1,0,0,0]" || $(counted) == "[4,0,1,0,0]" ]]
        sql "SELECT run_own.uuid, name, is_at_least FROM run_own LEFT JOIN run_routine ON run_id = run_own.id
            LEFT JOIN routine ON routine.id = routine_id ORDER BY run_own.uuid, name" | cut -c36- >found
        printf '%s\n' '1|dgemm_|0' '1|early|0' '2|dgemm_|0' '3|NULL|NULL' '4|dgemm_|0' '4|early|0' | diff - found
    done
}

# That is an end without routines, as of a program that another preload took over.
@test "an end without routines leaves none of its start" {
    with_routines "$start" "{$LIBS, watched: 5, missed: 0, counted: false, routineA: [[0, \"dgemm_\", null, null, false]]}" >aaa.json
    for store in "${stores[@]}"; do
        loads_into aaa.json
        cat "$end" >end.json # of the tester's alone
        loads_into end.json
        [ "$(counted)" = "[0,1,0,0,0]" ]
        [ "$(rows_of run_routine run_routine_library run_routine_watch)" = \
            $'run_routine|0\nrun_routine_library|0\nrun_routine_watch|0' ]
    done
}

@test "calls are a lower bound where imports were missed, and a time outside of the run is none" {
    with_routines "$end" "{$LIBS, watched: 5, missed: 1, counted: true, routineA: [[0, \"dgemm_\", \$began - 86400, 7, false],
        [1, \"uncounted\", null, null, false]]}" >run.json
    for store in "${stores[@]}"; do
        loads_into run.json
        # of imports that were not watched there may have been more calls, and the time is in no run
        [ "$(called | cut -d'|' -f3-)" = $'dgemm_|NULL|7|1\nuncounted|NULL|NULL|NULL' ]
    done
}

@test "a library that was there twice has each of its routines once" {
    with_routines "$end" "{libraryA: [[\"/sw/libx.so\", \"0\"], [\"/sw/libx.so\", \"0\"]], watched: 2, missed: 0, counted: true,
        routineA: [[0, \"x\", \$began + 1, 3, false], [1, \"x\", \$began + 0.5, 4, false]]}" >run.json
    for store in "${stores[@]}"; do
        loads_into run.json
        [ "$(called)" = '/sw/libx.so|0|x|0.50|7|0' ] || [ "$(called)" = '/sw/libx.so|0|x|0.5|7|0' ]
        [ "$(rows_of routine_library routine run_routine_library)" = $'routine_library|1\nroutine|1\nrun_routine_library|1' ]
    done
}

# users' names for libraries and routines of their own are theirs
@test "another's record of the same uuid takes no routine away and adds none" {
    with_routines "$end" "{$LIBS, watched: 5, missed: 0, counted: true, routineA: [[0, \"dgemm_\", null, 7, false]]}" >alice.json
    with_routines "$end" "{$LIBS, watched: 5, missed: 0, counted: true, routineA: [[0, \"evil\", null, 99, false]]}" \
        '.userT += {user: "mallory", job_id: "666"} | .slurmT.job_id = 666 | .xaltLinkT = {}' >mallory.json
    for store in "${stores[@]}"; do
        loads_into alice.json
        loads_into mallory.json
        [ "$(counted)" = "[1,0,0,1,0]" ]
        sql "SELECT user, name, calls FROM run_routine JOIN routine ON routine.id = routine_id JOIN run ON run.id = run_id
            ORDER BY user" >found
        printf 'alice|dgemm_|7\nmallory|evil|99\n' | diff - found
    done
}

@test "a routine is one of its library, version and build-id" {
    local routines='watched: 1, missed: 0, counted: false, routineA: [[0, "dgemm_", null, null, false]]'
    with_routines "$end" "{libraryA: [[\"/sw/blas/3.21/libblas.so.3\", \"ab12\"]], $routines}" >one.json
    with_routines "$end" "{libraryA: [[\"/sw/blas/3.21/libblas.so.3\", \"cd34\"]], $routines}" '.userT.run_uuid |= sub("2$"; "3")' >two.json
    with_routines "$end" "{libraryA: [[\"/sw/blas/3.22/libblas.so.3\", \"cd34\"]], $routines}" '.userT.run_uuid |= sub("2$"; "4")' >three.json
    for store in "${stores[@]}"; do
        loads_into one.json two.json three.json
        printf '%s\n' '/sw/blas/3.21 blas/3.21' '/sw/blas/3.22 blas/3.22' >map
        jobtrail-load --store "$store" --modules map
        sql "SELECT uuid, path, build_id, module.name, routine.name FROM run_routine JOIN run_own ON run_own.id = run_id JOIN routine ON routine.id = routine_id
            JOIN routine_library ON routine_library.id = routine_library_id LEFT JOIN module ON module.id = module_id ORDER BY uuid" | cut -c36- >found
        printf '%s\n' '2|/sw/blas/3.21/libblas.so.3|ab12|blas/3.21|dgemm_' '3|/sw/blas/3.21/libblas.so.3|cd34|blas/3.21|dgemm_' \
            '4|/sw/blas/3.22/libblas.so.3|cd34|blas/3.22|dgemm_' | diff - found
        [ "$(rows_of routine routine_library)" = $'routine|3\nroutine_library|3' ]
        run -0 --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --store "$store" -a --no-sacct -S 2024-11-20 -E 2024-11-21 --routines -n -P -o uuid,library,version,buildid,routine
        [ "$(cut -c36- <<<"$output" | sort)" = $'2|blas|3.21|ab12|dgemm_\n3|blas|3.21|cd34|dgemm_\n4|blas|3.22|cd34|dgemm_' ]
        run -0 --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" routines -S 2024-11-20 -E 2024-11-20 --json
        [ "$(jq -c '[.pages[0].rows[] | [.library, .routine, .runs]] | sort' <<<"$output")" = '[["blas 3.21","dgemm_",2],["blas 3.22","dgemm_",1]]' ]
    done
}

# many USER DIGIT FIRST: a record of the user's that has called 4096 routines of a library of theirs, of names from FIRST on
many() {
    jq -c --arg user "$1" --arg digit "$2" --argjson first "$3" 'del(.crc) | .userT.user = $user | .userT.run_uuid |= sub("2$"; $digit) | .xaltLinkT = {}
        | .routineT = {libraryA: [["/sw/libx.so", "0"]], watched: 4096, missed: 0, counted: false,
            routineA: [range($first; $first + 4096) | [0, "r\(.)", null, null, false]]}' "$end"
}

@test "the names that a user's runs bring are bounded, and what is beyond is counted in the run" {
    many mallory 1 0 >one.json
    many mallory 3 4000 >two.json
    many mallory 4 9000 >three.json
    many mallory 5 100 >four.json
    many alice 6 9000 >five.json
    many mallory 7 50000 >six.json
    echo r60000 >entries
    acct=$JOBTRAIL_SOURCE/contrib/jobtrail-acct report=$JOBTRAIL_SOURCE/contrib/jobtrail-report
    for store in "${stores[@]}"; do
        loads_into one.json two.json
        [ "$(jq -c '[.new, .unproven, .without_room]' <<<"$output")" = '[2,0,0]' ]
        # of 8192 names 96 are left
        loads_into three.json
        [ "$(jq -c '[.new, .without_room]' <<<"$output")" = '[1,4000]' ]
        # those that are there cost nothing, and nothing is taken from others
        loads_into four.json five.json
        [ "$(jq -c '[.new, .without_room]' <<<"$output")" = '[2,0]' ]
        # a run is loaded once, however much was left out
        loads_into three.json
        [ "$(jq -c '[.unchanged, .without_room]' <<<"$output")" = '[1,0]' ]
        [ "$(rows_of routine routine_library run_routine)" = $'routine|12192\nroutine_library|1\nrun_routine|16480' ]
        [ "$(sql 'SELECT user, sum(names) FROM routine_maker GROUP BY user ORDER BY user')" = $'alice|4000\nmallory|8193' ]
        [ "$(sql 'SELECT user, missed, unnamed FROM run_routine_watch JOIN run ON run.id = run_id WHERE unnamed > 0')" = 'mallory|0|4000' ]
        run -0 --separate-stderr "$acct" --store "$store" -a --no-sacct -S 2024-11-20 -E 2024-11-21 --routines --routine r9000 -n -P -o user,routine,missed,unnamed
        [ "$(sort <<<"$output")" = $'alice|r9000|0|0\nmallory|r9000|0|4000' ]
        [[ $stderr == *"not all routines of 1 of 2 runs have names (Unnamed): the store takes a bounded number of new ones from a user"* ]]
        run -0 --separate-stderr "$acct" --store "$store" -a --no-sacct -S 2024-11-20 -E 2024-11-21 -u mallory -n -P -o nroutines
        [ "$(sort -n <<<"$output" | uniq -c | xargs)" = "4 4096" ]
        run -0 "$report" --store "$store" routines --of libraries -S 2024-11-20 -E 2024-11-20
        [[ $output == *"1 runs with these libraries may have called more: imports of 0 were missed, the store lacks names of 1, the end of the others is not known."* ]]
        run -0 --separate-stderr "$report" --store "$store" uncalled --json -S 2024-11-20 -E 2024-11-20 --lib x --entries entries
        [ "$(jq -c '.pages[0].rows[] | [.routine, .verdict, .why]' <<<"$output")" = '["r60000","no call seen","1 run could have"]' ]
        run -0 jobtrail-load --store "$store" --dry-run six.json
        [[ $output == *"4096 calls of routines are stored without the name: these users' runs have brought too many new names" ]]
    done
}

@test "a record with a routine of no library is refused and kept" {
    with_routines "$end" "{$LIBS, watched: 5, missed: 0, counted: true, routineA: [[2, \"dgemm_\", null, 7, false]]}" >run.json
    for store in "${stores[@]}"; do
        run --separate-stderr jobtrail-load --json --store "$store" run.json
        [ "$(jq .damaged <<<"$output")" = 1 ]
        grep -F 'routineT.routineA[0] is not a routine of a library' <<<"$stderr"
        [ -e run.json ] # nothing is lost
        [ "$(rows_of run_own run_routine routine routine_library)" = \
            $'run_own|0\nrun_routine|0\nroutine|0\nroutine_library|0' ]
    done
}

@test "routines go with their runs, and what no run has called with them" {
    with_routines "$end" "{$LIBS, watched: 5, missed: 0, counted: true, routineA: [[0, \"dgemm_\", null, 7, false]]}" >old.json
    with_routines "$end" "{libraryA: [[\"/sw/blas/3.21/libblas.so.3\", \"ab12\"]], watched: 5, missed: 0, counted: true,
        routineA: [[0, \"dgemv_\", null, 7, false]]}" '(now - 90) as $at | .userT.run_uuid |= sub("2$"; "3") |
        .userDT += {start_time: ($at - 10), end_time: $at} | .slurmT += {core_seconds: 0, core_seconds_max: 0, core_days: [],
        end_time_min: $at, end_time_max: $at}' >new.json
    for store in "${stores[@]}"; do
        loads_into old.json new.json
        [ "$(counted)" = "[2,0,0,0,0]" ]
        [ "$(rows_of routine routine_library run_routine)" = $'routine|2\nroutine_library|2\nrun_routine|2' ]
        loads_into --expire 30 new.json
        [ "$(jq .expired <<<"$output")" = 1 ]
        [ "$(called | cut -d'|' -f1,3)" = '/sw/blas/3.21/libblas.so.3|dgemv_' ]
        [ "$(rows_of routine routine_library run_routine run_routine_library run_routine_watch)" = \
            $'routine|1\nroutine_library|1\nrun_routine|1\nrun_routine_library|1\nrun_routine_watch|1' ]
    done
}

@test "a library of routines has its module" {
    with_routines "$end" "{$LIBS, watched: 5, missed: 0, counted: true, routineA: [[0, \"dgemm_\", null, 7, false]]}" >run.json
    for store in "${stores[@]}"; do
        loads_into run.json
        echo '/sw/blas/3.21 blas/3.21' >map
        jobtrail-load --store "$store" --modules map
        sql "SELECT path, module.name FROM routine_library LEFT JOIN module ON module.id = module_id ORDER BY path" >found
        printf '/sw/blas/3.21/libblas.so.3|blas/3.21\nlibgsl.a|NULL\n' | diff - found
    done
}
