/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs that only start another one: what they leave says nothing of the work of a job. They are
 * known by name, and those that belong to the operating system also by their directory: a user's
 * ~/tools/flock may be anything. Shells are none: they do work of their own.
 */
#ifndef JOBTRAIL_WRAPPER_H
#define JOBTRAIL_WRAPPER_H

#include <stddef.h>

enum wrapper_kind {
    WRAPPER_NONE,     /* another program */
    WRAPPER_REPLACES, /* it becomes the other program: it is over when it has begun (env, nice) */
    WRAPPER_WAITS,    /* it starts the other program and waits for it (time, timeout) */
};

/* Of the executable whose path is the `size` bytes at `path`, which may be NULL. */
enum wrapper_kind wrapper_kind(const char *path, size_t size);

#endif
