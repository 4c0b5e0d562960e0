/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/set_programs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "contrib/profile/numbers.h"

enum { PROGRAMS_MAX = 64 }; /* in a line */

int set_program_compare(const struct profile_rank *a, const struct profile_rank *b)
{
    int result = compare_numbers(a->job, b->job);
    if (result == 0)
        result = compare_numbers(a->program, b->program);
    if (result == 0)
        result = compare_numbers(a->size > 1, b->size > 1);
    if (result != 0 || a->program != 0)
        return result;
    result = compare_numbers(a->step, b->step);
    return result != 0 || a->size > 1 ? result : compare_numbers(a->executable, b->executable);
}

static int by_program(const void *left, const void *right)
{
    const struct profile_rank *a = *(const struct profile_rank *const *)left;
    const struct profile_rank *b = *(const struct profile_rank *const *)right;
    int result = set_program_compare(a, b);
    return result != 0 ? result : (a > b) - (a < b);
}

int set_programs_find(const struct profile_set *set, struct set_programs *programs)
{
    size_t count = set->rank_count;
    CLEANUP_FREE const struct profile_rank **sorted = calloc(count + 1, sizeof *sorted);
    *programs = (struct set_programs){.set = set,
                                      .first = calloc(count + 1, sizeof(size_t)),
                                      .next = calloc(count + 1, sizeof(size_t))};
    if (sorted == NULL || programs->first == NULL || programs->next == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &set->ranks[i];
    qsort(sorted, count, sizeof *sorted, by_program);
    for (size_t i = 0, first = 0; i < count; i++) {
        size_t rank = (size_t)(sorted[i] - set->ranks);
        programs->next[rank] = count;
        if (i > 0 && set_program_compare(sorted[i - 1], sorted[i]) == 0) {
            programs->next[sorted[i - 1] - set->ranks] = rank;
        } else {
            first = rank;
            programs->count++;
        }
        programs->first[rank] = first;
    }
    return 0;
}

void set_programs_free(struct set_programs *programs)
{
    free(programs->first);
    free(programs->next);
    *programs = (struct set_programs){.count = 0};
}

const char *set_program_hash(const struct profile_rank *rank, char room[SET_PROGRAM_HASH])
{
    if (rank->program == 0)
        return "-";
    snprintf(room, SET_PROGRAM_HASH, "%016" PRIx64, rank->program);
    return room;
}

static const char *path_of(const struct profile_set *set, const struct profile_rank *rank)
{
    return rank->executable == 0 ? "-" : set->names.text[rank->executable - 1];
}

/* The name of the rank's executable, without its path; "-": it is not known. */
static const char *set_program_name(const struct profile_set *set, const struct profile_rank *rank)
{
    return basename(path_of(set, rank));
}

void set_programs_print(const struct set_programs *programs, FILE *to)
{
    const struct profile_set *set = programs->set;
    size_t printed = 0;
    if (programs->count < 2)
        return;
    for (size_t i = 0; i < set->rank_count && printed < PROGRAMS_MAX; i++) {
        char hash[SET_PROGRAM_HASH], name[TERMINAL_WORD_SIZE];
        if (programs->first[i] == i)
            fprintf(to, "%s%s %s", printed++ == 0 ? "# programs: " : ", ",
                    set_program_hash(&set->ranks[i], hash),
                    terminal_word(set_program_name(set, &set->ranks[i]), name));
    }
    if (programs->count > printed)
        fprintf(to, " and %zu other%s", programs->count - printed,
                plural_end(programs->count - printed));
    putc('\n', to);
}

/* Whether ranks of the program are taken, of which `first` is the first one; sets `is_of` of
 * these. */
static bool take(const struct set_programs *programs, size_t first, const bool *is_taken,
                 bool *is_of)
{
    bool is_any = false;
    for (size_t i = first; i < programs->set->rank_count; i = programs->next[i]) {
        is_of[i] = is_taken == NULL || is_taken[i];
        is_any |= is_of[i];
    }
    return is_any;
}

int set_programs_each(const struct set_programs *programs, const bool *is_taken,
                      int (*tell)(void *context, const bool *is_of), void *context, size_t *untold)
{
    size_t count = programs->set->rank_count, found = 0;
    CLEANUP_FREE bool *is_of = calloc(count + 1, sizeof *is_of);
    int error = is_of == NULL ? -ENOMEM : count == 0 ? tell(context, is_of) : 0;
    for (size_t i = 0; error == 0 && i < count; i++) {
        if (programs->first[i] != i)
            continue;
        if (take(programs, i, is_taken, is_of) && found++ < SET_PROGRAMS_TOLD)
            error = tell(context, is_of);
        for (size_t j = i; j < count; j = programs->next[j])
            is_of[j] = false;
    }
    *untold = found > SET_PROGRAMS_TOLD ? found - SET_PROGRAMS_TOLD : 0;
    return error;
}

void set_programs_print_untold(size_t untold, FILE *to)
{
    if (untold > 0)
        fprintf(to, "# %zu other program%s no log here: --program NAME chooses one\n", untold,
                plural(untold, " has", "s have"));
}

int set_programs_count(const struct set_programs *programs, const bool *is_taken, size_t *count)
{
    CLEANUP_FREE bool *is_of = calloc(programs->set->rank_count + 1, sizeof *is_of);
    *count = 0;
    if (is_of == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < programs->set->rank_count; i++)
        *count += programs->first[i] == i && take(programs, i, is_taken, is_of);
    return 0;
}

bool set_programs_choose(const struct set_programs *programs, const char *word, bool *is_of)
{
    const struct profile_set *set = programs->set;
    bool is_there = false;
    for (size_t i = 0; i < set->rank_count; i++) {
        const struct profile_rank *rank = &set->ranks[i];
        char hash[SET_PROGRAM_HASH];
        if (strcmp(word, set_program_hash(rank, hash)) == 0 ||
            (rank->executable != 0 && (strcmp(word, set_program_name(set, rank)) == 0 ||
                                       strcmp(word, path_of(set, rank)) == 0)))
            is_of[programs->first[i]] = is_there = true;
    }
    for (size_t i = 0; i < set->rank_count; i++)
        is_of[i] = is_of[programs->first[i]];
    return is_there;
}
