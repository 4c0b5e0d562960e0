/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/ledger_read.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "preload/ledger.h"
#include "submit/evidence/ledger_fields.h"

/* So much is read at once: many slots. */
enum { WINDOW = 16 * LEDGER_PAGE };

/* Where the reading of a slot's stubs is. */
struct stub_walk {
    uint64_t slot;       /* offset in the file */
    uint32_t slot_bytes; /* sound; 0: of no slot */
    uint32_t at;         /* place of the next stub in the slot; slot_bytes: there is none */
};

/* The memory that a capture points into: a window of the file. */
struct ledger_memory {
    uint64_t from, behind; /* offsets in the file: of what is in `bytes` */
    uint64_t slot;         /* offset of the slot that was read last */
    struct stub_walk walk; /* of ledger_next() */
    char bytes[LEDGER_SLOT_MAX];
    struct capture_object objects[CAPTURE_OBJECTS_MAX];
    struct capture_library routine_libraries[CAPTURE_ROUTINE_LIBRARIES_MAX];
    struct capture_routine routines[CAPTURE_ROUTINES_MAX];
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

/* Times from the ledger may be any number. */
static void bound_times(const struct ledger_reader *reader, struct capture *capture)
{
    const struct ledger_bounds *starts = &reader->starts;
    const uint64_t told_ns = capture->start_ns;
    if (told_ns < starts->first_ns && starts->first_ns - told_ns > starts->slack_ns)
        capture->start_ns = starts->first_ns;
    else if (told_ns > starts->last_ns && told_ns - starts->last_ns > starts->slack_ns)
        capture->start_ns = starts->last_ns;
    capture->misdated = capture->start_ns != told_ns;
    const uint64_t most = INT64_MAX / 2;
    if (capture->misdated || capture->elapsed_ns == 0 || capture->elapsed_ns > most ||
        capture->end_ns == 0 || capture->end_ns > most || capture->start_ns > most)
        return;
    int64_t step_ns =
        (int64_t)capture->end_ns - (int64_t)capture->start_ns - (int64_t)capture->elapsed_ns;
    capture->has_clock_step = 1;
    if ((uint64_t)llabs(step_ns) >= LEDGER_CLOCK_STEP_NS)
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
        .routine_libraries = reader->memory->routine_libraries,
        .routines = reader->memory->routines,
    };
    memcpy(capture->uuid, slot->uuid, sizeof capture->uuid);
    bound_times(reader, capture);
    const char *at;
    int error = look_at_slot(reader, slot->offset, sizeof *slot + slot->fields_bytes, &at);
    if (error == 0)
        error =
            at == NULL ? -EINVAL : ledger_fields(capture, at + sizeof *slot, slot->fields_bytes);
    return error == 0 && capture->exec.size == 0 ? -EINVAL : error;
}

/* Prepares to read the stubs of a valid slot. Returns 0, or -EINVAL where they have no room. */
static int stub_walk_begin(struct stub_walk *walk, const struct ledger_slot *slot)
{
    uint32_t bytes = stub_bytes(slot);
    bool has_room = bytes <= slot->slot_bytes - sizeof *slot;
    *walk = (struct stub_walk){slot->offset, slot->slot_bytes,
                               slot->slot_bytes - (has_room ? bytes : 0)};
    return has_room ? 0 : -EINVAL;
}

/* Adds the executable and the other fields of a stub, in the slot at `at`. */
static int read_stub_fields(const struct stub_walk *walk, const char *at,
                            const struct ledger_stub *stub, struct capture *capture)
{
    struct ledger_field exec;
    uint32_t exec_room = stub->exec_at * (uint32_t)LEDGER_STUB_UNIT;
    uint32_t rest_room = stub->rest_at * (uint32_t)LEDGER_STUB_UNIT;
    uint32_t rest_bytes = stub->rest_units * (uint32_t)LEDGER_STUB_UNIT;
    if (exec_room > walk->slot_bytes - walk->at || exec_room < sizeof exec ||
        rest_room > walk->slot_bytes - walk->at || rest_bytes > rest_room)
        return -EINVAL;
    const char *place = at + walk->slot_bytes - exec_room;
    memcpy(&exec, place, sizeof exec);
    if (exec.kind != LEDGER_EXEC || exec.length == 0 || exec.length >= PATH_MAX ||
        exec.length > exec_room - sizeof exec)
        return -EINVAL;
    int error = ledger_fields(capture, place, sizeof exec + exec.length);
    return error != 0 ? error
                      : ledger_fields(capture, at + walk->slot_bytes - rest_room, rest_bytes);
}

