/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/slots/designation.h"

#include <stddef.h>

#include "preload/memory.h"

bool designation_find(struct designation *rules, const void *policy)
{
    const struct policy_table *table = &rules->table;
    if (!policy_find(policy, POLICY_ROUTINE, &rules->table))
        return false;
    rules->after_soname = policy_walk(table, table->dfa->start, "soname:", 7);
    rules->after_path = policy_walk(table, table->dfa->start, "path:", 5);
    rules->after_below = policy_walk(table, table->dfa->start, "below:", 6);
    return true;
}

static bool is_kept(const struct policy_table *table, uint32_t state, const char *name)
{
    const struct policy_rule *rule =
        state == POLICY_DEAD
            ? NULL
            : policy_verdict(table, policy_walk(table, state, name, text_length(name)));
    return rule != NULL && rule->action == POLICY_KEEP;
}

bool designation_has_library(const struct designation *rules, const struct loaded *object)
{
    return is_kept(&rules->table, rules->after_soname, object->soname) ||
           is_kept(&rules->table, rules->after_path, object->entry->l_name) ||
           is_kept(&rules->table, rules->after_below, object->entry->l_name);
}

bool designation_has_archive(const struct designation *rules, const char *name)
{
    const struct policy_table *table = &rules->table;
    return is_kept(table, policy_walk(table, table->dfa->start, "archive:", 8), name);
}

bool designation_has_loaded(const struct designation *rules)
{
    return rules->after_soname != POLICY_DEAD || rules->after_path != POLICY_DEAD ||
           rules->after_below != POLICY_DEAD;
}

uint32_t designation_after(const struct designation *rules, const char *library)
{
    static const char kind[] = "routine:";
    const struct policy_table *table = &rules->table;
    uint32_t state = policy_walk(table, table->dfa->start, kind, sizeof kind - 1);
    state = policy_walk(table, state, library, text_length(library));
    return policy_walk(table, state, ":", 1);
}

bool designation_skip(const struct designation *rules, uint32_t after, const char *routine)
{
    if (after == POLICY_DEAD)
        return false;
    const struct policy_rule *rule = policy_verdict(
        &rules->table, policy_walk(&rules->table, after, routine, text_length(routine)));
    return rule != NULL && rule->action == POLICY_SKIP;
}

/* ---- Names that compilers add to ------------------------------------------------------------- */

bool compiler_names_has(const char *name)
{
    static const char begins[][20] = {
        "__cxa_",         "_Unwind_",          "__gxx_personality_",
        "__tls_get_addr", "__register_atfork", "__gmon_start__",
    };
    for (size_t i = 0; name[0] == '_' && i < sizeof begins / sizeof begins[0]; i++) {
        if (text_after(name, begins[i]) != NULL)
            return true;
    }
    return false;
}
