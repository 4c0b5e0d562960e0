#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-report: what its tables say, from both databases, and its cache of sums. The records are older than
# exclusive core hours: theirs are inclusive (report_numbers.bats has the others).
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb

setup_file() {
    export TZ=UTC STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    more_packages >>"$SITE/records"
    site_load "$STORE"
    mariadb_start
    site_load "$MARIADB_STORE"
}

# packages of the sampled runs of `tiny`, of a run of bob's, and of one that is not in the store
more_packages() {
    local tiny=019a9f00-1111-7000-8000-00000000000
    local bob=019a9f00-0000-7000-8000-000000000004
    loaded "${tiny}1" python numpy 1.26.4
    loaded "${tiny}2" python numpy 2.0.0
    loaded "${tiny}3" python numpy 2.0.0
    loaded "${tiny}1" python scipy 1.11.4
    loaded "${tiny}1" python scipy 1.12.0 # once more, in another version
    loaded "${tiny}2" python scipy 1.12.0
    loaded "${tiny}4" python scipy 1.12.0
    loaded "$bob" R Matrix ""
    loaded "$bob" R numpy 0.1
    loaded 019a9f00-9999-7000-8000-000000000000 python numpy 9.9
}

loaded() { # RUN PROGRAM NAME VERSION
    jq -nc '{package_name: $ARGS.positional[2], package_version: $ARGS.positional[3],
        package_path: "/usr/lib/x", program: $ARGS.positional[1],
        xalt_run_uuid: $ARGS.positional[0],
        ownerT: ({cluster: "tiny", node: "n1", restart_count: 0} + if ($ARGS.positional[0] | test("-1111-"))
            then {user: "carol", job_id: 99} else {user: "bob", job_id: 9} end)}' --args "$@"
}

# report OPTION...: of the month in which the records lie
report() {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" \
        -S 2024-11-01 -E 2024-11-30 "$@"
}

# cells PAGE FIELDS OPTION...: these cells of the page's rows
cells() {
    report "$1" --json "${@:3}"
    [ "$status" -eq 0 ]
    cells=$(jq -r ".pages[0].rows[] | [$2] | map(. // \"-\") | join(\"|\")" <<<"$output")
    echo "$*: $cells"
}

@test "inclusive core hours, runs, users, jobs, accounts and the last run of each executable" {
    cells executables '.executable, .inclusive_core_hours, .runs, .users, .jobs, .accounts, .last' --raw
    [ "$(sed -n 1p <<<"$cells")" = "flow.mpi|100.071667|2|1|2|1|2024-11-20" ]
    [ "$(sed -n 2p <<<"$cells")" = "tiny|8|4|1|1|1|2024-11-20" ]
    [ "$(wc -l <<<"$cells")" -eq 9 ]
    report executables --json --raw
    [ "$(jq -c '.pages[0].numbers | [.allocation, .programs, .coverage]' <<<"$output")" = '[0,0,null]' ]
    jq -e '.pages[0] | .numbers.inclusive > 100 and ([.rows[].inclusive_core_hours] | add) - .total.inclusive_core_hours < 1e-5 and
        all(.rows[]; .core_hours == 0)' <<<"$output"
}

@test "older samples stand for 1/p runs, with an interval, and for themselves with --raw" {
    # 4 records of p = 1/10000: 40000 runs, and of the rest one of each
    cells executables '.executable, .runs, (.runs_low | round), .runs_high, .inclusive_core_hours,
        (.inclusive_core_hours_low | round), .inclusive_core_hours_high'
    [ "$(sed -n 1p <<<"$cells")" = "tiny|40000|9336|102409.645169|80000|18672|-" ]
    [ "$(sed -n 2p <<<"$cells")" = "flow.mpi|2|2|-|100.071667|100|-" ]
    report
    [[ "$output" == *"intervals hold the true value in 95 % of cases"* && "$output" == *" 18,672 or more "* ]]
    [[ "$output" != *"No run was left out by sampling"* ]]
    report --raw
    [[ "$output" == *"Records are counted without weights"* && "$output" != *"95 %"* ]]
    report -u bob
    [[ "$output" == *"No run was left out by sampling"* ]]
}

