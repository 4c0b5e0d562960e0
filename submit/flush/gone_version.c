/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/gone_version.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "spank/spool.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"
#include "submit/job/quarantine.h"
#include "submit/job/spool_read.h"
#include "submit/job/spool_remove.h"
#include "submit/job/step_daemons.h"

enum { LOCK_S = 3 };

/* Whether the directory was last changed before the node booted: then its job is over, unless the
 * clock was set in between. */
static bool is_of_earlier_boot(int directory)
{
    struct stat status;
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    return fstat(directory, &status) == 0 && status.st_ctim.tv_sec < now.tv_sec - up.tv_sec;
}

/* Slurm ends the extern step of a job where it ends the job. */
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

void gone_version_flush(const struct conf *conf, const struct flush_options *options,
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
                        "jobtrail-submit: job %s: left alone, as it may still run here, which "
                        "nobody can read: its epilog or the node's next boot will tell\n",
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
