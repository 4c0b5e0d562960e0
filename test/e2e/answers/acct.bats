#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-acct: sacct's habits. The records in test/data/records are of 2024-11-20, UTC.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0

setup_file() {
    export TZ=UTC JOBTRAIL_STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    "$JOBTRAIL_BIN/jobtrail-load" "$JOBTRAIL_SOURCE/test/data/records"
}

acct() {
    run --separate-stderr "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --allusers "$@"
}

# rows OPTION...: what acct prints about all runs of that day, without header
rows() {
    acct -n -P -S 2024-11-20 -E 2024-11-21 "$@"
}

# moment TEXT: what acct makes of a time, seen through the message about a start after the end
moment() {
    acct -S now+3650days -E "$1"
    [ "$status" -eq 1 ]
    sed -n 's/.*after end time (\(.*\))\.$/\1/p' <<<"$stderr"
}

@test "the default columns are aligned, cut and underlined as sacct's" {
    acct -S 2024-11-20 -E 2024-11-21
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "JobID               JobName      User                 Exec               Start    Elapsed      State ExitCode " ]
    [ "${lines[1]}" = "---------------- ---------- --------- -------------------- ------------------- ---------- ---------- -------- " ]
    [ "${lines[2]}" = "6_1.0                           alice             flow.mpi 2024-11-20T10:01:00 1-01:01:01     FAILED      3:0 " ]
    # without accounting the job's name is not known, and nobody has asked for it by name
    [ "$stderr" = "" ]
    [ "${#lines[@]}" -eq 12 ]
}

@test "-b has few columns, -l many, and either may do without its header" {
    acct -j 12.0 -b
    [ "${lines[0]}" = "JobID                            Exec      State ExitCode " ]
    acct -j 12.0 --brief --noheader
    [ "${#lines[@]}" -eq 1 ]
    acct -j 12.0 --long --no-sacct --parsable2
    [ "$(tr -cd '|' <<<"${lines[0]}" | wc -c)" -gt 30 ]
    [ "$(tr -cd '|' <<<"${lines[0]}" | wc -c)" -eq "$(tr -cd '|' <<<"${lines[1]}" | wc -c)" ]
    [[ "${lines[0]}" == "JobID|JobIDRaw|UUID|"* ]]
}

@test "each way to end has its word and its exit code" {
    rows -o jobid,state,exitcode,endsource
    [ "${lines[0]}" = "6_1.0|FAILED|3:0|task_exit" ]
    [ "${lines[1]}" = "8+1.0|KILLED|0:9|task_exit" ]
    [ "${lines[2]}" = "12.batch|COMPLETED|0:0|task_exit" ]
    [ "${lines[4]}" = "13.0|EXITED|?:?|fini" ]
    [ "${lines[5]}" = "13.0|EXECED|?:?|exec" ]
    [ "${lines[6]}" = "14.0|UNKNOWN|?:?|reboot" ]
    [ "${lines[7]}" = "15.interactive|RUNNING|?:?|" ]
    [ "${lines[9]}" = "17|EXITED|?:?|" ]
}

@test "JOBTRAIL_ACCT_FORMAT has the fields, where no option has them" {
    export JOBTRAIL_ACCT_FORMAT=jobid%-6,exec
    acct -n -P -j 12.0
    [ "$output" = "12.0|flow.mpi" ]
    acct -n -P -j 12.0 -o user
    [ "$output" = "alice" ]
    acct -j 12.0 -P -b
    [ "${lines[0]}" = "JobID|Exec|State|ExitCode" ]
    JOBTRAIL_ACCT_FORMAT=jobid,exek acct -j 12.0
    [ "$status" -eq 1 ]
    [ "$stderr" = 'Invalid field requested: "exek"; did you mean Exec?' ]
}

