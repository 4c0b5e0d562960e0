/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranks that work for different times, and then wait for each other: each knows how long it worked,
 * and how long it waited at the least, as all tell when they came to the barrier, by the clock of
 * the one machine. */
#include <mpi.h>
#include <stdio.h>

#include "test/e2e/profile/programs/truth.h"

#define TURNS 10

static struct truth of_work, of_wait;
static int rank;

__attribute__((noinline)) static void work(void)
{
    of_work.within += truth_burn(5000000L * (rank + 1));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < TURNS; i++) {
        long came, last, around;
        TRUTH_OF(&of_work, work());
        came = truth_now();
        MPI_Barrier(MPI_COMM_WORLD);
        around = truth_now() - came;
        MPI_Allreduce(&came, &last, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
        of_wait.within += last - came;
        truth_add(&of_wait, last - came, around);
    }
    truth_print(rank, "work<main<init", &of_work);
    truth_print(rank, "MPI_Barrier", &of_wait);
    MPI_Finalize();
    return 0;
}
