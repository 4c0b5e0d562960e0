/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "submit/load/store/store_state.h"

/* The columns of a link but its key, in the order of fill_link(), each followed by `after`. */
#define LINK_COLUMN_LIST(after)                                                                    \
    "proven" after ", date" after ", executable_id" after ", object_set_id" after                  \
    ", function_set_id" after ", link_program" after ", link_path" after ", module_id" after       \
    ", link_line" after ", cwd" after ", build_host" after ", build_syshost" after                 \
    ", build_epoch" after ", wrapper" after
#define LINK_COLUMNS_TO_ADD LINK_COLUMN_LIST("")
#define LINK_COLUMNS_TO_SET LINK_COLUMN_LIST(" = ?")
enum {
    LINK_COLUMNS = 14,
    XALT_UUID_SIZE = sizeof "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx/*",
};

/* XALT's queries join links by uuid alone: there the uuid is that of the only link, or of the only
 * one that is proven. Others get another. */
int store_prepare_links(struct store_links *links, struct store_parts *parts)
{
    int error = 0;
    links->on = parts->on;
    links->intern = parts->intern;
    links->parts = parts;
    char sql[128];
    links->find = store_statement(links->on,
                                  "SELECT build_user = ?, proven FROM link WHERE uuid = ?", &error);
    links->add =
        store_statement(links->on,
                        "INSERT INTO link (" LINK_COLUMNS_TO_ADD ", uuid, build_user, xalt_uuid)"
                        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        &error);
    links->update = store_statement(links->on,
                                    "UPDATE link SET " LINK_COLUMNS_TO_SET
                                    " WHERE uuid = ? AND build_user = ? AND proven = 0",
                                    &error);
    snprintf(sql, sizeof sql, "SELECT count(*), sum(proven) FROM link WHERE uuid = ?%s",
             links->on->ops->share_lock);
    links->count = store_statement(links->on, sql, &error);
    links->dispute = store_statement(links->on,
                                     "UPDATE link SET xalt_uuid = replace(?, '*', build_user)"
                                     " WHERE uuid = ? AND xalt_uuid = uuid AND proven <= ?",
                                     &error);
    links->clear = store_statement(
        links->on, "UPDATE link SET xalt_uuid = uuid WHERE uuid = ? AND proven = 1", &error);
    return error;
}

/* The user who built, who may be nobody in XALT's. */
static const char *builder_of(const struct link_record *link)
{
    return link->build_user == NULL ? "" : link->build_user;
}

/* What the store has of the link, and what is to be done with the record. */
static int choose_link(struct store_links *links, const struct record *record,
                       enum store_result *result)
{
    const struct value parameters[] = {value_text(builder_of(&record->link)),
                                       value_text(record->link.uuid)};
    struct value row[2];
    int more, error = store_select(links->on, links->find, parameters);
    size_t claims = 0;
    bool is_there = false;
    *result = STORE_NEW;
    while (error == 0 && (more = store_next(links->on, links->find, row, 2)) != 0) {
        bool is_proven = more > 0 && value_whole(&row[1]) != 0;
        error = more < 0 ? more : 0;
        claims += !is_proven;
        if (error == 0 && value_whole(&row[0]) != 0) {
            is_there = true;
            *result = record->unproven || is_proven ? STORE_UNCHANGED : STORE_UPDATED;
        } else if (*result == STORE_NEW) {
            *result = STORE_CONFLICT;
        }
    }
    if (!is_there && record->unproven && claims >= STORE_CLAIMS)
        *result = STORE_CROWDED;
    return error;
}

static bool is_left_out(enum store_result result)
{
    return result == STORE_UNCHANGED || result == STORE_CROWDED;
}

static int want_parts(struct store_links *links, struct link_record *link)
{
    struct digest executable;
    int error = store_want_executable(links->intern, link->exec_path, link->hash_id, &executable);
    if (error >= 0)
        error = store_want_part(links->parts, PART_LIBS, &link->libs,
                                link->build_syshost == NULL ? "" : link->build_syshost);
    if (error >= 0)
        error = store_want_part(links->parts, PART_FUNCTIONS, &link->functions, NULL);
    return error < 0 ? error : 0;
}

int store_want_link(struct store_links *links, struct record *record, enum store_result *result)
{
    int error = choose_link(links, record, result);
    record_date(record->link.build_epoch, record->link.date);
    return error != 0 || is_left_out(*result) ? error : want_parts(links, &record->link);
}

static int fill_link(struct store_links *links, const struct record *record,
                     struct value row[LINK_COLUMNS])
{
    const struct link_record *link = &record->link;
    struct digest digest;
    int64_t executable = 0, libs = 0, functions = 0;
    int error = store_want_executable(links->intern, link->exec_path, link->hash_id, &digest);
    if (error >= 0 && link->exec_path != NULL)
        executable = store_id(links->intern, TABLE_EXECUTABLE, &digest);
    if (error >= 0)
        error = store_part_id(links->parts, &link->libs, &libs);
    if (error == 0)
        error = store_part_id(links->parts, &link->functions, &functions);
    if (error != 0)
        return error;
    const struct value epoch = {.kind = link->build_epoch.known ? VALUE_REAL : VALUE_NULL,
                                .real = link->build_epoch.value};
    const struct value values[LINK_COLUMNS] = {
        value_int(!record->unproven),
        value_text(link->date[0] == '\0' ? NULL : link->date),
        value_id(executable),
        value_id(libs),
        value_id(functions),
        value_text(link->link_program),
        value_text(link->link_path),
        value_id(store_module_of(links->intern->prefixes, link->link_path)),
        value_text(link->link_line),
        value_text(link->cwd),
        value_text(link->build_host),
        value_text(link->build_syshost),
        epoch,
        value_text(link->wrapper),
    };
    memcpy(row, values, sizeof values);
    return 0;
}

/* Once the link is there: of two loaders that add one at once, one waits or begins anew. */
static int look_for_others(struct store_links *links, const struct link_record *link,
                           bool is_update)
{
    char text[XALT_UUID_SIZE];
    int64_t counts[2] = {0}; /* of all links with this uuid, and of those that are proven */
    const struct value uuid = value_text(link->uuid);
    int error = store_ask(links->on, links->count, &uuid, counts, 2);
    /* UUID/USER once the database has put the user in place of the star */
    snprintf(text, sizeof text, "%s/*", link->uuid);
    const struct value dispute[] = {value_text(text), uuid, value_int(counts[1] > 1)};
    if (error >= 0)
        error = counts[0] < 2 ? 0 : store_write(links->on, links->dispute, dispute, 1);
    if (error == 0 && is_update && counts[1] == 1)
        error = store_write(links->on, links->clear, &uuid, 1);
    return error;
}

static int write_link(struct store_links *links, const struct record *record, bool is_update)
{
    const struct link_record *link = &record->link;
    struct value row[LINK_COLUMNS + 3];
    int error = fill_link(links, record, row);
    row[LINK_COLUMNS] = value_text(link->uuid);
    row[LINK_COLUMNS + 1] = value_text(builder_of(link));
    row[LINK_COLUMNS + 2] = row[LINK_COLUMNS];
    if (error == 0)
        error = store_write(links->on, is_update ? links->update : links->add, row, 1);
    return error == 0 ? look_for_others(links, link, is_update) : error;
}

/* Two of a batch may be of the same link. */
int store_put_link(struct store_links *links, const struct record *record,
                   enum store_result *result)
{
    int error = is_left_out(*result) ? 0 : choose_link(links, record, result);
    if (error != 0 || is_left_out(*result))
        return error;
    return write_link(links, record, *result == STORE_UPDATED);
}
