/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_logs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/days.h"
#include "conf/base/directory.h"
#include "conf/base/hash.h"
#include "conf/base/io.h"
#include "conf/base/text.h"
#include "contrib/libraries/library_date.h"
#include "contrib/libraries/library_log.h"
#include "contrib/libraries/library_user.h"
#include "contrib/libraries/scan/library_owners.h"

/* Logs whose lines are on their way at once, and how far a clock may have been set back for entries
 * to get the time of the one before. */
enum { LOGS_MAX = 256, SET_BACK_S = 3600, NAME_BYTES_MAX = 180 };

#define BY_OWNER "by-owner"

/* ---- Lines ----------------------------------------------------------------------------------- */

static void put_word(FILE *stream, const char *key, const char *text)
{
    if (text[0] == '\0')
        return;
    size_t size = 0;
    const unsigned char *at = (const unsigned char *)text;
    fprintf(stream, " %s=", key);
    for (; *at != '\0' && size < LIBRARY_LOG_VALUE_MAX; at++) {
        bool is_plain = *at > ' ' && *at < 0x7f && *at != '\\';
        fprintf(stream, is_plain ? "%c" : "\\x%02x", *at);
        size += is_plain ? 1 : sizeof "\\xHH" - 1;
    }
    if (*at != '\0')
        fputs("\\...", stream);
}

static void put_time(FILE *stream, const char *before, int64_t time_ns)
{
    char text[LIBRARY_DATE_SIZE] = "";
    int64_t time_s = time_ns / 1000000000 - (time_ns % 1000000000 < 0);
    if (library_date_old(time_s, text) != 0)
        library_date_old(0, text);
    fprintf(stream, "%s%s", before, text);
}

/* `was`, unless it still is so. */
static void put_other(FILE *stream, const char *key, const char *was, const char *is)
{
    if (strcmp(was, is) != 0)
        put_word(stream, key, was);
}

/* What is different of what it was. */
static void put_was(FILE *stream, const struct library_change *change)
{
    const struct library_file *was = &change->was, *is = &change->is;
    if (change->kind == LIBRARY_ADDED || change->kind == LIBRARY_REMOVED)
        return;
    if (was->modified_ns != is->modified_ns)
        put_time(stream, " was_mtime=", was->modified_ns);
    if (was->size != is->size)
        fprintf(stream, " was_size=%" PRId64, was->size);
    put_other(stream, "was_sha1", was->sha1, is->sha1);
    put_other(stream, "was_build_id", was->build_id, is->build_id);
    put_other(stream, "was_soname", was->soname, is->soname);
    put_other(stream, "was_package", was->package, is->package);
    put_other(stream, "was_version", was->version, is->version);
    put_other(stream, "library", is->name, was->name);
    put_other(stream, "was_library", was->name, is->name);
}

static void put_user(FILE *stream, const char *key, uint32_t uid)
{
    char name[LIBRARY_USER_SIZE];
    library_user_name(uid, name);
    put_word(stream, key, name);
}

static void put_who(FILE *stream, const struct library_who *who)
{
    if (who->how == LIBRARY_WHO_NOT_WATCHED)
        return;
    if (who->how == LIBRARY_WHO_UNKNOWN) {
        fputs(" by=unknown", stream);
        return;
    }
    put_user(stream, "by", who->uid);
    if (who->login_uid != LIBRARY_NO_USER && who->login_uid != who->uid)
        put_user(stream, "login", who->login_uid);
    put_word(stream, "command", who->command);
    put_word(stream, "program", who->program);
    if (who->job != LIBRARY_NO_JOB)
        fprintf(stream, who->step == LIBRARY_NO_JOB ? " job=%u" : " job=%u.%u", who->job,
                who->step);
    put_word(stream, "event", who->event);
    if (who->how == LIBRARY_WHO_BY_DIRECTORY)
        fputs(" by_how=directory", stream);
    if (who->others > 0)
        fprintf(stream, " by_others=%u", who->others);
}

