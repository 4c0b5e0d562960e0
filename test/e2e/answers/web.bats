#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The pages that the service for answers gives to the site's web server, and jobtrail-web to who starts it: whose runs they
# have, what hostile peers and requests get, and what Chromium sees. Needs root, for users of the test's own.
# bats file_tags=needs:root,needs:answers
# shellcheck disable=SC2154,SC2153,SC2030,SC2031 # fixtures set STORE, bats stderr; each test runs in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/library
load ../fixture/site
load ../fixture/mariadb
load ../fixture/munge
load ../fixture/askers
load ../fixture/browser

NOVEMBER='from=2024-11-01&to=2024-11-30'

setup_file() {
    export TZ=UTC ETC=$BATS_FILE_TMPDIR/etc PLACE=$BATS_FILE_TMPDIR
    chmod 755 "$PLACE" "${PLACE%/*}" "$BATS_RUN_TMPDIR"
    site_records "$PLACE/site"
    { others_secrets; hostile; one_number; without_runs; of_libraries; } >>"$SITE/records"
    report_pages
    private_etc
    echo "jtproxy:x:6110:6110::/nowhere:/bin/sh" >>"$ETC/passwd"
    echo "jtproxy:x:6110:" >>"$ETC/group"
    echo "jtproxy:*:19000:0:99999:7:::" >>"$ETC/shadow"
    answer_stores
    documented
    listed
    # a socket's path has to be short
    export WEB=$MUNGE/web/socket
    install -d -m 755 -o 6100 -g 6100 "$MUNGE/web"
}

teardown_file() {
    munge_stop
    mariadb_stop
}

teardown() {
    local_stop
    [ -z "${NGINX_PID-}" ] || kill "$NGINX_PID" 2>/dev/null || true
    answer_stop
    [ -n "${BATS_TEST_COMPLETED-}" ] || cat "$MUNGE/answer.err" >&2
}

# report_pages: what jobtrail-report can be asked for, from its own lists
report_pages() {
    local python='from jobtrail.report.fitting import OF, PAGES'
    REPORT_PAGES=$(PYTHONPATH=$JOBTRAIL_SOURCE/contrib python3 -B -c "$python; print(*PAGES)")
    REPORT_PAGES_OF=$(PYTHONPATH=$JOBTRAIL_SOURCE/contrib python3 -B -c "$python
print(*('links?of=' + of for of in OF['links']))")
    export REPORT_PAGES REPORT_PAGES_OF
}

# documented: an index over documentation, of a library that has runs and of one that has none
documented() {
    export JOBTRAIL_ALLDOC=$PLACE/alldoc.db
    mkdir -p "$PLACE"/doc/hdf5-1.14 "$PLACE"/doc/other
    { printf 'Chunks of a dataset <b>are</b> cached.\n' && seq -s ' ' 300; } >"$PLACE/doc/hdf5-1.14/README"
    printf 'Chunks, too.\n' >"$PLACE/doc/other/README"
    "$JOBTRAIL_BIN/jobtrail-alldoc" index --quiet --man none --doc "$PLACE/doc" --module none --pkgconfig none --header none
}

# what users can call their things: HTML, an attribute's end, a control, bytes that are no text
hostile() {
    # shellcheck disable=SC2016 # variables of jq
    site_run 019a9f00-8888-7000-8000-000000000000 x 1 '
        .userT += {exec_path: "/opt/evil/</script><svg onload=owned=1>\u001b[31m&x=1#?%\uefff+/", user: "carol",
            account: "\"><img src=x onerror=owned=1>"} |
        .libA = [["/opt/evil/lib<b>\"\u0027&.so", "0"]] | .slurmT += {job_id: 98} | .userT.job_id = "98"'
}

# number 500 is a job of bob's on one cluster, and on another one of alice's that was requeued
one_number() {
    site_run 019a9f00-9999-7000-8000-000000000a00 one 1 '.userT += {user: "bob", job_id: "500", syshost: "other"} |
        .slurmT += {job_id: 500, cluster: "other"}'
    site_run 019a9f00-9999-7000-8000-000000000a01 one 1 '.userT += {user: "alice", job_id: "500"} | .slurmT += {job_id: 500}'
    site_run 019a9f00-9999-7000-8000-000000000a02 one 1 '.userT += {user: "alice", job_id: "500"} |
        .slurmT += {job_id: 500, restart_count: 1}'
}

# without_runs: what a program had of an allocation of carol's of which there is no run, and a run of what somebody has built
# who has none
without_runs() {
    site_coverage | jq -c 'select(.coverageT.node == "n1") |
        .coverageT += {uuid: "019a9f00-2222-7000-8000-000000000090", job_id: 97, user: "carol", account: "chem", cpus: 4,
            start_time: 1732096800, end_time: 1732100400, start_source: "prolog", end_source: "epilog", suspended: 0,
            core_seconds: 14400, timezone: "UTC", others_runs: 0, others_seconds: 0, clock_step: null} |
        .coverageA = [{outcome: "container", program: "/opt/other", step_id: "0", day: "2024-11-20", tasks: 1, runs: 0,
            first_task: 0, leader: null, core_seconds: 14400, start_time: 1732096800, end_time: 1732100400}]'
    site_run 019a9f00-9999-7000-8000-000000000a03 built 1 '.xaltLinkT = {Build_UUID: "x", Build_User: "builder",
        Build_compiler: "gcc"}'
}

# of_libraries: opens of alice's and of bob's, one that somebody has told who is not root, and a change
of_libraries() {
    made_use '.count = 2'
    made_use '.user = "bob" | .uid = 6103 | .program = "/usr/bin/SECRETopener" | .count = 5'
    made_use '.user = "bob" | .uid = 6103 | .program = "/usr/bin/SECRETopener" | .library = "SECRETunused" | .path = "/sw/SECRET.so" | .what = "link"'
    made_use '.kind = "change" | .what = "modified" | .event = .uuid | .count = 0 | .user = "root" | .uid = 0 | .program = "/usr/bin/cp"'
    made_use '.kind = "change" | .what = "added" | .path = "/sw/<b>/lib\"&.so" | .library = "<svg onload=owned=1>" | .count = 0 | .user = null'
}

# listed: the site's list, of a library that is used and of one that is not
listed() {
    export JOBTRAIL_LIBRARIES=$PLACE/libraries.jsonl
    printf '%s\n' '{"jobtrail_libraries": 1, "cluster": "tiny", "node": "n1", "made": "2024-11-30T00:00:00+01:00"}' \
        '{"path": "/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0", "library": "hdf5suite", "group": "io", "version": "1.14.3", "size": 9,
            "since": "2020-01-01T00:00:00Z"}' \
        '{"path": "/sw/old/libold.so", "library": "libold", "group": "", "version": "", "size": 7, "since": "2020-01-01T00:00:00Z"}' |
        jq -c . >"$JOBTRAIL_LIBRARIES"
}

serve() { # KEY=VALUE...: the service as the user jobtrail
    : >"$MUNGE/answer.err"
    answer_conf user=jobtrail "web_socket=$WEB" "web_proxy_user=${PROXY-jtproxy}" "$@"
    # shellcheck disable=SC2016 # of the shell that is started
    answer_start env JOBTRAIL_CREDENTIALS="$MUNGE/credentials" unshare --mount sh -c \
        'mount --bind "$ETC" /etc && cd / && exec setpriv --reuid jobtrail --regid jobtrail --clear-groups "$@"' sh
}

# -IS: without the packages of the site, which take longer than the question
client() { # AS COMMAND...
    run --separate-stderr as "$1" /usr/bin/python3 -IS "$JOBTRAIL_SOURCE/test/e2e/answers/web_client.py" "${@:2}"
}

