#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The whole way: records that jobtrail-ld and the flush write, loaded, and asked for.

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/links
load ../fixture/packages

setup() {
    export JOBTRAIL_STORE=sqlite:$BATS_TEST_TMPDIR/store.db
    LINK="modules = $BATS_TEST_TMPDIR/map" new_links
    echo "$WORK fft/3.3" >"$BATS_TEST_TMPDIR/map"
    new_job # writes records to the same directory
}

load_all() {
    run -0 "$JOBTRAIL_BIN/jobtrail-load" --json "$RECORDS"
    echo "$output"
    [[ $(jq -c '[.read, .new, .damaged]' <<<"$output") == "[$1,$1,0]" ]]
}

# programs OPTION...: names of the programs of the runs that the option chooses, on one line
programs() {
    "$JOBTRAIL_BIN/jobtrail-acct" --allusers --no-sacct -n -P -S now-1days -o exec "$@" |
        sed 's,.*/,,' | sort | paste -sd ' '
}

@test "a run of a program that jobtrail-ld linked is found by its builder, compiler and function" {
    plain gcc -shared -fPIC -x c - -o libfft.so <<<'int fft_plan(void) { return 0; }'
    echo 'int fft_plan(void); int main(void) { return fft_plan(); }' >main.c
    wrapped gcc main.c -L. -lfft -Wl,-rpath="$WORK" -o linked
    plain gcc main.c -L. -lfft -Wl,-rpath="$WORK" -o unlinked
    tracked ./linked
    tracked ./unlinked
    flush
    load_all 3
    [[ $(programs) == "linked unlinked" ]]
    [[ $(programs --built-by builder) == linked ]]
    [[ $(programs --built-by root) == "" ]]
    [[ $(programs --built-by-others) == linked ]]
    [[ $(programs --compiler gcc) == linked ]]
    [[ $(programs --compiler clang) == "" ]]
    [[ $(programs --function 'fft_*') == linked ]]
    [[ $(programs --function 'other_*') == "" ]]
}

@test "a Python run is found by the packages that it imported, and their versions" {
    make_module "$WORK" alpha '__version__ = "1.5"'
    make_module "$WORK" beta
    # shellcheck disable=SC2153 # ctest sets JOBTRAIL_STAGE
    local python=("PYTHONPATH=$JOBTRAIL_STAGE/share/jobtrail/hooks/python:$WORK" "$(readlink -f /usr/bin/python3)" -c)
    hooked "${python[@]}" 'import alpha, beta'
    hooked "${python[@]}" 'import beta'
    flush
    load_all 5
    [[ $(programs --pkg beta | wc -w) == 2 ]]
    [[ $(programs --pkg alpha) == "$PYTHON_NAME" ]]
    [[ $(programs --pkg 'alpha>=1.5') == "$PYTHON_NAME" ]]
    [[ $(programs --pkg 'alpha>=1.6') == "" ]]
    [[ $(programs --pkg gamma) == "" ]]
}

@test "a Perl run is found by its modules, and their versions" {
    mkdir Space
    # shellcheck disable=SC2016 # for Perl
    printf 'package Space::One; our $VERSION = "v1.10.0"; 1;\n' >Space/One.pm
    hooked /usr/bin/perl -I. -e 'use Space::One'
    flush
    load_all 2
    [[ $(programs --pkg 'Space::One>=1.9') == perl ]]
    [[ $(programs --pkg 'Space::*>1.10') == "" ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-report" packages --csv
    echo "$output"
    [[ $output == *perl*Space::One* || $output == *Space::One*perl* ]]
}

@test "records of links, packages and runs come in any order, again and again" {
    make_module "$WORK" alpha
    wrapped gcc hello.c -o linked
    tracked ./linked
    hooked PYTHONPATH="$JOBTRAIL_STAGE/share/jobtrail/hooks/python:$WORK" /usr/bin/python3 -c 'import alpha'
    flush
    load_order() { # KIND...
        local kind
        JOBTRAIL_STORE=sqlite:$BATS_TEST_TMPDIR/$1.db
        for kind in "$@" "$@"; do
            find "$RECORDS" -name "$kind.*.json" -exec "$JOBTRAIL_BIN/jobtrail-load" {} +
        done
        [[ $(programs --built-by builder) == linked ]]
        [[ $(programs --pkg alpha) == python3* ]]
    }
    load_order run link pkg
    load_order pkg link run
}
