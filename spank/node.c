/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/node.h"

#include "conf/base/host.h"
#include "conf/base/process_stat.h"

void node_add(struct journal_line *line)
{
    char boot[HOST_BOOT_SIZE];
    journal_text(line, "node", host_node());
    host_boot(boot);
    if (boot[0] != '\0')
        journal_text(line, "boot", boot);
}

unsigned long long node_start_ticks(pid_t pid)
{
    struct process_stat stat;
    return process_stat_read(pid, &stat) == 0 ? stat.start_ticks : 0;
}
