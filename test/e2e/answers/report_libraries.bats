#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What jobtrail-report says of a site's libraries: which are unused, who would be hit if one went, what has changed, and how often they
# are linked and opened. Scans, links and runs are real; opens are records as jobtrail-libmon(8) writes them.
# bats file_tags=needs:libraries,needs:root
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets variables, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/library
load ../fixture/site

setup() {
    export TZ=UTC
    TREE=$(mktemp -d /var/lib/jobtrail-report-XXXXXX) # what lies in /tmp is in no record of a link
    STORE=sqlite:$BATS_TEST_TMPDIR/store.db
    LIST=$BATS_TEST_TMPDIR/list.jsonl
    TODAY=$(date +%F)
    ME=$(id -un)
    export JOBTRAIL_SACCT=/bin/false
    chmod 755 "$TREE"
    RULES=$'[libraries]\ntree = '$TREE$'\nstate = '$BATS_TEST_TMPDIR$'/libraries\nlogs =\ngroup = sky libsun\n' new_job
    LD_DIRECTORY=$JOBTRAIL_STAGE/libexec/jobtrail/ld
    WRAPPED=(JOBTRAIL_CONF="$CONF" XALT_EXECUTABLE_TRACKING=yes USER="$ME" PATH="$LD_DIRECTORY:$PATH" COMPILER_PATH="$LD_DIRECTORY")
}

teardown() {
    rm -rf --one-file-system "$TREE"
}

# site: libmoon is loaded by `program`, which has libsun.a inside; nobody uses libstar, and libold
site() {
    echo 'int moon(void) { return 0; }' | gcc -shared -fPIC -Wl,--build-id -Wl,-soname,libmoon.so.1 -o "$TREE/libmoon.so.1" -x c -
    ln -s libmoon.so.1 "$TREE/libmoon.so"
    echo 'int sun(void) { return 0; }' | gcc -c -o "$BATS_TEST_TMPDIR/sun.o" -x c -
    ar rc "$TREE/libsun.a" "$BATS_TEST_TMPDIR/sun.o"
    make_library "$TREE/star/2.1/libstar.so" star
    make_library "$TREE/libold.so" old
    scan
    list
    build program
}

build() { # NAME
    echo 'int moon(void), sun(void); int main(void) { return moon() + sun(); }' >"$BATS_TEST_TMPDIR/program.c"
    env "${WRAPPED[@]}" gcc "$BATS_TEST_TMPDIR/program.c" -o "$BATS_TEST_TMPDIR/$1" -L"$TREE" -lmoon -lsun -Wl,-rpath,"$TREE"
}

scan() {
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --quiet --conf "$CONF"
}

list() {
    "$JOBTRAIL_BIN/jobtrail-libmon" list --json --conf "$CONF" >"$LIST"
}

runs() { # COUNT: in one job
    local _
    [[ -d $SPOOL/$JOB.0 ]] || "$PROGRAMS/make_spool" "$SPOOL" "$JOB" $((64 << 20)) "$ME"
    for _ in $(seq "$1"); do
        tracked "$BATS_TEST_TMPDIR/program"
    done
    flush >/dev/null
}

# opened JQ: an open of today's, see made_use
opened() {
    mkdir -p "$RECORDS"
    USE_AT=$(($(date +%s) / 3600 * 3600)) made_use ".found = $(date +%s) | .before = $(date +%s) | .after = .before - 1 | $1" \
        >"$RECORDS/lib.made.$((${USES-0} + 1)).json"
    USES=$((${USES-0} + 1))
}

load_all() {
    "$JOBTRAIL_BIN/jobtrail-submit" send --conf "$CONF" >/dev/null
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$RECORDS" >/dev/null
}

report() {
    "$JOBTRAIL_BIN/jobtrail-report" --store "$STORE" "$@"
}

# rows PAGE FILTER OPTION...: of JSON
rows() {
    report "$1" --json --top 0 "${@:3}" | jq -c "[.pages[0].rows[] | $2]"
}

unused() { # OPTION...
    rows unused '[.library, .version, .files, .verdict, .why]' --libraries "$LIST" "$@"
}

