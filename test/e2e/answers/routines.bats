#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What jobtrail-report says of routines of designated libraries, and the logs of calls that jobtrail-libq reads. Libraries, programs, runs
# and their records are real: of a shared library and of an archive that jobtrail-robj has prepared, by two users.
# bats file_tags=needs:root,needs:routines
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets variables, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/mariadb

DESIGNATED=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so\\.1\nkeep = archive:libsun\\.a\n'

setup_file() {
    mariadb_start
}

setup() {
    export TZ=UTC JOBTRAIL_SACCT=/bin/false
    unset JOBTRAIL_LIBRARIES JOBTRAIL_ROUTINE_LOGS
    cd "$BATS_TEST_TMPDIR" || return
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/.."
    STORE=sqlite:$BATS_TEST_TMPDIR/store.db
    LOGS=$BATS_TEST_TMPDIR/logs
    TODAY=$(date +%F)
    ME=$(id -un)
    mkdir "$LOGS"
    libraries
}

# libmoon has rise, set, full and dark; libsun.a has shine and glow. `climb` calls rise, full and shine, `dive` set alone.
libraries() {
    printf 'int %s(void) { return 1; }\n' rise set full dark >moon.c
    mkdir -p moon/2.1
    gcc -O2 -shared -fPIC -Wl,--build-id -Wl,-soname,libmoon.so.1 -o moon/2.1/libmoon.so.1 moon.c
    ln -s libmoon.so.1 moon/2.1/libmoon.so
    printf 'int %s(void) { return 2; }\n' shine glow >sun.c
    gcc -O2 -c sun.c
    ar rc plain.a sun.o
    "$JOBTRAIL_BIN/jobtrail-robj" -m plain.a >sun.entries
    "$JOBTRAIL_BIN/jobtrail-robj" -w -a -i libsun.a -e sun.entries -o libsun.a plain.a >/dev/null
    program climb 'return rise() + full() + shine() + rise() - 5;'
    program dive 'return set() - 1;'
    program idle 'return (argc > 5 ? dark() : 0);'
}

program() { # NAME BODY
    echo "int rise(void), set(void), full(void), dark(void), shine(void); int main(int argc, char **words) { (void)argc; (void)words; $2 }" |
        gcc -O2 -x c - -x none -o "$1" -Lmoon/2.1 -lmoon libsun.a -Wl,-rpath,"$PWD/moon/2.1"
}

# job USER PROGRAM...: runs of these in one job of the user's
job() {
    local name
    RULES=${RULES-$DESIGNATED} OWNER=$1 new_job
    for name in "${@:2}"; do
        tracked setpriv --reuid "$1" --clear-groups "./$name"
    done
    flush >/dev/null
}

load_all() {
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$RECORDS" >/dev/null
}

report() {
    "$JOBTRAIL_BIN/jobtrail-report" --store "$STORE" "$@"
}

# rows PAGE FILTER OPTION...: of JSON
rows() {
    report "$1" --json --top 0 "${@:3}" | jq -c "[.pages[0].rows[] | $2]"
}

site() {
    job "$ME" climb climb idle
    job games climb dive
    load_all
}

