/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_RESPONSE_H
#define JOBTRAIL_LDWRAP_RESPONSE_H

#include "ldwrap/string_list.h"

/* Replaces each @FILE by the arguments in the file, as linkers do by libiberty: blanks separate,
 * quotes and backslashes quote, files nest, 2000 of them at the most. A file that cannot be read
 * leaves the argument as it is. The result is for the wrapper alone: the linker gets the arguments
 * that were not expanded. Returns 0 or -errno (-ELOOP: too many files, or nested too deep). */
int response_expand(int argc, char *const *argv, struct strings *out);

#endif