@test "rows are sorted by value, what is not known last, and the first ones shown alone" {
    rows -o jobid --sort=-elapsed --top 3 -u alice
    echo "$output"
    [ "$output" = $'6_1.0\n14.0\n17' ]
    rows -o jobid --sort elapsed,-start --top 2 -u alice
    echo "$output"
    [ "$output" = $'13.0\n13.0' ]
    rows -o exitcode --sort exitcode,jobid --top 4
    [ "$output" = $'0:0\n0:0\n0:0\n0:9' ]
    rows -o jobid,partition --sort=-partition
    [ "${lines[-1]}" = "17|" ]
    rows -X -o jobid --sort=-nruns,jobid --top 2
    [ "$output" = $'12\n13' ]
    acct --json --sort=-elapsed --top 1 -S 2024-11-20 -E 2024-11-21 -u alice
    [ "$(jq -r '.runs[].job' <<<"$output")" = 6_1.0 ]
    for bad in "--top 0" "--top x" "--sort foo" "--coverage --top 2"; do
        # shellcheck disable=SC2086 # an option and its value
        acct $bad
        [ "$status" -eq 1 ]
    done
}

@test "CPU time is elapsed time times CPUs" {
    rows -j 6 -o cputime,cputimeraw,ncpus
    [ "$output" = "4-04:04:04|360244|4" ]
}

@test "sizes, hashes and directories choose runs" {
    rows -o jobid --ncpus 4 -u bob
    [ "$output" = $'8+1.0\n15.interactive' ]
    rows -o jobid -I 5-
    [ "$output" = "" ]
    rows -o jobid -i 1-2 --ntasks 1 --gpus 0 -j 12.0
    [ "$output" = "12.0" ]
    rows -o jobid --gpus 1-
    [ "$output" = "" ]
    rows -o jobid --hash A94A8F
    [ "$output" = $'6_1.0\n12.0' ] # of a library
    rows -o jobid --hash 0000000000000000000000000000000000abc4be
    [ "$output" = "12.batch" ]
    rows -o jobid --cwd /home/alice -j 12
    [ "$output" = $'12.batch\n12.0' ]
    rows -o jobid --cwd /home/ali -j 12
    [ "$output" = "" ]
    rows -o jobid --cwd '/home/*/run' --cwd /nowhere -j 12.0
    [ "$output" = "12.0" ]
    rows -o jobid --container '*.sif'
    [ "$output" = "" ]
    rows -o jobid -w n2
    [ "$output" = "8+1.0" ]
    for bad in "--hash xyzt" "--hash abc" "-i 2-1" "-I x" "--gpus -1"; do
        # shellcheck disable=SC2086 # an option and its value
        acct $bad
        echo "$bad: $stderr"
        [ "$status" -eq 1 ]
    done
}

@test "what cannot be answered is refused with the reason" {
    local -A expected=([-B]="batch scripts" [-c]="completion" [--env-vars]="--json" [--federation]="-M" [--local]="-M"
        [-f=x]="completion" [--file=x]="completion" [-v]="no longer output" [--yaml]="--json" [--use-local-uid]="names"
        [-p]="-P" [-T]="--json" [--truncate]="--json" [--noconvert]="--units" [--usage]="--help" [-k=5]="-j" [-C=gpu]="-j"
        [--wckeys=x]="-j" [-x=1]="-j" [-R=None]="-j" [-F=SchedMain]="-j" [-g=x]="-j" [-K=5]="-j"
        [--whole-hetjob]="8+0" [--whole-hetjob=no]="8+0" [--expand-patterns]="StdOut")
    for option in "${!expected[@]}"; do
        acct "$option"
        echo "$option: $stderr"
        [ "$status" -eq 1 ]
        [ "$output" = "" ]
        [[ $stderr == *" cannot be answered: "*"${expected[$option]}"* ]]
    done
    for state in PD pending S SUSPENDED RS; do
        acct -s "CD,$state"
        [ "$status" -eq 1 ]
        [[ $stderr == "-s "*": a state of jobs, not of runs: ask sacct or squeue" ]]
    done
    acct --name x --no-sacct
    [ "$status" -eq 1 ]
    [ "$stderr" = "--name needs Slurm's accounting: leave out --no-sacct" ]
}

