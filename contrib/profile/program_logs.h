/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The logs of a set, program by program, as people read them.
 */
#ifndef JOBTRAIL_PROGRAM_LOGS_H
#define JOBTRAIL_PROGRAM_LOGS_H

#include "contrib/profile/profile_log.h"
#include "contrib/profile/set_programs.h"

struct program_logs {
    const struct profile_log *log; /* without is_taken */
    const struct set_programs *programs;
    FILE *to;
    bool is_all; /* a summary of each program; else its ranks one by one */
};

/* Prints the stacks of each program, or with `is_mpi` its calls of routines; `is_taken` and
 * `*untold` as of set_programs_each(). Returns 0 or -ENOMEM; -EIO where `to` takes no more. */
int program_logs_print(struct program_logs *logs, const bool *is_taken, bool is_mpi,
                       size_t *untold);

#endif
