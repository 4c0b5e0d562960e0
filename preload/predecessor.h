/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

#include "preload/image.h"
#include "preload/ledger.h"

/* Reads the last capture of this process that is not signed, from the ledger that is open as `fd`.
 * Returns whether there is one. */
bool predecessor_find(int fd, struct ledger_slot *slot);

/* For a program that is not recorded: if the program before it in this process was, in the ledger
 * of the spool directory `spool`, its run ends now (LEDGER_END_REPLACED). Otherwise one read tells
 * that there is none. */
void predecessor_end(const struct image *image, const char *spool);
