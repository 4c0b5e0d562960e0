/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/library_whos.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/hash.h"
#include "conf/base/io.h"

/* How far the times of files, which move by the kernel's tick, may be from those of events. */
#define SLACK_NS  INT64_C(2000000000)
#define LATEST_NS INT64_C(60000000000) /* an event is taken to be read so late at the most */

struct whos_entry {
    char *path; /* owned */
    unsigned deeds;
    int64_t first_ns, last_ns;
    uint32_t maker;     /* whose event was the first; LIBRARY_NO_USER: not known */
    int64_t watched_ns; /* of a directory: since when; 0: not yet */
    struct library_who who;
};

struct library_whos {
    struct whos_entry *entry; /* owned */
    size_t count, bytes;
    struct id_cache index; /* the entry's number, from 1, by its path */
    struct id_cache share; /* how many entries each maker has */
    uint64_t lost;
    int64_t since_ns; /* what is added now happened after that; 0: unknown */
};

/* With so many there is room only for those who have no more than a share, and for root. */
enum { CROWDED = LIBRARY_WHOS_MAX / 4 * 3, SHARE = LIBRARY_WHOS_MAX / 8 };

struct library_whos *library_whos_new(void)
{
    return calloc(1, sizeof(struct library_whos));
}

void library_whos_free(struct library_whos *whos)
{
    if (whos == NULL)
        return;
    for (size_t i = 0; i < whos->count; i++)
        free(whos->entry[i].path);
    free(whos->entry);
    id_cache_free(&whos->index);
    id_cache_free(&whos->share);
    free(whos);
}

/* ---- Noting ---------------------------------------------------------------------------------- */

static struct whos_entry *entry_of(const struct library_whos *whos, const char *path, size_t size)
{
    struct digest digest;
    hash_bytes(path, size, &digest);
    int64_t number = id_cache_find(&whos->index, &digest);
    return number == 0 ? NULL : &whos->entry[number - 1];
}

static int64_t share_of(const struct library_whos *whos, uint32_t maker)
{
    struct digest digest;
    hash_bytes(&maker, sizeof maker, &digest);
    return id_cache_find(&whos->share, &digest);
}

static void index_entry(struct library_whos *whos, size_t at)
{
    struct digest digest;
    const struct whos_entry *entry = &whos->entry[at];
    hash_bytes(entry->path, strlen(entry->path), &digest);
    id_cache_add(&whos->index, &digest, (int64_t)at + 1);
    int64_t share = share_of(whos, entry->maker);
    hash_bytes(&entry->maker, sizeof entry->maker, &digest);
    id_cache_add(&whos->share, &digest, share + 1);
}

static struct whos_entry *entry_new(struct library_whos *whos, const char *path, uint32_t maker,
                                    int64_t time_ns)
{
    size_t size = strlen(path) + 1;
    bool has_room = whos->count < LIBRARY_WHOS_MAX && whos->bytes + size <= LIBRARY_WHOS_BYTES_MAX;
    char *copy = has_room ? strdup(path) : NULL;
    if (copy == NULL || GROW(whos->entry, whos->count) != 0) {
        free(copy);
        whos->lost++;
        return NULL;
    }
    struct whos_entry *entry = &whos->entry[whos->count];
    bool is_late = whos->since_ns != 0 && whos->since_ns < time_ns;
    int64_t first_ns = !is_late                               ? time_ns
                       : whos->since_ns < time_ns - LATEST_NS ? time_ns - LATEST_NS
                                                              : whos->since_ns;
    *entry = (struct whos_entry){.path = copy, .first_ns = first_ns, .maker = maker};
    index_entry(whos, whos->count++);
    whos->bytes += size;
    return entry;
}

static bool is_known(const struct library_who *who)
{
    return who->how >= LIBRARY_WHO_BY_FILE;
}

static bool is_another(const struct whos_entry *entry, const struct library_who *who)
{
    return is_known(&entry->who) &&
           (!is_known(who) || who->uid != entry->who.uid || who->login_uid != entry->who.login_uid);
}

