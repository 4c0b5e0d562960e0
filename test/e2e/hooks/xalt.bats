#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Hooks that sites have written for XALT: what they report by xalt_record_pkg belongs to the run that called.
# shellcheck disable=SC2016,SC2030,SC2031 # for other interpreters to expand; bats sets variables

load ../fixture/job
load ../fixture/packages

setup() {
    new_job
    XALT_HOOKS=$JOBTRAIL_SOURCE/test/data/xalt_hooks
    XALT=(XALT_DIR="$JOBTRAIL_STAGE/share/jobtrail/hooks/xalt" XALT_RUN_UUID=00000000-0000-0000-0000-000000000000)
    RECORD_PKG=$JOBTRAIL_STAGE/share/jobtrail/hooks/xalt/libexec/xalt_record_pkg
    make_module "$BATS_TEST_TMPDIR/lib" alpha '__version__ = "1.5"'
    export LC_ALL=C.UTF-8
}

# with_xalts_hooks COMMAND...: as a task of a job at a site that has XALT's hooks alone
with_xalts_hooks() {
    tracked "${XALT[@]}" PYTHONPATH="$XALT_HOOKS:$BATS_TEST_TMPDIR/lib" R_PROFILE="$XALT_HOOKS/Rprofile" "$@"
}

run_of() { # NAME: the run of the program of this name
    records | jq -r --arg name "/$1" '.[] | select(.userT.exec_path | endswith($name)) | .userT.run_uuid'
}

@test "XALT's hook for Python reports to the run that imports" {
    with_xalts_hooks /usr/bin/python3 -c 'import alpha'
    flush
    [[ $(package alpha package_path) == "$BATS_TEST_TMPDIR/lib/alpha/__init__.py" && $(package alpha program) == python ]]
    [[ $(package alpha package_version) == "$(/usr/bin/python3 -c 'import platform; print(platform.python_version())')" ]]
    [[ $(package alpha xalt_run_uuid) == "$(one .userT.run_uuid)" && $(one .XALT_qaT.JOBTRAIL_PKGS_HOOK) == yes ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/*.json
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store" "$RECORDS"
    [[ $(sqlite3 "$BATS_TEST_TMPDIR/store" "SELECT DISTINCT exec_path FROM xalt_run JOIN xalt_pkg USING (run_id) WHERE pkg_name = 'alpha'") == */"$PYTHON_NAME" ]]
}

@test "XALT's hook for R reports to the run of R, and not to that of the shell between" {
    with_xalts_hooks Rscript -e 'library(jsonlite); library(MASS)'
    flush
    [[ $(package_names) == "MASS jsonlite" && $(package jsonlite program) == R ]]
    [[ $(package jsonlite package_path) == /usr/lib/R/site-library/jsonlite ]]
    [[ $(package jsonlite xalt_run_uuid) == "$(run_of exec/R)" && $(package MASS xalt_run_uuid) == "$(run_of exec/R)" ]]
    # what XALT's hook has called is no run
    [[ $(records | jq '[.[] | select(.userT.exec_path | test("record"))] | length') == 0 ]]
}

@test "where both hooks work, a package is there once, with its own version" {
    hooked "${XALT[@]}" PYTHONPATH="$JOBTRAIL_STAGE/share/jobtrail/hooks/python:$XALT_HOOKS:$BATS_TEST_TMPDIR/lib" \
        /usr/bin/python3 -c 'import alpha'
    flush
    [[ $(package alpha package_version) == 1.5 ]]
}

@test "it belongs to the interpreter that has called, through shells, and to nobody behind another program" {
    tracked /usr/bin/python3 - "$RECORD_PKG" <<'P'
import os, subprocess, sys
def call(name, *before):
    subprocess.call([*before, sys.argv[1], "-u", "x", "program", "python", "package_name", name])
call("direct")
call("shell", "/bin/sh", "-c", '"$@"; true', "sh")
call("shells", "/bin/bash", "-c", 'sh -c "$*; true"; true', "bash")
call("behind", "/usr/bin/timeout", "20")
if os.fork() == 0:
    call("forked")
    os._exit(0)
os.wait()
if os.fork() == 0:
    os.execv(sys.argv[1], [sys.argv[1], "program", "python", "package_name", "replaced"])
os.wait()
P
    flush
    [[ $(package_names) == "direct forked replaced shell shells" ]]
    [[ $(packages | jq -r 'map(.xalt_run_uuid) | unique | .[]') == "$(run_of "$PYTHON_NAME")" ]]
}

# quiet ARGUMENT...: no output, status 0
quiet() {
    run "$@"
    [[ $status == 0 && $output == "" ]]
}

