/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/node_status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/conf_transport.h"
#include "spank/spool_path.h"
#include "spank/version_note.h"
#include "submit/job/broken_flushes.h"
#include "submit/job/quarantine.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_read.h"
#include "submit/outbox/outbox.h"
#include "submit/outbox/outbox_quarantine.h"

static void note_job(int spool, const struct spool_job *job, struct node_status *node)
{
    struct journal journal;
    struct stat status;
    CLEANUP_CLOSE int directory = spool_open_job(spool, job);
    if (directory < 0 || fstat(directory, &status) != 0)
        return;
    node->jobs++;
    uint64_t over_s = job->left ? (uint64_t)status.st_ctim.tv_sec : 0;
    if (spool_job_journal(directory, &journal) == 0) {
        uint64_t over_ns = journal.epilog_ns != 0 ? journal.epilog_ns : journal.reboot_ns;
        if (over_ns != 0)
            over_s = over_ns / 1000000000;
        journal_free(&journal);
    }
    if (over_s == 0)
        return;
    node->jobs_over++;
    if (node->oldest_over_s == 0 || over_s < node->oldest_over_s)
        node->oldest_over_s = over_s;
}

/* Returns 0 or -errno; 0 also where the node has no spool yet. */
static int note_spool(const struct conf *conf, const char *name, struct node_status *node)
{
    struct spool_jobs jobs;
    char path[PATH_MAX];
    int error = spool_expand(conf->spool, name, path, sizeof path);
    if (error != 0)
        return error;
    CLEANUP_CLOSE int spool = spool_open_node(path);
    if (spool < 0)
        return spool == -ENOENT ? 0 : spool;
    error = spool_list(spool, 0, &jobs);
    if (error != 0)
        return error;
    for (size_t i = 0; i < jobs.count; i++)
        note_job(spool, &jobs.job[i], node);
    free(jobs.job);
    return 0;
}

/* Jobs that began under other versions (spank/version_note.h): of these only the directories are
 * known here. */
static void note_other_versions(const struct conf *conf, const char *name, struct node_status *node)
{
    uint32_t formats[VERSIONS_MAX];
    char prefix[PATH_MAX], path[PATH_MAX];
    if (spool_expand_formats(conf->spool, name, 1, prefix, sizeof prefix - 1) != 0)
        return;
    strcat(prefix, "/");
    size_t others = version_note_others(prefix, formats);
    for (size_t i = 0; i < others; i++) {
        struct spool_jobs jobs = {NULL, 0};
        CLEANUP_CLOSE int spool = version_note_path(prefix, formats[i], path) == 0
                                      ? spool_open_node(path)
                                      : -ENAMETOOLONG;
        if (spool >= 0 && spool_list(spool, 0, &jobs) == 0)
            node->others_jobs += jobs.count;
        free(jobs.job);
    }
}

/* Jobs and sessions; what transports refused is in the directory "outbox" there. */
static int note_quarantine(const struct conf *conf, struct node_status *node)
{
    char path[PATH_MAX + 16];
    struct stat status;
    CLEANUP_LISTING DIR *listing = NULL;
    snprintf(path, sizeof path, "%s/quarantine", conf->state);
    int error = listing_take(directory_open(AT_FDCWD, path), &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        if (name[0] == '.' || strcmp(name, "outbox") == 0 ||
            fstatat(dirfd(listing), name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(status.st_mode))
            continue;
        node->quarantined++;
        if ((uint64_t)status.st_ctim.tv_sec > node->quarantined_last_s)
            node->quarantined_last_s = (uint64_t)status.st_ctim.tv_sec;
    }
    return error == -ENOENT ? 0 : error;
}

static int note_outbox(const struct conf *conf, struct node_status *node)
{
    CLEANUP_CLOSE int outbox = outbox_directory(conf);
    if (outbox < 0 && outbox != -ENOENT)
        return outbox;
    node->overflow = outbox < 0 ? 0 : overflow_read(outbox);
    int error = 0;
    for (size_t i = 0; i < CONF_TRANSPORTS; i++) {
        struct outbox_waiting waiting;
        int counted = outbox_waiting_read(conf, outbox, conf_transports[i].name, &waiting);
        error = error == 0 ? counted : error;
        if (counted != 0)
            continue;
        if (waiting.is_configured || waiting.batches > 0)
            node->transport[node->transport_count++] = waiting;
    }
    return error;
}

void node_status_read(const struct conf *conf, const char *name, struct node_status *node)
{
    const struct broken_flushes breaks = broken_flushes_read(conf);
    *node = (struct node_status){.broken = breaks.count, .broken_last_s = (uint64_t)breaks.last};
    note_other_versions(conf, name, node);
    node->error[PLACE_BREAKS] = breaks.error;
    node->error[PLACE_SPOOL] = note_spool(conf, name, node);
    node->error[PLACE_QUARANTINE] = note_quarantine(conf, node);
    node->error[PLACE_OUTBOX] = note_outbox(conf, node);
}
