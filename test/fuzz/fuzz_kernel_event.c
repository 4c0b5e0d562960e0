/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream of perf events, and the table of processes behind it: names are in the bytes, and the
 * table tells of no more processes than events can have begun.
 */
#include <stdlib.h>

#include "contrib/witness/kernel_processes.h"
#include "test/fuzz/fuzz.h"

static size_t begun, ended;

static uint32_t take_program(void *context, uint32_t job, const struct kernel_event *event)
{
    (void)context;
    require(job == 1 && event->name != NULL);
    return 1;
}

static uint32_t take_objects(void *context, uint32_t job, const uint32_t *file, size_t count)
{
    (void)context;
    require(job == 1 && file != NULL && count > 0 && count <= KERNEL_OBJECTS_MAX);
    return 1;
}

static void take_end(void *context, uint32_t job, const struct kernel_note *note)
{
    (void)context;
    require(job == 1 && note->pid > 0 && note->start_ns <= note->end_ns);
    ended++;
}

static void take_replaced(void *context, uint32_t job, const struct kernel_note *note)
{
    (void)context;
    require(job == 1 && note->execs > 0 && note->exec_ns <= note->end_ns);
}

static void take_loss(void *context, uint32_t job)
{
    (void)context;
    require(job == 1);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct kernel_processes *processes;
    const struct kernel_processes_calls calls = {.take_program = take_program,
                                                 .take_objects = take_objects,
                                                 .take_end = take_end,
                                                 .take_replaced = take_replaced,
                                                 .take_loss = take_loss,
                                                 .has_maps = true};
    if (processes == NULL)
        processes = kernel_processes_new(&calls);
    require(processes != NULL);
    begun = ended = 0;
    for (size_t at = 0, used; at < size; at += used) {
        struct kernel_event event;
        int error = kernel_event_read(data + at, size - at, &event, &used);
        require(used <= size - at && (error != 0 || used >= 8));
        if (used == 0)
            break;
        if (error != 0)
            continue;
        const unsigned char *name = (const unsigned char *)event.name;
        require(name == NULL || (name >= data + at && name + event.name_size < data + at + used));
        require(event.build_id_size <= KERNEL_BUILD_ID_MAX);
        begun += event.kind == KERNEL_EVENT_FORK;
        if (at == 0)
            kernel_processes_daemon(processes, event.parent > 0 ? event.parent : 1, 0, 1);
        kernel_processes_event(processes, &event);
    }
    require(ended <= begun);
    kernel_processes_drop(processes, 1);
    return 0;
}
