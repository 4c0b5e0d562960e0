/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/command/profile_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "contrib/profile/command/profile_forms.h"
#include "contrib/profile/rank_end.h"
#include "contrib/profile/routine_log.h"
#include "contrib/profile/routine_summary.h"
#include "contrib/profile/set_order.h"
#include "contrib/profile/set_programs.h"
#include "contrib/profile/tick_scale.h"
#include "spank/journal.h"

static void profile_json_int(struct json_object *table, const char *key, uint64_t value)
{
    json_object_object_add(table, key, json_object_new_uint64(value));
}

static void profile_json_seconds(struct json_object *table, const char *key, uint64_t ns)
{
    json_object_object_add(table, key, json_object_new_double((double)ns / 1e9));
}

/* A name is bytes of a user's: it gets the reversible form of text.h. */
static void profile_json_text(struct json_object *table, const char *key, const char *bytes)
{
    size_t length = 0;
    CLEANUP_FREE char *text = text_from_bytes(bytes, bytes == NULL ? 0 : strlen(bytes), &length);
    if (text != NULL)
        json_object_object_add(table, key, json_object_new_string_len(text, (int)length));
}

static void add_path(struct json_object *table, const char *key, const struct profile_set *set,
                     uint32_t stack)
{
    CLEANUP_FREE char *path = profile_path(set, stack, '<');
    if (path != NULL)
        profile_json_text(table, key, path);
}

/* As other tools call it: "0", "batch". */
static void add_step(struct json_object *table, uint32_t step)
{
    char text[16];
    journal_step_text(step, text, sizeof text);
    profile_json_text(table, "step", text);
}

/* null where it is UINT64_MAX: not known. */
static void add_seconds(struct json_object *table, const char *key, uint64_t ns)
{
    if (ns == UINT64_MAX)
        json_object_object_add(table, key, NULL);
    else
        profile_json_seconds(table, key, ns);
}

static void add_end(struct json_object *table, const struct profile_rank *rank)
{
    static const char *const words[] = {
        [PROFILE_WAY_NONE] = "killed_or_running", [PROFILE_WAY_EXEC] = "exec",
        [PROFILE_WAY_EXITED] = "_exit",           [PROFILE_WAY_LEFT] = "exit",
        [PROFILE_WAY_RUNS] = "outlived_job",      [PROFILE_WAY_UNSEEN] = "unknown",
        [PROFILE_WAY_SIGNALED] = "signal",        [PROFILE_WAY_ABORTED] = "mpi_abort"};
    char signal[32];
    profile_json_text(table, "ended", words[rank->way < PROFILE_WAYS ? rank->way : 0]);
    bool is_by_itself = rank->way == PROFILE_WAY_LEFT || rank->way == PROFILE_WAY_ABORTED;
    if (rank->way == PROFILE_WAY_EXITED || (is_by_itself && rank->status >= 0))
        profile_json_int(table, "exit_status", (uint64_t)WEXITSTATUS(rank->status));
    if (rank->way == PROFILE_WAY_SIGNALED)
        profile_json_text(table, "signal", rank_end_signal(WTERMSIG(rank->status), signal));
    json_object_object_add(table, "end_pid", json_object_new_int(rank->end_pid));
    add_seconds(table, "end_time_min", rank->end_min_ns);
    add_seconds(table, "end_time_max", rank->end_max_ns);
    add_seconds(table, "end_earlier_seconds_max", rank_end_early_ns(rank));
    add_seconds(table, "end_later_seconds_max", rank_end_late_ns(rank));
}

