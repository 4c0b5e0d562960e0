#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Time in libraries that [routines] designates: what a call may have passes through, however the program was linked, and
# calls are counted exactly.

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so\\.1\n' new_job
    new_profile
    cd "$BATS_TEST_TMPDIR" || return
    gcc -O2 -shared -fPIC -I"$PROFILE_PROGRAMS" -Wl,-soname,libmoon.so.1 -o libmoon.so.1 "$PROFILE_PROGRAMS/moon.c"
}

# build [OPTION...]
build() {
    g++ -O2 -I"$PROFILE_PROGRAMS" "$@" "$PROFILE_PROGRAMS/moon_user.cc" libmoon.so.1 -Wl,-rpath,"$PWD" -pthread -o user
}

# asked: a profile of its own, with the site's rules
asked() {
    new_profile
    PROFILED+=(JOBTRAIL_POLICY="${CONF%.conf}.policy")
}

# has_calls: as often as the source says
has_calls() {
    local want
    want=$(sed -n 's|^// calls: ||p' "$PROFILE_PROGRAMS/moon_user.cc" | tr , '\n' | sed 's/^ *//' | LC_ALL=C sort)
    diff <("$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" | cut -f 4,5 | tr '\t' ' ' | LC_ALL=C sort) - <<<"$want"
}

@test "arguments, results, exceptions, longjmp, cancellations and forks pass, and each call is counted" {
    for options in "" "-fno-plt" "-Wl,-z,now" "-Wl,-z,lazy -Wl,-z,norelro" "-no-pie"; do
        # shellcheck disable=SC2086 # words
        build $options
        asked
        observe without ./user
        observe with "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" ./user
        diff -r without with
        [[ $(cat with/status) == 3 ]]
        has_calls
    done
}

@test "first calls are noted beside it" {
    for options in "" "-Wl,-z,now" "-Wl,-z,lazy"; do
        # shellcheck disable=SC2086 # words
        build $options
        rm -rf "$RECORDS"
        asked
        observe with "${PROFILED[@]}" "${TRACKED[@]:1:3}" LD_PRELOAD="$LIBRARY $PROFILE_LIBRARY" ./user
        [[ $(cat with/status) == 3 ]]
        has_calls
        flush
        [[ $(records | jq -r '[.[] | select(.routineT)][0].routineT.routineA | map(.[1]) | sort | join(" ")') == \
            "moon_burns moon_calls moon_large moon_long_double moon_many moon_pair moon_variadic moon_waits" ]]
        [[ $(records | jq -r '.[].libA[][0]') == */libmoon.so.1* && $(records | jq -r '.[].libA[][0]') != */libjobtrail* ]]
    done
}

@test "times lie between what the library and its caller measure, and a call within another one counts once" {
    local within around own inner
    build
    asked
    profiled ./user all >seen || (($? == 3))
    read -r within around < <(tail -1 seen)
    "$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" >numbers
    inner=$(awk -F '\t' '$4 == "moon_burns" { print $7 }' numbers)
    own=$(awk -F '\t' '$4 == "moon_calls" { print $7 }' numbers)
    awk -v within="$within" -v around="$around" -v inner="$inner" -v own="$own" \
        'BEGIN { exit !(within * 0.999 <= inner && inner <= own && own <= around * 1.001) }'
    # the time of the largest is not in that of its caller, but for it
    [[ $(awk -F '\t' '$4 == "moon_calls" { print ($6 < 50000000) }' numbers) == 1 ]]
}

@test "routines that a rule leaves out are not counted, nor are other libraries" {
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so\\.1\nskip = routine:libmoon\\.so\\.1:moon_[^bc].*\n' new_job
    build
    asked
    profiled ./user || (($? == 3))
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" | cut -f 4 | sort | xargs) == "moon_burns moon_calls" ]]
    RULES=$KEEP_ALL new_job
    asked
    profiled ./user || (($? == 3))
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE") == "" ]]
}
