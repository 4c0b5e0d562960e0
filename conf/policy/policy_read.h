/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading a compiled policy that is in memory. Header only, no libc, no allocation, so that the
 * preload library, the SPANK plugin and our programs share one bounds-checked reader.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "conf/policy/policy.h"

/* Whether `size` bytes at `base` (8-byte aligned) start a policy of our version that is whole. */
static inline int policy_usable(const void *base, size_t size)
{
    const struct policy_header *header = (const struct policy_header *)base;
    if (size < sizeof *header || header->magic != POLICY_MAGIC || header->version != POLICY_VERSION)
        return 0;
    if (header->size != size)
        return 0;
    for (int i = 0; i < POLICY_SECTIONS; i++) {
        struct policy_span span = header->section[i];
        if (span.offset % 8 != 0 || span.offset > size || span.size >= size - span.offset)
            return 0;
    }
    return 1;
}

/* The string of a section, NUL-terminated, or NULL when it is damaged. `base` must be usable. */
static inline const char *policy_string(const void *base, enum policy_section which)
{
    const struct policy_header *header = (const struct policy_header *)base;
    const char *text = (const char *)base + header->section[which].offset;
    return text[header->section[which].size] == '\0' ? text : NULL;
}

/* A list's automaton within its section, and its rules after it. */
struct policy_table {
    const struct policy_dfa *dfa;
    const uint16_t *accepts; /* states */
    const uint16_t *next;    /* states * classes */
    const struct policy_rule *rules;
};

/* Finds the automaton of a list. Returns 1, or 0 when there is none or the section is damaged.
 * `base` must be usable. */
static inline int policy_find(const void *base, enum policy_section which, struct policy_table *out)
{
    const struct policy_header *header = (const struct policy_header *)base;
    struct policy_span span = header->section[which];
    const struct policy_dfa *dfa = (const struct policy_dfa *)((const char *)base + span.offset);
    if (span.size < sizeof *dfa || dfa->states == 0 || dfa->states > UINT16_MAX)
        return 0;
    if (dfa->classes == 0 || dfa->classes > 256 || dfa->start >= dfa->states)
        return 0;
    uint64_t cells = (uint64_t)dfa->states * dfa->classes + dfa->states;
    uint64_t rules_at = (sizeof *dfa + cells * sizeof(uint16_t) + 3) & ~(uint64_t)3;
    if (rules_at + (uint64_t)dfa->rules * sizeof(struct policy_rule) > span.size)
        return 0;
    out->dfa = dfa;
    out->accepts = (const uint16_t *)(dfa + 1);
    out->next = out->accepts + dfa->states;
    out->rules = (const struct policy_rule *)((const char *)dfa + rules_at);
    return 1;
}

/* The state that `length` bytes at `text` lead to from `state`, one table step per byte.
 * POLICY_DEAD also where the table is damaged. */
static inline uint32_t policy_walk(const struct policy_table *table, uint32_t state,
                                   const char *text, size_t length)
{
    const struct policy_dfa *dfa = table->dfa;
    for (size_t i = 0; i < length && state != POLICY_DEAD; i++) {
        uint32_t class = dfa->class_of[(unsigned char)text[i]];
        if (class >= dfa->classes)
            return POLICY_DEAD;
        state = table->next[(size_t)state * dfa->classes + class];
        if (state >= dfa->states)
            return POLICY_DEAD;
    }
    return state;
}

/* The rule that matches a text that has led to `state`, or NULL. */
static inline const struct policy_rule *policy_verdict(const struct policy_table *table,
                                                       uint32_t state)
{
    uint32_t rule = state == POLICY_DEAD ? 0 : table->accepts[state];
    return rule == 0 || rule > table->dfa->rules ? NULL : &table->rules[rule - 1];
}

/* The rules of a list, `*count` of them; NULL when there are none or the section is damaged. */
static inline const struct policy_rule *policy_rules(const void *base, enum policy_section which,
                                                     uint32_t *count)
{
    struct policy_table table;
    int found = policy_find(base, which, &table);
    *count = found ? table.dfa->rules : 0;
    return found ? table.rules : NULL;
}

/* The rule that decides about the `length` bytes at `text`, or NULL when none matches the whole
 * of it. `base` must be usable. */
