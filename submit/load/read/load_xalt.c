/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/load_xalt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "conf/base/hash.h"
#include "conf/base/progress.h"
#include "conf/base/text.h"
#include "submit/load/read/xalt_source.h"

#define PROGRESS_EVERY 500 /* rows */
#define NAME_HEX       16
#define MESSAGE_BYTES  512

/* One table that is read. */
struct passage {
    struct xalt_load *load;
    struct xalt_source *source;
    size_t table;
    char name[40];            /* of the table in the store */
    int64_t first, last, end; /* numbers of rows: before the first one, read last, the last one */
    size_t rows;              /* read */
    size_t passed;            /* rows that were set aside by calls before, up to `first` */
    size_t asides;            /* rows that this call has set aside: */
    int64_t *aside;           /* owned: their numbers, in any order */
    struct progress progress;
};

/* ---- What people see ------------------------------------------------------------------------ */

static const char *noun(const struct passage *passage)
{
    static const char *const nouns[] = {"links", "runs", "packages"};
    return nouns[passage->table];
}

static void show_passage(struct passage *passage)
{
    const double done = (double)(passage->last - passage->first);
    const double all = (double)(passage->end - passage->first);
    if (passage->rows % PROGRESS_EVERY != 0)
        return;
    passage->progress.part = all > 0 && done < all ? done / all : 1;
    progress_show(&passage->progress, passage->rows, "");
}

static void report(const struct xalt_load *load, const struct xalt_source *source)
{
    char shown[MESSAGE_BYTES];
    database_message(shown, sizeof shown, load->location);
    progress_clear(&load->loader->progress);
    fprintf(stderr, "jobtrail-load: XALT's database %s: %s\n", shown, xalt_source_error(source));
    load->loader->input_trouble = true;
}

/* ---- Places --------------------------------------------------------------------------------- */

/* What the table is called in the store: whoever asks, it is the same database. */
static int name_passage(struct passage *passage)
{
    const char *location = passage->load->location;
    const char *at = strchr(location, '@');
    struct digest digest;
    char hex[2 * sizeof digest.bytes + 1];
    at = at == NULL ? location + strspn(location, "/") : at + 1;
    int error = hash_bytes(at, strlen(at), &digest);
    if (error != 0)
        return error;
    text_hex(digest.bytes, sizeof digest.bytes, hex);
    snprintf(passage->name, sizeof passage->name, "%s %.*s", noun(passage), NAME_HEX, hex);
    return 0;
}

static int store_trouble(const struct passage *passage, int error)
{
    progress_clear(&passage->load->loader->progress);
    fprintf(stderr, "jobtrail-load: the store failed: %s\n",
            store_error(passage->load->loader->store));
    return error;
}

/* loader.set_aside; the row is named as in take_row(). Without memory for its number the row counts
 * as one that is not read again. */
static void note_aside(void *context, const char *origin)
{
    struct passage *passage = context;
    int64_t id = 0;
    if (sscanf(origin, "row %" SCNd64, &id) != 1 || GROW(passage->aside, passage->asides) != 0)
        passage->passed++;
    else
        passage->aside[passage->asides++] = id;
}

static size_t asides_up_to(const struct passage *passage, int64_t id)
{
    size_t count = passage->passed;
    for (size_t i = 0; i < passage->asides; i++)
        count += passage->aside[i] <= id;
    return count;
}

/* The rows up to this one are in the store; 0: the next call begins with the first row. Where
 * XALT's database cannot say whose that is, the place stays as it was. */
static int note_place(struct passage *passage, int64_t id)
{
    struct xalt_place place = {.id = id,
                               .uuid = "-",
                               .damaged = asides_up_to(passage, id),
                               .all_damaged = asides_up_to(passage, INT64_MAX)};
    if (id != 0 && (xalt_source_uuid(passage->source, id, place.uuid, sizeof place.uuid) != 0 ||
                    place.uuid[0] == '\0'))
        return 0;
    int error = store_set_xalt_place(passage->load->loader->store, passage->name, &place);
    return error == 0 ? 0 : store_trouble(passage, error);
}

static int reach(void *context, int64_t id)
{
    return note_place(context, id);
}

/* Where to begin: in another database with this address, at its first row. Returns 0, 1 when XALT's
 * database failed, or -errno. */
