/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libuse/libuse_batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/grow.h"
#include "contrib/libraries/scan/library_facts.h"

/* Files at a time; descriptors that the rest needs. A file gives two events at the most, of which
 * one says that there are no more: half of what the kernel keeps (fs.inotify.max_queued_events, by
 * default 16384), so that nobody fills that with files of their own. How long until a change has
 * another time of last change: that of file systems with fine times is the kernel's clock, of at
 * least 100 ticks a second. */
enum { FILES_MAX = 4096, DESCRIPTORS = 512, FINE_MS = 25, COARSE_MS = 2100 };

#define SECOND_NS INT64_C(1000000000)
/* Not IN_CLOSE_WRITE, which changes nothing: a write is IN_MODIFY, and one to mapped memory moves
 * the time of last modification. */
#define CHANGES (IN_ATTRIB | IN_MODIFY | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONESHOT)

struct armed {
    int fd, watch;
    struct library_rearm rearm;
    int64_t changed_ns; /* as setting the time has made it; 0: it was not set */
    bool is_changed;    /* by somebody else */
};

struct libuse_batch {
    struct armed *armed; /* owned */
    size_t count, most;
    int events;
    bool has_overrun; /* the kernel has dropped events: nobody knows of which files */
};

struct proc_path {
    char text[64];
};

static struct proc_path path_of(int fd)
{
    struct proc_path path;
    snprintf(path.text, sizeof path.text, "/proc/self/fd/%d", fd);
    return path;
}

/* ---- The batch ------------------------------------------------------------------------------- */

struct libuse_batch *libuse_batch_new(void)
{
    struct rlimit limit;
    struct libuse_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return NULL;
    batch->events = -1;
    batch->most = 1;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur > DESCRIPTORS)
            batch->most = limit.rlim_cur - DESCRIPTORS;
    }
    if (batch->most > FILES_MAX)
        batch->most = FILES_MAX;
    return batch;
}

static void empty(struct libuse_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        close(batch->armed[i].fd);
    if (batch->events >= 0)
        close(batch->events);
    free(batch->armed);
    batch->armed = NULL;
    batch->count = 0;
    batch->events = -1;
    batch->has_overrun = false;
}

void libuse_batch_free(struct libuse_batch *batch)
{
    if (batch == NULL)
        return;
    empty(batch);
    free(batch);
}

/* ---- Adding ---------------------------------------------------------------------------------- */

static bool is_as_before(const struct library_file *was, const struct library_file *is)
{
    return was->device == is->device && was->inode == is->inode && was->size == is->size &&
           was->modified_ns == is->modified_ns && was->owner == is->owner &&
           was->is_private == is->is_private;
}

static bool is_untouched(const struct library_file *was, const struct library_file *is)
{
    return is_as_before(was, is) && was->changed_ns == is->changed_ns;
}

static bool has(const struct libuse_batch *batch, const struct library_file *file)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->armed[i].rearm.was.inode == file->inode &&
            batch->armed[i].rearm.was.device == file->device)
            return true;
    return false;
}

/* What is done to the file from here on is heard of; before, it was as in `armed`. Returns 0, 1
 * where it is not so any more, or -errno. */
