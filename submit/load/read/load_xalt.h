/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * History: the rows of a database of XALT's into the store, as the records that they were made of.
 *
 * The tables are read one after the other - links, runs, packages - in the order of their rows'
 * numbers. After each transaction the store notes how far its rows go. So a loader that was killed
 * goes on there; the rows of the transaction at hand are read twice, which changes nothing.
 * A later call begins where the last one ended, or before: at the first run of the last 32 days
 * that had no end, and 10000 rows before the end, since XALT's loaders may add rows out of order.
 */
#ifndef JOBTRAIL_LOAD_XALT_H
#define JOBTRAIL_LOAD_XALT_H

#include "submit/load/read/loader.h"

struct xalt_load {
    struct loader *loader;
    const char *location; /* the address of XALT's database without its scheme */
    bool is_vouched_for;  /* its rows are proven */
    bool from_start;      /* whatever has been read already */

    size_t links, runs, packages; /* rows read */
    size_t other_days;            /* of them: XALT's date is another day than the store's */
    size_t damaged; /* rows that were set aside and are not in the store, since the first call */
};

/* Returns as loader_load(): 0 also where the database could not be read, which it says, and which
 * `loader->input_trouble` notes. */
int load_xalt(struct xalt_load *load);

#endif
