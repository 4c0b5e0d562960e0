/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/ledger_read.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "preload/ledger.h"
#include "submit/evidence/ledger_fields.h"

/* So much is read at once: many slots. */
enum { WINDOW = 16 * LEDGER_PAGE };

/* The memory that a capture points into: a window of the file. */
struct ledger_memory {
    uint64_t from, behind; /* offsets in the file: of what is in `bytes` */
    uint64_t slot;         /* offset of the slot that was read last */
    char bytes[LEDGER_SLOT_MAX];
    struct capture_object objects[CAPTURE_OBJECTS_MAX];
};

_Static_assert(WINDOW <= LEDGER_SLOT_MAX, "the window has room");

static bool is_valid_slot(const struct ledger_slot *slot, uint64_t offset)
{
    uint32_t size = slot->slot_bytes;
    return slot->magic == LEDGER_SLOT_MAGIC && slot->offset == offset && size >= LEDGER_PAGE &&
           size <= LEDGER_SLOT_MAX && size % LEDGER_PAGE == 0 && (size & (size - 1)) == 0;
}

/* Reads the window anew. Returns 0 or -errno. */
static int fill_window(struct ledger_reader *reader, uint64_t offset, size_t size)
{
    struct ledger_memory *memory = reader->memory;
    memory->from = memory->behind = offset;
    ssize_t got =
        io_read_at(reader->fd, memory->bytes, size > WINDOW ? size : WINDOW, (off_t)offset);
    if (got < 0)
        return (int)got;
    memory->behind += (uint64_t)got;
    return 0;
}

/* Where the first `size` bytes of the slot at `offset` are, or NULL where the file ends before
 * that. Who goes from slot to slot has them from the window. A slot that is asked for again, or an
 * earlier one, is read again. Returns 0 or -errno. */
static int look_at_slot(struct ledger_reader *reader, uint64_t offset, size_t size, const char **at)
{
    struct ledger_memory *memory = reader->memory;
    bool has = offset >= memory->from && offset + size <= memory->behind;
    int error = has ? 0 : fill_window(reader, offset, size);
    if (error == 0)
        *at = offset + size <= memory->behind ? memory->bytes + (offset - memory->from) : NULL;
    return error;
}

/* The capture of a valid slot. Returns 0, -EINVAL where it is damaged or the file ends before its
 * end, or -errno of the read. */
static int read_capture(struct ledger_reader *reader, const struct ledger_slot *slot,
                        struct capture *capture)
{
    if (slot->fields_bytes > slot->slot_bytes - sizeof *slot || slot->pid <= 0 ||
        slot->start_ns == 0)
        return -EINVAL;
    *capture = (struct capture){
        .offset = slot->offset,
        .pid = slot->pid,
        .ppid = slot->ppid,
        .start_ticks = slot->start_ticks,
        .start_ns = slot->start_ns,
        .end_ns = slot->state == LEDGER_ENDED ? slot->end_ns : 0,
        .rank = slot->rank,
        .size = slot->size == 0 ? 1 : slot->size,
        .random = slot->random,
        .probability = slot->probability > 0 && slot->probability <= 1 ? slot->probability : 0,
        .signal = slot->signal < 128 ? slot->signal : 0,
        .gpus = slot->gpus,
        .end_by = slot->end_by,
        .step = UINT32_MAX,
        .task = UINT32_MAX,
        .cut = (slot->flags & LEDGER_SLOT_CUT) != 0,
        .pkgs = (slot->flags & LEDGER_SLOT_PKGS) != 0,
        .first = (slot->flags & LEDGER_SLOT_FIRST) != 0,
        .keep = (slot->flags & LEDGER_SLOT_KEEP) != 0,
        .wants_start = (slot->flags & LEDGER_SLOT_START) != 0,
        .objects = reader->memory->objects,
    };
    memcpy(capture->uuid, slot->uuid, sizeof capture->uuid);
    const char *at;
    int error = look_at_slot(reader, slot->offset, sizeof *slot + slot->fields_bytes, &at);
    if (error == 0)
        error =
            at == NULL ? -EINVAL : ledger_fields(capture, at + sizeof *slot, slot->fields_bytes);
    return error == 0 && capture->exec.size == 0 ? -EINVAL : error;
}

int ledger_slot(struct ledger_reader *reader, uint64_t offset, uint32_t *step,
                struct capture *capture)
{
    struct ledger_memory *memory = reader->memory;
    struct ledger_slot slot;
    const char *at;
    *step = LEDGER_PAGE;
    if (offset <= memory->slot)
        memory->behind = memory->from; /* the window is empty */
    memory->slot = offset;
    int error = look_at_slot(reader, offset, sizeof slot, &at);
    if (error != 0 || at == NULL)
        return error;
    memcpy(&slot, at, sizeof slot);
    if (!is_valid_slot(&slot, offset))
        /* a hole: its process had no room for the slot, and has counted it as dropped */
        return slot.magic == 0 ? 0 : -EINVAL;
    *step = slot.slot_bytes;
    if (slot.state == LEDGER_FREE)
        return 0;
    if (slot.state != LEDGER_OPEN && slot.state != LEDGER_ENDED)
        return -EINVAL;
    error = read_capture(reader, &slot, capture);
    return error == 0 ? 1 : error;
}

int ledger_open(int fd, uint64_t most, struct ledger_reader *reader)
{
    struct ledger_header header;
    ssize_t got = io_read_at(fd, &header, sizeof header, 0);
    if (got < 0)
        return (int)got;
    if ((size_t)got < sizeof header || header.magic != LEDGER_MAGIC)
        return -EINVAL;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0)
        return -errno;
    struct ledger_reader opened = {.at = LEDGER_FIRST,
                                   .end = header.used_bytes,
                                   .fd = fd,
                                   .memory = malloc(sizeof *opened.memory)};
    if (opened.memory == NULL)
        return -ENOMEM;
    opened.memory->from = opened.memory->behind = opened.memory->slot = 0;
    if (opened.end > (uint64_t)size)
        opened.end = (uint64_t)size;
    if (opened.end > most) {
        opened.end = most;
        opened.damaged = 1;
    }
    for (int i = 0; i < LEDGER_DROPS; i++)
        opened.dropped += header.dropped[i];
    *reader = opened;
    return 0;
}

int ledger_next(struct ledger_reader *reader, struct capture *capture)
{
    int found = 0;
    while (found == 0 && reader->at < reader->end) {
        uint32_t step;
        found = ledger_slot(reader, reader->at, &step, capture);
        reader->at += step;
        if (found == -EINVAL) {
            reader->damaged++;
            found = 0;
        }
    }
    return found;
}

int ledger_at(struct ledger_reader *reader, uint64_t offset, struct capture *capture)
{
    uint32_t step;
    return ledger_slot(reader, offset, &step, capture);
}

void ledger_close(struct ledger_reader *reader)
{
    free(reader->memory);
    *reader = (struct ledger_reader){.fd = -1};
}
