/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/whole_file.h"
#include "contrib/profile/sample_file.h"

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
