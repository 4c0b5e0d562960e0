/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Taking secrets out of command lines, by the rules of [redact] (jobtrail.conf(5)): they say which
 * names, options, words and forms stand for one, as KIND:TEXT:
 *
 *     name:NAME            NAME=VALUE, --NAME=VALUE, --NAME VALUE, NAME: VALUE, "NAME": "VALUE";
 *                          the name is matched in lower case, and where no rule matches as it is
 *     option:PROGRAM:-X    -XVALUE and -X VALUE, behind a word with that PROGRAM; where no rule
 *                          matches the word as a whole, its shortest beginning that one matches
 *     option:PROGRAM:--X   --X=VALUE and --X VALUE
 *     before:WORD          WORD VALUE; the word is matched in lower case
 *     word:WORD            the word itself: letters, digits, "_", "-", "." and what is no ASCII
 *     url:SCHEME           SCHEME://USER:VALUE@..., and a user of 16 bytes and more, who may be a
 *                          token; the scheme is matched in lower case
 *     block:LABEL          what follows "-----BEGIN LABEL-----", up to "-----END"; in lower case
 *
 * A value that begins an argument goes on to the end of the argument, others to a blank or a quote.
 * In doubt too much is taken out. The time is linear in the text's length, whatever the text and
 * the rules, and what is redacted does not change when it is redacted again.
 */
#ifndef JOBTRAIL_REDACT_H
#define JOBTRAIL_REDACT_H

#include <stddef.h>
#include <stdint.h>

#include "conf/policy/policy_read.h"

/* What stands where something was. */
#define REDACTED "[redacted]"

/* A text of `size` bytes has at the most `size` times that many bytes when it is redacted. */
enum { REDACT_GROWTH = sizeof REDACTED - 1 };

enum redact_kind {
    REDACT_NAME,
    REDACT_OPTION,
    REDACT_BEFORE,
    REDACT_WORD,
    REDACT_URL,
    REDACT_BLOCK,
    REDACT_KINDS
};

/* "name:", "option:", ... */
extern const char *const redact_kinds[REDACT_KINDS];

struct redactor {
    struct policy_table table;
    uint32_t after[REDACT_KINDS]; /* the state behind each kind; POLICY_DEAD: no rule is of it */
    int usable;                   /* there are rules */
    /* Told each rule by which something is taken out, unless NULL. */
    void (*note)(void *context, const struct policy_rule *rule);
    void *context;
};

/* Gets ready to apply the rules of `policy`, which is usable and must outlive the redactor; NULL:
 * no rules. */
void redactor_make(const void *policy, struct redactor *redactor);

/* Takes secrets out of `size` bytes at `text`: arguments, each with a NUL behind it, which the last
 * one may lack; or one text, such as NAME=VALUE. Returns 0: there is nothing to take out; 1: `*out`
 * is the text without it, malloc'ed, of `*out_size` bytes, not terminated by more than `text` was;
 * or -ENOMEM. */
int redact(const struct redactor *redactor, const char *text, size_t size, char **out,
           size_t *out_size);

#endif