/* The stub at walk->at of the slot at `at`; then walk->at is the place of the next one. Returns 0,
 * or -EINVAL where it is damaged. */
static int next_stub(const struct ledger_reader *reader, struct stub_walk *walk, const char *at,
                     struct capture *capture)
{
    struct ledger_stub stub;
    uint32_t room = walk->slot_bytes - walk->at;
    if (room < sizeof stub)
        return -EINVAL;
    memcpy(&stub, at + walk->at, sizeof stub);
    uint32_t fields_bytes = stub.field_units * (uint32_t)LEDGER_STUB_UNIT;
    if (fields_bytes > room - sizeof stub || stub.pid <= 0 || stub.start_ns == 0)
        return -EINVAL;
    *capture = (struct capture){
        .offset = walk->slot,
        .stub = walk->at,
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
    bound_times(reader, capture);
    int error = read_stub_fields(walk, at, &stub, capture);
    walk->at += (uint32_t)sizeof stub + fields_bytes;
    return error;
}

/* The next stub of the slot. Returns 1; 0 where there is none; -EINVAL where it is damaged, and no
 * other one of the slot is looked for; or -errno of the read. */
static int read_stub(struct ledger_reader *reader, struct stub_walk *walk, struct capture *capture)
{
    const char *at;
    if (walk->at >= walk->slot_bytes)
        return 0;
    int error = look_at_slot(reader, walk->slot, walk->slot_bytes, &at);
    if (error == 0)
        error = at == NULL ? -EINVAL : next_stub(reader, walk, at, capture);
    if (error == 0)
        capture->objects = reader->memory->objects;
    else
        walk->at = walk->slot_bytes;
    return error == 0 ? 1 : error;
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
    *walk = (struct stub_walk){.slot_bytes = 0};
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
    struct stub_walk walk;
    return read_slot(reader, offset, step, &walk, capture);
}

/* A counter may hold any number. */
static uint64_t counted(uint64_t number)
{
    return number < UINT32_MAX ? number : UINT32_MAX;
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
    struct ledger_reader opened = {.starts = {.last_ns = UINT64_MAX},
                                   .at = LEDGER_FIRST,
                                   .end = header.used_bytes,
                                   .others_runs = counted(header.others_runs),
                                   .others_ns = header.others_ns,
                                   .fd = fd,
                                   .memory = malloc(sizeof *opened.memory)};
    if (opened.memory == NULL)
        return -ENOMEM;
    opened.memory->from = opened.memory->behind = opened.memory->slot = 0;
    opened.memory->walk = (struct stub_walk){.slot_bytes = 0};
    if (opened.end > (uint64_t)size)
        opened.end = (uint64_t)size;
    if (opened.end > most) {
        opened.end = most;
        opened.damaged = 1;
    }
    for (int i = 0; i < LEDGER_DROPS; i++)
        opened.dropped = counted(opened.dropped + counted(header.dropped[i]));
    *reader = opened;
    return 0;
}

int ledger_next(struct ledger_reader *reader, struct capture *capture)
{
    struct stub_walk *walk = &reader->memory->walk;
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
        else if (found != 0) {
            reader->misdated += found == 1 && capture->misdated;
            return found;
        }
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
    struct ledger_slot slot;
    const char *at;
    int error = look_at_slot(reader, offset, sizeof slot, &at);
    if (error != 0 || at == NULL)
        return error;
    memcpy(&slot, at, sizeof slot);
    struct stub_walk walk = {offset, slot.slot_bytes, stub};
    if (!is_valid_slot(&slot, offset) || stub < sizeof slot || stub > slot.slot_bytes)
        return -EINVAL;
    return read_stub(reader, &walk, capture);
}

void ledger_close(struct ledger_reader *reader)
{
    free(reader->memory);
    *reader = (struct ledger_reader){.fd = -1};
}
