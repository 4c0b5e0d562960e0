/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One pass over the text, word by word. Each byte is read a bounded number of times: a word in one
 * walk through the automaton for each kind, the blanks after it once more. What a look ahead has
 * passed is either taken out or remembered (scan.no_at).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "conf/redact_scan.h"

const char *const redact_kinds[REDACT_KINDS] = {
    [REDACT_NAME] = "name:", [REDACT_OPTION] = "option:", [REDACT_BEFORE] = "before:",
    [REDACT_WORD] = "word:", [REDACT_URL] = "url:",       [REDACT_BLOCK] = "block:",
};

/* Labels of blocks are shorter. */
enum { LABEL_MAX = 64 };

const unsigned char redact_byte_kinds[256] = {
    [1 ... ' '] = BYTE_BLANK,  ['0' ... '9'] = BYTE_WORD,   ['A' ... 'Z'] = BYTE_WORD,
    ['a' ... 'z'] = BYTE_WORD, ['_'] = BYTE_WORD,           ['-'] = BYTE_WORD,
    ['.'] = BYTE_WORD,         [0x80 ... 0xff] = BYTE_WORD, ['"'] = BYTE_QUOTE,
    ['\''] = BYTE_QUOTE,       ['`'] = BYTE_QUOTE,          [';'] = BYTE_BREAK,
    ['|'] = BYTE_BREAK,        ['&'] = BYTE_BREAK,          ['('] = BYTE_BREAK,
    [')'] = BYTE_BREAK,        ['{'] = BYTE_BREAK,          ['}'] = BYTE_BREAK,
    ['<'] = BYTE_BREAK,        ['>'] = BYTE_BREAK,          ['['] = BYTE_BREAK,
    [']'] = BYTE_BREAK,        [','] = BYTE_BREAK,          ['?'] = BYTE_BREAK,
};

static size_t end_of_quoted(const struct redact_scan *scan, size_t at, char quote)
{
    while (at < scan->end && scan->text[at] != quote)
        at += scan->text[at] == '\\' ? 2 : 1;
    return at < scan->end ? at : scan->end;
}

/* The offset after a backslash that is in front of a quote; `at` where there is none. */
static size_t skip_backslash(const struct redact_scan *scan, size_t at)
{
    return at + (byte_at(scan, at) == '\\' && kind_at(scan, at + 1) == BYTE_QUOTE);
}

static size_t skip_blanks(const struct redact_scan *scan, size_t at)
{
    while (at < scan->end && kind_at(scan, at) == BYTE_BLANK)
        at++;
    return at;
}

static void append_bytes(struct redact_scan *scan, const char *bytes, size_t size)
{
    if (scan->has_failed || size == 0)
        return;
    if (scan->room - scan->used < size &&
        GROW_TO(scan->out, scan->room, scan->used + size + scan->size + 64) != 0) {
        scan->has_failed = true;
        return;
    }
    memcpy(scan->out + scan->used, bytes, size);
    scan->used += size;
}

/* Replaces the bytes `from` up to `to`, by `rule`. Returns `to`. */
static size_t redact_hide(struct redact_scan *scan, size_t from, size_t to,
                          const struct policy_rule *rule)
{
    static const size_t length = sizeof REDACTED - 1;
    scan->prior = BYTE_BREAK;
    if (from >= to || (to - from == length && memcmp(scan->text + from, REDACTED, length) == 0))
        return to;
    append_bytes(scan, scan->text + scan->copied, from - scan->copied);
    append_bytes(scan, REDACTED, length);
    scan->copied = to;
    if (scan->redactor->note != NULL)
        scan->redactor->note(scan->redactor->context, rule);
    return to;
}

/* ---- URLs ------------------------------------------------------------------------------------ */

/* A user of that many bytes may be a token. */
enum { TOKEN_MIN = 16 };

static bool is_number(const struct redact_scan *scan, size_t from, size_t to)
{
    while (from < to && scan->text[from] >= '0' && scan->text[from] <= '9')
        from++;
    return from == to;
}

/* The last '@' from `from` to `to`; `to`: there is none. */
static size_t last_at(const struct redact_scan *scan, size_t from, size_t to)
{
    const char *found = memrchr(scan->text + from, '@', to - from);
    return found == NULL ? to : (size_t)(found - scan->text);
}

