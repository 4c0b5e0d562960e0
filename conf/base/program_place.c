/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/program_place.h"

#include <string.h>
#include <unistd.h>

bool program_place(const char *from_program, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    size_t room = slash == NULL ? 0 : size - (size_t)(slash + 1 - path),
           more = strlen(from_program);
    if (more >= room)
        return false;
    memcpy(slash + 1, from_program, more + 1);
    return true;
}
