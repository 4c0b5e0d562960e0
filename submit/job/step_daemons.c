/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/step_daemons.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/base/process.h"

#define DAEMON "slurmstepd"

/* Debian calls the file slurmstepd-wlm. A user can give their process any name. Where its program
 * is set-user-id, its real uid is still the user's. The daemon acts as the user for moments
 * (as_root.h); its real uid is still root's. */
bool step_daemon_is(int32_t pid)
{
    static const char name[] = "Name:\t" DAEMON, uids[] = "\nUid:\t0\t";
    char path[48], text[1024];
    uint64_t ticks;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return io_read_text(AT_FDCWD, path, text, sizeof text) > 0 &&
           strncmp(text, name, strlen(name)) == 0 && strstr(text, uids) != NULL &&
           process_start(pid, &ticks);
}

/* From 23.11 on a process "slurmstepd infinity" keeps a cgroup for all jobs, and from 25.11 on
 * "slurmstepd: [JOB:namespace]" the namespaces of one. */
static bool may_be_of(int proc, const char *pid, uint32_t job)
{
    char path[NAME_MAX + 16], words[128] = "", *end;
    snprintf(path, sizeof path, "%s/cmdline", pid);
    ssize_t length = io_read_text(proc, path, words, sizeof words);
    size_t first = strlen(words);
    if (length > (ssize_t)first + 1 && strcmp(words + first + 1, "infinity") == 0)
        return false;
    const char *number =
        strncmp(words, DAEMON ": [", strlen(DAEMON ": [")) == 0 ? words + strlen(DAEMON ": [") : "";
    unsigned long found = isdigit((unsigned char)number[0]) ? strtoul(number, &end, 10) : 0;
    return found == 0 || (*end != '.' && *end != ':') || found == job;
}

bool step_daemon_may_live(uint32_t job)
{
    CLEANUP_LISTING DIR *proc = NULL;
    if (listing_open(AT_FDCWD, "/proc", &proc) != 0)
        return true;
    for (const char *pid; (pid = listing_next(proc)) != NULL;)
        if (isdigit((unsigned char)pid[0]) && step_daemon_is(atoi(pid)) &&
            may_be_of(dirfd(proc), pid, job))
            return true;
    return false;
}
