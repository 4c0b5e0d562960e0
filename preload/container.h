/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_CONTAINER_H
#define JOBTRAIL_CONTAINER_H

/* The kind of container that this process runs in, by what the runtime put into it, or NULL where
 * there is none: "apptainer", "enroot", "charliecloud", "podman", "docker". */
const char *container_kind(char **envp);

#endif
