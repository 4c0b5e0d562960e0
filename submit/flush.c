/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flush.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "journal_read.h"
#include "packages.h"
#include "policy_load.h"
#include "process.h"
#include "quarantine.h"
#include "spool_job.h"
#include "spool_path.h"
#include "spool_read.h"
#include "transport.h"
#include "worker.h"

struct flush {
    const struct conf *conf;
    const struct flush_options *options;
    const struct transport *transport;
    void *transport_state;
    void *policy; /* owned */
    int spool;
    uint64_t now_ns;
    struct flush_count *count;
};

static void complain(const struct spool_job *job, const char *what, int error)
{
    fprintf(stderr, "jobtrail-submit: job %s: %s: %s\n", job->name, what, strerror(-error));
}

static int deliver(void *context, const struct transport_record *record)
{
    struct flush *flush = context;
    if (flush->options->dry_run)
        return puts(record->text) < 0 ? -EIO : 0;
    return flush->transport->send(flush->transport_state, record);
}

/* When this node was booted, nanoseconds since the Epoch. */
static uint64_t boot_ns(void)
{
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    return (uint64_t)(now.tv_sec - up.tv_sec) * 1000000000u;
}

/* Between two steps a job has no process here, and its epilog is still to come. */
static int may_go_on(const struct journal *journal)
{
    return journal->epilog_ns == 0 && journal->steps[journal->step_count - 1].start_ns > boot_ns();
}

/* The daemons of steps too: a step that is being set up has no tasks yet. */
static int still_running(const struct journal *journal)
{
    for (size_t i = 0; journal->epilog_ns == 0 && i < journal->step_count; i++) {
        const struct journal_step *step = &journal->steps[i];
        if (step->end_ns == 0 && process_alive(step->pid, step->ticks))
            return 1;
    }
    for (size_t i = 0; journal->epilog_ns == 0 && i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        if (task->end_ns == 0 && process_alive(task->pid, task->ticks))
            return 1;
    }
    return 0;
}

/* Sends the captures of the ledger. Returns 0, -EUCLEAN when something of it could not be used,
 * or -errno. A job without a ledger has nothing to send. */
static int send_captures(struct flush *flush, const struct journal *journal, int directory)
{
    struct worker_summary summary = {0};
    int ledger = spool_open_file(directory, "ledger");
    if (ledger == -ENOENT)
        return 0;
    if (ledger < 0)
        return ledger;
    const struct worker_order order = {.conf = flush->conf,
                                       .journal = journal,
                                       .policy = flush->policy,
                                       .ledger = ledger,
                                       .packages = spool_open_file(directory, PACKAGES_NAME),
                                       .kind = WORKER_ENDS,
                                       .now_ns = flush->now_ns};
    int result = worker_run(&order, deliver, flush, &summary);
    close(ledger);
    if (order.packages >= 0)
        close(order.packages);
    if (result == 0) {
        flush->count->records += summary.records;
        flush->count->dropped += summary.dropped;
        flush->count->packages += summary.packages;
        flush->count->unhooked += summary.unhooked;
        flush->count->damaged += summary.damaged + summary.bad_lines;
        result = summary.damaged > 0 ? -EUCLEAN : summary.bad_lines > 0 ? -EBADMSG : 0;
    }
    return result;
}

/* What no later try could read either is kept aside. Returns 0 when it is, or when `result` is no
 * such thing: then `result`. */
static int set_aside(struct flush *flush, const struct spool_job *job, int directory, int result)
{
    const char *reason = result == -EUCLEAN   ? "damaged captures in the ledger"
                         : result == -EBADMSG ? "damaged lines in the packages"
                         : result == -EINVAL  ? "the ledger is not one"
                         : result == -EPROTO  ? "reading the ledger broke down"
                         : result == -ENODATA ? "the journal does not say whose job this is"
                                              : NULL;
    if (reason == NULL || flush->options->dry_run)
        return result;
    int error = quarantine_keep(flush->conf, job, directory, reason);
    if (error != 0) {
        complain(job, "cannot be set aside", error);
        return error;
    }
    fprintf(stderr, "jobtrail-submit: job %s: %s: kept in %s/quarantine/%s\n", job->name, reason,
            flush->conf->state, job->name);
    flush->count->quarantined++;
    return 0;
}

static int flush_directory(struct flush *flush, const struct spool_job *job, int directory)
{
    struct journal journal = {0};
    int result = spool_job_journal(directory, &journal);
    if (result == 0 && flush->options->orphans && may_go_on(&journal)) {
        flush->count->running++;
        journal_free(&journal);
        return 0;
    }
    if (result == 0 && still_running(&journal)) {
        flush->count->running++;
        fprintf(stderr, "jobtrail-submit: job %s still runs here: left alone\n", job->name);
        journal_free(&journal);
        return 0;
    }
    if (result == 0) {
        result = send_captures(flush, &journal, directory);
        journal_free(&journal);
    }
    if (result != 0)
        result = set_aside(flush, job, directory, result);
    if (result == 0 && !flush->options->dry_run)
        result = spool_remove(flush->spool, directory, job);
    flush->count->jobs += result == 0;
    return result;
}

static void flush_job(struct flush *flush, const struct spool_job *job)
{
    int directory = spool_open_job(flush->spool, job);
    int result = directory < 0 ? directory : spool_lock(directory, flush->conf->epilog_timeout_s);
    if (result == 0)
        result = flush_directory(flush, job, directory);
    if (directory >= 0)
        close(directory);
    if (result == 0 || result == -ENOENT) /* another flush was faster */
        return;
    flush->count->failed++;
    complain(job, "not flushed, to be tried again", result);
}

static int flush_all(struct flush *flush)
{
    struct spool_jobs jobs;
    int result = spool_list(flush->spool, flush->options->job, &jobs);
    if (result != 0)
        return result;
    for (size_t i = 0; i < jobs.count; i++)
        flush_job(flush, &jobs.job[i]);
    free(jobs.job);
    return 0;
}

int flush_run(const struct conf *conf, const struct flush_options *options,
              struct flush_count *count)
{
    char path[PATH_MAX];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct flush flush = {
        .conf = conf,
        .options = options,
        .transport = transport_find(conf->transport),
        .now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
        .count = count,
    };
    *count = (struct flush_count){0};
    int result = spool_expand(conf->spool, options->node, path, sizeof path);
    if (result != 0)
        return result;
    flush.spool = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (flush.spool < 0)
        return errno == ENOENT ? 0 : -errno; /* no job has run here */
    result = flush.transport == NULL ? -EINVAL : policy_load(conf, &flush.policy);
    if (result == 0)
        result = flush.transport->open(conf, &flush.transport_state);
    if (result == 0) {
        result = flush_all(&flush);
        flush.transport->close(flush.transport_state);
    }
    free(flush.policy);
    close(flush.spool);
    return result;
}
