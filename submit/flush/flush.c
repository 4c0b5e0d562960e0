/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "contrib/hooks/packages.h"
#include "spank/journal.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"
#include "submit/flush/flush_breaks.h"
#include "submit/flush/flush_slot.h"
#include "submit/flush/job_progress.h"
#include "submit/flush/sessions.h"
#include "submit/flush/worker.h"
#include "submit/job/job_over.h"
#include "submit/job/journal_read.h"
#include "submit/job/quarantine.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_read.h"
#include "submit/job/spool_remove.h"
#include "submit/outbox/outbox.h"
#include "submit/outbox/outbox_send.h"
#include "submit/outbox/transport.h"

/* LOOK_S: how long the watcher looks at a job, which no other flush may wait for much longer. */
enum { NEW_S = 60, LOOK_S = 3 };

struct flush {
    const struct conf *conf;
    const struct flush_options *options;
    struct outbox *outbox; /* NULL: a dry run */
    int spool;
    uint64_t now_ns;
    struct flush_count *count;
    uint64_t taken;   /* runs of this job, so far */
    uint64_t wait_ns; /* CLOCK_MONOTONIC: until then an epilog may wait for us */
    uint64_t job_ns;  /* the same: when this job's time is over */
    int slot;         /* flush_slot.h; -1: not held */
    int queueing;     /* another flush holds it: what is left is for that */
    uint64_t held;    /* jobs whose records find no room in the outbox, in this round */
};

static void complain(const struct spool_job *job, const char *what, int error)
{
    fprintf(stderr, "jobtrail-submit: job %s: %s: %s\n", job->name, what, strerror(-error));
}

static int deliver(void *context, const struct record_view *record)
{
    struct flush *flush = context;
    if (flush->options->dry_run)
        return puts(record->text) < 0 ? -EIO : 0;
    flush->taken += record->kind == RECORD_RUN;
    return outbox_add(flush->outbox, record);
}

/* Between two steps a job has no process here, and its epilog is still to come. */
static int may_go_on(const struct journal *journal)
{
    return journal->epilog_ns == 0 && journal->reboot_ns == 0;
}

/* The daemons of steps too: a step that is being set up has no tasks yet. */
static int still_running(const struct journal *journal)
{
    return may_go_on(journal) && job_is_alive(journal);
}

/* Of these, what was taken stays taken: the next flush finds the same ledger and journal and goes
 * on behind it. */
static int is_unfinished(int result)
{
    return result == -ETIMEDOUT || result == -EINTR || result == -EPROTO || result == -ENOBUFS;
}

/* What the worker had handed over before it broke down, or of a job whose ledger is none, is kept,
 * as the ledger is set aside. */
static int commit(struct flush *flush, const struct worker_order *order,
                  struct job_progress *progress, int result)
{
    int unfinished = is_unfinished(result) && !may_go_on(order->journal);
    int last = result == 0 || result == -EINVAL || result == -EOVERFLOW ||
               (result == -EPROTO && progress->hopeless);
    if (flush->options->dry_run)
        return result;
    if (!last && !unfinished) {
        outbox_abort(flush->outbox);
        return result;
    }
    if (!last && !job_progress_has_room(progress)) {
        outbox_abort(flush->outbox); /* or every flush would send them again */
        return -ENOSPC;
    }
    int error = outbox_commit(flush->outbox);
    if (error == 0 && result != 0 && result != -EINVAL) {
        flush->count->records += flush->taken;
        progress->place = *order->reached;
    }
    return error != 0 ? error : result;
}

static int has_no_ledger(const struct journal *journal)
{
    for (size_t i = 0; i < journal->step_count; i++) {
        if (journal->steps[i].no_ledger)
            return 1;
    }
    return 0;
}

/* When an epilog waits no longer, one flush of the node goes on. */
static uint64_t more_time(void *context)
{
    struct flush *flush = context;
    if (flush->options->dry_run || transport_left_ms(flush->job_ns) == 0)
        return 0;
    if (flush->slot < 0)
        flush->slot = flush_slot_take(flush->conf->state);
    flush->queueing = flush->slot < 0;
    return flush->queueing ? 0 : flush->job_ns;
}

/* Whether it was in the middle of a unit that the reader came to its end: not where the time was
 * over that another flush left it, or while the unit's records came. */
