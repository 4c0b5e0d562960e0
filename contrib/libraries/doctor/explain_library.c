/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What [libraries] says about one file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/text.h"
#include "conf/command/explain.h"
#include "conf/conf.h"
#include "contrib/libraries/conf_libraries.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/scan/library_change.h"
#include "contrib/libraries/scan/library_facts.h"
#include "contrib/libraries/scan/library_owners.h"
#include "contrib/libraries/scan/library_walk.h"

/* What a scan makes of one file: for jobtrail-conf explain. */

struct library_look {
    const struct conf_line *tree; /* that it lies in; NULL: in none */
    const char *why_not;          /* static; NULL: it is a library */
    bool is_believed;             /* its owner is (library_owners.h) */
    struct library_file file;     /* of a library; without a hash */
};

/* What the scan asks about names of files, and about owners. */
struct look_words {
    struct globs *patterns, *except;
    struct library_owners *owners;
};

/* A path of other parts than those that the walk puts together. */
static bool is_own_path(const char *path)
{
    for (const char *at = path; *at == '/'; at += 1 + strcspn(at + 1, "/")) {
        size_t length = strcspn(at + 1, "/");
        if (length == 0 || (length == 1 && at[1] == '.') ||
            (length == 2 && strncmp(at + 1, "..", 2) == 0))
            return false;
    }
    return true;
}

static const char *why_of(int error)
{
    switch (error) {
    case -ENOENT:
        return "it is not there";
    case -ELOOP:
    case -ENOTDIR:
        return "a part of its path is a symbolic link or no directory";
    case -EACCES:
    case -EPERM:
        return "its directory cannot be read by this user";
    default:
        return "its directory cannot be read";
    }
}

/* Opens the directory of the file part by part. Returns a descriptor or -errno: -E2BIG where it is
 * too deep. Sets the owner of the tree, and whether others can come to the file. */
static int open_way(const char *path, size_t tree_size, struct library_owners *owners,
                    bool *is_private)
{
    CLEANUP_FREE char *parts = strndup(path, (size_t)(strrchr(path, '/') - path));
    char *rest = NULL;
    struct stat status;
    unsigned depth = 0;
    int fd = parts == NULL ? -ENOMEM : directory_open(AT_FDCWD, "/");
    for (char *part = parts == NULL ? NULL : strtok_r(parts, "/", &rest); part != NULL && fd >= 0;
         part = strtok_r(NULL, "/", &rest)) {
        size_t size = (size_t)(part - parts) + strlen(part);
        int below = directory_open(fd, part);
        close(fd);
        fd = below;
        if (fd < 0 || size < tree_size)
            continue;
        if (depth++ >= LIBRARY_WALK_DEPTH || fstat(fd, &status) != 0) {
            close(fd);
            return -E2BIG;
        }
        if (size == tree_size)
            library_owners_tree(owners, status.st_uid);
        *is_private |= (status.st_mode & S_IXOTH) == 0;
    }
    return fd;
}

/* What the file's name and place say. */
static const char *judge_path(const struct look_words *words, const char *path,
                              const struct conf_line *tree)
{
    const char *name = strrchr(path, '/') + 1;
    if (!is_own_path(path))
        return "its path has a '//', '/.' or '/..'";
    if (tree == NULL || tree->text[strlen(tree->text)] == path[strlen(tree->text)])
        return "it lies in no tree of [libraries]";
    if (!globs_match(words->patterns, name))
        return "its name matches none of [libraries] patterns";
    return globs_match(words->except, name) ? "its name matches [libraries] except" : NULL;
}

static int look_at(const struct conf *conf, const char *path, const struct look_words *words,
                   struct library_look *look)
{
    struct stat status;
    bool is_private = false;
    const char *name = strrchr(path, '/') + 1;
    CLEANUP_CLOSE int fd = open_way(path, strlen(look->tree->text), words->owners, &is_private);
    int error = fd < 0 ? fd : fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ? -errno : 0;
    if (error == -ENOMEM)
        return error;
    if (error != 0)
        look->why_not = error == -E2BIG ? "it lies below too many directories" : why_of(error);
    else if (!S_ISREG(status.st_mode))
        look->why_not = S_ISLNK(status.st_mode) ? "it is a symbolic link" : "it is no regular file";
    if (look->why_not != NULL)
        return 0;
    struct library_naming *naming = library_naming_new(conf, "/", words->patterns, words->owners);
    error = naming == NULL ? -ENOMEM : library_facts(fd, name, &status, NULL, &look->file);
    if (error == -ENOENT)
        look->why_not = why_of(error);
    look->file.is_private |= is_private;
    if (naming != NULL && error != -ENOENT)
        error = library_name(naming, path, &look->file);
    look->is_believed = !library_is_others(look->file.name);
    library_naming_free(naming);
    return error == -ENOENT ? 0 : error;
}

/* Looks at the file of this absolute path, as a scan that meets it. `look->tree` and `why_not` are
 * set, whatever it is. Returns 0, or -errno where the map of modules or memory is lacking. */
static int library_look(const struct conf *conf, const char *path, struct library_look *look)
{
    struct look_words words = {NULL, NULL, NULL};
    *look = (struct library_look){.tree = conf_library_tree(conf, path)};
    int error = globs_read(conf->library_patterns, &words.patterns);
    if (error == 0)
        error = globs_read(conf->library_except, &words.except);
    if (error == 0)
        error = library_owners_new(conf->library_owners, &words.owners);
    if (error == 0) {
        look->why_not = judge_path(&words, path, look->tree);
        if (look->why_not == NULL)
            error = look_at(conf, path, &words, look);
    }
    globs_free(words.patterns);
    globs_free(words.except);
    library_owners_free(words.owners);
    return error;
}

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
    char word[TERMINAL_WORD_SIZE];
    if (look->why_not != NULL) {
        printf("%s: no library, as %s\n", terminal_word(path, word), look->why_not);
        return;
    }
    printf("%s: a library", terminal_word(path, word));
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
    add_text(json, "section", "libraries");
    add_text(json, "text", path);
    json_object_object_add(json, "library", json_object_new_boolean(verdict.look.why_not == NULL));
    add_text(json, "reason", verdict.look.why_not);
    add_text(json, "tree", verdict.look.tree == NULL ? NULL : verdict.look.tree->text);
    add_text(json, "name", verdict.look.why_not != NULL ? NULL : verdict.look.file.name);
    add_text(json, "group", verdict.group == NULL ? NULL : verdict.group->name);
    json_object_array_add(all, json);
    return 0;
}
