/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What jobtrail-libq prints on stdout. Names of files and lines are others': on a terminal their
 * control characters are escaped. Elsewhere they are printed as they are, for programs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/libraries/libq/line_read.h"
#include "contrib/libraries/libq/use_table.h"

enum output_form { OUTPUT_TEXT, OUTPUT_CSV, OUTPUT_JSON, OUTPUT_HTML };

/* A log and its number of lines. */
struct log_count {
    const char *file;
    char *library;    /* owned by who counts */
    const char *name; /* of the library, for people: a part of `library` */
    uint64_t lines;
};

/* Looks whether stdout is a terminal. */
void output_begin(void);

/* The name of a file, and the byte `after`. */
void output_name(const char *name, char after);

/* A piece of a line; `name` before a line, unless it is NULL. */
void output_line(const char *name, const struct line_piece *piece);

/* In OUTPUT_TEXT lines of FILE:LINES, without names where `has_names` is false. */
void output_counts(enum output_form form, const struct log_count *counts, size_t count,
                   bool has_names);

/* In any form but OUTPUT_HTML, which is libq_output.h's. */
void output_table(enum output_form form, const struct use_table *table);

/* ---- Pages ----------------------------------------------------------------------------------- */

/* A table of jobtrail-libq as a page of HTML that stands alone: no script, and nothing from
 * elsewhere. All text that is not ours is escaped twice: as for a terminal, and for HTML. */

/* Prints the page on stdout. `start` and `end`: the dates of the range, as they were asked for;
 * NULL: it has no bound there. */
void libq_html_print(const struct use_table *table, const char *start, const char *end);
