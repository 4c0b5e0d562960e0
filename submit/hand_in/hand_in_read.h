/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The side of the collection of handed-in records (link_send.h) that has become the user.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "submit/record/record.h"

#define HAND_IN_RECORDS "records"
#define HAND_IN_REFUSED "refused"

/* What is read of one user in one flush: users can make as many as they like. */
enum { HAND_IN_RECORDS_MAX = 10000, HAND_IN_BYTES_MAX = 64 << 20 };

struct hand_in_read {
    int user; /* the user's directory below [spool] sessions, open */
    uid_t uid;
    const char *user_name;
    /* Takes a record; a result other than 0 ends the work and is returned. */
    int (*give)(void *context, const struct built_record *record);
    void *context;
};

/* Gives the user's records, links under their name (hand_in_adopt_name()); what is none is moved to
 * HAND_IN_REFUSED beside them. Adds to the numbers of both. Returns 0, -EACCES where they could not
 * be removed afterwards, what `give` returned, or -errno. */
int hand_in_read(const struct hand_in_read *read, uint64_t *given, uint64_t *refused);

/* A handed-in link belongs to the owner of its file, and gets that user's name. The linker's
 * wrapper has written $USER, since a directory service may be slow or away. That may be another
 * name: in a container, after su, or where the service writes capitals differently.
 *
 * Writes to `adopted` the name that a record of a link has when `user_name` made it. Returns
 * whether it does: not where `name` has that user already, or is no name of a link. */
bool hand_in_adopt_name(const char *name, const char *user_name, char adopted[RECORD_NAME_MAX]);

/* Makes `user_name` with `uid` the builder in the text of a link that is JSON as we write it and
 * names one; any other is left as it is. Returns 0 or -ENOMEM. */
int hand_in_adopt_text(const char *user_name, uid_t uid, struct built_record *record);
