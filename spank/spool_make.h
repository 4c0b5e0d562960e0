/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "spank/spool.h"

/* Makes the directory of the run in the node's directory open at `base`, with the part for the
 * user's files (spool_part.h) and a journal with this first line. It gets its name when it is
 * complete; of two callers that make it at once one gets -EEXIST. Returns a descriptor, which the
 * caller closes. Returns -errno after a failure, with nothing left behind. */
int spool_make(int base, const struct spool_run *run, const struct journal_line *line);

/* A reserve for the journals of coming jobs, since users may fill the file system where their files
 * lie on that of the journals. It is a file of root's. When a job's directory cannot be made for
 * lack of room, the file is made smaller by one share. */
#define SPOOL_RESERVE_SHARES 8
