/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sampling files, NAME_RANK.vfd: when a rank was in which stack. Each thread left up to
 * PROFILE_EVENTS samples over its whole time (preload/profile/profile_file.h). All integers are in
 * the machine's byte order; the parts follow each other, and the header has where:
 *
 *     struct sample_file_header
 *     struct sample_file_stack[stacks]    the first is "init"; a caller's index is smaller
 *     struct sample_file_entry[samples]   by time
 *     char[name_bytes]                    names, each ended by NUL
 *
 * A file that has its name is complete, its header too. The file is its writer's: readers check
 * each number in it.
 */
#pragma once

#include "contrib/profile/profile_collect.h"
#include "contrib/profile/set_file.h"

#define SAMPLE_FILE_MAGIC UINT64_C(0x3144465654544a7f) /* "\x7fJTTVFD1" */

struct sample_file_header {
    uint64_t magic;
    char version[32]; /* of jobtrail */
    char node[PROFILE_NODE_NAME];
    uint32_t step, task, rank, size; /* as in struct profile_rank */
    int32_t pid;
    uint32_t flags;             /* enum profile_rank_flag */
    uint64_t begin_ns, end_ns;  /* of the rank, since the Epoch */
    uint64_t interval_ns;       /* between two samples of a thread at the least; 0: not known */
    uint64_t stacks_at, stacks; /* offset of the part, and how many there are */
    uint64_t samples_at, samples;
    uint64_t names_at, name_bytes;
};

struct sample_file_stack {
    uint64_t hash; /* set_order.h */
    uint32_t caller;
    uint32_t name; /* offset in the names */
};

struct sample_file_entry {
    uint64_t ns; /* since `begin_ns` */
    uint32_t stack;
    int32_t tid;
    uint32_t kind; /* enum profile_event_kind: the function was entered, or left */
    uint32_t unused;
};

/* The samples of one rank of a set. */
struct rank_samples {
    struct profile_sample *sample; /* of the set's stacks; put in order of time */
    size_t count;
    uint64_t interval_ns;
};

/* Writes such a file. The set's hashes are made. Returns 0 or -errno. */
int sample_file_write_to(const struct set_file_sink *to, const struct profile_set *set,
                         const struct profile_rank *rank, struct rank_samples *samples);

/* What was read. */
struct sample_file {
    struct sample_file_header header;
    struct profile_set set;        /* its stacks, no ranks */
    struct profile_sample *sample; /* owned; of the set's stacks */
};

/* Reads the file open at `fd`. Returns 0, and sample_file_free() is to release it; -EINVAL where it
 * is no such file or a damaged one; -ENOMEM, -EFBIG; -errno of the read. */
int sample_file_read(int fd, struct sample_file *file);
void sample_file_free(struct sample_file *file);
