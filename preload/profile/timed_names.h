/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_TIMED_NAMES_H
#define JOBTRAIL_TIMED_NAMES_H

#include <stdbool.h>

/* Whether a routine of MPI is called so, in C or Fortran. Its constants that are functions, as
 * MPI_NULL_COPY_FN, are none. */
bool timed_name_is_mpi(const char *name);

/* Whether a stub may stand before the function: not before one that returns twice, looks at who
 * calls it, or is of the compiler's and C library's own. */
bool timed_name_is_plain(const char *name);

#endif
