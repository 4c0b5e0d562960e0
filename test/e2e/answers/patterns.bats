#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Patterns, lists of hosts and numbers of jobtrail-acct and jobtrail-report that are wrong, or would take very long.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets stderr, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb

setup_file() {
    export TZ=UTC STORE=sqlite:$BATS_FILE_TMPDIR/store.db
    site_records "$BATS_FILE_TMPDIR/site"
    # a program whose path makes patterns with many stars slow, where each star is tried at each place
    site_run 019a9f00-8888-7000-8000-000000000001 "$(printf 'a%.0s' {1..200})" 1 '.userT.cwd = "/sw/ab/a-b^c&d"' >>"$SITE/records"
    # names that could be taken for a pattern and for a number
    site_run 019a9f00-8888-7000-8000-000000000002 "[!]" 1 '.userT.user = "²"' >>"$SITE/records"
    site_load "$STORE"
    mariadb_start
    site_load "$MARIADB_STORE"
}

acct() { # OPTION...: what it says, of each store; a pattern that is slow ends it
    local store
    for store in "$STORE" "$MARIADB_STORE"; do
        # shellcheck disable=SC2153 # of wait.bash
        timeout $((60 * SLOW)) "$JOBTRAIL_SOURCE/contrib/jobtrail-acct" --store "$store" --no-sacct -a -S 2024-11-01 "$@" || echo "status $?"
    done
}

report() { # OPTION...
    timeout $((60 * SLOW)) "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" \
        -S 2024-11-01 -E 2024-11-30 "$@" || echo "status $?"
}

finds() { # OPTION PATTERN NUMBER: so many runs, in both stores
    run --separate-stderr acct -n -P -o uuid "$1" "$2"
    echo "$1 $2: $output $stderr" | cut -c 1-300
    [ "$(grep -c ^019a <<<"$output")" -eq $(($3 * 2)) ]
    [[ $output != *"status 124"* && $stderr != *Traceback* ]]
}

@test "a pattern has the same runs in SQLite and MariaDB" {
    finds --cwd '/sw/ab/a-b^c&d' 1
    finds --cwd '/s*w/*b*d' 1
    finds --cwd '*w***b?c*' 1
    finds --cwd '*w*b?c' 0
    finds --cwd '/sw/ab/[!b]-[a--b]*' 0
    finds --cwd '/sw/ab/a[+--]b[^]c[&&]d' 1
    finds --cwd '/sw/ab/a[---]b[!]]c[!!]d' 1
    finds --cwd '/sw/ab/?*?*?*?*?*?*?' 1
    finds --cwd '/sw/ab/?*?*?*?*?*?*?*?' 0
    finds --exec 'a*a*a' 1
    finds --exec '/opt/a*a' 1
    finds --exec '*opt?a*' 0
    finds --exec '*opt[!x]a*' 0
}

@test "no star multiplies the time" {
    local slow
    slow="*$(printf 'a*%.0s' {1..80})b"
    finds --exec "$slow" 0
    finds --exec "*$slow" 0
    finds --exec "$(printf '*%.0s' {1..200})zq" 0
    finds --exec "$(printf '[ab]*%.0s' {1..80})z" 0
    finds --cwd "$(printf '*%.0s' {1..200})zq" 0
    run --separate-stderr report executables --exec "$slow" --exec "*?*$slow"
    [[ $output != *status* ]]
    # nor blanks around an &, commas or brackets
    finds --exec "a$(printf ' %.0s' {1..100000})b" 0
    finds -u "$(printf '[,%.0s' {1..60000})" 0
}

refuses() { # TEXT PROGRAM OPTION...: with this message, which is all that it says
    run --separate-stderr "${@:2}"
    echo "${*:2}" | cut -c 1-200
    echo "$output; $stderr" | cut -c 1-1000
    [[ $output == *"status 1" ]]
    [[ ${stderr_lines[0]} == *"$1"* ]]
    [[ $stderr != *Traceback* ]]
}

@test "a pattern that is none is said to be one" {
    local option routine=
    ! "$JOBTRAIL_SOURCE/test/systems/can" routines || routine=--routine
    for option in --exec --lib --module --pkg --function $routine --env --cwd --compiler --container; do
        refuses "Bad pattern (bad character range z-a): [z-a]" acct "$option" '[z-a]'
    done
    refuses "Bad pattern (bad character range z-a): [z-a]" acct --links --exec '[z-a]'
    refuses "Bad pattern" acct --env 'HOME=[z-a]'
    for option in --exec --lib --module --pkg; do
        refuses "Bad pattern (bad character range z-a): [z-a]" report executables "$option" '[z-a]'
    done
    refuses "more than 100 stars" acct --exec "$(printf 'a*%.0s' {1..101})"
    refuses "more than 100 stars" acct --lib "$(printf '?%.0s' {1..30000})"
    # a shell takes it for the three characters
    finds --exec '[!]' 1
    finds --exec '[[]!]' 1
    # a part that is empty
    for option in --exec --lib --module --pkg; do
        refuses "Bad pattern (& needs text on both sides): a &" acct "$option" 'a & '
        refuses "Bad pattern (& needs text on both sides):  & b" acct "$option" ' & b'
        refuses "Bad pattern (& needs text on both sides): a &  & b" acct "$option" 'a &  & b'
        refuses "Bad pattern (& needs text on both sides): a &" report executables "$option" 'a & '
    done
    printf '%s\n' 'mine = a*' 'other = [z-a]' >"$BATS_TEST_TMPDIR/families"
    refuses "families:2: Bad pattern" report --families "$BATS_TEST_TMPDIR/families"
}

@test "a number that is none, or is too long, is said to be one" {
    local long
    long=$(printf '9%.0s' {1..5000})
    finds -u ² 1
    finds -u "$long" 0
    finds --built-by "²,$long" 0
    refuses "Bad job/step" acct -j "$long"
    refuses "Bad job/step" acct -j ²
    refuses "Bad job/step" acct -j "1_$long"
    refuses "Bad job/step" acct -j 9999999999999999999
    refuses "Invalid hostlist" acct -N "n[1-$long]"
    refuses "Invalid hostlist" acct -N "n[$long]"
    refuses "Invalid hostlist" acct -N "n[1-99999][1-99999]"
    refuses "Invalid hostlist" acct -N "n[1-90000],m[1-90000]"
    refuses "Invalid hostlist" acct -N "n$(printf '[1]%.0s' {1..5000})"
    refuses "Invalid hostlist" report -N "n[1-$long]"
    refuses "Invalid time specification" acct -S "now-${long}days"
    refuses "Invalid time specification" acct -S "now+5$(printf ' %.0s' {1..100000})x"
    refuses "must be a number from 0 on" report --top ²
    run --separate-stderr report -u ² -u "$long"
    echo "${stderr:0:1000}"
    [[ $stderr != *Traceback* ]]
    finds --lib "hdf5>=$long" 0
    finds --lib "hdf5<$long" "$(acct -n -P -o uuid --lib hdf5 2>&1 | grep -c ^019a | awk '{ print $1 / 2 }')"
    run --separate-stderr report packages --pkg "numpy<$long"
    echo "${stderr:0:1000}"
    [[ $output == *numpy* ]]
}

@test "versions are compared as numbers, however long" {
    run python3 -IB - "$JOBTRAIL_SOURCE/contrib" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.library import key
texts = ["", "a", "1.2", "1.2rc1", "1.2.0", "1.9", "1.10", "007", "10", "9" * 5000]
assert sorted(texts[::-1], key=key) == texts
assert key("007.0") == key("7.000")
PYTHON
    [ "$status" -eq 0 ]
}
