/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/routine_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "contrib/profile/log_notes.h"
#include "contrib/profile/numbers.h"
#include "contrib/profile/rank_end.h"
#include "contrib/profile/routine_summary.h"
#include "contrib/profile/set_order.h"

enum bytes_kind routine_bytes_kind(const char *name, uint64_t calls, uint64_t sized)
{
    static const char *const receives[] = {"mpi_recv",   "mpi_irecv",     "mpi_mrecv",
                                           "mpi_imrecv", "mpi_file_read", "mpi_file_iread"};
    bool is_receive = false;
    for (size_t i = 0; i < sizeof receives / sizeof receives[0]; i++)
        is_receive |= strncasecmp(name, receives[i], strlen(receives[i])) == 0;
    if (sized == 0 || (is_receive && sized < calls))
        return BYTES_NONE;
    return is_receive ? BYTES_AT_MOST : sized < calls ? BYTES_AT_LEAST : BYTES_EXACT;
}

bool routine_log_has_rows(const struct profile_set *set, const bool *is_taken)
{
    for (size_t i = 0; i < set->routine_count; i++)
        if (routine_is_shown(set, is_taken, i))
            return true;
    return false;
}

static void print_way(const struct profile_rank *rank, FILE *to)
{
    if (!rank_end_is_told(rank))
        return;
    fputs("; ", to);
    rank_end_print_way(rank, to);
    rank_end_print_bounds(rank, to);
}

/* The same of all, also those that were in none: the rank that was killed is often one of them. */
static int print_ends(const struct profile_set *set, const bool *is_taken,
                      const struct routine_summary *summary, FILE *to)
{
    CLEANUP_FREE bool *is_told = calloc(set->rank_count + 1, sizeof *is_told);
    if (is_told == NULL)
        return -ENOMEM;
    /* Where ranks were that did not come to their exit handlers: the call that was open. Sets
     * `is_told` of each. */
    for (size_t i = 0; i < set->routine_count; i++) {
        const struct profile_routine_entry *entry = &set->routines[i];
        char name[TERMINAL_WORD_SIZE];
        if (entry->open == 0 || !routine_is_shown(set, is_taken, i))
            continue;
        is_told[entry->rank] = true;
        fprintf(to, "# ");
        log_rank(&set->ranks[entry->rank], to);
        fprintf(to, ": was in %s since ", terminal_word(set->names.text[entry->name], name));
        rank_end_print_time(entry->open_since_ns, to);
        print_way(&set->ranks[entry->rank], to);
        putc('\n', to);
    }
    for (size_t i = 0; i < set->rank_count; i++) {
        const struct profile_rank *rank = &set->ranks[i];
        if (is_told[i] || (is_taken != NULL && !is_taken[i]) || !rank_end_is_told(rank))
            continue;
        fprintf(to, "# ");
        log_rank(rank, to);
        fputs(summary->ranks > 0 ? ": was outside of MPI" : ": was in no counted call", to);
        print_way(rank, to);
        putc('\n', to);
    }
    return 0;
}

/* Whether a routine of a designated library was counted. */
static bool has_calls(const struct routine_summary *summary)
{
    bool has_calls = false;
    for (size_t i = 0; i < summary->count; i++)
        has_calls |= !summary->routine[i].is_mpi && summary->routine[i].calls > 0;
    return has_calls;
}

/* What could not be counted, by name where it has one. Of designated libraries that nobody called
 * nothing is said: programs have addresses of their routines as well. */
static void print_missed(const struct routine_summary *summary, bool is_mpi, FILE *to)
{
    uint64_t missed = is_mpi ? summary->missed_mpi : summary->missed;
    size_t named = 0;
    if (missed == 0 || (!is_mpi && !has_calls(summary)))
        return;
    fprintf(to,
            "# %" PRIu64 " routine%s or object%s of %s could not be counted, times in %s too short",
            missed, plural_end(missed), plural_end(missed), is_mpi ? "MPI" : "designated libraries",
            is_mpi ? "it are" : "them are");
    for (size_t i = 0; i < summary->count && named <= ROUTINE_LOG_MISSED; i++) {
        const struct routine_sum *sum = &summary->routine[i];
        char name[TERMINAL_WORD_SIZE];
        if (!sum->is_missed || sum->is_mpi != is_mpi)
            continue;
        if (named++ < ROUTINE_LOG_MISSED)
            fprintf(to, "%s %s", named == 1 ? ":" : ",", terminal_word(sum->name, name));
        else
            fprintf(to, ", and others");
    }
    putc('\n', to);
}

