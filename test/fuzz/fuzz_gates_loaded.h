/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a loader makes of a record: in a file of its own, as the loader and the flush each have a
 * struct of the name `record`.
 */
#pragma once

#include <stddef.h>

#include "submit/definition/record_keys.h"

struct loaded {
    enum record_kind kind;
    char uuid[64], user[64];
    long long job; /* 0: none */
    char node[64], cluster[64];
};

/* Whether the loader takes the record, whose CRC is set right before, out of a file `name`, and out
 * of a line that says no name. Ends the program where it makes two things of it. */
int loaded_read(const char *name, const char *text, size_t size, struct loaded *loaded);
