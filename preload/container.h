/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_CONTAINER_H
#define JOBTRAIL_CONTAINER_H

#include "preload/ledger.h"

/* The kind of container that this process runs in, by the files and variables that the runtimes
 * make: "apptainer", "enroot", "charliecloud", "podman", "docker"; NULL: none. The files are not
 * looked for in the root directory in which the ledger was made. */
const char *container_kind(char **envp, const struct ledger_header *header);

#endif
