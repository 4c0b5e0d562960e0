/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/start_records.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "preload/ledger.h"
#include "submit/flush/reading.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_read.h"
#include "submit/outbox/outbox.h"
#include "submit/outbox/outbox_send.h"
#include "submit/record/record.h"

#define STARTED "started"

/* Of runs of that size a job has few. Who forges more has their end records alone. */
enum { STARTED_MAX_BYTES = 1 << 20 };

/* The process watch has other jobs to look at. */
enum { SEND_MS = 10000, JOB_MS = 2000, LOOK_MS = 10000, SLOW_MAX = 64, SLOW_MS = 600000 };

#define JOB_CPU_NS UINT64_C(2000000000)

/* Jobs whose captures have ended their reader: they are left alone for a while. */
static struct {
    char name[sizeof((struct spool_job *)0)->name];
    uint64_t until_ns; /* CLOCK_MONOTONIC */
} slow[SLOW_MAX];
static unsigned slow_next;

static bool is_slow(const char *job)
{
    for (size_t i = 0; i < SLOW_MAX; i++)
        if (strcmp(slow[i].name, job) == 0 && clock_left_ms(slow[i].until_ns) > 0)
            return true;
    return false;
}

/* Start records of one job. */
struct start_records {
    const struct conf *conf;
    struct outbox *outbox;
    const char *job;
    int directory;     /* of the job */
    char *sent;        /* the file's text; owned */
    size_t size;       /* of the file */
    bool is_held_back; /* no room in the outbox or in the file; that was said when it became so */
};

/* A name for each capture that there is room for, at the most. */
static size_t most_bytes(const struct start_records *starts)
{
    uint64_t pages = starts->conf->ledger_bytes / LEDGER_PAGE;
    return pages < STARTED_MAX_BYTES / (NAME_MAX + 1) ? (size_t)pages * (NAME_MAX + 1)
                                                      : STARTED_MAX_BYTES;
}

static bool is_full(const struct start_records *starts)
{
    return starts->size + NAME_MAX + 1 > most_bytes(starts);
}

/* Returns 0 or -errno; where the file is full, `is_held_back` is set and there is no text. */
static int read_started(struct start_records *starts)
{
    starts->size = 0;
    starts->sent = NULL;
    int error = spool_read_file(starts->directory, STARTED, most_bytes(starts), &starts->sent,
                                &starts->size);
    starts->is_held_back = error == -EFBIG || (error == 0 && is_full(starts));
    if (starts->is_held_back)
        return 0;
    if (error == -ENOENT)
        starts->sent = strdup("");
    return error != -ENOENT ? error : starts->sent == NULL ? -ENOMEM : 0;
}

