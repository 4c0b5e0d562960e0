/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "contrib/profile/command/profile_forms.h"
#include "contrib/profile/command/profile_json.h"
#include "contrib/profile/rank_end.h"
#include "contrib/profile/set_order.h"
#include "contrib/profile/set_programs.h"
#include "contrib/profile/tick_scale.h"
#include "spank/journal.h"

void profile_json_int(struct json_object *table, const char *key, uint64_t value)
{
    json_object_object_add(table, key, json_object_new_uint64(value));
}

void profile_json_seconds(struct json_object *table, const char *key, uint64_t ns)
{
    json_object_object_add(table, key, json_object_new_double((double)ns / 1e9));
}

void profile_json_text(struct json_object *table, const char *key, const char *bytes)
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
        [PROFILE_WAY_EXITED] = "_exit",           [PROFILE_WAY_RUNS] = "outlived_job",
        [PROFILE_WAY_UNSEEN] = "unknown",         [PROFILE_WAY_SIGNALED] = "signal"};
    char signal[32];
    profile_json_text(table, "ended", words[rank->way < PROFILE_WAYS ? rank->way : 0]);
    if (rank->way == PROFILE_WAY_EXITED)
        profile_json_int(table, "exit_status", (uint64_t)WEXITSTATUS(rank->status));
    if (rank->way == PROFILE_WAY_SIGNALED)
        profile_json_text(table, "signal", rank_end_signal(WTERMSIG(rank->status), signal));
    json_object_object_add(table, "end_pid", json_object_new_int(rank->end_pid));
    add_seconds(table, "end_time_min", rank->end_min_ns);
    add_seconds(table, "end_time_max", rank->end_max_ns);
    add_seconds(table, "end_earlier_seconds_max", rank_end_early_ns(rank));
    add_seconds(table, "end_later_seconds_max", rank_end_late_ns(rank));
}

struct json_object *profile_json_rank(const struct profile_set *set,
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
    if (!has_ended) {
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

int profile_json_missing(const struct profile_set *set, const bool *is_taken, bool is_all,
                         struct json_object **missing)
{
    *missing = json_object_new_array();
    return is_all ? missing_ranks(set, is_taken, add_missing, *missing) : 0;
}

int profile_json_print(struct json_object *object)
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
