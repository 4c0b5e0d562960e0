/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The copies that the linker gets in the place of archives whose routines are to be noted. Which
 * files a link reads, and so which archive -lNAME is, only the linker can say: they are made after
 * a first link.
 */
#ifndef JOBTRAIL_LDWRAP_LINK_STUBS_H
#define JOBTRAIL_LDWRAP_LINK_STUBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"
#include "ldwrap/link_line.h"

enum { LINK_STUBS_MAX = 8 }; /* archives in a link; no others are noted */

struct link_stubs {
    struct link_stub {
        const char *path; /* of the archive, as the linker names it: the caller's */
        int fd;           /* of the copy, in memory */
        int stubs_fd;     /* of an archive with its stubs alone, for the end of the link */
    } item[LINK_STUBS_MAX];
    size_t count;
};

/* Designated archives that a link has read, and of which nothing is noted. */
struct link_misses {
    size_t archives;
    const char *why; /* of the first, static; NULL: there is none */
};

#define CLEANUP_STUBS __attribute__((cleanup(link_stubs_free)))

/* A link that has been. */
struct stubs_order {
    const struct conf *conf;
    const struct strings *arguments; /* response files expanded */
    const struct link_line *line;    /* what they mean */
    const struct strings *files;     /* that it has read */
    uint64_t until_ms;               /* as monotonic_ms() gives it: no other file is read then */
};

/* Whether a rule is about archives. */
bool link_stubs_are_wanted(const struct conf *conf);

/* Makes them for such a link; there may be none to be made. What is not replaced is added to
 * `misses`. Returns 0 or -errno (-ETIMEDOUT: it takes too long). link_stubs_free() releases. */
int link_stubs_make(const struct stubs_order *of, struct link_stubs *stubs,
                    struct link_misses *misses);

void link_misses_add(struct link_misses *misses, size_t archives, const char *why);

/* The copy that stands for an argument with this role; NULL: the argument stays. */
const struct link_stub *link_stubs_find(const struct link_stubs *stubs, const char *argument,
                                        int role);

/* Whether a link with the copies has read what the one before did, but for the archives. */
bool link_stubs_are_all(const struct link_stubs *stubs, const struct strings *before,
                        const struct strings *after);

void link_stubs_free(struct link_stubs *stubs);

#endif
