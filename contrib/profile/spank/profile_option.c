/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which steps leave a profile: `--jobtrail-profile[=light|exact|no][,ranks=LIST]` of srun, sbatch
 * and salloc, the variable JOBTRAIL_PROFILE of the same words, and the site's rule. The option
 * comes before the variable, and that before the rule.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/number_list.h"
#include "conf/policy/policy.h"
#include "contrib/profile/spank/profile_make.h"
#include "preload/profile/profile_file.h"
#include "spank/journal_line.h"
#include "spank/profile_part.h"

enum { PROFILE_RANKS_TEXT = 64 };

struct asked {
    const char *mode; /* PROFILE_LIGHT, PROFILE_EXACT, "no"; "": that of the site; NULL:
                         an unknown word */
    char ranks[PROFILE_RANKS_TEXT]; /* which are to have files of their own (number_list.h); "": the
                                       user did not say so */
};

/* Slurm calls option_given() in slurmstepd for the option of the step, before it forks. */
static struct asked option;

static const char *mode_of(const char *word, size_t length)
{
    static const char *const modes[] = {"no", PROFILE_LIGHT, PROFILE_EXACT};
    if (length == 0 || (length == 3 && memcmp(word, "yes", 3) == 0))
        return "";
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strlen(modes[i]) == length && memcmp(word, modes[i], length) == 0)
            return modes[i];
    }
    return NULL;
}

/* "WORD", "ranks=LIST", or "WORD,ranks=LIST". */
static struct asked asked_of(const char *text)
{
    static const char key[] = "ranks=";
    struct asked asked = {NULL, ""};
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
    asked.mode = mode_of(text, length);
    return asked;
}

static int option_given(int is_kept, const char *argument, int remote)
{
    /* Slurm 22.05 gives "(null)" for an option without a value */
    bool has_none = argument == NULL || strcmp(argument, "(null)") == 0;
    struct asked asked = asked_of(has_none ? "" : argument);
    if (asked.mode == NULL && !remote) {
        slurm_error("jobtrail: write --jobtrail-profile, or --jobtrail-profile=light, exact or no; "
                    "and last ranks=0,4-7 for the ranks whose files the site keeps");
        return -1; /* which ends srun */
    }
    if (!remote && !is_kept && strcmp(asked.mode, "no") != 0)
        slurm_info("jobtrail: no profile will be kept: this site has set no directory for them");
    option = asked;
    return 0;
}

static bool name_library(const char *library, char path[PATH_MAX])
{
    const char *slash = strrchr(library, '/');
    if (slash == NULL || strcmp(slash, "/libjobtrail.so") != 0)
        return false;
    int length =
        snprintf(path, PATH_MAX, "%.*s/libjobtrail-profile.so", (int)(slash - library), library);
    return length >= 0 && length < PATH_MAX;
}

/* What the step is to leave: PROFILE_LIGHT or PROFILE_EXACT; NULL: no profile. */
static const char *find_mode(spank_t spank, uint32_t switches, struct asked *asked)
{
    char word[PROFILE_RANKS_TEXT + 16];
    if ((switches & (POLICY_PROFILE_ASKED | POLICY_PROFILE_ALL)) == 0)
        return NULL;
    *asked = option;
    if (asked->mode == NULL &&
        spank_getenv(spank, PROFILE_VARIABLE, word, sizeof word) == ESPANK_SUCCESS)
        *asked = asked_of(word);
    if (asked->mode == NULL && (switches & POLICY_PROFILE_ALL) != 0)
        asked->mode = "";
    if (asked->mode == NULL || strcmp(asked->mode, "no") == 0)
        return NULL;
    if (asked->mode[0] != '\0')
        return asked->mode;
    return switches & POLICY_PROFILE_EXACT ? PROFILE_EXACT : PROFILE_LIGHT;
}

static bool begin(spank_t spank, uint32_t switches, const char *library, struct journal_line *line)
{
    char path[PATH_MAX];
    struct asked asked = {NULL, ""};
    if (find_mode(spank, switches, &asked) == NULL || !name_library(library, path))
        return false;
    if (asked.ranks[0] != '\0')
        journal_text(line, "profile_ranks", asked.ranks);
    return true;
}

/* Steps of a batch script ask for the same as it. */
static void inject(spank_t spank, uint32_t switches, const char *library,
                   int (*add)(spank_t spank, const char *library))
{
    char path[PATH_MAX], word[PROFILE_RANKS_TEXT + 16];
    struct asked asked = {NULL, ""};
    const char *mode = find_mode(spank, switches, &asked);
    spank_unsetenv(spank, PROFILE_VARIABLE);
    if (mode == NULL || !name_library(library, path) || add(spank, path) != 0)
        return;
    snprintf(word, sizeof word, "%s%s%s", mode,
             asked.ranks[0] == '\0' ? "" : ",ranks=", asked.ranks);
    spank_setenv(spank, PROFILE_VARIABLE, word, 1);
}

const struct profile_part profile_part_row = {.option_given = option_given,
                                              .begin = begin,
                                              .make = spool_make_profile,
                                              .name_library = name_library,
                                              .inject = inject};
