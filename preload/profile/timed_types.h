/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sizes of MPI's datatypes. Those that a program cannot free are asked for once in a thread; of
 * others MPI is asked at each call, since a handle may stand for another type later. But no handle
 * of such a one ever stands for one that cannot be freed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/profile/timed_own.h"

/* Functions of MPI that are asked, in C or Fortran; 0: none is there. */
struct timed_types {
    uintptr_t size_c, envelope_c;
    uintptr_t size_fortran, envelope_fortran;
};

extern struct timed_types timed_types __attribute__((visibility("hidden")));

/* Sets `*bytes` to the size of the datatype that the key stands for, and remembers it where that is
 * right. Calls MPI: after a call of the program's that took the datatype. */
bool timed_types_ask(struct timed_own *own, uint64_t key, bool is_fortran, uint32_t *bytes);

/* A handle of Fortran is none of C. */
#define TIMED_KEY_FORTRAN (UINT64_C(1) << 63)

static inline uint32_t timed_types_place(uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - TIMED_TYPE_BITS));
}

static inline uint64_t timed_argument(const struct timed_call *call, int word)
{
    return ((const uint64_t *)call)[word];
}

static inline int32_t timed_integer(const struct timed_call *call, int word, bool is_fortran)
{
    uint64_t value = timed_argument(call, word);
    return is_fortran ? *(const int32_t *)(uintptr_t)value : (int32_t)(uint32_t)value;
}

static inline __attribute__((always_inline)) bool timed_types_in(const struct timed_size *size,
                                                                 bool is_fortran,
                                                                 const struct timed_call *call,
                                                                 uint64_t *count, uint64_t *key)
{
    if (size->buffer >= 0 && timed_argument(call, size->buffer) + 1 <= 2)
        return false;
    if (size->root >= 0 && timed_integer(call, size->root, is_fortran) < 0)
        return false;
    int32_t number = size->count < 0 ? 1 : timed_integer(call, size->count, is_fortran);
    if (number < 0)
        return false;
    if (size->peer >= 0 && timed_integer(call, size->peer, is_fortran) < 0)
        number = 0;
    *key = is_fortran ? TIMED_KEY_FORTRAN | (uint32_t)timed_integer(call, size->type, true)
                      : timed_argument(call, size->type);
    *count = (uint64_t)number;
    return true;
}

/* Whether arguments say how many of what type: 0 of any, or more. MPI_IN_PLACE is 1 or -1 in C. */
static inline bool timed_types_arguments(const struct timed_size *size,
                                         const struct timed_call *call, uint64_t *count,
                                         uint64_t *key)
{
    return size->is_fortran ? timed_types_in(size, true, call, count, key)
                            : timed_types_in(size, false, call, count, key);
}

/* Whether the call that is over said that it had no error, or need not say, as with mpi_f08: then
 * it has returned where errors are mostly fatal. */
static inline bool timed_types_succeeded(struct timed_size size, const struct timed_call *call)
{
    if (size.error < 0)
        return (int32_t)(uint32_t)call->rax == 0;
    return timed_argument(call, size.error) == 0 || timed_integer(call, size.error, true) == 0;
}
