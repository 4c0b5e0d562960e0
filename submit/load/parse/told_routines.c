/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/told_routines.h"

#include <stdlib.h>
#include <string.h>

/* ROUTINES, NAME: as contrib/profile/record/profile_record.h has them. DIGITS: of a number below
 * 2^63. SLACK_S: seconds are rounded to six decimals each. */
enum { ROUTINES = 16, NAME = 40, DIGITS = 18 };
#define SLACK_S 1e-3

static const char digits[] = "0123456789";

/* Takes a whole number of at most `most`, and the byte `end` behind it. Moves `text` there. */
static bool take_count(const char **text, char end, int64_t most)
{
    const size_t length = strspn(*text, digits);
    if (length == 0 || length > DIGITS || (*text)[length] != end || atoll(*text) > most)
        return false;
    *text += length + (end != '\0');
    return true;
}

static bool take_seconds(const char **text, double *seconds)
{
    const size_t whole = strspn(*text, digits);
    size_t length = whole;
    if ((*text)[length] == '.')
        length += 1 + strspn(*text + length + 1, digits);
    if (whole == 0 || length > 2 * DIGITS || (*text)[length] != ':')
        return false;
    *seconds = strtod(*text, NULL);
    *text += length + 1;
    return true;
}

static bool take_name(const char **text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    const size_t length = strspn(*text, letters);
    if (length == 0 || length >= NAME || (*text)[length] != '=')
        return false;
    *text += length + 1;
    return true;
}

static bool take_routine(const char **text, char end, const struct told_routines_most *most,
                         double *seconds)
{
    return take_name(text) && take_count(text, ':', most->calls) && take_seconds(text, seconds) &&
           take_count(text, end, most->open);
}

bool told_routines_are_sound(const char *text, const struct told_routines_most *most)
{
    double sum = 0;
    for (int count = 0; *text != '\0'; count++) {
        double seconds;
        const char end = strchr(text, ' ') == NULL ? '\0' : ' ';
        if (count == ROUTINES || !take_routine(&text, end, most, &seconds) ||
            (end == ' ' && *text == '\0'))
            return false;
        sum += seconds;
    }
    return sum <= most->seconds + SLACK_S;
}
