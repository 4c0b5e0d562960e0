/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recursive descent, bounded by PATTERN_MAX_DEPTH, that builds the automaton as it reads
 * (K. Thompson, "Regular expression search algorithm", CACM 11(6), 1968).
 */
#include "conf/automaton/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "conf/automaton/pattern_set.h"

#define UNBOUNDED UINT32_MAX

struct parser {
    struct nfa *nfa;
    const char *text;
    size_t at; /* the next byte */
    unsigned depth;
    struct pattern_error *error;
};

/* A piece of the automaton; `end` is an NFA_EMPTY node whose edges are free. */
struct piece {
    uint32_t start, end;
};

struct repeat {
    uint32_t least, most; /* UNBOUNDED */
};

static int parse_alternatives(struct parser *parser, struct piece *out);

static int fail(struct parser *parser, size_t offset, const char *reason, const char *hint)
{
    *parser->error = (struct pattern_error){offset, reason, hint};
    return -EINVAL;
}

static void link_nodes(struct nfa *nfa, uint32_t from, int edge, uint32_t to)
{
    nfa->node[from].next[edge] = to;
}

static int empty_piece(struct nfa *nfa, struct piece *out)
{
    uint32_t node;
    int rc = nfa_add(nfa, NFA_EMPTY, &node);
    if (rc == 0)
        *out = (struct piece){node, node};
    return rc;
}

static int bytes_piece(struct nfa *nfa, const struct byte_set *set, struct piece *out)
{
    struct piece piece;
    int rc = nfa_add_bytes(nfa, set, &piece.start);
    if (rc == 0)
        rc = nfa_add(nfa, NFA_EMPTY, &piece.end);
    if (rc != 0)
        return rc;
    link_nodes(nfa, piece.start, 0, piece.end);
    *out = piece;
    return 0;
}

static int parse_group(struct parser *parser, struct piece *out)
{
    size_t open = parser->at++;
    if (parser->text[parser->at] == '?')
        return fail(parser, open, "'(?' starts a look-around or an option, which there is not",
                    "write ( ) to group");
    if (parser->depth == PATTERN_MAX_DEPTH)
        return fail(parser, open, "groups are nested too deep", "simplify the pattern");
    parser->depth++;
    int rc = parse_alternatives(parser, out);
    parser->depth--;
    if (rc != 0)
        return rc;
    if (parser->text[parser->at] != ')')
        return fail(parser, open, "'(' is not closed", "write \\( for a parenthesis as such");
    parser->at++;
    return 0;
}

/* What '.' stands for: a path may hold any byte, so that a newline in it hides nothing. */
static struct byte_set any_byte(void)
{
    struct byte_set set = {0};
    byte_set_invert(&set);
    return set;
}

/* A byte that cannot stand for itself where an atom is expected. */
static int refuse_special(struct parser *parser)
{
    switch (parser->text[parser->at]) {
    case '*':
    case '+':
    case '?':
        return fail(parser, parser->at, "nothing to repeat",
                    "write a backslash before it for the byte as such");
    case '{':
        return fail(parser, parser->at, "nothing to repeat", "write \\{ for a brace as such");
    case '}':
        return fail(parser, parser->at, "'}' without '{'", "write \\} for a brace as such");
    case ']':
        return fail(parser, parser->at, "']' without '['", "write \\] for a bracket as such");
    case '^':
        return fail(parser, parser->at, "'^' can only be the first byte",
                    "remove it: the whole text is matched; or write \\^");
    case '$':
        return fail(parser, parser->at, "'$' can only be the last byte",
                    "remove it: the whole text is matched; or write \\$");
    default:
        return 0;
    }
}

