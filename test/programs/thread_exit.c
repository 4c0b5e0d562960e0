// SPDX-License-Identifier: LGPL-2.1-or-later
// One thread calls exit(argv[1]) while main and two more threads are still running.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *run_on(void *unused)
{
    while (pause())
        continue;
    return unused;
}

static void *end_all(void *code)
{
    exit(atoi(code));
}

int main(int argc, char **argv)
{
    static char zero[] = "0";
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_on, NULL) ||
        pthread_create(&thread, NULL, run_on, NULL) ||
        pthread_create(&thread, NULL, end_all, argc > 1 ? argv[1] : zero))
        return 111;
    for (;;)
        pause();
}
