/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/stderr_or_syslog.h"

#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <syslog.h>
#include <unistd.h>

#include "conf/base/io.h"

static int unread;
static const char *own_name = "";

static void to_syslog(const char *text, size_t size)
{
    size_t length = strlen(own_name), skip = length + strlen(": "); /* syslog says it too */
    if (size > skip && memcmp(text, own_name, length) == 0 && memcmp(text + length, ": ", 2) == 0) {
        text += skip;
        size -= skip;
    }
    openlog(own_name, LOG_PID, LOG_DAEMON);
    syslog(LOG_WARNING, "%.*s", (int)size, text);
}

static ssize_t write_message(void *cookie, const char *text, size_t size)
{
    (void)cookie;
    if (!unread && io_write_all(STDERR_FILENO, text, size) != 0)
        unread = 1;
    if (unread)
        to_syslog(text, size);
    return (ssize_t)size;
}

void stderr_or_syslog_open(const char *program)
{
    own_name = program;
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_message});
    if (stream == NULL)
        return;
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    stderr = stream;
}

void stderr_or_syslog_switch(void)
{
    unread = 1;
}
