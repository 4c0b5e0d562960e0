/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>

#include "submit/load/store/store_state.h"

/* Of keys.def, and `proven` before them. */
enum {
#define LIBRARY_KEY(table, key, form, from, store, column) LIBRARY_##column,
#include "submit/definition/keys.def"
    KEYS,
    COLUMNS = KEYS + 1
};

struct store_libraries {
    struct store_connection *on;
    struct statement *find, *drop, *add;
};

static int prepare(struct store_connection *on, void **state)
{
    struct store_libraries *libraries = calloc(1, sizeof *libraries);
    struct store_text add = {0};
    int error = 0;
    *state = libraries;
    if (libraries == NULL)
        return store_refuse(on, -ENOMEM, "out of memory");
    libraries->on = on;
    libraries->find = store_statement(on,
                                      "SELECT proven, CASE WHEN uid IS NULL THEN 0 ELSE 1 END"
                                      " FROM library_event WHERE uuid = ?",
                                      &error);
    libraries->drop = store_statement(
        on, "DELETE FROM library_event WHERE uuid = ? AND (proven = 0 OR uid IS NULL)", &error);
    store_text_add(&add, "INSERT INTO library_event (proven");
    for (size_t i = 0; i < library_fields.count; i++)
        store_text_add(&add, ", `%s`", library_fields.field[i].column);
    store_text_add(&add, ") VALUES (");
    store_text_add_places(&add, COLUMNS);
    store_text_add(&add, ")");
    libraries->add = store_text_statement(on, &add, &error);
    return error;
}

/* A scan that was killed writes its records again, and by then may not know who it was: in what
 * order the two come depends on the names of files. */
static bool replaces(const struct record *record, bool is_proven, bool is_known)
{
    if (record->unproven)
        return false;
    return !is_proven || (!is_known && record->library.uid.known);
}

/* One that is proven stays, and replaces one that is not: who can write to where records lie
 * says nothing of what root has seen. Of two that are proven the one stays that says who it was; of
 * two that are alike in this, the first. */
static int put(void *state, const struct record *record, enum store_result *result)
{
    struct store_libraries *libraries = state;
    const struct library_record *library = &record->library;
    const struct value uuid = value_text(library->uuid);
    struct value row[COLUMNS];
    int64_t is[2] = {0}; /* proven, and known who it was */
    int found = store_ask(libraries->on, libraries->find, &uuid, is, 2);
    if (found < 0)
        return found;
    *result = found == 0 ? STORE_NEW : STORE_UPDATED;
    if (found > 0 && !replaces(record, is[0] != 0, is[1] != 0)) {
        *result = STORE_UNCHANGED;
        return 0;
    }
    if (found > 0) {
        libraries->on->replaces = true;
        int error = store_write(libraries->on, libraries->drop, &uuid, 1);
        if (error != 0)
            return error;
    }
    row[0] = value_int(!record->unproven);
    for (size_t i = 0; i < KEYS; i++)
        row[i + 1] = store_value(&library_fields.field[i], library);
    return store_write(libraries->on, libraries->add, row, 1);
}

const struct kind_part kind_part_libraries = {RECORD_LIBRARY, prepare, put, free};
