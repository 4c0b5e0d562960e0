/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/version_note.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/base/trusted.h"
#include "spank/job_formats.h"
#include "spank/spool_path.h"

/* The number that `length` digits at `text` are, as written: without leading zeros. 0: none. */
static uint32_t parse_formats(const char *text, size_t length)
{
    uint32_t number = 0;
    if (length == 0 || length > 5 || *text == '0')
        return 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return 0;
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    return number <= VERSION_FORMATS_MAX ? number : 0;
}

static bool take_path(const char *value, size_t length, char path[PATH_MAX])
{
    if (length == 0 || length >= PATH_MAX || *value != '/' || path[0] != '\0' ||
        memchr(value, '\0', length) != NULL)
        return false;
    memcpy(path, value, length);
    path[length] = '\0';
    return true;
}

/* Returns the value where the line begins with `word` and a blank, and its length; or NULL. */
static const char *value_after(const char *line, size_t length, const char *word, size_t *size)
{
    size_t used = strlen(word);
    if (length <= used || memcmp(line, word, used) != 0 || line[used] != ' ')
        return NULL;
    *size = length - used - 1;
    return line + used + 1;
}

static bool take_line(const char *line, size_t length, struct version_note *note)
{
    size_t size;
    const char *value = value_after(line, length, "formats", &size);
    if (value != NULL) {
        bool is_first = note->formats == 0;
        note->formats = parse_formats(value, size);
        return is_first && note->formats != 0;
    }
    if ((value = value_after(line, length, "conf", &size)) != NULL)
        return take_path(value, size, note->conf);
    if ((value = value_after(line, length, "plugin", &size)) != NULL)
        return take_path(value, size, note->plugin);
    if ((value = value_after(line, length, "submit", &size)) != NULL)
        return take_path(value, size, note->submit);
    return true;
}

int version_note_parse(const char *text, size_t size, struct version_note *note)
{
    struct version_note found = {.formats = 0};
    for (const char *at = text, *last = text + size; at < last;) {
        const char *end = memchr(at, '\n', (size_t)(last - at));
        if (end == NULL || !take_line(at, (size_t)(end - at), &found))
            return -EINVAL;
        at = end + 1;
    }
    if (found.formats == 0 || found.conf[0] == '\0' || found.submit[0] == '\0')
        return -EINVAL;
    *note = found;
    return 0;
}

/* Its text into `size` bytes. Returns the length or -errno. */
static ssize_t read_text(const char *directory, char *text, size_t size)
{
    char path[PATH_MAX], culprit[PATH_MAX];
    struct stat status;
    int length = snprintf(path, PATH_MAX, "%s/" VERSION_NOTE, directory);
    int error = length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
    if (error == 0) /* trusted_open() checks for root alone: in srun, a user asks */
        error = trusted_check(path, culprit, sizeof culprit);
    if (error != 0)
        return error;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    ssize_t got =
        fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ? -EINVAL : io_read(fd, text, size);
    close(fd);
    return got >= 0 && (size_t)got == size ? -EFBIG : got;
}

int version_note_read(const char *directory, struct version_note *note)
{
    char text[VERSION_NOTE_BYTES];
    ssize_t length = read_text(directory, text, sizeof text);
    return length < 0 ? (int)length : version_note_parse(text, (size_t)length, note);
}

static int add_line(char *text, size_t size, const char *word, const char *path)
{
    size_t used = strlen(text);
    if (path[0] != '/' || strchr(path, '\n') != NULL)
        return -EINVAL;
    int length = snprintf(text + used, size - used, "%s %s\n", word, path);
    return length < 0 || (size_t)length >= size - used ? -ENAMETOOLONG : 0;
}

/* In the directory of sessions users can make a directory of this name, as long as there is no file
 * of root's. It is removed, or gets a name that nobody can take before. */
