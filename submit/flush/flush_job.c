/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush_job.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/program_run.h"
#include "contrib/hooks/packages.h"
#include "spank/journal.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"
#include "submit/flush/flush_part.h"
#include "submit/job/broken_flushes.h"
#include "submit/job/quarantine.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_remove.h"

/* NEW_S: the journal of a directory that is younger may be about to be written. LOOK_S: how long
 * the process watch looks at a job, which no other flush may wait for much longer. */
enum { NEW_S = 60, LOOK_S = 3, SQUEUE_MS = 10000 };

/* Those in which a job may still have an epilog to come. A job with a flag, as CONFIGURING or
 * COMPLETING, has one of these states, or the name of the flag is here. */
#define STATES "--states=PENDING,RUNNING,SUSPENDED,COMPLETING,CONFIGURING"

/* Of what each job of a user's may be a line. */
#define ONCE_A_DAY " (said once a day of each user)"

static bool is_time_to_ask(int directory)
{
    struct stat journal, asked;
    if (fstatat(directory, JOURNAL_NAME, &journal, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (fstatat(directory, SPOOL_ASKED, &asked, AT_SYMLINK_NOFOLLOW) != 0 ||
        asked.st_mtim.tv_sec < journal.st_mtim.tv_sec)
        return true;
    return time(NULL) - asked.st_mtim.tv_sec >= asked.st_mtim.tv_sec - journal.st_mtim.tv_sec;
}

static bool make_file(int directory, const char *name)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool is_made = fd >= 0 && futimens(fd, NULL) == 0;
    if (fd >= 0)
        close(fd);
    return is_made;
}

static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    while (*text != '\0') {
        size_t end = strcspn(text, "\n");
        if (end == length && memcmp(text, line, length) == 0)
            return true;
        text += end + (text[end] == '\n');
    }
    return false;
}

/* The jobs of one user are a small answer, and a good one where the job is not known any more: of a
 * single job that the controller has forgotten squeue says the same as of any trouble. The
 * environment is that of the epilog or of a timer, of which squeue takes what finds the cluster. */
static bool is_in_queue(uint32_t job, uint32_t uid, bool *is_known)
{
    char user[32], id[16], path[8192], conf[4096];
    const char *own_path = getenv("PATH"), *own_conf = getenv("SLURM_CONF");
    const char *const argv[] = {"squeue", "--noheader", "--format=%A", STATES, user, NULL};
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    snprintf(user, sizeof user, "--user=%u", (unsigned)uid);
    snprintf(id, sizeof id, "%u", (unsigned)job);
    snprintf(path, sizeof path, "PATH=%s", own_path == NULL ? "/usr/bin:/bin" : own_path);
    snprintf(conf, sizeof conf, "SLURM_CONF=%s", own_conf == NULL ? "" : own_conf);
    char *environment[] = {path, own_conf == NULL ? NULL : conf, NULL};
    *is_known = program_run(argv, environment, SQUEUE_MS, &result) == 0 && result.status == 0;
    return *is_known && has_line(result.text, id);
}

/* Whether a job that may have ended unseen (spool_job_is_quiet()) is over, as squeue(1) says. Then
 * a mark in its directory says so from then on. Slurm is asked when nothing has happened for
 * JOB_QUIET_S, and again each time that the job has been quiet for twice as long: so a job that
 * idles for days costs some requests, and one that is over is found after twice the time at the
 * latest. Where squeue fails, as where Slurm's controller is away, the job is taken to go on. */
static bool ended_in_slurm(int directory, const struct journal *journal)
{
    bool is_known;
    const struct job_identity *identity = &journal->identity;
    if (!spool_job_is_quiet(directory, journal) || !is_time_to_ask(directory) ||
        !make_file(directory, SPOOL_ASKED))
        return false;
    bool is_over = !is_in_queue(identity->job, identity->uid, &is_known) && is_known;
    return is_over && make_file(directory, SPOOL_OVER);
}

/* Asked before the lock is taken: the process watch does not wait for it. */
static bool is_of_running_job(int directory)
{
    struct journal journal;
    if (directory < 0 || spool_job_journal(directory, &journal) != 0)
        return false;
    bool runs = job_may_go_on(&journal) && !ended_in_slurm(directory, &journal);
    journal_free(&journal);
    return runs;
}