@test "whatever the arguments are and where it is called, it is quiet, succeeds and is bounded" {
    local long
    printf -v long '%5000s' ''
    quiet "$RECORD_PKG"
    quiet "$RECORD_PKG" -u
    quiet "$RECORD_PKG" --help -x
    quiet "$RECORD_PKG" -u a program R package_name b
    quiet env JOBTRAIL_SPOOL=/nowhere "$RECORD_PKG" program R package_name b
    quiet env JOBTRAIL_SPOOL=relative "$RECORD_PKG" program R package_name b
    quiet env JOBTRAIL_SPOOL="$SPOOL/$JOB.0/user" "$RECORD_PKG" program R package_name b # bats has no slot
    tracked /usr/bin/python3 - "$RECORD_PKG" "$long" <<'P'
import resource, subprocess, sys
def call(*words, **more):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, **more)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), words
call("program", "python", "package_name")
call("program", "python", "package_version", "1")
call("package_name", "x", "package_version", "1")
call("program", "", "package_name", "x")
call("program", "python", "package_name", "")
call("program", "python", "package_name", "a\tb")
call("program", "python", "package_name", "a\nhook")
call("program", "python", "package_name", "long", "package_path", sys.argv[2])
call("program", "python", "package_name", "line", "package_path", sys.argv[2][:4090])
call("program", "python", "package_name", "odd", "package_version", "1\x1b[m", "package_path", "/\udcff", "xalt_run_uuid", "y", "z", "z")
call("program", "python", "package_name", "first", "package_name", "last")
call("program", "python", "package_name", "limited", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
call("program", "x" * 40, "package_name", "program")
call("program", "python", "package_name", "n" * 257)
call("program", "python", "package_name", "odd", "package_version", "1" * 129)
P
    [[ -z $(flush 2>&1 >/dev/null) ]] # no line is refused
    [[ $(package_names) == "last long odd" && $(package long package_path) == "" ]]
    [[ $(package odd package_version) == "" ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/*.json
}

@test "a file in the place of the packages that is none of the job's is left alone" {
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    mkdir "$BATS_TEST_TMPDIR/false"
    ln -s "$SPOOL/$JOB.0/user/ledger" "$BATS_TEST_TMPDIR/false/ledger"
    for kind in "$BATS_TEST_TMPDIR/fifo" /dev/full "$BATS_TEST_TMPDIR/false/target"; do
        : >"$BATS_TEST_TMPDIR/false/target"
        ln -sfn "$kind" "$BATS_TEST_TMPDIR/false/packages"
        tracked /usr/bin/python3 -c 'import os, subprocess, sys
os.environ["JOBTRAIL_SPOOL"] = sys.argv[2]
sys.exit(subprocess.call([sys.argv[1], "program", "python", "package_name", "x"]))' "$RECORD_PKG" "$BATS_TEST_TMPDIR/false"
        [[ ! -s $BATS_TEST_TMPDIR/false/target ]]
    done
}

@test "a program that is not marked has no packages by it" {
    RULES=$'[paths]\nskip = .*/python[^/]*\nkeep = .*' new_job
    with_xalts_hooks /usr/bin/python3 -c 'import alpha'
    RULES=$'[paths]\nkeep = .*' new_job
    with_xalts_hooks /usr/bin/python3 -c 'import alpha'
    flush
    [[ $(package_names) == "" ]]
}

@test "a session sets XALT_DIR where it is unset, and nothing of XALT's where it is set" {
    local session=("$JOBTRAIL_BIN/jobtrail-submit" session --conf "$CONF")
    sed -i "s|^dir = .*/spool\$|&\nsessions = $BATS_TEST_TMPDIR/sessions|" "$CONF"
    printf '[hooks]\ndir = %s\n' "$JOBTRAIL_STAGE/share/jobtrail/hooks" >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    "$JOBTRAIL_BIN/jobtrail-submit" flush --sessions --conf "$CONF"
    unset XALT_DIR XALT_RUN_UUID
    [[ $("${session[@]}" | grep '^set XALT_[DR]') == "set XALT_DIR $JOBTRAIL_STAGE/share/jobtrail/hooks/xalt
set XALT_RUN_UUID 00000000-0000-0000-0000-000000000000" ]]
    [[ $(XALT_RUN_UUID=mine "${session[@]}" | grep -c '^set XALT_[DR]') == 1 ]]
    ! XALT_DIR=/mine "${session[@]}" | grep '^set XALT_[DR]' || false
    ! XALT_DIR='' "${session[@]}" | grep '^set XALT_[DR]' || false
}
