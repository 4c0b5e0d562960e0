/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SPOOL_MAKE_H
#define JOBTRAIL_SPOOL_MAKE_H

#include "spank/spool.h"

/* Makes the directory of the run in the node's directory open at `base`, with the part for what the
 * user owns (spool_part.h) and a journal with this first line, and then gives it its name: nobody
 * sees half of it, and of two that make it at once one gets -EEXIST. Returns a descriptor, which
 * the caller closes, or -errno, and then leaves nothing. */
int spool_make(int base, const struct spool_run *run, const struct journal_line *line);

#endif
