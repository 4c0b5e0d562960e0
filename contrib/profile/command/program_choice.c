/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/command/program_choice.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "conf/base/suggest.h"
#include "conf/base/terminal_text.h"

/* Each program's hash and name are what may have been meant. */
static int say_unknown(const struct set_programs *programs, const char *word)
{
    const struct profile_set *set = programs->set;
    CLEANUP_FREE char(*hash)[SET_PROGRAM_HASH] = calloc(set->rank_count + 1, sizeof *hash);
    CLEANUP_FREE const char **names = calloc(2 * set->rank_count + 1, sizeof *names);
    size_t count = 0;
    char text[TERMINAL_WORD_SIZE];
    if (hash == NULL || names == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++) {
        names[count++] = set_program_name(set, &set->ranks[i]);
        if (programs->first[i] == i)
            names[count++] = set_program_hash(&set->ranks[i], hash[i]);
    }
    const char *near = suggest(word, names, count);
    fprintf(stderr, "jobtrail-profile: there is no program %s in what was read",
            terminal_word(word, text));
    if (near != NULL)
        fprintf(stderr, "; did you mean %s?", terminal_word(near, text));
    fputc('\n', stderr);
    return -ENOENT;
}

int program_choice_make(const struct profile_set *set, const char *word,
                        struct program_choice *choice)
{
    *choice = (struct program_choice){.is_taken = NULL};
    int error = set_programs_find(set, &choice->programs);
    if (error != 0 || word == NULL)
        return error;
    choice->is_taken = calloc(set->rank_count + 1, sizeof *choice->is_taken);
    if (choice->is_taken == NULL)
        return -ENOMEM;
    bool is_there = set_programs_choose(&choice->programs, word, choice->is_taken);
    return is_there ? 0 : say_unknown(&choice->programs, word);
}

void program_choice_free(struct program_choice *choice)
{
    set_programs_free(&choice->programs);
    free(choice->is_taken);
}

int program_choice_warn(const struct program_choice *choice, const bool *is_taken, size_t first,
                        size_t last)
{
    size_t ranks = choice->programs.set->rank_count, count = 0;
    CLEANUP_FREE bool *is_added = calloc(ranks + 1, sizeof *is_added);
    if (is_added == NULL)
        return -ENOMEM;
    for (size_t i = first; i < last; i++)
        is_added[i] =
            (is_taken == NULL || is_taken[i]) && (choice->is_taken == NULL || choice->is_taken[i]);
    int error = set_programs_count(&choice->programs, is_added, &count);
    if (count > 1)
        fprintf(stderr,
                "jobtrail-profile: the times of %zu programs are added: --program takes one, and "
                "show tells which there are\n",
                count);
    return error;
}
