/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One pass over the text, word by word. Each byte is looked at a bounded number of times: a word by
 * one walk through the automaton for each kind, the blanks behind it once more, and what a look
 * ahead has passed is either taken out or remembered (`no_at`).
 */
#include "conf/redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const redact_kinds[REDACT_KINDS] = {
    [REDACT_NAME] = "name:", [REDACT_OPTION] = "option:", [REDACT_BEFORE] = "before:",
    [REDACT_WORD] = "word:", [REDACT_URL] = "url:",       [REDACT_BLOCK] = "block:",
};

/* Of longer names the end is matched; labels of blocks are shorter. */
enum { NAME_MAX_BYTES = 255, LABEL_MAX = 64, PROGRAMS_MAX = 16 };

/* A user in a URL that is as long as that may be a token. */
enum { TOKEN_MIN = 16 };

/* What a byte is in a command line. */
enum byte_kind {
    BYTE_OTHER, /* part of a value, but of no word */
    BYTE_WORD,
    BYTE_BLANK,
    BYTE_QUOTE,
    BYTE_BREAK, /* what follows it may be an option or a program, as behind a blank */
};

static const unsigned char kind_of[256] = {
    [1 ... ' '] = BYTE_BLANK,  ['0' ... '9'] = BYTE_WORD,   ['A' ... 'Z'] = BYTE_WORD,
    ['a' ... 'z'] = BYTE_WORD, ['_'] = BYTE_WORD,           ['-'] = BYTE_WORD,
    ['.'] = BYTE_WORD,         [0x80 ... 0xff] = BYTE_WORD, ['"'] = BYTE_QUOTE,
    ['\''] = BYTE_QUOTE,       ['`'] = BYTE_QUOTE,          [';'] = BYTE_BREAK,
    ['|'] = BYTE_BREAK,        ['&'] = BYTE_BREAK,          ['('] = BYTE_BREAK,
    [')'] = BYTE_BREAK,        ['{'] = BYTE_BREAK,          ['}'] = BYTE_BREAK,
    ['<'] = BYTE_BREAK,        ['>'] = BYTE_BREAK,          ['['] = BYTE_BREAK,
    [']'] = BYTE_BREAK,        [','] = BYTE_BREAK,          ['?'] = BYTE_BREAK,
};

/* A text being redacted. Offsets are from its start. */
struct scan {
    const struct redactor *redactor;
    const char *text;
    size_t size;
    size_t begin, end;                 /* of the argument that is looked at */
    enum byte_kind prior;              /* what is before the word that is looked at */
    size_t no_at;                      /* there is no '@' before it that belongs to a URL */
    const struct policy_rule *pending; /* takes out the next argument; NULL: none does */
    uint32_t program[PROGRAMS_MAX];    /* states behind "option:PROGRAM:" of words so far */
    unsigned programs;
    char *out; /* owned; NULL: nothing has been taken out */
    size_t used, room;
    size_t copied; /* of `text` into `out` */
    int failed;
};

static enum byte_kind kind_at(const struct scan *scan, size_t at)
{
    return at < scan->end ? kind_of[(unsigned char)scan->text[at]] : BYTE_BLANK;
}

static char byte_at(const struct scan *scan, size_t at)
{
    return at < scan->end ? scan->text[at] : '\0';
}

static int is_at(const struct scan *scan, size_t at, const char *word)
{
    size_t length = strlen(word);
    return scan->end - at >= length && memcmp(scan->text + at, word, length) == 0;
}

/* The next byte from `at` on that is blank or a quote; a backslash takes the sting out of one. */
static size_t end_of_value(const struct scan *scan, size_t at)
{
    while (at < scan->end && kind_at(scan, at) != BYTE_BLANK && kind_at(scan, at) != BYTE_QUOTE)
        at += scan->text[at] == '\\' ? 2 : 1;
    return at < scan->end ? at : scan->end;
}

static size_t end_of_quoted(const struct scan *scan, size_t at, char quote)
{
    while (at < scan->end && scan->text[at] != quote)
        at += scan->text[at] == '\\' ? 2 : 1;
    return at < scan->end ? at : scan->end;
}

