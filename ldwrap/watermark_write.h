/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the content of XALT's note, byte for byte as XALT 3.2.4 does. The layout is in
 * submit/evidence/watermark.h, which reads it.
 */
#ifndef JOBTRAIL_LDWRAP_WATERMARK_WRITE_H
#define JOBTRAIL_LDWRAP_WATERMARK_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* The facts about a link that go into the program. A NULL is left out. */
struct watermark_facts {
    const char *version;
    const char *uuid;
    const char *syshost;
    const char *compiler, *compiler_path;
    const char *cwd, *host, *user, *os;
    const char *loaded_modules, *lmfiles;
    double epoch; /* seconds since the Epoch */
    bool is_utc;  /* dates are written in UTC, so that they are the same everywhere */
};

/* Puts the note's content together, malloc'ed. Values are cut at 16 KiB. NULL when out of memory.
 */
char *watermark_write(const struct watermark_facts *facts, size_t *size);

#endif
