/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/run_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"

/* ---- Parents of runs ------------------------------------------------------------------------- */

/* So many runs of one pid that began before a child are looked at: the same pid may occur in as
 * many namespaces. */
enum { SAME_PID_MAX = 16 };

int run_parents_add(struct run_parents *parents, const struct capture *capture)
{
    struct run_ancestors ancestors = {.first = (uint32_t)parents->pid_count};
    if (capture != NULL) {
        ancestors.name_space = capture->name_space;
        ancestors.pid = capture->pid;
    }
    for (size_t i = 0; capture != NULL && i < capture->ancestor_count; i++) {
        if (GROW(parents->pid, parents->pid_count) != 0)
            return -ENOMEM;
        parents->pid[parents->pid_count++] = capture->ancestors[i].pid;
        ancestors.count++;
    }
    if (GROW(parents->of_run, parents->count) != 0)
        return -ENOMEM;
    parents->of_run[parents->count++] = ancestors;
    return 0;
}

static int by_process(const void *left, const void *right, void *context)
{
    const struct run_parents *parents = context;
    uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
    int32_t a = parents->of_run[first].pid, b = parents->of_run[second].pid;
    uint64_t a_ns = parents->runs[first].start_ns, b_ns = parents->runs[second].start_ns;
    if (a != b)
        return a < b ? -1 : 1;
    if (a_ns != b_ns)
        return a_ns < b_ns ? -1 : 1;
    return first < second ? -1 : first > second;
}

/* The run of this pid that may have lived when `child` began; SIZE_MAX: none. */
static size_t find_run(const struct run_parents *parents, size_t child, int32_t pid)
{
    const struct run_ancestors *of_run = parents->of_run;
    const struct partition_run *runs = parents->runs;
    const uint64_t start_ns = runs[child].start_ns;
    /* How many in the order come before what has the pid and began after `start_ns`. */
    size_t low = 0, high = parents->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t at = parents->order[middle];
        if (of_run[at].pid < pid || (of_run[at].pid == pid && runs[at].start_ns <= start_ns))
            low = middle + 1;
        else
            high = middle;
    }
    size_t place = low;
    for (size_t i = 0; i < SAME_PID_MAX && i < place; i++) {
        size_t run = parents->order[place - 1 - i];
        if (of_run[run].pid != pid)
            break;
        if (run != child && of_run[run].name_space == of_run[child].name_space &&
            runs[run].task == runs[child].task && runs[run].max_ns >= start_ns)
            return run;
    }
    return SIZE_MAX;
}

static size_t find_parent(const struct run_parents *parents, size_t child)
{
    const struct run_ancestors *ancestors = &parents->of_run[child];
    size_t found = SIZE_MAX;
    if (parents->runs[child].task == SIZE_MAX)
        return found;
    for (uint32_t i = 0; i < ancestors->count && found == SIZE_MAX; i++)
        found = find_run(parents, child, parents->pid[ancestors->first + i]);
    return found;
}

int run_parents_find(struct run_parents *parents, struct partition_run *runs)
{
    parents->runs = runs;
    parents->order = calloc(parents->count + 1, sizeof *parents->order);
    if (parents->order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < parents->count; i++)
        parents->order[i] = (uint32_t)i;
    qsort_r(parents->order, parents->count, sizeof *parents->order, by_process, parents);
    for (size_t i = 0; i < parents->count; i++)
        runs[i].parent = find_parent(parents, i);
    return 0;
}

void run_parents_free(struct run_parents *parents)
{
    free(parents->order);
    free(parents->pid);
    free(parents->of_run);
    *parents = (struct run_parents){NULL};
}

struct run_tree {
    uint32_t *place; /* of a run in the walk */
    uint32_t *size;  /* of a run: itself and those below it, which are at place + 1 and on */
    uint32_t *at;    /* the run at a place */
    uint32_t *end; /* segment tree over places: the greatest place + size of the living; 0: none */
    size_t leaves; /* of it; a power of two, and more than there are places */
};

/* Takes away runs that have no children, again and again: what stays are circles. Sets `order`,
 * children before their parents and circles last, and `size`. `children` is not 0 in circles. */