static int parse_atom(struct parser *parser, struct piece *out)
{
    struct byte_set set = {0};
    unsigned char byte = (unsigned char)parser->text[parser->at];
    int rc = refuse_special(parser);
    if (rc != 0)
        return rc;
    switch (byte) {
    case '(':
        return parse_group(parser, out);
    case '[':
        rc = pattern_set_bracket(parser->text, &parser->at, &set, parser->error);
        break;
    case '\\':
        rc = pattern_set_escape(parser->text, &parser->at, &set, parser->error);
        break;
    case '.':
        set = any_byte();
        parser->at++;
        break;
    default:
        byte_set_add(&set, byte, byte);
        parser->at++;
    }
    return rc != 0 ? rc : bytes_piece(parser->nfa, &set, out);
}

/* A number of a {m,n}; 0: there is none. Large ones stay large, without overflow. */
static int parse_number(struct parser *parser, uint32_t *number)
{
    uint32_t value = 0;
    size_t start = parser->at;
    for (; isdigit((unsigned char)parser->text[parser->at]); parser->at++)
        if (value <= PATTERN_MAX_REPEAT)
            value = value * 10 + (uint32_t)(parser->text[parser->at] - '0');
    if (parser->at == start)
        return 0;
    *number = value;
    return 1;
}

static int parse_braces(struct parser *parser, struct repeat *repeat)
{
    size_t open = parser->at++;
    struct repeat found;
    if (!parse_number(parser, &found.least))
        return fail(parser, open, "'{' without a number",
                    "write {M,N}, or \\{ for a brace as such");
    found.most = found.least;
    if (parser->text[parser->at] == ',') {
        parser->at++;
        if (!parse_number(parser, &found.most))
            found.most = UNBOUNDED;
    }
    if (parser->text[parser->at] != '}')
        return fail(parser, open, "'{' is not closed", "write {M,N}, or \\{ for a brace as such");
    if (found.least > PATTERN_MAX_REPEAT ||
        (found.most > PATTERN_MAX_REPEAT && found.most != UNBOUNDED))
        return fail(parser, open, "more than 255 repeats", "write * or {M,} for any number");
    if (found.least > found.most)
        return fail(parser, open, "the repeat ends before it starts", "swap its numbers");
    parser->at++;
    *repeat = found;
    return 0;
}

/* The repeat after an atom; {1,1} when there is none. */
static int parse_repeat(struct parser *parser, struct repeat *repeat)
{
    char byte = parser->text[parser->at];
    *repeat = (struct repeat){1, 1};
    if (byte == '\0' || strchr("*+?{", byte) == NULL)
        return 0;
    if (byte == '{') {
        int rc = parse_braces(parser, repeat);
        if (rc != 0)
            return rc;
    } else {
        *repeat = (struct repeat){byte == '+', byte == '?' ? 1 : UNBOUNDED};
        parser->at++;
    }
    byte = parser->text[parser->at];
    if (byte == '?')
        return fail(parser, parser->at, "a lazy repeat",
                    "remove the '?': the whole text is matched in any case");
    if (byte == '+')
        return fail(parser, parser->at, "a possessive repeat, or a repeat of a repeat",
                    "remove the '+', or group with ( )");
    return 0;
}

/* Makes of `*piece`, the last nodes from `first` on, a chain of copies: the ones beyond
 * `repeat.least` can be left out, the last one may return to its start. */
static int repeat_piece(struct nfa *nfa, uint32_t first, struct repeat repeat, struct piece *piece)
{
    uint32_t length = nfa->nodes - first;
    uint32_t copies = repeat.most == UNBOUNDED ? repeat.least + (repeat.least == 0) : repeat.most;
    struct piece whole;
    int rc = copies > 1 ? nfa_repeat(nfa, length, copies - 1) : 0;
    if (rc == 0)
        rc = nfa_add(nfa, NFA_EMPTY, &whole.start);
    if (rc == 0)
        rc = nfa_add(nfa, NFA_EMPTY, &whole.end);
    if (rc != 0)
        return rc;
    uint32_t at = whole.start;
    for (uint32_t i = 0; i < copies; i++) {
        link_nodes(nfa, at, 0, piece->start + i * length);
        if (i >= repeat.least)
            link_nodes(nfa, at, 1, whole.end);
        at = piece->end + i * length;
    }
    link_nodes(nfa, at, 0, whole.end);
    if (repeat.most == UNBOUNDED)
        link_nodes(nfa, at, 1, piece->start + (copies - 1) * length);
    *piece = whole;
    return 0;
}

