#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the benches load has the keys, types and order of what a node sends.

load ../fixture/cluster

setup_file() {
    start_cluster
    JOB=$(submit_and_wait "$PROGRAMS/exit_with 0; srun python3 -c 'import yaml'" --array=1-2)
    export JOB
    find "$DIR/records" -type f -name 'run.*.json' -exec cat {} + >"$DIR/run.real"
    find "$DIR/records" -type f -name 'pkg.*.json' -exec cat {} + >"$DIR/pkg.real"
    "$JOBTRAIL_SOURCE/test/bench/make_records" 300 --packages 0.2 >"$DIR/made"
    grep '"userT":' "$DIR/made" >"$DIR/run.made"
    grep -v '"userT":' "$DIR/made" >"$DIR/pkg.made"
}

# The tables whose keys are a user's own count as one value. What only some records have is left out.
shape() { # FILE: the keys of each table, in their order
    jq -c '.envT? |= type | .xaltLinkT? |= type | del(.userDT.Build_Epoch, .userT.container) | [.. | objects | keys_unsorted]' "$1" | sort -u
}

types() { # FILE: "PATH TYPE" of all values but nulls
    jq -r '.envT? |= [.[]?] | .xaltLinkT? |= [.[]?]
        | if .slurmT then .slurmT.core_days |= map({day: .[0], core_seconds: .[1]}) else . end
        | . as $record | paths as $path
        | [($path | map(if type == "number" then "*" else . end) | join(".")),
           ($record | getpath($path) | type)] | select(.[1] != "null") | join(" ")' "$1" | sort -u
}

same_shape() { # KIND
    [[ -s $DIR/$1.real && -s $DIR/$1.made ]]
    diff <(shape "$DIR/$1.real") <(shape "$DIR/$1.made" | sort -u)
}

same_types() { # KIND: where both have a value
    join <(types "$DIR/$1.real") <(types "$DIR/$1.made") >"$DIR/$1.types"
    awk '$2 != $3 { print; bad = 1 } END { exit bad || NR < 4 }' "$DIR/$1.types"
}

# In a batch script a run has an ancestor more than in a step.
@test "made runs have the keys of a real job's, in the same order" {
    same_shape run
}

@test "made runs have values of the types of a real job's" {
    same_types run
}

@test "made packages have the keys of a real job's, in the same order, and values of the same types" {
    same_shape pkg
    same_types pkg
}
