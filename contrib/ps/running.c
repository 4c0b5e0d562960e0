/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/ps/running.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/process.h"
#include "conf/base/worker.h"
#include "submit/evidence/succession.h"
#include "submit/facts/program_name.h"

/* ---- Processes ------------------------------------------------------------------------------- */

/* The processes of one user on this node, as far as this process sees them. */

struct own_process {
    int32_t pid;          /* as this process sees it */
    int32_t inside;       /* as it sees itself; another one in a pid namespace of its own */
    uint64_t start_ticks; /* clock ticks from boot */
};

struct own_processes {
    struct own_process *process; /* owned; by `inside` */
    size_t count;
};

static void own_processes_free(struct own_processes *processes)
{
    free(processes->process);
    *processes = (struct own_processes){NULL, 0};
}

static int by_inside(const void *left, const void *right)
{
    const struct own_process *a = left, *b = right;
    return a->inside != b->inside ? (a->inside < b->inside ? -1 : 1)
           : a->pid != b->pid     ? (a->pid < b->pid ? -1 : 1)
                                  : 0;
}

/* Lists those of the user `uid` that are not over. Returns 0 or -errno; own_processes_free()
 * releases. */
static int own_processes_list(uid_t uid, struct own_processes *processes)
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
    return program_is_stand_in(path, (size_t)got) ||
           (runs.size == told.size && memcmp(runs.at, told.at, runs.size) == 0);
}

/* A first capture has the start of its run, which is after that of the process (ledger.h). */
static bool is_process_of(const struct own_process *process, const struct capture *capture)
{
    return capture->first ? process->start_ticks <= capture->start_ticks
                          : process->start_ticks == capture->start_ticks;
}

/* The process that runs the program of the capture; NULL: none does any more. A program of another
 * name in the process is another one: a program that is not recorded may have replaced it. */