static inline const struct policy_rule *policy_match(const void *base, enum policy_section which,
                                                     const char *text, size_t length)
{
    struct policy_table table;
    if (!policy_find(base, which, &table))
        return NULL;
    return policy_verdict(&table, policy_walk(&table, table.dfa->start, text, length));
}

/* What holds for a process. */
struct policy_decision {
    enum policy_action action;          /* POLICY_KEEP to POLICY_RUNTIME */
    uint32_t line;                      /* of the deciding rule in jobtrail.conf; 0: a built-in
                                           rule, or none */
    const struct policy_rule *path;     /* the rule that matches the path; NULL: none */
    const struct policy_rule *argument; /* when that one says POLICY_CUSTOM: the argument rule that
                                           decides; NULL: none does, which skips */
    int index;                          /* of the argument in argv that the argument rule matches;
                                           0: it matches "PATH;" */
};

/* How the files that arguments name are found: the library and our programs do it differently. */
struct policy_files {
    /* The state of the table to which the real path of the file that `argument` names leads from
     * `state`; POLICY_NO_FILE where it names none, or nobody can tell. */
    uint32_t (*walk)(const struct policy_files *files, const struct policy_table *table,
                     uint32_t state, const char *argument);
    int32_t pid; /* relative names are in the directory of this process; 0: of the calling one */
};

#define POLICY_NO_FILE UINT32_MAX

/* For so many arguments of a process a file is looked for. */
enum { POLICY_FILES_MAX = 256 };

/* The state to which an argument leads: by its real path if it names a file, as in XALT, which
 * takes what begins with '-' for an option, or else by its text. */
static inline uint32_t policy_walk_argument(const struct policy_table *table, uint32_t after_path,
                                            const char *argument, size_t length,
                                            const struct policy_files *files)
{
    uint32_t state = files == NULL || argument[0] == '-' || argument[0] == '\0'
                         ? POLICY_NO_FILE
                         : files->walk(files, table, after_path, argument);
    return state != POLICY_NO_FILE ? state : policy_walk(table, after_path, argument, length);
}

/* The length of `text` when it is at most `limit`, or more than `limit`. */
static inline size_t policy_length(const char *text, size_t limit)
{
    size_t length = 0;
    while (length <= limit && text[length] != '\0')
        length++;
    return length;
}

static inline int policy_decides(const struct policy_rule *rule)
{
    return rule != NULL && rule->action >= POLICY_KEEP && rule->action <= POLICY_RUNTIME;
}

/* The argument rule that decides about a process, or NULL, and in `*index` about which argument.
 * Each argument is matched as "PATH;ARGUMENT"; when none is decisive, "PATH;" is. No file is looked
 * for where the rules have nothing about the path. */
static inline const struct policy_rule *
policy_decide_argument(const struct policy_table *table, uint32_t after_path, int argc,
                       char *const *argv, const struct policy_files *files, int *index)
{
    size_t room = POLICY_ARGUMENT_BYTES;
    *index = 0;
    for (int i = 1, looked = 0; after_path != POLICY_DEAD && i < argc && argv[i] != NULL; i++) {
        size_t length = policy_length(argv[i], room);
        if (length > room)
            break;
        room -= length;
        const struct policy_rule *rule =
            policy_verdict(table, policy_walk_argument(table, after_path, argv[i], length,
                                                       looked++ < POLICY_FILES_MAX ? files : NULL));
        *index = i;
        if (policy_decides(rule))
            return rule;
        if (rule == NULL || rule->action < POLICY_JUMP_1 || rule->action > POLICY_JUMP_4)
            continue;
        int jump = (int)(rule->action - POLICY_JUMP_1) + 1;
        i += jump < argc - i ? jump : argc - i - 1;
    }
    *index = 0;
    const struct policy_rule *rule = policy_verdict(table, after_path);
    return policy_decides(rule) ? rule : NULL;
}

/* What the path rules, and for POLICY_CUSTOM the argument rules, decide for a process with the
 * executable `path` of `path_length` bytes and the `argc` strings at `argv`, the first of which
 * plays no part. `files` finds the files that the arguments name; NULL: their text is matched.
 * Takes a step per byte of the path and of at most POLICY_ARGUMENT_BYTES of arguments. `base` must
 * be usable. */
