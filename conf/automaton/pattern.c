/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recursive descent, bounded by PATTERN_MAX_DEPTH, that builds the automaton as it reads
 * (K. Thompson, "Regular expression search algorithm", CACM 11(6), 1968).
 */
#include "conf/automaton/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "conf/automaton/pattern_set.h"

#define UNBOUNDED UINT32_MAX

struct parser {
    struct nfa *nfa;
    const char *text;
    size_t at; /* the next byte */
    unsigned depth;
    struct pattern_error *why;
};

/* A piece of the automaton; `end` is an NFA_EMPTY node whose edges are free. */
struct piece {
    uint32_t start, end;
};

struct repeat {
    uint32_t least, most; /* UNBOUNDED */
};

static int parse_alternatives(struct parser *parser, struct piece *out);

static void link_nodes(struct nfa *nfa, uint32_t from, int edge, uint32_t to)
{
    nfa->node[from].next[edge] = to;
}

static int bytes_piece(struct nfa *nfa, const struct byte_set *set, struct piece *out)
{
    struct piece piece;
    int error = nfa_add_bytes(nfa, set, &piece.start);
    if (error == 0)
        error = nfa_add(nfa, NFA_EMPTY, &piece.end);
    if (error != 0)
        return error;
    link_nodes(nfa, piece.start, 0, piece.end);
    *out = piece;
    return 0;
}

static int parse_group(struct parser *parser, struct piece *out)
{
    size_t open = parser->at++;
    if (parser->text[parser->at] == '?')
        return pattern_fault(parser->why, open,
                             "'(?' starts a look-around or an option, which there is not",
                             "write ( ) to group");
    if (parser->depth == PATTERN_MAX_DEPTH)
        return pattern_fault(parser->why, open, "groups are nested too deep",
                             "simplify the pattern");
    parser->depth++;
    int error = parse_alternatives(parser, out);
    parser->depth--;
    if (error != 0)
        return error;
    if (parser->text[parser->at] != ')')
        return pattern_fault(parser->why, open, "'(' is not closed",
                             "write \\( for a parenthesis as such");
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

/* Refuses a byte with a special meaning where an atom is expected. */
static int refuse_special(struct parser *parser)
{
    switch (parser->text[parser->at]) {
    case '*':
    case '+':
    case '?':
        return pattern_fault(parser->why, parser->at, "nothing to repeat",
                             "write a backslash before it for the byte as such");
    case '{':
        return pattern_fault(parser->why, parser->at, "nothing to repeat",
                             "write \\{ for a brace as such");
    case '}':
        return pattern_fault(parser->why, parser->at, "'}' without '{'",
                             "write \\} for a brace as such");
    case ']':
        return pattern_fault(parser->why, parser->at, "']' without '['",
                             "write \\] for a bracket as such");
    case '^':
        return pattern_fault(parser->why, parser->at, "'^' can only be the first byte",
                             "remove it: the whole text is matched; or write \\^");
    case '$':
        return pattern_fault(parser->why, parser->at, "'$' can only be the last byte",
                             "remove it: the whole text is matched; or write \\$");
    default:
        return 0;
    }
}

static int parse_atom(struct parser *parser, struct piece *out)
{
    struct byte_set set = {0};
    unsigned char byte = (unsigned char)parser->text[parser->at];
    int error = refuse_special(parser);
    if (error != 0)
        return error;
    switch (byte) {
    case '(':
        return parse_group(parser, out);
    case '[':
        error = pattern_set_bracket(parser->text, &parser->at, &set, parser->why);
        break;
    case '\\':
        error = pattern_set_escape(parser->text, &parser->at, &set, parser->why);
        break;
    case '.':
        set = any_byte();
        parser->at++;
        break;
    default:
        byte_set_add(&set, byte, byte);
        parser->at++;
    }
    return error != 0 ? error : bytes_piece(parser->nfa, &set, out);
}

/* Reads a number of a {M,N}. A number above PATTERN_MAX_REPEAT is read as some other one above it.
 * Returns whether there is a number. */
static bool parse_number(struct parser *parser, uint32_t *number)
{
    uint32_t value = 0;
    size_t start = parser->at;
    for (; isdigit((unsigned char)parser->text[parser->at]); parser->at++)
        if (value <= PATTERN_MAX_REPEAT)
            value = value * 10 + (uint32_t)(parser->text[parser->at] - '0');
    if (parser->at == start)
        return false;
    *number = value;
    return true;
}

static int parse_braces(struct parser *parser, struct repeat *repeat)
{
    size_t open = parser->at++;
    struct repeat found;
    if (!parse_number(parser, &found.least))
        return pattern_fault(parser->why, open, "'{' without a number",
                             "write {M,N}, or \\{ for a brace as such");
    found.most = found.least;
    if (parser->text[parser->at] == ',') {
        parser->at++;
        if (!parse_number(parser, &found.most))
            found.most = UNBOUNDED;
    }
    if (parser->text[parser->at] != '}')
        return pattern_fault(parser->why, open, "'{' is not closed",
                             "write {M,N}, or \\{ for a brace as such");
    if (found.least > PATTERN_MAX_REPEAT ||
        (found.most > PATTERN_MAX_REPEAT && found.most != UNBOUNDED))
        return pattern_fault(parser->why, open, "more than 255 repeats",
                             "write * or {M,} for any number");
    if (found.least > found.most)
        return pattern_fault(parser->why, open, "the repeat ends before it starts",
                             "swap its numbers");
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
        int error = parse_braces(parser, repeat);
        if (error != 0)
            return error;
    } else {
        *repeat = (struct repeat){byte == '+', byte == '?' ? 1 : UNBOUNDED};
        parser->at++;
    }
    byte = parser->text[parser->at];
    if (byte == '?')
        return pattern_fault(parser->why, parser->at, "a lazy repeat",
                             "remove the '?': the whole text is matched in any case");
    if (byte == '+')
        return pattern_fault(parser->why, parser->at,
                             "a possessive repeat, or a repeat of a repeat",
                             "remove the '+', or group with ( )");
    return 0;
}

