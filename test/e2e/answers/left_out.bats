#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A jobtrail that is built without an extension says so, in one sentence, where that would have answered.
# shellcheck disable=SC2153,SC2154 # the environment and bats set variables

bats_require_minimum_version 1.5.0

setup_file() {
    export TZ=UTC JOBTRAIL_STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    "$JOBTRAIL_BIN/jobtrail-load" "$JOBTRAIL_SOURCE/test/data/records"
}

# leave_out EXTENSION: PLACE has the programs of such a build
leave_out() {
    PLACE=$BATS_TEST_TMPDIR/libexec/jobtrail
    mkdir -p "$BATS_TEST_TMPDIR"/{bin,libexec}
    ln -sf "$JOBTRAIL_BIN/jobtrail-conf" "$BATS_TEST_TMPDIR/bin"
    cp -R "$JOBTRAIL_STAGE/libexec/jobtrail" "$PLACE"
    rm -rf "${PLACE:?}/$1"
    sed -i "s/^LEFT_OUT = .*/LEFT_OUT = [\"$1\"]/" "$PLACE/jobtrail/paths.py"
    find "$PLACE" -name __pycache__ -exec rm -r {} +
}

# lacks WORDS PROGRAM ARGUMENT...: it does not answer, and says that it is built without these
lacks() {
    run --separate-stderr "$PLACE/jobtrail-$2" "${@:3}"
    echo "$output $stderr"
    ((status > 0)) && [[ $output == "" && $stderr == *"this jobtrail is built without $1"* && $stderr != *Traceback* ]]
}

# web_lacks WORDS TARGET...: jobtrail-web says so, too
web_lacks() {
    local target ask='import sys, time, types
from jobtrail.answers.web import application, request
response = application.guarded(types.SimpleNamespace(scopes=lambda: None), request.Page(sys.argv[1]), time.time())
print(response.status, response.body.decode())'
    "$JOBTRAIL_SOURCE/test/systems/can" answers || return 0
    for target in "${@:2}"; do
        run --separate-stderr env PYTHONPATH="$PLACE" /usr/bin/python3 -c "$ask" "$target"
        echo "$output $stderr"
        [[ $output == 40[04]*"this jobtrail is built without $1"* && $output != *"did you mean"* && $stderr == "" ]] || return
    done
}

# answers PROGRAM ARGUMENT...
answers() {
    run --separate-stderr "$PLACE/jobtrail-$1" "${@:2}"
    echo "$output $stderr"
    [[ $status -eq 0 && $stderr != *Traceback* ]]
}

@test "without the extension answers a store is read, and it is said that the service is not asked" {
    local conf=$BATS_TEST_TMPDIR/jobtrail.conf
    leave_out answers
    printf '[answers]\naddress = nowhere:1\nstore = %s\n' "$JOBTRAIL_STORE" >"$conf"
    for program in acct report; do
        run --separate-stderr env -u JOBTRAIL_STORE JOBTRAIL_CONF="$conf" "$PLACE/jobtrail-$program" -S 2024-11-20
        echo "$output $stderr"
        [ "$status" -eq 0 ]
        [[ $stderr == "jobtrail-$program: this jobtrail is built without answers: it reads the store, and does not ask the service that jobtrail.conf names"* ]]
        # a store that is named needs nobody
        run --separate-stderr env JOBTRAIL_CONF="$conf" "$PLACE/jobtrail-$program" -S 2024-11-20
        [ "$status" -eq 0 ]
        [ "$stderr" = "" ]
    done
    lacks answers report --html
}

