/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store_owners.h"

#include <stdio.h>

struct statement *store_owners_statement(struct store_connection *on, const char *table,
                                         const char *uuid_column, int *error)
{
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT owner, proven FROM %s WHERE %s = ? AND owner >= ? ORDER BY owner LIMIT 1",
             table, uuid_column);
    return store_statement(on, sql, error);
}

static int next_owner(struct store_connection *on, struct statement *owners, const char *uuid,
                      int64_t from, struct owner_row *row)
{
    const struct value key[] = {value_text(uuid), value_int(from)};
    int64_t found[2];
    int error = store_ask(on, owners, key, found, 2);
    *row = (struct owner_row){.found = false};
    if (error > 0)
        *row = (struct owner_row){true, found[1] != 0, found[0]};
    return error < 0 ? error : 0;
}

int store_find_owner(struct store_connection *on, struct statement *owners, const char *uuid,
                     int64_t owner, struct owner_row *row)
{
    int error = next_owner(on, owners, uuid, owner, row);
    row->found = row->found && row->owner == owner;
    return error;
}

int store_look_at_owners(struct store_connection *on, struct statement *owners, const char *uuid,
                         bool unproven, enum store_result *result)
{
    struct owner_row row = {.found = false};
    size_t claims = 0;
    int error = next_owner(on, owners, uuid, 0, &row);
    *result = row.found ? STORE_CONFLICT : STORE_NEW;
    while (error == 0 && unproven && row.found) {
        claims += !row.is_proven;
        if (claims == STORE_CLAIMS) {
            *result = STORE_CROWDED;
            return 0;
        }
        error = next_owner(on, owners, uuid, row.owner + 1, &row);
    }
    return error;
}
