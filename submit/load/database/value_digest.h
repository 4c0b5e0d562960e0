/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a row that is stored once is known by: the sha1 of its values, with a NUL byte between two.
 */
#ifndef JOBTRAIL_VALUE_DIGEST_H
#define JOBTRAIL_VALUE_DIGEST_H

#include "conf/base/hash.h"
#include "submit/load/database/database.h"

#define VALUE_DIGEST_MAX 32 /* values */

/* Whole numbers are written in decimal digits, others as "r" and the eight bytes of the double,
 * little end first; for NULL stands a byte that is in no text. Returns as hash_pieces(). */
int digest_values(const struct value *values, size_t count, struct digest *digest);

/* For NULL stands the empty text. Returns as hash_pieces(). */
int digest_texts(const char *const *texts, size_t count, struct digest *digest);

#endif