@test "every option of sacct is known" {
    python3 - "$JOBTRAIL_SOURCE/contrib" <<'EOF'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.acct.main import parser
# of Slurm 22.05 and 24.11
OPTIONS = """-a --allusers -A --accounts --array -b --brief -B --batch-script -c --completion -C --constraints --delimiter
    -D --duplicates -e --helpformat -E --endtime --env-vars --expand-patterns --federation -f --file -F --flags -g --gid
    --group -h --help -i --nnodes -I --ncpus -j --jobs --json -k --timelimit-min -K --timelimit-max -l --long --local
    -L --allclusters -M --clusters -n --noheader --noconvert -N --nodelist --name -o --format -p --parsable
    -P --parsable2 -q --qos -r --partition -R --reason -s --state -S --starttime -T --truncate -u --uid --user --units
    --usage --use-local-uid -v --verbose -V --version -W --wckeys --whole-hetjob -x --associations -X --allocations
    --yaml""".split()
have = {option for action in parser()._actions for option in action.option_strings}
assert not set(OPTIONS) - have, set(OPTIONS) - have
EOF
    "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --version | grep -q '^jobtrail-acct '
    [ "$("$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --help | grep -c -e --allclusters -e --array)" = 0 ]
}

# completed WORD...: what bash offers for the last word, on one line
completed() {
    PATH=$JOBTRAIL_SOURCE/contrib:$PATH bash -c '
        . "$JOBTRAIL_SOURCE/contrib/completion/jobtrail.bash"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _jobtrail "$1"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | paste -sd ' '
}

@test "bash completes options, fields, states and lists" {
    [ "$(completed jobtrail-acct --allo)" = "--allocations" ]
    [ "$(completed jobtrail-acct -o "")" = "$(rows --helpformat && tr -s ' \n' ' ' <<<"$output" | sed 's/ $//')" ]
    [ "$(completed jobtrail-acct -o jobid,execp)" = "jobid,ExecPath" ]
    [ "$(completed jobtrail-acct --sort = -elapsedm)" = "-ElapsedMax" ]
    [ "$(completed jobtrail-acct --coverage -o t)" = "Tasks" ]
    [ "$(completed jobtrail-acct --links --format wr)" = "Wrapper" ]
    if "$JOBTRAIL_SOURCE/test/systems/can" libraries; then
        [ "$(completed jobtrail-acct --changes -o failed)" = "Failed FailedAfter" ]
        [ "$(completed jobtrail-acct --events -o changes)" = "Changes" ]
    fi
    [ "$(completed jobtrail-acct -s CD,oom)" = "" ]
    [ "$(completed jobtrail-acct -s CD,out)" = "CD,OUTLIVED CD,OUT_OF_MEMORY" ]
    [[ " $(completed jobtrail-acct -u alice,roo) " == *" alice,root "* ]]
    [ "$(completed jobtrail-report --full)" = "--full-paths" ]
    [ "$(completed jobtrail-report -o exec)" = "" ]
    # both shells know all states
    local file
    python3 -c "import sys; sys.path.insert(0, '$JOBTRAIL_SOURCE/contrib')
from jobtrail.acct.state import OWN, REASONS
print(*sorted(OWN | REASONS), sep='\n')" >"$BATS_TEST_TMPDIR/states"
    for file in jobtrail.bash _jobtrail; do
        tr -s '( )"=' '\n' <"$JOBTRAIL_SOURCE/contrib/completion/$file" | grep -xE '[A-Z][A-Z_]{5,}' | grep -vxE 'COMP_.*|COMPREPLY|PREFIX|CURRENT|PROGRAM' |
            sort -u | diff "$BATS_TEST_TMPDIR/states" -
    done
}

@test "width and side follow the field, prefixes and case do not matter" {
    acct -j 12.0 -o 'eXeC%-12,elapsedr%3,JOB%4'
    [ "${lines[0]}" = "Exec         Ela JobI " ]
    [ "${lines[1]}" = "------------ --- ---- " ]
    [ "${lines[2]}" = "flow.mpi       3 12.0 " ]
}

# That sacct takes long cannot be had of a real one.
@test "names of jobs that nobody has asked for take sacct some time only" {
    cd "$BATS_TEST_TMPDIR"
    mkdir bin
    # shellcheck disable=SC2016 # quoted for the script
    printf '%s\n' '#!/bin/sh' 'echo called >>"$CALLS"' >bin/sacct
    chmod +x bin/sacct
    printf '%s\n' 'from jobtrail import program, slurm' 'from jobtrail.acct.main import main' 'slurm.EXTRA_SECONDS = -1' \
        'program.run(main)' >asked.py
    export PATH=$PWD/bin:$PATH CALLS=$PWD/calls PYTHONPATH=$JOBTRAIL_SOURCE/contrib
    run --separate-stderr python3 asked.py -a -S 2024-11-20 -E 2024-11-21 --exec '*'
    echo "$output $stderr"
    [[ $status -eq 0 && $(wc -l <<<"$output") -gt 2 ]]
    [ "$stderr" = "asked.py: sacct is slow: the other rows have no JobName; -o with JobName waits for it" ]
    rm -f calls
    run --separate-stderr python3 asked.py -a -S 2024-11-20 -E 2024-11-21 -o JobID,JobName
    [[ $status -eq 0 && $stderr == "" && -s calls ]]
}

