/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What jobtrail-robj prints about an archive. Names are printed as they are where they are plain
 * ASCII without backslashes, and escaped as for a terminal elsewhere.
 */
#pragma once

#include "contrib/routines/robj/entry_check.h"

/* Entries and externals: a line for each symbol, of words with tabs between. */
int list_symbols(const struct preparation *preparation);

/* An entry file of all routines that can be entries; of those that `entries` names, unless it is
 * NULL. Routines that cannot be are in comments. */
int list_entries(const struct preparation *preparation, const struct entries *entries);
