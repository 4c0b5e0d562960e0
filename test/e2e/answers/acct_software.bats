#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-acct: what sacct cannot, and how runs are put together and printed.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb

setup_file() {
    export TZ=UTC JOBTRAIL_STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    site_load "$JOBTRAIL_STORE"
    mariadb_start
    site_load "$MARIADB_STORE"
}

teardown_file() {
    mariadb_stop
}

acct() {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --allusers --no-sacct "$@"
}

# jobs OPTION...: the jobs of the runs that the option chooses on that day, on one line
jobs() {
    acct -n -P -S 2024-11-20 -E 2024-11-21 -o jobid "$@"
    [ "$status" -eq 0 ]
    jobs=$(paste -sd ' ' <<<"$output")
    echo "$*: $jobs"
}

@test "libraries are compared by version, from the module or the path" {
    jobs --lib 'hdf5>=1.12' && [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf5>=1.14.3' && [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf5=1.14' && [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf5<1.14.3' && [ "$jobs" = "" ]
    jobs --lib 'hdf5>1.9' && [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf5>1.14.3' && [ "$jobs" = "" ]
    jobs --lib 'hdf5<=1.15' && [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf' && [ "$jobs" = "" ]
    jobs --lib 'h*' && [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'libhdf5.so*' --lib c && [ "$jobs" = "6_1.0 12.0" ]
}

@test "name and version of a library follow from its path and module" {
    run python3 - "$JOBTRAIL_SOURCE/contrib" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail import library
for path, module, name, version in [
    ("/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0", None, "hdf5", "1.14.3"),
    ("/sw/hdf5-1.14.3-gcc12/lib/libhdf5_hl.so.310", None, "hdf5_hl", "1.14.3"),
    ("/usr/lib/libz.so.1.2.13", None, "z", "1.2.13"),
    ("/usr/lib/libopenblasp-r0.3.21.so", None, "openblasp", "0.3.21"),
    ("/opt/mkl/2023.1.0/lib/libmkl_core.so.2", "mkl/2023.1", "mkl_core", "2023.1"),
    ("/usr/lib/libc.so.6", "gcc", "c", "6"),
    ("/x/plugin", None, "plugin", None),
]:
    found = library.name(path), library.version(path, module)
    assert found == (name, version), (path, found)
ordered = ["1.2rc1", "1.2", "1.2.0", "1.9", "1.10", "1.10a", "2"]
assert sorted(reversed(ordered), key=library.key)[-4:] == ordered[-4:]
assert library.satisfies("1.10", ">", "1.9") and not library.satisfies(None, ">", "1")
assert library.satisfies("1.14.3", "<=", "1.14") and not library.satisfies("1.14.3", ">", "1.14")
PYTHON
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "runs are chosen by module, compiler, builder, function, environment and package" {
    jobs --module hdf5 && [ "$jobs" = "6_1.0 12.0" ]
    jobs --module hdf5/1.12 && [ "$jobs" = "" ]
    jobs --module flow/2 && [ "$jobs" = "6_1.0 12.0 13.0 16.0" ]
    jobs --compiler gfortran && [ "$jobs" = "6_1.0 12.0" ]
    jobs --compiler 'g?c' && [ "$jobs" = "6_1.0 12.0" ]
    jobs --compiler icc && [ "$jobs" = "" ]
    jobs --built-by bob,carol && [ "$jobs" = "6_1.0 12.0" ]
    jobs --built-by alice && [ "$jobs" = "" ]
    jobs --built-by-others && [ "$jobs" = "6_1.0 12.0" ]
    jobs --function 'H5D*' && [ "$jobs" = "6_1.0 12.0" ]
    jobs --function 'H5' && [ "$jobs" = "" ]
    jobs --env 'OMP_NUM_THREADS=4' --exec a.out && [ "$jobs" = "8+1.0" ]
    jobs --env 'OMP_NUM_THREADS=[!4]*' && [ "$jobs" = "" ]
    jobs --pkg 'numpy<2' && [ "$jobs" = "13.0" ]
    jobs --pkg 'numpy>=2' && [ "$jobs" = "" ]
    jobs --pkg 'mpi*' && [ "$jobs" = "13.0" ]
}

# A run that goes on is a second older when the second store is asked.
without_clock() {
    sed -E 's/[|][-0-9:]+[|](Unknown[|])?RUNNING[|]/|ELAPSED|RUNNING|/'
}

@test "the same questions get the same answers from MariaDB" {
    local question
    for question in '--lib=hdf5>=1.12' '--module=hdf5' '--compiler=gf*' '--built-by=bob' --built-by-others \
        '--function=H5*' '--env=OMP*=4' '--pkg=numpy' '--exec=python*' '--exec=/home/bob/*' '-X' '-j=12.0,6' \
        '-A=CLIMATE' '-s=F' '-uuid=8c8d61fb-98c1-44c0-874c-d613312269f4'; do
        acct -S 2024-11-20 -E 2024-11-21 -P -l "${question/-uuid/--uuid}"
        [ "$status" -eq 0 ]
        expected=$output
        acct -S 2024-11-20 -E 2024-11-21 -P -l "${question/-uuid/--uuid}" --store "$MARIADB_STORE"
        echo "$question $stderr"
        [ "$status" -eq 0 ]
        diff <(without_clock <<<"$expected") <(without_clock <<<"$output")
        [ "$(wc -l <<<"$output")" -gt 1 ]
    done
    acct --coverage -S 2024-11-20 -E 2024-11-21
    expected=$output
    acct --coverage -S 2024-11-20 -E 2024-11-21 --store "$MARIADB_STORE"
    [ "$output" = "$expected" ]
}

@test "credentials that others may read are refused" {
    cp "$JOBTRAIL_CREDENTIALS" "$BATS_TEST_TMPDIR/open"
    chmod 644 "$BATS_TEST_TMPDIR/open"
    JOBTRAIL_CREDENTIALS=$BATS_TEST_TMPDIR/open acct --store "$MARIADB_STORE"
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"nobody else's to read"* ]]
}

@test "a database that is away, or is none, is a message" {
    acct --store mariadb://127.0.0.1:1/jobtrail
    [ "$status" -eq 1 ]
    [[ "$stderr" == "jobtrail-acct: store mariadb://127.0.0.1:1/jobtrail: "*"connect"* ]]
    acct --store "mariadb://127.0.0.1:1,localhost/jobtrail"
    [ "$status" -eq 0 ]
    acct --store mariadb://localhost
    [ "$stderr" = "jobtrail-acct: write mariadb://[USER@][HOST[:PORT]]/DATABASE" ]
    mariadb_sql 'CREATE DATABASE nothing; GRANT ALL ON nothing.* TO loader@localhost'
    acct --store mariadb://localhost/nothing
    [ "$stderr" = "jobtrail-acct: mariadb://localhost/nothing is not a store of jobtrail" ]
}

@test "states choose runs by name and by sacct's code, FAILED with those killed" {
    jobs -s F && [ "$jobs" = "6_1.0 8+1.0" ]
    jobs -s killed && [ "$jobs" = "8+1.0" ]
    jobs -s CD,EXITED --exec 'p*' && [ "$jobs" = "13.0" ]
    acct -s R -n -P -o jobid
    [ "$output" = "15.interactive" ]
    acct -s nonsense
    [ "$status" -eq 1 ]
    [ "$stderr" = "unrecognized job state value 'nonsense'" ]
}

@test "-X puts a job's runs together, the program of most core time first" {
    acct -X -n -P -j 12,13 -o jobid,exec,nruns,state,start,end
    [ "${lines[0]}" = "12|bash,flow.mpi|2|COMPLETED|2024-11-20T10:00:00|2024-11-20T10:00:05" ]
    [ "${lines[1]}" = "13|python3.11,wrapper|2|EXITED|2024-11-20T10:03:10|2024-11-20T10:03:13" ] ||
        [[ "${lines[1]}" == "13|python3.11,wrapper|2|EXITED|"* ]]
}

@test "-T cuts times to the window" {
    acct -T -n -P -j 12.batch -S 2024-11-20T10:00:01 -E 2024-11-20T10:00:03 -o start,end,elapsed
    [ "$output" = "2024-11-20T10:00:01|2024-11-20T10:00:03|00:00:02" ]
}

@test "of a requeued job the last attempt is shown, and all with -D" {
    site_run 019a9f00-3333-7000-8000-000000000000 first 1 \
        '.slurmT += {job_id: 77, restart_count: 0} | .userT.job_id = "77"' >"$BATS_TEST_TMPDIR/requeued"
    site_run 019a9f00-3333-7000-8000-000000000001 second 1 \
        '.slurmT += {job_id: 77, restart_count: 1} | .userT.job_id = "77"' >>"$BATS_TEST_TMPDIR/requeued"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" "$BATS_TEST_TMPDIR/requeued"
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -j 77 -n -P -o exec
    [ "$output" = second ]
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -j 77 -n -P -o exec -D
    [ "$output" = $'first\nsecond' ]
}

@test "nodes are lists with ranges, names of accounts in any case" {
    jobs -N 'n[2-3]' && [[ " $jobs " == *" 8+1.0 "* && " $jobs " != *" 12.0 "* ]]
    jobs -N 'x1,n0[1-2]' && [ "$jobs" = "" ]
    jobs -A PHYSICS && [ "$jobs" = "8+1.0 15.interactive" ]
    acct -N 'n[2-'
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"Invalid hostlist"* ]]
}

@test "CSV quotes what it must, and no cell is a formula" {
    site_run 019a9f00-4444-7000-8000-000000000000 'x' 1 \
        '.userT += {exec_path: "/opt/=HYPERLINK(\"http://evil\",\"a,b\")", cwd: "-1+1", user: "@SUM(A1)"}' \
        >"$BATS_TEST_TMPDIR/formula"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" "$BATS_TEST_TMPDIR/formula"
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -S 2024-11-20 -E 2024-11-21 --csv -o user,execpath,cwd,elapsedraw
    [ "${lines[0]}" = "User,ExecPath,Cwd,ElapsedRaw" ]
    [ "${lines[1]}" = "'@SUM(A1),\"/opt/=HYPERLINK(\"\"http://evil\"\",\"\"a,b\"\")\",'-1+1,3600" ]
}

@test "no cell is a formula where signs are wide, small, or behind blanks and quotes" {
    local sign count=0
    for sign in '\uff1d' '\uff0b' '\uff0d' '\uff20' '\ufe62' '\ufe63' '\ufe66' '\ufe6b' '\u207a' ' =' '   @' \
        "'=" '\"=' ' \"+' '\"\uff1d'; do
        count=$((count + 1))
        site_run "$(printf '019a9f00-4444-7000-8000-%012d' $count)" x 1 \
            '.userT += {cwd: "'"$sign"'1+1", exec_path: "/opt/\(.userT.job_id)"}'
    done >"$BATS_TEST_TMPDIR/formulas"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" "$BATS_TEST_TMPDIR/formulas"
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -n -S 2024-11-20 -E 2024-11-21 --csv -o cwd
    [ "${#lines[@]}" -eq "$count" ]
    [ "$(grep -cE "^\"?'" <<<"$output")" -eq "$count" ]
    # what begins with a tab or a line's end is no longer that, nor are numbers text
    site_run 019a9f00-4444-7000-8000-000000000000 x 1 '.userT.cwd = "\t=1" | .userT.account = "-1.5e3"' >"$BATS_TEST_TMPDIR/others"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/other.db" "$BATS_TEST_TMPDIR/others"
    acct --store "sqlite:$BATS_TEST_TMPDIR/other.db" -n -S 2024-11-20 -E 2024-11-21 --csv -o cwd,account
    [ "$output" = '\t=1,-1.5e3' ]
}

@test "no field shows a byte that a terminal obeys, or a second line" {
    # what a user may call his program: escape sequences, newlines, CR, bell, bidirectional marks, C1
    site_run 019a9f00-5555-7000-8000-000000000000 x 1 '.userT += {
        exec_path: "/opt/\u001b]0;owned\u0007\u001b[2J\nroot|0:0\r\u202egpj.exe\u009b31m\u2028",
        cwd: "\u001b[31m", account: "a\tb\u0000c"} | .cmdlineA = ["\u001b[A", "two\nlines"]' \
        >"$BATS_TEST_TMPDIR/hostile"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" "$BATS_TEST_TMPDIR/hostile"
    fields=$("$JOBTRAIL_SOURCE/contrib/jobtrail-acct" -e | tr -s ' \n' ',')
    for form in '' -P -p --csv --libs; do
        acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -n -S 2024-11-20 -E 2024-11-21 $form -o "$fields"
        [ "$status" -eq 0 ]
        run -0 python3 -c '
import sys
text = sys.stdin.read()
assert all(c == "\n" or c.isprintable() for c in text), ascii(text)' <<<"$output"
    done
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -n -S 2024-11-20 -E 2024-11-21 -P -o execpath,user
    [ "${#lines[@]}" -eq 1 ]
    [[ "${lines[0]}" == '/opt/\x1b]0;owned\x07\x1b[2J\nroot\x7c0:0\r\u202egpj.exe\u009b31m\u2028|carol' ]]
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -S 2024-11-20 -E 2024-11-21 --json
    jq -e '.runs[0].exec_path | test("\u001b")' <<<"$output"
}

@test "values of a megabyte, and names that are SQL, are data" {
    site_run 019a9f00-6666-7000-8000-000000000000 x 1 '.userT += {
        exec_path: "/opt/\u0027; DROP TABLE run; --", user: "x\u0027 OR \u00271\u0027=\u00271"} |
        .cmdlineA = ["a" * 1000000]' >"$BATS_TEST_TMPDIR/sql"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" "$BATS_TEST_TMPDIR/sql"
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -n -S 2024-11-20 -E 2024-11-21 -P -o exec \
        --exec "'; DROP TABLE run; --" -u "x' OR '1'='1"
    [ "$output" = "'; DROP TABLE run; --" ]
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -n -S 2024-11-20 -E 2024-11-21 -P -o cmdline
    [ "${#output}" -eq 1000000 ]
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -n -S 2024-11-20 -E 2024-11-21 -u "y' OR '1'='1"
    [ "$output" = "" ]
}
