/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/argument.h"

#include <limits.h>

#include "preload/memory.h"
#include "preload/system.h"

/* Where a relative name begins; returns the address behind it. */
static char *append_directory(char *at, const char *end, int32_t pid)
{
    char number[24];
    text_decimal(number, (uint64_t)pid);
    at = text_append(at, end, "/proc/");
    at = text_append(at, end, number);
    return text_append(at, end, "/cwd/");
}

/* Not inline: its buffer lies on pages of the stack that other processes do not touch. */
__attribute__((noinline)) uint32_t argument_walk(const struct policy_files *files,
                                                 const struct policy_table *table, uint32_t state,
                                                 const char *argument)
{
    char path[PATH_MAX], name[64];
    const char *end = path + sizeof path;
    char *at =
        files->pid != 0 && argument[0] != '/' ? append_directory(path, end, files->pid) : path;
    if (text_append(at, end, argument) == NULL)
        return POLICY_NO_FILE;
    int fd = system_open(path, O_PATH);
    if (fd < 0)
        return POLICY_NO_FILE;
    text_decimal(text_append(name, name + sizeof name, "/proc/self/fd/"), (uint64_t)fd);
    long length = system_readlink(name, path, sizeof path);
    system_close(fd);
    /* a path that cannot be reached from the root begins with "(unreachable)" */
    if (length <= 0 || (size_t)length == sizeof path || path[0] != '/')
        return POLICY_NO_FILE;
    return policy_walk(table, state, path, (size_t)length);
}
