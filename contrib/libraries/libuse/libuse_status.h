/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What each tree, and each mount below it that the last scan saw, has for a witness of uses.
 */
#ifndef JOBTRAIL_LIBUSE_STATUS_H
#define JOBTRAIL_LIBUSE_STATUS_H

#include <stdbool.h>

#include "conf/conf.h"

/* Prints it. Returns 1; 0 where something has no witness; or -errno. */
int libuse_status(const struct conf *conf, bool is_json);

#endif
