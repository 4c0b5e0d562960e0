/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/journal_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/host.h"
#include "spank/journal.h"
#include "spank/spool_path.h"

/* Bytes at the journal's end in which the line of the epilog is looked for: only a few lines of
 * late steps can follow it. */
enum { TAIL = 4 * JOURNAL_LINE_MAX };

/* Up to `size` - 1 bytes of the file from `at` on, NUL-terminated. Returns how many, or -errno. */
static ssize_t read_text(int fd, off_t at, char *text, size_t size)
{
    ssize_t got = pread(fd, text, size - 1, at);
    text[got < 0 ? 0 : got] = '\0';
    return got < 0 ? -errno : got;
}

/* Where the value of ` KEY=` begins in the line, or NULL. Values hold no blanks (journal.h). */
static const char *value_of(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found == NULL ? NULL : found + strlen(key);
}

static bool is_of_uid(const char *line, uid_t uid)
{
    char *end;
    const char *value = value_of(line, " uid=");
    if (value == NULL || *value < '0' || *value > '9')
        return false;
    unsigned long found = strtoul(value, &end, 10);
    return (*end == ' ' || *end == '\0') && found == uid;
}

static bool is_of_other_boot(const char *line)
{
    char boot[HOST_BOOT_SIZE];
    const char *value = value_of(line, " boot=");
    if (value == NULL)
        return false;
    host_boot(boot);
    size_t size = strlen(boot);
    return size > 0 && (strncmp(value, boot, size) != 0 || value[size] > ' ');
}

/* The first line, which names the job's user. Returns 1, 0 where there is none, or -errno. */
static int read_first(int fd, char line[JOURNAL_LINE_MAX + 1])
{
    ssize_t got = read_text(fd, 0, line, JOURNAL_LINE_MAX + 1);
    char *end = got < 0 ? NULL : strchr(line, '\n');
    if (end == NULL)
        return got < 0 ? (int)got : 0;
    *end = '\0';
    return 1;
}

static int has_epilog(int fd)
{
    char text[TAIL + 1];
    off_t size = lseek(fd, 0, SEEK_END);
    ssize_t got = read_text(fd, size > TAIL ? size - TAIL : 0, text, sizeof text);
    return got < 0 ? (int)got : strstr(text, "\n" JOB_FORMATS_MARK "epilog ") != NULL;
}

static int check_owner(int job, uid_t uid, bool must_run)
{
    char line[JOURNAL_LINE_MAX + 1];
    int fd = openat(job, JOURNAL_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT || errno == ELOOP || errno == ENXIO ? 0 : -errno;
    int result = read_first(fd, line);
    if (result == 1)
        result = is_of_uid(line, uid) && !(must_run && is_of_other_boot(line));
    if (result == 1 && must_run) {
        result = has_epilog(fd);
        result = result < 0 ? result : !result;
    }
    if (result == 1 && must_run &&
        faccessat(job, SPOOL_EXTERN_ENDED, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        result = 0;
    close(fd);
    return result;
}

int journal_is_current(int job, uid_t uid)
{
    return check_owner(job, uid, true);
}

int journal_is_of_user(int job, uid_t uid)
{
    return check_owner(job, uid, false);
}
