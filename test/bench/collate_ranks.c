/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What it costs to collate the profiles of a large step, with simulated ranks:
 *
 *   collate_ranks [NODES [RANKS-OF-A-NODE [STACKS]]]
 *
 * Of a rank's stacks, nine tenths are those of all ranks, the rest its own. Prints the seconds that
 * a node takes, the seconds that putting the nodes together takes, and the largest memory; and for
 * one node what the way of Vftrace takes: the text and hash of each stack of each rank, all sorted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "contrib/profile/profile_collect.h"
#include "contrib/profile/profile_rows.h"
#include "contrib/profile/set_file.h"
#include "contrib/profile/set_order.h"

struct shape {
    uint32_t nodes, ranks, stacks;
};

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check(int error)
{
    if (error != 0) {
        fprintf(stderr, "collate: %s\n", strerror(-error));
        exit(1);
    }
}

/* A tree in which each stack is below one of those before it, eight calls deep in the mean. */
static void make_tree(struct call_tree *tree, uint32_t stacks, uint32_t rank)
{
    uint32_t shared = stacks / 10 * 9, index;
    check(call_tree_begin(tree));
    for (uint32_t i = 1; i < stacks; i++) {
        bool is_own = i >= shared;
        struct child_key key = {.space = 1,
                                .what = is_own ? 100000 + rank * 7 + i : i,
                                .parent = is_own ? i * 31 % shared : i / 2};
        check(call_tree_child(tree, key, &index));
        const struct call_node counted = {
            .calls = i, .timed = i, .inclusive = stacks - i + rank, .largest = 1};
        call_tree_count(tree, index, &counted);
    }
}

static void make_content(struct profile_content *content, const struct shape *shape, uint32_t node)
{
    *content =
        (struct profile_content){.processes = calloc(shape->ranks, sizeof *content->processes),
                                 .process_count = shape->ranks};
    check(content->processes == NULL ? -12 : 0);
    for (uint32_t i = 0; i < shape->ranks; i++) {
        uint32_t rank = node * shape->ranks + i;
        content->processes[i] = (struct profiled_process){
            .offset = i, .task = rank, .rank = rank, .size = shape->nodes * shape->ranks};
        make_tree(&content->processes[i].tree, shape->stacks, rank);
    }
}

static const char *name(void *context, const struct profiled_object *object, uint64_t address)
{
    static char text[64];
    (void)context;
    (void)object;
    snprintf(text, sizeof text, "module_%" PRIu64 "_MOD_function_%" PRIu64, address % 97, address);
    return text;
}

/* One node: its file in memory. Returns how long it took. */
static double collate_node(const struct shape *shape, uint32_t node, int *fd)
{
    const struct collect_facts facts = {.node = "n", .name = name};
    struct profile_content content;
    struct profile_set set;
    make_content(&content, shape, node);
    double start = processor_s();
    check(profile_set_begin(&set));
    check(profile_collect(&content, &facts, &set));
    *fd = memfd_create("node", MFD_CLOEXEC);
    check(*fd < 0 ? -12 : set_file_write(*fd, &set));
    double took = processor_s() - start;
    profile_set_free(&set);
    profile_content_free(&content);
    return took;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The text and hash of each stack of each rank, sorted. */
static double collate_by_texts(const struct shape *shape)
{
    size_t count = 0, all = (size_t)shape->ranks * shape->stacks;
    uint64_t *hash = malloc(all * sizeof *hash);
    char text[SET_HASH_BYTES];
    struct profile_content content;
    check(hash == NULL ? -12 : 0);
    make_content(&content, shape, 0);
    double start = processor_s();
    for (uint32_t i = 0; i < shape->ranks; i++) {
        const struct call_tree *tree = &content.processes[i].tree;
        for (size_t j = 0; j < tree->children.count; j++) {
            size_t length = 0;
            for (size_t at = j; at != 0; at = tree->children.key[at].parent) {
                const char *function = name(NULL, NULL, tree->children.key[at].what);
                size_t size = strlen(function);
                memcpy(text + length, function, size);
                text[length + size] = '<';
                length += size + 1;
            }
            hash[count++] = stack_hash(text, length);
        }
    }
    qsort(hash, count, sizeof *hash, compare);
    double took = processor_s() - start;
    free(hash);
    profile_content_free(&content);
    return took;
}

int main(int argc, char **argv)
{
    struct shape shape = {32, 128, 3000};
    uint32_t *const numbers[] = {&shape.nodes, &shape.ranks, &shape.stacks};
    for (int i = 1; i < argc && i <= 3; i++)
        *numbers[i - 1] = (uint32_t)strtoul(argv[i], NULL, 10);
    int *fd = calloc(shape.nodes, sizeof *fd);
    double slowest = 0, sum = 0;
    check(fd == NULL || shape.stacks < 20 ? -22 : 0);
    for (uint32_t i = 0; i < shape.nodes; i++) {
        double took = collate_node(&shape, i, &fd[i]);
        sum += took;
        slowest = took > slowest ? took : slowest;
    }
    struct profile_set set, read;
    struct set_order order;
    double start = processor_s();
    check(profile_set_begin(&set));
    for (uint32_t i = 0; i < shape.nodes; i++) {
        check(set_file_read(fd[i], &read));
        check(profile_set_merge(&set, &read));
        close(fd[i]);
    }
    double merged = processor_s() - start;
    check(set_order_make(&set, &order));
    double across = processor_s() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%zu ranks, %zu stacks\n", set.rank_count, set.stacks.count);
    printf("node: %.3f s the slowest, %.3f s all\n", slowest, sum);
    printf("across nodes: %.3f s, of which %.3f s for ids\n", across, across - merged);
    printf("memory: %.0f MB at the most\n", (double)usage.ru_maxrss / 1024);
    double by_texts = collate_by_texts(&shape);
    printf("node by texts: %.3f s, %.1f times as long\n", by_texts, by_texts / slowest);
    set_order_free(&order);
    profile_set_free(&set);
    free(fd);
    return 0;
}
