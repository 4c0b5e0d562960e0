// SPDX-License-Identifier: LGPL-2.1-or-later
// The first thread ends by pthread_exit(), one more goes on until that one is gone and is the last:
// its end ends the process, with status 0.
#include <pthread.h>
#include <stdio.h>

static pthread_t first;

static void *go_on(void *unused)
{
    if (pthread_join(first, NULL) == 0)
        puts("alone");
    return unused;
}

int main(void)
{
    pthread_t thread;

    first = pthread_self();
    if (pthread_create(&thread, NULL, go_on, NULL) || pthread_detach(thread))
        return 111;
    pthread_exit(NULL);
}