@test "a bad field ends with 1 and sacct's message" {
    for field in foo 'jobid%x' 'jobid%0'; do
        acct -j 12 -o "user,$field,state"
        [ "$status" -eq 1 ]
        [ "$stderr" = "Invalid field requested: \"$field\"" ]
        [ "$output" = "" ]
    done
}

@test "jobs are chosen by id, step, array task and component" {
    local -A expected=(
        [12]="12.batch 12.0" [12.0]=12.0 [12.batch]=12.batch [6]=6_1.0 [6_1]=6_1.0 [6_1.0]=6_1.0
        [7]=6_1.0 [8]=8+1.0 [8+1]=8+1.0 [9]=8+1.0 [17]=17 [15.interactive]=15.interactive
        [12.0,16]="12.0 16.0" [6_2]="" [8+0]="" [12.7]=""
    )
    for jobs in "${!expected[@]}"; do
        acct -n -P -o jobid -j "$jobs"
        [ "$status" -eq 0 ]
        echo "$jobs: $output"
        [ "$(paste -sd ' ' <<<"$output")" = "${expected[$jobs]}" ]
    done
}

@test "the raw job id is Slurm's own number" {
    rows -j 6,8 -o jobidraw
    [ "$output" = $'7.0\n9.0' ]
}

@test "an unknown job is a header and nothing else" {
    acct -j 4711
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 2 ]
}

@test "what is no job is refused" {
    for job in foo 12.foo 6_x 8+x '6_[1-3]'; do
        acct -j "$job"
        [ "$status" -eq 1 ]
        [ "$stderr" = "Bad job/step specified: $job" ]
    done
}

@test "without options only today's runs are shown" {
    acct -n
    [ "$status" -eq 0 ]
    [[ "$output" != *flow.mpi* ]]
}

@test "start and end choose the runs that overlap the window" {
    acct -n -P -o jobid -S 2024-11-20T10:00:04 -E 2024-11-20T10:00:04
    [ "$output" = $'12.batch\n12.0' ]
    acct -n -P -o jobid -S 2024-11-20T10:00:04.5 -E 2024-11-20T10:00:05
    [ "$status" -eq 1 ]
    acct -n -P -o jobid -S 2024-11-21T10:00 -E 2024-11-21T11:00
    [ "$output" = $'6_1.0\n15.interactive' ]
}

@test "all of sacct's time formats are understood" {
    local year month today
    year=$(date +%Y)
    today=$(date +%Y-%m-%d)
    month=$(date +%m)
    [ "$(moment 2026-01-05)" = 2026-01-05T00:00:00 ]
    [ "$(moment 2026-01-05T21:40)" = 2026-01-05T21:40:00 ]
    [ "$(moment 2026-01-05T21:40:30)" = 2026-01-05T21:40:30 ]
    [ "$(moment 2026-01-05-21:40)" = 2026-01-05T21:40:00 ]
    [ "$(moment 010526)" = 2026-01-05T00:00:00 ]
    [ "$(moment 01/05/26-21:40)" = 2026-01-05T21:40:00 ]
    [ "$(moment 1.5.26)" = 2026-01-05T00:00:00 ]
    [ "$(moment 01/05)" = "$year-01-05T00:00:00" ]
    [ "$(moment "${month}01")" = "$year-$month-01T00:00:00" ]
    [ "$(moment 21:40)" = "${today}T21:40:00" ]
    [ "$(moment 9:40:30pm)" = "${today}T21:40:30" ]
    [ "$(moment '12:10 AM')" = "${today}T00:10:00" ]
    [ "$(moment today)" = "${today}T00:00:00" ]
    [ "$(moment midnight)" = "${today}T00:00:00" ]
    [ "$(moment noon)" = "${today}T12:00:00" ]
    [ "$(moment Teatime)" = "${today}T16:00:00" ]
    [ "$(moment 'tomorrow fika')" = "$(date -d tomorrow +%Y-%m-%d)T15:00:00" ]
    [ "$(moment uts1700000000)" = 2023-11-14T22:13:20 ]
    [[ "$(moment now-1hour)" == "$(date -d '1 hour ago' +%Y-%m-%dT%H):"* ]]
    [[ "$(moment now-2days)" == "$(date -d '2 days ago' +%Y-%m-%d)T"* ]]
    [[ "$(moment 'NOW + 3 weeks')" == "$(date -d 'now + 3 weeks' +%Y-%m-%d)T"* ]]
}

