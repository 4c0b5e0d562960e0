/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether this process is tracked: XALT's questions in XALT's order, the cheap ones first.
 */
#ifndef JOBTRAIL_DECIDE_H
#define JOBTRAIL_DECIDE_H

#include <stddef.h>
#include <stdint.h>

#include "preload/exec_path.h"
#include "preload/image.h"
#include "preload/switches.h"

/* An answer, with the reason in an administrator's words. */
struct decision {
    int track;
    int pkgs;      /* the deciding rule is `pkgs` */
    uint32_t line; /* of the deciding rule in jobtrail.conf; 0: none, or a built-in one */
    const char *why;
};

/* What the environment alone says: the library is switched on, and this is the rank that records.
 * Opens no file. */
struct decision decide_by_switches(const struct switches *switches);

/* A compiled policy, mapped. */
struct decide_policy {
    void *base;
    size_t size;
};

/* Maps the policy file `path` for a process of the user `user`. Returns 1, or 0 when there is none
 * that this library can read, or when others than root and this user can change it. */
int decide_map(const char *path, uint32_t user, struct decide_policy *policy);

void decide_unmap(struct decide_policy *policy);

/* What the policy says of this host, of programs with or without MPI, and of this executable. */
struct decision decide_by_policy(const struct decide_policy *policy,
                                 const struct switches *switches, const struct image *image,
                                 const struct exec_path *path);

#endif
