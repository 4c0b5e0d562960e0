/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "submit/profile/set_file.h"
#include "submit/profile/set_order.h"

static struct set_file_header header_of(const struct profile_set *set)
{
    struct set_file_header header = {.magic = SET_FILE_MAGIC,
                                     .stacks = (uint32_t)set->stacks.count,
                                     .names = (uint32_t)set->names.count,
                                     .tables = (uint32_t)set->table_count,
                                     .ranks = (uint32_t)set->rank_count,
                                     .damaged = set->damaged};
    for (size_t i = 0; i < set->table_count; i++)
        header.entries += set->tables[i].count;
    for (size_t i = 0; i < set->names.count; i++)
        header.name_bytes += strlen(set->names.text[i]) + 1;
    return header;
}

static int write_stacks(int fd, const struct profile_set *set)
{
    CLEANUP_FREE struct set_file_stack *stack = calloc(set->stacks.count, sizeof *stack);
    if (stack == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->stacks.count; i++)
        stack[i] = (struct set_file_stack){set->hash[i], set->stacks.key[i].parent,
                                           (uint32_t)set->stacks.key[i].what};
    return io_write_all(fd, stack, set->stacks.count * sizeof *stack);
}

static int write_tables(int fd, const struct profile_set *set)
{
    CLEANUP_FREE uint64_t *counts = calloc(set->table_count + 1, sizeof *counts);
    if (counts == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->table_count; i++)
        counts[i] = set->tables[i].count;
    int error = io_write_all(fd, counts, set->table_count * sizeof *counts);
    for (size_t i = 0; error == 0 && i < set->table_count; i++)
        error = io_write_all(fd, set->tables[i].entry,
                             set->tables[i].count * sizeof *set->tables[i].entry);
    return error;
}

static int write_names(int fd, const struct profile_set *set, size_t bytes)
{
    CLEANUP_FREE char *text = malloc(bytes + 1);
    if (text == NULL)
        return -ENOMEM;
    char *at = text;
    for (size_t i = 0; i < set->names.count; i++)
        at = stpcpy(at, set->names.text[i]) + 1;
    return io_write_all(fd, text, bytes);
}

int set_file_write(int fd, struct profile_set *set)
{
    const struct set_file_header header = header_of(set);
    int error = set_order_hash(set);
    if (error == 0)
        error = io_write_all(fd, &header, sizeof header);
    if (error == 0)
        error = write_stacks(fd, set);
    if (error == 0)
        error = io_write_all(fd, set->ranks, set->rank_count * sizeof *set->ranks);
    if (error == 0)
        error = write_tables(fd, set);
    return error != 0 ? error : write_names(fd, set, header.name_bytes);
}
