#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a user's environment has for other programs does not reach the programs that the user asks.

bats_require_minimum_version 1.5.0
load ../fixture/job

setup() {
    mapfile -t PROGRAMS_FOR_USERS < <(find "$JOBTRAIL_STAGE/bin" -executable ! -type d ! -name jobtrail-ld ! -name jobtrail-record-pkg | sort)
    mkdir "$BATS_TEST_TMPDIR/others"
    for module in enum os json sqlite3 jobtrail; do
        echo 'raise SystemExit("another '"$module"'")' >"$BATS_TEST_TMPDIR/others/$module.py"
    done
    HOSTILE=(PYTHONPATH="$BATS_TEST_TMPDIR/others" PYTHONHOME=/nowhere PYTHONSTARTUP=/nowhere PYTHONWARNINGS=error PYTHONUTF8=7
        POSIXLY_CORRECT=1 LC_ALL=xx_YY LANGUAGE=xx OPENSSL_CONF=/nowhere TMPDIR=/nowhere LD_BIND_NOW=1 TERM=nothing COLUMNS=x)
}

@test "each program says the same in any environment" {
    ((${#PROGRAMS_FOR_USERS[@]} >= 6))
    for program in "${PROGRAMS_FOR_USERS[@]}"; do
        for option in --version --help; do
            diff <("$program" "$option" 2>&1) <(cd "$BATS_TEST_TMPDIR/others" && env "${HOSTILE[@]}" "$program" "$option" 2>&1) || { echo "$program $option"; false; }
        done
    done
}

@test "options are understood behind arguments, with POSIXLY_CORRECT too" {
    new_job
    diff <("$JOBTRAIL_BIN/jobtrail-submit" status --json --conf "$CONF" | jq -r keys) \
        <(POSIXLY_CORRECT=1 "$JOBTRAIL_BIN/jobtrail-submit" status --json --conf "$CONF" | jq -r keys)
    tracked /bin/true
    flush
    POSIXLY_CORRECT=1 "$JOBTRAIL_BIN/jobtrail-load" "$RECORDS" --store "sqlite:$BATS_TEST_TMPDIR/behind"
    [[ -s $BATS_TEST_TMPDIR/behind ]]
}

@test "output that cannot be written is an error, said on stderr; a closed pipe is none" {
    new_job
    # shellcheck disable=SC2016 # the inner shell has the words
    for program in "${PROGRAMS_FOR_USERS[@]}"; do
        run --separate-stderr bash -c '"$0" --help >/dev/full' "$program"
        # shellcheck disable=SC2154 # run sets it
        [[ $status != 0 && -n $stderr && $stderr != *Traceback* ]] || { echo "$program: $status $stderr"; false; }
    done
    # shellcheck disable=SC2016
    run --separate-stderr bash -c '"$0" status --json --conf "$1" >/dev/full' "$JOBTRAIL_BIN/jobtrail-submit" "$CONF"
    [[ $status == 1 && $stderr == *"cannot be written: No space left on device"* ]]
    tracked /bin/true
    flush
    # shellcheck disable=SC2016
    run --separate-stderr bash -c '"$0" "$1" --store "sqlite:$1/store" >/dev/full' "$JOBTRAIL_BIN/jobtrail-load" "$RECORDS"
    [[ $status != 0 && $stderr == *"cannot be written"* ]]
}
