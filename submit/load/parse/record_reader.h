/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A record that is being read: the values of its keys as text, and how they become values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/base/hash.h"
#include "submit/definition/record_keys.h"
#include "submit/load/parse/json_members.h"
#include "submit/load/parse/load_reason.h"
#include "submit/load/parse/load_record.h"
#include "submit/load/parse/record_part.h"

/* Splits the text of a ptA (ancestors), which many runs then share, into one with each "pid":N as
 * "pid":0, malloc'ed in `*text`, and the numbers as the text of a JSON array, malloc'ed in `*pids`,
 * which stays NULL when there are none. The number of the `job` (NULL when not known), of which
 * paths and titles are full, becomes %j in the text, and a percent sign two. Returns 0 or -ENOMEM.
 */
int ancestor_pids_split(struct json_slice slice, const char *job, char **text, char **pids);

void run_days_free(struct run_days *days);

struct record_reader {
    struct record *record;
    enum record_kind named; /* RECORD_KINDS: by nobody */
    struct record_keys keys;
    struct id_cache *seen;
    struct json_slice top[RECORD_TOPS]; /* the values of keys, of size 0 without one */
    bool is_plain;                      /* no value has to be parsed, but maybe those in tables */
    struct load_reason *reason;
};

/* All below return 0; -EBADMSG, and why is in `reason`; or -ENOMEM. */

/* Notes the keys of the object that the text is, and their values. That the text is none is
 * -EBADMSG without a reason. */
int record_read_members(const char *text, size_t size, struct record_reader *reader);

/* Makes `root` of the values, but for lists and what is passed by. */
int record_parse_values(struct record_reader *reader);

/* Parses one value; `*parsed` is the caller's. */
int record_parse(struct record_reader *reader, struct json_slice value,
                 struct json_object **parsed);

/* An array that each record has its own of: known to be one, and as text. */
int record_read_array(struct record_reader *reader, enum record_top top, const char **text);

/* The part that is the value of `top`; see record_part_read(). */
int record_read_part(const struct record_reader *reader, struct record_part *part,
                     enum part_kind kind, enum record_top top, const char *scope);

/* Puts a uuid in lower case, as RFC 9562 has it: not every database compares them as text. `key`
 * names it where it is none. */
int record_check_uuid(char *text, const char *key, struct load_reason *reason);

/* Reads what is of one kind alone, into the reader's record: of a run, whose values are parsed, or
 * the rest where the plain values are there already; of a coverage. */
int load_run(struct record_reader *reader);
int load_run_rest(struct record_reader *reader);
int load_coverage(struct record_reader *reader);