static inline struct policy_decision policy_decide(const void *base, const char *path,
                                                   size_t path_length, int argc, char *const *argv,
                                                   const struct policy_files *files)
{
    struct policy_decision decision = {POLICY_KEEP, 0, NULL, NULL, 0};
    struct policy_table table;
    decision.path = policy_match(base, POLICY_PATH, path, path_length);
    const struct policy_rule *rule = decision.path;
    if (rule != NULL && rule->action == POLICY_CUSTOM) {
        rule = NULL;
        decision.action = POLICY_SKIP;
        if (policy_find(base, POLICY_ARGUMENT, &table)) {
            uint32_t state = policy_walk(&table, table.dfa->start, path, path_length);
            state = policy_walk(&table, state, ";", 1);
            rule = policy_decide_argument(&table, state, argc, argv, files, &decision.index);
        }
        decision.argument = rule;
    }
    if (policy_decides(rule)) {
        decision.action = (enum policy_action)rule->action;
        decision.line = rule->line;
    }
    return decision;
}

/* How much of command lines is recorded: nothing where the number is not valid. `base` must be
 * usable. */
static inline enum policy_command_line policy_command_line(const void *base)
{
    uint32_t value = ((const struct policy_header *)base)->command_line;
    return value > POLICY_LINE_NO ? POLICY_LINE_NO : (enum policy_command_line)value;
}

/* Argument rules are applied to so many arguments of another process. */
enum { POLICY_LINE_ARGUMENTS = 64 };

/* Whether the rules leave out a process that is known by the path of its executable and its command
 * line: `size` bytes at `line`, each argument ended by NUL, which must be there at line[size] too.
 * A process without a path is left out, since no rule applies to it. `files` as in policy_decide().
 * `base` must be usable. */
static inline int policy_skips_line(const void *base, const char *path, size_t path_length,
                                    char *line, size_t size, const struct policy_files *files)
{
    char *argv[POLICY_LINE_ARGUMENTS + 1];
    int argc = 0;
    for (size_t at = 0; at < size && argc < POLICY_LINE_ARGUMENTS; argc++) {
        argv[argc] = line + at;
        at += policy_length(line + at, size - at) + 1;
    }
    argv[argc] = NULL;
    return path_length == 0 ||
           policy_decide(base, path, path_length, argc, argv, files).action == POLICY_SKIP;
}

/* The interval that holds for a run of `run_ns`; NULL: none, which keeps the run. */
static inline const struct policy_interval *
policy_interval_of(const struct policy_interval *interval, size_t count, uint64_t run_ns)
{
    while (count > 0 && interval[count - 1].from_ns > run_ns)
        count--;
    return count == 0 ? NULL : &interval[count - 1];
}

/* The same of a sampling table (POLICY_SCALAR, POLICY_MPI). `base` must be usable. */
static inline const struct policy_interval *
policy_interval(const void *base, enum policy_section which, uint64_t run_ns)
{
    const struct policy_header *header = (const struct policy_header *)base;
    struct policy_span span = header->section[which];
    const struct policy_interval *interval =
        (const struct policy_interval *)((const char *)base + span.offset);
    return policy_interval_of(interval, span.size / sizeof *interval, run_ns);
}

/* The known sampling tables, `*count` of them. `base` must be usable. */
static inline const struct policy_known_table *policy_known_tables(const void *base, size_t *count)
{
    const struct policy_header *header = (const struct policy_header *)base;
    struct policy_span span = header->section[POLICY_TABLES];
    *count = span.size / sizeof(struct policy_known_table);
    return (const struct policy_known_table *)((const char *)base + span.offset);
}

/* The known sampling table with this identity; NULL: there is none. `base` must be usable. */
static inline const struct policy_known_table *policy_known_table(const void *base,
                                                                  uint64_t identity)
{
    size_t count;
    const struct policy_known_table *table = policy_known_tables(base, &count);
    for (size_t i = 0; i < count; i++)
        if (table[i].identity == identity && identity != 0 && table[i].count > 0 &&
            table[i].count <= POLICY_INTERVALS_MAX)
            return &table[i];
    return NULL;
}
