/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/mount_trust.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* On devices and in memory, and of servers that the site has chosen. */
static const char *const local[] = {"ext2",     "ext3",  "ext4",     "xfs",   "btrfs",
                                    "f2fs",     "zfs",   "tmpfs",    "ramfs", "overlay",
                                    "squashfs", "erofs", "bcachefs", NULL};
static const char *const remote[] = {"nfs",  "nfs4",  "lustre", "gpfs", "beegfs",
                                     "ceph", "panfs", "wekafs", NULL};

static int is_in(const char *const list[], const char *name)
{
    for (size_t i = 0; list[i] != NULL; i++)
        if (strcmp(list[i], name) == 0)
            return 1;
    return 0;
}

/* Whether the comma-separated `options` have this one. */
static int has(const char *options, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = options; *at != '\0'; at += *at == ',') {
        size_t size = strcspn(at, ",");
        if (size == length && strncmp(at, name, length) == 0)
            return 1;
        at += size;
    }
    return 0;
}

/* A line of /proc/PID/mountinfo (proc(5)). */
static int is_trusted(const char *line)
{
    char options[256], type[64];
    const char *rest = strstr(line, " - ");
    if (rest == NULL || sscanf(line, "%*u %*u %*s %*s %*s %255s", options) != 1 ||
        strlen(options) == sizeof options - 1 || sscanf(rest, " - %63s", type) != 1)
        return 0;
    return is_in(remote, type) || (is_in(local, type) && !has(options, "nosuid"));
}

int mount_trust(int fd)
{
    struct statx status;
    char *line = NULL;
    size_t room = 0;
    int trusted = 0, found = 0;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0 ||
        (status.stx_mask & STATX_MNT_ID) == 0)
        return 0;
    FILE *lines = fopen("/proc/self/mountinfo", "re");
    while (lines != NULL && !found && getline(&line, &room, lines) > 0) {
        found = strtoull(line, NULL, 10) == status.stx_mnt_id;
        trusted = found && is_trusted(line);
    }
    free(line);
    if (lines != NULL)
        fclose(lines);
    return trusted;
}
