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

/* Some bytes of a slot. */
struct part {
    uint32_t at, size;
};

/* Where the reading of a slot's stubs is. */
struct stub_walk {
    uint64_t slot;          /* offset in the file; 0: of no slot */
    uint32_t slot_bytes;    /* sound */
    uint32_t lowest, end;   /* of the stubs that come: between these places in the slot */
    struct part exec, rest; /* the fields that stubs refer to as the same */
};

/* The memory that a capture points into: a window of the file. */
struct ledger_memory {
    uint64_t from, behind; /* offsets in the file: of what is in `bytes` */
    uint64_t slot;         /* offset of the slot that was read last */
    struct stub_walk next; /* of ledger_next() */
    struct stub_walk walk; /* of the others */
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

static void clock_step_set(struct capture *capture)
{
    capture->has_clock_step = capture->elapsed_ns != 0 && capture->end_ns != 0 &&
                              capture->elapsed_ns <= INT64_MAX && capture->start_ns <= INT64_MAX &&
                              capture->end_ns <= INT64_MAX;
    if (!capture->has_clock_step)
        return;
    int64_t real_ns = (int64_t)capture->end_ns - (int64_t)capture->start_ns;
    int64_t step_ns;
    if (__builtin_sub_overflow(real_ns, (int64_t)capture->elapsed_ns, &step_ns))
        capture->has_clock_step = 0;
    else if (step_ns >= CLOCK_STEP_MIN_NS || step_ns <= -CLOCK_STEP_MIN_NS)
        capture->clock_step_ns = step_ns;
}

static uint32_t stub_bytes(const struct ledger_slot *slot)
{
    return slot->stub_units * (uint32_t)LEDGER_STUB_UNIT;
}

/* The capture of a valid slot. Returns 0, -EINVAL where it is damaged or the file ends before its
 * end, or -errno of the read. */
static int read_capture(struct ledger_reader *reader, const struct ledger_slot *slot,
                        struct capture *capture)
{
    uint32_t room = slot->slot_bytes - (uint32_t)sizeof *slot;
    if (stub_bytes(slot) > room || slot->fields_bytes > room - stub_bytes(slot) || slot->pid <= 0 ||
        slot->start_ns == 0)
        return -EINVAL;
    *capture = (struct capture){
        .offset = slot->offset,
        .pid = slot->pid,
        .ppid = slot->ppid,
        .start_ticks = slot->start_ticks,
        .start_ns = slot->start_ns,
        .end_ns = slot->state == LEDGER_ENDED ? slot->end_ns : 0,
        .up_ns = slot->up_ns,
        .elapsed_ns = slot->state == LEDGER_ENDED ? slot->elapsed_ns : 0,
        .rank = slot->rank,
        .size = slot->size == 0 ? 1 : slot->size,
        .random = slot->random,
        .probability = slot->probability > 0 && slot->probability <= 1 ? slot->probability : 0,
        .table = slot->table,
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
    clock_step_set(capture);
    const char *at;
    int error = look_at_slot(reader, slot->offset, sizeof *slot + slot->fields_bytes, &at);
    if (error == 0)
        error =
            at == NULL ? -EINVAL : ledger_fields(capture, at + sizeof *slot, slot->fields_bytes);
    return error == 0 && capture->exec.size == 0 ? -EINVAL : error;
}

/* Prepares to read the stubs of a valid slot. Returns 0, or -EINVAL where they are more than it has
 * room for. */
static int stub_walk_begin(struct stub_walk *walk, const struct ledger_slot *slot)
{
    uint32_t bytes = stub_bytes(slot);
    bool has_room = bytes <= slot->slot_bytes - sizeof *slot;
    *walk = (struct stub_walk){
        .slot = slot->offset,
        .slot_bytes = slot->slot_bytes,
        .lowest = slot->slot_bytes - (has_room ? bytes : 0),
        .end = slot->slot_bytes,
    };
    return has_room ? 0 : -EINVAL;
}

/* Reads the executable's field and the others of a stub, which are the bytes `fields` of the slot
 * at `at`, or the same as of the stub before. */
static int read_stub_fields(struct stub_walk *walk, const char *at, struct part fields,
                            uint32_t flags, struct capture *capture)
{
    struct ledger_field head;
    if ((flags & LEDGER_STUB_SAME_EXEC) == 0) {
        if (fields.size < sizeof head)
            return -EINVAL;
        memcpy(&head, at + fields.at, sizeof head);
        uint64_t size = sizeof head + (((uint64_t)head.length + 7) & ~(uint64_t)7);
        if (head.kind != LEDGER_EXEC || size > fields.size)
            return -EINVAL;
        walk->exec = (struct part){fields.at, (uint32_t)size};
        fields.at += (uint32_t)size;
        fields.size -= (uint32_t)size;
    }
    if ((flags & LEDGER_STUB_SAME_REST) == 0)
        walk->rest = fields;
    int error = ledger_fields(capture, at + walk->exec.at, walk->exec.size);
    if (error == 0)
        error = ledger_fields(capture, at + walk->rest.at, walk->rest.size);
    return error == 0 && capture->exec.size == 0 ? -EINVAL : error;
}

/* The next stub of the slot at `at`. Returns 1, 0 where there is none, or -EINVAL where it is
 * damaged: then the next one cannot be found. */
static int next_stub(struct stub_walk *walk, const char *at, struct capture *capture)
{
    struct ledger_stub stub;
    uint32_t room = walk->end - walk->lowest;
    if (room < sizeof stub)
        return room == 0 ? 0 : -EINVAL;
    uint32_t place = walk->end - (uint32_t)sizeof stub;
    memcpy(&stub, at + place, sizeof stub);
    if (stub.fields_bytes > place - walk->lowest || stub.fields_bytes % LEDGER_STUB_UNIT != 0 ||
        stub.pid <= 0 || stub.start_ns == 0)
        return -EINVAL;
    *capture = (struct capture){
        .offset = walk->slot,
        .stub = place,
        .is_stub = 1,
        .pid = stub.pid,
        .ppid = stub.ppid,
        .start_ticks = stub.start_ticks,
        .start_ns = stub.start_ns,
        .end_ns = stub.end_ns == 0 ? stub.start_ns : stub.end_ns,
        .elapsed_ns = stub.elapsed_ns,
        .rank = stub.rank,
        .size = stub.size == 0 ? 1 : stub.size,
        .step = UINT32_MAX,
        .task = UINT32_MAX,
        .first = (stub.flags & LEDGER_STUB_FIRST) != 0,
    };
    clock_step_set(capture);
    walk->end = place - stub.fields_bytes;
    const struct part fields = {walk->end, stub.fields_bytes};
    return read_stub_fields(walk, at, fields, stub.flags, capture) == 0 ? 1 : -EINVAL;
}

/* As next_stub(), with the slot in the window. */
static int read_stub(struct ledger_reader *reader, struct stub_walk *walk, struct capture *capture)
{
    const char *at;
    if (walk->end == walk->lowest)
        return 0;
    int error = look_at_slot(reader, walk->slot, walk->slot_bytes, &at);
    if (error != 0)
        return error;
    int found = at == NULL ? -EINVAL : next_stub(walk, at, capture);
    if (found == 1)
        capture->objects = reader->memory->objects;
    else
        walk->end = walk->lowest;
    return found;
}

/* As ledger_slot(); then `*walk` leads to the slot's stubs. */
static int read_slot(struct ledger_reader *reader, uint64_t offset, uint32_t *step,
                     struct stub_walk *walk, struct capture *capture)
{
    struct ledger_memory *memory = reader->memory;
    struct ledger_slot slot;
    const char *at;
    *step = LEDGER_PAGE;
    if (offset <= memory->slot)
        memory->behind = memory->from; /* the window is empty */
    memory->slot = offset;
    *walk = (struct stub_walk){.slot = 0};
    int error = look_at_slot(reader, offset, sizeof slot, &at);
    if (error != 0 || at == NULL)
        return error;
    memcpy(&slot, at, sizeof slot);
    if (!is_valid_slot(&slot, offset))
        /* a hole: its process had no room for the slot, and has counted it as dropped */
        return slot.magic == 0 ? 0 : -EINVAL;
    *step = slot.slot_bytes;
    error = stub_walk_begin(walk, &slot);
    if (error != 0 || slot.state == LEDGER_FREE)
        return error;
    if (slot.state != LEDGER_OPEN && slot.state != LEDGER_ENDED)
        return -EINVAL;
    error = read_capture(reader, &slot, capture);
    return error == 0 ? 1 : error;
}

int ledger_slot(struct ledger_reader *reader, uint64_t offset, uint32_t *step,
                struct capture *capture)
{
    return read_slot(reader, offset, step, &reader->memory->walk, capture);
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
                                   .others_runs = header.others_runs,
                                   .others_ns = header.others_ns,
                                   .fd = fd,
                                   .memory = malloc(sizeof *opened.memory)};
    if (opened.memory == NULL)
        return -ENOMEM;
    opened.memory->from = opened.memory->behind = opened.memory->slot = 0;
    opened.memory->walk = opened.memory->next = (struct stub_walk){.slot = 0};
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
    struct stub_walk *walk = &reader->memory->next;
    for (;;) {
        int found = read_stub(reader, walk, capture);
        if (found == 0 && reader->at >= reader->end)
            return 0;
        if (found == 0) {
            uint32_t step;
            found = read_slot(reader, reader->at, &step, walk, capture);
            reader->at += step;
        }
        if (found == -EINVAL)
            reader->damaged++;
        else if (found != 0)
            return found;
    }
}

int ledger_at(struct ledger_reader *reader, uint64_t offset, struct capture *capture)
{
    uint32_t step;
    return ledger_slot(reader, offset, &step, capture);
}

int ledger_stub_at(struct ledger_reader *reader, uint64_t offset, uint32_t stub,
                   struct capture *capture)
{
    struct stub_walk *walk = &reader->memory->walk;
    if (walk->slot != offset || walk->end < stub + sizeof(struct ledger_stub)) {
        uint32_t step;
        int found = read_slot(reader, offset, &step, walk, capture);
        if (found < 0 && found != -EINVAL)
            return found;
    }
    int found = 1;
    while (found == 1) {
        found = read_stub(reader, walk, capture);
        if (found == 1 && capture->stub <= stub)
            return capture->stub == stub;
    }
    return found;
}

void ledger_close(struct ledger_reader *reader)
{
    free(reader->memory);
    *reader = (struct ledger_reader){.fd = -1};
}
