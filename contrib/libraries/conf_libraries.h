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
#pragma once

#include "conf/conf.h"

/* The tree that holds the path, or is it; NULL: none. */
const struct conf_line *conf_library_tree(const struct conf *conf, const char *path);

/* The line `name` that decides about the path; NULL: none. */
const struct conf_line *conf_library_name(const struct conf *conf, const char *path);

/* The line `group` that decides about the library of this name; NULL: none. */
const struct conf_line *conf_library_group(const struct conf *conf, const char *name);

/* The key of the directory of logs that log_dir is, has or lies in on the disk, by whatever links
 * and mounts; NULL: none. */
const char *conf_library_log_dir_is_in(const struct conf *conf);
