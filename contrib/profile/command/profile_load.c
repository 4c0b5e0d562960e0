/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/command/profile_load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/profile_collect.h"
#include "contrib/profile/set_file.h"
#include "contrib/profile/symbol_names.h"
#include "contrib/profile/tick_scale.h"

static const char *name(void *context, const struct profiled_object *object, uint64_t address)
{
    return symbol_name(context, object, address);
}

/* No more of a file is read: twice what a job's file may have at the most. */
static const uint64_t bytes_most = UINT64_C(1) << 36;

static int collect(int fd, const char *node, const char *debug, struct profile_set *set)
{
    struct profile_content content;
    struct symbol_names names = {.debug = debug};
    struct collect_facts facts = {.node = node, .name = name, .context = &names};
    char boot[64];
    int error = profile_read(fd, bytes_most, &content);
    if (error != 0)
        return error;
    const struct profile_pair now = tick_now();
    tick_boot(boot);
    if (boot[0] != '\0' && strcmp(boot, content.header.boot) == 0)
        facts.now = &now;
    error = profile_collect(&content, &facts, set);
    symbol_names_free(&names);
    profile_content_free(&content);
    return error;
}

int profile_load(const char *path, bool is_kept, const char *node, const char *debug,
                 struct profile_set *set)
{
    struct stat status;
    struct profile_set read;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) != 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    int error = set_file_read(fd, &read);
    if (error == -EINVAL && !is_kept)
        return collect(fd, node, debug, set);
    return error != 0 ? error : profile_set_merge(set, &read);
}