@test "unused is what no run, no link and no open has used, as far as that is known" {
    site
    runs 2
    opened '.library = "libold" | .path = "'"$TREE"'/libold.so"'
    load_all
    [[ $(unused -S today) == '[["libstar","2.1",1,"unused",null]]' ]]
    # used, but by none of the period's: the last use is told; the list is older than the period
    sed -E -i 's/"since": ?"[0-9]{4}/"since": "2020/' "$LIST"
    report unused -S tomorrow -E tomorrow --libraries "$LIST" --json | jq -e --arg day "$TODAY" --argjson size "$(stat -c %s "$TREE/libsun.a")" '
        .pages[0].rows | map({key: .library, value: .}) | from_entries |
        (map_values([.last_loaded, .last_linked, .last_opened, .last_called, .verdict]) == {
            libmoon: [$day, $day, null, null, "unused"], libsun: [$day, $day, null, null, "unused"],
            libstar: [null, null, null, null, "unused"], libold: [null, null, $day, null, "unused"]}) and
        (.libsun | [.group, .files, .bytes] == ["sky", 1, $size])'
    [[ $(unused -S today --lib moon) == '[]' && $(unused -S tomorrow -E tomorrow --lib libmoon) == *libmoon*unused* ]]
}

@test "what is not known for long enough is not called unused, and why is said" {
    site
    runs 1
    load_all
    [[ $(unused -S today --lib star) == '[["libstar","2.1",1,"not known","opens: no data"]]' ]]
    [[ $(unused --lib star) == '[["libstar","2.1",1,"not known","here since '"$TODAY; runs: from $TODAY on; links: from $TODAY on"'; opens: no data"]]' ]]
    opened '.library = "libold" | .path = "'"$TREE"'/libold.so" | .before -= 86400 * 800 | .found = .before'
    load_all
    # one open of a trial long ago: nobody knows of later ones
    local trial
    trial=$(date -d "$TODAY - 800 days" +%F)
    [[ $(unused -S today --lib star) == '[["libstar","2.1",1,"not known","opens: until '"$trial"'"]]' ]]
    [[ $(unused -S now-900days --lib star) == *"; opens: from $trial to $trial"* ]]
    opened '.library = "libold" | .path = "'"$TREE"'/libold.so" | .before -= 86400 * 7 | .found = .before'
    load_all
    [[ $(unused --lib star) == '[["libstar","2.1",1,"not known","here since '"$TODAY; runs: from $TODAY on; links: from $TODAY on"'"]]' ]]
    [[ $(unused -S today --lib star) == '[["libstar","2.1",1,"unused",null]]' ]]
    [[ $(unused -S today -E tomorrow --lib star) == *'"not known","opens: until '* ]]
    # what somebody may have told who is not root makes nothing longer known
    sqlite3 "${STORE#sqlite:}" "UPDATE library_event SET proven = 0 WHERE kind = 'use'"
    [[ $(unused -S today --lib star) == *'"not known","opens: no data"]]' ]]
    run -0 report unused -S today --libraries "$LIST"
    [[ $output == *"0 unused since $TODAY, 2 not known."*"runs from $TODAY to $TODAY, links from $TODAY to $TODAY, opens never."* ]]
}

@test "where a watch was away for longer than a day, it is not known whether a library is unused" {
    site
    runs 1
    opened '.library = "libold" | .path = "'"$TREE"'/libold.so"'
    opened '.library = "(unseen)" | .path = "'"$TREE"'" | .count = 0 | .after = .before - 86400'
    load_all
    [[ $(unused -S today --lib star) == '[["libstar","2.1",1,"unused",null]]' ]]
    opened '.library = "(unseen)" | .path = "'"$TREE"'" | .count = 0 | .after = .before - 3 * 86400'
    load_all
    local away
    away=$(date -d "$TODAY - 3 days" +%F)
    [[ $(unused -S today --lib star) == '[["libstar","2.1",1,"not known","opens: not seen on login1 from '"$away to $TODAY"'"]]' ]]
    opened '.library = "(unseen)" | .path = "'"$TREE"'" | .count = 0 | .after = .before - 2 * 86400 | .node = "login2"'
    load_all
    [[ $(unused -S today --lib star) == *"on login1 from $away to $TODAY, the longest of 2 times"* ]]
    # what others than root may have told is no gap, and one that was over before is none of the period
    sqlite3 "${STORE#sqlite:}" "UPDATE library_event SET proven = 0 WHERE library = '(unseen)' AND node = 'login2';
        UPDATE library_event SET after_time = after_time - 86400, before_time = before_time - 86400 WHERE library = '(unseen)'"
    [[ $(unused -S today --lib star) == '[["libstar","2.1",1,"unused",null]]' ]]
}

