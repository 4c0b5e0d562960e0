/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/syslog_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { PRI_MAX = 16, HOST_MAX = 255, EPOCH_DIGITS = 10 };

/* 9: a digit; _: a digit or a blank; A, a: a letter; others themselves. */
static const char *const dates[] = {
    "Aaa _9 99:99:99",         /* RFC 3164; journalctl's short and short-precise */
    "Aaa _9 9999 99:99:99",    /* with a year, as some devices have it */
    "9999 Aaa _9 99:99:99",    /* syslog-ng's ts-format(full) */
    "9999-99-99T99:99:99",     /* RFC 3339; journalctl's short-iso */
    "9999-99-99 99:99:99",     /* the same, for people */
    "Aaa 9999-99-99 99:99:99", /* journalctl's short-full, with a zone's name after it */
};

static bool fits_form(char byte, char pattern)
{
    switch (pattern) {
    case '9':
        return isdigit((unsigned char)byte);
    case '_':
        return byte == ' ' || isdigit((unsigned char)byte);
    case 'A':
        return isupper((unsigned char)byte);
    case 'a':
        return islower((unsigned char)byte);
    default:
        return byte == pattern;
    }
}

/* What comes after a date at `at`; NULL when there is none. */
static const char *after_date(const char *at, const char *date)
{
    for (; *date != '\0'; date++, at++)
        if (!fits_form(*at, *date)) /* a NUL fits nothing */
            return NULL;
    return at;
}

static const char *after_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

/* +00:00, +0000 or +00 */
static const char *after_offset(const char *at)
{
    static const char *const offsets[] = {"99:99", "9999", "99"};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const char *rest = after_date(at + 1, offsets[i]);
        if (rest != NULL)
            return rest;
    }
    return at;
}

/* Fraction, offset or name of a zone, as far as they are there. */
static const char *after_zone(const char *at)
{
    if ((*at == '.' || *at == ',') && isdigit((unsigned char)at[1]))
        at = after_digits(at + 1);
    if (*at == 'Z')
        return at + 1;
    if (*at == '+' || *at == '-')
        return after_offset(at);
    size_t name = *at == ' ' ? strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") : 0;
    return name >= 3 && name <= 5 && at[1 + name] == ' ' ? at + 1 + name : at;
}

/* Seconds: since the Epoch, as journalctl's short-unix and syslog-ng's UNIXTIME have them, or since
 * the boot, as its short-monotonic: 1763776639.5, 1763776639, [   12.345678] */
static const char *after_seconds(const char *at)
{
    bool bracket = *at == '[';
    at += bracket;
    if (bracket)
        at += strspn(at, " ");
    const char *end = after_digits(at);
    if (*end == '.' && end > at && isdigit((unsigned char)end[1]))
        end = after_digits(end + 1);
    else if (bracket || end - at < EPOCH_DIGITS)
        return NULL;
    if (!bracket)
        return end;
    return *end == ']' ? end + 1 : NULL;
}

static const char *after_timestamp(const char *at)
{
    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        const char *rest = after_date(at, dates[i]);
        if (rest != NULL)
            return after_zone(rest);
    }
    return *at == '-' ? at + 1 : after_seconds(at); /* RFC 5424: "-" is not known */
}

/* "<14>", and the version "1 " of RFC 5424. */
static const char *after_priority(const char *at)
{
    size_t length = *at == '<' ? strcspn(at, "> ") : 0;
    if (length == 0 || length > PRI_MAX || at[length] != '>')
        return at;
    at += length + 1;
    return at[0] == '1' && at[1] == ' ' ? at + 2 : at;
}

/* A host's name and its blank. "sshd[12]:" is a program's, where a log has no hosts. */
static const char *after_host(const char *at)
{
    size_t length = strcspn(at, " ");
    if (length == 0 || length > HOST_MAX || at[length] != ' ' || at[length - 1] == ':')
        return NULL;
    return at + length + 1;
}

const char *syslog_line_program(const char *line, const char *prefix)
{
    size_t length = strlen(prefix);
    const char *at = after_priority(line);
    if (strncmp(at, prefix, length) == 0)
        return at;
    at = after_timestamp(at);
    if (at == NULL || *at != ' ')
        return NULL;
    if (strncmp(++at, prefix, length) == 0)
        return at;
    at = after_host(at);
    return at != NULL && strncmp(at, prefix, length) == 0 ? at : NULL;
}
