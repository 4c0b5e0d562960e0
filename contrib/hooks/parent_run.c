/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/hooks/parent_run.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/process.h"
#include "conf/base/text.h"
#include "conf/base/whole_file.h"
#include "preload/ledger.h"

enum {
    SHELLS_MAX = 4,      /* between the run and this process */
    MAPS_MAX = 64 << 20, /* bytes of a /proc/PID/maps */
    PAGES_MAX = 1 << 10, /* of one mapping of the ledger that are looked at */
};

enum found { FOUND_NONE, FOUND_UNWATCHED, FOUND_RUN };

/* /proc/PID/NAME, malloc'ed, or NULL. */
static char *read_proc(int32_t pid, const char *name)
{
    char path[64], *text;
    size_t size;
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 || whole_file_read(fd, MAPS_MAX, &text, &size) != 0 ? NULL : text;
}

static bool is_shell(int32_t pid)
{
    static const char *const shells[] = {"sh", "bash", "dash", "ksh", "zsh", "csh", "tcsh"};
    CLEANUP_FREE char *name = read_proc(pid, "comm");
    if (name == NULL)
        return false;
    name[strcspn(name, "\n")] = '\0';
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(name, shells[i]) == 0)
            return true;
    }
    return false;
}

/* Whether `slot` is more likely the run of the process `pid` than `other`, whose `pid` is 0 where
 * there is none: its own before that of the process that has forked it, then the later one. */
static bool is_better(const struct ledger_slot *slot, const struct ledger_slot *other, int32_t pid)
{
    bool is_own = slot->pid == pid, is_other_own = other->pid == pid;
    return other->pid == 0 || (is_own == is_other_own ? slot->up_ns > other->up_ns : is_own);
}

/* Looks for the slot of the process, or of the one that has forked it, in one mapping of the
 * ledger. Where the kernel's pages are larger than the ledger's, that has other slots as well. */
static void find_slot(int ledger, uint64_t offset, uint64_t size, int32_t pid,
                      struct ledger_slot *found)
{
    int32_t parent = process_parent(pid);
    for (uint64_t at = 0; at < size && at < (uint64_t)PAGES_MAX * LEDGER_PAGE; at += LEDGER_PAGE) {
        struct ledger_slot slot;
        if (io_read_at(ledger, &slot, sizeof slot, (off_t)(offset + at)) != sizeof slot)
            break;
        if (slot.magic == LEDGER_SLOT_MAGIC && slot.state == LEDGER_OPEN && slot.pid > 0 &&
            (slot.pid == pid || slot.pid == parent) && is_better(&slot, found, pid))
            *found = slot;
    }
}

static enum found find_run(int ledger, int32_t pid, char uuid[PARENT_RUN_UUID])
{
    struct ledger_slot slot = {.pid = 0};
    CLEANUP_FREE char *maps = read_proc(pid, "maps");
    for (char *line = maps; line != NULL;) {
        unsigned long long start, end, offset;
        char *next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        size_t length = strlen(line);
        if (length > 7 && strcmp(line + length - 7, "/ledger") == 0 &&
            sscanf(line, "%llx-%llx %*4s %llx", &start, &end, &offset) == 3)
            find_slot(ledger, offset, end - start, pid, &slot);
        line = next;
    }
    if (slot.pid == 0)
        return FOUND_NONE;
    text_hex(slot.uuid, sizeof slot.uuid, uuid);
    return slot.flags & LEDGER_SLOT_PKGS ? FOUND_RUN : FOUND_UNWATCHED;
}

bool parent_run_find(const char *spool, char uuid[PARENT_RUN_UUID])
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/ledger", spool) >= (int)sizeof path)
        return false;
    CLEANUP_CLOSE int ledger = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int32_t pid = getppid();
    enum found found = FOUND_NONE;
    for (int i = 0; ledger >= 0 && pid > 1 && i <= SHELLS_MAX && found != FOUND_RUN; i++) {
        found = find_run(ledger, pid, uuid);
        if (!is_shell(pid))
            break;
        pid = process_parent(pid);
    }
    return found == FOUND_RUN;
}
