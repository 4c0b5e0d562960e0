/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What extensions take of what users hand in, beside records. A part defines its row in its own
 * folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "conf/conf.h"
#include "submit/definition/record_view.h"
#include "submit/record/record.h"

struct hand_in_part {
    const char *word; /* what the names of its files begin with, a point behind it */

    /* Whether a file of such a name is one. Asked in the reader, and again in root's process. */
    bool (*fits)(const struct record_view *file);

    /* In root's process: takes a user's files, in the order of their names. Trouble is reported on
     * stderr. Returns how many, from the first on, are dealt with: the others are given again. */
    size_t (*take)(const struct conf *conf, uid_t uid, const struct built_record *file,
                   size_t count);
};

/* Those that are built; the last one is NULL. */
extern const struct hand_in_part *const hand_in_parts[];

/* Whose file has this name. NULL: nobody's. */
const struct hand_in_part *hand_in_part_of(const char *name);

extern const struct hand_in_part hand_in_part_lines; /* contrib/libraries/lines */
