/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/call_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/grow.h"
#include "contrib/profile/numbers.h"

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
