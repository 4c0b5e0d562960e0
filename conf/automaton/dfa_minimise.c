/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * J. Hopcroft, "An n log n algorithm for minimizing states in a finite automaton" (1971). The
 * states start in one block per rule that they accept; a block whose states step into and out of
 * another block (the splitter) on the same byte is split. The smaller half becomes a new block,
 * which is a splitter later; the larger half keeps its number. So it is enough to take each block
 * as a splitter once, in the order of their numbers.
 */
#include "conf/automaton/dfa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/policy/policy.h"

#define UNNUMBERED UINT32_MAX

struct state_block {
    uint32_t first, end; /* in partition.state */
    uint32_t marked;     /* this many at the front have stepped into the splitter */
};

struct state_partition {
    const struct dfa *dfa;
    uint32_t *state;    /* all states, block by block */
    uint32_t *place;    /* per state: its index in `state` */
    uint32_t *block_of; /* per state */
    struct state_block *block;
    uint32_t blocks;
    uint32_t *touched; /* blocks with marks */
    uint32_t touches;
    uint32_t *number; /* per block: its state in the new automaton, or UNNUMBERED */
    uint32_t *order;  /* the blocks by their number */
    uint32_t numbered;
    uint32_t *splitter;  /* a copy of its states, as it may be split itself */
    uint32_t *edge_from; /* the states that step into a state, by class and state */
    uint32_t *edge_end;  /* per class and state: where its part of edge_from ends, and the next
                            one's starts */
};

static int prepare_partition(struct state_partition *partition, const struct dfa *dfa)
{
    size_t cells = (size_t)dfa->states * dfa->classes;
    partition->dfa = dfa;
    partition->state = calloc(dfa->states, sizeof *partition->state);
    partition->place = calloc(dfa->states, sizeof *partition->place);
    partition->block_of = calloc(dfa->states, sizeof *partition->block_of);
    partition->block = calloc(dfa->states, sizeof *partition->block);
    partition->touched = calloc(dfa->states, sizeof *partition->touched);
    partition->number = calloc(dfa->states, sizeof *partition->number);
    partition->order = calloc(dfa->states, sizeof *partition->order);
    partition->splitter = calloc(dfa->states, sizeof *partition->splitter);
    partition->edge_from = calloc(cells, sizeof *partition->edge_from);
    partition->edge_end = calloc(cells + 1, sizeof *partition->edge_end);
    if (partition->state == NULL || partition->place == NULL || partition->block_of == NULL ||
        partition->block == NULL || partition->touched == NULL || partition->number == NULL ||
        partition->order == NULL || partition->splitter == NULL || partition->edge_from == NULL ||
        partition->edge_end == NULL)
        return -ENOMEM;
    return 0;
}

static void release_partition(struct state_partition *partition)
{
    free(partition->state);
    free(partition->place);
    free(partition->block_of);
    free(partition->block);
    free(partition->touched);
    free(partition->number);
    free(partition->order);
    free(partition->splitter);
    free(partition->edge_from);
    free(partition->edge_end);
}

/* Turns the transitions around, by counting sort: edges into (class, state) are
 * edge_from[edge_end[cell]] up to edge_end[cell + 1], cell = class * states + state. */
static void reverse_edges(struct state_partition *partition)
{
    const struct dfa *dfa = partition->dfa;
    uint32_t *end = partition->edge_end;
    size_t cells = (size_t)dfa->states * dfa->classes;
    for (size_t i = 0; i < cells; i++)
        end[i % dfa->classes * dfa->states + dfa->next[i]]++;
    for (size_t i = 1; i <= cells; i++)
        end[i] += end[i - 1];
    for (size_t i = 0; i < cells; i++) {
        size_t cell = i % dfa->classes * dfa->states + dfa->next[i];
        partition->edge_from[--end[cell]] = (uint32_t)(i / dfa->classes);
    }
}

/* One block for each rule that is accepted, and one for none: a counting sort again. */
static int group_by_rule(struct state_partition *partition)
{
    const struct dfa *dfa = partition->dfa;
    uint32_t *count = calloc(UINT16_MAX + 2, sizeof *count);
    if (count == NULL)
        return -ENOMEM;
    for (uint32_t state = 0; state < dfa->states; state++)
        count[dfa->accepts[state] + 1]++;
    for (uint32_t i = 1; i < UINT16_MAX + 2; i++)
        count[i] += count[i - 1];
    for (uint32_t state = 0; state < dfa->states; state++)
        partition->state[count[dfa->accepts[state]]++] = state;
    free(count);
    for (uint32_t i = 0; i < dfa->states; i++) {
        uint32_t state = partition->state[i];
        if (i == 0 || dfa->accepts[state] != dfa->accepts[partition->state[i - 1]])
            partition->block[partition->blocks++].first = i;
        partition->place[state] = i;
        partition->block_of[state] = partition->blocks - 1;
        partition->block[partition->blocks - 1].end = i + 1;
    }
    return 0;
}

