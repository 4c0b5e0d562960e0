/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_WATERMARK_H
#define JOBTRAIL_WATERMARK_H

#include <stddef.h>

/* The note's owner and type. */
#define WATERMARK_OWNER "XALT"
#define WATERMARK_TYPE  0x746c6158u

/* Called for each key of a watermark; the texts are valid during the call only. */
typedef void watermark_key(void *context, const char *key, const char *value);

/* Reads the descriptor of an XALT note: a version byte 2, then NUL-separated strings
 * `XALT_Link_Info`, `KEY%%VALUE%%` ..., `XALT_Link_Info_End`, with the blanks of a value written
 * as `_%_%_`. Returns how many keys there were; 0 for what is no watermark. */
int watermark_read(const char *note, size_t size, watermark_key *take, void *context);

/* The same for the strings alone, as older XALT keeps them in a section `.xalt`. */
int watermark_read_strings(const char *text, size_t size, watermark_key *take, void *context);

/* The seconds since the Epoch in a value, which a user can have written: 0 where it is no number
 * above 0 and below 10^11. */
double watermark_epoch(const char *value);

#endif
