/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a process still runs the same program is asked with get_robust_list(2): libc registers
 * the address of its main thread's list with the kernel when a program starts, execve(2) forgets
 * it, and the next program has another one, as addresses are random. It is one system call, and
 * needs the rights that /proc/PID/exe needs. Where addresses are not random, or libc registers
 * nothing (musl), /proc is read each time.
 *
 * The forked children of a program have its list's address too, and its path and arguments. Their
 * parents may be different ones, and a pid may be used again. So where the walk goes on to the
 * parent of an ancestor, the inode of its /proc/PID tells which process it is.
 *
 * A name or an argument that a program changes in its own memory later is not noticed.
 */
#include "preload/ancestor.h"

#include <sys/stat.h>

#include "conf/policy/policy_read.h"
#include "preload/decide.h"
#include "preload/memory.h"
#include "preload/system.h"

enum {
    ANCESTORS_MAX = 16,
    ARGUMENTS_MAX = 512, /* bytes of an ancestor's command line */
    LINK_MAX = 1024,
};

/* Without random addresses, a stack ends some pages below the end of the address space, which is a
 * power of two, and what is mapped ends some 128 MiB below it. */
static bool is_near_end(uint64_t address, uint64_t distance)
{
    uint64_t end = UINT64_C(1) << 32;
    while (end < address)
        end <<= 1;
    return end - address < distance;
}

bool ancestor_is_random(const struct image *image)
{
    const uint64_t pages = 16;
    /* The name is the last text of the stack. 32-bit programs have too few places. */
    return sizeof(void *) == 8 && image->exec_name != NULL &&
           !is_near_end((uintptr_t)image->exec_name, pages * LEDGER_PAGE);
}

static uint64_t mixed(uint64_t state, uint64_t word)
{
    state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return state ^ state >> 29;
}

/* What identifies the process `pid` and its program, and how its line is cut; 0: unknown. */
static uint64_t ancestor_key(const struct ancestor_source *source, int32_t pid)
{
    const uint64_t least = UINT64_C(1) << 36; /* static programs have theirs below, in few places */
    char path[PROC_PATH_ROOM];
    struct stat status = {.st_ino = 0};
    uintptr_t list = 0;
    size_t size;
    if (!source->is_shared || pid <= 1 ||
        system_call6(SYS_get_robust_list, pid, (long)&list, (long)&size, 0, 0, 0) != 0 ||
        list < least || is_near_end(list, UINT64_C(1) << 32))
        return 0;
    proc_path(pid, "", path);
    if (pid != source->last && system_stat_path(path, &status) != 0)
        return 0;
    uint64_t key = mixed(mixed(list, status.st_ino), source->lines.identity);
    key = mixed(key, (uint64_t)source->lines.wanted << 32 | (uint32_t)pid);
    return key == 0 ? 1 : key;
}

static uint64_t ancestor_check(uint64_t key, const struct ledger_ancestor *head, const char *text)
{
    uint64_t state = mixed(mixed(key, (uint32_t)head->ppid), head->size);
    for (size_t at = 0; at < head->size; at += sizeof state) {
        uint64_t word = 0;
        size_t left = head->size - at;
        memcpy(&word, text + at, left < sizeof word ? left : sizeof word);
        state = mixed(state, word);
    }
    return state;
}

static struct ledger_ancestor *ancestor_place(const struct ancestor_source *source, int32_t pid)
{
    struct ledger_ancestor *all = (void *)((unsigned char *)source->head + LEDGER_PAGE);
    return &all[(uint32_t)pid % LEDGER_ANCESTORS];
}

/* Adds the field that another process has left. Returns whether there is one; `*stat` then is the
 * ancestor. All is copied first, and checked then. */
