/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/hooks.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/hooks/hook_variables.h"
#include "spank/path_list.h"

enum { VALUE_MAX = 32768 };

static void set_list(spank_t spank, const struct hook_variable *hook, const char *entry)
{
    char user[VALUE_MAX] = "", value[VALUE_MAX + HOOK_VALUE_MAX];
    spank_err_t error = spank_getenv(spank, hook->name, user, sizeof user);
    if (error != ESPANK_SUCCESS && error != ESPANK_ENV_NOEXIST)
        return;
    if (hook_variable_has_room(hook, user) &&
        path_list_add(entry, hook->separator, user, value, sizeof value) == 0)
        spank_setenv(spank, hook->name, value, 1);
}

static void set_file(spank_t spank, const struct hook_variable *hook, const char *path)
{
    char user[PATH_MAX];
    spank_err_t error = spank_getenv(spank, hook->name, user, sizeof user);
    if (error == ESPANK_SUCCESS && strcmp(user, path) == 0)
        return;
    if (error == ESPANK_SUCCESS)
        error = spank_setenv(spank, hook->saved, user, 1);
    else if (error == ESPANK_ENV_NOEXIST) {
        spank_unsetenv(spank, hook->saved);
        error = ESPANK_SUCCESS;
    }
    if (error == ESPANK_SUCCESS)
        spank_setenv(spank, hook->name, path, 1);
}

/* Where the site has an XALT of its own, its hooks call that one's. */
static void set_xalt_dir(spank_t spank, const struct hook_variable *hook, const char *path)
{
    char user[1];
    if (spank_getenv(spank, hook->name, user, sizeof user) != ESPANK_ENV_NOEXIST)
        return;
    if (spank_setenv(spank, hook->name, path, 0) == ESPANK_SUCCESS)
        spank_setenv(spank, HOOK_XALT_RUN, HOOK_XALT_NONE, 0);
}

void hooks_set(spank_t spank, const struct settings *settings)
{
    char entry[HOOK_VALUE_MAX];
    if (settings->hooks[0] == '\0')
        return;
    for (size_t i = 0; i < HOOK_VARIABLES; i++) {
        const struct hook_variable *hook = &hook_variables[i];
        if (!hook_variable_value(hook, settings->hooks, entry))
            continue;
        if (hook_variable_is_list(hook))
            set_list(spank, hook, entry);
        else if (hook->saved != NULL)
            set_file(spank, hook, entry);
        else
            set_xalt_dir(spank, hook, entry);
    }
}

static void restore_list(const struct hook_variable *hook, const char *entry)
{
    char value[VALUE_MAX + HOOK_VALUE_MAX];
    const char *list = getenv(hook->name);
    if (list == NULL || strlen(list) >= sizeof value)
        return;
    strcpy(value, list);
    path_list_remove(entry, hook->separator, value);
    if (value[0] == '\0')
        unsetenv(hook->name);
    else if (strcmp(value, list) != 0)
        setenv(hook->name, value, 1);
}

static void restore_file(const struct hook_variable *hook, const char *path)
{
    const char *value = getenv(hook->name), *saved = getenv(hook->saved);
    if (value == NULL || strcmp(value, path) != 0)
        return;
    if (saved == NULL)
        unsetenv(hook->name);
    else
        setenv(hook->name, saved, 1);
    unsetenv(hook->saved);
}

static void restore_xalt_dir(const struct hook_variable *hook, const char *path)
{
    const char *value = getenv(hook->name), *run = getenv(HOOK_XALT_RUN);
    if (value == NULL || strcmp(value, path) != 0)
        return;
    unsetenv(hook->name);
    if (run != NULL && strcmp(run, HOOK_XALT_NONE) == 0)
        unsetenv(HOOK_XALT_RUN);
}

void hooks_restore(const struct settings *settings)
{
    char entry[HOOK_VALUE_MAX];
    for (size_t i = 0; settings->hooks[0] != '\0' && i < HOOK_VARIABLES; i++) {
        const struct hook_variable *hook = &hook_variables[i];
        if (!hook_variable_value(hook, settings->hooks, entry))
            continue;
        if (hook_variable_is_list(hook))
            restore_list(hook, entry);
        else if (hook->saved != NULL)
            restore_file(hook, entry);
        else
            restore_xalt_dir(hook, entry);
    }
}
