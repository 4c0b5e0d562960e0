/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An archive of a link, the calls of whose routines are to be noted, and the copy of it that the
 * linker gets in its place. In the copy each routine that the rest of the link calls has another
 * name, also for the archive's own calls, and a stub has the old one (contrib/routines/robj). Left as it is
 * is a routine that the rest of the link has, too, or asks for: another one would be called then.
 */
#ifndef JOBTRAIL_LDWRAP_DESIGNATED_ARCHIVE_H
#define JOBTRAIL_LDWRAP_DESIGNATED_ARCHIVE_H

#include <stddef.h>

#include "contrib/routines/robj/archive_symbols.h"
#include "ldwrap/input_symbols.h"

struct designated_archive {
    const char *path, *name; /* the caller's; the name without directories */
    struct archive archive;
    struct archive_symbols symbols;
    unsigned char *uses; /* of each name of `symbols`, at the first of its symbols: symbol_use */
};

/* Returns 0 or -errno (-ENOTSUP: it cannot be prepared; -EFBIG: it is too large; -EALREADY: there
 * is nothing to do, as it has stubs or is empty). designated_archive_close() releases in any case.
 */
int designated_archive_open(const char *path, struct designated_archive *designated);
void designated_archive_close(struct designated_archive *designated);

/* Tells what another file of the link has of a name. */
void designated_archive_see(struct designated_archive *designated, const char *name,
                            enum symbol_use use);

/* Writes the copy to `fd`, and an archive with its stubs alone to `stubs_fd`. Routines that the
 * policy's rules skip stay as they are. Returns how many stubs it has, or -errno; with none,
 * nothing is written. */
long designated_archive_write(const struct designated_archive *designated, const void *policy,
                              int fd, int stubs_fd);

#endif
