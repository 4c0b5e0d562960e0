/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ids of stacks that all who have the same stacks agree on, without asking each other: a stack's
 * place in the list of all, sorted by their hashes. Stacks with equal hashes are in the order of
 * their texts.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "contrib/profile/profile_set.h"

/* The hash by which stacks are put in order, the same in every process: that of Vftrace
 * (src/hashing.c), of a text as "foo<bar<main<init": Jenkins's one-at-a-time hash in the upper
 * half, MurmurHash3 of 32 bits in the lower one. */
uint64_t stack_hash(const char *text, size_t size);

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

/* ---- What is missing in a set ---------------------------------------------------------------- */

/* Ranks of a program, and nodes of a step, of which nothing is in a set. The ids of stacks are
 * places in the list of all stacks: while a node's file may come, they are provisional. */

/* Calls `tell` for each row of ranks of a program, from `first` to `last`, that left no profile:
 * those below the number of ranks that the others tell, where that is more than 1. The others are
 * those for which `is_taken` has true; NULL: all. A program is the launcher's, which may be in
 * several steps, of which one is named; or where it has no name, a step. Returns 0 or -ENOMEM. */
int missing_ranks(const struct profile_set *set, const bool *is_taken,
                  void (*tell)(void *context, uint32_t step, uint32_t first, uint32_t last,
                               uint32_t size),
                  void *context);

/* After a step's end its nodes' files are waited for so long, seconds. */
enum { MISSING_NODES_WAIT_S = 24 * 60 * 60 };

struct missing_nodes {
    uint32_t step;
    uint32_t there, nodes; /* of the step's nodes, so many are in the set */
    bool is_awaited;       /* others may come yet */
};

/* Calls `tell` for each step that had more nodes than are in the set. `now_ns` since the Epoch.
 * Returns 0 or -ENOMEM. */
int missing_nodes(const struct profile_set *set, uint64_t now_ns,
                  void (*tell)(void *context, const struct missing_nodes *missing), void *context);
