/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/suspension.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"

struct suspension suspension_read(int directory)
{
    char text[64], word[16], end;
    struct suspension found = {.time_ns = 0};
    io_read_text(directory, SUSPENSION_NAME, text, sizeof text);
    if (sscanf(text, "%15s %20" SCNu64 "%c", word, &found.time_ns, &end) != 3 || end != '\n')
        return (struct suspension){.time_ns = 0};
    found.is_suspended = strcmp(word, "suspended") == 0;
    return found.is_suspended || strcmp(word, "running") == 0 ? found
                                                              : (struct suspension){.time_ns = 0};
}

int suspension_write(int directory, const struct suspension *suspension)
{
    char text[64];
    CLEANUP_CLOSE int fd = openat(directory, SUSPENSION_NAME,
                                  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int length = snprintf(text, sizeof text, "%s %" PRIu64 "\n",
                          suspension->is_suspended ? "suspended" : "running", suspension->time_ns);
    return fd < 0 ? -errno : io_write_all(fd, text, (size_t)length);
}
