#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Times that programs know of themselves, and what the files say that a flush keeps: of C++, Fortran, four threads, and ranks of
# MPI on two nodes, in the mode that users get by default and in `exact`.

# bats file_tags=needs:profile

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    new_job
    cd "$BATS_TEST_TMPDIR" || return
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    keep_profiles
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    export CPATH=$JOBTRAIL_SOURCE
    gcc -O1 -c "$PROFILE_PROGRAMS/truth.c"
}

# rows FILE RANK: "CALLS TIME OVERHEAD STACK", in nanoseconds, of its stacks and of its routines of MPI
rows() {
    "$JOBTRAIL_BIN/jobtrail-profile" show --json --rank "$2" "$1" |
        jq -r '.rows[] | "\(.calls) \(.inclusive_seconds * 1e9) \(.overhead_seconds * 1e9) \(.stack)"'
    # beside its overhead, what a barrier takes where nobody waits
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json --rank "$2" "$1" |
        jq -r '.by_rank[].routines[] | "\(.calls) \(.seconds * 1e9) \(.calls * 5000) \(.routine)"'
}

# tells_truth FILE COUNT: it says of COUNT lines of `seen` what the program has seen: times between those within and those around,
# which are above the truth by 2 % at the most, by the overhead that the log states, and by what the machine did meanwhile
tells_truth() {
    local rank
    [[ $(wc -l <seen) == "$2" ]] || { echo "seen: $(wc -l <seen) lines, not $2"; return 1; }
    while read -r rank; do
        rows "$1" "$rank" >told || return
        # clocks may be slewed
        awk -v rank="$rank" '
            { stack = $0; sub(/^([^ ]+ ){3}/, "", stack) }
            FILENAME == "told" { calls[stack] = $1; time[stack] = $2; overhead[stack] = $3; next }
            $1 != rank { next }
            { sub(/^([^ ]+ ){2}/, "", stack) }
            !(calls[stack] == $2 && time[stack] >= $3 * 0.999 && time[stack] <= $4 * 1.001 &&
                    time[stack] <= $3 * 1.02 + overhead[stack] + $5) {
                print "shown: " calls[stack], time[stack], overhead[stack] "; seen: " $0
                wrong = 1
            }
            END { exit wrong }' told seen || return 1
    done < <(cut -d ' ' -f 1 seen | sort -u)
}

# one_node COMPILER SOURCE COUNT [OPTION...]: a program of a batch script, in both modes
one_node() {
    local MODE
    # shellcheck disable=SC2086 # words
    $1 -g -finstrument-functions "${@:4}" "$PROFILE_PROGRAMS/$2" truth.o -o truth -pthread
    for MODE in light exact; do
        new_profile
        profiled env JOBTRAIL_TASK=4294967291.0.1 ./truth >seen
        rm -rf kept/*
        flush
        tells_truth kept/*/"$JOB.0.batch.e2e.profile" "$3" || {
            echo "$* $MODE"
            return 1
        }
    done
}

@test "C: each of four threads has its own times, and short calls are in their caller's" {
    one_node gcc truth_threads.c 9 -O2
    one_node clang truth_threads.c 9 -O0
}

@test "C++: templates, methods, and what ends by an exception" {
    one_node g++ truth_parts.cc 4 -O2
    one_node clang++ truth_parts.cc 4 -O1
}

@test "Fortran: routines of a module and of none, and functions" {
    one_node gfortran truth_parts.f90 3 -O0
    one_node gfortran truth_parts.f90 3 -O2
}

# node NAME: the flush there, of what is in the spool now
node() {
    sed -i "s/step=4294967291/step=0 nodes=2/; s/node=e2e/node=$1/" "$SPOOL/$JOB.0/journal"
    "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node "$1"
}

# four_ranks MPI: of which two are on another node, as far as their files tell
four_ranks() {
    local launcher=(mpirun."$1")
    [[ $1 != openmpi ]] || launcher+=(--oversubscribe)
    # shellcheck disable=SC2016 # it is the inner shell's
    env "${PROFILED[@]}" "${launcher[@]}" -n 4 sh -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" -lt 2 ] || JOBTRAIL_SPOOL=$1
        LD_PRELOAD=$2 exec ./truth' _ "$PWD/other/$JOB.0/user" "$PROFILE_LIBRARY"
}

@test "MPI: ranks that work for different times, and wait for each other, in the file that two nodes' are joined to" {
    local mpi MODE
    for mpi in openmpi mpich; do
        "mpicc.$mpi" -O1 -g -finstrument-functions "$PROFILE_PROGRAMS/truth_mpi.c" truth.o -o truth
        for MODE in light exact; do
            new_profile
            rm -rf other kept/*
            cp -a --sparse=always "$SPOOL" other
            four_ranks $mpi >seen
            node n1
            rm -rf "$SPOOL"
            mv other "$SPOOL"
            node n2
            [[ $(cd kept/* && echo *) == "$JOB.0.0.n1.profile $JOB.0.0.n2.profile $JOB.0.0.profile" ]]
            tells_truth kept/*/"$JOB.0.0.profile" 8 || {
                echo "$mpi $MODE"
                return 1
            }
        done
    done
}
