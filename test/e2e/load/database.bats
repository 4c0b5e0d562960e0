#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-load into SQLite and into MariaDB: both hold the same.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154,SC2119,SC2120 # SQL has backticks, bats sets variables

bats_require_minimum_version 1.5.0
load ../fixture/stores

setup() {
    new_stores
    cp -r "$JOBTRAIL_SOURCE/test/data/records" records
}

# record UUID [EXTRA]: a run record, EXTRA goes into the top of it
record() {
    echo "{\"userT\":{\"run_uuid\":\"$1\",\"user\":\"alice\",\"account\":\"physics\",\"syshost\":\"tiny\"}${2:+,$2}}"
}

uuid() { # NUMBER
    printf '00000000-0000-7000-8000-%012d\n' "$1"
}

write_link() {
    cat >"$1" <<'JSON'
{"resultT":{"build_epoch":"1732000000.5","build_syshost":"tiny","build_host":"login1","build_user":"bob","exec_path":"/home/bob/flow","hash_id":"77","link_path":"/sw/gcc/13.2/bin/gcc","link_program":"gcc","uuid":"5468e07b-0c8a-49a1-8010-3c9a11fce259","wd":"/home/bob"},"linkA":[["/usr/lib/libm.a","1"],["/tmp/a.o","0"],["/tmp/a.o","0"]],"link_line":["gcc","-o","flow"],"function":["H5Fopen","fftw_plan","H5Fopen"]}
JSON
}

@test "records are loaded once, whatever the database" {
    for store in "${stores[@]}"; do
        load_into records
        [ "$status" -eq 0 ]
        [ "$(count new)" -eq 10 ]
        load_into records
        [ "$(count unchanged)" -eq 11 ]
        [ "$(sql 'SELECT count(*) FROM run')" -eq 10 ]
        [ "$(sql 'SELECT job_id_raw, `signal`, node FROM run WHERE job_id_raw = 9')" = $'9\t9\tn2' ]
    done
}

