/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Root's side of keeping profiles: a job's files below [profile] directory, one for each step, in a
 * directory of the user's uid, and records of each; beside these logs, and files with samples of
 * its ranks.
 */
#ifndef JOBTRAIL_KEPT_PROFILES_H
#define JOBTRAIL_KEPT_PROFILES_H

#include <limits.h>

#include "contrib/profile/flush/kept_file.h"
#include "contrib/profile/flush/profile_room.h"
#include "contrib/profile/record/profile_record.h"
#include "submit/flush/job_read.h"

struct kept_profiles {
    const struct flush_state *state;
    const struct journal *journal;
    int place; /* -1: not open */
    struct profile_room room;
    /* The file that is being written. */
    int fd; /* -1: none */
    enum kept_kind kind;
    char name[NAME_MAX + 1], unfinished[NAME_MAX + 1];
    struct journal_step others; /* stands for steps that the journal does not have */
    const struct journal_step *step;
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t told_count;
    uint64_t bytes;
    uint64_t left_out; /* files beside profiles for which there was no room */
    int untold; /* why a record of a file that is kept could not be made, -errno; 0: all were */
};

/* Returns 0 or -errno; kept_profiles_close() releases, in every case. */
int kept_profiles_open(const struct flush_state *state, const struct journal *journal,
                       struct kept_profiles *kept);

/* Hands the records over to the outbox; says where a file has none. Returns `error`. */
int kept_profiles_close(struct kept_profiles *kept, int error);

/* Begins the file of a step (NULL: of those that the journal does not have), of whose programs is
 * told, at most PROFILE_TOLD_PROGRAMS. Returns 0 or -errno. */
int kept_profile_begin(struct kept_profiles *kept, const struct journal_step *step,
                       const struct profile_told *told, size_t count);

/* Begins a file beside that step's: its summary, or the log or samples of a rank. None has a record
 * of its own. Returns 0 or -errno. */
int kept_profile_beside(struct kept_profiles *kept, enum kept_kind kind, uint32_t rank);

int kept_profile_write(struct kept_profiles *kept, const char *bytes, size_t size);

/* Gives the file, if one is open, to its user, and its name, and adds its records; with an `error`
 * of the caller removes it. Returns that, or its own, but not for a record, nor where there is no
 * room for a file beside a profile. */
int kept_profile_end(struct kept_profiles *kept, int error);

/* Adds the record of a file, of that name and size, to which those of the step's nodes were joined.
 */
void kept_profiles_tell_joined(struct kept_profiles *kept, const struct journal_step *step,
                               const char *name, uint64_t bytes);

#endif
