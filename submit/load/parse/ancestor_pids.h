/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes the pids and the job's number out of a ptA (ancestors), which many runs then share.
 */
#pragma once

#include "submit/load/parse/json_members.h"

/* Splits the text of a ptA into one with each "pid":N as "pid":0, malloc'ed in `*text`, and the
 * numbers as the text of a JSON array, malloc'ed in `*pids`, which stays NULL when there are none.
 * The number of the `job` (NULL when not known), of which paths and titles are full, becomes %j in
 * the text, and a percent sign two. Returns 0 or -ENOMEM. */
int ancestor_pids_split(struct json_slice slice, const char *job, char **text, char **pids);
