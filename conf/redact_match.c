/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which rule takes out a word, or the value that a word announces.
 */
#include "conf/redact_scan.h"

/* Of longer names the end is matched. */
enum { NAME_MAX_BYTES = 255 };

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

/* The rule where it hides, else NULL: a rule that keeps ends the search. */
static const struct policy_rule *hiding(const struct policy_rule *rule)
{
    return rule != NULL && rule->action == POLICY_HIDE ? rule : NULL;
}

const struct policy_rule *redact_match_lower(const struct redact_scan *scan, enum redact_kind kind,
                                             size_t from, size_t to)
{
    const struct policy_table *table = &scan->redactor->table;
    uint32_t state = scan->redactor->after[kind];
    return hiding(policy_verdict(table, walk_lower(table, state, scan->text + from, to - from)));
}

const struct policy_rule *redact_match(const struct redact_scan *scan, enum redact_kind kind,
                                       size_t from, size_t to)
{
    const struct policy_table *table = &scan->redactor->table;
    uint32_t state = scan->redactor->after[kind];
    return hiding(policy_verdict(table, policy_walk(table, state, scan->text + from, to - from)));
}

/* The rule for the name that the word is without its leading dashes. */
static const struct policy_rule *match_name(const struct redact_scan *scan, size_t from, size_t to)
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
    return rule != NULL ? hiding(rule) : redact_match(scan, REDACT_NAME, from, to);
}

/* As redact_match_option(), by the rules of one program. */
static const struct policy_rule *match_option_of(const struct redact_scan *scan, uint32_t state,
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

const struct policy_rule *redact_match_option(const struct redact_scan *scan, size_t from,
                                              size_t to, size_t *end)
{
    const struct policy_rule *rule = NULL;
    for (unsigned i = 0; i < scan->programs && rule == NULL; i++)
        rule = match_option_of(scan, scan->program[i], from, to, end);
    return rule;
}

const struct policy_rule *redact_match_named(const struct redact_scan *scan, size_t from, size_t to)
{
    size_t end;
    const struct policy_rule *rule = match_name(scan, from, to);
    return rule == NULL && is_at(scan, from, "--") ? redact_match_option(scan, from, to, &end)
                                                   : rule;
}

void redact_note_program(struct redact_scan *scan, size_t from, size_t to)
{
    const struct policy_table *table = &scan->redactor->table;
    uint32_t state = scan->redactor->after[REDACT_OPTION];
    if (scan->programs == REDACT_PROGRAMS_MAX)
        return;
    state = policy_walk(table, state, scan->text + from, to - from);
    state = policy_walk(table, state, ":", 1);
    for (unsigned i = 0; i < scan->programs; i++)
        if (scan->program[i] == state)
            return;
    if (state != POLICY_DEAD)
        scan->program[scan->programs++] = state;
}