int library_whos_add(struct library_whos *whos, const char *path, unsigned deeds,
                     const struct library_who *who, int64_t time_ns)
{
    struct whos_entry *entry = entry_of(whos, path, strlen(path));
    if (deeds == LIBRARY_DEED_CLOSED) {
        if (entry != NULL)
            entry->who.others += is_another(entry, who);
        return 0;
    }
    if (entry == NULL) {
        uint32_t maker = is_known(who) ? who->uid : LIBRARY_NO_USER;
        bool is_crowded = whos->count >= CROWDED || whos->bytes >= LIBRARY_WHOS_BYTES_MAX / 4 * 3;
        if (maker != 0 && is_crowded && share_of(whos, maker) >= SHARE)
            whos->lost++;
        else
            entry = entry_new(whos, path, maker, time_ns);
        if (entry == NULL)
            return -ENOSPC;
    }
    /* An event of a process that is gone does not hide that the one before was the same user's: it
     * does hide who was last. */
    uint32_t others = entry->who.others + is_another(entry, who);
    entry->who = *who;
    entry->who.others = others;
    entry->deeds = deeds;
    entry->last_ns = time_ns;
    return 0;
}

void library_whos_since(struct library_whos *whos, int64_t time_ns)
{
    whos->since_ns = time_ns;
}

void library_whos_watched(struct library_whos *whos, const char *path, int64_t time_ns)
{
    struct whos_entry *entry = path == NULL ? NULL : entry_of(whos, path, strlen(path));
    if (entry != NULL)
        entry->watched_ns = time_ns;
    for (size_t i = 0; path == NULL && i < whos->count; i++)
        if (whos->entry[i].watched_ns == 0)
            whos->entry[i].watched_ns = time_ns;
}

void library_whos_forget(struct library_whos *whos, int64_t time_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < whos->count; i++) {
        if (whos->entry[i].last_ns >= time_ns) {
            whos->entry[kept++] = whos->entry[i];
            continue;
        }
        whos->bytes -= strlen(whos->entry[i].path) + 1;
        free(whos->entry[i].path);
    }
    whos->count = kept;
    id_cache_clear(&whos->index);
    id_cache_clear(&whos->share);
    for (size_t i = 0; i < kept; i++)
        index_entry(whos, i);
}

size_t library_whos_count(const struct library_whos *whos)
{
    return whos->count;
}

uint64_t library_whos_lost(const struct library_whos *whos)
{
    return whos->lost;
}

/* ---- Finding --------------------------------------------------------------------------------- */

static bool is_file_of(const struct whos_entry *entry, const struct library_whos_question *question)
{
    if (entry == NULL || (entry->deeds & LIBRARY_DEED_DIRECTORY) != 0)
        return false;
    if (question->is_gone)
        return (entry->deeds & LIBRARY_DEED_WENT) != 0;
    return question->changed_ns == 0 || (question->changed_ns >= entry->first_ns - SLACK_NS &&
                                         question->changed_ns <= entry->last_ns + SLACK_NS);
}

/* What a directory brought or took with it, or what came into it before it was watched. */
static bool is_directory_of(const struct whos_entry *entry,
                            const struct library_whos_question *question)
{
    if (entry == NULL || (entry->deeds & LIBRARY_DEED_DIRECTORY) == 0)
        return false;
    if (question->is_gone)
        return (entry->deeds & LIBRARY_DEED_WENT) != 0;
    return (entry->deeds & LIBRARY_DEED_CAME) != 0 &&
           (entry->watched_ns == 0 || question->changed_ns <= entry->watched_ns + SLACK_NS);
}

static const struct whos_entry *directory_above(const struct library_whos *whos, const char *path,
                                                const struct library_whos_question *question)
{
    for (size_t size = strlen(path); size > 1; size--) {
        if (path[size - 1] != '/')
            continue;
        const struct whos_entry *entry = entry_of(whos, path, size - 1);
        if (is_directory_of(entry, question))
            return entry;
    }
    return NULL;
}

