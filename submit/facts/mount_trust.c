/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/mount_trust.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"

/* On devices and in memory, and of servers that the site has chosen. */
static const char *const local[] = {"ext2",     "ext3",  "ext4",     "xfs",   "btrfs",
                                    "f2fs",     "zfs",   "tmpfs",    "ramfs", "overlay",
                                    "squashfs", "erofs", "bcachefs", NULL};
static const char *const remote[] = {"nfs",  "nfs4",  "lustre", "gpfs", "beegfs",
                                     "ceph", "panfs", "wekafs", NULL};

static bool is_in(const char *const list[], const char *name)
{
    for (size_t i = 0; list[i] != NULL; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

/* Whether the comma-separated `options` have this one. */
static bool has_option(const char *options, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = options; *at != '\0'; at += *at == ',') {
        size_t size = strcspn(at, ",");
        if (size == length && strncmp(at, name, length) == 0)
            return true;
        at += size;
    }
    return false;
}

/* Of a line of /proc/PID/mountinfo (proc(5)). */
static bool is_line_trusted(const char *line)
{
    char options[256], type[64];
    const char *rest = strstr(line, " - ");
    if (rest == NULL || sscanf(line, "%*u %*u %*s %*s %*s %255s", options) != 1 ||
        strlen(options) == sizeof options - 1 || sscanf(rest, " - %63s", type) != 1)
        return false;
    return is_in(remote, type) || (is_in(local, type) && !has_option(options, "nosuid"));
}

bool mount_is_trusted(int fd)
{
    struct statx status;
    CLEANUP_FREE char *line = NULL;
    size_t room = 0;
    bool is_trusted = false, is_found = false;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0 ||
        (status.stx_mask & STATX_MNT_ID) == 0)
        return false;
    CLEANUP_FCLOSE FILE *lines = fopen("/proc/self/mountinfo", "re");
    while (lines != NULL && !is_found && getline(&line, &room, lines) > 0) {
        is_found = strtoull(line, NULL, 10) == status.stx_mnt_id;
        is_trusted = is_found && is_line_trusted(line);
    }
    return is_trusted;
}
