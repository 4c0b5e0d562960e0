/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/profile_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/text.h"
#include "contrib/profile/log_notes.h"
#include "contrib/profile/numbers.h"
#include "contrib/profile/rank_end.h"
#include "contrib/profile/tick_scale.h"
#include "spank/journal.h"

uint64_t profile_overhead_ns(const struct set_sum *sum)
{
    uint64_t each = sum->is_light ? CALL_COST_LIGHT_NS : CALL_COST_TIMED_NS;
    return sum->calls > UINT64_MAX / each ? UINT64_MAX : sum->calls * each;
}

static const char *word(const struct profile_set *set, uint32_t stack, char *room)
{
    return terminal_word(set->names.text[set->stacks.key[stack].what], room);
}

/* Where a rank was that did not come to its exit handlers. */
static int print_end(const struct profile_set *set, const struct profile_rank *rank, FILE *to)
{
    if (!rank_end_is_told(rank))
        return 0;
    CLEANUP_FREE char *path = profile_path(set, rank->where, '<');
    if (path == NULL)
        return -ENOMEM;
    fprintf(to, "# ");
    log_rank(rank, to);
    fputs(": ", to);
    rank_end_print_way(rank, to);
    fprintf(to, "; was in %s", path);
    rank_end_print_duration(rank, to);
    putc('\n', to);
    return 0;
}

static void note_missing(void *context, uint32_t step, uint32_t first, uint32_t last, uint32_t size)
{
    bool *is_whole = context;
    (void)step, (void)first, (void)last, (void)size;
    *is_whole = false;
}

int profile_log_ends(const struct profile_set *set, const bool *is_taken, bool is_all, FILE *to)
{
    uint64_t ns;
    size_t first, open = rank_end_open(set, is_taken);
    char text[RANK_END_OPEN_TEXT];
    bool is_whole = is_all;
    int error = missing_ranks(set, is_taken, note_missing, &is_whole);
    if (error != 0)
        return error;
    if (rank_end_first(set, is_taken, &first, &ns)) {
        fprintf(to, "# ");
        log_rank(&set->ranks[first], to);
        fprintf(to, ", ended first%s: ", is_whole ? "" : " of those that are here");
        rank_end_print_way(&set->ranks[first], to);
        rank_end_print_bounds(&set->ranks[first], to);
        if (ns >= PROFILE_LEAST_NS)
            fprintf(to, ", at least %.6f s before the next one ended", profile_seconds(ns));
        putc('\n', to);
    }
    if (open > 0)
        fprintf(to, "# the %s (see ENDS in jobtrail-profile(1))\n", rank_end_open_text(open, text));
    return 0;
}

void profile_log_missing(void *context, uint32_t step, uint32_t first, uint32_t last, uint32_t size)
{
    FILE *to = context;
    fputs("# ", to);
    profile_print_missing(step, first, last, size, to);
}

void profile_print_missing(uint32_t step, uint32_t first, uint32_t last, uint32_t size, FILE *to)
{
    char name[16];
    journal_step_text(step, name, sizeof name);
    fprintf(to, "step %s: no profile of rank%s %" PRIu32, name, first == last ? "" : "s", first);
    if (last != first)
        fprintf(to, " to %" PRIu32, last);
    fprintf(to, " of %" PRIu32 "\n", size);
}

static void print_missing_nodes(void *context, const struct missing_nodes *missing)
{
    FILE *to = context;
    char step[16];
    journal_step_text(missing->step, step, sizeof step);
    fprintf(to, "# step %s: profiles of %" PRIu32 " of %" PRIu32 " nodes%s\n", step, missing->there,
            missing->nodes, missing->is_awaited ? "; ids are provisional" : "");
}

static void print_losses(const struct profile_set *set, const bool *is_taken, FILE *to)
{
    uint64_t lost = 0, dead = 0, stray = 0, clipped = 0, untimed = 0;
    for (size_t i = 0; i < set->rank_count; i++) {
        const struct profile_rank *rank = &set->ranks[i];
        if (is_taken != NULL && !is_taken[i])
            continue;
        lost += rank->lost_calls;
        dead += rank->dead_frames;
        stray += rank->stray_exits;
        clipped += rank->clipped;
        untimed += (rank->flags & PROFILE_RANK_UNTIMED) != 0;
    }
    if (lost > 0)
        fprintf(to, "# %" PRIu64 " call%s found no room, and %s not in the table\n", lost,
                plural_end(lost), plural(lost, "is", "are"));
    if (dead > 0)
        fprintf(to, "# %" PRIu64 " call%s left without %s exit\n", dead,
                plural(dead, " was", "s were"), plural(dead, "its", "their"));
    if (stray > 0)
        fprintf(to, "# %" PRIu64 " exit%s without a known call\n", stray,
                plural(stray, " was", "s were"));
    if (clipped > 0)
        fprintf(to, "# %" PRIu64 " stack%s had callees that took longer than %s: set to 0\n",
                clipped, plural_end(clipped), plural(clipped, "it", "they"));
    if (untimed > 0)
        fprintf(to, "# %" PRIu64 " rank%s no times: the speed of %s counter is not known\n",
                untimed, plural(untimed, " has", "s have"), plural(untimed, "its", "their"));
    if (set->damaged > 0)
        fprintf(to, "# %" PRIu64 " part%s of the files %s damaged, and left out\n", set->damaged,
                plural_end(set->damaged), plural(set->damaged, "is", "are"));
}

