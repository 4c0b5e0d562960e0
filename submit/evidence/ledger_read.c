/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/ledger_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "preload/ledger.h"

/* What a capture points into. */
struct ledger_memory {
    char slot[LEDGER_SLOT_MAX];
    struct capture_object objects[CAPTURE_OBJECTS_MAX];
};

/* The bytes up to the next NUL from `*at` on, which moves behind it. */
static struct capture_bytes next_text(const char **at, const char *end)
{
    const char *nul = memchr(*at, '\0', (size_t)(end - *at));
    const char *stop = nul == NULL ? end : nul;
    struct capture_bytes text = {.at = *at, .size = (size_t)(stop - *at)};
    *at = nul == NULL ? end : nul + 1;
    return text;
}

static void take_ancestor(struct capture *capture, const char *at, size_t size)
{
    const char *end = at + size;
    struct capture_ancestor *ancestor = &capture->ancestors[capture->ancestor_count];
    if (size < sizeof ancestor->pid || capture->ancestor_count == CAPTURE_ANCESTORS_MAX)
        return;
    memcpy(&ancestor->pid, at, sizeof ancestor->pid);
    at += sizeof ancestor->pid;
    ancestor->name = next_text(&at, end);
    ancestor->path = next_text(&at, end);
    ancestor->argv = (struct capture_bytes){.at = at, .size = (size_t)(end - at)};
    capture->ancestor_count++;
}

static void add_object(struct capture *capture, struct capture_object object)
{
    if (capture->object_count < CAPTURE_OBJECTS_MAX)
        capture->objects[capture->object_count++] = object;
}

static void take_object(struct capture *capture, const char *at, size_t size)
{
    size_t id_size = size == 0 ? 0 : (unsigned char)at[0];
    if (size < 1 + id_size)
        return;
    add_object(capture, (struct capture_object){
                            .build_id = {.at = at + 1, .size = id_size},
                            .path = {.at = at + 1 + id_size, .size = size - 1 - id_size},
                        });
}

/* The decimal number up to the next point or the end, behind which `*at` moves. Returns whether
 * there is one that fits. */
static int take_number(const char **at, const char *end, uint32_t *number)
{
    uint64_t value = 0;
    const char *start = *at;
    for (; *at < end && **at >= '0' && **at <= '9' && value <= UINT32_MAX; (*at)++)
        value = value * 10 + (uint64_t)(**at - '0');
    if (*at == start || value > UINT32_MAX || (*at < end && *(*at)++ != '.'))
        return 0;
    *number = (uint32_t)value;
    return 1;
}

/* "STEP.TASK" or "STEP.TASK.PID", all decimal. */
static void take_task(struct capture *capture, const char *at, size_t size)
{
    const char *end = at + size;
    uint32_t step, task, pid = 0;
    if (!take_number(&at, end, &step) || !take_number(&at, end, &task) ||
        (at < end && !take_number(&at, end, &pid)) || at < end)
        return;
    capture->step = step;
    capture->task = task;
    capture->task_pid = pid <= INT32_MAX ? (int32_t)pid : 0;
}

/* The inode of "pid:[INODE]"; another one than any where the text is not of this form. */
static uint64_t name_space(struct capture_bytes text)
{
    static const char head[] = "pid:[";
    const size_t length = sizeof head - 1;
    uint64_t inode = 0;
    size_t at = length;
    if (text.size <= length || memcmp(text.at, head, length) != 0)
        return UINT64_MAX;
    for (; at < text.size && text.at[at] >= '0' && text.at[at] <= '9' && inode <= UINT32_MAX; at++)
        inode = inode * 10 + (uint64_t)(text.at[at] - '0');
    return at == text.size - 1 && text.at[at] == ']' && inode > 0 ? inode : UINT64_MAX;
}

static void take_field(struct capture *capture, const struct ledger_field *field, const char *at)
{
    struct capture_bytes bytes = {at, field->length, (field->flags & LEDGER_FIELD_CUT) != 0};
    capture->cut |= bytes.cut;
    switch (field->kind) {
    case LEDGER_EXEC:
        capture->exec = bytes;
        break;
    case LEDGER_CWD:
        capture->cwd = bytes;
        break;
    case LEDGER_ARGV:
        capture->argv = bytes;
        break;
    case LEDGER_ENV:
        capture->env = bytes;
        break;
    case LEDGER_WATERMARK:
        capture->watermark = bytes;
        break;
    case LEDGER_BUILD_ID:
        capture->build_id = bytes;
        break;
    case LEDGER_OBJECT:
        take_object(capture, at, field->length);
        break;
    case LEDGER_LOADED:
        add_object(capture, (struct capture_object){.path = bytes});
        break;
    case LEDGER_CONTAINER:
        capture->container = bytes;
        break;
    case LEDGER_NAMESPACE:
        capture->name_space = name_space(bytes);
        break;
    case LEDGER_ANCESTOR:
        take_ancestor(capture, at, field->length);
        break;
    case LEDGER_TASK:
        take_task(capture, at, field->length);
        break;
    default: /* a newer library's: skipped */
        break;
    }
}

