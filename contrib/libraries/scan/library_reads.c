/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_reads.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "contrib/libraries/scan/library_facts.h"
#include "contrib/libraries/scan/library_sql.h"

/* Users can give their files as many attributes as they like. */
enum { NAMES_BYTES = 16384, VALUES_BYTES = 65536 };

int library_reads_prepare(struct library_state *state)
{
    return library_sql_script(state, "CREATE INDEX IF NOT EXISTS file_inode ON file(inode)");
}

/* ---- Files ----------------------------------------------------------------------------------- */

int library_reads_find(struct library_state *state, const char *key, size_t size,
                       struct library_read_row *row)
{
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_READ_FIND);
    if (prepared == NULL)
        return library_sql_trouble(state);
    sqlite3_bind_blob64(prepared, 1, key, size, SQLITE_STATIC);
    int result = library_sql_step(state, prepared);
    if (result == 1) {
        *row = (struct library_read_row){
            .place = (size_t)sqlite3_column_int64(prepared, 0),
            .seen_ns = sqlite3_column_type(prepared, 1) == SQLITE_NULL
                           ? LIBRARY_READS_NEVER
                           : sqlite3_column_int64(prepared, 1),
        };
        library_sql_identity(prepared, 2, &row->file);
    }
    sqlite3_reset(prepared);
    return result;
}

/* The statement, in a transaction; NULL after an error, which `*error` has. */
static sqlite3_stmt *begin_query(struct library_state *state, enum query query, int *error)
{
    *error = library_state_begin(state);
    sqlite3_stmt *prepared = *error == 0 ? library_sql_query(state, query) : NULL;
    if (*error == 0 && prepared == NULL)
        *error = library_sql_trouble(state);
    return prepared;
}

static void bind_file(sqlite3_stmt *prepared, const struct library_file *file)
{
    sqlite3_bind_int64(prepared, 1, (sqlite3_int64)file->inode);
    sqlite3_bind_int64(prepared, 2, file->size);
    sqlite3_bind_int64(prepared, 3, file->modified_ns);
    sqlite3_bind_int64(prepared, 4, file->changed_ns);
}

static int set_time(struct library_state *state, enum query query, const struct library_file *file,
                    int64_t time_ns)
{
    int error;
    sqlite3_stmt *prepared = begin_query(state, query, &error);
    if (prepared == NULL)
        return error;
    bind_file(prepared, file);
    sqlite3_bind_int64(prepared, 5, time_ns);
    sqlite3_bind_int64(prepared, 6, (sqlite3_int64)file->device);
    error = library_sql_run(state, prepared);
    if (error != 0 || sqlite3_changes(state->database) > 0)
        return error;
    snprintf(state->error, sizeof state->error,
             "inode %" PRIu64 " of device %u:%u is in no scan: it can be on another device than "
             "its directory",
             file->inode, major(file->device), minor(file->device));
    return -ESTALE;
}

int library_reads_seen(struct library_state *state, const struct library_file *is, int64_t seen_ns)
{
    return set_time(state, QUERY_READ_SEEN, is, seen_ns);
}

int library_reads_changed(struct library_state *state, const struct library_file *was,
                          int64_t changed_ns)
{
    return set_time(state, QUERY_READ_CTIME, was, changed_ns);
}

/* ---- Setting times --------------------------------------------------------------------------- */

/* The names of attributes, each followed by its value, at `bytes`, of `room`. Returns their size or
 * -errno. */
static ssize_t read_attributes(const char *path, char *bytes, size_t room)
{
    char names[NAMES_BYTES];
    size_t used = 0;
    ssize_t listed = listxattr(path, names, sizeof names);
    if (listed < 0)
        return errno == ENOTSUP ? 0 : errno == ERANGE ? -E2BIG : -errno;
    for (const char *name = names; name < names + listed; name += strlen(name) + 1) {
        size_t length = strlen(name) + 1;
        if (used + length >= room)
            return -E2BIG;
        memcpy(bytes + used, name, length);
        used += length;
        ssize_t size = getxattr(path, name, bytes + used, room - used);
        if (size < 0)
            return errno == ERANGE ? -E2BIG : -errno;
        used += (size_t)size;
    }
    return (ssize_t)used;
}