/* Moves a state to the marked front of its block. */
static void mark_state(struct state_partition *partition, uint32_t state)
{
    uint32_t number = partition->block_of[state];
    struct state_block *block = &partition->block[number];
    uint32_t from = partition->place[state];
    uint32_t to = block->first + block->marked;
    uint32_t other = partition->state[to];
    if (block->marked++ == 0)
        partition->touched[partition->touches++] = number;
    partition->state[from] = other;
    partition->place[other] = from;
    partition->state[to] = state;
    partition->place[state] = to;
}

/* Makes the smaller of the marked and the other states of a block a new block. */
static void split_block(struct state_partition *partition, uint32_t number)
{
    struct state_block *block = &partition->block[number];
    uint32_t middle = block->first + block->marked;
    block->marked = 0;
    if (middle == block->end)
        return;
    struct state_block new = {.first = block->first, .end = middle};
    if (middle - block->first > block->end - middle) {
        new = (struct state_block){.first = middle, .end = block->end};
        block->end = middle;
    } else {
        block->first = middle;
    }
    for (uint32_t i = new.first; i < new.end; i++)
        partition->block_of[partition->state[i]] = partition->blocks;
    partition->block[partition->blocks++] = new;
}

static void split_all_by(struct state_partition *partition, uint32_t number)
{
    const struct dfa *dfa = partition->dfa;
    struct state_block block = partition->block[number];
    uint32_t count = block.end - block.first;
    memcpy(partition->splitter, partition->state + block.first, count * sizeof(uint32_t));
    for (uint32_t class = 0; class < dfa->classes; class ++) {
        for (uint32_t i = 0; i < count; i++) {
            size_t cell = (size_t) class * dfa->states + partition->splitter[i];
            for (uint32_t edge = partition->edge_end[cell]; edge < partition->edge_end[cell + 1];
                 edge++)
                mark_state(partition, partition->edge_from[edge]);
        }
        while (partition->touches > 0)
            split_block(partition, partition->touched[--partition->touches]);
    }
}

/* Gives `block` the next state's number unless it has one. */
static void number_block(struct state_partition *partition, uint32_t block)
{
    if (partition->number[block] != UNNUMBERED)
        return;
    partition->number[block] = partition->numbered;
    partition->order[partition->numbered++] = block;
}

static const uint16_t *row_of_block(const struct state_partition *partition, uint32_t block)
{
    const struct dfa *dfa = partition->dfa;
    return dfa->next + (size_t)partition->state[partition->block[block].first] * dfa->classes;
}

/* The new states are in the order of their distance from the start, after POLICY_DEAD. So the rows
 * that most texts lead through lie together, on few pages of the policy. */
static void number_blocks(struct state_partition *partition)
{
    const struct dfa *dfa = partition->dfa;
    for (uint32_t block = 0; block < partition->blocks; block++)
        partition->number[block] = UNNUMBERED;
    partition->numbered = 0;
    number_block(partition, partition->block_of[POLICY_DEAD]);
    number_block(partition, partition->block_of[dfa->start]);
    for (uint32_t i = 0; i < partition->numbered; i++) {
        const uint16_t *row = row_of_block(partition, partition->order[i]);
        for (uint32_t class = 0; class < dfa->classes; class ++)
            number_block(partition, partition->block_of[row[class]]);
    }
}

/* The states of `*out`, for which there is room, from one state of each block. */
static void merge_blocks(const struct state_partition *partition, struct dfa *out)
{
    const struct dfa *dfa = partition->dfa;
    for (uint32_t new = 0; new < partition->numbered; new ++) {
        uint32_t block = partition->order[new];
        const uint16_t *from = row_of_block(partition, block);
        uint16_t *to = out->next + (size_t) new * dfa->classes;
        for (uint32_t class = 0; class < dfa->classes; class ++)
            to[class] = (uint16_t)partition->number[partition->block_of[from[class]]];
        out->accepts[new] = dfa->accepts[partition->state[partition->block[block].first]];
    }
    out->states = partition->numbered;
    out->start = partition->number[partition->block_of[dfa->start]];
}

static int minimise_partition(struct state_partition *partition, struct dfa *dfa)
{
    struct dfa small = *dfa;
    reverse_edges(partition);
    int error = group_by_rule(partition);
    if (error != 0)
        return error;
    for (uint32_t block = 0; block < partition->blocks; block++)
        split_all_by(partition, block);
    small.next = calloc((size_t)partition->blocks * dfa->classes, sizeof *small.next);
    small.accepts = calloc(partition->blocks, sizeof *small.accepts);
    if (small.next == NULL || small.accepts == NULL) {
        dfa_free(&small);
        return -ENOMEM;
    }
    number_blocks(partition);
    merge_blocks(partition, &small);
    dfa_free(dfa);
    *dfa = small;
    return 0;
}

int dfa_minimise(struct dfa *dfa)
{
    struct state_partition partition = {0};
    int error = prepare_partition(&partition, dfa);
    if (error == 0)
        error = minimise_partition(&partition, dfa);
    release_partition(&partition);
    return error;
}
