/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Time in MPI and in designated libraries, as people read it.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "contrib/profile/profile_log.h"
#include "contrib/profile/profile_set.h"
#include "contrib/profile/set_programs.h"

/* What the bytes of some calls of a routine say. */
enum bytes_kind { BYTES_NONE, BYTES_EXACT, BYTES_AT_LEAST, BYTES_AT_MOST };

/* The arguments of a receive tell its room, and other calls what goes. No bound is known where
 * those of some calls tell nothing, and others too much. */
enum bytes_kind routine_bytes_kind(const char *name, uint64_t calls, uint64_t sized);

/* So many names are reported of routines that could not be counted, of MPI and of others. */
enum { ROUTINE_LOG_MISSED = 16 };

/* Whether the set's routine of this number is of a rank for which `is_taken` has true, NULL: all,
 * and has calls that were counted. */
static inline bool routine_is_shown(const struct profile_set *set, const bool *is_taken, size_t i)
{
    const struct profile_routine_entry *entry = &set->routines[i];
    return entry->calls > 0 && (is_taken == NULL || is_taken[entry->rank]);
}

/* Whether there is any. */
bool routine_log_has_rows(const struct profile_set *set, const bool *is_taken);

/* Prints the routines of these ranks, the most time first; where they are all of their program that
 * are in the set (`is_all`), also who is missing of it. Returns 0 or -ENOMEM; -EIO where `to` takes
 * no more. */
int routine_log_text(const struct profile_set *set, const bool *is_taken, bool is_all, FILE *to);

/* ---- Logs of programs ------------------------------------------------------------------------ */

/* The logs of a set, program by program, as people read them. */

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
