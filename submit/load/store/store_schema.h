/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_STORE_SCHEMA_H
#define JOBTRAIL_STORE_SCHEMA_H

#include "submit/load/store/store_connection.h"

/* Makes the store's tables, or makes those of an earlier version the present ones. */
int store_ensure_schema(struct store_connection *on);

#endif
