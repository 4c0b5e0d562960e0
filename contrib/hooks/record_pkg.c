/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-record-pkg: what a site's hooks for XALT call as $XALT_DIR/libexec/xalt_record_pkg.
 * Writes one line into the file of packages (packages.h), for the run of the interpreter that has
 * called it.
 *
 * It is called by users' programs. It prints nothing, and its exit status is 0, whatever is wrong.
 */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/process.h"
#include "conf/base/text.h"
#include "contrib/hooks/packages.h"
#include "preload/ledger.h"

/* ---- The run that has called ----------------------------------------------------------------- */

/* The run that has called this process: that of the nearest ancestor which is no shell between the
 * two. */

enum { PARENT_RUN_UUID = 33 };

enum {
    SHELLS_MAX = 4,      /* between the run and this process */
    MAPS_MAX = 64 << 20, /* bytes of a /proc/PID/maps */
    PAGES_MAX = 1 << 10, /* of one mapping of the ledger that are looked at */
};

enum run_found { FOUND_NONE, FOUND_UNWATCHED, FOUND_RUN };

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

static enum run_found find_run(int ledger, int32_t pid, char uuid[PARENT_RUN_UUID])
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

/* `spool` is the directory of the ledger. Returns whether there is such a run, and its packages are
 * recorded (LEDGER_SLOT_PKGS). Writes its uuid, 32 hexadecimal digits and a NUL. */
static bool parent_run_find(const char *spool, char uuid[PARENT_RUN_UUID])
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/ledger", spool) >= (int)sizeof path)
        return false;
    CLEANUP_CLOSE int ledger = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int32_t pid = getppid();
    enum run_found found = FOUND_NONE;
    for (int i = 0; ledger >= 0 && pid > 1 && i <= SHELLS_MAX && found != FOUND_RUN; i++) {
        found = find_run(ledger, pid, uuid);
        if (!is_shell(pid))
            break;
        pid = process_parent(pid);
    }
    return found == FOUND_RUN;
}

/* ---- The record ------------------------------------------------------------------------------ */

/* What xalt_record_pkg of XALT 3.2.4 takes: pairs of a key and a value. */
struct arguments {
    const char *program, *name, *version, *path;
};

static bool is_text(const char *text, size_t max)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        if (iscntrl((unsigned char)text[i]))
            return false;
    }
    return length <= max;
}

/* "-u UUID" is the run as XALT knows it. Keys that are not used here, such as xalt_run_uuid, are
 * skipped. Of a key that is given twice, the last one counts, as with XALT. */
static bool read_arguments(int argc, char **argv, struct arguments *arguments)
{
    *arguments = (struct arguments){NULL, NULL, "", ""};
    const struct {
        const char *key, **value;
        size_t max;
    } keys[] = {{"program", &arguments->program, PACKAGES_PROGRAM},
                {"package_name", &arguments->name, PACKAGES_NAME_BYTES},
                {"package_version", &arguments->version, PACKAGES_VERSION},
                {"package_path", &arguments->path, PACKAGES_LINE}};
    opterr = 0;
    while (getopt(argc, argv, "u:") != -1)
        ;
    if ((argc - optind) % 2 != 0)
        return false;
    for (int i = optind; i < argc; i += 2) {
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            if (strcmp(argv[i], keys[k].key) == 0 && is_text(argv[i + 1], keys[k].max))
                *keys[k].value = argv[i + 1];
        }
    }
    return arguments->program != NULL && arguments->program[0] != '\0' && arguments->name != NULL &&
           arguments->name[0] != '\0';
}

static void write_line(const char *spool, const char *uuid, const struct arguments *arguments)
{
    char path[PATH_MAX], line[PACKAGES_LINE + 1];
    struct stat status;
    int size = snprintf(line, sizeof line, "xalt\t%s\t%s\t0\t%s\t%s\t%s\n", uuid,
                        arguments->program, arguments->name, arguments->version, arguments->path);
    if (size >= (int)sizeof line ||
        snprintf(path, sizeof path, "%s/" PACKAGES_NAME, spool) >= (int)sizeof path)
        return;
    CLEANUP_CLOSE int fd =
        open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size >= PACKAGES_BYTES)
        return;
    signal(SIGXFSZ, SIG_IGN); /* beyond a limit on the size of files the write fails */
    (void)!write(fd, line, (size_t)size);
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    char uuid[PARENT_RUN_UUID];
    const char *spool = getenv("JOBTRAIL_SPOOL");
    if (spool != NULL && spool[0] == '/' && read_arguments(argc, argv, &arguments) &&
        parent_run_find(spool, uuid))
        write_line(spool, uuid, &arguments);
    return 0;
}