# bats test_tags=needs:answers
@test "routines have the runs, calls and users of the runs that called them, and the first and the last call" {
    site
    local what='[.library, .routine, .runs, .runs_high, .calls, .users, .first, .last]' day='"'$TODAY'","'$TODAY'"'
    [[ $(rows routines "$what" --by runs) == '[["libsun.a","shine",3,null,null,2,'"$day"'],["moon 2.1","full",3,null,null,2,'"$day"'],["moon 2.1","rise",3,null,null,2,'"$day"'],["moon 2.1","set",1,null,null,1,'"$day"']]' ]]
    what='[.library, .routines, .runs, .users]'
    [[ $(rows routines "$what" --of libraries --by runs) == '[["moon 2.1",3,4,2],["libsun.a",1,3,2]]' ]]
    what='[.user, .routines, .runs]'
    [[ $(rows routines "$what" --of users --by runs | jq -c sort) == "$(jq -nc --arg me "$ME" '[["games",4,2],[$me,3,2]] | sort')" ]]
    what='[.routine, .runs]'
    [[ $(rows routines "$what" -u games) == '[["shine",1],["full",1],["rise",1],["set",1]]' ]]
    [[ $(rows routines "$what" --exec dive) == '[["set",1]]' ]]
    [[ $(rows routines "$what" --lib 'moon>=2' --exec climb) == '[["full",3],["rise",3]]' ]]
    [[ $(rows routines "$what" --lib sun) == '[["shine",3]]' && $(rows routines "$what" --lib 'moon>=3' 2>/dev/null) == '[]' ]]
    [[ $(rows routines "$what" -N e2e --lib sun) == '[["shine",3]]' && $(rows routines "$what" -N other 2>/dev/null) == '[]' ]]
    [[ $(rows routines "$what" -S now-2days -E now-1days) == '[]' ]]
    # an archive is known to the report though no run has loaded it
    [[ -z $(report routines --lib sun 2>&1 >/dev/null) ]]
    run -0 report routines
    [[ $output == *"Calls are recorded from $TODAY on."* && $output == *"3 or more"* ]]
    # all numbers are lower bounds, for people and for programs
    [[ $output == *"2 or more"* ]]
    [[ $(rows routines 'select(.routine == "shine") | [.users_low, .users_high, .jobs_low, .jobs_high, .core_hours_low == .core_hours, .core_hours_high, .calls_low]') == '[[2,null,1,null,true,null,null]]' ]]
    [[ $(report routines --csv --lib sun | grep -o 'core_hours_low.*jobs_high' | tr ',' ' ' | wc -w) -ge 10 ]]
    # as weekdays and months say of the same runs
    [[ $(rows routines '[.runs_low, .runs_high]' --of libraries --by runs) == '[[4,null],[3,null]]' ]]
    report routines --html -o page.html
    grep -q '<th scope="row"[^>]*>.*moon 2.1' page.html
    run -0 report routines --of users --pseudonyms
    [[ $output == *user-* && $output != *games* ]]
}

@test "calls are counted where the site counts them, and are a lower bound where some runs have not" {
    RULES=${DESIGNATED/"$KEEP_ALL"/$'[tracking]\nroutine_counts = yes\n'"$KEEP_ALL"} job "$ME" climb climb
    load_all
    LD_BIND_NOW=1 RULES=${DESIGNATED/"$KEEP_ALL"/$'[tracking]\nroutine_counts = yes\n'"$KEEP_ALL"} job "$ME" climb
    load_all
    # where the loader binds lazily a count may be lower than it was: see *routine_counts*
    [[ $(rows routines '[.routine, .runs]' --lib moon) == '[["full",3],["rise",3]]' ]]
    [[ $(rows routines '.calls >= 3' --lib moon) == '[true,true]' ]]
    job "$ME" climb
    load_all
    [[ $(rows routines '[.runs, .calls >= 3, .calls_low == .calls, .calls_high]' --lib moon) == '[[4,true,true,null],[4,true,true,null]]' ]]
    run -0 report routines
    [[ $output == *"or more"* ]]
}

@test "by weekday and by month runs that called count once under each name, as lower bounds without a sum" {
    site
    local day month
    day=$(date +%a) month=$(date +%Y-%m)
    [[ $(rows weekdays "[.library, .$day, .${day}_low, .${day}_high, .total]" --use called -S today) == '[["libsun.a",3,3,null,3],["moon 2.1",4,4,null,4]]' ]]
    [[ $(rows months "[.library, .[\"$month\"], .total]" --use called -S today) == '[["libsun.a",3,3],["moon 2.1",4,4]]' ]]
    [[ $(rows months "[.routine, .total]" --use called --of routines -S today) == '[["libsun.a: shine",3],["moon 2.1: full",3],["moon 2.1: rise",3],["moon 2.1: set",1]]' ]]
    [[ $(rows months "[.executable, .total]" --use called --of executables -S today) == '[["climb",3],["dive",1]]' ]]
    # of these each run has one
    [[ $(report weekdays --use called --of users -S today --json | jq -c '.pages[0].total | [.total, .total_low, .total_high]') == '[4,4,null]' ]]
    [[ $(report weekdays --use called -S today --json | jq -c '.pages[0].total') == null ]]
    # months before the first call are blank, and not 0
    [[ $(rows months "[.user, .[\"$(date -d "$month-01 -1 month" +%Y-%m)\"]]" --use called --of users -u games) == '[["games",null]]' ]]
    run -1 report weekdays --use called --of modules
    [[ $output == *"there is no page weekdays of modules; there is --of libraries, routines, users, executables" ]]
}

uncalled() { # OPTION...
    rows uncalled '[.library, .routine, .last, .runs, .verdict, .why]' "$@"
}

