// SPDX-License-Identifier: LGPL-2.1-or-later
// Uses the processor for argv[1] seconds (a decimal number); with a second argument it sleeps.
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
    struct timespec start, now, length = {(time_t)seconds, 0};

    length.tv_nsec = (long)((seconds - (double)length.tv_sec) * 1e9);
    if (argc > 2)
        return nanosleep(&length, NULL) != 0;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9 <
             seconds);
    return 0;
}
