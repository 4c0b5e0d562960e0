/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ends HOW: calls work() ten times, then last(), in which it ends as HOW says. It prints when it is
 * about to call last(), when it is there, and when it has been there for 0.2 s, in nanoseconds
 * since 1970. With EXEC defined it can execute another program. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define OURS __attribute__((no_instrument_function))
#define KEPT __attribute__((noinline))

OURS static void say(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
    fflush(stdout);
}

KEPT static void work(int x)
{
    __asm__ volatile("" : "+r"(x));
}

KEPT static void last(const char *how)
{
    say();
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    say();
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "_exit") == 0)
        _exit(7);
#ifdef EXEC
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", NULL);
#endif
    if (strcmp(how, "ABRT") == 0)
        abort();
    if (strcmp(how, "TERM") == 0)
        raise(SIGTERM);
    if (strcmp(how, "KILL") == 0)
        raise(SIGKILL);
    if (strcmp(how, "spin") == 0)
        for (;;)
            __asm__ volatile("");
    if (strcmp(how, "eat") == 0)
        for (;;)
            memset(malloc(1 << 20), 1, 1 << 20);
    pause();
}

int main(int argc, char **argv)
{
    (void)argc;
    for (int i = 0; i < 10; i++)
        work(i);
    say();
    last(argv[1]);
}
