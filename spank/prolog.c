/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/prolog.h"

#include <errno.h>
#include <fcntl.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/host.h"
#include "conf/base/process.h"
#include "conf/policy/policy.h"
#include "spank/elder.h"
#include "spank/epilog_note.h"
#include "spank/helper.h"
#include "spank/job_sluid.h"
#include "spank/journal.h"
#include "spank/spool.h"
#include "spank/spool_path.h"

void node_add(struct journal_line *line)
{
    char boot[HOST_BOOT_SIZE];
    journal_text(line, "node", host_node());
    host_boot(boot);
    if (boot[0] != '\0')
        journal_text(line, "boot", boot);
}

unsigned long long node_start_ticks(pid_t pid)
{
    struct process_stat stat;
    return process_stat_read(pid, &stat) == 0 ? stat.start_ticks : 0;
}

void prolog_note(const struct settings *settings, uint32_t job, uid_t uid, gid_t gid)
{
    struct journal_line line;
    uint32_t restart = credential_restart();
    const struct spool_run run = {.spool = settings->spool,
                                  .job = job,
                                  .restart = restart,
                                  .uid = uid,
                                  .mount = settings_mount(settings),
                                  .user_bytes = settings->ledger_bytes + settings->profile_bytes};
    journal_start(&line, "prolog");
    journal_number(&line, "job", job);
    journal_number(&line, "restart", restart);
    journal_number(&line, "uid", uid);
    journal_number(&line, "gid", gid);
    node_add(&line);
    credential_add(&line);
    spool_note_restart(run.spool, job, uid, 0);
    int spool = spool_enter(&run, &line);
    if (spool < 0)
        return; /* the steps report it, since they need the directory too */
    elder_note_spool(settings);
    char name[SPOOL_NAME_MAX];
    spool_name(job, restart, name);
    job_sluid_note(spool, name, getenv("SLURM_JOB_SLUID"));
    /* of options_tell_prolog(): a claim of the user's about their own job */
    if ((settings->switches & POLICY_OPT_OUT) && getenv("SPANK_JOBTRAIL_OPTED_OUT") != NULL)
        spool_mark(spool, SPOOL_JOB_OPTED_OUT);
    close(spool);
}

/* Whether the journal in the directory open at `spool` begins with the line of prolog_note(). Then
 * Slurm has called the SPANK prolog for this run, and will call the SPANK epilog.
 * Returns 1, 0 or -errno. */
static int prolog_was_noted(int spool)
{
    const char verb[] = JOB_FORMATS_MARK "prolog ";
    char start[sizeof verb - 1] = "";
    int fd = openat(spool, JOURNAL_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    ssize_t got = pread(fd, start, sizeof start, 0);
    close(fd);
    return got == (ssize_t)sizeof start && memcmp(start, verb, sizeof start) == 0;
}

/* ---- The end of a job ------------------------------------------------------------------------ */

void epilog_flush(const struct settings *settings, uint32_t job, bool is_over)
{
    char id[16];
    struct helper_result result = {0};
    char why[sizeof result.message + 64];
    snprintf(id, sizeof id, "%u", job);
    const char *const argv[] = {settings->submit,
                                "flush",
                                "--conf",
                                settings->conf,
                                "--node",
                                host_node(),
                                "--job",
                                id,
                                is_over ? NULL : "--orphans",
                                NULL};
    int error = helper_run(argv, settings->epilog_timeout_s, &result);
    helper_why(&result, why, sizeof why);
    /* of a job that still runs the flush says nothing */
    bool is_failure =
        result.status != 0 && (is_over || result.message[0] != '\0' || WIFSIGNALED(result.status));
    if (error != 0)
        slurm_info("jobtrail: job %u: cannot run %s: %s", job, settings->submit, strerror(-error));
    else if (!result.is_finished)
        slurm_info("jobtrail: job %u: the flush goes on after %u s", job,
                   settings->epilog_timeout_s);
    else if (is_failure)
        slurm_info("jobtrail: job %u: the flush failed: %s", job, why);
    else if (result.message[0] != '\0')
        slurm_info("jobtrail: job %u: %s", job, result.message);
}

/* Steps may end in any order (measured, 22.05: a cancelled job's extern step ends first). Each step
 * writes its end into the journal before it comes here. So the flush that the last step starts
 * finds the ends of all. */
int epilog_after_step(const struct settings *settings, uint32_t job, uint32_t step, int spool)
{
    int noted = prolog_was_noted(spool);
    if (noted != 0)
        return noted < 0 && noted != -ENOENT ? noted : 0; /* it is flushed already */
    int error = step == JOURNAL_STEP_EXTERN ? spool_mark(spool, SPOOL_EXTERN_ENDED) : 0;
    if (error == 0 && faccessat(spool, SPOOL_EXTERN_ENDED, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        epilog_flush(settings, job, false);
    return error;
}
