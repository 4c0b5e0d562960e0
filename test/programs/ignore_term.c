// SPDX-License-Identifier: LGPL-2.1-or-later
// Ignores SIGTERM and sleeps argv[1] seconds (default 600); prints "ready" when it ignores.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned left = argc > 1 ? (unsigned)atoi(argv[1]) : 600;

    signal(SIGTERM, SIG_IGN);
    puts("ready");
    fflush(stdout);
    while (left > 0)
        left = sleep(left);
    return 0;
}