@test "uncalled is what nobody has called, by the library's own symbols or a list, as far as that is known" {
    site
    [[ $(uncalled -S today --lib moon --entries moon/2.1/libmoon.so.1) == '[["moon 2.1","dark",null,5,"not called",null]]' ]]
    # `glow` is in the list of the archive, which each program has in it
    [[ $(uncalled -S today --lib sun --entries sun.entries) == '[["libsun.a","glow",null,3,"not called",null]]' ]]
    # without a list, what was called once
    [[ $(uncalled -S today) == '[]' ]]
    [[ $(uncalled -S tomorrow -E tomorrow --lib moon | jq -c 'map(.[1:5])') == \
        '[["full","'"$TODAY"'",0,"not called"],["rise","'"$TODAY"'",0,"not called"],["set","'"$TODAY"'",0,"not called"]]' ]]
    # data begin late
    [[ $(uncalled -S now-1days --lib moon --entries moon/2.1/libmoon.so.1) == '[["moon 2.1","dark",null,5,"not known","watched from '"$TODAY"' on"]]' ]]
    # a run that was not watched may have called it
    RULES=$KEEP_ALL job "$ME" idle
    load_all
    [[ $(uncalled -S today --lib moon --entries moon/2.1/libmoon.so.1) == '[["moon 2.1","dark",null,5,"not known","1 runs loaded it unwatched"]]' ]]
    run -0 report uncalled -S today --lib moon --entries moon/2.1/libmoon.so.1
    [[ $output == *"0 not called since $TODAY, 1 not known."* ]]
    rm -f moon/2.1/libmoon.so
    echo 'int dark(void); int main(void) { return dark() - 1; }' | gcc -O2 -x c - -x none -o night moon/2.1/libmoon.so.1 -Wl,-rpath,"$PWD/moon/2.1"
    job "$ME" night
    load_all
    [[ $(uncalled -S today --lib moon --entries moon/2.1/libmoon.so.1) == '[]' ]]
}