/* What is known of a rank; the caller's. */
static struct json_object *profile_json_rank(const struct profile_set *set,
                                             const struct profile_rank *rank)
{
    struct json_object *table = json_object_new_object();
    char hash[SET_PROGRAM_HASH];
    if (rank->job != 0)
        profile_json_int(table, "job", rank->job);
    if (rank->step != UINT32_MAX) {
        add_step(table, rank->step);
        profile_json_int(table, "task", rank->task);
    }
    if (rank->executable != 0)
        profile_json_text(table, "program", set->names.text[rank->executable - 1]);
    if (rank->program != 0)
        profile_json_text(table, "program_hash", set_program_hash(rank, hash));
    profile_json_int(table, "rank", profile_rank_number(rank));
    profile_json_int(table, "size", rank->size);
    profile_json_text(table, "node", rank->node);
    json_object_object_add(table, "pid", json_object_new_int(rank->pid));
    profile_json_int(table, "processes", rank->processes);
    profile_json_int(table, "threads", rank->threads);
    bool has_ended = (rank->flags & PROFILE_RANK_ENDED) != 0;
    bool is_confined = (rank->flags & PROFILE_RANK_CONFINED) != 0;
    json_object_object_add(table, "reached_exit",
                           json_object_new_boolean(has_ended && !is_confined));
    json_object_object_add(table, "entered_sandbox", json_object_new_boolean(is_confined));
    json_object_object_add(table, "own_hooks",
                           json_object_new_boolean((rank->flags & PROFILE_RANK_HOOKED) != 0));
    json_object_object_add(table, "end_known",
                           json_object_new_boolean((rank->flags & PROFILE_RANK_END_KNOWN) != 0));
    json_object_object_add(table, "has_times",
                           json_object_new_boolean((rank->flags & PROFILE_RANK_UNTIMED) == 0));
    if (rank_end_is_told(rank)) {
        add_path(table, "was_in", set, rank->where);
        add_seconds(table, "was_in_seconds", rank_end_where_ns(rank));
        add_end(table, rank);
    }
    profile_json_int(table, "lost_calls", rank->lost_calls);
    profile_json_int(table, "dead_frames", rank->dead_frames);
    profile_json_int(table, "stray_exits", rank->stray_exits);
    profile_json_int(table, "clipped", rank->clipped);
    return table;
}

static struct json_object *row_object(const struct profile_log *log,
                                      const struct profile_rows *rows,
                                      const struct profile_row *row)
{
    const struct profile_set *set = log->set;
    struct json_object *table = json_object_new_object();
    char hash[17];
    profile_json_text(table, "function", set->names.text[set->stacks.key[row->stack].what]);
    profile_json_int(table, "calls", row->sum.calls);
    profile_json_seconds(table, "exclusive_seconds", row->sum.exclusive_ns);
    profile_json_seconds(table, "inclusive_seconds", row->sum.inclusive_ns);
    profile_json_seconds(table, "largest_seconds", row->sum.largest_ns);
    profile_json_seconds(table, "overhead_seconds", profile_overhead_ns(&row->sum));
    json_object_object_add(table, "counted_alone", json_object_new_boolean(row->sum.is_light));
    profile_json_int(table, "depth", row->sum.depth);
    if (rows->by_function)
        return table;
    profile_json_int(table, "ranks", row->sum.ranks);
    json_object_object_add(table, "imbalance_percent",
                           json_object_new_double(set_sum_imbalance(&row->sum, rows->ranks)));
    profile_json_int(table, "most_on_rank", profile_rank_number(&set->ranks[row->sum.most_rank]));
    profile_json_int(table, "id", log->order->id[row->stack]);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)set->hash[row->stack]);
    profile_json_text(table, "hash", hash);
    add_path(table, "stack", set, row->stack);
    return table;
}

static void add_missing(void *context, uint32_t step, uint32_t first, uint32_t last, uint32_t size)
{
    struct json_object *table = json_object_new_object();
    add_step(table, step);
    profile_json_int(table, "first", first);
    profile_json_int(table, "last", last);
    profile_json_int(table, "size", size);
    json_object_array_add(context, table);
}

static void add_missing_nodes(void *context, const struct missing_nodes *missing)
{
    struct json_object *table = json_object_new_object();
    add_step(table, missing->step);
    profile_json_int(table, "there", missing->there);
    profile_json_int(table, "nodes", missing->nodes);
    json_object_object_add(table, "ids_provisional", json_object_new_boolean(missing->is_awaited));
    json_object_array_add(context, table);
}

/* Sets `*missing` to the rows of ranks that left no profile, of the program of those for which
 * `is_taken` has true; none where they are a part of it (not `is_all`): the caller's, in every
 * case. Returns 0 or -ENOMEM. */
static int profile_json_missing(const struct profile_set *set, const bool *is_taken, bool is_all,
                                struct json_object **missing)
{
    *missing = json_object_new_array();
    return is_all ? missing_ranks(set, is_taken, add_missing, *missing) : 0;
}

/* Prints the object, and frees it. Returns 0 or -ENOMEM. */
static int profile_json_print(struct json_object *object)
{
    const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                                  JSON_C_TO_STRING_NOSLASHESCAPE);
    if (text != NULL)
        fputs(text, stdout);
    json_object_put(object);
    return text == NULL ? -ENOMEM : 0;
}

