/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ledger's head leads to the last captures of processes with a pid like ours. One of them is of
 * this process if the pid is ours, the process began when this one did, and the namespace is the
 * same: the kernel reuses pids, and containers have pids of their own.
 */
#include "preload/predecessor.h"

#include "preload/clock.h"
#include "preload/proc.h"
#include "preload/slot.h"
#include "preload/system.h"

enum {
    STEPS_MAX = 64,               /* captures that are looked at */
    FIRST_NAMESPACE = -268435460, /* as uint32_t: the inode of the first one (PROC_PID_INIT_INO) */
};

/* Whether the capture is of this process. One whose tasks it descends from has no namespace: then
 * the same parent tells it, and if that has gone, that this is the namespace of the node. */
static bool is_own(const struct ledger_slot *slot, const struct proc_stat *self)
{
    char text[64];
    bool is_same = (slot->flags & LEDGER_SLOT_FIRST) != 0 ? self->start_ticks <= slot->start_ticks
                                                          : self->start_ticks == slot->start_ticks;
    if (!is_same || (slot->name_space == 0 && slot->ppid == self->ppid))
        return is_same;
    uint64_t own = proc_namespace_inode(text, proc_namespace(text, sizeof text));
    return own == (slot->name_space != 0 ? slot->name_space : (uint32_t)FIRST_NAMESPACE);
}

/* Finds the last capture of this process, `pid`, that is not signed. Whether there is one. */
static bool find_own(int fd, uint32_t page, int32_t pid, struct ledger_slot *slot)
{
    struct proc_stat self = {.pid = 0};
    for (int i = 0; i < STEPS_MAX && page != 0; i++) {
        uint64_t offset = (uint64_t)page * LEDGER_PAGE;
        if (system_read_at(fd, slot, sizeof *slot, offset) != (long)sizeof *slot ||
            slot->magic != LEDGER_SLOT_MAGIC || slot->offset != offset)
            return false;
        bool may_be_own = slot->pid == pid && slot->state == LEDGER_OPEN;
        if (may_be_own && self.pid == 0 && !proc_stat(0, &self))
            return false;
        if (may_be_own && is_own(slot, &self))
            return true;
        page = slot->next_free;
    }
    return false;
}

/* Signs the capture that has been read as `slot`, whose page has its block. One mapping has the
 * header and the slot: of what lies between, no page is touched. */
static void end_at(int fd, const struct image *image, const struct ledger_slot *slot)
{
    struct slot_ledger ledger;
    uint64_t now = clock_now(clock_find(image));
    uint64_t bytes = slot->offset + LEDGER_PAGE;
    if (slot->offset < LEDGER_FIRST || bytes > SIZE_MAX / 2 ||
        !slot_map_ledger(fd, image->user, image->page_bytes, (size_t)bytes, &ledger))
        return;
    const struct slot_claim claim = {
        .header = ledger.header,
        .slot = (struct ledger_slot *)(void *)((char *)ledger.header + slot->offset),
        .offset = slot->offset,
        .pid = slot->pid,
        .previous = LEDGER_LAST(slot->next_free),
    };
    if (bytes <= ledger.size)
        slot_end(&claim, now < slot->start_ns ? slot->start_ns : now, LEDGER_END_REPLACED);
    slot_unmap_ledger(&ledger, (size_t)bytes);
}

bool predecessor_find(int fd, struct ledger_slot *slot)
{
    uint32_t bucket = 0;
    int32_t pid = (int32_t)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0);
    uint64_t at =
        offsetof(struct ledger_header, runs) + sizeof bucket * ((uint32_t)pid % LEDGER_BUCKETS);
    return system_read_at(fd, &bucket, sizeof bucket, at) == (long)sizeof bucket &&
           LEDGER_RUNS(bucket) != 0 && find_own(fd, LEDGER_LAST(bucket), pid, slot);
}

void predecessor_end(const struct image *image, const char *spool)
{
    char path[512];
    int fd = slot_open_file(spool, path, sizeof path);
    if (fd < 0)
        return;
    struct ledger_slot slot;
    if (predecessor_find(fd, &slot))
        end_at(fd, image, &slot);
    system_close(fd);
}