static int print_head(const struct profile_set *set, const bool *is_taken, bool is_all,
                      const struct routine_summary *summary, FILE *to)
{
    int error = log_origins(set, is_taken, to);
    if (summary->ranks > 0)
        fprintf(to,
                "# %" PRIu32 " rank%s counted calls of MPI: %.6f s of %.6f s in it (%s%.2f %%)\n",
                summary->ranks, plural_end(summary->ranks), profile_seconds(summary->mpi_ns),
                profile_seconds(summary->run_ns), summary->missed_mpi > 0 ? "at least " : "",
                100 * summary->mpi_share);
    if (summary->ranks > 1)
        fprintf(to, "# most time outside of MPI: rank %" PRIu32 ", %.2f %% above the mean\n",
                profile_rank_number(&set->ranks[summary->most_rank]), summary->imbalance);
    if (summary->all_ranks > summary->ranks)
        fprintf(to,
                "# %" PRIu32 " rank%s counted calls of designated libraries alone, and ran for "
                "%.6f s\n",
                summary->all_ranks - summary->ranks,
                plural_end(summary->all_ranks - summary->ranks),
                profile_seconds(summary->all_ns - summary->run_ns));
    if (summary->all_ranks == 0)
        fprintf(to, "# no rank counted a call\n");
    if (summary->is_any_untimed)
        fprintf(to, "# some ranks have no times: the speed of their counter is not known\n");
    if (error == 0)
        error = profile_log_ends(set, is_taken, is_all, to);
    log_marks(set, is_taken, to);
    print_missed(summary, true, to);
    print_missed(summary, false, to);
    if (error == 0)
        error = print_ends(set, is_taken, summary, to);
    return error != 0 || !is_all ? error : missing_ranks(set, is_taken, profile_log_missing, to);
}

static void print_sum(const struct profile_set *set, const struct routine_summary *summary,
                      const struct routine_sum *sum, FILE *to)
{
    char name[TERMINAL_WORD_SIZE];
    uint64_t run_ns = sum->is_mpi ? summary->run_ns : summary->all_ns;
    double share = run_ns == 0 ? 0 : 100 * (double)sum->ns / (double)run_ns;
    fprintf(to, "%12" PRIu64 " %12.6f %7.2f %12.6f %12.6f %8" PRIu32 " %12.6f %6" PRIu32,
            sum->calls, profile_seconds(sum->ns), share, profile_seconds(sum->ns / sum->ranks),
            profile_seconds(sum->most_ns), profile_rank_number(&set->ranks[sum->most_rank]),
            profile_seconds(sum->largest_ns), sum->ranks);
    char text[32];
    static const char *const bounds[] = {"", "", ">=", "<="};
    enum bytes_kind kind = routine_bytes_kind(sum->name, sum->calls, sum->sized);
    snprintf(text, sizeof text, "%s%" PRIu64, bounds[kind], sum->bytes);
    fprintf(to, " %16s", kind == BYTES_NONE ? "-" : text);
    fprintf(to, " %s\n", terminal_word(sum->name, name));
}

int routine_log_text(const struct profile_set *set, const bool *is_taken, bool is_all, FILE *to)
{
    struct routine_summary summary;
    int error = routine_summary_make(set, is_taken, &summary);
    if (error != 0)
        return error;
    error = print_head(set, is_taken, is_all, &summary, to);
    fprintf(to, "%12s %12s %7s %12s %12s %8s %12s %6s %16s %s\n", "Calls", "Time/s", "%", "Mean/s",
            "Most/s", "on rank", "Largest/s", "Ranks", "Bytes", "Routine");
    for (size_t i = 0; i < summary.count && summary.routine[i].ranks > 0; i++)
        print_sum(set, &summary, &summary.routine[i], to);
    free(summary.routine);
    return error == 0 && ferror(to) ? -EIO : error;
}

/* ---- Logs of programs ------------------------------------------------------------------------ */

static int print_stacks(void *context, const bool *is_of)
{
    const struct program_logs *logs = context;
    struct profile_log log = *logs->log;
    log.is_taken = is_of;
    if (logs->is_all)
        return profile_log_text(&log, log.set->rank_count, logs->to);
    int error = 0;
    for (size_t i = 0; error == 0 && i < log.set->rank_count; i++)
        if (is_of[i])
            error = profile_log_text(&log, i, logs->to);
    return error;
}

static int print_routines(void *context, const bool *is_of)
{
    const struct program_logs *logs = context;
    return routine_log_text(logs->log->set, is_of, logs->is_all, logs->to);
}

int program_logs_print(struct program_logs *logs, const bool *is_taken, bool is_mpi, size_t *untold)
{
    set_programs_print(logs->programs, logs->to);
    int error = set_programs_each(logs->programs, is_taken, is_mpi ? print_routines : print_stacks,
                                  logs, untold);
    if (error == 0)
        set_programs_print_untold(*untold, logs->to);
    return error;
}
