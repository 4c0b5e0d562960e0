/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/host.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/io.h"

const char *host_node(void)
{
    static char host[256];
    const char *name = getenv("SLURMD_NODENAME");
    if (name != NULL && name[0] != '\0' && strchr(name, '/') == NULL)
        return name;
    if (gethostname(host, sizeof host - 1) != 0)
        return "localhost";
    host[strcspn(host, ".")] = '\0';
    return host;
}

void host_boot(char boot[HOST_BOOT_SIZE])
{
    io_read_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot, HOST_BOOT_SIZE);
    boot[strcspn(boot, "\n")] = '\0';
}

uint64_t name_space_of_pids(void)
{
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}
