/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options of a program's command line, from a table that says which member of a struct each one
 * fills, and what every program says of --help, --version and options that are wrong.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* fills a bool */
    OPTION_TEXT,   /* fills a const char *, which points into argv */
    OPTION_NUMBER, /* fills a uint32_t, decimal, from `least` to `most` */
    OPTION_ANSWER, /* fills nothing: -h and -V, which options_read() answers */
};

struct option_row {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* names the row; a short option only where `short_options` has it */
    enum option_kind kind;
    size_t member; /* offset */
    uint32_t least, most;
    const char *otherwise; /* OPTION_TEXT: what an option without a value stands for; NULL: a value
                              must be given */
};

enum { OPTION_ROWS_MAX = 31 };

/* What options_next() returns, besides a row's letter. */
enum { OPTIONS_END = -1, OPTIONS_WRONG = '?' };

/* From now on options are understood behind arguments in any environment, and output that could not
 * be written when the program ends is an error. options_next() begins so. */
void options_begin(void);

/* Reads the next option, as getopt_long(3) does, and fills its member of the struct at `values`.
 * Returns the row's letter; OPTIONS_END; or OPTIONS_WRONG after saying on stderr what is wrong. */
int options_next(int argc, char **argv, const char *short_options, const struct option_row *rows,
                 void *values);

/* A program and its options. */
struct option_program {
    const char *name, *version, *usage;
    const char *short_options; /* as of getopt_long(3), with h and V */
    const struct option_row *rows;
};

enum options_result { OPTIONS_READ, OPTIONS_ANSWERED, OPTIONS_REFUSED };

/* Reads all options into the struct at `values`; optind is then the first argument. Where one of
 * them is -h or -V, prints the program's usage or version on stdout and returns OPTIONS_ANSWERED.
 * Returns OPTIONS_REFUSED after saying on stderr what is wrong; else OPTIONS_READ. */
enum options_result options_read(int argc, char **argv, const struct option_program *program,
                                 void *values);

/* Reads a whole text that is a decimal number from `least` to `most`. Returns 0 or -EINVAL. */
int options_number(const char *text, uint32_t least, uint32_t most, uint32_t *number);
