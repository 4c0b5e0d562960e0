/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a coverage record may say of the kernel's witness, by lists that are closed: users can write
 * such records, and administrators read the sums.
 */
#ifndef JOBTRAIL_WITNESS_WORDS_H
#define JOBTRAIL_WITNESS_WORDS_H

#include <stdbool.h>

/* "objects", "ends", "none", or "off". */
bool witness_level_is_known(const char *text);

/* "static=3 unloaded=1": causes that there are, each once at most, in their order, with a number of
 * 32 bits; or "". */
bool witness_causes_are_known(const char *text);

#endif
