/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Descriptors that the linker inherits have high numbers. Builds pass descriptors on by number
 * (make's job server). Were one of those closed, and ours had its number, a program would take ours
 * for it.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DESCRIPTOR_LOWEST = 200, DESCRIPTOR_PATH_SIZE = 32 };

/* Replaces `fd`, which is closed, by a descriptor of 200 or above, closed on exec. -1: failed. */
static inline int descriptor_move_up(int fd)
{
    if (fd < 0)
        return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR_LOWEST);
    close(fd);
    return high;
}

/* A file in memory, which exists as long as a process has it open. -1: failed. */
static inline int descriptor_memory(const char *name)
{
    return descriptor_move_up(memfd_create(name, MFD_CLOEXEC));
}

/* The path by which a program that inherits `fd` can open it. */
static inline void descriptor_path(int fd, char path[DESCRIPTOR_PATH_SIZE])
{
    snprintf(path, DESCRIPTOR_PATH_SIZE, "/proc/self/fd/%d", fd);
}

/* Whether it is such a path. */
static inline bool descriptor_is_path(const char *path)
{
    return strncmp(path, "/proc/self/fd/", 14) == 0;
}
