/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/plugstack.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/cleanup.h"

enum { INCLUDES_MAX = 8 }; /* of one in another */

static const char blanks[] = " \t\r";

/* The next word of the text at `*at`, which ends at `end`. Returns its length, 0 at the end. */
static size_t next_word(const char **at, const char *end, const char **word)
{
    while (*at < end && strchr(blanks, **at) != NULL && **at != '\0')
        (*at)++;
    *word = *at;
    while (*at < end && (**at == '\0' || strchr(blanks, **at) == NULL) && **at != '#')
        (*at)++;
    return (size_t)(*at - *word);
}

static bool is_word(const char *word, size_t length, const char *expected)
{
    return strlen(expected) == length && memcmp(word, expected, length) == 0;
}

static bool copy_word(char *to, const char *word, size_t length)
{
    if (length >= PATH_MAX || memchr(word, '\0', length) != NULL)
        return false;
    memcpy(to, word, length);
    to[length] = '\0';
    return true;
}

enum plugstack_kind plugstack_parse(const char *text, size_t size, struct plugstack_line *line)
{
    static const char conf[] = "conf=";
    const char *end = text + size, *word;
    struct plugstack_line found = {0};
    size_t length = next_word(&text, end, &word);
    bool is_include = is_word(word, length, "include");
    found.is_required = is_word(word, length, "required");
    if (!is_include && !found.is_required && !is_word(word, length, "optional"))
        return PLUGSTACK_OTHER;
    length = next_word(&text, end, &word);
    if (length == 0 || !copy_word(found.plugin, word, length))
        return PLUGSTACK_OTHER;
    if (!is_include && strcmp(basename(found.plugin), "spank_jobtrail.so") != 0)
        return PLUGSTACK_OTHER;
    while (!is_include && (length = next_word(&text, end, &word)) > 0) {
        bool is_conf = length > sizeof conf - 1 && memcmp(word, conf, sizeof conf - 1) == 0;
        /* settings_conf() in spank/settings.c takes the first one */
        if (is_conf && found.conf[0] == '\0' &&
            !copy_word(found.conf, word + sizeof conf - 1, length - (sizeof conf - 1)))
            return PLUGSTACK_OTHER;
    }
    *line = found;
    return is_include ? PLUGSTACK_INCLUDE : PLUGSTACK_OURS;
}

static int find_line(const char *path, int depth, struct plugstack_line *line);

/* A relative pattern starts from the file's directory, as in Slurm. */
static int find_included(const char *path, const char *pattern, int depth,
                         struct plugstack_line *line)
{
    char whole[2 * PATH_MAX];
    const char *slash = strrchr(path, '/');
    int directory = pattern[0] == '/' || slash == NULL ? 0 : (int)(slash - path) + 1;
    glob_t files;
    int found = 0;
    snprintf(whole, sizeof whole, "%.*s%s", directory, path, pattern);
    if (depth >= INCLUDES_MAX || glob(whole, 0, NULL, &files) != 0)
        return 0;
    for (size_t i = 0; i < files.gl_pathc && found <= 0; i++)
        found = find_line(files.gl_pathv[i], depth + 1, line);
    globfree(&files);
    return found > 0;
}

static int find_line(const char *path, int depth, struct plugstack_line *line)
{
    struct plugstack_line one;
    CLEANUP_FREE char *text = NULL;
    size_t room = 0;
    ssize_t length;
    unsigned number = 0;
    int found = 0;
    CLEANUP_FCLOSE FILE *file = fopen(path, "re");
    if (file == NULL)
        return -errno;
    while (found == 0 && (length = getline(&text, &room, file)) > 0) {
        length -= text[length - 1] == '\n';
        number++;
        enum plugstack_kind kind = plugstack_parse(text, (size_t)length, &one);
        if (kind == PLUGSTACK_INCLUDE)
            found = find_included(path, one.plugin, depth, line);
        if (kind != PLUGSTACK_OURS)
            continue;
        *line = one;
        line->number = number;
        snprintf(line->file, sizeof line->file, "%s", path);
        found = 1;
    }
    return found;
}

int plugstack_find(const char *path, struct plugstack_line *line)
{
    return find_line(path, 0, line);
}
