/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/session_hooks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/hooks/hook_variables.h"

static void print_list_hook(const struct hook_variable *hook, const char *entry, const char *user)
{
    if (user == NULL || hook_variable_has_room(hook, user))
        printf("%s %s %s\n", hook->separator == ' ' ? "prepend-word" : "prepend", hook->name,
               entry);
}

/* Whether the modulefile can put the user's value back when it is unloaded. Environment Modules
 * keeps such values in a list with colons, Lmod keeps no empty one, and csh takes no braces. */
static bool can_be_restored(const char *user)
{
    return user[0] != '\0' && user[strcspn(user, ":{}!\n\r")] == '\0';
}

static void print_file_hook(const struct hook_variable *hook, const char *path, const char *user)
{
    if (user == NULL)
        printf("set %s %s\n", hook->name, path);
    else if (strcmp(user, path) != 0 && can_be_restored(user))
        printf("set %s %s\npush %s %s\n", hook->saved, user, hook->name, path);
}

static void print_xalt_dir(const struct hook_variable *hook, const char *path)
{
    printf("set %s %s\n", hook->name, path);
    if (getenv(HOOK_XALT_RUN) == NULL)
        printf("set %s %s\n", HOOK_XALT_RUN, HOOK_XALT_NONE);
}

void session_hooks_print(const struct conf *conf)
{
    char value[HOOK_VALUE_MAX];
    if (conf->hooks[0] == '\0')
        return;
    for (size_t i = 0; i < HOOK_VARIABLES; i++) {
        const struct hook_variable *hook = &hook_variables[i];
        const char *user = getenv(hook->name);
        if (!hook_variable_value(hook, conf->hooks, value))
            continue;
        if (hook_variable_is_list(hook))
            print_list_hook(hook, value, user);
        else if (hook->saved != NULL)
            print_file_hook(hook, value, user);
        else if (user == NULL)
            print_xalt_dir(hook, value);
    }
    printf("set %s %s\n", HOOK_STANDARD_LIBRARY, conf->standard_library ? "yes" : "no");
}
