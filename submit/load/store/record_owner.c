/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/record_owner.h"

#include <stdio.h>
#include <string.h>

static const struct value unknown = {.kind = VALUE_NULL};

static struct value number_or_null(const struct record_int *whole)
{
    return whole->known ? value_int(whole->value) : unknown;
}

int64_t record_owner_of_values(const struct value values[OWNER_VALUES])
{
    const bool is_ours = values[OWNER_RESTART].kind != VALUE_NULL;
    struct digest digest;
    uint64_t bits = 0;
    digest_values(values, OWNER_VALUES, &digest);
    for (size_t i = 0; i < sizeof bits; i++)
        bits = bits << 8 | digest.bytes[i];
    return (int64_t)((bits >> 2) << 1 | is_ours);
}

/* XALT's number of a job is a text at some sites. */
int64_t record_owner_of_run(const struct run_record *run)
{
    const bool is_text = !run->restart_count.known && !run->job_id_raw.known;
    const struct value values[OWNER_VALUES] = {
        value_text(run->user), number_or_null(&run->uid),
        is_text ? value_text(run->job_id) : number_or_null(&run->job_id_raw),
        number_or_null(&run->restart_count), value_text(run->cluster)};
    return record_owner_of_values(values);
}

int64_t record_owner_of_package(const struct package_record *package,
                                struct value values[OWNER_VALUES])
{
    const struct value of_package[OWNER_VALUES] = {
        value_text(package->user), number_or_null(&package->uid), number_or_null(&package->job_id),
        number_or_null(&package->restart_count), value_text(package->cluster)};
    memcpy(values, of_package, sizeof of_package);
    return package->restart_count.known ? record_owner_of_values(values) : OWNER_OF_XALT;
}

/* ---- Who has claimed a uuid ----------------------------------------------------------------- */

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
