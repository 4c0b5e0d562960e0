/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Descriptors that the linker inherits have high numbers: builds hand on descriptors by number
 * (make's job server), and one that we would give a closed one's number would be taken for it.
 */
#ifndef JOBTRAIL_LDWRAP_DESCRIPTORS_H
#define JOBTRAIL_LDWRAP_DESCRIPTORS_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DESCRIPTOR_LOWEST = 200, DESCRIPTOR_PATH_SIZE = 32 };

/* A descriptor of 200 and above for the same file, closed on exec; `fd` is closed. -1: none. */
static inline int descriptor_move_up(int fd)
{
    if (fd < 0)
        return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR_LOWEST);
    close(fd);
    return high;
}

/* A file in memory, which is gone with the last process that has it open. -1: none. */
static inline int descriptor_memory(const char *name)
{
    return descriptor_move_up(memfd_create(name, MFD_CLOEXEC));
}

/* How a program that inherits `fd` opens it by name. */
static inline void descriptor_path(int fd, char path[DESCRIPTOR_PATH_SIZE])
{
    snprintf(path, DESCRIPTOR_PATH_SIZE, "/proc/self/fd/%d", fd);
}

#endif
