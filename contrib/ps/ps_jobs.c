/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/ps/ps_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/command_options.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "spank/spool_path.h"
#include "submit/evidence/user_files.h"
#include "submit/job/job_cgroups.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_read.h"

/* RESTARTS_MAX: requeues of a job that are looked for. ENVIRONMENT_MAX: bytes of a process's
 * environment that are searched. */
enum { RESTARTS_MAX = 256, ENVIRONMENT_MAX = 256 << 10, CGROUP_TEXT = 8192 };

/* Takes the entry over. Returns 0 or -ENOMEM. */
static int add_job(struct ps_jobs *jobs, struct ps_job job)
{
    if (job.user == NULL)
        job.user = strdup("");
    int error = job.user == NULL ? -ENOMEM : GROW(jobs->job, jobs->count);
    if (error == 0) {
        jobs->job[jobs->count++] = job;
        return 0;
    }
    free(job.user);
    if (job.ledger >= 0)
        close(job.ledger);
    return error;
}

static bool has(int directory, const char *name)
{
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool is_opted_out(int directory)
{
    return has(directory, SPOOL_OPTED_OUT) || has(directory, SPOOL_JOB_OPTED_OUT);
}

/* ---- As root --------------------------------------------------------------------------------- */

static enum ps_verdict verdict_of(int error)
{
    return error == -ENOENT                             ? PS_NO_LEDGER
           : error == -SPOOL_FOREIGN || error == -EPERM ? PS_FOREIGN
           : error == -EACCES                           ? PS_FOREIGN
                                                        : PS_FAILED;
}

static void open_ledger(int directory, struct ps_job *job)
{
    job->opted_out = is_opted_out(directory);
    job->error = spool_part_lost(directory);
    job->verdict = job->error == -ESTALE ? PS_ELSEWHERE : PS_OVER;
    if (job->error != 0)
        return;
    int ledger = spool_open_users(directory, "ledger", job->uid);
    job->verdict = ledger < 0 ? verdict_of(ledger) : PS_OPEN;
    job->error = ledger < 0 ? ledger : 0;
    job->ledger = ledger < 0 ? -1 : ledger;
}

/* Identity and end are the journal's, which is root's. */
static int add_from_journal(int spool, const struct spool_job *found, struct ps_jobs *jobs)
{
    struct journal journal;
    struct ps_job job = {.job = found->job, .restart = found->restart, .ledger = -1};
    CLEANUP_CLOSE int directory = spool_open_job(spool, found);
    int error = directory < 0 ? directory : spool_job_journal(directory, &journal);
    if (error == -ENOENT)
        return 0; /* its flush has ended meanwhile */
    if (error != 0) {
        job.verdict = PS_FAILED;
        job.error = error;
        return add_job(jobs, job);
    }
    job.uid = journal.identity.uid;
    job.gid = journal.identity.gid;
    job.user = strdup(journal.identity.user);
    job.verdict = PS_OVER;
    if (journal.epilog_ns == 0 && journal.reboot_ns == 0)
        open_ledger(directory, &job);
    journal_free(&journal);
    return add_job(jobs, job);
}

static int add_by_root(int spool, uint32_t id, struct ps_jobs *jobs)
{
    struct spool_jobs found;
    size_t before = jobs->count;
    int error = spool_list(spool, id, &found);
    if (error != 0)
        return error;
    for (size_t i = 0; error == 0 && i < found.count; i++)
        if (!found.job[i].left)
            error = add_from_journal(spool, &found.job[i], jobs);
    free(found.job);
    if (error == 0 && id != 0 && jobs->count == before)
        error = add_job(jobs, (struct ps_job){.job = id, .verdict = PS_UNKNOWN, .ledger = -1});
    return error;
}

static int find_by_root(const char *spool, const uint32_t *ids, size_t count, struct ps_jobs *jobs)
{
    CLEANUP_CLOSE int directory = spool_open_node(spool);
    int error = directory < 0 ? directory : 0;
    if (error == 0 && count == 0)
        error = add_by_root(directory, 0, jobs);
    for (size_t i = 0; error == 0 && i < count; i++)
        error = add_by_root(directory, ids[i], jobs);
    return error;
}

/* ---- As a user ------------------------------------------------------------------------------- */

static int open_path(int at, const char *name)
{
    int fd = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* A user may pass through the directories of their own jobs, which are root's, and list none. */
static void open_own(int directory, struct ps_job *job)
{
    struct stat status;
    CLEANUP_CLOSE int part = open_path(directory, SPOOL_USER);
    job->opted_out = is_opted_out(directory);
    if (part >= 0 && fstat(part, &status) == 0 && status.st_uid != 0) {
        job->verdict = PS_FAILED;
        job->error = -EPERM;
        return;
    }
    int ledger = part < 0 ? part : user_file_open(part, "ledger", job->uid);
    job->verdict = ledger < 0 ? verdict_of(ledger) : PS_OPEN;
    job->error = ledger < 0 ? ledger : 0;
    job->ledger = ledger < 0 ? -1 : ledger;
    if (ledger != -ENOENT)
        return;
    int lost = spool_part_lost(directory);
    if (lost != 0)
        job->verdict = lost == -ESTALE ? PS_ELSEWHERE : PS_OVER;
    else if (job->opted_out)
        job->verdict = PS_OPTED_OUT;
}

/* Of a job that was requeued here, the last run: the others have no process any more. */
static int add_own(const char *spool, uint32_t id, struct ps_jobs *jobs)
{
    struct ps_job job = {
        .job = id, .uid = geteuid(), .gid = getegid(), .verdict = PS_UNKNOWN, .ledger = -1};
    const struct passwd *account = getpwuid(job.uid);
    job.user = account == NULL ? NULL : strdup(account->pw_name);
    char path[PATH_MAX];
    CLEANUP_CLOSE int last = -1;
    for (unsigned restart = 0; restart < RESTARTS_MAX; restart++) {
        int length = snprintf(path, sizeof path, "%s/%u.%u", spool, (unsigned)id, restart);
        int directory = length < 0 || length >= PATH_MAX ? -1 : open_path(AT_FDCWD, path);
        if (directory < 0)
            continue;
        cleanup_close(&last);
        last = directory;
        job.restart = restart;
    }
    if (last >= 0)
        open_own(last, &job);
    return add_job(jobs, job);
}

static uint32_t job_of_text(const char *text)
{
    uint32_t job;
    return text != NULL && options_number(text, 1, UINT32_MAX - 1, &job) == 0 ? job : 0;
}

/* The job that this process is in; 0: in none. */
static uint32_t job_of_this(const char *spool)
{
    char text[CGROUP_TEXT];
    uint32_t job = job_of_text(getenv("SLURM_JOB_ID"));
    if (job == 0 && io_read_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) > 0)
        job = slurm_job_of_cgroup(spool, text);
    return job;
}

/* SLURM_JOB_ID in the environment that a process began with. */
static uint32_t job_of_process(int proc, const char *name, char *text)
{
    static const char variable[] = "SLURM_JOB_ID=";
    char path[64];
    snprintf(path, sizeof path, "%.32s/environ", name);
    ssize_t got = io_read_text(proc, path, text, ENVIRONMENT_MAX);
    for (ssize_t at = 0; at < got; at += (ssize_t)strlen(text + at) + 1)
        if (strncmp(text + at, variable, sizeof variable - 1) == 0)
            return job_of_text(text + at + sizeof variable - 1);
    return 0;
}

static bool is_listed(const struct ps_jobs *jobs, uint32_t id)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->job[i].job == id)
            return true;
    return false;
}