static int watch_file(struct libuse_batch *batch, const struct library_seen *seen,
                      struct armed *armed)
{
    struct stat status;
    struct library_file is = {.size = 0};
    armed->fd = openat(seen->directory, seen->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (armed->fd < 0)
        return errno == ENOENT ? 1 : -errno;
    const struct proc_path path = path_of(armed->fd);
    armed->watch = inotify_add_watch(batch->events, path.text, CHANGES);
    if (armed->watch < 0 || fstat(armed->fd, &status) != 0)
        return -errno;
    library_identity(&status, &is);
    if (!is_untouched(&armed->rearm.was, &is))
        return 1;
    const int64_t now_ns = (int64_t)clock_ns(CLOCK_REALTIME);
    armed->rearm.seen_ns = library_access(&status);
    armed->rearm.armed_ns =
        (armed->rearm.seen_ns < now_ns ? armed->rearm.seen_ns : now_ns) - SECOND_NS;
    return library_reads_rest(path.text, &armed->rearm.rest);
}

static void note_failure(struct libuse_batch_counts *counts, int error)
{
    counts->failed++;
    counts->error = error;
}

int libuse_batch_add(struct libuse_batch *batch, struct library_state *state,
                     const struct library_seen *seen, struct libuse_batch_counts *counts)
{
    struct armed armed = {.fd = -1};
    library_identity(seen->status, &armed.rearm.was);
    if (has(batch, &armed.rearm.was)) /* under another of its names */
        return 0;
    if (batch->events < 0)
        batch->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    int error = GROW(batch->armed, batch->count);
    if (error != 0)
        return error;
    int result = batch->events < 0 ? -errno : watch_file(batch, seen, &armed);
    if (result == 0)
        error = library_reads_arm(state, &armed.rearm);
    if (result == 0 && error == 0) {
        batch->armed[batch->count++] = armed;
        return batch->count < batch->most ? 0 : libuse_batch_end(batch, state, counts);
    }
    if (result > 0)
        counts->changed++;
    else if (result < 0)
        note_failure(counts, result);
    if (armed.fd >= 0)
        close(armed.fd);
    return error;
}

/* ---- Setting times --------------------------------------------------------------------------- */

static void take_changes(struct libuse_batch *batch)
{
    _Alignas(struct inotify_event) char bytes[16384];
    ssize_t size;
    while ((size = read(batch->events, bytes, sizeof bytes)) > 0)
        for (const char *at = bytes; at < bytes + size;) {
            const struct inotify_event *event = (const void *)at;
            batch->has_overrun |= (event->mask & IN_Q_OVERFLOW) != 0;
            for (size_t i = 0; i < batch->count; i++)
                if (batch->armed[i].watch == event->wd)
                    batch->armed[i].is_changed = true;
            at += sizeof *event + event->len;
        }
}

static void set_time(struct armed *armed, struct libuse_batch_counts *counts)
{
    struct stat status;
    struct statx fresh;
    struct library_file is = {.size = 0};
    const struct timespec times[] = {
        {.tv_sec = armed->rearm.armed_ns / SECOND_NS, .tv_nsec = armed->rearm.armed_ns % SECOND_NS},
        {.tv_nsec = UTIME_OMIT}};
    if (armed->is_changed)
        return;
    /* a server is asked, and no cache of what it said */
    if (statx(armed->fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &fresh) != 0 ||
        fstat(armed->fd, &status) != 0) {
        note_failure(counts, -errno);
        return;
    }
    library_identity(&status, &is);
    armed->is_changed = !is_untouched(&armed->rearm.was, &is);
    if (armed->is_changed)
        return;
    if (utimensat(AT_FDCWD, path_of(armed->fd).text, times, 0) != 0) {
        note_failure(counts, -errno);
        return;
    }
    if (fstat(armed->fd, &status) != 0)
        return;
    library_identity(&status, &is);
    armed->is_changed = !is_as_before(&armed->rearm.was, &is);
    armed->changed_ns = is.changed_ns;
}

/* Whether nothing but setting the time was done to it. */
static bool is_ours(const struct armed *armed)
{
    struct stat status;
    struct library_file is = {.size = 0};
    struct digest rest;
    if (armed->is_changed || armed->changed_ns == 0 || fstat(armed->fd, &status) != 0)
        return false;
    library_identity(&status, &is);
    return is_as_before(&armed->rearm.was, &is) && is.changed_ns == armed->changed_ns &&
           library_reads_rest(path_of(armed->fd).text, &rest) == 0 &&
           memcmp(rest.bytes, armed->rearm.rest.bytes, sizeof rest.bytes) == 0;
}

/* A time of last access that was one to come counts as that which was set. */
static int keep_time(const struct armed *armed, struct library_state *state)
{
    struct library_file is = armed->rearm.was;
    const int64_t seen_ns = armed->rearm.armed_ns + SECOND_NS;
    int error = library_reads_changed(state, &armed->rearm.was, armed->changed_ns);
    is.changed_ns = armed->changed_ns;
    return error != 0 || seen_ns == armed->rearm.seen_ns ? error
                                                         : library_reads_seen(state, &is, seen_ns);
}

static int end_time(const struct armed *armed, struct library_state *state,
                    struct libuse_batch_counts *counts)
{
    bool is_kept = is_ours(armed);
    counts->armed += is_kept;
    counts->changed += armed->is_changed || (!is_kept && armed->changed_ns != 0);
    int error = is_kept ? keep_time(armed, state) : 0;
    return error == 0 ? library_reads_armed(state, &armed->rearm.was) : error;
}

/* As after a kill: where the time was set, the scan tells by what the file is whether it has
 * changed. */
static int leave_time(const struct armed *armed, struct library_state *state)
{
    return armed->changed_ns == 0 ? library_reads_armed(state, &armed->rearm.was) : 0;
}

int libuse_batch_end(struct libuse_batch *batch, struct library_state *state,
                     struct libuse_batch_counts *counts)
{
    int error = library_state_commit(state);
    if (error != 0 || batch->count == 0)
        return error;
    take_changes(batch);
    for (size_t i = 0; i < batch->count && !batch->has_overrun; i++)
        set_time(&batch->armed[i], counts);
    /* Until what comes has another time of last change than what was set. */
    int ms = FINE_MS;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->armed[i].changed_ns != 0 && batch->armed[i].changed_ns % 1000000 == 0)
            ms = COARSE_MS;
    struct timespec left = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
    take_changes(batch);
    counts->unheard += batch->has_overrun ? batch->count : 0;
    for (size_t i = 0; i < batch->count && error == 0; i++)
        error = batch->has_overrun ? leave_time(&batch->armed[i], state)
                                   : end_time(&batch->armed[i], state, counts);
    empty(batch);
    return error == 0 ? library_state_commit(state) : error;
}