static int print_ranks(const struct profile_log *log, size_t one)
{
    const struct profile_set *set = log->set;
    const char *comma = "";
    int error = 0;
    for (size_t i = 0; error == 0 && i < set->rank_count; i++) {
        if (one < set->rank_count ? i != one : log->is_taken != NULL && !log->is_taken[i])
            continue;
        fputs(comma, stdout);
        comma = ",";
        error = profile_json_print(profile_json_rank(set, &set->ranks[i]));
    }
    return error;
}

/* What of the steps is not in the set. */
static int print_lacks(const struct profile_log *log, size_t rank)
{
    const struct profile_set *set = log->set;
    struct json_object *ranks = NULL, *nodes = json_object_new_array();
    int error = profile_json_missing(set, log->is_taken, rank >= set->rank_count, &ranks);
    if (error == 0)
        error = missing_nodes(set, tick_now().real_ns, add_missing_nodes, nodes);
    fputs(",\"missing\":", stdout);
    int printed = profile_json_print(ranks);
    fputs(",\"missing_nodes\":", stdout);
    int more = profile_json_print(nodes);
    return error != 0 ? error : printed != 0 ? printed : more;
}

int profile_log_json(const struct profile_log *log, size_t rank)
{
    const struct profile_set *set = log->set;
    struct profile_rows rows;
    int error = profile_log_rows(log, rank, &rows);
    if (error != 0)
        return error;
    fputs("{\"ranks\":[", stdout);
    error = print_ranks(log, rank);
    putchar(']');
    if (error == 0)
        error = print_lacks(log, rank);
    printf(",\"damaged\":%llu,\"seconds\":%.9f,\"rows\":[", (unsigned long long)set->damaged,
           (double)rows.exclusive_ns / 1e9);
    for (size_t i = 0; error == 0 && i < rows.count; i++) {
        if (i > 0)
            putchar(',');
        error = profile_json_print(row_object(log, &rows, &rows.row[i]));
    }
    fputs("]}\n", stdout);
    free(rows.row);
    return error;
}

/* ---- Time in MPI and in libraries ------------------------------------------------------------ */

void profile_routines_dump(const struct profile_set *set, const bool *is_taken)
{
    static const char *const kinds[] = {"unknown", "exact", "at_least", "at_most"};
    puts("step\ttask\trank\troutine\tcalls\tns\tlargest_ns\tbytes\tbytes_are\topen\topen_since_ns");
    for (size_t i = 0; i < set->routine_count; i++) {
        const struct profile_routine_entry *entry = &set->routines[i];
        const struct profile_rank *rank = &set->ranks[entry->rank];
        const char *name = set->names.text[entry->name];
        char word[TERMINAL_WORD_SIZE], step[16];
        if (!routine_is_shown(set, is_taken, i))
            continue;
        journal_step_text(rank->step, step, sizeof step);
        printf("%s\t%" PRIu32 "\t%" PRIu32 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
               "\t%s\t%" PRIu64 "\t%" PRIu64 "\n",
               step, rank->task, profile_rank_number(rank), terminal_word(name, word), entry->calls,
               entry->ns, entry->largest_ns, entry->bytes,
               kinds[routine_bytes_kind(name, entry->calls, entry->sized)], entry->open,
               entry->open_since_ns);
    }
}

static void add_numbers(struct json_object *table, const char *name, const uint64_t numbers[5])
{
    static const char *const kinds[] = {NULL, "exact", "at_least", "at_most"};
    enum bytes_kind kind = routine_bytes_kind(name, numbers[0], numbers[4]);
    profile_json_text(table, "routine", name);
    profile_json_int(table, "calls", numbers[0]);
    profile_json_seconds(table, "seconds", numbers[1]);
    profile_json_seconds(table, "largest_seconds", numbers[2]);
    if (kind == BYTES_NONE)
        return;
    profile_json_int(table, "bytes", numbers[3]);
    profile_json_text(table, "bytes_are", kinds[kind]);
}

static struct json_object *entry_object(const struct profile_set *set,
                                        const struct profile_routine_entry *entry)
{
    struct json_object *table = json_object_new_object();
    add_numbers(table, set->names.text[entry->name],
                (const uint64_t[5]){entry->calls, entry->ns, entry->largest_ns, entry->bytes,
                                    entry->sized});
    if (entry->open > 0) {
        profile_json_int(table, "open", entry->open);
        profile_json_seconds(table, "open_since", entry->open_since_ns);
    }
    return table;
}

