// SPDX-License-Identifier: LGPL-2.1-or-later
// heat SECONDS: lets a rod cool down for so long, at its leisure, and prints what is left.
#include "rod.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS_PER_SECOND 100

int main(int argc, char **argv)
{
    const struct timespec pause = {0, 1000 * 1000 * 1000 / STEPS_PER_SECOND};
    char *end;
    const long seconds = argc == 2 ? strtol(argv[1], &end, 10) : -1;
    if (seconds < 0 || *end != '\0') {
        fprintf(stderr, "heat: for how many seconds?\n");
        return 2;
    }

    struct rod rod;
    rod_init(&rod);
    for (long step = 0; step < seconds * STEPS_PER_SECOND; step++) {
        rod_step(&rod);
        nanosleep(&pause, NULL);
    }
    printf("%.1f degrees in the middle\n", rod.degrees[ROD_CELLS / 2]);
    return 0;
}
