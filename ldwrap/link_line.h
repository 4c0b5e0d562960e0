/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a linker's command line asks for, as far as the wrapper needs to know. GNU ld's options;
 * gold, lld and mold have the same.
 */
#ifndef JOBTRAIL_LDWRAP_LINK_LINE_H
#define JOBTRAIL_LDWRAP_LINK_LINE_H

#include "ldwrap/string_list.h"

struct link_line {
    const char *output;          /* "a.out" unless given */
    const char *dependency_file; /* the user's own --dependency-file, or NULL */
    const char *map_file;        /* of -Map, or NULL; "-" is stdout */
    const char *pass;            /* why the link is none of our business, or NULL */
    const char *unmarked;        /* why nothing may be added to the output, or NULL */
    int shared;                  /* makes a shared library */
    int is_static;               /* a program without shared libraries, by -static */
    int says_color;              /* says whether messages are coloured */
    struct strings inputs;       /* files named on the command line, in order */
    struct strings directories;  /* of -L */
    struct strings libraries;    /* of -l */
};

/* Reads `arguments` (the program's name first, response files expanded), whose strings `*line` then
 * points into. Returns 0 or -ENOMEM. link_line_free() releases. */
int link_line_read(const struct strings *arguments, struct link_line *line);

void link_line_free(struct link_line *line);

#endif
