/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/replaceable.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "submit/facts/file_facts.h"

/* These load no library but what the loader or the system's configuration names, and start programs
 * in children alone. Names up to the version. */
static const char *const systems[] = {
    "ld-",       "ld64.so",    "libc.so",    "libc-2",      "libc.musl",  "libdl.so", "libdl-2",
    "libgcc_s.", "libm.so",    "libm-2",     "libmvec.so",  "libpthread", "librt.so", "librt-2",
    "libstdc++", "linux-vdso", "linux-gate", "libjobtrail", NULL,
};

static bool is_systems(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    for (size_t i = 0; systems[i] != NULL; i++)
        if (strncmp(name, systems[i], strlen(systems[i])) == 0)
            return true;
    return false;
}

/* Whether the file of that path may replace the program, or is not the one that ran: it was changed
 * after `start_ns`. */
static bool file_replaces(const char *path, uint64_t start_ns)
{
    const struct file_facts *facts = file_facts_replaces(path);
    return facts == NULL || facts->replaces || facts->changed_ns >= start_ns;
}

static bool bytes_replace(struct capture_bytes path, uint64_t start_ns)
{
    char text[PATH_MAX];
    if (path.at == NULL || path.cut || path.size >= sizeof text)
        return true;
    memcpy(text, path.at, path.size);
    text[path.size] = '\0';
    return !is_systems(text) && file_replaces(text, start_ns);
}

bool replaceable(const struct capture *capture)
{
    if (capture->cut || capture->object_count == 0)
        return true;
    if (bytes_replace(capture->exec, capture->start_ns))
        return true;
    for (size_t i = 0; i < capture->object_count; i++)
        if (bytes_replace(capture->objects[i].path, capture->start_ns))
            return true;
    return false;
}
