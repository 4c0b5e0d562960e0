/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/ps/own_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/grow.h"
#include "conf/base/listing.h"
#include "conf/base/process.h"

static int by_inside(const void *left, const void *right)
{
    const struct own_process *a = left, *b = right;
    return a->inside != b->inside ? (a->inside < b->inside ? -1 : 1)
           : a->pid != b->pid     ? (a->pid < b->pid ? -1 : 1)
                                  : 0;
}

int own_processes_list(uid_t uid, struct own_processes *processes)
{
    struct own_processes found = {NULL, 0};
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_open(AT_FDCWD, "/proc", &listing);
    for (const char *name; error == 0 && (name = listing_next(listing)) != NULL;) {
        struct stat status;
        struct own_process one = {.pid = (int32_t)strtol(name, NULL, 10)};
        if (one.pid <= 0 || fstatat(dirfd(listing), name, &status, 0) != 0 ||
            status.st_uid != uid || !process_start(one.pid, &one.start_ticks))
            continue;
        one.inside = process_innermost(one.pid);
        error = GROW(found.process, found.count);
        if (error == 0)
            found.process[found.count++] = one;
    }
    if (error != 0) {
        own_processes_free(&found);
        return error;
    }
    if (found.count > 0)
        qsort(found.process, found.count, sizeof *found.process, by_inside);
    *processes = found;
    return 0;
}

/* The last part of a path of `size` bytes, without what the kernel adds to that of a file that is
 * gone. */
static struct capture_bytes name_of(const char *path, size_t size)
{
    static const char deleted[] = " (deleted)";
    const size_t extra = sizeof deleted - 1;
    if (size > extra && memcmp(path + size - extra, deleted, extra) == 0)
        size -= extra;
    const char *slash = memrchr(path, '/', size);
    const char *name = slash == NULL ? path : slash + 1;
    return (struct capture_bytes){.at = name, .size = size - (size_t)(name - path)};
}

/* Its directory may have been renamed, or have another path in its container: names are compared.
 * Where the kernel does not tell, it does. */
static bool runs_program_of(const struct own_process *process, const struct capture *capture)
{
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", process->pid);
    ssize_t got = readlink(link, path, sizeof path);
    if (got <= 0 || capture->exec.at == NULL)
        return true;
    struct capture_bytes runs = name_of(path, (size_t)got);
    struct capture_bytes told = name_of(capture->exec.at, capture->exec.size);
    return runs.size == told.size && memcmp(runs.at, told.at, runs.size) == 0;
}

/* A first capture has the start of its run, which is after that of the process (ledger.h). */
static bool is_process_of(const struct own_process *process, const struct capture *capture)
{
    return capture->first ? process->start_ticks <= capture->start_ticks
                          : process->start_ticks == capture->start_ticks;
}

const struct own_process *own_processes_find(const struct own_processes *processes,
                                             const struct capture *capture)
{
    size_t low = 0, high = processes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (processes->process[middle].inside < capture->pid)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < processes->count && processes->process[low].inside == capture->pid; low++) {
        const struct own_process *process = &processes->process[low];
        if (is_process_of(process, capture) && runs_program_of(process, capture))
            return process;
    }
    return NULL;
}

void own_processes_free(struct own_processes *processes)
{
    free(processes->process);
    *processes = (struct own_processes){NULL, 0};
}
