/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The line of plugstack.conf that loads the plugin (spank(8), "CONFIGURATION").
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct plugstack_line {
    bool is_required;      /* else optional */
    char plugin[PATH_MAX]; /* as written */
    char conf[PATH_MAX];   /* its argument conf=; "" without */
    char file[PATH_MAX];   /* where it is; set by plugstack_find() */
    unsigned number;       /* of the line in that file, from 1; likewise */
};

enum plugstack_kind {
    PLUGSTACK_OTHER,
    PLUGSTACK_OURS,    /* loads spank_jobtrail.so: `*line` is filled */
    PLUGSTACK_INCLUDE, /* includes other files: `line->plugin` is their pattern */
};

/* Parses one line: `size` bytes at `text`, without a newline. */
enum plugstack_kind plugstack_parse(const char *text, size_t size, struct plugstack_line *line);

/* Finds the line in the file `path` and what it includes. Returns 1, 0 when there is none, or
 * -errno when `path` cannot be read. */
int plugstack_find(const char *path, struct plugstack_line *line);
