/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "contrib/profile/chunk_read.h"
#include "contrib/profile/numbers.h"
#include "contrib/profile/profile_read.h"

/* One of a thread's arrays, with its pieces, in one piece of memory. */
struct chunk_entries {
    void *at; /* owned */
    size_t count;
};

struct entries_shape {
    size_t at, first, bytes;
};

static const struct entries_shape frames_shape = {PROFILE_FRAMES_AT, PROFILE_FRAMES,
                                                  sizeof(struct profile_frame)};
static const struct entries_shape nodes_shape = {PROFILE_NODES_AT, PROFILE_NODES,
                                                 sizeof(struct profile_node)};

/* Whether the piece is there, is the process's, and no other array's. */
static bool take_piece(struct chunk_source *source, uint64_t offset, uint64_t process, size_t bytes)
{
    struct profile_chunk chunk;
    uint64_t whole =
        PROFILE_PAGE + ((uint64_t)bytes + PROFILE_PAGE - 1) / PROFILE_PAGE * PROFILE_PAGE;
    return chunk_bytes(source, offset, &chunk, sizeof chunk) == 0 &&
           chunk.magic == PROFILE_CHUNK_MAGIC && chunk.kind == PROFILE_PIECE &&
           chunk.offset == offset && chunk.process == process && chunk.bytes >= whole &&
           chunk_take(source, offset, chunk.bytes) == 0;
}

/* Reads as many pieces as there are. What is wrong with one ends the array there. */
static int read_entries(struct chunk_source *source, const char *chunk,
                        const struct profile_array *more, const struct entries_shape *shape,
                        struct chunk_entries *entries, size_t *damaged)
{
    const struct profile_chunk *head = (const struct profile_chunk *)(const void *)chunk;
    entries->count = shape->first;
    entries->at = malloc(shape->first * shape->bytes);
    if (entries->at == NULL)
        return -ENOMEM;
    memcpy(entries->at, chunk + shape->at, shape->first * shape->bytes);
    for (unsigned number = 1; number <= PROFILE_PIECES && more->piece[number - 1] != 0; number++) {
        size_t count = PROFILE_PIECE_COUNT(shape->first, number), size = count * shape->bytes;
        uint64_t offset = more->piece[number - 1];
        if (!take_piece(source, offset, head->process, size)) {
            ++*damaged;
            return 0;
        }
        void *larger = realloc(entries->at, (entries->count + count) * shape->bytes);
        if (larger == NULL)
            return -ENOMEM;
        entries->at = larger;
        int error = chunk_bytes(source, offset + PROFILE_PAGE,
                                (char *)larger + entries->count * shape->bytes, size);
        if (error != 0)
            return error;
        entries->count += count;
    }
    return 0;
}

static struct child_key key_of(const struct profiled_process *process,
                               const struct profile_node *node, uint32_t parent)
{
    struct child_key key = {.what = node->function, .space = CALL_NO_OBJECT, .parent = parent};
    for (size_t i = 0; i < process->object_count; i++) {
        const struct profiled_object *object = &process->objects[i];
        bool is_in = node->function >= object->start && node->function < object->end;
        if (is_in && (node->object == i + 1 || (node->object == 0 && key.space == CALL_NO_OBJECT)))
            key = (struct child_key){node->function - object->bias, (uint32_t)i + 1, parent};
    }
    return key;
}

/* Puts the nodes into the tree of the process. `place` has for each the index there. */
static int add_nodes(const struct profile_node *nodes, size_t count,
                     struct profiled_process *process, uint32_t *place, size_t *damaged)
{
    int error = 0;
    for (size_t i = PROFILE_ROOT; error == 0 && i < count; i++) {
        const struct profile_node *node = &nodes[i];
        bool is_root = i == PROFILE_ROOT, is_others = i == PROFILE_OTHERS;
        bool is_whole = is_root || (node->parent > 0 && node->parent < i);
        place[i] = 0;
        if (!is_whole || (node->parent != PROFILE_ROOT && !is_root && place[node->parent] == 0)) {
            *damaged += node->parent != 0; /* 0: it is being filled, or below one that is */
            continue;
        }
        struct child_key key = {.space = CALL_OTHERS, .parent = 0};
        if (!is_root && !is_others)
            key = key_of(process, node, place[node->parent]);
        if (!is_root && !(is_others && node->calls == 0))
            error = call_tree_child(&process->tree, key, &place[i]);
        const struct call_node counted = {
            .calls = node->calls,
            .timed = node->timed < node->calls ? node->timed : node->calls,
            .inclusive = node->ticks,
            .largest = node->largest < node->ticks ? node->largest : node->ticks,
            .is_light = (node->flags & PROFILE_NODE_LIGHT) != 0,
        };
        if (error == 0 && (place[i] != 0 || is_root))
            call_tree_count(&process->tree, place[i], &counted);
    }
    return error;
}

