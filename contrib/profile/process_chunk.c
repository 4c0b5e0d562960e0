/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "contrib/profile/chunk_read.h"
#include "contrib/profile/numbers.h"
#include "contrib/profile/profile_read.h"

/* The numbers of "STEP.TASK.PID"; as they were where the text is another one. */
static void read_task(const char *text, size_t size, struct profiled_process *process)
{
    uint64_t number[3] = {0, 0, 0};
    size_t part = 0;
    const char *end = memchr(text, '\0', size);
    for (const char *at = text; end != NULL && at < end; at++) {
        if (*at == '.' && part < 2 && at > text && at[-1] != '.') {
            part++;
            continue;
        }
        if (*at < '0' || *at > '9')
            return;
        number[part] = 10 * number[part] + (uint64_t)(*at - '0');
        if (number[part] > UINT32_MAX)
            return;
    }
    if (part < 2)
        return;
    process->step = (uint32_t)number[0];
    process->task = (uint32_t)number[1];
    process->task_pid = number[2] <= INT32_MAX ? (int32_t)number[2] : 0;
}

static int add_object(const char *bytes, const struct profile_object *object,
                      struct profiled_process *process)
{
    const char *build_id = bytes + sizeof *object, *path = build_id + object->build_id_bytes;
    int error = GROW(process->objects, process->object_count);
    if (error != 0)
        return error;
    struct profiled_object *added = &process->objects[process->object_count];
    *added = (struct profiled_object){
        .path = strndup(path, object->path_bytes),
        .build_id_size = object->build_id_bytes,
        .bias = object->bias,
        .start = object->start,
        .end = object->end,
        .is_executable = (object->flags & PROFILE_OBJECT_EXECUTABLE) != 0,
    };
    if (added->path == NULL)
        return -ENOMEM;
    memcpy(added->build_id, build_id, object->build_id_bytes);
    process->object_count++;
    return 0;
}

static int read_objects(const char *bytes, size_t size, struct profiled_process *process,
                        size_t *damaged)
{
    struct profile_object object;
    int error = 0;
    for (size_t at = 0; error == 0 && at < size; at += object.bytes) {
        memset(&object, 0, sizeof object);
        if (size - at >= sizeof object)
            memcpy(&object, bytes + at, sizeof object);
        if (object.bytes < sizeof object + object.build_id_bytes + object.path_bytes ||
            object.bytes % 8 != 0 || object.bytes > size - at ||
            object.build_id_bytes > PROFILE_BUILD_ID || object.start > object.end) {
            ++*damaged;
            break;
        }
        error = add_object(bytes + at, &object, process);
    }
    return error;
}

int process_chunk(const char *bytes, struct profiled_process *process, size_t *damaged)
{
    struct profile_process head;
    memcpy(&head, bytes, sizeof head);
    memcpy(process->uuid, head.uuid, sizeof process->uuid);
    process->pid = head.pid;
    process->step = process->task = UINT32_MAX;
    read_task(head.task, sizeof head.task, process);
    process->rank = head.rank;
    process->size = head.size;
    process->program = head.program;
    process->counter = head.counter;
    process->is_light = (head.flags & PROFILE_PROCESS_LIGHT) != 0;
    process->is_forked = (head.flags & PROFILE_PROCESS_FORKED) != 0;
    process->is_confined = (head.flags & PROFILE_PROCESS_CONFINED) != 0;
    process->is_hooked = (head.flags & PROFILE_PROCESS_HOOKED) != 0;
    process->has_ended = (head.flags & PROFILE_PROCESS_ENDED) != 0 || process->is_confined;
    process->start = head.start;
    process->last = head.last;
    process->newest = head.last.ticks > head.start.ticks ? head.last.ticks : head.start.ticks;
    process->lost_calls = head.lost_calls;
    process->lost_objects = head.lost_objects;
    process->missed_routines = head.missed_routines;
    process->missed_mpi = head.missed_mpi;
    size_t room = PROFILE_PROCESS_BYTES - sizeof head, size = head.object_bytes;
    if (size > room) {
        ++*damaged;
        size = 0;
    }
    int error = call_tree_begin(&process->tree);
    return error != 0 ? error : read_objects(bytes + sizeof head, size, process, damaged);
}