static int note_started(struct start_records *starts, const char *name)
{
    int fd = openat(starts->directory, STARTED,
                    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int error = dprintf(fd, "%s\n", name) < 0 ? -EIO : 0;
    close(fd);
    starts->size += strlen(name) + 1;
    if (is_full(starts))
        fprintf(stderr,
                "jobtrail-submit: job %s: no more start records: its captures made root write "
                "%zu bytes of names\n",
                starts->job, starts->size);
    return error;
}

static int take_record(void *context, const struct record_view *record)
{
    struct start_records *starts = context;
    /* the other half is for ends, which say all that starts do */
    starts->is_held_back =
        is_full(starts) || outbox_room(starts->outbox) < starts->conf->outbox_bytes / 2;
    if (starts->is_held_back)
        return -ENOBUFS;
    int error = outbox_add(starts->outbox, record);
    starts->is_held_back = error == -ENOBUFS;
    if (error == 0) /* first: where there is no room for that, each look would send it again */
        error = note_started(starts, record->name);
    if (error == 0)
        return outbox_commit(starts->outbox);
    outbox_abort(starts->outbox);
    return error;
}

/* Returns 0 and the outcome, or -errno. */
static int read_ledger(struct start_records *starts, const struct journal *journal, int ledger,
                       enum flush_outcome *outcome)
{
    struct reading_summary summary;
    outbox_owner(starts->outbox, journal->identity.uid, journal->identity.job);
    const struct reading_request request = {
        .kind = READING_STARTS,
        .conf = starts->conf,
        .identity = &journal->identity,
        .take = take_record,
        .context = starts,
        .deadline_ns = clock_deadline(JOB_MS),
        .cpu_ns = JOB_CPU_NS,
        .journal = journal,
        .ledger = ledger,
        .packages = -1,
        .now_ns = clock_ns(CLOCK_REALTIME),
        .sent = starts->sent,
    };
    int error = reading_run(&request, &summary, outcome);
    return starts->is_held_back ? 0 : error;
}

/* Without SPANK's prolog the cluster's name may come with the epilog alone. A start record without
 * it would be of another owner than the end, and its run never end. Returns as read_ledger(). */
static int send_of_job(struct start_records *starts, enum flush_outcome *outcome)
{
    struct journal journal;
    int error = spool_job_journal(starts->directory, &journal);
    if (error != 0)
        return error;
    if (record_cluster(starts->conf, journal.identity.cluster)[0] != '\0') {
        CLEANUP_CLOSE int ledger =
            spool_open_users(starts->directory, "ledger", journal.identity.uid);
        error = ledger < 0 ? ledger : read_started(starts);
        if (error == 0 && !starts->is_held_back)
            error = read_ledger(starts, &journal, ledger, outcome);
    }
    free(starts->sent);
    starts->sent = NULL;
    journal_free(&journal);
    return error;
}

/* A job that is being flushed, or was left, gets its end records. */
static void look_at_job(struct start_records *starts, int spool, const struct spool_job *job)
{
    enum flush_outcome outcome = FLUSH_DONE;
    starts->job = job->name;
    starts->is_held_back = false;
    starts->directory = job->left ? -1 : spool_open_job(spool, job);
    if (starts->directory < 0)
        return;
    int error = spool_lock(starts->directory, 0);
    if (error == 0)
        error = send_of_job(starts, &outcome);
    close(starts->directory);
    if (starts->is_held_back || error == -EAGAIN || error == -ENOENT || error == -ENODATA ||
        error == -SPOOL_FOREIGN) /* the flush says so */
        return;
    bool is_slow = error == 0 && outcome != FLUSH_DONE && outcome != FLUSH_NO_LEDGER &&
                   outcome != FLUSH_NO_POLICY;
    if (is_slow) {
        unsigned at = slow_next++ % SLOW_MAX;
        snprintf(slow[at].name, sizeof slow[at].name, "%s", job->name);
        slow[at].until_ns = clock_deadline(SLOW_MS);
    }
    if (error != 0 || outcome != FLUSH_DONE)
        fprintf(stderr, "jobtrail-submit: job %s: no start records: %s\n", job->name,
                error != 0 ? strerror(-error)
                : is_slow  ? "its captures stop the reader"
                           : flush_outcome_text(outcome));
}

int start_records_send(const struct conf *conf, int spool)
{
    struct spool_jobs jobs;
    if (conf->partition.count > 0 || conf->account.count > 0)
        return 0; /* who is left out is known in the epilog only */
    struct outbox_sent sent;
    struct start_records starts = {.conf = conf};
    int error = outbox_open(conf, &starts.outbox);
    if (error != 0)
        return error;
    error = spool_list(spool, 0, &jobs);
    if (error == 0) {
        static size_t first; /* each look begins with those that the last one had no time for */
        uint64_t end_ns = clock_deadline(LOOK_MS);
        size_t i = 0;
        for (; i < jobs.count && clock_left_ms(end_ns) > 0; i++) {
            const struct spool_job *job = &jobs.job[(first + i) % jobs.count];
            if (!is_slow(job->name))
                look_at_job(&starts, spool, job);
        }
        first = jobs.count == 0 ? 0 : (first + i) % jobs.count;
        free(jobs.job);
    }
    outbox_close(starts.outbox);
    const struct outbox_send_options options = {.deadline_ns = clock_deadline(SEND_MS)};
    return error != 0 ? error : outbox_send(conf, &options, &sent);
}
