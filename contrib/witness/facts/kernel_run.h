/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run that the kernel alone reported: the program did not have the library, as it is static or
 * set-user-id, or was started without LD_PRELOAD or in a container. Its capture is made of the
 * kernel's notes (contrib/witness/job/kernel_notes.h) and of the journal.
 */
#pragma once

#include <stdbool.h>

#include "contrib/witness/job/kernel_notes.h"
#include "submit/evidence/ledger_read.h"
#include "submit/job/journal_read.h"

/* Paths of objects of one run, in bytes: as many as a capture has room for. */
enum { KERNEL_RUN_OBJECTS = 1024, KERNEL_RUN_PATHS = 128 << 10, KERNEL_BUILD_ID_BYTES = 20 };

struct kernel_run_source {
    const void *policy; /* usable */
    const struct journal *journal;
    const struct kernel_notes *notes;
    bool is_host_skipped;
};

struct kernel_run {
    struct capture capture; /* points into what follows and into the notes: not to be moved */
    const struct journal_task *is_task; /* the process as Slurm's task; NULL: it is none */
    bool is_elsewhere; /* the file at its path is not known to be the one that it ran */
    bool is_marked;    /* that file is, and jobtrail-ld has linked it */
    struct capture_object object[KERNEL_RUN_OBJECTS];
    unsigned char id[KERNEL_RUN_OBJECTS + 1][KERNEL_BUILD_ID_BYTES];
};

/* The task of Slurm's whose own process this is; NULL: it is none. */
const struct journal_task *kernel_run_task(const struct journal *journal,
                                           const struct kernel_note *note);

/* The task that the process is, or descends from; NULL: that is not known, as where a parent has
 * not ended. */
const struct journal_task *kernel_run_task_above(const struct journal *journal,
                                                 const struct kernel_notes *notes,
                                                 const struct kernel_noted *noted);

/* Whether the user of its step said --jobtrail=no; where the step is not known, as of what is older
 * than the witness, whether that was said of any. */
bool kernel_run_has_opted_out(const struct journal *journal, const struct kernel_notes *notes,
                              const struct kernel_noted *noted);

/* Whether a process of the notes is such a run, and one that the site's rules track. The rules see
 * no arguments: the kernel tells none. Fills in all of `*run` then but for the objects. */
bool kernel_run_find(const struct kernel_run_source *source, const struct kernel_noted *noted,
                     struct kernel_run *run);

/* The uuid, which depends on the job, its node, the process and its program's start only, without
 * a look at files. Returns 0, or -EIO where none can be made. */
void kernel_run_name(const struct journal *journal, const struct kernel_note *note,
                     struct capture *capture);

/* That, the objects, as far as their paths have room, whether the file is the one, and its mark.
 * Looks at files: to be called as the job's user. Returns 0, or -EIO where no uuid can be made. */
int kernel_run_make(const struct kernel_run_source *source, const struct kernel_noted *noted,
                    struct kernel_run *run);

/* As of struct ending_evidence. To be called as the job's user. */
bool kernel_run_is_program(const struct capture *capture, const struct kernel_note *note);

/* Adds to the objects of a capture those that the kernel saw mapped by its process, and that it
 * does not tell of itself: of one that was killed, what it loaded later. The array is `run`'s. */
void kernel_run_add_objects(const struct kernel_notes *notes, const struct kernel_noted *noted,
                            struct kernel_run *run, struct capture *capture);
