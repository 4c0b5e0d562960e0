/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * "Did you mean ...?": the word of a list that a mistyped one is nearest to.
 */
#ifndef JOBTRAIL_CONF_SUGGEST_H
#define JOBTRAIL_CONF_SUGGEST_H

#include <stddef.h>

/* The nearest of `count` candidates, at most two edits (a byte more, less or other) from `word`
 * and never all of it; NULL when none is near. The first of equally near ones wins. */
const char *suggest(const char *word, const char *const *candidate, size_t count);

#endif
