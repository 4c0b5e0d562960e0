/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/terminal_text.h"
#include "contrib/profile/profile_log.h"

/* Of deeper stacks so many names are printed: the texts of a deep recursion's stacks would
 * otherwise be as long as the square of its depth. */
enum { NAMES_MAX = 256 };

/* The stacks from this one outwards: `*count` of them, at most `most`, which the caller frees. */
static uint32_t *chain_of(const struct profile_set *set, uint32_t stack, size_t most, size_t *count)
{
    uint32_t *chain = NULL;
    *count = 0;
    for (;; stack = set->stacks.key[stack].parent) {
        if (GROW(chain, *count) != 0) {
            free(chain);
            return NULL;
        }
        chain[(*count)++] = stack;
        if (stack == PROFILE_SET_INIT || *count == most)
            return chain;
    }
}

char *profile_path(const struct profile_set *set, uint32_t stack, char separator)
{
    size_t count, length = 0, room = 0;
    char *text = NULL;
    bool is_outwards = separator == '<';
    CLEANUP_FREE uint32_t *chain =
        chain_of(set, stack, is_outwards ? NAMES_MAX + 1 : SIZE_MAX, &count);
    for (size_t i = 0; chain != NULL && i < count && i <= NAMES_MAX; i++) {
        char word[TERMINAL_WORD_SIZE] = "...";
        uint32_t at = chain[is_outwards ? i : count - 1 - i];
        if (i < NAMES_MAX)
            terminal_word(set->names.text[set->stacks.key[at].what], word);
        size_t size = strlen(word);
        if (GROW_TO(text, room, length + size + 2) != 0) {
            free(text);
            return NULL;
        }
        if (i > 0)
            text[length++] = separator;
        for (size_t j = 0; !is_outwards && j < size; j++)
            if (word[j] == separator || word[j] == ' ') /* for which a name has no place */
                word[j] = '_';
        memcpy(text + length, word, size + 1);
        length += size;
    }
    return text;
}