@test "a copy is no use, an open that no library is told of is said, and one of several files counts for all of them" {
    site
    runs 1
    opened '.what = "copy" | .library = "libold" | .path = "'"$TREE"'/libold.so"'
    opened '.library = "(unseen)" | .path = "'"$TREE"'" | .count = 7'
    load_all
    [[ $(unused -S today | jq -c sort) == '[["libold",null,1,"unused",null],["libstar","2.1",1,"unused",null]]' ]]
    run -0 report unused -S today --libraries "$LIST"
    [[ $output == *"seen on login1 only. At least 7 more opens: of which library is not known."* ]]
    opened '.library = "libstar" | .path = "'"$TREE"'/star/1.0/libstar.so" | .files = 3'
    load_all
    [[ $(unused -S today) == '[["libold",null,1,"unused",null]]' ]]
}

@test "who would be hit are those whose programs load it, who link it, and who open it" {
    site
    runs 3
    opened '.library = "libmoon" | .path = "'"$TREE"'/libmoon.so.1" | .user = "carol" | .count = 4'
    opened '.library = "libmoon" | .path = "'"$TREE"'/libmoon.so.1" | .user = "carol" | .count = 2 | .node = "login2"'
    # times of one file, as two hosts have read them: the same opens
    opened '.library = "libmoon" | .path = "'"$TREE"'/libmoon.so.1" | .source = "atime" | .user = null | .uid = null | .program = "" | .count = 3'
    opened '.library = "libmoon" | .path = "'"$TREE"'/libmoon.so.1" | .source = "atime" | .user = null | .uid = null | .program = "" | .count = 2 |
        .node = "login2"'
    load_all
    local what='[.user, .program, .how, .runs, .jobs, .links, .opens, .last, .certainty]'
    [[ $(rows removal "$what" --lib moon -S today) == '[["'"$ME"'","program","loaded",3,1,null,null,"'"$TODAY"'","recorded"],["'"$ME"'","program","linked",null,null,1,null,"'"$TODAY"'","recorded"],["carol","make","opened",null,null,null,6,"'"$TODAY"'","at least"],[null,null,"read",null,null,null,3,"'"$TODAY"'","at least"]]' ]]
    [[ $(rows removal "$what" --lib sun -S today) == '[["'"$ME"'","program","contains it",3,1,null,null,"'"$TODAY"'","recorded"],["'"$ME"'","program","linked, static",null,null,1,null,"'"$TODAY"'","recorded"]]' ]]
    [[ $(rows removal "$what" --lib star -S today 2>/dev/null) == '[]' ]]
    [[ $(rows removal "$what" --lib moon -S today -u carol) == '[["carol","make","opened",null,null,null,6,"'"$TODAY"'","at least"]]' ]]
    # who can write where records lie may have written what is not proven
    sqlite3 "${STORE#sqlite:}" "UPDATE library_event SET proven = 0 WHERE kind = 'use'"
    [[ $(rows removal '[.user, .opens, .certainty]' --lib moon -S today) == *'["?carol",6,"at least, not proven"]'* ]]
    run -0 report removal --lib moon -S today
    [[ $output == *"Users without a run in this period are not listed."*"Links are recorded from $TODAY on."*"seen on login1, login2 only."* ]]
    # whenever it was linked, and by whom
    local inside='[["'"$ME"'","program","contains it",3,1,null,null,"'"$TODAY"'","recorded"]]'
    sqlite3 "${STORE#sqlite:}" "UPDATE link SET build_epoch = build_epoch - 400 * 86400, build_user = 'alice'"
    [[ $(rows removal "$what" --lib sun -S today) == "$inside" ]]
    [[ $(rows removal "$what" --lib sun -S today -u "$ME") == "$inside" ]]
}

