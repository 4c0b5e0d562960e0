/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who calls a program of ours. In a user namespace (rootless containers, apptainer --fakeroot,
 * unshare -r) uid 0 may be a user of the node. Needs only libc, since the plugin has it too.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Whether the effective user is root of the node, or of a container that has users of its own. A
 * user who is uid 0 alone in a namespace is not: for what programs offer, never for what they
 * guard, which asks geteuid(). */
bool caller_is_root(void);

/* The effective user's uid outside of the innermost user namespace: the node's, where that is the
 * only one. */
uid_t caller_uid(void);

/* Whether this process is in another user namespace than the first. There root's files may seem to
 * be nobody's. */
bool caller_in_user_namespace(void);
