/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How far XALT's databases have been read: a line of `store_state` for each of their tables, named
 * "xalt TABLE": "ID UUID DAMAGED ALL-DAMAGED" of struct xalt_place, without the last two in older
 * stores. Reports read the last one.
 */
#include "submit/load/store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "submit/load/store/store_state.h"

int store_prepare_history(struct store *store)
{
    struct store_connection *on = &store->connection;
    int error = 0;
    store->get_place = store_statement(on, "SELECT value FROM store_state WHERE name = ?", &error);
    store->set_place =
        store_statement(on, "REPLACE INTO store_state (name, value) VALUES (?, ?)", &error);
    return error;
}

struct place_name {
    char text[64];
};

static struct place_name name_of(const char *table)
{
    struct place_name name;
    snprintf(name.text, sizeof name.text, "xalt %.40s", table);
    return name;
}

struct place {
    const char *table;
    const struct xalt_place *next;
    struct xalt_place *found;
};

static int get_place(struct store *store, void *context)
{
    const struct place *place = context;
    struct store_connection *on = &store->connection;
    const struct place_name name = name_of(place->table);
    const struct value key = value_text(name.text);
    struct value row;
    *place->found = (struct xalt_place){0};
    int error = store_select(on, store->get_place, &key);
    while (error == 0) {
        int more = store_next(on, store->get_place, &row, 1);
        if (more <= 0)
            return more;
        if (row.kind == VALUE_TEXT &&
            sscanf(row.text, "%" SCNd64 " %39s %zu %zu", &place->found->id, place->found->uuid,
                   &place->found->damaged, &place->found->all_damaged) < 2)
            *place->found = (struct xalt_place){0};
    }
    return error;
}

int store_xalt_place(struct store *store, const char *table, struct xalt_place *found)
{
    struct place place = {.table = table, .found = found};
    return store_transact(store, get_place, &place);
}

static int set_place(struct store *store, void *context)
{
    const struct place *place = context;
    const struct place_name name = name_of(place->table);
    char text[128];
    snprintf(text, sizeof text, "%" PRId64 " %s %zu %zu", place->next->id, place->next->uuid,
             place->next->damaged, place->next->all_damaged);
    const struct value row[] = {value_text(name.text), value_text(text)};
    return store_write(&store->connection, store->set_place, row, 1);
}

int store_set_xalt_place(struct store *store, const char *table, const struct xalt_place *next)
{
    struct place place = {.table = table, .next = next};
    return store_transact(store, set_place, &place);
}
