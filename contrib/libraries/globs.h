/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A list of shell patterns (glob(7)) for names of files, which is asked about many names: patterns
 * of one star at an end or at both ends, as *.so and *.so.*, are compared without fnmatch(3).
 */
#pragma once

#include <stdbool.h>

struct globs;

/* Reads the words of `text`, with blanks between. Returns 0 or -ENOMEM; globs_free() releases. */
int globs_read(const char *text, struct globs **globs);

/* Where in the text a pattern begins something that it does not end: a '[' without its ']', or a
 * backslash with nothing behind it. NULL: nowhere. */
const char *globs_fault(const char *text);

/* Whether one of the patterns matches the whole name. */
bool globs_match(const struct globs *globs, const char *name);

/* Takes NULL. */
void globs_free(struct globs *globs);
