/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a run ended, from what its process wrote into the ledger and what root wrote into the
 * journal.
 *
 *   fini       the process reached its exit handlers, or our handler of the signal that ended it;
 *              status known where Slurm waited for it, or from the handler
 *   exec       it replaced itself, at or before the start of the next capture of the same process,
 *              or the time that a successor without a capture stored, or that the kernel reported;
 *              or the process watch saw another program in its process, and no signal ended it
 *   task_exit  it was a task of Slurm's and wrote no end, or lived on after it: the journal has its
 *              wait status
 *   task_end   as task_exit, but it may have replaced itself before, by a program that leaves no
 *              capture (submit/flush/run_ending.h): a signal is the task's; an exit code is not
 *              claimed, and the end is not known
 *   step_end   it wrote no end, and its step is over: it ended at any time since it was last known
 *              to live, and before the job's epilog, or, where Slurm does not track processes by
 *              cgroups, before the flush found it gone
 *   epilog     as step_end, known only when the job's epilog ran; or it outlived the job: then its
 *              run in the job ends at that time
 *   reboot     as epilog, but the node was booted in between
 *   session    as step_end, outside of Slurm: known only when a later flush looked
 *   kernel     it wrote no end, or lived on after it, and Slurm did not wait for it: the kernel
 *              reported its end and its status to root (submit/job/kernel_noted.h)
 *
 * What the kernel reported says also the status of a run that wrote its end, and whether another
 * program replaced it unseen.
 *
 * The ledger's times are what its user says. An end more than a minute after the last moment at
 * which a process of the job can have lived is taken for that moment.
 *
 * Of step_end, epilog, reboot and session, except for what outlived its job, and of task_end
 * without a signal, the end is not known. There end_ns is the last time at which the run is known
 * to have lived, which is min_ns. So no time counts as run time that is only a bound.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "submit/evidence/ledger_read.h"
#include "submit/job/journal_read.h"
#include "submit/job/kernel_noted.h"
#include "submit/job/looks.h"

struct ending {
    const char *source; /* one of the words above */
    uint64_t end_ns;    /* since the Epoch; never before the start */
    uint64_t min_ns;    /* the true end is not before this; never before the start */
    uint64_t max_ns;    /* the true end is not after this; min_ns <= end_ns <= max_ns */
    uint64_t gone_ns;   /* of an end that nobody saw: by then it was over, by what root knows */
    uint64_t error_ns;  /* how far the true end may lie from end_ns, at the most */
    bool is_measured;   /* end_ns was, and the bounds are what clocks and Slurm may have been off;
                           else they are all that is known */
    bool outlived;      /* it still runs: what is reported is the end of its run in the job */
    int status;         /* as wait(2) gives it, where it is known */
    bool status_known;
    const struct journal_task *task; /* the process as Slurm's task; NULL: it was none */
    const struct kernel_noted *seen; /* what the kernel reported of its process, of which it was the
                                        last program: the evidence's; NULL: nothing, or not so */
    const struct kernel_note *used;  /* the same, where what it used is known as a whole */
};

/* What is known beside the capture. */
struct ending_evidence {
    const struct journal *journal; /* NULL: outside of Slurm */
    uint64_t
        next_ns; /* when the next program of its process began (succession.h); 0: there was none */
    uint64_t now_ns;      /* the end of a job whose epilog has not run and that no boot has ended */
    uint64_t replaced_ns; /* when another program replaced it, by the kernel; 0: it did not */
    const struct look *look;           /* what the process watch saw of it; NULL: nothing */
    const struct kernel_noted *kernel; /* what the kernel reported of its process; NULL: nothing */
    /* Whether its program may have replaced itself unseen; asked where it matters. NULL: it has
     * not. */
    bool (*is_replaceable)(const struct capture *capture);
    /* Whether the file that its process ran at its end is its program's; asked of a process that is
     * older than the witness, whose execs were not all heard. NULL: that is not known. */
    bool (*is_program)(const struct capture *capture, const struct kernel_note *note);
    bool has_not_started; /* the task ended before this program had begun */
};

/* How the run of a capture ended. */
struct ending ending_find(const struct capture *capture, const struct ending_evidence *evidence);
