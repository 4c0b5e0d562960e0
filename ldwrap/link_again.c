/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_again.h"

#include <string.h>
#include <sys/wait.h>

#include "conf/base/monotonic.h"
#include "ldwrap/crash_handler.h"
#include "ldwrap/link_switches.h"

/* Well below the patience of crash_succeeds(), which leaves no record. */
enum { READING_MS = 15000 };

/* Runs the link as `job` now says, with no word of the linker's, which the user has had from the
 * first one. */
static bool run_again(const struct link_job *job, struct link_attempt *attempt)
{
    if (link_attempt(job, true, attempt) != 0)
        return false;
    if (run_link_is_ended(attempt->status))
        run_link_die(WTERMSIG(attempt->status));
    return WIFEXITED(attempt->status) && WEXITSTATUS(attempt->status) == 0;
}

static bool link_with_stubs(struct link_job *job, const struct link_stubs *stubs,
                            const struct strings *before)
{
    CLEANUP_ATTEMPT struct link_attempt attempt;
    CLEANUP_STRINGS struct strings after = {NULL, 0};
    job->stubs = stubs;
    bool is_done = run_again(job, &attempt) && link_attempt_files(job, &attempt, &after) == 0 &&
                   link_stubs_are_all(stubs, before, &after);
    job->stubs = NULL;
    return is_done;
}

static bool link_without_stubs(const struct link_job *job)
{
    CLEANUP_ATTEMPT struct link_attempt attempt;
    return run_again(job, &attempt);
}

static void trace_misses(const struct link_job *job, int error)
{
    const char *why = job->misses.archives > 0 ? job->misses.why : NULL;
    if (why == NULL && error != 0)
        why = strerror(-error);
    if (why != NULL)
        switch_trace("%s: calls of archives are not noted: %s", job->line.output, why);
}

bool link_again(struct link_job *job, const struct link_attempt *first)
{
    CLEANUP_STRINGS struct strings files = {NULL, 0};
    CLEANUP_STUBS struct link_stubs stubs = {.count = 0};
    const struct stubs_order of = {&job->conf, &job->arguments, &job->line, &files,
                                   monotonic_ms() + READING_MS};
    bool is_done = false;
    if (!link_stubs_are_wanted(&job->conf) || link_line_has_pipe(&job->arguments, true))
        return true;
    crash_succeeds();
    int error = link_attempt_files(job, first, &files);
    if (error == 0)
        error = link_stubs_make(&of, &stubs, &job->misses);
    crash_default();
    bool is_wanted = error == 0 && stubs.count > 0;
    if (is_wanted)
        is_done = link_with_stubs(job, &stubs, &files);
    if (is_wanted && !is_done)
        link_misses_add(&job->misses, stubs.count, "the linker does not take what we add");
    trace_misses(job, error);
    if (is_done)
        switch_trace("%s: calls of %zu archives are noted", job->line.output, stubs.count);
    return is_done || !is_wanted || link_without_stubs(job);
}
