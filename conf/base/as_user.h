/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_AS_USER_H
#define JOBTRAIL_AS_USER_H

#include <sys/types.h>

/* What is done with a user's rights. */
struct as_user_order {
    uid_t uid;
    gid_t gid;
    int keep[2]; /* the descriptors that `act` needs; -1: none */
    int (*act)(const void *context);
    const void *context;
};

/* Calls `act` in a child process that has become the user for good (privileges.h, sandbox.h), and
 * waits ten seconds for it. Returns 0 when `act` returned 0; -ECANCELED when it did not;
 * -ETIMEDOUT when the child had not ended, and was killed; or -errno. */
int as_user(const struct as_user_order *order);

#endif
