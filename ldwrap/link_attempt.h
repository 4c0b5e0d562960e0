/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One run of the real linker, with what the wrapper adds to the link.
 */
#pragma once

#include <stdbool.h>

#include "ldwrap/link_job.h"
#include "ldwrap/run_link.h"
#include "ldwrap/string_list.h"

/* ---- Dependency files ------------------------------------------------------------------------ */

/* The file that a linker writes for --dependency-file: a rule "OUTPUT: INPUT...", and then a line
 * "INPUT:" for each input. lld writes a backslash before blanks and '#', and doubles '$'; the other
 * linkers escape nothing. */

/* Adds the inputs to `inputs`, with duplicates. Returns 0 or -ENOMEM. */
int dependency_file_read(const char *text, struct strings *inputs);

/* Removes the file `name`, which has no byte that is escaped, from `text`, in place. The result is
 * what the linker would have written without this input. Returns whether it was there. */
bool dependency_file_remove(char *text, const char *name);

/* What the linker has read, except for ours and for linker scripts. */
struct link_inputs {
    struct strings libraries; /* shared ones and archives, as the linker names them, each once */
    size_t objects;           /* how many objects */
};

struct link_attempt {
    struct run_link run;
    struct strings argv;
    int dependencies; /* our --dependency-file, in memory; -1: the user has one, or wants none */
    int map;          /* our -Map, in memory, unless it goes to run.map; -1: none is wanted */
    int status;       /* as wait(2) gives it */
};

#define CLEANUP_ATTEMPT __attribute__((cleanup(link_attempt_free)))

/* Runs the link. With `ask_inputs` the linker is asked which files it reads, unless the user asks
 * for that too. Its messages are kept. Returns 0 when it has run, or -errno. link_attempt_free()
 * releases in any case. */
int link_attempt(const struct link_job *job, bool ask_inputs, struct link_attempt *attempt);

/* Whether it failed because the linker is too old to know --dependency-file. */
bool link_attempt_lacks_option(const struct link_attempt *attempt);

/* Shows the linker's messages. */
void link_attempt_release(struct link_attempt *attempt);

/* Finds what the linker has read, into `*inputs`, which is empty; the caller frees the list. Where
 * the user asked for a dependency file, that loses our objects. Returns 0 or -errno. */
int link_attempt_inputs(const struct link_job *job, const struct link_attempt *attempt,
                        struct link_inputs *inputs);

/* The text that the linker wrote for -Map, to us or to the user's file, malloc'ed; NULL: none. */
char *link_attempt_map(const struct link_job *job, struct link_attempt *attempt);

void link_attempt_free(struct link_attempt *attempt);
