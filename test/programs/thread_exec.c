// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread that is not the first becomes the program argv[1] (a path) with the arguments argv[1..];
// 127 when that fails.
#include <pthread.h>
#include <unistd.h>

static void *become(void *arguments)
{
    char **argv = arguments;
    execv(argv[0], argv);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1 && pthread_create(&thread, NULL, become, argv + 1) == 0)
        pthread_join(thread, NULL);
    return 127;
}