FETCH() { # USER TARGET: what the proxy gets for this user; $stderr has status and fields
    client jtproxy fetch "$WEB" "$2" "X-Remote-User: $1"
    head -n 1 <<<"$stderr"
}

status_is() {
    [[ $stderr == "HTTP/1.1 $1 "* ]]
}

every_page() { # PERIOD: all targets that there are
    local form page
    for page in "" $REPORT_PAGES runs jobs; do
        for form in "" .csv .json; do
            [ -n "$page" ] || [ -z "$form" ] || continue
            echo "/$page$form?$1"
        done
    done
    for page in $REPORT_PAGES_OF executable?name={flow.mpi,SECRETprogram,%2Fopt%2FSECRETprogram} library?name={hdf5,hdf5+1.14.3,hdf5suite,libold,SECRET+1} \
        module?name=hdf5%2F1.14.3 package?program=python\&name={numpy,SECRETpackage} user?name={alice,bob,carol} \
        account?name={climate,SECRETaccount,chem} job?id={12,77,99} \
        run?id=019a9f00-7777-7000-8000-000000000001 documentation?words=chunks "document?path=$PLACE/doc/hdf5-1.14/README&name=README"; do
        echo "/$page&$1"
        echo "/${page/\?/.json?}&$1"
    done
}

what_users_see() { # of each page: alice nothing of the others', bob his own, carol as operator all
    local seen targets
    targets=$(every_page "$NOVEMBER" | sed -E "/^\/(job|run\?|run\.json)/s/&$NOVEMBER\$//")
    FETCH alice - <<<"$targets"
    [ "$(grep -c '^HTTP/1.1 ' <<<"$stderr")" -eq "$(wc -l <<<"$targets")" ]
    ! grep '^HTTP/1.1 50[03] ' <<<"$stderr" || false
    # but for the names that she asked for herself; bob has built a program of hers
    # shellcheck disable=SC2001 # a pattern of sed
    seen=$(sed 's/There is no [^<]*//' <<<"$output")
    [[ $seen == *flow.mpi* && $seen == *hdf5* ]]
    ! grep -E 'SECRET|solver|evil|>carol<' <<<"$seen" || false
    FETCH bob "/runs.csv?$NOVEMBER"
    [[ $output == *"/opt/SECRETprogram"* ]]
    [ "$(tail -n +2 <<<"$output" | cut -d, -f2 | sort -u)" = bob ]
    FETCH carol "/users.csv?$NOVEMBER"
    [ "$(tail -n +2 <<<"$output" | cut -d, -f1 | sort | paste -sd,)" = alice,bob,carol ]
    FETCH carol "/run?id=019a9f00-7777-7000-8000-000000000001"
    status_is 200
    [[ $output == *SECRETargument* && $output == *SECRETpackage* && $output == *SECRETvalue* ]]
    FETCH alice "/run?id=019a9f00-7777-7000-8000-000000000001"
    status_is 404
    FETCH alice "/job?id=77"
    status_is 404
}

@test "users see their own runs on every page, and an operator all, from SQLite" {
    serve see=own operators=carol "store=$STORE"
    what_users_see
}

@test "users see their own runs on every page, and an operator all, from MariaDB" {
    serve see=own operators=carol "store=$MARIADB_STORE"
    what_users_see
}

@test "of a library users see their own uses, and who may see all what is unused" {
    serve see=own operators=carol "store=$STORE"
    # shellcheck disable=SC2016 # for jq to expand
    local page=library.json\?name=hdf5 rows='.tables[] | select(.name == $of).rows'
    FETCH alice "/$page&$NOVEMBER"
    [ "$(jq -c --arg of removal "$rows"' | map([.user, .program, .how, .runs, .opens])' <<<"$output")" = \
        '[["alice","flow.mpi","loaded",2,null],["?alice","make","opened",null,2]]' ]
    [ "$(jq -c --arg of uses "$rows"' | map([.how, .number, .number_low, .number_high, .users, .certainty])' <<<"$output")" = \
        '[["loaded",2,null,null,1,"recorded"],["opened",2,2,null,1,"at least, not all proven"]]' ]
    [ "$(jq -c --arg of changes "$rows"' | map([.library, .what, .user, .runs_before, .runs_after])' <<<"$output")" = \
        '[["hdf5/1.14.3","1 modified","?root",0,2]]' ]
    [[ $(jq -r '.tables[] | select(.name == "removal").note' <<<"$output") == "Only what you may see is listed."* ]]
    FETCH carol "/$page&$NOVEMBER"
    [ "$(jq -c --arg of removal "$rows"' | map([.user, .program, .how, .runs, .links, .opens])' <<<"$output")" = \
        '[["alice","flow.mpi","loaded",2,null,null],["bob","flow.mpi","linked",null,1,null],["?bob","SECRETopener","opened",null,null,5],["?alice","make","opened",null,null,2]]' ]
    # under the name that the site's list has, and by the filter
    for page in library.json\?name=hdf5suite removal.json\?lib=hdf5suite removal.json\?module=hdf5/1.14.3; do
        FETCH carol "/$page&$NOVEMBER"
        [ "$(jq -c --arg of removal "$rows"' | map(.user)' <<<"$output")" = '["alice","bob","?bob","?alice"]' ]
    done
    FETCH carol "/unused.json?from=2024-11-21&to=2024-11-30"
    [ "$(jq -c '[.tables[0].rows[] | [.library, .verdict]]' <<<"$output")" = '[["hdf5suite","not known"],["libold","not known"]]' ]
    FETCH carol "/unused?from=2024-11-21&to=2024-11-30"
    [[ $output == *'href="library?name=libold&amp;from='* && $output == *'href="unused?from='* ]]
    FETCH carol "/library?name=libold&$NOVEMBER"
    status_is 200
    [[ $output == *"Who would be affected"* ]]
    FETCH alice "/unused?$NOVEMBER"
    status_is 404
    [[ $output == *"only for users who may see all runs"* && $output != *'href="unused?'* ]]
    FETCH carol "/removal?$NOVEMBER"
    status_is 400
    [[ $output == *"The address lacks lib= or module=."* ]]
    FETCH carol "/unused?user=bob&$NOVEMBER"
    status_is 400
    FETCH alice "/weekdays.json?use=opened&$NOVEMBER"
    [ "$(jq -c '[.tables[0].rows[] | [.library, .total, .total_high]]' <<<"$output")" = '[["hdf5/1.14.3",2,null]]' ]
    FETCH carol "/months.json?use=linked&of=compilers&$NOVEMBER"
    [ "$(jq -c '[.tables[0].rows[] | [.compiler, .total]]' <<<"$output")" = '[["SECRETcc",1],["gfortran",1]]' ]
    FETCH carol "/months.json?use=called&$NOVEMBER"
    [ "$(jq -c '[.tables[0].rows[] | [.library, .total, .total_low, .total_high]]' <<<"$output")" = '[["SECRET 1",1,1,null]]' ]
    FETCH bob "/routines.json?of=routines&$NOVEMBER"
    [ "$(jq -c '[.tables[0].rows[] | [.library, .routine, .runs, .calls]]' <<<"$output")" = '[["SECRET 1","SECRETroutine",1,2]]' ]
    FETCH bob "/run.json?id=019a9f00-7777-7000-8000-000000000001&table=routines"
    [ "$(jq -c '[.tables[0].rows[] | [.file, .routine, .first, .calls]]' <<<"$output")" = '[["/home/bob/libSECRET.so.1","SECRETroutine",null,"2"]]' ]
    FETCH alice "/routines?$NOVEMBER"
    status_is 200
    [[ $output != *SECRET* && $output == *"No calls are recorded: [routines] of jobtrail.conf(5) switches this on."* ]]
    FETCH carol "/uncalled?$NOVEMBER"
    status_is 200
    [[ $output == *"0 called before, but not since 2024-11-01"* ]]
    FETCH alice "/uncalled?$NOVEMBER"
    status_is 404
    [[ $output == *"only for users who may see all runs"* && $output != *'href="uncalled?'* ]]
    FETCH carol "/months?use=opened&account=x&$NOVEMBER"
    status_is 400
}