/* Where the password at `from` ends in a URL whose host ends at `to`; 0: it is no password but a
 * port. A password should have no slash; one that has is known by a byte that is no digit. */
static size_t end_of_password(struct redact_scan *scan, size_t from, size_t to)
{
    size_t at = last_at(scan, from, to);
    if (at < to)
        return at;
    if (to < scan->no_at || is_number(scan, from, to))
        return 0;
    size_t end = end_of_value(scan, to);
    at = last_at(scan, to, end);
    if (at < end)
        return at;
    scan->no_at = end;
    return 0;
}

/* Whether a URL's user may be a token; false for one that has been redacted in part. */
static bool may_be_token(const struct redact_scan *scan, size_t from, size_t to)
{
    return to - from >= TOKEN_MIN &&
           memmem(scan->text + from, to - from, REDACTED, strlen(REDACTED)) == NULL;
}

/* Redacts a URL; `word` is the offset of its "://": USER:PASSWORD@HOST, TOKEN@HOST or
 * TOKEN:ANY@HOST may follow, and IMAGE@DIGEST is none of them. Returns where to go on. */
static size_t redact_url(struct redact_scan *scan, size_t word, const struct policy_rule *rule)
{
    size_t from = word + strlen("://"), to = from;
    while (to < scan->end && strchr("/?#", scan->text[to]) == NULL &&
           kind_at(scan, to) != BYTE_BLANK && kind_at(scan, to) != BYTE_QUOTE)
        to++;
    const char *colon = memchr(scan->text + from, ':', to - from);
    size_t user = colon == NULL ? to : (size_t)(colon - scan->text);
    size_t password = colon == NULL ? 0 : end_of_password(scan, user + 1, to);
    if (password != 0) {
        if (may_be_token(scan, from, user))
            redact_hide(scan, from, user, rule);
        return redact_hide(scan, user + 1, password, rule);
    }
    /* the first '@': what is taken out of the rest does not move it */
    const char *sign = memchr(scan->text + from, '@', user - from);
    size_t at = sign == NULL ? from : (size_t)(sign - scan->text);
    if (!may_be_token(scan, from, at) || is_at(scan, at + 1, "sha256:") ||
        is_at(scan, at + 1, "sha512:"))
        return word;
    return redact_hide(scan, from, at, rule);
}

/* "--NAME" or "-X": such an argument is no value of the option before it. */
static bool looks_like_option(const struct redact_scan *scan, size_t at)
{
    if (byte_at(scan, at) != '-')
        return false;
    char second = byte_at(scan, at + 1), third = byte_at(scan, at + 2);
    if (second == '-')
        return redact_byte_kinds[(unsigned char)third] == BYTE_WORD && third != '-';
    return redact_byte_kinds[(unsigned char)second] == BYTE_WORD &&
           kind_at(scan, at + 2) == BYTE_BLANK;
}

/* Takes out the word after the blanks, quotes and commas at `at`, or the next argument. */
static size_t redact_next(struct redact_scan *scan, size_t at, const struct policy_rule *rule)
{
    char quote = '\0';
    for (; at < scan->end; at++) {
        enum byte_kind kind = kind_at(scan, at);
        if (kind == BYTE_QUOTE)
            quote = scan->text[at];
        else if (kind == BYTE_BLANK)
            quote = '\0';
        else if (scan->text[at] != ',')
            break;
    }
    scan->prior = BYTE_BLANK;
    if (at == scan->end)
        scan->pending = rule;
    else if (!looks_like_option(scan, at))
        return redact_hide(scan, at,
                           quote == '\0' ? end_of_value(scan, at) : end_of_quoted(scan, at, quote),
                           rule);
    return at;
}

/* Takes out a value that may have quotes of its own, which stay. */
static size_t redact_value(struct redact_scan *scan, size_t at, const struct policy_rule *rule)
{
    size_t quote = skip_backslash(scan, at);
    if (quote < scan->end && kind_at(scan, quote) == BYTE_QUOTE)
        return redact_hide(scan, quote + 1, end_of_quoted(scan, quote + 1, scan->text[quote]),
                           rule);
    return redact_hide(scan, at, end_of_value(scan, at), rule);
}

