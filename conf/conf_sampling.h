/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sampling tables of jobtrail.conf: `scalar = FROM PROBABILITY` and `mpi = FROM PROBABILITY`
 * lines in [sampling], and the tables that hold for a file that gives none.
 */
#pragma once

#include <stddef.h>

#include "conf/conf.h"
#include "conf/conf_keys.h"

#define CONF_SAMPLING_SECTION "sampling"
#define CONF_TABLES           2

struct conf_table {
    const char *name;          /* the key of its lines */
    size_t offset;             /* of the struct conf_intervals in struct conf */
    enum policy_section which; /* in the compiled policy */
};

extern const struct conf_table conf_tables[CONF_TABLES];

/* The table whose lines have this key in this section, or NULL. */
const struct conf_table *conf_table_find(const char *section, const char *name);

const struct conf_intervals *conf_table_intervals(const struct conf_table *table,
                                                  const struct conf *conf);

/* Appends the interval that `text`, "FROM PROBABILITY", gives in line `line`. Returns 0, -ENOMEM,
 * or -EINVAL and fills `*fault`. */
int conf_table_append(const struct conf_table *table, struct conf *conf, const char *text,
                      unsigned line, struct conf_fault *fault);

/* Writes the interval as the file would give it, into `size` bytes at `text`. */
void conf_interval_print(const struct conf_interval *interval, char *text, size_t size);

/* As it is compiled. */
struct policy_interval conf_interval_compile(const struct conf_interval *interval);

/* Gives every table without lines the default. Returns 0, or -ENOMEM. */
int conf_tables_default(struct conf *conf);

void conf_tables_free(struct conf *conf);
