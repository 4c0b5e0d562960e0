/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clang-format off */
/*
 * Records in syslog lines, as XALT and jobtrail write them. Interface version 4, as 3 without check
 * sum and with the words in another order:
 *
 *   ... XALT_LOGGING_<syshost>[:] V:4 kind:run syshost:<s> key:<k> crcStr:0xNNNN nb:<n> idx:<i> value:<text>
 *
 * Version 1 has a whole record in a line, as JSON:
 *
 *   ... XALT_LOGGING_<syshost>[:] run:<text>
 *
 * XALT 3 writes 4 and 1. XALT 2 wrote 3 and 1, and what is no longer read: version 2, and version 1 with a text that is
 * compressed and in base64.
 *
 * A record is cut into `nb` blocks, all but the last of one size. Blocks of many records come mixed
 * and in any order, some twice, some never; a syslog daemon may have taken blanks off the end of a
 * line.
 */
/* clang-format on */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "submit/definition/record_keys.h"
#include "submit/load/parse/load_reason.h"

struct syslog_blocks;

/* NULL when out of memory. */
struct syslog_blocks *syslog_blocks_new(void);

/* Whether the NUL-terminated line is such a block's, whole or damaged: whether our tag is the name
 * of the program that has sent it (syslog_line.h). */
bool syslog_blocks_is_one(const char *line);

/* Adds the block of a line, NUL-terminated and without its newline, which is written to. Returns 1
 * when a record is whole, with its text, malloc'ed, in `*text` and the kind that the line and its
 * key say in `*kind`, RECORD_KINDS where they say none that is known; 0 when more blocks are to
 * come; -EBADMSG and `*reason` when the line is damaged; -ENOMEM. */
int syslog_blocks_add(struct syslog_blocks *blocks, char *line, char **text, size_t *size,
                      enum record_kind *kind, struct load_reason *reason);

/* Calls `visit` with what there is of each record that is not whole, as lines that can be added
 * again, and forgets it; the oldest first, until no more than `keep_bytes` of memory, about, are
 * taken. */
void syslog_blocks_drain(struct syslog_blocks *blocks, size_t keep_bytes,
                         void (*visit)(void *context, const char *lines, size_t size,
                                       const char *reason),
                         void *context);

/* Takes NULL. */
void syslog_blocks_free(struct syslog_blocks *blocks);
