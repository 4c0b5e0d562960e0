/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes uses that were found by times of last access: as records (use_records.h, of the source
 * atime) with [libraries] use_records, and as lines below `atime` in use_logs, where no count of
 * the watch's is:
 *
 *     Thu_Nov_26_2026_07:20 unknown LIB_READ count=1 how=atime after=Thu_Nov_26_2026_07:10 path=...
 *     Thu_Nov_26_2026_07:20 unknown LIB_READ_ALL files=812 how=atime after=... path=TREE
 *     Thu_Nov_26_2026_07:20 unknown LIB_READ_UNHEARD files=812 how=atime after=... path=TREE
 *
 * the second and the third one in a log that has the name of the tree. After a kill some
 * uses may be missing, and none is there twice.
 */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "contrib/libraries/scan/library_reads.h"
#include "contrib/libraries/uses/use_records.h"

struct libuse_teller {
    const struct conf *conf;
    bool is_printed;
    struct json_object *json; /* owned; an array of uses, where JSON is to be printed; else NULL */
    int logs;                 /* descriptor; -1: there are none */
    struct use_records *records; /* NULL: none are made */
    bool is_line_lost;           /* a log, or the record of a tree, cannot be written */
};

/* Opens logs and records. Returns 0 or -errno, with the reason in `trouble`. */
int libuse_teller_open(struct libuse_teller *teller, char *trouble, size_t size);
void libuse_teller_close(struct libuse_teller *teller);

/* Reports what is in the state. Returns 0, or -errno after saying it: the rest is kept. */
int libuse_tell(struct libuse_teller *teller, struct library_state *state);

/* Adds a text, which may have any bytes. */
void libuse_json_text(struct json_object *json, const char *key, const char *text);

/* Of so many files of a tree reads are not seen from `after_s` until the next scan. */
void libuse_tell_unheard(void *teller, const char *tree, uint64_t files, int64_t after_s);

/* Most of a tree was read. Returns 0. */
int libuse_tell_all(struct libuse_teller *teller, const char *tree,
                    const struct library_reads_sum *sum);
