/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A handed-in link belongs to the owner of its file, and gets that user's name. The linker's
 * wrapper has written $USER, since a directory service may be slow or away. That may be another
 * name: in a container, after su, or where the service writes capitals differently.
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
