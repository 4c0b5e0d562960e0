/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/epilog.h"

#include <errno.h>
#include <fcntl.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/host.h"
#include "spank/helper.h"
#include "spank/journal.h"
#include "spank/prolog.h"
#include "spank/spool.h"
#include "spank/spool_path.h"

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
