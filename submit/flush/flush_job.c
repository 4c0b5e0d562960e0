/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush_job.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "contrib/hooks/packages.h"
#include "spank/journal.h"
#include "spank/spool_part.h"
#include "submit/flush/ended_in_slurm.h"
#include "submit/flush/flush_breaks.h"
#include "submit/flush/flush_part.h"
#include "submit/job/quarantine.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_remove.h"

/* NEW_S: the journal of a directory that is younger may be about to be written. LOOK_S: how long
 * the watcher looks at a job, which no other flush may wait for much longer. */
enum { NEW_S = 60, LOOK_S = 3 };

static void tell_of_job(const struct spool_job *job, const char *what, int error)
{
    fprintf(stderr, "jobtrail-submit: job %s: %s: %s\n", job->name, what, strerror(-error));
}

static bool has_no_ledger(const struct journal *journal)
{
    for (size_t i = 0; i < journal->step_count; i++) {
        if (journal->steps[i].no_ledger)
            return true;
    }
    return false;
}

/* Which of the user's files there are to be read, -1: none. */
struct users_files {
    int ledger, packages;
    bool is_foreign; /* one of them is another user's */
    bool is_lost;    /* they went with their file system */
};

/* Returns 0 and FLUSH_DONE, or why they are not to be read; or -errno. Packages that cannot be read
 * are none. */
static int open_files(const struct journal *journal, int directory, struct users_files *files,
                      enum flush_outcome *outcome)
{
    uid_t uid = journal->identity.uid;
    int ledger = spool_open_users(directory, "ledger", uid);
    int lost = spool_part_lost(directory);
    *files = (struct users_files){.ledger = ledger < 0 ? -1 : ledger, .packages = -1};
    *outcome = ledger == -EINVAL ? FLUSH_NO_LEDGER : FLUSH_DONE;
    if (ledger < 0 && ledger != -ENOENT && ledger != -SPOOL_FOREIGN)
        return *outcome == FLUSH_NO_LEDGER ? 0 : ledger;
    if (lost < 0 && journal->reboot_ns == 0) {
        *outcome = FLUSH_ELSEWHERE;
        return lost == -ESTALE ? 0 : lost;
    }
    int packages = spool_open_users(directory, PACKAGES_NAME, uid);
    files->packages = packages < 0 ? -1 : packages;
    files->is_foreign = ledger == -SPOOL_FOREIGN || packages == -SPOOL_FOREIGN;
    files->is_lost = lost != 0 && journal->step_count > 0;
    return 0;
}

static void close_files(const struct users_files *files)
{
    if (files->ledger >= 0)
        close(files->ledger);
    if (files->packages >= 0)
        close(files->packages);
}

/* A job whose ledger is gone has nothing to send; one that never had one, or another user's, or
 * lost it with its file system, has coverage, and so has one without a step here. Returns 0 and the
 * outcome, or -errno. */
static int send_records(struct flush_state *state, const struct journal *journal, int directory,
                        const struct users_files *files, enum flush_outcome *outcome)
{
    struct flush_count *count = state->count;
    struct reading_summary summary = {0};
    *outcome = FLUSH_DONE;
    if (files->is_lost)
        fprintf(stderr, "jobtrail-submit: job %u: its captures went with their file system\n",
                journal->identity.job);
    if (files->ledger >= 0 || files->is_foreign || files->is_lost || has_no_ledger(journal) ||
        journal->step_count == 0) {
        int error =
            job_read(state, journal, directory, files->ledger, files->packages, &summary, outcome);
        if (error != 0)
            return error;
        /* A job without a run says nothing of the reader: there was nothing in it to die of. */
        if (!state->options->dry_run && (*outcome != FLUSH_DONE || summary.records > 0))
            flush_breaks_note(state->conf, *outcome);
    }
    count->records += summary.records;
    count->dropped += summary.dropped;
    count->packages += summary.packages;
    count->unhooked += summary.unhooked;
    count->damaged += summary.damaged + summary.bad_lines;
    if (*outcome == FLUSH_DONE)
        *outcome = files->is_foreign       ? FLUSH_FOREIGN
                   : summary.damaged > 0   ? FLUSH_DAMAGED
                   : summary.bad_lines > 0 ? FLUSH_BAD_LINES
                                           : FLUSH_DONE;
    return 0;
}

/* Returns 0 when it is in the quarantine, or is lost as that is full, or -errno. */
static int set_aside(const struct flush_state *state, const struct spool_job *job, int directory,
                     uid_t uid, const char *reason)
{
    char name[NAME_MAX + 1];
    int error = quarantine_keep(state->conf, job, directory, uid, reason, name, sizeof name);
    if (error == -EDQUOT) {
        state->count->lost++;
        fprintf(stderr, "jobtrail-submit: job %s: %s: lost, as %s/quarantine is full\n", job->name,
                reason, state->conf->state);
        return 0;
    }
    if (error != 0) {
        tell_of_job(job, "cannot be set aside", error);
        return error;
    }
    fprintf(stderr, "jobtrail-submit: job %s: %s: kept in %s/quarantine/%s\n", job->name, reason,
            state->conf->state, name);
    state->count->quarantined++;
    return 0;
}

