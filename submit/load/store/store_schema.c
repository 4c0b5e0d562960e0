/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "submit/load/database/schema.h"
#include "submit/load/store/store_state.h"

/* Whether the name is among `names`, behind each of which a blank stands. */
static bool has_name(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (; *names != '\0'; names += strcspn(names, " "), names += *names == ' ')
        if (strncmp(names, name, length) == 0 && names[length] == ' ')
            return true;
    return false;
}

/* The names of the parts that loaders have made, of whatever release. */
static int read_names(struct store_connection *on, struct store_text *names)
{
    struct value row;
    int more, error = 0;
    struct statement *ask =
        store_statement(on, "SELECT value FROM store_state WHERE name = 'parts'", &error);
    if (error == 0)
        error = store_select(on, ask, NULL);
    while (error == 0 && (more = store_next(on, ask, &row, 1)) != 0) {
        error = more < 0 ? more : 0;
        if (error == 0 && row.kind == VALUE_TEXT)
            store_text_add(names, "%.*s", (int)row.size, row.text);
    }
    return error;
}

/* Asks whether the store has all parts of ours; refuses one that cannot have them. `*names`: of
 * what it has, and of ours. */
static int ask_schema(struct store_connection *on, struct store_text *names, bool *is_whole)
{
    const bool is_undone = on->ops->lock_schema == NULL; /* at the end of a dry run */
    int version = 0, error = on->ops->version(on->database, &version);
    if (error == 0 && version != 0 && version != SCHEMA_VERSION) {
        snprintf(on->error, sizeof on->error,
                 "its tables are of version %d, and this jobtrail-load makes version %d: use that "
                 "version's, or load the records into a new store",
                 version, SCHEMA_VERSION);
        return -EINVAL;
    }
    *names = (struct store_text){0};
    if (error == 0 && version != 0)
        error = read_names(on, names);
    if (error != 0)
        return error;
    *is_whole = true;
    for (const struct schema_part *part = schema_parts; part->name != NULL; part++)
        if (!has_name(names->text, part->name)) {
            *is_whole = false;
            store_text_add(names, "%s ", part->name);
        }
    if (on->dry_run && !is_undone && !*is_whole)
        return store_refuse(on, -EIO,
                            version == 0
                                ? "has no tables yet, and a dry run makes none"
                                : "lacks tables of this jobtrail, and a dry run makes none");
    return 0;
}

/* What shares a uuid in the tables of parts that name one is in the view `conflict` too. */
static int make_conflicts(struct store_connection *on)
{
    const struct database_ops *ops = on->ops;
    struct store_text view = {0};
    store_text_add(&view, "%s", schema_conflict.script[ops->dialect]);
    for (const struct schema_part *part = schema_parts; part->name != NULL; part++)
        if (part->owned != NULL)
            store_text_add(&view,
                           " UNION ALL SELECT DISTINCT '%s', one.uuid, one.owner, one.user,"
                           " CAST(one.job_id_raw AS CHAR), one.restart_count, one.cluster,"
                           " one.proven FROM %s AS one WHERE one.uuid IN"
                           " (SELECT other.uuid FROM %s AS other GROUP BY other.uuid"
                           " HAVING count(DISTINCT other.owner) > 1)",
                           part->owned, part->owned, part->owned);
    return ops->change_schema(on->database, view.text);
}

static int make_schema(struct store_connection *on, const struct store_text *names)
{
    const struct database_ops *ops = on->ops;
    struct store_text note = {0};
    int error = 0;
    for (const struct schema_part *part = schema_parts; error == 0 && part->name != NULL; part++)
        error = ops->change_schema(on->database, part->script[ops->dialect]);
    if (error == 0)
        error = make_conflicts(on);
    store_text_add(&note, "REPLACE INTO store_state VALUES ('parts', '%s')", names->text);
    if (error == 0)
        error = ops->change_schema(on->database, note.text);
    return error == 0 ? ops->set_version(on->database, SCHEMA_VERSION) : error;
}

/* Of several loaders that start at once one makes the tables, and the others find them. */
static int renew_schema(struct store_connection *on, struct store_text *names)
{
    const struct database_ops *ops = on->ops;
    bool is_whole = false;
    int error = 0;
    if (ops->lock_schema != NULL) {
        error = ops->lock_schema(on->database);
        if (error == 0)
            error = ask_schema(on, names, &is_whole);
    }
    if (error == 0 && !is_whole)
        error = make_schema(on, names);
    if (ops->unlock_schema != NULL)
        ops->unlock_schema(on->database);
    return error;
}

/* In a transaction, for databases that make tables in one. */
static int try_schema(void *context)
{
    struct store_connection *on = context;
    struct store_text names = {0};
    bool is_whole = false;
    int error = on->ops->begin(on->database);
    if (error == 0)
        error = ask_schema(on, &names, &is_whole);
    if (error == 0 && !is_whole)
        error = renew_schema(on, &names);
    if (error == 0)
        error = on->ops->commit(on->database);
    if (error != 0)
        on->ops->rollback(on->database);
    return error;
}

int store_ensure_schema(struct store_connection *on)
{
    return store_patiently(try_schema, on);
}
