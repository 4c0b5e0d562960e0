#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Profiles of MPI programs on two nodes, of which a rank or a node dies: each launcher of Open MPI and MPICH. What records tell of them.

# bats file_tags=needs:profile

load ../fixture/cluster

setup_file() {
    start_cluster
    mkdir -m 711 "$DIR/profiles"
    KEPT=$DIR/profiles/$(id -u "$JOB_USER")
    export KEPT
    configure "[profile]
steps = asked
mode = exact
size = 8M
directory = $DIR/profiles
logs = 5"
    cat >"$DIR/ranks.c" <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define KEPT __attribute__((noinline))
KEPT static int step(int x) { __asm__ volatile("" : "+r"(x)); return x; }
KEPT static void lost(void) { raise(SIGKILL); }
KEPT static void held(void) { pause(); }
/* With bits of the ranks that are killed, or with -1: all wait until something ends them. */
int main(int argc, char **argv)
{
    int rank, killed = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++)
        step(i);
    MPI_Barrier(MPI_COMM_WORLD);
    if (killed < 0 && rank == 0) {
        puts("held");
        fflush(stdout);
    }
    if (killed < 0)
        held();
    if ((killed >> rank & 1) != 0)
        lost();
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
C
    # It is not built for profiles. Later ranks are longer outside of MPI. There are few barriers: a rank that waits in one uses a CPU, and the machine has fewer of them.
    cat >"$DIR/waits.c" <<'C'
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        const struct timespec time = {0, 20000000L * rank};
        nanosleep(&time, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
C
    gcc -O1 -finstrument-functions -x c - -o "$PROGRAMS/exits" <<'C'
#include <unistd.h>
__attribute__((noinline)) static void last(void) { usleep(20000); _exit(3); }
int main(void) { last(); }
C
    local mpi
    for mpi in mpich openmpi; do
        "mpicc.$mpi" -O1 -g -finstrument-functions "$DIR/ranks.c" -o "$PROGRAMS/ranks_$mpi"
        "mpicc.$mpi" -O1 "$DIR/waits.c" -o "$PROGRAMS/waits_$mpi"
        ln "$PROGRAMS/waits_$mpi" "$PROGRAMS/again_$mpi"
    done
}

# profile ORDER...: as the job's user
profile() {
    run_as "$JOB_USER" "$STAGE/bin/jobtrail-profile" "$@"
}

# shown FILE [OPTION...]: as a log has it, which has both and needs no hint at the other
shown() {
    profile show "${@:2}" "$1" | grep -v -- ": --mpi shows their times$" && profile show --mpi "${@:2}" "$1"
}

# job LAUNCHER PROGRAM RANK: 8 ranks on 2 nodes, of which RANK is killed
job() {
    JOB=$(submit_and_wait "$1 $PROGRAMS/$2 $((1 << $3))" -N2 -n8 --ntasks-per-node=4 --jobtrail-profile=exact)
    eventually 60 is_flushed "$JOB"
}

# tells_of FILE RANK [NODES]: the file has all 8 ranks with what they did, and RANK was killed in lost()
tells_of() {
    local got
    got=$(profile show --json "$1")
    [[ $(jq -c '[.ranks[].rank] | sort' <<<"$got") == "[0,1,2,3,4,5,6,7]" ]]
    [[ $(jq -c '[.ranks[].size] | unique' <<<"$got") == "[8]" ]]
    [[ $(jq -c '[.ranks[].node] | group_by(.) | map(length)' <<<"$got") == "${3-[4,4]}" ]]
    [[ $(jq -c '[.missing, .missing_nodes, .damaged]' <<<"$got") == "[[],[],0]" ]]
    [[ $(jq -c '[.ranks[] | select(.was_in == "lost<main<init") | .rank]' <<<"$got") == "[$2]" ]]
    [[ $(jq -c '[.rows[] | select(.stack == "step<main<init") | .calls, .ranks]' <<<"$got") == "[800,8]" ]]
}

# killed_by FILE: how the rank ended that was killed in lost(), by which signal, and whether the end is known
killed_by() {
    profile show --json "$1" | jq -c '.ranks[] | select(.was_in == "lost<main<init") | [.ended, .signal, .end_known]'
}

@test "srun's pmi2 and MPICH: the last node's flush puts the ranks of both nodes into one file" {
    job "srun -K1 --mpi=pmi2" ranks_mpich 5
    tells_of "$KEPT/$JOB.0.0.profile" 5
    [[ $(killed_by "$KEPT/$JOB.0.0.profile") == '["signal","SIGKILL",true]' ]] # Slurm has waited for it
    grep "^# rank 5 of 8, step 0, node n2, pid [0-9]*, ended first: killed by SIGKILL, at 2[^,]*, at least " <(profile show "$KEPT/$JOB.0.0.profile")
    [[ $(stat -c %U:%a "$KEPT/$JOB.0.0.profile") == root:640 ]]
    # of the whole, and of each node's part, are the logs that the site has, with the calls of MPI
    [[ $(cd "$KEPT" && echo "$JOB".0.0*.log) == "$JOB.0.0.log $JOB.0.0.n1.log $JOB.0.0.n2.log $JOB.0.0.n2_5.log $JOB.0.0_5.log" ]]
    diff <(shown "$KEPT/$JOB.0.0.profile") "$KEPT/$JOB.0.0.log"
    diff <(shown "$KEPT/$JOB.0.0.profile" --rank 5) "$KEPT/$JOB.0.0_5.log"
    grep -F "step 0: profiles of 1 of 2 nodes; ids are provisional" "$KEPT/$JOB.0.0.n2_5.log"
    # the same as by hand, whichever node was the last
    profile merge -o "$DIR/tmp/whole" "$KEPT/$JOB.0.0.n2.profile" "$KEPT/$JOB.0.0.n1.profile"
    diff <(profile dump "$KEPT/$JOB.0.0.profile" | sort) <(profile dump "$DIR/tmp/whole" | sort)
}

# bats test_tags=needs:mpi_pmix
@test "srun's pmix and Open MPI" {
    job "srun -K1 --mpi=pmix" ranks_openmpi 5
    tells_of "$KEPT/$JOB.0.0.profile" 5
}

@test "mpirun of Open MPI: ranks of the batch script's node and of the other one are one program" {
    job "$MPIRUN -n 8" ranks_openmpi 5
    run profile show "$KEPT/$JOB.0.batch.n1.profile"
    ((status == 1))
    [[ $output == *"no profile of ranks 4 to 7 of 8"* ]]
    profile merge -o "$DIR/tmp/$JOB" "$KEPT/$JOB.0.batch.n1.profile" "$KEPT/$JOB.0.0.n2.profile"
    tells_of "$DIR/tmp/$JOB" 5
    # Slurm has not waited for it, and there is no witness
    [[ $(killed_by "$DIR/tmp/$JOB") == '["unknown",null,false]' ]]
    profile show --json "$DIR/tmp/$JOB" | jq -e '.ranks[] | select(.was_in == "lost<main<init") | .end_later_seconds_max > 0'
    # what the script runs before and after it is none of its ranks
    job=$(submit_and_wait "$PROGRAMS/exits; $MPIRUN -n 8 $PROGRAMS/ranks_openmpi 0; $PROGRAMS/exits; true" -N2 -n8 --ntasks-per-node=4 --jobtrail-profile)
    eventually 60 is_flushed "$job"
    profile show --json "$KEPT/$job.0.batch.n1.profile" >"$DIR/tmp/apart" || (($? == 1))
    [[ $(jq -sc 'map(.ranks[] | [(.program | split("/")[-1]), .rank, .processes]) | sort' "$DIR/tmp/apart") == \
        '[["exits",0,2],["ranks_openmpi",0,1],["ranks_openmpi",1,1],["ranks_openmpi",2,1],["ranks_openmpi",3,1]]' ]]
}

@test "a program of a batch script that scancel ends: between which bounds is told; of a task that called _exit, its status" {
    job=$(submit "srun -n1 $PROGRAMS/exits; $PROGRAMS/ranks_mpich -1" -w n1 --jobtrail-profile)
    eventually 60 output_has "$job" held
    run_as root scancel "$job"
    eventually 60 is_flushed "$job"
    run profile show "$KEPT/$job.0.0.n1.profile"
    [[ $output == *": ended by _exit with status 3; was in last<main<init for 0."*" s"$'\n'* ]]
    run profile show "$KEPT/$job.0.batch.n1.profile"
    [[ $output == *": ended, how is not known; was in held<main<init"*" (its end is not known; it ended at most "*" s later)"* ]]
}

# A Hydra that starts daemons by itself gives the script's variables to all ranks, the spool's directory too: on this machine,
# whose nodes have one file system, all ranks count in that of n1. With Slurm's external launcher they have a step.
@test "Hydra of MPICH" {
    job "mpiexec.hydra -ppn 4 -n 8" ranks_mpich 2
    if [[ -e $KEPT/$JOB.0.batch.n1.profile ]]; then
        tells_of "$KEPT/$JOB.0.batch.n1.profile" 2 "[8]"
    else
        tells_of "$KEPT/$JOB.0.0.profile" 2
    fi
}

@test "whichever ranks die, nothing waits for them" {
    JOB=$(submit_and_wait "for killed in 1 170 255; do srun -K1 --mpi=pmi2 $PROGRAMS/ranks_mpich \$killed; done" \
        -N2 -n8 --ntasks-per-node=4 --jobtrail-profile)
    eventually 60 is_flushed "$JOB"
    for step in 0 1 2; do
        profile show --json "$KEPT/$JOB.0.$step.profile" >"$DIR/tmp/all"
        [[ $(jq -c '[.ranks[].rank] | sort' "$DIR/tmp/all") == "[0,1,2,3,4,5,6,7]" ]]
        # Slurm may end a rank before it comes to its own end
        [[ $(jq -c '[.ranks[].was_in] | unique - ["main<init"]' "$DIR/tmp/all") == '["lost<main<init"]' ]]
    done
}

@test "whichever ranks die below mpirun of Open MPI, nothing waits for them" {
    JOB=$(submit_and_wait "for killed in 1 170 255; do $MPIRUN -n 8 $PROGRAMS/ranks_openmpi \$killed; done; true" \
        -N2 -n8 --ntasks-per-node=4 --jobtrail-profile)
    eventually 60 is_flushed "$JOB"
    # three programs, each with its daemon's step on the other node, are told apart
    profile show --json "$KEPT/$JOB".0.batch.n1.profile "$KEPT/$JOB".0.{0,1,2}.n2.profile >"$DIR/tmp/all"
    [[ $(jq -sc 'map([.ranks[].rank] | sort) | length, unique[]' "$DIR/tmp/all") == $'3\n[0,1,2,3,4,5,6,7]' ]]
    [[ $(jq -sc 'map([.missing, .damaged]) | unique[]' "$DIR/tmp/all") == "[[],0]" ]]
    # mpirun may end a rank before it comes to its own end
    [[ $(jq -sc '[.[].ranks[].was_in] | unique - ["main<init"]' "$DIR/tmp/all") == '["lost<main<init"]' ]]
    (($(jq -s '[.[].ranks[] | select(.was_in == "lost<main<init")] | length' "$DIR/tmp/all") >= 3))
}

@test "of a node that dies the ranks are named as missing, ids are provisional, and final when it has sent" {
    job=$(submit "srun --mpi=pmi2 $PROGRAMS/ranks_mpich -1" -N2 -n8 --ntasks-per-node=4 --no-requeue \
        --jobtrail-profile)
    eventually 60 output_has "$job" held
    "$CLUSTER" crash-node n2
    wait_job "$job" 180
    eventually 60 test -e "$KEPT/$job.0.0.n1.profile"
    run profile show "$KEPT/$job.0.0.n1.profile"
    ((status == 1))
    [[ $output == *"no profile of ranks 4 to 7 of 8"* ]]
    [[ $output == *"profiles of 1 of 2 nodes; ids are provisional"* ]]
    [[ $output == *"was in held<main<init for"* && ! -e $KEPT/$job.0.0.profile ]]
    grep -F "ids are provisional" "$KEPT/$job.0.0.n1.log"
    run profile merge -o "$DIR/tmp/part" "$KEPT/$job.0.0.n1.profile"
    ((status == 1))
    [[ $output == *"ids of stacks are provisional"* ]]
    # what is left on its disk comes when the node is back
    "$CLUSTER" start-slurmd n2
    eventually 60 test -e "$KEPT/$job.0.0.profile"
    profile show --json "$KEPT/$job.0.0.profile" >"$DIR/tmp/both"
    [[ $(jq -c '[.missing, .missing_nodes]' "$DIR/tmp/both") == "[[],[]]" ]]
    [[ $(jq -c '[.ranks[] | select(.was_in == "held<main<init") | .rank] | sort' "$DIR/tmp/both") == "[0,1,2,3,4,5,6,7]" ]]
}

# acct JOB OPTION...: of all records
acct() {
    local job=$1
    shift
    "$STAGE/bin/jobtrail-load" --json "$DIR/records" --store "sqlite:$DIR/store.db" >/dev/null &&
        "$STAGE/bin/jobtrail-acct" --store "sqlite:$DIR/store.db" --no-sacct -a -j "$job" "$@"
}

# agrees JOB PROGRAM RANKS: what acct has of the program's run is what its files say together
agrees() {
    local told files
    told=$(acct "$1" --exec "$2" --json)
    [[ $(acct "$1" --exec "$2" -nPo MPIShare,MPIImbalance,MPIRanks) == [0-9]*%"|"[0-9]*%"|$3 of $3" ]]
    mapfile -t files < <(jq -r '.runs[].profile.paths[]' <<<"$told")
    [[ $(acct "$1" --exec "$2" -nPo Profile) == "${files[*]}" ]]
    # seconds are rounded to six decimals in records
    profile show --mpi --json "${files[@]}" >"$DIR/tmp/files"
    jq -e --slurpfile files "$DIR/tmp/files" --argjson ranks "$3" '(.runs | length == 1) and ($files[0] as $said | .runs[0].profile |
        .untold == 0 and .is_own and .mpi.runs == 1 and .mpi.ranks == $ranks and $said.ranks == $ranks and .mpi.calls == $said.mpi_calls and
        (.mpi.share - $said.mpi_share | fabs) < 0.0001 and (.mpi.imbalance - $said.imbalance_percent | fabs) < 0.01 and .mpi.slowest.rank == $said.most_on_rank)' <<<"$told"
}

