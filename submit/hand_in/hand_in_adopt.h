/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose a handed-in link is: its file's owner's. What the linker's wrapper takes for the user's
 * name is $USER, since a directory service may be slow or away, and that may be another one:
 * in a container, after su, or where the service and the user write capitals differently.
 */
#ifndef JOBTRAIL_HAND_IN_ADOPT_H
#define JOBTRAIL_HAND_IN_ADOPT_H

#include "submit/record/record.h"

/* Writes to `adopted` the name that a record of a link has when `user_name` made it. Returns
 * whether it does: not where `name` has that user already, or is no name of a link. */
bool hand_in_adopt_name(const char *name, const char *user_name, char adopted[RECORD_NAME_MAX]);

/* Makes `user_name` the builder in the text of a link that is JSON as we write it and names another
 * one; any other is left as it is. Returns 0 or -ENOMEM. */
int hand_in_adopt_text(const char *user_name, struct built_record *record);

#endif
