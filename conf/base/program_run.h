/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What a program has printed, and how it ended. */
struct program_result {
    char *text;          /* its stdout, with a NUL behind `size` bytes; owned */
    size_t size;         /* at most PROGRAM_TEXT_MAX: the rest is read and dropped */
    char complaint[256]; /* the last line of its stderr, printable; "": none */
    int status;          /* as wait(2) gives it */
};

enum { PROGRAM_TEXT_MAX = 16 << 20 };

/* Runs argv[0], which is looked for in PATH, with /dev/null as stdin, in a session of its own,
 * and waits for it. So a program that gets another user, as by runuser(1), cannot open our
 * terminal. `environment` NULL: this process's own. After `timeout_ms` milliseconds its process
 * group is killed. Returns 0 and fills `*result`, which program_result_free() releases; -ETIMEDOUT
 * after a kill; or -errno where it could not be started. */
int program_run(const char *const argv[], char *const environment[], unsigned timeout_ms,
                struct program_result *result);

/* The same, but what it prints goes to `take` in parts, as it comes, and result->text is empty.
 * While nothing comes it gets empty parts. What `take` returns other than 0, a -errno, ends the
 * program, and is returned. */
int program_run_taking(const char *const argv[], char *const environment[], unsigned timeout_ms,
                       int (*take)(void *context, const char *bytes, size_t size), void *context,
                       struct program_result *result);

void program_result_free(struct program_result *result);

#define CLEANUP_PROGRAM __attribute__((cleanup(program_result_free)))

/* ---- Where this program is ------------------------------------------------------------------- */

/* Where this program is: what was installed together with it lies as far from it as it did then. */

/* The path of `from_program`, which leads from the directory of this program's file. Returns false
 * where that is not known or the path has no room; whether there is a file is not looked at. */
bool program_place(const char *from_program, char *path, size_t size);
