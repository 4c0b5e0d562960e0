/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "contrib/profile/chunk_read.h"

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
