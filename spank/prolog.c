/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/prolog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/host.h"
#include "conf/base/process.h"
#include "conf/policy/policy.h"
#include "spank/elder.h"
#include "spank/epilog_note.h"
#include "spank/job_sluid.h"
#include "spank/journal_line.h"
#include "spank/options.h"
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
    int spool = spool_enter(&run, &line);
    if (spool < 0)
        return; /* the steps report it, since they need the directory too */
    elder_note_spool(settings);
    char name[SPOOL_NAME_MAX];
    spool_name(job, restart, name);
    job_sluid_note(spool, name, getenv("SLURM_JOB_SLUID"));
    if ((settings->switches & POLICY_OPT_OUT) && options_job_is_opted_out())
        spool_mark(spool, SPOOL_JOB_OPTED_OUT);
    close(spool);
}

int prolog_was_noted(int spool)
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
