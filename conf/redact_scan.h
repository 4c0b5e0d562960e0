/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A text that is being redacted: what its bytes are, and the cursors over it. For redact*.c alone.
 * Offsets are from the start of the text.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "conf/redact.h"

/* What a byte is in a command line. */
enum byte_kind {
    BYTE_OTHER, /* part of a value, not of a word */
    BYTE_WORD,
    BYTE_BLANK,
    BYTE_QUOTE,
    BYTE_BREAK, /* an option or a program may follow it, as after a blank */
};

extern const unsigned char redact_byte_kinds[256]; /* enum byte_kind */

enum { REDACT_PROGRAMS_MAX = 16 };

struct redact_scan {
    const struct redactor *redactor;
    const char *text;
    size_t size;
    size_t begin, end;                     /* of the current argument */
    enum byte_kind prior;                  /* of the byte before the current word */
    size_t no_at;                          /* no '@' before this offset belongs to a URL */
    const struct policy_rule *pending;     /* takes out the next argument; NULL: none does */
    uint32_t program[REDACT_PROGRAMS_MAX]; /* states after "option:PROGRAM:" of words so far */
    unsigned programs;
    char *out; /* owned; NULL: nothing has been taken out */
    size_t used, room;
    size_t copied; /* of `text` into `out` */
    bool has_failed;
};

static inline enum byte_kind kind_at(const struct redact_scan *scan, size_t at)
{
    return at < scan->end ? redact_byte_kinds[(unsigned char)scan->text[at]] : BYTE_BLANK;
}

static inline char byte_at(const struct redact_scan *scan, size_t at)
{
    return at < scan->end ? scan->text[at] : '\0';
}

static inline bool is_at(const struct redact_scan *scan, size_t at, const char *word)
{
    size_t length = strlen(word);
    return scan->end - at >= length && memcmp(scan->text + at, word, length) == 0;
}

/* The next byte from `at` on that is blank or a quote; a backslash takes the meaning from it. */
static inline size_t end_of_value(const struct redact_scan *scan, size_t at)
{
    while (at < scan->end && kind_at(scan, at) != BYTE_BLANK && kind_at(scan, at) != BYTE_QUOTE)
        at += scan->text[at] == '\\' ? 2 : 1;
    return at < scan->end ? at : scan->end;
}

/* The rules of these return NULL where no rule hides. */

/* The rule for the text from `from` to `to`; redact_match_lower() matches it in lower case. */
const struct policy_rule *redact_match(const struct redact_scan *scan, enum redact_kind kind,
                                       size_t from, size_t to);
const struct policy_rule *redact_match_lower(const struct redact_scan *scan, enum redact_kind kind,
                                             size_t from, size_t to);

/* The rule for the option that the word from `from` to `to` is, of a program seen so far. Where no
 * rule matches the whole word and it has one dash, the rule for its shortest beginning that has
 * one. `*end`: where the option ends. */
const struct policy_rule *redact_match_option(const struct redact_scan *scan, size_t from,
                                              size_t to, size_t *end);

/* The rule for a word that names a value: by its name, or as a program's "--NAME". */
const struct policy_rule *redact_match_named(const struct redact_scan *scan, size_t from,
                                             size_t to);

/* Remembers the word as a program where there are rules for its options. */
void redact_note_program(struct redact_scan *scan, size_t from, size_t to);