@test "what sacct rejects as a time is rejected" {
    for text in yesterday 1700000000 -1hour now-1h now-1hours2 25:00 12:60 11/21/2026 2026-13-01 \
        2026-1-5 uts5 tuesday 2024-11-21T10:00:00.5 13:00pm; do
        acct "--starttime=$text"
        echo "$text: $stderr"
        [ "$status" -eq 1 ]
        [ "$stderr" = "Invalid time specification: $text" ]
    done
}

@test "a start after the end is refused" {
    acct -S 2024-11-21 -E 2024-11-20
    [ "$status" -eq 1 ]
    [ "$stderr" = "Start time (2024-11-21T00:00:00) requested is after end time (2024-11-20T00:00:00)." ]
}

@test "SLURM_TIME_FORMAT formats start and end" {
    SLURM_TIME_FORMAT='%d.%m. %H:%M' acct -n -P -j 12.0 -o start,end
    [ "$output" = "20.11. 10:00|20.11. 10:00" ]
}

@test "parsable output has the delimiter" {
    acct -j 12.0 -P -o jobid,user
    [ "$output" = $'JobID|User\n12.0|alice' ]
    acct -j 12.0 -n -P --delimiter=';' -o jobid,user
    [ "$output" = "12.0;alice" ]
}

@test "values that would break a row are escaped and bytes that are not UTF-8 come back" {
    acct -n -P -j 16 -o exec,cmdline
    [ "$output" = 'caf\xe9|'"'caf\\xe9' 'a\\x7cb' 'two\\nlines\\tand a tab' 'back\\\\slash' 'ü'" ]
    acct -n -j 16 -o cmdline%80
    [ "${#lines[@]}" -eq 1 ]
}

@test "users, accounts, partitions and nodes choose runs" {
    rows -u bob -o jobid
    [ "$output" = $'8+1.0\n15.interactive' ]
    rows -u bob,alice
    [ "${#lines[@]}" -eq 10 ]
    rows -A physics -N n2 -o jobid
    [ "$output" = "8+1.0" ]
    rows -r main -M tiny -q normal
    [ "${#lines[@]}" -eq 9 ]
}

@test "executables and libraries are found by name or by path" {
    rows --exec 'python*' -o jobid
    [ "$output" = $'13.0\n14.0' ]
    rows --exec '/home/bob/*' -o jobid
    [ "$output" = $'8+1.0\n15.interactive' ]
    rows --lib 'libhdf5.so*' -o jobid,nlibs
    [ "$output" = $'6_1.0|>=3\n12.0|>=3' ]
    rows --lib '/sw/hdf5/*' --exec nothing
    [ "$output" = "" ]
}