@test "the page of one version of a library has the opens and the changes of that version" {
    local store=$BATS_TEST_TMPDIR/store.db
    cp -p "${STORE#sqlite:}" "$store"
    chmod 755 "$BATS_TEST_TMPDIR"
    sqlite3 "$store" "UPDATE library_event SET library = 'hdf5/1.10.5', path = '/sw/hdf5/1.10.5/lib/libhdf5.so.103'
        WHERE library = 'hdf5/1.14.3' AND (user = 'bob' OR kind = 'change')"
    serve see=own operators=carol "store=sqlite:$store"
    # of_page NAME: who would be hit, kinds of uses, and changes
    of_page() {
        FETCH carol "/library.json?name=$1&$NOVEMBER" >/dev/null
        jq -c '[.tables[] | select(.name == ("removal", "uses", "changes")) | {(.name): (.rows | map(.user // .how // .library))}] | add |
            [.removal, .uses, .changes]' <<<"$output"
    }
    [ "$(of_page hdf5)" = '[["alice","bob","?bob","?alice"],["linked","loaded","opened"],["?root"]]' ]
    [ "$(of_page hdf5+1.14.3)" = '[["alice","bob","?alice"],["linked","loaded","opened"],[]]' ]
}

@test "pages about libraries are the same from both databases" {
    local store user page with_verdict
    local pages=("library.json?name=hdf5&$NOVEMBER" "module.json?name=hdf5%2F1.14.3&$NOVEMBER" "changes.json?$NOVEMBER"
        "removal.json?module=hdf5%2F1.14.3&$NOVEMBER" "weekdays.json?use=opened&$NOVEMBER" "months.json?use=linked&$NOVEMBER"
        "routines.json?$NOVEMBER" "months.json?use=called&$NOVEMBER")
    for store in "$STORE" "$MARIADB_STORE"; do
        serve see=own operators=carol "store=$store"
        for user in alice carol; do
            FETCH "$user" - < <(printf '/%s\n' "${pages[@]}") >/dev/null
            [ "$(grep -c '^HTTP/1.1 200 ' <<<"$stderr")" -eq "${#pages[@]}" ]
            jq -c .tables <<<"$output"
            for page in unused uncalled; do
                FETCH "$user" "/$page.json?from=2024-11-21&to=2024-11-30" >/dev/null
                status_is 200 || [ "$user" = alice ]
                jq -c .tables <<<"$output" || echo "$output"
            done
        done >"$BATS_TEST_TMPDIR/${store%%:*}"
        answer_stop
    done
    diff "$BATS_TEST_TMPDIR/sqlite" "$BATS_TEST_TMPDIR/mariadb"
    with_verdict=$(grep -c '"verdict"\|"opens"\|"runs_before"' "$BATS_TEST_TMPDIR/mariadb")
    ((with_verdict > 6))
}

@test "each page says whose runs it is about" {
    serve see=own operators=carol "store=$STORE"
    FETCH alice "/users?$NOVEMBER"
    [[ $output == *"Only runs that you may see: of alice. Other runs are in no row and no sum."* ]]
    FETCH carol "/users?$NOVEMBER"
    [[ $output == *"Of all users."* ]]
    FETCH alice "/users.json?$NOVEMBER"
    [ "$(jq -c .of <<<"$output")" = '{"users":["alice"],"accounts":[]}' ]
}

@test "what an address brings is plain text in forms, seen or not" {
    local name
    serve see=own "store=$STORE"
    for name in exec lib; do # a field that is seen, and one that is hidden
        FETCH carol "/executables?from=2024-11-01&to=2024-11-30&$name=%1b%5d0%3bx%07%e2%80%aeleft%0a%22%3e"
        status_is 200
        [[ $output == *"name=\"$name\" value=\"&#27;]0;x&#7;&#8238;left&#10;&quot;&gt;\""* ]]
        LC_ALL=C.UTF-8 run ! grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\x{202e}' <<<"$output"
        [[ $output == "" ]]
    done
}

@test "a table has the numbers of the report" {
    serve see=all "store=$STORE"
    local page
    for page in executables libraries modules users accounts endings failures packages; do
        FETCH alice "/$page.json?$NOVEMBER"
        jq -S '.tables[0].rows' <<<"$output" >"$BATS_TEST_TMPDIR/page"
        as jobtrail "$JOBTRAIL_STAGE/bin/jobtrail-report" --store "$STORE" --json --top 0 -S 2024-11-01 -E 2024-11-30 "$page" |
            jq -S '.pages[0].rows' >"$BATS_TEST_TMPDIR/report"
        diff "$BATS_TEST_TMPDIR/report" "$BATS_TEST_TMPDIR/page"
        [ "$(jq length "$BATS_TEST_TMPDIR/page")" -gt 0 ]
    done
}

@test "the page of a thing has its own runs alone" {
    serve see=all "store=$STORE"
    FETCH alice "/executable.json?name=flow.mpi&$NOVEMBER"
    [ "$(jq -c '[.tables[] | select(.name == "users").rows[].user]' <<<"$output")" = '["alice"]' ]
    jq -e '[.tables[] | select(.name == "runs").rows[].executable | endswith("/flow.mpi")] | length > 0 and all' <<<"$output"
    FETCH alice "/user.json?name=bob&$NOVEMBER"
    jq -e '[.tables[] | select(.name == "runs").rows[].user == "bob"] | length > 0 and all' <<<"$output"
    FETCH alice "/library.json?name=hdf5&table=executables&$NOVEMBER"
    [ "$(jq -c '[.tables[0].rows[].executable] | unique' <<<"$output")" = '["flow.mpi"]' ]
    FETCH alice "/package.json?name=numpy&program=python&table=runs&$NOVEMBER"
    [ "$(jq '.tables[0].rows | length' <<<"$output")" -eq 1 ]
    FETCH alice "/job.json?id=12"
    [ "$(jq -c '[.tables[] | select(.name == "coverage").rows[] | [.outcome, .tasks]]' <<<"$output")" = "$(as jobtrail \
        "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$STORE" -a -j 12 --coverage --json | jq -c '[.coverage[] | [.outcome, .tasks]]')" ]
    jq -e '[.tables[] | select(.name == "runs").rows[].job | startswith("12.")] | length > 0 and all' <<<"$output"
}

@test "the months of a thing are all shown, in their order, and those without data are blank" {
    serve see=all "store=$STORE"
    FETCH alice "/executable.json?name=flow.mpi&table=monthly&from=2024-01-01&to=2024-11-30"
    [ "$(jq -c '[.tables[0].rows[] | [.month, .runs == null]] | [length, .[0], .[-1]]' <<<"$output")" = '[11,["2024-01",true],["2024-11",false]]' ]
    FETCH alice "/executable?name=flow.mpi&from=2024-01-01&to=2024-11-30"
    [[ $output == *'aria-sort="ascending"><a '*'Month</a>'* ]]
    [[ $output == *'<td data-v=""></td>'* && $output == *"dotted: no data"* ]]
}

