/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/log_notes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "contrib/profile/numbers.h"
#include "spank/journal.h"

void log_rank(const struct profile_rank *rank, FILE *to)
{
    char node[TERMINAL_WORD_SIZE], step[16];
    fprintf(to, "rank %" PRIu32, profile_rank_number(rank));
    if (rank->size > 1)
        fprintf(to, " of %" PRIu32, rank->size);
    journal_step_text(rank->step, step, sizeof step);
    if (rank->step != UINT32_MAX)
        fprintf(to, ", step %s", step);
    fprintf(to, ", node %s, pid %" PRId32, terminal_word(rank->node, node), rank->pid);
}

enum { ORIGINS_MAX = 16, NODES_MAX = 4 };

static int compare_programs(const struct profile_rank *a, const struct profile_rank *b)
{
    int result = compare_numbers(a->job, b->job);
    if (result == 0)
        result = compare_numbers(a->step, b->step);
    return result != 0 ? result : compare_numbers(a->executable, b->executable);
}

static int by_program(const void *left, const void *right)
{
    const struct profile_rank *a = *(const struct profile_rank *const *)left;
    const struct profile_rank *b = *(const struct profile_rank *const *)right;
    int result = compare_programs(a, b);
    return result != 0 ? result : strcmp(a->node, b->node);
}

static void print_program(const struct profile_set *set, const struct profile_rank *const *rank,
                          size_t count, FILE *to)
{
    const struct profile_rank *one = rank[0];
    char word[TERMINAL_WORD_SIZE];
    fprintf(to, "# ");
    if (one->job != 0)
        fprintf(to, "job %" PRIu32 ", ", one->job);
    journal_step_text(one->step, word, sizeof word);
    fprintf(to, "step %s, ", word);
    fputs(one->executable == 0 ? "a program whose path is not known"
                               : terminal_word(set->names.text[one->executable - 1], word),
          to);
    fprintf(to, ": %zu rank%s", count, plural_end(count));
    /* The nodes of the `count` ranks of a program, which are in the order of their nodes. */
    char node[TERMINAL_WORD_SIZE];
    size_t nodes = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(rank[i]->node, rank[i - 1]->node) == 0)
            continue;
        if (nodes++ < NODES_MAX)
            fprintf(to, "%s%s", nodes == 1 ? " on " : ", ", terminal_word(rank[i]->node, node));
    }
    if (nodes > NODES_MAX)
        fprintf(to, " and %zu other node%s", nodes - NODES_MAX, plural_end(nodes - NODES_MAX));
    putc('\n', to);
}

int log_origins(const struct profile_set *set, const bool *is_taken, FILE *to)
{
    CLEANUP_FREE const struct profile_rank **sorted = calloc(set->rank_count + 1, sizeof *sorted);
    size_t count = 0, programs = 0;
    if (sorted == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++)
        if (is_taken == NULL || is_taken[i])
            sorted[count++] = &set->ranks[i];
    qsort(sorted, count, sizeof *sorted, by_program);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && compare_programs(sorted[i], sorted[next]) == 0;)
            next++;
        if (programs++ < ORIGINS_MAX)
            print_program(set, sorted + i, next - i, to);
    }
    if (programs > ORIGINS_MAX)
        fprintf(to, "# and %zu other program%s\n", programs - ORIGINS_MAX,
                plural_end(programs - ORIGINS_MAX));
    return 0;
}

static void print_mark(const struct profile_rank *rank, const char *what, FILE *to)
{
    fprintf(to, "# ");
    log_rank(rank, to);
    fprintf(to, ": %s\n", what);
}

void log_marks(const struct profile_set *set, const bool *is_taken, FILE *to)
{
    for (size_t i = 0; i < set->rank_count; i++) {
        const struct profile_rank *rank = &set->ranks[i];
        if (is_taken != NULL && !is_taken[i])
            continue;
        if ((rank->flags & PROFILE_RANK_CONFINED) != 0)
            print_mark(rank, "entered a sandbox: nothing after that is counted", to);
        if ((rank->flags & PROFILE_RANK_HOOKED) != 0)
            print_mark(rank, "has hooks of its own: it has no stacks", to);
    }
}
