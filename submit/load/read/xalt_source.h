/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A database of XALT's that is read: row by row, in the order of the rows' numbers, in queries of
 * some hundred rows, so that neither side holds many. Where the connection breaks it is made anew,
 * and the reading goes on where it was. Calls return as database.h says.
 */
#ifndef JOBTRAIL_XALT_SOURCE_H
#define JOBTRAIL_XALT_SOURCE_H

#include "submit/load/parse/xalt_rows.h"

struct xalt_source;

/* Opens the database at `location` (an address without its scheme), and looks whether its tables
 * are XALT's. Always sets `*source`, to NULL only when out of memory; close it after a failure too.
 */
int xalt_source_open(const char *location, struct xalt_source **source);

/* The calls below are about this table, a place in xalt_tables. */
void xalt_source_use(struct xalt_source *source, size_t table);

/* Begins with the first row of the table after the one numbered `after`. */
int xalt_source_start(struct xalt_source *source, int64_t after);

/* Reads the next row. Returns 1, with its number and with the record of it, as
 * json_text_take() hands one over, in `*json`; 0 when there are no more. */
struct xalt_row {
    int64_t id;
    bool is_other_day; /* xalt_is_other_day(): of a run or a link */
};
int xalt_source_next(struct xalt_source *source, struct xalt_row *row, struct json_text *json);

/* The uuid of the run or the link that row `id` belongs to, in `text`, which has `size` bytes; "":
 * there is no such row. */
int xalt_source_uuid(struct xalt_source *source, int64_t id, char *text, size_t size);

/* The number of the table's last row; 0: it has none. */
int xalt_source_last(struct xalt_source *source, int64_t *id);

/* The number of the last row that will not change any more: XALT adds the ends of runs to their
 * rows, and rows of other loaders may appear late. */
int xalt_source_settled(struct xalt_source *source, int64_t *id);

/* Valid until the next call; never NULL. Takes NULL. */
const char *xalt_source_error(const struct xalt_source *source);

/* Takes NULL. */
void xalt_source_close(struct xalt_source *source);

#endif