@test "the page of a run of several tasks has its ranks, and that of another none" {
    local ranks=$PLACE/store/ranks.db
    {
        site_run 019a9f00-6060-7000-8000-000000000001 wave 1 '.slurmT += {job_id: 60, step_id: "0"} | .userT.job_id = "60" |
            .userDT.num_tasks = 2'
        site_run 019a9f00-6060-7000-8000-000000000002 one 1 '.slurmT += {job_id: 60, step_id: "1"} | .userT.job_id = "60"'
    } >"$BATS_TEST_TMPDIR/records"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/ranks.db" "$BATS_TEST_TMPDIR/records"
    sqlite3 "$BATS_TEST_TMPDIR/ranks.db" "INSERT INTO ranks (uuid, owner, proven, cluster, user, job_id_raw, restart_count, step_id,
        step_tasks, step_nodes, node, program, ranks, unseen, end_time, timed, measured, ended_signal, ends, failed_task, failed_time,
        failed_end) VALUES ('1', 1, 1, 'tiny', 'carol', 60, 0, '0', 2, 2, 'n1', '/opt/wave', 1, 1, 5, 0, 0, 1, '0:9=1', 1, 5, '0:9')"
    install -m 600 -o 6100 -g 6100 "$BATS_TEST_TMPDIR/ranks.db" "$ranks"
    serve see=own operators=bob "store=sqlite:$ranks"
    for user in carol bob; do
        FETCH "$user" "/run.json?id=019a9f00-6060-7000-8000-000000000001"
        [ "$(jq -c '.tables[] | select(.name == "ranks").rows | map(select(.field | IN("Ranks", "Nodes", "Unseen", "Ends", "FirstFailedTask"))
            | .value)' <<<"$output")" = '["0:9=1","1","1 of 2","1","1"]' ]
    done
    FETCH carol "/run.json?id=019a9f00-6060-7000-8000-000000000002"
    [ "$(jq -c '[.tables[].name | select(. == "ranks")]' <<<"$output")" = '[]' ]
    FETCH alice "/run.json?id=019a9f00-6060-7000-8000-000000000001&table=ranks"
    status_is 404
}

# bats test_tags=needs:witness
@test "the page of a job without runs has its coverage, of an array that of its tasks" {
    local facts=$PLACE/store/facts.db
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 2 --coverage 20 |
        "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/facts.db" -
    install -m 600 -o 6100 -g 6100 "$BATS_TEST_TMPDIR/facts.db" "$facts"
    serve see=all "store=sqlite:$facts"
    for change in "job_id_raw = 777 WHERE job_id_raw = (SELECT min(job_id_raw) FROM coverage)" \
        "array_job_id = 777 WHERE job_id_raw = 777" \
        "job_id_raw = 778 WHERE job_id_raw = 777 AND position > 0"; do
        sqlite3 "$facts" "UPDATE coverage SET $change"
        FETCH alice "/job.json?id=777"
        [ "$(jq -c '[.tables[] | select(.name == "coverage").rows[] | [.outcome, .tasks]]' <<<"$output")" = "$(as jobtrail \
            "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "sqlite:$facts" -a -j 777 --coverage --json |
            jq -c '[.coverage[] | [.outcome, .tasks]]')" ]
        jq -e '[.tables[] | select(.name == "coverage").rows[]] | length > 0' <<<"$output"
    done
    sqlite3 "$facts" "UPDATE coverage SET witness = 'objects', witness_processes = 5, witness_agreed = 3, witness_explained = 1,
        witness_unexplained = 1, witness_lost = 7, witness_causes = 'static=1' WHERE array_job_id = 777"
    FETCH alice "/job.json?id=777"
    note=$(jq -r '.tables[] | select(.name == "coverage").note' <<<"$output")
    [[ $note == "The kernel reported "*" are unexplained. Lost on the nodes of "* ]]
    as jobtrail "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "sqlite:$facts" -a -j 777 --coverage | grep -E "^(The kernel reported|Losses)" |
        while read -r line; do
            [[ $note == *"$line."* ]]
        done
}

@test "two jobs are compared as jobtrail-job diff does" {
    serve see=all "store=$STORE"
    local name
    for pair in "12 13" "12 500" "12.0 12.batch"; do
        FETCH alice "/diff.json?a=${pair% *}&b=${pair#* }"
        status_is 200
        jq -cS '.tables[] | .name as $table | .rows[] | [$table, .]' <<<"$output" >"$BATS_TEST_TMPDIR/page"
        # shellcheck disable=SC2086 # two words
        as jobtrail "$JOBTRAIL_STAGE/bin/jobtrail-job" --store "$STORE" -a --no-sacct diff $pair --json | jq -cS '
            def text: if . == null then "(none)" elif type == "array" then join(" ") elif type == "object" then
                [.version, .path, (.hash | values | "sha1 " + .), (.build_id | values | "build-id " + .) | values] | join("  ")
                else tostring end;
            def facts(which): .pairs[] | {job: .a.job, job_b: .b.job} + (.sections[] | .name as $section | which[] |
                {section: $section, what, a: (.a | text), b: (.b | text)} + (if .why then {why} else {} end));
            def alone(side): {side: side, job, executable: .exec_path, state, run: .uuid};
            (facts(.different) | ["different", .]), (facts(.unknown) | ["unknown", .]),
            (.only_a[] | ["alone", alone("A")]), (.only_b[] | ["alone", alone("B")])' >"$BATS_TEST_TMPDIR/acct"
        diff "$BATS_TEST_TMPDIR/acct" "$BATS_TEST_TMPDIR/page"
        cat "$BATS_TEST_TMPDIR/page" >>"$BATS_TEST_TMPDIR/pages"
    done
    for name in different unknown alone; do
        grep -q "^\[\"$name\"," "$BATS_TEST_TMPDIR/pages"
    done
}

@test "who asks may see two jobs that are compared" {
    serve see=own operators=carol "store=$STORE"
    FETCH alice "/diff?a=12&b=77"
    status_is 400
    [[ $output == *"the store has no run of 77"* ]]
    FETCH carol "/diff?a=12&b=77"
    status_is 200
    FETCH alice "/diff?a=12"
    status_is 400
    FETCH alice "/job?id=12"
    [[ $output == *'action="diff"'*'name="a" value="12"'* ]]
}

@test "what started a run is told with its own job and pids, as jobtrail-acct --json does" {
    serve see=all "store=$STORE"
    local uuid=019a9f00-0000-7000-8000-000000000001
    FETCH alice "/run.json?id=$uuid&table=ancestors"
    jq -e '.tables[0].rows[0].arguments == "slurmstepd: [12.batch]"' <<<"$output"
    [ "$(jq -c '[.tables[0].rows[] | [.name, .pid, .path, .arguments]]' <<<"$output")" = "$(as jobtrail \
        "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store "$STORE" -a --no-sacct -j 12.batch --json | jq -c --arg uuid "$uuid" \
        '[.runs[] | select(.uuid == $uuid).ancestors[] | [.name, (.pid | tostring), .path, (.cmdline | join(" "))]]')" ]
}

direct() { # USER PROGRAM OPTION...: from the store of four jobs
    local user=$1 program=$2
    shift 2
    as jobtrail "$JOBTRAIL_STAGE/bin/jobtrail-$program" --store "sqlite:$PLACE/store/again.db" "$@" >"$BATS_TEST_TMPDIR/direct" || [ $? -eq 1 ]
    as "$user" env JOBTRAIL_CONF="$MUNGE/jobtrail.conf" "$JOBTRAIL_STAGE/bin/jobtrail-$program" "$@" | diff "$BATS_TEST_TMPDIR/direct" -
    cat "$BATS_TEST_TMPDIR/direct"
}