/* The number of ranks, and of their profiles that are different. */
static int print_count(const struct profile_set *set, const bool *is_taken, FILE *to)
{
    CLEANUP_FREE bool *is_seen = calloc(set->table_count + 1, sizeof *is_seen);
    size_t ranks = 0, tables = 0;
    if (is_seen == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++) {
        if (is_taken != NULL && !is_taken[i])
            continue;
        ranks++;
        tables += !is_seen[set->ranks[i].table];
        is_seen[set->ranks[i].table] = true;
    }
    fprintf(to, "# %zu rank%s, %zu different profile%s\n", ranks, plural_end(ranks), tables,
            plural_end(tables));
    return 0;
}

/* How and where the ranks of a program ended, and which are missing. */
static int print_ends(const struct profile_set *set, const bool *is_taken, FILE *to)
{
    int error = print_count(set, is_taken, to);
    for (size_t i = 0; error == 0 && i < set->rank_count; i++)
        if (is_taken == NULL || is_taken[i])
            error = print_end(set, &set->ranks[i], to);
    if (error == 0)
        error = profile_log_ends(set, is_taken, true, to);
    return error != 0 ? error : missing_ranks(set, is_taken, profile_log_missing, to);
}

/* The rank alone; the caller frees it. NULL: no memory. */
static bool *one_of(const struct profile_set *set, size_t rank)
{
    bool *is_taken = calloc(set->rank_count + 1, sizeof *is_taken);
    if (is_taken != NULL)
        is_taken[rank] = true;
    return is_taken;
}

static int print_head(const struct profile_log *log, const struct profile_rows *rows, size_t rank,
                      FILE *to)
{
    const struct profile_set *set = log->set;
    CLEANUP_FREE bool *is_one = one_of(set, rank);
    const bool *is_taken = rank < set->rank_count ? is_one : log->is_taken;
    int error = is_one == NULL ? -ENOMEM : log_origins(set, is_taken, to);
    if (error != 0)
        return error;
    if (rank < set->rank_count) {
        fprintf(to, "# ");
        log_rank(&set->ranks[rank], to);
        fprintf(to, ": %" PRIu64 " process%s, %" PRIu64 " thread%s\n", set->ranks[rank].processes,
                plural(set->ranks[rank].processes, "", "es"), set->ranks[rank].threads,
                plural_end(set->ranks[rank].threads));
        error = print_end(set, &set->ranks[rank], to);
    } else {
        error = print_ends(set, is_taken, to);
    }
    if (error == 0)
        error = missing_nodes(set, tick_now().real_ns, print_missing_nodes, to);
    log_marks(set, is_taken, to);
    print_losses(set, is_taken, to);
    fprintf(to, "# %.6f s in all, times of threads and processes added\n",
            profile_seconds(rows->exclusive_ns));
    return error;
}

/* With a blank before it. */
static void print_marked(const struct set_sum *sum, int digits, double value, FILE *to)
{
    char text[32];
    snprintf(text, sizeof text, "%s%.*f", sum->is_light ? PROFILE_LIGHT_MARK : "", digits, value);
    fprintf(to, digits == 2 ? " %7s" : " %12s", text);
}

void profile_print_seconds(const struct set_sum *sum, uint64_t ns, FILE *to)
{
    print_marked(sum, 6, profile_seconds(ns), to);
}

void profile_explain_mark(FILE *to)
{
    fprintf(to, "# " PROFILE_LIGHT_MARK
                " its short calls were counted and not timed: their time is in the caller's\n");
}

