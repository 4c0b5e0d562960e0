/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ledger_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger.h"

enum { CAPTURES_MAX = 1 << 20 };

/* Reads `size` bytes at `offset`, or fewer at the end of the file. */
static ssize_t read_at(int fd, void *to, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, (char *)to + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

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

static int take_object(struct capture *capture, const char *at, size_t size)
{
    size_t id_size = size == 0 ? 0 : (unsigned char)at[0];
    if (size < 1 + id_size || capture->object_count == CAPTURE_OBJECTS_MAX)
        return 0;
    if (capture->objects == NULL) {
        capture->objects = calloc(CAPTURE_OBJECTS_MAX, sizeof *capture->objects);
        if (capture->objects == NULL)
            return -ENOMEM;
    }
    capture->objects[capture->object_count++] = (struct capture_object){
        .build_id = {.at = at + 1, .size = id_size},
        .path = {.at = at + 1 + id_size, .size = size - 1 - id_size},
    };
    return 0;
}

/* "STEP.TASK", both decimal. */
static void take_task(struct capture *capture, const char *at, size_t size)
{
    char text[32];
    char *end;
    if (size >= sizeof text)
        return;
    memcpy(text, at, size);
    text[size] = '\0';
    unsigned long step = strtoul(text, &end, 10);
    if (*end != '.' || step > UINT32_MAX)
        return;
    unsigned long task = strtoul(end + 1, &end, 10);
    if (*end != '\0' || task > UINT32_MAX)
        return;
    capture->step = (uint32_t)step;
    capture->task = (uint32_t)task;
}

static int take_field(struct capture *capture, const struct ledger_field *field, const char *at)
{
    struct capture_bytes bytes = {at, field->length, (field->flags & LEDGER_FIELD_CUT) != 0};
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
        return take_object(capture, at, field->length);
    case LEDGER_ANCESTOR:
        take_ancestor(capture, at, field->length);
        break;
    case LEDGER_TASK:
        take_task(capture, at, field->length);
        break;
    default: /* a newer library's: skipped */
        break;
    }
    return 0;
}

/* Returns 0, -EINVAL when a length leads out of the fields, or -ENOMEM. */
static int take_fields(struct capture *capture, const char *at, size_t size)
{
    struct ledger_field field;
    while (size >= sizeof field) {
        memcpy(&field, at, sizeof field);
        at += sizeof field;
        size -= sizeof field;
        if (field.length > size)
            return -EINVAL;
        int result = take_field(capture, &field, at);
        if (result != 0)
            return result;
        size_t step = (field.length + (size_t)7) & ~(size_t)7;
        if (step > size)
            step = size;
        at += step;
        size -= step;
    }
    return 0;
}

/* Gives back what a short list of objects does not need. */
static void trim_objects(struct capture *capture)
{
    if (capture->object_count == 0)
        return;
    void *smaller =
        reallocarray(capture->objects, capture->object_count, sizeof *capture->objects);
    if (smaller != NULL)
        capture->objects = smaller;
}

static int sound_slot(const struct ledger_slot *slot, uint64_t offset)
{
    uint32_t size = slot->slot_bytes;
    return slot->magic == LEDGER_SLOT_MAGIC && slot->offset == offset && size >= LEDGER_PAGE &&
           size <= LEDGER_SLOT_MAX && size % LEDGER_PAGE == 0 && (size & (size - 1)) == 0;
}

static void capture_free(struct capture *capture)
{
    free(capture->objects);
    free(capture->memory);
}

