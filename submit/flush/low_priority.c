/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/low_priority.h"

#include <linux/ioprio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "conf/flush_cgroup.h"

void low_priority(void)
{
    setpriority(PRIO_PROCESS, 0, 19);
    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
    if (geteuid() == 0)
        flush_cgroup_enter();
}
