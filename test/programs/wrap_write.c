// SPDX-License-Identifier: LGPL-2.1-or-later
// Something to preload, of Darshan's making: wraps write(2), exit(3) and _exit(2), counts, and
// reports on stderr at both ends of the process.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int writes;
static int exits;

static void say(const char *what)
{
    char text[128];
    int length =
        snprintf(text, sizeof(text), "wrap_write: %s, %d writes, %d exits\n", what, writes, exits);
    if (length > 0)
        syscall(SYS_write, STDERR_FILENO, text, (size_t)length);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    writes++;
    return syscall(SYS_write, fd, bytes, size);
}

void exit(int status)
{
    void (*next)(int) __attribute__((noreturn));
    void *symbol = dlsym(RTLD_NEXT, "exit");
    memcpy(&next, &symbol, sizeof(next));
    exits++;
    next(status);
}

void _exit(int status)
{
    exits++;
    say("_exit");
    for (;;)
        syscall(SYS_exit_group, status);
}

__attribute__((constructor)) static void start(void)
{
    say("start");
}

__attribute__((destructor)) static void end(void)
{
    say("end");
}
