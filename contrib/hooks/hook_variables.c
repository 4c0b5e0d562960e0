/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/hooks/hook_variables.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Perl puts the text after -M behind `use`, and behind ` no` what follows -M-, at the head of the
 * program (perlrun). It must not have a blank, nor a comma, at which Slurm's --export cuts.
 * `no v999` is true of each Perl since 5.10 and has no effect. do() of a file that is not there, as
 * in a container, sets $! alone. A program in the debugger ($^P) is left alone. */
#define PERL_BEFORE "-M-v999;BEGIN{local$@;local$!;$^P||do(q{"
#define PERL_AFTER  "})}"

const struct hook_variable hook_variables[HOOK_VARIABLES] = {
    {"PYTHONPATH", "python", NULL, ':', NULL, NULL},
    {"R_PROFILE", "r/Rprofile", "JOBTRAIL_R_PROFILE", 0, NULL, NULL},
    {"OCTAVE_SITE_INITFILE", "octave/octaverc", "JOBTRAIL_OCTAVE_SITE_INITFILE", 0, NULL, NULL},
    {"MATLABPATH", "matlab", NULL, ':', NULL, NULL},
    {"PERL5OPT", "perl/jobtrail.pl", NULL, ' ', PERL_BEFORE, PERL_AFTER},
};

int hook_variable_value(const struct hook_variable *variable, const char *hooks,
                        char value[HOOK_VALUE_MAX])
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", hooks, variable->path);
    if (length < 0 || length >= PATH_MAX || access(path, R_OK) != 0 ||
        (variable->before != NULL && path[strcspn(path, " \t\n\v\f\r{}\\")] != '\0'))
        return 0;
    snprintf(value, HOOK_VALUE_MAX, "%s%s%s", variable->before == NULL ? "" : variable->before,
             path, variable->after == NULL ? "" : variable->after);
    return 1;
}

/* Perl takes -T in the first place alone, and nothing behind it. */
int hook_variable_has_room(const struct hook_variable *variable, const char *user)
{
    return variable->separator != ' ' || strncmp(user + strspn(user, " \t\n\v\f\r"), "-T", 2) != 0;
}
