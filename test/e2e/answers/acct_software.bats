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
    jobs --lib 'hdf5>=1.12'
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf5>=1.14.3'
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf5=1.14'
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf5<1.14.3'
    [ "$jobs" = "" ]
    jobs --lib 'hdf5>1.9'
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf5>1.14.3'
    [ "$jobs" = "" ]
    jobs --lib 'hdf5<=1.15'
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf'
    [ "$jobs" = "" ]
    jobs --lib libhdf5
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'h*'
    [ "$jobs" = "6_1.0 12.0" ]
}

@test "of an option given twice one value must fit, of values with & between them all" {
    jobs --lib hdf5 --lib none
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'libhdf5.so* & c'
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --lib 'hdf5>=1.10 & hdf5<1.14'
    [ "$jobs" = "" ]
    jobs --lib 'hdf5 & none' --lib 'hdf5>=1.10 & hdf5<1.15'
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --exec 'py*' --exec flow.mpi
    [ "$jobs" = "6_1.0 12.0 13.0 14.0" ]
    jobs --exec 'py*' --exec flow.mpi --module hdf5
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --pkg numpy --pkg 'scipy>1'
    [ "$jobs" = "13.0" ]
    jobs --env OMP_NUM_THREADS=7 --env OMP_NUM_THREADS=4 --exec a.out
    [ "$jobs" = "8+1.0" ]
    jobs --function nothing --function H5Dread
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --function 'H5Dread & H5Fopen' --compiler icc --compiler gfortran
    [ "$jobs" = "6_1.0 12.0" ]
}

@test "a name that the store does not have is told, with the ones that are like it" {
    local -A messages=(
        [--lib=hdf]='--lib hdf: the store has none; did you mean hdf5?'
        [--lib=hdf5>=3]='--lib hdf5>=3: no such version; there is 1.14.3'
        [--module=hfd5]='--module hfd5: the store has none; did you mean hdf5?'
        [--pkg=nunpy]='--pkg nunpy: the store has none; did you mean numpy?'
        [--pkg=numpy>2]='--pkg numpy>2: no such version; there is 1.26.4'
        [-u=alcie]='-u alcie: the store has no run of that user; did you mean alice?'
        [-A=clmate]='-A clmate: the store has none; did you mean climate?'
        [-M=tyni]='-M tyni: the store has none; did you mean tiny?'
        [-N=n77]='-N n77: the store has none'
    )
    for question in "${!messages[@]}"; do
        acct -P -n -S 2024-11-20 -E 2024-11-21 "${question%%=*}" "${question#*=}"
        [ "$status" -eq 0 ]
        [ "$output" = "" ]
        echo "$question: $stderr"
        [ "${stderr_lines[0]}" = "jobtrail-acct: ${messages[$question]}" ]
        [[ ${stderr_lines[1]} == "jobtrail-acct: no runs"*" from 2024-11-20T00:00:00 to 2024-11-21T00:00:00"* ]]
    done
    # beside what there is, too
    acct -n -P -S 2024-11-20 -E 2024-11-21 -o jobid -u alcie,bob
    [ "$output" = $'8+1.0\n15.interactive' ]
    [[ $stderr == *"alcie"*"alice?" ]]
    acct --exek bash
    [ "$status" -eq 1 ]
    [[ $stderr == "jobtrail-acct: unrecognized arguments: --exek bash; did you mean --exec?"* ]]
    acct -o jobid,usr
    [ "$stderr" = 'Invalid field requested: "usr"; did you mean User?' ]
    acct -s FAILD
    [ "$stderr" = "unrecognized job state value 'faild'; did you mean FAILED?" ]
}

