/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading a journal. Lines that cannot be used are counted and skipped.
 */
#pragma once

#include "submit/job/job_journal.h"

/* Reads the journal that is open at `fd`, of any size, line by line. Returns 0, -ENOMEM, -ENODATA
 * when no line tells whose job it is, or what read(2) failed with. journal_free() releases
 * `*journal`, which is only written on success. */
int journal_read(int fd, struct journal *journal);

/* The same of the `size` bytes at `text`. */
int journal_parse(const char *text, size_t size, struct journal *journal);

void journal_free(struct journal *journal);
