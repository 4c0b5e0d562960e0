// SPDX-License-Identifier: LGPL-2.1-or-later
// Eight threads come and go at once; then a last one ends the process by exit(argv[1]) while main
// waits for it and others start and end threads.
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 8 };

static void *nothing(void *unused)
{
    return unused;
}

static void *churn(void *unused)
{
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, nothing, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return unused;
}

static void *end_all(void *code)
{
    exit(atoi(code));
}

int main(int argc, char **argv)
{
    static char zero[] = "0";
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread[i], NULL, nothing, NULL))
            return 111;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread[i], NULL, churn, NULL))
            return 111;
    }
    if (pthread_create(&thread[0], NULL, end_all, argc > 1 ? argv[1] : zero))
        return 111;
    pthread_join(thread[0], NULL);
    return 112;
}