static void tell_of_job(const struct spool_job *job, const char *what, int error)
{
    fprintf(stderr, "jobtrail-submit: job %s: %s: %s\n", job->name, what, strerror(-error));
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
    if (files->is_lost)
        fprintf(stderr, "jobtrail-submit: job %u: its captures are lost with their file system\n",
                journal->identity.job);
    return 0;
}

/* A job whose ledger is gone has nothing to send; one that never had one, or another user's, or
 * lost it with its file system, has coverage, and so has one without a step here. */
static bool has_records(const struct journal *journal, const struct users_files *files)
{
    bool has_no_ledger = journal->step_count == 0;
    for (size_t i = 0; i < journal->step_count; i++)
        has_no_ledger |= journal->steps[i].no_ledger;
    return files->ledger >= 0 || files->is_foreign || files->is_lost || has_no_ledger;
}

/* How the reader ended. A job without a run says nothing of it: there was nothing to die of. */
static void note_reader(const struct conf *conf, enum flush_outcome outcome, bool has_runs)
{
    bool is_broken =
        outcome == FLUSH_BROKEN || outcome == FLUSH_KILLED || outcome == FLUSH_PASSED_OVER;
    if (is_broken || (outcome == FLUSH_DONE && has_runs))
        broken_flushes_note(conf, is_broken);
}

static void count_read(struct flush_count *count, const struct reading_summary *summary)
{
    count->records += summary->records;
    count->dropped += summary->dropped;
    count->packages += summary->packages;
    count->unhooked += summary->unhooked;
    count->misdated += summary->misdated;
    count->damaged += summary->damaged + summary->bad_lines;
}

/* Returns 0 when it is in the quarantine, or is lost as that is full, or -errno. */
static int set_aside(const struct flush_state *state, const struct spool_job *job, int directory,
                     uid_t uid, const char *reason)
{
    char name[NAME_MAX + 1];
    bool is_held = reason == flush_outcome_text(FLUSH_HELD);
    int error = quarantine_keep(state->conf, job, directory, uid, reason, name, sizeof name);
    if (error == -EDQUOT) {
        state->count->lost++;
        if (holdings_say(state->conf, uid, "lost"))
            fprintf(
                stderr,
                "jobtrail-submit: job %s of user %u: %s: lost, as %s/quarantine is full" ONCE_A_DAY
                "\n",
                job->name, (unsigned)uid, reason, state->conf->state);
        return 0;
    }
    if (error != 0) {
        tell_of_job(job, "cannot be set aside", error);
        return error;
    }
    if (!is_held || holdings_say(state->conf, uid, "held"))
        fprintf(stderr, "jobtrail-submit: job %s: %s: kept in %s/quarantine/%s%s\n", job->name,
                reason, state->conf->state, name, is_held ? ONCE_A_DAY : "");
    state->count->quarantined++;
    return 0;
}