static int find_place(struct passage *passage)
{
    struct xalt_place place;
    char uuid[sizeof place.uuid];
    passage->first = 0;
    int error = store_xalt_place(passage->load->loader->store, passage->name, &place);
    if (error != 0)
        return store_trouble(passage, error);
    if (place.id == 0 || passage->load->from_start)
        return 0;
    if (xalt_source_uuid(passage->source, place.id, uuid, sizeof uuid) != 0)
        return 1;
    passage->first = strcmp(uuid, place.uuid) == 0 ? place.id : 0;
    passage->passed = passage->first == 0 ? 0 : place.damaged;
    return 0;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static int take_row(struct passage *passage, const struct xalt_row *row, struct json_text *json)
{
    struct loader *loader = passage->load->loader;
    const struct xalt_table *table = &xalt_tables[passage->table];
    char origin[64];
    char *text;
    size_t size;
    snprintf(origin, sizeof origin, "row %" PRId64 " of %s", row->id, table->name);
    int error = json_text_take(json, &text, &size);
    passage->last = loader->place = row->id;
    passage->rows++;
    passage->load->other_days += row->is_other_day;
    show_passage(passage);
    if (error == -EFBIG) {
        loader_set_aside(loader, "", 0, origin, "is larger than 16 MiB");
        return 0;
    }
    if (error != 0) {
        loader_report(loader, origin, strerror(-error));
        return error;
    }
    return loader_take_history(loader, text, size, table->kind, origin,
                               passage->load->is_vouched_for);
}

/* Returns 0, 1 when XALT's database failed, or -errno. */
static int read_rows(struct passage *passage)
{
    struct json_text json = {0};
    struct xalt_row row;
    int error = 0;
    while (error == 0 && !loader_stops(passage->load->loader)) {
        int more = xalt_source_next(passage->source, &row, &json);
        if (more < 0) {
            json_text_free(&json);
            return 1;
        }
        if (more == 0)
            return 0;
        error = take_row(passage, &row, &json);
    }
    return error;
}

/* Puts what was read into the store, whatever then became of XALT's database. */
static int read_table(struct passage *passage)
{
    struct loader *loader = passage->load->loader;
    int64_t settled = 0;
    int trouble = find_place(passage);
    if (trouble == 0 && (xalt_source_last(passage->source, &passage->end) != 0 ||
                         xalt_source_start(passage->source, passage->first) != 0))
        trouble = 1;
    if (trouble == 0)
        trouble = read_rows(passage);
    int error = trouble < 0 ? trouble : loader_commit(loader);
    if (error == 0 && trouble == 0 && !loader->stopped) {
        if (xalt_source_settled(passage->source, &settled) != 0)
            trouble = 1;
        else
            error = note_place(passage, settled);
    }
    if (error == 0 && trouble > 0)
        report(passage->load, passage->source);
    return error;
}

static int read_tables(struct xalt_load *load, struct xalt_source *source)
{
    size_t *const counts[XALT_TABLES] = {&load->links, &load->runs, &load->packages};
    struct loader *loader = load->loader;
    int error = 0;
    for (size_t i = 0; error == 0 && i < XALT_TABLES; i++) {
        static const char *const shown[] = {"XALT's links: ", "XALT's runs: ", "XALT's packages: "};
        struct passage passage = {
            .load = load, .source = source, .table = i, .progress = loader->progress};
        if (loader->input_trouble || loader_stops(loader))
            break;
        error = name_passage(&passage);
        if (error != 0)
            break;
        progress_begin(&passage.progress, shown[i], 0);
        loader->place = 0;
        loader->reached = reach;
        loader->set_aside = note_aside;
        loader->reached_context = &passage;
        xalt_source_use(source, i);
        error = read_table(&passage);
        loader->reached = NULL;
        loader->set_aside = NULL;
        load->damaged += asides_up_to(&passage, INT64_MAX);
        free(passage.aside);
        *counts[i] = passage.rows;
    }
    return error;
}

int load_xalt(struct xalt_load *load)
{
    struct loader *loader = load->loader;
    struct xalt_source *source;
    const bool had_trouble = loader->input_trouble;
    int error = 0;
    loader->input_trouble = false;
    if (xalt_source_open(load->location, &source) != 0)
        report(load, source);
    else
        error = read_tables(load, source);
    progress_clear(&load->loader->progress);
    loader->input_trouble |= had_trouble;
    xalt_source_close(source);
    return error;
}
