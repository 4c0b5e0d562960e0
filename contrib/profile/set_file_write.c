/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "contrib/profile/set_file.h"
#include "contrib/profile/set_order.h"

static int put(const struct set_file_sink *to, const void *bytes, size_t size)
{
    return size == 0 ? 0 : to->put(to->context, bytes, size);
}

static struct set_file_header header_of(const struct profile_set *set)
{
    struct set_file_header header = {.magic = SET_FILE_MAGIC,
                                     .stacks = (uint32_t)set->stacks.count,
                                     .names = (uint32_t)set->names.count,
                                     .tables = (uint32_t)set->table_count,
                                     .ranks = (uint32_t)set->rank_count,
                                     .routines = set->routine_count,
                                     .damaged = set->damaged};
    for (size_t i = 0; i < set->table_count; i++)
        header.entries += set->tables[i].count;
    for (size_t i = 0; i < set->names.count; i++)
        header.name_bytes += strlen(set->names.text[i]) + 1;
    return header;
}

static int write_stacks(const struct set_file_sink *to, const struct profile_set *set)
{
    CLEANUP_FREE struct set_file_stack *stack = calloc(set->stacks.count, sizeof *stack);
    if (stack == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->stacks.count; i++)
        stack[i] = (struct set_file_stack){set->hash[i], set->stacks.key[i].parent,
                                           (uint32_t)set->stacks.key[i].what};
    return put(to, stack, set->stacks.count * sizeof *stack);
}

static int write_tables(const struct set_file_sink *to, const struct profile_set *set)
{
    CLEANUP_FREE uint64_t *counts = calloc(set->table_count + 1, sizeof *counts);
    if (counts == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->table_count; i++)
        counts[i] = set->tables[i].count;
    int error = put(to, counts, set->table_count * sizeof *counts);
    for (size_t i = 0; error == 0 && i < set->table_count; i++)
        error = put(to, set->tables[i].entry, set->tables[i].count * sizeof *set->tables[i].entry);
    return error;
}

static int write_names(const struct set_file_sink *to, const struct profile_set *set, size_t bytes)
{
    CLEANUP_FREE char *text = malloc(bytes + 1);
    if (text == NULL)
        return -ENOMEM;
    char *at = text;
    for (size_t i = 0; i < set->names.count; i++)
        at = stpcpy(at, set->names.text[i]) + 1;
    return put(to, text, bytes);
}

int set_file_write_to(const struct set_file_sink *to, struct profile_set *set)
{
    const struct set_file_header header = header_of(set);
    int error = set_order_hash(set);
    if (error == 0)
        error = put(to, &header, sizeof header);
    if (error == 0)
        error = write_stacks(to, set);
    if (error == 0)
        error = put(to, set->ranks, set->rank_count * sizeof *set->ranks);
    if (error == 0)
        error = put(to, set->routines, set->routine_count * sizeof *set->routines);
    if (error == 0)
        error = write_tables(to, set);
    return error != 0 ? error : write_names(to, set, header.name_bytes);
}

static int put_to_file(void *context, const void *bytes, size_t size)
{
    return io_write_all(*(const int *)context, bytes, size);
}

int set_file_write(int fd, struct profile_set *set)
{
    const struct set_file_sink sink = {.put = put_to_file, .context = &fd};
    return set_file_write_to(&sink, set);
}
