/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/profile/routine_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "conf/base/terminal_text.h"
#include "submit/profile/log_origins.h"
#include "submit/profile/missing_ranks.h"
#include "submit/profile/profile_log.h"
#include "submit/profile/rank_end.h"
#include "submit/profile/routine_summary.h"

enum bytes_kind routine_bytes_kind(const char *name, uint64_t calls, uint64_t sized)
{
    static const char *const receives[] = {"MPI_Recv",  "MPI_Irecv",  "MPI_Mrecv",  "MPI_Imrecv",
                                           "mpi_recv_", "mpi_irecv_", "mpi_mrecv_", "mpi_imrecv_"};
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

static void print_time(uint64_t ns, FILE *to)
{
    time_t second = (time_t)(ns / 1000000000);
    struct tm parts;
    char text[64];
    if (localtime_r(&second, &parts) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts) > 0)
        fprintf(to, "%s.%03u", text, (unsigned)(ns / 1000000 % 1000));
}

/* Where ranks were that did not come to their exit handlers. */
static void print_open(const struct profile_set *set, const bool *is_taken, FILE *to)
{
    for (size_t i = 0; i < set->routine_count; i++) {
        const struct profile_routine_entry *entry = &set->routines[i];
        char name[TERMINAL_WORD_SIZE];
        if (entry->open == 0 || !routine_is_shown(set, is_taken, i))
            continue;
        fprintf(to, "# ");
        profile_log_rank(&set->ranks[entry->rank], to);
        fprintf(to, ": was in %s since ", terminal_word(set->names.text[entry->name], name));
        print_time(entry->open_since_ns, to);
        if (rank_end_is_told(&set->ranks[entry->rank])) {
            fputs("; ", to);
            rank_end_print_way(&set->ranks[entry->rank], to);
        }
        putc('\n', to);
    }
}

static void print_head(const struct profile_set *set, const bool *is_taken,
                       const struct routine_summary *summary, FILE *to)
{
    fprintf(to, "# %" PRIu32 " ranks counted calls of MPI: %.6f s of %.6f s in it (%.2f %%)\n",
            summary->ranks, profile_seconds(summary->mpi_ns), profile_seconds(summary->run_ns),
            100 * summary->mpi_share);
    if (summary->ranks > 1)
        fprintf(to, "# most time outside of MPI: rank %" PRIu32 ", %.2f %% above the mean\n",
                profile_rank_number(&set->ranks[summary->most_rank]), summary->imbalance);
    if (summary->is_untimed)
        fprintf(to, "# some ranks have no times: the speed of their counter is not known\n");
    profile_log_ends(set, is_taken, to);
    if (summary->missed > 0)
        fprintf(to,
                "# %" PRIu64 " routines or libraries could not be counted: times are too short\n",
                summary->missed);
    print_open(set, is_taken, to);
}

static void print_bytes(const struct routine_sum *sum, FILE *to)
{
    char text[32];
    static const char *const bounds[] = {"", "", ">=", "<="};
    enum bytes_kind kind = routine_bytes_kind(sum->name, sum->calls, sum->sized);
    snprintf(text, sizeof text, "%s%" PRIu64, bounds[kind], sum->bytes);
    fprintf(to, " %16s", kind == BYTES_NONE ? "-" : text);
}

static void print_sum(const struct profile_set *set, const struct routine_summary *summary,
                      const struct routine_sum *sum, FILE *to)
{
    char name[TERMINAL_WORD_SIZE];
    double share = summary->run_ns == 0 ? 0 : 100 * (double)sum->ns / (double)summary->run_ns;
    fprintf(to, "%12" PRIu64 " %12.6f %7.2f %12.6f %12.6f %8" PRIu32 " %12.6f %6" PRIu32,
            sum->calls, profile_seconds(sum->ns), share, profile_seconds(sum->ns / sum->ranks),
            profile_seconds(sum->most_ns), profile_rank_number(&set->ranks[sum->most_rank]),
            profile_seconds(sum->largest_ns), sum->ranks);
    print_bytes(sum, to);
    fprintf(to, " %s\n", terminal_word(sum->name, name));
}

int routine_log_text(const struct profile_set *set, const bool *is_taken, FILE *to)
{
    struct routine_summary summary;
    int error = routine_summary_make(set, is_taken, &summary);
    if (error != 0)
        return error;
    error = log_origins(set, is_taken, to);
    print_head(set, is_taken, &summary, to);
    if (error == 0 && is_taken == NULL)
        error = missing_ranks(set, profile_log_missing, to);
    fprintf(to, "%12s %12s %7s %12s %12s %8s %12s %6s %16s %s\n", "Calls", "Time/s", "%", "Mean/s",
            "Most/s", "on rank", "Largest/s", "Ranks", "Bytes", "Routine");
    for (size_t i = 0; i < summary.count; i++)
        print_sum(set, &summary, &summary.routine[i], to);
    free(summary.routine);
    return error == 0 && ferror(to) ? -EIO : error;
}
