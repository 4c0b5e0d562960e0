/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A watermark's text, as submit/evidence/watermark.h reads it.
 */
#ifndef JOBTRAIL_LDWRAP_WATERMARK_WRITE_H
#define JOBTRAIL_LDWRAP_WATERMARK_WRITE_H

#include <stddef.h>

/* What of a link goes into the program. A NULL is left out. */
struct watermark_facts {
    const char *uuid;
    const char *syshost;
    const char *compiler, *compiler_path;
    const char *cwd, *host, *user, *os;
    const char *loaded_modules, *lmfiles;
    double epoch; /* seconds since the Epoch */
    int in_utc;   /* the date is to be the same everywhere */
};

/* Puts the note's content together, malloc'ed. Values are cut at 3 KiB. NULL when out of memory. */
char *watermark_write(const struct watermark_facts *facts, size_t *size);

#endif