int routines_chunk(const char *bytes, size_t size, struct profiled_process *process,
                   size_t *damaged)
{
    struct profile_routines head;
    memcpy(&head, bytes, sizeof head);
    size_t room = (size - sizeof head) / sizeof(struct profile_routine);
    if (process->routine_count > 0 || head.count == 0 || head.count > PROFILE_ROUTINES_MAX ||
        head.count > room) {
        ++*damaged;
        return 0;
    }
    process->routines = calloc(head.count, sizeof *process->routines);
    if (process->routines == NULL)
        return -ENOMEM;
    process->routine_count = head.count;
    process->before_ns = head.before_ns;
    for (uint32_t i = 0; i < head.count; i++) {
        struct profile_routine routine;
        memcpy(&routine, bytes + sizeof head + i * sizeof routine, sizeof routine);
        memcpy(process->routines[i].name, routine.name, sizeof routine.name - 1);
        process->routines[i].flags = routine.flags & (PROFILE_ROUTINE_MPI | PROFILE_ROUTINE_MISSED);
    }
    return 0;
}

static int add_open(const struct profile_calls *calls, struct profiled_process *process,
                    size_t *damaged)
{
    size_t first = process->open_count;
    for (size_t i = 0; i < PROFILE_OPEN; i++) {
        const struct profile_open *open = &calls->open[i];
        if (open->routine == 0)
            continue;
        if (open->routine > process->routine_count) {
            ++*damaged;
            continue;
        }
        int error = GROW(process->open, process->open_count);
        if (error != 0)
            return error;
        process->open[process->open_count] = (struct profiled_open){
            .routine = open->routine - 1, .start = open->start, .inner = open->inner};
        if (process->open_count > first)
            process->open[process->open_count - 1].until = open->start;
        process->open_count++;
        if (open->start > process->newest)
            process->newest = open->start;
    }
    return 0;
}

int calls_chunk(const char *bytes, size_t size, struct profiled_process *process, size_t *damaged)
{
    struct profile_calls calls;
    memcpy(&calls, bytes, sizeof calls);
    size_t room = (size - PROFILE_COUNTS_AT) / sizeof(struct profile_count);
    if (calls.count == 0 || calls.count > process->routine_count || calls.count > room) {
        ++*damaged;
        return 0;
    }
    for (size_t i = 0; i < calls.count; i++) {
        struct profiled_routine *routine = &process->routines[i];
        struct profile_count counted;
        memcpy(&counted, bytes + PROFILE_COUNTS_AT + i * sizeof counted, sizeof counted);
        saturate_add(&routine->calls, counted.calls);
        saturate_add(&routine->ticks, counted.ticks);
        saturate_add(&routine->bytes, counted.bytes);
        saturate_add(&routine->sized, counted.sized);
        if (counted.largest > routine->largest)
            routine->largest = counted.largest;
    }
    process->callers++;
    saturate_add(&process->dead_frames, calls.dead_frames);
    saturate_add(&process->lost_times, calls.lost_times);
    return add_open(&calls, process, damaged);
}

static uint64_t minus(uint64_t value, uint64_t less)
{
    return value > less ? value - less : 0;
}

void calls_finish(struct profiled_process *process, uint64_t end)
{
    for (size_t i = 0; i < process->open_count; i++) {
        const struct profiled_open *open = &process->open[i];
        struct profiled_routine *routine = &process->routines[open->routine];
        uint64_t stop = open->until != 0 ? open->until : end, took = minus(end, open->start);
        saturate_add(&routine->ticks, minus(minus(stop, open->start), open->inner));
        if (took > routine->largest)
            routine->largest = took;
        if (routine->open++ == 0 || open->start < routine->open_start)
            routine->open_start = open->start;
    }
}
