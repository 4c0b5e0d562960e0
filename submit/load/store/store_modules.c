/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reverse map, from paths to modules, and the list of accounts.
 */
#include "submit/load/store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "submit/load/store/store_state.h"

/* ---- Statements that are used once ----------------------------------------------------------- */

static int write_once(struct store *store, const char *sql, const struct value *row, size_t count)
{
    int error = 0;
    struct statement *statement = store_statement(&store->connection, sql, &error);
    return error != 0 ? error : store_write(&store->connection, statement, row, count);
}

/* ---- Applying a map -------------------------------------------------------------------------- */

#define AT_ONCE 1000

/* A row and the module that it is to get. */
struct module_change {
    int64_t id, module;
};

struct changes {
    struct module_change *list; /* owned */
    size_t count;
};

static int find_changes(struct store *store, struct statement *all, struct changes *changes)
{
    struct value row[3];
    int error = store_select(&store->connection, all, NULL);
    if (error != 0)
        return error;
    while ((error = store_next(&store->connection, all, row, 3)) > 0) {
        int64_t id = value_whole(&row[0]), had = value_whole(&row[2]);
        int64_t module =
            store_module_of(&store->prefixes, row[1].kind == VALUE_TEXT ? row[1].text : NULL);
        if (module == had)
            continue;
        if (GROW(changes->list, changes->count) != 0)
            return store_refuse(&store->connection, -ENOMEM, "out of memory");
        changes->list[changes->count++] = (struct module_change){id, module};
    }
    return error;
}

static int write_changes(struct store *store, struct statement *update,
                         const struct changes *changes)
{
    struct value rows[2 * AT_ONCE];
    int error = 0;
    for (size_t at = 0; error == 0 && at < changes->count;) {
        size_t count = 0;
        for (; count < AT_ONCE && at < changes->count; count++, at++) {
            rows[2 * count] = value_id(changes->list[at].module);
            rows[2 * count + 1] = value_int(changes->list[at].id);
        }
        error = store_write(&store->connection, update, rows, count);
    }
    return error;
}

static int apply_to(struct store *store, const char *table, const char *path_column,
                    size_t *changed)
{
    char sql[128];
    int error = 0;
    struct changes changes = {0};
    snprintf(sql, sizeof sql, "SELECT id, %s, module_id FROM %s", path_column, table);
    struct statement *all = store_statement(&store->connection, sql, &error);
    snprintf(sql, sizeof sql, "UPDATE %s SET module_id = ? WHERE id = ?", table);
    struct statement *update = store_statement(&store->connection, sql, &error);
    if (error == 0)
        error = find_changes(store, all, &changes);
    if (error == 0)
        error = write_changes(store, update, &changes);
    *changed += changes.count;
    free(changes.list);
    return error;
}

static int apply_modules(struct store *store, size_t *changed)
{
    int error = 0;
    *changed = 0;
    for (enum table table = 0; error == 0 && table < TABLES; table++) {
        const char *name = store_table_of_paths(table);
        if (name != NULL)
            error = apply_to(store, name, "path", changed);
    }
    return error == 0 ? apply_to(store, "link", "link_path", changed) : error;
}

/* ---- Setting a map --------------------------------------------------------------------------- */

struct new_map {
    const struct module_map *map;
    size_t *changed;
};

static int add_path(struct store *store, struct statement *add, const struct module_entry *path)
{
    struct digest digest;
    int64_t module;
    size_t size = strlen(path->given);
    while (size > 1 && path->given[size - 1] == '/')
        size--;
    char *prefix = strndup(path->given, size);
    if (prefix == NULL)
        return store_refuse(&store->connection, -ENOMEM, "out of memory");
    hash_bytes(prefix, size, &digest);
    const char *const texts[] = {path->module};
    const struct value rest[] = {value_text(path->module)};
    int error = store_intern(&store->intern, TABLE_MODULE, texts, 1, rest, &module);
    const struct value row[] = {value_bytes(&digest, sizeof digest), value_text(prefix),
                                value_int(module)};
    if (error == 0)
        error = store_write(&store->connection, add, row, 1);
    free(prefix);
    return error;
}

static int replace_paths(struct store *store, const struct module_map *map)
{
    int error = write_once(store, "DELETE FROM module_path", NULL, 1);
    struct statement *add = store_statement(
        &store->connection,
        "REPLACE INTO module_path (identity, prefix, module_id) VALUES (?, ?, ?)", &error);
    for (size_t i = 0; error == 0 && i < map->count; i++)
        error = add_path(store, add, &map->entry[i]);
    return error;
}

static int set_modules(struct store *store, void *context)
{
    const struct new_map *new = context;
    int error = store_new_generation(store);
    if (error == 0)
        error = replace_paths(store, new->map);
    if (error == 0)
        error = store_read_modules(&store->prefixes);
    return error == 0 ? apply_modules(store, new->changed) : error;
}

int store_set_modules(struct store *store, const struct module_map *map, size_t *changed)
{
    struct new_map new = {map, changed};
    return store_transact(store, set_modules, &new);
}

/* ---- Accounts -------------------------------------------------------------------------------- */

struct accounts {
    const struct value *rows;
    size_t count;
};

static int set_accounts(struct store *store, void *context)
{
    const struct accounts *accounts = context;
    int error = write_once(store, "DELETE FROM account_field", NULL, 1);
    return error != 0 || accounts->count == 0
               ? error
               : write_once(store,
                            "REPLACE INTO account_field (account, field_of_science, directorate)"
                            " VALUES (?, ?, ?)",
                            accounts->rows, accounts->count);
}

int store_set_accounts(struct store *store, const struct value *rows, size_t count)
{
    struct accounts accounts = {rows, count};
    return store_transact(store, set_accounts, &accounts);
}
