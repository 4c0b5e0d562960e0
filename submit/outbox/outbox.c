/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/crc.h"
#include "conf/base/directory.h"
#include "conf/conf_transport.h"
#include "submit/job/quarantine.h"
#include "submit/outbox/outbox_batch.h"

#define TEMPORARY ".new."
#define NOBODY    ((uid_t)-1)

/* Of the outbox one user's records may take a half, and one job's a quarter: there is room for
 * those of others. */
enum { USER_PART = 2, JOB_PART = 4 };

enum { BUFFER_BYTES = 128 << 10, BLOCK_BYTES = 4096 };

struct outbox {
    const struct conf *conf;
    int directory;
    struct {
        const char *name;
        int fd;
    } transport[CONF_TRANSPORTS]; /* of which each batch gets an entry */
    size_t transport_count;
    FILE *batch;                  /* that is being written; NULL: none */
    uint64_t batch_size;          /* bytes of it */
    unsigned first, next;         /* numbers of the batches that are not committed */
    uint64_t used;                /* bytes on the disk, of all batches */
    uint64_t uncommitted;         /* of these, of the batches that are not committed */
    uint64_t user_used, job_used; /* of `used`, the owner's */
    uid_t uid;                    /* the owner; NOBODY: none */
    uint32_t job;
    char buffer[BUFFER_BYTES]; /* of the batch */
};

int outbox_directory(const struct conf *conf)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/outbox" JOB_FORMATS_SUFFIX, conf->state);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    return directory_open(AT_FDCWD, path);
}

static int make_directory(const struct conf *conf)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/outbox" JOB_FORMATS_SUFFIX, conf->state);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    CLEANUP_CLOSE int made = directory_make(conf->state, 0755);
    return made < 0 ? made : directory_make(path, 0700);
}

/* Calls `visit` for each name in the directory. */
static void each_name(int directory, void (*visit)(int directory, const char *name, void *context),
                      void *context)
{
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(directory, ".", &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        visit(directory, name, context);
}

static void remove_temporary(int directory, const char *name, void *context)
{
    (void)context;
    if (strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0)
        unlinkat(directory, name, 0);
}

/* A batch takes room once, however many transports it is linked to. */
static uint64_t room_of(int directory, const char *name)
{
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
                   status.st_nlink > 0
               ? (uint64_t)status.st_blocks * 512 / status.st_nlink
               : 0;
}

static void add_room(int directory, const char *name, void *context)
{
    uint64_t *used = context;
    *used += room_of(directory, name);
}

uint64_t outbox_owned(int directory, const char *name, uid_t *uid, uint32_t *job)
{
    unsigned user, number;
    const char *owner = strstr(name, ".u");
    if (name[0] == '.' || owner == NULL || sscanf(owner, ".u%u.j%u", &user, &number) != 2)
        return 0;
    *uid = user;
    *job = number;
    return room_of(directory, name);
}

static void add_owned(int directory, const char *name, void *context)
{
    struct outbox *outbox = context;
    uid_t uid;
    uint32_t job;
    uint64_t room = outbox_owned(directory, name, &uid, &job);
    if (room == 0 || uid != outbox->uid)
        return;
    outbox->user_used += room;
    outbox->job_used += job != 0 && job == outbox->job ? room : 0;
}

void outbox_owner(struct outbox *outbox, uid_t uid, uint32_t job)
{
    outbox->uid = uid;
    outbox->job = job;
    outbox->user_used = outbox->job_used = 0;
    for (size_t i = 0; i < outbox->transport_count; i++)
        each_name(outbox->transport[i].fd, add_owned, outbox);
}

static int open_transport(struct outbox *outbox, const char *name)
{
    int fd = directory_make_open(outbox->directory, name, 0700);
    if (fd < 0)
        return fd;
    outbox->transport[outbox->transport_count].name = name;
    outbox->transport[outbox->transport_count++].fd = fd;
    return 0;
}

static int open_transports(struct outbox *outbox)
{
    int error = 0;
    for (size_t i = 0; i < CONF_TRANSPORTS && error == 0; i++)
        if (conf_uses_transport(outbox->conf, conf_transports[i].name))
            error = open_transport(outbox, conf_transports[i].name);
    for (size_t i = 0; i < outbox->transport_count; i++)
        each_name(outbox->transport[i].fd, add_room, &outbox->used);
    return error;
}

int outbox_open(const struct conf *conf, struct outbox **opened)
{
    struct outbox *outbox = calloc(1, sizeof *outbox);
    if (outbox == NULL)
        return -ENOMEM;
    outbox->conf = conf;
    outbox->uid = NOBODY;
    outbox->directory = make_directory(conf);
    int error = outbox->directory < 0 ? outbox->directory : 0;
    if (error == 0) {
        /* Writers share a lock on the directory: who gets it alone knows that temporary files are
         * left over. */
        if (flock(outbox->directory, LOCK_EX | LOCK_NB) == 0)
            each_name(outbox->directory, remove_temporary, NULL);
        flock(outbox->directory, LOCK_SH);
        error = open_transports(outbox);
    }
    if (error != 0)
        outbox_close(outbox);
    else
        *opened = outbox;
    return error;
}

static void temporary_name(unsigned number, char *name, size_t size)
{
    snprintf(name, size, TEMPORARY "%d.%u", (int)getpid(), number);
}

static int begin_batch(struct outbox *outbox)
{
    char name[64];
    temporary_name(outbox->next, name, sizeof name);
    outbox->batch = outbox_create_batch(outbox->directory, name);
    if (outbox->batch == NULL)
        return -errno;
    setvbuf(outbox->batch, outbox->buffer, _IOFBF, sizeof outbox->buffer);
    outbox->next++;
    outbox->batch_size = 0;
    return 0;
}

static int end_batch(struct outbox *outbox)
{
    int error = outbox->batch != NULL && fclose(outbox->batch) != 0 ? -errno : 0;
    outbox->batch = NULL;
    return error;
}

FILE *outbox_create_batch(int directory, const char *name)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *batch = fd < 0 ? NULL : fdopen(fd, "w");
    if (batch == NULL && fd >= 0)
        close(fd);
    return batch;
}

