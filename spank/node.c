/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/node.h"

#include <stdio.h>
#include <string.h>

#include "spank/spool.h"

void node_add(struct journal_line *line)
{
    char boot[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    journal_text(line, "node", spool_node());
    if (file == NULL)
        return;
    if (fgets(boot, sizeof boot, file) != NULL) {
        boot[strcspn(boot, "\n")] = '\0';
        journal_text(line, "boot", boot);
    }
    fclose(file);
}

unsigned long long node_start_ticks(pid_t pid)
{
    char path[32], text[512];
    unsigned long long ticks = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fgets(text, sizeof text, file) != NULL) {
        char *rest = strrchr(text, ')');
        if (rest == NULL || sscanf(rest + 1,
                                   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d"
                                   " %*d %*d %*d %*d %llu",
                                   &ticks) != 1)
            ticks = 0;
    }
    fclose(file);
    return ticks;
}
