/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/compile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/automaton/dfa.h"
#include "conf/automaton/pattern.h"
#include "conf/base/cleanup.h"
#include "conf/conf_extension.h"
#include "conf/conf_rules.h"
#include "conf/conf_sampling.h"
#include "conf/policy/policy_read.h"

/* The file being put together. */
struct policy_image {
    char *bytes; /* owned */
    size_t size;
};

/* Appends `size` zero bytes, the first one at a multiple of 8, and returns where they start, or
 * NULL. Moves what was there before. */
static void *extend(struct policy_image *image, size_t size)
{
    size_t at = (image->size + 7) & ~(size_t)7;
    char *grown = realloc(image->bytes, at + size);
    if (grown == NULL)
        return NULL;
    memset(grown + image->size, 0, at + size - image->size);
    image->bytes = grown;
    image->size = at + size;
    return grown + at;
}

static void set_span(struct policy_image *image, enum policy_section which, const void *start,
                     size_t size)
{
    struct policy_header *header = (struct policy_header *)(void *)image->bytes;
    header->section[which].offset = (uint32_t)((const char *)start - image->bytes);
    header->section[which].size = (uint32_t)size;
}

static int add_string(struct policy_image *image, enum policy_section which, const char *text)
{
    size_t length = strlen(text);
    char *at = extend(image, length + 1);
    if (at == NULL)
        return -ENOMEM;
    memcpy(at, text, length);
    set_span(image, which, at, length);
    return 0;
}

/* Fills `*why` for a rule; `offset` is in its pattern. A built-in rule has no line. */
static void blame_rule(const struct conf_rule *rule, size_t offset, const char *reason,
                       const char *hint, struct conf_error *why)
{
    why->line = rule->line;
    why->column = rule->line == 0 ? 0 : rule->column + (unsigned)offset;
    snprintf(why->reason, sizeof why->reason, "%s", reason);
    snprintf(why->hint, sizeof why->hint, "%s", hint);
}

static int parse_rules(const struct conf_rules *rules, struct nfa *nfa, struct conf_error *why)
{
    for (size_t i = 0; i < rules->count; i++) {
        struct pattern_error fault = {0};
        int error = pattern_add(nfa, rules->rule[i].pattern, &fault);
        if (error == -EINVAL || error == -E2BIG)
            blame_rule(&rules->rule[i], fault.offset, fault.reason, fault.hint, why);
        if (error != 0)
            return error;
    }
    return 0;
}

/* Builds the exact automaton or, where that is too large, one in which neighbouring rules with the
 * same action are equals (dfa_build()): it decides the same, but may name another one of them. */
static int build_some_dfa(const struct conf_rules *rules, const struct nfa *nfa, struct dfa *dfa,
                          uint32_t *culprit)
{
    CLEANUP_FREE uint32_t *first_of = calloc(rules->count, sizeof *first_of);
    if (first_of == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < rules->count; i++)
        first_of[i] = i;
    int error = dfa_build(nfa, first_of, dfa, culprit);
    if (error == -E2BIG) {
        for (uint32_t i = 1; i < rules->count; i++)
            if (rules->rule[i].action == rules->rule[i - 1].action)
                first_of[i] = first_of[i - 1];
        error = dfa_build(nfa, first_of, dfa, culprit);
    }
    return error;
}

static int build_dfa(const struct conf_rules *rules, const struct nfa *nfa, struct dfa *dfa,
                     struct conf_error *why)
{
    char hint[sizeof why->hint];
    uint32_t culprit = 0;
    int error = build_some_dfa(rules, nfa, dfa, &culprit);
    if (error == -E2BIG) {
        snprintf(hint, sizeof hint, "simplify '%.100s', above all its {M,N} and inner '.*'",
                 rules->rule[culprit].pattern);
        blame_rule(&rules->rule[culprit], 0, "the rules of this section need too many states", hint,
                   why);
    }
    if (error != 0)
        return error;
    return dfa_minimise(dfa);
}

static int add_dfa(struct policy_image *image, enum policy_section which, const struct dfa *dfa,
                   const struct conf_rules *rules)
{
    size_t cells = (size_t)dfa->states * dfa->classes;
    size_t rules_at = sizeof(struct policy_dfa) + (cells + dfa->states) * sizeof(uint16_t);
    rules_at = (rules_at + 3) & ~(size_t)3;
    size_t size = rules_at + rules->count * sizeof(struct policy_rule);
    char *at = extend(image, size);
    if (at == NULL)
        return -ENOMEM;
    struct policy_dfa *head = (struct policy_dfa *)(void *)at;
    uint16_t *accepts = (uint16_t *)(head + 1);
    struct policy_rule *rule = (struct policy_rule *)(void *)(at + rules_at);
    set_span(image, which, at, size);
    head->states = dfa->states;
    head->classes = dfa->classes;
    head->start = dfa->start;
    head->rules = (uint32_t)rules->count;
    if (dfa->states == 0)
        return 0;
    memcpy(head->class_of, dfa->class_of, sizeof head->class_of);
    memcpy(accepts, dfa->accepts, dfa->states * sizeof *accepts);
    memcpy(accepts + dfa->states, dfa->next, cells * sizeof *accepts);
    for (size_t i = 0; i < rules->count; i++)
        rule[i] = (struct policy_rule){rules->rule[i].action, rules->rule[i].line};
    return 0;
}