/* As a flush that was killed in its last moment leaves it, or a file system without room. */
static bool is_empty(int directory)
{
    struct stat status;
    bool has_journal =
        fstatat(directory, JOURNAL_NAME, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_size > 0;
    CLEANUP_CLOSE int part = has_journal ? -1 : spool_part_open(directory);
    return !has_journal && (part < 0 || faccessat(part, "ledger", F_OK, AT_SYMLINK_NOFOLLOW) != 0);
}

/* Its journal may be about to get its first line. */
static bool is_new(const struct flush_state *state, int directory)
{
    struct stat status;
    return state->options->job == 0 && fstat(directory, &status) == 0 &&
           status.st_mtim.tv_sec + NEW_S > (time_t)(state->now_ns / 1000000000u);
}

static void count_left_out(struct flush_state *state, const struct spool_job *job,
                           const struct journal *journal)
{
    state->count->left_out += journal->left_out;
    if (journal->left_out > 0)
        fprintf(
            stderr,
            "jobtrail-submit: job %s: its journal was full: %s%llu lines are left out, and what "
            "they told of steps and tasks is not known\n",
            job->name, journal->left_out >= JOURNAL_LEFT_OUT_MAX ? "at least " : "",
            (unsigned long long)journal->left_out);
}

/* What parts of the flush do when the job's records are taken. The first thing that is not done is
 * why a job is kept of which all is read. */
static void end_parts(const struct flush_state *state, const struct journal *journal, int directory,
                      enum flush_outcome *outcome, const char **reason)
{
    for (const struct flush_part *const *part = flush_parts; *part != NULL; part++) {
        const char *undone = (*part)->end == NULL ? NULL : (*part)->end(state, journal, directory);
        if (undone == NULL || *outcome != FLUSH_DONE)
            continue;
        *outcome = FLUSH_PART_UNDONE;
        *reason = undone;
    }
}

/* Of a job whose journal is read. Returns 0, the outcome, and why it is kept, where it is; or
 * -errno. */
static int flush_known(struct flush_state *state, const struct spool_job *job, int directory,
                       const struct journal *journal, enum flush_outcome *outcome,
                       const char **reason)
{
    /* The daemons of steps count too: a step that is being set up has no tasks yet. */
    if (!job->left && job_may_go_on(journal) && job_is_alive(journal)) {
        state->count->running++;
        fprintf(stderr, "jobtrail-submit: job %s still runs here: left alone\n", job->name);
        *outcome = FLUSH_LEFT;
        return 0;
    }
    count_left_out(state, job, journal);
    struct users_files files;
    int error = open_files(journal, directory, &files, outcome);
    if (error == 0 && *outcome == FLUSH_DONE)
        error = send_records(state, journal, directory, &files, outcome);
    close_files(&files);
    bool is_over = error == 0 && (*outcome == FLUSH_DONE || flush_outcome_is_kept(*outcome));
    *reason = error == 0 ? flush_outcome_text(*outcome) : "";
    if (is_over && !state->options->dry_run)
        end_parts(state, journal, directory, outcome, reason);
    return error;
}

/* Returns 0 and the outcome, or -errno. */
static int flush_directory(struct flush_state *state, const struct spool_job *job, int directory,
                           enum flush_outcome *outcome)
{
    bool dry_run = state->options->dry_run;
    uid_t uid = QUARANTINE_NOBODY;
    const char *reason = flush_outcome_text(FLUSH_NOBODYS);
    struct journal journal;
    int error = spool_job_journal(directory, &journal);
    if (error == 0) {
        uid = journal.identity.uid;
        error = flush_known(state, job, directory, &journal, outcome, &reason);
        journal_free(&journal);
    } else if (error == -ENODATA || error == -EINVAL) { /* -EINVAL: a link, or no file */
        bool empty = is_empty(directory);
        /* A directory gets its name when it is complete (spank/spool_make.c): without a journal it
         * is what a flush has left that was killed. */
        bool is_left = empty && faccessat(directory, JOURNAL_NAME, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
        bool is_begun = !is_left && (empty || state->options->orphans) && is_new(state, directory);
        *outcome = is_begun ? FLUSH_LEFT : empty ? FLUSH_DONE : FLUSH_NOBODYS;
        error = 0;
    }
    if (error != 0)
        return error;
    if (flush_outcome_is_kept(*outcome) && !dry_run) {
        error = set_aside(state, job, directory, uid, reason);
        *outcome = FLUSH_DONE;
    }
    if (error == 0 && *outcome == FLUSH_DONE && !dry_run)
        error = spool_remove(state->spool, directory, job);
    state->count->jobs += error == 0 && *outcome == FLUSH_DONE;
    state->count->left += error == 0 && *outcome == FLUSH_DONE && job->left;
    return error;
}

/* Asked before the lock is taken: the watcher does not wait for it. */
static bool is_of_running_job(int directory)
{
    struct journal journal;
    if (directory < 0 || spool_job_journal(directory, &journal) != 0)
        return false;
    bool runs = job_may_go_on(&journal) && !ended_in_slurm(directory, &journal);
    journal_free(&journal);
    return runs;
}

void flush_job(struct flush_state *state, const struct spool_job *job)
{
    bool orphans = state->options->orphans;
    enum flush_outcome outcome = FLUSH_LEFT;
    CLEANUP_CLOSE int directory = spool_open_job(state->spool, job);
    if (orphans && !job->left && is_of_running_job(directory)) {
        state->count->running++;
        return;
    }
    int error = directory < 0
                    ? directory
                    : spool_lock(directory, orphans ? LOOK_S : state->conf->epilog_timeout_s);
    if (error == 0)
        error = flush_directory(state, job, directory, &outcome);
    if (error == -ENOENT || (error == -EAGAIN && orphans))
        return; /* another flush was faster, or is still at it: then it is no orphan */
    if (error == 0 && (outcome == FLUSH_DONE || outcome == FLUSH_LEFT))
        return;
    state->without_room += error == 0 && outcome == FLUSH_NO_ROOM;
    state->count->failed += error != 0 || outcome != FLUSH_NO_ROOM;
    if (error != 0)
        tell_of_job(job, "not flushed, to be tried again", error);
    else
        fprintf(stderr, "jobtrail-submit: job %s: %s\n", job->name, flush_outcome_text(outcome));
}
