/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/hand_on.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/process.h"
#include "conf/base/trusted.h"
#include "spank/job_formats.h"
#include "spank/spool.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"
#include "spank/version_note.h"
#include "submit/job/job_cgroups.h"
#include "submit/job/quarantine.h"
#include "submit/job/spool_read.h"
#include "submit/job/spool_remove.h"

/* Names of users' sessions that are looked at: users make as many as they like. */
enum { NAMES_MAX = 10000 };

/* So long the lock of a job of a version that is gone is waited for. */
enum { LOCK_S = 3 };

static bool has_jobs(const char *spool, uint32_t job)
{
    struct spool_jobs jobs = {NULL, 0};
    CLEANUP_CLOSE int directory = spool_open_node(spool);
    bool has = directory >= 0 && spool_list(directory, job, &jobs) == 0 && jobs.count > 0;
    free(jobs.job);
    return has;
}

static bool has_file(const char *directory, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    return length > 0 && length < PATH_MAX && access(path, F_OK) == 0;
}

/* Whether a directory in `directory` has a name in it that begins with no dot. */
static bool has_names_below(const char *directory)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int left = NAMES_MAX;
    listing_take(directory_open(AT_FDCWD, directory), &listing);
    for (const char *name; left-- > 0 && (name = listing_next(listing)) != NULL;) {
        CLEANUP_LISTING DIR *below = NULL;
        if (name[0] == '.' || listing_take(directory_open(dirfd(listing), name), &below) != 0)
            continue;
        while ((name = listing_next(below)) != NULL)
            if (name[0] != '.')
                return true;
    }
    return false;
}

static bool has_anything(const char *directory, enum hand_on what, uint32_t job)
{
    return what == HAND_ON_JOBS    ? has_jobs(directory, job)
           : what == HAND_ON_WATCH ? has_file(directory, SPOOL_WATCH_LOCK)
                                   : has_names_below(directory);
}

/* What the directories of all versions begin with (spank/version_note.h). Returns 0 or
 * -ENAMETOOLONG. */
static int find_prefix(const struct submit_options *options, const struct conf *conf,
                       enum hand_on what, char prefix[PATH_MAX])
{
    int length = 0;
    if (what == HAND_ON_OUTBOX)
        length = snprintf(prefix, PATH_MAX, "%s/outbox", conf->state);
    else if (what == HAND_ON_SESSIONS)
        length = snprintf(prefix, PATH_MAX, "%s", conf->sessions);
    else if (spool_expand_formats(conf->spool, options->node, 1, prefix, PATH_MAX - 1) == 0)
        strcat(prefix, "/");
    else
        return -ENAMETOOLONG;
    return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* Returns the process, or -errno. The version's own configuration comes after that of `options`,
 * and so counts. getopt_long(3) has moved the command behind the options: it comes first again, as
 * ps(1) shows a process watch for days. */
static pid_t start_program(const struct submit_options *options, enum hand_on what,
                           const struct version_note *note)
{
    char number[16];
    int first_word = (int)(options->words - options->argv);
    pid_t pid;
    size_t count = 0;
    const char **argv = calloc((size_t)options->argc + 6, sizeof *argv);
    if (argv == NULL)
        return -ENOMEM;
    snprintf(number, sizeof number, "%u", (unsigned)note->formats);
    argv[count++] = note->submit;
    for (int i = first_word; i < options->argc; i++)
        argv[count++] = options->argv[i];
    for (int i = 1; i < first_word; i++)
        argv[count++] = options->argv[i];
    argv[count++] = "--conf";
    argv[count++] = note->conf;
    argv[count++] = "--formats";
    argv[count++] = number;
    if (what == HAND_ON_JOBS && strcmp(options->words[0], "watch") == 0 && !options->once &&
        !options->detach)
        argv[count++] = "--detach";
    int error =
        posix_spawn(&pid, note->submit, NULL, NULL, (char *const *)(uintptr_t)argv, environ);
    free(argv);
    return error == 0 ? pid : -error;
}

/* Returns SUBMIT_OK; SUBMIT_OTHER where it is gone, or is of other formats by now; or
 * SUBMIT_SOME_WAIT where it goes on, was ended, or could not do its work, which stderr tells: the
 * next try may. */
static enum submit_status run_program(const struct submit_options *options, enum hand_on what,
                                      const struct version_note *note, unsigned timeout_s)
{
    char culprit[PATH_MAX];
    int status = 0;
    int error = trusted_check(note->submit, culprit, sizeof culprit);
    pid_t pid = error != 0 ? error : start_program(options, what, note);
    if (pid == -ENOENT)
        return SUBMIT_OTHER;
    if (pid < 0) {
        fprintf(stderr, "jobtrail-submit: %s, of another version, cannot be run: %s\n",
                note->submit, error == -EPERM ? "others than root can change it" : strerror(-pid));
        return SUBMIT_SOME_WAIT;
    }
    if (!process_reap(pid, (int)timeout_s * 1000, &status) || !WIFEXITED(status))
        return SUBMIT_SOME_WAIT;
    int ended = WEXITSTATUS(status);
    if (ended > SUBMIT_SOME_WAIT && ended != SUBMIT_OTHER)
        fprintf(stderr, "jobtrail-submit: %s, of another version, ended with status %d\n",
                note->submit, ended);
    return ended == SUBMIT_OK || ended == SUBMIT_OTHER ? (enum submit_status)ended
                                                       : SUBMIT_SOME_WAIT;
}

static enum submit_status hand_on_to(const struct submit_options *options, enum hand_on what,
                                     unsigned timeout_s, const char *directory, uint32_t formats,
                                     struct version_note *note)
{
    int error = version_note_read(directory, note);
    if (error == 0 && note->formats == formats)
        return run_program(options, what, note, timeout_s);
    note->submit[0] = '\0';
    if (error == -ENOENT)
        return SUBMIT_OTHER;
    fprintf(stderr, "jobtrail-submit: %s/" VERSION_NOTE ": %s\n", directory,
            error == -EPERM ? "others than root can change it"
            : error != 0    ? strerror(-error)
                            : "it has another number of formats");
    return SUBMIT_SOME_WAIT;
}

/* Whether the directory was last changed before the node booted: then its job is over, unless the
 * clock was set in between. */
static bool is_of_earlier_boot(int directory)
{
    struct stat status;
    const int64_t booted_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME));
    return fstat(directory, &status) == 0 && status.st_ctim.tv_sec < booted_ns / 1000000000;
}

