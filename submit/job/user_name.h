/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_USER_NAME_H
#define JOBTRAIL_USER_NAME_H

#include "submit/job/journal_read.h"

/* Gives the journal the name of its user, by the uid, where no epilog has told it yet. Returns 0 or
 * -ENOMEM; a user without a name stays without. */
int user_name_fill(struct journal *journal);

#endif
