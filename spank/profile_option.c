/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/profile_option.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "conf/policy/policy.h"
#include "preload/profile/profile_file.h"

enum ask { ASK_NOTHING, ASK_YES, ASK_NO, ASK_LIGHT, ASK_EXACT };

/* Slurm calls option_given() in slurmstepd for the option of the step, before it forks. */
static enum ask option;

/* ASK_NOTHING: an unknown word. */
static enum ask ask_of(const char *word)
{
    static const struct {
        const char *word;
        enum ask ask;
    } words[] = {{"", ASK_YES},
                 {"yes", ASK_YES},
                 {"no", ASK_NO},
                 {PROFILE_LIGHT, ASK_LIGHT},
                 {PROFILE_EXACT, ASK_EXACT}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i].word) == 0)
            return words[i].ask;
    }
    return ASK_NOTHING;
}

static int option_given(int value, const char *argument, int remote)
{
    (void)value;
    /* Slurm 22.05 gives "(null)" for an option without a value */
    bool has_none = argument == NULL || strcmp(argument, "(null)") == 0;
    enum ask ask = ask_of(has_none ? "" : argument);
    if (ask == ASK_NOTHING && !remote) {
        slurm_error("jobtrail: write --jobtrail-profile, or --jobtrail-profile=light, exact or no");
        return -1; /* which ends srun */
    }
    option = ask;
    return 0;
}

void profile_option_register(spank_t spank, const struct settings *settings)
{
    char name[] = "jobtrail-profile", values[] = "light|exact|no";
    char usage[] = "note how often and how long functions run that were built with "
                   "-finstrument-functions";
    struct spank_option given = {
        .name = name, .arginfo = values, .usage = usage, .has_arg = 2, .cb = option_given};
    if (settings->profile_bytes != 0)
        spank_option_register(spank, &given); /* copies it */
}

const char *profile_option_mode(spank_t spank, const struct settings *settings)
{
    char word[16];
    enum ask ask = option;
    if (settings->profile_bytes == 0 || settings->profile_library[0] == '\0')
        return NULL;
    if (ask == ASK_NOTHING &&
        spank_getenv(spank, PROFILE_VARIABLE, word, sizeof word) == ESPANK_SUCCESS)
        ask = ask_of(word);
    if (ask == ASK_NOTHING && (settings->switches & POLICY_PROFILE_ALL) != 0)
        ask = ASK_YES;
    if (ask == ASK_YES)
        ask = settings->switches & POLICY_PROFILE_EXACT ? ASK_EXACT : ASK_LIGHT;
    return ask == ASK_EXACT ? PROFILE_EXACT : ask == ASK_LIGHT ? PROFILE_LIGHT : NULL;
}