/* Of a job that is over. Where nothing can be counted it waits. */
static bool may_wait(struct flush_state *state, int directory, uid_t uid)
{
    if (!state->is_held && holdings_read(state->spool, &state->holdings) != 0)
        return true;
    state->is_held = true;
    return holdings_may_wait(&state->holdings, directory, uid);
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

/* Of a job whose journal is read. Returns 0, the outcome, and why it is kept, if so; or -errno. */
static int flush_known(struct flush_state *state, const struct spool_job *job, int directory,
                       const struct journal *journal, enum flush_outcome *outcome,
                       const char **reason)
{
    struct users_files files;
    struct reading_summary summary = {0};
    /* The daemons of steps count too: a step that is being set up has no tasks yet. */
    if (!job->left && job_may_go_on(journal) && job_is_alive(journal)) {
        state->count->running++;
        fprintf(stderr, "jobtrail-submit: job %s still runs here: left alone\n", job->name);
        *outcome = FLUSH_LEFT;
        return 0;
    }
    state->count->left_out += journal->left_out;
    if (journal->left_out > 0)
        fprintf(
            stderr,
            "jobtrail-submit: job %s: its journal was full: %s%llu lines are left out, and their "
            "steps and tasks are unknown\n",
            job->name, journal->left_out >= JOURNAL_LEFT_OUT_MAX ? "at least " : "",
            (unsigned long long)journal->left_out);
    int error = open_files(journal, directory, &files, outcome);
    bool reads = error == 0 && *outcome == FLUSH_DONE && has_records(journal, &files);
    if (reads)
        error =
            job_read(state, journal, directory, files.ledger, files.packages, &summary, outcome);
    if (files.ledger >= 0)
        close(files.ledger);
    if (files.packages >= 0)
        close(files.packages);
    if (error != 0)
        return error;
    if (reads && !state->options->dry_run)
        note_reader(state->conf, *outcome, summary.records > 0);
    count_read(state->count, &summary);
    if (*outcome == FLUSH_DONE)
        *outcome = files.is_foreign        ? FLUSH_FOREIGN
                   : summary.damaged > 0   ? FLUSH_DAMAGED
                   : summary.bad_lines > 0 ? FLUSH_BAD_LINES
                                           : FLUSH_DONE;
    *reason = flush_outcome_text(*outcome);
    if (!state->options->dry_run && (*outcome == FLUSH_DONE || flush_outcome_is_kept(*outcome)))
        end_parts(state, journal, directory, outcome, reason);
    return 0;
}

/* What is done or kept goes. Returns 0 or -errno. */
static int settle(struct flush_state *state, const struct spool_job *job, int directory, uid_t uid,
                  bool is_over, const char *reason, enum flush_outcome *outcome)
{
    bool dry_run = state->options->dry_run;
    int error = 0;
    if (!dry_run && is_over && flush_outcome_waits(*outcome) && !may_wait(state, directory, uid)) {
        *outcome = FLUSH_HELD;
        reason = flush_outcome_text(FLUSH_HELD);
    }
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

void flush_job(struct flush_state *state, const struct spool_job *job)
{
    bool orphans = state->options->orphans;
    enum flush_outcome outcome = FLUSH_LEFT;
    const char *reason = flush_outcome_text(FLUSH_NOBODYS);
    uid_t uid = QUARANTINE_NOBODY;
    bool is_over = false;
    struct journal journal;
    CLEANUP_CLOSE int directory = spool_open_job(state->spool, job);
    if (orphans && !job->left && is_of_running_job(directory)) {
        state->count->running++;
        return;
    }
    int error = directory < 0
                    ? directory
                    : spool_lock(directory, orphans ? LOOK_S : state->conf->epilog_timeout_s);
    int known = error != 0 ? error : spool_job_journal(directory, &journal);
    if (known == 0) {
        uid = journal.identity.uid;
        is_over = job->left || !job_may_go_on(&journal);
        error = flush_known(state, job, directory, &journal, &outcome, &reason);
        journal_free(&journal);
    } else if (error == 0 && (known == -ENODATA || known == -EINVAL)) { /* a link, or no file */
        /* Of a directory without a journal that says whose the job is. */
        bool empty = is_empty(directory);
        /* A directory gets its name when it is complete (spank/spool_make.c): without a journal it
         * is what a flush has left that was killed. */
        bool is_left = empty && faccessat(directory, JOURNAL_NAME, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
        bool is_begun = !is_left && (empty || state->options->orphans) && is_new(state, directory);
        outcome = is_begun ? FLUSH_LEFT : empty ? FLUSH_DONE : FLUSH_NOBODYS;
    } else {
        error = known;
    }
    if (error == 0)
        error = settle(state, job, directory, uid, is_over, reason, &outcome);
    if (error == -ENOENT || (error == -EAGAIN && orphans))
        return; /* another flush was faster, or is still at it: then it is no orphan */
    if (error == 0 && (outcome == FLUSH_DONE || outcome == FLUSH_LEFT))
        return;
    state->without_room += error == 0 && outcome == FLUSH_NO_ROOM;
    state->count->failed += error != 0 || outcome != FLUSH_NO_ROOM;
    if (error != 0)
        tell_of_job(job, "not flushed, to be tried again", error);
    else if (outcome != FLUSH_NO_ROOM || holdings_say(state->conf, uid, "waits"))
        fprintf(stderr, "jobtrail-submit: job %s: %s%s\n", job->name, flush_outcome_text(outcome),
                outcome == FLUSH_NO_ROOM ? ONCE_A_DAY : "");
}
