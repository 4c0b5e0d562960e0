/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What [libraries] says about one file.
 */
#include "conf/command/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/terminal_text.h"
#include "conf/base/text.h"
#include "conf/conf_libraries.h"
#include "contrib/libraries/scan/library_look.h"

struct library_verdict {
    struct library_look look;
    const struct conf_line *name, *group; /* that decide; NULL: none */
};

static int judge_library(const struct conf *conf, const char *path, struct library_verdict *verdict)
{
    *verdict = (struct library_verdict){.name = NULL};
    int error = library_look(conf, path, &verdict->look);
    if (error != 0 || verdict->look.why_not != NULL || !verdict->look.is_believed)
        return error;
    verdict->name = conf_library_name(conf, path);
    verdict->group = conf_library_group(conf, verdict->look.file.name);
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
    const struct library_look *look = &verdict->look;
    if (look->why_not != NULL) {
        printf("%s: no library, as %s\n", path, look->why_not);
        return;
    }
    printf("%s: a library", path);
    print_line(explain, " of the tree", look->tree);
    char shown[4 * LIBRARY_TEXT_SIZE];
    terminal_text(look->file.name, strlen(look->file.name), shown, sizeof shown);
    printf("%s%s", ", named ", shown);
    if (!look->is_believed)
        fputs(", as its owner is none of root, the tree's owner and [libraries] owners, or all can "
              "write to it",
              stdout);
    else if (verdict->name != NULL)
        print_line(explain, " by", verdict->name);
    else
        fputs(" by its module, package, soname or file", stdout);
    if (verdict->group != NULL) {
        printf(", of the group %s", verdict->group->name);
        print_line(explain, " by", verdict->group);
    }
    putchar('\n');
}

static void add_text(struct json_object *json, const char *key, const char *text)
{
    size_t length;
    CLEANUP_FREE char *utf8 = text == NULL ? NULL : text_from_bytes(text, strlen(text), &length);
    json_object_object_add(json, key,
                           utf8 == NULL ? NULL : json_object_new_string_len(utf8, (int)length));
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
    json_object_object_add(json, "library", json_object_new_boolean(verdict.look.why_not == NULL));
    add_text(json, "reason", verdict.look.why_not);
    add_text(json, "tree", verdict.look.tree == NULL ? NULL : verdict.look.tree->text);
    add_text(json, "name", verdict.look.why_not != NULL ? NULL : verdict.look.file.name);
    add_text(json, "group", verdict.group == NULL ? NULL : verdict.group->name);
    json_object_array_add(all, json);
    return 0;
}
