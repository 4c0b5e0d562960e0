/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ids of stacks that all who have the same stacks agree on, without asking each other: a stack's
 * place in the list of all, sorted by their hashes. Stacks with equal hashes are in the order of
 * their texts.
 */
#ifndef JOBTRAIL_SET_ORDER_H
#define JOBTRAIL_SET_ORDER_H

#include "contrib/profile/profile_set.h"

/* The hash is that of the stack's text "foo<bar<main<init", of at most so many bytes of its start:
 * recursion makes texts that are longer. */
enum { SET_HASH_BYTES = 4096 };

struct set_order {
    uint32_t *id;    /* owned; by the stack's number */
    uint32_t *stack; /* owned; by id */
};

/* Makes the hashes that are not known. Returns 0 or -ENOMEM. */
int set_order_hash(struct profile_set *set);

/* The same, and the ids. Returns 0 or -ENOMEM; set_order_free() releases, in every case. */
int set_order_make(struct profile_set *set, struct set_order *order);
void set_order_free(struct set_order *order);

/* Writes the stack's text, cut to `room` bytes with its NUL. Returns its length. */
size_t set_stack_text(const struct profile_set *set, uint32_t stack, char *text, size_t room);

#endif
