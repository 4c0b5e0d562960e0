/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/runtime.h"

#include "preload/memory.h"

bool runtime_has_name(const char *path)
{
    static const char names[][13] = {"ch-run",  "bwrap",  "apptainer", "singularity", "starter",
                                     "podman",  "docker", "enroot",    "shifter",     "sarus",
                                     "udocker", "runc",   "crun",      "starter-suid"};
    const char *name = path == NULL ? "" : text_last_part(path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_equal(name, names[i]))
            return true;
    return false;
}

/* Whether the directory of `size` bytes contains the library's path. */
static bool is_above(const char *directory, size_t size, const char *library, size_t length)
{
    while (size > 0 && directory[size - 1] == '/')
        size--;
    return size < length && memcmp(directory, library, size) == 0 && library[size] == '/';
}

/* Whether a part of an argument of the forms /here, -b/there:/here:ro, --bind=/there,/here is a
 * directory above the library. */
static bool has_above(const char *argument, const char *library, size_t length)
{
    for (const char *at = argument; *at != '\0'; at++) {
        bool is_first = at == argument || at[-1] == ':' || at[-1] == ',' || at[-1] == '=' ||
                        (argument[0] == '-' && at - argument <= 3);
        size_t size = 0;
        while (at[size] != '\0' && at[size] != ':' && at[size] != ',')
            size++;
        if (is_first && at[0] == '/' && size > 1 && is_above(at, size, library, length))
            return true;
    }
    return false;
}

/* bwrap --bind / /, --bind /opt /opt; ch-run --bind /opt, -b/there:/opt. The root stands for itself
 * beside itself alone, since an image is bound there. What the arguments do not tell may be so:
 * bwrap --args 3, ch-run --join. */
static bool is_bound(const struct image *image, const char *library, size_t length)
{
    const char *before = "";
    for (int i = 1; i < image->argc && image->argv[i] != NULL; before = image->argv[i++]) {
        const char *argument = image->argv[i];
        if (text_equal(argument, "--"))
            break;
        if (text_equal(argument, "--args") || text_after(argument, "--join") != NULL)
            return true;
        if (text_equal(argument, "/") && text_equal(before, "/"))
            return true;
        if ((before[0] == '-' || argument[0] == '-' || text_equal(before, argument)) &&
            has_above(argument, library, length))
            return true;
    }
    return false;
}

/* `end` is behind the entry. */
static bool is_ours(const char *entry, const char *end)
{
    const char *name = end;
    while (name > entry && name[-1] != '/')
        name--;
    const char *rest = text_after(name, "libjobtrail");
    const char *profile = rest == NULL ? NULL : text_after(rest, "-profile");
    rest = profile == NULL ? rest : profile;
    return rest != NULL && text_after(rest, ".so") == end;
}

static void leave_list(const struct image *image, char *entry)
{
    while (*entry != '\0') {
        char *end = entry, *next;
        while (*end != '\0' && *end != ':' && *end != ' ')
            end++;
        next = *end == '\0' ? end : end + 1;
        if (is_ours(entry, end) && !is_bound(image, entry, (size_t)(end - entry))) {
            size_t left = text_length(next), gone = (size_t)(next - entry);
            memmove(entry, next, left);
            memset(entry + left, 0, gone);
        } else {
            entry = next;
        }
    }
}

/* Variables that the kernel has put there lie behind the array. */
void runtime_leave(const struct image *image)
{
    for (char **variable = image->envp; *variable != NULL; variable++) {
        const char *list = text_after(*variable, "LD_PRELOAD=");
        if (list != NULL && *variable > (char *)image->envp)
            leave_list(image, *variable + (list - *variable));
    }
}