static int print_row(const struct profile_log *log, const struct profile_rows *rows,
                     const struct profile_row *row, bool has_imbalance, FILE *to)
{
    const struct profile_set *set = log->set;
    const struct set_sum *sum = &row->sum;
    char name[TERMINAL_WORD_SIZE], caller[TERMINAL_WORD_SIZE];
    double share =
        rows->exclusive_ns == 0 ? 0 : 100 * (double)sum->exclusive_ns / (double)rows->exclusive_ns;
    fprintf(to, "%12" PRIu64, sum->calls);
    profile_print_seconds(sum, sum->exclusive_ns, to);
    print_marked(sum, 2, share, to);
    profile_print_seconds(sum, sum->inclusive_ns, to);
    profile_print_seconds(sum, sum->largest_ns, to);
    fprintf(to, " %11.6f", profile_seconds(profile_overhead_ns(sum)));
    if (has_imbalance)
        fprintf(to, " %12.2f %8" PRIu32, set_sum_imbalance(sum, rows->ranks),
                profile_rank_number(&set->ranks[sum->most_rank]));
    fprintf(to, "  %-20s %-20s", word(set, row->stack, name),
            word(set, set->stacks.key[row->stack].parent, caller));
    if (!rows->by_function) {
        CLEANUP_FREE char *path = profile_path(set, row->stack, '<');
        if (path == NULL)
            return -ENOMEM;
        fprintf(to, " %8" PRIu32 " %s", log->order->id[row->stack], path);
    }
    if (sum->depth > 1)
        fprintf(to, " (%" PRIu32 " deep)", sum->depth);
    putc('\n', to);
    return ferror(to) ? -EIO : 0;
}

/* What marks in the rows say, and that there are none. */
static void print_foot(const struct profile_rows *rows, FILE *to)
{
    bool is_light = false;
    for (size_t i = 0; i < rows->count; i++)
        is_light |= rows->row[i].sum.is_light;
    if (is_light)
        profile_explain_mark(to);
    if (rows->count == 0)
        fprintf(to, "# no call of a function that was built with -finstrument-functions\n");
}

int profile_log_rows(const struct profile_log *log, size_t rank, struct profile_rows *rows)
{
    const struct profile_set *set = log->set;
    CLEANUP_FREE bool *is_taken = one_of(set, rank);
    if (is_taken == NULL)
        return -ENOMEM;
    return profile_rows_make(set, log->order->id, rank < set->rank_count ? is_taken : log->is_taken,
                             log->by_function, log->sort, rows);
}

int profile_log_text(const struct profile_log *log, size_t rank, FILE *to)
{
    struct profile_rows rows;
    bool has_imbalance = rank >= log->set->rank_count && !log->by_function;
    int error = profile_log_rows(log, rank, &rows);
    if (error != 0)
        return error;
    error = print_head(log, &rows, rank, to);
    fprintf(to, "%12s %12s %7s %12s %12s %11s", "Calls", "Exclusive/s", "%", "Inclusive/s",
            "Largest/s", "Overhead/s");
    if (has_imbalance)
        fprintf(to, " %12s %8s", "Imbalance/%", "on rank");
    fprintf(to, "  %-20s %-20s", "Function", "Caller");
    fprintf(to, log->by_function ? "\n" : " %8s %s\n", "ID", "Stack");
    for (size_t i = 0; error == 0 && i < rows.count; i++)
        error = print_row(log, &rows, &rows.row[i], has_imbalance, to);
    print_foot(&rows, to);
    free(rows.row);
    return error;
}

/* Of deeper stacks so many names are printed: the texts of a deep recursion's stacks would
 * otherwise be as long as the square of its depth. */
enum { NAMES_MAX = 256 };

/* The stacks from this one outwards: `*count` of them, at most `most`, which the caller frees. */
static uint32_t *chain_of(const struct profile_set *set, uint32_t stack, size_t most, size_t *count)
{
    uint32_t *chain = NULL;
    *count = 0;
    for (;; stack = set->stacks.key[stack].parent) {
        if (GROW(chain, *count) != 0) {
            free(chain);
            return NULL;
        }
        chain[(*count)++] = stack;
        if (stack == PROFILE_SET_INIT || *count == most)
            return chain;
    }
}

char *profile_path(const struct profile_set *set, uint32_t stack, char separator)
{
    size_t count, length = 0, room = 0;
    char *text = NULL;
    bool is_outwards = separator == '<';
    CLEANUP_FREE uint32_t *chain =
        chain_of(set, stack, is_outwards ? NAMES_MAX + 1 : SIZE_MAX, &count);
    for (size_t i = 0; chain != NULL && i < count && i <= NAMES_MAX; i++) {
        char word[TERMINAL_WORD_SIZE] = "...";
        uint32_t at = chain[is_outwards ? i : count - 1 - i];
        if (i < NAMES_MAX)
            terminal_word(set->names.text[set->stacks.key[at].what], word);
        size_t size = strlen(word);
        if (GROW_TO(text, room, length + size + 2) != 0) {
            free(text);
            return NULL;
        }
        if (i > 0)
            text[length++] = separator;
        for (size_t j = 0; !is_outwards && j < size; j++)
            if (word[j] == separator || word[j] == ' ') /* for which a name has no place */
                word[j] = '_';
        memcpy(text + length, word, size + 1);
        length += size;
    }
    return text;
}
