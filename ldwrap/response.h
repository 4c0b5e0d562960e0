/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_RESPONSE_H
#define JOBTRAIL_LDWRAP_RESPONSE_H

#include "ldwrap/string_list.h"

/* The arguments as the linker sees them: each @FILE is replaced by what the file holds, as
 * libiberty reads it (blanks separate, quotes and backslashes quote, files nest, 2000 of them at
 * the most); one that cannot be read stays as it is. Only to look at: the linker gets the arguments
 * as they were. Returns 0 or -errno (-ELOOP for files that nest too deep, or are too many). */
int response_expand(int argc, char *const *argv, struct strings *out);

#endif