@test "four jobs of one number are four for each who answers, and each answers for the one that is named" {
    local at name names user day=86400 start=1732096800
    for at in 0 3 6 9; do
        allocation 21 "$([ "$at" = 3 ] && echo bob || echo alice)" $((start + at * day)) 0
    done >"$BATS_TEST_TMPDIR/records"
    site_load_proven "$BATS_TEST_TMPDIR/records" "sqlite:$BATS_TEST_TMPDIR/again.db"
    install -m 600 -o 6100 -g 6100 "$BATS_TEST_TMPDIR/again.db" "$PLACE/store/again.db"
    serve see=own operators=carol "store=sqlite:$PLACE/store/again.db"
    names=$'21@2024-11-20|alice\n21@2024-11-23|bob\n21@2024-11-26|alice\n21@2024-11-29|alice'
    for at in -X -XD -D; do
        direct carol acct -a --no-sacct -nP $at -j 21 -o jobid,user >"$BATS_TEST_TMPDIR/rows"
        [ "$(sed 's/\.0|/|/' "$BATS_TEST_TMPDIR/rows")" = "$names" ]
    done
    [ "$(direct carol report users -S 2024-11-01 -E 2024-11-30 --csv | sed 1d | cut -d, -f1,14)" = $'alice,3\nbob,1' ]
    FETCH carol "/job.json?id=21"
    status_is 300
    [ "$(jq -r '.tables[0].rows[] | "\(.job)|\(.user)"' <<<"$output")" = "$names" ]
    FETCH carol "/jobs.json?$NOVEMBER&sort=start"
    [ "$(jq -r '.tables[0].rows[] | "\(.job)|\(.user)"' <<<"$output")" = "$names" ]
    FETCH alice "/jobs?$NOVEMBER"
    [ "$(grep -o 'href="job?id=21%40[^&]*&amp;cluster=tiny&amp;owner=[a-z]*' <<<"$output" | wc -l)" -eq 3 ]
    while IFS='|' read -r name user; do
        [ "$(direct carol acct -a --no-sacct -nPX -j "$name" -o user,start)" = "$user|${name#*@}T10:00:00" ]
        direct carol acct -a -nP --coverage -j "$name" -o outcome,coreseconds >"$BATS_TEST_TMPDIR/rows"
        [ "$(awk -F'|' '{ sum += $2 } END { print sum }' "$BATS_TEST_TMPDIR/rows")" -eq 4800 ]
        direct carol job -a --no-sacct "$name" >"$BATS_TEST_TMPDIR/rows"
        grep -q "^ *when *${name#*@}T10:00:00 to ${name#*@}T10:20:00" "$BATS_TEST_TMPDIR/rows"
        FETCH carol "/job.json?id=$name"
        status_is 200
        [ "$(jq -r '(.tables[] | select(.name == "runs").rows[] | .user, .start), (.tables[] | select(.name == "coverage").rows |
            map(.core_seconds) | add)' <<<"$output")" = "$user"$'\n'"${name#*@}T10:00:00"$'\n'4800 ]
    done <<<"$names"
    # a bare number is the last one's
    direct carol job -u alice --no-sacct diff 21 21@2024-11-20 >"$BATS_TEST_TMPDIR/rows"
    [ "$(sed -n 's/^\([AB]\): .*\(2024-11-..\)T10:00:00/\1 \2/p' "$BATS_TEST_TMPDIR/rows")" = $'A 2024-11-29\nB 2024-11-20' ]
    direct carol job -u alice --no-sacct 21 >"$BATS_TEST_TMPDIR/rows"
    grep -q "^ *when *2024-11-29" "$BATS_TEST_TMPDIR/rows"
}

@test "a job's number that several jobs have gets a choice, and each link names the one that is meant" {
    serve see=own operators=carol "store=$STORE"
    FETCH carol "/job?id=500"
    status_is 300
    [[ $output == *"Job 500: several jobs"* && $output != *'"facts"'* ]]
    [ "$(grep -o 'href="job?id=500&amp;cluster=[^"]*' <<<"$output" | sed 's/[^?]*?//; s/&amp;/\&/g' | sort)" = "$(printf '%s\n' \
        'id=500&cluster=other&owner=bob&restart=0' 'id=500&cluster=tiny&owner=alice&restart='{0,1})" ]
    FETCH carol "/job.json?id=500&cluster=other"
    status_is 200
    [ "$(jq -c '[.facts.user[:3], (.tables[] | select(.name == "runs").rows[].user)]' <<<"$output")" = '["bob","bob"]' ]
    FETCH carol "/job.json?id=500&cluster=tiny"
    status_is 300
    [ "$(jq -c '[.tables[].rows[] | [.cluster, .user, .restart]]' <<<"$output")" = '[["tiny","alice","0"],["tiny","alice","1"]]' ]
    FETCH carol "/job.json?id=500&owner=alice&restart=1"
    status_is 200
    [ "$(jq -c '[.tables[] | select(.name == "runs").rows[].run[-3:]]' <<<"$output")" = '["a02"]' ]
    # what others have is no choice
    FETCH bob "/job.json?id=500"
    status_is 200
    FETCH carol "/job?id=500&restart=x"
    status_is 400
    # each run's row names the cluster and the user of its job
    FETCH carol "/runs?$NOVEMBER&user=bob"
    [[ $output == *'href="job?id=500.0&amp;cluster=other&amp;owner=bob"'* ]]
    # no form gives a parameter twice
    FETCH carol "/job?id=500&cluster=other&owner=bob&table=runs"
    status_is 200
    local names
    while IFS= read -r names; do
        [ "$(grep -o ' name="[^"]*' <<<"$names" | sort | uniq -d)" = "" ]
    done < <(grep -o '<form.*</form>' <<<"$output" | sed 's/<.form>/&\n/g')
}

@test "filter, order and paging are of the whole table, and of what is written into a file" {
    serve see=all "store=$STORE"
    FETCH alice "/runs.json?$NOVEMBER"
    local all rows
    all=$(jq -c '[.tables[0].rows[].run] | sort' <<<"$output")
    rows=$(jq length <<<"$all")
    local found="[]" page
    for ((page = 1; page <= (rows + 4) / 5; page++)); do
        FETCH alice "/runs?$NOVEMBER&rows=5&page=$page"
        found=$(grep -o 'href="run?id=[^"]*' <<<"$output" | sed 's/.*id=//; s/&.*//' | jq -R . | jq -s --argjson found "$found" '$found + .')
    done
    [ "$(jq -c sort <<<"$found")" = "$all" ]
    [[ $output != *"next page"* ]]
    FETCH alice "/executables?$NOVEMBER&find=FLOW"
    [[ $output == *">flow.mpi<"* && $output != *">tiny<"* && $output == *"of 1 that fit"* ]]
    FETCH alice "/executables.csv?$NOVEMBER&find=FLOW"
    [ "$(wc -l <<<"$output")" -eq 2 ]
    FETCH alice "/executables.csv?$NOVEMBER&sort=executable"
    diff <(tail -n +2 <<<"$output" | grep -v ^Total | cut -d, -f1) <(tail -n +2 <<<"$output" | grep -v ^Total | cut -d, -f1 | LC_ALL=C sort -f)
    FETCH alice "/executables?$NOVEMBER&sort=-runs"
    [[ $output == *'aria-sort="descending"'* ]]
    FETCH alice "/runs.csv?$NOVEMBER&find=%25"
    [[ $output != *flow.mpi* ]]
}

@test "what is misspelt gets a hint, and what cannot be read is refused" {
    serve see=all "store=$STORE"
    FETCH alice "/usres"
    status_is 404
    [[ $output == *"did you mean users"* ]]
    FETCH alice "/user?name=alcie&$NOVEMBER"
    status_is 404
    [[ $output == *"did you mean alice?"* ]]
    FETCH alice "/users?form=2024-11-01"
    status_is 400
    [[ $output == *"did you mean from?"* ]]
    FETCH alice "/users?from=yesterdayish"
    status_is 400
    [[ $output == *"Invalid time specification"* ]]
    FETCH alice "/executable?name=flow.mpi&table=rnus"
    status_is 404
    [[ $output == *"did you mean runs"* ]]
    local target
    for target in "job?id=x" "runs?exec=%5Bz-a%5D" "users?exec=%5Bz-a%5D" "runs?node=n%5B1-" "users?from=0000-01-01" \
        "runs?from=9999-12-31&to=9999-12-31" "users?from=now-999999999days" "job?id=99999999999999999999" "diff?a=x&b=y"; do
        FETCH alice "/$target"
        status_is 400
    done
    FETCH alice "/user.csv?name=alice"
    status_is 400 && [[ $output == *"table= names the one"* ]]
}

@test "names may have any bytes, and are text in pages, addresses and files" {
    serve see=all "store=$STORE"
    FETCH alice "/runs?$NOVEMBER&account=%22%3E%3Cimg%20src%3Dx%20onerror%3Downed%3D1%3E"
    local links link
    links=$(grep -o 'href="executable?name=[^"]*' <<<"$output" | sed 's/href="//; s/&amp;/\&/g' | sort -u)
    [ "$(wc -l <<<"$links")" -eq 1 ]
    [[ $links == *"%FF"* ]]
    link=${links/executable/executable.json}
    FETCH alice "/$link"
    status_is 200
    [ "$(jq '[.tables[] | select(.name == "runs").rows[]] | length' <<<"$output")" -eq 1 ]
    FETCH alice "/${links}"
    ! grep -E '<svg onload|<img src=x|<b>"' <<<"$output" || false
    FETCH alice "/user?name=%00%ff%27%22%3B--"
    status_is 404
}

@test "the proxy alone is believed, and by its uid" {
    serve see=own operators=carol "store=$STORE"
    local user began=$SECONDS
    for user in alice carol jobtrail root; do
        client "$user" fetch "$WEB" /users "X-Remote-User: carol"
        [ "$output" = "" ]
        [[ $stderr != *HTTP* ]]
    done
    # everybody can connect as often as they like: the log gets one line a minute
    [ "$(grep -c 'refused: uid 6101 is not that of web_proxy_user' "$MUNGE/answer.err")" -eq 1 ]
    [ "$(grep -c 'refused: uid' "$MUNGE/answer.err")" -le $((1 + (SECONDS - began) / 60)) ]
    FETCH carol /users
    status_is 200
}

@test "requests in which another user is hidden, or which are none, get no page" {
    serve see=own operators=carol "store=$STORE"
    client jtproxy refused "$WEB" X-Remote-User
    echo "$output $stderr"
    [ "$status" -eq 0 ]
    [[ $output == "refused "* ]]
    client jtproxy garbage "$WEB" 300
    [ "$status" -eq 0 ]
    [[ $output =~ ^(4[0-9][0-9]\ ?)+$ ]]
    client jtproxy fuzz "$JOBTRAIL_STAGE/libexec/jobtrail" $((JOBTRAIL_SOAK ? 50000 : 10000))
    [ "$status" -eq 0 ]
    [[ $output == *" taken, "*" refused" ]]
    FETCH alice "/users?$NOVEMBER"
    status_is 200
    ! grep Traceback "$MUNGE/answer.err" || false
}

@test "a request has at most 99 fields, and one with more ends nothing else" {
    serve see=own "store=$STORE"
    local fields=() count expected
    for ((count = 4; count <= 101; count++)); do
        fields+=("X-$count: y")
        case $count in 99) expected=200 ;; 100 | 101) expected=431 ;; *) continue ;; esac
        client jtproxy fetch "$WEB" "/users?$NOVEMBER" "X-Remote-User: alice" "${fields[@]}"
        status_is "$expected"
    done
    client jtproxy fetch "$WEB" "/users" "${fields[@]}" "${fields[@]}" "${fields[@]}"
    status_is 431
    FETCH alice "/users?$NOVEMBER"
    status_is 200
    ! grep Traceback "$MUNGE/answer.err" || false
}

