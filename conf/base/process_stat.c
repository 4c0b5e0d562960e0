/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/io.h"

int process_stat_read(int32_t pid, struct process_stat *stat)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%" PRId32 "/stat", pid);
    /* Not a line: the name, which the user chooses, may hold a newline or a parenthesis. */
    ssize_t got = io_read_text(AT_FDCWD, path, text, sizeof text);
    if (got < 0)
        return got == -ENOENT ? -ESRCH : (int)got;
    const char *name_end = strrchr(text, ')');
    /* Fields 3, 4, 20 and 22. */
    return name_end != NULL &&
                   sscanf(name_end + 1,
                          " %c %" SCNd32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d"
                          " %*d %" SCNd32 " %*d %" SCNu64,
                          &stat->state, &stat->parent, &stat->threads, &stat->start_ticks) == 4
               ? 0
               : -EINVAL;
}

bool process_stat_is_over(const struct process_stat *stat)
{
    return stat->state == 'X' || (stat->state == 'Z' && stat->threads <= 1);
}
