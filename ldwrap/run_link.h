/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The real linker as a child: its output held back, signals passed on to it, gone when we are
 * killed.
 */
#ifndef JOBTRAIL_LDWRAP_RUN_LINK_H
#define JOBTRAIL_LDWRAP_RUN_LINK_H

#include <stdbool.h>

#include "ldwrap/linker_output.h"

enum { RUN_LINK_INHERITED = 4 };

struct run_link {
    const char *path; /* of the program */
    char *const *argv;
    void (*meanwhile)(void);           /* called once while it runs */
    int inherited[RUN_LINK_INHERITED]; /* descriptors that are open in the child; -1: none */
    struct linker_output output;       /* stdout; and stderr, where both are one file */
    struct linker_output errors;       /* stderr */
    struct linker_output map;          /* -Map, where one is wanted; or not open */
};

/* Whether the two standard streams are one file, so that the order of what is written counts. */
bool run_link_is_one_stream(void);

/* Runs it to its end. Returns 0 and its wait status, or -errno where it could not be started. */
int run_link(struct run_link *run, int *status);

/* Ends this process by the signal `number`, as the linker was. */
_Noreturn void run_link_die(int number);

#endif
