/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files for what reads files by name.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FUZZ_PATH_SIZE = 32 };

/* The `size` bytes at `bytes` as a file in memory, made at the first call, whose descriptor is
 * `*fd`, -1 before; its path in `path`. Another file's bytes replace them. */
static inline void fuzz_file(int *fd, const void *bytes, size_t size, char path[FUZZ_PATH_SIZE])
{
    if (*fd < 0)
        *fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, 0) != 0 || pwrite(*fd, bytes, size, 0) != (ssize_t)size)
        abort();
    snprintf(path, FUZZ_PATH_SIZE, "/proc/self/fd/%d", *fd);
}
