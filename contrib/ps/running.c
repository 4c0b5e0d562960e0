/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/ps/running.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/clocks.h"
#include "conf/base/grow.h"
#include "contrib/ps/own_processes.h"
#include "submit/evidence/succession.h"
#include "submit/flush/worker.h"

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
