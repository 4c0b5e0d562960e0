/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/sample_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"

/* No longer file is read: one is a part of what a job's profile may have. */
enum { BYTES_MAX = 1 << 30 };

/* Whether the parts follow each other and make up the file. */
static bool is_whole(const struct sample_file_header *header, uint64_t size)
{
    const uint64_t parts[][3] = {
        {header->stacks_at, header->stacks, sizeof(struct sample_file_stack)},
        {header->samples_at, header->samples, sizeof(struct sample_file_entry)},
        {header->names_at, header->name_bytes, 1}};
    uint64_t at = sizeof *header;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i][0] != at || parts[i][1] > (size - at) / parts[i][2])
            return false;
        at += parts[i][1] * parts[i][2];
    }
    return at == size && header->stacks > 0 && header->name_bytes > 0;
}

/* `place` has the set's number of each stack of the file. Two of the same text are one there. */
static int read_stacks(const char *text, struct sample_file *file, uint32_t *place)
{
    const struct sample_file_header *header = &file->header;
    const char *names = text + header->names_at;
    if (names[header->name_bytes - 1] != '\0')
        return -EINVAL;
    int error = profile_set_begin(&file->set);
    for (uint64_t i = 0; error == 0 && i < header->stacks; i++) {
        struct sample_file_stack stack;
        uint32_t name;
        memcpy(&stack, text + header->stacks_at + i * sizeof stack, sizeof stack);
        if (stack.name >= header->name_bytes || (i > 0 && stack.caller >= i))
            return -EINVAL;
        place[i] = PROFILE_SET_INIT;
        if (i == 0)
            continue;
        error = name_table_add(&file->set.names, names + stack.name, &name);
        if (error == 0)
            error = profile_set_stack(&file->set, place[stack.caller], name, &place[i]);
    }
    return error;
}

static int read_samples(const char *text, const uint32_t *place, struct sample_file *file)
{
    const struct sample_file_header *header = &file->header;
    uint64_t before = 0;
    file->sample = calloc(header->samples + 1, sizeof *file->sample);
    if (file->sample == NULL)
        return -ENOMEM;
    for (uint64_t i = 0; i < header->samples; i++) {
        struct sample_file_entry entry;
        memcpy(&entry, text + header->samples_at + i * sizeof entry, sizeof entry);
        if (entry.stack >= header->stacks || entry.ns < before ||
            (entry.kind != PROFILE_ENTER && entry.kind != PROFILE_EXIT))
            return -EINVAL;
        before = entry.ns;
        file->sample[i] =
            (struct profile_sample){entry.ns, place[entry.stack], entry.tid, entry.kind};
    }
    return 0;
}

int sample_file_read(int fd, struct sample_file *file)
{
    CLEANUP_FREE char *text = NULL;
    size_t size = 0;
    struct sample_file read = {.sample = NULL};
    ssize_t got = io_read_at(fd, &read.header.magic, sizeof read.header.magic, 0);
    if (got < 0)
        return (int)got;
    if (read.header.magic != SAMPLE_FILE_MAGIC) /* a file of another kind can be large */
        return -EINVAL;
    int error = whole_file_read(fd, BYTES_MAX, &text, &size);
    if (error != 0)
        return error;
    if (size < sizeof read.header)
        return -EINVAL;
    memcpy(&read.header, text, sizeof read.header);
    if (read.header.magic != SAMPLE_FILE_MAGIC || !is_whole(&read.header, size))
        return -EINVAL;
    read.header.version[sizeof read.header.version - 1] = '\0';
    read.header.node[sizeof read.header.node - 1] = '\0';
    CLEANUP_FREE uint32_t *place = calloc(read.header.stacks, sizeof *place);
    error = place == NULL ? -ENOMEM : read_stacks(text, &read, place);
    if (error == 0)
        error = read_samples(text, place, &read);
    if (error != 0)
        sample_file_free(&read);
    else
        *file = read;
    return error;
}

void sample_file_free(struct sample_file *file)
{
    profile_set_free(&file->set);
    free(file->sample);
    *file = (struct sample_file){.sample = NULL};
}

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
        parts.number[PROFILE_SET_INIT] = 1;
        for (size_t i = 0; i < samples->count; i++)
            for (uint32_t stack = samples->sample[i].stack; parts.number[stack] == 0;
                 stack = set->stacks.key[stack].parent)
                parts.number[stack] = 1;
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
