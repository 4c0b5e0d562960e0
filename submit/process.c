/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process.h"

#include <stdio.h>
#include <string.h>

int process_alive(int32_t pid, uint64_t ticks)
{
    char path[32], text[512], state;
    unsigned long long start;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    char *rest = fgets(text, sizeof text, file) == NULL ? NULL : strrchr(text, ')');
    fclose(file);
    /* Fields 3 and 22 of proc(5) stat. */
    return rest != NULL &&
           sscanf(rest + 1,
                  " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d"
                  " %llu",
                  &state, &start) == 2 &&
           state != 'Z' && state != 'X' && start == ticks;
}
