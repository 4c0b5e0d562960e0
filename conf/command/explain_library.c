/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What [libraries] says about one file.
 */
#include "conf/command/explain.h"

#include <stdio.h>
#include <string.h>

#include "conf/base/globs.h"
#include "conf/conf_libraries.h"

struct library_verdict {
    const char *why_not; /* NULL: it is a library */
    const struct conf_line *tree, *name, *group;
};

/* Whether one of the words of `text` matches, in `*is_match`. Returns 0 or -ENOMEM. */
static int match_words(const char *text, const char *name, bool *is_match)
{
    struct globs *globs;
    int error = globs_read(text, &globs);
    if (error == 0) {
        *is_match = globs_match(globs, name);
        globs_free(globs);
    }
    return error;
}

static int judge_library(const struct conf *conf, const char *path, struct library_verdict *verdict)
{
    const char *name = strrchr(path, '/') + 1;
    bool is_match = false, is_except = false;
    int error = match_words(conf->library_patterns, name, &is_match);
    if (error == 0)
        error = match_words(conf->library_except, name, &is_except);
    if (error != 0)
        return error;
    *verdict = (struct library_verdict){.tree = conf_library_tree(conf, path),
                                        .name = conf_library_name(conf, path)};
    if (verdict->tree == NULL)
        verdict->why_not = "it lies in no tree of [libraries]";
    else if (!is_match)
        verdict->why_not = "its name matches none of [libraries] patterns";
    else if (is_except)
        verdict->why_not = "its name matches [libraries] except";
    if (verdict->name != NULL)
        verdict->group = conf_library_group(conf, verdict->name->name);
    return 0;
}

static void print_line(const struct explain *explain, const char *before,
                       const struct conf_line *line)
{
    printf("%s '%s' (%s:%u)", before, line->text, explain->file, line->line);
}

static void print_library(const struct explain *explain, const char *path,
                          const struct library_verdict *verdict)
{
    if (verdict->why_not != NULL) {
        printf("%s: no library, as %s\n", path, verdict->why_not);
        return;
    }
    printf("%s: a library", path);
    print_line(explain, " of the tree", verdict->tree);
    if (verdict->name != NULL) {
        printf(", named %s", verdict->name->name);
        print_line(explain, " by", verdict->name);
    } else {
        fputs(", named by its module, package, soname or file", stdout);
    }
    if (verdict->group != NULL) {
        printf(", of the group %s", verdict->group->name);
        print_line(explain, " by", verdict->group);
    }
    putchar('\n');
}

static void add_text(struct json_object *json, const char *key, const char *text)
{
    json_object_object_add(json, key, text == NULL ? NULL : json_object_new_string(text));
}

int explain_library(const struct explain *explain, const char *path, struct json_object *all)
{
    struct library_verdict verdict;
    int error = judge_library(explain->conf, path, &verdict);
    if (error != 0)
        return error;
    if (all == NULL) {
        print_library(explain, path, &verdict);
        return 0;
    }
    struct json_object *json = json_object_new_object();
    add_text(json, "section", CONF_LIBRARIES_SECTION);
    add_text(json, "text", path);
    json_object_object_add(json, "library", json_object_new_boolean(verdict.why_not == NULL));
    add_text(json, "reason", verdict.why_not);
    add_text(json, "tree", verdict.tree == NULL ? NULL : verdict.tree->text);
    add_text(json, "name", verdict.name == NULL ? NULL : verdict.name->name);
    add_text(json, "group", verdict.group == NULL ? NULL : verdict.group->name);
    json_object_array_add(all, json);
    return 0;
}
