/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/starts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/ledger.h"
#include "submit/flush/worker.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_read.h"
#include "submit/outbox/outbox.h"
#include "submit/outbox/outbox_send.h"
#include "submit/outbox/transport.h"
#include "submit/record/record.h"

#define STARTED "started"

/* Of runs of that size a job has few. Who forges more has their end records alone. */
enum { STARTED_MAX_BYTES = 1 << 20 };

/* The watcher has other jobs to look at. */
enum { SEND_MS = 10000, JOB_MS = 2000, LOOK_MS = 10000, SLOW_MAX = 64, SLOW_MS = 600000 };

#define JOB_CPU_NS UINT64_C(2000000000)

/* Jobs whose captures have ended their reader: they are left alone for a while. */
static struct {
    char name[sizeof((struct spool_job *)0)->name];
    uint64_t until_ns; /* CLOCK_MONOTONIC */
} slow[SLOW_MAX];
static unsigned slow_next;

static int is_slow(const char *job)
{
    for (size_t i = 0; i < SLOW_MAX; i++)
        if (strcmp(slow[i].name, job) == 0 && transport_left_ms(slow[i].until_ns) > 0)
            return 1;
    return 0;
}

static void note_slow(const char *job)
{
    unsigned at = slow_next++ % SLOW_MAX;
    snprintf(slow[at].name, sizeof slow[at].name, "%s", job);
    slow[at].until_ns = transport_deadline(SLOW_MS);
}

struct starts {
    const struct conf *conf;
    struct outbox *outbox;
    const char *job;
    int directory; /* of the job */
    char *started; /* the file's text; owned */
    size_t size;   /* of the file */
};

/* A name for each capture that there is room for, at the most. */
static size_t most_bytes(const struct starts *starts)
{
    uint64_t pages = starts->conf->ledger_bytes / LEDGER_PAGE;
    return pages < STARTED_MAX_BYTES / (NAME_MAX + 1) ? (size_t)pages * (NAME_MAX + 1)
                                                      : STARTED_MAX_BYTES;
}

static int is_full(const struct starts *starts)
{
    return starts->size + NAME_MAX + 1 > most_bytes(starts);
}

/* Returns -EDQUOT where it is full: then nothing of the job's is read. */
static int read_started(struct starts *starts)
{
    starts->size = 0;
    int result = spool_read_file(starts->directory, STARTED, most_bytes(starts), &starts->started,
                                 &starts->size);
    if (result == -EFBIG)
        return -EDQUOT;
    if (result == 0 && is_full(starts)) {
        free(starts->started);
        return -EDQUOT;
    }
    if (result != -ENOENT)
        return result;
    starts->started = strdup("");
    return starts->started == NULL ? -ENOMEM : 0;
}

static int note_started(struct starts *starts, const char *name)
{
    int fd = openat(starts->directory, STARTED,
                    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int result = dprintf(fd, "%s\n", name) < 0 ? -EIO : 0;
    close(fd);
    starts->size += strlen(name) + 1;
    if (is_full(starts))
        fprintf(stderr,
                "jobtrail-submit: job %s: no more start records: its captures have had root write "
                "%zu bytes of names\n",
                starts->job, starts->size);
    return result;
}

static int deliver(void *context, const struct record_view *record)
{
    struct starts *starts = context;
    if (is_full(starts))
        return -EDQUOT;
    if (outbox_room(starts->outbox) < starts->conf->outbox_bytes / 2)
        return -ENOBUFS; /* the other half is for ends, which say all that starts do */
    int result = outbox_add(starts->outbox, record);
    if (result == 0) /* first: where there is no room for that, each look would send it again */
        result = note_started(starts, record->name);
    if (result == 0)
        return outbox_commit(starts->outbox);
    outbox_abort(starts->outbox);
    return result;
}

/* Without SPANK's prolog the cluster's name may come with the epilog alone. A start record without
 * it would be of another owner than the end, and its run go on for ever. */
static int send_of_job(struct starts *starts)
{
    struct journal journal = {0};
    struct worker_summary summary;
    int result = spool_job_journal(starts->directory, &journal);
    if (result != 0)
        return result;
    if (record_cluster(starts->conf, journal.identity.cluster)[0] == '\0') {
        journal_free(&journal);
        return 0;
    }
    int ledger = spool_open_users(starts->directory, "ledger", journal.identity.uid);
    result = ledger < 0 ? ledger : read_started(starts);
    if (result == 0) {
        outbox_owner(starts->outbox, journal.identity.uid, journal.identity.job);
        const struct worker_order order = {.conf = starts->conf,
                                           .identity = &journal.identity,
                                           .journal = &journal,
                                           .ledger = ledger,
                                           .packages = -1,
                                           .kind = WORKER_STARTS,
                                           .deadline_ns = transport_deadline(JOB_MS),
                                           .cpu_ns = JOB_CPU_NS,
                                           .started = starts->started};
        result = worker_run(&order, deliver, starts, &summary);
        free(starts->started);
    }
    if (ledger >= 0)
        close(ledger);
    journal_free(&journal);
    return result;
}

/* A job that is being flushed, or was left, gets its end records. */
static void look_at_job(struct starts *starts, int spool, const struct spool_job *job)
{
    starts->job = job->name;
    starts->directory = job->left ? -1 : spool_open_job(spool, job);
    if (starts->directory < 0)
        return;
    int result = spool_lock(starts->directory, 0);
    if (result == 0)
        result = send_of_job(starts);
    close(starts->directory);
    if (result == -ETIMEDOUT || result == -EOVERFLOW || result == -EPROTO || result == -EINTR)
        note_slow(job->name);
    if (result != 0 && result != -EAGAIN && result != -ENOENT && result != -ENODATA &&
        result != -SPOOL_FOREIGN && /* the flush says so */
        result != -ENOBUFS && result != -EDQUOT /* that was said when it became so */)
        fprintf(stderr, "jobtrail-submit: job %s: no start records: %s\n", job->name,
                strerror(-result));
}

int starts_send(const struct conf *conf, int spool)
{
    struct spool_jobs jobs;
    if (conf->partition.count > 0 || conf->account.count > 0)
        return 0; /* who is left out is known in the epilog only */
    struct outbox_sent sent;
    struct starts starts = {.conf = conf};
    int result = outbox_open(conf, &starts.outbox);
    if (result != 0)
        return result;
    result = spool_list(spool, 0, &jobs);
    if (result == 0) {
        static size_t first; /* each look begins with those that the last one had no time for */
        uint64_t end_ns = transport_deadline(LOOK_MS);
        size_t i = 0;
        for (; i < jobs.count && transport_left_ms(end_ns) > 0; i++) {
            const struct spool_job *job = &jobs.job[(first + i) % jobs.count];
            if (!is_slow(job->name))
                look_at_job(&starts, spool, job);
        }
        first = jobs.count == 0 ? 0 : (first + i) % jobs.count;
        free(jobs.job);
    }
    outbox_close(starts.outbox);
    const struct outbox_send_options options = {.deadline_ns = transport_deadline(SEND_MS)};
    return result != 0 ? result : outbox_send(conf, &options, &sent);
}