/* The open calls, from the innermost outwards: each is of the node whose child the one before it
 * is. Others in between are dead. */
static int add_open(const struct profile_thread *thread, const struct chunk_entries *frames,
                    const struct profile_node *nodes, size_t count, const uint32_t *place,
                    struct profiled_process *process)
{
    const struct profile_frame *frame = frames->at;
    uint32_t expected = 0;
    bool is_top = true;
    int error = 0;
    for (size_t i = frames->count; error == 0 && i-- > 0;) {
        uint32_t node = frame[i].node;
        if (node == 0)
            continue;
        if (node >= count || (!is_top && node != PROFILE_OTHERS && node != expected)) {
            process->dead_frames++;
            continue;
        }
        if (frame[i].start > process->newest)
            process->newest = frame[i].start;
        if (node != PROFILE_OTHERS || is_top)
            expected = nodes[node].parent;
        /* the frame of the root is always there */
        bool is_known = node == PROFILE_ROOT || place[node] != 0;
        if (is_known)
            error = call_tree_add_open(&process->tree, (struct open_call){.node = place[node],
                                                                          .tid = thread->tid,
                                                                          .is_top = is_top,
                                                                          .start = frame[i].start});
        is_top = is_top && !is_known;
    }
    return error;
}

/* An event that is not later than the one before it is left from a removal, and one of a node that
 * is not there may be. `place` has for each of `count` nodes the index in the tree. */
static int add_samples(const struct profile_thread *thread, const char *bytes,
                       const uint32_t *place, size_t count, struct profiled_process *process)
{
    const struct profile_event *event =
        (const struct profile_event *)(const void *)(bytes + PROFILE_EVENTS_AT);
    uint64_t before = 0;
    int error = 0;
    if (thread->gap > process->sample_gap)
        process->sample_gap = thread->gap;
    for (uint32_t i = 0; error == 0 && i < thread->events && i < PROFILE_EVENTS; i++) {
        uint32_t node = event[i].node;
        bool is_known = node < count && (node == PROFILE_ROOT || place[node] != 0);
        if (event[i].ticks > process->newest)
            process->newest = event[i].ticks;
        if (event[i].ticks <= before || !is_known ||
            (event[i].kind != PROFILE_ENTER && event[i].kind != PROFILE_EXIT))
            continue;
        before = event[i].ticks;
        error = GROW_TO(process->samples, process->sample_room, process->sample_count + 1);
        if (error == 0)
            process->samples[process->sample_count++] =
                (struct profiled_sample){before, place[node], thread->tid, event[i].kind};
    }
    return error;
}

int thread_chunk(struct chunk_source *source, const char *bytes, struct profiled_process *process,
                 size_t *damaged)
{
    struct profile_thread thread;
    CLEANUP_FREE void *frames_at = NULL;
    CLEANUP_FREE void *nodes_at = NULL;
    struct chunk_entries frames = {.at = NULL}, nodes = {.at = NULL};
    memcpy(&thread, bytes, sizeof thread);
    int error = read_entries(source, bytes, &thread.more_frames, &frames_shape, &frames, damaged);
    frames_at = frames.at;
    if (error == 0)
        error = read_entries(source, bytes, &thread.more_nodes, &nodes_shape, &nodes, damaged);
    nodes_at = nodes.at;
    if (error != 0)
        return error;
    size_t count = thread.nodes < nodes.count ? thread.nodes : nodes.count;
    if (thread.nodes > nodes.count || count < PROFILE_NODE_FIRST)
        ++*damaged;
    CLEANUP_FREE uint32_t *place = calloc(count + PROFILE_NODE_FIRST, sizeof *place);
    if (place == NULL)
        return -ENOMEM;
    error = add_nodes(nodes.at, count, process, place, damaged);
    if (error == 0)
        error = add_open(&thread, &frames, nodes.at, count, place, process);
    if (error == 0)
        error = add_samples(&thread, bytes, place, count, process);
    saturate_add(&process->threads, thread.threads);
    saturate_add(&process->lost_calls, thread.lost_calls);
    saturate_add(&process->dead_frames, thread.dead_frames);
    saturate_add(&process->stray_exits, thread.stray_exits);
    return error;
}
