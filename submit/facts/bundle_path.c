/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/bundle_path.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { RANDOM = 6, NAME_BYTES = 6 /* of an AppImage, at the most */ };

/* Whether the name of `length` bytes begins with `start` and ends with what mkdtemp(3) makes. */
static bool is_random(const char *name, size_t length, const char *start, bool has_more)
{
    size_t begin = strlen(start);
    if (length < begin + RANDOM || memcmp(name, start, begin) != 0 ||
        length > begin + RANDOM + (has_more ? NAME_BYTES : 0))
        return false;
    for (size_t i = length - RANDOM; i < length; i++)
        if (!isalnum((unsigned char)name[i]))
            return false;
    return true;
}

struct capture_bytes bundle_path(struct capture_bytes path, char room[PATH_MAX])
{
    if (path.at == NULL || path.size >= PATH_MAX)
        return path;
    const char *end = path.at + path.size, *next;
    for (const char *slash = memchr(path.at, '/', path.size); slash != NULL; slash = next) {
        const char *name = slash + 1;
        next = memchr(name, '/', (size_t)(end - name));
        if (next == NULL)
            break; /* the last part is a file's */
        size_t length = (size_t)(next - name);
        if (!is_random(name, length, "_MEI", false) && !is_random(name, length, ".mount_", true))
            continue;
        size_t before = (size_t)(next - path.at) - RANDOM;
        memcpy(room, path.at, before);
        room[before] = '*';
        memcpy(room + before + 1, next, (size_t)(end - next));
        return (struct capture_bytes){.at = room, .size = path.size - RANDOM + 1, .cut = path.cut};
    }
    return path;
}
