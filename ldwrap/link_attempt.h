/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A link with what the wrapper adds to it.
 */
#ifndef JOBTRAIL_LDWRAP_LINK_ATTEMPT_H
#define JOBTRAIL_LDWRAP_LINK_ATTEMPT_H

#include "ldwrap/link_job.h"
#include "ldwrap/run_link.h"

struct link_attempt {
    struct run_link run;
    struct strings argv;
    int dependencies; /* our --dependency-file, in memory; -1: the user has one, or none is asked
                         for */
    int map;          /* our -Map, in memory, unless it goes to run.map; -1: none is asked for */
    int status;       /* wait status */
};

/* Runs the link; with `ask_inputs` the linker is asked which files it reads, unless the user asks
 * it himself. What it says is held back. Returns 0 when it has run, or -errno. link_attempt_free()
 * releases in any case. */
int link_attempt(const struct link_job *job, int ask_inputs, struct link_attempt *attempt);

/* Whether it failed because the linker is too old to know --dependency-file. */
int link_attempt_was_asked_too_much(const struct link_attempt *attempt);

/* Shows what the linker has said. */
void link_attempt_release(struct link_attempt *attempt);

/* The objects and libraries that the linker has read and that we did not add, as it names them. If
 * the user asked for a dependency file, this also takes what we added out of it. Returns 0 or
 * -errno. */
int link_attempt_inputs(const struct link_job *job, const struct link_attempt *attempt,
                        struct strings *inputs);

/* What the linker wrote for -Map, to us or to the user's file, malloc'ed; NULL where there is none.
 */
char *link_attempt_map(const struct link_job *job, struct link_attempt *attempt);

void link_attempt_free(struct link_attempt *attempt);

#endif
