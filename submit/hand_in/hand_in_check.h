/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which records a user may hand in. Users can lie about their own programs, never about another
 * user's.
 */
#ifndef JOBTRAIL_HAND_IN_CHECK_H
#define JOBTRAIL_HAND_IN_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <json-c/json.h>

#include "conf/conf.h"
#include "submit/definition/record_view.h"
#include "submit/record/record.h"

/* Whether the file name is that of a link's record of the user `user_name`: runs and coverage are
 * what root knows, and packages are told in the run's own directory (packages.h). */
bool hand_in_name_fits(const struct record_view *record, const char *user_name);

/* Whether the text is on one line, in ASCII without control characters except for DEL, and between
 * the braces of an object. */
bool hand_in_is_line(const struct record_view *record);

/* Whether the text is a link's record alone, with no key of another kind or of root's, and tells
 * the same as its name, once and clearly (record_facts.h): the uuid and the user who built. Of a
 * name that fits. */
bool hand_in_says(const struct record_view *record, const char *user_name);

/* The text, where it is JSON as we write it, to be put by the caller; or NULL. `text` ends with a
 * NUL. */
struct json_object *hand_in_parse(const char *text);

/* hand_in_says() and hand_in_parse() in one: whoever reads the text finds the same in it. The text
 * ends with a NUL. Of a name that fits. */
bool hand_in_text_fits(const struct record_view *record, const char *user_name);

/* ---- What extensions take -------------------------------------------------------------------- */

/* What extensions take of what users hand in, beside records. A part defines its row in its own
 * folder. */

struct hand_in_part {
    const char *word; /* what the names of its files begin with, a point behind it */

    /* Whether a file of such a name is one. Asked in the reader, and again in root's process. */
    bool (*fits)(const struct record_view *file);

    /* In root's process: takes the files of a user, in the order of their names. Trouble is told on
     * stderr. Returns how many, from the first on, are dealt with: the others are given again. */
    size_t (*take)(const struct conf *conf, uid_t uid, const struct built_record *file,
                   size_t count);
};

/* Those that are built; the last one is NULL. */
extern const struct hand_in_part *const hand_in_parts[];

/* Whose file has this name. NULL: nobody's. */
const struct hand_in_part *hand_in_part_of(const char *name);

extern const struct hand_in_part hand_in_part_lines; /* contrib/libraries/lines */

#endif
