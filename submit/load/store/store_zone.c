/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The time zone of the store. Nodes cut core seconds into days of their [site] timezone; dates of
 * runs and links are made here, and have to be in the same zone. Which it is, the first coverage
 * record says. In store_state, 'timezone' is that of the dates, which reports use, and
 * 'timezone_wanted' that of the records, or of who said one: where they differ, the dates are made
 * anew.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/store/store.h"
#include "submit/load/store/store_state.h"

#define ROWS_AT_ONCE 5000

static const char now[] = "timezone", wanted[] = "timezone_wanted";

int store_prepare_zone(struct store_zone *zone, struct store_connection *on)
{
    static const struct {
        const char *list, *date;
    } sql[DATED_TABLES] = {
        {"SELECT id, start_time FROM run_own WHERE id > ? ORDER BY id LIMIT 5000",
         "UPDATE run_own SET date = ? WHERE id = ?"},
        {"SELECT id, build_epoch FROM link WHERE id > ? ORDER BY id LIMIT 5000",
         "UPDATE link SET date = ? WHERE id = ?"},
    };
    int error = 0;
    zone->on = on;
    zone->get = store_statement(on, "SELECT value FROM store_state WHERE name = ?", &error);
    zone->set = store_statement(on, "REPLACE INTO store_state (name, value) VALUES (?, ?)", &error);
    for (size_t i = 0; i < DATED_TABLES; i++) {
        zone->list[i] = store_statement(on, sql[i].list, &error);
        zone->date[i] = store_statement(on, sql[i].date, &error);
    }
    return error;
}

/* ---- State ---------------------------------------------------------------------------------- */

/* "": there is none. */
static int get_zone(struct store_zone *zone, const char *name, char text[DAYS_ZONE_MAX])
{
    const struct value key = value_text(name);
    struct value row;
    int more, error = store_select(zone->on, zone->get, &key);
    text[0] = '\0';
    while (error == 0 && (more = store_next(zone->on, zone->get, &row, 1)) != 0) {
        error = more < 0 ? more : 0;
        if (error == 0 && row.kind == VALUE_TEXT && row.size < DAYS_ZONE_MAX)
            snprintf(text, DAYS_ZONE_MAX, "%.*s", (int)row.size, row.text);
    }
    return error;
}

static int set_zone(struct store_zone *zone, const char *name, const char *text)
{
    const struct value row[] = {value_text(name), value_text(text)};
    return store_write(zone->on, zone->set, row, 1);
}

/* ---- Dates ---------------------------------------------------------------------------------- */

struct redating {
    enum dated_table table;
    int64_t last, next;                 /* ids that are done: before this transaction, after it */
    size_t count;                       /* of rows in this transaction */
    struct value rows[ROWS_AT_ONCE][2]; /* date and id */
    char dates[ROWS_AT_ONCE][RECORD_DATE_SIZE];
};

static int redate_some(struct store *store, void *context)
{
    struct redating *redating = context;
    struct store_zone *zone = &store->zone;
    const struct value from = value_int(redating->last);
    struct value row[2];
    int64_t last = redating->last;
    size_t count = 0;
    int more, error = store_select(zone->on, zone->list[redating->table], &from);
    while (error == 0 && (more = store_next(zone->on, zone->list[redating->table], row, 2)) != 0) {
        if (more < 0)
            return more;
        const struct record_real when = {row[1].kind != VALUE_NULL, value_number(&row[1])};
        char *date = redating->dates[count];
        record_date(when, date);
        last = value_whole(&row[0]);
        redating->rows[count][0] = value_text(date[0] == '\0' ? NULL : date);
        redating->rows[count++][1] = value_int(last);
    }
    if (error == 0 && count > 0)
        error = store_write(zone->on, zone->date[redating->table], redating->rows[0], count);
    if (error == 0 && count > 0)
        error = store_write(zone->on, store->add_replaced, NULL, 1);
    if (error == 0) {
        redating->count = count;
        redating->next = last;
    }
    return error;
}

static int note_dates(struct store *store, void *context)
{
    (void)context;
    return set_zone(&store->zone, now, days_zone());
}