int library_reads_rest(const char *path, struct digest *rest)
{
    static char bytes[VALUES_BYTES];
    struct statx facts;
    if (statx(AT_FDCWD, path, 0, STATX_MODE | STATX_UID | STATX_GID | STATX_NLINK, &facts) != 0)
        return -errno;
    ssize_t size = read_attributes(path, bytes, sizeof bytes);
    if (size < 0)
        return (int)size;
    const void *const pieces[] = {&facts.stx_mode,  &facts.stx_uid,        &facts.stx_gid,
                                  &facts.stx_nlink, &facts.stx_attributes, bytes};
    const size_t sizes[] = {sizeof facts.stx_mode,       sizeof facts.stx_uid,
                            sizeof facts.stx_gid,        sizeof facts.stx_nlink,
                            sizeof facts.stx_attributes, (size_t)size};
    hash_pieces(pieces, sizes, sizeof sizes / sizeof *sizes, rest);
    return 0;
}

int library_reads_arm(struct library_state *state, const struct library_rearm *rearm)
{
    int error;
    sqlite3_stmt *prepared = begin_query(state, QUERY_REARM, &error);
    if (prepared == NULL)
        return error;
    bind_file(prepared, &rearm->was);
    sqlite3_bind_int64(prepared, 5, rearm->seen_ns);
    sqlite3_bind_int64(prepared, 6, rearm->armed_ns);
    sqlite3_bind_blob(prepared, 7, rearm->rest.bytes, sizeof rearm->rest.bytes, SQLITE_STATIC);
    return library_sql_run(state, prepared);
}

int library_reads_armed(struct library_state *state, const struct library_file *was)
{
    int error;
    sqlite3_stmt *prepared = begin_query(state, QUERY_REARM_END, &error);
    if (prepared == NULL)
        return error;
    bind_file(prepared, was);
    return library_sql_run(state, prepared);
}

static bool is_rest(const struct library_seen *seen, const void *bytes, size_t size)
{
    char path[64];
    struct digest rest;
    CLEANUP_CLOSE int fd = openat(seen->directory, seen->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return fd >= 0 && size == sizeof rest.bytes && library_reads_rest(path, &rest) == 0 &&
           memcmp(bytes, rest.bytes, size) == 0;
}

int library_reads_is_rearmed(struct library_state *state, const struct library_seen *seen,
                             const struct library_file *was)
{
    struct library_file is;
    const int64_t atime_ns = library_access(seen->status);
    library_identity(seen->status, &is);
    if (was->inode != is.inode || was->size != is.size || was->modified_ns != is.modified_ns)
        return 0;
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_REARM_FIND);
    if (prepared == NULL)
        return library_sql_trouble(state);
    bind_file(prepared, was);
    int result = library_sql_step(state, prepared);
    /* nothing else sets the time back by just so much, and a read moves it on */
    bool is_set = result == 1 && (atime_ns == sqlite3_column_int64(prepared, 1) ||
                                  atime_ns > sqlite3_column_int64(prepared, 0));
    if (is_set &&
        !is_rest(seen, sqlite3_column_blob(prepared, 2), (size_t)sqlite3_column_bytes(prepared, 2)))
        is_set = false;
    sqlite3_reset(prepared);
    return result < 0 ? result : is_set;
}

/* ---- Uses ------------------------------------------------------------------------------------ */

int library_reads_polled(struct library_state *state, size_t place, int64_t *began_s)
{
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_POLLED);
    if (prepared == NULL)
        return library_sql_trouble(state);
    sqlite3_bind_int64(prepared, 1, (sqlite3_int64)place);
    int result = library_sql_step(state, prepared);
    *began_s = result == 1 ? sqlite3_column_int64(prepared, 0) : LIBRARY_READS_NEVER;
    sqlite3_reset(prepared);
    return result < 0 ? result : 0;
}

