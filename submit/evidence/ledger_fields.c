/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/ledger_fields.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "extensions.h"
#include "preload/ledger.h"

/* The bytes from `*at` up to the next NUL; `*at` moves past that. */
static struct capture_bytes next_text(const char **at, const char *end)
{
    const char *nul = memchr(*at, '\0', (size_t)(end - *at));
    const char *stop = nul == NULL ? end : nul;
    struct capture_bytes text = {.at = *at, .size = (size_t)(stop - *at)};
    *at = nul == NULL ? end : nul + 1;
    return text;
}

static void add_ancestor(struct capture *capture, const char *at, size_t size)
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

/* The pids of a stub's ancestors, of which nothing else is known. */
static void add_parents(struct capture *capture, const char *at, size_t size)
{
    for (; capture->is_stub && size >= sizeof(int32_t) &&
           capture->ancestor_count < CAPTURE_ANCESTORS_MAX;
         at += sizeof(int32_t), size -= sizeof(int32_t)) {
        struct capture_ancestor *ancestor = &capture->ancestors[capture->ancestor_count++];
        const struct capture_bytes none = {.at = at};
        *ancestor = (struct capture_ancestor){.name = none, .path = none, .argv = none};
        memcpy(&ancestor->pid, at, sizeof ancestor->pid);
    }
}

static void add_object(struct capture *capture, struct capture_object object)
{
    if (capture->object_count < CAPTURE_OBJECTS_MAX)
        capture->objects[capture->object_count++] = object;
    else
        capture->beyond++;
}

static void add_object_field(struct capture *capture, const char *at, size_t size)
{
    size_t id_size = size == 0 ? 0 : (unsigned char)at[0];
    if (size < 1 + id_size)
        return;
    add_object(capture, (struct capture_object){
                            .build_id = {.at = at + 1, .size = id_size},
                            .path = {.at = at + 1 + id_size, .size = size - 1 - id_size},
                        });
}

/* Reads a decimal number up to the next point or the end, and moves `*at` past it. Returns whether
 * there is one that fits. */
static bool read_number(const char **at, const char *end, uint32_t *number)
{
    uint64_t value = 0;
    const char *start = *at;
    for (; *at < end && **at >= '0' && **at <= '9' && value <= UINT32_MAX; (*at)++)
        value = value * 10 + (uint64_t)(**at - '0');
    if (*at == start || value > UINT32_MAX || (*at < end && *(*at)++ != '.'))
        return false;
    *number = (uint32_t)value;
    return true;
}

/* "STEP.TASK" or "STEP.TASK.PID", all decimal. */
static void set_task(struct capture *capture, const char *at, size_t size)
{
    const char *end = at + size;
    uint32_t step, task, pid = 0;
    if (!read_number(&at, end, &step) || !read_number(&at, end, &task) ||
        (at < end && !read_number(&at, end, &pid)) || at < end)
        return;
    capture->step = step;
    capture->task = task;
    capture->task_pid = pid <= INT32_MAX ? (int32_t)pid : 0;
}

/* The inode of "pid:[INODE]"; UINT64_MAX, which is none, where the text is not of this form. */
static uint64_t parse_name_space(struct capture_bytes text)
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

/* Where a field is kept that is kept as it is. */
static const size_t plain_fields[] = {
    [LEDGER_EXEC] = offsetof(struct capture, exec),
    [LEDGER_CWD] = offsetof(struct capture, cwd),
    [LEDGER_ARGV] = offsetof(struct capture, argv),
    [LEDGER_ENV] = offsetof(struct capture, env),
    [LEDGER_WATERMARK] = offsetof(struct capture, watermark),
    [LEDGER_BUILD_ID] = offsetof(struct capture, build_id),
    [LEDGER_CONTAINER] = offsetof(struct capture, container),
    [LEDGER_FACTS] = offsetof(struct capture, facts),
};

/* Who reads a field; NULL: its extension is not built. */
static void (*const field_readers[])(struct capture *, const char *, size_t) = {
    [LEDGER_OBJECT] = add_object_field,
    [LEDGER_ANCESTOR] = add_ancestor,
    [LEDGER_TASK] = set_task,
    [LEDGER_PARENTS] = add_parents,
    [LEDGER_ROUTINES] = JOBTRAIL_ROUTINES ? ledger_routines : NULL,
};

/* A kind that is in neither list is of a newer library: skipped. */
static void add_field(struct capture *capture, const struct ledger_field *field, const char *at)
{
    const struct capture_bytes bytes = {at, field->length, (field->flags & LEDGER_FIELD_CUT) != 0};
    const size_t kind = field->kind;
    capture->cut |= bytes.cut;
    if (kind < sizeof plain_fields / sizeof *plain_fields && plain_fields[kind] != 0)
        memcpy((char *)capture + plain_fields[kind], &bytes, sizeof bytes);
    else if (kind == LEDGER_UNLISTED && field->length == sizeof capture->unlisted)
        memcpy(&capture->unlisted, at, sizeof capture->unlisted);
    else if (kind == LEDGER_LOADED)
        add_object(capture, (struct capture_object){.path = bytes});
    else if (kind == LEDGER_NAMESPACE)
        capture->name_space = parse_name_space(bytes);
    else if (kind < sizeof field_readers / sizeof *field_readers && field_readers[kind] != NULL)
        field_readers[kind](capture, at, field->length);
}

int ledger_fields(struct capture *capture, const char *at, size_t size)
{
    struct ledger_field field;
    capture->unlisted = CAPTURE_UNKNOWN;
    while (size >= sizeof field) {
        memcpy(&field, at, sizeof field);
        at += sizeof field;
        size -= sizeof field;
        if (field.length > size)
            return -EINVAL;
        add_field(capture, &field, at);
        size_t step = (field.length + (size_t)7) & ~(size_t)7;
        if (step > size)
            step = size;
        at += step;
        size -= step;
    }
    return 0;
}
