/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/record_owner.h"
#include "submit/load/store/store_state.h"

/* Of keys.def, and `owner` and `proven` before them. */
enum {
#define RANKS_KEY(table, key, form, from, store, column) RANKS_##column,
#include "submit/definition/keys.def"
    RANKS_KEYS
};
enum {
#define PROFILE_KEY(table, key, form, from, store, column) PROFILE_##column,
#include "submit/definition/keys.def"
    PROFILE_KEYS
};
enum { KEYS_MOST = RANKS_KEYS + PROFILE_KEYS }; /* room for those of either */

/* What both kinds have in common. */
struct stored_summary {
    const void *values; /* struct ranks_record, profile_record */
    const char *uuid, *user, *cluster;
    const struct record_int *job, *restart;
};

/* clang-format off */
#define SUMMARY(of)                                                                                \
    {&(of), (of).uuid, (of).user, (of).cluster, &(of).job_id_raw, &(of).restart_count}
/* clang-format on */

int store_prepare_summaries(struct store_summaries *rows, struct store_connection *on,
                            const char *table, const struct record_fields *fields)
{
    struct store_text add = {0}, drop = {0};
    int error = 0;
    rows->on = on;
    rows->fields = fields;
    store_text_add(&add, "INSERT INTO %s (owner, proven", table);
    for (size_t i = 0; i < fields->count; i++)
        store_text_add(&add, ", `%s`", fields->field[i].column);
    store_text_add(&add, ") VALUES (");
    store_text_add_places(&add, fields->count + 2);
    store_text_add(&add, ")");
    rows->add = store_text_statement(on, &add, &error);
    rows->owners = store_owners_statement(on, table, "uuid", &error);
    store_text_add(&drop, "DELETE FROM %s WHERE uuid = ? AND owner = ?", table);
    rows->drop = store_text_statement(on, &drop, &error);
    return error;
}

static struct value number_of(const struct record_int *number)
{
    return number->known ? value_int(number->value) : (struct value){.kind = VALUE_NULL};
}

static int choose(struct store_summaries *rows, const char *uuid, bool unproven, int64_t owner,
                  enum store_result *result)
{
    struct owner_row row;
    int error = store_find_owner(rows->on, rows->owners, uuid, owner, &row);
    if (error == 0 && !row.found)
        return store_look_at_owners(rows->on, rows->owners, uuid, unproven, result);
    *result = unproven || row.is_proven ? STORE_UNCHANGED : STORE_UPDATED;
    return error;
}

int store_put_summary(struct store_summaries *rows, const struct record *record,
                      enum store_result *result)
{
    const struct stored_summary of_ranks = SUMMARY(record->ranks),
                                of_profile = SUMMARY(record->profile);
    const struct stored_summary *summary = record->kind == RECORD_RANKS ? &of_ranks : &of_profile;
    struct value row[KEYS_MOST + 2];
    int64_t owner = 0;
    const struct value user = value_text(summary->user), cluster = value_text(summary->cluster),
                       job = number_of(summary->job), restart = number_of(summary->restart);
    int error =
        store_checked(rows->on, record_owner_of_values(&user, &job, &restart, &cluster, &owner));
    if (error == 0)
        error = choose(rows, summary->uuid, record->unproven, owner, result);
    if (error != 0 || *result == STORE_UNCHANGED || *result == STORE_CROWDED)
        return error;
    if (*result == STORE_UPDATED) {
        const struct value key[] = {value_text(summary->uuid), value_int(owner)};
        rows->on->replaces = true;
        error = store_write(rows->on, rows->drop, key, 1);
    }
    row[0] = value_int(owner);
    row[1] = value_int(!record->unproven);
    for (size_t i = 0; i < rows->fields->count; i++)
        row[i + 2] = store_value(&rows->fields->field[i], summary->values);
    return error == 0 ? store_write(rows->on, rows->add, row, 1) : error;
}
