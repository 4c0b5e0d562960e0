#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which steps leave a profile: by srun's option, by the variable, by the site's rule.

# bats file_tags=needs:profile

load ../fixture/cluster

setup_file() {
    RULES=$'[profile]\nsteps = asked\nsize = 8M' start_cluster
    gcc -O1 -g -finstrument-functions "$JOBTRAIL_SOURCE/test/e2e/profile/programs/known.c" -o "$PROGRAMS/known"
}

# What the batch script copies before the job is over.
# shellcheck disable=SC2016 # for the script to expand
KEEP='cp --sparse=always "$JOBTRAIL_SPOOL/profile" "$OUT" || :'

# job SCRIPT [OPTION...]: submits the script, and waits for it; $KEPT is the copy of the profile
job() {
    KEPT=$DIR/out/profile.$RANDOM$RANDOM
    JOB=$(submit_and_wait "OUT=$KEPT; $1; $KEEP" -w n1 "${@:2}")
}

# profile [WHAT...]: of the copy
profile() {
    "$JOBTRAIL_SOURCE/test/e2e/fixture/check_profile" "$KEPT" "$@"
}

sum() {
    profile sums | awk -v name="$1" '$1 == name { print $2 }'
}

@test "the step with the option leaves a profile, the step beside it does not" {
    job "srun -n2 --jobtrail-profile=exact $PROGRAMS/known; srun -n1 $PROGRAMS/known" -n2
    [[ $(sum processes) == 2 && $(sum lost) == 0 && $(sum dropped) == 0 ]]
    [[ $(profile functions) == *"2000 leaf"* ]]
    [[ $(profile calls) == *"2000 2000 leaf<middle<outer<main<init"* ]]
    # the rank that leaves a capture has its run's uuid, the other one, a follower, none
    uuid=$(profile uuids | grep -v '^0*-')
    [[ $(records "$JOB" | jq --arg uuid "$uuid" 'map(select(.userT.run_uuid == $uuid)) | length') == 1 ]]
    [[ $(profile uuids | grep -c '^0*-') == 1 ]]
}

@test "without a word the site's mode holds, and the file is the user's alone" {
    job "srun -n1 --jobtrail-profile $PROGRAMS/known; stat -c '%U %a %s' \$JOBTRAIL_SPOOL/profile; ls -A \$JOBTRAIL_SPOOL"
    [[ $(profile modes) == light ]]
    # this site has no directory for them
    [[ $(<"$DIR/out/$JOB") == *"jobtrail: no profile will be kept: "*"$JOB_USER 600 8388608"* ]]
}

@test "the variable asks too, the option comes before it, and no word but these is taken" {
    job "JOBTRAIL_PROFILE=exact srun -n1 $PROGRAMS/known"
    [[ $(profile modes) == exact ]]
    job "JOBTRAIL_PROFILE=exact srun -n1 --jobtrail-profile=no $PROGRAMS/known; JOBTRAIL_PROFILE=nonsense srun -n1 $PROGRAMS/known"
    [[ ! -e $KEPT ]]
    job "srun -n1 --jobtrail-profile=fast $PROGRAMS/known; echo status \$?"
    [[ $(<"$DIR/out/$JOB") == *"status "[1-9]* && ! -e $KEPT ]]
}

@test "sbatch's option holds for the script and its steps" {
    job "$PROGRAMS/known; srun -n1 $PROGRAMS/known" --jobtrail-profile
    [[ $(sum processes) == 2 ]]
}

