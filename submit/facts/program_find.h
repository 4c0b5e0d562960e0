/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The program that a task was to run, as it lies on disk after the job: what the library could do
 * in it. To be asked as the job's user.
 */
#ifndef JOBTRAIL_PROGRAM_FIND_H
#define JOBTRAIL_PROGRAM_FIND_H

#include <limits.h>
#include <sys/types.h>

#include "submit/job/journal_read.h"

enum program_kind {
    PROGRAM_UNKNOWN,    /* cannot be read, or is no ELF file */
    PROGRAM_MISSING,    /* there is no such file now */
    PROGRAM_DYNAMIC,    /* loaded by a dynamic loader */
    PROGRAM_STATIC,     /* no dynamic loader, so that nothing can be preloaded */
    PROGRAM_PRIVILEGED, /* set-user-id and the like: the loader ignores the environment */
};

struct program {
    enum program_kind kind;
    char path[PATH_MAX]; /* real; of a script's interpreter; as asked for where there is none */
};

/* Looks up what `asked` names for the user `uid` of the group `gid`. */
void program_find(const struct journal_program *asked, uid_t uid, gid_t gid,
                  struct program *program);

#endif