@test "an end replaces its start, a start never an end" {
    local start end
    start=$(echo records/*.aaa.*-000000000002.json)
    end=$(echo records/*.zzz.*-000000000002.json)
    for store in "${stores[@]}"; do
        load_into "$start"
        load_into "$end"
        [ "$(count updated)" -eq 1 ]
        load_into "$start"
        [ "$(count unchanged)" -eq 1 ]
        [ "$(sql 'SELECT is_start_only, run_time FROM run')" = $'0\t3.5' ]
    done
}

@test "links and packages are loaded, a package before its run" {
    write_link link.tiny.json
    echo "{\"package_name\":\"ggplot2\",\"package_path\":\"/sw/R\",\"package_version\":\"3.5\",\"program\":\"R\",\"xalt_run_uuid\":\"$(uuid 1)\"}" >pkg.tiny.json
    record "$(uuid 1)" >run.one.json
    for store in "${stores[@]}"; do
        load_into link.tiny.json pkg.tiny.json run.one.json
        [ "$status" -eq 0 ]
        [ "$(count new)" -eq 3 ]
        load_into link.tiny.json pkg.tiny.json
        [ "$(count unchanged)" -eq 2 ]
        [ "$(sql 'SELECT link_program, build_user, exec_path FROM xalt_link')" = $'gcc\tbob\t/home/bob/flow' ]
        [ "$(sql 'SELECT function_name FROM join_link_function j JOIN xalt_function f ON j.func_id = f.func_id ORDER BY 1')" = $'H5Fopen\nfftw_plan' ]
        [ "$(sql 'SELECT object_path, lib_type FROM join_link_object j JOIN xalt_object o ON j.obj_id = o.obj_id ORDER BY 1')" = $'/tmp/a.o\to\n/usr/lib/libm.a\ta' ]
        [ "$(sql 'SELECT program, pkg_name, pkg_version, pkg_path FROM xalt_pkg')" = $'R\tggplot2\t3.5\t/sw/R' ]
    done
}

# the columns of XALT's createDB
@test "XALT's tables and columns are there" {
    for store in "${stores[@]}"; do
        load_into records
        local view columns
        while read -r view columns; do
            echo "$view"
            sql "SELECT ${columns// /, } FROM $view" >/dev/null
        done <<'COLUMNS'
xalt_link link_id uuid hash_id date link_program link_path link_module_name link_line cwd build_user build_syshost build_epoch exec_path
xalt_object obj_id object_path syshost hash_id module_name timestamp lib_type
join_link_object join_id obj_id link_id date
xalt_run run_id job_id run_uuid date syshost uuid hash_id account exec_type start_time end_time run_time probability num_cores num_nodes num_threads num_gpus queue sum_runs sum_time user exec_path module_name cwd cmdline container
join_run_object join_id obj_id run_id date
xalt_env_name env_id env_name
join_run_env join_id env_id run_id date env_value
xalt_user usr_id user anon_user
xalt_account acct_id account anon_user field_of_science
xalt_function func_id function_name
join_link_function join_id func_id link_id date
xalt_total_env envT_id run_id date env_blob
xalt_pkg pkg_id run_id program pkg_name pkg_version pkg_path
xalt_field_of_science fos_id account field_of_science directorate
COLUMNS
    done
}

@test "queries as XALT's reports make them run unchanged on MariaDB" {
    store=$MARIADB_STORE
    echo '/usr/lib/x86_64-linux-gnu libc/2.36' >map
    write_link link.tiny.json
    load_into --modules map records link.tiny.json
    [ "$(sql "SELECT ROUND(SUM(t1.run_time*t1.num_cores/3600.0)) AS corehours, COUNT(t1.date) AS n_runs,
        COUNT(DISTINCT(t1.user)) AS n_users, t2.link_program FROM xalt_run AS t1, xalt_link AS t2
        WHERE t1.uuid IS NOT NULL AND t1.uuid = t2.uuid AND t1.syshost LIKE '%' AND t1.queue LIKE '%'
        AND t1.date >= '2024-11-01' AND t1.date < '2024-12-01' GROUP BY link_program")" = $'25\t2\t1\tgcc' ]
    [ "$(sql "SELECT COUNT(DISTINCT(t3.user)), COUNT(DISTINCT(t3.job_id)), t1.object_path, t1.module_name
        FROM xalt_object AS t1, join_run_object AS t2, xalt_run AS t3
        WHERE (t1.module_name IS NOT NULL AND t1.module_name != 'NULL') AND t1.obj_id = t2.obj_id
        AND t2.run_id = t3.run_id AND t3.syshost LIKE 'tiny' AND t3.date >= '2024-11-01'
        GROUP BY t1.object_path ORDER BY 3" | head -n 1 | cut -f 3,4)" = \
        $'/usr/lib/x86_64-linux-gnu/libc.so.6\tlibc/2.36' ]
    [ "$(sql "SELECT CASE WHEN LOWER(SUBSTRING_INDEX(xalt_run.exec_path,'/',-1)) REGEXP 'namd.*' THEN 'NAMD'
        ELSE SUBSTRING_INDEX(xalt_run.exec_path,'/',-1) END AS execname FROM xalt_run
        WHERE exec_path LIKE '%namd2'")" = NAMD ]
    [ "$(sql "SELECT UNCOMPRESS(cmdline) FROM xalt_run WHERE exec_path LIKE '%/wrapper'")" = '["wrapper"]' ]
    [ "$(sql "SELECT env_value FROM join_run_env AS a, xalt_env_name AS b, xalt_run AS c WHERE a.env_id = b.env_id
        AND a.run_id = c.run_id AND b.env_name = 'PATH' AND c.exec_path LIKE '%/wrapper'")" = /usr/bin:/bin ]
}

# shapes of xalt_usage_report, xalt_scalar_bins_usage_report and contrib's queries and directorates
@test "more queries as XALT's reports make them, and their answers" {
    store=$MARIADB_STORE
    printf '/usr/lib math/1\n/sw/legacy old/1\n' >map
    printf 'physics\tAstronomy\tMPS\nclimate\tClimate\tGEO\n' >accounts
    write_link link.tiny.json
    load_into --modules map --accounts accounts records link.tiny.json
    [ "$(sql "SELECT ROUND(SUM(run_time*num_cores/3600)), COUNT(*), COUNT(DISTINCT(job_id)), COUNT(DISTINCT(user)),
        COUNT(DISTINCT(account)) FROM xalt_run WHERE syshost LIKE '%' AND date >= '2024-11-01' AND date < '2024-12-01'
        AND exec_type = 'binary' AND module_name IS NULL")" = $'25\t9\t7\t2\t2' ]
    [ "$(sql "SELECT COUNT(*), SUM(num_cores) FROM xalt_run WHERE exec_type = 'script' OR num_cores > '1'")" = $'0\tNULL' ]
    [ "$(sql "SELECT ROUND(SUM(r.num_cores*r.run_time/3600.0)), COUNT(r.date), COUNT(DISTINCT(r.user)) FROM xalt_run AS r,
        xalt_link AS l WHERE r.uuid IS NOT NULL AND r.uuid = l.uuid AND r.user != l.build_user
        AND r.module_name IS NULL")" = $'25\t2\t1' ]
    [ "$(sql "SELECT COUNT(r.date) FROM xalt_run AS r, xalt_link AS l WHERE r.uuid = l.uuid
        AND r.user = l.build_user")" -eq 0 ]
    [ "$(sql "SELECT CASE WHEN LOWER(SUBSTRING_INDEX(exec_path,'/',-1)) REGEXP '^i?python' THEN 'Python*'
        WHEN LOWER(SUBSTRING_INDEX(exec_path,'/',-1)) REGEXP '^namd2' THEN 'NAMD*'
        ELSE SUBSTRING_INDEX(exec_path,'/',-1) END AS execname, COUNT(date) FROM xalt_run WHERE queue LIKE 'main'
        AND num_cores <= '1' AND exec_path NOT LIKE '%/caf%' AND run_time < '300.0' GROUP BY execname" | cut -f 1 | LC_ALL=C sort | paste -sd ' ')" = \
        'Python* a.out bash flow.mpi solver wrapper' ]
    [ "$(sql "SELECT build_user FROM xalt_link WHERE date = (SELECT max(l.date) FROM xalt_link l, join_link_object j,
        xalt_object o WHERE l.link_id = j.link_id AND j.obj_id = o.obj_id AND l.build_syshost = 'tiny'
        AND o.module_name = 'math/1')")" = bob ]
    [ "$(sql "SELECT YEAR(FROM_UNIXTIME(start_time)), user, job_id FROM xalt_run WHERE module_name = 'old/1'
        AND syshost = 'tiny' ORDER BY start_time DESC LIMIT 1")" = $'2024\talice\t17' ]
    [ "$(sql "SELECT f.directorate, ROUND(SUM(r.run_time*r.num_cores/3600.0)) AS corehours, COUNT(r.date)
        FROM xalt_run AS r, xalt_field_of_science AS f WHERE r.account = f.account
        GROUP BY directorate ORDER BY corehours DESC")" = $'GEO\t25\t8\nMPS\t0\t2' ]
}

@test "each view in MariaDB can be read, whatever collation the reader's connection has" {
    local view collation
    store=$MARIADB_STORE
    load_into records
    for view in $(sql "SELECT table_name FROM information_schema.views WHERE table_schema = 'jobtrail'"); do
        for collation in utf8mb4_nopad_bin utf8mb4_general_ci utf8mb4_unicode_ci latin1_swedish_ci; do
            sql "SET collation_connection = $collation; SELECT * FROM $view" >"$view.$collation"
            cmp "$view.utf8mb4_nopad_bin" "$view.$collation"
        done
    done
    [ -e conflict.latin1_swedish_ci ]
}

# what XALT's loader puts there: py_src/XALTdb.py (json.dumps), obj_type in py_src/xalt_util.py
@test "values in MariaDB are written as XALT writes them" {
    store=$MARIADB_STORE
    record "$(uuid 1)" '"cmdlineA":["a","b\"c,d","","x"],"libA":[["/l/a.so","0"],["/l/a.so.6.0","0"],
        ["/l/a.so.1.debug","0"],["/l/b.o.3","0"],["/l/m-2.36.a","0"],["/opt/v1.2/lib","0"],["/opt/a.so/x","0"]]' |
        jq -ac '.userT.container = "apptainer"' >run.json
    write_link link.tiny.json
    load_into run.json link.tiny.json
    [ "$(sql 'SELECT UNCOMPRESS(cmdline) = CONCAT("[", "\"a\", \"b", CHAR(92), "\"c,d\", \"\", \"x\"]"), container, sum_time FROM xalt_run')" = \
        $'1\tapptainer\t0' ]
    [ "$(sql 'SELECT UNCOMPRESS(link_line) FROM xalt_link')" = '["gcc", "-o", "flow"]' ]
    [ "$(sql 'SELECT o.object_path, o.lib_type FROM xalt_object o JOIN join_run_object j ON j.obj_id = o.obj_id
        ORDER BY 1')" = $'/l/a.so\tso\n/l/a.so.1.debug\t--\n/l/a.so.6.0\tso\n/l/b.o.3\to\n/l/m-2.36.a\ta\n/opt/a.so/x\t--\n/opt/v1.2/lib\t--' ]
}

same_in_both() { # QUERY
    local sqlite mariadb
    sqlite=$(store=sqlite:$PWD/store.db sql "$1")
    mariadb=$(store=$MARIADB_STORE sql "$1")
    diff <(echo "$sqlite") <(echo "$mariadb")
    [ "$(wc -l <<<"$sqlite")" -gt 3 ]
}

@test "the same records make the same rows in both" {
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 3 --programs 50 --users 20 200 >generated
    for store in "${stores[@]}"; do
        load_into records generated
    done
    same_in_both 'SELECT run_uuid, date, job_id, exec_path, hash_id, `user`, num_cores FROM xalt_run ORDER BY 1'
    same_in_both 'SELECT run_uuid, object_path FROM join_run_object j JOIN xalt_run r ON r.run_id = j.run_id
        JOIN xalt_object o ON o.obj_id = j.obj_id ORDER BY 1, 2'
    same_in_both 'SELECT run_uuid, env_name, env_value FROM join_run_env j JOIN xalt_run r ON r.run_id = j.run_id
        JOIN xalt_env_name n ON n.env_id = j.env_id ORDER BY 1, 2'
    same_in_both 'SELECT uuid, build_user, build_modules FROM run LEFT JOIN build ON build.id = build_id ORDER BY 1'
}

@test "paths have modules, and a changed map changes those that are stored" {
    echo '{"reverseMapT":{"/usr/lib":"base","/sw/hdf5/1.14.3":{"pkg":"hdf5/1.14.3","flavor":["default:gcc/13"]},"/home/alice/bin":{"pkg":"flow/1","flavor":["default"]}}}' >spider
    for store in "${stores[@]}"; do
        load_into records
        load_into --modules spider
        [ "$status" -eq 0 ]
        [ "$(count modules_changed)" -gt 2 ]
        [ "$(sql "SELECT DISTINCT module_name FROM xalt_object WHERE object_path LIKE '/sw/hdf5/%'")" = 'hdf5/1.14.3(gcc/13)' ]
        [ "$(sql "SELECT DISTINCT module_name FROM xalt_run WHERE exec_path = '/home/alice/bin/flow.mpi'")" = flow/1 ]
        load_into --modules spider
        [ "$(count modules_changed)" -eq 0 ]
        printf '# old\n/usr/lib/  base/2\n/usr other # all\n' >plain
        load_into --modules plain
        [ "$(sql "SELECT DISTINCT module_name FROM xalt_object WHERE object_path LIKE '/usr/lib/%'")" = base/2 ]
        [ "$(sql "SELECT count(*) FROM xalt_run WHERE module_name = 'flow/1'")" -eq 0 ]
        record "$(uuid 1)" '"libA":[["/usr/lib/new.so","0"],["/usr/library/x.so","0"]]' >new.json
        load_into new.json
        [ "$(sql "SELECT module_name FROM xalt_object WHERE object_path IN ('/usr/lib/new.so', '/usr/library/x.so') ORDER BY object_path")" = $'base/2\nother' ]
    done
}

@test "a map that is none is refused and changes nothing" {
    store=sqlite:$PWD/store.db
    echo 'no path' >map
    load_into --modules map
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"map: is no map of paths to modules"* ]]
    echo '{"reverseMapT":[]}' >map
    load_into --modules map
    [ "$status" -eq 2 ]
    load_into --modules missing
    [ "$status" -eq 2 ]
}

@test "accounts have fields of science" {
    printf '# account\tfield\tdirectorate\nphysics\tAstronomy\tMPS\nclimate\tClimate; "it'"'"'s" warm\tGEO\n' >accounts
    for store in "${stores[@]}"; do
        load_into --accounts accounts records
        [ "$(sql "SELECT field_of_science FROM xalt_account WHERE account = 'physics'")" = Astronomy ]
        [ "$(sql "SELECT field_of_science, directorate FROM xalt_field_of_science WHERE account = 'climate'")" = \
            $'Climate; "it\'s" warm\tGEO' ]
    done
}

@test "what is too old goes, with all that nothing else uses" {
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 4 --days 20 --programs 100 400 >young
    for store in "${stores[@]}"; do
        load_into records young # records are of 2024
        before=$(sql 'SELECT count(*) FROM run')
        sql 'INSERT INTO run_routine_watch SELECT id, 1, 0, 0 FROM run_own WHERE id NOT IN (SELECT run_id FROM run_routine_watch)'
        load_into --expire 10
        [ "$status" -eq 0 ]
        [ "$(count expired)" -ge 200 ]
        [ "$(sql 'SELECT count(*) FROM run')" -eq $((before - $(count expired))) ]
        [ "$(sql "SELECT count(*) FROM run WHERE user = 'alice'")" -eq 0 ]
        [ "$(sql 'SELECT count(*) FROM run_routine_watch')" -eq "$(sql 'SELECT count(*) FROM run_own')" ]
        for table in executable object object_set environment ancestors build env_value env_name; do
            used=$(sql "SELECT count(*) FROM $table")
            echo "$table $used"
            [ "$used" -gt 0 ]
        done
        [ "$(sql "SELECT count(*) FROM executable WHERE path LIKE '/home/alice/%'")" -eq 0 ]
        [ "$(sql "SELECT count(*) FROM run WHERE executable_id NOT IN (SELECT id FROM executable)")" -eq 0 ]
        load_into records young # ids that were known are not used again
        [ "$(sql 'SELECT count(*) FROM run')" -eq "$before" ]
        [ "$(sql 'SELECT count(*) FROM join_run_object')" -gt 400 ]
    done
}

# facts NUMBER END: a coverage record with one fact
facts() {
    echo "{\"coverageT\":{\"uuid\":\"$(uuid "$1")\",\"cluster\":\"lab\",\"syshost\":\"tiny\",\"job_id\":$1,\"array_job_id\":null,\"array_task_id\":null,\"het_job_id\":null,\"het_offset\":null,\"restart_count\":0,\"node\":\"n1\",\"user\":\"alice\",\"account\":\"physics\",\"partition\":\"main\",\"dropped\":0},\"coverageA\":[{\"step_id\":\"0\",\"outcome\":\"recorded\",\"program\":\"/opt/x\",\"tasks\":1,\"first_task\":0,\"leader\":0,\"core_seconds\":1.0,\"start_time\":$(($2 - 1)).0,\"end_time\":$2.0}]}"
}

@test "coverage expires with the runs: it has users' names and programs" {
    local now
    now=$(date +%s)
    mkdir -p facts
    facts 1 $((now - 864000 - 3600)) >"facts/coverage.tiny.2024_11_19_08_00_01_0000.alice.$(uuid 1).json"
    facts 2 $((now - 864000 + 3600)) >"facts/coverage.tiny.2024_11_19_08_00_02_0000.alice.$(uuid 2).json"
    for store in "${stores[@]}"; do
        load_into facts
        [ "$(sql 'SELECT count(*) FROM coverage')" -eq 2 ]
        load_into --expire 10
        [ "$(sql 'SELECT job_id_raw FROM coverage')" -eq 2 ]
    done
}

@test "what is too old goes by its time, in whatever zone it was loaded; a run without a start by its record's" {
    local now start
    now=$(date +%s)
    for start in $((now - 864000 - 3600)) $((now - 864000 + 3600)); do
        record "$(uuid "$start")" "\"userDT\":{\"start_time\":$start,\"end_time\":$now,\"run_time\":1}"
    done >starts
    record "$(uuid 1)" | sed 's/"user":/"currentEpoch":"1732000000.5",&/' >>starts
    for store in "${stores[@]}"; do
        TZ=Pacific/Kiritimati load_into starts # 14 hours before UTC
        TZ=Etc/GMT+12 load_into --expire 10
        [ "$(count expired)" -eq 2 ]
        [ "$(sql 'SELECT uuid FROM run')" = "$(uuid $((now - 864000 + 3600)))" ]
    done
}

# What users write into their watermarks, and others into records.
@test "a time that is no number is none, and keeps nobody else's record out" {
    local epoch i=0
    for epoch in '"nan"' '"-inf"' NaN 1e300 '"1e99"'; do
        i=$((i + 1))
        record "$(uuid $i)" "\"xaltLinkT\":{\"Build_Epoch\":$epoch,\"Build_User\":\"u$i\"}"
    done >odd
    for store in "${stores[@]}"; do
        load_into odd
        [ "$status" -eq 0 ]
        [ "$(count new)" -eq 5 ]
        [ "$(sql 'SELECT count(*), count(build_epoch) FROM build')" = $'5\t0' ]
        write_link odd.json
        sed -i 's/"1732000000.5"/"nan"/' odd.json
        load_into odd.json
        [ "$status" -eq 1 ]
        [[ "$stderr" == *"resultT.build_epoch is out of range"* ]]
    done
}

@test "hostile strings stay data" {
    python3 - "$(uuid 1)" <<'PY'
import json, sys
evil = "'; DROP TABLE run; -- \" \\ % _ <script>alert(1)</script> \x1b[31m \u0000 \ud800 \U0001F600 \uef80 end "
record = {"hash_id": evil[:200], "cmdlineA": [evil, "x" * 1_000_000], "libA": [[evil, "0"], ["/b", evil[:99]]],
    "envT": {evil: evil, "BIG": "y" * 1_000_000, "": ""}, "ptA": [{"cmd_name": evil, "pid": 7}],
    "userT": {"run_uuid": sys.argv[1], "user": evil[:100], "cwd": evil, "exec_path": "/" + evil, "account": " "}}
json.dump(record, open("run.evil.json", "w"))
PY
    for store in "${stores[@]}"; do
        load_into run.evil.json
        [ "$status" -eq 0 ]
        [ "$(sql 'SELECT length(cmdline) > 1000000 FROM run')" -eq 1 ]
        [ "$(sql "SELECT length(env_value) FROM join_run_env JOIN xalt_env_name ON xalt_env_name.env_id = join_run_env.env_id WHERE env_name = 'BIG'")" -eq 1000000 ]
        [ "$(sql "SELECT count(*) FROM run WHERE user LIKE '''; DROP TABLE run; -- \" %'")" -eq 1 ]
        load_into run.evil.json
        [ "$(count unchanged)" -eq 1 ]
        record "$(uuid 2)" '"hash_id":"'"$(printf 'z%.0s' {1..256})"'"' >long.json
        load_into long.json
        [ "$status" -eq 1 ]
        [[ "$stderr" == *"hash_id is too long"* ]]
    done
}

# ended UUID END MIN MAX
ended() {
    record "$1" "\"userDT\":{\"start_time\":1000,\"end_time\":$2},\"slurmT\":{\"end_time_min\":$3,\"end_time_max\":$4}"
}

# The loader's fast path takes a number without an exponent, its parser one with it.
@test "a run whose end is outside of its bounds is set aside" {
    {
        ended "$(uuid 1)" 2000 1500 2500
        ended "$(uuid 2)" 2000 1.5e3 2500
        ended "$(uuid 3)" 2000 2000.5 2500
        ended "$(uuid 4)" 2000 2.0005e3 2500
        ended "$(uuid 5)" 2000 1500 1999.5
        ended "$(uuid 6)" 2000 1.5e3 1999.5
        ended "$(uuid 7)" 2000 -10000000000 2500
        ended "$(uuid 8)" 2000 -1e10 2500
    } >ends
    for store in "${stores[@]}"; do
        load_into ends
        [ "$status" -eq 1 ]
        [ "$(count new)" -eq 2 ]
        [ "$(count damaged)" -eq 6 ]
        [ "$(grep -c 'slurmT.end_time_min is after userDT.end_time' <<<"$stderr")" -eq 2 ]
        [ "$(grep -c 'slurmT.end_time_max is before userDT.end_time' <<<"$stderr")" -eq 2 ]
        [ "$(grep -c 'slurmT.end_time_min is out of range' <<<"$stderr")" -eq 2 ]
        [ "$(sql 'SELECT count(*) FROM run WHERE end_time_min <= end_time AND end_time <= end_time_max')" -eq 2 ]
    done
}

@test "clocks that jump make odd times and no trouble" {
    local n=0 start
    for start in -99999999999 0 -1 4102444800 99999999999 253402300799; do
        n=$((n + 1))
        record "$(uuid $n)" "\"userDT\":{\"start_time\":$start,\"end_time\":5,\"run_time\":-3e10}"
    done >"times"
    for store in "${stores[@]}"; do
        load_into times
        [ "$status" -eq 1 ] # one is out of range
        [ "$(count new)" -eq 5 ]
        [ "$(sql 'SELECT date FROM run WHERE start_time = 4102444800')" = "2100-01-01 00:00:00" ]
        [ "$(sql 'SELECT date FROM run WHERE start_time = 0')" = "1970-01-01 00:00:00" ]
        load_into --expire 1
        [ "$(sql 'SELECT count(*) FROM run')" -eq 2 ] # those to come
    done
}

@test "MariaDB's credentials must be nobody else's to read" {
    store=$MARIADB_STORE
    cp "$JOBTRAIL_CREDENTIALS" mine
    chmod 640 mine
    JOBTRAIL_CREDENTIALS=$PWD/mine load_into records
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"mine may be read by others: chmod 600 it"* ]]
    chmod 600 mine
    sed -i 's/secret/wrong/' mine
    JOBTRAIL_CREDENTIALS=$PWD/mine load_into records
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"Access denied for user 'loader'"* ]]
    [[ "$stderr" != *wrong* ]]
    [ "$(id -u)" -eq 0 ] || return 0
    chown nobody mine
    JOBTRAIL_CREDENTIALS=$PWD/mine load_into records
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"mine belongs to another user"* ]]
}

@test "MariaDB addresses that are none are refused" {
    for store in mariadb:jobtrail mariadb://host mariadb://host/ mariadb://host/a/b; do
        load_into records
        [ "$status" -eq 3 ]
        [[ "$stderr" == *"write mariadb://[USER@][HOST[:PORT]]/DATABASE"* ]]
    done
}

state() {
    sql 'SELECT * FROM store_state UNION SELECT prefix, module_id FROM module_path UNION SELECT uuid, id FROM run'
}

@test "a dry run leaves MariaDB as it is" {
    store=$MARIADB_STORE
    load_into --dry-run records
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"has no tables yet, and a dry run makes none"* ]]
    load_into records/*-000000000001.json
    load_into --dry-run records
    [ "$(count new)" -eq 9 ]
    [ "$(sql 'SELECT count(*) FROM run')" -eq 1 ]
    echo '/sw map/1' >map
    before=$(state)
    load_into --dry-run --modules map
    [ "$status" -eq 0 ]
    load_into --dry-run --expire 1
    [ "$(count expired)" -eq 1 ]
    [ "$(state)" = "$before" ]
}

@test "what MariaDB refuses is set aside alone, and the log that has it stays" {
    store=$MARIADB_STORE
    record "$(uuid 1)" >first
    load_into first
    {
        record "$(uuid 2)"
        record "$(uuid 3)" "\"cmdlineA\":[\"$(printf 'x%.0s' {1..100000})\"]"
        record "$(uuid 4)"
    } >log
    mariadb_sql 'SET GLOBAL max_allowed_packet = 65536'
    load_into --delete log
    first_status=$status first_new=$(count new)
    ls >there
    load_into --delete --quarantine bad log
    mariadb_sql 'SET GLOBAL max_allowed_packet = 16777216'
    [ "$first_status" -eq 1 ]
    [ "$first_new" -eq 2 ]
    grep -qx log there
    [ "$status" -eq 1 ]
    [ ! -e log ]
    [[ "$(cat bad/*.reason)" == "log:2: is larger than the database's max_allowed_packet" ]]
    grep -q "$(uuid 3)" bad/record.*
    [ "$(sql 'SELECT count(*) FROM run')" -eq 3 ]
}

@test "three loaders of the same records at once store each once" {
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 5 --programs 100 600 >everything
    for n in 1 2 3; do
    for store in "${stores[@]}"; do
            jobtrail-load --batch 50 --store "$store" everything >"summary.$n" 2>"said.$n" 3>&- &
        done
        wait
        cat said.*
        [ "$(cat said.*)" = "" ]
        [ "$(sql 'SELECT count(*) FROM run')" -eq 600 ]
        [ "$(sed -n 's/.*: \([0-9]*\) new.*/\1/p' summary.* | awk '{ sum += $1 } END { print sum }')" -eq 600 ]
    done
}

@test "loaders that make a store at once make it once" {
    "$JOBTRAIL_SOURCE/test/bench/make_records" --seed 5 --programs 5 20 >few
    for _ in {1..20}; do
        rm -f new.db*
        for n in 1 2 3 4 5 6; do
            jobtrail-load --store "sqlite:$PWD/new.db" few >"summary.$n" 2>"said.$n" 3>&- &
        done
        wait
        cat said.*
        [ "$(cat said.*)" = "" ]
        [ "$(sqlite3 new.db 'SELECT count(*) FROM run')" -eq 20 ]
    done
}

@test "a MariaDB that is too old is refused by its version" {
    echo >nothing
    mariadb_end
    mariadb_server --version=10.6.21-MariaDB
    run --separate-stderr jobtrail-load --store "$MARIADB_STORE" nothing
    mariadb_end
    mariadb_server
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"the server is 10.6.21-MariaDB; the store needs MariaDB 10.7 or newer"* ]]
}