@test "where nothing is found, stderr says for whom and when" {
    acct -u carol -S 2024-11-20 -E 2024-11-20T09:00
    [[ ${lines[0]} == JobID* ]]
    [ "$stderr" = "jobtrail-acct: no runs of carol from 2024-11-20T00:00:00 to 2024-11-20T09:00:00; the newest run began 2024-11-20T10:00:00" ]
    acct --json -j 4711 --exec bash --exec zsh
    [ "$(jq -c .runs <<<"$output")" = "[]" ]
    [ "$stderr" = "jobtrail-acct: no runs of job 4711 with --exec bash --exec zsh" ]
    acct --coverage -u carol -S 2024-11-20 -E 2024-11-21
    [ "$stderr" = "jobtrail-acct: no coverage of carol from 2024-11-20T00:00:00 to 2024-11-21T00:00:00; the newest run began 2024-11-20T10:00:00" ]
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
    ("/usr/lib/libcrypto.so.3", "gcc", "crypto", "3"),
    ("/usr/lib/libc.so.6", "gcc/12.2", "glibc", None),
    ("/usr/lib/x86_64-linux-gnu/libm.so.6", "glibc/2.36", "glibc", "2.36"),
    ("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc/2.36", "glibc", "2.36"),
    ("/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "core-glibc/2.36-9", "glibc", "2.36"),
    ("/lib/x86_64-linux-gnu/libc-2.31.so", None, "glibc", "2.31"),
    ("/nix/store/0v6s-glibc-2.37-8/lib/libc.so.6", None, "glibc", "2.37"),
    ("/sw/2023.06/glibc/2.38/lib/libpthread.so.0", None, "glibc", "2.38"),
    ("/cvmfs/site/2023.06/lib64/libc.so.6", "site/2023.06", "glibc", None),
    ("/usr/lib/libc++.so.1", None, "c++", "1"),
    ("/usr/lib/libmpi.so.40.30.4", None, "mpi", "40.30.4"),
    ("/x/plugin", None, "plugin", None),
]:
    found = library.name(path), library.version(path, module)
    assert found == (name, version), (path, found)
assert library.names("/lib/libm.so.6") == ("glibc", "m", "libm")
assert library.names("/lib/libhdf5.so.310") == ("hdf5", "libhdf5")
assert library.shown("/lib/libc.so.6") == "glibc" and library.shown("/x/libz.so.1.2.13") == "z 1.2.13"
assert library.without_unknown({"glibc", "glibc 2.36", "z 1"}) == {"glibc 2.36", "z 1"}
assert library.without_unknown({"glibc", "z 1"}) == {"glibc", "z 1"}
ordered = ["1.2rc1", "1.2", "1.2.0", "1.9", "1.10", "1.10a", "2"]
assert sorted(reversed(ordered), key=library.key)[-4:] == ordered[-4:]
assert library.satisfies("1.10", ">", "1.9") and not library.satisfies(None, ">", "1")
assert library.satisfies("1.14.3", "<=", "1.14") and not library.satisfies("1.14.3", ">", "1.14")
PYTHON
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a list of libraries says what it lacks, and nothing where it is complete" {
    acct -n -P -j 12.0,6_1.0,8+1.0 -S 2024-11-20 -E 2024-11-21 -o jobid,nlibs,libversions
    [ "${lines[0]}" = "6_1.0|>=3|hdf5/1.14.3,(2 more were loaded)" ]
    [ "${lines[1]}" = "8+1.0|>=1|(complete list not known)" ]
    [ "${lines[2]}" = "12.0|3|hdf5/1.14.3" ]
    acct -n --libs -j 12.0,6_1.0,8+1.0 -o jobid
    [ "$(grep -c '^    (' <<<"$output")" -eq 2 ]
    acct -X -n -P -j 12,6_1 -o jobid,nlibs
    [ "$(sort <<<"$output")" = $'12|3\n6_1|>=3' ]
    acct --json -j 12.0,6_1.0,8+1.0
    [ "$(jq -c '[.runs[] | [.job, .unlisted]]' <<<"$output")" = '[["6_1.0",2],["8+1.0",null],["12.0",0]]' ]
}

