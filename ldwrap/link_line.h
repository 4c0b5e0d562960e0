/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the wrapper needs to know of a linker's command line. The options are GNU ld's; gold, lld
 * and mold have the same.
 */
#pragma once

#include <stdbool.h>

#include "ldwrap/string_list.h"

struct link_line {
    const char *output;          /* "a.out" unless given */
    const char *dependency_file; /* the user's own --dependency-file, or NULL */
    const char *map_file;        /* of -Map, or NULL; "-" is stdout */
    const char *why_plain;       /* why the link is neither marked nor recorded, or NULL */
    const char *why_unmarked;    /* why nothing may be added to the output, or NULL */
    bool is_shared;              /* makes a shared library */
    bool is_static;              /* a program without shared libraries, by -static */
    bool is_program;             /* an option names its loader */
    bool has_color_option;       /* an option says whether messages are coloured */
    struct strings inputs;       /* files named on the command line, in order */
    struct strings directories;  /* of -L */
    struct strings libraries;    /* of -l */
};

/* Whether one of `arguments` (as below) names a pipe, a socket or a character device: by itself, as
 * an option's attached value, or as a response file. What is read from those is gone. Files named
 * *.o are looked up `with_objects` only: there may be thousands. */
bool link_line_has_pipe(const struct strings *arguments, bool with_objects);

/* Reads `arguments` (the program's name first, response files expanded). `*line` then points into
 * their strings. Returns 0 or -ENOMEM. link_line_free() releases. */
int link_line_read(const struct strings *arguments, struct link_line *line);

void link_line_free(struct link_line *line);

/* ---- Response files -------------------------------------------------------------------------- */

/* Replaces each @FILE by the arguments in the file, as linkers do by libiberty: blanks separate,
 * quotes and backslashes quote, files nest, 2000 of them at the most. A file that cannot be read
 * leaves the argument as it is. The result is for the wrapper alone: the linker gets the arguments
 * that were not expanded. Returns 0 or -errno (-ELOOP: too many files, or nested too deep). */
int response_expand(int argc, char *const *argv, struct strings *out);
