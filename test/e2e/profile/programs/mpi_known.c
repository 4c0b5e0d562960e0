/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calls: MPI_Init 1, MPI_Comm_rank 1, MPI_Allreduce 100, MPI_Sendrecv 10, MPI_Send 1,
 * MPI_Recv 1, MPI_Gather 2, MPI_Op_create 1, MPI_Reduce_local 1, MPI_Type_vector 1,
 * MPI_Type_commit 1, MPI_Type_free 1, MPI_Barrier 1, MPI_Finalize 1
 *
 * Two ranks. Each prints the nanoseconds within its operation of MPI_Reduce_local() and around that
 * call, and around the barrier, for which rank 1 lets the other one wait. With an argument rank 0
 * waits for a message for ever, after it has printed its process's number. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long long within;

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void burn(long long ms)
{
    long long start = now();
    while (now() < start + ms * 1000000)
        ;
    within = now() - start;
}

static void operation(void *in, void *out, int *count, MPI_Datatype *type)
{
    (void)in, (void)out, (void)count, (void)type;
    burn(50);
}

/* A type that is made and freed: 3 of each 4 numbers. */
static void send_vector(int rank, double *numbers)
{
    MPI_Datatype vector;
    MPI_Type_vector(5, 3, 4, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    if (rank == 0) {
        MPI_Send(numbers, 2, vector, 1, 7, MPI_COMM_WORLD);
        MPI_Recv(numbers, 40, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(numbers, 2, vector, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(numbers, 10, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    }
    MPI_Type_free(&vector);
}

int main(int argc, char **argv)
{
    double numbers[40] = {1, 2, 3, 4}, sums[40];
    int rank, all[2], other;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++)
        MPI_Allreduce(numbers, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &other, 1, MPI_INT, 1 - rank, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    send_vector(rank, numbers);
    all[rank] = rank;
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) /* what is not looked at need not be right */
        MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(&rank, 1, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    MPI_Op_create(operation, 0, &op);
    long long start = now();
    MPI_Reduce_local(numbers, sums, 4, MPI_DOUBLE, op);
    long long around = now() - start;
    if (rank == 1)
        nanosleep(&(struct timespec){0, 300000000}, NULL);
    start = now();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d %lld %lld %lld\n", rank, within, around, now() - start);
    if (argc > 1) {
        if (rank == 0)
            printf("pid %d\n", getpid());
        fflush(stdout);
        MPI_Recv(numbers, 1, MPI_DOUBLE, 1 - rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return !(sums[3] == 8 && other == 1 - rank && all[rank] == rank);
}
