/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A site's reverse map from paths to modules, and its list of accounts, from their files.
 *
 * The map is either JSON as Lmod's spider writes it: the object `reverseMapT`, in which a path has
 * the name of its module or {"pkg": NAME, "flavor": [NAME]}; or text: a path and a module on each
 * line, with blanks between, # begins a comment.
 *
 * The list of accounts is text: account, field of science and directorate on each line, with tabs
 * between.
 */
#ifndef JOBTRAIL_MODULE_MAP_H
#define JOBTRAIL_MODULE_MAP_H

#include "submit/load/parse/load_reason.h"
#include "submit/load/store/store.h"

struct module_map {
    struct module_path *paths; /* owned, and their texts */
    size_t count;
};

struct account_list {
    struct account_field *fields; /* owned, and their texts */
    size_t count;
};

/* Reads the map in the file `path`. Returns 0; -EBADMSG with `*reason`; -ENOMEM; or another -errno
 * when the file cannot be read. Free it after a failure too. */
int module_map_read(const char *path, struct module_map *map, struct load_reason *reason);
void module_map_free(struct module_map *map);

/* The same for accounts. */
int account_list_read(const char *path, struct account_list *list, struct load_reason *reason);
void account_list_free(struct account_list *list);

#endif
