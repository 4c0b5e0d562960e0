/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

/* The note's owner and type. */
#define WATERMARK_OWNER "XALT"
#define WATERMARK_TYPE  0x746c6158u

/* XALT writes 14. What follows these is not read. */
enum { WATERMARK_KEYS_MAX = 64 };

/* Called for each key of a watermark; the texts are valid during the call only. The key consists of
 * letters, digits and '_', and is not empty. The value can hold any bytes but NUL. */
typedef void watermark_key(void *context, const char *key, const char *value);

/* Reads the descriptor of an XALT note, as XALT 3.2.4 writes it (xalt_generate_watermark.C):
 *
 *     a byte          2, the version
 *     strings         XALT_Link_Info, then <KEY>%%VALUE%% for each key, then XALT_Link_Info_End; a
 * NUL after each 7 bytes of 0    in front of XALT_Link_Info_End: XALT's reader stops at an empty
 * string
 *
 * The blanks of a value are written as `_%_%_`. Keys without brackets are read too, as earlier
 * builds of jobtrail wrote them. A string that has another form, or has 32 KiB or more, is skipped,
 * and so are empty strings. Returns how many keys there were, at most WATERMARK_KEYS_MAX; 0 for
 * what is no watermark. */
int watermark_read(const char *note, size_t size, watermark_key *take, void *context);

/* The same for the strings alone, as XALT keeps them in a section `.xalt` too; versions before 3
 * there alone, and with '.' in keys, which is read as '_'. */
int watermark_read_strings(const char *text, size_t size, watermark_key *take, void *context);

/* The seconds since the Epoch in a value, which a user can have written: 0 where it is no number
 * above 0 and below 10^11. */
double watermark_epoch(const char *value);
