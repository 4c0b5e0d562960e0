/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/outbox/library_outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/host.h"
#include "conf/conf_transport.h"
#include "submit/outbox/outbox.h"

enum { ROOT = 0, NO_JOB = 0 };

#define SECOND_NS INT64_C(1000000000)

/* Changes that one record stands for. */
struct change_summary {
    uint64_t files;
    int64_t bytes;
    struct library_change change; /* the first of them */
    char *path;                   /* owned: that one's */
    int64_t after_ns;
};

struct library_outbox {
    const struct conf *conf;
    struct outbox *outbox; /* owned; NULL: not open yet */
    char node[RECORD_NAME_MAX];
    int error;                   /* of the first add that failed since the last keep */
    uint64_t count;              /* records of changes, but for those of `others` */
    struct change_summary first; /* of one library, scanned for the first time */
    struct change_summary
        others[LIBRARY_REMOVED + 1]; /* LIBRARY_NONE: scanned for the first time */
};

struct library_outbox *library_outbox_new(const struct conf *conf)
{
    struct library_outbox *box = calloc(1, sizeof *box);
    if (box == NULL)
        return NULL;
    box->conf = conf;
    strncpy(box->node, host_node(), sizeof box->node - 1);
    return box;
}

uint64_t *library_outbox_count(struct library_outbox *box)
{
    return &box->count;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Where no transport is used, nothing is made of the outbox. */
static int open_outbox(struct library_outbox *box)
{
    if (box->outbox != NULL)
        return 0;
    int error = outbox_open(box->conf, &box->outbox);
    if (error == 0)
        outbox_owner(box->outbox, ROOT, NO_JOB);
    return error;
}

static int add_record(struct library_outbox *box, const struct library_record_source *source)
{
    struct built_record record;
    int error = open_outbox(box);
    if (error == 0)
        error = library_record_build(source, &record);
    if (error != 0)
        return error;
    const struct record_view view = record_view_of(&record);
    error = outbox_add(box->outbox, &view);
    record_free(&record);
    return error;
}

int library_outbox_add(struct library_outbox *box, struct library_record_source *source)
{
    source->conf = box->conf;
    source->node = box->node;
    source->cluster = "";
    if (box->error == 0 && !conf_uses_transport(box->conf, "none"))
        box->error = add_record(box, source);
    return box->error;
}

/* ---- Changes --------------------------------------------------------------------------------- */

static struct library_record_file file_of(const struct library_file *file)
{
    return (struct library_record_file){
        .size = file->size,
        .modified_ns = file->modified_ns,
        .sha1 = file->sha1,
        .build_id = file->build_id,
        .soname = file->soname,
        .package = file->package,
        .version = file->version,
        .owner = file->owner,
    };
}

static const struct library_file *present(const struct library_change *change)
{
    return change->kind == LIBRARY_REMOVED ? &change->was : &change->is;
}

static struct library_record_source source_of(const struct library_change *change,
                                              const struct library_sighting *sighting)
{
    const struct library_record_file none = LIBRARY_RECORD_NO_FILE;
    const int64_t found_ns = change->found_s * SECOND_NS;
    const bool is_before_known = sighting->before_ns != LIBRARY_RECORD_NONE;
    /* the time when it was found has no fractions */
    const int64_t before_ns = is_before_known ? sighting->before_ns : found_ns + SECOND_NS;
    return (struct library_record_source){
        .what = library_change_word(change->kind),
        .library = present(change)->name,
        .group = change->group,
        .path = change->path,
        .path_before = change->from,
        .files = 1,
        .links = change->links,
        .is_first = change->is_first,
        .found_ns = found_ns,
        /* a clock was set where it is not before the other */
        .after_ns = sighting->after_ns <= before_ns ? sighting->after_ns : LIBRARY_RECORD_NONE,
        .before_ns = before_ns,
        .source = sighting->source,
        .event = sighting->event,
        .who = sighting->who,
        .was = change->kind == LIBRARY_ADDED ? none : file_of(&change->was),
        .is = change->kind == LIBRARY_REMOVED ? none : file_of(&change->is),
    };
}

/* ---- Summaries ------------------------------------------------------------------------------- */

/* `files` of them, with so many bytes, of which `change` is one. */
static int sum_up(struct change_summary *summary, const struct library_change *change,
                  const struct library_sighting *sighting, uint64_t files, int64_t bytes)
{
    if (summary->files == 0) {
        summary->path = strdup(change->path);
        if (summary->path == NULL)
            return -ENOMEM;
        summary->change = *change;
        summary->change.path = summary->path;
        summary->change.from = NULL;
        summary->after_ns = sighting->after_ns;
    }
    summary->files += files;
    if (bytes > 0 && summary->bytes <= INT64_MAX - bytes)
        summary->bytes += bytes;
    return 0;
}

static void drop_summary(struct change_summary *summary)
{
    free(summary->path);
    *summary = (struct change_summary){.files = 0};
}

/* Who did it, and in which event, is not reported of what has no record of its own. `library`:
 * NULL: that of its files. */
static int add_summary(struct library_outbox *box, const struct change_summary *summary,
                       const char *library)
{
    const struct library_sighting sighting = {.source = "scan",
                                              .after_ns = summary->after_ns,
                                              .before_ns = LIBRARY_RECORD_NONE,
                                              .who = LIBRARY_RECORD_NOBODY};
    const struct library_record_file none = LIBRARY_RECORD_NO_FILE;
    struct library_record_source source = source_of(&summary->change, &sighting);
    if (summary->files == 1)
        return library_outbox_add(box, &source);
    source.was = source.is = none;
    source.files = summary->files;
    source.links = 0;
    if (summary->change.kind == LIBRARY_REMOVED)
        source.was.size = summary->bytes;
    else
        source.is.size = summary->bytes;
    if (library != NULL) {
        source.library = library;
        source.group = "";
    }
    return library_outbox_add(box, &source);
}

static int end_first(struct library_outbox *box)
{
    int error = box->error;
    const struct library_sighting sighting = {.after_ns = box->first.after_ns};
    if (error == 0 && box->first.files > 0) {
        if (box->count++ < LIBRARY_OUTBOX_RECORDS)
            error = add_summary(box, &box->first, NULL);
        else
            error = sum_up(&box->others[LIBRARY_NONE], &box->first.change, &sighting,
                           box->first.files, box->first.bytes);
    }
    drop_summary(&box->first);
    return box->error = error;
}

static bool is_of_first(const struct library_outbox *box, const struct library_change *change)
{
    return change->is_first && change->kind == LIBRARY_ADDED &&
           change->found_s == box->first.change.found_s &&
           strcmp(change->is.name, box->first.change.is.name) == 0;
}

int library_outbox_change(struct library_outbox *box, const struct library_change *change,
                          const struct library_sighting *sighting)
{
    int64_t size = present(change)->size;
    if (box->first.files > 0 && !is_of_first(box, change))
        end_first(box);
    if (box->error != 0)
        return box->error;
    if (change->is_first && change->kind == LIBRARY_ADDED)
        return box->error = sum_up(&box->first, change, sighting, 1, size);
    if (change->is_beyond || box->count >= LIBRARY_OUTBOX_RECORDS)
        return box->error = sum_up(&box->others[change->kind], change, sighting, 1, size);
    struct library_record_source source = source_of(change, sighting);
    box->count++;
    return library_outbox_add(box, &source);
}

int library_outbox_keep(struct library_outbox *box)
{
    end_first(box);
    for (size_t i = 0; i <= LIBRARY_REMOVED; i++) {
        if (box->error == 0 && box->others[i].files > 0)
            box->error = add_summary(box, &box->others[i], LIBRARY_OUTBOX_OTHERS);
        drop_summary(&box->others[i]);
    }
    int error = box->error;
    if (error == 0 && box->outbox != NULL)
        error = outbox_commit(box->outbox);
    if (error != 0 && box->outbox != NULL)
        outbox_abort(box->outbox);
    box->error = 0;
    return error;
}

void library_outbox_free(struct library_outbox *box)
{
    if (box == NULL)
        return;
    drop_summary(&box->first);
    for (size_t i = 0; i <= LIBRARY_REMOVED; i++)
        drop_summary(&box->others[i]);
    if (box->outbox != NULL)
        outbox_close(box->outbox);
    free(box);
}
