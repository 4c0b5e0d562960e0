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
#include "spank/spool_part.h"
#include "submit/job/quarantine.h"
#include "submit/job/spool_read.h"
#include "submit/job/spool_remove.h"

enum { LOCK_S = 3 };

/* Whether the directory was last changed before the node booted: then its job is over. */
static bool is_of_earlier_boot(int directory)
{
    struct stat status;
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    return fstat(directory, &status) == 0 && status.st_ctim.tv_sec < now.tv_sec - up.tv_sec;
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
    bool is_asked = options->job != 0 && !options->orphans;
    for (size_t i = 0; i < jobs.count; i++) {
        bool is_kept = false;
        CLEANUP_CLOSE int directory = spool_open_job(node, &jobs.job[i]);
        if (directory < 0)
            continue;
        if (!is_asked && !jobs.job[i].left && !is_of_earlier_boot(directory)) {
            count->running++;
            continue;
        }
        int error = set_aside(conf, node, &jobs.job[i], directory, formats, &is_kept);
        count->failed += error != 0;
        count->jobs += error == 0;
        count->quarantined += is_kept;
        count->lost += error == 0 && !is_kept;
    }
    free(jobs.job);
}
