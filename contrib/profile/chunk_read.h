/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the chunks of a file of profiles (preload/profile/profile_file.h) into processes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct profiled_process;

struct chunk_source {
    int fd;
    uint64_t end;             /* of what is read of the file */
    unsigned char *page_used; /* for each page, whether it belongs to a chunk that was read */
};

/* Reads all of it. Returns 0, -ENODATA where the file ends before, or -errno. */
int chunk_bytes(const struct chunk_source *source, uint64_t offset, void *to, size_t size);

/* Takes the pages: each belongs to one chunk. Returns 0, or -EINVAL where they are not in the file,
 * or taken. */
int chunk_take(struct chunk_source *source, uint64_t offset, uint64_t bytes);

/* Fills the process from its chunk, `bytes` long. What is wrong with its objects is counted.
 * Returns 0 or -errno; the process is to be released in every case. */
int process_chunk(const char *bytes, struct profiled_process *process, size_t *damaged);

/* Adds the thread whose chunk begins with these bytes to its process. What is wrong is counted.
 * Returns 0 or -errno, not for what is wrong with it. */
int thread_chunk(struct chunk_source *source, const char *bytes, struct profiled_process *process,
                 size_t *damaged);

/* Fills the routines of the process from their chunk, `size` bytes, a page or more. The same. */
int routines_chunk(const char *bytes, size_t size, struct profiled_process *process,
                   size_t *damaged);

/* Adds what a thread counted of them. The same. */
int calls_chunk(const char *bytes, size_t size, struct profiled_process *process, size_t *damaged);
