/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/sample_file.h"

/* The stacks and names that the samples need, with numbers of the file's own. */
struct parts {
    struct sample_file_stack *stack; /* owned */
    uint32_t *number;                /* owned; of each stack of the set, plus 1; 0: not needed */
    char *names;                     /* owned */
    size_t stacks, name_bytes;
};

static int by_time(const void *left, const void *right)
{
    const struct profile_sample *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return (a->tid > b->tid) - (a->tid < b->tid);
}

static void mark(const struct profile_set *set, const struct rank_samples *samples,
                 uint32_t *number)
{
    number[PROFILE_SET_INIT] = 1;
    for (size_t i = 0; i < samples->count; i++)
        for (uint32_t stack = samples->sample[i].stack; number[stack] == 0;
             stack = set->stacks.key[stack].parent)
            number[stack] = 1;
}

/* Each name is there once. */
static int fill_parts(const struct profile_set *set, struct parts *parts)
{
    CLEANUP_FREE uint32_t *offset = calloc(set->names.count + 1, sizeof *offset);
    FILE *names = offset == NULL ? NULL : open_memstream(&parts->names, &parts->name_bytes);
    if (names == NULL)
        return -ENOMEM;
    uint32_t at = 0;
    for (size_t i = 0; i < set->stacks.count; i++) {
        const struct child_key *key = &set->stacks.key[i];
        if (parts->number[i] == 0)
            continue;
        if (offset[key->what] == 0) { /* that of the first one plus 1 */
            offset[key->what] = at + 1;
            fputs(set->names.text[key->what], names);
            putc('\0', names);
            at += (uint32_t)strlen(set->names.text[key->what]) + 1;
        }
        uint32_t caller = i == PROFILE_SET_INIT ? 0 : parts->number[key->parent] - 1;
        parts->stack[parts->stacks++] =
            (struct sample_file_stack){set->hash[i], caller, offset[key->what] - 1};
        parts->number[i] = (uint32_t)parts->stacks;
    }
    return fclose(names) == 0 ? 0 : -ENOMEM;
}

static struct sample_file_header header_of(const struct profile_rank *rank,
                                           const struct rank_samples *samples,
                                           const struct parts *parts)
{
    struct sample_file_header header = {.magic = SAMPLE_FILE_MAGIC,
                                        .version = JOBTRAIL_VERSION,
                                        .step = rank->step,
                                        .task = rank->task,
                                        .rank = rank->rank,
                                        .size = rank->size,
                                        .pid = rank->pid,
                                        .flags = rank->flags,
                                        .begin_ns = rank->begin_ns,
                                        .end_ns = rank->end_ns,
                                        .interval_ns = samples->interval_ns,
                                        .stacks = parts->stacks,
                                        .samples = samples->count,
                                        .name_bytes = parts->name_bytes};
    memcpy(header.node, rank->node, sizeof header.node);
    header.stacks_at = sizeof header;
    header.samples_at = header.stacks_at + parts->stacks * sizeof(struct sample_file_stack);
    header.names_at = header.samples_at + samples->count * sizeof(struct sample_file_entry);
    return header;
}

static int write_parts(const struct set_file_sink *to, const struct sample_file_header *header,
                       const struct rank_samples *samples, const struct parts *parts)
{
    CLEANUP_FREE struct sample_file_entry *entry = calloc(samples->count + 1, sizeof *entry);
    if (entry == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < samples->count; i++) {
        const struct profile_sample *sample = &samples->sample[i];
        uint64_t ns = sample->ns > header->begin_ns ? sample->ns - header->begin_ns : 0;
        entry[i] = (struct sample_file_entry){ns, parts->number[sample->stack] - 1, sample->tid,
                                              sample->kind, 0};
    }
    int error = to->put(to->context, header, sizeof *header);
    if (error == 0)
        error = to->put(to->context, parts->stack, parts->stacks * sizeof *parts->stack);
    if (error == 0)
        error = to->put(to->context, entry, samples->count * sizeof *entry);
    return error != 0 ? error : to->put(to->context, parts->names, parts->name_bytes);
}

int sample_file_write_to(const struct set_file_sink *to, const struct profile_set *set,
                         const struct profile_rank *rank, struct rank_samples *samples)
{
    struct parts parts = {.stack = calloc(set->stacks.count, sizeof *parts.stack),
                          .number = calloc(set->stacks.count, sizeof *parts.number)};
    int error = parts.stack == NULL || parts.number == NULL ? -ENOMEM : 0;
    if (samples->count > 0)
        qsort(samples->sample, samples->count, sizeof *samples->sample, by_time);
    if (error == 0) {
        mark(set, samples, parts.number);
        error = fill_parts(set, &parts);
    }
    if (error == 0) {
        const struct sample_file_header header = header_of(rank, samples, &parts);
        error = write_parts(to, &header, samples, &parts);
    }
    free(parts.stack);
    free(parts.number);
    free(parts.names);
    return error;
}
