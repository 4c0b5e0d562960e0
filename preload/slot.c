/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "slot.h"

#include <sys/stat.h>

#include "memory.h"
#include "system.h"

enum { TRIES = 64 };

static int slot_class(size_t size)
{
    for (int class = 0; class < LEDGER_CLASSES; class ++) {
        if (size <= (size_t)LEDGER_PAGE << class)
            return class;
    }
    return -1;
}

static void drop(struct ledger_header *header, enum ledger_drop why)
{
    __atomic_fetch_add(&header->dropped[why], 1, __ATOMIC_RELAXED);
}

static int open_ledger(const char *spool, char *path)
{
    const char *end = path + SLOT_PATH_ROOM;
    char *at = text_append(path, end, spool);
    if (at == NULL || text_append(at, end, "/ledger") == NULL)
        return -1;
    return system_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
}

/* Maps the ledger's header, or returns NULL where the file is no ledger, or is shorter than it
 * says: touching what is not there would be SIGBUS. */
static struct ledger_header *map_header(int fd)
{
    struct stat status;
    if (system_stat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < LEDGER_PAGE)
        return NULL;
    struct ledger_header *header = system_map(LEDGER_PAGE, PROT_READ | PROT_WRITE, fd, 0);
    if (header == NULL)
        return NULL;
    if (header->magic == LEDGER_MAGIC && header->size_bytes <= (uint64_t)status.st_size)
        return header;
    system_unmap(header, LEDGER_PAGE);
    return NULL;
}

static struct ledger_slot *map_slot(int fd, uint64_t offset, size_t size)
{
    return system_map(size, PROT_READ | PROT_WRITE, fd, offset);
}

/* Takes a slot off the free list of its class. The list's head carries a counter, so that a slot
 * taken and given back in between is noticed; reading `next_free` of a slot that somebody else
 * has just taken is harmless, as the exchange then fails. */
static struct ledger_slot *take_free(int fd, struct ledger_header *header, int class)
{
    size_t size = (size_t)LEDGER_PAGE << class;
    uint64_t head = __atomic_load_n(&header->free_list[class], __ATOMIC_ACQUIRE);
    for (int i = 0; i < TRIES && (uint32_t)head != 0; i++) {
        uint64_t offset = (uint64_t)(uint32_t)head * LEDGER_PAGE;
        if (offset > header->size_bytes || size > header->size_bytes - offset)
            return NULL;
        struct ledger_slot *slot = map_slot(fd, offset, size);
        if (slot == NULL)
            return NULL;
        uint64_t next = ((head >> 32) + 1) << 32 | slot->next_free;
        if (__atomic_compare_exchange_n(&header->free_list[class], &head, next, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return slot;
        system_unmap(slot, size);
    }
    return NULL;
}

/* Moves `used_bytes` on. Returns the new slot's offset, or 0 when the ledger is full. */
static uint64_t reserve(struct ledger_header *header, size_t size)
{
    uint64_t offset = __atomic_load_n(&header->used_bytes, __ATOMIC_RELAXED);
    do {
        if (offset > header->size_bytes || size > header->size_bytes - offset)
            return 0;
    } while (!__atomic_compare_exchange_n(&header->used_bytes, &offset, offset + size, 1,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return offset;
}

static struct ledger_slot *take_new(int fd, struct ledger_header *header, int class)
{
    size_t size = (size_t)LEDGER_PAGE << class;
    uint64_t offset = reserve(header, size);
    if (offset == 0) {
        drop(header, LEDGER_DROP_FULL);
        return NULL;
    }
    if (offset + size > header->backed_bytes) {
        if (system_failed(system_allocate(fd, offset, size))) {
            drop(header, LEDGER_DROP_SPACE);
            return NULL;
        }
    }
    struct ledger_slot *slot = map_slot(fd, offset, size);
    if (slot == NULL) {
        drop(header, LEDGER_DROP_MAP);
        return NULL;
    }
    slot->offset = offset;
    slot->slot_bytes = (uint32_t)size;
    slot->magic = LEDGER_SLOT_MAGIC;
    return slot;
}

int slot_claim(const char *spool, size_t size, char *path, struct slot_claim *claim)
{
    int class = slot_class(size);
    int fd = class < 0 ? -1 : open_ledger(spool, path);
    if (fd < 0)
        return 0;
    struct ledger_header *header = map_header(fd);
    struct ledger_slot *slot = NULL;
    if (header != NULL) {
        slot = take_free(fd, header, class);
        if (slot == NULL)
            slot = take_new(fd, header, class);
    }
    system_close(fd);
    if (slot == NULL) {
        if (header != NULL)
            system_unmap(header, LEDGER_PAGE);
        return 0;
    }
    *claim = (struct slot_claim){header, slot};
    return 1;
}

static uint16_t *bucket(struct ledger_header *header, int32_t pid)
{
    return &header->unsigned_runs[(uint32_t)pid % LEDGER_BUCKETS];
}

int slot_first(struct ledger_header *header, int32_t pid)
{
    return __atomic_fetch_add(bucket(header, pid), 1, __ATOMIC_ACQ_REL) == 0;
}

static void signed_run(const struct slot_claim *claim)
{
    __atomic_fetch_sub(bucket(claim->header, claim->slot->pid), 1, __ATOMIC_RELEASE);
}

void slot_open(struct ledger_slot *slot)
{
    __atomic_store_n(&slot->state, LEDGER_OPEN, __ATOMIC_RELEASE);
}

void slot_end(const struct slot_claim *claim, uint64_t end_ns)
{
    claim->slot->end_ns = end_ns;
    __atomic_store_n(&claim->slot->state, LEDGER_ENDED, __ATOMIC_RELEASE);
    signed_run(claim);
}

void slot_discard(const struct slot_claim *claim)
{
    struct ledger_slot *slot = claim->slot;
    int class = slot_class(slot->slot_bytes);
    uint64_t *list = &claim->header->free_list[class];
    uint64_t head = __atomic_load_n(list, __ATOMIC_RELAXED);
    uint64_t next;
    signed_run(claim);
    __atomic_store_n(&slot->state, LEDGER_FREE, __ATOMIC_RELEASE);
    do {
        slot->next_free = (uint32_t)head;
        next = ((head >> 32) + 1) << 32 | (uint32_t)(slot->offset / LEDGER_PAGE);
    } while (
        !__atomic_compare_exchange_n(list, &head, next, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}
