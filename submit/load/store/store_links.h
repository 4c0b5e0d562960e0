/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Links: unique by uuid and user, as the uuid stands in every executable that was linked.
 */
#ifndef JOBTRAIL_STORE_LINKS_H
#define JOBTRAIL_STORE_LINKS_H

#include "submit/load/store/store_parts.h"
#include "submit/load/store/store_result.h"

struct store_links {
    struct store_connection *on;
    struct store_intern *intern;
    struct store_parts *parts;
    struct statement *find, *add, *update, *count, *dispute, *clear;
};

int store_prepare_links(struct store_links *links, struct store_parts *parts);

/* Asks for what the link shares with others; writes it. */
int store_want_link(struct store_links *links, struct record *record, enum store_result *result);
int store_put_link(struct store_links *links, const struct record *record,
                   enum store_result *result);

#endif
