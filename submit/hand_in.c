/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hand_in.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "directories.h"
#include "io.h"
#include "record_name.h"
#include "spool_read.h"

#define RECORDS "records"

/* Of one user in one go: he can make as many as he likes. */
enum { NAMES_MAX = 10000 };

static int put_in_outbox(const struct conf *conf, const struct transport_record *record)
{
    struct outbox *outbox;
    int result = outbox_open(conf, &outbox);
    if (result != 0)
        return result;
    result = outbox_add(outbox, record);
    if (result == 0)
        result = outbox_commit(outbox);
    outbox_close(outbox);
    return result;
}

/* <sessions>/<uid>/records, made where it is missing. Returns a descriptor or -errno. */
static int open_records(const char *sessions)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%u", sessions, (unsigned)geteuid());
    if (length < 0 || (size_t)length + sizeof "/" RECORDS > sizeof path)
        return -ENAMETOOLONG;
    int result = directory_make_one(AT_FDCWD, path, 0700);
    if (result == 0) {
        strcat(path, "/" RECORDS);
        result = directory_make_one(AT_FDCWD, path, 0700);
    }
    int fd = result != 0 ? result : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return fd < 0 && result == 0 ? -errno : fd;
}

static int write_whole(int directory, const struct transport_record *record)
{
    char name[NAME_MAX + 1];
    int length = snprintf(name, sizeof name, ".%s.%d", record->name, (int)getpid());
    if (length < 0 || (size_t)length >= sizeof name)
        return -ENAMETOOLONG;
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int result = io_write_all(fd, record->text, record->length);
    if (close(fd) != 0 && result == 0)
        result = -errno;
    if (result == 0 && renameat(directory, name, directory, record->name) != 0)
        result = -errno;
    if (result != 0)
        unlinkat(directory, name, 0);
    return result;
}

int hand_in(const struct conf *conf, const struct transport_record *record)
{
    if (geteuid() == 0)
        return put_in_outbox(conf, record);
    if (conf->sessions[0] == '\0')
        return -ENOENT;
    int directory = open_records(conf->sessions);
    if (directory < 0)
        return directory;
    int result = write_whole(directory, record);
    close(directory);
    return result;
}

/* KIND.SYSHOST.DATE.USER....: whether it is no run and the user's. */
static int is_of_user(const char *name, const char *user_name)
{
    struct record_name parsed;
    if (record_name_parse(name, &parsed) != 0 || strcmp(parsed.kind, "run") == 0)
        return 0;
    const char *at = name;
    for (int i = 0; i < 3 && at != NULL; i++) {
        at = strchr(at, '.');
        at = at == NULL ? NULL : at + 1;
    }
    size_t length = strlen(user_name);
    return at != NULL && strncmp(at, user_name, length) == 0 && at[length] == '.';
}

static int is_line(const char *text, size_t size)
{
    if (size < 2 || text[0] != '{' || text[size - 1] != '}')
        return 0;
    for (size_t i = 0; i < size; i++)
        if (text[i] < ' ' || text[i] > '~')
            return 0;
    return 1;
}

/* Reads the user's own file whole, malloc'ed. Returns 0 or -EINVAL. */
static int read_own(int directory, const char *name, uid_t uid, char **text, size_t *size)
{
    struct stat status;
    ssize_t got = -1;
    char *bytes = NULL;
    int fd = spool_open_file(directory, name);
    if (fd < 0)
        return -EINVAL;
    if (fstat(fd, &status) == 0 && status.st_uid == uid && status.st_size <= OUTBOX_TEXT_MAX)
        bytes = malloc((size_t)status.st_size + 1);
    if (bytes != NULL)
        got = read(fd, bytes, (size_t)status.st_size);
    close(fd);
    if (got < 0) {
        free(bytes);
        return -EINVAL;
    }
    *text = bytes;
    *size = (size_t)got;
    return 0;
}

/* Returns 0 when the record is in the outbox's hands, -EINVAL when it is none, or -errno. */
static int take(struct outbox *outbox, int directory, const char *name, uid_t uid)
{
    char *text;
    size_t size;
    int result = read_own(directory, name, uid, &text, &size);
    if (result != 0)
        return result;
    while (size > 0 && text[size - 1] == '\n')
        size--;
    result = is_line(text, size) ? outbox_add(outbox, &(struct transport_record){name, text, size})
                                 : -EINVAL;
    free(text);
    return result;
}

/* A name for each record that was taken, to be removed once it is safe. */
struct names {
    char (*name)[NAME_MAX + 1]; /* owned */
    size_t count;
};

static int take_all(struct outbox *outbox, DIR *listing, uid_t uid, const char *user_name,
                    struct names *names, uint64_t *left)
{
    const struct dirent *entry;
    int result = 0;
    while (result == 0 && names->count < NAMES_MAX && (entry = readdir(listing)) != NULL) {
        if (entry->d_name[0] == '.')
            continue; /* being written */
        result = is_of_user(entry->d_name, user_name)
                     ? take(outbox, dirfd(listing), entry->d_name, uid)
                     : -EINVAL;
        if (result == 0)
            strcpy(names->name[names->count++], entry->d_name);
        else if (result == -EINVAL) {
            ++*left;
            result = 0;
        }
    }
    return result;
}

int hand_in_collect(struct outbox *outbox, int user, uid_t uid, const char *user_name,
                    uint64_t *taken, uint64_t *left)
{
    struct names names = {.count = 0};
    int fd = openat(user, RECORDS, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (listing == NULL) {
        if (fd >= 0)
            close(fd);
        return 0; /* nothing handed in */
    }
    names.name = calloc(NAMES_MAX, sizeof *names.name);
    uint64_t before = *left;
    int result =
        names.name == NULL ? -ENOMEM : take_all(outbox, listing, uid, user_name, &names, left);
    if (result == 0)
        result = outbox_commit(outbox);
    else
        outbox_abort(outbox);
    for (size_t i = 0; i < names.count && result == 0; i++)
        unlinkat(fd, names.name[i], 0);
    *taken += result == 0 ? names.count : 0;
    if (*left > before)
        fprintf(stderr,
                "jobtrail-submit: user %u: %llu files that are no records of his are left\n",
                (unsigned)uid, (unsigned long long)(*left - before));
    free(names.name);
    closedir(listing);
    return result;
}