static int is_fault_of_unit(const struct flush *flush, const struct worker_order *order, int result)
{
    const struct worker_place *from = &order->from, *reached = order->reached;
    int comes = reached->unit == __atomic_load_n(order->begun, __ATOMIC_RELAXED) &&
                (from->unit != reached->unit || reached->records > from->records);
    return result == -EINTR || result == -EPROTO ||
           (result == -ETIMEDOUT && !flush->queueing && !comes);
}

/* Reads on where it came to, and not again what has ended it twice. Returns as worker_run(), with
 * the records on the disk. */
static int run_worker(struct flush *flush, struct worker_order *order,
                      struct job_progress *progress, struct worker_summary *summary)
{
    uint64_t most_ns = flush->conf->job_cpu_s * UINT64_C(1000000000);
    for (;;) {
        flush->taken = 0;
        order->from = may_go_on(order->journal) ? (struct worker_place){0, 0} : progress->place;
        *order->reached = order->from;
        order->passed_count = progress->passed_count;
        order->cpu_ns = most_ns > progress->used_ns ? most_ns - progress->used_ns : 1;
        int result = worker_run(order, deliver, flush, summary);
        int fault = is_fault_of_unit(flush, order, result);
        if (fault)
            job_progress_failed(progress);
        else
            job_progress_ended(progress);
        result = commit(flush, order, progress, result);
        if (result == 0 || result == -EINVAL)
            return result;
        int error = flush->options->dry_run ? 0 : job_progress_note(progress);
        if (!fault || error != 0 || progress->hopeless)
            return error != 0 ? error : progress->hopeless ? -EPROTO : result;
        if (transport_left_ms(order->deadline_ns) == 0 && more_time(flush) == 0)
            return -ETIMEDOUT;
    }
}

/* Asked before anything is read: a job that waits for room costs next to nothing. */
static int has_room(const struct flush *flush, const struct journal *journal)
{
    if (flush->options->dry_run)
        return 1;
    outbox_owner(flush->outbox, journal->identity.uid, journal->identity.job);
    return outbox_has_room(flush->outbox);
}

/* Which of the user's files there are to be read, -1: none. */
struct users_files {
    int ledger, packages;
    int foreign; /* one of them is another user's */
    int lost;    /* they went with their file system */
};

/* Returns 0 or -errno. Packages that cannot be read are none. */
static int open_files(const struct journal *journal, int directory, struct users_files *files)
{
    int ledger = spool_open_users(directory, "ledger", journal->identity.uid);
    int lost = spool_part_lost(directory);
    if (ledger < 0 && ledger != -ENOENT && ledger != -SPOOL_FOREIGN)
        return ledger;
    if (lost < 0 && journal->reboot_ns == 0)
        return lost;
    int packages = spool_open_users(directory, PACKAGES_NAME, journal->identity.uid);
    files->ledger = ledger < 0 ? -1 : ledger;
    files->packages = packages < 0 ? -1 : packages;
    files->foreign = ledger == -SPOOL_FOREIGN || packages == -SPOOL_FOREIGN;
    files->lost = lost != 0 && journal->step_count > 0;
    return 0;
}

static void close_files(const struct users_files *files)
{
    if (files->ledger >= 0)
        close(files->ledger);
    if (files->packages >= 0)
        close(files->packages);
}

/* Returns as worker_run(); -ENOTRECOVERABLE where all was read but what is passed over. */
static int read_job(struct flush *flush, const struct journal *journal, int directory,
                    const struct users_files *files, struct worker_summary *summary)
{
    struct worker_place reached;
    struct job_progress progress;
    if (!has_room(flush, journal))
        return -ENOBUFS;
    flush->job_ns = transport_deadline(flush->conf->job_timeout_s * UINT64_C(1000));
    int waits = flush->slot < 0 && !flush->options->dry_run && flush->wait_ns < flush->job_ns;
    int result =
        job_progress_open(flush->options->dry_run ? -1 : directory, JOB_PROGRESS_NAME, &progress);
    if (result != 0)
        return result;
    struct worker_order order = {.conf = flush->conf,
                                 .identity = &journal->identity,
                                 .journal = journal,
                                 .ledger = files->ledger,
                                 .packages = files->packages,
                                 .kind = WORKER_ENDS,
                                 .now_ns = flush->now_ns,
                                 .deadline_ns = waits ? flush->wait_ns : flush->job_ns,
                                 .more_time = more_time,
                                 .more_context = flush,
                                 .used = &progress.used_ns,
                                 .begun = progress.begun,
                                 .passed = progress.passed,
                                 .reached = &reached};
    result = progress.hopeless ? -EPROTO : run_worker(flush, &order, &progress, summary);
    if (result == 0 && progress.passed_count > 0)
        result = -ENOTRECOVERABLE;
    job_progress_close(&progress);
    return result;
}