void library_log_line(FILE *stream, const struct library_change *change, int64_t entry_s,
                      bool is_new)
{
    static const char *const words[] = {
        [LIBRARY_NONE] = "",
        [LIBRARY_ADDED] = "LIB_ADDED",
        [LIBRARY_MODIFIED] = "LIB_MODIFIED",
        [LIBRARY_REPLACED] = "LIB_REPLACED",
        [LIBRARY_TOUCHED] = "LIB_TOUCHED",
        [LIBRARY_MOVED] = "LIB_MOVED",
        [LIBRARY_REMOVED] = "LIB_REMOVED",
    };
    const struct library_file *file = change->kind == LIBRARY_REMOVED ? &change->was : &change->is;
    char entry[LIBRARY_DATE_SIZE] = "";
    if (library_date_old(entry_s, entry) != 0)
        library_date_old(0, entry);
    fputs(entry, stream);
    put_time(stream, " ", file->modified_ns);
    fprintf(stream, " %s",
            is_new && change->kind == LIBRARY_ADDED ? LIBRARY_LOG_CREATED : words[change->kind]);
    put_word(stream, "path", change->path);
    put_word(stream, "from", change->from == NULL ? "" : change->from);
    fprintf(stream, " size=%" PRId64, file->size);
    put_word(stream, "sha1", file->sha1);
    put_word(stream, "build_id", file->build_id);
    put_word(stream, "soname", file->soname);
    put_word(stream, "package", file->package);
    put_word(stream, "version", file->version);
    put_word(stream, "group", change->group);
    if (change->links > 0)
        fprintf(stream, " links=%u", change->links);
    put_who(stream, &change->who);
    put_was(stream, change);
    putc('\n', stream);
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Letters, digits and some signs stay; other bytes become %HH, and so does a dot at the start. What
 * is too long is cut and gets a hash. */
void library_log_file(const char *library, char name[LIBRARY_LOG_NAME_SIZE])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-.+";
    size_t length = 0;
    const char *at = library + library_is_others(library);
    if (library_is_others(library))
        length = (size_t)sprintf(name, "%s/", BY_OWNER);
    size_t begin = length;
    for (; *at != '\0' && length < begin + NAME_BYTES_MAX; at++) {
        if (strchr(plain, *at) != NULL && (length > begin || *at != '.'))
            name[length++] = *at;
        else
            length += (size_t)sprintf(name + length, "%%%02x", (unsigned char)*at);
    }
    name[length] = '\0';
    struct digest digest;
    if (*at != '\0') {
        hash_bytes(library, strlen(library), &digest);
        name[length++] = '~';
        text_hex(&digest, 8, name + length);
        length += 16;
    }
    memcpy(name + length, ".log", sizeof ".log");
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Whether the log says that its times are those of another zone than ours, or does not say which:
 * its order ends where ours are added. */
static bool is_of_other_zone(const struct library_logs *logs, const char *name)
{
    char head[LIBRARY_LOG_HEAD_MAX], zone[DAYS_ZONE_MAX];
    bool is_sorted;
    CLEANUP_CLOSE int fd =
        openat(logs->directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : io_read_at(fd, head, sizeof head, 0);
    const char *newline = size <= 0 ? NULL : memchr(head, '\n', (size_t)size);
    return newline != NULL && library_log_head(head, (size_t)(newline - head), &is_sorted, zone) &&
           strcmp(zone, days_zone()) != 0;
}

/* Notes how long the log is, before lines of `found_s` are written to it. */
static int prepare_log(struct library_state *state, const struct library_logs *logs,
                       const char *library, int64_t found_s)
{
    char name[LIBRARY_LOG_NAME_SIZE];
    struct library_log_state log;
    struct stat status;
    int error = library_state_log(state, library, &log);
    if (error != 0 || log.base >= 0)
        return error;
    library_log_file(library, name);
    bool is_there = fstatat(logs->directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
    bool was_there = is_there;
    bool is_full =
        is_there && S_ISREG(status.st_mode) && (uint64_t)status.st_size >= logs->size_bytes;
    bool is_set_back = is_there && log.entry_s - SET_BACK_S > found_s && !log.is_new;
    if (is_full || is_set_back || (is_there && is_of_other_zone(logs, name))) {
        error = library_log_rotate(logs, name);
        is_there = false;
    }
    log.base = is_there ? status.st_size : 0;
    log.entry_s = is_set_back || !was_there || log.entry_s < found_s ? found_s : log.entry_s;
    return error == 0 ? library_state_set_log(state, library, &log) : error;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* On their way into one log, or to a teller alone. */
struct telling {
    const struct library_teller *teller;
    FILE *stream; /* NULL: there is no log */
    int64_t entry_s;
    bool is_new;    /* the log has had no entry before */
    bool is_other;  /* the log of what libraries were before: the teller is told by the other log */
    uint64_t count; /* of a user's changes */
    char name[LIBRARY_TEXT_SIZE];
};

static const char *name_of(const struct library_change *change)
{
    return change->kind == LIBRARY_REMOVED ? change->was.name : change->is.name;
}

/* Counts the changes of one user: those beyond what is reported of one scan are so marked. */
static void count_change(struct telling *telling, struct library_change *change)
{
    const char *name = telling->is_other ? change->was.name : name_of(change);
    if (strcmp(telling->name, name) != 0) {
        telling->count = 0;
        snprintf(telling->name, sizeof telling->name, "%s", name);
    }
    change->is_beyond = library_is_others(name) && ++telling->count > LIBRARY_LOG_LINES_MAX;
}

static int put_change(struct telling *telling, struct library_change *change)
{
    change->group = library_group(telling->teller->conf, name_of(change));
    count_change(telling, change);
    /* What a tree had when it was scanned for the first time may have been there before it was
     * watched. */
    const struct library_whos_question question = {
        .path = change->path,
        .from = change->from,
        .is_gone = change->kind == LIBRARY_REMOVED,
        .changed_ns = change->is.changed_ns,
    };
    if (telling->teller->whos != NULL)
        library_whos_find(telling->teller->whos, &question, &change->who);
    if (change->is_first && change->who.how == LIBRARY_WHO_UNKNOWN)
        change->who = (struct library_who){.how = LIBRARY_WHO_NOT_WATCHED};
    change->seen_s = telling->teller->seen_s;
    if (telling->stream != NULL && !change->is_beyond)
        library_log_line(telling->stream, change, telling->entry_s, telling->is_new);
    telling->is_new = false;
    return telling->is_other ? 0 : telling->teller->tell(telling->teller->context, change);
}

static int put_changes(struct library_state *state, const char *library, struct telling *telling)
{
    struct library_change change;
    int result = library_state_changes(state, library, telling->is_other);
    while (result == 0 && (result = library_state_change(state, &change)) == 1)
        result = put_change(telling, &change);
    return result;
}

static void put_more(const struct telling *telling)
{
    char entry[LIBRARY_DATE_SIZE] = "";
    if (telling->count <= LIBRARY_LOG_LINES_MAX)
        return;
    if (library_date_old(telling->entry_s, entry) != 0)
        library_date_old(0, entry);
    fprintf(telling->stream, "%s %s LIB_MORE changes=%" PRIu64 "\n", entry, entry,
            telling->count - LIBRARY_LOG_LINES_MAX);
}

/* Writes what has changed in the library, and what is no part of it any more. */
static int put_lines(struct library_state *state, const char *library, FILE *stream,
                     const struct library_log_state *log, const struct library_teller *teller)
{
    struct telling telling = {
        .teller = teller, .stream = stream, .entry_s = log->entry_s, .is_new = log->is_new};
    int error = put_changes(state, library, &telling);
    telling.is_other = true;
    if (error == 0)
        error = put_changes(state, library, &telling);
    if (error == 0)
        put_more(&telling);
    return error;
}

static int write_log(struct library_state *state, const struct library_logs *logs,
                     const char *library, const struct library_teller *teller)
{
    char name[LIBRARY_LOG_NAME_SIZE];
    struct library_log_state log;
    struct stat status;
    int error = library_state_log(state, library, &log);
    library_log_file(library, name);
    CLEANUP_CLOSE int fd = error != 0 ? error : library_log_open(logs, name);
    if (fd < 0 || fstat(fd, &status) != 0)
        return fd < 0 ? fd : -errno;
    if (status.st_size < log.base)
        log.base = status.st_size;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    CLEANUP_FCLOSE FILE *stream = copy < 0 ? NULL : fdopen(copy, "r+");
    if (stream == NULL)
        return -errno;
    if (fseeko(stream, log.base, SEEK_SET) != 0)
        return -errno;
    /* What a log begins with; or the end of a line that somebody has left without one. */
    char last = '\n';
    if (log.base == 0)
        fprintf(stream, "%.*s%s%s\n", (int)strlen(LIBRARY_LOG_SORTED) - 1, LIBRARY_LOG_SORTED,
                days_zone()[0] == '\0' ? "" : " ", days_zone());
    else if (pread(fd, &last, 1, log.base - 1) == 1 && last != '\n')
        putc('\n', stream);
    error = put_lines(state, library, stream, &log, teller);
    if (error != 0)
        return error;
    /* what is behind is of these lines, cut by a kill */
    if (fflush(stream) != 0 || ferror(stream) || ftruncate(fd, ftello(stream)) != 0 ||
        fsync(fd) != 0)
        return errno != 0 ? -errno : -EIO;
    return 0;
}

static int keep_told(const struct library_teller *teller)
{
    return teller->keep == NULL ? 0 : teller->keep(teller->context);
}

/* Where it did not show which telling was the last one. */
static int end_count(struct library_state *state, const struct library_teller *teller)
{
    uint64_t count = 0;
    if (teller->count == NULL || teller->keep == NULL)
        return 0;
    int error = library_state_counted(state, &count);
    if (error != 0 || count == 0)
        return error;
    error = library_state_begin(state);
    if (error == 0)
        error = library_state_set_counted(state, 0);
    return error == 0 ? library_state_commit(state) : error;
}

/* The changes of these logs are reported. */
static int forget_logs(struct library_state *state, char *const *names, size_t count,
                       const struct library_teller *teller)
{
    int error = library_state_begin(state);
    if (error == 0 && teller->count != NULL)
        error = library_state_set_counted(state, count < LOGS_MAX ? 0 : *teller->count);
    for (size_t i = 0; i < count && error == 0; i++) {
        struct library_log_state log;
        error = library_state_log(state, names[i], &log);
        log.base = -1;
        log.is_new = false;
        if (error == 0)
            error = library_state_set_log(state, names[i], &log);
        if (error == 0)
            error = library_state_told(state, names[i]);
    }
    return error == 0 ? library_state_commit(state) : error;
}

/* Makes the directory of the logs of users, where one of these logs is in it. */
static int make_by_owner(const struct library_logs *logs, char *const *names, size_t count)
{
    size_t i = 0;
    for (; i < count; i++)
        if (library_is_others(names[i]))
            break;
    if (i == count)
        return 0;
    int error = directory_make_one(logs->directory, BY_OWNER, 0755);
    CLEANUP_CLOSE int below = error != 0 ? error : directory_open_own(logs->directory, BY_OWNER);
    return below < 0 ? below : 0;
}

static int sync_logs(const struct library_logs *logs)
{
    CLEANUP_CLOSE int below = directory_open(logs->directory, BY_OWNER);
    if (below < 0 && below != -ENOENT)
        return below;
    return fsync(logs->directory) != 0 || (below >= 0 && fsync(below) != 0) ? -errno : 0;
}

static int write_some(struct library_state *state, const struct library_logs *logs,
                      char *const *names, size_t count, const struct library_teller *teller,
                      char trouble[LIBRARY_LOG_NAME_SIZE])
{
    int64_t now_s = (int64_t)time(NULL);
    int error = make_by_owner(logs, names, count);
    if (error == 0)
        error = library_state_begin(state);
    for (size_t i = 0; i < count && error == 0; i++)
        error = prepare_log(state, logs, names[i], now_s);
    if (error == 0)
        error = library_state_commit(state);
    for (size_t i = 0; i < count && error == 0; i++) {
        library_log_file(names[i], trouble);
        error = write_log(state, logs, names[i], teller);
    }
    if (error == 0)
        error = sync_logs(logs);
    if (error == 0) {
        trouble[0] = '\0';
        error = keep_told(teller);
    }
    return error == 0 ? forget_logs(state, names, count, teller) : error;
}

static int tell_without_logs(struct library_state *state, const struct library_teller *teller)
{
    struct telling telling = {.teller = teller};
    int error = put_changes(state, NULL, &telling);
    if (error == 0)
        error = teller->flush(teller->context);
    if (error == 0)
        error = keep_told(teller);
    if (error == 0)
        error = library_state_begin(state);
    if (error == 0)
        error = library_state_told(state, NULL);
    return error == 0 ? library_state_commit(state) : error;
}

int library_logs_write(struct library_state *state, const struct library_logs *logs,
                       const struct library_teller *teller, char trouble[LIBRARY_LOG_NAME_SIZE])
{
    char *names[LOGS_MAX] = {NULL}, *after = NULL;
    size_t count = 0;
    trouble[0] = '\0';
    /* The numbers of one telling, which ends when all is reported. */
    int error = teller->count == NULL ? 0 : library_state_counted(state, teller->count);
    if (error == 0 && logs == NULL)
        error = tell_without_logs(state, teller);
    while (error == 0 && logs != NULL) {
        error = library_state_logs(state, after == NULL ? "" : after, names, LOGS_MAX, &count);
        if (error == 0 && count > 0)
            error = write_some(state, logs, names, count, teller, trouble);
        free(after);
        after = NULL;
        for (size_t i = 0; i < count; i++) {
            if (i + 1 == count)
                after = names[i];
            else
                free(names[i]);
        }
        if (count < LOGS_MAX)
            break;
    }
    free(after);
    return error == 0 ? end_count(state, teller) : error;
}
