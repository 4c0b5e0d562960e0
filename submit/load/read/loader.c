/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/trusted.h"
#include "submit/load/read/damaged.h"

#define PROGRESS_EVERY 100 /* records */
#define BATCH_BYTES    (32u << 20)
#define FIRST_PART     8 /* the first batch has so much less than the others */
#define PATH_BYTES     8192
#define REPORT_BYTES   (PATH_BYTES + 1024)
#define STOPPED        1 /* of a walk that was left */

/* ---- What people see ------------------------------------------------------------------------ */

size_t load_counts_read(const struct load_counts *counts)
{
    return counts->fresh + counts->updated + counts->unchanged + counts->damaged;
}

static void show_progress(const struct loader *loader)
{
    size_t read =
        load_counts_read(&loader->counts) + loader->batches[0].count + loader->batches[1].count;
    if (!loader->progress.is_shown || read % PROGRESS_EVERY != 0)
        return;
    char note[64];
    snprintf(note, sizeof note, ", %zu set aside", loader->counts.damaged);
    progress_show(&loader->progress, read - loader->read_before, note);
}

void loader_begin_input(struct loader *loader, size_t total)
{
    loader->read_before = load_counts_read(&loader->counts);
    progress_begin(&loader->progress, "", total);
}

/* In plain ASCII: users choose names, and could drive a terminal. */
static void make_plain(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

/* "PATH[/SUB][/NAME]" of a file */
static void describe_place(char *text, size_t size, const struct load_source *source,
                           const char *sub, const char *name)
{
    if (source->name != NULL) { /* the path names the file itself */
        sub = "";
        name = "";
    }
    snprintf(text, size, "%s%s%s%s%s", source->path, sub[0] == '\0' ? "" : "/", sub,
             name[0] == '\0' ? "" : "/", name);
}

void loader_report(struct loader *loader, const char *path, const char *trouble)
{
    char text[REPORT_BYTES];
    snprintf(text, sizeof text, "%s: %s", path, trouble);
    make_plain(text);
    progress_clear(&loader->progress);
    fprintf(stderr, "jobtrail-load: %s\n", text);
}

static void report_place(struct loader *loader, const struct load_place *place, const char *trouble)
{
    char path[PATH_BYTES];
    describe_place(path, sizeof path, loader->source, place->sub, place->name);
    loader_report(loader, path, trouble);
}

static int store_failed(const struct loader *loader, int error)
{
    progress_clear(&loader->progress);
    fprintf(stderr, "jobtrail-load: the store failed, what is not loaded stays where it is: %s\n",
            store_error(loader->store));
    return error;
}

/* ---- Files that stay ------------------------------------------------------------------------ */

/* Whether the text is new; it is known from now on. */
static bool is_new(struct loader *loader, const char *text)
{
    struct digest digest;
    if (!loader->follows)
        return true;
    hash_bytes(text, strlen(text), &digest);
    bool is_known = id_cache_find(&loader->seen_files, &digest) != 0;
    id_cache_add(&loader->seen_files, &digest, 1);
    return !is_known;
}

/* Damaged files, and such as cannot be removed, are known by path, number, size and times. */
static int identify(const struct loader *loader, int dir_fd, const struct load_place *place,
                    struct digest *digest)
{
    char path[PATH_BYTES];
    struct stat facts;
    describe_place(path, sizeof path, loader->source, place->sub, place->name);
    if (fstatat(dir_fd, place->name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    const void *const pieces[] = {path, &facts.st_ino, &facts.st_size, &facts.st_mtim,
                                  &facts.st_ctim};
    const size_t sizes[] = {strlen(path), sizeof facts.st_ino, sizeof facts.st_size,
                            sizeof facts.st_mtim, sizeof facts.st_ctim};
    hash_pieces(pieces, sizes, sizeof sizes / sizeof sizes[0], digest);
    return 0;
}

static void note_seen(struct loader *loader, int dir_fd, const struct load_place *place)
{
    struct digest digest;
    if (loader->follows && identify(loader, dir_fd, place, &digest) == 0)
        id_cache_add(&loader->seen_files, &digest, 1);
}

static bool was_seen(const struct loader *loader, int dir_fd, const struct load_place *place)
{
    struct digest digest;
    return loader->follows && loader->seen_files.used > 0 &&
           identify(loader, dir_fd, place, &digest) == 0 &&
           id_cache_find(&loader->seen_files, &digest) != 0;
}

static void note_loaded(struct loader *loader, const struct load_place *place)
{
    CLEANUP_CLOSE int fd = loader->follows ? source_open_sub(loader->source, place->sub) : -1;
    if (fd >= 0)
        note_seen(loader, fd, place);
}

void loader_report_input(struct loader *loader, const char *path, int error)
{
    char text[REPORT_BYTES];
    loader->input_trouble = true;
    snprintf(text, sizeof text, "%s: %s", path, strerror(error));
    if (is_new(loader, text))
        loader_report(loader, path, strerror(error));
}

void loader_report_none(struct loader *loader, const char *path, const char *found)
{
    loader->no_records = true;
    loader_report(loader, path, found);
}

/* ---- Setting aside -------------------------------------------------------------------------- */

static void count_moved(struct loader *loader, const char *path, int error)
{
    if (error == 0)
        loader->counts.quarantined++;
    else
        loader_report(loader, path, "could not be moved to the quarantine directory");
}

static void reason_line(char *line, size_t size, const char *path, const char *reason)
{
    snprintf(line, size, "%s: %s", path, reason);
    make_plain(line);
}

/* Who writes to a stream decides how many records are set aside, and not how long the log is. */
static void report_aside(struct loader *loader, const char *path, const char *reason)
{
    enum { LINES = 100, SECONDS = 3600 };
    const time_t now = time(NULL);
    if (now - loader->aside_since >= SECONDS) {
        loader->aside_since = now;
        loader->aside_lines = 0;
    }
    if (++loader->aside_lines <= LINES)
        loader_report(loader, path, reason);
    if (loader->aside_lines == LINES)
        loader_report(loader, path, "what else is set aside in this hour is counted, not reported");
}

static void set_file_aside(struct loader *loader, int dir_fd, const struct load_place *place,
                           const char *reason)
{
    char path[PATH_BYTES], line[REPORT_BYTES];
    describe_place(path, sizeof path, loader->source, place->sub, place->name);
    report_aside(loader, path, reason);
    loader->counts.damaged++;
    if (loader->quarantine_fd >= 0 && !loader->dry_run) {
        reason_line(line, sizeof line, path, reason);
        count_moved(loader, path, damaged_move(loader->quarantine_fd, dir_fd, place->name, line));
    }
    note_seen(loader, dir_fd, place);
}

void loader_set_aside(struct loader *loader, const char *text, size_t size, const char *origin,
                      const char *reason)
{
    char name[64], line[REPORT_BYTES];
    report_aside(loader, origin, reason);
    loader->counts.damaged++;
    if (loader->quarantine_fd < 0 || loader->dry_run)
        return;
    reason_line(line, sizeof line, origin, reason);
    int error;
    do { /* loaders of several hosts or containers may have the same pid */
        snprintf(name, sizeof name, "record.%lld.%d.%zu", (long long)time(NULL), (int)getpid(),
                 ++loader->kept);
        error = damaged_keep(loader->quarantine_fd, name, text, size, line);
    } while (error == -EEXIST);
    count_moved(loader, origin, error);
}

/* A record that was good, but not for the database. */
static void set_record_aside(struct loader *loader, struct record *record,
                             const struct load_place *place, const char *reason)
{
    if (loader->source == NULL) {
        loader_set_aside(loader, load_record_text(record), record->size, place->name, reason);
        return;
    }
    CLEANUP_CLOSE int fd = source_open_sub(loader->source, place->sub);
    if (fd >= 0)
        set_file_aside(loader, fd, place, reason);
}

/* ---- Transactions --------------------------------------------------------------------------- */

static void remove_loaded(struct loader *loader, const struct load_place *place)
{
    int error = source_remove(loader->source, place);
    if (error == 0) {
        loader->counts.deleted++;
        return;
    }
    report_place(loader, place, strerror(-error));
    note_loaded(loader, place);
}

static void count_result(struct load_counts *counts, enum store_result result)
{
    switch (result) {
    case STORE_CONFLICT:
        counts->conflicts++; /* fall through */
    case STORE_NEW:
        counts->fresh++;
        break;
    case STORE_UPDATED:
        counts->updated++;
        break;
    case STORE_UNPROVEN:
        counts->conflicts++; /* fall through */
    case STORE_UNCHANGED:
        counts->unchanged++;
        break;
    case STORE_CROWDED: /* set aside */
        break;
    }
}

static void settle_record(struct loader *loader, const struct load_batch *batch, size_t at)
{
    char reason[80];
    if (batch->results[at] == STORE_CROWDED) {
        snprintf(reason, sizeof reason, "more than %d owners claim this uuid, and none proves it",
                 STORE_CLAIMS);
        set_record_aside(loader, &batch->records[at], &batch->places[at], reason);
        return;
    }
    count_result(&loader->counts, batch->results[at]);
    loader->counts.unproven += batch->records[at].unproven;
    if (batch->records[at].kind == RECORD_RUN) {
        const struct run_record *run = &batch->records[at].run;
        loader->counts.without_room += (size_t)run->without_room;
        for (size_t i = 0; i < LOAD_EXTENSIONS; i++)
            loader->counts.unread[i] += run->unread >> i & 1;
    }
    if (loader->source == NULL)
        return;
    if (loader->delete_files && !loader->dry_run)
        remove_loaded(loader, &batch->places[at]);
    else
        note_loaded(loader, &batch->places[at]);
}

/* One of them is at fault: each on its own. */
static int put_one_by_one(struct loader *loader, const struct load_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        int error = store_put(loader->store, &batch->records[i], 1, &batch->results[i]);
        if (error == -EBADMSG)
            set_record_aside(loader, &batch->records[i], &batch->places[i],
                             store_error(loader->store));
        else if (error != 0)
            return store_failed(loader, error);
        else
            settle_record(loader, batch, i);
    }
    return 0;
}

static void empty_batch(struct load_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        load_record_free(&batch->records[i]);
    batch->count = 0;
    batch->bytes = 0;
}

/* Until what was handed over is in the store. */
static int finish_writing(struct loader *loader)
{
    int error = 0;
    struct load_batch *batch = batch_writer_wait(loader->writer, &error);
    if (batch == NULL)
        return 0;
    const bool was_put = error == 0;
    if (error == -EBADMSG)
        error = put_one_by_one(loader, batch);
    else if (error != 0)
        store_failed(loader, error);
    for (size_t i = 0; was_put && i < batch->count; i++)
        settle_record(loader, batch, i);
    if (error == 0)
        empty_batch(batch);
    return error;
}

/* What has been read is written while the loader reads on. */
static int hand_over(struct loader *loader)
{
    int error = finish_writing(loader);
    if (error != 0 || loader->next->count == 0)
        return error;
    id_cache_trim(&loader->seen);
    batch_writer_start(loader->writer, loader->next);
    loader->limit = loader->limit < loader->batch / 2 ? 2 * loader->limit : loader->batch;
    loader->next = loader->next == &loader->batches[0] ? &loader->batches[1] : &loader->batches[0];
    return 0;
}

/* The next batch is the first again. */
static void start_small(struct loader *loader)
{
    loader->limit = loader->batch < FIRST_PART ? loader->batch : loader->batch / FIRST_PART;
}

int loader_commit(struct loader *loader)
{
    int error = hand_over(loader);
    start_small(loader);
    return error == 0 ? finish_writing(loader) : error;
}

void loader_rescue(struct loader *loader)
{
    for (int i = 0; i < 2 && loader->quarantine_fd >= 0; i++) {
        struct load_batch *batch = &loader->batches[i];
        for (size_t at = 0; at < batch->count; at++)
            set_record_aside(loader, &batch->records[at], &batch->places[at], "the store failed");
        empty_batch(batch);
    }
}

/* ---- Records -------------------------------------------------------------------------------- */

static int add_record(struct loader *loader, const struct record *record,
                      const struct load_place *place)
{
    struct load_batch *batch = loader->next;
    batch->records[batch->count] = *record;
    batch->places[batch->count++] = *place;
    batch->bytes += load_record_bytes(record);
    show_progress(loader);
    bool full = batch->count >= loader->limit || batch->bytes > BATCH_BYTES;
    return full ? hand_over(loader) : 0;
}

/* With the kind that its name said, so that it is not taken for another when it is given again. */
static void set_named_aside(struct loader *loader, const char *text, size_t size,
                            enum record_kind named, const char *origin, const char *reason)
{
    char *line = NULL;
    size_t length = 0;
    FILE *kept = named == RECORD_KINDS || text[0] != '{' ? NULL : open_memstream(&line, &length);
    if (kept != NULL) {
        fprintf(kept, "kind=%s ", record_kind_name(named));
        fwrite(text, 1, size, kept);
    }
    if (kept != NULL && fclose(kept) == 0)
        loader_set_aside(loader, line, length, origin, reason);
    else
        loader_set_aside(loader, text, size, origin, reason);
    free(line);
}

/* As load_record(), of a text that others may have written, or not. */
static int make_record(struct loader *loader, char *text, size_t size, enum record_kind named,
                       bool closed, struct record *record, struct load_reason *reason)
{
    bool unproven;
    int error = record_prove(&loader->proof, text, size, closed, &unproven, reason);
    if (error == 0)
        error = load_record(text, size, named, &loader->seen, record, reason);
    if (error == 0) {
        record->unproven = unproven;
        record->is_history = loader->is_history;
    }
    return error;
}

int loader_take(struct loader *loader, char *text, size_t size, enum record_kind named,
                const char *origin)
{
    struct record record;
    struct load_reason reason;
    struct load_place place = {.sub = ""};
    int error = make_record(loader, text, size, named, false, &record, &reason);
    snprintf(place.name, sizeof place.name, "%s", origin);
    if (error == 0)
        return add_record(loader, &record, &place);
    if (error == -EBADMSG) {
        set_named_aside(loader, text, size, named, origin, reason.text);
        error = 0;
    } else {
        loader_report(loader, origin, strerror(-error));
    }
    free(text);
    return error;
}

bool loader_stops(struct loader *loader)
{
    if (*loader->stop == 0)
        return false;
    loader->stopped = true;
    return true;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static int read_record(struct loader *loader, int dir_fd, const char *name, struct record *record,
                       struct load_reason *reason)
{
    char *text;
    size_t size;
    bool closed;
    int error = load_text(dir_fd, name, &text, &size, &closed, reason);
    if (error != 0)
        return error;
    closed = closed && loader->way_is_closed && load_directory_is_closed(loader->source->fd);
    error = make_record(loader, text, size, place_kind(name), closed, record, reason);
    if (error != 0)
        free(text);
    return error;
}

static int load_file(void *context, int dir_fd, const struct load_place *place)
{
    struct loader *loader = context;
    struct record record;
    struct load_reason reason;
    if (loader_stops(loader))
        return STOPPED;
    loader->visited++;
    if (was_seen(loader, dir_fd, place))
        return 0;
    int error = read_record(loader, dir_fd, place->name, &record, &reason);
    switch (error) {
    case 0:
        return add_record(loader, &record, place);
    case -EBADMSG:
        set_file_aside(loader, dir_fd, place, reason.text);
        return 0;
    case -ENOENT: /* another loader was faster */
        return 0;
    default:
        report_place(loader, place, strerror(-error));
        return error;
    }
}

static void report_unreadable(void *context, const char *sub, int error)
{
    struct loader *loader = context;
    char path[PATH_BYTES];
    describe_place(path, sizeof path, loader->source, sub, "");
    loader_report_input(loader, path, error);
}

/* ---- The loader ----------------------------------------------------------------------------- */

static int make_batch(struct load_batch *batch, size_t size)
{
    batch->records = calloc(size, sizeof *batch->records);
    batch->places = calloc(size, sizeof *batch->places);
    batch->results = calloc(size, sizeof *batch->results);
    return batch->records == NULL || batch->places == NULL || batch->results == NULL ? -ENOMEM : 0;
}

int loader_init(struct loader *loader)
{
    loader->next = &loader->batches[0];
    loader_begin_input(loader, 0);
    start_small(loader);
    for (int i = 0; i < 2; i++)
        if (make_batch(&loader->batches[i], loader->batch) != 0)
            return -ENOMEM;
    loader->writer = batch_writer_new(loader->store);
    return loader->writer == NULL ? -ENOMEM : 0;
}

void loader_free(struct loader *loader)
{
    batch_writer_free(loader->writer);
    for (int i = 0; i < 2; i++) {
        empty_batch(&loader->batches[i]);
        free(loader->batches[i].records);
        free(loader->batches[i].places);
        free(loader->batches[i].results);
    }
    id_cache_free(&loader->seen);
    id_cache_free(&loader->seen_files);
}

static int count_file(void *context, int dir_fd, const struct load_place *place)
{
    (void)dir_fd;
    (void)place;
    ++*(size_t *)context;
    return 0;
}

static void ignore_unreadable(void *context, const char *sub, int error)
{
    (void)context;
    (void)sub;
    (void)error;
}

int loader_load(struct loader *loader, const char *path)
{
    char culprit[PATH_MAX];
    struct load_source source;
    const struct load_visitor visitor = {loader, load_file, report_unreadable};
    int error = source_open(path, &source);
    if (error != 0) {
        loader_report_input(loader, path, -error);
        return 0;
    }
    loader->source = &source;
    loader->visited = 0;
    /* What is there to be read, for the progress: files that come later are not among them. */
    size_t files = 0;
    const struct load_visitor counter = {&files, count_file, ignore_unreadable};
    if (loader->progress.is_shown && source_walk(&source, &counter) != 0)
        files = 0;
    loader_begin_input(loader, files);
    /* Who can change a directory above, or a link, could put an older closed directory there. */
    loader->way_is_closed = trusted_check(path, culprit, sizeof culprit) == 0;
    error = source_walk(&source, &visitor);
    if (error >= 0)
        error = loader_commit(loader);
    loader->source = NULL;
    close(source.fd);
    progress_clear(&loader->progress);
    return error;
}
