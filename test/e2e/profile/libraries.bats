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
    gcc -O2 -Wno-psabi -shared -fPIC -I"$PROFILE_PROGRAMS" -Wl,-soname,libmoon.so.1 -o libmoon.so.1 "$PROFILE_PROGRAMS/moon.c"
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

# dumped ROUTINE: its calls
dumped() {
    "$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" | awk -F '\t' -v name="$1" '$4 == name { print $5 }'
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

# same PROGRAM...: it prints and ends as without a profile
same() {
    asked
    observe without "$@"
    observe with "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" "$@"
    diff -r without with
    [[ $(cat with/status) == 0 ]]
}

@test "arguments keep their alignment, stacks may end behind a caller, and registers that a routine keeps are kept" {
    gcc -O2 -Wno-psabi -I"$PROFILE_PROGRAMS" "$PROFILE_PROGRAMS/moon_edges.c" libmoon.so.1 -Wl,-rpath,"$PWD" -o edges
    same ./edges
    [[ $(dumped moon_wide) == 4 && $(dumped moon_many) == 1 ]]
    # mcount() changes no register that an argument may be in
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libc\\.so\\.6\n' new_job
    printf '#include <stdio.h>\n__attribute__((noinline)) int f(int a, int b, int c, int d, int e, int f)
        { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f; }\nint main(void) { return printf("%%d\\n", f(1, 2, 3, 4, 5, 6)) != 3; }\n' |
        gcc -O1 -pg -no-pie -fno-pie -xc - -o pg
    same ./pg
    [[ $(cat with/stdout) == 91 && $(dumped printf) == 1 ]]
}

@test "of two libraries, and of two versions in one, a call goes to the one that it was linked with" {
    local later
    printf 'V1 { global: moon_v; local: *; };\nV2 { global: moon_v; };\n' >both.map
    printf 'V2 { global: moon_v; local: *; };\n' >new.map
    printf 'int moon_v(void) { return 2; }\n' | gcc -O2 -shared -fPIC -xc - -Wl,--version-script=new.map -Wl,-soname,libmoon.so.2 -o libmoon.so.2
    printf 'int f1(void) { return 1; }\nint f3(void) { return 3; }\n__asm__(".symver f1, moon_v@V1\\n.symver f3, moon_v@@V2");\n' |
        gcc -O2 -shared -fPIC -xc - -Wl,--version-script=both.map -Wl,-soname,libmoon.so.3 -o libmoon.so.3
    printf 'V1 { global: moon_v; local: *; };\n' >old.map
    printf 'int moon_v(void) { return 0; }\n' | gcc -O2 -shared -fPIC -xc - -Wl,--version-script=old.map -Wl,-soname,libmoon.so.3 -o linked.so
    printf 'int moon_v(void); int use(void) { return moon_v(); }\n' >use.c
    gcc -O2 -shared -fPIC use.c -o libuse.so -L. -l:linked.so -Wl,-rpath,"$PWD"
    printf '#include <stdio.h>\nint moon_v(void), use(void); int main(void) { return printf("%%d %%d\\n", moon_v(), use()) != 4; }\n' >main.c
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libmoon\\.so.*\n' new_job
    for later in 2 3; do # the version of the program is in another library than that of libuse.so, or in the same one
        gcc -O2 main.c -o main -Wl,-z,lazy -L. "-l:libmoon.so.$later" -Wl,--no-as-needed ./libuse.so -Wl,-rpath,"$PWD"
        same ./main
        [[ $(cat with/stdout) == "$later 1" ]]
        [[ $(dumped moon_v) == 2 ]]
    done
}