@test "a library offers what nm lists as its functions" {
    local library
    for library in "$(gcc -print-file-name=libm.so.6)" "$(gcc -print-file-name=libc.so.6)" moon/2.1/libmoon.so.1; do
        diff <(PYTHONPATH=$JOBTRAIL_SOURCE/contrib python3 -B -c 'import sys; from jobtrail.routines import entries
print(*sorted(entries.read(sys.argv[1])), sep="\n")' "$library") \
            <(nm -D --defined-only "$library" | awk '$2 ~ /^[TWi]$/ { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u)
    done
}

@test "runs whose calls did not all find room are lower bounds, and what they may have called is not known" {
    local i name
    name=$(printf 'x%.0s' {1..230})
    for i in {100..199}; do
        echo "int r${i}_$name(void) { return 0; }"
    done >many.c
    { sed 's/ {.*/;/' many.c && echo 'int main(void) { return' && sed 's/int \(.*\)(void).*/\1() +/' many.c && echo '0; }'; } >caller.c
    gcc -shared -fPIC -Wl,-soname,libmany.so.1 -o libmany.so.1 many.c
    gcc caller.c -o caller ./libmany.so.1 -Wl,-rpath,"$PWD"
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmany\\.so\\.1\n' job "$ME" caller
    load_all
    local called
    called=$(rows routines .runs --lib many | jq length)
    ((called > 10 && called < 100))
    [[ $(rows routines '[.runs, .runs_low, .runs_high]' --lib many | jq -c unique) == '[[1,1,null]]' ]]
    [[ $(uncalled -S today --lib many --entries libmany.so.1 | jq -c '[length, (map(.[4:]) | unique)]') == \
        "[$((100 - called)),[[\"no call seen\",\"1 run could have\"]]]" ]]
    run -0 report routines --lib many
    [[ $output == *"1 runs with these libraries may have called more: imports of 1 were missed"* ]]
}

# bats test_tags=needs:libraries
@test "a library that is not used by this year's runs has the day of its last call" {
    mkdir tree
    cp moon/2.1/libmoon.so.1 tree
    rm -r moon
    mv tree/libmoon.so.1 . && mkdir -p moon/2.1 && mv libmoon.so.1 moon/2.1
    RULES=$DESIGNATED$'[libraries]\ntree = '$PWD$'/moon\nstate = '$PWD$'/libraries\nlogs =\n' job "$ME" climb
    load_all
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --quiet --conf "$CONF"
    "$JOBTRAIL_BIN/jobtrail-libmon" list --json --conf "$CONF" >list.jsonl
    [[ $(rows unused '[.library, .last_loaded, .last_called]' -S tomorrow -E tomorrow --libraries list.jsonl) == '[["libmoon","'"$TODAY"'","'"$TODAY"'"]]' ]]
    run -0 report unused --libraries list.jsonl -S today
    [[ $output == *"Calls are recorded from $TODAY on."* ]]
}

update() {
    "$JOBTRAIL_BIN/jobtrail-report" --store "$STORE" --summary "$BATS_TEST_TMPDIR/sums" --update --routine-logs "$LOGS"
}

libq() {
    "$JOBTRAIL_BIN/jobtrail-libq" "$@"
}

# words LOG: its lines without dates, programs and paths, sorted
words() {
    cut -d' ' -f2-4 "$LOGS/$1" | sed 1d | sort | uniq -c | awk '{ print $1, $2, $3, $4 }'
}

# bats test_tags=needs:libraries
@test "each call is a line in the library's log, once, with who, when and which, and jobtrail-libq reads it" {
    local first
    site
    update
    [[ $(head -n 1 "$LOGS/libmoon.log") == "# jobtrail: unsorted UTC" ]]
    diff <(words libmoon.log) <(printf '%s\n' "1 full games job=4711" "2 full $ME job=4711" "1 rise games job=4711" "2 rise $ME job=4711" "1 set games job=4711" | sort -k2)
    first=$(sqlite3 store.db "SELECT min(first_call) FROM run_routine JOIN routine ON routine.id = routine_id WHERE name = 'set'")
    [[ $(grep ' set ' "$LOGS/libmoon.log") == "$(LC_ALL=C date -d "@$first" +%a_%b_%d_%Y_%H:%M) set games job=4711 program=dive path=$PWD/moon/2.1/libmoon.so.1" ]]
    [[ $(libq -c -S today "$LOGS/libmoon.log") == 7 && $(libq -c "$LOGS/libsun.log") == 3 ]]
    run -1 libq -E yesterday "$LOGS"/*.log
    [[ $(TZ=Asia/Tokyo libq -c -S "$(date -d @"${first%.*}" +%FT%H:%MZ)" "$LOGS/libmoon.log") -ge 1 ]]
    [[ $(libq --by weekday --json "$LOGS"/*.log | jq -c '[.libraries[] | [.library, .total]]') == '[["moon",7],["sun",3]]' ]]
    # nothing is told twice, and what comes later is told
    update
    [[ $(libq -c "$LOGS/libmoon.log") == 7 ]]
    job games dive
    load_all
    update
    [[ $(libq -c "$LOGS/libmoon.log") == 8 && $(words libmoon.log) == *"2 set games job=4711"* ]]
    [[ $(stat -c %a "$LOGS/libmoon.log") == 644 && $(stat -c %a "$LOGS/.state") == 600 ]]
}

# bats test_tags=needs:libraries
@test "pages and logs are the same from MariaDB" {
    local what=("routines" "routines --of users -u games" "routines --lib moon -N e2e" "uncalled -S today --lib moon --entries moon/2.1/libmoon.so.1"
        "uncalled -S tomorrow -E tomorrow" "months --use called --of routines")
    site
    mariadb_database jobtrail
    "$JOBTRAIL_BIN/jobtrail-load" --store "$MARIADB_STORE" "$RECORDS" >/dev/null
    for page in "${what[@]}"; do
        # shellcheck disable=SC2086 # several words
        diff <(report $page --json | jq '[.pages, .numbers]') <(STORE=$MARIADB_STORE report $page --json | jq '[.pages, .numbers]')
    done
    update
    mv "$LOGS" sqlite
    mkdir "$LOGS"
    STORE=$MARIADB_STORE
    for _ in 1 2; do
        update
        diff <(cd sqlite && sort ./*.log) <(cd "$LOGS" && sort ./*.log)
    done
    job games dive
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$RECORDS" >/dev/null
    update
    [[ $(libq -c "$LOGS/libmoon.log") == 8 ]]
}

@test "after a kill between lines and state each line is in its log once" {
    site
    update
    cp -r "$LOGS" whole
    local size
    size=$(stat -c %s "$LOGS/libmoon.log")
    job games dive climb
    load_all
    # before the state says that these are told: lines are there, the last one is cut
    cp "$LOGS/.state" before
    update
    cp "$LOGS/libmoon.log" wanted
    jq -c --argjson size "$size" --argjson sun "$(stat -c %s whole/libsun.log)" '.sizes = {"libmoon.log": $size, "libsun.log": $sun}' before >"$LOGS/.state"
    truncate -s -7 "$LOGS/libmoon.log"
    update
    diff wanted "$LOGS/libmoon.log"
    [[ $(jq -c .sizes "$LOGS/.state") == '{}' ]]
}

# bats test_tags=needs:libraries
@test "a run that goes on is told when it is over, also where its number is far back" {
    site
    sqlite3 store.db "UPDATE run_own SET is_start_only = 1 WHERE id = (SELECT max(run_id) FROM run_routine)"
    update
    [[ $(libq -c "$LOGS/libmoon.log") == 6 ]]
    job games climb
    load_all # all records, that of its end, too
    update
    [[ $(libq -c "$LOGS/libmoon.log") == 9 && $(words libmoon.log) == *"1 set games"* ]]
}

# bats test_tags=needs:libraries
@test "names of users' own making break no line, and what is not proven has a mark" {
    echo 'int odd(void) { return 3; }' | gcc -O2 -fPIC -c -x c - -o odd.o
    echo 'int odd(void); int main(void) { return odd() - 3; }' | gcc -O2 -c -x c - -o caller.o
    objcopy --redefine-sym 'odd=a b\c' odd.o
    objcopy --redefine-sym 'odd=a b\c' caller.o
    gcc -shared -Wl,-soname,libmoon.so.1 -o libmoon.so.1 odd.o
    gcc -o 'p =q' caller.o ./libmoon.so.1 -Wl,-rpath,"$PWD"
    job "$ME" 'p =q'
    load_all
    sqlite3 store.db "UPDATE run_own SET proven = 0"
    update
    [[ $(sed 1d "$LOGS/libmoon.log" | cut -d' ' -f2-) == "a\\x20b\\x5cc ?$ME job=4711 program=p\\x20=q path=$PWD/libmoon.so.1" ]]
    [[ $(libq -c "$LOGS/libmoon.log") == 1 ]]
}

@test "logs are bounded by [libraries] log_size and log_files, and by user" {
    RULES=$DESIGNATED$'[libraries]\nlog_size = 1M\nlog_files = 2\n'
    job "$ME" climb
    load_all
    export JOBTRAIL_CONF=$CONF
    update
    local _
    for _ in 1 2 3; do
        yes "Wed_May_17_1995_08:49 L2TCG filei" | head -c 1048576 >>"$LOGS/libmoon.log"
        job "$ME" climb
        load_all
        update
    done
    [[ $(find "$LOGS" -name 'libmoon.log*' -printf '%f\n' | sort | paste -sd ' ') == "libmoon.log libmoon.log.1 libmoon.log.2" ]]
    [[ $(words libmoon.log) == $'1 full '"$ME"$' job=4711\n1 rise '"$ME"' job=4711' ]]
    # a user's lines at once
    sqlite3 store.db "INSERT INTO routine (routine_library_id, name, identity) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
        SELECT (SELECT min(id) FROM routine_library WHERE path LIKE '%moon%'), 'r' || i, i FROM n"
    job "$ME" dive
    load_all
    sqlite3 store.db "INSERT INTO run_routine (run_id, routine_id) SELECT (SELECT max(run_id) FROM run_routine), id FROM routine WHERE name GLOB 'r[0-9]*'"
    update
    [[ $(grep -vc "full\|rise\|#" "$LOGS/libmoon.log") == 1001 && $(tail -n 1 "$LOGS/libmoon.log" | cut -d' ' -f2-) == "(more) $ME lines=201" ]]
}

@test "one user's names of libraries do not use up the logs of others" {
    job games dive
    load_all
    sqlite3 store.db "INSERT INTO routine_library (path, build_id, identity) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
        SELECT '/tmp/libforged' || i || 'x.so', '', i FROM n;
        INSERT INTO routine (routine_library_id, name, identity) SELECT id, 'forged', id FROM routine_library WHERE path LIKE '%forged%';
        INSERT INTO run_routine (run_id, routine_id) SELECT (SELECT max(run_id) FROM run_routine), id FROM routine WHERE name = 'forged'"
    update
    # with libmoon there are 61 libraries
    [[ $(find "$LOGS" -name 'lib*.log' | wc -l) == 50 && $(grep -vc '^#' "$LOGS/%28others%29.log") == 11 ]]
    job "$ME" climb
    load_all
    update
    [[ $(grep -c " $ME " "$LOGS/libmoon.log") == 2 && $(grep -c " $ME " "$LOGS/libsun.log") == 1 ]]
    # what is known of it stays known in the next turn
    sqlite3 store.db "INSERT INTO routine_library (path, build_id, identity) VALUES ('/tmp/libmore.so', '', 'more');
        INSERT INTO routine (routine_library_id, name, identity) SELECT id, 'more', 'more' FROM routine_library WHERE path LIKE '%more%'"
    job games dive
    load_all
    sqlite3 store.db "INSERT INTO run_routine (run_id, routine_id) SELECT (SELECT max(run_id) FROM run_routine), id FROM routine WHERE name = 'more'"
    update
    [[ ! -e $LOGS/libmore.log && $(grep -c ' more ' "$LOGS/%28others%29.log") == 1 ]]
}

# small COMMAND...: in less memory than all these names take
small() {
    (ulimit -v 400000 && "$@")
}

@test "names of routines that no run of the period has called cost a question no memory" {
    site
    sqlite3 store.db "INSERT INTO routine_library (path, build_id, identity) VALUES ('/tmp/libforged.so', '', 'forged');
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO routine (routine_library_id, name, identity)
        SELECT (SELECT id FROM routine_library WHERE path LIKE '%forged%'), printf('%04000d', i), i FROM n"
    [[ $(small report routines --json --top 0 | jq '.pages[0].rows | length') == 4 ]]
    [[ $(small report uncalled --json --lib moon | jq '.pages[0].rows | length') == 0 ]]
    [[ $(small report months --use called --json | jq '.pages[0].rows | length') == 2 ]]
    small "$JOBTRAIL_BIN/jobtrail-acct" --store "$STORE" -S now-1days --routine nosuch >/dev/null 2>said
    [[ $(<said) == *"--routine nosuch: no run has called one"* ]]
}

@test "logs that others may write to, or of another store, are refused, and nothing is written" {
    site
    chmod 777 "$LOGS"
    if [[ $(id -u) == 0 ]]; then
        run -1 update
        [[ $output == *"root writes nothing below a directory that others can write to"* && ! -e $LOGS/libmoon.log ]]
    fi
    chmod 755 "$LOGS"
    ln -s /etc/passwd "$LOGS/libmoon.log"
    run -1 update
    rm "$LOGS/libmoon.log"
    [[ -s /etc/passwd ]]
    update
    cp store.db other.db
    STORE=sqlite:$PWD/other.db run -1 update
    [[ $output == *"has logs of another store, sqlite:$PWD/store.db: remove them"* ]]
    rm "$LOGS/.state"
    run -1 update
    [[ $output == *"has logs, but no .state that says which runs are in them: remove them"* ]]
    echo nonsense >"$LOGS/.state"
    run -1 update
    [[ $output == *"is damaged: remove it and the logs"* ]]
    rm -r "$LOGS"
    run -1 update
    [[ $output == *"logs of calls: logs: No such file or directory"* ]]
}

@test "what is asked wrongly is told, with what was meant" {
    wrong() { # MESSAGE OPTION...
        run -1 --separate-stderr report "${@:2}"
        [[ $stderr == "jobtrail-report: $1"* ]] || {
            echo "$stderr"
            return 1
        }
    }
    load_all 2>/dev/null || { job "$ME" idle; load_all; }
    wrong "--entries needs --lib: it says which routines that library has" uncalled --entries moon.c
    wrong "--entries has no effect on routines; it has on uncalled" routines --entries moon.c
    wrong "--user does not go with the page uncalled: it lists what is not called" uncalled -u "$ME"
    wrong "--pkg does not go with the page routines: a call is of no package" routines --pkg numpy
    wrong "--pkg does not choose runs that called routines: their records do not have it" weekdays --use called --pkg numpy
    wrong "there is no page routines of fields; there is --of routines, libraries, users" routines --of fields
    wrong "--lib nothing: the store has none" uncalled --lib nothing --entries moon.c
    [[ $stderr == *"no run has loaded a library that matches --lib: its routines are not known" ]]
    wrong "plain.a: is an archive: make a list of its entries with jobtrail-robj --make" uncalled --lib moon --entries plain.a
    wrong "store.db: is no shared library of 64 bits, nor a list of routines" uncalled --lib moon --entries store.db
    wrong "none: No such file or directory" uncalled --lib moon --entries none
    head -c 500 moon/2.1/libmoon.so.1 >cut.so
    wrong "cut.so: is no shared library of 64 bits, nor a list of routines" uncalled --lib moon --entries cut.so
}
