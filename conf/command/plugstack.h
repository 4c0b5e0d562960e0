/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The line of plugstack.conf that loads the plugin (spank(8), "CONFIGURATION").
 */
#ifndef JOBTRAIL_PLUGSTACK_H
#define JOBTRAIL_PLUGSTACK_H

#include <limits.h>
#include <stddef.h>

struct plugstack_line {
    int required;          /* else optional */
    char plugin[PATH_MAX]; /* as written */
    char conf[PATH_MAX];   /* its argument conf=; "" without */
};

/* One line, of which nothing is kept. `text` is `size` bytes without a newline. Returns 1 and fills
 * `*line` when it loads spank_jobtrail.so; 2 and in `line->plugin` the pattern when it includes
 * other files; else 0. */
int plugstack_parse(const char *text, size_t size, struct plugstack_line *line);

/* Finds the line in the file `path` and what it includes. Returns 1, 0 when there is none, or
 * -errno when `path` cannot be read. */
int plugstack_find(const char *path, struct plugstack_line *line);

#endif