/* Turns `*piece`, all nodes from `first` on, into a chain of copies of it. The copies after
 * `repeat.least` can be left out. Without an upper bound the last copy can be repeated. */
static int repeat_piece(struct nfa *nfa, uint32_t first, struct repeat repeat, struct piece *piece)
{
    uint32_t length = nfa->nodes - first;
    uint32_t copies = repeat.most == UNBOUNDED ? repeat.least + (repeat.least == 0) : repeat.most;
    struct piece whole;
    int error = copies > 1 ? nfa_repeat(nfa, length, copies - 1) : 0;
    if (error == 0)
        error = nfa_add(nfa, NFA_EMPTY, &whole.start);
    if (error == 0)
        error = nfa_add(nfa, NFA_EMPTY, &whole.end);
    if (error != 0)
        return error;
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
    int error = parse_atom(parser, out);
    if (error == 0)
        error = parse_repeat(parser, &repeat);
    if (error != 0 || (repeat.least == 1 && repeat.most == 1))
        return error;
    return repeat_piece(parser->nfa, first, repeat, out);
}

/* Whether a sequence ends here. A '$' ends it where it is the pattern's last byte. */
static bool is_at_end(const struct parser *parser)
{
    const char *next = parser->text + parser->at;
    return *next == '\0' || *next == '|' || *next == ')' || strcmp(next, "$") == 0;
}

static int parse_sequence(struct parser *parser, struct piece *out)
{
    struct piece item;
    uint32_t node;
    int error = nfa_add(parser->nfa, NFA_EMPTY, &node);
    if (error == 0)
        *out = (struct piece){node, node};
    while (error == 0 && !is_at_end(parser)) {
        error = parse_repeated(parser, &item);
        if (error != 0)
            break;
        link_nodes(parser->nfa, out->end, 0, item.start);
        out->end = item.end;
    }
    return error;
}

/* Makes of `*piece` the choice between it and `other`. */
static int choose_between(struct nfa *nfa, struct piece *piece, const struct piece *other)
{
    struct piece whole;
    int error = nfa_add(nfa, NFA_EMPTY, &whole.start);
    if (error == 0)
        error = nfa_add(nfa, NFA_EMPTY, &whole.end);
    if (error != 0)
        return error;
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
    int error = parse_sequence(parser, out);
    while (error == 0 && parser->text[parser->at] == '|') {
        parser->at++;
        error = parse_sequence(parser, &other);
        if (error == 0)
            error = choose_between(parser->nfa, out, &other);
    }
    return error;
}

static int parse_pattern(struct parser *parser, struct piece *out)
{
    parser->at = parser->text[0] == '^';
    int error = parse_alternatives(parser, out);
    if (error != 0)
        return error;
    if (parser->text[parser->at] == ')')
        return pattern_fault(parser->why, parser->at, "')' without '('",
                             "write \\) for a parenthesis as such");
    return 0;
}

/* Makes `piece` one more start of the automaton, beside those of earlier rules. */
static int add_rule(struct nfa *nfa, const struct piece *piece)
{
    uint32_t start, accept;
    int error = nfa_add(nfa, NFA_EMPTY, &start);
    if (error == 0)
        error = nfa_add(nfa, NFA_ACCEPT, &accept);
    if (error != 0)
        return error;
    link_nodes(nfa, piece->end, 0, accept);
    link_nodes(nfa, start, 0, piece->start);
    if (nfa->rules > 0)
        link_nodes(nfa, start, 1, nfa->start);
    nfa->start = start;
    nfa->rules++;
    return 0;
}

int pattern_add(struct nfa *nfa, const char *pattern, struct pattern_error *why)
{
    struct parser parser = {.nfa = nfa, .text = pattern, .why = why};
    struct piece piece;
    int error = nfa->rules == NFA_MAX_RULES ? -E2BIG : parse_pattern(&parser, &piece);
    if (error == 0)
        error = add_rule(nfa, &piece);
    if (error == -E2BIG)
        *why = (struct pattern_error){0, "the rules up to this one need too many states",
                                      "simplify this pattern, above all its {M,N}"};
    return error;
}
