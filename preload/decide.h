/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether this process is tracked: XALT's questions in XALT's order, the cheap ones first.
 */
#ifndef JOBTRAIL_DECIDE_H
#define JOBTRAIL_DECIDE_H

#include <stddef.h>

#include "switches.h"

/* An executable's path as the kernel names it. */
struct decide_path {
    char text[4096]; /* not terminated */
    size_t length;
};

/* What the environment alone says: switches, rank. Opens no file. */
int decide_by_switches(const struct switches *switches);

/* A compiled policy, mapped. */
struct decide_policy {
    void *base;
    size_t size;
};

/* Maps the policy file `path`. Returns 1, or 0 when there is none that this library can read. */
int decide_map(const char *path, struct decide_policy *policy);

void decide_unmap(struct decide_policy *policy);

/* What the policy says of this host and executable. `*pkgs` is set when the rule is `pkgs`. */
int decide_by_policy(const struct decide_policy *policy, const struct decide_path *path, int *pkgs);

#endif
