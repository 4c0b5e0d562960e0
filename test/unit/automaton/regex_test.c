/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Patterns: what they match, and where the ones that are refused are wrong.
 */
#include "conf/automaton/dfa.h"
#include "conf/automaton/pattern.h"
#include "conf/policy/policy.h"
#include "test/unit/fixture/cases.h"

static uint16_t run(const struct dfa *dfa, const char *text)
{
    uint32_t state = dfa->start;
    for (const char *at = text; *at != '\0'; at++)
        state = dfa->next[state * dfa->classes + dfa->class_of[(unsigned char)*at]];
    return dfa->accepts[state];
}

/* Whether `pattern` matches the whole of `text`, before and after minimisation. */
static int matches(const char *pattern, const char *text)
{
    struct nfa nfa = {0};
    struct dfa dfa;
    struct pattern_error error = {0};
    uint32_t culprit, first = 0;
    if (pattern_add(&nfa, pattern, &error) != 0)
        fail_msg("%s: %s", pattern, error.reason);
    assert_int_equal(dfa_build(&nfa, &first, &dfa, &culprit), 0);
    uint16_t before = run(&dfa, text);
    uint32_t states = dfa.states;
    assert_int_equal(dfa_minimise(&dfa), 0);
    assert_int_equal(run(&dfa, text), before);
    assert_true(dfa.states <= states);
    dfa_free(&dfa);
    nfa_free(&nfa);
    return before != 0;
}

struct match_case {
    const char *pattern, *text;
    int match;
};

static void check_matches(const struct match_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (matches(cases[i].pattern, cases[i].text) != cases[i].match)
            fail_msg("'%s' on '%s' is not %d", cases[i].pattern, cases[i].text, cases[i].match);
}

#define CHECK_MATCHES(cases) check_matches(cases, sizeof(cases) / sizeof *(cases))

TEST(a_pattern_matches_the_whole_text_only)
{
    static const struct match_case cases[] = {
        {"abc", "abc", 1},
        {"abc", "abcd", 0},
        {"abc", "xabc", 0},
        {"abc", "", 0},
        {"^abc$", "abc", 1},
        {"^abc", "abcd", 0},
        {"abc$", "abc", 1},
        {"^", "", 1},
        {"$", "", 1},
        {"^a|b$", "ab", 0},
        {"^a|b$", "b", 1},
        {"a\\$", "a$", 1},
        {"\\^a", "^a", 1},
        {".*/bash", "/bash", 1},
        {".*/bash", "bash", 0},
        {".*/bash", "/usr/bin/bash", 1},
        {".*/bash", "/usr/bin/bash2", 0},
    };
    CHECK_MATCHES(cases);
}

TEST(groups_alternatives_and_repeats_combine)
{
    static const struct match_case cases[] = {
        {"a|b", "b", 1},
        {"a|b", "ab", 0},
        {"(a|b)c", "bc", 1},
        {"a|bc", "ac", 0},
        {"(a|)b", "b", 1},
        {"(a|)b", "ab", 1},
        {"()", "", 1},
        {"()*a", "a", 1},
        {"ab*", "a", 1},
        {"ab*", "abbb", 1},
        {"(ab)*", "abab", 1},
        {"(ab)*", "aba", 0},
        {"ab+", "a", 0},
        {"ab+", "abb", 1},
        {"ab?c", "ac", 1},
        {"ab?c", "abbc", 0},
        {"a{3}", "aaa", 1},
        {"a{3}", "aa", 0},
        {"a{3}", "aaaa", 0},
        {"a{2,}", "a", 0},
        {"a{2,}", "aaaaa", 1},
        {"a{1,3}", "", 0},
        {"a{1,3}", "aaa", 1},
        {"a{1,3}", "aaaa", 0},
        {"a{0}", "", 1},
        {"a{0}", "a", 0},
        {"a{0,}", "aaa", 1},
        {"a{1}", "a", 1},
        {"(a{2}){2}", "aaaa", 1},
        {"(a{2}){2}", "aaa", 0},
        {"((a*)*)*", "aaa", 1},
        {"(a*|b)*c", "abac", 1},
        {"(a|b{2}){2,3}", "abba", 1},
        {"((a|b)c?){2}", "acb", 1},
        {"a{255}", "aaa", 0},
    };
    CHECK_MATCHES(cases);
}