/* Returns 0, or -EINVAL when a length leads out of the fields. */
static int take_fields(struct capture *capture, const char *at, size_t size)
{
    struct ledger_field field;
    while (size >= sizeof field) {
        memcpy(&field, at, sizeof field);
        at += sizeof field;
        size -= sizeof field;
        if (field.length > size)
            return -EINVAL;
        take_field(capture, &field, at);
        size_t step = (field.length + (size_t)7) & ~(size_t)7;
        if (step > size)
            step = size;
        at += step;
        size -= step;
    }
    return 0;
}

static int sound_slot(const struct ledger_slot *slot, uint64_t offset)
{
    uint32_t size = slot->slot_bytes;
    return slot->magic == LEDGER_SLOT_MAGIC && slot->offset == offset && size >= LEDGER_PAGE &&
           size <= LEDGER_SLOT_MAX && size % LEDGER_PAGE == 0 && (size & (size - 1)) == 0;
}

/* Brings the slot's fields into memory, of which `got` bytes of the slot are there. Returns 0,
 * -EINVAL where the file ends before, or -errno of the read. */
static int read_fields(struct ledger_reader *reader, const struct ledger_slot *slot, size_t got)
{
    size_t size = sizeof *slot + slot->fields_bytes;
    if (size <= got)
        return 0;
    ssize_t more =
        io_read_at(reader->fd, reader->memory->slot + got, size - got, (off_t)(slot->offset + got));
    return more < 0 ? (int)more : (size_t)more < size - got ? -EINVAL : 0;
}

/* The capture of a sound slot, as read_fields(). */
static int read_capture(struct ledger_reader *reader, const struct ledger_slot *slot, size_t got,
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
    int result = read_fields(reader, slot, got);
    if (result == 0)
        result = take_fields(capture, reader->memory->slot + sizeof *slot, slot->fields_bytes);
    return result == 0 && capture->exec.size == 0 ? -EINVAL : result;
}

/* What stands at `offset`. `*step` is how far to go on. Returns as ledger_at(). */
static int read_slot(struct ledger_reader *reader, uint64_t offset, uint32_t *step,
                     struct capture *capture)
{
    struct ledger_slot slot;
    *step = LEDGER_PAGE;
    ssize_t got = io_read_at(reader->fd, reader->memory->slot, LEDGER_PAGE, (off_t)offset);
    if (got < 0)
        return (int)got;
    if ((size_t)got < sizeof slot)
        return 0;
    memcpy(&slot, reader->memory->slot, sizeof slot);
    if (!sound_slot(&slot, offset))
        /* A hole is a slot that its process could not back, which is counted as dropped. */
        return slot.magic == 0 ? 0 : -EINVAL;
    *step = slot.slot_bytes;
    if (slot.state == LEDGER_FREE)
        return 0;
    if (slot.state != LEDGER_OPEN && slot.state != LEDGER_ENDED)
        return -EINVAL;
    int result = read_capture(reader, &slot, (size_t)got, capture);
    return result == 0 ? 1 : result;
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
    struct ledger_reader opened = {.at = LEDGER_PAGE,
                                   .end = header.used_bytes,
                                   .fd = fd,
                                   .memory = malloc(sizeof *opened.memory)};
    if (opened.memory == NULL)
        return -ENOMEM;
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
    int result = 0;
    while (result == 0 && reader->at < reader->end) {
        uint32_t step;
        result = read_slot(reader, reader->at, &step, capture);
        reader->at += step;
        if (result == -EINVAL) {
            reader->damaged++;
            result = 0;
        }
    }
    return result;
}

int ledger_at(struct ledger_reader *reader, uint64_t offset, struct capture *capture)
{
    uint32_t step;
    return read_slot(reader, offset, &step, capture);
}

void ledger_close(struct ledger_reader *reader)
{
    free(reader->memory);
    *reader = (struct ledger_reader){.fd = -1};
}
