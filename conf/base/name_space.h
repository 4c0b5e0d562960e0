/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_NAME_SPACE_H
#define JOBTRAIL_NAME_SPACE_H

#include <stdint.h>

/* The machine's own pid namespace (PROC_PID_INIT_INO of Linux's include/linux/proc_ns.h). */
#define NAME_SPACE_FIRST UINT64_C(0xeffffffc)

/* The inode of this process's pid namespace (pid_namespaces(7)). 0: unknown. */
uint64_t name_space_of_pids(void);

#endif
