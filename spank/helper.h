/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs one of our programs from Slurm's daemons with a bounded wait, so that no program can hold up
 * a daemon.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct helper_result {
    int status;        /* as wait(2) gives it; valid when finished */
    bool is_finished;  /* false: it still ran when the time was up, and continues on its own */
    char message[512]; /* the start of its stderr, without a trailing newline */
};

/* Runs `argv` (argv[0] an absolute path) in a session of its own, with an empty environment but
 * PATH and LANG, stdin and stdout on /dev/null; waits `timeout_s` seconds at the most. Returns 0,
 * or -errno when it could not be started. */
int helper_run(const char *const argv[], unsigned timeout_s, struct helper_result *result);

/* Why a program that has ended did not do its work: what it said, and how it ended where it said
 * nothing or a signal ended it. The text is cut to `size` bytes. */
void helper_why(const struct helper_result *result, char *text, size_t size);

/* The path that this plugin was loaded by; NULL where that is not known. */
const char *plugin_path(void);

/* The absolute path of our program `name`, found from where this plugin lies, into `size` bytes
 * at `path`. Returns 0 or -errno. */
int helper_path(const char *name, char *path, size_t size);
