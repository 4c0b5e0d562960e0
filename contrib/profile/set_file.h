/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A profile set as a file: what a flush leaves of a step on a node, and what jobtrail-profile
 * merges such files to. All integers are in the machine's byte order; the parts follow each other
 * without gaps:
 *
 *     struct set_file_header
 *     struct set_file_stack[stacks]     the first is "init"; a caller's index is smaller
 *     struct profile_rank[ranks]
 *     struct profile_routine_entry[routines]
 *     uint64_t[tables]                  entries of each
 *     struct set_entry[entries]     of the first table, of the second, ...
 *     char[name_bytes]                  names, each ended by NUL
 *
 * The file is its writer's: readers check each number in it.
 */
#pragma once

#include "contrib/profile/profile_set.h"

#define SET_FILE_MAGIC UINT64_C(0x3153465250544a7f) /* "\x7fJTPRFS1" */

struct set_file_header {
    uint64_t magic;
    uint32_t stacks, names, tables, ranks;
    uint64_t entries, routines, name_bytes;
    uint64_t damaged; /* parts of the processes' files that were not valid */
};

struct set_file_stack {
    uint64_t hash; /* set_order.h */
    uint32_t caller, name;
};

/* Where the bytes of a file go, one part after another. */
struct set_file_sink {
    int (*put)(void *context, const void *bytes, size_t size); /* returns 0 or -errno */
    void *context;
};

/* Writes the set; its hashes are made. Returns 0 or -errno. */
int set_file_write(int fd, struct profile_set *set);
int set_file_write_to(const struct set_file_sink *to, struct profile_set *set);

/* Reads a set from the start of `fd`. Returns 0, and profile_set_free() is to release the set;
 * -EINVAL where it is no such file or a damaged one; -ENOMEM; -errno of the read. */
int set_file_read(int fd, struct profile_set *set);
