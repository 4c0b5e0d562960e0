/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/journal_line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "spank/job_formats.h"

#define SECOND_NS UINT64_C(1000000000)

static bool is_plain(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("_./:,@+()[]-", byte) != NULL);
}

size_t journal_piece(struct journal_line *line, const char *key, const char *value)
{
    const char hex[] = "0123456789ABCDEF";
    size_t before = line->length;
    size_t room = sizeof line->text - 1, taken = 0;
    int length = snprintf(line->text + before, room - before, " %s=", key);
    if (length < 0 || (size_t)length >= room - before)
        return 0;
    size_t at = before + (size_t)length;
    for (; value[taken] != '\0' && at + 3 <= room; taken++) {
        unsigned char byte = (unsigned char)value[taken];
        if (is_plain(byte)) {
            line->text[at++] = value[taken];
        } else {
            line->text[at++] = '%';
            line->text[at++] = hex[byte >> 4];
            line->text[at++] = hex[byte & 15];
        }
    }
    line->length = at;
    return taken;
}

bool journal_text(struct journal_line *line, const char *key, const char *value)
{
    size_t before = line->length;
    if (value == NULL)
        return true;
    bool is_whole = journal_piece(line, key, value) == strlen(value) && line->length != before;
    if (!is_whole)
        line->length = before;
    return is_whole;
}

/* How large the journal may become by a line of this verb (journal.h). */
static uint64_t room_of_verb(const char *verb)
{
    static const struct {
        const char *verb;
        uint64_t limit;
    } kinds[] = {
        {"variable", JOURNAL_BYTES / 4}, {"program", JOURNAL_BYTES / 2},
        {"loader", JOURNAL_BYTES / 2},   {"step", JOURNAL_BYTES / 4 * 3},
        {"task", JOURNAL_BYTES / 4 * 3}, {"noledger", JOURNAL_BYTES / 4 * 3},
        {"exit", JOURNAL_BYTES},         {"end", JOURNAL_BYTES},
        {"suspend", JOURNAL_BYTES},      {"resume", JOURNAL_BYTES},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(verb, kinds[i].verb) == 0)
            return kinds[i].limit;
    }
    return UINT64_MAX;
}

static void add_clock(struct journal_line *line, const char *key, uint64_t ns)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, ns / SECOND_NS, ns % SECOND_NS);
    journal_text(line, key, text);
}

void journal_start(struct journal_line *line, const char *verb)
{
    const struct clock_pair now = clock_pair_read();
    line->limit = room_of_verb(verb);
    line->length = strlen(JOB_FORMATS_MARK);
    memcpy(line->text, JOB_FORMATS_MARK, line->length);
    for (; *verb != '\0'; verb++)
        line->text[line->length++] = *verb;
    add_clock(line, "time", now.real_ns);
    add_clock(line, "up", now.boot_ns);
}

void journal_number(struct journal_line *line, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    journal_text(line, key, text);
}

/* Two daemons can find the file one byte below its limit at once: then it gets a byte too long,
 * which does no harm. */
static int count_left_out(int spool)
{
    struct stat status;
    int fd = openat(spool, JOURNAL_LEFT_OUT, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                    0600);
    if (fd < 0)
        return -errno;
    int result = fstat(fd, &status) != 0                  ? -errno
                 : status.st_size >= JOURNAL_LEFT_OUT_MAX ? 1
                 : write(fd, "\n", 1) == 1                ? 1
                                                          : -ENOSPC;
    close(fd);
    return result;
}

static int write_line(int fd, uint64_t size, const struct journal_line *line)
{
    char spoilt[] = "%\n"; /* an escape without digits: readers reject the line that is cut */
    char last = '\n';      /* not after a write to a full file system */
    bool is_cut = size > 0 && pread(fd, &last, 1, (off_t)size - 1) == 1 && last != '\n';
    size_t before = is_cut ? sizeof spoilt - 1 : 0;
    const struct iovec parts[] = {{spoilt, before}, {(char *)line->text, line->length}};
    ssize_t written = writev(fd, parts, 2);
    return written == (ssize_t)(before + line->length) ? 0 : written < 0 ? -errno : -ENOSPC;
}

int journal_open(int spool)
{
    int fd =
        openat(spool, JOURNAL_NAME, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd < 0 ? -errno : fd;
}

int journal_write(int fd, struct journal_line *line)
{
    struct stat status;
    if (line->text[line->length - 1] != '\n')
        line->text[line->length++] = '\n';
    if (fstat(fd, &status) != 0)
        return -errno;
    return (uint64_t)status.st_size + line->length > line->limit
               ? -EFBIG
               : write_line(fd, (uint64_t)status.st_size, line);
}

int journal_append(struct journal_line *line, int spool)
{
    int fd = journal_open(spool);
    if (fd < 0)
        return fd;
    int result = journal_write(fd, line);
    close(fd);
    return result == -EFBIG ? count_left_out(spool) : result;
}
