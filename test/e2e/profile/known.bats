#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs whose calls are known, built by each compiler in each way: they compute the same, end the
# same, and their profile has the calls. Each optimisation goes with a kind of link and a mode; JOBTRAIL_SOAK=1 combines each
# with each. Static programs are in linked.bats.

# bats file_tags=needs:profile

load ../fixture/job
load ../fixture/profile

AFTER_INLINING="clang -finstrument-functions-after-inlining"
OPTIMISATIONS=(-O0 -O2 -O3 "-O2 -flto")
MODES=(exact light coarse off)
LINKS=("-fPIE -pie" "-fno-PIE -no-pie" "-fPIE -pie -fno-plt" "-fPIE -pie -Wl,-z,now")

setup() {
    local i j
    new_job
    WAYS=() WAYS_MODES=()
    for i in "${!OPTIMISATIONS[@]}"; do
        for j in "${!LINKS[@]}"; do
            [[ -z ${JOBTRAIL_SOAK-} && $i != "$j" ]] || WAYS+=("${OPTIMISATIONS[i]} ${LINKS[j]}")
        done
    done
    # the small part has each mode with one way of each compiler
    for i in "${!WAYS[@]}"; do
        if [[ -n ${JOBTRAIL_SOAK-} ]]; then
            WAYS_MODES+=("${MODES[*]}")
        else
            WAYS_MODES+=("${MODES[(i + BATS_TEST_NUMBER) % 4]}")
        fi
    done
}

# build SOURCE PROGRAM COMPILER [OPTION...]
build() {
    local source=$1 program=$2 command
    read -ra command <<<"${*:3}"
    [[ $3 == "$AFTER_INLINING" ]] || command+=(-finstrument-functions)
    "${command[@]}" -g "$source" -o "$program" -pthread
}

# same_in_modes NUMBER SOURCE: as it was built in the way of that number
same_in_modes() {
    local mode
    for mode in ${WAYS_MODES[$1]}; do
        MODE=$mode same_with_profile "$2" "$BATS_TEST_TMPDIR/program" || {
            echo "${WAYS[$1]} $mode $2"
            return 1
        }
    done
}

