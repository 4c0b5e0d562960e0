#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The programs of test/bench about profiles run, in small: they build parts of the tree, and the programs that they measure, themselves. What
# they measure is no matter here.

# bats file_tags=needs:profile

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

@test "collating the profiles of simulated ranks" {
    "$JOBTRAIL_SOURCE/test/bench/collate" 2 4 50 >said
    [[ $(head -n 1 said) == "8 ranks, "[1-9]*" stacks" ]]
    grep -Eqx 'across nodes: [0-9.]+ s, of which [0-9.]+ s for ids' said
}

# measured: the names of what the JSON in `said` compares
measured() {
    jq -r 'keys | join(" ")' said
}

@test "calls of MPI, of both kinds" {
    "$JOBTRAIL_SOURCE/test/bench/mpi" --build "$JOBTRAIL_BUILD" --rounds 1 --calls 1000 --json >said
    [[ $(measured) == "mpich openmpi" ]]
    jq -e '[.[].asked[] > 0] | all' said
}

@test "calls of an instrumented program" {
    "$JOBTRAIL_SOURCE/test/bench/profile" --build "$JOBTRAIL_BUILD" --rounds 1 --calls 100000 --starts 1 --json >said
    [[ $(measured) == "calls starts" ]]
    jq -e '.calls | [.exact[], .light[] | . > 0] | all' said
}
