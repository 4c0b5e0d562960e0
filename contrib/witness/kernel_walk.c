/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/kernel_walk.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/process.h"

#define TICK_NS UINT64_C(10000000)

/* The kernel tells of a fork after the start that /proc shows in ticks of 10 ms. */
enum { START_TICKS = 3, ANCESTORS_MAX = 256 };

struct walked {
    int32_t pid;
    struct process_stat stat;
    uint64_t known_ns;
    uint32_t job; /* by its cgroup; 0: in none */
};

struct walk {
    struct walked *process; /* owned, by pid */
    size_t count, room;
};

static int compare(const void *left, const void *right)
{
    const struct walked *a = left, *b = right;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static int list_processes(const struct witness_jobs *jobs, struct walk *walk)
{
    CLEANUP_LISTING DIR *proc = NULL;
    int error = listing_open(AT_FDCWD, "/proc", &proc);
    for (const char *name; error == 0 && (name = listing_next(proc)) != NULL;) {
        struct walked process = {.pid = isdigit((unsigned char)name[0]) ? atoi(name) : 0,
                                 .known_ns = clock_ns(CLOCK_BOOTTIME)};
        if (process.pid <= 0 || process_stat_read(process.pid, &process.stat) != 0 ||
            process_stat_is_over(&process.stat))
            continue;
        process.job = witness_jobs_of_cgroup(jobs, process.pid);
        error = GROW_TO(walk->process, walk->room, walk->count + 1);
        if (error == 0)
            walk->process[walk->count++] = process;
    }
    if (error == 0 && walk->count > 0)
        qsort(walk->process, walk->count, sizeof *walk->process, compare);
    return error;
}

static const struct walked *find(const struct walk *walk, int32_t pid)
{
    const struct walked key = {.pid = pid};
    return walk->count == 0
               ? NULL
               : bsearch(&key, walk->process, walk->count, sizeof *walk->process, compare);
}

/* Who forked it is surer than where it was put. */
static uint32_t job_of(const struct walk *walk, const struct kernel_processes *processes,
                       const struct walked *process)
{
    uint32_t by_cgroup = 0;
    for (int i = 0; i < ANCESTORS_MAX && process != NULL; i++) {
        by_cgroup = by_cgroup != 0 ? by_cgroup : process->job;
        process = find(walk, process->stat.parent);
        uint32_t job = process == NULL ? 0
                                       : kernel_processes_job(processes, process->pid,
                                                              process->stat.start_ticks * TICK_NS);
        if (job != 0)
            return job;
    }
    return by_cgroup;
}

int kernel_walk(const struct witness_jobs *jobs, struct kernel_processes *processes)
{
    struct walk walk = {0};
    int error = list_processes(jobs, &walk);
    for (size_t i = 0; error == 0 && i < walk.count; i++) {
        const struct walked *walked = &walk.process[i];
        struct kernel_process process = {
            .note = {.pid = walked->pid,
                     .parent = walked->stat.parent,
                     .start_ns = walked->stat.start_ticks * TICK_NS},
            .job = job_of(&walk, processes, walked),
            .threads = (uint32_t)walked->stat.threads,
            .known_ns = walked->known_ns,
        };
        if (process.job != 0)
            kernel_processes_older(processes, &process);
    }
    free(walk.process);
    return error;
}

bool kernel_walk_is_alive(int32_t pid, uint64_t start_ns)
{
    struct process_stat stat;
    int error = process_stat_read(pid, &stat);
    if (error != 0)
        return error != -ESRCH;
    uint64_t ticks = start_ns / TICK_NS;
    return !process_stat_is_over(&stat) && stat.start_ticks <= ticks &&
           ticks - stat.start_ticks <= START_TICKS;
}