TEST(brackets_and_escapes_stand_for_one_byte)
{
    static const struct match_case cases[] = {
        {"[abc]", "b", 1},
        {"[abc]", "d", 0},
        {"[a-c]x", "bx", 1},
        {"[^a-c]", "b", 0},
        {"[^a-c]", "z", 1},
        {"[^a-c]", "\n", 1},
        {"[]a]", "]", 1},
        {"[^]a]", "]", 0},
        {"[^]a]", "b", 1},
        {"[a-]", "-", 1},
        {"[-a]", "-", 1},
        {"[a^]", "^", 1},
        {"[\\]a]", "]", 1},
        {"[\\-z]", "-", 1},
        {"[\\x41-\\x43]", "B", 1},
        {"[.*+?(){}|$^]", "$", 1},
        {"[[:digit:]_]+", "1_2", 1},
        {"[[:alpha:]]", "1", 0},
        {"[^[:space:]]", "\t", 0},
        {"[\\d\\s]+", "1 2", 1},
        {"[[:punct:]]", "~", 1},
        {"[[]", "[", 1},
        {".", "\n", 1},
        {".", "\xff", 1},
        {"\\.", "x", 0},
        {"\\.", ".", 1},
        {"\\/bin\\/sh", "/bin/sh", 1},
        {"\\t\\n\\x20", "\t\n ", 1},
        {"\\d+", "2026", 1},
        {"\\w+", "a_1", 1},
        {"\\w", "-", 0},
        {"\\S\\D\\W", "ab-", 1},
        {"\\\\", "\\", 1},
        {"\\{\\}\\[\\]\\(\\)", "{}[]()", 1},
        {"\xc3\xa9+", "\xc3\xa9\xa9", 1},
        {"\"<>#=~", "\"<>#=~", 1},
    };
    CHECK_MATCHES(cases);
}

struct refusal_case {
    const char *pattern;
    unsigned column;    /* from 1 */
    const char *reason; /* a part of it */
};

static void check_refusal(const struct refusal_case *refusal)
{
    struct nfa nfa = {0};
    struct pattern_error error = {0};
    if (pattern_add(&nfa, refusal->pattern, &error) != -EINVAL)
        fail_msg("'%s' is not refused", refusal->pattern);
    if (error.offset + 1 != refusal->column || strstr(error.reason, refusal->reason) == NULL)
        fail_msg("'%s': column %zu: %s", refusal->pattern, error.offset + 1, error.reason);
    assert_true(error.hint[0] != '\0');
    nfa_free(&nfa);
}

