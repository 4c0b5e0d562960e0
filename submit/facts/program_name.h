/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program is, as far as its name tells: the last part of its path, `size` bytes at `path`.
 */
#ifndef JOBTRAIL_PROGRAM_NAME_H
#define JOBTRAIL_PROGRAM_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it is one of the names, which end with NULL. */
bool program_is_named(const char *path, size_t size, const char *const names[]);

/* Whether the names of both are the same but for a version at the end of the second: "python3" and
 * "python3.11". */
bool program_is_version_of(const char *path, const char *versioned, size_t size);

/* The runtime of a container. */
bool program_is_runtime(const char *path, size_t size);

/* A shell: what it does beside starting programs is not told from waiting for them. */
bool program_is_shell(const char *path, size_t size);

/* Starts the tasks of a parallel program, or is their daemon on a node: mpirun, srun, orted. */
bool program_is_launcher(const char *path, size_t size);

/* Such a one whose children are tasks, or may be: mpirun, orted; not srun. */
bool program_forks_tasks(const char *path, size_t size);

/* A launcher's daemon on a node. */
bool program_is_daemon(const char *path, size_t size);

#endif
