/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/slot.h"

#include <sys/stat.h>

#include "preload/image.h"
#include "preload/memory.h"
#include "preload/system.h"

/* ---- Blocks of the ledger -------------------------------------------------------------------- */

/* So much is allocated at once. */
enum { BACKING_STEP = 256 << 10 };
_Static_assert(BACKING_STEP >= LEDGER_SLOT_MAX + 2 * IMAGE_PAGE_MAX, "all pages of a slot");

/* How often an atomic exchange of a number in the header is tried. It fails when another process
 * has changed the number in between. So many failures in a row happen only where a process keeps
 * writing to the number in order to disturb the others. */
enum { TRIES = 1000 };

bool backing_extend(const struct backing *backing, uint64_t from, uint64_t to)
{
    uint64_t end = from + BACKING_STEP < to ? to : from + BACKING_STEP;
    uint64_t border = __atomic_load_n(backing->border, __ATOMIC_RELAXED);
    if (end > backing->size)
        end = backing->size;
    if (system_failed(system_allocate(backing->fd, from, end - from)))
        return !system_failed(system_allocate(backing->fd, from, to - from));
    for (int i = 0; i < TRIES && border < end && from <= border; i++) {
        if (__atomic_compare_exchange_n(backing->border, &border, end, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            break;
    }
    return true;
}

static int slot_class(size_t size)
{
    for (int class = 0; class < LEDGER_CLASSES; class ++) {
        if (size <= (size_t)LEDGER_PAGE << class)
            return class;
    }
    return -1;
}

static void count_drop(struct ledger_header *header, enum ledger_drop why)
{
    __atomic_fetch_add(&header->dropped[why], 1, __ATOMIC_RELAXED);
}

static uint64_t smaller_of(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

int slot_open_file(const char *spool, char *path, size_t room)
{
    const char *end = path + room;
    char *at = text_append(path, end, spool);
    if (at == NULL || text_append(at, end, "/ledger") == NULL)
        return -1;
    return system_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
}

/* Fails where the file is no ledger; where it belongs to another user, from whom the environment
 * may come (sudo -E); or where it is shorter than its header says: touching pages beyond its end
 * would be SIGBUS. The first access to the header is a read: then the kernel maps its pages at
 * once. */
int slot_map_ledger(int fd, uint32_t user, size_t page_bytes, size_t bytes,
                    struct slot_ledger *ledger)
{
    const uint64_t block = 512;
    struct stat status;
    if (system_stat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != user ||
        (uint64_t)status.st_size < bytes)
        return 0;
    struct ledger_header *header =
        system_map((size_t)backing_up(bytes, page_bytes), PROT_READ | PROT_WRITE, fd, 0);
    if (header == NULL)
        return 0;
    *ledger = (struct slot_ledger){
        .header = header,
        .size = __atomic_load_n(&header->size_bytes, __ATOMIC_RELAXED),
        .backed = smaller_of(__atomic_load_n(&header->backed_bytes, __ATOMIC_RELAXED),
                             (uint64_t)status.st_blocks * block),
        .page_bytes = page_bytes,
        .fd = fd,
    };
    if (header->magic == LEDGER_MAGIC && ledger->size <= (uint64_t)status.st_size)
        return 1;
    slot_unmap_ledger(ledger, bytes);
    return 0;
}

void slot_unmap_ledger(const struct slot_ledger *ledger, size_t bytes)
{
    system_unmap(ledger->header, (size_t)backing_up(bytes, ledger->page_bytes));
}

int slot_open_ledger(const char *spool, uint32_t user, size_t page_bytes, char *path,
                     struct slot_ledger *ledger)
{
    int fd = slot_open_file(spool, path, SLOT_PATH_ROOM);
    if (fd < 0)
        return 0;
    if (slot_map_ledger(fd, user, page_bytes, LEDGER_HEAD, ledger))
        return 1;
    system_close(fd);
    return 0;
}

void slot_close_ledger(const struct slot_ledger *ledger, int keep)
{
    system_close(ledger->fd);
    if (!keep)
        slot_unmap_ledger(ledger, LEDGER_HEAD);
}

/* Whether a slot can lie there: after the head, at the start of a page, before the end. */
static int is_place(const struct slot_ledger *ledger, uint64_t offset, size_t size)
{
    return offset >= LEDGER_FIRST && offset % LEDGER_PAGE == 0 && offset <= ledger->size &&
           size <= ledger->size - offset;
}

static bool back_pages(const struct slot_ledger *ledger, uint64_t from, uint64_t to)
{
    const struct backing backing = {ledger->fd, ledger->size, &ledger->header->backed_bytes};
    return backing_extend(&backing, from, to);
}

/* Maps the pages that the slot lies in, which can then be touched. The file may end within the last
 * one. */
static enum ledger_drop map_slot(const struct slot_ledger *ledger, struct slot_claim *claim)
{
    uint64_t from = backing_down(claim->offset, ledger->page_bytes);
    uint64_t to = backing_up(claim->offset + claim->size, ledger->page_bytes);
    uint64_t backed = smaller_of(to, ledger->size);
    if (backed > ledger->backed && !back_pages(ledger, from, backed))
        return LEDGER_DROP_SPACE;
    char *pages = system_map((size_t)(to - from), PROT_READ | PROT_WRITE, ledger->fd, from);
    if (pages == NULL)
        return LEDGER_DROP_MAP;
    claim->slot = (struct ledger_slot *)(void *)(pages + (claim->offset - from));
    return LEDGER_DROPS;
}

/* Takes a slot off the free list of its class. One that is too full of stubs is taken off as well,
 * and not used again. The list's head has a counter, so that the exchange
 * also fails where the slot was taken and given back in between. A `next_free` that is read from a
 * slot which another process has just taken is not used, as the exchange then fails. */
static int claim_free(const struct slot_ledger *ledger, int class, struct slot_claim *claim)
{
    uint64_t *list = &ledger->header->free_list[class];
    uint64_t head = __atomic_load_n(list, __ATOMIC_ACQUIRE);
    enum { MAPS = 64 };
    for (int i = 0; i < MAPS && (uint32_t)head != 0; i++) {
        claim->offset = (uint64_t)(uint32_t)head * LEDGER_PAGE;
        if (!is_place(ledger, claim->offset, claim->size) ||
            map_slot(ledger, claim) != LEDGER_DROPS)
            return 0;
        uint64_t next =
            ((head >> 32) + 1) << 32 | __atomic_load_n(&claim->slot->next_free, __ATOMIC_RELAXED);
        claim->stub_bytes =
            LEDGER_STUB_UNIT * __atomic_load_n(&claim->slot->stub_units, __ATOMIC_RELAXED);
        bool is_ours =
            __atomic_compare_exchange_n(list, &head, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        if (is_ours && claim->need <= claim->size && claim->stub_bytes <= claim->size - claim->need)
            return 1;
        uint64_t from = backing_down(claim->offset, ledger->page_bytes);
        uint64_t to = backing_up(claim->offset + claim->size, ledger->page_bytes);
        system_unmap((char *)claim->slot - (claim->offset - from), (size_t)(to - from));
        if (is_ours)
            head = __atomic_load_n(list, __ATOMIC_ACQUIRE);
    }
    return 0;
}

/* Advances `used_bytes` by the slot's size. Returns 0 when the ledger is full. */
static int reserve_new(const struct slot_ledger *ledger, struct slot_claim *claim)
{
    uint64_t *used = &ledger->header->used_bytes;
    uint64_t offset = __atomic_load_n(used, __ATOMIC_RELAXED);
    for (int i = 0; i < TRIES && is_place(ledger, offset, claim->size); i++) {
        claim->offset = offset;
        if (__atomic_compare_exchange_n(used, &offset, offset + claim->size, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return 1;
    }
    return 0;
}

static int claim_new(const struct slot_ledger *ledger, struct slot_claim *claim)
{
    claim->stub_bytes = 0;
    claim->is_new = true;
    enum ledger_drop why = reserve_new(ledger, claim) ? map_slot(ledger, claim) : LEDGER_DROP_FULL;
    if (why == LEDGER_DROPS)
        return 1;
    count_drop(ledger->header, why);
    return 0;
}

int slot_claim(const struct slot_ledger *ledger, size_t size, bool may_leave_stub,
               struct slot_claim *claim)
{
    int class = may_leave_stub ? slot_class(size + size / 3) : -1;
    if (class < 0)
        class = slot_class(size);
    if (class < 0)
        return 0;
    *claim = (struct slot_claim){
        .header = ledger->header, .size = LEDGER_PAGE << class, .need = (uint32_t)size};
    return claim_free(ledger, class, claim) || claim_new(ledger, claim);
}

static uint32_t *run_bucket(const struct slot_claim *claim)
{
    return &claim->header->runs[(uint32_t)claim->pid % LEDGER_BUCKETS];
}

static uint32_t page_of(const struct slot_claim *claim)
{
    uint64_t page = claim->offset / LEDGER_PAGE;
    return LEDGER_LAST(page) == page ? (uint32_t)page : 0;
}

int slot_count_run(struct slot_claim *claim, int32_t pid)
{
    claim->pid = pid;
    uint32_t *bucket = run_bucket(claim);
    uint32_t old = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    for (int i = 0; i < TRIES; i++) {
        uint32_t runs =
            LEDGER_RUNS(old) == LEDGER_RUNS_MANY ? LEDGER_RUNS_MANY : LEDGER_RUNS(old) + 1;
        claim->previous = LEDGER_LAST(old);
        if (__atomic_compare_exchange_n(bucket, &old, runs << 24 | page_of(claim), 1,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return LEDGER_RUNS(old) == 0;
    }
    return 0;
}

static void count_signed(const struct slot_claim *claim)
{
    uint32_t *bucket = run_bucket(claim);
    uint32_t old = __atomic_load_n(bucket, __ATOMIC_RELAXED);
    for (int i = 0; i < TRIES; i++) {
        uint32_t runs = LEDGER_RUNS(old), last = LEDGER_LAST(old);
        if (runs > 0 && runs < LEDGER_RUNS_MANY)
            runs--;
        if (last == page_of(claim))
            last = claim->previous;
        if (__atomic_compare_exchange_n(bucket, &old, runs << 24 | last, 1, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return;
    }
}

void slot_publish(const struct slot_claim *claim, const struct ledger_slot *head,
                  const void *fields, size_t size, size_t blank)
{
    struct ledger_slot filled = *head;
    filled.magic = LEDGER_SLOT_MAGIC;
    filled.offset = claim->offset;
    filled.slot_bytes = claim->size;
    filled.state = LEDGER_FREE;
    filled.stub_units = (uint16_t)(claim->stub_bytes / LEDGER_STUB_UNIT);
    filled.next_free = claim->previous;
    filled.fields_bytes = (uint32_t)size;
    *claim->slot = filled;
    memcpy(claim->slot + 1, fields, claim->is_new ? size - blank : size);
    __atomic_store_n(&claim->slot->state, LEDGER_OPEN, __ATOMIC_RELEASE);
}

void slot_end(const struct slot_claim *claim, uint64_t end_ns, enum ledger_end by)
{
    claim->slot->end_by = by;
    claim->slot->end_ns = end_ns;
    __atomic_store_n(&claim->slot->state, LEDGER_ENDED, __ATOMIC_RELEASE);
    count_signed(claim);
}

/* After TRIES failures the slot is not put on the list. It is lost then, which wastes its room. */
static void put_on_list(const struct slot_claim *claim)
{
    uint64_t *list = &claim->header->free_list[slot_class(claim->size)];
    uint64_t head = __atomic_load_n(list, __ATOMIC_RELAXED);
    uint64_t next;
    for (int i = 0; i < TRIES; i++) {
        claim->slot->next_free = (uint32_t)head;
        next = ((head >> 32) + 1) << 32 | (uint32_t)(claim->offset / LEDGER_PAGE);
        if (__atomic_compare_exchange_n(list, &head, next, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return;
    }
}

bool slot_may_have_stubs(const struct slot_claim *claim)
{
    uint64_t *taken = &claim->header->stub_slot_bytes;
    uint64_t most = __atomic_load_n(&claim->header->size_bytes, __ATOMIC_RELAXED) / 2;
    uint64_t old = __atomic_load_n(taken, __ATOMIC_RELAXED);
    if (claim->stub_bytes > 0)
        return true;
    for (int i = 0; i < TRIES && old <= most && claim->size <= most - old; i++) {
        if (__atomic_compare_exchange_n(taken, &old, old + claim->size, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

void slot_leave_stub(const struct slot_claim *claim, uint32_t stub_bytes)
{
    struct ledger_slot left;
    left.state = LEDGER_FREE;
    left.stub_units = (uint16_t)(stub_bytes / LEDGER_STUB_UNIT);
    count_signed(claim);
    __atomic_store_n(&claim->slot->state_and_stubs, left.state_and_stubs, __ATOMIC_RELEASE);
    if (claim->size - stub_bytes >= claim->need)
        put_on_list(claim);
}

void slot_discard(const struct slot_claim *claim, uint64_t run_ns)
{
    __atomic_fetch_add(&claim->header->others_ns, run_ns, __ATOMIC_RELAXED);
    __atomic_fetch_add(&claim->header->others_runs, 1, __ATOMIC_RELAXED);
    slot_leave_stub(claim, claim->stub_bytes);
}
