/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/wake.h"

#include <sys/stat.h>

#include "preload/ledger.h"
#include "preload/memory.h"
#include "preload/system.h"

/* The pipe lies in the node's directory, two levels above `spool`. The byte has no meaning: the
 * watcher looks at the ledgers. Outside of Slurm another file may be there instead of a pipe. */
void wake_watcher(const char *spool, char *path, size_t room)
{
    struct stat status;
    char *end = text_append(path, path + room, spool);
    if (end == NULL || text_append(end, path + room, "/../../" LEDGER_WAKE) == NULL)
        return;
    int fd = system_open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (system_stat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
        system_call6(SYS_write, fd, (long)"", 1, 0, 0, 0);
    system_close(fd);
}