@test "HEAD has the fields of GET, and no body" {
    serve see=own "store=$STORE"
    client jtproxy head "$WEB" "/users?$NOVEMBER" "X-Remote-User: alice"
    [ "$output" = "" ]
    [[ $stderr == "HTTP/1.1 200 OK"*"Content-Length: "[1-9]* ]]
    [[ $stderr == *"default-src 'none'"* && $stderr == *"frame-ancestors 'none'"* && $stderr != *unsafe* && $stderr != *http:* ]]
    client jtproxy fetch "$WEB" "/users" "X-Remote-User: alice" "Range: bytes=0-1"
    status_is 200
}

@test "who is slow, asks for too much or too often is refused, and nobody else waits" {
    serve see=own "store=$STORE" memory=1M
    FETCH alice "/users?$NOVEMBER"
    status_is 503 || status_is 500 # as Python or SQLite finds no memory
    [[ $output != *"<table>"* ]]
    answer_stop
    serve see=own "store=$STORE" size=1M
    FETCH alice "/users?$NOVEMBER"
    status_is 200
    client jtproxy slow "$WEB"
    [ "$output" = 0 ]
}

@test "connections by TCP do not close those of the proxy" {
    serve see=own "store=$STORE"
    client jtproxy flood "$WEB" "$ANSWER_PORT"
    [ "$output" = "HTTP/1.1 200" ]
}

@test "where no process can be started, the question is refused, and the service goes on" {
    serve see=own "store=$STORE"
    local most
    most=$(as jobtrail prlimit --pid "$ANSWER_PID" --nproc --output SOFT --noheadings --raw)
    as jobtrail prlimit --pid "$ANSWER_PID" --nproc=1:
    FETCH alice "/users?$NOVEMBER"
    status_is 503
    [[ $output == *"can start no process now"*"ask again later"* ]]
    run as alice env JOBTRAIL_CONF="$MUNGE/jobtrail.conf" "$JOBTRAIL_STAGE/bin/jobtrail-acct" -S 2024-11-01
    [ "$status" -ne 0 ]
    [[ $output == *"can start no process now"* ]]
    as jobtrail prlimit --pid "$ANSWER_PID" --nproc="$most:"
    FETCH alice "/users?$NOVEMBER"
    status_is 200
    # where it is the process that asks Slurm, which is started last, this is not said to be Slurm's fault
    answer_stop
    serve see=slurm "store=$STORE"
    as jobtrail prlimit --pid "$ANSWER_PID" --nproc=1:
    kill -KILL "$(pgrep -n -P "$ANSWER_PID")"
    FETCH alice "/users?$NOVEMBER"
    status_is 503
    [[ $output == *"can start no process now"* ]]
    ! grep '^Slurm: ' "$MUNGE/answer.err" || false
}

@test "who waits for the site's directory of users lets nobody else wait" {
    serve see=own "store=$STORE"
    mkfifo -m 644 "$PLACE/fifo"
    nsenter --target "$ANSWER_PID" --mount mount --bind "$PLACE/fifo" /etc/passwd
    # who reads the users waits for somebody to write them, and nobody does
    client jtproxy beside "$WEB"
    [ "$output" = $'HTTP/1.1 401\nHTTP/1.1 503' ]
    grep -q "directory of users does not answer" "$MUNGE/answer.err"
    # it is in use until the process that waited has ended
    eventually 60 nsenter --target "$ANSWER_PID" --mount umount /etc/passwd
    FETCH alice "/users?$NOVEMBER"
    status_is 200
}

