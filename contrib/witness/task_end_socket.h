/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the kernel sends what it has counted of each thread that ends (task_end.h), of all CPUs.
 */
#ifndef JOBTRAIL_TASK_END_SOCKET_H
#define JOBTRAIL_TASK_END_SOCKET_H

#include <stdint.h>

#include "contrib/witness/task_end.h"

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

#endif
