/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/spool_job.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "spank/journal.h"
#include "submit/job/job_over.h"
#include "submit/job/reboot.h"
#include "submit/job/spool_read.h"

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
    reboot_find(journal);
    job_over_find(journal);
    return 0;
}
