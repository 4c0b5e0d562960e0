/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A table of jobtrail-libq as a page of HTML that stands alone: no script, and nothing from
 * elsewhere. All text that is not ours is escaped twice: as for a terminal, and for HTML.
 */
#ifndef JOBTRAIL_LIBQ_HTML_H
#define JOBTRAIL_LIBQ_HTML_H

#include "contrib/libraries/libq/use_table.h"

/* Prints the page on stdout. `start` and `end`: the dates of the range, as they were asked for;
 * NULL: it has no bound there. */
void libq_html_print(const struct use_table *table, const char *start, const char *end);

#endif
