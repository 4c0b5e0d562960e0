/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running one of our programs from Slurm's daemons, with a bounded wait: the daemon goes on
 * whatever the program does.
 */
#ifndef JOBTRAIL_HELPER_H
#define JOBTRAIL_HELPER_H

#include <stddef.h>

struct helper_result {
    int status;        /* as wait(2) gives it; valid when finished */
    int finished;      /* 0: still running when the time was up, left to itself */
    char message[512]; /* the start of what it said on stderr, without a trailing newline */
};

/* Runs `argv` (argv[0] an absolute path) in a session of its own, with an empty environment but
 * PATH and LANG, stdin and stdout on /dev/null; waits `timeout_s` seconds at the most. Returns 0,
 * or -errno when it could not be started. */
int helper_run(char *const argv[], unsigned timeout_s, struct helper_result *result);

/* The absolute path of our program `name`, found from where this plugin lies, into `size` bytes
 * at `path`. Returns 0 or -errno. */
int helper_path(const char *name, char *path, size_t size);

#endif
