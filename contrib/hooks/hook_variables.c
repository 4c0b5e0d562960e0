/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/hooks/hook_variables.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Perl puts `use` and the text after -M, or ` no` and the text after -M-, at the start of the
 * program (perlrun). The text must have no blank, and no comma, since Slurm's --export splits at
 * commas. `no v999` succeeds in each Perl since 5.10 and has no effect. In a container the file may
 * be missing: then do() sets $! and nothing else. In the debugger ($^P) the hook is not run. */
#define PERL_BEFORE "-M-v999;BEGIN{local$@;local$!;$^P||do(q{"
#define PERL_AFTER  "})}"

const struct hook_variable hook_variables[HOOK_VARIABLES] = {
    {"PYTHONPATH", "python", NULL, ':', NULL, NULL},
    {"R_PROFILE", "r/Rprofile", "JOBTRAIL_R_PROFILE", 0, NULL, NULL},
    {"OCTAVE_SITE_INITFILE", "octave/octaverc", "JOBTRAIL_OCTAVE_SITE_INITFILE", 0, NULL, NULL},
    {"MATLABPATH", "matlab", NULL, ':', NULL, NULL},
    {"PERL5OPT", "perl/jobtrail.pl", NULL, ' ', PERL_BEFORE, PERL_AFTER},
    {"XALT_DIR", "xalt", NULL, 0, NULL, NULL},
};

bool hook_variable_value(const struct hook_variable *variable, const char *hooks,
                         char value[HOOK_VALUE_MAX])
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", hooks, variable->path);
    if (length < 0 || length >= PATH_MAX || access(path, R_OK) != 0 ||
        (variable->before != NULL && path[strcspn(path, " \t\n\v\f\r{}\\")] != '\0'))
        return false;
    snprintf(value, HOOK_VALUE_MAX, "%s%s%s", variable->before == NULL ? "" : variable->before,
             path, variable->after == NULL ? "" : variable->after);
    return true;
}

bool hook_variable_is_list(const struct hook_variable *variable)
{
    return variable->saved == NULL && variable->separator != 0;
}

/* Perl accepts -T as the first option alone, and no option after it. */
bool hook_variable_has_room(const struct hook_variable *variable, const char *user)
{
    return variable->separator != ' ' || strncmp(user + strspn(user, " \t\n\v\f\r"), "-T", 2) != 0;
}
