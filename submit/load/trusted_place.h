/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where root writes nothing: what another user could lead elsewhere, by a link at the name or by
 * taking away a directory on the way. For everybody but root every place is good: he can lose no
 * more than what is his.
 */
#ifndef JOBTRAIL_TRUSTED_PLACE_H
#define JOBTRAIL_TRUSTED_PLACE_H

#include <stddef.h>

/* Whether the file at `path`, which there may be or not, is root's to write to, with others beside
 * it: its directory, and those above, are root's, and only root can change what is in them (above,
 * others may add names where the directory is sticky, as in /tmp). Returns 0, or -EPERM with what
 * is wrong and what helps in `*trouble`; another -errno where there is no such directory. */
int trusted_place(const char *path, char *trouble, size_t size);

/* Whether `path` itself is a link of another user's. Returns 0 or -EPERM. */
int trusted_link(const char *path);

#endif