void library_whos_find(const struct library_whos *whos,
                       const struct library_whos_question *question, struct library_who *who)
{
    struct library_whos_question gone = {.path = question->from, .is_gone = true};
    const struct whos_entry *entry = entry_of(whos, question->path, strlen(question->path));
    *who = (struct library_who){.how = LIBRARY_WHO_UNKNOWN};
    if (!is_file_of(entry, question)) {
        entry = gone.path == NULL ? NULL : entry_of(whos, gone.path, strlen(gone.path));
        if (!is_file_of(entry, &gone))
            entry = NULL;
    }
    if (entry != NULL) {
        *who = entry->who;
        return;
    }
    entry = directory_above(whos, question->path, question);
    if (entry == NULL && gone.path != NULL)
        entry = directory_above(whos, gone.path, &gone);
    if (entry == NULL)
        return;
    *who = entry->who;
    if (is_known(who))
        who->how = LIBRARY_WHO_BY_DIRECTORY;
}

/* ---- From one process to another ------------------------------------------------------------- */

/* Both are of one machine, and mostly of one program. */
struct whos_head {
    char magic[16];
    uint64_t count, entry_size;
};

struct whos_part {
    uint64_t path_size;
    struct whos_entry entry;
};

static const struct whos_head right_head = {.magic = "jobtrail whos 2",
                                            .entry_size = sizeof(struct whos_part)};

int library_whos_write(const struct library_whos *whos, int fd)
{
    struct whos_head head = right_head;
    head.count = whos->count;
    int error = io_write_all(fd, &head, sizeof head);
    for (size_t i = 0; i < whos->count && error == 0; i++) {
        struct whos_part part = {.path_size = strlen(whos->entry[i].path), .entry = whos->entry[i]};
        const struct iovec parts[] = {{&part, sizeof part}, {whos->entry[i].path, part.path_size}};
        part.entry.path = NULL;
        error = io_write_parts(fd, parts, 2);
    }
    return error;
}

static int read_whole(int fd, void *bytes, size_t size)
{
    ssize_t got = io_read(fd, bytes, size);
    return got < 0 ? (int)got : (size_t)got == size ? 0 : -EPROTO;
}

static int read_part(int fd, struct library_whos *whos)
{
    struct whos_part part;
    int error = read_whole(fd, &part, sizeof part);
    if (error != 0)
        return error;
    if (part.path_size == 0 || part.path_size >= PATH_MAX)
        return -EPROTO;
    CLEANUP_FREE char *path = calloc(1, part.path_size + 1);
    error = path == NULL ? -ENOMEM : read_whole(fd, path, part.path_size);
    struct whos_entry *entry =
        error == 0 ? entry_new(whos, path, part.entry.maker, part.entry.first_ns) : NULL;
    if (entry == NULL)
        return error == 0 ? -EPROTO : error;
    char *kept = entry->path;
    *entry = part.entry;
    entry->path = kept;
    entry->who.command[sizeof entry->who.command - 1] = '\0';
    entry->who.program[sizeof entry->who.program - 1] = '\0';
    entry->who.event[sizeof entry->who.event - 1] = '\0';
    return 0;
}

int library_whos_read(int fd, struct library_whos **whos)
{
    struct whos_head head;
    int error = read_whole(fd, &head, sizeof head);
    if (error != 0)
        return error;
    if (memcmp(head.magic, right_head.magic, sizeof head.magic) != 0 ||
        head.entry_size != right_head.entry_size || head.count > LIBRARY_WHOS_MAX)
        return -EPROTO;
    struct library_whos *all = library_whos_new();
    if (all == NULL)
        return -ENOMEM;
    for (uint64_t i = 0; i < head.count && error == 0; i++)
        error = read_part(fd, all);
    if (error == 0)
        *whos = all;
    else
        library_whos_free(all);
    return error;
}
