/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A coverage record, from its JSON text to checked values; the keys are in jobtrail-record(5).
 */
#ifndef JOBTRAIL_COVERAGE_LOAD_H
#define JOBTRAIL_COVERAGE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

#include "load_reason.h"

struct coverage_load {
    const char *uuid;          /* owned by `root` */
    struct json_object *job;   /* coverageT: texts, whole numbers and nulls */
    struct json_object *facts; /* coverageA: an array of objects of such, and of doubles */
    struct json_object *root;  /* owned */
};

/* Whether the text begins as one, behind its check sum. */
bool coverage_load_is_one(const char *text, size_t size);

/* Returns 0 and fills `*record`, which coverage_load_free() releases; -EBADMSG and `*reason` when
 * it is damaged; -ENOMEM. */
int coverage_load(const char *text, size_t size, struct coverage_load *record,
                  struct load_reason *reason);

void coverage_load_free(struct coverage_load *record);

#endif
