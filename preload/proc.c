/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/proc.h"

#include "preload/memory.h"
#include "preload/system.h"

void proc_path(int32_t pid, const char *name, char path[PROC_PATH_ROOM])
{
    char number[24] = "self";
    if (pid != 0)
        text_decimal(number, (uint64_t)pid);
    const char *end = path + PROC_PATH_ROOM;
    char *at = text_append(path, end, "/proc/");
    at = text_append(at, end, number);
    text_append(at, end, name);
}

size_t proc_read(int32_t pid, const char *name, char *to, size_t size)
{
    char path[PROC_PATH_ROOM];
    proc_path(pid, name, path);
    int fd = system_open(path, O_RDONLY);
    if (fd < 0)
        return 0;
    long got = system_read(fd, to, size);
    system_close(fd);
    return got > 0 ? (size_t)got : 0;
}

/* The address of the `index`th word after the one that `text` begins with; blanks end words. */
static const char *stat_word(const char *text, int index)
{
    for (; index > 0; index--) {
        while (*text != ' ' && *text != '\0')
            text++;
        while (*text == ' ')
            text++;
    }
    return text;
}

static uint64_t parse_number(const char *text)
{
    uint64_t value = 0;
    while (*text >= '0' && *text <= '9')
        value = value * 10 + (uint64_t)(*text++ - '0');
    return value;
}

enum { STAT_ROOM = 1024, STATE = 3, PPID = 4, STARTTIME = 22, STARTSTACK = 28 }; /* as in proc(5) */

/* The end of the name in "PID (NAME) S PPID ...", or NULL. The name may have any byte in it, so it
 * ends at the last ')'. */
static const char *name_end(const char *text, size_t size)
{
    const char *close = text + size;
    while (close > text && *close != ')')
        close--;
    return close > text ? close : NULL;
}

static uint64_t stat_field(const char *close, int number)
{
    return parse_number(stat_word(close, number - STATE + 1));
}

static bool parse_stat(const char *text, size_t size, struct proc_stat *stat)
{
    const char *open = text;
    const char *close = name_end(text, size);
    while (*open != '(' && *open != '\0')
        open++;
    if (close == NULL || close <= open)
        return false;
    size_t length = (size_t)(close - open) - 1;
    if (length >= sizeof stat->name)
        length = sizeof stat->name - 1;
    memcpy(stat->name, open + 1, length);
    stat->name[length] = '\0';
    stat->pid = (int32_t)parse_number(text);
    stat->ppid = (int32_t)stat_field(close, PPID);
    stat->start_ticks = stat_field(close, STARTTIME);
    return true;
}

int proc_stat(int32_t pid, struct proc_stat *stat)
{
    char text[STAT_ROOM];
    size_t size = proc_read(pid, "/stat", text, sizeof text - 1);
    text[size] = '\0';
    return size > 0 && parse_stat(text, size, stat);
}

/* The address of argc on the stack of the calling process; argv, envp and the auxiliary vector
 * follow. 0 where it cannot be read. */
static uintptr_t proc_start_stack(void)
{
    char text[STAT_ROOM];
    size_t size = proc_read(0, "/stat", text, sizeof text - 1);
    text[size] = '\0';
    const char *close = name_end(text, size);
    return close == NULL ? 0 : (uintptr_t)stat_field(close, STARTSTACK);
}

/* a path that cannot be reached from the root begins with "(unreachable)" */
size_t proc_real_path(const char *path, char *real, size_t room)
{
    char name[64];
    int fd = system_open(path, O_PATH);
    if (fd < 0)
        return 0;
    text_decimal(text_append(name, name + sizeof name, "/proc/self/fd/"), (uint64_t)fd);
    long length = system_readlink(name, real, room);
    system_close(fd);
    return length > 0 && (size_t)length < room && real[0] == '/' ? (size_t)length : 0;
}

size_t proc_namespace(char *text, size_t room)
{
    long length = system_readlink("/proc/self/ns/pid", text, room);
    return length > 0 ? (size_t)length : 0;
}

uint64_t proc_namespace_inode(const char *text, size_t length)
{
    uint64_t inode = 0;
    for (size_t at = 0; at < length; at++) {
        if (text[at] >= '0' && text[at] <= '9')
            inode = inode * 10 + (uint64_t)(text[at] - '0');
    }
    return inode;
}

bool proc_find_image(int argc, char **argv, char **envp, struct image *image)
{
    if (image_find(argc, argv, envp, image))
        return true;
    const uintptr_t *stack = (const uintptr_t *)proc_start_stack();
    if (stack == NULL)
        return false;
    argc = (int)stack[0];
    argv = (char **)(uintptr_t)(stack + 1);
    return image_find(argc, argv, argv + argc + 1, image);
}