/* Past the one in front of a quote. */
static size_t skip_backslash(const struct scan *scan, size_t at)
{
    return at + (byte_at(scan, at) == '\\' && kind_at(scan, at + 1) == BYTE_QUOTE);
}

static size_t skip_blanks(const struct scan *scan, size_t at)
{
    while (at < scan->end && kind_at(scan, at) == BYTE_BLANK)
        at++;
    return at;
}

static void append(struct scan *scan, const char *bytes, size_t size)
{
    if (scan->failed || size == 0)
        return;
    if (scan->room - scan->used < size) {
        size_t room = scan->used + size + scan->size + 64;
        char *grown = realloc(scan->out, room);
        if (grown == NULL) {
            scan->failed = 1;
            return;
        }
        scan->out = grown;
        scan->room = room;
    }
    memcpy(scan->out + scan->used, bytes, size);
    scan->used += size;
}

/* Takes out what is from `from` to `to`, by `rule`. Returns `to`. */
static size_t hide(struct scan *scan, size_t from, size_t to, const struct policy_rule *rule)
{
    static const size_t length = sizeof REDACTED - 1;
    scan->prior = BYTE_BREAK;
    if (from >= to || (to - from == length && memcmp(scan->text + from, REDACTED, length) == 0))
        return to;
    append(scan, scan->text + scan->copied, from - scan->copied);
    append(scan, REDACTED, length);
    scan->copied = to;
    if (scan->redactor->note != NULL)
        scan->redactor->note(scan->redactor->context, rule);
    return to;
}

static uint32_t walk_lower(const struct policy_table *table, uint32_t state, const char *text,
                           size_t length)
{
    for (size_t i = 0; i < length && state != POLICY_DEAD; i++) {
        char byte = text[i];
        if (byte >= 'A' && byte <= 'Z')
            byte = (char)(byte - 'A' + 'a');
        state = policy_walk(table, state, &byte, 1);
    }
    return state;
}

/* Whether a rule was found; of those, which ones hide. */
static const struct policy_rule *hiding(const struct policy_rule *rule)
{
    return rule != NULL && rule->action == POLICY_HIDE ? rule : NULL;
}

/* The rule that hides what the text from `from` to `to` stands for; NULL: none does. */
static const struct policy_rule *match_lower(const struct scan *scan, enum redact_kind kind,
                                             size_t from, size_t to)
{
    const struct policy_table *table = &scan->redactor->table;
    uint32_t state = scan->redactor->after[kind];
    return hiding(policy_verdict(table, walk_lower(table, state, scan->text + from, to - from)));
}

static const struct policy_rule *match(const struct scan *scan, enum redact_kind kind, size_t from,
                                       size_t to)
{
    const struct policy_table *table = &scan->redactor->table;
    uint32_t state = scan->redactor->after[kind];
    return hiding(policy_verdict(table, policy_walk(table, state, scan->text + from, to - from)));
}

/* The name is the word without the dashes in front. */
static const struct policy_rule *match_name(const struct scan *scan, size_t from, size_t to)
{
    const struct policy_table *table = &scan->redactor->table;
    uint32_t state = scan->redactor->after[REDACT_NAME];
    while (from < to && scan->text[from] == '-')
        from++;
    if (from == to)
        return NULL;
    if (to - from > NAME_MAX_BYTES)
        from = to - NAME_MAX_BYTES;
    const struct policy_rule *rule =
        policy_verdict(table, walk_lower(table, state, scan->text + from, to - from));
    return rule != NULL ? hiding(rule) : match(scan, REDACT_NAME, from, to);
}

/* The rule for the option that the word from `from` to `to` is, by one program's rules; where there
 * is none for the whole word and it has one dash, for its shortest beginning that has one.
 * `*end`: where the option ends. */
