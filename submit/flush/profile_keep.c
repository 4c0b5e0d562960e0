/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/as_user.h"
#include "conf/base/cleanup.h"
#include "conf/base/replacement.h"
#include "conf/base/trusted.h"
#include "preload/profile/profile_file.h"
#include "submit/job/spool_read.h"
#include "submit/profile/profile_collect.h"
#include "submit/profile/set_file.h"
#include "submit/profile/symbol_names.h"
#include "submit/profile/tick_scale.h"

struct keeping {
    const struct conf *conf;
    const struct journal *journal;
    struct profile_pair now;
    char boot[64];
    int from, to;
};

struct naming {
    const struct journal *journal;
    struct symbol_names names;
};

static const char *name(void *context, const struct profiled_object *object, uint64_t address)
{
    struct naming *naming = context;
    return symbol_name(&naming->names, object, address);
}

/* Slurm has waited for the task: the time is root's. Of its other processes nothing is known here.
 */
static uint64_t end_ns(void *context, const struct profiled_process *process)
{
    const struct naming *naming = context;
    for (size_t i = 0; i < naming->journal->task_count; i++) {
        const struct journal_task *task = &naming->journal->tasks[i];
        if (task->step == process->step && task->task == process->task && task->pid == process->pid)
            return task->end_ns;
    }
    return 0;
}

/* In the child, as the user. */
static int collect(const void *context)
{
    const struct keeping *keeping = context;
    struct naming naming = {.journal = keeping->journal, .names = {.debug = SYMBOL_NAMES_DEBUG}};
    struct collect_facts facts = {.node = keeping->journal->identity.node,
                                  .end_ns = end_ns,
                                  .name = name,
                                  .context = &naming};
    struct profile_content content;
    struct profile_set set;
    int error = profile_read(keeping->from, keeping->conf->profile_bytes, &content);
    if (error != 0)
        return error;
    if (strcmp(keeping->boot, content.header.boot) == 0)
        facts.now = &keeping->now;
    error = profile_set_begin(&set);
    if (error == 0)
        error = profile_collect(&content, &facts, &set);
    if (error == 0 && set.rank_count > 0)
        error = set_file_write(keeping->to, &set);
    return error; /* the process ends */
}

/* Root's file of this name, empty, in the directory; the user gets it. */
static int open_kept(int place, const char *file, const struct journal *journal)
{
    int fd = replacement_open(place, file);
    if (fd < 0 || fchown(fd, journal->identity.uid, journal->identity.gid) == 0)
        return fd;
    int error = -errno;
    error = replacement_end(place, file, fd, 0600, error);
    close(fd);
    return error;
}

int profile_keep(const struct conf *conf, const struct journal *journal, int directory)
{
    char culprit[PATH_MAX], file[NAME_MAX + 1];
    if (conf->profile_directory[0] == '\0')
        return 0;
    CLEANUP_CLOSE int from = spool_open_users(directory, PROFILE_NAME, journal->identity.uid);
    if (from < 0)
        return from == -ENOENT ? 0 : from;
    CLEANUP_CLOSE int place =
        trusted_directory(conf->profile_directory, TRUSTED_ALONE, culprit, sizeof culprit);
    if (place < 0)
        return place;
    snprintf(file, sizeof file, "%" PRIu32 ".%" PRIu32 ".%s.profile", journal->identity.job,
             journal->identity.restart, journal->identity.node);
    CLEANUP_CLOSE int to = open_kept(place, file, journal);
    if (to < 0)
        return to;
    struct keeping keeping = {
        .conf = conf, .journal = journal, .now = tick_now(), .from = from, .to = to};
    tick_boot(keeping.boot);
    const struct as_user_order order = {.uid = journal->identity.uid,
                                        .gid = journal->identity.gid,
                                        .keep = {from, to},
                                        .act = collect,
                                        .context = &keeping};
    int error = as_user(&order);
    if (error == 0 && lseek(to, 0, SEEK_END) == 0)
        error = -ENODATA; /* no process has called a function: there is nothing to keep */
    error = replacement_end(place, file, to, 0600, error);
    return error == -ENODATA ? 0 : error;
}
