/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "inject.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PRELOAD_MAX = 16384 };

/* Whether the list `preload`, separated by colons or blanks (ld.so(8)), has the entry `library`. */
static int has_entry(const char *preload, const char *library)
{
    size_t length = strlen(library);
    for (const char *at = preload; *at != '\0';) {
        size_t entry = strcspn(at, ": ");
        if (entry == length && memcmp(at, library, length) == 0)
            return 1;
        at += entry;
        at += strspn(at, ": ");
    }
    return 0;
}

int inject_preload(const char *library, const char *user, char *value, size_t size)
{
    int length;
    if (has_entry(user, library))
        length = snprintf(value, size, "%s", user);
    else
        length = snprintf(value, size, "%s%s%s", library, user[0] == '\0' ? "" : ":", user);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

void inject_remove(const char *library, char *preload)
{
    size_t length = strlen(library);
    char *to = preload;
    for (const char *at = preload; *at != '\0';) {
        size_t entry = strcspn(at, ": ");
        size_t whole = entry + strspn(at + entry, ": ");
        if (entry != length || memcmp(at, library, length) != 0) {
            memmove(to, at, whole);
            to += whole;
        }
        at += whole;
    }
    while (to > preload && strchr(": ", to[-1]) != NULL)
        to--;
    *to = '\0';
}

/* A library that is not there makes the loader complain in every process of the job. */
static int can_load(const char *library)
{
    return strchr(library, '$') != NULL || access(library, R_OK) == 0;
}

static int set_preload(spank_t spank, const char *library)
{
    char user[PRELOAD_MAX];
    char value[PRELOAD_MAX + PATH_MAX];
    spank_err_t error = spank_getenv(spank, "LD_PRELOAD", user, sizeof user);
    if (error == ESPANK_ENV_NOEXIST)
        user[0] = '\0';
    else if (error != ESPANK_SUCCESS)
        return -ENAMETOOLONG;
    int result = inject_preload(library, user, value, sizeof value);
    if (result == 0 && spank_setenv(spank, "LD_PRELOAD", value, 1) != ESPANK_SUCCESS)
        result = -EINVAL;
    return result;
}

int inject_task(spank_t spank, const struct settings *settings, uint32_t job, uint32_t restart)
{
    char spool[PATH_MAX + 32];
    char task[32];
    uint32_t step = 0, rank = 0;
    if (!can_load(settings->library))
        return -ENOENT;
    spank_get_item(spank, S_JOB_STEPID, &step);
    spank_get_item(spank, S_TASK_GLOBAL_ID, &rank);
    snprintf(spool, sizeof spool, "%s/%u.%u", settings->spool, job, restart);
    snprintf(task, sizeof task, "%u.%u", step, rank);
    spank_setenv(spank, "JOBTRAIL_SPOOL", spool, 1);
    spank_setenv(spank, "JOBTRAIL_POLICY", settings->policy_path, 1);
    spank_setenv(spank, "JOBTRAIL_TASK", task, 1);
    spank_setenv(spank, "XALT_EXECUTABLE_TRACKING", "yes", 1);
    return set_preload(spank, settings->library);
}
