/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the files of modules are: the longest prefix that a path lies in is its module.
 */
#ifndef JOBTRAIL_STORE_PREFIXES_H
#define JOBTRAIL_STORE_PREFIXES_H

#include "conf/base/id_cache.h"
#include "submit/load/store/store_connection.h"

struct store_prefixes {
    struct store_connection *on;
    struct id_cache known; /* ids of modules, by the digests of prefixes */
    struct statement *get;
};

int store_prepare_prefixes(struct store_prefixes *prefixes, struct store_connection *on);
void store_free_prefixes(struct store_prefixes *prefixes);

/* Reads the modules' prefixes anew. */
int store_read_modules(struct store_prefixes *prefixes);

/* The module that the path belongs to; 0 for none. */
int64_t store_module_of(const struct store_prefixes *prefixes, const char *path);

#endif
