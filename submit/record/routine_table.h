/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_ROUTINE_TABLE_H
#define JOBTRAIL_ROUTINE_TABLE_H

#include <json-c/json.h>

#include "submit/evidence/ledger_read.h"

/* What a run called of designated libraries, as the record's routineT: each routine of a library
 * once, whatever called it. Sorts capture->routines. NULL: no designated library was there. */
struct json_object *routine_table(const struct capture *capture);

#endif