@test "each rank of an MPI program has its calls, and one that is killed shows where: MPICH and Open MPI" {
    cat >"$DIR/ranks.c" <<'C'
#include <mpi.h>
#include <signal.h>
#define KEPT __attribute__((noinline))
KEPT static int step(int x) { __asm__ volatile("" : "+r"(x)); return x; }
KEPT static void lost(void) { raise(SIGKILL); }
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++)
        step(i);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        lost();
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
C
    local mpi
    for mpi in mpich openmpi; do
        "mpicc.$mpi" -O1 -g -finstrument-functions "$DIR/ranks.c" -o "$PROGRAMS/ranks_$mpi"
    done
    for mpi in "srun -K1 --mpi=pmi2 $PROGRAMS/ranks_mpich" "$MPIRUN $PROGRAMS/ranks_openmpi"; do
        job "$mpi || :" -n4 --jobtrail-profile=exact
        [[ $(profile ranks | sort) == $'0 of 4\n1 of 4\n2 of 4\n3 of 4' ]]
        [[ $(profile functions) == $'1 lost\n4 main\n400 step' ]]
        [[ $(profile open | grep -c "lost<main<init") == 1 ]]
    done
}

kept_records() { # JOB FILTER: of its nodes' records of profiles, by node
    find "$DIR/records" -name 'profile.*' -exec cat {} + | jq -sc --argjson job "$1" \
        "map(.profileT | select(.job_id == \$job and (.joined | not))) | sort_by(.node) | $2"
}

@test "each node tells of the profile that it has kept, with the time in MPI of its ranks, of which one was killed" {
    mkdir -m 711 "$DIR/kept"
    write_jobtrail_conf $'[profile]\nsteps = asked\nsize = 8M\ndirectory = '"$DIR/kept"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    cat >"$DIR/waits.c" <<'C'
#include <mpi.h>
#include <signal.h>
int main(int argc, char **argv)
{
    int rank;
    double sum, own = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 50; i++)
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 3)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
C
    mpicc.mpich -O1 "$DIR/waits.c" -o "$PROGRAMS/waits_mpich"
    local job uid
    job=$(submit_and_wait "srun -K1 --jobtrail-profile --mpi=pmi2 $PROGRAMS/waits_mpich" -N2 --ntasks-per-node=2 --no-requeue)
    eventually 60 is_flushed "$job"
    [[ $(kept_records "$job" 'map([.node, .step_id, .step_nodes, .ranks, .mpi_ranks, .mpi_missed, (.mpi_time <= .mpi_elapsed)])') == \
        '[["n1","0",2,2,2,0,true],["n2","0",2,2,2,0,true]]' ]]
    [[ $(kept_records "$job" 'map(.mpi_routines | [scan("MPI_Allreduce=([0-9]+)|MPI_Barrier=([0-9]+):[0-9.]+:([0-9])")] | sort)') == \
        '[[[null,"2","2"],["100",null,null]],[[null,"1","1"],["100",null,null]]]' ]]
    uid=$(id -u "$JOB_USER")
    [[ $(stat -c '%U %a' "$DIR/kept/$uid/$job.0.0.n2.profile") == "root 640" ]]
    [[ $(loaded_acct "$job.0" -nPo Exec,Profile,MPIRanks) == "waits_mpich|$DIR/kept/$uid/$job.0.0.profile|4 of 4" ]]
    # MPI's part of the time is what both nodes have, and what their files show together
    [[ $(loaded_acct "$job.0" --json | jq '.runs[0].profile.mpi.share * 100 | round') == \
        $(kept_records "$job" '100 * (map(.mpi_time) | add) / (map(.mpi_elapsed) | add) | round') ]]
    [[ $(loaded_acct "$job.0" -nPo MPIShare) == *[0-9]% ]]
    [[ $(run_as "$JOB_USER" "$STAGE/bin/jobtrail-profile" show --mpi --json "$DIR/kept/$uid/$job.0.0.profile" |
        jq -c '[.ranks, (.routines | map([.routine, .calls, .ranks, .open_ranks]) | sort | .[] | select(.[0] | test("Allreduce|Barrier")))]') == \
        '[4,["MPI_Allreduce",200,4,0],["MPI_Barrier",3,3,3]]' ]]
    [[ $(loaded_acct "$job.0" --json | jq -c '.runs[].profile | [.nodes, .runs, (.mpi.routines | map(select(.routine == "MPI_Allreduce").calls))]') == '[2,1,[200]]' ]]
}

