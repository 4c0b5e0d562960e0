/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/ended_in_slurm.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/program_run.h"
#include "spank/journal.h"
#include "spank/spool_path.h"
#include "submit/job/spool_job.h"

enum { SQUEUE_MS = 10000 };

/* Those in which a job may still have an epilog to come. A job with a flag, as CONFIGURING or
 * COMPLETING, has one of these states, or the name of the flag is here. */
#define STATES "--states=PENDING,RUNNING,SUSPENDED,COMPLETING,CONFIGURING"

static bool is_time_to_ask(int directory)
{
    struct stat journal, asked;
    if (fstatat(directory, JOURNAL_NAME, &journal, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (fstatat(directory, SPOOL_ASKED, &asked, AT_SYMLINK_NOFOLLOW) != 0 ||
        asked.st_mtim.tv_sec < journal.st_mtim.tv_sec)
        return true;
    return time(NULL) - asked.st_mtim.tv_sec >= asked.st_mtim.tv_sec - journal.st_mtim.tv_sec;
}

static bool make_file(int directory, const char *name)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool is_made = fd >= 0 && futimens(fd, NULL) == 0;
    if (fd >= 0)
        close(fd);
    return is_made;
}

static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    while (*text != '\0') {
        size_t end = strcspn(text, "\n");
        if (end == length && memcmp(text, line, length) == 0)
            return true;
        text += end + (text[end] == '\n');
    }
    return false;
}

/* The jobs of one user are a small answer, and a good one where the job is not known any more: of a
 * single job that the controller has forgotten squeue says the same as of any trouble. The
 * environment is that of the epilog or of a timer, of which squeue takes what finds the cluster. */
static bool is_in_queue(uint32_t job, uint32_t uid, bool *is_known)
{
    char user[32], id[16], path[8192], conf[4096];
    const char *own_path = getenv("PATH"), *own_conf = getenv("SLURM_CONF");
    const char *const argv[] = {"squeue", "--noheader", "--format=%A", STATES, user, NULL};
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    snprintf(user, sizeof user, "--user=%u", (unsigned)uid);
    snprintf(id, sizeof id, "%u", (unsigned)job);
    snprintf(path, sizeof path, "PATH=%s", own_path == NULL ? "/usr/bin:/bin" : own_path);
    snprintf(conf, sizeof conf, "SLURM_CONF=%s", own_conf == NULL ? "" : own_conf);
    char *environment[] = {path, own_conf == NULL ? NULL : conf, NULL};
    *is_known = program_run(argv, environment, SQUEUE_MS, &result) == 0 && result.status == 0;
    return *is_known && has_line(result.text, id);
}

bool ended_in_slurm(int directory, const struct journal *journal)
{
    bool is_known;
    const struct job_identity *identity = &journal->identity;
    if (!spool_job_is_quiet(directory, journal) || !is_time_to_ask(directory) ||
        !make_file(directory, SPOOL_ASKED))
        return false;
    bool is_over = !is_in_queue(identity->job, identity->uid, &is_known) && is_known;
    return is_over && make_file(directory, SPOOL_OVER);
}
