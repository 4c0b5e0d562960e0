/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes a job's file of what the kernel reported (contrib/witness/job/kernel_notes.h): lines are
 * gathered and appended together.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/hash.h"
#include "contrib/witness/job/kernel_notes.h"
#include "contrib/witness/kernel_rings.h"

/* Files of a job that are distinguished, programs and objects, and sets of them; further ones are
 * unknown. */
enum { JOB_PROGRAMS_MAX = 16384, JOB_SETS_MAX = 16384 };

struct job_notes {
    int directory; /* the job's; the caller's */
    char *text;    /* owned: what is to be appended */
    size_t length;
    uint64_t size;                  /* of the file, with what is to be appended */
    uint64_t waiting;               /* processes in what is to be appended */
    uint64_t left, told;            /* processes without room; of these, that the file tells of */
    struct id_cache programs, sets; /* owned: their numbers */
};

/* Begins the file, or goes on with one that is there: what this listener hears, when it began, and
 * since when nobody had listened.
 * Returns 0 or -errno; job_notes_free() releases, without writing. */
int job_notes_begin(int directory, const struct kernel_listen *listen, struct job_notes *notes);
void job_notes_free(struct job_notes *notes);

/* The number of a program; 0 where there is no room for it. */
uint32_t job_notes_program(struct job_notes *notes, const struct kernel_event *event);

/* The number of a set of such numbers, in their order; 0 where there is no room for it. */
uint32_t job_notes_objects(struct job_notes *notes, const uint32_t *file, size_t count);

/* A process has ended. Returns whether there was room. */
bool job_notes_end(struct job_notes *notes, const struct kernel_note *note);

/* A program was replaced by another one. Where there is no room, there is none for the end of
 * its process. */
void job_notes_replaced(struct job_notes *notes, const struct kernel_note *note);

/* A process has had no room elsewhere. */
void job_notes_left(struct job_notes *notes);

/* A line of two numbers (kernel_notes.h), as of times since boot between which nobody listened. */
void job_notes_numbers(struct job_notes *notes, const char *verb, uint64_t first, uint64_t second);

void job_notes_lost(struct job_notes *notes, uint64_t from_ns, uint64_t to_ns, uint64_t count);

/* Appends what there is to write. Returns 0 or -errno: then it stays for the next time, if there is
 * not too much of it. */
int job_notes_write(struct job_notes *notes);