@test "what MariaDB says of users' text drives no terminal and no log" {
    store=$MARIADB_STORE
    load_into records/*-000000000001.json
    mariadb_sql "delimiter //
        CREATE TRIGGER refuses BEFORE INSERT ON executable FOR EACH ROW BEGIN
        DECLARE said VARCHAR(120) CHARACTER SET utf8mb4 DEFAULT concat('not in here: ', NEW.path);
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said; END//" jobtrail
    jq -ac 'del(.crc) | .userT.exec_path = "/opt/\u001b]0;owned\u0007\u009b31m\n\\x"' records/*-000000000002.json >hostile
    load_into hostile
    [ "$status" -eq 3 ]
    [[ "$stderr" == *'not in here: /opt/\\001B]0;owned\\0007\\009B31m\x0a\\x' ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    ! LC_ALL=C grep -q $'[^\t -~]' <<<"$stderr" || false
    mariadb_sql 'DROP TRIGGER refuses' jobtrail
    store=mariadb://localhost/$'\e[31m'
    load_into hostile
    [ "$status" -eq 3 ]
    ! LC_ALL=C grep -q $'[^ -~]' <<<"$stderr" || false
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --store "$store"
    [ "$status" -eq 1 ]
    [[ "$stderr" == *'\x1b[31m'* ]]
    ! LC_ALL=C grep -q $'[^ -~]' <<<"$stderr" || false
}