static bool take(const struct ancestor_source *source, uint64_t key, int32_t pid,
                 struct proc_stat *stat, struct fields *fields)
{
    struct ledger_ancestor head;
    size_t room;
    memcpy(&head, ancestor_place(source, pid), offsetof(struct ledger_ancestor, text));
    if (head.pid != pid || head.size == 0 || head.size > sizeof head.text ||
        !fields_begin(fields, LEDGER_ANCESTOR))
        return false;
    fields_add(fields, &pid, sizeof pid, fields->room);
    char *text = (char *)fields_room(fields, head.size, &room);
    if (room == head.size)
        memcpy(text, ancestor_place(source, pid)->text, room);
    size_t name = room == head.size ? policy_length(text, sizeof stat->name - 1) : room;
    if (room < head.size || ancestor_check(key, &head, text) != head.check || name >= room ||
        name >= sizeof stat->name) {
        fields_cancel(fields);
        return false;
    }
    fields_wrote(fields, room);
    fields_end(fields);
    memcpy(stat->name, text, name + 1);
    stat->pid = pid;
    stat->ppid = head.ppid;
    return true;
}

/* Leaves the field's content, `size` bytes at `text`, for other processes. `key` is from before it
 * was read: a process that has started another program since is left out. */
static void leave(const struct ancestor_source *source, uint64_t key, const struct proc_stat *stat,
                  const unsigned char *text, size_t size)
{
    struct ledger_ancestor *place = ancestor_place(source, stat->pid);
    struct ledger_ancestor head = {.pid = stat->pid, .ppid = stat->ppid, .size = (uint32_t)size};
    if (key == 0 || size > sizeof head.text || ancestor_key(source, stat->pid) != key)
        return;
    head.check = ancestor_check(key, &head, (const char *)text);
    memcpy(place->text, text, size);
    memcpy(place, &head, offsetof(struct ledger_ancestor, text));
}

/* How many bytes of the command line `line`, of `size` bytes and a NUL, are recorded. Files are
 * looked for from the directory in which the process is now. */
static size_t kept_bytes(int32_t pid, const struct ancestor_lines *lines, const char *path,
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
static void put_arguments(int32_t pid, const struct ancestor_lines *lines, const char *path,
                          size_t path_length, struct fields *fields)
{
    size_t room;
    char *line = (char *)fields_room(fields, ARGUMENTS_MAX, &room);
    if (lines->wanted == POLICY_LINE_NO || room < 2)
        return;
    size_t size = proc_read(pid, "/cmdline", line, room - 1);
    line[size] = '\0';
    fields_wrote(fields, kept_bytes(pid, lines, path, path_length, line, size));
}

static void put_ancestor(const struct proc_stat *stat, const struct ancestor_lines *lines,
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

static uint64_t put_namespace(struct fields *fields)
{
    char text[64];
    size_t length = proc_namespace(text, sizeof text);
    if (length > 0)
        fields_put(fields, LEDGER_NAMESPACE, text, length);
    return proc_namespace_inode(text, length);
}

/* Adds the field of the parent of `*stat`, which then is the parent. Whether it was read. */
static bool put_parent(const struct ancestor_source *source, uint64_t key, struct proc_stat *stat,
                       struct fields *fields)
{
    size_t begin = fields->used + sizeof(struct ledger_field) + sizeof stat->pid;
    if (stat->ppid <= 1 || !proc_stat(stat->ppid, stat))
        return false;
    put_ancestor(stat, &source->lines, fields);
    if ((fields->field.flags & LEDGER_FIELD_CUT) == 0 && fields->used > begin)
        leave(source, key, stat, fields->start + begin, fields->field.length - sizeof stat->pid);
    return true;
}

uint64_t ancestor_put_all(const struct ancestor_source *source, struct fields *fields)
{
    struct proc_stat stat = *source->self;
    bool is_taken = false;
    for (int i = 0; i < ANCESTORS_MAX && stat.pid != source->last; i++) {
        uint64_t key = ancestor_key(source, stat.ppid);
        if (key != 0 && take(source, key, stat.ppid, &stat, fields)) {
            is_taken = true;
        } else {
            /* An ancestor that was taken may have got another parent since. */
            if (is_taken && stat.ppid > 1 && !proc_stat(stat.pid, &stat))
                return put_namespace(fields);
            key = is_taken ? ancestor_key(source, stat.ppid) : key;
            is_taken = false;
            if (!put_parent(source, key, &stat, fields))
                return put_namespace(fields);
        }
        if (text_equal(stat.name, "slurmstepd"))
            return 0;
    }
    return 0;
}