# bats test_tags=needs:libraries
@test "without the site's libraries" {
    leave_out libraries
    local option
    lacks libraries report unused --libraries /nonexistent
    for option in --changes --events "--changed now-1days"; do
        # shellcheck disable=SC2086
        lacks libraries acct -a $option
    done
    for option in changes unused removal "weekdays --use opened" "--without users,changes"; do
        # shellcheck disable=SC2086
        lacks libraries report $option
    done
    answers acct -a -S 2024-11-20 --no-sacct --json
    answers acct -a -S 2024-11-20 --no-sacct --lib m
    answers report -S 2024-11-20
    answers report -S 2024-11-20 weekdays --use linked
    answers report -S 2024-11-20 --lib nope
    JOBTRAIL_LIBRARIES=/nonexistent answers report -S 2024-11-20
    [[ $stderr == *"jobtrail-report: JOBTRAIL_LIBRARIES has no effect: this jobtrail is built without libraries"* ]]
    run --separate-stderr env JOBTRAIL_LIBRARIES=/nonexistent "$PLACE/answers/jobtrail-answer" --conf /nonexistent
    [[ $stderr == "jobtrail-answer: JOBTRAIL_LIBRARIES has no effect: this jobtrail is built without libraries"* ]]
    web_lacks libraries /changes /removal "/weekdays?use=opened" "/library?name=m&table=uses"
    [[ ! -e $PLACE/libraries ]]
    run --separate-stderr env PYTHONPATH="$PLACE" /usr/bin/python3 -c 'import jobtrail.answers.web.pages as pages
print([pages.site.DOOR, [name for _, names in pages.things.SOFTWARE.values() for name in names if name in ("changes", "removal")]])'
    [[ $output == "[None, []]" ]]
}

@test "without the kernel witness" {
    leave_out witness
    lacks "the kernel witness" acct -a --ranks
    lacks "the kernel witness" acct -o JobID,RanksFailed
    lacks "the kernel witness" acct -o JobID,RanksF
    lacks "the kernel witness" report efficiency
    web_lacks "the kernel" /efficiency "/run?table=ranks"
    answers acct -a -S 2024-11-20 --no-sacct --json
    [ "$(jq -c '[.runs[].ranks] | unique' <<<"$output")" = '[null]' ]
    answers acct -a -S 2024-11-20 --no-sacct -X
    answers acct -a -S 2024-11-20 --no-sacct --coverage
    answers acct -a -S 2024-11-20 --no-sacct -o JobID,RunCPU
    [[ $stderr == "jobtrail-acct: RunCPU: this jobtrail is built without the kernel witness" ]]
    answers report -S 2024-11-20
}

@test "without routines" {
    leave_out routines
    lacks routines acct -a --routines
    lacks routines acct --routine sqrt
    lacks routines acct -o JobID,Routines
    lacks routines acct -o JobID,rout
    lacks routines report uncalled
    lacks routines report --without routines
    lacks routines report months --use called
    lacks routines report --entries x
    lacks routines report --update --routine-logs x
    JOBTRAIL_ROUTINE_LOGS=x answers report --update
    [[ $stderr == "jobtrail-report: JOBTRAIL_ROUTINE_LOGS has no effect: this jobtrail is built without routines" ]]
    web_lacks routines /routines /uncalled "/months?use=called" "/run?table=routines"
    answers acct -a -S 2024-11-20 --no-sacct --json
    [ "$(jq -c '[.runs[].routines] | unique' <<<"$output")" = '[null]' ]
    answers acct -a -S 2024-11-20 --no-sacct -X
    answers report -S 2024-11-20 --lib hdf5
    answers report -S 2024-11-20
}

@test "without profiles" {
    local field
    leave_out profile
    for field in Profile prof mpi MPIShare; do
        lacks profiles acct -o "JobID,$field"
    done
    lacks profiles report mpi
    lacks profiles report --without mpi
    web_lacks profiles /mpi "/run?table=profile" "/run?table=mpi"
    answers acct -a -S 2024-11-20 --no-sacct --json
    [ "$(jq -c '[.runs[].profile] | unique' <<<"$output")" = '[null]' ]
    answers acct -a -S 2024-11-20 --no-sacct -X
    answers report -S 2024-11-20
}
