/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel leaves the path that execve(2) was called with in memory (AT_EXECFN). It is the text
 * of /proc/self/exe where it is absolute, no part of it is a symbolic link, "." or "..", and it is
 * not a script, whose interpreter is the executable.
 */
#include "preload/exec_path.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "preload/memory.h"
#include "preload/private.h"
#include "preload/proc.h"
#include "preload/system.h"

enum {
    PARTS_MAX = 16,
    COPY_ROOM = 256,
    /* For a script the kernel puts the interpreter, at most one argument, and the script's name
     * before the arguments, for the interpreter's own script again: five times (exec.c). */
    SCRIPT_ARGUMENTS = 11,
};

static int may_be_script(const struct image *image)
{
    for (int i = 1; i < image->argc && i < SCRIPT_ARGUMENTS; i++) {
        if (image->argv[i] == NULL || text_equal(image->argv[i], image->exec_name))
            return 1;
    }
    return 0;
}

static int is_dots(const char *part, size_t length)
{
    return length == 0 || (part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.')));
}

/* Whether `path`, NUL-terminated, exists and is no link. */
static int is_no_link(const char *path)
{
    char target;
    return system_readlink(path, &target, sizeof target) == -EINVAL;
}

/* Whether the kernel would write the absolute path in the same way. Changes it while it checks, and
 * restores it. */
static int is_canonical(char *path)
{
    char *part = path + 1;
    for (int i = 0; i < PARTS_MAX; i++) {
        char *end = part;
        while (*end != '/' && *end != '\0')
            end++;
        char separator = *end;
        *end = '\0';
        int plain = !is_dots(part, (size_t)(end - part)) && is_no_link(path);
        *end = separator;
        if (!plain || separator == '\0')
            return plain;
        part = end + 1;
    }
    return 0;
}

static bool has_slash(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '/')
            return true;
    return false;
}

/* Whether the program is an argument of the loader, which then is the executable. The loader has
 * put the program's own values into the auxiliary vector, but there is no AT_BASE. */
static int is_by_loader(const struct image *image)
{
    return image->loader_base == 0 && image->exec_name != NULL && image_is_dynamic(image) &&
           has_slash(image->exec_name, text_length(image->exec_name));
}

/* Whether the name in AT_EXECFN is the path. One too long for the stack is not looked at. */
static int is_named_by_kernel(const struct image *image)
{
    char copy[COPY_ROOM];
    const char *name = image->exec_name;
    /* Static programs have no AT_BASE, and so take the slower way as well. */
    return image->loader_base != 0 && name != NULL && name[0] == '/' && !may_be_script(image) &&
           text_append(copy, copy + sizeof copy, name) != NULL && is_canonical(copy);
}

/* ---- Files without a path -------------------------------------------------------------------- */

/* runc and crun run a copy of their file, which nobody can change: in memory, which the kernel
 * calls "/memfd:NAME (deleted)", or by a mount of its own that is attached nowhere, "/". */
#define IN_MEMORY "/memfd:"
enum { IN_MEMORY_BYTES = sizeof IN_MEMORY - 1 };

/* Whether the file at `path` is the one that this process runs, or may be what was copied. */
static bool may_be_original(const char *path, bool is_in_memory)
{
    struct stat own, file;
    return path[0] == '/' && system_stat_path("/proc/self/exe", &own) == 0 &&
           system_stat_path(path, &file) == 0 && file.st_size == own.st_size &&
           (is_in_memory || (file.st_ino == own.st_ino && file.st_dev == own.st_dev));
}

/* The length without what the kernel adds to the path of a file that is in no directory. */
static size_t without_deleted(const char *path, size_t length)
{
    static const char deleted[] = " (deleted)";
    const size_t extra = sizeof deleted - 1;
    return length > extra && memcmp(path + length - extra, deleted, extra) == 0 ? length - extra
                                                                                : length;
}

/* Replaces such a path, not terminated, by that of the file as the program names itself, or by
 * "/memfd/NAME" or "/NAME"; runc's name in memory is a path. Returns the length. */
static size_t name_copy(const struct image *image, char *path, size_t length)
{
    bool is_in_memory = length > IN_MEMORY_BYTES && memcmp(path, IN_MEMORY, IN_MEMORY_BYTES) == 0;
    const char *name = image->argc > 0 ? image->argv[0] : NULL;
    if ((!is_in_memory && length != 1) || name == NULL)
        return length;
    if (may_be_original(name, is_in_memory)) {
        size_t real = proc_real_path(name, path, SLOT_PATH_ROOM);
        return real == 0 ? length : real;
    }
    char *start = path + (is_in_memory ? IN_MEMORY_BYTES : 1);
    start[-1] = '/';
    length = without_deleted(path, length);
    if (path + length > start && !has_slash(start, (size_t)(path + length - start)))
        return length;
    char *end = text_append(start, path + SLOT_PATH_ROOM, text_last_part(name));
    return end == NULL ? length : (size_t)(end - path);
}

int exec_path_find(const struct image *image, struct exec_path *path)
{
    *path = (struct exec_path){.text = image->exec_name};
    if (!is_named_by_kernel(image)) {
        struct private_memory *memory = private_memory();
        char *room = memory == NULL ? NULL : private_path(memory);
        long length = 0;
        if (room != NULL && is_by_loader(image))
            length = (long)proc_real_path(image->exec_name, room, SLOT_PATH_ROOM);
        if (room != NULL && length == 0)
            length = system_readlink("/proc/self/exe", room, SLOT_PATH_ROOM);
        if (length > 0) {
            length = (long)name_copy(image, room, (size_t)length);
            *path = (struct exec_path){.text = room, .length = (size_t)length};
            return 1;
        }
    }
    if (path->text != NULL)
        path->length = text_length(path->text);
    return path->length > 0;
}
