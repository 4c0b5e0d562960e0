/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What follows from the changes that a scan has found: moves, links, and the new state.
 */
#include <stdio.h>

#include "contrib/libraries/scan/library_sql.h"
#include "contrib/libraries/scan/library_state.h"

/* What was added and has the content of what was removed: of several, one for each. */
static int find_moved(struct library_state *state, sqlite3_stmt *added)
{
    sqlite3_stmt *moved = library_sql_query(state, QUERY_MOVED);
    if (moved == NULL)
        return library_sql_trouble(state);
    for (int i = 1; i <= 5; i++)
        sqlite3_bind_value(moved, i, sqlite3_column_value(added, i));
    int result = library_sql_step(state, moved);
    sqlite3_stmt *move = result == 1 ? library_sql_query(state, QUERY_MOVE) : NULL;
    sqlite3_stmt *forget = move != NULL ? library_sql_query(state, QUERY_FORGET) : NULL;
    if (result != 1 || forget == NULL)
        return result != 1 ? result : library_sql_trouble(state);
    sqlite3_bind_value(move, 1, sqlite3_column_value(added, 0));
    sqlite3_bind_value(move, 2, sqlite3_column_value(moved, 0));
    sqlite3_bind_value(forget, 1, sqlite3_column_value(moved, 0));
    sqlite3_reset(moved);
    int error = library_sql_run(state, move);
    return error == 0 ? library_sql_run(state, forget) : error;
}

static int find_all_moved(struct library_state *state)
{
    int64_t removed = 0;
    int result = library_sql_number(
        state, "SELECT EXISTS(SELECT 1 FROM pending WHERE kind = 6 AND forgotten = 0)", &removed);
    sqlite3_stmt *added =
        result == 0 && removed != 0 ? library_sql_query(state, QUERY_ADDED) : NULL;
    if (added == NULL)
        return result != 0 || removed == 0 ? result : library_sql_trouble(state);
    while ((result = library_sql_step(state, added)) == 1) {
        result = find_moved(state, added);
        if (result != 0)
            break;
    }
    sqlite3_reset(added);
    return result;
}

/* Names of one file that have changed alike: the first is reported. A user can make millions. */
static const char join_links[] =
    "CREATE TEMP TABLE linked(device, inode, kind, first, links, PRIMARY KEY(device, inode, kind))"
    " WITHOUT ROWID;"
    "INSERT INTO linked SELECT device, is_inode, kind, min(key), count(*) - 1 FROM pending"
    " WHERE kind BETWEEN 1 AND 4 GROUP BY device, is_inode, kind HAVING count(*) > 1;"
    "UPDATE pending SET (links, forgotten) = (SELECT linked.links, key > linked.first FROM linked"
    " WHERE linked.device = pending.device AND linked.inode = is_inode AND linked.kind ="
    " pending.kind) WHERE kind BETWEEN 1 AND 4 AND EXISTS (SELECT 1 FROM linked WHERE"
    " linked.device = pending.device AND linked.inode = is_inode AND linked.kind = pending.kind);"
    "DROP TABLE linked;";

static int make_state(struct library_state *state, int64_t found_s)
{
    int error = library_sql_script(
        state, "DELETE FROM file WHERE key IN (SELECT key FROM pending WHERE kind = 6)");
    sqlite3_stmt *keep = error == 0 ? library_sql_query(state, QUERY_KEEP) : NULL;
    if (keep == NULL)
        return error != 0 ? error : library_sql_trouble(state);
    sqlite3_bind_int64(keep, 1, found_s);
    return library_sql_run(state, keep);
}

static int drop_place(struct library_state *state, size_t index, bool is_away)
{
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_DROP_PLACE);
    if (prepared == NULL)
        return library_sql_trouble(state);
    sqlite3_bind_int64(prepared, 1, (sqlite3_int64)index);
    sqlite3_bind_int(prepared, 2, is_away);
    return library_sql_run(state, prepared);
}

static int keep_place(struct library_state *state, size_t index, const struct library_place *place)
{
    int error = library_state_begin(state);
    sqlite3_stmt *prepared = error == 0 ? library_sql_query(state, QUERY_PLACE) : NULL;
    if (prepared == NULL)
        return error != 0 ? error : library_sql_trouble(state);
    sqlite3_bind_int64(prepared, 1, (sqlite3_int64)index);
    sqlite3_bind_blob64(prepared, 2, place->key, place->size, SQLITE_STATIC);
    sqlite3_bind_int64(prepared, 3, (sqlite3_int64)place->device);
    sqlite3_bind_int64(prepared, 4, (sqlite3_int64)place->inode);
    return library_sql_run(state, prepared);
}

static int settle_places(struct library_state *state, const struct library_places *places)
{
    int error = 0;
    for (size_t i = 0; i < places->count && error == 0; i++) {
        const struct library_place *place = &places->place[i];
        bool is_away = place->verdict == LIBRARY_PLACE_AWAY;
        bool is_other = !place->was_known || place->was_device != place->device ||
                        place->was_inode != place->inode;
        if (place->verdict != LIBRARY_PLACE_HERE)
            error = drop_place(state, i, is_away);
        if (error == 0 && !state->is_dry && !is_away && place->is_visited && is_other)
            error = keep_place(state, i, place);
    }
    return error;
}

/* Rows that a scan before has left are known by its number. */
static int drop_left(struct library_state *state)
{
    char sql[96];
    int64_t left = 0;
    int error = library_sql_number(state, "SELECT EXISTS(SELECT 1 FROM pending)", &left);
    if (error != 0 || left == 0)
        return error;
    snprintf(sql, sizeof sql, "DELETE FROM pending WHERE scan <> %lld", (long long)state->scan);
    error = library_state_begin(state);
    return error == 0 ? library_sql_script(state, sql) : error;
}

int library_state_settle(struct library_state *state, const struct library_places *places,
                         int64_t found_s)
{
    char sql[256];
    int64_t left = 0;
    int error = drop_left(state);
    if (error == 0)
        error = settle_places(state, places);
    if (error == 0)
        error = library_sql_number(state, "SELECT EXISTS(SELECT 1 FROM pending)", &left);
    if (error == 0 && left != 0) {
        error = library_state_begin(state);
        if (error == 0)
            error = find_all_moved(state);
        if (error == 0)
            error = library_sql_script(state, join_links);
        if (error == 0 && !state->is_dry)
            error = make_state(state, found_s);
        snprintf(sql, sizeof sql,
                 "DELETE FROM pending WHERE kind = 0 OR forgotten = 1;"
                 "UPDATE pending SET log = COALESCE(is_name, was_name), other_log ="
                 " CASE WHEN is_name <> was_name THEN was_name END, found = %lld",
                 (long long)found_s);
        if (error == 0)
            error = library_sql_script(state, sql);
    }
    return error == 0 ? library_state_commit(state) : error;
}