static int add_of_processes(const char *spool, struct ps_jobs *jobs)
{
    CLEANUP_LISTING DIR *listing = NULL;
    CLEANUP_FREE char *text = malloc(ENVIRONMENT_MAX);
    int error = text == NULL ? -ENOMEM : listing_open(AT_FDCWD, "/proc", &listing);
    for (const char *name; error == 0 && (name = listing_next(listing)) != NULL;) {
        struct stat status;
        if (name[0] < '1' || name[0] > '9' || fstatat(dirfd(listing), name, &status, 0) != 0 ||
            status.st_uid != geteuid())
            continue;
        uint32_t id = job_of_process(dirfd(listing), name, text);
        if (id != 0 && !is_listed(jobs, id))
            error = add_own(spool, id, jobs);
    }
    return error;
}

static int find_own(const char *spool, const uint32_t *ids, size_t count, bool all,
                    struct ps_jobs *jobs)
{
    uint32_t own = count > 0 || all ? 0 : job_of_this(spool);
    int error = own == 0 ? 0 : add_own(spool, own, jobs);
    if (count == 0 && own == 0)
        error = add_of_processes(spool, jobs);
    for (size_t i = 0; error == 0 && i < count; i++)
        error = add_own(spool, ids[i], jobs);
    return error;
}

int ps_jobs_find(const char *spool, const uint32_t *ids, size_t count, bool all,
                 struct ps_jobs *jobs)
{
    struct ps_jobs found = {NULL, 0};
    int error = caller_is_root() ? find_by_root(spool, ids, count, &found)
                                 : find_own(spool, ids, count, all, &found);
    if (error != 0)
        ps_jobs_free(&found);
    else
        *jobs = found;
    return error;
}

void ps_jobs_free(struct ps_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++) {
        free(jobs->job[i].user);
        if (jobs->job[i].ledger >= 0)
            close(jobs->job[i].ledger);
    }
    free(jobs->job);
    *jobs = (struct ps_jobs){NULL, 0};
}
