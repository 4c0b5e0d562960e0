#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A uuid that another one writes into a record of his own: whose a run, its packages and its link are, in SQLite
# and in MariaDB.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154,SC2119,SC2120 # SQL has backticks, bats sets variables

bats_require_minimum_version 1.5.0
load ../fixture/stores

SEPARATOR='|'

setup() {
    new_stores
    LINK=5468e07b-0c8a-49a1-8010-3c9a11fce259
    cp "$start" "run.a.alice.aaa.$RUN.json"
    cp "$end" "run.b.alice.zzz.$RUN.json"
    # what mallory's job 666 makes of the uuid: its owner root knows, all else is hers
    jq -ac '.userT += {user: "mallory", job_id: "666", exec_path: "/home/mallory/evil"} | .slurmT.job_id = 666
        | .xaltLinkT = {} | del(.crc)' "$end" >"run.c.mallory.zzz.$RUN.json"
    package numpy alice 12 >"pkg.a.alice.$RUN.0123456789ab.json"
    package evil mallory 666 >"pkg.b.mallory.$RUN.0123456789ab.json"
    package evil "" >"pkg.c.mallory.$RUN.0123456789ab.json"
    linked bob gcc >"link.a.bob.$LINK.json"
    linked mallory evil >"link.b.mallory.$LINK.json"
}

loads_into() { # OPTION...: which succeeds
    load_into "$@"
    echo "$output$stderr"
    [ "$status" -eq 0 ]
}

package() { # NAME USER JOB: without a user as XALT writes it
    jq -nac --arg name "$1" --arg user "$2" --argjson job "${3:-null}" --arg run "$RUN" \
        '(if $user == "" then {} else {ownerT: {cluster: "tiny", job_id: $job, node: "n1", restart_count: 0, user: $user}} end)
        + {package_name: $name, package_path: "/p", package_version: "1", program: "python", xalt_run_uuid: $run}'
}

linked() { # USER PROGRAM
    jq -nac --arg user "$1" --arg program "$2" --arg uuid "$LINK" '{resultT: {build_epoch: "1732000000.5",
        build_syshost: "tiny", build_host: "login1", build_user: $user, exec_path: "/home/alice/bin/flow.mpi",
        hash_id: "77", link_path: "/usr/bin/\($program)", link_program: $program, uuid: $uuid, wd: "/"},
        linkA: [], link_line: [$program], function: [$program]}'
}

counted() {
    jq -c '[.new, .updated, .unchanged, .conflicts]' <<<"$output"
}

@test "another's uuid takes over no run, and the conflict is counted" {
    for store in "${stores[@]}"; do
        # as the process watch's start record comes first, and then the forged end
        loads_into "run.a.alice.aaa.$RUN.json"
        loads_into "run.c.mallory.zzz.$RUN.json"
        [ "$(counted)" = '[1,0,0,1]' ]
        loads_into "run.b.alice.zzz.$RUN.json"
        [ "$(counted)" = '[0,1,0,0]' ]
        [ "$(sql 'SELECT user, job_id_raw, is_start_only, run_time, proven FROM run ORDER BY user')" = \
            $'alice|12|0|3.5|1\nmallory|666|0|3.5|1' ]
        loads_into .
        [ "$(sql "SELECT user, job_id FROM conflict WHERE kind = 'run' ORDER BY user")" = $'alice|12\nmallory|666' ]
    done
    run --separate-stderr jobtrail-load --store sqlite:text.db .
    [ "${lines[1]}" = "2 in conflict with another's uuid: see the view conflict" ] # a run and a link
}

@test "a package is its owner's run's, and without an owner XALT's" {
    for store in "${stores[@]}"; do
        loads_into "pkg.a.alice.$RUN.0123456789ab.json" "pkg.b.mallory.$RUN.0123456789ab.json" \
            "pkg.c.mallory.$RUN.0123456789ab.json"
        loads_into "run.b.alice.zzz.$RUN.json"
        [ "$(sql 'SELECT run_id, pkg_name FROM xalt_pkg')" = '1|numpy' ]
        [ "$(sql "SELECT user, job_id FROM conflict WHERE kind = 'package' ORDER BY job_id")" = $'NULL|NULL\nmallory|666' ]
        loads_into "run.c.mallory.zzz.$RUN.json"
        [ "$(sql 'SELECT user, pkg_name FROM xalt_pkg JOIN run ON run.id = run_id ORDER BY 1')" = $'alice|numpy\nmallory|evil' ]
    done
    store=sqlite:$PWD/xalt.db
    jq -ac 'del(.slurmT, .crc)' "$end" >"run.x.alice.zzz.$RUN.json"
    loads_into "run.x.alice.zzz.$RUN.json" pkg.*
    [ "$(sql 'SELECT user, pkg_name FROM xalt_pkg JOIN run ON run.id = run_id ORDER BY 1')" = 'alice|evil' ]
}

