/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loads the files of a command line, and chooses the ranks of the programs of --program.
 */
#pragma once

#include <stdbool.h>

#include "contrib/profile/profile_set.h"
#include "contrib/profile/set_programs.h"

/* ---- What is read ---------------------------------------------------------------------------- */

/* Adds what the file has to the set: a file of profiles as processes leave it, which is then of the
 * node `node`, or a set (set_file.h); `is_kept`: a set alone, and no file that it names is opened.
 * Returns 0 or -errno: -EINVAL where it is neither. */
int profile_load(const char *path, bool is_kept, const char *node, const char *debug,
                 struct profile_set *set);

struct program_choice {
    struct set_programs programs;
    bool *is_taken; /* owned: ranks of the chosen ones; NULL: all */
};

/* `word` is a hash or a name; NULL: all are chosen. Returns 0, -ENOENT after saying that there is
 * no such program, or -ENOMEM; program_choice_free() releases, in every case. */
int program_choice_make(const struct profile_set *set, const char *word,
                        struct program_choice *choice);
void program_choice_free(struct program_choice *choice);

/* Says on stderr where there are several programs among the ranks from `first` to before `last`
 * that are chosen, and for which `is_taken` has true (NULL: all): their numbers are sums. Returns 0
 * or -ENOMEM. */
int program_choice_warn(const struct program_choice *choice, const bool *is_taken, size_t first,
                        size_t last);