static int parse_repeated(struct parser *parser, struct piece *out)
{
    uint32_t first = parser->nfa->nodes;
    struct repeat repeat;
    int rc = parse_atom(parser, out);
    if (rc == 0)
        rc = parse_repeat(parser, &repeat);
    if (rc != 0 || (repeat.least == 1 && repeat.most == 1))
        return rc;
    return repeat_piece(parser->nfa, first, repeat, out);
}

/* Whether what comes next ends a sequence; a '$' does where it is the pattern's last byte. */
static int at_end(const struct parser *parser)
{
    const char *next = parser->text + parser->at;
    return *next == '\0' || *next == '|' || *next == ')' || strcmp(next, "$") == 0;
}

static int parse_sequence(struct parser *parser, struct piece *out)
{
    struct piece item;
    int rc = empty_piece(parser->nfa, out);
    while (rc == 0 && !at_end(parser)) {
        rc = parse_repeated(parser, &item);
        if (rc != 0)
            break;
        link_nodes(parser->nfa, out->end, 0, item.start);
        out->end = item.end;
    }
    return rc;
}

/* Makes of `*piece` the choice between it and `other`. */
static int choose(struct nfa *nfa, struct piece *piece, const struct piece *other)
{
    struct piece whole;
    int rc = nfa_add(nfa, NFA_EMPTY, &whole.start);
    if (rc == 0)
        rc = nfa_add(nfa, NFA_EMPTY, &whole.end);
    if (rc != 0)
        return rc;
    link_nodes(nfa, whole.start, 0, piece->start);
    link_nodes(nfa, whole.start, 1, other->start);
    link_nodes(nfa, piece->end, 0, whole.end);
    link_nodes(nfa, other->end, 0, whole.end);
    *piece = whole;
    return 0;
}

static int parse_alternatives(struct parser *parser, struct piece *out)
{
    struct piece other;
    int rc = parse_sequence(parser, out);
    while (rc == 0 && parser->text[parser->at] == '|') {
        parser->at++;
        rc = parse_sequence(parser, &other);
        if (rc == 0)
            rc = choose(parser->nfa, out, &other);
    }
    return rc;
}

static int parse_pattern(struct parser *parser, struct piece *out)
{
    parser->at = parser->text[0] == '^';
    int rc = parse_alternatives(parser, out);
    if (rc != 0)
        return rc;
    if (parser->text[parser->at] == ')')
        return fail(parser, parser->at, "')' without '('", "write \\) for a parenthesis as such");
    return 0;
}

/* Lets the automaton, in which earlier rules may start already, also start with `piece`. */
static int add_rule(struct nfa *nfa, const struct piece *piece)
{
    uint32_t start, accept;
    int rc = nfa_add(nfa, NFA_EMPTY, &start);
    if (rc == 0)
        rc = nfa_add(nfa, NFA_ACCEPT, &accept);
    if (rc != 0)
        return rc;
    link_nodes(nfa, piece->end, 0, accept);
    link_nodes(nfa, start, 0, piece->start);
    if (nfa->rules > 0)
        link_nodes(nfa, start, 1, nfa->start);
    nfa->start = start;
    nfa->rules++;
    return 0;
}

int pattern_add(struct nfa *nfa, const char *pattern, struct pattern_error *error)
{
    struct parser parser = {.nfa = nfa, .text = pattern, .error = error};
    struct piece piece;
    int rc = nfa->rules == NFA_MAX_RULES ? -E2BIG : parse_pattern(&parser, &piece);
    if (rc == 0)
        rc = add_rule(nfa, &piece);
    if (rc == -E2BIG)
        *error = (struct pattern_error){0, "the rules up to this one need too many states",
                                        "simplify this pattern, above all its {M,N}"};
    return rc;
}
