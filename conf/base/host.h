/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The name of this node, and the ids of its boot and of its pid namespace.
 */
#pragma once

#include <stdint.h>

enum { HOST_BOOT_SIZE = 64 };

/* This node's name as Slurm has it: SLURMD_NODENAME, unless it is empty or holds a slash, or the
 * host's name up to its first dot. It can be part of a path. Valid until the next call, and until
 * the environment changes. */
const char *host_node(void);

/* The kernel's id of this boot (random(4), boot_id); "" where it cannot be read. */
void host_boot(char boot[HOST_BOOT_SIZE]);

/* The machine's own pid namespace (PROC_PID_INIT_INO of Linux's include/linux/proc_ns.h). */
#define NAME_SPACE_FIRST UINT64_C(0xeffffffc)

/* The inode of this process's pid namespace (pid_namespaces(7)). 0: unknown. */
uint64_t name_space_of_pids(void);
