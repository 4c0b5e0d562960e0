/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernel's taskstats (accounting/taskstats of the kernel's documentation) says of a thread
 * that has ended, and the socket to which it sends that of all CPUs: messages of generic netlink as
 * bytes, read with bounds. Recorded ones can be read as those of a running kernel.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From here on the kernel reports the thread's process, and whether it was the last one of that
 * (Linux 5.19). */
enum { TASK_END_VERSION = 12 };

struct task_end {
    int32_t pid, tid;
    bool is_last;                     /* no thread of the process is left */
    uint32_t uid;                     /* as the initial user namespace has it */
    int status;                       /* as wait(2) gives it */
    uint64_t process_us;              /* since the process's start */
    uint64_t run_ns;                  /* processor time of the thread */
    uint64_t user_us, system_us;      /* its ticks: the parts of run_ns are as these */
    uint64_t peak_kib;                /* of the process: resident memory */
    uint64_t read_bytes, write_bytes; /* of the thread: from and to storage */
    uint64_t major_faults;            /* of the thread: how often it waited for storage so */
    uint64_t device, inode;           /* of the executable, as stat(2) has them; 0: unknown */
};

/* Reads the next message of a datagram: `*bytes` and `*size` are what remains of it. Returns 1 and
 * fills `*end`; 0 where the message tells of no thread, or nothing remains; -ENOTSUP where the
 * kernel is too old; -EINVAL where it cannot be a message: then nothing remains. */
int task_end_read(const unsigned char **bytes, size_t *size, struct task_end *end);

/* Bytes that wait in the kernel for the reader, at the most, as the kernel counts them: some
 * thousands of messages. */
enum { TASK_END_SOCKET_BYTES = 16 << 20 };

/* Opens a socket that gets the ends of all threads from now on, and tries it out by a child. Needs
 * CAP_NET_ADMIN until it returns, and the initial pid and network namespace. Returns a descriptor,
 * which does not block; or -errno: -ENOENT where the kernel has no taskstats, -ENOTSUP where it is
 * older than 5.19, -EINVAL in another pid namespace, -EXDEV where it tells nothing, as in another
 * network namespace, -EPERM. */
int task_end_socket_open(void);

/* Calls `take` for each thread in what has come, up to `most` datagrams. Adds to `*overruns` how
 * often the kernel had no room. Returns 0 where nothing is left; 1 where more may be; or -errno:
 * -ENOTSUP where the kernel is older than 5.19. */
int task_end_socket_read(int fd, unsigned most,
                         void (*take)(void *context, const struct task_end *end), void *context,
                         uint64_t *overruns);
