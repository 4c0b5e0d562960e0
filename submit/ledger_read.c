/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ledger_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger.h"

/* The largest ledger that a site can configure. Its owner can make the file as long as the file
 * system allows, and a walk over that would never end. */
#define LEDGER_BYTES_MAX (UINT64_C(1) << 30)

/* What captures may take in memory, fields and lists of objects; the flush runs with 2 GiB. */
#define MEMORY_MAX ((size_t)1 << 30)

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

static int add_object(struct capture *capture, struct capture_object object)
{
    if (capture->object_count == CAPTURE_OBJECTS_MAX)
        return 0;
    if (capture->objects == NULL) {
        capture->objects = calloc(CAPTURE_OBJECTS_MAX, sizeof *capture->objects);
        if (capture->objects == NULL)
            return -ENOMEM;
    }
    capture->objects[capture->object_count++] = object;
    return 0;
}

static int take_object(struct capture *capture, const char *at, size_t size)
{
    size_t id_size = size == 0 ? 0 : (unsigned char)at[0];
    if (size < 1 + id_size)
        return 0;
    return add_object(capture, (struct capture_object){
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

static int take_field(struct capture *capture, const struct ledger_field *field, const char *at)
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
        return take_object(capture, at, field->length);
    case LEDGER_LOADED:
        return add_object(capture, (struct capture_object){.path = bytes});
    case LEDGER_CONTAINER:
        capture->container = bytes;
        break;
    case LEDGER_NAMESPACE:
        capture->name_space = bytes;
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
    void *smaller = reallocarray(capture->objects, capture->object_count, sizeof *capture->objects);
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

/* What stands at `offset`: adds it when it is a capture, and takes its memory from `*room`. `*step`
 * is how far to go on. */
static int read_slot(int fd, uint64_t offset, struct captures *captures, uint32_t *step,
                     size_t *room)
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
    if (result != 0)
        return result;
    size_t taken = slot.fields_bytes + capture.object_count * sizeof *capture.objects;
    if (taken > *room) {
        captures->damaged++;
        capture_free(&capture);
        return 0;
    }
    *room -= taken;
    result = add_capture(captures, &capture);
    if (result != 0)
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
    if (end > LEDGER_BYTES_MAX)
        end = LEDGER_BYTES_MAX;
    for (int i = 0; i < LEDGER_DROPS; i++)
        found.dropped += header.dropped[i];
    size_t room = MEMORY_MAX;
    uint32_t step;
    for (uint64_t offset = LEDGER_PAGE; offset < end; offset += step) {
        int result = read_slot(fd, offset, &found, &step, &room);
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
