#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Logs that the flush keeps beside profiles: a summary, and one for each rank that the site names.

# bats file_tags=needs:profile

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    new_profiled_job
    # shellcheck disable=SC2034 # the fixture uses it
    RANKS=3
    cat >calls.c <<'C'
#include <signal.h>
#include <stdlib.h>
__attribute__((noinline)) static void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void inner(int count)
{
    for (int i = 0; i < count; i++)
        leaf();
}
int main(int argc, char **argv)
{
    inner(atoi(argv[1]));
    leaf();
    if (argc > 2)
        raise(SIGKILL);
    return 0;
}
C
    gcc -O1 -g -finstrument-functions calls.c -o calls
    UID_KEPT=kept/$(id -u)
}

# keep LINES: the flush keeps what they say
keep() {
    keep_profiles "$1"
    flush
}

names() {
    (cd kept/* && echo *)
}

show() {
    "$JOBTRAIL_BIN/jobtrail-profile" show "$@" "$UID_KEPT/$JOB.0.batch.e2e.profile" || (($? == 1))
}

# known LOG: calls, functions, callers and stacks of its rows, in the order of the stacks
known() {
    awk '/^ *[0-9]/ { print $1, $(NF - 3), $(NF - 2), $NF }' "$1" | sort -k 4
}

@test "the summary and the logs of ranks are what show prints, of a killed rank too" {
    rank 0 ./calls 100
    run -137 rank 1 ./calls 200 kill
    keep "logs = 0-1"
    [[ $(names) == "$JOB.0.batch.e2e.log $JOB.0.batch.e2e.profile $JOB.0.batch.e2e_0.log $JOB.0.batch.e2e_1.log" ]]
    [[ $(stat -c %a:%U kept/*/* | sort -u) == "640:$(id -un)" ]]
    diff <(show) "$UID_KEPT/$JOB.0.batch.e2e.log"
    diff <(show --rank 0) "$UID_KEPT/$JOB.0.batch.e2e_0.log"
    diff <(show --rank 1) "$UID_KEPT/$JOB.0.batch.e2e_1.log"
    [[ $(known "$UID_KEPT/$JOB.0.batch.e2e.log") == "2 inner main inner<main<init
300 leaf inner leaf<inner<main<init
2 leaf main leaf<main<init
2 main init main<init" ]]
    [[ $(known "$UID_KEPT/$JOB.0.batch.e2e_1.log") == "1 inner main inner<main<init
200 leaf inner leaf<inner<main<init
1 leaf main leaf<main<init
1 main init main<init" ]]
    grep -F "# rank 1 of 3" "$UID_KEPT/$JOB.0.batch.e2e_1.log" | grep -F "ended, how is not known; was in main<init" | grep -F " (its end is not known; it ended at most "
    grep -F ": no profile of rank 2 of 3" "$UID_KEPT/$JOB.0.batch.e2e.log"
}

@test "which logs: those that the site says, and none by default" {
    rank 0 ./calls 1
    rank 2 ./calls 1
    cp -r "$SPOOL" before
    keep ""
    [[ $(names) == "$JOB.0.batch.e2e.profile" ]]
    local wanted
    while IFS=: read -r wanted expected; do
        rm -rf kept/*
        cp -r before/. "$SPOOL"
        sed -i '/^logs = /d' "$CONF"
        printf 'logs = %s\n' "$wanted" >>"$CONF"
        flush
        [[ $(cd kept/* && echo *.log) == "$expected" ]]
    done <<END
summary:$JOB.0.batch.e2e.log
1-7:$JOB.0.batch.e2e.log $JOB.0.batch.e2e_2.log
all:$JOB.0.batch.e2e.log $JOB.0.batch.e2e_0.log $JOB.0.batch.e2e_2.log
END
}

@test "logs that find no room beside the profile are left out, which the flush says, and the profile stays" {
    # a line for each stack, with up to 256 names: some 4 MB of text in each log
    cat >deep.c <<'C'
static int deeper(int depth);
__attribute__((noinline)) static int deep(int depth)
{
    return depth == 0 ? 0 : 1 + deeper(depth - 1) * depth;
}
__attribute__((noinline)) static int deeper(int depth)
{
    return depth == 0 ? 0 : 2 + deep(depth - 1) * depth;
}
int main(void)
{
    return deep(2000) == 1;
}
C
    gcc -O1 -g -finstrument-functions deep.c -o deep
    rank 0 ./deep
    run --separate-stderr keep $'logs = all\nuser_size = 1M'
    [[ $(names) == "$JOB.0.batch.e2e.profile" ]]
    [[ $stderr == *"job $JOB: 2 of the files beside its profiles are left out: [profile] user_size"* ]]
}