/* All dates, in the zone of the process. */
static int redate(struct store *store)
{
    struct redating *redating = calloc(1, sizeof *redating);
    int error = redating == NULL ? store_refuse(&store->connection, -ENOMEM, "out of memory") : 0;
    for (enum dated_table table = 0; error == 0 && table < DATED_TABLES; table++) {
        redating->table = table;
        redating->next = 0;
        do {
            redating->last = redating->next;
            error = store_transact(store, redate_some, redating);
        } while (error == 0 && redating->count == ROWS_AT_ONCE);
    }
    free(redating);
    return error == 0 ? store_transact(store, note_dates, NULL) : error;
}

/* ---- Which zone ----------------------------------------------------------------------------- */

struct zone_states {
    const char *said; /* NULL: nothing */
    char now[DAYS_ZONE_MAX], wanted[DAYS_ZONE_MAX];
};

static int read_states(struct store *store, void *context)
{
    struct zone_states *states = context;
    int error = get_zone(&store->zone, now, states->now);
    if (error == 0)
        error = get_zone(&store->zone, wanted, states->wanted);
    if (error == 0 && states->said != NULL && strcmp(states->said, states->wanted) != 0) {
        snprintf(states->wanted, sizeof states->wanted, "%s", states->said);
        error = set_zone(&store->zone, wanted, states->wanted);
    }
    return error;
}

/* As the C library would take it by itself, by a name if it has one. */
static int use_machines_zone(void)
{
    const char *variable = getenv("TZ");
    if (variable == NULL)
        return days_use_zone("");
    return days_has_zone(variable) ? days_use_zone(variable) : 0;
}

int store_use_zone(struct store *store, const char *said)
{
    struct zone_states states = {.said = said};
    int error = store_transact(store, read_states, &states);
    if (error != 0)
        return error;
    const char *chosen = states.wanted[0] != '\0' ? states.wanted : states.now;
    error = chosen[0] == '\0' ? use_machines_zone() : days_use_zone(chosen);
    if (error == -EINVAL) {
        snprintf(store->connection.error, sizeof store->connection.error,
                 "its time zone %s is not on this machine: install it, or give another --timezone",
                 chosen);
        return error;
    }
    if (error != 0)
        return store_refuse(&store->connection, error, "out of memory");
    store->zone.is_used = true;
    snprintf(store->zone.records, sizeof store->zone.records, "%s", states.wanted);
    bool is_dated = days_zone()[0] == '\0' || days_is_same_zone(states.now, days_zone());
    return is_dated ? 0 : redate(store);
}

int store_note_zone(struct store_zone *zone, const char *name, bool is_proven)
{
    if (!zone->is_used || name == NULL || name[0] == '\0')
        return 0;
    bool is_known = zone->fresh[0] != '\0';
    if (days_is_same_zone(name, is_known ? zone->fresh : days_zone())) {
        if (is_known || !is_proven)
            return 0;
    } else if (is_known || !is_proven || !days_has_zone(name)) {
        zone->others++;
        if (zone->other[0] == '\0')
            snprintf(zone->other, sizeof zone->other, "%s", name);
        return 0;
    }
    snprintf(zone->fresh, sizeof zone->fresh, "%s", name);
    return set_zone(zone, wanted, name);
}

void store_begin_zone(struct store_zone *zone)
{
    memcpy(zone->fresh, zone->records, sizeof zone->fresh);
    zone->others = 0;
}

int store_settle_zone(struct store *store)
{
    struct store_zone *zone = &store->zone;
    zone->all_others += zone->others;
    zone->others = 0;
    if (!zone->is_used || strcmp(zone->records, zone->fresh) == 0)
        return 0;
    memcpy(zone->records, zone->fresh, sizeof zone->records);
    if (days_is_same_zone(zone->records, days_zone()))
        return 0;
    int error = days_use_zone(zone->records);
    return error == 0 ? redate(store) : error;
}

size_t store_other_zones(const struct store *store, const char **zone, const char **first)
{
    *zone = store == NULL || store->zone.records[0] == '\0' ? days_zone() : store->zone.records;
    *first = store == NULL ? "" : store->zone.other;
    return store == NULL ? 0 : store->zone.all_others;
}
