/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/record_owner.h"
#include "submit/load/store/store_owners.h"
#include "submit/load/store/store_state.h"

/* Of keys.def, and `owner` and `proven` before them. */
enum {
#define RANKS_KEY(table, key, form, from, store, column) RANKS_##column,
#include "submit/definition/keys.def"
    KEYS,
    COLUMNS = KEYS + 2
};

int store_prepare_ranks(struct store_ranks *ranks, struct store_connection *on)
{
    struct store_text add = {0};
    int error = 0;
    ranks->on = on;
    store_text_add(&add, "INSERT INTO ranks (owner, proven");
    for (size_t i = 0; i < ranks_fields.count; i++)
        store_text_add(&add, ", `%s`", ranks_fields.field[i].column);
    store_text_add(&add, ") VALUES (");
    store_text_add_places(&add, COLUMNS);
    store_text_add(&add, ")");
    ranks->add = store_text_statement(on, &add, &error);
    ranks->owners = store_owners_statement(on, "ranks", "uuid", &error);
    ranks->drop = store_statement(on, "DELETE FROM ranks WHERE uuid = ? AND owner = ?", &error);
    return error;
}

static struct value number_of(const struct record_int *number)
{
    return number->known ? value_int(number->value) : (struct value){.kind = VALUE_NULL};
}

static int owner_of(const struct store_ranks *ranks, const struct ranks_record *record,
                    int64_t *owner)
{
    const struct value user = value_text(record->user), cluster = value_text(record->cluster),
                       job = number_of(&record->job_id_raw),
                       restart = number_of(&record->restart_count);
    return store_checked(ranks->on, record_owner_of_values(&user, &job, &restart, &cluster, owner));
}

static int choose(struct store_ranks *ranks, const struct record *record, int64_t owner,
                  enum store_result *result)
{
    const char *uuid = record->ranks.uuid;
    struct owner_row row;
    int error = store_find_owner(ranks->on, ranks->owners, uuid, owner, &row);
    if (error == 0 && !row.found)
        return store_look_at_owners(ranks->on, ranks->owners, uuid, record->unproven, result);
    *result = record->unproven || row.is_proven ? STORE_UNCHANGED : STORE_UPDATED;
    return error;
}

int store_put_ranks(struct store_ranks *ranks, const struct record *record,
                    enum store_result *result)
{
    struct value row[COLUMNS];
    int64_t owner = 0;
    int error = owner_of(ranks, &record->ranks, &owner);
    if (error == 0)
        error = choose(ranks, record, owner, result);
    if (error != 0 || *result == STORE_UNCHANGED || *result == STORE_CROWDED)
        return error;
    if (*result == STORE_UPDATED) {
        const struct value key[] = {value_text(record->ranks.uuid), value_int(owner)};
        ranks->on->replaces = true;
        error = store_write(ranks->on, ranks->drop, key, 1);
    }
    row[0] = value_int(owner);
    row[1] = value_int(!record->unproven);
    for (size_t i = 0; i < KEYS; i++)
        row[i + 2] = store_value(&ranks_fields.field[i], &record->ranks);
    return error == 0 ? store_write(ranks->on, ranks->add, row, 1) : error;
}
