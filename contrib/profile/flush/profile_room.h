/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much of a user's profiles is kept: [profile] user_size bytes. A new file takes the place of
 * the user's oldest ones.
 */
#ifndef JOBTRAIL_PROFILE_ROOM_H
#define JOBTRAIL_PROFILE_ROOM_H

#include <stddef.h>
#include <stdint.h>

struct kept_name;

struct profile_room {
    int place; /* the user's directory; the caller's */
    uint64_t most, bytes;
    struct kept_name *names; /* owned: the oldest first */
    size_t count, next;      /* those from `next` on are there */
};

/* Counts the files of the directory open at `place`. Returns 0 or -errno; profile_room_free()
 * releases, in every case. */
int profile_room_count(int place, uint64_t most, struct profile_room *room);
void profile_room_free(struct profile_room *room);

/* Removes the oldest files until one more of so many bytes, that is about to get this name, fits.
 * Returns 0; -EFBIG where it does not fit beside those that were made since the count; or -errno.
 */
int profile_room_make(struct profile_room *room, const char *name, uint64_t bytes);

#endif
