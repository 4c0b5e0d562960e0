/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/globs.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

#define BLANKS " \t"

enum glob_form { GLOB_EXACT, GLOB_BEGINS, GLOB_ENDS, GLOB_HOLDS, GLOB_ANY };

struct glob_pattern {
    enum glob_form form;
    const char *text; /* inside `words`: without its stars, but for GLOB_ANY */
    size_t length;
};

struct globs {
    struct glob_pattern *pattern; /* owned */
    size_t count;
    char *words; /* owned */
};

/* `word` is changed in place. */
static struct glob_pattern glob_of(char *word)
{
    size_t length = strlen(word);
    bool is_first = word[0] == '*', is_last = length > 1 && word[length - 1] == '*';
    size_t inner = length - is_first - is_last;
    if (strcspn(word + is_first, "*?[\\") < inner || inner == 0)
        return (struct glob_pattern){GLOB_ANY, word, length};
    word[length - is_last] = '\0';
    return (struct glob_pattern){is_first  ? is_last ? GLOB_HOLDS : GLOB_ENDS
                                 : is_last ? GLOB_BEGINS
                                           : GLOB_EXACT,
                                 word + is_first, inner};
}

int globs_read(const char *text, struct globs **out)
{
    char *rest = NULL;
    struct globs *globs = calloc(1, sizeof *globs);
    if (globs == NULL || (globs->words = strdup(text)) == NULL) {
        globs_free(globs);
        return -ENOMEM;
    }
    for (char *word = strtok_r(globs->words, BLANKS, &rest); word != NULL;
         word = strtok_r(NULL, BLANKS, &rest)) {
        if (GROW(globs->pattern, globs->count) != 0) {
            globs_free(globs);
            return -ENOMEM;
        }
        globs->pattern[globs->count++] = glob_of(word);
    }
    *out = globs;
    return 0;
}

/* Where the set in brackets that begins at `at` has its ']'; NULL: it has none in this word. */
static const char *set_end(const char *at)
{
    at++;
    at += *at == '!' || *at == '^';
    for (at += *at == ']'; *at != '\0' && strchr(BLANKS, *at) == NULL; at++) {
        const char *class = *at == '[' && at[1] == ':' ? strstr(at + 2, ":]") : NULL;
        if (*at == ']')
            return at;
        if (class != NULL)
            at = class + 1;
        else if (*at == '\\' && at[1] != '\0')
            at++;
    }
    return NULL;
}

const char *globs_fault(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        const char *end = *at == '[' ? set_end(at) : at;
        bool is_bare = *at == '\\' && (at[1] == '\0' || strchr(BLANKS, at[1]) != NULL);
        if (end == NULL || is_bare)
            return at;
        at = *at == '\\' ? at + 1 : end;
    }
    return NULL;
}

static bool glob_matches(const struct glob_pattern *pattern, const char *name, size_t length)
{
    switch (pattern->form) {
    case GLOB_EXACT:
        return strcmp(name, pattern->text) == 0;
    case GLOB_BEGINS:
        return strncmp(name, pattern->text, pattern->length) == 0;
    case GLOB_ENDS:
        return length >= pattern->length &&
               memcmp(name + length - pattern->length, pattern->text, pattern->length) == 0;
    case GLOB_HOLDS:
        return strstr(name, pattern->text) != NULL;
    case GLOB_ANY:
        break;
    }
    return fnmatch(pattern->text, name, 0) == 0;
}

bool globs_match(const struct globs *globs, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < globs->count; i++)
        if (glob_matches(&globs->pattern[i], name, length))
            return true;
    return false;
}

void globs_free(struct globs *globs)
{
    if (globs == NULL)
        return;
    free(globs->pattern);
    free(globs->words);
    free(globs);
}
