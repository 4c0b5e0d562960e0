/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sandboxes. A filter of seccomp(2) may kill for any system call, and its strict mode kills for
 * nearly all, and takes the processor's counter away, as PR_SET_TSC does.
 */
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "preload/slots/slots_user.h"
#include "preload/system.h"

#if SLOTS_LOADS > 0

/* A filter that is NULL is the question whether there are filters. */
static bool is_confining_prctl(const uint64_t *argument)
{
    uint32_t option = (uint32_t)argument[0];
    if (option == PR_SET_TSC)
        return (uint32_t)argument[1] == PR_TSC_SIGSEGV;
    return option == PR_SET_SECCOMP && (argument[1] == SECCOMP_MODE_STRICT || argument[2] != 0);
}

bool slots_is_confining(enum slots_function function, const uint64_t *argument)
{
    uint32_t operation = (uint32_t)argument[1];
    if (function == SLOTS_FUNCTION_PRCTL)
        return is_confining_prctl(argument);
    if (function != SLOTS_FUNCTION_SYSCALL)
        return false;
    if (argument[0] == SYS_prctl)
        return is_confining_prctl(argument + 1);
    return argument[0] == SYS_seccomp &&
           (operation == SECCOMP_SET_MODE_STRICT ||
            (operation == SECCOMP_SET_MODE_FILTER && argument[3] != 0));
}

void slots_confine(struct slots *slots)
{
    slots_user_confine(slots);
    __atomic_store_n(&slots->is_confined, 1, __ATOMIC_RELAXED);
}

#endif