# in_each_way SOURCE COMPILER...
in_each_way() {
    local source=$PROFILE_PROGRAMS/$1 compiler i count=0
    for compiler in "${@:2}"; do
        for i in "${!WAYS[@]}"; do
            build "$source" "$BATS_TEST_TMPDIR/program" "$compiler" "${WAYS[i]}" || return
            same_in_modes "$i" "$source" || {
                echo "$compiler"
                return 1
            }
            count=$((count + 1))
        done
    done
    ((count == ${#WAYS[@]} * ($# - 1)))
}

@test "C: the calls are those that the source says, and the program is the same" {
    in_each_way known.c gcc clang "$AFTER_INLINING"
}

@test "C++: exceptions end calls without an exit, and nothing else is lost" {
    in_each_way exceptions.cc g++ clang++
}

@test "Fortran: the calls are those that the source says" {
    local source=$PROFILE_PROGRAMS/known.f90
    for i in "${!WAYS[@]}"; do
        # shellcheck disable=SC2086 # words
        gfortran -finstrument-functions ${WAYS[i]} "$PROFILE_PROGRAMS"/known*.f90 -o "$BATS_TEST_TMPDIR/program"
        same_in_modes "$i" "$source"
    done
}

@test "longjmp, recursion, inlined functions, threads, handlers, forks: no call is lost" {
    for program in jumps recursion inlined threads handlers forks; do
        for compiler in gcc clang; do
            for optimisation in -O0 -O2; do
                build "$PROFILE_PROGRAMS/$program.c" "$BATS_TEST_TMPDIR/program" "$compiler" "$optimisation"
                same_with_profile "$PROFILE_PROGRAMS/$program.c" "$BATS_TEST_TMPDIR/program"
            done
        done
    done
}

@test "a program without instrumented functions opens no file of the profile" {
    gcc -O2 "$PROFILE_PROGRAMS/known.c" -o "$BATS_TEST_TMPDIR/program"
    new_profile
    strace -f -o "$BATS_TEST_TMPDIR/calls" env "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" \
        "$BATS_TEST_TMPDIR/program" || (($? == 3))
    run grep -F "$SPOOL" "$BATS_TEST_TMPDIR/calls"
    [[ $output != *openat* ]]
    [[ $(sum processes) == 0 ]]
}

@test "without the file, or without the variable, an instrumented program leaves nothing" {
    build "$PROFILE_PROGRAMS/known.c" "$BATS_TEST_TMPDIR/program" gcc -O2
    new_profile
    run env "${PROFILED[@]:0:2}" LD_PRELOAD="$PROFILE_LIBRARY" "$BATS_TEST_TMPDIR/program"
    [[ $status == 3 && $(sum processes) == 0 ]]
    run env "${PROFILED[@]:0:2}" JOBTRAIL_PROFILE=maybe LD_PRELOAD="$PROFILE_LIBRARY" "$BATS_TEST_TMPDIR/program"
    [[ $status == 3 && $(sum processes) == 0 ]]
    rm "$PROFILE_FILE"
    run profiled "$BATS_TEST_TMPDIR/program"
    [[ $status == 3 && ! -e $PROFILE_FILE ]]
}

@test "light: short calls are counted and not timed, others are timed, and the counts are the same" {
    build "$PROFILE_PROGRAMS/known.c" "$BATS_TEST_TMPDIR/program" gcc -O2
    MODE=light same_with_profile "$PROFILE_PROGRAMS/known.c" "$BATS_TEST_TMPDIR/program"
    cat >"$BATS_TEST_TMPDIR/light.c" <<'C'
__attribute__((noinline)) static void quick(void) { __asm__ volatile(""); }
int main(void)
{
    for (int i = 0; i < 100000; i++)
        quick();
    return 0;
}
C
    build "$BATS_TEST_TMPDIR/light.c" "$BATS_TEST_TMPDIR/light" gcc -O2
    MODE=light new_profile
    profiled "$BATS_TEST_TMPDIR/light"
    [[ $(profile calls) == $'1 1 main<init\n100000 1024 quick<main<init' ]]
}

@test "a program that the site's rules leave out has no profile" {
    build "$PROFILE_PROGRAMS/known.c" "$BATS_TEST_TMPDIR/program" gcc -O2
    new_profile
    printf '\n[profile]\nskip = .*/program\n' >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    run env JOBTRAIL_POLICY="${CONF%.conf}.policy" "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" "$BATS_TEST_TMPDIR/program"
    [[ $status == 3 && $(sum processes) == 0 ]]
    cp "$BATS_TEST_TMPDIR/program" "$BATS_TEST_TMPDIR/other"
    run env JOBTRAIL_POLICY="${CONF%.conf}.policy" "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" "$BATS_TEST_TMPDIR/other"
    [[ $status == 3 && $(sum processes) == 1 ]]
}

@test "without such rules shells and launchers have none" {
    build "$PROFILE_PROGRAMS/known.c" "$BATS_TEST_TMPDIR/program" gcc -O2
    new_profile
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    for name in srun mpirun.openmpi hydra_pmi_proxy bash program; do
        [[ $name == program ]] || cp "$BATS_TEST_TMPDIR/program" "$BATS_TEST_TMPDIR/$name"
        run env JOBTRAIL_POLICY="${CONF%.conf}.policy" "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" "$BATS_TEST_TMPDIR/$name"
        [[ $status == 3 ]]
        [[ $(sum processes) == "$([[ $name == program ]] && echo 1 || echo 0)" ]]
    done
}

@test "by the kernel's coarse clock the calls are the same: each way through the library is the long one" {
    local program mode
    for program in known.c jumps.c inlined.c threads.c; do
        build "$PROFILE_PROGRAMS/$program" "$BATS_TEST_TMPDIR/program" gcc -O2
        for mode in exact light; do
            MODE=$mode new_profile
            printf '\0' | dd of="$PROFILE_FILE" bs=1 seek=32 conv=notrunc status=none # header.counter
            profiled "$BATS_TEST_TMPDIR/program" || (($? == 3))
            has_calls "$PROFILE_PROGRAMS/$program"
        done
    done
}

# bats test_tags=needs:run_32bit
@test "a 32-bit program has a profile in the same file" {
    local library=${PROFILE_LIBRARY/lib64/lib32}
    build "$PROFILE_PROGRAMS/known.c" "$BATS_TEST_TMPDIR/program" gcc -m32 -O2
    build "$PROFILE_PROGRAMS/jumps.c" "$BATS_TEST_TMPDIR/other" gcc -O2
    PROFILE_LIBRARY=$library same_with_profile "$PROFILE_PROGRAMS/known.c" "$BATS_TEST_TMPDIR/program"
    profiled "$BATS_TEST_TMPDIR/other"
    [[ $(sum processes) == 2 ]]
}

@test "processes that share the file write into chunks of their own" {
    local i
    build "$PROFILE_PROGRAMS/known.c" "$BATS_TEST_TMPDIR/program" gcc -O2
    new_profile
    for ((i = 0; i < 40; i++)); do
        profiled "$BATS_TEST_TMPDIR/program" >"$BATS_TEST_TMPDIR/out.$i" 3>&- &
    done
    wait
    [[ $(sort -u "$BATS_TEST_TMPDIR"/out.* | wc -l) == 1 ]]
    [[ $(profile functions | head -n 3) == $'280 by_pointer\n8000 factorial\n40000 leaf' && $(sum processes) == 40 ]]
}
