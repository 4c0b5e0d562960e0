/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/seen_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static int identify_file(const char *path, int dir_fd, const char *name, struct digest *digest)
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

void seen_files_note(struct id_cache *seen, const char *path, int dir_fd, const char *name)
{
    struct digest digest;
    if (identify_file(path, dir_fd, name, &digest) == 0)
        id_cache_add(seen, &digest, 1);
}

bool seen_files_has(const struct id_cache *seen, const char *path, int dir_fd, const char *name)
{
    struct digest digest;
    return seen->used > 0 && identify_file(path, dir_fd, name, &digest) == 0 &&
           id_cache_find(seen, &digest) != 0;
}