@test "an open is of one module: by the longest prefix of the map, else by the last directories that are called so" {
    printf '%s\n' '/sw/gcc/12.2 gcc/12.2' '/sw/gcc/12.2/openmpi/4.1 openmpi/4.1' '/else/gcc gcc/13' '/else/openmpi openmpi/5' >"$BATS_TEST_TMPDIR/map"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" --modules "$BATS_TEST_TMPDIR/map" /dev/null >/dev/null
    local path
    for path in 12.2/lib64/libgfortran.so 12.2/openmpi/4.1/lib/libmpi.so 13/lib64/libgfortran.so 13/openmpi/5/lib/libmpi.so; do
        opened '.library = "x" | .path = "/sw/gcc/'$path'" | .program = "/bin/'"${path//\//-}"'"'
    done
    load_all
    of_module() {
        rows removal .program -S today --module "$1" | jq -c sort
    }
    [[ $(of_module gcc/12.2) == '["12.2-lib64-libgfortran.so"]' ]]
    [[ $(of_module openmpi/4.1) == '["12.2-openmpi-4.1-lib-libmpi.so"]' ]]
    [[ $(of_module gcc/13) == '["13-lib64-libgfortran.so"]' ]]
    [[ $(of_module openmpi/5) == '["13-openmpi-5-lib-libmpi.so"]' ]]
    # one of those that are asked for is enough
    [[ $(rows removal .program -S today --module gcc/13 --module openmpi/5 | jq length) == 2 ]]
}

@test "a --lib that no run has is said once, and not where the list or a record has it" {
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" /dev/null >/dev/null
    told() { # OPTION...
        { report "$@" -S today >/dev/null; } 2>&1
    }
    [[ $(told removal --lib star=1.0) == "jobtrail-report: --lib star=1.0: the store has none" ]]
    [[ $(told executables --lib star=1.0) == "jobtrail-report: --lib star=1.0: the store has none" ]]
    opened '.library = "libstar" | .path = "/sw/star/1.0/libstar.so"'
    load_all
    [[ -z $(told removal --lib star=1.0) && $(told removal --lib star=2.1) == "jobtrail-report: --lib star=2.1: the store has none" ]]
    printf '%s\n' '{"jobtrail_libraries": 1}' '{"path": "/sw/star/2.1/libstar.so", "library": "libstar"}' >"$LIST"
    [[ -z $(told removal --lib star=2.1 --libraries "$LIST") ]]
}

@test "of sampled runs there is an estimate with its interval" {
    site
    runs 4
    load_all
    sqlite3 "${STORE#sqlite:}" "UPDATE layout SET probability = 0.01"
    [[ $(rows removal '[.how, .runs, .certainty, .runs_low < 400 and (.runs_high == null or .runs_high > 400)]' --lib moon -S today | jq -c '.[0]') == \
        '["loaded",400,"estimate of a sample",true]' ]]
    [[ $(rows removal '[.how, .runs, .links, .certainty]' --lib sun -S today) == \
        '[["contains it",400,null,"estimate of a sample"],["linked, static",null,1,"recorded"]]' ]]
}

