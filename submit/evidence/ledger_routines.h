/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LEDGER_ROUTINES_H
#define JOBTRAIL_LEDGER_ROUTINES_H

#include "submit/evidence/ledger_read.h"

/* Adds what the `size` bytes at `at`, the content of a LEDGER_ROUTINES field, say of routines. What
 * is not valid of it is counted in capture->routines_missed and left out. */
void ledger_routines(struct capture *capture, const char *at, size_t size);

#endif
