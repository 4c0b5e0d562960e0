/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/command/doctor.h"

static const struct {
    enum doctor_role role;
    const char *name;
} roles[] = {{ROLE_NODE, "node"}, {ROLE_LOGIN, "login"}, {ROLE_COLLECTOR, "collector"}};

void doctor_roles_text(unsigned which, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof roles / sizeof *roles && length < size; i++)
        if (which & roles[i].role)
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       length == 0 ? "" : ", ", roles[i].name);
}

/* Returns 0 where a word is no role. */
static unsigned parse_roles(const char *text)
{
    unsigned found = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, ","), i = 0;
        while (i < sizeof roles / sizeof *roles &&
               (strlen(roles[i].name) != length || memcmp(roles[i].name, text, length) != 0))
            i++;
        if (i == sizeof roles / sizeof *roles)
            return 0;
        found |= roles[i].role;
        text += length + (text[length] == ',');
    }
    return found;
}

/* In PATH, or where root's programs are, which may be missing in it. */
static bool has_program(const char *name)
{
    char dirs[8192], path[PATH_MAX], *rest = NULL;
    const char *own = getenv("PATH");
    snprintf(dirs, sizeof dirs, "%s:/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin",
             own == NULL ? "" : own);
    for (char *dir = strtok_r(dirs, ":", &rest); dir != NULL; dir = strtok_r(NULL, ":", &rest)) {
        snprintf(path, sizeof path, "%s/%s", dir, name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

void doctor_collector_env(const struct doctor *doctor, char *path, size_t size)
{
    const char *slash = strrchr(doctor->conf, '/');
    snprintf(path, size, "%.*scollector.env", slash == NULL ? 0 : (int)(slash + 1 - doctor->conf),
             doctor->conf);
}

bool doctor_roles(struct doctor *doctor, const char *asked)
{
    char text[64], collector_env[PATH_MAX];
    bool has_slurmd = has_program("slurmd"), has_srun = has_program("srun");
    doctor_collector_env(doctor, collector_env, sizeof collector_env);
    bool has_collector = access(collector_env, F_OK) == 0;
    if (asked != NULL) {
        doctor->roles = parse_roles(asked);
        return doctor->roles != 0;
    }
    if (has_slurmd)
        doctor->roles |= ROLE_NODE;
    else if (has_srun)
        doctor->roles |= ROLE_LOGIN;
    if (has_collector)
        doctor->roles |= ROLE_COLLECTOR;
    if (doctor->roles == 0)
        doctor->roles = ROLE_NODE;
    doctor_roles_text(doctor->roles, text, sizeof text);
    doctor_add(doctor, FINDING_OK, "role", text, "", "%s, and %s%s (--role says otherwise)",
               has_slurmd ? "slurmd is installed here"
               : has_srun ? "srun is installed here, and slurmd is not"
                          : "no Slurm is installed here",
               has_collector ? "there is " : "there is no ", collector_env);
    return true;
}
