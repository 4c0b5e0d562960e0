/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/spool_job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/host.h"
#include "conf/base/io.h"
#include "conf/base/process.h"
#include "spank/journal.h"
#include "spank/spool_path.h"
#include "submit/job/spool_read.h"

struct suspension suspension_read(int directory)
{
    char text[64], word[16], end;
    struct suspension found = {.time_ns = 0};
    io_read_text(directory, SUSPENSION_NAME, text, sizeof text);
    if (sscanf(text, "%15s %20" SCNu64 "%c", word, &found.time_ns, &end) != 3 || end != '\n')
        return (struct suspension){.time_ns = 0};
    found.is_suspended = strcmp(word, "suspended") == 0;
    return found.is_suspended || strcmp(word, "running") == 0 ? found
                                                              : (struct suspension){.time_ns = 0};
}

int suspension_write(int directory, const struct suspension *suspension)
{
    char text[64];
    CLEANUP_CLOSE int fd = openat(directory, SUSPENSION_NAME,
                                  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int length = snprintf(text, sizeof text, "%s %" PRIu64 "\n",
                          suspension->is_suspended ? "suspended" : "running", suspension->time_ns);
    return fd < 0 ? -errno : io_write_all(fd, text, (size_t)length);
}

/* Whether this process sees what the daemon of the job's extern step sees: all processes of the
 * job. That daemon is in slurmd's pid namespace. Those of other steps may be in one of the job's
 * own below it (namespace/linux, from Slurm 25.11 on). */
static bool sees_all(const struct journal *journal, uint64_t own)
{
    const struct journal_step *step = journal_find_step(journal, JOURNAL_STEP_EXTERN);
    return step != NULL && (step->name_space == 0 || step->name_space == own);
}

/* Of the daemon or a task of a step. A process that cannot be seen from here is taken to live. */
static bool is_alive(const struct journal *journal, const struct journal_step *step, int32_t pid,
                     uint64_t ticks)
{
    uint64_t own = name_space_of_pids(), of_step = step == NULL ? 0 : step->name_space;
    if (of_step == 0 || of_step == own)
        return process_alive(pid, ticks);
    if (own != NAME_SPACE_FIRST && !sees_all(journal, own))
        return true;
    return process_alive_inside(pid, ticks, 0) ||
           process_alive_inside(pid, ticks, journal->identity.uid);
}

bool job_is_alive(const struct journal *journal)
{
    for (size_t i = 0; i < journal->step_count; i++) {
        const struct journal_step *step = &journal->steps[i];
        if (step->end_ns == 0 && is_alive(journal, step, step->pid, step->ticks))
            return true;
    }
    for (size_t i = 0; i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        if (task->end_ns == 0 &&
            is_alive(journal, journal_find_step(journal, task->step), task->pid, task->ticks))
            return true;
    }
    return false;
}

bool spool_job_is_quiet(int directory, const struct journal *journal)
{
    struct stat status;
    return journal->epilog_ns == 0 && journal->reboot_ns == 0 &&
           fstatat(directory, JOURNAL_NAME, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           status.st_mtim.tv_sec + JOB_QUIET_S <= time(NULL) && !job_is_alive(journal);
}

/* Where Slurm calls neither the plugin's prolog nor its epilog (PrologFlags=RunInJob), the job's
 * extern step is the last one on a node. The extern step may have been another version's, and the
 * job's end is marked then; so it is where Slurm, which was asked, calls no epilog. The latest time
 * in the journal is that of the epilog: when the allocation ended is not known. A pid namespace of
 * a job's own does not tell. */
static void job_over_find(int directory, struct journal *journal)
{
    bool is_over = (journal->prolog_ns == 0 && sees_all(journal, name_space_of_pids())) ||
                   faccessat(directory, SPOOL_OVER, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_over && journal->epilog_ns == 0 && journal->reboot_ns == 0 && !job_is_alive(journal))
        journal->epilog_ns = journal->last_ns;
}

/* Whether the node was booted since: then no process of the job is left, and its epilog will not
 * run. Sets the time by which the boot must have ended the job. It stays 0 where the kernel's
 * boot_id (random(4)) is the one in the journal, or one of the two is unknown. */
static void reboot_find(struct journal *journal)
{
    char boot[HOST_BOOT_SIZE];
    host_boot(boot);
    if (boot[0] == '\0' || journal->boot[0] == '\0' || strcmp(boot, journal->boot) == 0)
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
    /* The journal has when a job was seen suspended first; where it does not go on, the last look
     * tells how long that was so at the least. */
    const struct suspension last = suspension_read(directory);
    struct journal_pause *pause =
        journal->pause_count == 0 ? NULL : &journal->pauses[journal->pause_count - 1];
    if (pause != NULL && last.is_suspended && last.time_ns > pause->end_ns &&
        last.time_ns <= pause->may_end_ns)
        pause->end_ns = last.time_ns;
    reboot_find(journal);
    job_over_find(directory, journal);
    return 0;
}
