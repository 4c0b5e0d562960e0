/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tree's nodes by parent and what they stand for: each pair gets one index, the first 0, and no
 * parent has a larger one than its children. Who has `count` keys already may begin with these.
 * What they stand for may be chosen by somebody who means harm: they cannot know which pairs share
 * a place in the table.
 */
#ifndef JOBTRAIL_CHILD_INDEX_H
#define JOBTRAIL_CHILD_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct child_key {
    uint64_t what;
    uint32_t space; /* `what` is a number of this space */
    uint32_t parent;
};

struct child_index {
    struct child_key *key; /* owned; by index */
    size_t count;          /* below UINT32_MAX */
    size_t room, slots;
    uint32_t *slot; /* owned; an index plus 1 */
    uint64_t secret;
};

/* Sets `*index` to that of the pair, which is added where it is not there: as key[count - 1].
 * Returns 0 or -errno: -EINVAL where the parent is not there, -EFBIG, -ENOMEM. */
int child_index_add(struct child_index *children, struct child_key key, uint32_t *index);

void child_index_free(struct child_index *children);

#endif
