/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flush.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "flush_breaks.h"
#include "job_over.h"
#include "job_place.h"
#include "journal.h"
#include "journal_read.h"
#include "outbox.h"
#include "outbox_send.h"
#include "packages.h"
#include "quarantine.h"
#include "sessions.h"
#include "spool_job.h"
#include "spool_part.h"
#include "spool_path.h"
#include "spool_read.h"
#include "transport.h"
#include "worker.h"

/* A child may be killed by what is not its fault: an epilog script that ends all of the user's
 * processes, a node that is out of memory. */
enum { NEW_S = 60, ATTEMPTS = 3 };

struct flush {
    const struct conf *conf;
    const struct flush_options *options;
    struct outbox *outbox; /* NULL: a dry run */
    int spool;
    uint64_t now_ns;
    struct flush_count *count;
    uint64_t taken; /* runs of this job, so far */
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
    flush->taken += strncmp(record->name, "run.", 4) == 0;
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
    return may_go_on(journal) && job_lives(journal);
}

/* What the worker had handed over before it broke down, or of a job whose ledger is none, is kept,
 * as the ledger is set aside; and what it had when the time was over, where the next flush finds
 * the same ledger and journal and can go on behind it. */
static int commit(struct flush *flush, const struct worker_order *order, int directory, int result)
{
    int late = result == -ETIMEDOUT && !may_go_on(order->journal);
    if (flush->options->dry_run)
        return result;
    if (result != 0 && result != -EPROTO && result != -EINVAL && !late) {
        outbox_abort(flush->outbox);
        return result;
    }
    int error = outbox_commit(flush->outbox);
    if (error == 0 && late) {
        flush->count->records += flush->taken;
        error = job_place_note(directory, order->reached);
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

/* Returns as worker_run(), with the records on the disk. */
static int run_worker(struct flush *flush, const struct worker_order *order, int directory,
                      struct worker_summary *summary)
{
    int result = -EINTR;
    for (int attempt = 0; attempt < ATTEMPTS && result == -EINTR; attempt++) {
        flush->taken = 0;
        *order->reached = order->from;
        result = commit(flush, order, directory, worker_run(order, deliver, flush, summary));
    }
    return result;
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
    int ledger = spool_open_users(directory, "ledger", journal->uid);
    int lost = spool_part_lost(directory);
    if (ledger < 0 && ledger != -ENOENT && ledger != -SPOOL_FOREIGN)
        return ledger;
    if (lost < 0 && journal->reboot_ns == 0)
        return lost;
    int packages = spool_open_users(directory, PACKAGES_NAME, journal->uid);
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

static void count_captures(struct flush *flush, const struct worker_summary *summary)
{
    flush->count->records += summary->records;
    flush->count->dropped += summary->dropped;
    flush->count->packages += summary->packages;
    flush->count->unhooked += summary->unhooked;
    flush->count->damaged += summary->damaged + summary->bad_lines;
}

/* Sends the captures of the ledger. Returns 0, -EUCLEAN when something of it could not be used,
 * or -errno. A job whose ledger is gone has nothing to send; one that never had one, or another
 * user's, or lost it with its file system, has coverage. */
static int send_captures(struct flush *flush, const struct journal *journal, int directory)
{
    struct worker_summary summary = {0};
    struct worker_place reached;
    struct users_files files;
    int result = open_files(journal, directory, &files);
    if (result != 0)
        return result;
    const struct worker_order order = {
        .conf = flush->conf,
        .journal = journal,
        .ledger = files.ledger,
        .packages = files.packages,
        .kind = WORKER_ENDS,
        .now_ns = flush->now_ns,
        .deadline_ns = transport_deadline(flush->conf->job_timeout_s * UINT64_C(1000)),
        .from = job_place_read(directory),
        .reached = &reached};
    if (files.lost)
        fprintf(stderr, "jobtrail-submit: job %u: its captures went with their file system\n",
                journal->job);
    if (files.ledger >= 0 || files.foreign || files.lost || has_no_ledger(journal)) {
        result = run_worker(flush, &order, directory, &summary);
        if (!flush->options->dry_run)
            flush_breaks_note(flush->conf, result);
    }
    close_files(&files);
    if (result != 0)
        return result;
    count_captures(flush, &summary);
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
    const char *reason = result == -SPOOL_FOREIGN ? "the ledger or the packages are another user's"
                         : result == -EUCLEAN     ? "damaged captures in the ledger"
                         : result == -EBADMSG     ? "damaged lines in the packages"
                         : result == -EINVAL      ? "the ledger is not one"
                         : result == -EPROTO      ? "reading the ledger broke down"
                         : result == -ENODATA     ? "the journal does not say whose job this is"
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
    struct journal journal = {.uid = QUARANTINE_NOBODY};
    int result = spool_job_journal(directory, &journal);
    uid_t uid = journal.uid;
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

static void flush_job(struct flush *flush, const struct spool_job *job)
{
    int directory = spool_open_job(flush->spool, job);
    if (flush->options->orphans && !job->left && is_of_running_job(directory)) {
        flush->count->running++;
        close(directory);
        return;
    }
    int result = directory < 0 ? directory : spool_lock(directory, flush->conf->epilog_timeout_s);
    if (result == 0)
        result = flush_directory(flush, job, directory);
    if (directory >= 0)
        close(directory);
    if (result == 0 || result == -ENOENT) /* another flush was faster */
        return;
    if (result == -EAGAIN && flush->options->orphans) /* or is still at it: then it is no orphan */
        return;
    flush->count->failed++;
    complain(job,
             result == -ESTALE
                 ? "not flushed, its captures are mounted in another mount namespace, "
                   "slurmd's: flush it from there (nsenter --mount)"
             : result == -ENOTSUP ? "not flushed, there is no usable policy: jobtrail-conf compile"
             : result == -ETIMEDOUT ? "not flushed to its end, the rest is for the next flush"
                                    : "not flushed, to be tried again",
             result);
}

/* Those that took too long come last, the one first whose turn is the longest ago. */
static int by_turn(const void *left, const void *right, void *spool)
{
    const struct spool_job *a = left, *b = right;
    int64_t turn_a = job_place_time(*(const int *)spool, a->name);
    int64_t turn_b = job_place_time(*(const int *)spool, b->name);
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
    for (; i < jobs->count && (!flush->options->orphans || transport_left_ms(end_ns) > 0); i++)
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
    if (flush->options->job == 0 && !flush->options->dry_run)
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

/* The epilog waits for us: what takes longer is left to the timer and to the next flush. */
static void send_records(const struct flush *flush)
{
    struct outbox_sent sent;
    const struct outbox_send_options options = {
        .deadline_ns = transport_deadline(flush->conf->epilog_timeout_s * UINT64_C(750))};
    int result = outbox_send(flush->conf, &options, &sent);
    if (result != 0)
        fprintf(stderr, "jobtrail-submit: outbox: %s\n", strerror(-result));
    flush->count->refused = sent.refused;
    flush->count->waiting = sent.waiting;
}

static int flush_and_send(struct flush *flush)
{
    if (flush->options->dry_run)
        return flush_all(flush);
    int result = outbox_open(flush->conf, &flush->outbox);
    if (result != 0)
        return result;
    result = flush->options->sessions
                 ? sessions_flush(flush->conf, flush->options->node, flush->outbox, flush->count)
                 : flush_all(flush);
    flush->count->overflowed = outbox_overflowed(flush->outbox);
    outbox_close(flush->outbox);
    send_records(flush);
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
    };
    *count = (struct flush_count){0};
    int result = spool_expand(conf->spool, options->node, path, sizeof path);
    if (result != 0)
        return result;
    flush.spool = spool_open_node(path);
    if (flush.spool < 0 && !options->sessions)
        return flush.spool == -ENOENT ? 0 : flush.spool; /* no job has run here */
    result = flush_and_send(&flush);
    if (flush.spool >= 0)
        close(flush.spool);
    return result;
}
