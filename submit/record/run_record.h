/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run as XALT's JSON record, with our own table slurmT. Its keys are in
 * submit/definition/keys.def.
 */
#pragma once

#include <json-c/json.h>

#include "submit/record/record.h"
#include "submit/record/run_source.h"

/* Builds the record of a run, run.SYSHOST.DATE.USER.aaa|zzz.UUID.json; reads and hashes the
 * executable (and its objects where the site asks for it). Returns 0 or -ENOMEM. record_free()
 * releases `*record`. */
int run_record_build(const struct run_source *source, struct built_record *record);

/* The run's uuid as text, into RECORD_UUID_SIZE bytes. */
void run_record_uuid(const struct capture *capture, char *text);

/* What a run called of designated libraries, as the record's routineT: each routine of a library
 * once, whatever called it. Sorts capture->routines. NULL: no designated library was there. Of
 * contrib/routines/record. */
struct json_object *routine_table(const struct capture *capture);
