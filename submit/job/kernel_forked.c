/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/kernel_forked.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "conf/base/cleanup.h"

/* Of a process: whose program forked it, by its place plus FIRST. */
enum { UNASKED, OF_NONE, FIRST };

/* What is older than the listener may have executed a program before. */
static bool executed_nothing(const struct kernel_note *note)
{
    return note->execs == 0 && (note->lack & KERNEL_LACK_START) == 0;
}

/* The place above `*at`, which executed nothing; or what `found` has of it. 0: go on from `*at`. */
static size_t step_up(const struct kernel_notes *notes, const size_t *found, size_t *at)
{
    const struct kernel_note *note = &notes->noted[*at].note;
    const struct kernel_noted *parent = kernel_notes_parent(notes, note);
    if (parent == NULL || parent->note.start_ns > note->start_ns)
        return OF_NONE;
    const size_t above = (size_t)(parent - notes->noted);
    if (executed_nothing(&parent->note)) {
        *at = above;
        return found[above];
    }
    const bool is_last = parent->note.execs > 0 && note->start_ns >= parent->note.exec_ns;
    return is_last ? above + FIRST : OF_NONE;
}

/* Whoever is on the way up has the same answer, so that each is asked once. */
static void find_owner(const struct kernel_notes *notes, size_t *found, size_t of)
{
    size_t at = of, owner = found[of];
    for (size_t i = 0; owner == UNASKED && i < notes->count; i++)
        owner = step_up(notes, found, &at);
    owner = owner == UNASKED ? OF_NONE : owner;
    for (at = of; found[at] == UNASKED;) {
        found[at] = owner;
        step_up(notes, found, &at);
    }
}

static void add(struct kernel_forked *forked, const struct kernel_note *note)
{
    forked->count++;
    forked->signaled += (note->lack & KERNEL_LACK_STATUS) == 0 && WIFSIGNALED(note->status);
    forked->run_ns += note->run_ns;
    forked->read_bytes += note->read_bytes;
    forked->write_bytes += note->write_bytes;
    if (note->peak_kib > forked->peak_kib)
        forked->peak_kib = note->peak_kib;
    forked->is_least |= (note->lack & KERNEL_LACK_USED) != 0;
}

int kernel_forked_add(struct kernel_notes *notes)
{
    const bool has_gaps =
        notes->lost > 0 || notes->left > 0 || notes->overruns > 0 || notes->bad_lines > 0;
    CLEANUP_FREE void *memory = calloc(notes->count + 1, sizeof(size_t));
    size_t *found = memory;
    if (found == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < notes->count; i++) {
        notes->noted[i].forked.is_least |= has_gaps;
        if (!executed_nothing(&notes->noted[i].note))
            continue;
        find_owner(notes, found, i);
        if (found[i] >= FIRST)
            add(&notes->noted[found[i] - FIRST].forked, &notes->noted[i].note);
    }
    return 0;
}
