/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs the real linker as a child: its output is kept, signals are passed on to it, and it is
 * killed when we are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* ---- What the linker writes to our pipe ------------------------------------------------------ */

/* What the linker writes to a pipe, kept until it is known whether it is to be shown. */

struct linker_output {
    int read_fd;      /* of the pipe, does not block; -1: not in use, or at its end */
    int write_fd;     /* of the pipe, until the linker has it; -1: none */
    int target_fd;    /* where it is shown; -1: nowhere */
    size_t limit;     /* bytes that are kept; with more, all is written to target_fd at once */
    bool is_released; /* nothing is kept any more */
    char *bytes;
    size_t size, room;
};

/* Opens a pipe, with descriptors of 200 and above (descriptor_numbers.h). Returns 0 or -errno. */
int output_open(struct linker_output *output, int target_fd, size_t limit);

/* Writes what was kept to target_fd; later output is written there at once. */
void output_release(struct linker_output *output);

void output_close(struct linker_output *output);

enum { RUN_LINK_INHERITED = 5 };

struct run_link {
    const char *path; /* of the program */
    char *const *argv;
    int inherited[RUN_LINK_INHERITED]; /* descriptors that are open in the child; -1: none */
    struct linker_output output;       /* stdout; and stderr, where both are one file */
    struct linker_output errors;       /* stderr */
    struct linker_output map;          /* -Map, where one is wanted; or not open */
};

/* Whether stdout and stderr are the same file, so that the order of both must be kept. */
bool run_link_is_one_stream(void);

/* Runs it and waits for its end. Returns 0 and its wait status, or -errno: it did not start. */
int run_link(struct run_link *run, int *status);

/* Whether the linker was ended by a signal from outside: then the link is not run again. */
bool run_link_is_ended(int status);

/* Ends this process by the signal `number`, as the linker was. */
_Noreturn void run_link_die(int number);