@test "what sampling left out may have loaded all that other runs of its path have loaded" {
    site_records "$BATS_TEST_TMPDIR/site"
    # of flow.mpi, which loads hdf5 on 2024-11-20
    local program
    program=$(jq -r 'select((.userT.exec_path // "") | endswith("/flow.mpi")).userT.exec_path' "$SITE/records" | head -n 1)
    site_coverage | jq -c --arg program "$program" '
        select(.coverageT.node == "n1") | .coverageT += {uuid: "019a9f00-2222-7000-8000-000000000090", job_id: 97, cpus: 1,
            start_time: 1733832000, end_time: 1733835600, start_source: "prolog", end_source: "epilog", suspended: 0,
            core_seconds: 3600, timezone: "UTC", others_runs: 0, others_seconds: 0, clock_step: null} |
        .coverageA = [{outcome: "sampled", program: $program, step_id: "0", day: "2024-12-10", tasks: 1, runs: 3, first_task: 0,
            leader: null, core_seconds: 3600, start_time: 1733832000, end_time: 1733835600}]' >>"$SITE/records"
    site_load "$STORE" >/dev/null
    printf '%s\n' '{"jobtrail_libraries": 1, "made": "2024-12-31T00:00:00Z"}' \
        '{"path": "/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0", "library": "hdf5", "size": 9, "since": "2020-01-01T00:00:00Z"}' >"$LIST"
    [[ $(rows unused '[.library, .last_loaded]' --libraries "$LIST" -S 2024-12-10 -E 2024-12-31) == '[]' ]]
    [[ $(rows unused '[.library, .last_loaded]' --libraries "$LIST" -S 2024-12-11 -E 2024-12-31) == '[["hdf5","2024-12-10"]]' ]]
    local what='[.user, .program, .how, .runs, .runs_low, .runs_high, .jobs, .last, .certainty]'
    [[ $(rows removal "$what" --lib hdf5 -S 2024-12-10 -E 2024-12-31) == '[["alice","flow.mpi","may have loaded",3,0,3,null,"2024-12-10","at most"]]' ]]
    [[ $(rows removal "$what" --lib hdf5 -S 2024-12-11 -E 2024-12-31) == '[]' ]]
    # the estimate of who has loaded it tells of these runs, too
    [[ $(rows removal .how --lib hdf5 -S 2024-11-20 -E 2024-12-31 -u alice) == *loaded* ]]
    [[ $(rows removal .how --lib hdf5 -S 2024-11-20 -E 2024-12-31 -u alice) != *may* ]]
}

@test "the page of changes has an installation in a row, with the runs of before and after" {
    site
    runs 2
    next_second
    echo 'int moon(void) { return 0; } int more;' | gcc -shared -fPIC -Wl,--build-id -Wl,-soname,libmoon.so.1 -o "$TREE/made" -x c -
    mv "$TREE/made" "$TREE/libmoon.so.1"
    next_second
    scan
    next_second
    runs 1
    load_all
    [[ $(rows changes '[.library, .what, .files, .user, .runs_before, .failed_before, .unknown_before, .runs_after, .runs_after_low]' -S today) == \
        '[["libmoon","1 replaced",1,null,2,0,2,1,null]]' ]]
    [[ $(rows changes .runs_before -S today -u nobody) == '[0]' ]]
    [[ $(rows changes .runs_before -S today --lib star) == '[]' ]]
}

# next_second: times of scans are whole seconds, and a run of the same second as a change would be in doubt
next_second() {
    local now
    now=$(date +%s)
    wait_for later "$now"
}

later() {
    (($(date +%s) > $1))
}

