/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/record/profile_told.h"

#include <string.h>

#include "preload/profile/profile_file.h"

/* Clocks of the journal and of the flush. */
#define SLACK_NS UINT64_C(60000000000)

bool profile_told_is_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strnlen(name, PROFILE_TOLD_NAME);
    return length > 0 && length < PROFILE_TOLD_NAME && strspn(name, letters) == length;
}

static bool are_routines_sound(const struct profile_told *told)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < told->routine_count; i++) {
        const struct profile_told_routine *routine = &told->routines[i];
        if (!profile_told_is_name(routine->name) || routine->calls > told->mpi_calls ||
            routine->ns > told->mpi_ns - ns || routine->open > told->mpi_ranks)
            return false;
        ns += routine->ns;
    }
    return true;
}

static bool is_sound(const struct profile_told *told)
{
    return told->ranks <= UINT32_MAX && told->mpi_ranks <= told->ranks &&
           told->size <= UINT32_MAX && told->outside_rank <= UINT32_MAX && told->is_untimed <= 1 &&
           told->is_open <= 1 && told->routine_count <= PROFILE_TOLD_ROUTINES &&
           told->mpi_calls <= INT64_MAX && told->missed <= UINT32_MAX && told->runs <= UINT32_MAX &&
           told->mpi_runs <= told->runs && told->run_ns <= INT64_MAX &&
           told->mpi_ns <= told->run_ns && told->outside_most_ns <= told->run_ns &&
           are_routines_sound(told);
}

bool profile_told_is_sound(const struct profile_told *told, size_t count)
{
    if (count == 0 || count > PROFILE_TOLD_PROGRAMS)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_sound(&told[i]) || told[i].programs != told->programs || told[i].programs < count ||
            told[i].programs > UINT32_MAX)
            return false;
        for (size_t before = 0; before < i; before++)
            if (told[before].program == told[i].program &&
                told[before].executable == told[i].executable)
                return false;
    }
    return true;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* How long the step can have lasted on this node, also where the clock was set meanwhile. */
static uint64_t longest(const struct journal *journal, const struct journal_step *step,
                        uint64_t now_ns)
{
    int64_t set_ns = journal->is_clock_known ? journal->clock_step_ns : 0;
    uint64_t back_ns = set_ns < 0 ? (uint64_t)0 - (uint64_t)set_ns : 0;
    uint64_t span_ns = now_ns > step->start_ns ? now_ns - step->start_ns : 0;
    return __builtin_add_overflow(span_ns, back_ns + SLACK_NS, &span_ns) ? UINT64_MAX : span_ns;
}

struct told_most told_most_of(const struct journal *journal, const struct journal_step *step,
                              uint64_t bytes, uint64_t now_ns)
{
    uint64_t threads = bytes / PROFILE_PAGE; /* each that calls has a chunk, of a page at least */
    return (struct told_most){.ranks = bytes / PROFILE_PROCESS_BYTES,
                              .run_ns = product(longest(journal, step, now_ns), threads)};
}

bool told_most_has_ranks(const struct told_most *most, const struct profile_told *told,
                         size_t count)
{
    uint64_t left = most->ranks;
    for (size_t i = 0; i < count; i++) {
        if (told[i].ranks > left)
            return false;
        left -= told[i].ranks;
    }
    return true;
}

bool told_most_cut(const struct told_most *most, struct profile_told *told)
{
    const uint64_t calls = told->is_untimed ? most->run_ns : told->run_ns;
    if (told->run_ns <= most->run_ns && told->mpi_calls <= calls)
        return false;
    told->mpi_ranks = told->mpi_calls = told->mpi_ns = told->run_ns = 0;
    told->outside_most_ns = told->outside_rank = told->routine_count = 0;
    told->missed = told->is_untimed = told->is_open = 0;
    return true;
}
