/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel leaves the path that execve(2) was called with in memory (AT_EXECFN). It is the text
 * of /proc/self/exe where it is absolute, no part of it is a symbolic link, "." or "..", and it is
 * not a script, whose interpreter is the executable.
 */
#include "preload/exec_path.h"

#include <errno.h>

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

/* Whether the program is an argument of the loader, which then is the executable. The loader has
 * put the program's own values into the auxiliary vector, but there is no AT_BASE. */
static int is_by_loader(const struct image *image)
{
    return image->loader_base == 0 && image->exec_name != NULL && image_is_dynamic(image);
}

/* Whether the name in AT_EXECFN is the path. A name that is too long for the stack is not looked
 * at. */
static int is_named_by_kernel(const struct image *image)
{
    char copy[COPY_ROOM];
    const char *name = image->exec_name;
    /* Static programs have no AT_BASE, and so take the slower way as well. */
    return image->loader_base != 0 && name != NULL && name[0] == '/' && !may_be_script(image) &&
           text_append(copy, copy + sizeof copy, name) != NULL && is_canonical(copy);
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
            *path = (struct exec_path){.text = room, .length = (size_t)length};
            return 1;
        }
    }
    if (path->text != NULL)
        path->length = text_length(path->text);
    return path->length > 0;
}
