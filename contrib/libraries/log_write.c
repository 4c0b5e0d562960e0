/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/log_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/days.h"
#include "conf/base/io.h"
#include "contrib/libraries/library_date.h"
#include "contrib/libraries/library_log.h"

/* ---- Messages of users ----------------------------------------------------------------------- */

static const char message_begin[] = LOG_MESSAGE_BEGIN;
enum { BEGIN_SIZE = sizeof message_begin - 1 };

int log_name_is_good(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
    size_t length = strlen(name);
    return length > 0 && length < LOG_NAME_SIZE && strspn(name, all) == length &&
           strspn(name, letters) > 0;
}

/* Appends the text and its NUL. Returns the new size; 0: there is no room. */
static size_t append_word(char *bytes, size_t size, const char *text)
{
    size_t length = strlen(text) + 1;
    if (size == 0 || length > LOG_MESSAGE_MAX - size)
        return 0;
    memcpy(bytes + size, text, length);
    return size + length;
}

size_t log_message_make(const char *name, char *const *words, size_t count, char *bytes)
{
    memcpy(bytes, message_begin, BEGIN_SIZE);
    size_t size = append_word(bytes, BEGIN_SIZE, name);
    for (size_t i = 0; i < count; i++)
        size = append_word(bytes, size, words[i]);
    return size;
}

int log_message_read(const char *bytes, size_t size, struct log_message *message)
{
    if (size <= BEGIN_SIZE || size > LOG_MESSAGE_MAX ||
        memcmp(bytes, message_begin, BEGIN_SIZE) != 0 || bytes[size - 1] != '\0')
        return -EINVAL;
    message->has_pairs = false;
    message->name = bytes + BEGIN_SIZE;
    message->words = message->name + strlen(message->name) + 1;
    message->words_size = size - (size_t)(message->words - bytes);
    return log_name_is_good(message->name) ? 0 : -EINVAL;
}

static size_t put_byte(unsigned char byte, bool has_pairs, char *to)
{
    if (byte >= ' ' + has_pairs && byte < 0x7f && byte != '\\') {
        *to = (char)byte;
        return 1;
    }
    return (size_t)sprintf(to, "\\x%02x", byte);
}

int log_message_line(const struct log_message *message, const char *date, const char *user,
                     char line[LOG_LINE_SIZE])
{
    const size_t room = LOG_LINE_SIZE - sizeof "\\xHH";
    int begun = snprintf(line, LOG_LINE_SIZE, "%s %s", date, user);
    size_t length = begun < 0 ? LOG_LINE_SIZE : (size_t)begun;
    for (size_t i = 0; i < message->words_size; i++) {
        if (length >= room)
            return -EMSGSIZE;
        bool is_first = i == 0 || message->words[i - 1] == '\0';
        if (is_first)
            line[length++] = ' ';
        if (message->words[i] != '\0')
            length += put_byte((unsigned char)message->words[i], message->has_pairs, line + length);
    }
    if (length >= room)
        return -EMSGSIZE;
    memcpy(line + length, "\n", 2);
    return (int)length + 1;
}

/* As the logs of changes: an entry gets the time of the one before where the clock was set back. */
enum { SET_BACK_S = 3600, HEAD_SIZE = sizeof LIBRARY_LOG_SORTED + DAYS_ZONE_MAX };

/* How a log ends: the time of its last entry, INT64_MIN where it has none, and whether its last
 * line has a newline. */
struct log_end {
    int64_t size, entry_s;
    bool is_cut;
};

int library_log_open(const struct library_logs *logs, const char *name)
{
    struct stat status;
    int fd = openat(logs->directory, name,
                    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
    if (fd < 0)
        return errno == ELOOP ? -EPERM : -errno;
    int error = fstat(fd, &status) != 0 ? -errno : 0;
    if (error == 0 &&
        (!S_ISREG(status.st_mode) || status.st_nlink > 1 || status.st_uid != geteuid()))
        error = -EPERM;
    if (error == 0 && status.st_size == 0 && fchmod(fd, 0644) != 0)
        error = -errno;
    if (error == 0)
        return fd;
    close(fd);
    return error;
}

/* Only those up to the first one that is missing move: who was killed in between goes on. */
int library_log_rotate(const struct library_logs *logs, const char *name)
{
    char from[LIBRARY_LOG_NAME_SIZE + 16], to[LIBRARY_LOG_NAME_SIZE + 16];
    uint32_t last = 1;
    if (logs->files == 0)
        return unlinkat(logs->directory, name, 0) != 0 && errno != ENOENT ? -errno : 0;
    for (; last < logs->files; last++) {
        snprintf(to, sizeof to, "%s.%u", name, (unsigned)last);
        if (faccessat(logs->directory, to, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
            break;
    }
    for (uint32_t i = last; i > 0; i--) {
        snprintf(to, sizeof to, "%s.%u", name, (unsigned)i);
        snprintf(from, sizeof from, i == 1 ? "%s" : "%s.%u", name, (unsigned)(i - 1));
        if (renameat(logs->directory, from, logs->directory, to) != 0 && errno != ENOENT)
            return -errno;
    }
    return 0;
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
                      const char *user, int64_t time_s)
{
    char date[LIBRARY_DATE_SIZE], line[LOG_LINE_SIZE], text[HEAD_SIZE + LOG_LINE_SIZE];
    int error = library_date_old(end->entry_s > time_s ? end->entry_s : time_s, date);
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

int library_log_write(const struct library_logs *logs, const char *name,
                      const struct log_message *message, const char *user, int64_t time_s)
{
    struct log_end end;
    struct stat status;
    int error = 0;
    for (int turn = 0; turn < 2 && error == 0; turn++) {
        CLEANUP_CLOSE int fd = library_log_open(logs, name);
        if (fd < 0)
            return fd;
        if (fstat(fd, &status) != 0)
            return -errno;
        read_end(fd, status.st_size, &end);
        bool is_full = (uint64_t)status.st_size >= logs->size_bytes ||
                       (end.entry_s != INT64_MIN && end.entry_s - SET_BACK_S > (int64_t)time(NULL));
        if (!is_full || turn > 0)
            return write_line(fd, &end, message, user, time_s);
        error = library_log_rotate(logs, name);
    }
    return error;
}
