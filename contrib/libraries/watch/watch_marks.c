/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/watch_marks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/hash.h"
#include "conf/base/io.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/scan/library_walk.h"

/* Of kernels that are newer than the headers. */
#ifndef FAN_REPORT_PIDFD
#define FAN_REPORT_PIDFD 0x00000080
#endif
#define HANDLE_IS_AN_ID                                                                            \
    0x200 /* AT_HANDLE_FID of Linux 6.5: file systems without export, overlayfs */

enum { HANDLE_BYTES = 128 }; /* MAX_HANDLE_SZ */

/* So many more than twice of those that there were, and all is walked again. */
enum { STALE = 1024 };

#define CHANGES                                                                                    \
    (FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO | FAN_MODIFY | FAN_CLOSE_WRITE |      \
     FAN_ATTRIB | FAN_ONDIR | FAN_EVENT_ON_CHILD)
#define OPENS                                                                                      \
    (FAN_OPEN | FAN_OPEN_EXEC | FAN_CLOSE_WRITE | FAN_CREATE | FAN_MOVED_FROM | FAN_MOVED_TO |     \
     FAN_ONDIR | FAN_EVENT_ON_CHILD)

struct watch_marks {
    int fd;
    bool has_pidfd;
    uint64_t mask;
    size_t most;        /* directories */
    size_t walk_left;   /* of this walk */
    struct globs *none; /* no file is of interest to the walk */
    char **path;        /* owned, each too */
    size_t count, bytes;
    size_t begun_with;     /* the count when all was walked last */
    bool is_full;          /* there was no room for one, or a walk was cut short */
    struct id_cache index; /* the path's number, from 1, by fsid and handle */
    size_t unwatched;
    int why;
};

size_t watch_marks_most(uint64_t max_user_marks)
{
    uint64_t most = max_user_marks / 8 * 3;
    return max_user_marks == 0 || most > WATCH_DIRECTORIES_MAX ? WATCH_DIRECTORIES_MAX
                                                               : (size_t)most;
}

static uint64_t read_max_user_marks(void)
{
    char text[32] = "";
    return io_read_text(AT_FDCWD, "/proc/sys/fs/fanotify/max_user_marks", text, sizeof text) > 0
               ? strtoull(text, NULL, 10)
               : 0;
}

int watch_marks_new(enum watch_marks_kind kind, struct watch_marks **marks)
{
    const unsigned flags = FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_REPORT_DFID_NAME;
    struct watch_marks *made = calloc(1, sizeof *made);
    if (made == NULL)
        return -ENOMEM;
    made->most = watch_marks_most(read_max_user_marks());
    made->mask = kind == WATCH_OPENS ? OPENS : CHANGES;
    made->fd = fanotify_init(flags | FAN_REPORT_PIDFD, O_RDONLY | O_CLOEXEC);
    made->has_pidfd = made->fd >= 0;
    if (made->fd < 0 && errno == EINVAL)
        made->fd = fanotify_init(flags, O_RDONLY | O_CLOEXEC);
    int error = made->fd < 0 ? -errno : globs_read("", &made->none);
    if (error == 0)
        *marks = made;
    else
        watch_marks_free(made);
    return error;
}

static void forget_paths(struct watch_marks *marks)
{
    for (size_t i = 0; i < marks->count; i++)
        free(marks->path[i]);
    marks->count = marks->bytes = 0;
    marks->is_full = false;
    id_cache_clear(&marks->index);
}

void watch_marks_free(struct watch_marks *marks)
{
    if (marks == NULL)
        return;
    if (marks->fd >= 0)
        close(marks->fd);
    forget_paths(marks);
    free(marks->path);
    id_cache_free(&marks->index);
    globs_free(marks->none);
    free(marks);
}

int watch_marks_fd(const struct watch_marks *marks)
{
    return marks->fd;
}

bool watch_marks_has_pidfd(const struct watch_marks *marks)
{
    return marks->has_pidfd;
}

/* ---- Handles --------------------------------------------------------------------------------- */

static void digest_of(const void *fsid, const void *handle, size_t size, struct digest *digest)
{
    const void *const pieces[] = {fsid, handle};
    const size_t sizes[] = {sizeof(fsid_t), size};
    hash_pieces(pieces, sizes, 2, digest);
}

static int digest_of_directory(int fd, struct digest *digest)
{
    struct {
        struct file_handle head;
        unsigned char bytes[HANDLE_BYTES];
    } handle = {.head.handle_bytes = HANDLE_BYTES};
    struct statfs facts;
    int mount;
    if (fstatfs(fd, &facts) != 0)
        return -errno;
    if (name_to_handle_at(fd, "", &handle.head, &mount, AT_EMPTY_PATH | HANDLE_IS_AN_ID) != 0) {
        handle.head.handle_bytes = HANDLE_BYTES;
        if (name_to_handle_at(fd, "", &handle.head, &mount, AT_EMPTY_PATH) != 0)
            return -errno;
    }
    digest_of(&facts.f_fsid, &handle.head.handle_type,
              sizeof handle.head.handle_type + handle.head.handle_bytes, digest);
    return 0;
}

