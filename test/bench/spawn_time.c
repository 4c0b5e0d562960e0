// SPDX-License-Identifier: LGPL-2.1-or-later
// Time to start a program and wait for its end, by posix_spawn(3), in microseconds:
//
//   spawn_time COUNT PROGRAM [ARGUMENT...]
//
// Prints two means over COUNT starts in the environment that it runs in: wall clock, and processor
// time of the program (which says more where others use the machine too). LD_PRELOAD_CHILD, where it
// is set, becomes LD_PRELOAD of the program, so that this program itself runs without it.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double children_us(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    long count = strtol(argv[1], NULL, 10);
    const char *preload = getenv("LD_PRELOAD_CHILD");
    if (preload != NULL)
        setenv("LD_PRELOAD", preload, 1);
    double start = now_us();
    for (long i = 0; i < count; i++) {
        pid_t pid;
        int status;
        if (posix_spawn(&pid, argv[2], NULL, NULL, argv + 2, environ) != 0 ||
            waitpid(pid, &status, 0) != pid)
            return 1;
    }
    printf("%.3f %.3f\n", (now_us() - start) / (double)count, children_us() / (double)count);
    return 0;
}