static int add_list(struct policy_image *image, const struct conf_list *list,
                    const struct conf_rules *rules, struct conf_error *why)
{
    struct dfa dfa = {0};
    struct nfa nfa = {0};
    int error = parse_rules(rules, &nfa, why);
    if (error == 0 && rules->count > 0)
        error = build_dfa(rules, &nfa, &dfa, why);
    if (error == 0)
        error = add_dfa(image, list->which, &dfa, rules);
    dfa_free(&dfa);
    nfa_free(&nfa);
    return error;
}

/* Compiles the rules of a section as they are, and then those that its extension makes of them;
 * none where jobtrail is built without it. */
static int add_rules(struct policy_image *image, const struct conf_list *list,
                     const struct conf *conf, struct conf_error *why)
{
    const struct conf_part *part = conf_part_find(list->section);
    struct conf_rules made = {NULL, 0};
    static const struct conf_rules none;
    struct policy_table table;
    size_t before = image->size;
    int error = add_list(
        image, list, conf_is_left_out(list->section) ? &none : conf_list_rules(list, conf), why);
    if (error != 0 || part == NULL || part->make_rules == NULL ||
        !policy_find(image->bytes, list->which, &table))
        return error;
    error = part->make_rules(conf, &table, &made, why);
    if (error == 0 && made.count > 0) {
        image->size = before;
        error = add_list(image, list, &made, why);
    }
    conf_rules_free(&made);
    return error;
}

static int add_strings(struct policy_image *image, const struct conf *conf)
{
    int error = add_string(image, POLICY_SPOOL, conf->spool);
    if (error == 0)
        error = add_string(image, POLICY_LIBRARY, conf->library);
    if (error == 0)
        error = add_string(image, POLICY_SUBMIT, conf->submit);
    if (error == 0)
        error = add_string(image, POLICY_CONF, conf->path);
    if (error == 0)
        error = add_string(image, POLICY_HOOKS, conf->hooks);
    return error;
}

static int add_table(struct policy_image *image, const struct conf_table *table,
                     const struct conf *conf)
{
    const struct conf_intervals *intervals = conf_table_intervals(table, conf);
    size_t size = intervals->count * sizeof(struct policy_interval);
    struct policy_interval *at = extend(image, size);
    if (at == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < intervals->count; i++)
        at[i] = conf_interval_compile(&intervals->interval[i]);
    set_span(image, table->which, at, size);
    return 0;
}

/* FNV-1a over what the intervals are compiled to. 0 for none. */
static uint64_t table_identity(const struct policy_interval *interval, size_t count)
{
    uint64_t identity = UINT64_C(0xcbf29ce484222325);
    const unsigned char *bytes = (const unsigned char *)interval;
    for (size_t i = 0; i < count * sizeof *interval; i++)
        identity = (identity ^ bytes[i]) * UINT64_C(0x100000001b3);
    return count == 0 ? 0 : identity == 0 ? 1 : identity;
}

/* The tables to be known, at most POLICY_KNOWN_TABLES_MAX, each once. */
struct known_tables {
    size_t count;
    struct policy_known_table table[POLICY_KNOWN_TABLES_MAX];
};

static void know_table(struct known_tables *known, const struct policy_interval *interval,
                       size_t count)
{
    uint64_t identity = count > POLICY_INTERVALS_MAX ? 0 : table_identity(interval, count);
    for (size_t i = 0; i < known->count; i++) {
        if (known->table[i].identity == identity)
            return;
    }
    if (identity == 0 || known->count == POLICY_KNOWN_TABLES_MAX)
        return;
    struct policy_known_table *table = &known->table[known->count++];
    *table = (struct policy_known_table){.identity = identity, .count = (uint32_t)count};
    memcpy(table->interval, interval, count * sizeof *interval);
}

static uint64_t know_section(struct known_tables *known, const struct policy_image *image,
                             enum policy_section which)
{
    const struct policy_header *header = (const struct policy_header *)(const void *)image->bytes;
    struct policy_span span = header->section[which];
    const struct policy_interval *interval = (const void *)(image->bytes + span.offset);
    size_t count = span.size / sizeof *interval;
    know_table(known, interval, count);
    return table_identity(interval, count);
}

