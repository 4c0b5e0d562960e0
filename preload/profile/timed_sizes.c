/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_sizes.h"

#include <stddef.h>

#include "preload/memory.h"
#include "preload/profile/timed_stubs.h"

static const struct timed_size not_known = {-1, -1, -1, -1, -1, -1, false};

/* clang-format off */
static const struct {
    const char *name; /* behind "MPI_" or "mpi_" */
    int8_t arguments; /* in C */
    int8_t count, type, buffer, peer, root; /* positions, from 0; -1: none */
} routines[] = {
    {"Send", 6, 1, 2, -1, 3, -1}, {"Bsend", 6, 1, 2, -1, 3, -1}, {"Ssend", 6, 1, 2, -1, 3, -1}, {"Rsend", 6, 1, 2, -1, 3, -1},
    {"Isend", 7, 1, 2, -1, 3, -1}, {"Ibsend", 7, 1, 2, -1, 3, -1}, {"Issend", 7, 1, 2, -1, 3, -1}, {"Irsend", 7, 1, 2, -1, 3, -1},
    {"Recv", 7, 1, 2, -1, -1, -1}, {"Irecv", 7, 1, 2, -1, -1, -1}, {"Mrecv", 5, 1, 2, -1, -1, -1}, {"Imrecv", 5, 1, 2, -1, -1, -1},
    {"Sendrecv", 12, 1, 2, -1, 3, -1}, {"Sendrecv_replace", 9, 1, 2, -1, 3, -1},
    {"Bcast", 5, 1, 2, -1, -1, 3}, {"Ibcast", 6, 1, 2, -1, -1, 3},
    {"Reduce", 7, 2, 3, -1, -1, 5}, {"Ireduce", 8, 2, 3, -1, -1, 5},
    {"Allreduce", 6, 2, 3, -1, -1, -1}, {"Iallreduce", 7, 2, 3, -1, -1, -1},
    {"Scan", 6, 2, 3, -1, -1, -1}, {"Iscan", 7, 2, 3, -1, -1, -1}, {"Exscan", 6, 2, 3, -1, -1, -1}, {"Iexscan", 7, 2, 3, -1, -1, -1},
    {"Reduce_scatter_block", 6, 2, 3, -1, -1, -1}, {"Ireduce_scatter_block", 7, 2, 3, -1, -1, -1},
    {"Gather", 8, 1, 2, 0, -1, 6}, {"Igather", 9, 1, 2, 0, -1, 6}, {"Gatherv", 9, 1, 2, 0, -1, 7}, {"Igatherv", 10, 1, 2, 0, -1, 7},
    {"Scatter", 8, 4, 5, 3, -1, 6}, {"Iscatter", 9, 4, 5, 3, -1, 6}, {"Scatterv", 9, 5, 6, 4, -1, 7}, {"Iscatterv", 10, 5, 6, 4, -1, 7},
    {"Allgather", 7, 4, 5, -1, -1, -1}, {"Iallgather", 8, 4, 5, -1, -1, -1},
    {"Allgatherv", 8, 1, 2, 0, -1, -1}, {"Iallgatherv", 9, 1, 2, 0, -1, -1},
    {"Alltoall", 7, 4, 5, -1, -1, -1}, {"Ialltoall", 8, 4, 5, -1, -1, -1},
    {"Put", 8, 1, 2, -1, 3, -1}, {"Get", 8, 1, 2, -1, 3, -1}, {"Accumulate", 9, 1, 2, -1, 3, -1},
    {"Barrier", 1, -1, -1, -1, -1, -1}, {"Wait", 2, -1, -1, -1, -1, -1}, {"Waitall", 3, -1, -1, -1, -1, -1},
    {"Test", 3, -1, -1, -1, -1, -1}, {"Wtime", 0, -1, -1, -1, -1, -1},
};
/* clang-format on */

static char lower(char letter)
{
    return (char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
}

/* Whether the name in Fortran, "send_" or of the module mpi_f08 "send_f08_", is the routine's. */
static bool is_fortran_name(const char *name, const char *routine)
{
    static const char *const ends[] = {"_", "__", "_f08_", "_f08ts_"};
    while (*routine != '\0' && *name == lower(*routine)) {
        name++;
        routine++;
    }
    for (size_t i = 0; *routine == '\0' && i < sizeof ends / sizeof ends[0]; i++) {
        if (text_equal(name, ends[i]))
            return true;
    }
    return false;
}

/* The word of struct timed_call that has the argument with this position, from 0. */
static int8_t word_of(int position)
{
    const int first = offsetof(struct timed_call, argument) / sizeof(uint64_t),
              on_stack = offsetof(struct timed_call, stack) / sizeof(uint64_t);
    if (position < 0)
        return -1;
    return (int8_t)(position < 6 ? first + position : on_stack + position - 6);
}

/* Which address stands for MPI_IN_PLACE in Fortran is not known. An interface that checks them has
 * the error as one argument more. */
struct timed_size timed_size_of(const char *name, int *arguments)
{
    const char *in_c = text_after(name, "MPI_"), *in_fortran = text_after(name, "mpi_");
    *arguments = -1;
    for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++) {
        bool is_fortran = in_c == NULL;
        if (is_fortran ? in_fortran == NULL || !is_fortran_name(in_fortran, routines[i].name)
                       : !text_equal(in_c, routines[i].name))
            continue;
        *arguments = routines[i].arguments + is_fortran;
        if (is_fortran && routines[i].buffer >= 0)
            return not_known;
        return (struct timed_size){
            word_of(routines[i].count),
            word_of(routines[i].type),
            word_of(routines[i].buffer),
            word_of(routines[i].peer),
            word_of(routines[i].root),
            is_fortran ? word_of(routines[i].arguments) : -1,
            is_fortran,
        };
    }
    return not_known;
}