@test "runs are chosen by module, compiler, builder, function, environment and package" {
    jobs --module hdf5
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --module hdf5/1.12
    [ "$jobs" = "" ]
    jobs --module flow/2
    [ "$jobs" = "6_1.0 12.0 13.0 16.0" ]
    jobs --compiler gfortran
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --compiler 'g?c'
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --compiler icc
    [ "$jobs" = "" ]
    jobs --built-by bob,carol
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --built-by alice
    [ "$jobs" = "" ]
    jobs --built-by-others
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --function 'H5D*'
    [ "$jobs" = "6_1.0 12.0" ]
    jobs --function 'H5'
    [ "$jobs" = "" ]
    jobs --env 'OMP_NUM_THREADS=4' --exec a.out
    [ "$jobs" = "8+1.0" ]
    jobs --env 'OMP_NUM_THREADS=[!4]*'
    [ "$jobs" = "" ]
    jobs --pkg 'numpy<2'
    [ "$jobs" = "13.0" ]
    jobs --pkg 'numpy>=2'
    [ "$jobs" = "" ]
    jobs --pkg 'mpi*'
    [ "$jobs" = "13.0" ]
}

# A run that goes on is a second older when the second store is asked.
without_clock() {
    sed -E 's/[|][-0-9:]+[|]((Unknown)?[|])?RUNNING[|]/|ELAPSED|RUNNING|/'
}

@test "the same questions get the same answers from MariaDB" {
    local question
    for question in '--lib=hdf5>=1.12' '--lib=hdf5 & c' '--module=hdf5' '--compiler=gf*' '--built-by=bob' --built-by-others \
        '--function=H5*' '--env=OMP*=4' '--pkg=numpy' '--exec=python*' '--exec=/home/bob/*' '-X' '-j=12.0,6' \
        '-A=CLIMATE' '-s=F' '-N=n[1-2]' '-uuid=8c8d61fb-98c1-44c0-874c-d613312269f4'; do
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
    [[ "$stderr" == *"readable by nobody else"* ]]
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
    jobs -s F
    [ "$jobs" = "6_1.0 8+1.0" ]
    jobs -s killed
    [ "$jobs" = "8+1.0" ]
    jobs -s CD,EXITED --exec 'p*'
    [ "$jobs" = "13.0" ]
    acct -s R -n -P -o jobid
    [ "$output" = "15.interactive" ]
    acct -s CA,TO -n -S 2024-11-20
    [ "${stderr_lines[0]}" = "jobtrail-acct: -s: only Slurm's accounting has CANCELLED, TIMEOUT: leave out --no-sacct" ]
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
    jobs -N 'n[2-3]'
    [[ " $jobs " == *" 8+1.0 "* && " $jobs " != *" 12.0 "* ]]
    jobs -N 'x1,n0[1-2]'
    [ "$jobs" = "" ]
    jobs -A PHYSICS
    [ "$jobs" = "8+1.0 15.interactive" ]
    acct -N 'n[2-'
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"Invalid hostlist"* ]]
}

