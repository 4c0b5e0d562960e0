/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_place.h"

#include <sys/stat.h>

#include "preload/memory.h"
#include "preload/slot.h"
#include "preload/system.h"

bool profile_place_set(struct profile_place *place, const char *spool, uint32_t user)
{
    const char *end = place->path + sizeof place->path;
    char *at = text_append(place->path, end, spool);
    place->user = user;
    return at != NULL && text_append(at, end, "/" PROFILE_NAME) != NULL;
}

/* Fails where it is not a regular file of the user's. */
static int open_file(const struct profile_place *place, struct stat *status)
{
    int fd = system_open(place->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (system_stat(fd, status) == 0 && S_ISREG(status->st_mode) && status->st_uid == place->user)
        return fd;
    system_close(fd);
    return -1;
}

bool profile_place_map(struct profile_place *place)
{
    struct stat status;
    int fd = open_file(place, &status);
    if (fd < 0)
        return false;
    struct profile_header *header = NULL;
    if ((uint64_t)status.st_size >= PROFILE_PAGE)
        header = system_map(PROFILE_PAGE, PROT_READ | PROT_WRITE, fd, 0);
    system_close(fd);
    if (header == NULL)
        return false;
    place->device = status.st_dev;
    place->inode = status.st_ino;
    place->size = __atomic_load_n(&header->size_bytes, __ATOMIC_RELAXED);
    place->header = header;
    if (header->magic == PROFILE_MAGIC && place->size <= (uint64_t)status.st_size)
        return true;
    system_unmap(header, PROFILE_PAGE);
    place->header = NULL;
    return false;
}

/* Advances `used_bytes`. So many failed exchanges in a row happen only where a process disturbs
 * the others. */
static bool reserve(const struct profile_place *place, uint32_t bytes, uint64_t limit,
                    uint64_t *offset)
{
    enum { TRIES = 1000 };
    uint64_t *used = &place->header->used_bytes;
    uint64_t end = limit < place->size ? limit : place->size;
    uint64_t at = __atomic_load_n(used, __ATOMIC_RELAXED);
    for (int i = 0; i < TRIES; i++) {
        if (at < PROFILE_PAGE || at % PROFILE_PAGE != 0 || at > end || bytes > end - at)
            return false;
        *offset = at;
        if (__atomic_compare_exchange_n(used, &at, at + bytes, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

static enum profile_drop claim_in(const struct profile_place *place, int fd,
                                  const struct stat *status, uint32_t bytes, uint64_t limit,
                                  uint64_t *offset)
{
    const uint64_t block = 512;
    const struct backing backing = {fd, place->size, &place->header->backed_bytes};
    uint64_t backed = (uint64_t)status->st_blocks * block;
    if (status->st_dev != place->device || status->st_ino != place->inode ||
        (uint64_t)status->st_size < place->size)
        return PROFILE_DROP_MAP;
    if (!reserve(place, bytes, limit, offset))
        return PROFILE_DROP_FULL;
    if (*offset + bytes <= backed &&
        *offset + bytes <= __atomic_load_n(backing.border, __ATOMIC_RELAXED))
        return PROFILE_DROPS;
    return backing_extend(&backing, *offset, *offset + bytes) ? PROFILE_DROPS : PROFILE_DROP_SPACE;
}

int profile_place_claim(const struct profile_place *place, uint32_t bytes, uint64_t limit,
                        uint64_t *offset)
{
    struct stat status;
    int fd = open_file(place, &status);
    enum profile_drop why =
        fd < 0 ? PROFILE_DROP_MAP : claim_in(place, fd, &status, bytes, limit, offset);
    if (why == PROFILE_DROPS)
        return fd;
    __atomic_fetch_add(&place->header->dropped[why], 1, __ATOMIC_RELAXED);
    if (fd >= 0)
        system_close(fd);
    return -1;
}

void *profile_place_pages(const struct profile_place *place, int fd, void *address, size_t bytes,
                          uint64_t offset)
{
    int flags = MAP_SHARED | (address == NULL ? 0 : MAP_FIXED);
    long result = system_call6(SYSTEM_MAP, (long)address, (long)bytes, PROT_READ | PROT_WRITE,
                               flags, fd, (long)(offset / SYSTEM_MAP_UNIT));
    if (!system_failed(result))
        return (void *)result;
    __atomic_fetch_add(&place->header->dropped[PROFILE_DROP_MAP], 1, __ATOMIC_RELAXED);
    return NULL;
}

void profile_place_publish(struct profile_chunk *chunk, uint64_t offset, uint32_t bytes,
                           uint64_t process, enum profile_kind kind)
{
    chunk->magic = PROFILE_CHUNK_MAGIC;
    chunk->offset = offset;
    chunk->process = process;
    chunk->bytes = bytes;
    __atomic_store_n(&chunk->kind, kind, __ATOMIC_RELEASE);
}
