/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The line `program` of the journal: which program a task is to run; and `loader` with `variable`:
 * where its loader looked for libraries. By them the flush finds out why a task left no capture.
 * The user chooses the text, so it is used for the coverage of this user's tasks and nothing else.
 */
#pragma once

#include <slurm/spank.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spank/journal_line.h"

/* In srun: tells program_line() which program its user named. */
void program_tell(spank_t spank);

/* Fills in the line `program` of the calling task, of the rank `rank` in its step. */
void program_line(spank_t spank, uint32_t rank, struct journal_line *line);

enum { PROGRAM_LOADER_TEXTS = 2 };

/* Where the loader of the step's tasks looked. */
struct program_loader {
    char *value[PROGRAM_LOADER_TEXTS]; /* owned: LD_LIBRARY_PATH and LD_PRELOAD; "": unset */
    bool is_long[PROGRAM_LOADER_TEXTS];
    uint32_t step;
    size_t next, at; /* of program_variable_line(): the text, and where its next piece begins */
};

/* Returns whether both are known: up to JOURNAL_VARIABLE_MAX bytes they are. In either case
 * program_loader_end() releases `*loader`. */
bool program_loader_start(spank_t spank, struct program_loader *loader);
void program_loader_end(struct program_loader *loader);

/* Adds to a line `loader` those that fit. */
void program_add_loader(struct program_loader *loader, struct journal_line *line);

/* Fills in the next line `variable` of those that did not fit. Returns false when there is none. */
bool program_variable_line(struct program_loader *loader, struct journal_line *line);
