/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/kept_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/replacement.h"
#include "spank/journal.h"
#include "submit/record/record.h"

void kept_file_ending(enum kept_kind kind, uint32_t rank, char ending[32])
{
    switch (kind) {
    case KEPT_SET:
        strcpy(ending, KEPT_SET_ENDING);
        return;
    case KEPT_SUMMARY:
        strcpy(ending, ".log");
        return;
    case KEPT_LOG:
        snprintf(ending, 32, "_%" PRIu32 ".log", rank);
        return;
    case KEPT_SAMPLES:
        snprintf(ending, 32, "_%" PRIu32 ".vfd", rank);
    }
}

int kept_file_name(const struct job_identity *job, uint32_t step, const char *node,
                   const char *ending, char name[NAME_MAX + 1])
{
    char text[16];
    journal_step_text(step, text, sizeof text);
    int length = snprintf(name, NAME_MAX + 1, "%" PRIu32 ".%" PRIu32 ".%s%s%s%s", job->job,
                          job->restart, text, node[0] == '\0' ? "" : ".", node, ending);
    return length < 0 || length > NAME_MAX ? -ENAMETOOLONG : 0;
}

int kept_file_begin(struct kept_file *file)
{
    int fd = replacement_open(file->place, file->name);
    if (fd < 0)
        return fd;
    file->fd = fd;
    return 0;
}

/* It becomes the user's last: of what a killed flush has left, the next one uses root's alone. */
int kept_file_end(struct kept_file *file, const struct job_identity *job, int error)
{
    if (file->fd < 0)
        return error;
    error = replacement_end(file->place, file->name, file->fd, 0600, error);
    if (error == 0 && fchown(file->fd, job->uid, job->gid) != 0) {
        error = -errno;
        unlinkat(file->place, file->name, 0);
    }
    close(file->fd);
    file->fd = -1;
    return error;
}
