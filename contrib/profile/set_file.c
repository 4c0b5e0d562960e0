/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/set_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "contrib/profile/set_order.h"

static int read_all(int fd, void *to, size_t size)
{
    ssize_t got = io_read(fd, to, size);
    return got < 0 ? (int)got : (size_t)got < size ? -EINVAL : 0;
}

/* `count` things of `size` bytes; the caller frees `*things`. */
static int read_things(int fd, uint64_t count, size_t size, void **things)
{
    *things = malloc(count * size + 1);
    return *things == NULL ? -ENOMEM : read_all(fd, *things, count * size);
}

/* Whether the file is as long as its parts together. */
static bool is_whole(const struct set_file_header *header, uint64_t size)
{
    const uint64_t parts[][2] = {{1, sizeof *header},
                                 {header->stacks, sizeof(struct set_file_stack)},
                                 {header->ranks, sizeof(struct profile_rank)},
                                 {header->routines, sizeof(struct profile_routine_entry)},
                                 {header->tables, sizeof(uint64_t)},
                                 {header->entries, sizeof(struct set_entry)},
                                 {header->name_bytes, 1}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i][0] > size / parts[i][1])
            return false;
        size -= parts[i][0] * parts[i][1];
    }
    return size == 0 && header->names <= header->name_bytes; /* each has its NUL */
}

static bool is_sound(const struct profile_set *set, const struct set_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        uint32_t stack = table->entry[i].stack;
        if (stack >= set->stacks.count || (i > 0 && stack <= table->entry[i - 1].stack))
            return false;
    }
    return true;
}

static int read_tables(int fd, const struct set_file_header *header, struct profile_set *set)
{
    void *counts_at;
    uint64_t entries = header->entries;
    int error = read_things(fd, header->tables, sizeof(uint64_t), &counts_at);
    CLEANUP_FREE uint64_t *counts = counts_at;
    set->tables = error == 0 ? calloc(header->tables + (size_t)1, sizeof *set->tables) : NULL;
    if (error == 0 && set->tables == NULL)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < header->tables; i++) {
        struct set_table *table = &set->tables[set->table_count];
        void *entry;
        if (counts[i] > entries)
            return -EINVAL;
        entries -= counts[i];
        error = read_things(fd, counts[i], sizeof *table->entry, &entry);
        *table = (struct set_table){entry, counts[i]};
        set->table_count++;
        if (error == 0 && !is_sound(set, table))
            error = -EINVAL;
    }
    return error != 0 ? error : entries != 0 ? -EINVAL : 0;
}

static int read_ranks(int fd, const struct set_file_header *header, struct profile_set *set)
{
    void *ranks;
    int error = read_things(fd, header->ranks, sizeof *set->ranks, &ranks);
    set->ranks = ranks;
    set->rank_count = header->ranks;
    for (uint32_t i = 0; error == 0 && i < header->ranks; i++) {
        struct profile_rank *rank = &set->ranks[i];
        rank->node[sizeof rank->node - 1] = '\0';
        if (rank->table >= header->tables || rank->where >= header->stacks ||
            rank->executable > header->names || rank->way >= PROFILE_WAYS)
            error = -EINVAL;
    }
    return error;
}

/* A rank's are in a row. */
static int read_routines(int fd, const struct set_file_header *header, struct profile_set *set)
{
    void *routines;
    int error = read_things(fd, header->routines, sizeof *set->routines, &routines);
    set->routines = routines;
    set->routine_count = set->routine_room = header->routines;
    for (uint64_t i = 0; error == 0 && i < header->routines; i++) {
        const struct profile_routine_entry *entry = &set->routines[i];
        if (entry->rank >= header->ranks || entry->name >= header->names ||
            (i > 0 && entry->rank < entry[-1].rank))
            error = -EINVAL;
    }
    return error;
}

/* The names stand behind the tables: each stack gets its number when they have been read. */
static int name_stacks(int fd, const struct set_file_header *header,
                       const struct set_file_stack *stack, struct profile_set *set)
{
    void *text_at;
    int error = read_things(fd, header->name_bytes, 1, &text_at);
    CLEANUP_FREE char *text = text_at;
    CLEANUP_FREE uint32_t *name = calloc(header->names + (size_t)1, sizeof *name);
    if (error == 0 && name == NULL)
        error = -ENOMEM;
    const char *at = text, *end = text + header->name_bytes;
    for (uint32_t i = 0; error == 0 && i < header->names; i++) {
        if (at == end || end[-1] != '\0')
            return -EINVAL;
        error = name_table_add(&set->names, at, &name[i]);
        if (error == 0 && name[i] != i) /* each is there once: a hole is no list of names */
            error = -EINVAL;
        at += strlen(at) + 1;
    }
    set->stacks.key = error == 0 ? calloc(header->stacks, sizeof *set->stacks.key) : NULL;
    if (error == 0 && set->stacks.key == NULL)
        error = -ENOMEM;
    set->stacks.count = set->stacks.room = error == 0 ? header->stacks : 0;
    if (error == 0)
        error = profile_set_hashes(set);
    for (uint32_t i = 0; error == 0 && i < header->stacks; i++) {
        if (stack[i].name >= header->names || (i > 0 && stack[i].caller >= i) ||
            (i == 0 && stack[i].caller != 0))
            return -EINVAL;
        set->stacks.key[i] =
            (struct child_key){.what = name[stack[i].name], .parent = stack[i].caller};
        set->hash[i] = stack[i].hash;
    }
    for (size_t i = 0; error == 0 && i < set->routine_count; i++)
        set->routines[i].name = name[set->routines[i].name];
    return error;
}

int set_file_read(int fd, struct profile_set *set)
{
    struct set_file_header header;
    struct stat status;
    void *stack_at = NULL;
    if (fstat(fd, &status) != 0 || lseek(fd, 0, SEEK_SET) < 0)
        return -errno;
    int error = read_all(fd, &header, sizeof header);
    if (error != 0)
        return error;
    if (header.magic != SET_FILE_MAGIC || header.stacks == 0 ||
        !is_whole(&header, (uint64_t)status.st_size))
        return -EINVAL;
    struct profile_set read = {.damaged = header.damaged};
    error = read_things(fd, header.stacks, sizeof(struct set_file_stack), &stack_at);
    CLEANUP_FREE struct set_file_stack *stack = stack_at;
    if (error == 0)
        error = read_ranks(fd, &header, &read);
    if (error == 0)
        error = read_routines(fd, &header, &read);
    read.stacks.count = header.stacks; /* until they have their names */
    if (error == 0)
        error = read_tables(fd, &header, &read);
    read.stacks.count = 0;
    if (error == 0)
        error = name_stacks(fd, &header, stack, &read);
    if (error != 0)
        profile_set_free(&read);
    else
        *set = read;
    return error;
}

static int put(const struct set_file_sink *to, const void *bytes, size_t size)
{
    return size == 0 ? 0 : to->put(to->context, bytes, size);
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
