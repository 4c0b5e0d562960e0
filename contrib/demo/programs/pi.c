// SPDX-License-Identifier: LGPL-2.1-or-later
// Adds up pi on all ranks of an MPI job.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const long intervals = 1000000;
    const double width = 1.0 / (double)intervals;
    int rank, size;
    double part = 0, pi;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (long i = rank; i < intervals; i += size) {
        const double x = ((double)i + 0.5) * width;
        part += 4.0 * width / (1.0 + x * x);
    }
    MPI_Reduce(&part, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("pi is %.6f, say %d ranks\n", pi, size);
    MPI_Finalize();
    return 0;
}
