/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What [routines] says about one library: by its soname, its path, as it was named and as the
 * loader has it, and the module that its path is of. What it says about an archive: by its name, as
 * jobtrail-ld asks. And which rules are about routines of it.
 */
#include "conf/command/explain.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_soname.h"
#include "conf/command/routine_candidates.h"
#include "conf/command/routine_rule.h"
#include "conf/routine_modules.h"

enum { SONAME_SIZE = 256 };

#define THIN_MAGIC "!<thin>\n"

/* What is said, and the first rule that keeps: one is enough. */
struct said {
    struct json_object *all; /* NULL: it is printed */
    const struct conf_rule *keep;
};

static void say(const struct explain *explain, const struct explain_verdict *verdict,
                const struct said *said)
{
    if (said->all == NULL)
        explain_print(explain, verdict);
    else
        json_object_array_add(said->all, explain_json(explain, verdict));
}

static int explain_kind(const struct explain *explain, const char *kind, const char *name,
                        struct said *said)
{
    CLEANUP_FREE char *text = NULL;
    if (asprintf(&text, "%s%s", kind, name) < 0) {
        text = NULL;
        return -ENOMEM;
    }
    const struct explain_verdict verdict = explain_text(explain, conf_list_find("routines"), text);
    say(explain, &verdict, said);
    if (said->keep == NULL && verdict.action == POLICY_KEEP)
        said->keep = verdict.rule;
    return 0;
}

static bool has_kind(const struct conf *conf, const char *kind)
{
    for (size_t i = 0; i < conf->routine.count; i++)
        if (strncmp(conf->routine.rule[i].pattern, kind, strlen(kind)) == 0)
            return true;
    return false;
}

/* Other paths by which the loader finds the file `fd` by itself. */
static int explain_other_paths(const struct explain *explain, int fd, const char *path,
                               const char *soname, struct said *said)
{
    CLEANUP_CANDIDATES struct routine_candidates candidates = {0};
    struct stat facts, other;
    if (!has_kind(explain->conf, "path:") || fstat(fd, &facts) != 0)
        return 0;
    int error = routine_candidates_find(explain->conf, &candidates);
    for (size_t i = 0; error == 0 && i < candidates.count; i++) {
        const char *candidate = candidates.path[i];
        if (strcmp(strrchr(candidate, '/') + 1, soname) == 0 && strcmp(candidate, path) != 0 &&
            stat(candidate, &other) == 0 && other.st_dev == facts.st_dev &&
            other.st_ino == facts.st_ino)
            error = explain_kind(explain, "path:", candidate, said);
    }
    return error;
}

/* One rule that may be about routines of the library. */
static int explain_routine_rule(const struct explain *explain, size_t at, const char *text,
                                struct json_object *all)
{
    const struct conf_rule *rule = &explain->conf->routine.rule[at];
    const struct explain_verdict verdict = {conf_list_find("routines"), text, rule->action, rule};
    char trouble[256];
    routine_rule_trouble(explain->conf, explain->policy, at, trouble, sizeof trouble);
    if (all == NULL) {
        explain_print(explain, &verdict);
        if (trouble[0] != '\0')
            printf("  this rule has no effect: %s\n", trouble);
        return 0;
    }
    struct json_object *json = explain_json(explain, &verdict);
    json_object_object_add(json, "no_effect",
                           trouble[0] == '\0' ? NULL : json_object_new_string(trouble));
    return json_object_array_add(all, json) == 0 ? 0 : -ENOMEM;
}

/* The rules of its routines, and those that are of no routine at all. */
static int explain_routine_rules(const struct explain *explain, const char *library,
                                 struct json_object *all)
{
    CLEANUP_FREE char *text = NULL;
    const struct conf *conf = explain->conf;
    int error = 0;
    if (asprintf(&text, "routine:%s:...", library) < 0) {
        text = NULL;
        return -ENOMEM;
    }
    for (size_t i = 0; error == 0 && i < conf->routine.count; i++) {
        const struct conf_rule *rule = &conf->routine.rule[i];
        if (routine_rule_is(rule) && (routine_rule_is_of(conf, rule, library) ||
                                      strchr(rule->pattern + sizeof "routine", ':') == NULL))
            error = explain_routine_rule(explain, i, text, all);
    }
    return error;
}

/* Also a thin one, of which jobtrail-ld asks the same before it counts it as missed. */
static bool is_archive(int fd)
{
    char magic[SARMAG];
    return pread(fd, magic, sizeof magic, 0) == SARMAG &&
           (memcmp(magic, ARMAG, SARMAG) == 0 || memcmp(magic, THIN_MAGIC, SARMAG) == 0);
}

/* By each name that a rule may have for it, and then whether it is designated. */
static int explain_shared(const struct explain *explain, int fd, const char *path,
                          const char *soname, struct json_object *all)
{
    struct said said = {all, NULL};
    int error = explain_kind(explain, "soname:", soname, &said);
    if (error == 0)
        error = explain_kind(explain, "path:", path, &said);
    if (error == 0)
        error = explain_other_paths(explain, fd, path, soname, &said);
    if (error == 0 && routine_modules_rule(explain->conf) != NULL)
        error = explain_kind(explain, ROUTINE_DIRECTORY, path, &said);
    const struct explain_verdict designated = {
        conf_list_find("routines"), path, said.keep == NULL ? POLICY_SKIP : POLICY_KEEP, said.keep};
    if (error == 0)
        say(explain, &designated, &said);
    return error;
}

static int explain_archive(const struct explain *explain, const char *name, struct json_object *all)
{
    struct said said = {all, NULL};
    return explain_kind(explain, "archive:", name, &said);
}

int explain_routines(const struct explain *explain, const char *path, struct json_object *all)
{
    char name[SONAME_SIZE] = "";
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    const bool of_archive = is_archive(fd);
    if (!of_archive)
        elf_soname(fd, name, sizeof name);
    if (name[0] == '\0')
        snprintf(name, sizeof name, "%s", basename(path));
    int error = of_archive ? explain_archive(explain, name, all)
                           : explain_shared(explain, fd, path, name, all);
    return error == 0 ? explain_routine_rules(explain, name, all) : error;
}