@test "what the programs say of a question is in the page, and not in the log" {
    serve see=own "store=$STORE"
    local said long
    FETCH alice "/executables.json?$NOVEMBER&module=hdf"
    said=$(jq -r '.messages[]' <<<"$output")
    [[ $said == *"hdf"*"did you mean hdf5"* ]]
    FETCH alice "/executables?$NOVEMBER&module=hdf"
    [[ $output == *"did you mean hdf5"* ]]
    long=$(printf '%08000d' 0)
    FETCH alice "/executables?$NOVEMBER&exec=$long"
    status_is 200
    FETCH alice "/$long"
    FETCH "$long" "/users"
    client jtproxy fetch "$WEB" "/users?$long=1&$long=2" "X-Remote-User: alice"
    ! grep -E 'hdf|.{300}' "$MUNGE/answer.err" || false
}

@test "Slurm's accounting that fails is asked once for a page, which says so" {
    local bin=$PLACE/failing
    mkdir -p "$bin"
    install -m 666 /dev/null "$PLACE/asked"
    printf '#!/bin/sh\necho asked >>"%s"\necho "sacct: error: slurmdbd is away" >&2\nexit 1\n' "$PLACE/asked" >"$bin/sacct"
    chmod 755 "$bin" "$bin/sacct"
    PATH=$bin:$PATH serve see=own operators=carol "store=$STORE"
    FETCH carol "/job?id=99"
    status_is 200
    [[ $output == *"without Slurm"*"sacct: error: slurmdbd is away"* && $output == *"<dt>state</dt>"*"<dt>step 0</dt>"* ]]
    [ "$(wc -l <"$PLACE/asked")" -eq 1 ]
}

@test "the socket is made anew after a crash, and nobody else's file is touched" {
    serve see=own "store=$STORE"
    [ -S "$WEB" ]
    kill -KILL "$ANSWER_PID"
    answer_stop
    [ -S "$WEB" ]
    serve see=own "store=$STORE"
    FETCH alice "/users?$NOVEMBER"
    status_is 200
    answer_stop
    [ ! -e "$WEB" ]
    # shellcheck disable=SC2016 # of the shell that is started
    as jobtrail sh -c 'echo kept >"$0"' "$WEB"
    run serve see=own "store=$STORE"
    [[ $output == *"Address already in use: $WEB"* || $output == *"$WEB"* ]]
    [ "$(cat "$WEB")" = kept ]
    rm "$WEB"
}

@test "without a proxy's user the service does not start" {
    PROXY="" run serve see=own
    [[ $output == *"web_socket needs web_proxy_user"* ]]
    PROXY=nobody-here run serve see=own
    [[ $output == *"this host has no user nobody-here"* ]]
}

# ---- A real web server

@test "nginx, set up as the man page says, passes on who has logged in, and no word of the browser's" {
    serve see=own operators=carol "store=$STORE"
    local at=$MUNGE/nginx
    mkdir -m 755 "$at"
    printf '%s:{PLAIN}%s\n' alice one carol two >"$at/users"
    cat >"$at/conf" <<NGINX
user jtproxy;
pid $at/pid;
error_log $at/log;
daemon off;
events { }
http {
    access_log off;
    client_body_temp_path $at/body;
    proxy_temp_path $at/proxy;
    fastcgi_temp_path $at/fastcgi;
    uwsgi_temp_path $at/uwsgi;
    scgi_temp_path $at/scgi;
    server {
        listen unix:$at/socket;
$(sed -n '/^location/,/^}/p' "$JOBTRAIL_SOURCE/contrib/answers/jobtrail-answer.8.scd" | sed "s|/etc/nginx/users|$at/users|; s|/run/jobtrail-answer/web|$WEB|")
    }
}
NGINX
    cat "$at/conf"
    as_exec root nginx -c "$at/conf" >"$at/out" 2>&1 3>&- 4>&- &
    NGINX_PID=$!
    until [ -S "$at/socket" ]; do
        kill -0 "$NGINX_PID" || { cat "$at/out" "$at/log" && return 1; }
        sleep 0.05
    done
    client root fetch "$at/socket" "/jobtrail/runs.csv?$NOVEMBER" "Authorization: Basic $(printf alice:one | base64)" "X-Remote-User: carol"
    echo "$output $stderr"
    status_is 200
    [ "$(tail -n +2 <<<"$output" | cut -d, -f2 | sort -u)" = alice ]
    client root fetch "$at/socket" "/jobtrail/user?name=%FF%2F&$NOVEMBER" "Authorization: Basic $(printf alice:one | base64)"
    status_is 404
    [[ $output == *'There is no user \xff/'* ]]
    client root fetch "$at/socket" /jobtrail/users "X-Remote-User: carol"
    status_is 401
}

# ---- jobtrail-web

@test "a connection that its peer has closed is nobody's" {
    client alice closed "$JOBTRAIL_STAGE/libexec/jobtrail"
    [ "$output" = "6101 None" ]
}