static const struct policy_rule *match_option_of(const struct scan *scan, uint32_t state,
                                                 size_t from, size_t to, size_t *end)
{
    const struct policy_table *table = &scan->redactor->table;
    const struct policy_rule *first = NULL, *rule = NULL;
    size_t at = from;
    while (at < to && state != POLICY_DEAD) {
        state = policy_walk(table, state, scan->text + at++, 1);
        rule = at - from < 2 ? NULL : policy_verdict(table, state);
        if (rule != NULL && first == NULL) {
            first = rule;
            *end = at;
        }
    }
    if (at == to && rule != NULL) {
        *end = to;
        return hiding(rule);
    }
    return is_at(scan, from, "--") ? NULL : hiding(first);
}

/* The same for the programs so far. */
static const struct policy_rule *match_option(const struct scan *scan, size_t from, size_t to,
                                              size_t *end)
{
    const struct policy_rule *rule = NULL;
    for (unsigned i = 0; i < scan->programs && rule == NULL; i++)
        rule = match_option_of(scan, scan->program[i], from, to, end);
    return rule;
}

/* The rule for a word that names a value: by its name, or as a program's "--NAME". */
static const struct policy_rule *match_named(const struct scan *scan, size_t from, size_t to)
{
    size_t end;
    const struct policy_rule *rule = match_name(scan, from, to);
    return rule == NULL && is_at(scan, from, "--") ? match_option(scan, from, to, &end) : rule;
}

/* Keeps in mind that the word is there, if there is a rule for options behind it. */
static void note_program(struct scan *scan, size_t from, size_t to)
{
    const struct policy_table *table = &scan->redactor->table;
    uint32_t state = scan->redactor->after[REDACT_OPTION];
    if (scan->programs == PROGRAMS_MAX)
        return;
    state = policy_walk(table, state, scan->text + from, to - from);
    state = policy_walk(table, state, ":", 1);
    for (unsigned i = 0; i < scan->programs; i++)
        if (scan->program[i] == state)
            return;
    if (state != POLICY_DEAD)
        scan->program[scan->programs++] = state;
}

/* "--NAME" or "-X": such an argument is no value of the option before it. */
static int looks_like_option(const struct scan *scan, size_t at)
{
    if (byte_at(scan, at) != '-')
        return 0;
    char second = byte_at(scan, at + 1), third = byte_at(scan, at + 2);
    if (second == '-')
        return kind_of[(unsigned char)third] == BYTE_WORD && third != '-';
    return kind_of[(unsigned char)second] == BYTE_WORD && kind_at(scan, at + 2) == BYTE_BLANK;
}

/* Takes out the word behind the blanks, quotes and commas at `at`, or the next argument. */
static size_t take_next(struct scan *scan, size_t at, const struct policy_rule *rule)
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
        return hide(scan, at,
                    quote == '\0' ? end_of_value(scan, at) : end_of_quoted(scan, at, quote), rule);
    return at;
}

/* Takes out a value that may have quotes of its own, which stay. */
static size_t take_value(struct scan *scan, size_t at, const struct policy_rule *rule)
{
    size_t quote = skip_backslash(scan, at);
    if (quote < scan->end && kind_at(scan, quote) == BYTE_QUOTE)
        return hide(scan, quote + 1, end_of_quoted(scan, quote + 1, scan->text[quote]), rule);
    return hide(scan, at, end_of_value(scan, at), rule);
}

/* A header's value ends with the line or with the quotes that it stands in. */
static size_t take_header(struct scan *scan, size_t at, const struct policy_rule *rule)
{
    size_t to = at;
    if (kind_at(scan, at) == BYTE_QUOTE)
        return take_value(scan, at, rule);
    while (to < scan->end && scan->text[to] != '\n' && kind_at(scan, to) != BYTE_QUOTE)
        to++;
    return hide(scan, at, to, rule);
}

/* Where a value is assigned to the name that ends at `at`: the '=' or ':', maybe behind a quote and
 * blanks; or 0. */
static size_t find_separator(const struct scan *scan, size_t at, int starts)
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
    /* In a list of paths a colon is nothing of the kind. */
    return behind == BYTE_BLANK || behind == BYTE_QUOTE || (starts && sign == at) ? sign : 0;
}