# programs LAUNCHER MPI: one program on both nodes, and another one behind it in the same script
programs() {
    JOB=$(submit_and_wait "$1 $PROGRAMS/waits_$2; $1 $PROGRAMS/again_$2" -N2 -n8 --ntasks-per-node=4 --jobtrail-profile)
    eventually 60 is_flushed "$JOB"
}

@test "srun: jobtrail-acct has the time in MPI of each program, as the joined files of its step say" {
    programs "srun --mpi=pmi2" mpich
    agrees "$JOB" waits_mpich 8
    agrees "$JOB" again_mpich 8
    [[ $(acct "$JOB" --exec again_mpich -nPo Profile) == "$KEPT/$JOB.0.1.profile" ]]
}

# tells_apart JOB MPI: each of the two programs has its own numbers, of all its ranks, as their files say of it
tells_apart() {
    local told files
    told=$(acct "$1" --json)
    [[ $(acct "$1" -nPo Exec,MPIRanks --sort=exec) == $'again_'"$2"$'|8 of 8\nwaits_'"$2|8 of 8" ]]
    mapfile -t files < <(jq -r '[.runs[].profile.paths[]] | unique[]' <<<"$told")
    profile show --mpi --json "${files[@]}" >"$DIR/tmp/files"
    [[ $(jq -c --slurpfile files "$DIR/tmp/files" '[.runs[].profile | . as $one | $files[] | select(.by_rank[0].program_hash == $one.program) |
        .ranks == 8 and $one.mpi.runs == 1 and $one.mpi.calls == .mpi_calls and ($one.mpi.share - .mpi_share | fabs) < 0.0001]' <<<"$told") == "[true,true]" ]]
}

@test "mpirun of Open MPI: each of two programs of a script has its own time in MPI, of all ranks on both nodes" {
    programs "$MPIRUN -n 8" openmpi
    tells_apart "$JOB" openmpi
    [[ $(acct "$JOB" --exec again_openmpi -nPo Profile) == "$KEPT/$JOB.0.1.n2.profile $KEPT/$JOB.0.batch.n1.profile" ]]
    # of one program alone, it is what its files say
    job=$(submit_and_wait "$MPIRUN -n 8 $PROGRAMS/waits_openmpi" -N2 -n8 --ntasks-per-node=4 --jobtrail-profile)
    eventually 60 is_flushed "$job"
    agrees "$job" waits_openmpi 8
}

@test "Hydra of MPICH: likewise" {
    programs "mpiexec.hydra -ppn 4 -n 8" mpich
    tells_apart "$JOB" mpich
}

# has_own EXECUTABLE RANKS FILE...: what acct has of its run is what the files say of its two ranks, and the imbalance what they say of all four
has_own() {
    [[ $(acct "$JOB" --exec "$1" -nPo MPIShare,MPIImbalance,MPIRanks) == [0-9]*%"|"[0-9]*%"|2 of 4" ]]
    # of a component, the ranks of the other one are missing
    profile show --mpi --json --rank "$2" "${@:3}" >"$DIR/tmp/own" || (($? == 1))
    profile show --mpi --json "${@:3}" >"$DIR/tmp/all" || (($? == 1))
    acct "$JOB" --exec "$1" --json | jq -e --slurpfile own "$DIR/tmp/own" --slurpfile all "$DIR/tmp/all" '(.runs | length == 1) and ($own | length == 1) and
        ($all | map(.run_seconds - .mpi_seconds) | add) as $outside | ($all | map((.run_seconds - .mpi_seconds) / .ranks * (1 + .imbalance_percent / 100)) | max) as $most |
        ($own[0].by_rank | map(.program | split("/")[-1]) | unique) as $programs | (.runs[0].profile | .own.is_whole and .own.ranks == 2 and $own[0].ranks == 2 and
        .own.calls == $own[0].mpi_calls and (.own.share - $own[0].mpi_share | fabs) < 0.0001 and .mpi.ranks == 4 and .mpi.runs == 2 and
        .own.imbalance == .mpi.imbalance and (.own.imbalance - 100 * ($most / ($outside / 4) - 1) | fabs) < 0.01) and $programs == ["'"$1"'"]'
}

@test "srun --multi-prog over two nodes: each executable has the time in MPI of its own ranks, and the imbalance is the program's" {
    printf '%s\n' "0,2 $PROGRAMS/waits_mpich" "1,3 $PROGRAMS/again_mpich" >"$DIR/multi"
    JOB=$(submit_and_wait "srun --mpi=pmi2 --multi-prog $DIR/multi" -N2 -n4 --ntasks-per-node=2 --jobtrail-profile)
    eventually 60 is_flushed "$JOB"
    has_own waits_mpich 0,2 "$KEPT/$JOB.0.0.profile"
    has_own again_mpich 1,3 "$KEPT/$JOB.0.0.profile"
}

@test "srun in a heterogeneous job: its components are one program" {
    JOB=$(submit_and_wait "srun --mpi=pmi2 --jobtrail-profile $PROGRAMS/waits_mpich : --jobtrail-profile $PROGRAMS/again_mpich" -N1 -n2 : -N1 -n2)
    wait_job "$((JOB + 1))"
    eventually 60 is_flushed "$JOB"
    eventually 60 is_flushed "$((JOB + 1))"
    local files=("$KEPT/$JOB.0.0."*.profile "$KEPT/$((JOB + 1)).0.0."*.profile)
    [[ $(acct "$JOB" --exec waits_mpich -nPo Profile) == "${files[*]}" ]]
    has_own waits_mpich 0,1 "${files[@]}"
    has_own again_mpich 2,3 "${files[@]}"
}
