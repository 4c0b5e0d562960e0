/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "conf/base/grow.h"
#include "contrib/profile/numbers.h"

/* ---- Children of a node ---------------------------------------------------------------------- */

enum { SLOTS_FIRST = 1024 };

static uint64_t mix(uint64_t value)
{
    value ^= value >> 32;
    value *= UINT64_C(0xd6e8feb86659fd93);
    return value ^ value >> 32;
}

static size_t find_slot(const struct child_index *children, struct child_key key)
{
    uint64_t place = ((uint64_t)key.space << 32 | key.parent) ^ children->secret;
    size_t at =
        (size_t)mix(mix(place) + (key.what ^ (children->secret << 1))) & (children->slots - 1);
    for (;; at = (at + 1) & (children->slots - 1)) {
        if (children->slot[at] == 0)
            return at;
        const struct child_key *there = &children->key[children->slot[at] - 1];
        if (there->what == key.what && there->parent == key.parent && there->space == key.space)
            return at;
    }
}

/* At most half of the slots are in use. */
static int make_room(struct child_index *children)
{
    if (children->count < children->slots / 2)
        return 0;
    size_t slots = children->slots == 0 ? SLOTS_FIRST : 4 * children->slots;
    while (slots / 2 <= children->count)
        slots *= 4;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (slot == NULL)
        return -ENOMEM;
    if (children->slots == 0)
        memcpy(&children->secret, (const void *)getauxval(AT_RANDOM), sizeof children->secret);
    free(children->slot);
    children->slot = slot;
    children->slots = slots;
    for (size_t i = 0; i < children->count; i++)
        slot[find_slot(children, children->key[i])] = (uint32_t)i + 1;
    return 0;
}

int child_index_add(struct child_index *children, struct child_key key, uint32_t *index)
{
    if (key.parent >= children->count && children->count > 0)
        return -EINVAL;
    int error = make_room(children);
    if (error != 0)
        return error;
    size_t at = find_slot(children, key);
    if (children->slot[at] == 0) {
        if (children->count >= UINT32_MAX - 1)
            return -EFBIG;
        error = GROW_TO(children->key, children->room, children->count + 1);
        if (error != 0)
            return error;
        children->key[children->count] = key;
        children->slot[at] = (uint32_t)++children->count;
    }
    *index = children->slot[at] - 1;
    return 0;
}

void child_index_free(struct child_index *children)
{
    free(children->key);
    free(children->slot);
    *children = (struct child_index){.key = NULL};
}

int call_tree_begin(struct call_tree *tree)
{
    uint32_t root;
    *tree = (struct call_tree){.node = NULL};
    return call_tree_child(tree, (struct child_key){.space = CALL_INIT}, &root);
}

void call_tree_free(struct call_tree *tree)
{
    child_index_free(&tree->children);
    free(tree->node);
    free(tree->open);
    *tree = (struct call_tree){.node = NULL};
}

int call_tree_child(struct call_tree *tree, struct child_key key, uint32_t *index)
{
    int error = GROW_TO(tree->node, tree->node_room, tree->children.count + 1);
    if (error != 0)
        return error;
    tree->node[tree->children.count] = (struct call_node){.calls = 0};
    return child_index_add(&tree->children, key, index);
}

void call_tree_count(struct call_tree *tree, uint32_t index, const struct call_node *counted)
{
    struct call_node *node = &tree->node[index];
    saturate_add(&node->calls, counted->calls);
    saturate_add(&node->timed, counted->timed);
    saturate_add(&node->inclusive, counted->inclusive);
    if (counted->largest > node->largest)
        node->largest = counted->largest;
    node->is_light |= counted->is_light;
}

int call_tree_add_open(struct call_tree *tree, struct open_call call)
{
    int error = GROW_TO(tree->open, tree->open_room, tree->open_count + 1);
    if (error == 0)
        tree->open[tree->open_count++] = call;
    return error;
}

void call_tree_finish(struct call_tree *tree, uint64_t end)
{
    for (size_t i = 0; i < tree->open_count; i++) {
        const struct open_call *open = &tree->open[i];
        tree->node[open->node].is_open = true;
        if (open->start == 0)
            continue;
        tree->late += open->start > end;
        uint64_t ticks = open->start > end ? 0 : end - open->start;
        const struct call_node ended = {.timed = 1, .inclusive = ticks, .largest = ticks};
        call_tree_count(tree, open->node, &ended);
    }
    /* until a node's turn comes, `exclusive` is the time of its callees */
    for (size_t i = tree->children.count; i-- > 0;) {
        struct call_node *node = &tree->node[i];
        uint64_t callees = node->exclusive;
        if (node->inclusive < callees) {
            tree->clipped += !node->is_light && !node->is_open && i > 0;
            node->inclusive = callees;
        }
        node->exclusive = node->inclusive - callees;
        if (i > 0)
            saturate_add(&tree->node[tree->children.key[i].parent].exclusive, node->inclusive);
    }
}