/* The value behind the separator `sign` of the word at `from`. */
static size_t take_assigned(struct scan *scan, size_t from, size_t to, size_t sign,
                            const struct policy_rule *rule)
{
    int colon = scan->text[sign] == ':', tight = sign == to;
    size_t at = colon || !tight ? skip_blanks(scan, sign + 1) : sign + 1;
    if (at == scan->end && (colon || !tight)) {
        scan->pending = rule;
        return at;
    }
    if (from == scan->begin && tight)
        return hide(scan, at, scan->end, rule);
    if (colon && at > sign + 1)
        return take_header(scan, at, rule);
    return take_value(scan, at, rule);
}

static int all_digits(const struct scan *scan, size_t from, size_t to)
{
    while (from < to && scan->text[from] >= '0' && scan->text[from] <= '9')
        from++;
    return from == to;
}

/* The last '@' from `from` to `to`; `to`: there is none. */
static size_t last_at(const struct scan *scan, size_t from, size_t to)
{
    const char *found = memrchr(scan->text + from, '@', to - from);
    return found == NULL ? to : (size_t)(found - scan->text);
}

/* Where the password at `from` of a URL ends, whose name of a host ends at `to`; 0: it is none. A
 * password with a slash in it, which should not be, is told from a port by what is no digit. */
static size_t end_of_password(struct scan *scan, size_t from, size_t to)
{
    size_t at = last_at(scan, from, to);
    if (at < to)
        return at;
    if (to < scan->no_at || all_digits(scan, from, to))
        return 0;
    size_t end = end_of_value(scan, to);
    at = last_at(scan, to, end);
    if (at < end)
        return at;
    scan->no_at = end;
    return 0;
}

/* Whether a URL's user may be a token. What has been redacted in part is not looked at again. */
static int may_be_token(const struct scan *scan, size_t from, size_t to)
{
    return to - from >= TOKEN_MIN &&
           memmem(scan->text + from, to - from, REDACTED, strlen(REDACTED)) == NULL;
}

/* What comes behind "SCHEME://": USER:PASSWORD@HOST, TOKEN@HOST or TOKEN:ANY@HOST, but no
 * IMAGE@DIGEST. `word` is where to go on. */
static size_t take_url(struct scan *scan, size_t word, const struct policy_rule *rule)
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
            hide(scan, from, user, rule);
        return hide(scan, user + 1, password, rule);
    }
    /* the first '@': what is taken out of the rest does not move it */
    const char *sign = memchr(scan->text + from, '@', user - from);
    size_t at = sign == NULL ? from : (size_t)(sign - scan->text);
    if (!may_be_token(scan, from, at) || is_at(scan, at + 1, "sha256:") ||
        is_at(scan, at + 1, "sha512:"))
        return word;
    return hide(scan, from, at, rule);
}

static int is_of_label(char byte)
{
    return byte == ' ' || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z');
}

/* "-----BEGIN LABEL-----", where `at` is behind BEGIN. */
static size_t take_block(struct scan *scan, size_t at)
{
    static const char *const dashes = "-----", *const close = "-----END";
    size_t end_of_label = at, from;
    while (end_of_label - at < LABEL_MAX && is_of_label(byte_at(scan, end_of_label)))
        end_of_label++;
    if (byte_at(scan, at) != ' ' || !is_at(scan, end_of_label, dashes))
        return at;
    const struct policy_rule *rule = match_lower(scan, REDACT_BLOCK, at + 1, end_of_label);
    if (rule == NULL)
        return at;
    from = end_of_label + strlen(dashes);
    const char *end = memmem(scan->text + from, scan->end - from, close, strlen(close));
    return hide(scan, from, end == NULL ? scan->end : (size_t)(end - scan->text), rule);
}

/* "-X" or a bundle "-aX" behind a program that has a rule for it, at `to` the word ends. Returns
 * where to go on; 0: this is no such. */
