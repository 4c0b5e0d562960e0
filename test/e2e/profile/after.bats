#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What jobtrail-profile tells of profiles after the end: times that are known by construction, ranks that were killed,
# names with and without symbols, files of several nodes.

# bats file_tags=needs:profile

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    new_profiled_job
    # shellcheck disable=SC2034 # the fixture uses it
    STEP=0
}

# build_waits [OPTION...]: a program that prints of three calls the nanoseconds that passed inside, and those that
# passed around them: foo(), bar(), and foo() of bar(). With an argument it is killed in foo, called by bar
build_waits() {
    cat >waits.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <time.h>
#define OURS __attribute__((no_instrument_function))
OURS static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}
OURS static void burn(long long ms)
{
    long long end = now() + ms * 1000000;
    while (now() < end)
        ;
}
long long inside[3], around[3];
void foo(int which, int kill)
{
    long long start = now();
    burn(50);
    if (kill)
        raise(SIGKILL);
    inside[which] = now() - start;
}
void bar(int kill)
{
    long long start = now();
    burn(20);
    long long before = now();
    foo(2, kill);
    around[2] = now() - before;
    inside[1] = now() - start;
}
int main(int argc, char **argv)
{
    (void)argv;
    long long start = now();
    foo(0, 0);
    around[0] = now() - start;
    start = now();
    bar(argc > 1);
    around[1] = now() - start;
    for (int i = 0; i < 3; i++)
        printf("%lld %lld\n", inside[i], around[i]);
    return 0;
}
C
    gcc -g -O1 -fno-inline -finstrument-functions "$@" waits.c -o waits
}

# dumped STACK COLUMN [FILE]: numbers of dump, one for each rank
dumped() {
    "$JOBTRAIL_BIN/jobtrail-profile" dump "${3-$PROFILE_FILE}" | awk -F '\t' -v stack="$1" -v column="$2" '$10 == stack { print $column }'
}

@test "times are those that the program saw itself, exclusive is inclusive without the callees" {
    build_waits
    rank 0 ./waits >seen
    mapfile -t seen <seen
    # shellcheck disable=SC2086 # two numbers
    {
        is_between "$(dumped "foo<main<init" 8)" ${seen[0]}
        is_between "$(dumped "bar<main<init" 8)" ${seen[1]}
        is_between "$(dumped "foo<bar<main<init" 8)" ${seen[2]}
    }
    [[ $(dumped "foo<bar<main<init" 6) == 1 ]]
    "$JOBTRAIL_BIN/jobtrail-profile" dump "$PROFILE_FILE" >numbers || (($? == 1)) # three ranks are missing
    awk -F '\t' '{ own[$10] = $7; all[$10] = $8; sum += $7 }
        END { exit own["bar<main<init"] != all["bar<main<init"] - all["foo<bar<main<init"] || sum != all["init"] }' numbers
}

@test "the hash of a stack is that of Vftrace" {
    build_waits
    rank 0 ./waits
    [[ $(dumped init 5) == 1230f7076d722139 ]]
}

