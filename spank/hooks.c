/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path_list.h"
#include "policy.h"

enum { VALUE_MAX = 32768 };

static const struct hook {
    const char *variable;
    const char *path;  /* below the directory of hooks */
    const char *saved; /* what keeps the user's value; NULL: the variable is a list */
} hooks[] = {
    {"PYTHONPATH", "python", NULL},
    {"R_PROFILE", "r/Rprofile", "JOBTRAIL_R_PROFILE"},
    {"OCTAVE_SITE_INITFILE", "octave/octaverc", "JOBTRAIL_OCTAVE_SITE_INITFILE"},
    {"MATLABPATH", "matlab", NULL},
};

enum { HOOKS = sizeof hooks / sizeof hooks[0] };

/* Writes PATH_MAX bytes at `path`. Returns 0 where the hook is not installed. */
static int find_hook(const struct settings *settings, const struct hook *hook, char *path)
{
    int length = snprintf(path, PATH_MAX, "%s/%s", settings->hooks, hook->path);
    return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

static void set_list(spank_t spank, const struct hook *hook, const char *path)
{
    char user[VALUE_MAX] = "", value[VALUE_MAX + PATH_MAX];
    spank_err_t error = spank_getenv(spank, hook->variable, user, sizeof user);
    if (error != ESPANK_SUCCESS && error != ESPANK_ENV_NOEXIST)
        return;
    if (path_list_add(path, user, value, sizeof value) == 0)
        spank_setenv(spank, hook->variable, value, 1);
}

static void set_file(spank_t spank, const struct hook *hook, const char *path)
{
    char user[PATH_MAX];
    spank_err_t error = spank_getenv(spank, hook->variable, user, sizeof user);
    if (error == ESPANK_SUCCESS && strcmp(user, path) == 0)
        return;
    if (error == ESPANK_SUCCESS)
        error = spank_setenv(spank, hook->saved, user, 1);
    else if (error == ESPANK_ENV_NOEXIST) {
        spank_unsetenv(spank, hook->saved);
        error = ESPANK_SUCCESS;
    }
    if (error == ESPANK_SUCCESS)
        spank_setenv(spank, hook->variable, path, 1);
}

void hooks_set(spank_t spank, const struct settings *settings)
{
    char path[PATH_MAX];
    if (settings->hooks[0] == '\0')
        return;
    for (size_t i = 0; i < HOOKS; i++) {
        if (!find_hook(settings, &hooks[i], path))
            continue;
        if (hooks[i].saved == NULL)
            set_list(spank, &hooks[i], path);
        else
            set_file(spank, &hooks[i], path);
    }
    spank_setenv(spank, "JOBTRAIL_STANDARD_LIBRARY",
                 settings->switches & POLICY_STDLIB ? "yes" : "no", 1);
}

static void restore_list(const struct hook *hook, const char *path)
{
    char value[VALUE_MAX + PATH_MAX];
    const char *list = getenv(hook->variable);
    if (list == NULL || strlen(list) >= sizeof value)
        return;
    strcpy(value, list);
    path_list_remove(path, value);
    if (value[0] == '\0')
        unsetenv(hook->variable);
    else if (strcmp(value, list) != 0)
        setenv(hook->variable, value, 1);
}

static void restore_file(const struct hook *hook, const char *path)
{
    const char *value = getenv(hook->variable), *saved = getenv(hook->saved);
    if (value == NULL || strcmp(value, path) != 0)
        return;
    if (saved == NULL)
        unsetenv(hook->variable);
    else
        setenv(hook->variable, saved, 1);
    unsetenv(hook->saved);
}

void hooks_restore(const struct settings *settings)
{
    char path[PATH_MAX];
    if (settings->hooks[0] == '\0')
        return;
    for (size_t i = 0; i < HOOKS; i++) {
        if (!find_hook(settings, &hooks[i], path))
            continue;
        if (hooks[i].saved == NULL)
            restore_list(&hooks[i], path);
        else
            restore_file(&hooks[i], path);
    }
}