/* Redacts a header's value, which ends with the line or with the quotes that it is in. */
static size_t redact_header(struct redact_scan *scan, size_t at, const struct policy_rule *rule)
{
    size_t to = at;
    if (kind_at(scan, at) == BYTE_QUOTE)
        return redact_value(scan, at, rule);
    while (to < scan->end && scan->text[to] != '\n' && kind_at(scan, to) != BYTE_QUOTE)
        to++;
    return redact_hide(scan, at, to, rule);
}

/* The '=' or ':' that assigns a value to the name that ends at `at`, maybe after a quote and
 * blanks; 0: there is none. `is_start`: the name is at the start of a word or option. */
static size_t find_separator(const struct redact_scan *scan, size_t at, bool is_start)
{
    size_t sign = skip_backslash(scan, at);
    sign = skip_blanks(scan, sign + (sign < scan->end && kind_at(scan, sign) == BYTE_QUOTE));
    char byte = byte_at(scan, sign);
    if (byte == '=')
        return sign;
    if (byte != ':' || is_at(scan, sign, "://"))
        return 0;
    size_t next = skip_backslash(scan, sign + 1);
    enum byte_kind behind = kind_at(scan, next);
    /* a colon in a list of paths assigns nothing */
    return behind == BYTE_BLANK || behind == BYTE_QUOTE || (is_start && sign == at) ? sign : 0;
}

/* Redacts the value after the separator `sign` of the word at `from`. */
static size_t redact_assigned(struct redact_scan *scan, size_t from, size_t to, size_t sign,
                              const struct policy_rule *rule)
{
    bool is_colon = scan->text[sign] == ':', is_adjacent = sign == to;
    size_t at = is_colon || !is_adjacent ? skip_blanks(scan, sign + 1) : sign + 1;
    if (at == scan->end && (is_colon || !is_adjacent)) {
        scan->pending = rule;
        return at;
    }
    if (from == scan->begin && is_adjacent)
        return redact_hide(scan, at, scan->end, rule);
    if (is_colon && at > sign + 1)
        return redact_header(scan, at, rule);
    return redact_value(scan, at, rule);
}

static bool is_of_label(char byte)
{
    return byte == ' ' || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z');
}

/* Redacts a block "-----BEGIN LABEL-----"; `at` is after BEGIN. Returns where to go on. */
static size_t redact_block(struct redact_scan *scan, size_t at)
{
    static const char *const dashes = "-----", *const close = "-----END";
    size_t end_of_label = at, from;
    while (end_of_label - at < LABEL_MAX && is_of_label(byte_at(scan, end_of_label)))
        end_of_label++;
    if (byte_at(scan, at) != ' ' || !is_at(scan, end_of_label, dashes))
        return at;
    const struct policy_rule *rule = redact_match_lower(scan, REDACT_BLOCK, at + 1, end_of_label);
    if (rule == NULL)
        return at;
    from = end_of_label + strlen(dashes);
    const char *end = memmem(scan->text + from, scan->end - from, close, strlen(close));
    return redact_hide(scan, from, end == NULL ? scan->end : (size_t)(end - scan->text), rule);
}

/* Redacts the value of "-X", or of a bundle "-aX", after a program that has a rule for it; the word
 * ends at `to`. Returns where to go on; 0: there is no such rule. */
static size_t redact_short_option(struct redact_scan *scan, size_t from, size_t to)
{
    size_t value;
    const struct policy_rule *rule = redact_match_option(scan, from, to, &value);
    if (rule == NULL)
        return 0;
    bool is_quoted = kind_at(scan, value) == BYTE_QUOTE && from > scan->begin &&
                     scan->text[from - 1] == scan->text[value]; /* as in ["-X", "VALUE"] */
    if (is_quoted || kind_at(scan, value) == BYTE_BLANK)
        return redact_next(scan, value, rule);
    if (from == scan->begin)
        return redact_hide(scan, value, scan->end, rule);
    return redact_value(scan, value, rule);
}

/* Redacts what follows an option, or a word before a secret; the word ends at `to`. Returns where
 * to go on. */
