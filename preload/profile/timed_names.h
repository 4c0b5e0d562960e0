/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

/* Whether a routine of MPI is called so, in C or Fortran, whose compilers write MPI_SEND, mpi_send,
 * mpi_send_ or mpi_send__. Its constants that are functions, as MPI_NULL_COPY_FN, are none. */
bool timed_name_is_mpi(const char *name);

/* Whether a name of MPI's is one in Fortran. */
bool timed_name_is_fortran(const char *name);

enum timed_name {
    TIMED_NAME_PLAIN,  /* a stub may stand before it */
    TIMED_NAME_MISSED, /* it passes arguments in other ways, or more of them than a stub copies */
    TIMED_NAME_NEVER,  /* of control, of the compiler's or C library's own: no time of it counts */
};

enum timed_name timed_name_kind(const char *name);