@test "families come from a map that the site can edit" {
    cells families '.family, .runs' --raw
    grep -Fx 'Python|2' <<<"$cells"
    grep -Fx 'NAMD|1' <<<"$cells"
    printf '# ours\nOur code = flow* /opt/ti*\nSnakes = python[0-9].*\n' >"$BATS_TEST_TMPDIR/map"
    cells families '.family, .runs' --raw --families "$BATS_TEST_TMPDIR/map"
    grep -Fx 'Our code|6' <<<"$cells"
    grep -Fx 'Snakes|2' <<<"$cells"
    grep -Fx 'namd2|1' <<<"$cells"
    # the first line that matches, though a later one does from the beginning of the path on
    printf 'Named = python[0-9].*\nPlaced = /* */python*\n' >"$BATS_TEST_TMPDIR/map"
    cells families '.family, .runs' --raw --families "$BATS_TEST_TMPDIR/map"
    grep -Fx 'Named|2' <<<"$cells"
    echo 'Nonsense' >"$BATS_TEST_TMPDIR/map"
    report families --families "$BATS_TEST_TMPDIR/map"
    [ "$status" -eq 1 ]
    [ "$stderr" = "jobtrail-report: $BATS_TEST_TMPDIR/map:1: write FAMILY = GLOB GLOB ..." ]
}

@test "the whole report says first who is largest and who changed, and families have their shares" {
    local at=0 months name
    while read -r name months; do
        for days in $months; do
            at=$((at + 1))
            site_run "019a9f00-9999-7000-8000-0000000000$((10 + at))" "$name" 1 ".userDT |= (.start_time -= 86400 * $days | .end_time -= 86400 * $days) |
                .slurmT.job_id = $((100 + at)) | .userT.job_id = \"$((100 + at))\""
        done
    done <<<$'alpha 70 41 40 39 38\nbeta 70 69 68 67 40 39 38 37' >"$BATS_TEST_TMPDIR/records"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" "$BATS_TEST_TMPDIR/records"
    report --store "sqlite:$BATS_TEST_TMPDIR/store.db" -S 2024-09-01 -E 2024-11-10 --json
    jq -e '.findings == ["beta and alpha: 100 % of the inclusive core hours", "alpha more than doubled: 20 % in 2024-09, 50 % in 2024-10"]' <<<"$output"
    jq -e '.pages[] | select(.name == "families") | [.rows[] | [.family, .share, .["share_2024-09"], .["share_2024-10"]]] |
        map(map(if type == "number" then . * 100 | round else . end)) == [["beta", 62, 80, 50], ["alpha", 38, 20, 50]]' <<<"$output"
    # a month that is not whole is compared with none
    report --store "sqlite:$BATS_TEST_TMPDIR/store.db" -S 2024-09-02 -E 2024-11-10
    [[ $output == *"beta and alpha: 100 % of the inclusive core hours"* && $output != *doubled* ]]
    report --store "sqlite:$BATS_TEST_TMPDIR/store.db" -S 2024-09-01 -E 2024-11-10 --without executables --json
    jq -e '.findings == []' <<<"$output"
}

@test "libraries have versions, modules and jobs, each counted once" {
    cells libraries '.library, .runs, .jobs, .users, .module' --raw
    grep -Fx 'hdf5 1.14.3|2|2|1|hdf5/1.14.3' <<<"$cells"
    cells system '.library, .runs, .jobs, .users, .module' --raw
    grep -Fx 'glibc|14|9|3|-' <<<"$cells"
    report libraries system modules weekdays --json
    jq -r '.pages[].note' <<<"$output"
    [ "$(jq -c '[.pages[].note | contains("1 runs have an incomplete list of libraries. 3 runs have a list of libraries that may be incomplete.")]' <<<"$output")" = '[true,true,true,true]' ]
    report executables --lib hdf5
    grep -Fx "1 runs have an incomplete list of libraries. 3 runs have a list of libraries that may be incomplete." <<<"$output"
    report libraries --json --exec bash
    [ "$(jq -r '.pages[0].note | contains("incomplete")' <<<"$output")" = false ]
    cells modules '.module, .runs, .jobs'
    grep -Fx 'hdf5/1.14.3|2|2' <<<"$cells"
    grep -Fx 'flow/2|4|4' <<<"$cells"
}

