/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The side of the collection of handed-in records (hand_in.h) that has become the user.
 */
#ifndef JOBTRAIL_HAND_IN_READ_H
#define JOBTRAIL_HAND_IN_READ_H

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

/* Gives the user's records, links under their name (hand_in_adopt.h); what is none is moved to
 * HAND_IN_REFUSED beside them. Adds to the numbers of both. Returns 0, -EACCES where they could not
 * be removed afterwards, what `give` returned, or -errno. */
int hand_in_read(const struct hand_in_read *read, uint64_t *given, uint64_t *refused);

#endif
