/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/stays.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static int identify(const char *path, int dir_fd, const char *name, struct digest *digest)
{
    struct stat facts;
    if (fstatat(dir_fd, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    const void *const pieces[] = {path, &facts.st_ino, &facts.st_size, &facts.st_mtim,
                                  &facts.st_ctim};
    const size_t sizes[] = {strlen(path), sizeof facts.st_ino, sizeof facts.st_size,
                            sizeof facts.st_mtim, sizeof facts.st_ctim};
    return hash_pieces(pieces, sizes, sizeof sizes / sizeof sizes[0], digest);
}

void stays_note(struct id_cache *stays, const char *path, int dir_fd, const char *name)
{
    struct digest digest;
    if (identify(path, dir_fd, name, &digest) == 0)
        id_cache_add(stays, &digest, 1);
}

bool stays_has(const struct id_cache *stays, const char *path, int dir_fd, const char *name)
{
    struct digest digest;
    return stays->used > 0 && identify(path, dir_fd, name, &digest) == 0 &&
           id_cache_find(stays, &digest) != 0;
}
