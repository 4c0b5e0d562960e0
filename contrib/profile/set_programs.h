/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which ranks of a set ran which program. Sums are of one program alone.
 */
#pragma once

#include <stdio.h>

#include "contrib/profile/profile_set.h"

/* A program is the launcher's, which may be in several steps; or where the launcher tells no name,
 * the ranks of a step; and of what tells no rank, an executable in a step. Returns 0 for two ranks
 * of one program. */
int set_program_compare(const struct profile_rank *a, const struct profile_rank *b);

struct set_programs {
    const struct profile_set *set;
    size_t *first; /* owned; of each rank, which rank is the first one of its program */
    size_t *next;  /* owned; of each rank, which rank is the next one of its program; the number of
                      ranks: none */
    size_t count;  /* programs */
};

/* Returns 0 or -ENOMEM; set_programs_free() releases, in every case. */
int set_programs_find(const struct profile_set *set, struct set_programs *programs);
void set_programs_free(struct set_programs *programs);

enum { SET_PROGRAM_HASH = 17 };

/* The name of the rank's program in records (jobtrail-record-profile(5)); "-": it has none. */
const char *set_program_hash(const struct profile_rank *rank, char room[SET_PROGRAM_HASH]);

/* Prints "# programs: ..." where there are several. */
void set_programs_print(const struct set_programs *programs, FILE *to);

/* A log looks at all ranks and stacks, so not more programs than these are reported, however many a
 * file claims to have. */
enum { SET_PROGRAMS_TOLD = 256 };

/* Calls `tell` for each program, with its ranks, without those for which `is_taken` has false
 * (NULL: none): not for one of which none is left; for a set without ranks once. Sets `*untold` to
 * how many programs there are beyond the first SET_PROGRAMS_TOLD. Returns 0, -ENOMEM, or what
 * `tell` returned, where that is not 0. */
int set_programs_each(const struct set_programs *programs, const bool *is_taken,
                      int (*tell)(void *context, const bool *is_of), void *context, size_t *untold);

/* Prints how many programs have no log; nothing for 0. */
void set_programs_print_untold(size_t untold, FILE *to);

/* Sets `*count` to how many programs these ranks are of. Returns 0 or -ENOMEM. */
int set_programs_count(const struct set_programs *programs, const bool *is_taken, size_t *count);

/* Sets `is_of` to true for all ranks of programs with this hash, name, or path. Returns whether
 * there is one. */
bool set_programs_choose(const struct set_programs *programs, const char *word, bool *is_of);