static size_t redact_introduced(struct redact_scan *scan, size_t from, size_t to)
{
    enum byte_kind behind = kind_at(scan, to);
    const struct policy_rule *rule = NULL;
    if (behind != BYTE_BLANK && behind != BYTE_QUOTE)
        return to;
    if (scan->text[from] == '-')
        rule = redact_match_named(scan, from, to);
    if (rule == NULL)
        rule = redact_match_lower(scan, REDACT_BEFORE, from, to);
    return rule == NULL ? to : redact_next(scan, to, rule);
}

/* Looks at the word from `from` to `to`. Returns where to go on. */
static size_t redact_word(struct redact_scan *scan, size_t from, size_t to)
{
    bool is_start = scan->prior != BYTE_OTHER;
    const struct policy_rule *rule = redact_match(scan, REDACT_WORD, from, to);
    scan->prior = BYTE_WORD;
    if (rule != NULL)
        return redact_hide(scan, from, to, rule);
    if (is_at(scan, from, "-----BEGIN") && to - from == strlen("-----BEGIN"))
        return redact_block(scan, to);
    if (is_at(scan, to, "://") && (rule = redact_match_lower(scan, REDACT_URL, from, to)) != NULL)
        return redact_url(scan, to, rule);
    bool is_option = is_start && to - from >= 2 && scan->text[from] == '-';
    bool is_short = is_option && scan->text[from + 1] != '-';
    size_t next = is_short ? redact_short_option(scan, from, to) : 0;
    if (next != 0)
        return next;
    size_t sign = find_separator(scan, to, is_start);
    if (sign != 0)
        return (rule = redact_match_named(scan, from, to)) == NULL
                   ? to
                   : redact_assigned(scan, from, to, sign, rule);
    if (scan->text[from] != '-' && (is_start || scan->text[from - 1] == '/') &&
        kind_at(scan, to) != BYTE_OTHER)
        redact_note_program(scan, from, to);
    return is_option || is_start ? redact_introduced(scan, from, to) : to;
}

static void redact_argument(struct redact_scan *scan)
{
    const struct policy_rule *pending = scan->pending;
    size_t at = scan->begin;
    scan->pending = NULL;
    scan->prior = BYTE_BREAK;
    if (pending != NULL && !looks_like_option(scan, at))
        at = redact_hide(scan, at, scan->end, pending);
    while (at < scan->end) {
        enum byte_kind kind = kind_at(scan, at);
        size_t word = at;
        if (scan->text[at] == '[' && is_at(scan, at, REDACTED)) {
            scan->prior = BYTE_BREAK;
            at += strlen(REDACTED);
        } else if (kind != BYTE_WORD) {
            scan->prior = kind;
            at++;
        } else {
            while (at < scan->end && kind_at(scan, at) == BYTE_WORD)
                at++;
            at = redact_word(scan, word, at);
        }
    }
}

void redactor_make(const void *policy, struct redactor *redactor)
{
    *redactor = (struct redactor){.has_rules = false};
    if (policy == NULL || !policy_find(policy, POLICY_REDACT, &redactor->table))
        return;
    for (int i = 0; i < REDACT_KINDS; i++) {
        redactor->after[i] = policy_walk(&redactor->table, redactor->table.dfa->start,
                                         redact_kinds[i], strlen(redact_kinds[i]));
        redactor->has_rules |= redactor->after[i] != POLICY_DEAD;
    }
}

int redact(const struct redactor *redactor, const char *text, size_t size, char **out,
           size_t *out_size)
{
    struct redact_scan scan = {.redactor = redactor, .text = text, .size = size};
    if (!redactor->has_rules || text == NULL)
        return 0;
    while (scan.begin < size) {
        scan.end = scan.begin + strnlen(text + scan.begin, size - scan.begin);
        redact_argument(&scan);
        scan.begin = scan.end + 1;
    }
    if (scan.out != NULL)
        append_bytes(&scan, text + scan.copied, size - scan.copied);
    if (scan.has_failed) {
        free(scan.out);
        return -ENOMEM;
    }
    if (scan.out == NULL)
        return 0;
    *out = scan.out;
    *out_size = scan.used;
    return 1;
}
