#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Of more than forty kinds of job, terminal, mail, JSON, CSV and the web tell the same, and what Slurm tells.
# bats file_tags=needs:cgroup_v1,needs:answers

bats_require_minimum_version 1.5.0
load ../fixture/cluster
load alike

setup_file() {
    # without the kernel witness nobody saw the end of what Slurm does not wait for, of ranks without a record, of threads on a busy node
    local script='batch script ended with exit code'
    export OUTSIDE="$script 9\.$" UNWAITED="$script 5\.$" RANK_KILLED="$script 9\.$" RANK_ENDED="$script 7\.$" RANK_HANGS='time limit' THREADS='(octave-cli[-0-9.]*|batch script)'
    start_alike ''
    make_kinds
    load_kinds
}

@test "state, cause, memory and processor time are the same for whoever asks, and as expected" {
    run with_web compare
    echo "$output"
    [[ $status == 0 && ${#lines[@]} == 1 && ${lines[0]} -ge 40 ]]
}

@test "and without Slurm's accounting" {
    ADDRESS='' run compare --no-sacct
    echo "$output"
    [[ $status == 0 && ${#lines[@]} == 1 ]]
}

@test "each kind of page of the web is there with a real sacct" {
    run with_web crawl
    echo "$output"
    [[ $status == 0 && $output == *"run "* ]]
}
