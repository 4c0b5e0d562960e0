/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/spool_job.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/host.h"
#include "conf/base/process.h"
#include "spank/journal.h"
#include "submit/job/spool_read.h"
#include "submit/job/suspension.h"

bool job_is_alive(const struct journal *journal)
{
    for (size_t i = 0; i < journal->step_count; i++) {
        const struct journal_step *step = &journal->steps[i];
        if (step->end_ns == 0 && process_alive(step->pid, step->ticks))
            return true;
    }
    for (size_t i = 0; i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        if (task->end_ns == 0 && process_alive(task->pid, task->ticks))
            return true;
    }
    return false;
}

/* Where Slurm calls neither the plugin's prolog nor its epilog (PrologFlags=RunInJob), the job's
 * extern step is the last one on a node: the latest time in the journal is that of the epilog. */
static void job_over_find(struct journal *journal)
{
    if (journal->prolog_ns == 0 && journal->epilog_ns == 0 && journal->reboot_ns == 0 &&
        journal_find_step(journal, JOURNAL_STEP_EXTERN) != NULL && !job_is_alive(journal))
        journal->epilog_ns = journal->last_ns;
}

/* The journal has when a job was seen suspended first; where it does not go on, the last look tells
 * how long that was so at the least. */
static void pause_extend(int directory, struct journal *journal)
{
    const struct suspension last = suspension_read(directory);
    struct journal_pause *pause =
        journal->pause_count == 0 ? NULL : &journal->pauses[journal->pause_count - 1];
    if (pause != NULL && last.is_suspended && last.time_ns > pause->end_ns &&
        last.time_ns <= pause->may_end_ns)
        pause->end_ns = last.time_ns;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool is_other_boot(const char *boot)
{
    char text[HOST_BOOT_SIZE];
    host_boot(text);
    return text[0] != '\0' && boot[0] != '\0' && strcmp(text, boot) != 0;
}

/* Whether the node was booted since: then no process of the job is left, and its epilog will not
 * run. Sets the time by which the boot must have ended the job. It stays 0 where the kernel's
 * boot_id (random(4)) is the one in the journal, or one of the two is unknown. */
static void reboot_find(struct journal *journal)
{
    if (!is_other_boot(journal->boot))
        return;
    uint64_t now = clock_ns(CLOCK_REALTIME);
    uint64_t booted = now - clock_ns(CLOCK_BOOTTIME);
    /* the clock may have been set since: the boot can then seem earlier than the job */
    journal->reboot_ns = booted > journal->last_ns ? booted : now;
    journal->is_clock_known = false; /* the last line may be of a later boot than the first */
}

int spool_job_journal(int directory, struct journal *journal)
{
    struct stat status;
    CLEANUP_CLOSE int fd = spool_open_file(directory, JOURNAL_NAME);
    if (fd < 0)
        return fd == -ENOENT ? -ENODATA : fd;
    int error = journal_read(fd, journal);
    if (error != 0)
        return error;
    if (fstatat(directory, JOURNAL_LEFT_OUT, &status, AT_SYMLINK_NOFOLLOW) == 0)
        journal->left_out = (uint64_t)status.st_size; /* one byte for each line */
    if ((error = job_identity_name_user(&journal->identity)) != 0) {
        journal_free(journal);
        return error;
    }
    pause_extend(directory, journal);
    reboot_find(journal);
    job_over_find(journal);
    return 0;
}
