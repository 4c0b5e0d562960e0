/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who did something to a library's file, as far as the watch (jobtrail-libmon(8)) has seen it.
 *
 * The facts are those of the process when its event was read; if it had ended, they are unknown.
 * The login user is the one of loginuid (audit): the person who logged in, also behind sudo and su.
 * Some systems do not set it. There users can choose it, since a process that has none may set any,
 * once. So it is left out for processes of jobs.
 */
#pragma once

#include <stdint.h>

enum {
    LIBRARY_COMMAND_SIZE = 64,  /* of proc(5)'s comm, with room for bytes beyond its 15 */
    LIBRARY_PROGRAM_SIZE = 256, /* of a path; a longer one is cut at its front */
    LIBRARY_EVENT_SIZE = 64,
};

enum library_who_how {
    LIBRARY_WHO_NOT_WATCHED,  /* nobody looked: the change was found by a scan alone */
    LIBRARY_WHO_UNKNOWN,      /* it was watched, and the process was gone, or events were lost */
    LIBRARY_WHO_BY_FILE,      /* an event of the file itself */
    LIBRARY_WHO_BY_DIRECTORY, /* an event of a directory above: the file came or went with it, or
                                 before the directory was watched */
};

#define LIBRARY_NO_USER UINT32_MAX
#define LIBRARY_NO_JOB  UINT32_MAX

/* {0} is LIBRARY_WHO_NOT_WATCHED. All below `how` holds for the last two of it alone. */
struct library_who {
    enum library_who_how how;
    uint32_t uid;                       /* real, of the process; the effective one of root's */
    uint32_t login_uid;                 /* LIBRARY_NO_USER: not set */
    uint32_t job, step;                 /* of Slurm; LIBRARY_NO_JOB: in none, or not known */
    uint32_t others;                    /* how many events of other users the file had before */
    int32_t pid;                        /* as this host numbers it */
    int32_t session;                    /* of the process: setsid(2) */
    uint64_t session_ticks;             /* from boot to the start of its leader; 0: that is gone */
    int64_t time_s;                     /* of the last event, since the Epoch */
    char command[LIBRARY_COMMAND_SIZE]; /* any bytes but NUL; its user chooses them */
    char program[LIBRARY_PROGRAM_SIZE]; /* path of the executable; "": not known */
    char event[LIBRARY_EVENT_SIZE];     /* the same for all changes of one installation: of one
                                           user in one session (watch/library_watch.h); "": none */
};
