/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/who_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/replacement.h"

/* How long a scan and the watch wait for each other. */
enum { PATIENCE_S = 20, WAITING = 8 };

/* By the directory's descriptor: a path can be longer than an address. */
static void address_of(int state, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/" WHO_SOCKET, state);
}

int who_socket_listen(int state)
{
    struct sockaddr_un address;
    address_of(state, &address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if ((unlinkat(state, WHO_SOCKET, 0) == 0 || errno == ENOENT) &&
        bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        fchmodat(state, WHO_SOCKET, S_IRUSR | S_IWUSR, 0) == 0 && listen(fd, WAITING) == 0)
        return fd;
    int error = -errno;
    close(fd);
    return error;
}

static void set_patience(int fd)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

/* A grandchild answers: nobody has to wait for it. */
void who_socket_answer(int connection, const struct library_whos *whos)
{
    set_patience(connection);
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0)
            library_whos_write(whos, connection);
        _exit(0);
    }
    close(connection);
    if (pid > 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
}

int who_socket_ask(int state, struct library_whos **whos)
{
    struct sockaddr_un address;
    address_of(state, &address);
    CLEANUP_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    set_patience(fd);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        return errno == ECONNREFUSED ? -ENOENT : -errno;
    return library_whos_read(fd, whos);
}

/* ---- What the next scan reads of it ---------------------------------------------------------- */

#define WHO_FILE "whos"

int who_file_write(int state, const struct library_whos *whos)
{
    CLEANUP_CLOSE int fd = replacement_open(state, WHO_FILE);
    return fd < 0 ? fd : replacement_end(state, WHO_FILE, fd, 0600, library_whos_write(whos, fd));
}

int who_file_read(int state, struct library_whos **whos)
{
    CLEANUP_CLOSE int fd = openat(state, WHO_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return fd < 0 ? -errno : library_whos_read(fd, whos);
}

int who_file_remove(int state)
{
    return unlinkat(state, WHO_FILE, 0) == 0 || errno == ENOENT ? 0 : -errno;
}
