/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processes that have called the linker, from /proc.
 */
#ifndef JOBTRAIL_LDWRAP_ANCESTORS_H
#define JOBTRAIL_LDWRAP_ANCESTORS_H

#include <stddef.h>

struct ancestor {
    char *path;       /* of the executable; of a script, the script's */
    const char *name; /* as it was called: the last part of the script's path, or of argv[0] */
    char *argv;       /* NUL-separated, as /proc has it */
    size_t argv_size;
};

enum { ANCESTORS_MAX = 16 };

/* The calling processes, the nearest first. */
struct ancestors {
    struct ancestor process[ANCESTORS_MAX];
    size_t count;
};

/* Reads up to the first process that cannot be read. */
void ancestors_read(struct ancestors *ancestors);

void ancestors_free(struct ancestors *ancestors);

/* The compiler that has called: the outermost one where compiler drivers have called each other
 * (rustc calls gcc, which calls collect2, which calls ld); NULL where no compiler has called. */
const struct ancestor *ancestors_compiler(const struct ancestors *ancestors);

/* The parent process, which has looked for a linker; NULL when it cannot be read. */
const struct ancestor *ancestors_caller(const struct ancestors *ancestors);

#endif
