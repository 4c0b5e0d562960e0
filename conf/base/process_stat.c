/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/process_stat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/io.h"

bool process_stat_read(int32_t pid, struct process_stat *stat)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%" PRId32 "/stat", pid);
    /* Not a line: the name, which the user chooses, may hold a newline or a parenthesis. */
    io_read_text(AT_FDCWD, path, text, sizeof text);
    const char *name_end = strrchr(text, ')');
    /* Fields 3, 4 and 22. */
    return name_end != NULL &&
           sscanf(name_end + 1,
                  " %c %" SCNd32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d"
                  " %*d %" SCNu64,
                  &stat->state, &stat->parent, &stat->start_ticks) == 3;
}