static void add_summary(struct flush_count *count, const struct worker_summary *summary)
{
    count->records += summary->records;
    count->dropped += summary->dropped;
    count->packages += summary->packages;
    count->unhooked += summary->unhooked;
    count->damaged += summary->damaged + summary->bad_lines;
}

/* Sends the captures of the ledger. Returns 0, -EUCLEAN when something of it could not be used,
 * or -errno. A job whose ledger is gone has nothing to send; one that never had one, or another
 * user's, or lost it with its file system, has coverage. */
static int send_captures(struct flush *flush, const struct journal *journal, int directory)
{
    struct worker_summary summary = {0};
    struct users_files files;
    int result = open_files(journal, directory, &files);
    if (result != 0)
        return result;
    if (files.lost)
        fprintf(stderr, "jobtrail-submit: job %u: its captures went with their file system\n",
                journal->identity.job);
    if (files.ledger >= 0 || files.foreign || files.lost || has_no_ledger(journal)) {
        result = read_job(flush, journal, directory, &files, &summary);
        if (!flush->options->dry_run)
            flush_breaks_note(flush->conf, result);
    }
    close_files(&files);
    add_summary(flush->count, &summary);
    if (result != 0)
        return result;
    return files.foreign           ? -SPOOL_FOREIGN
           : summary.damaged > 0   ? -EUCLEAN
           : summary.bad_lines > 0 ? -EBADMSG
                                   : 0;
}

/* What no later try could read either is kept aside. Returns 0 when it is, or when `result` is no
 * such thing: then `result`. */
static int set_aside(struct flush *flush, const struct spool_job *job, int directory, uid_t uid,
                     int result)
{
    const char *reason =
        result == -SPOOL_FOREIGN     ? "the ledger or the packages are another user's"
        : result == -EUCLEAN         ? "damaged captures in the ledger"
        : result == -EBADMSG         ? "damaged lines in the packages"
        : result == -EINVAL          ? "the ledger is not one"
        : result == -EPROTO          ? "reading the ledger broke down"
        : result == -ENODATA         ? "the journal does not say whose job this is"
        : result == -ENOTRECOVERABLE ? "captures that ended their reader twice are not recorded"
        : result == -EOVERFLOW       ? "its records take more processor time than [submit] job_cpu"
                                     : NULL;
    if (reason == NULL || flush->options->dry_run)
        return result;
    char name[NAME_MAX + 1];
    int error = quarantine_keep(flush->conf, job, directory, uid, reason, name, sizeof name);
    if (error == -EDQUOT) {
        flush->count->lost++;
        fprintf(stderr, "jobtrail-submit: job %s: %s: lost, as %s/quarantine is full\n", job->name,
                reason, flush->conf->state);
        return 0;
    }
    if (error != 0) {
        complain(job, "cannot be set aside", error);
        return error;
    }
    fprintf(stderr, "jobtrail-submit: job %s: %s: kept in %s/quarantine/%s\n", job->name, reason,
            flush->conf->state, name);
    flush->count->quarantined++;
    return 0;
}

