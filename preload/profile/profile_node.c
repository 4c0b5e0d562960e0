/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_grow.h"
#include "preload/profile/profile_object.h"
#include "preload/profile/profile_own.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/profile_thread.h"

static uint32_t entries_of(const struct profile_table *table)
{
    return (uint32_t)(UINT64_C(1) << (64 - table->shift));
}

/* Stores the function last: an entry with it is complete. */
static void table_put(struct profile_table *table, const struct profile_entry *entry)
{
    uint32_t mask = entries_of(table) - 1;
    uint32_t at = profile_hash(table, entry->parent, entry->function);
    while (table->entry[at].function != 0)
        at = (at + 1) & mask;
    table->entry[at].parent = entry->parent;
    table->entry[at].node = entry->node;
    profile_order();
    table->entry[at].function = entry->function;
    table->used++;
}

/* Makes the table four times as large. That before stays: this may be the handler of a signal that
 * came while it was searched. What a handler adds to it while it is copied is added again later. */
static bool table_grow(struct profile_own *own)
{
    const struct profile_table *old = own->table;
    uint32_t entries = entries_of(old);
    struct profile_table *table =
        profile_memory(sizeof *table + (size_t)4 * entries * sizeof table->entry[0], true);
    if (table == NULL)
        return false;
    table->shift = old->shift - 2;
    for (uint32_t i = 0; i < entries; i++) {
        if (old->entry[i].function > 1)
            table_put(table, &old->entry[i]);
    }
    profile_order();
    own->table = table;
    return true;
}

static bool nodes_grow(struct profile_own *own)
{
    static const struct profile_shape shape = {PROFILE_NODES, sizeof(struct profile_node),
                                               PROFILE_NODES_AT};
    uint32_t room;
    void *at = profile_grow(own, &shape, &own->node_pieces, &own->thread->more_nodes, &room);
    if (at == NULL)
        return false;
    own->nodes = at;
    profile_order();
    own->node_room = room;
    return true;
}

bool profile_more_frames(struct profile_own *own)
{
    static const struct profile_shape shape = {PROFILE_FRAMES, sizeof(struct profile_frame),
                                               PROFILE_FRAMES_AT};
    uint32_t room;
    void *at = profile_grow(own, &shape, &own->frame_pieces, &own->thread->more_frames, &room);
    if (at == NULL)
        return false;
    own->frames = at;
    profile_order();
    own->frame_room = room;
    profile_set_limit(own);
    return true;
}

static uint32_t node_add(struct profile_own *own, uint32_t parent, uint64_t function,
                         uint64_t caller)
{
    if (own->node_count >= own->node_room && !nodes_grow(own))
        return PROFILE_OTHERS;
    if (own->table->used >= entries_of(own->table) / 2 && !table_grow(own) &&
        own->table->used >= entries_of(own->table) - 1)
        return PROFILE_OTHERS;
    uint32_t object = profile_object_find(function);
    uint32_t index = own->node_count;
    if (index >= own->node_room) /* a handler took the last one */
        return PROFILE_OTHERS;
    own->node_count = index + 1;
    profile_order();
    struct profile_node *node = &own->nodes[index];
    node->function = function;
    node->caller = caller;
    node->object = object;
    if (own->thread->nodes < index + 1)
        own->thread->nodes = index + 1;
    profile_order();
    node->parent = parent;
    table_put(own->table, &(struct profile_entry){function, parent, index});
    return index;
}

uint32_t profile_node_find(struct profile_own *own, uint32_t parent, uint64_t function,
                           uint64_t caller)
{
    const struct profile_table *table = own->table;
    uint32_t mask = entries_of(table) - 1;
    uint32_t at = profile_hash(table, parent, function);
    for (uint32_t i = 0; i <= mask && table->entry[at].function != 0; i++) {
        if (table->entry[at].function == function && table->entry[at].parent == parent)
            return table->entry[at].node;
        at = (at + 1) & mask;
    }
    if (parent == 0 || parent >= own->node_count) /* another process has written to our frame */
        parent = PROFILE_ROOT;
    return node_add(own, parent, function, caller);
}

/* An entry that is not used any more has the function 1, where none is: searches go on behind. */
void profile_nodes_forget(struct profile_own *own)
{
    own->closes = profile_closes();
    for (uint32_t i = 0; i < entries_of(own->table); i++) {
        struct profile_entry *entry = &own->table->entry[i];
        if (entry->function > 1 && entry->node < own->node_count &&
            profile_object_is_gone(own->nodes[entry->node].object))
            entry->function = 1;
    }
    profile_set_limit(own);
}

/* Removes each second event. */
static void events_thin(struct profile_own *own)
{
    for (uint32_t i = 1; i < PROFILE_EVENTS / 2; i++)
        own->events[i] = own->events[2 * i];
    own->event_count = PROFILE_EVENTS / 2;
    own->thread->events = PROFILE_EVENTS / 2;
    if (own->thread->gap < UINT64_MAX / 4)
        own->thread->gap *= 2;
}

void profile_event_add(struct profile_own *own, uint64_t ticks, uint32_t node,
                       enum profile_event_kind kind)
{
    uint32_t at = own->event_count;
    own->next_event = ticks + own->thread->gap;
    if (at >= PROFILE_EVENTS) {
        events_thin(own);
        own->next_event = ticks + own->thread->gap;
        at = own->event_count;
    }
    own->event_count = at + 1;
    own->events[at] = (struct profile_event){ticks, node, kind};
    profile_order();
    own->thread->events = at + 1;
}