int outbox_write_line(FILE *batch, const struct record_view *record)
{
    size_t name_length = strlen(record->name);
    uint16_t crc = crc16_continue(OUTBOX_CRC, record->name, name_length);
    crc = crc16_continue(crc, " ", 1);
    crc = crc16_continue(crc, record->text, record->length);
    if (fprintf(batch, "%04x %s ", crc, record->name) < 0 ||
        fwrite(record->text, 1, record->length, batch) != record->length ||
        fputc('\n', batch) == EOF)
        return -errno;
    return 0;
}

/* What is larger than its share is not to wait for ever. */
static int fits_bound(uint64_t used, uint64_t size, uint64_t most)
{
    return used == 0 || used + size <= most;
}

static bool finds_room(const struct outbox *outbox, uint64_t size)
{
    const struct conf *conf = outbox->conf;
    if (!fits_bound(outbox->used, size, conf->outbox_bytes))
        return false;
    return outbox->uid == NOBODY ||
           (fits_bound(outbox->user_used, size, conf->outbox_bytes / USER_PART) &&
            fits_bound(outbox->job_used, size, conf->outbox_bytes / JOB_PART));
}

bool outbox_has_room(const struct outbox *outbox)
{
    if (outbox->transport_count == 0 || finds_room(outbox, 1))
        return true;
    overflow_add(outbox->directory, 1);
    return false;
}

/* What a text of this size adds to the batch on the disk, as room_of() will see it. */
static uint64_t room_for(const struct outbox *outbox, uint64_t size)
{
    uint64_t begun = outbox->batch == NULL ? 0 : outbox->batch_size;
    return (begun + size + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES -
           (begun + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

/* Of -uncommitted: gives it back. */
static void take_room(struct outbox *outbox, uint64_t size)
{
    outbox->used += size;
    outbox->user_used += size;
    outbox->job_used += outbox->job == 0 ? 0 : size;
    outbox->uncommitted += size;
}

int outbox_add(struct outbox *outbox, const struct record_view *record)
{
    if (!record_name_is_sound(record->name) || record->length > OUTBOX_TEXT_MAX ||
        memchr(record->text, '\n', record->length) != NULL)
        return -EINVAL;
    if (outbox->transport_count == 0)
        return 0;
    size_t size = 5 + strlen(record->name) + 1 + record->length + 1;
    uint64_t room = room_for(outbox, size);
    if (!finds_room(outbox, room)) {
        overflow_add(outbox->directory, 1);
        return -ENOBUFS;
    }
    int error = outbox->batch == NULL ? begin_batch(outbox) : 0;
    if (error == 0)
        error = outbox_write_line(outbox->batch, record);
    if (error != 0)
        return error;
    take_room(outbox, room);
    outbox->batch_size += size;
    return outbox->batch_size >= OUTBOX_BATCH_BYTES ? end_batch(outbox) : 0;
}

static int hand_over(const struct outbox *outbox, unsigned number)
{
    char temporary[64], name[OUTBOX_BATCH_NAME_MAX], owner[32] = "";
    if (outbox->uid != NOBODY)
        snprintf(owner, sizeof owner, ".u%u.j%u", (unsigned)outbox->uid, outbox->job);
    temporary_name(number, temporary, sizeof temporary);
    snprintf(name, sizeof name, "%020" PRIu64 ".%d.%u%s", clock_ns(CLOCK_REALTIME), (int)getpid(),
             number, owner);
    CLEANUP_CLOSE int fd = openat(outbox->directory, temporary, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int error = fd < 0 || fsync(fd) != 0 ? -errno : 0;
    for (size_t i = 0; i < outbox->transport_count && error == 0; i++)
        if (linkat(outbox->directory, temporary, outbox->transport[i].fd, name, 0) != 0)
            error = -errno;
    return error;
}

int outbox_commit(struct outbox *outbox)
{
    int error = end_batch(outbox);
    for (unsigned i = outbox->first; i < outbox->next && error == 0; i++)
        error = hand_over(outbox, i);
    for (size_t i = 0; i < outbox->transport_count && error == 0 && outbox->first < outbox->next;
         i++)
        if (fsync(outbox->transport[i].fd) != 0)
            error = -errno;
    outbox->uncommitted = 0;
    outbox_abort(outbox); /* what has been handed over has other names */
    return error;
}

void outbox_abort(struct outbox *outbox)
{
    char name[64];
    end_batch(outbox);
    for (; outbox->first < outbox->next; outbox->first++) {
        temporary_name(outbox->first, name, sizeof name);
        unlinkat(outbox->directory, name, 0);
    }
    take_room(outbox, -outbox->uncommitted);
}

uint64_t outbox_room(const struct outbox *outbox)
{
    uint64_t most = outbox->conf->outbox_bytes;
    return outbox->used < most ? most - outbox->used : 0;
}

void outbox_close(struct outbox *outbox)
{
    outbox_abort(outbox);
    for (size_t i = 0; i < outbox->transport_count; i++)
        close(outbox->transport[i].fd);
    if (outbox->directory >= 0)
        close(outbox->directory);
    free(outbox);
}
