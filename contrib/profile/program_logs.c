/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/program_logs.h"

#include "contrib/profile/routine_log.h"

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