int library_reads_set_polled(struct library_state *state, size_t place, int64_t began_s)
{
    int error;
    sqlite3_stmt *prepared = begin_query(state, QUERY_SET_POLLED, &error);
    if (prepared == NULL)
        return error;
    sqlite3_bind_int64(prepared, 1, (sqlite3_int64)place);
    sqlite3_bind_int64(prepared, 2, began_s);
    return library_sql_run(state, prepared);
}

int library_reads_add(struct library_state *state, const char *tree, const char *key, size_t size,
                      int64_t after_s, int64_t before_s)
{
    int error;
    sqlite3_stmt *prepared = begin_query(state, QUERY_READ_USED, &error);
    if (prepared == NULL)
        return error;
    sqlite3_bind_text(prepared, 1, tree, -1, SQLITE_STATIC);
    sqlite3_bind_blob64(prepared, 2, key, size, SQLITE_STATIC);
    sqlite3_bind_int64(prepared, 3, after_s);
    sqlite3_bind_int64(prepared, 4, before_s);
    return library_sql_run(state, prepared);
}

int library_reads_sum(struct library_state *state, const char *tree, struct library_reads_sum *sum)
{
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_USES_OF);
    if (prepared == NULL)
        return library_sql_trouble(state);
    sqlite3_bind_text(prepared, 1, tree, -1, SQLITE_STATIC);
    int result = library_sql_step(state, prepared);
    if (result == 1)
        *sum = (struct library_reads_sum){(uint64_t)sqlite3_column_int64(prepared, 0),
                                          sqlite3_column_int64(prepared, 1),
                                          sqlite3_column_int64(prepared, 2)};
    sqlite3_reset(prepared);
    return result < 0 ? result : 0;
}

int library_reads_end(struct library_state *state, const char *tree, bool is_dropped)
{
    int error;
    sqlite3_stmt *prepared =
        begin_query(state, is_dropped ? QUERY_USES_DROP : QUERY_USES_END, &error);
    if (prepared == NULL)
        return error;
    sqlite3_bind_text(prepared, 1, tree, -1, SQLITE_STATIC);
    return library_sql_run(state, prepared);
}

/* A file that a scan has not seen again has no library any more. */
static int take_use(sqlite3_stmt *prepared, struct library_use *use)
{
    size_t size = (size_t)sqlite3_column_bytes(prepared, 1);
    const unsigned char *name = sqlite3_column_text(prepared, 4);
    free(use->path);
    *use = (struct library_use){
        .id = sqlite3_column_int64(prepared, 0),
        .path = malloc(size + 1),
        .after_s = sqlite3_column_int64(prepared, 2),
        .before_s = sqlite3_column_int64(prepared, 3),
    };
    if (use->path == NULL)
        return -ENOMEM;
    library_path(sqlite3_column_blob(prepared, 1), size, use->path);
    snprintf(use->library, sizeof use->library, "%s", name == NULL ? "" : (const char *)name);
    return 0;
}

int library_reads_uses(struct library_state *state, int64_t after_id, struct library_use *uses,
                       size_t most, size_t *count)
{
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_USES);
    int result = 0;
    *count = 0;
    if (prepared == NULL)
        return library_sql_trouble(state);
    sqlite3_bind_int64(prepared, 1, after_id);
    sqlite3_bind_int64(prepared, 2, (sqlite3_int64)most);
    while (*count < most && (result = library_sql_step(state, prepared)) == 1) {
        result = take_use(prepared, &uses[*count]);
        if (result != 0)
            break;
        ++*count;
    }
    sqlite3_reset(prepared);
    return result < 0 ? result : 0;
}

int library_reads_told(struct library_state *state, int64_t id)
{
    int error;
    sqlite3_stmt *prepared = begin_query(state, QUERY_USES_TOLD, &error);
    if (prepared == NULL)
        return error;
    sqlite3_bind_int64(prepared, 1, id);
    return library_sql_run(state, prepared);
}