# bats test_tags=needs:answers
@test "links and opens by weekday and by month" {
    site
    build other
    runs 1
    opened '.library = "libmoon" | .path = "'"$TREE"'/libmoon.so.1" | .count = 4'
    opened '.library = "libstar" | .path = "'"$TREE"'/star/2.1/libstar.so" | .count = 9 | .what = "link"'
    opened '.library = "libstar" | .path = "'"$TREE"'/star/2.1/libstar.so" | .count = 5 | .source = "atime"'
    # of no library: 2 that login1's watch saw and 2 of a file that was gone may be the 3 that times
    # of one file tell of, as login1 and login2 read them
    opened '.library = "(others)" | .path = "'"$TREE"'/libold.so" | .count = 2'
    local atime='.library = "(others)" | .path = "'"$TREE"'/libold.so" | .count = 3 | .source = "atime" | .user = null | .uid = null'
    opened "$atime"
    opened "$atime | .node = \"login2\""
    opened '.library = "(unseen)" | .path = "'"$TREE"'" | .count = 2'
    load_all
    local day
    day=$(LC_ALL=C date +%a)
    [[ $(rows weekdays "[.library, .$day, .total]" -S today --use linked) == '[["libsun.a",2,2],["moon 1",2,2]]' ]]
    [[ $(rows weekdays "[.library, .$day, .total]" -S today) == '[["moon 1",1,1]]' ]]
    [[ $(rows weekdays "[.library, .$day, .${day}_low, .${day}_high, .total]" -S today --use opened) == \
        '[["libmoon",4,4,null,4],["libstar",9,9,null,9]]' ]]
    report weekdays --use opened -S today --json | jq -e ".pages[0] | .total.$day == 13 and .total.total == 13 and
        (.note | contains(\"At least 4 more opens: of which library is not known.\"))"
    told() { # OPTION...
        report weekdays --use opened -S today --json "$@" | jq -r '.pages[0].note' | grep -o 'At least [0-9]* more opens'
    }
    [[ $(told -u alice) == "At least 4 more opens" && $(told -N login2) == "At least 3 more opens" ]]
    [[ -z $(told -u nobodyelse 2>/dev/null) && -z $(told -M elsewhere 2>/dev/null) ]]
    [[ $(rows months '[.compiler, .total]' -S today --use linked --of compilers) == '[["gcc",2]]' ]]
    report months --use linked -S now-365days --json |
        jq -e --arg now "${TODAY:0:7}" '.pages[0].rows[0] | .[$now] == 2 and .total == 2 and ([.[]] | map(select(. == null)) | length) > 11'
    report weekdays --use linked -S today --csv | grep '^moon 1,'
    report months --use linked -S today --csv | grep '^moon 1,'
    report weekdays --use opened -S today --html | grep -q libstar
    run -0 report weekdays --use opened -S 2001-01-01 -E 2001-01-02
    [[ $output == *"Nothing from 2001-01-01 to 2001-01-02"* ]]
}

@test "what cannot be asked for is said" {
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" /dev/null >/dev/null
    wrong() { # MESSAGE OPTION...
        run -1 --separate-stderr report "${@:2}"
        [[ $stderr == "jobtrail-report: $1"* ]] || {
            echo "$stderr"
            return 1
        }
    }
    wrong "there is no page months of fields; there is --of libraries, system, modules, compilers, users, executables" months --use linked --of fields
    wrong "--account does not choose links: their records do not have it" weekdays --use linked -A x
    wrong "--partition does not choose opens from outside of jobs: their records do not have it" weekdays --use opened -r x
    wrong "--use linked has no effect on trends; it has on weekdays, months" trends --use linked
    wrong "unused needs the list of the site's libraries, a file that jobtrail-libmon list --json has written: on the collector JOBTRAIL_LIBRARIES in collector.env" unused
    wrong "removal needs --lib or --module: it lists who would be affected by its removal" removal
    wrong "--user does not go with the page unused: it lists what is not used" unused -u "$ME" --libraries /dev/null
    wrong "--exec does not go with the page removal: links and opens do not have it" removal --lib x --exec y
    wrong "--pkg does not go with the page changes: it is of libraries" changes --pkg x
    wrong "/dev/null: is no list of jobtrail-libmon list --json" unused --libraries /dev/null
    wrong "$BATS_TEST_TMPDIR/none: No such file" unused --libraries "$BATS_TEST_TMPDIR/none"
    echo '{"jobtrail_libraries": 2}' >"$LIST"
    wrong "the list of libraries is of form 2: use a newer jobtrail" unused --libraries "$LIST"
    run -0 report weekdays --use opened -S today
    [[ $output == *"No opens are recorded: the keys watch and use_records of jobtrail.conf(5) switch this on."* ]]
}

@test "damaged lines of a list are left out and counted" {
    site
    load_all
    local good
    good=$(tail -n 1 "$LIST")
    {
        printf '%s\n' '{"path": "/x"}' '[]' '{' '' "${good%?}, \"size\": -1}" "${good%?}, \"since\": \"yesterday\"}" "${good%?}, \"size\": 1e999}" \
            "${good%?}, \"path\": 7}"
        head -c 70000 /dev/zero | tr '\0' x
        echo
        printf '%100000s\n' '' | tr ' ' '['
    } >>"$LIST"
    run -0 report unused --libraries "$LIST" -S today
    [[ $output == *"The list was made on $TODAY. 10 lines of the list could not be read."* && $output == *libstar* ]]
    # JOBTRAIL_LIBRARIES names it, too; then it is one of all pages
    export JOBTRAIL_LIBRARIES=$LIST
    [[ $(report --json -S today | jq -c '[.pages[].name] | index("unused") != null and index("removal") == null') == true ]]
    unset JOBTRAIL_LIBRARIES
    [[ $(report --json -S today | jq -c '[.pages[].name] | index("unused")') == null ]]
}

@test "no number, text or date of a list ends the report" {
    local good digits
    site
    load_all
    good=$(tail -n 1 "$LIST")
    digits=$(printf '%0400d' 0)
    # each of these is damaged, a head too
    printf '%s\n' "${good%?}, \"size\": 1$digits}" "${good%?}, \"since\": 1$digits}" "${good%?}, \"size\": 9223372036854775808}" \
        "${good%?}, \"since\": 1e308}" "${good%?}, \"since\": 99999999999999999}" "${good%?}, \"since\": NaN}" \
        "${good%?}, \"since\": \"9999-12-31T23:59:59-23:00\"}" "${good%?}, \"since\": \"0001-01-01T00:00:00\"}" \
        "${good%?}, \"since\": \"0000-00-00T00:00:00Z\"}" "${good%?}, \"version\": \"\\ud800\"}" "${good%?}, \"path\": \"/x\\udfff\"}" \
        "{\"jobtrail_libraries\": 1, \"made\": 1$digits}" "{\"jobtrail_libraries\": 1, \"node\": \"\\ud800\"}" >>"$LIST"
    run -0 report unused --libraries "$LIST" -S today
    [[ $output == *"The list was made on $TODAY. 13 lines of the list could not be read."* && $output == *libstar* ]]
    # the last and the first time that are not
    printf '%s\n' "${good%?}, \"size\": 9223372036854775807, \"since\": \"9999-12-30T00:00:00Z\"}" \
        "${good%?}, \"path\": \"/x\", \"library\": \"libx\", \"since\": 0}" >>"$LIST"
    TZ=UTC-14 rows unused '[.library, .since]' --libraries "$LIST" >"$BATS_TEST_TMPDIR/rows"
    jq -e --argjson good "$good" '[.[] | select(.[0] == ("libx", $good.library))] | map(.[1]) | sort == ["1970-01-01", "9999-12-30"]' "$BATS_TEST_TMPDIR/rows"
    # parts of lines in any order, and bytes
    run -0 /usr/bin/python3 -I - "$JOBTRAIL_STAGE/libexec/jobtrail" <<'PYTHON'
import random
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.libraries.list_door import TEXTS, List
from jobtrail.program import Failure
from jobtrail.report.columns import day_of
VALUES = [b"1", b"-1", b"1e999", b"9" * 400, b"1e308", b"253402128001", b"NaN", b"null", b"true", b"[]", b"{}", b'""', b'"\\ud800"', b'"\\udc80"',
          b'"/a\\u0000b"', b'"/x.so"', b'"\xff"', b'"9999-12-31T23:59:59"', b'"0001-01-01T00:00:00+99:99"', b'"2026-02-30T00:00:00Z"']
KEYS = [key.encode() for key in (*TEXTS, "size", "since", "made", "cluster", "node")]
chance, listed = random.Random(31), List()
site = listed.found
for number in range(50000):
    line = b'{"path":"/x","library":"x"' if chance.random() < 0.9 else b'{"jobtrail_libraries":1'
    for key in chance.sample(KEYS, chance.randrange(4)):
        line += b',"%s":%s' % (key, chance.choice(VALUES))
    line = bytearray(line + b"}\n")
    if chance.random() < 0.2:
        line[chance.randrange(len(line))] = chance.randrange(256)
    try:
        listed.take(bytes(line))
    except Failure:
        pass
    for file in site.files.values():
        day_of(file.since), "%d" % (file.size or 0), "".join(text or "" for text in file[:7]).encode()
    site.files.clear()
    day_of(site.made)
print(site.damaged)
PYTHON
    ((output > 1000 && output < 49000))
}

@test "a published report names nobody" {
    site
    runs 1
    opened '.library = "libmoon" | .path = "'"$TREE"'/libmoon.so.1" | .user = "carol" | .program = "/home/carol/carols"'
    load_all
    run -0 report removal changes --lib moon -S today --pseudonyms
    [[ $output == *"user-"*loaded* && $output != *carol* && $output != *"$ME "* && $output != *libmoon* ]]
    run -0 report unused --libraries "$LIST" -S today --pseudonyms
    [[ $output == *"library-"* && $output != *libstar* ]]
    run -1 report removal --lib moon --without users
    [[ $output == *"the page removal is left out by --without"* ]]
}