static int add_known_tables(struct policy_image *image, const void *before)
{
    struct known_tables known = {.count = 0};
    size_t count = 0;
    uint64_t scalar = know_section(&known, image, POLICY_SCALAR);
    uint64_t mpi = know_section(&known, image, POLICY_MPI);
    const struct policy_known_table *table =
        before == NULL ? NULL : policy_known_tables(before, &count);
    for (size_t i = 0; i < count; i++)
        know_table(&known, table[i].interval, table[i].count);
    size_t size = known.count * sizeof known.table[0];
    char *at = extend(image, size);
    if (at == NULL)
        return -ENOMEM;
    memcpy(at, known.table, size);
    set_span(image, POLICY_TABLES, at, size);
    struct policy_header *header = (struct policy_header *)(void *)image->bytes;
    header->scalar_table = scalar;
    header->mpi_table = mpi;
    return 0;
}

/* The strings come last: policy_usable() requires a byte after every section. */
static int add_sections(struct policy_image *image, const struct conf *conf, const void *before,
                        bool is_whole, struct conf_error *why)
{
    static const struct conf_rules none = {0};
    int error = extend(image, sizeof(struct policy_header)) == NULL ? -ENOMEM : 0;
    for (size_t i = 0; error == 0 && i < CONF_LISTS; i++) {
        const struct conf_list *list = &conf_lists[i];
        bool is_wanted = is_whole || list->which == POLICY_REDACT;
        error = is_wanted ? add_rules(image, list, conf, why) : add_list(image, list, &none, why);
    }
    for (size_t i = 0; error == 0 && i < CONF_TABLES; i++)
        error = add_table(image, &conf_tables[i], conf);
    if (error == 0)
        error = add_known_tables(image, before);
    if (error == 0)
        error = add_strings(image, conf);
    if (error == 0 && image->size > POLICY_MAX_BYTES) {
        snprintf(why->reason, sizeof why->reason, "the compiled policy exceeds %u MiB",
                 POLICY_MAX_BYTES >> 20);
        snprintf(why->hint, sizeof why->hint, "use fewer or simpler rules");
        error = -E2BIG;
    }
    return error;
}

static void fill_header(struct policy_image *image, const struct conf *conf)
{
    struct policy_header *header = (struct policy_header *)(void *)image->bytes;
    header->magic = POLICY_MAGIC;
    header->version = POLICY_VERSION;
    header->size = (uint32_t)image->size;
    header->ledger_bytes = conf->ledger_bytes;
    header->profile_bytes = conf->profile_bytes;
    header->epilog_timeout_s = conf->epilog_timeout_s;
    header->switches = (conf->track_programs == CONF_PROGRAMS_MPI ? 0 : POLICY_TRACK_SCALAR) |
                       (conf->track_programs == CONF_PROGRAMS_SCALAR ? 0 : POLICY_TRACK_MPI) |
                       (conf->sample ? POLICY_SAMPLE : 0) |
                       (conf->catch_signals ? POLICY_CATCH_SIGNALS : 0) |
                       (conf->mount == CONF_MOUNT_YES ? POLICY_MOUNT : 0) |
                       (conf->mount == CONF_MOUNT_NO ? POLICY_NO_MOUNT : 0) |
                       (conf->enabled ? POLICY_ENABLED : 0) | (conf->opt_out ? POLICY_OPT_OUT : 0) |
                       (conf->count_routines ? POLICY_COUNTS : 0) |
                       (conf->profile_steps == CONF_PROFILE_ASKED ? POLICY_PROFILE_ASKED : 0) |
                       (conf->profile_steps == CONF_PROFILE_ALL ? POLICY_PROFILE_ALL : 0) |
                       (conf->profile_mode == CONF_PROFILE_EXACT ? POLICY_PROFILE_EXACT : 0) |
                       (conf->profile_directory[0] != '\0' ? POLICY_PROFILE_KEPT : 0);
    header->always_ranks = conf->always_ranks;
    header->command_line = conf->command_line;
}

static int compile(const struct conf *conf, const void *before, bool is_whole, void **bytes,
                   size_t *size, struct conf_error *why)
{
    struct policy_image image = {0};
    struct conf_error found = {0};
    snprintf(found.file, sizeof found.file, "%s", conf->path);
    int error = add_sections(&image, conf, before, is_whole, &found);
    if (error == -ENOMEM)
        snprintf(found.reason, sizeof found.reason, "%s", strerror(ENOMEM));
    if (error != 0) {
        free(image.bytes);
        *why = found;
        return error;
    }
    fill_header(&image, conf);
    *bytes = image.bytes;
    *size = image.size;
    return 0;
}

int compile_policy(const struct conf *conf, void **bytes, size_t *size, struct conf_error *why)
{
    return compile(conf, NULL, true, bytes, size, why);
}

int compile_policy_after(const struct conf *conf, const void *before, void **bytes, size_t *size,
                         struct conf_error *why)
{
    return compile(conf, before, true, bytes, size, why);
}

int compile_redaction(const struct conf *conf, void **bytes, size_t *size, struct conf_error *why)
{
    return compile(conf, NULL, false, bytes, size, why);
}