local_start() { # USER ARGUMENT...
    rm -f "$MUNGE/local.out"
    as_exec "$1" env JOBTRAIL_CONF="$MUNGE/jobtrail.conf" "$JOBTRAIL_STAGE/bin/jobtrail-web" "${@:2}" \
        >"$MUNGE/local.out" 2>"$MUNGE/local.err" 3>&- 4>&- &
    LOCAL_PID=$!
    until [ -s "$MUNGE/local.out" ]; do
        kill -0 "$LOCAL_PID" || { cat "$MUNGE/local.err" >&2 && return 1; }
        sleep 0.05
    done
    ADDRESS=$(head -n 1 "$MUNGE/local.out")
    BASE=${ADDRESS%\?*}
    SECRET=${ADDRESS#*secret=}
}

local_stop() {
    [ -z "${LOCAL_PID:-}" ] || kill "$LOCAL_PID" 2>/dev/null || true
    [ -z "${LOCAL_PID:-}" ] || wait_for process_ended "$LOCAL_PID"
}

browse() { # USER TARGET [FIELD: VALUE]...: below the path; prints status and body
    run --separate-stderr as "$1" /usr/bin/python3 - "$BASE$2" "${@:3}" <<'PYTHON'
import sys, urllib.error, urllib.request
class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None
request = urllib.request.Request(sys.argv[1], headers=dict(field.split(": ", 1) for field in sys.argv[2:]))
try:
    answer = urllib.request.build_opener(Stay).open(request)
except urllib.error.HTTPError as error:
    answer = error
print(answer.status)
print(answer.headers, file=sys.stderr)
sys.stdout.flush()
sys.stdout.buffer.write(answer.read())
PYTHON
    echo "${lines[0]-} $stderr"
}

local_enter() { # USER: $ENTERED is the cookie that a browser gets for the address
    browse "$1" "?secret=$SECRET"
    [ "${lines[0]}" = 303 ]
    ENTERED=$(sed -n 's/^Set-Cookie: jobtrail=\([0-9a-f]*\);.*/\1/p' <<<"$stderr")
}

@test "jobtrail-web shows who starts it what the service lets them see, and lets nobody else in" {
    serve see=own operators=carol "store=$STORE"
    local_start alice
    local_enter alice
    [[ $stderr == *"Set-Cookie: jobtrail=$ENTERED; Path=/"*"/; HttpOnly; SameSite=Strict"* ]]
    # the secret works once, but for the browser that has used it
    [ "$ENTERED" != "$SECRET" ]
    browse alice "?secret=$SECRET"
    [ "${lines[0]}" = 403 ]
    browse alice users "Cookie: jobtrail=$SECRET"
    [ "${lines[0]}" = 403 ]
    browse alice "?secret=$SECRET" "Cookie: jobtrail=$ENTERED"
    [ "${lines[0]}" = 303 ]
    browse alice "runs.csv?$NOVEMBER" "Cookie: jobtrail=$ENTERED"
    [ "${lines[0]}" = 200 ]
    [ "$(tail -n +3 <<<"$output" | cut -d, -f2 | sort -u)" = alice ]
    browse alice "users" "Cookie: jobtrail=$ENTERED" "Host: localhost:1234"
    [ "${lines[0]}" = 200 ]
    browse alice "job?id=77" "Cookie: jobtrail=$ENTERED"
    [ "${lines[0]}" = 404 ]
    # without the secret, with a wrong one, by another name, at another path
    browse alice users
    [ "${lines[0]}" = 403 ]
    browse alice users "Cookie: jobtrail=${ENTERED/[0-9a-f]/x}"
    [ "${lines[0]}" = 403 ]
    browse alice "?secret=x"
    [ "${lines[0]}" = 403 ]
    browse alice users "Cookie: jobtrail=$ENTERED" "Host: evil.example"
    [ "${lines[0]}" = 403 ]
    BASE=${BASE%/*/} browse alice /users "Cookie: jobtrail=$ENTERED"
    [ "${lines[0]}" = 404 ]
    # others of the host, also with the secret
    for user in bob root; do
        browse "$user" users "Cookie: jobtrail=$ENTERED"
        [ "$status" -ne 0 ]
        [ "$output" = "" ]
    done
    answer_stop
    browse alice users "Cookie: jobtrail=$ENTERED"
    [ "${lines[0]}" = 502 ]
    [[ $output == *"Connection refused"* ]]
}

@test "jobtrail-web shows a store to who can read it" {
    answer_conf
    local_start jobtrail --store "$STORE"
    local_enter jobtrail
    browse jobtrail "users.csv?$NOVEMBER" "Cookie: jobtrail=$ENTERED"
    [[ $output == *"carol,"* && $output == *"alice,"* ]]
    local_stop
    local_start alice --store "$STORE"
    local_enter alice
    browse alice "users.csv" "Cookie: jobtrail=$ENTERED"
    [ "${lines[0]}" = 500 ]
    [[ $output == *"Permission denied"* ]]
}

# ---- Chromium

# walked_pages: those of things, of a job, a run and two jobs, and some of the report
walked_pages() {
    local page
    for page in executable?name=flow.mpi library?name=hdf5 module?name=hdf5%2F1.14.3 package?program=python\&name=numpy \
        user?name=alice account?name=climate links?of=users; do
        echo "$page&$NOVEMBER"
    done
    for page in executables system trends months coverage runs jobs; do
        echo "$page?$NOVEMBER"
    done
    # of three months, and of four
    echo "executable?name=flow.mpi&from=2024-09-01&to=2024-11-30"
    echo "executable?name=flow.mpi&from=2024-08-01&to=2024-11-30"
    printf '%s\n' "documentation?words=chunks&$NOVEMBER" "document?path=$PLACE/doc/hdf5-1.14/README&name=README&$NOVEMBER" documentation
    printf '%s\n' "job?id=12" "run?id=019a9f00-0000-7000-8000-000000000002" "diff?a=12&b=500"
}

# look SCRIPT OPTION...: what Chromium says of pages of each kind in jobtrail-web, with the script's results
look() {
    local pages=()
    mapfile -t pages < <(walked_pages)
    answer_conf
    local_start root --store "$STORE" # each browser needs an address of its own
    echo "$1" >"$BATS_TEST_TMPDIR/script.js"
    "$JOBTRAIL_SOURCE/test/browser/look" "$ADDRESS&$NOVEMBER" "${pages[@]}" --script "$BATS_TEST_TMPDIR/script.js" "${@:2}" \
        >"$BATS_TEST_TMPDIR/seen.json"
    local_stop
    jq -c '[.page, .messages, .result]' "$BATS_TEST_TMPDIR/seen.json"
    [ "$(jq -s length "$BATS_TEST_TMPDIR/seen.json")" -eq $((${#pages[@]} + 1)) ]
    # but for the first page itself, without the secret, nothing is asked for
    jq -es 'all(.[]; .messages == []) and all(.[1:][].requests[]; startswith("data:")) and
        (.[0].requests | map(select(startswith("data:") | not)) | unique | length) <= 1' "$BATS_TEST_TMPDIR/seen.json"
}

@test "every page, file and thing can be reached from the first page" {
    answer_conf
    local_start root --store "$STORE"
    run --separate-stderr /usr/bin/python3 "$JOBTRAIL_SOURCE/test/e2e/answers/web_crawl.py" "$ADDRESS&$NOVEMBER" "diff?a=12&b=13"
    echo "$output $stderr"
    [ "$status" -eq 0 ]
    local route
    for route in executable library module package user account job run executables libraries users endings coverage runs jobs \
        documentation document users.csv users.json executable.csv runs.csv; do
        grep -q "^$route " <<<"$output"
    done
}

@test "programs of coverage and a run's libraries lead to their pages, and who has none is not linked" {
    serve see=all "store=$STORE"
    FETCH alice "/coverage?$NOVEMBER"
    [[ $output == *'<td class="t"><a href="executable?name=%2Fopt%2Fother&amp;'*">/opt/other</a>"* ]]
    FETCH alice "/executable.json?name=%2Fopt%2Fother&$NOVEMBER"
    [ "$(jq -c '.tables[] | select(.name == "coverage").rows[] | [.outcome, .tasks, .core_hours]' <<<"$output")" = '["container",1,4]' ]
    FETCH alice "/others?$NOVEMBER"
    [[ $output == *'<td class="t">builder</td>'* ]]
    FETCH alice "/run?id=019a9f00-0000-7000-8000-000000000002"
    [[ $output == *'<a href="library?name=hdf5%201.14.3">hdf5 1.14.3</a>'* ]]
    [[ $output != *"more were loaded"* && $output != *"omplete list not known"* ]]
    FETCH alice "/run?id=019a9f00-0000-7000-8000-000000000003"
    [[ $output == *"2 more were loaded"* ]]
    FETCH alice "/run?id=019a9f00-0000-7000-8000-000000000004"
    [[ $output == *"Complete list not known"* ]]
    FETCH alice "/library.json?name=hdf5&$NOVEMBER"
    [[ $(jq -r '.tables[] | select(.name == "files").note' <<<"$output") == "1 runs have an incomplete list of libraries. "*" runs have a list of libraries that may be incomplete." ]]
}

@test "Chromium shows each kind of page without a message, light and dark, on a desktop and on a phone" {
    local options
    for options in --width=1200 "--width 360 --height 740 --dark"; do
        # shellcheck disable=SC2086 # several options
        look "$colours ({readers: $readers, fits: $fits, dark: luminance(behind(document.body)) < 0.2, owned: typeof owned,
            secret: location.search.includes('secret'), contrast: $contrast.filter(found => !found[0]),
            sorted: [...document.querySelectorAll('table')].every(e => e.querySelectorAll('[aria-sort]').length <= 1) })" $options
        jq -es --argjson readers "$readers_want" --argjson fits "$fits_want" --arg options "$options" 'all(.[].result;
            . == {readers: $readers, fits: $fits, dark: ($options | contains("dark")), owned: "undefined", secret: false,
                contrast: [], sorted: true})' "$BATS_TEST_TMPDIR/seen.json"
    done
}

@test "print: a table's heads stand on each sheet that has a part of it, and no sheet but a last one is nearly empty" {
    look "$printed_marks"'
        [...document.querySelectorAll("nav, .find, .asked")].every(e => !e.checkVisibility())' --print --pdf "$BATS_TEST_TMPDIR/pdf"
    jq -es 'all(.[]; .result and (.printed | length > 0))' "$BATS_TEST_TMPDIR/seen.json"
    heads_stand "$BATS_TEST_TMPDIR/seen.json"
    jq -c '[.page, [.printed[].texts]]' "$BATS_TEST_TMPDIR/seen.json"
    jq -es 'all(.[].printed[:-1][]; .texts >= 40)' "$BATS_TEST_TMPDIR/seen.json"
}
