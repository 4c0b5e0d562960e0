/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where root makes no store: where another user could lead it elsewhere. The rule is
 * conf/base/trusted.h's.
 */
#ifndef JOBTRAIL_TRUSTED_PLACE_H
#define JOBTRAIL_TRUSTED_PLACE_H

#include <stddef.h>

/* trusted_beside(): returns 0, or -EPERM with what is wrong and what helps in `*trouble`; another
 * -errno where there is no such directory. */
int trusted_place(const char *path, char *trouble, size_t size);

#endif
