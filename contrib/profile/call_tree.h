/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The calls of a process: the trees of its threads in one, and the calls that were open.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Children of a node ---------------------------------------------------------------------- */

/* A tree's nodes by parent and what they stand for: each pair gets one index, the first 0, and no
 * parent has a larger one than its children. Who has `count` keys already may begin with these.
 * What they stand for may be chosen by somebody who means harm: they cannot know which pairs share
 * a place in the table. */

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

/* What children->key[i] stands for: `space` is a number of the process's objects, from 1, `what` an
 * address in the object's file; or one of these. */
enum {
    CALL_NO_OBJECT = 0,           /* `what` is an address of the process */
    CALL_INIT = UINT32_MAX,       /* node 0, where threads begin */
    CALL_OTHERS = UINT32_MAX - 1, /* calls for which the file had no room */
};

struct call_node {
    uint64_t calls;     /* begun */
    uint64_t timed;     /* calls whose time is known */
    uint64_t inclusive; /* ticks */
    uint64_t exclusive; /* ticks; set by call_tree_finish() */
    uint64_t largest;   /* ticks of one call */
    bool is_open;       /* a call was open at the end, which may be known too early */
    bool is_light;      /* some calls were counted and not timed: their time is the parent's */
};

/* A call that no exit ended. */
struct open_call {
    uint32_t node;
    int32_t tid;    /* of the thread, as the process says */
    bool is_top;    /* the thread was in this one, and not in one that it called */
    uint64_t start; /* ticks; 0: it is not timed */
};

struct call_tree {
    struct child_index children;
    struct call_node *node; /* owned; by index */
    size_t node_room;
    struct open_call *open; /* owned; a thread's in a row, the innermost first */
    size_t open_count, open_room;
    uint64_t
        clipped; /* nodes, neither light nor open, whose callees took longer than they themselves */
    uint64_t late; /* open calls that began after the end */
};

/* Makes node 0. Returns 0 or -ENOMEM; call_tree_free() releases, in every case. */
int call_tree_begin(struct call_tree *tree);
void call_tree_free(struct call_tree *tree);

/* The node of a function below another one. Returns 0 or -errno as child_index_add(). */
int call_tree_child(struct call_tree *tree, struct child_key key, uint32_t *index);

/* Adds what a thread counted: sums that would be too large stay at the largest number. */
void call_tree_count(struct call_tree *tree, uint32_t index, const struct call_node *counted);

int call_tree_add_open(struct call_tree *tree, struct open_call call);

/* Ends the open calls at `end` (ticks), and makes exclusive times: inclusive minus that of the
 * callees, never below 0. Where the callees took longer, inclusive becomes theirs. Once. */
void call_tree_finish(struct call_tree *tree, uint64_t end);
