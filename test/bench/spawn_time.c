// SPDX-License-Identifier: LGPL-2.1-or-later
// Time to start a program and wait for its end, by posix_spawn(3), in microseconds:
//
//   spawn_time COUNT AT-ONCE PROGRAM [ARGUMENT...]
//
// AT-ONCE programs run at the same time. Prints two means over COUNT starts in the environment that
// it runs in: wall clock, and processor time of the program (which says more where others use the
// machine too). LD_PRELOAD_CHILD, where it is set, becomes LD_PRELOAD of the program, so that this
// program itself runs without it; it is then the task that the programs descend from, as a batch
// script is.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

static int start(char **argv)
{
    pid_t pid;
    return posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    long count = strtol(argv[1], NULL, 10), at_once = strtol(argv[2], NULL, 10);
    const char *preload = getenv("LD_PRELOAD_CHILD");
    char task[64];
    snprintf(task, sizeof task, "4294967291.0.%d", (int)getpid());
    if (preload != NULL) {
        setenv("LD_PRELOAD", preload, 1);
        setenv("JOBTRAIL_TASK", task, 1);
    }
    double begun = now_us();
    long started = 0;
    for (long ended = 0; ended < count; ended++) {
        for (; started < count && started < ended + at_once; started++) {
            if (!start(argv + 3))
                return 1;
        }
        if (wait(NULL) < 0)
            return 1;
    }
    printf("%.3f %.3f\n", (now_us() - begun) / (double)count, children_us() / (double)count);
    return 0;
}