@test "a rank that was killed shows where it was, and for how long" {
    build_waits
    rank 0 ./waits
    run rank 1 ./waits kill
    ((status == 137))
    run "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE"
    [[ $output == *"rank 1"*": killed, or still running; was in foo<bar<main<init for an unknown time"* ]]
    [[ $output != *"rank 0"*": killed"* ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" show --json --rank 1 "$PROFILE_FILE"
    [[ $(jq -r '.ranks[0].was_in' <<<"$output") == "foo<bar<main<init" ]]
    [[ $(jq -c '.ranks[0] | [.reached_exit, .end_known, .was_in_seconds]' <<<"$output") == "[false,false,null]" ]]
    [[ $(jq -r '.rows[] | select(.stack == "foo<bar<main<init") | .calls' <<<"$output") == 1 ]]
}

@test "a log says of which job, step, program and nodes it is, and steps have their names" {
    build_waits
    profiled env JOBTRAIL_TASK=4294967291.0.1 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 ./waits
    run "$JOBTRAIL_BIN/jobtrail-profile" show --node n1 "$PROFILE_FILE"
    [[ ${lines[0]} == "# step batch, $PWD/waits: 1 rank on n1" && ${lines[1]} == "# 1 rank, 1 different profile" ]]
    [[ $output == *"# step batch: no profile of ranks 1 to 3 of 4"* ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE"
    [[ $(jq -c '[.missing[].step, .ranks[].step, .ranks[].job, .ranks[].program]' <<<"$output") == "[\"batch\",\"batch\",null,\"$PWD/waits\"]" ]]
    [[ $(dumped "foo<main<init" 1) == batch ]]
    keep_profiles "logs = summary"
    flush
    [[ $(head -1 kept/*/*.log) == "# job $JOB, step batch, $PWD/waits: 1 rank on e2e" ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" show --json kept/*/*.profile
    [[ $(jq -c '.ranks[0] | [.job, .step, .program]' <<<"$output") == "[$JOB,\"batch\",\"$PWD/waits\"]" ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" show --rank 0 kept/*/*.profile
    [[ ${lines[0]} == "# job $JOB, step batch, $PWD/waits: 1 rank on e2e" && ${lines[1]} == "# rank 0 of 4, step batch, node e2e, "* ]]
}

@test "times of functions whose calls were counted alone are marked" {
    cat >light.c <<'C'
__attribute__((noinline)) static void quick(void) { __asm__ volatile(""); }
int main(void)
{
    for (int i = 0; i < 3000; i++)
        quick();
    return 0;
}
C
    gcc -g -O1 -fno-inline -finstrument-functions light.c -o light
    MODE=light new_profile
    profiled ./light
    run -0 "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE"
    [[ $output =~ " 3000 "+"~0."[0-9]+" "+"~"[0-9.]+" "+"~0."[0-9]+" "+"~0."[0-9]+" " ]]
    [[ $(grep -c '~' <<<"$output") == 2 && ${lines[-1]} == "# ~ its short calls were counted and not timed: their time is in the caller's" ]]
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE" | jq -c '[.rows[] | [.function, .counted_alone]] | sort') == \
        '[["main",false],["quick",true]]' ]]
    [[ $(dumped "quick<main<init" 12) == 1 && $(dumped "main<init" 12) == 0 ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-profile" flame --svg "$PROFILE_FILE"
    [[ $output == *"of its own ~0."*", 3000 calls"*"; ~ short calls were counted: their time is in the caller's"* ]]
    cp "$PROFILE_FILE" light.profile
    new_profile
    profiled ./light
    run ! grep '~' <("$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE")
    run -0 "$JOBTRAIL_BIN/jobtrail-profile" diff light.profile "$PROFILE_FILE"
    [[ $output =~ " ~0."[0-9]+" "+[0-9.]+" "+3000" "+3000" "+[0-9]+" quick<main<init" && ${lines[-1]} == "# ~ its short calls"* ]]
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" diff --json light.profile "$PROFILE_FILE" |
        jq -c 'select(.stack == "quick<main<init").counted_alone') == "[true,false]" ]]
}

@test "ranks that left no profile are named" {
    build_waits
    rank 1 ./waits
    run "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE"
    ((status == 1))
    [[ $output == *"# step 0: no profile of rank 0 of 4"*"# step 0: no profile of ranks 2 to 3 of 4"* ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE"
    [[ $(jq -c '[.missing[] | [.first, .last, .size]]' <<<"$output") == "[[0,0,4],[2,3,4]]" ]]
}

@test "ranks that are in one task of Slurm's are told apart by what the launcher told them" {
    local rank
    build_waits
    for rank in 0 1 2; do
        profiled env PMIX_NAMESPACE=one OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 ./waits
    done
    profiled env PMIX_NAMESPACE=another OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 ./waits
    # the rest of the first program, in another step
    profiled env JOBTRAIL_TASK=1.0.1 PMIX_NAMESPACE=one OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 sh -c './waits; ./waits'
    # what has no number is that rank's, as of a wrapper, and beside several ranks something else
    profiled env JOBTRAIL_TASK=1.0.1 ./waits
    profiled sh -c './waits; ./waits'
    "$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE" >shown || (($? == 1))
    # each program is an object
    [[ $(jq -sc '[.[].ranks[] | [.step, .rank, .size, .processes]] | sort' shown) == "[[\"0\",0,1,2],[\"0\",0,2,1],[\"0\",0,4,1],[\"0\",1,4,1],[\"0\",2,4,1],[\"1\",3,4,3]]" ]]
    [[ $(jq -sc 'map([.missing[] | [.first, .last, .size]]) | sort' shown) == "[[],[],[[1,1,2]]]" ]]
}

@test "programs that a script runs before and after mpirun are none of its ranks" {
    local rank
    build_waits
    cp waits prepare
    cp waits finish
    profiled env JOBTRAIL_TASK=4294967291.0.1 ./prepare
    for rank in 0 1; do
        profiled env JOBTRAIL_TASK=4294967291.0.1 PMIX_NAMESPACE=one OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 ./waits
    done
    profiled env JOBTRAIL_TASK=4294967291.0.1 ./prepare
    run profiled env JOBTRAIL_TASK=4294967291.0.1 ./finish kill
    ((status == 137))
    "$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE" >shown
    [[ $(jq -sc 'map(.ranks[] | [(.program | split("/")[-1]), .rank, .size, .processes, .reached_exit]) | sort[]' shown) == \
        '["finish",0,1,1,false]'$'\n''["prepare",0,1,2,true]'$'\n''["waits",0,2,1,true]'$'\n''["waits",1,2,1,true]' ]]
    # a script of one program below mpirun on this node is none of its either
    new_profile
    profiled env JOBTRAIL_TASK=4294967291.0.1 ./prepare
    profiled env JOBTRAIL_TASK=4294967291.0.1 PMIX_NAMESPACE=one OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 ./waits
    "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE" >shown || (($? == 1))
    grep -F "# step batch, $PWD/prepare: 1 rank on " shown
    grep -F "# step batch, $PWD/waits: 1 rank on " shown
}

@test "files of several nodes become one: ids are the same whoever is first, and a rank counts once" {
    build_waits
    rank 0 ./waits
    cp "$PROFILE_FILE" first
    new_profile
    run rank 1 ./waits kill
    cp "$PROFILE_FILE" second
    # ranks 2 and 3 are missing
    run -1 "$JOBTRAIL_BIN/jobtrail-profile" merge -o one --node n1 first
    run -1 "$JOBTRAIL_BIN/jobtrail-profile" merge -o two --node n2 second
    run -1 "$JOBTRAIL_BIN/jobtrail-profile" merge -o both one two
    run -1 "$JOBTRAIL_BIN/jobtrail-profile" merge -o again two one
    diff <("$JOBTRAIL_BIN/jobtrail-profile" dump both | sort) <("$JOBTRAIL_BIN/jobtrail-profile" dump again | sort)
    diff <("$JOBTRAIL_BIN/jobtrail-profile" show both) <("$JOBTRAIL_BIN/jobtrail-profile" show one two)
    "$JOBTRAIL_BIN/jobtrail-profile" show both | grep -F "node n2, pid"
    run "$JOBTRAIL_BIN/jobtrail-profile" merge -o more both one
    [[ $output == *"1 rank is in the files more than once"* ]]
    cmp <("$JOBTRAIL_BIN/jobtrail-profile" show both) <("$JOBTRAIL_BIN/jobtrail-profile" show more)
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" diff --json both more | jq -s 'map(.change_seconds) | add') == 0 ]]
}

@test "a stripped program has offsets, the same in all ranks, and names where its debug information is" {
    build_waits -Wl,--build-id
    local id
    id=$(readelf -n waits | sed -n 's/.*Build ID: //p')
    mkdir -p "debug/.build-id/${id:0:2}"
    objcopy --only-keep-debug waits "debug/.build-id/${id:0:2}/${id:2}.debug"
    strip waits
    rank 0 ./waits
    rank 1 ./waits
    run "$JOBTRAIL_BIN/jobtrail-profile" flame "$PROFILE_FILE"
    [[ $output == *"init;waits+0x"*";waits+0x"* && $output != *main* ]]
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE" | jq '[.rows[].ranks] | unique[]') == 2 ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" flame --debug debug "$PROFILE_FILE"
    [[ $output == *"init;main;bar;foo "* ]]
}

@test "a program that was built anew since gets no wrong names" {
    build_waits -Wl,--build-id
    rank 0 ./waits
    build_waits -Wl,--build-id -O2 -DOTHER
    echo 'void other(void) {}' >>waits.c
    gcc -finstrument-functions -Wl,--build-id waits.c -o waits
    run "$JOBTRAIL_BIN/jobtrail-profile" flame "$PROFILE_FILE"
    [[ $output == *"init;waits+0x"* && $output != *main* ]]
}

@test "what is no profile, or a damaged one, is refused or counted, and wrong usage gets a hint" {
    build_waits
    rank 0 ./waits
    run "$JOBTRAIL_BIN/jobtrail-profile" show waits.c
    ((status == 2))
    [[ $output == *"waits.c: is no profile"* ]]
    run -1 "$JOBTRAIL_BIN/jobtrail-profile" merge -o set "$PROFILE_FILE"
    head -c -1 set >short
    run "$JOBTRAIL_BIN/jobtrail-profile" show short
    ((status == 2))
    [[ $output == *"short: is no profile, or a damaged one"* ]]
    # the objects of the process are longer than their place
    printf '\377' | dd of="$PROFILE_FILE" bs=1 seek=$((4096 + 173)) conv=notrunc status=none
    run "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE"
    ((status == 1))
    [[ $output == *" of the files "*" damaged, and left out"* ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" shwo set
    ((status == 2))
    [[ $output == *"shwo"* ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" show --rank 9 set
    ((status == 2)) && [[ $output == *"there is no rank 9"* ]]
}

@test "a flush keeps a job's profiles for its user where the site says so, and then alone" {
    build_waits
    rank 0 ./waits
    run rank 1 ./waits kill
    profiled env JOBTRAIL_TASK=4294967291.0.1 ./waits # of the step that the journal has
    cp -r "$SPOOL" spool.before
    flush
    [[ ! -e $PROFILE_FILE && -z $(find "$BATS_TEST_TMPDIR" -name '*.profile') ]]
    cp -r spool.before/. "$SPOOL"
    keep_profiles
    flush
    [[ $(cd kept/* && echo *) == "$JOB.0.batch.e2e.profile $JOB.0.unknown.e2e.profile" ]]
    [[ $(stat -c %a:%U kept/*/* | sort -u) == "640:$(id -un)" ]]
    "$JOBTRAIL_BIN/jobtrail-profile" show --json "kept/$(id -u)/$JOB.0.batch.e2e.profile" | jq -e '.ranks | length == 1'
    run "$JOBTRAIL_BIN/jobtrail-profile" show kept/*/*.unknown.e2e.profile
    [[ $output == *"rank 1 of 4, step 0, node e2e,"*"was in foo<bar<main<init (its end is not known; it ended at most "*" s later)"* ]]
    [[ $output == *" 2 "*"foo<bar<main<init"* ]]
}

@test "a job that is put into the quarantine has its profiles kept nevertheless" {
    build_waits
    rank 0 ./waits
    keep_profiles
    printf 'no ledger' | dd of="${PROFILE_FILE%/*}/ledger" conv=notrunc status=none
    flush
    [[ $(find "$BATS_TEST_TMPDIR/state/quarantine" -name reason) == *"/$JOB.0/reason" ]]
    "$JOBTRAIL_BIN/jobtrail-profile" dump "kept/$(id -u)/$JOB.0.unknown.e2e.profile" >numbers || (($? == 1)) # three ranks are missing
    [[ $(awk -F '\t' '$10 == "foo<bar<main<init" { print $6 }' numbers) == 1 ]]
}

# a_users_job: one of nobody's, with the profiles of two ranks in $TEMPLATE
a_users_job() {
    build_waits
    OWNER=nobody new_profile
    chown root: "$SPOOL/$JOB.0/user"/* # a process uses a file of its own user alone
    rank 0 ./waits
    rank 1 ./waits
    chown nobody: "$SPOOL/$JOB.0/user"/*
    keep_profiles
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    cp -a "$SPOOL" template
}

# kept_once: both ranks, once, and nothing beside them
kept_once() {
    [[ $(cd kept/* && echo *) == "$JOB.0.unknown.e2e.profile" && $(stat -c %U:%a kept/*/*) == root:640 ]] &&
        [[ $("$JOBTRAIL_BIN/jobtrail-profile" show --json kept/*/* | jq -c '[.ranks[] | [.rank, .processes]] | sort') == "[[0,1],[1,1]]" ]]
}

# bats test_tags=needs:root
@test "a kept profile is root's, its user reads it and adds nothing, and others learn nothing of it" {
    local file size as=(setpriv --regid nogroup --clear-groups --reuid)
    a_users_job
    chmod 755 . "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e
    kept_once
    file=$(echo "$PWD"/kept/*/*)
    size=$(stat -c %s "$file")
    [[ $("${as[@]}" nobody cat "$file" | wc -c) == "$size" ]]
    # shellcheck disable=SC2016 # of the shell that is started
    run ! "${as[@]}" nobody bash -c 'head -c 1M /dev/zero >>"$1"' bash "$file"
    [[ $(stat -c %s "$file") == "$size" ]]
    run ! "${as[@]}" games stat "$file"
    [[ $output == *"Permission denied" ]]
    run ! "${as[@]}" games ls "${file%/*}"
}

# bats test_tags=needs:root
@test "a flush that is killed while it keeps profiles is completed by the next, each profile once" {
    local call number
    a_users_job
    strace -o trace "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e
    kept_once
    awk -F'(' '/^[a-z_0-9]+\(/ { n[$1]++; if (/"kept"/) found = 1
        if (found && $1 != "exit_group") print $1, n[$1] }' trace >calls
    grep -qx 'rename.* .*' calls
    while read -r call number; do
        rm -rf "${SPOOL:?}" kept/*
        cp -a template "$SPOOL"
        strace -o /dev/null -e "inject=$call:signal=KILL:when=$number" \
            "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e >/dev/null 2>&1 || true
        flush >/dev/null 2>&1
        kept_once || { echo "killed at $call $number"; ls -lR kept; return 1; }
    done < <(grep -E '^(openat|fchown|fchmod|rename|close|write|ftruncate|unlinkat)' calls)
    [[ -z $(ls "$SPOOL") ]]
}

# bats test_tags=needs:root
@test "a job that is left for a later flush has its profiles kept by that one, once" {
    a_users_job
    ln -s 'mnt:[1]' "$SPOOL/$JOB.0/mounted" # its captures are in another mount namespace
    run flush
    ((status == 1))
    [[ -n $(ls "$SPOOL") && -z $(ls kept) ]]
    rm "$SPOOL/$JOB.0/mounted"
    flush
    kept_once
    # and a flush of the same once more changes nothing
    "$JOBTRAIL_BIN/jobtrail-profile" dump kept/*/* | cut -f1-6,10 >first
    cp -a template/. "$SPOOL"
    flush
    kept_once
    "$JOBTRAIL_BIN/jobtrail-profile" dump kept/*/* | cut -f1-6,10 | diff first -
}
