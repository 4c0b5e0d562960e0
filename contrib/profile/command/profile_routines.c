/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/command/profile_routines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/base/terminal_text.h"
#include "contrib/profile/command/profile_json.h"
#include "contrib/profile/routine_log.h"
#include "contrib/profile/routine_summary.h"
#include "spank/journal.h"

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

/* Their names, as many as are told. */
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
