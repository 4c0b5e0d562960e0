/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/proc.h"

#include <stdbool.h>

#include "conf/policy/policy_read.h"
#include "preload/argument.h"
#include "preload/memory.h"
#include "preload/system.h"

enum {
    ANCESTORS_MAX = 16,
    ARGUMENTS_MAX = 512, /* bytes of an ancestor's command line */
    LINK_MAX = 1024,
};

/* "/proc/PID/NAME" or "/proc/self/NAME" into 64 bytes at `path`. */
static void proc_path(int32_t pid, const char *name, char *path)
{
    char number[24] = "self";
    if (pid != 0)
        text_decimal(number, (uint64_t)pid);
    const char *end = path + 64;
    char *at = text_append(path, end, "/proc/");
    at = text_append(at, end, number);
    text_append(at, end, name);
}

static size_t read_file(int32_t pid, const char *name, char *to, size_t size)
{
    char path[64];
    proc_path(pid, name, path);
    int fd = system_open(path, O_RDONLY);
    if (fd < 0)
        return 0;
    long got = system_read(fd, to, size);
    system_close(fd);
    return got > 0 ? (size_t)got : 0;
}

/* The address of the `index`th word after the one that `text` begins with; blanks separate words.
 */
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
    size_t size = read_file(pid, "/stat", text, sizeof text - 1);
    text[size] = '\0';
    return size > 0 && parse_stat(text, size, stat);
}

uintptr_t proc_start_stack(void)
{
    char text[STAT_ROOM];
    size_t size = read_file(0, "/stat", text, sizeof text - 1);
    text[size] = '\0';
    const char *close = name_end(text, size);
    return close == NULL ? 0 : (uintptr_t)stat_field(close, STARTSTACK);
}

/* How many bytes of the command line `line`, of `size` bytes and a NUL, are recorded. Files are
 * looked for from the directory in which the process is now. */
static size_t kept_bytes(int32_t pid, const struct proc_lines *lines, const char *path,
                         size_t path_length, char *line, size_t size)
{
    const struct policy_files files = {argument_walk, pid};
    if (lines->wanted == POLICY_LINE_YES &&
        !policy_skips_line(lines->policy, path, path_length, line, size, &files))
        return size;
    size_t first = text_length(line) + 1;
    return first < size ? first : size;
}

/* `path`: of the executable, as it is among the fields. */
static void put_arguments(int32_t pid, const struct proc_lines *lines, const char *path,
                          size_t path_length, struct fields *fields)
{
    size_t room;
    char *line = (char *)fields_room(fields, ARGUMENTS_MAX, &room);
    if (lines->wanted == POLICY_LINE_NO || room < 2)
        return;
    size_t size = read_file(pid, "/cmdline", line, room - 1);
    line[size] = '\0';
    fields_wrote(fields, kept_bytes(pid, lines, path, path_length, line, size));
}

static void put_ancestor(const struct proc_stat *stat, const struct proc_lines *lines,
                         struct fields *fields)
{
    char path[64];
    size_t room;
    if (!fields_begin(fields, LEDGER_ANCESTOR))
        return;
    fields_add(fields, &stat->pid, sizeof stat->pid, fields->room);
    fields_add(fields, stat->name, text_length(stat->name) + 1, fields->room);
    proc_path(stat->pid, "/exe", path);
    char *text = (char *)fields_room(fields, LINK_MAX, &room);
    long length = system_readlink(path, text, room);
    fields_wrote(fields, length > 0 ? (size_t)length : 0);
    fields_add(fields, "", 1, fields->room);
    put_arguments(stat->pid, lines, text, length > 0 ? (size_t)length : 0, fields);
    fields_end(fields);
}

static void put_namespace(struct fields *fields)
{
    char text[64];
    long length = system_readlink("/proc/self/ns/pid", text, sizeof text);
    if (length > 0)
        fields_put(fields, LEDGER_NAMESPACE, text, (size_t)length);
}

void proc_ancestors(const struct proc_stat *self, int32_t last, const struct proc_lines *lines,
                    struct fields *fields)
{
    struct proc_stat stat = *self;
    for (int i = 0; i < ANCESTORS_MAX && stat.pid != last; i++) {
        if (stat.ppid <= 1 || !proc_stat(stat.ppid, &stat)) {
            put_namespace(fields);
            return;
        }
        put_ancestor(&stat, lines, fields);
        if (text_equal(stat.name, "slurmstepd"))
            return;
    }
}