static const struct own_process *own_processes_find(const struct own_processes *processes,
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

/* ---- What runs in them ----------------------------------------------------------------------- */

/* JOB_MS: for one job. PATIENCE_MS: runs are sent together. */
enum { JOB_MS = 10000, PATIENCE_MS = 100 };

#define JOB_CPU_NS UINT64_C(5000000000)

/* The last message of a reader that found no ledger; that of another one is empty. */
#define NO_LEDGER "no ledger"

/* What is read, and by whom. The reader has a copy of it. */
struct running_job {
    const struct conf *conf;
    int ledger;
    uid_t uid;
    struct running_list list;
    int error;
};

/* ---- In the reader --------------------------------------------------------------------------- */

/* The message: a struct running without its path, then the bytes of the path. */
static int send_run(struct worker_pipe *pipe, const struct capture *capture, int32_t pid)
{
    struct running run = {.pid = pid,
                          .step = capture->step,
                          .task = capture->task,
                          .rank = capture->rank,
                          .size = capture->size,
                          .start_ns = capture->start_ns,
                          .path = {.size = capture->exec.size}};
    memcpy(run.uuid, capture->uuid, sizeof run.uuid);
    const struct iovec parts[] = {{&run, sizeof run},
                                  {(void *)(uintptr_t)capture->exec.at, capture->exec.size}};
    return worker_send(pipe, 0, parts, 2);
}

/* Sends those runs of the ledger that have no end, no successor in their process, and a process.
 * The processes are listed when the ledger has been read: what was seen in it as the last program
 * of a process is looked for in one that lives then. */
static int send_running(const struct running_job *job, struct ledger_reader *reader,
                        struct succession *succession, struct worker_pipe *pipe)
{
    struct own_processes processes;
    int error = succession_read(reader, succession);
    if (error == 0)
        error = own_processes_list(job->uid, &processes);
    if (error != 0)
        return error;
    for (size_t i = 0; error == 0 && i < succession->count; i++) {
        const struct succession_entry *entry = &succession->entry[i];
        struct capture capture;
        if (entry->next_ns != 0 || entry->stub != 0)
            continue;
        int found = succession_capture(reader, entry, &capture);
        if (found < 0 && found != -EINVAL)
            error = found;
        if (found != 1 || capture.end_ns != 0)
            continue;
        const struct own_process *process = own_processes_find(&processes, &capture);
        if (process != NULL)
            error = send_run(pipe, &capture, process->pid);
    }
    own_processes_free(&processes);
    return error;
}

static int read_as_user(void *context, struct worker_pipe *pipe)
{
    const struct running_job *job = context;
    struct ledger_reader reader;
    struct succession succession = {NULL, 0};
    int error = ledger_open(job->ledger, job->conf->ledger_bytes, &reader);
    if (error == -EINVAL)
        return worker_send_last(pipe, NO_LEDGER, strlen(NO_LEDGER));
    if (error != 0)
        return error;
    error = send_running(job, &reader, &succession, pipe);
    succession_free(&succession);
    ledger_close(&reader);
    return error != 0 ? error : worker_send_last(pipe, "", 0);
}

/* ---- In the parent --------------------------------------------------------------------------- */

static bool is_of_user(int32_t pid, uid_t uid)
{
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", pid);
    return pid > 0 && stat(path, &status) == 0 && status.st_uid == uid;
}

static enum worker_answer take_run(struct running_job *job, const struct worker_message *message)
{
    struct running run;
    if (message->size < sizeof run || message->size - sizeof run > PATH_MAX)
        return WORKER_NOT_BELIEVED;
    memcpy(&run, message->bytes, sizeof run);
    run.path = (struct capture_bytes){.size = message->size - sizeof run};
    if (!is_of_user(run.pid, job->uid))
        return WORKER_GO_ON; /* it has ended since */
    char *path = malloc(run.path.size + 1);
    job->error = path == NULL ? -ENOMEM : GROW(job->list.run, job->list.count);
    if (job->error != 0) {
        free(path);
        return WORKER_ENOUGH;
    }
    memcpy(path, message->bytes + sizeof run, run.path.size);
    run.path.at = path;
    job->list.run[job->list.count++] = run;
    return WORKER_GO_ON;
}

static enum worker_answer take_message(void *context, const struct worker_message *message)
{
    struct running_job *job = context;
    if (message->is_last) {
        job->error = message->size == 0 ? 0 : -EINVAL;
        return WORKER_GO_ON;
    }
    job->list.is_cut = job->list.count == RUNNING_MAX;
    return job->list.is_cut ? WORKER_ENOUGH : take_run(job, message);
}

static int by_start(const void *left, const void *right)
{
    const struct running *a = left, *b = right;
    return a->start_ns != b->start_ns ? (a->start_ns < b->start_ns ? -1 : 1)
           : a->pid != b->pid         ? (a->pid < b->pid ? -1 : 1)
                                      : 0;
}

int running_read(const struct conf *conf, int ledger, uid_t uid, gid_t gid,
                 struct running_list *list)
{
    struct running_job job = {.conf = conf, .ledger = ledger, .uid = uid};
    const struct worker worker = {
        .uid = uid,
        .gid = gid,
        .keep = &ledger,
        .keep_count = 1,
        .sandbox = SANDBOX_READS,
        .work = read_as_user,
        .take = take_message,
        .context = &job,
        .patience_ms = PATIENCE_MS,
        .silence_ms = JOB_MS,
        .deadline_ns = clock_deadline(JOB_MS),
        .cpu_ns = JOB_CPU_NS,
    };
    enum worker_outcome outcome = WORKER_BROKEN;
    int error = worker_run(&worker, &outcome);
    if (error == 0)
        error = job.error;
    if (error == 0 && (outcome == WORKER_BROKEN || outcome == WORKER_KILLED))
        error = -EPROTO;
    if (error != 0) {
        running_free(&job.list);
        return error;
    }
    job.list.is_cut |= outcome == WORKER_LATE || outcome == WORKER_SPENT;
    if (job.list.count > 0)
        qsort(job.list.run, job.list.count, sizeof *job.list.run, by_start);
    *list = job.list;
    return 0;
}

void running_free(struct running_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((void *)(uintptr_t)list->run[i].path.at);
    free(list->run);
    *list = (struct running_list){.run = NULL};
}