@test "CSV quotes what it must, and no cell is a formula" {
    site_run 019a9f00-4444-7000-8000-000000000000 'x' 1 \
        '.userT += {exec_path: "/opt/=HYPERLINK(\"http://evil\",\"a,b\")", cwd: "-1+1", user: "@SUM(A1)"}' \
        >"$BATS_TEST_TMPDIR/formula"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" "$BATS_TEST_TMPDIR/formula"
    acct --store "sqlite:$BATS_TEST_TMPDIR/store.db" -S 2024-11-20 -E 2024-11-21 --csv -o user,execpath,cwd,ncpus
    [ "${lines[0]}" = "User,ExecPath,Cwd,NCPUS" ]
    [[ "${lines[1]}" == "'@SUM(A1),\"/opt/=HYPERLINK(\"\"http://evil\"\",\"\"a,b\"\")\",'-1+1,"* ]]
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
    for form in '' -P --csv --libs; do
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

@test "JSON has environment, ancestors, link and functions, and null for what is not known" {
    local store
    site_run 019a9f00-1111-7000-8000-00000000000a vague 1 '.userT += {account: "unknown", queue: "unknown",
        submit_host: "unknown", scheduler: "unknown", job_id: "98"} | .hash_id = "0" | .slurmT += {job_id: 98, partition: null}' \
        >"$BATS_TEST_TMPDIR/vague"
    for store in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        acct --json -j 12.0 --store "$store"
        jq -e '.runs[0] | .environment == {OMP_NUM_THREADS: "4", PATH: "/usr/bin:/bin"} and .functions == ["H5Dread", "H5Fopen"]
            and .ancestors == [{pid: 4002, name: "slurmstepd", path: "/usr/sbin/slurmstepd", cmdline: ["slurmstepd: [12.0]"]}]
            and (.link | .user == "bob" and .program == "gfortran" and .command == ["gfortran", "flow.o"] and .wrapper == null
                and .libs == ["/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0"])' <<<"$output"
        acct --json -X -j 12 --store "$store" # of several runs there is none of these
        jq -e '.runs[0] | .runs == 2 and .environment == null and .link == null and .exec_path == null' <<<"$output"
        "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$BATS_TEST_TMPDIR/vague"
        acct --json -j 98 --store "$store"
        jq -e '.runs[0] | [.account, .queue, .partition, .submit_host, .scheduler, .hash_id, .link, .functions, .container]
            | all(. == null)' <<<"$output"
        [[ $output != *'"unknown"'* && $output != *'"Unknown"'* ]]
    done
}

@test "links are chosen by who linked, what with and when" {
    local store question
    for store in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        for question in "" "-u bob" "--lib hdf5" "--lib none --lib hdf5" "--function H5*" "--compiler gfortran" "--exec flow*" \
            "--module hdf5" "--cwd /home/bob" "--hash $(jq -r 'select(.userT.exec_path == "/home/alice/bin/flow.mpi") | .hash_id' \
            "$SITE/records" | head -n 1)" "--uuid 5468e07b-0c8a-49a1-8010-3c9a11fce259" "-E 2024-11-19T10:00:01"; do
            # shellcheck disable=SC2086 # several options
            acct --links -S 2024-11-01 -n -P -o exec,user,compiler,nlibs,functions,command --store "$store" $question
            echo "$question: $stderr"
            [ "$output" = "flow.mpi|bob|gfortran|1|H5Dread,H5Fopen|gfortran flow.o" ]
        done
        for question in "-u alice" "--lib c" "--compiler icc" "--cwd /home/al" "-E 2024-11-18"; do
            # shellcheck disable=SC2086 # several options
            acct --links -S 2024-11-01 -n -P --store "$store" $question
            [ "$output" = "" ]
            [[ $stderr == *"jobtrail-acct: no links "* ]]
        done
        acct --links -S 2024-11-01 --json --store "$store"
        jq -e '.links == [.links[0]] and (.links[0] | .user == "bob" and .module == "flow/2" and .wrapper == null)' <<<"$output"
    done
    for question in "-j 12" -X "-s F" --coverage --libs "-N n1" -b; do
        # shellcheck disable=SC2086 # several options
        acct --links $question
        [ "$status" -eq 1 ]
        [[ $stderr == "--"*" go"*" with "* ]]
    done
}

@test "a node is that of a step's tasks, and not of the first rank alone" {
    jobs -j 12 -N n2
    [ "$jobs" = "" ] # one node, says the record
    for store in "$JOBTRAIL_STORE" "$MARIADB_STORE"; do
        site_run 019a9f00-1111-7000-8000-000000000009 wide 1 '.slurmT += {job_id: 12, restart_count: 0} |
            .userT += {user: "alice", account: "climate", job_id: "12"} | .userDT.num_nodes = 2' >"$BATS_TEST_TMPDIR/wide"
        "$JOBTRAIL_BIN/jobtrail-load" --store "$store" "$BATS_TEST_TMPDIR/wide"
        jobs -N 'n[2-3]' --exec wide --store "$store"
        [ "$jobs" = "12.0" ]
        jobs -N n1 --exec wide --store "$store"
        [ "$jobs" = "12.0" ]
        jobs -N n3 --exec wide --store "$store"
        [ "$jobs" = "" ]
    done
}
