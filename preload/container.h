/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_CONTAINER_H
#define JOBTRAIL_CONTAINER_H

/* The kind of container that this process runs in, by the files and variables that the runtimes
 * make: "apptainer", "enroot", "charliecloud", "podman", "docker"; NULL: none. */
const char *container_kind(char **envp);

#endif
