/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/lines/line_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/days.h"
#include "conf/base/io.h"
#include "conf/base/listing.h"
#include "contrib/libraries/library_date.h"
#include "contrib/libraries/library_log.h"

/* As the logs of changes: an entry gets the time of the one before where the clock was set back. */
enum { SET_BACK_S = 3600, HEAD_SIZE = sizeof LIBRARY_LOG_SORTED + DAYS_ZONE_MAX };

/* How a log ends: the time of its last entry, INT64_MIN where it has none, and whether its last
 * line has a newline. */
struct log_end {
    int64_t size, entry_s;
    bool is_cut;
};

static int count_logs(int directory)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_open(directory, ".", &listing), count = 0;
    if (error != 0)
        return error;
    for (const char *name; (name = listing_next(listing)) != NULL;)
        count += strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".log") == 0;
    return count;
}

/* Whether the log is there, or is to be made. */
static int check_name(const struct line_logs *logs, const char *name, const char *file)
{
    if (faccessat(logs->logs.directory, file, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    if (errno != ENOENT)
        return -errno;
    if (!globs_match(logs->names, name))
        return -ENOENT;
    int count = count_logs(logs->logs.directory);
    return count < 0 ? count : count >= LINE_LOGS_MAX ? -EDQUOT : 0;
}

static void read_end(int fd, int64_t size, struct log_end *end)
{
    static struct library_days days;
    char tail[2 * LOG_LINE_SIZE];
    int64_t from = size < (int64_t)sizeof tail ? 0 : size - (int64_t)sizeof tail;
    *end = (struct log_end){.size = size, .entry_s = INT64_MIN};
    ssize_t got = size == 0 ? 0 : io_read_at(fd, tail, sizeof tail, from);
    if (got <= 0)
        return;
    end->is_cut = tail[got - 1] != '\n';
    const char *last = tail + got - !end->is_cut, *begin = last;
    while (begin > tail && begin[-1] != '\n')
        begin--;
    struct library_line line;
    library_line_read(&days, begin, last, &line);
    if (line.dates > 0)
        end->entry_s = line.date[0].first_s;
}

/* Appends the bytes, or nothing. */
static int append(int fd, int64_t size, const char *bytes, size_t count)
{
    if (lseek(fd, size, SEEK_SET) < 0)
        return -errno;
    int error = io_write_all(fd, bytes, count);
    if (error != 0 && ftruncate(fd, size) != 0)
        return -errno;
    return error;
}

static int write_line(int fd, const struct log_end *end, const struct log_message *message,
                      const char *user, int64_t now_s)
{
    char date[LIBRARY_DATE_SIZE], line[LOG_LINE_SIZE], text[HEAD_SIZE + LOG_LINE_SIZE];
    int error = library_date_old(end->entry_s > now_s ? end->entry_s : now_s, date);
    if (error != 0)
        return error;
    int length = log_message_line(message, date, user, line);
    if (length < 0)
        return length;
    const char *zone = days_zone();
    int head = end->size == 0
                   ? snprintf(text, sizeof text, "%.*s%s%s\n", (int)strlen(LIBRARY_LOG_SORTED) - 1,
                              LIBRARY_LOG_SORTED, zone[0] == '\0' ? "" : " ", zone)
                   : snprintf(text, sizeof text, "%s", end->is_cut ? "\n" : "");
    memcpy(text + head, line, (size_t)length);
    return append(fd, end->size, text, (size_t)head + (size_t)length);
}

int line_log_write(const struct library_logs *logs, const char *file,
                   const struct log_message *message, const char *user, int64_t now_s)
{
    struct log_end end;
    struct stat status;
    int error = 0;
    for (int turn = 0; turn < 2 && error == 0; turn++) {
        CLEANUP_CLOSE int fd = library_log_open(logs, file);
        if (fd < 0)
            return fd;
        if (fstat(fd, &status) != 0)
            return -errno;
        read_end(fd, status.st_size, &end);
        bool is_full = (uint64_t)status.st_size >= logs->size_bytes ||
                       (end.entry_s != INT64_MIN && end.entry_s - SET_BACK_S > now_s);
        if (!is_full || turn > 0)
            return write_line(fd, &end, message, user, now_s);
        error = library_log_rotate(logs, file);
    }
    return error;
}

int line_log_append(const struct line_logs *logs, const struct log_message *message,
                    const char *user, int64_t now_s)
{
    char file[LOG_NAME_SIZE + sizeof ".log"];
    snprintf(file, sizeof file, "%s.log", message->name);
    int error = check_name(logs, message->name, file);
    return error == 0 ? line_log_write(&logs->logs, file, message, user, now_s) : error;
}
