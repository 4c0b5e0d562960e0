/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records that XALT 3.2.4's loaders can put into their tables when the database is strict, as
 * [transport] xalt_strict asks for. The loaders end at the first value that does not fit.
 *
 * A value of more characters than its column has is cut: its end becomes "~" and the first eight
 * hexadecimal digits of the SHA-256 of the whole value, so that two values that begin alike stay
 * apart. The tables hold three bytes of UTF-8 for a character: one beyond U+FFFF becomes the four
 * characters by which text.h writes bytes, from which it can be restored. Nothing else changes.
 */
#ifndef JOBTRAIL_XALT_STRICT_H
#define JOBTRAIL_XALT_STRICT_H

#include <stddef.h>

#include "submit/definition/record_view.h"

/* Fits a record. `*text` is the new text, malloc'ed, and `*length` its length; NULL where the
 * record fits as it is, is none of XALT's kinds, or is no record that we have written. Returns 0 or
 * -ENOMEM. */
int xalt_strict_fit(const struct record_view *record, char **text, size_t *length);

#endif