bool watch_marks_event_path(const struct watch_marks *marks, const struct watch_event *event,
                            char path[PATH_MAX])
{
    struct digest digest;
    digest_of(event->fsid, event->handle, event->handle_size, &digest);
    int64_t number = id_cache_find(&marks->index, &digest);
    return number != 0 &&
           snprintf(path, PATH_MAX, "%s/%s", marks->path[number - 1], event->name) < PATH_MAX;
}

/* ---- Marks ----------------------------------------------------------------------------------- */

static int keep_path(struct watch_marks *marks, const struct digest *digest, const char *key,
                     size_t size)
{
    char *path = malloc(size + 1);
    if (path == NULL)
        return -ENOMEM;
    library_path(key, size, path);
    int64_t number = id_cache_find(&marks->index, digest);
    marks->bytes += size + 1;
    if (number != 0) {
        marks->bytes -= strlen(marks->path[number - 1]) + 1;
        free(marks->path[number - 1]);
        marks->path[number - 1] = path;
        return 0;
    }
    if (GROW(marks->path, marks->count) != 0) {
        marks->bytes -= size + 1;
        free(path);
        return -ENOMEM;
    }
    marks->path[marks->count++] = path;
    id_cache_add(&marks->index, digest, (int64_t)marks->count);
    return 0;
}

static int mark_directory(void *context, int fd, const char *key, size_t size)
{
    struct watch_marks *marks = context;
    struct digest digest;
    if (marks->walk_left == 0)
        return -E2BIG;
    marks->walk_left--;
    bool has_room = marks->count < marks->most && marks->bytes + size < WATCH_PATHS_BYTES_MAX;
    int error = has_room ? digest_of_directory(fd, &digest) : -ENOSPC;
    if (error == 0 &&
        fanotify_mark(marks->fd, FAN_MARK_ADD | FAN_MARK_ONLYDIR, marks->mask, fd, NULL) != 0)
        error = -errno;
    if (error == 0)
        error = keep_path(marks, &digest, key, size);
    if (error != 0) {
        marks->unwatched++;
        marks->why = error;
        marks->is_full |= error == -ENOSPC;
    }
    return 0;
}

/* ---- What the walk tells beside directories -------------------------------------------------- */

static int pass_root(void *context, const struct library_root *root, size_t *place)
{
    (void)context;
    (void)root;
    *place = 0;
    return 0;
}

static int pass_file(void *context, const struct library_seen *seen)
{
    (void)context;
    (void)seen;
    return 0;
}

static int pass_unreadable(void *context, const char *key, size_t size, int error)
{
    struct watch_marks *marks = context;
    (void)key;
    (void)size;
    marks->unwatched++;
    marks->why = error;
    return 0;
}

static void pass_too_deep(void *context)
{
    struct watch_marks *marks = context;
    marks->unwatched++;
    marks->why = -ENAMETOOLONG;
}

static int mark_all(struct watch_marks *marks, const char *path, size_t most)
{
    const struct library_walk walk = {
        .patterns = marks->none,
        .except = marks->none,
        .context = marks,
        .root = pass_root,
        .directory = mark_directory,
        .file = pass_file,
        .unreadable = pass_unreadable,
        .too_deep = pass_too_deep,
    };
    marks->walk_left = most;
    return library_walk(&walk, path);
}

int watch_marks_add(struct watch_marks *marks, const char *path)
{
    int error = mark_all(marks, path, WATCH_WALK_MAX);
    marks->is_full |= error == -E2BIG;
    return error;
}

void watch_marks_again(struct watch_marks *marks, const struct conf_lines *trees)
{
    forget_paths(marks);
    marks->unwatched = 0;
    marks->why = 0;
    for (size_t i = 0; i < trees->count; i++) {
        int error = mark_all(marks, trees->line[i].text, SIZE_MAX);
        if (error != 0) {
            marks->unwatched++;
            marks->why = error;
        }
    }
    marks->begun_with = marks->count;
}

bool watch_marks_is_stale(const struct watch_marks *marks)
{
    return marks->is_full || marks->count > 2 * marks->begun_with + STALE;
}

size_t watch_marks_count(const struct watch_marks *marks)
{
    return marks->count;
}

size_t watch_marks_unwatched(const struct watch_marks *marks, int *why)
{
    *why = marks->why;
    return marks->unwatched;
}