TEST(each_refusal_points_to_its_column)
{
    static const struct refusal_case cases[] = {
        {"a(b", 2, "'(' is not closed"},
        {"a)b", 2, "')' without '('"},
        {"(a))", 4, "')' without '('"},
        {"a[b", 2, "'[' is not closed"},
        {"[]", 1, "'[' is not closed"},
        {"[^]", 1, "'[' is not closed"},
        {"[a-", 1, "'[' is not closed"},
        {"a]", 2, "']' without '['"},
        {"a}", 2, "'}' without '{'"},
        {"*a", 1, "nothing to repeat"},
        {"^*", 2, "nothing to repeat"},
        {"a|+", 3, "nothing to repeat"},
        {"(?", 1, "look-around"},
        {"(*a)", 2, "nothing to repeat"},
        {"a**", 3, "nothing to repeat"},
        {"{2}", 1, "nothing to repeat"},
        {"a{2}{3}", 5, "nothing to repeat"},
        {"[z-a]", 2, "ends before it starts"},
        {"[\\d-z]", 2, "a class at an end"},
        {"[a-[:digit:]]", 2, "a class at an end"},
        {"[[:nope:]]", 2, "unknown class"},
        {"[[:alpha]", 2, "unknown class"},
        {"[[.a.]]", 2, "collating"},
        {"[[=a=]]", 2, "collating"},
        {"ab{256}", 3, "more than 255"},
        {"a{1,256}", 2, "more than 255"},
        {"a{99999999999}", 2, "more than 255"},
        {"a{3,2}", 2, "ends before it starts"},
        {"a{,2}", 2, "'{' without a number"},
        {"a{NAME}", 2, "'{' without a number"},
        {"a{1", 2, "'{' is not closed"},
        {"a{1,2", 2, "'{' is not closed"},
        {"a{1x}", 2, "'{' is not closed"},
        {"(a)\\1", 4, "back reference"},
        {"(?=a)", 1, "look-around"},
        {"a(?!b)", 2, "look-around"},
        {"(?:a)", 1, "look-around"},
        {"a*?", 3, "lazy"},
        {"a+?", 3, "lazy"},
        {"a??", 3, "lazy"},
        {"a{1,2}?", 7, "lazy"},
        {"a*+", 3, "possessive"},
        {"a^b", 2, "'^' can only be the first"},
        {"(^a)", 2, "'^' can only be the first"},
        {"a$b", 2, "'$' can only be the last"},
        {"(a$)", 3, "'$' can only be the last"},
        {"a\\", 2, "nothing after the backslash"},
        {"[\\", 2, "nothing after the backslash"},
        {"\\x4", 1, "hexadecimal"},
        {"\\bword", 1, "an anchor"},
        {"a\\q", 2, "unknown escape"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refusal(&cases[i]);
}

/* `count` times `open`, then `count` times `close`; malloc'ed. */
static char *nested(const char *open, const char *close, size_t count)
{
    char *text = calloc(count, strlen(open) + strlen(close) + 1);
    char *end = text;
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        end = stpcpy(end, open);
    for (size_t i = 0; i < count; i++)
        end = stpcpy(end, close);
    return text;
}

TEST(groups_nest_to_a_bound)
{
    char *deep = nested("(", ")", PATTERN_MAX_DEPTH);
    char *deeper = nested("(", ")", 100000);
    const struct refusal_case refusal = {deeper, PATTERN_MAX_DEPTH + 1, "too deep"};
    assert_true(matches(deep, ""));
    check_refusal(&refusal);
    free(deep);
    free(deeper);
}

TEST(nested_repeats_cannot_exhaust_memory)
{
    char *bomb = nested("(", "a{255}){255}", 90);
    struct nfa nfa = {0};
    struct pattern_error error = {0};
    assert_int_equal(pattern_add(&nfa, bomb, &error), -E2BIG);
    assert_non_null(error.reason);
    assert_true(nfa.nodes <= NFA_MAX_NODES);
    nfa_free(&nfa);
    free(bomb);
}

TEST(a_state_explosion_is_refused_and_names_its_rule)
{
    static const char *const rules[] = {".*/x", "a.*[ab].{30}", ".*/y"};
    struct nfa nfa = {0};
    struct dfa dfa;
    struct pattern_error error;
    uint32_t culprit = 99;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pattern_add(&nfa, rules[i], &error), 0);
    assert_int_equal(dfa_build(&nfa, (const uint32_t[]){0, 1, 2}, &dfa, &culprit), -E2BIG);
    assert_int_equal(culprit, 1);
    nfa_free(&nfa);
}

TEST(the_automaton_is_as_small_as_can_be)
{
    static const struct {
        const char *pattern;
        uint32_t states; /* the dead one included */
    } cases[] = {
        {"abc", 5}, {"a|b|c", 3}, {"(a|b)*abb", 5}, {".*", 2}, {"a{3,5}", 7}, {"ax|bx|cx", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nfa nfa = {0};
        struct dfa dfa;
        struct pattern_error error;
        uint32_t culprit, first = 0;
        assert_int_equal(pattern_add(&nfa, cases[i].pattern, &error), 0);
        assert_int_equal(dfa_build(&nfa, &first, &dfa, &culprit), 0);
        assert_int_equal(dfa_minimise(&dfa), 0);
        assert_int_equal(dfa.accepts[POLICY_DEAD], 0);
        for (uint32_t class = 0; class < dfa.classes; class ++)
            assert_int_equal(dfa.next[class], POLICY_DEAD);
        assert_int_equal(dfa.states, cases[i].states);
        dfa_free(&dfa);
        nfa_free(&nfa);
    }
}

TEST(equal_rules_need_not_be_told_apart)
{
    static const char *const rules[] = {".*/x", ".*/y", "/a/.*", ".*/z", "/b/.*"};
    static const uint32_t apart[] = {0, 1, 2, 3, 4}, equal[] = {0, 0, 0, 3, 3};
    struct nfa nfa = {0};
    struct dfa exact, small;
    struct pattern_error error;
    uint32_t culprit;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(pattern_add(&nfa, rules[i], &error), 0);
    assert_int_equal(dfa_build(&nfa, apart, &exact, &culprit), 0);
    assert_int_equal(dfa_build(&nfa, equal, &small, &culprit), 0);
    assert_true(small.states < exact.states);
    assert_int_equal(run(&exact, "/a/x"), 1);
    assert_int_equal(run(&small, "/a/x"), 3);
    assert_int_equal(run(&small, "/b/x"), 1); /* of another action than the rule of /b/ */
    assert_int_equal(run(&small, "/b/z"), 5);
    assert_int_equal(run(&small, "/c/z"), 4);
    assert_int_equal(run(&small, "/c/w"), 0);
    dfa_free(&exact);
    dfa_free(&small);
    nfa_free(&nfa);
}