@test "compilers, users, accounts and fields of science" {
    cells compilers '.compiler, .runs, .links' --raw
    grep -Fx 'gcc|2|0' <<<"$cells"
    cells users '.user, .runs, .jobs' --raw
    [ "$cells" = $'alice|8|6\ncarol|4|1\nbob|2|2' ]
    cells accounts '.account, .runs' --raw
    [ "$cells" = $'climate|8\nchem|4\nphysics|2' ]
    cells fields '.field, .runs' --raw --by runs
    [ "$cells" = $'Climate <b>|8\n-|4\nPhysics|2' ]
}

@test "tables are in the order that is asked for, from the largest on" {
    local order column
    for order in hours runs users jobs accounts; do
        column=${order/hours/core_hours}
        for page in executables modules packages; do
            report "$page" --by "$order" --json --top 0
            jq -e --arg column "${column/core_hours/inclusive_core_hours}" '[.pages[0].rows[][$column]] |
                length > 1 and . == (sort | reverse)' <<<"$output"
        done
    done
}

@test "weekdays and months are the tables of the NAS paper" {
    # 2024-11-20 was a Wednesday
    report weekdays --raw
    grep -E '^Library +Sun +Mon +Tue +Wed +Thu +Fri +Sat +Total$' <<<"$output"
    grep -E '^hdf5 1\.14\.3 +0 +0 +0 +2 +0 +0 +0 +2$' <<<"$output"
    [[ "$output" != *Total*$'\n'Total* && "$output" == *"the rows have no sum"* ]]
    report weekdays --raw --of users
    grep -E '^Total +0 +0 +0 +14 +0 +0 +0 +14$' <<<"$output"
    cells months '.user, ."2024-11", .total' --of users --raw
    [ "$cells" = $'alice|8|8\nbob|2|2\ncarol|4|4' ]
    report months --raw -S 2023-01-01 -E 2024-12-31
    grep -E '^Library( +[A-Z][a-z]{2} 2024){12} +Total$' <<<"$output"
    report months --raw -S 2024-02-01 -E 2025-01-31
    grep -E '^Library( +[A-Z][a-z]{2} 2024){11} +Jan 2025 +Total$' <<<"$output"
}

@test "a month without data is blank, and one of which the period has a part is named; trends are core hours" {
    report months --raw --of users -S 2024-10-05 -E 2024-11-29
    grep -E '^User +Oct 2024 +Nov 2024 +Total$' <<<"$output"
    grep -E '^alice +8 +8$' <<<"$output"
    [[ "$output" == *"2024-10 begins on 2024-10-05. 2024-11 ends on 2024-11-29. Blank: no data."* ]]
    report months trends --of users -S 2024-10-01 -E 2024-11-30 --json
    jq -e '[.pages[].rows[]."2024-10"] | length == 6 and all(. == null)' <<<"$output"
    # of a user without runs there are data of the others
    report months --raw --of users -u bob --json
    jq -e '.pages[0].rows[0]."2024-11" == 2' <<<"$output"
    report trends users --json -S 2024-11-01 -E 2024-11-30 --of users
    jq -e '(.pages[0].rows | map({key: .user, value: .total}) | from_entries) as $trends |
        (.pages[1].rows | map({key: .user, value: .inclusive_core_hours}) | from_entries) as $users |
        all($users | keys[]; ($users[.] - $trends[.]) | fabs < 0.001) and ($trends | any(. > 0))' <<<"$output"
}

