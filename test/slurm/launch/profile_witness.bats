#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Ranks below mpirun, for which Slurm does not wait, where the kernel witness listens: one is killed, mpirun ends the others, and
# each was where it was until then.
# bats file_tags=needs:hear_events,needs:profile,needs:witness

load ../fixture/cluster

setup_file() {
    KEPT=$(mktemp -d "${SCRATCH:-/tmp}/jobtrail-kept-XXXXXX")
    export KEPT
    chmod 711 "$KEPT"
    RULES="[witness]
level = ends
[profile]
steps = asked
size = 8M
directory = $KEPT" start_cluster
    eventually 60 listens
    cat >"$DIR/held.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) static void held(void) { pause(); }
int main(int argc, char **argv)
{
    struct timespec now;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    clock_gettime(CLOCK_REALTIME, &now);
    printf("held %d %d %lld%09ld\n", rank, getpid(), (long long)now.tv_sec, now.tv_nsec);
    fflush(stdout);
    held();
    return MPI_Finalize();
}
C
}

teardown_file() {
    stop_cluster
    rm -rf "$KEPT"
}

listens() {
    witness_listens n1 && witness_listens n2
}

all_held() { # JOB
    [[ $(grep -c '^held ' "$DIR/out/$1" 2>/dev/null) == 4 ]]
}

@test "a killed rank, and those that mpirun ends for it: Open MPI on two nodes, MPICH on one" {
    local mpi launch job killed before after rank began files
    for mpi in openmpi mpich; do
        "mpicc.$mpi" -O1 -finstrument-functions "$DIR/held.c" -o "$PROGRAMS/held_$mpi"
        if [[ $mpi == openmpi ]]; then
            launch=("$MPIRUN -n 4 $PROGRAMS/held_openmpi; true" -N2 --ntasks-per-node=2)
        else # Hydra's ranks on n2 would count in the file of n1, as the nodes have one file system: see profile_nodes.bats
            launch=("mpiexec.hydra -n 4 $PROGRAMS/held_mpich; true" -N1)
        fi
        job=$(submit "${launch[@]}" -n4 --no-requeue --jobtrail-profile)
        eventually 60 all_held "$job"
        killed=$(awk '$1 == "held" && $2 == 2 { print $3 }' "$DIR/out/$job")
        before=$(date +%s%N)
        kill -KILL "$killed"
        wait_job "$job"
        eventually 60 is_flushed "$job"
        after=$(date +%s%N)
        files=("$KEPT/$(id -u "$JOB_USER")/$job".0.*.n[12].profile)
        "$STAGE/bin/jobtrail-profile" show --json "${files[@]}" >"$DIR/tmp/shown"
        jq -e '(.ranks | map(.rank) | sort) == [0, 1, 2, 3] and all(.ranks[]; .was_in == "held<main<init" and .end_known)' "$DIR/tmp/shown"
        while read -r _ rank _ began; do
            awk -v was="$(jq ".ranks[] | select(.rank == $rank).was_in_seconds" "$DIR/tmp/shown")" -v least=$((before - began)) \
                -v most=$((after - began)) 'BEGIN { exit !(was * 1e9 >= least * 0.999 - 2e7 && was * 1e9 <= most * 1.001 + 2e7) }'
        done < <(grep '^held ' "$DIR/out/$job")
    done
}
