/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/suspend_look.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/base/process.h"
#include "spank/journal_line.h"
#include "submit/job/spool_job.h"

enum job_seen { SEEN_NOTHING, SEEN_RUNNING, SEEN_SUSPENDED };

static bool is_roots(int32_t pid)
{
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", pid);
    return stat(path, &status) == 0 && status.st_uid == 0;
}

/* The processes of root's that this daemon has started. The kernel lists the children of each
 * thread (CONFIG_PROC_CHILDREN). */
static enum job_seen see_children(int32_t daemon)
{
    char path[NAME_MAX + 32], text[512], *rest;
    CLEANUP_LISTING DIR *threads = NULL;
    enum job_seen seen = SEEN_NOTHING;
    snprintf(path, sizeof path, "/proc/%d/task", daemon);
    listing_open(AT_FDCWD, path, &threads);
    for (const char *thread; (thread = listing_next(threads)) != NULL;) {
        snprintf(path, sizeof path, "%s/children", thread);
        io_read_text(dirfd(threads), path, text, sizeof text);
        for (char *word = strtok_r(text, " ", &rest); word != NULL;
             word = strtok_r(NULL, " ", &rest)) {
            int32_t child = (int32_t)strtol(word, NULL, 10);
            if (!is_roots(child))
                continue;
            if (!process_is_stopped(child))
                return SEEN_RUNNING;
            seen = SEEN_SUSPENDED;
        }
    }
    return seen;
}

static enum job_seen see_tasks(const struct journal *journal)
{
    enum job_seen seen = SEEN_NOTHING;
    for (size_t i = 0; i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        if (task->end_ns != 0 || task->pid <= 0 || !process_alive(task->pid, task->ticks))
            continue;
        if (journal->freezes ? !process_is_frozen(task->pid) : !process_is_stopped(task->pid))
            return SEEN_RUNNING;
        seen = SEEN_SUSPENDED;
    }
    return seen;
}

static int append_line(int directory, const char *verb, uint64_t since_ns)
{
    struct journal_line line;
    char text[32];
    snprintf(text, sizeof text, "%llu.%09llu", (unsigned long long)(since_ns / 1000000000u),
             (unsigned long long)(since_ns % 1000000000u));
    journal_start(&line, verb);
    journal_text(&line, "since", text);
    int error = journal_append(&line, directory);
    return error < 0 ? error : 0;
}

/* The job ran when the last look saw it running, and when it last appended to its journal. */
static int note_suspended(int directory, const struct journal *journal,
                          const struct suspension *last, uint64_t at_ns)
{
    const struct journal_pause *pause =
        journal->pause_count == 0 ? NULL : &journal->pauses[journal->pause_count - 1];
    uint64_t since_ns = journal->last_ns;
    if (!last->is_suspended && last->time_ns > since_ns)
        since_ns = last->time_ns;
    if (since_ns > at_ns) /* the clock was set back */
        since_ns = at_ns;
    bool is_possible = journal->pause_count < JOURNAL_PAUSES_MAX &&
                       (pause == NULL || pause->may_end_ns <= since_ns);
    return is_possible ? append_line(directory, "suspend", since_ns) : 0;
}

int suspend_look(int directory, const struct journal *journal)
{
    const struct journal_pause *pause =
        journal->pause_count == 0 ? NULL : &journal->pauses[journal->pause_count - 1];
    const struct suspension last = suspension_read(directory);
    bool is_noted = pause != NULL && pause->may_end_ns == UINT64_MAX;
    struct suspension found = {.time_ns = clock_ns(CLOCK_REALTIME)};
    const struct journal_step *step = journal_find_step(journal, JOURNAL_STEP_EXTERN);
    enum job_seen seen = SEEN_NOTHING;
    if (step != NULL && process_alive(step->pid, step->ticks))
        seen = see_children(step->pid);
    if (seen == SEEN_NOTHING)
        seen = see_tasks(journal);
    int error = 0;
    if (seen == SEEN_NOTHING)
        return 0;
    found.is_suspended = seen == SEEN_SUSPENDED;
    if (found.is_suspended && !is_noted)
        error = note_suspended(directory, journal, &last, found.time_ns);
    else if (!found.is_suspended && is_noted) {
        bool was_later = last.is_suspended && last.time_ns > pause->start_ns;
        uint64_t since_ns = was_later ? last.time_ns : pause->start_ns;
        if (since_ns <= found.time_ns)
            error = append_line(directory, "resume", since_ns);
    }
    return error != 0 ? error : suspension_write(directory, &found);
}
