/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>

#include "submit/load/database/schema.h"
#include "submit/load/store/store_state.h"

static int refuse_version(struct store_connection *on, int version, const char *advice)
{
    snprintf(on->error, sizeof on->error,
             "its tables are of version %d, and this jobtrail-load makes version %d: %s", version,
             on->ops->schema->version, advice);
    return -EINVAL;
}

static bool has_way_from(const struct schema *schema, int version)
{
    for (; version < schema->version; version++)
        if (schema->steps[version] == NULL)
            return false;
    return true;
}

static int ask_version(struct store_connection *on, int *version)
{
    const struct schema *schema = on->ops->schema;
    int error = on->ops->version(on->database, version);
    if (error != 0)
        return error;
    if (*version > schema->version)
        return refuse_version(on, *version, "use the newer jobtrail-load");
    if (*version != 0 && !has_way_from(schema, *version))
        return refuse_version(on, *version, "load the records into a new store");
    const bool is_undone = on->ops->lock_schema == NULL; /* at the end of a dry run */
    if (on->dry_run && !is_undone && *version < schema->version)
        return store_refuse(on, -EIO,
                            *version == 0 ? "has no tables yet, and a dry run makes none"
                                          : "has older tables, and a dry run changes none");
    return 0;
}

/* Makes the tables, or those of an earlier version into those of this one. */
static int make_schema(struct store_connection *on, int version)
{
    const struct database_ops *ops = on->ops;
    const struct schema *schema = ops->schema;
    int error = version == 0 ? ops->change_schema(on->database, schema->tables) : 0;
    for (; error == 0 && version != 0 && version < schema->version; version++)
        error = ops->change_schema(on->database, schema->steps[version]);
    if (error == 0)
        error = ops->change_schema(on->database, schema->views);
    return error == 0 ? ops->set_version(on->database, schema->version) : error;
}

/* Of several loaders that start at once one makes the tables, and the others find them. */
static int renew_schema(struct store_connection *on, int version)
{
    const struct database_ops *ops = on->ops;
    int error = 0;
    if (ops->lock_schema != NULL) {
        error = ops->lock_schema(on->database);
        if (error == 0)
            error = ask_version(on, &version);
    }
    if (error == 0 && version < on->ops->schema->version)
        error = make_schema(on, version);
    if (ops->unlock_schema != NULL)
        ops->unlock_schema(on->database);
    return error;
}

/* In a transaction, for databases that make tables in one. */
static int try_schema(void *context)
{
    struct store_connection *on = context;
    int version = 0;
    int error = on->ops->begin(on->database);
    if (error == 0)
        error = ask_version(on, &version);
    if (error == 0 && version < on->ops->schema->version)
        error = renew_schema(on, version);
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
