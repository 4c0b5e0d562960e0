/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The facts of one MPI program in a profile record. A reader that runs as the job's user makes
 * them, and root checks whether they can be true.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/job/journal_read.h"
#include "submit/record/record.h"

enum {
    PROFILE_TOLD_PROGRAMS = 16,
    PROFILE_TOLD_ROUTINES = 16,
    PROFILE_TOLD_RUNS = 16,
    PROFILE_TOLD_NAME = 40
};

struct profile_told_routine {
    char name[PROFILE_TOLD_NAME]; /* letters, digits and _ */
    uint64_t calls, ns;
    uint64_t open; /* ranks that were in it at the end */
};

/* All ranks of the program that run one executable, and what is known of their time in MPI
 * (contrib/profile/routine_summary.h). */
struct profile_told {
    uint64_t program;    /* profile_rank.program; 0: ranks of which it is not known */
    uint64_t executable; /* stack_hash() of its path; 0: it is not known, or they have no program */
    uint64_t programs;   /* executables of programs in the file; the first ones are reported */
    uint64_t size;       /* ranks that the program has, on all nodes; 0: not known */
    uint64_t ranks;
    uint64_t mpi_ranks, mpi_calls;
    uint64_t mpi_ns, run_ns;
    uint64_t outside_most_ns; /* of one rank */
    uint64_t outside_rank;    /* its number */
    uint64_t missed;
    uint64_t is_untimed, is_open; /* 0 or 1 */
    uint64_t routine_count;
    struct profile_told_routine routines[PROFILE_TOLD_ROUTINES]; /* the most time first */
    uint64_t runs;                      /* that have a capture, and processes in these ranks */
    uint64_t mpi_runs;                  /* those that called MPI */
    uint8_t run[PROFILE_TOLD_RUNS][16]; /* the first of them; those that called MPI come first */
};

/* Whether a routine has it that is reported. */
bool profile_told_is_name(const char *name);

/* Whether a reader can have found that: more time in MPI than there was cannot be, for one. `count`
 * programs of one file. */
bool profile_told_is_sound(const struct profile_told *told, size_t count);

/* What a step's profile can tell at the most, as root knows. */
struct told_most {
    uint64_t ranks;  /* for which the file had room */
    uint64_t run_ns; /* that the threads can have run for which it had room, also where there are
                        more of them than processors */
};

/* `bytes`: of the job's file of profiles. `now_ns`: of the flush, since the Epoch. */
struct told_most told_most_of(const struct journal *journal, const struct journal_step *step,
                              uint64_t bytes, uint64_t now_ns);

/* Whether so many ranks can be, in `count` programs together. */
bool told_most_has_ranks(const struct told_most *most, const struct profile_told *told,
                         size_t count);

/* Takes out the time in MPI where it is more than threads can have had, or has more calls than
 * nanoseconds. Returns whether it did. */
bool told_most_cut(const struct told_most *most, struct profile_told *told);

/* ---- The record ------------------------------------------------------------------------------ */

/* A file of profiles that a node has kept of a step, as records:
 * profile.SYSHOST.DATE.USER.UUID.json, one for each executable of each MPI program of which it
 * has ranks. Its keys are in contrib/profile/profile_keys.def.
 *
 * Root alone writes such records, and says of which step the file is and where it lies. What it
 * tells of the file's content is what a reader has reported that runs as the job's user. */

struct profile_source {
    struct step_part part;
    const char *path;
    uint64_t bytes;
    uint64_t made_ns;                /* since the Epoch */
    const struct profile_told *told; /* NULL: the file is the whole step's, which was joined */
};

/* Builds the record, of what is sound. The same step, node, program and executable give the same
 * uuid. Returns 0, -ENOMEM, or -EIO as step_part_uuid(). record_free() releases `*record`. */
int profile_record_build(const struct profile_source *source, struct built_record *record);
