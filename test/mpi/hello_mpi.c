// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints rank and size; argv[1] = seconds to sleep between that and the end. Sends no message: Open
// MPI 6 has no way to between nodes that have the same address (btl/tcp). All ranks wait for each
// other in MPI_Finalize().
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, length;
    char host[MPI_MAX_PROCESSOR_NAME];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &length);
    printf("rank %d of %d on %s\n", rank, size, host);
    fflush(stdout);
    if (argc > 1)
        sleep((unsigned)atoi(argv[1]));
    MPI_Finalize();
    return 0;
}
