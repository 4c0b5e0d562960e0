/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/witness_words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* UINT32_MAX has so many digits. */
enum { DIGITS_MAX = 10 };

bool witness_level_is_known(const char *text)
{
    static const char *const levels[] = {"objects", "ends", "none", "off"};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (strcmp(text, levels[i]) == 0)
            return true;
    return false;
}

/* What is behind "NAME=" of one of the causes from `*at` on; NULL: it is none. */
static const char *pass_cause(const char *text, size_t *at)
{
    static const char *const causes[] = {
#define WITNESS_CAUSE(verdict, name) #name "=",
#include "submit/definition/witness_causes.def"
    };
    while (*at < sizeof causes / sizeof causes[0]) {
        const char *cause = causes[(*at)++];
        if (strncmp(text, cause, strlen(cause)) == 0)
            return text + strlen(cause);
    }
    return NULL;
}

bool witness_causes_are_known(const char *text)
{
    size_t at = 0;
    while (*text != '\0') {
        text = pass_cause(text, &at);
        size_t digits = text == NULL ? 0 : strspn(text, "0123456789");
        if (digits == 0 || digits > DIGITS_MAX || strtoull(text, NULL, 10) > UINT32_MAX)
            return false;
        text += digits;
        if (*text == ' ' && text[1] != '\0')
            text++;
        else if (*text != '\0')
            return false;
    }
    return true;
}