/* Returns 0, -EINVAL for a damaged slot, -ENOMEM, or -errno of the read. */
static int read_capture(int fd, const struct ledger_slot *slot, struct capture *capture)
{
    size_t size = slot->fields_bytes;
    if (size > slot->slot_bytes - sizeof *slot || slot->pid <= 0 || slot->start_ns == 0)
        return -EINVAL;
    struct capture found = {
        .pid = slot->pid,
        .ppid = slot->ppid,
        .start_ticks = slot->start_ticks,
        .start_ns = slot->start_ns,
        .end_ns = slot->state == LEDGER_ENDED ? slot->end_ns : 0,
        .rank = slot->rank,
        .size = slot->size == 0 ? 1 : slot->size,
        .step = UINT32_MAX,
        .task = UINT32_MAX,
        .cut = (slot->flags & LEDGER_SLOT_CUT) != 0,
        .memory = malloc(size + 1),
    };
    memcpy(found.uuid, slot->uuid, sizeof found.uuid);
    if (found.memory == NULL)
        return -ENOMEM;
    ssize_t got = read_at(fd, found.memory, size, slot->offset + sizeof *slot);
    int result = got < 0 ? (int)got : (size_t)got < size ? -EINVAL : 0;
    if (result == 0)
        result = take_fields(&found, found.memory, size);
    if (result == 0 && (found.exec.at == NULL || found.exec.size == 0))
        result = -EINVAL;
    if (result != 0) {
        capture_free(&found);
        return result;
    }
    trim_objects(&found);
    *capture = found;
    return 0;
}

static int add_capture(struct captures *captures, const struct capture *capture)
{
    size_t count = captures->count;
    if ((count & (count - 1)) == 0) {
        struct capture *larger =
            reallocarray(captures->capture, count == 0 ? 1 : count * 2, sizeof *larger);
        if (larger == NULL)
            return -ENOMEM;
        captures->capture = larger;
    }
    captures->capture[captures->count++] = *capture;
    return 0;
}

/* What stands at `offset`: adds it when it is a capture. `*step` is how far to go on. */
static int read_slot(int fd, uint64_t offset, struct captures *captures, uint32_t *step)
{
    struct ledger_slot slot;
    struct capture capture;
    *step = LEDGER_PAGE;
    ssize_t got = read_at(fd, &slot, sizeof slot, offset);
    if (got < 0)
        return (int)got;
    if ((size_t)got < sizeof slot)
        return 0;
    if (!sound_slot(&slot, offset)) {
        /* A hole is a slot that its process could not back, which is counted as dropped. */
        captures->damaged += slot.magic != 0;
        return 0;
    }
    *step = slot.slot_bytes;
    if (slot.state != LEDGER_OPEN && slot.state != LEDGER_ENDED) {
        captures->damaged += slot.state != LEDGER_FREE;
        return 0;
    }
    int result = read_capture(fd, &slot, &capture);
    if (result == -EINVAL) {
        captures->damaged++;
        return 0;
    }
    if (result == 0 && (result = add_capture(captures, &capture)) != 0)
        capture_free(&capture);
    return result;
}

int ledger_read(int fd, struct captures *captures)
{
    struct ledger_header header;
    struct captures found = {0};
    ssize_t got = read_at(fd, &header, sizeof header, 0);
    if (got < 0)
        return (int)got;
    if ((size_t)got < sizeof header || header.magic != LEDGER_MAGIC)
        return -EINVAL;
    off_t size = lseek(fd, 0, SEEK_END);
    uint64_t end = header.used_bytes;
    if (size < 0)
        return -errno;
    if (end > (uint64_t)size)
        end = (uint64_t)size;
    for (int i = 0; i < LEDGER_DROPS; i++)
        found.dropped += header.dropped[i];
    uint32_t step;
    for (uint64_t offset = LEDGER_PAGE; offset < end && found.count < CAPTURES_MAX;
         offset += step) {
        int result = read_slot(fd, offset, &found, &step);
        if (result != 0) {
            captures_free(&found);
            return result;
        }
    }
    *captures = found;
    return 0;
}

void captures_free(struct captures *captures)
{
    for (size_t i = 0; i < captures->count; i++)
        capture_free(&captures->capture[i]);
    free(captures->capture);
    *captures = (struct captures){0};
}
