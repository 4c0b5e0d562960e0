/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/automaton/pattern_set.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

int pattern_fault(struct pattern_error *why, size_t offset, const char *reason, const char *hint)
{
    *why = (struct pattern_error){offset, reason, hint};
    return -EINVAL;
}

/* The classes of the C locale, whatever the locale of the program is. */
static const struct byte_class {
    const char *name;
    struct {
        unsigned char first, last;
    } range[4]; /* unused ones are zeros */
} byte_class[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"blank", {{' ', ' '}, {'\t', '\t'}}},
    {"cntrl", {{1, 31}, {127, 127}}},
    {"digit", {{'0', '9'}}},
    {"graph", {{33, 126}}},
    {"lower", {{'a', 'z'}}},
    {"print", {{32, 126}}},
    {"punct", {{33, 47}, {58, 64}, {91, 96}, {123, 126}}},
    {"space", {{' ', ' '}, {'\t', '\r'}}},
    {"upper", {{'A', 'Z'}}},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}}},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

/* Adds the class of that name. Returns whether there is one. */
static bool add_class(struct byte_set *set, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof byte_class / sizeof *byte_class; i++) {
        const struct byte_class *class = &byte_class[i];
        if (strlen(class->name) != length || memcmp(class->name, name, length) != 0)
            continue;
        for (size_t k = 0; k < 4 && class->range[k].last != 0; k++)
            byte_set_add(set, class->range[k].first, class->range[k].last);
        return true;
    }
    return false;
}

/* \d \w \s and their complements. Returns whether `letter` is one of them. */
static bool add_letter_class(struct byte_set *set, char letter)
{
    static const char *const names[] = {"digit", "word", "space"};
    static const char letters[] = "dws";
    const char *found = strchr(letters, tolower((unsigned char)letter));
    if (found == NULL)
        return false;
    const char *name = names[found - letters];
    add_class(set, name, strlen(name));
    if (isupper((unsigned char)letter))
        byte_set_invert(set);
    return true;
}

static unsigned hex_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    return (unsigned)(strchr(digits, tolower((unsigned char)digit)) - digits);
}

static int hex_escape(const char *text, size_t *at, struct byte_set *set, struct pattern_error *why)
{
    const char *digit = text + *at + 2;
    if (!isxdigit((unsigned char)digit[0]) || !isxdigit((unsigned char)digit[1]))
        return pattern_fault(why, *at, "\\x without two hexadecimal digits", "write \\xHH");
    unsigned byte = hex_value(digit[0]) * 16 + hex_value(digit[1]);
    byte_set_add(set, byte, byte);
    *at += 4;
    return 0;
}

int pattern_set_escape(const char *text, size_t *at, struct byte_set *set,
                       struct pattern_error *why)
{
    static const char controls[] = "tnrfv";
    static const char meaning[] = "\t\n\r\f\v";
    char letter = text[*at + 1];
    *set = (struct byte_set){0};
    if (letter == '\0')
        return pattern_fault(why, *at, "nothing after the backslash", "write \\\\ for a backslash");
    if (letter == 'x')
        return hex_escape(text, at, set, why);
    if (isdigit((unsigned char)letter))
        return pattern_fault(why, *at, "a back reference", "write out what it refers to");
    if (strchr("bBAZzG<>", letter) != NULL)
        return pattern_fault(why, *at, "an anchor; a pattern matches the whole text", "remove it");
    const char *control = strchr(controls, letter);
    if (control != NULL)
        letter = meaning[control - controls];
    else if (isalpha((unsigned char)letter) && !add_letter_class(set, letter))
        return pattern_fault(why, *at, "unknown escape", "remove the backslash");
    if (control != NULL || !isalpha((unsigned char)letter))
        byte_set_add(set, (unsigned char)letter, (unsigned char)letter);
    *at += 2;
    return 0;
}

static int named_class(const char *text, size_t *at, struct byte_set *set,
                       struct pattern_error *why)
{
    const char *name = text + *at + 2;
    const char *end = strstr(name, ":]");
    if (end == NULL || !add_class(set, name, (size_t)(end - name)))
        return pattern_fault(
            why, *at, "unknown class of bytes",
            "there is alnum, alpha, blank, cntrl, digit, graph, lower, print, punct, space, "
            "upper, word, xdigit");
    *at += (size_t)(end - name) + 4;
    return 0;
}

/* The single byte in `set`, or -1 when there are more. */
static int only_byte(const struct byte_set *set)
{
    int found = -1;
    for (unsigned byte = 0; byte < 256; byte++) {
        if (!byte_set_has(set, byte))
            continue;
        if (found >= 0)
            return -1;
        found = (int)byte;
    }
    return found;
}

/* One byte, escape or class within brackets. `*set` has one byte, or those of the class. */
static int bracket_item(const char *text, size_t *at, struct byte_set *set,
                        struct pattern_error *why)
{
    *set = (struct byte_set){0};
    if (text[*at] == '\\')
        return pattern_set_escape(text, at, set, why);
    if (text[*at] == '[' && text[*at + 1] == ':')
        return named_class(text, at, set, why);
    if (text[*at] == '[' && (text[*at + 1] == '.' || text[*at + 1] == '='))
        return pattern_fault(why, *at, "a collating element", "write the bytes themselves");
    byte_set_add(set, (unsigned char)text[*at], (unsigned char)text[*at]);
    ++*at;
    return 0;
}

static int bracket_range(const char *text, size_t *at, struct byte_set *set,
                         struct pattern_error *why)
{
    struct byte_set low, high;
    size_t start = *at;
    int error = bracket_item(text, at, &low, why);
    if (error != 0)
        return error;
    byte_set_unite(set, &low);
    if (text[*at] != '-' || text[*at + 1] == ']' || text[*at + 1] == '\0')
        return 0;
    ++*at;
    error = bracket_item(text, at, &high, why);
    if (error != 0)
        return error;
    int first = only_byte(&low);
    int last = only_byte(&high);
    if (first < 0 || last < 0)
        return pattern_fault(why, start, "a class at an end of a range", "write \\- for a hyphen");
    if (first > last)
        return pattern_fault(why, start, "the range ends before it starts",
                             "swap its ends, or write \\- for a hyphen");
    byte_set_add(set, (unsigned)first, (unsigned)last);
    return 0;
}

int pattern_set_bracket(const char *text, size_t *at, struct byte_set *set,
                        struct pattern_error *why)
{
    size_t start = *at;
    bool is_inverted = text[start + 1] == '^';
    size_t first = start + 1 + (size_t)is_inverted;
    *set = (struct byte_set){0};
    for (*at = first; text[*at] != ']' || *at == first;) {
        if (text[*at] == '\0')
            return pattern_fault(why, start, "'[' is not closed",
                                 "write \\[ for a bracket as such");
        int error = bracket_range(text, at, set, why);
        if (error != 0)
            return error;
    }
    ++*at;
    if (is_inverted)
        byte_set_invert(set);
    return 0;
}
