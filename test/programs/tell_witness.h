/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a program lets a witness (witness.c) see when it ends or becomes another program: it keeps a
 * connection to the witness, which the kernel closes at that moment, and sends the time right
 * before. The variable WITNESS has the path of the witness's socket; without it nothing is done.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

/* Returns the connection, or -1. `what`, "exec" or "exit", is what is to be seen. */
static inline int tell_witness(const char *what)
{
    const char *path = getenv("WITNESS");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL)
        return -1;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        send(fd, what, 4, MSG_NOSIGNAL) != 4)
        abort();
    return fd;
}

/* To be called right before. */
static inline void tell_witness_now(int fd)
{
    struct timespec now;
    if (fd < 0)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    if (send(fd, &now, sizeof now, MSG_NOSIGNAL) != sizeof now)
        abort();
}