static int rename_over(int place, const char *name)
{
    char aside[64];
    if (renameat(place, name, place, VERSION_NOTE) == 0)
        return 0;
    if (errno != EISDIR && errno != ENOTEMPTY && errno != EEXIST)
        return -errno;
    snprintf(aside, sizeof aside, SPOOL_NEW VERSION_NOTE ".over.%" PRIu64,
             clock_ns(CLOCK_REALTIME));
    if (unlinkat(place, VERSION_NOTE, AT_REMOVEDIR) != 0 &&
        renameat(place, VERSION_NOTE, place, aside) != 0)
        return -errno;
    return renameat(place, name, place, VERSION_NOTE) == 0 ? 0 : -errno;
}

/* A reader sees the old text or the new one. The temporary name is one of those that flushes of any
 * version pass over. */
static int replace(const char *directory, const char *text)
{
    char name[48], culprit[PATH_MAX];
    int place = trusted_directory(directory, TRUSTED_STICKY, culprit, sizeof culprit);
    if (place < 0)
        return place;
    snprintf(name, sizeof name, SPOOL_NEW VERSION_NOTE ".%d", (int)getpid());
    unlinkat(place, name, 0);
    int fd = openat(place, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    int error = fd < 0 ? -errno : io_write_all(fd, text, strlen(text));
    if (error == 0)
        error = fchmod(fd, 0644) != 0 ? -errno : rename_over(place, name);
    if (error != 0 && fd >= 0)
        unlinkat(place, name, 0);
    if (fd >= 0)
        close(fd);
    close(place);
    return error;
}

int version_note_write(const char *directory, const char *conf, const char *plugin,
                       const char *submit)
{
    char text[VERSION_NOTE_BYTES], present[VERSION_NOTE_BYTES], real[PATH_MAX];
    snprintf(text, sizeof text, "formats %u\n", (unsigned)JOB_FORMATS);
    /* not resolved: the compiled policy lies beside the link */
    int error = add_line(text, sizeof text, "conf", conf);
    if (error == 0 && plugin != NULL)
        error =
            realpath(plugin, real) == NULL ? -errno : add_line(text, sizeof text, "plugin", real);
    if (error == 0)
        error =
            add_line(text, sizeof text, "submit", realpath(submit, real) == NULL ? submit : real);
    if (error != 0)
        return error;
    ssize_t length = read_text(directory, present, sizeof present);
    if (length == (ssize_t)strlen(text) && memcmp(present, text, (size_t)length) == 0)
        return 0;
    return replace(directory, text);
}

int version_note_path(const char *prefix, uint32_t formats, char path[PATH_MAX])
{
    char number[16] = "";
    if (formats != 1)
        snprintf(number, sizeof number, ".%u", (unsigned)formats);
    int length = snprintf(path, PATH_MAX, "%s%s", prefix, number);
    return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

size_t version_note_others(const char *prefix, uint32_t formats[VERSIONS_MAX])
{
    char parent[PATH_MAX];
    struct stat status;
    size_t count = 0;
    const char *slash = strrchr(prefix, '/');
    if (slash == NULL || (size_t)(slash - prefix) + 2 > sizeof parent)
        return 0;
    if (JOB_FORMATS != 1 && stat(prefix, &status) == 0 && S_ISDIR(status.st_mode))
        formats[count++] = 1;
    snprintf(parent, sizeof parent, "%.*s/", (int)(slash - prefix), prefix);
    size_t length = strlen(slash + 1);
    DIR *listing;
    listing_open(AT_FDCWD, parent, &listing);
    for (const char *name; count < VERSIONS_MAX && (name = listing_next(listing)) != NULL;) {
        if (strncmp(name, slash + 1, length) != 0 || name[length] != '.')
            continue;
        uint32_t number = parse_formats(name + length + 1, strlen(name + length + 1));
        if (number > 1 && number != JOB_FORMATS)
            formats[count++] = number;
    }
    if (listing != NULL)
        closedir(listing);
    return count;
}
