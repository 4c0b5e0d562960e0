/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path_list.h"
#include "policy.h"

enum { VALUE_MAX = 32768, ENTRY_MAX = PATH_MAX + 64 };

/* Perl puts the text after -M behind `use`, and behind ` no` what follows -M-, at the head of the
 * program (perlrun). It must not have a blank, nor a comma, at which Slurm's --export cuts.
 * `no v999` is true of each Perl since 5.10 and has no effect. do() of a file that is not there, as
 * in a container, sets $! alone. A program in the debugger ($^P) is left alone. */
#define PERL_BEFORE "-M-v999;BEGIN{local$@;local$!;$^P||do(q{"
#define PERL_AFTER  "})}"

static const struct hook {
    const char *variable;
    const char *path;           /* below the directory of hooks */
    const char *saved;          /* what keeps the user's value; NULL: the variable is a list */
    char separator;             /* of a list */
    const char *before, *after; /* the path, in an entry of a list; NULL: nothing */
} hooks[] = {
    {"PYTHONPATH", "python", NULL, ':', NULL, NULL},
    {"R_PROFILE", "r/Rprofile", "JOBTRAIL_R_PROFILE", 0, NULL, NULL},
    {"OCTAVE_SITE_INITFILE", "octave/octaverc", "JOBTRAIL_OCTAVE_SITE_INITFILE", 0, NULL, NULL},
    {"MATLABPATH", "matlab", NULL, ':', NULL, NULL},
    {"PERL5OPT", "perl/jobtrail.pl", NULL, ' ', PERL_BEFORE, PERL_AFTER},
};

enum { HOOKS = sizeof hooks / sizeof hooks[0] };

/* Writes ENTRY_MAX bytes at `entry`: what the variable is to have. Returns 0 where the hook is
 * not installed, or its path cannot be written there. */
static int find_hook(const struct settings *settings, const struct hook *hook, char *entry)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", settings->hooks, hook->path);
    if (length < 0 || length >= PATH_MAX || access(path, R_OK) != 0 ||
        (hook->before != NULL && path[strcspn(path, " \t\n\v\f\r{}\\")] != '\0'))
        return 0;
    snprintf(entry, ENTRY_MAX, "%s%s%s", hook->before == NULL ? "" : hook->before, path,
             hook->after == NULL ? "" : hook->after);
    return 1;
}

/* Perl takes -T in the first place alone, and nothing behind it. */
static int has_room(const struct hook *hook, const char *user)
{
    return hook->separator != ' ' || strncmp(user + strspn(user, " \t\n\v\f\r"), "-T", 2) != 0;
}

static void set_list(spank_t spank, const struct hook *hook, const char *entry)
{
    char user[VALUE_MAX] = "", value[VALUE_MAX + ENTRY_MAX];
    spank_err_t error = spank_getenv(spank, hook->variable, user, sizeof user);
    if (error != ESPANK_SUCCESS && error != ESPANK_ENV_NOEXIST)
        return;
    if (has_room(hook, user) &&
        path_list_add(entry, hook->separator, user, value, sizeof value) == 0)
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
    char entry[ENTRY_MAX];
    if (settings->hooks[0] == '\0')
        return;
    for (size_t i = 0; i < HOOKS; i++) {
        if (!find_hook(settings, &hooks[i], entry))
            continue;
        if (hooks[i].saved == NULL)
            set_list(spank, &hooks[i], entry);
        else
            set_file(spank, &hooks[i], entry);
    }
    spank_setenv(spank, "JOBTRAIL_STANDARD_LIBRARY",
                 settings->switches & POLICY_STDLIB ? "yes" : "no", 1);
}

static void restore_list(const struct hook *hook, const char *entry)
{
    char value[VALUE_MAX + ENTRY_MAX];
    const char *list = getenv(hook->variable);
    if (list == NULL || strlen(list) >= sizeof value)
        return;
    strcpy(value, list);
    path_list_remove(entry, hook->separator, value);
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
    char entry[ENTRY_MAX];
    if (settings->hooks[0] == '\0')
        return;
    for (size_t i = 0; i < HOOKS; i++) {
        if (!find_hook(settings, &hooks[i], entry))
            continue;
        if (hooks[i].saved == NULL)
            restore_list(&hooks[i], entry);
        else
            restore_file(&hooks[i], entry);
    }
}
