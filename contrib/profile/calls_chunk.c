/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "contrib/profile/chunk_read.h"
#include "contrib/profile/saturate.h"

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

static void add_counts(const char *bytes, size_t count, struct profiled_process *process)
{
    for (size_t i = 0; i < count; i++) {
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
    add_counts(bytes, calls.count, process);
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