/* As a flush that was killed in its last moment leaves it, or a file system without room. */
static int is_empty(int directory)
{
    struct stat status;
    int has_journal =
        fstatat(directory, JOURNAL_NAME, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_size > 0;
    int part = has_journal ? -1 : spool_part_open(directory);
    int has_ledger = part >= 0 && faccessat(part, "ledger", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (part >= 0)
        close(part);
    return !has_journal && !has_ledger;
}

/* An empty directory may also be one that a step's daemon has just made, and is about to fill. */
static int is_new(const struct flush *flush, int directory)
{
    struct stat status;
    return flush->options->job == 0 && fstat(directory, &status) == 0 &&
           status.st_mtim.tv_sec + NEW_S > (time_t)(flush->now_ns / 1000000000u);
}

static void count_left_out(struct flush *flush, const struct spool_job *job,
                           const struct journal *journal)
{
    flush->count->left_out += journal->left_out;
    if (journal->left_out > 0)
        fprintf(
            stderr,
            "jobtrail-submit: job %s: its journal was full: %s%llu lines are left out, and what "
            "they told of steps and tasks is not known\n",
            job->name, journal->left_out >= JOURNAL_LEFT_OUT_MAX ? "at least " : "",
            (unsigned long long)journal->left_out);
}

static int flush_directory(struct flush *flush, const struct spool_job *job, int directory)
{
    struct journal journal;
    int result = spool_job_journal(directory, &journal);
    uid_t uid = result == 0 ? journal.identity.uid : QUARANTINE_NOBODY;
    if (result == 0 && !job->left && still_running(&journal)) {
        flush->count->running++;
        fprintf(stderr, "jobtrail-submit: job %s still runs here: left alone\n", job->name);
        journal_free(&journal);
        return 0;
    }
    if (result == 0) {
        count_left_out(flush, job, &journal);
        result = send_captures(flush, &journal, directory);
        journal_free(&journal);
    }
    int empty = result == -ENODATA && is_empty(directory);
    if (result == -ENODATA && (empty || flush->options->orphans) && is_new(flush, directory))
        return 0; /* its first line may come between two looks */
    if (empty)
        result = 0;
    if (result != 0)
        result = set_aside(flush, job, directory, uid, result);
    if (result == 0 && !flush->options->dry_run)
        result = spool_remove(flush->spool, directory, job);
    flush->count->jobs += result == 0;
    flush->count->left += result == 0 && job->left;
    return result;
}

/* Asked before the lock is taken: the watcher does not wait for it. */
static int is_of_running_job(int directory)
{
    struct journal journal;
    if (directory < 0 || spool_job_journal(directory, &journal) != 0)
        return 0;
    int runs = may_go_on(&journal);
    journal_free(&journal);
    return runs;
}

static const char *reason_to_stay(const struct flush *flush, int result)
{
    if (result == -ESTALE)
        return "not flushed, its captures are mounted in another mount namespace, slurmd's: flush "
               "it "
               "from there (nsenter --mount)";
    if (result == -ENOTSUP)
        return "not flushed, there is no usable policy: jobtrail-conf compile";
    if (result == -ENOBUFS)
        return "its share of the outbox is full, the rest is for the next flush";
    if (result == -ETIMEDOUT && flush->queueing)
        return "the epilog waits no longer and another flush is at work: the rest is for that";
    return result == -ETIMEDOUT ? "not flushed to its end, the rest is for the next flush"
                                : "not flushed, to be tried again";
}

static void flush_job(struct flush *flush, const struct spool_job *job)
{
    int orphans = flush->options->orphans;
    int directory = spool_open_job(flush->spool, job);
    if (orphans && !job->left && is_of_running_job(directory)) {
        flush->count->running++;
        close(directory);
        return;
    }
    int result = directory < 0
                     ? directory
                     : spool_lock(directory, orphans ? LOOK_S : flush->conf->epilog_timeout_s);
    if (result == 0)
        result = flush_directory(flush, job, directory);
    if (directory >= 0)
        close(directory);
    if (result == 0 || result == -ENOENT) /* another flush was faster */
        return;
    if (result == -EAGAIN && orphans) /* or is still at it: then it is no orphan */
        return;
    flush->held += result == -ENOBUFS;
    flush->count->failed += result != -ENOBUFS;
    complain(job, reason_to_stay(flush, result), result);
}

/* Those that took too long come last, the one first whose turn is the longest ago. */
static int by_turn(const void *left, const void *right, void *spool)
{
    const struct spool_job *a = left, *b = right;
    int64_t turn_a = job_progress_time(*(const int *)spool, a->name);
    int64_t turn_b = job_progress_time(*(const int *)spool, b->name);
    if (turn_a != turn_b)
        return turn_a < turn_b ? -1 : 1;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    return a->restart < b->restart ? -1 : a->restart > b->restart;
}

/* The timer, which has more to do, waits for those that are left over: as long as for one job. */
static void flush_in_turn(struct flush *flush, const struct spool_jobs *jobs)
{
    uint64_t end_ns = transport_deadline(flush->conf->job_timeout_s * UINT64_C(1000));
    size_t i = 0;
    for (; i < jobs->count && !flush->queueing &&
           (!flush->options->orphans || transport_left_ms(end_ns) > 0);
         i++)
        flush_job(flush, &jobs->job[i]);
    if (i == jobs->count)
        return;
    flush->count->failed += jobs->count - i;
    fprintf(stderr, "jobtrail-submit: no more time: %zu jobs are for the next flush\n",
            jobs->count - i);
}

static int flush_all(struct flush *flush)
{
    struct spool_jobs jobs;
    if (!flush->options->dry_run)
        spool_sweep(flush->spool, flush->now_ns);
    int result = spool_list(flush->spool, flush->options->job, &jobs);
    if (result != 0)
        return result;
    if (jobs.count > 0)
        qsort_r(jobs.job, jobs.count, sizeof *jobs.job, by_turn, &flush->spool);
    flush_in_turn(flush, &jobs);
    free(jobs.job);
    return 0;
}

/* Those whose flushes have ended while this one went on: until none of them is left that gets on.
 */
static int flush_queued(struct flush *flush)
{
    const struct flush_options *asked = flush->options;
    const struct flush_options orphans = {.node = asked->node, .orphans = 1};
    uint64_t jobs, running = flush->count->running;
    int result;
    flush->options = &orphans;
    do {
        jobs = flush->count->jobs;
        result = flush_all(flush);
    } while (result == 0 && flush->count->jobs > jobs);
    flush->options = asked;
    flush->count->running = running;
    return result;
}

/* The epilog waits for us: what takes longer is left to the timer and to the next flush. Returns
 * whether anything was sent. */
static int send_records(const struct flush *flush)
{
    struct outbox_sent sent;
    const struct outbox_send_options options = {
        .deadline_ns = transport_deadline(flush->conf->epilog_timeout_s * UINT64_C(750))};
    int result = outbox_send(flush->conf, &options, &sent);
    if (result != 0)
        fprintf(stderr, "jobtrail-submit: outbox: %s\n", strerror(-result));
    flush->count->refused += sent.refused;
    flush->count->waiting = sent.waiting;
    return sent.accepted > 0;
}

static int flush_once(struct flush *flush)
{
    if (flush->options->sessions)
        return sessions_flush(flush->conf, flush->options->node, flush->outbox, flush->count);
    int result = flush_all(flush);
    return result == 0 && flush->slot >= 0 && !flush->options->orphans ? flush_queued(flush)
                                                                       : result;
}

/* Whether what found no room may be tried again. */
static int may_go_round(struct flush *flush, uint64_t end_ns)
{
    if (flush->held == 0 || transport_left_ms(end_ns) == 0)
        return 0;
    flush->job_ns = end_ns;
    return transport_left_ms(flush->wait_ns) > 0 || more_time(flush) != 0;
}

/* What is sent makes room for the rest of a job that found none. */
static int flush_and_send(struct flush *flush)
{
    uint64_t end_ns = transport_deadline(flush->conf->job_timeout_s * UINT64_C(1000));
    int result, sent;
    if (flush->options->dry_run)
        return flush_all(flush);
    do {
        flush->held = 0;
        result = outbox_open(flush->conf, &flush->outbox);
        if (result != 0)
            return result;
        result = flush_once(flush);
        outbox_close(flush->outbox);
        sent = send_records(flush);
    } while (result == 0 && sent && may_go_round(flush, end_ns));
    flush->count->overflowed += flush->held;
    flush->count->failed += flush->held;
    return result;
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
        .now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
        .count = count,
        .wait_ns = transport_deadline(conf->epilog_timeout_s * UINT64_C(1000)),
        .slot = -1,
    };
    *count = (struct flush_count){0};
    int result = spool_expand(conf->spool, options->node, path, sizeof path);
    if (result != 0)
        return result;
    flush.spool = spool_open_node(path);
    if (flush.spool < 0 && !options->sessions)
        return flush.spool == -ENOENT ? 0 : flush.spool; /* no job has run here */
    result = !options->sessions && spool_part_noted(flush.spool) == -ESTALE
                 ? -ESTALE
                 : flush_and_send(&flush);
    if (flush.spool >= 0)
        close(flush.spool);
    if (flush.slot >= 0)
        close(flush.slot);
    return result;
}