acct() { # FIELDS OPTION...
    run --separate-stderr jobtrail-acct --store "$store" --no-sacct -a -n -S 2024-01-01 --csv --format "$@"
    output=${output//$'\r'/}
}

@test "a run has the link that its watermark names by uuid and user" {
    jq -ac --arg uuid "$LINK" 'del(.crc) | .xaltLinkT = {Build_UUID: $uuid, Build_User: "bob"}' "$end" >"run.b.alice.zzz.$RUN.json"
    for store in "${stores[@]}"; do
        loads_into "link.b.mallory.$LINK.json" "run.b.alice.zzz.$RUN.json"
        # her link is the only one yet
        [ "$(sql 'SELECT count(*) FROM xalt_run r JOIN xalt_link l ON r.uuid = l.uuid')" -eq 0 ]
        loads_into "link.a.bob.$LINK.json"
        [ "$(counted)" = '[1,0,0,1]' ]
        [ "$(sql 'SELECT l.build_user, l.link_program FROM xalt_run r JOIN xalt_link l ON r.uuid = l.uuid')" = 'bob|gcc' ]
        [ "$(sql "SELECT user FROM conflict WHERE kind = 'link' ORDER BY user")" = $'bob\nmallory' ]
        [ "$(sql 'SELECT count(*) FROM link')" -eq 2 ]
        acct UUID --function evil
        [ "$output" = "" ]
        acct UUID --function gcc
        [ "$output" = "$RUN" ]
        acct UUID --compiler evil
        [ "$output" = "" ]
    done
}

@test "people's questions count each run once, for its owner" {
    for store in "${stores[@]}"; do
        loads_into .
        acct User,JobID,Packages,Proven --uuid "$RUN"
        [ "$output" = $'alice,12.0,numpy/1,yes\nmallory,666.0,evil/1,yes' ]
        acct User -j 12
        [ "$output" = alice ]
        acct User --pkg evil
        [ "$output" = mallory ]
        jobtrail-acct --store "$store" --no-sacct -a -S 2024-01-01 --json --uuid "$RUN" >json
        [ "$(jq -c '[.runs[] | [.user, .proven, .packages]] | length' json)" -eq 2 ]
        [ "$(jq -c '[.runs[].proven] | unique' json)" = '[true]' ]
        jobtrail-report --store "$store" --summary none -S 2024-11-01 -E 2024-11-30 --json users --raw >json
        [ "$(jq -c '.pages[0].rows | map([.user, .runs]) | sort' json)" = '[["alice",1],["mallory",1]]' ]
    done
}

# The run that mallory told is one that nothing proves, as the loader marks what comes a way that others can write to.
doubt() {
    sql "UPDATE run_own SET proven = 0 WHERE job_part_id IN (SELECT id FROM job_part WHERE user = 'mallory' OR restart_count = 9)"
}

@test "what is not proven hides nothing, and stands by itself" {
    # another restart of job 12, which Slurm does not know: the last restart is what people see
    jq -ac '.userT.run_uuid = "019a9f00-0000-7000-8000-0000000000ff" | .slurmT.restart_count = 9 | del(.crc)' "$end" >run.c.alice.zzz.019a9f00-0000-7000-8000-0000000000ff.json
    for store in "${stores[@]}"; do
        loads_into "run.b.alice.zzz.$RUN.json" run.c.alice.zzz.019a9f00-0000-7000-8000-0000000000ff.json
        acct RestartCount,Proven -j 12
        [ "$output" = 9,yes ]
        doubt
        acct RestartCount,Proven -j 12
        [ "$output" = $'0,yes\n9,no' ]
        acct RestartCount,Proven,NRuns -X -j 12
        [ "$output" = $'0,yes,1\n9,no,1' ]
    done
}

hours() {
    jobtrail-report --store "$store" --summary "$PWD/summary.db" -S 2024-11-01 -E 2024-11-30 --json users --raw |
        jq -c '.pages[0].rows | map([.user, .runs, (.inclusive_core_hours * 3600 | round)])'
}

# A summary has added up the claim when the proven record comes.
@test "sums that were made of a claim are made anew when the proven record comes" {
    cores=$(jq '[.slurmT.cpus_alloc, .userDT.num_cores] | max' "$end")
    for store in "${stores[@]}"; do
        rm -f summary.db
        jq -ac '.userDT += {run_time: 100, end_time: (.userDT.start_time + 100)} | del(.crc)' "run.c.mallory.zzz.$RUN.json" >claimed
        loads_into claimed
        doubt
        jobtrail-report --store "$store" --summary "$PWD/summary.db" --update
        [ "$(hours)" = "[[\"mallory\",1,$((100 * cores))]]" ]
        loads_into "run.c.mallory.zzz.$RUN.json"
        [ "$(counted)" = '[0,1,0,0]' ]
        [ "$(sql 'SELECT proven, run_time FROM run')" = '1|3.5' ]
        [ "$(hours)" = "[[\"mallory\",1,$((35 * cores / 10))]]" ]
        jobtrail-report --store "$store" --summary "$PWD/summary.db" --update
        [ "$(hours)" = "[[\"mallory\",1,$((35 * cores / 10))]]" ]
    done
}

@test "in whatever order records come the store in MariaDB holds the same" {
    export JOBTRAIL_TEST_STORE=$MARIADB_STORE JOBTRAIL_TEST_ROUNDS=12 JOBTRAIL_TEST_CROWD=310
    [[ -z ${JOBTRAIL_SOAK-} ]] || JOBTRAIL_TEST_ROUNDS=200 JOBTRAIL_TEST_CROWD=1000
    "$JOBTRAIL_BUILD/test/unit/load/store/unit-load_store-owner"
}

# Loaders in parallel, each with all records: what one does in between the other's question and answer.
@test "loaders that work at the same time keep owners apart" {
    local i
    for i in 1 2 3; do
    for store in "${stores[@]}"; do
            jobtrail-load --batch 1 --store "$store" . >"summary.$i" 2>"said.$i" 3>&- &
        done
        wait
        cat said.*
        [ "$(cat said.*)" = "" ]
        [ "$(sql 'SELECT user, is_start_only FROM run ORDER BY user')" = $'alice|0\nmallory|0' ]
        [ "$(sql "SELECT count(*) FROM conflict WHERE kind = 'link'")" -eq 2 ]
        [ "$(sql 'SELECT count(*) FROM run_package')" -eq 3 ]
    done
}

# as anybody can write into a stream: many users, and jobs of one uuid
crowd() {
    local number
    for number in $(seq 60); do
        linked "u$number" evil
        jq -ac --argjson job "$((number + 700))" '.userT += {user: "u\($job)", job_id: "\($job)"} | .slurmT.job_id = $job | del(.crc)' "$end"
    done
}

@test "few of those who claim a uuid without proof are kept, and what is proven gets in" {
    crowd >claims
    for store in "${stores[@]}"; do
        rm -rf aside
        run --separate-stderr jobtrail-load --json --store "$store" --quarantine aside - <claims
        [ "$status" -eq 1 ] # something was set aside
        [ "$(jq -c '[.new, .unproven, .damaged, .quarantined]' <<<"$output")" = '[32,32,88,88]' ]
        [ "$(grep -c 'more than 16 owners claim this uuid' <<<"$stderr")" -eq 88 ]
        [ "$(sql 'SELECT count(*), sum(proven) FROM run_own')" = '16|0' ]
        [ "$(sql 'SELECT count(*), sum(proven) FROM link')" = '16|0' ]
        # what is proven comes last, and gets in
        loads_into "run.b.alice.zzz.$RUN.json" "link.a.bob.$LINK.json"
        [ "$(counted)" = '[2,0,0,2]' ]
        [ "$(sql 'SELECT user FROM run WHERE proven = 1')" = alice ]
        [ "$(sql "SELECT build_user FROM xalt_link WHERE uuid = '$LINK'")" = bob ]
    done
}