static void peel(struct run_tree *tree, const uint32_t *parents, size_t count, uint32_t *children,
                 uint32_t *order)
{
    size_t peeled = 0;
    for (size_t run = 0; run < count; run++) {
        tree->size[run] = 1;
        if (parents[run] != RUN_TREE_NONE)
            children[parents[run]]++;
    }
    for (uint32_t run = 0; run < count; run++)
        if (children[run] == 0)
            order[peeled++] = run;
    for (size_t i = 0; i < peeled; i++) {
        uint32_t parent = parents[order[i]];
        if (parent == RUN_TREE_NONE)
            continue;
        tree->size[parent] += tree->size[order[i]];
        if (--children[parent] == 0)
            order[peeled++] = parent;
    }
    for (uint32_t run = 0; run < count; run++)
        if (children[run] != 0)
            order[peeled++] = run;
}

static int fill(struct run_tree *tree, const uint32_t *parents, size_t count)
{
    CLEANUP_FREE uint32_t *children = calloc(count + 1, sizeof *children);
    CLEANUP_FREE uint32_t *order = calloc(count + 1, sizeof *order);
    tree->place = calloc(count + 1, sizeof *tree->place);
    tree->size = calloc(count + 1, sizeof *tree->size);
    tree->at = calloc(count + 1, sizeof *tree->at);
    for (tree->leaves = 1; tree->leaves <= count;)
        tree->leaves *= 2;
    tree->end = calloc(2 * tree->leaves, sizeof *tree->end);
    if (children == NULL || order == NULL || tree->place == NULL || tree->size == NULL ||
        tree->at == NULL || tree->end == NULL)
        return -ENOMEM;
    peel(tree, parents, count, children, order);
    /* `children` is used for the next free place below each run. */
    uint32_t top = 0;
    for (size_t i = count; i-- > 0;) {
        uint32_t run = order[i];
        bool is_top = parents[run] == RUN_TREE_NONE || children[run] != 0;
        uint32_t *free_place = is_top ? &top : &children[parents[run]];
        tree->place[run] = *free_place;
        *free_place += tree->size[run];
        tree->at[tree->place[run]] = run;
        children[run] = tree->place[run] + 1;
    }
    return 0;
}

int run_tree_make(const uint32_t *parents, size_t count, struct run_tree **tree)
{
    struct run_tree *made = calloc(1, sizeof *made);
    if (made == NULL)
        return -ENOMEM;
    int error = fill(made, parents, count);
    if (error != 0)
        run_tree_free(made);
    else
        *tree = made;
    return error;
}

void run_tree_set(struct run_tree *tree, uint32_t run, bool lives)
{
    uint32_t *end = tree->end;
    size_t node = tree->leaves + tree->place[run];
    end[node] = lives ? tree->place[run] + tree->size[run] : 0;
    for (node /= 2; node > 0; node /= 2) {
        uint32_t left = end[2 * node], right = end[2 * node + 1];
        uint32_t greatest = left > right ? left : right;
        if (end[node] == greatest)
            return;
        end[node] = greatest;
    }
}

/* The last place before `limit` of a living run that ends after `place`; RUN_TREE_NONE: none. */
static uint32_t last_ending_after(const struct run_tree *tree, size_t limit, uint32_t place)
{
    size_t node = tree->leaves + limit;
    while (node > 1 && (node % 2 == 0 || tree->end[node - 1] <= place))
        node /= 2;
    if (node <= 1)
        return RUN_TREE_NONE;
    for (node--; node < tree->leaves;)
        node = tree->end[2 * node + 1] > place ? 2 * node + 1 : 2 * node;
    return (uint32_t)(node - tree->leaves);
}

/* Runs do not overlap in part: what begins before a run and ends after its place contains it, and
 * of these the last one is the nearest. */
uint32_t run_tree_above(const struct run_tree *tree, uint32_t run)
{
    uint32_t place = last_ending_after(tree, tree->place[run], tree->place[run]);
    return place == RUN_TREE_NONE ? RUN_TREE_NONE : tree->at[place];
}

bool run_tree_has_below(const struct run_tree *tree, uint32_t run)
{
    uint32_t place = tree->place[run];
    uint32_t last = last_ending_after(tree, place + tree->size[run], 0);
    return last != RUN_TREE_NONE && last > place;
}

void run_tree_free(struct run_tree *tree)
{
    if (tree == NULL)
        return;
    free(tree->place);
    free(tree->size);
    free(tree->at);
    free(tree->end);
    free(tree);
}
