/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many bytes a call of MPI is about, as its arguments say: count times the size of a datatype.
 * Only arguments that count in each rank are looked at.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where arguments are: the number of their word in struct timed_call. */
struct timed_size {
    int8_t count;    /* below 0: it is 1 */
    int8_t type;     /* the datatype; below 0: no bytes are known */
    int8_t buffer;   /* where it is MPI_IN_PLACE, the others have no meaning; below 0: none */
    int8_t peer;     /* nothing goes where this rank is below 0, MPI_PROC_NULL; below 0: none */
    int8_t root;     /* the others may have no meaning where it is below 0; below 0: none */
    int8_t error;    /* in Fortran; below 0: none, the result is the error */
    bool is_fortran; /* each argument is an address */
};

/* What is known of a routine's arguments by its name, as a program calls it in C or Fortran. Sets
 * `*arguments` to how many there are; -1: not known. */
struct timed_size timed_size_of(const char *name, int *arguments);
