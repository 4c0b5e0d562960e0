/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Words after a number of things.
 */
#ifndef JOBTRAIL_PLURAL_H
#define JOBTRAIL_PLURAL_H

#include <stdint.h>

static inline const char *plural(uint64_t count, const char *one, const char *several)
{
    return count == 1 ? one : several;
}

/* The end of a word that has no other change. */
static inline const char *plural_end(uint64_t count)
{
    return plural(count, "", "s");
}

#endif
