/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The trees of a scan: what is there is compared with the rows of the state, file by file, and what
 * has changed becomes pending in the state.
 */
#pragma once

#include "contrib/libraries/scan/library_scanning.h"

/* Compares all trees of the scan, whose state is open, and says which are away. Returns 0; or
 * -errno, and why is noted by scan_fail(). */
int library_trees_compare(struct scan *scan);
