// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints argv[2] and its pid, sleeps for argv[1] milliseconds and ends by _exit(3), seen by a
// witness if there is one.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "test/programs/tell_witness.h"

int main(int argc, char **argv)
{
    long ms = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    char text[64];
    int length = snprintf(text, sizeof text, "%s %d\n", argc > 2 ? argv[2] : "-", (int)getpid());
    if (length > 0 && write(STDOUT_FILENO, text, (size_t)length) < 0)
        return 1;
    int witness = tell_witness("exit");
    nanosleep(&pause, NULL);
    tell_witness_now(witness);
    _exit(3);
}