@test "for programs a table has seconds, bytes and bounds, and nothing where a value is not known" {
    local fields=jobid,start,end,elapsed,elapsedmax,cputime,coreseconds,runcpu,runmaxrss,nlibs,state
    acct -S 2024-11-20 -E 2024-11-21 --csv -o "$fields"
    echo "$output" >"$BATS_TEST_TMPDIR/runs.csv"
    acct -S 2024-11-20 -E 2024-11-21 --jsonl -o "$fields"
    echo "$output" >"$BATS_TEST_TMPDIR/runs.jsonl"
    acct -S 2024-11-20 -E 2024-11-21 --json
    echo "$output" >"$BATS_TEST_TMPDIR/runs.json"
    /usr/bin/python3 - "$BATS_TEST_TMPDIR/runs" <<'PYTHON'
import json, sys
import pandas
place = sys.argv[1]
table = pandas.read_csv(place + ".csv")
lines = [json.loads(line) for line in open(place + ".jsonl")]
runs = json.load(open(place + ".json"))["runs"]
assert len(table) == len(lines) == len(runs) > 5
for name in ("Elapsed", "ElapsedMax", "CPUTime", "CoreSeconds", "RunCPU", "RunMaxRSS", "NLibs"):
    assert pandas.api.types.is_numeric_dtype(table[name]), name
starts = pandas.to_datetime(table["Start"])
assert (starts.dt.year == 2024).all()
for line, run, (_, row) in zip(lines, runs, table.iterrows()):
    assert row["JobID"] == line["JobID"]
    if run["state"] == "RUNNING":
        continue # longer each time
    assert (line["Elapsed"], line["ElapsedBound"] or "") == (run["elapsed"], run["elapsed_bound"]), line
    assert row["Elapsed"] == line["Elapsed"] or line["Elapsed"] is None
assert {line["NLibsBound"] for line in lines} == {">="}  # these records do not say that a list is complete
assert any(line["End"] is None for line in lines), "each end is known"
PYTHON
}

@test "a run is found by its uuid whenever it ran" {
    acct -n -P --uuid 8c8d61fb-98c1-44c0-874c-d613312269f4 -o jobid,exec,partition,step
    [ "$output" = "17|namd2||" ]
}

@test "libraries are shown below the run, or as a column" {
    acct -j 12.0 -n --libs -o jobid
    [ "${lines[1]}" = "    /sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0" ]
    [ "${lines[4]}" = "    (complete list not known)" ] # the record does not say
    [ "${#lines[@]}" -eq 5 ]
    acct -j 12.batch -P --libs -o jobid
    [ "$output" = $'JobID|Libs\n12.batch|/usr/lib/x86_64-linux-gnu/libc.so.6,(complete list not known)' ]
}

@test "the watermark says who built it with what" {
    acct -n -P -j 12.0 -o compiler,builtby
    [ "$output" = "gcc|bob" ]
}

@test "JSON has native types and null for what is not known" {
    acct -j 13 --json
    [ "$status" -eq 0 ]
    echo "$output" >"$BATS_TEST_TMPDIR/runs.json"
    python3 - "$BATS_TEST_TMPDIR/runs.json" "$(sqlite3 "${JOBTRAIL_STORE#sqlite:}" 'PRAGMA user_version')" <<'EOF'
import json, sys
document = json.load(open(sys.argv[1]))
run = document["runs"][0]
assert document["meta"]["schema"] == int(sys.argv[2])
assert run["job_id_raw"] == 13 and run["exit_code"] is None and run["core_dumped"] is False
assert run["run_time"] == 1.0 and run["cmdline"] == ["python3", "train.py"]
assert run["libs"][0]["path"].endswith("libc.so.6")
assert run["state"] == "EXITED" and run["job"] == "13.0" and "now" not in run
EOF
}

@test "every field that is listed can be requested" {
    acct --helpformat
    [ "$status" -eq 0 ]
    fields=$(tr -s ' \n' ',' <<<"$output")
    acct -P -S 2024-11-20 -E 2024-11-21 -o "$fields"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "$(tr ',' '|' <<<"${fields%,}")" ]
}

@test "wrong usage ends with 1 as in sacct" {
    acct --frobnicate
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"unrecognized arguments: --frobnicate"* ]]
}

# bats test_tags=needs:root
@test "a reader that may not write sees his own runs, and those of all with -a" {
    shared=$(mktemp -d)
    chmod 755 "$shared"
    cp -R "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" "$JOBTRAIL_SOURCE/contrib/jobtrail" "$shared"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$shared/store.db" "$JOBTRAIL_SOURCE/test/data/records"
    chmod 644 "$shared"/store.db*

    as_nobody() {
        (cd / && setpriv --reuid nobody --regid nogroup --clear-groups /usr/bin/python3 \
            "$shared/jobtrail-acct" --store "sqlite:$shared/store.db" -n -P -S 2024-11-20 "$@")
    }
    own=$(as_nobody)
    others=$(as_nobody -a | wc -l)
    rm "$shared"/store.db-*
    unlogged=$(as_nobody -a | wc -l)
    rm -r "$shared"
    [ "$own" = "" ]
    [ "$others" -eq 10 ]
    [ "$unlogged" -eq 10 ]
}
