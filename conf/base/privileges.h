/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Gives up everything but what the user `uid` with the group `gid` has, for good: no
 * supplementary groups, no new privileges, no processes of its own, limited memory, processor time
 * and descriptors, no core file. Of the open descriptors only the `count` at `keep` stay
 * (descriptors.h). The user can neither trace nor signal the process: its real and its saved user
 * are an id that no account has, except for user namespaces without that id. It dies with its
 * parent. A caller that is not root must be the user already.
 * Returns 0, or -errno: then the process must end. */
int privileges_drop(uid_t uid, gid_t gid, const int *keep, size_t count);

/* Gives up address space beyond so many bytes, too; 0: none. Returns 0 or -errno. */
int privileges_limit_memory(uint64_t bytes);

/* What is done with a user's rights. */
struct as_user_order {
    uid_t uid;
    gid_t gid;
    int keep[2]; /* the descriptors that `act` needs; -1: none */
    int (*act)(const void *context);
    const void *context;
};

/* Calls `act` in a child process that has become the user for good (sandbox.h), and waits
 * ten seconds for it. Returns 0 when `act` returned 0; -ECANCELED when it did not;
 * -ETIMEDOUT when the child had not ended, and was killed; or -errno. */
int as_user(const struct as_user_order *order);

/* Gives up all capabilities (capabilities(7)) of this process for good, and the way to get new ones
 * by a program. Root's files stay its own; what is open stays open. Returns 0 or -errno. */
int capabilities_drop(void);
