/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes secrets out of command lines by the rules of [redact] (jobtrail.conf(5)). A rule gives the
 * names, options, words or forms that announce a secret, as KIND:TEXT. VALUE is taken out:
 *
 *     name:NAME            NAME=VALUE, --NAME=VALUE, --NAME VALUE, NAME: VALUE, "NAME": "VALUE";
 *                          matched in lower case, then, where no rule matches, as it is
 *     option:PROGRAM:-X    -XVALUE and -X VALUE, after a word that is PROGRAM; where no rule
 *                          matches the whole word, by the rule for its shortest beginning
 *     option:PROGRAM:--X   --X=VALUE and --X VALUE
 *     before:WORD          WORD VALUE; the word is matched in lower case
 *     word:WORD            the word itself: letters, digits, "_", "-", "." and bytes beyond ASCII
 *     url:SCHEME           SCHEME://USER:VALUE@..., and a user of 16 bytes and more, who may be a
 *                          token; the scheme is matched in lower case
 *     block:LABEL          what follows "-----BEGIN LABEL-----", up to "-----END"; in lower case
 *
 * A value that begins an argument ends with the argument, another value ends at a blank or a quote.
 * In doubt more is taken out. The time is linear in the length of the text, whatever the text and
 * the rules. Redacting a redacted text changes nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/policy/policy_read.h"

/* What is put in the place of what is taken out. */
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
    uint32_t after[REDACT_KINDS]; /* the state after each kind; POLICY_DEAD: no rule is of it */
    bool has_rules;
    /* Called with each rule by which something is taken out, unless NULL. */
    void (*note)(void *context, const struct policy_rule *rule);
    void *context;
};

/* Gets ready to apply the rules of `policy`, which is usable and must outlive the redactor; NULL:
 * no rules. */
void redactor_make(const void *policy, struct redactor *redactor);

/* Takes secrets out of `size` bytes at `text`: arguments, each with a NUL after it, which the last
 * one may lack; or one text, such as NAME=VALUE. Returns 0: there is nothing to take out; 1: `*out`
 * is the text without it, malloc'ed, of `*out_size` bytes, with a last NUL where `text` has one; or
 * -ENOMEM. */
int redact(const struct redactor *redactor, const char *text, size_t size, char **out,
           size_t *out_size);
