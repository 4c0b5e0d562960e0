/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lines of [libraries] in jobtrail.conf that may be given several times:
 *
 *   tree = PATH             a directory whose libraries are watched
 *   name = LIBRARY PATTERN  the name of the libraries whose path matches
 *   group = GROUP PATTERN   the group of the libraries whose name matches
 *
 * The patterns are the shell's (glob(7)), in which a star matches slashes too. Of several lines
 * that match the first one decides.
 */
#ifndef JOBTRAIL_CONF_LIBRARIES_H
#define JOBTRAIL_CONF_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"
#include "conf/conf_fault.h"

#define CONF_LIBRARIES_SECTION "libraries"
#define CONF_LIBRARY_LINES     3

struct conf_library_key {
    const char *name;
    size_t offset; /* of the struct conf_lines in struct conf */
    bool has_name; /* the value is a name and a pattern */
};

extern const struct conf_library_key conf_library_keys[CONF_LIBRARY_LINES];

/* The kind of line that has this key in this section, or NULL. */
const struct conf_library_key *conf_library_key_find(const char *section, const char *name);

const struct conf_lines *conf_library_lines(const struct conf_library_key *key,
                                            const struct conf *conf);

/* Appends the line `line` with the value `text`. Returns 0, -ENOMEM, or -EINVAL and fills
 * `*fault`. */
int conf_library_append(const struct conf_library_key *key, struct conf *conf, const char *text,
                        unsigned line, struct conf_fault *fault);

/* Writes the value as the file gives it, into `size` bytes at `text`. */
void conf_library_print(const struct conf_line *line, char *text, size_t size);

/* The tree that holds the path, or is it; NULL: none. */
const struct conf_line *conf_library_tree(const struct conf *conf, const char *path);

/* The line `name` that decides about the path; NULL: none. */
const struct conf_line *conf_library_name(const struct conf *conf, const char *path);

/* The line `group` that decides about the library of this name; NULL: none. */
const struct conf_line *conf_library_group(const struct conf *conf, const char *name);

/* Whether two directories of logs are one, or lie in each other: whoever may write lines to the
 * one would write them into the other. Gives their keys. */
bool conf_libraries_clash(const struct conf *conf, const char **key, const char **other);

/* The same, as the directories are on disk, by whatever links and mounts: the key of the directory
 * that log_dir is, has or lies in; NULL: none. */
const char *conf_library_log_dir_is_in(const struct conf *conf);

void conf_libraries_free(struct conf *conf);

#endif
