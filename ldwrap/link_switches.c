/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_switches.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/io.h"

static bool is_set_to(const char *name, const char *value)
{
    const char *set = getenv(name);
    return set != NULL && strcmp(set, value) == 0;
}

bool switch_tracking(void)
{
    return is_set_to("XALT_EXECUTABLE_TRACKING", "yes");
}

bool switch_functions(void)
{
    return !is_set_to("XALT_FUNCTION_TRACKING", "no");
}

bool switch_command_line(void)
{
    return getenv("XALT_CMDLINE_RECORD") == NULL || is_set_to("XALT_CMDLINE_RECORD", "yes");
}

/* The descriptor to write to; -1: none. */
static int open_trace(void)
{
    const char *value = getenv("XALT_TRACING");
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    if (value != NULL && strncmp(value, "link:", 5) == 0) /* root builds in users' directories */
        return open(value + 5, flags | (caller_is_root() ? O_NOFOLLOW : 0), 0666);
    return is_set_to("XALT_TRACING", "yes") || is_set_to("XALT_TRACING", "link") ? STDERR_FILENO
                                                                                 : -1;
}

void switch_trace(const char *format, ...)
{
    char line[4096] = "jobtrail-ld: ";
    size_t used = strlen(line), room = sizeof line - used - 1;
    va_list values;
    int to = open_trace();
    if (to < 0)
        return;
    va_start(values, format);
    int length = vsnprintf(line + used, room, format, values);
    va_end(values);
    used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
    line[used++] = '\n';
    io_write_all(to, line, used);
    if (to != STDERR_FILENO)
        close(to);
}