/* Of a job whose journal cannot be read: its epilog has begun; or its extern step has ended, which
 * Slurm ends where it ends the job, and no daemon of a step may be its own; or it was there when
 * the node booted; or a later job of the same id has found it. */
static bool is_over(const struct spool_job *job, int directory)
{
    return job->left || faccessat(directory, SPOOL_OVER, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
           ((is_of_earlier_boot(directory) ||
             faccessat(directory, SPOOL_EXTERN_ENDED, F_OK, AT_SYMLINK_NOFOLLOW) == 0) &&
            !step_daemon_may_live(job->job));
}

/* What the job started after its version was gone is in this version's directory of it, whose
 * journal has no extern step where Slurm calls no epilog of SPANK's. */
static void mark_own(const struct conf *conf, const struct flush_options *options,
                     const struct spool_job *job)
{
    char path[PATH_MAX];
    if (job->left || spool_expand(conf->spool, options->node, path, sizeof path) != 0)
        return;
    CLEANUP_CLOSE int node = spool_open_node(path);
    CLEANUP_CLOSE int own = node < 0 ? node : spool_open_job(node, job);
    int error = own < 0 ? 0 : spool_mark(own, SPOOL_OVER);
    if (error != 0)
        fprintf(stderr, "jobtrail-submit: job %s: that it is over cannot be noted: %s\n", job->name,
                strerror(-error));
}

/* The journal cannot be read: the job's user is whose ledger it is. */
static uid_t find_user(int directory)
{
    struct stat status;
    CLEANUP_CLOSE int part = spool_part_open(directory);
    return part >= 0 && fstatat(part, "ledger", &status, AT_SYMLINK_NOFOLLOW) == 0
               ? status.st_uid
               : QUARANTINE_NOBODY;
}

static int set_aside(const struct conf *conf, int spool, const struct spool_job *job, int directory,
                     uint32_t formats, bool *is_kept)
{
    char name[NAME_MAX + 1], reason[128];
    snprintf(reason, sizeof reason,
             "it is of another version (formats %u), whose jobtrail-submit is gone",
             (unsigned)formats);
    int error = spool_lock(directory, LOCK_S);
    if (error == 0)
        error =
            quarantine_keep(conf, job, directory, find_user(directory), reason, name, sizeof name);
    *is_kept = error == 0;
    if (error != 0 && error != -EDQUOT)
        return error;
    fprintf(stderr, "jobtrail-submit: job %s: %s: %s%s\n", job->name, reason,
            *is_kept ? "kept in the quarantine as " : "lost, as the quarantine is full",
            *is_kept ? name : "");
    return spool_remove(spool, directory, job);
}

/* Jobs of a version whose program is gone: nobody can read what they left. Those in the directory
 * `spool` that are over and that the options ask for are set aside, and this version's directories
 * of the same jobs are marked as over, for the next flush. The others are left alone, and counted
 * as running; one that is asked for by its id is reported on stderr. */
static void set_jobs_aside(const struct conf *conf, const struct flush_options *options,
                           const char *spool, uint32_t formats, struct flush_count *count)
{
    struct spool_jobs jobs = {NULL, 0};
    CLEANUP_CLOSE int node = spool_open_node(spool);
    if (node < 0 || options->dry_run || spool_list(node, options->job, &jobs) != 0)
        return;
    for (size_t i = 0; i < jobs.count; i++) {
        bool is_kept = false;
        CLEANUP_CLOSE int directory = spool_open_job(node, &jobs.job[i]);
        if (directory < 0)
            continue;
        if (!is_over(&jobs.job[i], directory)) {
            count->running++;
            if (options->job != 0)
                fprintf(stderr,
                        "jobtrail-submit: job %s: left alone, as it may still run here: its epilog "
                        "or the node's next boot decides\n",
                        jobs.job[i].name);
            continue;
        }
        mark_own(conf, options, &jobs.job[i]);
        int error = set_aside(conf, node, &jobs.job[i], directory, formats, &is_kept);
        count->failed += error != 0;
        count->jobs += error == 0;
        count->quarantined += is_kept;
        count->lost += error == 0 && !is_kept;
    }
    free(jobs.job);
}

enum submit_status hand_on(const struct submit_options *options, const struct conf *conf,
                           enum hand_on what, unsigned timeout_s, const struct flush_options *flush,
                           struct flush_count *count)
{
    char prefix[PATH_MAX], directory[PATH_MAX];
    uint32_t formats[VERSIONS_MAX];
    enum submit_status worst = SUBMIT_OK;
    if (options->formats != 0 || find_prefix(options, conf, what, prefix) != 0)
        return SUBMIT_OK;
    size_t others = version_note_others(prefix, formats);
    for (size_t i = 0; i < others; i++) {
        struct version_note note;
        if (version_note_path(prefix, formats[i], directory) != 0 ||
            !has_anything(directory, what, options->job))
            continue;
        enum submit_status status =
            hand_on_to(options, what, timeout_s, directory, formats[i], &note);
        if (status == SUBMIT_OTHER && what == HAND_ON_WATCH)
            continue;
        if (status == SUBMIT_OTHER) {
            fprintf(stderr,
                    "jobtrail-submit: what is in %s is of another version (formats %u), and its "
                    "program %s\n",
                    directory, (unsigned)formats[i],
                    note.submit[0] == '\0'           ? "is not known"
                    : access(note.submit, F_OK) == 0 ? "is now of a third version"
                                                     : "is gone");
            if (flush != NULL)
                set_jobs_aside(conf, flush, directory, formats[i], count);
            status = SUBMIT_SOME_WAIT;
        }
        worst = status > worst ? status : worst;
    }
    return worst;
}

static void note_in(const char *directory, const struct submit_options *options)
{
    struct stat status;
    if (stat(directory, &status) != 0)
        return;
    CLEANUP_FREE char *conf = realpath(options->conf, NULL);
    int error = version_note_write(directory,
                                   options->conf[0] == '/' || conf == NULL ? options->conf : conf,
                                   NULL, "/proc/self/exe");
    if (error != 0)
        fprintf(stderr, "jobtrail-submit: %s/" VERSION_NOTE ": %s\n", directory, strerror(-error));
}

void hand_on_note(const struct submit_options *options, const struct conf *conf)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/outbox" JOB_FORMATS_SUFFIX, conf->state);
    if (!caller_is_root())
        return;
    if (length > 0 && length < PATH_MAX)
        note_in(path, options);
    length = snprintf(path, sizeof path, "%s" JOB_FORMATS_SUFFIX, conf->sessions);
    if (conf->sessions[0] != '\0' && length > 0 && length < PATH_MAX)
        note_in(path, options);
}
