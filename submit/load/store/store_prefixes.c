/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store_prefixes.h"

#include <string.h>

int store_prepare_prefixes(struct store_prefixes *prefixes, struct store_connection *on)
{
    int error = 0;
    prefixes->on = on;
    prefixes->get = store_statement(on, "SELECT prefix, module_id FROM module_path", &error);
    return error;
}

void store_free_prefixes(struct store_prefixes *prefixes)
{
    id_cache_free(&prefixes->known);
}

int64_t store_module_of(const struct store_prefixes *prefixes, const char *path)
{
    if (path == NULL || prefixes->known.used == 0)
        return 0;
    for (size_t size = strlen(path); size > 0; size--) {
        struct digest digest;
        if (path[size] != '\0' && path[size] != '/')
            continue;
        if (hash_bytes(path, size, &digest) != 0)
            return 0;
        int64_t id = id_cache_find(&prefixes->known, &digest);
        if (id != 0)
            return id;
    }
    return 0;
}

int store_read_modules(struct store_prefixes *prefixes)
{
    struct value row[2];
    id_cache_free(&prefixes->known);
    int error = store_select(prefixes->on, prefixes->get, NULL);
    if (error != 0)
        return error;
    while ((error = store_next(prefixes->on, prefixes->get, row, 2)) > 0) {
        struct digest digest;
        if (row[0].kind == VALUE_TEXT && hash_bytes(row[0].text, row[0].size, &digest) == 0)
            id_cache_add(&prefixes->known, &digest, value_whole(&row[1]));
    }
    return error;
}
