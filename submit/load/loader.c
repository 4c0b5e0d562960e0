/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damaged.h"
#include "load_text.h"

#define PROGRESS_EVERY 100 /* files */

#define REPORT_BYTES 8192

/* ---- What people see ------------------------------------------------------------------------ */

size_t load_counts_read(const struct load_counts *counts)
{
    return counts->fresh + counts->updated + counts->unchanged + counts->damaged;
}

static void show_progress(const struct loader *loader)
{
    size_t read = load_counts_read(&loader->counts) + load_counts_read(&loader->pending);
    if (loader->show_progress && read % PROGRESS_EVERY == 0)
        fprintf(stderr, "\r%zu read, %zu set aside", read, loader->counts.damaged);
}

static void clear_progress(const struct loader *loader)
{
    if (loader->show_progress)
        fputs("\r\033[K", stderr);
}

/* "PATH[/SUB][/NAME]: TROUBLE", in plain ASCII: users choose names, and could drive a terminal. */
static void describe(char *text, size_t size, const struct load_source *source, const char *sub,
                     const char *name, const char *trouble)
{
    if (source->name != NULL) { /* the path names the file itself */
        sub = "";
        name = "";
    }
    snprintf(text, size, "%s%s%s%s%s: %s", source->path, sub[0] == '\0' ? "" : "/", sub,
             name[0] == '\0' ? "" : "/", name, trouble);
    for (char *at = text; *at != '\0'; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

static void report(const struct loader *loader, const char *text)
{
    clear_progress(loader);
    fprintf(stderr, "jobtrail-load: %s\n", text);
}

static int store_failed(const struct loader *loader, int error)
{
    clear_progress(loader);
    fprintf(stderr, "jobtrail-load: the store failed, what is not loaded stays where it is: %s\n",
            loader->ops->error(loader->store));
    return error;
}

/* ---- Transactions --------------------------------------------------------------------------- */

static void remove_loaded(struct loader *loader)
{
    char text[REPORT_BYTES];
    for (size_t i = 0; i < loader->places_count; i++) {
        const struct load_place *place = &loader->places[i];
        int error = source_remove(loader->source, place);
        if (error == 0) {
            loader->counts.deleted++;
            continue;
        }
        describe(text, sizeof text, loader->source, place->sub, place->name, strerror(-error));
        report(loader, text);
    }
}

static int commit(struct loader *loader)
{
    if (loader->places_count == 0)
        return 0;
    int error = loader->ops->commit(loader->store);
    if (error != 0)
        return store_failed(loader, error);
    loader->counts.fresh += loader->pending.fresh;
    loader->counts.updated += loader->pending.updated;
    loader->counts.unchanged += loader->pending.unchanged;
    if (loader->delete_files && !loader->dry_run)
        remove_loaded(loader);
    loader->pending = (struct load_counts){0};
    loader->places_count = 0;
    return 0;
}

static void count_pending(struct loader *loader, const struct load_place *place,
                          enum store_result result)
{
    loader->places[loader->places_count++] = *place;
    switch (result) {
    case STORE_NEW:
        loader->pending.fresh++;
        break;
    case STORE_UPDATED:
        loader->pending.updated++;
        break;
    case STORE_UNCHANGED:
        loader->pending.unchanged++;
        break;
    }
}

/* What a file holds: one of the two. */
struct loaded {
    struct run_record run;
    struct coverage_load coverage;
    bool is_coverage;
};

static int put(struct loader *loader, const struct loaded *loaded, const struct load_place *place)
{
    enum store_result result;
    int error = loader->places_count == 0 ? loader->ops->begin(loader->store) : 0;
    if (error == 0 && loaded->is_coverage)
        error = loader->ops->put_coverage(loader->store, &loaded->coverage, &result);
    else if (error == 0)
        error = loader->ops->put_run(loader->store, &loaded->run, &result);
    if (error != 0)
        return store_failed(loader, error);
    count_pending(loader, place, result);
    return loader->places_count == loader->batch ? commit(loader) : 0;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static void set_aside(struct loader *loader, int dir_fd, const struct load_place *place,
                      const struct load_reason *reason)
{
    char text[REPORT_BYTES];
    describe(text, sizeof text, loader->source, place->sub, place->name, reason->text);
    report(loader, text);
    loader->counts.damaged++;
    if (loader->quarantine_fd < 0 || loader->dry_run)
        return;
    int error = damaged_move(loader->quarantine_fd, dir_fd, place->name, text);
    if (error == 0) {
        loader->counts.quarantined++;
        return;
    }
    describe(text, sizeof text, loader->source, place->sub, place->name,
             "could not be moved to the quarantine directory");
    report(loader, text);
}

static int read_record(int dir_fd, const char *name, struct loaded *loaded,
                       struct load_reason *reason)
{
    char *text;
    size_t size;
    int error = load_text(dir_fd, name, &text, &size, reason);
    if (error != 0)
        return error;
    loaded->is_coverage = coverage_load_is_one(text, size);
    error = loaded->is_coverage ? coverage_load(text, size, &loaded->coverage, reason)
                                : load_record(text, size, &loaded->run, reason);
    free(text);
    return error;
}

static void free_loaded(struct loaded *loaded)
{
    if (loaded->is_coverage)
        coverage_load_free(&loaded->coverage);
    else
        load_record_free(&loaded->run);
}

static int load_file(void *context, int dir_fd, const struct load_place *place)
{
    struct loader *loader = context;
    struct loaded loaded;
    struct load_reason reason;
    int error = read_record(dir_fd, place->name, &loaded, &reason);
    if (error == 0) {
        error = put(loader, &loaded, place);
        free_loaded(&loaded);
    } else if (error == -EBADMSG) {
        set_aside(loader, dir_fd, place, &reason);
        error = 0;
    } else if (error == -ENOENT) {
        error = 0; /* another loader was faster */
    } else {
        report(loader, strerror(-error));
    }
    show_progress(loader);
    return error;
}

static void report_unreadable(void *context, const char *sub, int error)
{
    struct loader *loader = context;
    char text[REPORT_BYTES];
    describe(text, sizeof text, loader->source, sub, "", strerror(error));
    report(loader, text);
    loader->input_trouble = true;
}

/* ---- The loader ------------------------------------------------------------------------------ */

int loader_init(struct loader *loader)
{
    loader->places = calloc(loader->batch, sizeof *loader->places);
    return loader->places == NULL ? -ENOMEM : 0;
}

void loader_free(struct loader *loader)
{
    free(loader->places);
}

int loader_load(struct loader *loader, const char *path)
{
    struct load_source source;
    const struct load_visitor visitor = {loader, load_file, report_unreadable};
    int error = source_open(path, &source);
    if (error != 0) {
        source = (struct load_source){.path = path};
        loader->source = &source;
        report_unreadable(loader, "", -error);
        return 0;
    }
    loader->source = &source;
    error = source_walk(&source, &visitor);
    if (error == 0)
        error = commit(loader);
    source_close(&source);
    clear_progress(loader);
    return error;
}
