/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_sizes.h"

#include <stddef.h>

#include "preload/memory.h"
#include "preload/profile/timed_names.h"
#include "preload/profile/timed_stubs.h"

static const struct timed_size not_known = {-1, -1, -1, -1, -1, -1, false};

/* clang-format off */
static const struct {
    const char *name; /* behind "MPI_" or "mpi_" */
    int8_t arguments; /* in C */
    int8_t count, type, buffer, peer, root; /* positions, from 0; -1: none; of `count`: it is 1 */
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
    {"Rput", 9, 1, 2, -1, 3, -1}, {"Rget", 9, 1, 2, -1, 3, -1}, {"Raccumulate", 10, 1, 2, -1, 3, -1},
    {"Get_accumulate", 12, 4, 5, -1, 6, -1}, {"Rget_accumulate", 13, 4, 5, -1, 6, -1},
    {"Fetch_and_op", 7, -1, 2, -1, 3, -1}, {"Compare_and_swap", 7, -1, 3, -1, 4, -1},
    {"Neighbor_allgather", 7, 1, 2, -1, -1, -1}, {"Ineighbor_allgather", 8, 1, 2, -1, -1, -1},
    {"Neighbor_allgatherv", 8, 1, 2, -1, -1, -1}, {"Ineighbor_allgatherv", 9, 1, 2, -1, -1, -1},
    {"Neighbor_alltoall", 7, 1, 2, -1, -1, -1}, {"Ineighbor_alltoall", 8, 1, 2, -1, -1, -1},
    {"Isendrecv", 13, 1, 2, -1, 3, -1}, {"Isendrecv_replace", 10, 1, 2, -1, 3, -1},
    {"Pack", 7, 1, 2, -1, -1, -1}, {"Unpack", 7, 4, 5, -1, -1, -1}, {"Reduce_local", 5, 2, 3, -1, -1, -1},
    {"File_read", 5, 2, 3, -1, -1, -1}, {"File_read_all", 5, 2, 3, -1, -1, -1}, {"File_read_at", 6, 3, 4, -1, -1, -1}, {"File_read_at_all", 6, 3, 4, -1, -1, -1},
    {"File_read_shared", 5, 2, 3, -1, -1, -1}, {"File_read_ordered", 5, 2, 3, -1, -1, -1}, {"File_iread", 5, 2, 3, -1, -1, -1}, {"File_iread_all", 5, 2, 3, -1, -1, -1},
    {"File_iread_at", 6, 3, 4, -1, -1, -1}, {"File_iread_at_all", 6, 3, 4, -1, -1, -1}, {"File_iread_shared", 5, 2, 3, -1, -1, -1},
    {"File_read_all_begin", 4, 2, 3, -1, -1, -1}, {"File_read_at_all_begin", 5, 3, 4, -1, -1, -1}, {"File_read_ordered_begin", 4, 2, 3, -1, -1, -1},
    {"File_write", 5, 2, 3, -1, -1, -1}, {"File_write_all", 5, 2, 3, -1, -1, -1}, {"File_write_at", 6, 3, 4, -1, -1, -1}, {"File_write_at_all", 6, 3, 4, -1, -1, -1},
    {"File_write_shared", 5, 2, 3, -1, -1, -1}, {"File_write_ordered", 5, 2, 3, -1, -1, -1}, {"File_iwrite", 5, 2, 3, -1, -1, -1}, {"File_iwrite_all", 5, 2, 3, -1, -1, -1},
    {"File_iwrite_at", 6, 3, 4, -1, -1, -1}, {"File_iwrite_at_all", 6, 3, 4, -1, -1, -1}, {"File_iwrite_shared", 5, 2, 3, -1, -1, -1},
    {"File_write_all_begin", 4, 2, 3, -1, -1, -1}, {"File_write_at_all_begin", 5, 3, 4, -1, -1, -1}, {"File_write_ordered_begin", 4, 2, 3, -1, -1, -1},
    {"Barrier", 1, -1, -1, -1, -1, -1}, {"Wait", 2, -1, -1, -1, -1, -1}, {"Waitall", 3, -1, -1, -1, -1, -1},
    {"Test", 3, -1, -1, -1, -1, -1}, {"Wtime", 0, -1, -1, -1, -1, -1},
};
/* clang-format on */

static char lower(char letter)
{
    return (char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
}

/* Whether the name in Fortran, "send", "SEND", "send_" or of the module mpi_f08 "send_f08_", is the
 * routine's. */
static bool is_fortran_name(const char *name, const char *routine)
{
    static const char *const ends[] = {"", "_", "__", "_f08_", "_f08ts_"};
    while (*routine != '\0' && lower(*name) == lower(*routine)) {
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
    const char *own = text_after(name, "MPI_");
    bool is_fortran = timed_name_is_fortran(name);
    *arguments = -1;
    if (own == NULL)
        own = text_after(name, "mpi_");
    for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++) {
        if (own == NULL || !(is_fortran ? is_fortran_name(own, routines[i].name)
                                        : text_equal(own, routines[i].name)))
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
