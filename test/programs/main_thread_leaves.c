// SPDX-License-Identifier: LGPL-2.1-or-later
// The first thread ends by pthread_exit(), one more goes on until that one is gone and is the last:
// its end ends the process, with status 0. With an argument it waits to be killed.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_t first;

static void *go_on(void *waits)
{
    if (pthread_join(first, NULL) == 0)
        puts("alone");
    while (waits != NULL)
        pause();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    first = pthread_self();
    if (pthread_create(&thread, NULL, go_on, argc > 1 ? argv[1] : NULL) || pthread_detach(thread))
        return 111;
    pthread_exit(NULL);
}