@test "last run and last linked, built by somebody else, how runs ended" {
    cells last '.executable, .last_run, .last_linked'
    grep -Fx '/home/alice/bin/flow.mpi|2024-11-20|2024-11-19' <<<"$cells"
    cells others '.executable, .built_by, .user, .runs'
    [ "$cells" = "/home/alice/bin/flow.mpi|bob|alice|2" ]
    cells endings '.outcome, .runs' --raw
    grep -Fx 'KILLED by SIGKILL|1' <<<"$cells"
    grep -Fx 'COMPLETED|7' <<<"$cells"
    cells failures '.executable, .failed_runs, .share'
    grep -Fx 'flow.mpi|1|0.5' <<<"$cells"
    # an end that nobody saw is no failure
    cells endings '.outcome, .runs' --raw
    grep -Fx 'UNKNOWN|1' <<<"$cells"
    report failures endings --raw --json --top 0
    jq -e '.pages | ([.[0].rows[].failed_runs] | add) ==
        ([.[1].rows[] | select(.outcome | test("^(FAILED|KILLED)")).runs] | add)' <<<"$output"
}

@test "packages by name and program, with their versions, a run and a job counted once" {
    local fields='.package, .program, .inclusive_core_hours, .runs, .users, .jobs, .accounts, .last, .versions'
    cells packages "$fields" --raw
    [ "$cells" = "numpy|python|6.001111|4|2|2|2|2024-11-20|1.26.4, 2.0.0
scipy|python|6|3|1|1|1|2024-11-20|1.12.0, 1.11.4
Matrix|R|0.011111|1|1|1|1|2024-11-20|-
numpy|R|0.011111|1|1|1|1|2024-11-20|0.1
mpi4py|python|0.001111|1|1|1|1|2024-11-20|3.1.5" ]
    cells packages '.package, .program, .runs' --raw --by users --top 1
    [ "$cells" = "numpy|python|4" ]
    # weighted: numpy in 3 sampled runs and 1 other, scipy in 3 sampled ones
    cells packages '.package, .runs, (.runs_low | round), .inclusive_core_hours, .versions' --top 2
    [ "$cells" = "numpy|30001|4087|60000.001111|2.0.0, 1.26.4
scipy|30000|4086|60000|1.12.0, 1.11.4" ]
    cells packages '.package, .program, .runs' -u bob,alice -A physics
    [ "$cells" = $'Matrix|R|1\nnumpy|R|1' ]
    cells packages .package -M nowhere
    [ "$cells" = "" ]
    cells packages .package -S 2024-11-21
    [ "$cells" = "" ]
    cells packages .package -E 2024-11-19
    [ "$cells" = "" ]
    report packages --csv --raw --top 1
    [[ ${#lines[@]} == 2 && "${lines[0]}" == package,program,* ]]
    [ "${lines[1]}" = 'numpy,python,0.0,,,0.0,6.001111,,,0.0,4,,,2,2,2,2024-11-20,"1.26.4, 2.0.0"' ]
    [ "$stderr" = "jobtrail-report: --top leaves out 4 more rows" ]
}

@test "for programs each page is one whole table, which pandas, jq and json read as it is" {
    local page
    report --json
    jq -r '.pages[].name' <<<"$output" >"$BATS_TEST_TMPDIR/pages"
    [[ $(wc -l <"$BATS_TEST_TMPDIR/pages") -gt 15 ]]
    echo "$output" >"$BATS_TEST_TMPDIR/all.json"
    while read -r page; do
        report "$page" --csv
        [ "$status" -eq 0 ]
        echo "$output" >"$BATS_TEST_TMPDIR/$page.csv"
        report "$page" --jsonl
        [[ -z $output ]] || echo "$output" >"$BATS_TEST_TMPDIR/$page.jsonl"
    done <"$BATS_TEST_TMPDIR/pages"
    "$BATS_TEST_DIRNAME/../fixture/check_tables" "$BATS_TEST_TMPDIR"
    report --csv
    [[ $status -eq 1 && $stderr == *"--csv is one table: name one page"* ]]
    report users accounts --jsonl
    [[ $status -eq 1 && $stderr == *"--jsonl is one table"* ]]
}

# bats test_tags=needs:answers
@test "of many versions people see the first, programs all" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db version
    for version in 1 2 3 4 5 6 7; do
        loaded 019a9f00-0000-7000-8000-000000000004 R "many" "$version.0"
    done >"$BATS_TEST_TMPDIR/many"
    cat "$BATS_FILE_TMPDIR/site/records" "$BATS_TEST_TMPDIR/many" |
        "$JOBTRAIL_BIN/jobtrail-load" --store "$store" -
    STORE=$store cells packages '.package, .versions' --raw -u bob
    grep -Fx 'many|1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0' <<<"$cells"
    STORE=$store report packages --raw -u bob
    grep -E '^many .* 1\.0, 2\.0, 3\.0, 4\.0, 3 more$' <<<"$output"
    STORE=$store report packages --raw -u bob --html
    grep -F '>1.0, 2.0, 3.0, 4.0, 3 more</td>' <<<"$output"
}

@test "packages that occur in the same run, as a share of the runs of the rarer one" {
    cells together '.package, .program, .with, .with_program, .runs, .share' --raw
    [ "$cells" = "scipy|python|numpy|python|2|0.666667
Matrix|R|numpy|R|1|1
mpi4py|python|numpy|python|1|1" ]
    cells together '.package, .with, .runs, (.runs_low | round), .share' --top 1
    [ "$cells" = "scipy|numpy|20000|506|0.666667" ]
    report together --raw --top 2
    grep -E '^scipy +python +numpy +python +2 +66\.7%$' <<<"$output"
    [[ "$output" == *"... and 1 more (--top 0: all)"* ]]
}

@test "pairs are looked for among the 100 packages of most runs only" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db at
    cp "$BATS_FILE_TMPDIR/store.db" "$BATS_TEST_TMPDIR/store.db"
    # 105 in all: of those with one run, the last in the alphabet are left out
    for ((at = 100; at < 200; at++)); do
        loaded 019a9f00-0000-7000-8000-000000000004 R "A$at" 1
    done >"$BATS_TEST_TMPDIR/many"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$BATS_TEST_TMPDIR/many"
    STORE=$store report packages together --raw --json --top 0
    [ "$(jq '.pages[0].rows | length' <<<"$output")" -eq 105 ]
    # 98 of bob's with each other, numpy with scipy
    [ "$(jq '.pages[1].rows | length' <<<"$output")" -eq $((98 * 97 / 2 + 1)) ]
}

@test "coverage records of older versions, which did not divide the allocation, are in no number" {
    cells coverage .outcome
    [ "$cells" = "" ]
    report
    pages=$("$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" --json | jq '.pages | length')
    [ "$(grep -c '^Allocation: not known (no coverage records)$' <<<"$output")" -eq "$pages" ]
    [ "$(grep -c '^Not included: .* inclusive core hours' <<<"$output")" -eq "$pages" ]
}

@test "users, accounts, clusters, days and the number of rows narrow a report" {
    cells executables '.executable' -u bob,carol
    [ "$(sort <<<"$cells" | paste -sd ' ')" = "a.out solver tiny" ]
    cells users '.user' -A physics
    [ "$cells" = bob ]
    cells users '.user' -M nowhere
    [ "$cells" = "" ]
    cells users '.user' -S 2024-11-21
    [ "$cells" = "" ]
    report executables --top 2
    [[ "$output" == *"... and 7 more (--top 0: all)"* ]]
    cells executables '.executable' --full-paths --top 1 --raw
    [ "$cells" = /home/alice/bin/flow.mpi ]
}

@test "MariaDB gives the same report" {
    report --json --top 0
    expected=$(jq 'del(.store, .made)' <<<"$output")
    mariadb_sql 'SET GLOBAL group_concat_max_len = 4' # of the site, not of the report
    STORE=$MARIADB_STORE report --json --top 0
    [ "$status" -eq 0 ]
    diff <(echo "$expected") <(jq 'del(.store, .made)' <<<"$output")
}

# everything OPTION...: the whole report but for where and when it was made
everything() {
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" -S 2024-11-01 -E 2024-12-31 --json --top 0 "$@" |
        jq 'del(.store, .made)'
}

@test "with the summary, without it and half-way the numbers are the same" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db lines at
    shuf --random-source=<(yes) "$SITE/records" >"$BATS_TEST_TMPDIR/shuffled"
    lines=$(wc -l <"$BATS_TEST_TMPDIR/shuffled")
    for ((at = 1; at <= lines; at += 4)); do
        tail -n "+$at" "$BATS_TEST_TMPDIR/shuffled" | head -n 4 |
            "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --modules "$SITE/modules" \
                --accounts "$SITE/accounts" -
        everything --store "$store" --summary /nonexistent >"$BATS_TEST_TMPDIR/without"
        everything --store "$store" >"$BATS_TEST_TMPDIR/behind"
        "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update
        everything --store "$store" >"$BATS_TEST_TMPDIR/with"
        diff "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/behind"
        diff "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
    diff "$BATS_TEST_TMPDIR/with" <(everything --store "$STORE")
    # the store's last run lies in a summary that was there before: nothing was added up anew
    [ "$(sqlite3 "$BATS_TEST_TMPDIR/store.db.summary" "SELECT value FROM state WHERE name = 'last_run'")" -eq \
        "$(sqlite3 "$BATS_TEST_TMPDIR/store.db" 'SELECT max(id) FROM run')" ]
}

@test "a summary of a store that lost old runs is made anew" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db
    site_load "$store"
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update
    site_run 019a9f00-7777-7000-8000-000000000000 young 1 ".userDT.start_time = $(date +%s) |
        .userDT.end_time = .userDT.start_time + 3600" >"$BATS_TEST_TMPDIR/young"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$store" --expire 30 "$BATS_TEST_TMPDIR/young"
    [ "$(everything --store "$store" executables | jq '.pages[0].rows | length')" -eq 0 ]
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update
    [ "$(everything --store "$store" executables | jq '.pages[0].rows | length')" -eq 0 ]
    [ "$("$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" users --json |
        jq -r '.pages[0].rows[].user')" = carol ]
}

@test "a summary of another form is made anew, a file that is none is left alone" {
    local store=sqlite:$BATS_TEST_TMPDIR/store.db summary=$BATS_TEST_TMPDIR/store.db.summary
    cp "$BATS_FILE_TMPDIR/store.db" "$BATS_TEST_TMPDIR/store.db"
    everything --store "$store" >"$BATS_TEST_TMPDIR/without"
    sqlite3 "$summary" "CREATE TABLE state (name, value); CREATE TABLE usage (n); ANALYZE;
        INSERT INTO state VALUES ('identity', '1 $store 1'), ('last_run', '1000')"
    diff "$BATS_TEST_TMPDIR/without" <(everything --store "$store")
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update
    diff "$BATS_TEST_TMPDIR/without" <(everything --store "$store")
    [ "$(sqlite3 "$summary" "SELECT count(*) > 1 FROM program")" -eq 1 ]
    echo "This is somebody's file, and no database" >"$summary"
    diff "$BATS_TEST_TMPDIR/without" <(everything --store "$store")
    run ! --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update
    [ "$stderr" = "jobtrail-report: summary $summary: file is not a database" ]
    [ "$(cat "$summary")" = "This is somebody's file, and no database" ]
    run ! --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$store" --update \
        --summary "$BATS_TEST_TMPDIR/store.db"
    [ "$stderr" = "jobtrail-report: summary $BATS_TEST_TMPDIR/store.db: file is another program's database" ]
    diff "$BATS_TEST_TMPDIR/without" <(everything --store "$store")
}

@test "the summary belongs to those who may read the store" {
    cp "$BATS_FILE_TMPDIR/store.db" "$BATS_TEST_TMPDIR/store.db"
    chmod 640 "$BATS_TEST_TMPDIR/store.db"
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "sqlite:$BATS_TEST_TMPDIR/store.db" --update
    [ "$(stat -c %a "$BATS_TEST_TMPDIR/store.db.summary")" = 640 ]
}

# bats test_tags=needs:root
@test "who may read the summary but write nothing reports from it" {
    shared=$(mktemp -d)
    chmod 755 "$shared"
    cp -R "$JOBTRAIL_SOURCE/contrib/jobtrail-report" "$JOBTRAIL_SOURCE/contrib/jobtrail" "$shared"
    site_load "sqlite:$shared/store.db"
    chmod 644 "$shared"/store.db*
    "$shared/jobtrail-report" --store "sqlite:$shared/store.db" --update
    # a sum that only the summary has
    sqlite3 "$shared/store.db.summary" 'UPDATE people_month SET n = n + 1000'
    seen=$(cd / && setpriv --reuid nobody --regid nogroup --clear-groups "$shared/jobtrail-report" \
        --store "sqlite:$shared/store.db" -S 2024-11-01 -E 2024-11-30 --raw --json users |
        jq '.pages[0].rows[] | select(.user == "carol").runs')
    rm -r "$shared"
    [ "$seen" -gt 1000 ]
}

@test "an output file is replaced as a whole or left alone" {
    echo old >"$BATS_TEST_TMPDIR/out"
    report -o "$BATS_TEST_TMPDIR/out" --families /nonexistent
    [ "$status" -eq 1 ]
    [ "$(cat "$BATS_TEST_TMPDIR/out")" = old ]
    report -o "$BATS_TEST_TMPDIR/out" users
    [ "$status" -eq 0 ]
    [[ "$(cat "$BATS_TEST_TMPDIR/out")" == *alice* ]]
    [ "$(find "$BATS_TEST_TMPDIR" -name '.jobtrail-report*')" = "" ]
}

@test "runs are chosen by executable, library, module, package, partition and node" {
    cells executables '.executable, .runs' --raw --lib 'hdf5>=1.14'
    [ "$cells" = "flow.mpi|2" ]
    cells libraries '.library, .runs, .jobs' --raw --module hdf5
    grep -Fx 'hdf5 1.14.3|2|2' <<<"$cells"
    cells users '.user, .runs' --raw --module flow
    [ "$cells" = "alice|4" ]
    cells packages '.package, .runs' --raw --pkg 'numpy<1'
    [ "$cells" = $'Matrix|1\nnumpy|1' ]
    cells executables '.executable, .runs' --raw --exec 'flow*' --exec /opt/tiny
    [ "$(sort <<<"$cells" | paste -sd ' ')" = "flow.mpi|2 tiny|4" ]
    cells executables '.executable, .runs' --raw --lib 'hdf5 & c' -u alice -A CLIMATE
    [ "$cells" = "flow.mpi|2" ]
    cells executables '.executable' --lib 'hdf5 & nothing'
    [ "$cells" = "" ]
    # estimates stay those of the whole where all that sampling kept is chosen
    cells executables '.executable, .runs, (.runs_low | round)' --exec tiny
    [ "$cells" = "tiny|40000|9336" ]
    report users --raw --json
    runs=$(jq .pages[0].total.runs <<<"$output")
    for option in -r -N; do
        column=$([ "$option" = -N ] && echo node || echo partition)
        sum=0
        while read -r count name; do # of some runs it is not known
            report users --raw --json "$option" "$name"
            [ -z "$name" ] || [ "$(jq .pages[0].total.runs <<<"$output")" = "$count" ]
            sum=$((sum + count))
        done < <(sqlite3 -separator ' ' "${STORE#sqlite:}" "SELECT count(*), $column FROM run WHERE date LIKE '2024-11-%' GROUP BY 2")
        [ "$sum" -eq "$runs" ]
    done
}

# bats test_tags=needs:answers
@test "a report of chosen programs knows nothing of the rest of the allocation, and says so" {
    report users --lib hdf5 --json
    [ "$(jq -c ".pages[0].numbers | [.allocation, .programs, .uncertain, .unseen, .idle, .coverage]" <<<"$output")" = "[null,0,null,null,null,null]" ]
    [ "$(jq -c .filters <<<"$output")" = '{"libraries":["hdf5"]}' ]
    report users --lib hdf5
    [[ "$output" == *$'\nOf library hdf5\nPrograms '*" Allocation and coverage cannot be given for selected programs"* ]]
    report --lib hdf5 --json
    [ "$(jq -c '[.pages[].name] | contains(["allocation"]), contains(["coverage"]), contains(["links"])' <<<"$output" | paste -sd ' ')" = "false false true" ]
    report --lib hdf5 --html
    [[ "$status" -eq 0 && "$output" == *"Allocation and coverage cannot be given for selected programs"* ]]
    report users --lib hdf5 --json
    [ "$(jq -c ".pages[0].numbers | [.allocation, .programs, .uncertain, .unseen, .idle, .coverage]" <<<"$output")" = "[null,0,null,null,null,null]" ]
}

@test "an empty page says of which days and of whom, and a misspelt name gets a hint" {
    report users executables -u alicce,bob -r main --exec flow.mpj
    [ "$status" -eq 0 ]
    [ "$(grep -cFx 'Nothing from 2024-11-01 to 2024-11-30 of users alicce, bob; partition main; executable flow.mpj' <<<"$output")" -eq 2 ]
    [ "$stderr" = "jobtrail-report: --exec flow.mpj: the store has none; did you mean flow.mpi?
jobtrail-report: no runs of the user alicce are known; did you mean alice?" ]
    report users --lib hfd5
    [ "$stderr" = "jobtrail-report: --lib hfd5: the store has none; did you mean hdf5?" ]
}

@test "links by compiler, user, library, module and function" {
    cells links '.compiler, .links, .users, .executables, .last'
    [ "$cells" = "gfortran|1|1|1|2024-11-19" ]
    cells links '.user, .links' --of users
    [ "$cells" = "bob|1" ]
    cells links '.library, .links' --of libraries --lib hdf5
    [ "$cells" = "hdf5 1.14.3|1" ]
    cells links '.function' --of functions
    [ "$cells" = $'H5Dread\nH5Fopen' ]
    cells links '.module' --of modules --exec flow.mpi
    [ "$cells" = $'flow/2\nhdf5/1.14.3' ]
    cells links .compiler -u alice
    [ "$cells" = "" ]
    cells links .compiler -S 2024-11-20
    [ "$cells" = "" ]
}

@test "options that do nothing for the pages, or do not go together, are errors" {
    wrong() { # MESSAGE OPTION...
        report "${@:2}"
        [ "$status" -eq 1 ]
        [ "$stderr" = "jobtrail-report: $1" ] || { echo "$stderr" && return 1; }
    }
    report failures --by users
    [ "$status" -eq 1 ]
    [[ "$stderr" == "jobtrail-report: --by users has no effect on failures; it has on families, "*", packages"* ]]
    wrong "there is no page months of days; there is --of families, executables, libraries, system, modules, compilers, users, accounts, fields" \
        months --of days
    wrong "--lib does not go with the page allocation: idle and unseen time belong to no program" users allocation --lib hdf5
    wrong "--account does not choose links: their records do not have it" links -A physics
    wrong "--update makes no report, and goes only with --store, --summary and --routine-logs: call jobtrail-report again for one" --update -u bob
    wrong "--node reads the runs themselves: --summary does not go with it" -N n1 --summary /nonexistent
    wrong "Invalid hostlist: n1'" -N "n1'"
    wrong "there is no page usres; did you mean users?" usres
    for option in --of=users --full-paths --by=jobs; do
        report coverage endings "$option"
        [[ "$status $stderr" == "1 jobtrail-report: "*" has no effect on coverage and endings; it has on "* ]]
    done
    for time in 0000-01-01 9999-12-31 uts999999999999 now-999999999days now+99999999999999999999999weeks; do
        report users -S "$time" -E "$time"
        [[ "$status $stderr" == "1 jobtrail-report: Invalid time specification: $time" ]]
    done
    report users -S 1902-01-01 -E 9998-12-31
    [ "$status" -eq 0 ]
    report users --csv --json
    [[ "$status $stderr" == "1 jobtrail-report: argument --json: not allowed with argument --csv"* ]]
}

@test "wrong usage ends with 1 and says what is right" {
    report nopage
    [ "$status" -eq 1 ]
    [[ "$stderr" == "jobtrail-report: there is no page nopage; there are families, "* ]]
    report --by nothing
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"Try 'jobtrail-report --help'." ]]
    report -S 2024-12-01
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"is after end time"* ]]
}
