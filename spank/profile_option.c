/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/profile_option.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "conf/base/number_list.h"
#include "conf/policy/policy.h"
#include "extensions.h"
#include "preload/profile/profile_file.h"

enum ask { ASK_NOTHING, ASK_YES, ASK_NO, ASK_LIGHT, ASK_EXACT };

struct asked {
    enum ask ask; /* ASK_NOTHING: an unknown word */
    char ranks[PROFILE_RANKS_TEXT];
};

/* Slurm calls option_given() in slurmstepd for the option of the step, before it forks. */
static struct asked option;

/* Whether root keeps profiles when jobs are over. */
static bool is_kept;

static enum ask ask_of(const char *word, size_t length)
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
        if (strlen(words[i].word) == length && memcmp(word, words[i].word, length) == 0)
            return words[i].ask;
    }
    return ASK_NOTHING;
}

/* "WORD", "ranks=LIST", or "WORD,ranks=LIST". */
static struct asked asked_of(const char *text)
{
    static const char key[] = "ranks=";
    struct asked asked = {ASK_NOTHING, ""};
    size_t length = strlen(text);
    const char *ranks = strstr(text, key);
    if (ranks != NULL && ranks != text && ranks[-1] != ',')
        return asked;
    if (ranks != NULL) {
        const char *list = ranks + strlen(key);
        if (!number_list_is_valid(list) || strlen(list) >= sizeof asked.ranks)
            return asked;
        strcpy(asked.ranks, list);
        length = ranks == text ? 0 : (size_t)(ranks - text) - 1;
    }
    asked.ask = ask_of(text, length);
    return asked;
}

static int option_given(int value, const char *argument, int remote)
{
    (void)value;
    /* Slurm 22.05 gives "(null)" for an option without a value */
    bool has_none = argument == NULL || strcmp(argument, "(null)") == 0;
    struct asked asked = asked_of(has_none ? "" : argument);
    if (asked.ask == ASK_NOTHING && !remote) {
        slurm_error("jobtrail: write --jobtrail-profile, or --jobtrail-profile=light, exact or no; "
                    "and of which ranks the site may keep files: ranks=0,4-7 (at the end)");
        return -1; /* which ends srun */
    }
    if (!JOBTRAIL_PROFILE && !remote)
        slurm_info("jobtrail: no profile will be made: this jobtrail is built without profiles");
    else if (asked.ask != ASK_NO && !remote && !is_kept)
        slurm_info("jobtrail: no profile will be kept: this site says no directory for them");
    option = asked;
    return 0;
}

void profile_option_register(spank_t spank, const struct settings *settings)
{
    char name[] = "jobtrail-profile", values[] = "light|exact|no[,ranks=LIST]";
    char usage[] = "note how long MPI takes, and functions that were built with "
                   "-finstrument-functions";
    struct spank_option given = {
        .name = name, .arginfo = values, .usage = usage, .has_arg = 2, .cb = option_given};
    is_kept = (settings->switches & POLICY_PROFILE_KEPT) != 0;
    if ((settings->switches & (POLICY_PROFILE_ASKED | POLICY_PROFILE_ALL)) != 0)
        spank_option_register(spank, &given); /* copies it */
}

struct profile_ask profile_option_find(spank_t spank, const struct settings *settings)
{
    char word[PROFILE_RANKS_TEXT + 16];
    struct asked asked = option;
    struct profile_ask found = {NULL, ""};
    if (settings->profile_bytes == 0 || settings->profile_library[0] == '\0')
        return found;
    if (asked.ask == ASK_NOTHING &&
        spank_getenv(spank, PROFILE_VARIABLE, word, sizeof word) == ESPANK_SUCCESS)
        asked = asked_of(word);
    if (asked.ask == ASK_NOTHING && (settings->switches & POLICY_PROFILE_ALL) != 0)
        asked.ask = ASK_YES;
    if (asked.ask == ASK_YES)
        asked.ask = settings->switches & POLICY_PROFILE_EXACT ? ASK_EXACT : ASK_LIGHT;
    found.mode = asked.ask == ASK_EXACT   ? PROFILE_EXACT
                 : asked.ask == ASK_LIGHT ? PROFILE_LIGHT
                                          : NULL;
    strcpy(found.ranks, asked.ranks);
    return found;
}
