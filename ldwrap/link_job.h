/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One link: what is known before it runs, and what the wrapper adds to it.
 */
#pragma once

#include <stdint.h>
#include <uuid/uuid.h>

#include "conf/conf.h"
#include "conf/library_modules.h"
#include "ldwrap/ancestors.h"
#include "ldwrap/link_line.h"
#include "ldwrap/string_list.h"

/* ---- The uuid of a link ---------------------------------------------------------------------- */

/* For reproducible builds: the same uuid, of version 5, for the same link at any place and time. It
 * is made of SOURCE_DATE_EPOCH and the linker's arguments, of which paths count by their last part
 * and compilers' temporary files not at all. Returns 0 or -ENOMEM. */
int link_uuid_reproducible(const char *source_date_epoch, const struct strings *arguments,
                           char uuid[UUID_STR_LEN]);

struct link_job {
    const char *called; /* the name that we were called by */
    const char *linker; /* the real one's path */
    int argc;
    char *const *argv;        /* of the plain link: ours, with the real linker's name */
    struct strings arguments; /* response files expanded */
    struct link_line line;
    struct ancestors ancestors;
    struct conf conf;
    struct module_map modules; /* empty: functions are not tracked */
    const char *epoch;         /* SOURCE_DATE_EPOCH, or NULL */
    char uuid[UUID_STR_LEN];
    uint64_t start_ns, end_ns;          /* since the Epoch */
    const char *program, *program_path; /* the compiler, or the linker where none called it */
    const char *wrapper;                /* the compiler's wrapper, such as mpicc; "": none */
    char host[256];
    char *cwd;
    int mark;    /* the object with the watermark, in memory; -1: none */
    int startup; /* the start-up object; -1: none */
    int profile; /* the library for profiles; -1: none */
};

/* Reads the command line and the configuration, and makes the objects that are added to the link.
 * `job` has `called`, `linker`, `argc`, `argv` and `ancestors`. Returns NULL, or the reason why the
 * plain link is to be run. link_job_free() releases in any case. */
const char *link_job_prepare(struct link_job *job);

/* The names of the user and, from the environment, of the cluster; "": unknown. */
const char *link_job_user(void);
const char *link_job_cluster(void);

void link_job_free(struct link_job *job);
