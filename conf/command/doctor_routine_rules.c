/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules of [routines] that no library of this machine matches, or that match it by another path
 * than the loader's, and rules about routines that have no effect: they may be mistyped. What may
 * be elsewhere is not found fault with.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/listing.h"
#include "conf/command/doctor.h"
#include "conf/command/routine_candidates.h"
#include "conf/command/routine_rules.h"
#include "conf/compile.h"
#include "conf/policy/policy_read.h"

enum { RULES_MAX = 64, NAMES_MAX = 4096 };

static const char soname_kind[] = "soname:", path_kind[] = "path:";

static bool is_match(const struct policy_table *table, const char *kind, const char *text)
{
    uint32_t state = policy_walk(table, table->dfa->start, kind, strlen(kind));
    return policy_verdict(table, policy_walk(table, state, text, strlen(text))) != NULL;
}

static bool has_candidate(const struct policy_table *table, const char *kind,
                          const struct routine_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        const char *path = candidates->path[i];
        if (is_match(table, kind, kind == soname_kind ? strrchr(path, '/') + 1 : path))
            return true;
    }
    return false;
}

/* Whether the directory that all texts of the pattern begin with has, or may have below, a file
 * that matches. */
static bool may_have_file(const struct policy_table *table, const char *pattern)
{
    char path[PATH_MAX];
    CLEANUP_LISTING DIR *listing = NULL;
    routine_rule_head(pattern, path, sizeof path);
    char *slash = strrchr(path, '/');
    if (path[0] != '/' || strchr(pattern, '|') != NULL)
        return true;
    slash[1] = '\0';
    size_t length = strlen(path);
    int error = listing_open(AT_FDCWD, path, &listing);
    if (error != 0)
        return error != -ENOENT && error != -ENOTDIR;
    size_t names = 0;
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        snprintf(path + length, sizeof path - length, "%s", name);
        if (++names > NAMES_MAX || is_match(table, path_kind, path))
            return true;
        uint32_t state = policy_walk(table, table->dfa->start, path_kind, sizeof path_kind - 1);
        state = policy_walk(table, policy_walk(table, state, path, strlen(path)), "/", 1);
        if (state != POLICY_DEAD && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static void add_unmatched(struct doctor *doctor, const struct conf *conf,
                          const struct conf_rule *rule, const char *near, bool is_sure)
{
    char advice[256] = "";
    if (near != NULL)
        snprintf(advice, sizeof advice,
                 "did you mean %s? mend line %u; then: jobtrail-conf compile", near, rule->line);
    else if (is_sure)
        snprintf(advice, sizeof advice, "mend or remove line %u, unless it is for other nodes",
                 rule->line);
    doctor_add(doctor, is_sure || near != NULL ? FINDING_WARN : FINDING_OK, "routines", conf->path,
               advice, "no library %s 'keep = %.100s'",
               is_sure ? "here matches" : "that ldconfig(8) has found matches", rule->pattern);
}

/* Whether the rule matches the file under another name of its directory, or its real path. */
static bool is_match_elsewhere(const struct policy_table *table, const char *path)
{
    char directory[PATH_MAX], resolved[PATH_MAX], other[2 * PATH_MAX];
    const char *name = strrchr(path, '/') + 1;
    snprintf(directory, sizeof directory, "%.*s", (int)(name - path), path);
    if (realpath(directory, resolved) == NULL)
        return false;
    snprintf(other, sizeof other, "%s/%s", resolved, name);
    return is_match(table, path_kind, other) ||
           (realpath(path, resolved) != NULL && is_match(table, path_kind, resolved));
}

static const char *find_elsewhere(const struct policy_table *table,
                                  const struct routine_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++)
        if (is_match_elsewhere(table, candidates->path[i]))
            return candidates->path[i];
    return NULL;
}

static void add_other_path(struct doctor *doctor, const struct conf *conf,
                           const struct conf_rule *rule, const char *path)
{
    char advice[256];
    snprintf(advice, sizeof advice,
             "did you mean path:%.100s? mend line %u; then: jobtrail-conf compile", path,
             rule->line);
    doctor_add(
        doctor, FINDING_WARN, "routines", conf->path, advice,
        "the loader has no library by the path of 'keep = %.100s', but by another of the same "
        "file",
        rule->pattern);
}

static void look_at_rule(struct doctor *doctor, const struct conf *conf,
                         const struct conf_rule *rule, const struct routine_candidates *candidates)
{
    bool is_soname = strncmp(rule->pattern, soname_kind, sizeof soname_kind - 1) == 0;
    const char *kind = is_soname ? soname_kind : path_kind, *pattern = rule->pattern + strlen(kind);
    CLEANUP_FREE void *policy = routine_rule_policy(conf, rule);
    struct policy_table table;
    char word[NAME_MAX];
    if (policy == NULL || !policy_find(policy, POLICY_ROUTINE, &table) ||
        has_candidate(&table, kind, candidates))
        return;
    if (!is_soname) {
        const char *other = find_elsewhere(&table, candidates);
        if (other != NULL)
            add_other_path(doctor, conf, rule, other);
        else if (!may_have_file(&table, pattern))
            add_unmatched(doctor, conf, rule, NULL, true);
        return;
    }
    routine_rule_head(pattern, word, sizeof word);
    char *end = strstr(word, ".so");
    if (end != NULL)
        *end = '\0';
    add_unmatched(doctor, conf, rule,
                  end == NULL ? NULL : routine_candidates_near(candidates, word),
                  candidates->has_map);
}

/* A rule of routines, of the library that it names. */
static void look_at_routines(struct doctor *doctor, const struct conf *conf, const void *policy,
                             size_t at, const struct routine_candidates *candidates)
{
    const struct conf_rule *rule = &conf->routine.rule[at];
    char trouble[256], library[NAME_MAX], advice[512];
    routine_rule_trouble(conf, policy, at, trouble, sizeof trouble);
    if (trouble[0] == '\0')
        return;
    const char *near = NULL;
    if (routine_rule_library(rule, library, sizeof library) && strstr(library, ".so.") == NULL)
        near = routine_candidates_near(candidates, library);
    if (near != NULL)
        snprintf(advice, sizeof advice,
                 "did you mean routine:%s:...? mend line %u; then: jobtrail-conf compile", near,
                 rule->line);
    else
        snprintf(advice, sizeof advice, "mend or remove line %u; then: jobtrail-conf compile",
                 rule->line);
    doctor_add(doctor, FINDING_WARN, "routines", conf->path, advice,
               "'%s = %.100s' has no effect: %s", rule->action == POLICY_KEEP ? "keep" : "skip",
               rule->pattern, trouble);
}

static void look_at_all_routines(struct doctor *doctor, const struct conf *conf,
                                 const struct routine_candidates *candidates)
{
    CLEANUP_FREE void *policy = NULL;
    struct conf_error why;
    size_t size;
    if (compile_policy(conf, &policy, &size, &why) != 0)
        return;
    for (size_t i = 0; i < conf->routine.count && i < RULES_MAX; i++)
        if (routine_rule_is(&conf->routine.rule[i]))
            look_at_routines(doctor, conf, policy, i, candidates);
}

void doctor_routine_rules(struct doctor *doctor, const struct conf *conf)
{
    CLEANUP_CANDIDATES struct routine_candidates candidates;
    if (routine_candidates_find(conf, &candidates) != 0)
        return;
    look_at_all_routines(doctor, conf, &candidates);
    if (!candidates.is_complete)
        return;
    for (size_t i = 0; i < conf->routine.count && i < RULES_MAX; i++) {
        const struct conf_rule *rule = &conf->routine.rule[i];
        bool is_library = strncmp(rule->pattern, soname_kind, sizeof soname_kind - 1) == 0 ||
                          strncmp(rule->pattern, path_kind, sizeof path_kind - 1) == 0;
        if (rule->action == POLICY_KEEP && is_library)
            look_at_rule(doctor, conf, rule, &candidates);
    }
}
