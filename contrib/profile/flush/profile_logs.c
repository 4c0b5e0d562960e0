/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/profile_logs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "contrib/profile/profile_log.h"
#include "contrib/profile/routine_log.h"
#include "contrib/profile/set_programs.h"

/* A text that gets no longer than `most` bytes: what is printed follows what users have written. */
struct bounded_text {
    char *text; /* owned */
    size_t size, room;
    uint64_t most;
    bool is_full;
};

static ssize_t add_text(void *context, const char *bytes, size_t size)
{
    struct bounded_text *text = context;
    text->is_full |= size > text->most - text->size;
    if (text->is_full || GROW_TO(text->text, text->room, text->size + size) != 0)
        return 0;
    memcpy(text->text + text->size, bytes, size);
    text->size += size;
    return (ssize_t)size;
}

/* What is printed of a set, program by program. */
struct printing {
    const struct profile_log *log;
    const struct set_programs *programs;
    FILE *to;
    bool is_all; /* else the ranks one by one */
};

static int print_stacks(void *context, const bool *is_of)
{
    const struct printing *printing = context;
    struct profile_log log = *printing->log;
    log.is_taken = is_of;
    int error = printing->is_all ? profile_log_text(&log, log.set->rank_count, printing->to) : 0;
    for (size_t i = 0; !printing->is_all && error == 0 && i < log.set->rank_count; i++)
        if (is_of[i])
            error = profile_log_text(&log, i, printing->to);
    return error;
}

static int print_routines(void *context, const bool *is_of)
{
    const struct printing *printing = context;
    return routine_log_text(printing->log->set, is_of, printing->is_all, printing->to);
}

static int print_each(struct printing *printing, const bool *is_taken,
                      int (*print)(void *context, const bool *is_of))
{
    size_t untold = 0;
    set_programs_print(printing->programs, printing->to);
    int error = set_programs_each(printing->programs, is_taken, print, printing, &untold);
    set_programs_print_untold(untold, printing->to);
    return error;
}

/* As `jobtrail-profile show` does it, and `show --mpi` where calls of routines were counted. */
static int print_log(struct printing *printing, const bool *is_taken)
{
    int error = print_each(printing, is_taken, print_stacks);
    if (error == 0 && routine_log_has_rows(printing->log->set, is_taken))
        error = print_each(printing, is_taken, print_routines);
    return error;
}

/* `is_taken` NULL: the summary. */
static int send_log(const struct profile_log *log, const struct set_programs *programs,
                    const bool *is_taken, uint64_t unit, struct profile_sending *sending)
{
    struct bounded_text text = {.most = profile_send_room(sending)};
    FILE *to = fopencookie(&text, "w", (cookie_io_functions_t){.write = add_text});
    if (to == NULL)
        return -ENOMEM;
    struct printing printing = {log, programs, to, is_taken == NULL};
    int error = print_log(&printing, is_taken);
    if (fclose(to) != 0 && error == 0)
        error = -ENOMEM;
    if (text.is_full)
        error = 0;
    else if (error == 0)
        error = profile_send_file(sending, unit, text.text, text.size);
    free(text.text);
    return error;
}

static int send_ranks(const struct profile_log *log, const struct set_programs *programs,
                      const struct ranks_wanted *wanted, uint32_t step,
                      struct profile_sending *sending)
{
    const struct profile_set *set = log->set;
    size_t *order_at = NULL;
    int error = profile_set_rank_order(set, &order_at);
    CLEANUP_FREE size_t *order = order_at;
    CLEANUP_FREE bool *is_taken = calloc(set->rank_count + 1, sizeof *is_taken);
    if (error != 0 || is_taken == NULL)
        return -ENOMEM;
    for (size_t i = 0, next; error == 0 && i < set->rank_count; i = next) {
        uint32_t number = profile_rank_number(&set->ranks[order[i]]);
        for (next = i;
             next < set->rank_count && profile_rank_number(&set->ranks[order[next]]) == number;
             next++)
            is_taken[order[next]] = true;
        if (number < PROFILE_UNIT_RANKS && ranks_wanted_has(wanted, number))
            error =
                send_log(log, programs, is_taken, PROFILE_UNIT(step, KEPT_LOG, number), sending);
        for (size_t j = i; j < next; j++)
            is_taken[order[j]] = false;
    }
    return error;
}

int profile_logs_send(struct profile_set *set, const struct ranks_wanted *wanted, uint32_t step,
                      struct profile_sending *sending)
{
    struct set_order order;
    struct set_programs programs;
    if (strcmp(wanted->site, "none") == 0)
        return 0;
    int error = set_order_make(set, &order);
    int unfound = set_programs_find(set, &programs);
    const struct profile_log log = {set, &order, SORT_EXCLUSIVE, false, NULL};
    if (error == 0)
        error = unfound;
    if (error == 0)
        error = send_log(&log, &programs, NULL, PROFILE_UNIT(step, KEPT_SUMMARY, 0), sending);
    if (error == 0)
        error = send_ranks(&log, &programs, wanted, step, sending);
    set_programs_free(&programs);
    set_order_free(&order);
    return error;
}
