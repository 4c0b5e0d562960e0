/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether this process is tracked: the same checks as XALT's, in the same order, the cheap ones
 * first.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "conf/policy/policy_read.h"
#include "preload/exec_path.h"
#include "preload/image.h"
#include "preload/switches.h"

/* ---- Files that arguments name --------------------------------------------------------------- */

/* The file that an argument names, for the rules in [arguments]. XALT matches the real path of such
 * a file (track_executable() in src/tmpl/xalt_track_executable_parser.template of XALT 3.2.4). */

/* policy_files.walk: three system calls where there is such a file, one where there is none. The
 * file is not opened for reading. */
uint32_t argument_walk(const struct policy_files *files, const struct policy_table *table,
                       uint32_t state, const char *argument);

/* The result, with the reason for people who trace it. */
struct decision {
    int track;
    int pkgs;      /* the deciding rule is `pkgs` */
    int runtime;   /* ... `runtime`; known where it is not tracked, too */
    uint32_t line; /* of the deciding rule in jobtrail.conf; 0: none, or a built-in one */
    const char *why;
};

/* By the environment alone: whether the library is switched on, and this is the rank that records.
 * Opens no file. */
struct decision decide_by_switches(const struct switches *switches);

/* A compiled policy, mapped. */
struct decide_policy {
    void *base;
    size_t size;
    uint64_t identity; /* another file, or another content, has another one */
};

/* Maps the policy file `path` for a process of the user `user`. Returns 1, or 0 when there is none
 * that this library can read, or when users other than root and this one can change it. It stays
 * mapped, read-only: to take it away costs more than to leave it. */
int decide_map(const char *path, uint32_t user, struct decide_policy *policy);

/* By the switches, and the policy: its rules for hosts, for programs with and without MPI, and for
 * executables. slurmstepd is never tracked. */
struct decision decide_by_policy(const struct decide_policy *policy,
                                 const struct switches *switches, const struct image *image,
                                 const struct exec_path *path);
