/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "submit/job/job_journal.h"

/* Adds what a line of the journal says, `length` bytes at `text` with a NUL in place of the
 * newline. A line that cannot be used is counted. Returns 0 or -ENOMEM. */
int journal_facts_take(struct journal *journal, char *text, size_t length);

/* What only all lines together tell. */
void journal_facts_finish(struct journal *journal);
