/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/reboot.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "conf/base/host.h"

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool is_other_boot(const char *boot)
{
    char text[HOST_BOOT_SIZE];
    host_boot(text);
    return text[0] != '\0' && boot[0] != '\0' && strcmp(text, boot) != 0;
}

void reboot_find(struct journal *journal)
{
    if (!is_other_boot(journal->boot))
        return;
    uint64_t now = clock_ns(CLOCK_REALTIME);
    uint64_t booted = now - clock_ns(CLOCK_BOOTTIME);
    /* the clock may have been set since: the boot can then seem earlier than the job */
    journal->reboot_ns = booted > journal->last_ns ? booted : now;
}