static struct json_object *sum_object(const struct profile_set *set, const struct routine_sum *sum)
{
    struct json_object *table = json_object_new_object();
    add_numbers(table, sum->name,
                (const uint64_t[5]){sum->calls, sum->ns, sum->largest_ns, sum->bytes, sum->sized});
    json_object_object_add(table, "is_mpi", json_object_new_boolean(sum->is_mpi));
    profile_json_int(table, "ranks", sum->ranks);
    profile_json_int(table, "open_ranks", sum->open_ranks);
    profile_json_seconds(table, "most_seconds", sum->most_ns);
    profile_json_int(table, "most_on_rank", profile_rank_number(&set->ranks[sum->most_rank]));
    return table;
}

/* Their names, as many as are reported. */
static struct json_object *missed_array(const struct routine_summary *summary)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < summary->count; i++) {
        const struct routine_sum *sum = &summary->routine[i];
        if (!sum->is_missed || json_object_array_length(list) == (size_t)2 * ROUTINE_LOG_MISSED)
            continue;
        struct json_object *table = json_object_new_object();
        profile_json_text(table, "routine", sum->name);
        json_object_object_add(table, "is_mpi", json_object_new_boolean(sum->is_mpi));
        json_object_array_add(list, table);
    }
    return list;
}

static struct json_object *summary_object(const struct profile_set *set,
                                          const struct routine_summary *summary)
{
    struct json_object *table = json_object_new_object(), *list = json_object_new_array();
    profile_json_int(table, "ranks", summary->ranks);
    profile_json_int(table, "mpi_calls", summary->mpi_calls);
    profile_json_seconds(table, "mpi_seconds", summary->mpi_ns);
    profile_json_seconds(table, "run_seconds", summary->run_ns);
    json_object_object_add(table, "mpi_share", json_object_new_double(summary->mpi_share));
    if (summary->ranks > 1) {
        json_object_object_add(table, "imbalance_percent",
                               json_object_new_double(summary->imbalance));
        profile_json_int(table, "most_on_rank",
                         profile_rank_number(&set->ranks[summary->most_rank]));
    }
    profile_json_int(table, "all_ranks", summary->all_ranks);
    profile_json_seconds(table, "all_seconds", summary->all_ns);
    profile_json_int(table, "missed_mpi", summary->missed_mpi);
    profile_json_int(table, "missed", summary->missed);
    json_object_object_add(table, "missed_routines", missed_array(summary));
    json_object_object_add(table, "has_times", json_object_new_boolean(!summary->is_any_untimed));
    json_object_object_add(table, "end_known", json_object_new_boolean(!summary->is_any_open));
    for (size_t i = 0; i < summary->count && summary->routine[i].ranks > 0; i++)
        json_object_array_add(list, sum_object(set, &summary->routine[i]));
    json_object_object_add(table, "routines", list);
    return table;
}

/* The ranks that counted something, each with its routines. */
static struct json_object *ranks_array(const struct profile_set *set, const bool *is_taken)
{
    struct json_object *ranks = json_object_new_array(), *routines = NULL;
    uint32_t last = 0;
    for (size_t i = 0; i < set->routine_count; i++) {
        const struct profile_routine_entry *entry = &set->routines[i];
        if (!routine_is_shown(set, is_taken, i))
            continue;
        if (routines == NULL || entry->rank != last) {
            struct json_object *rank = profile_json_rank(set, &set->ranks[entry->rank]);
            routines = json_object_new_array();
            json_object_object_add(rank, "routines", routines);
            json_object_array_add(ranks, rank);
        }
        last = entry->rank;
        json_object_array_add(routines, entry_object(set, entry));
    }
    return ranks;
}

int profile_routines_json(const struct profile_set *set, const bool *is_taken, bool is_all)
{
    struct routine_summary summary;
    struct json_object *missing = NULL;
    int error = routine_summary_make(set, is_taken, &summary);
    if (error != 0)
        return error;
    struct json_object *table = summary_object(set, &summary);
    json_object_object_add(table, "by_rank", ranks_array(set, is_taken));
    error = profile_json_missing(set, is_taken, is_all, &missing);
    json_object_object_add(table, "missing", missing);
    profile_json_int(table, "damaged", set->damaged);
    int printed = profile_json_print(table);
    putchar('\n');
    free(summary.routine);
    return error != 0 ? error : printed;
}
