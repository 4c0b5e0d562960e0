/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The program that a task was to run, as its file is after the job: whether the library can have
 * been preloaded into it. To be called as the job's user.
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
    char path[PATH_MAX]; /* real; a script's interpreter; as program_asked_for() where there is none
                          */
};

/* Puts the path that `launched` names into `path`: absolute where the journal tells from where.
 * What is looked for in PATH stays a name; "" where it is too long. */
void program_asked_for(const struct journal_program *launched, char path[PATH_MAX]);

/* Finds the program that `launched` names, for the user `uid` of the group `gid`. */
void program_find(const struct journal_program *launched, uid_t uid, gid_t gid,
                  struct program *program);

#endif