static size_t take_short_option(struct scan *scan, size_t from, size_t to)
{
    size_t value;
    const struct policy_rule *rule = match_option(scan, from, to, &value);
    if (rule == NULL)
        return 0;
    int quoted = kind_at(scan, value) == BYTE_QUOTE && from > scan->begin &&
                 scan->text[from - 1] == scan->text[value]; /* as in ["-X", "VALUE"] */
    if (quoted || kind_at(scan, value) == BYTE_BLANK)
        return take_next(scan, value, rule);
    if (from == scan->begin)
        return hide(scan, value, scan->end, rule);
    return take_value(scan, value, rule);
}

/* An option, or a word before a secret; at `to` the word ends. Returns where to go on. */
static size_t take_introduced(struct scan *scan, size_t from, size_t to)
{
    enum byte_kind behind = kind_at(scan, to);
    const struct policy_rule *rule = NULL;
    if (behind != BYTE_BLANK && behind != BYTE_QUOTE)
        return to;
    if (scan->text[from] == '-')
        rule = match_named(scan, from, to);
    if (rule == NULL)
        rule = match_lower(scan, REDACT_BEFORE, from, to);
    return rule == NULL ? to : take_next(scan, to, rule);
}

/* Looks at the word from `from` to `to`. Returns where to go on. */
static size_t take_word(struct scan *scan, size_t from, size_t to)
{
    int starts = scan->prior != BYTE_OTHER;
    const struct policy_rule *rule = match(scan, REDACT_WORD, from, to);
    scan->prior = BYTE_WORD;
    if (rule != NULL)
        return hide(scan, from, to, rule);
    if (is_at(scan, from, "-----BEGIN") && to - from == strlen("-----BEGIN"))
        return take_block(scan, to);
    if (is_at(scan, to, "://") && (rule = match_lower(scan, REDACT_URL, from, to)) != NULL)
        return take_url(scan, to, rule);
    int is_option = starts && to - from >= 2 && scan->text[from] == '-';
    int is_short = is_option && scan->text[from + 1] != '-';
    size_t next = is_short ? take_short_option(scan, from, to) : 0;
    if (next != 0)
        return next;
    size_t sign = find_separator(scan, to, starts);
    if (sign != 0)
        return (rule = match_named(scan, from, to)) == NULL
                   ? to
                   : take_assigned(scan, from, to, sign, rule);
    if (scan->text[from] != '-' && (starts || scan->text[from - 1] == '/') &&
        kind_at(scan, to) != BYTE_OTHER)
        note_program(scan, from, to);
    return is_option || starts ? take_introduced(scan, from, to) : to;
}

static void take_argument(struct scan *scan)
{
    const struct policy_rule *pending = scan->pending;
    size_t at = scan->begin;
    scan->pending = NULL;
    scan->prior = BYTE_BREAK;
    if (pending != NULL && !looks_like_option(scan, at))
        at = hide(scan, at, scan->end, pending);
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
            at = take_word(scan, word, at);
        }
    }
}

void redactor_make(const void *policy, struct redactor *redactor)
{
    *redactor = (struct redactor){.usable = 0};
    if (policy == NULL || !policy_find(policy, POLICY_REDACT, &redactor->table))
        return;
    for (int i = 0; i < REDACT_KINDS; i++) {
        redactor->after[i] = policy_walk(&redactor->table, redactor->table.dfa->start,
                                         redact_kinds[i], strlen(redact_kinds[i]));
        redactor->usable |= redactor->after[i] != POLICY_DEAD;
    }
}

int redact(const struct redactor *redactor, const char *text, size_t size, char **out,
           size_t *out_size)
{
    struct scan scan = {.redactor = redactor, .text = text, .size = size};
    if (!redactor->usable || text == NULL)
        return 0;
    while (scan.begin < size) {
        scan.end = scan.begin + strnlen(text + scan.begin, size - scan.begin);
        take_argument(&scan);
        scan.begin = scan.end + 1;
    }
    if (scan.out != NULL)
        append(&scan, text + scan.copied, size - scan.copied);
    if (scan.failed) {
        free(scan.out);
        return -ENOMEM;
    }
    if (scan.out == NULL)
        return 0;
    *out = scan.out;
    *out_size = scan.used;
    return 1;
}