@test "of a program that a rank ended, by whatever way, that one is named, with its status and when" {
    cat >"$DIR/leaves.c" <<'C'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    const char *way = argv[argc - 1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2 && strcmp(way, "exit") == 0)
        exit(4);
    if (rank == 2 && strcmp(way, "_exit") == 0)
        _exit(5);
    if (rank == 2 && strcmp(way, "abort") == 0)
        abort();
    if (rank == 2 && strcmp(way, "mpi") == 0)
        MPI_Abort(MPI_COMM_WORLD, 6);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
C
    mpicc.mpich -O1 "$DIR/leaves.c" -o "$PROGRAMS/leaves"
    local way text show kept
    # pmi2 has all killed for MPI_Abort()
    for way in 'exit:ended before MPI_Finalize with status 4,"exit",4' \
        '_exit:ended by _exit with status 5,"_exit",5' 'abort:killed by SIGABRT,"signal","SIGABRT"' 'mpi:ended by MPI_Abort,"mpi_abort",null'; do
        job "srun -K1 --mpi=pmi2 $PROGRAMS/leaves ${way%%:*} || :" -n4 --jobtrail-profile=exact
        eventually 60 is_flushed "$JOB"
        text=${way#*:}
        kept=("$DIR/kept/$(id -u "$JOB_USER")/$JOB".0.0*.profile)
        for show in show "show --mpi"; do
            # shellcheck disable=SC2086 # words
            run "$STAGE/bin/jobtrail-profile" $show "${kept[0]}"
            [[ $output == *"# rank 2 of 4, step 0, "*", ended first: ${text%%,*}, at 2"*" before the next one ended"* ]] || {
                echo "$way: $output"
                return 1
            }
        done
        run "$STAGE/bin/jobtrail-profile" show --json "${kept[0]}"
        [[ $(jq -c '[.ranks[] | select(.rank == 2) | .end_known, .ended, .exit_status // .signal]' <<<"$output") == "[true,${way#*,}]" ]]
    done
}

@test "users say of which ranks files are kept, by the option and the variable, for a script's steps too" {
    local out uid
    mkdir -m 711 "$DIR/wanted"
    write_jobtrail_conf $'[profile]\nsteps = asked\nsize = 8M\nlogs = all\ndirectory = '"$DIR/wanted"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    job "srun -n2 --jobtrail-profile=exact,ranks=1 $PROGRAMS/known; srun -n2 --jobtrail-profile $PROGRAMS/known
        export JOBTRAIL_PROFILE=light,ranks=0; srun -n2 $PROGRAMS/known; srun -n1 sh -c 'echo \$JOBTRAIL_PROFILE'
        srun -n2 --jobtrail-profile=ranks=7-4 $PROGRAMS/known; echo status \$?" -n2
    eventually 60 is_flushed "$JOB"
    out=$(<"$DIR/out/$JOB")
    [[ $out == *"light,ranks=0"*"write --jobtrail-profile, or "*"status "[1-9]* && $out != *"no profile will be kept"* ]]
    uid=$(id -u "$JOB_USER")
    [[ $(cd "$DIR/wanted/$uid" && echo "$JOB".0.[0-9]*_*.log) == \
        "$JOB.0.0.n1_1.log $JOB.0.1.n1_0.log $JOB.0.1.n1_1.log $JOB.0.2.n1_0.log" ]]
}

@test "a site that wants none has no option; one that wants all needs none" {
    configure ""
    job "srun -n1 --jobtrail-profile $PROGRAMS/known; echo status \$?; JOBTRAIL_PROFILE=exact srun -n1 env"
    [[ $(<"$DIR/out/$JOB") == *"status "[1-9]* && $(<"$DIR/out/$JOB") != *JOBTRAIL_PROFILE=* && ! -e $KEPT ]]
    configure $'[profile]\nsteps = all\nmode = exact'
    job "srun -n1 $PROGRAMS/known"
    [[ $(profile modes) == exact && $(sum processes) == 1 ]]
}
