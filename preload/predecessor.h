/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PREDECESSOR_H
#define JOBTRAIL_PREDECESSOR_H

#include "preload/image.h"

/* For a program that is not recorded: if the program before it in this process was, in the ledger
 * of the spool directory `spool`, its run ends now (LEDGER_END_REPLACED). Otherwise one read tells
 * that there is none. */
void predecessor_end(const struct image *image, const char *spool);

#endif
