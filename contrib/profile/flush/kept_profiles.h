/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Root's side of keeping profiles: what a child sends of them (profile_steps.h) becomes files below
 * [profile] directory, in a directory of the user's uid, and a set of a step has records. Beside a
 * step's set may be its summary, and logs and samples of its ranks.
 */
#pragma once

#include <limits.h>
#include <time.h>

#include "conf/base/worker.h"
#include "contrib/profile/record/profile_told.h"
#include "submit/flush/job_read.h"

/* What is kept of a step. */
enum kept_kind { KEPT_SET, KEPT_SUMMARY, KEPT_LOG, KEPT_SAMPLES };

#define KEPT_SET_ENDING ".profile"

/* Each file is a unit of the child's work; of those of a step the set comes first. Steps that the
 * journal does not have are the last one together, UINT32_MAX. */
#define KEPT_UNIT_SET(step)         (((uint64_t)(step) + 1) << 31)
#define KEPT_UNIT(step, kind, rank) (KEPT_UNIT_SET(step) + ((uint64_t)(kind) << 29) + (rank))

/* Only so many ranks have files of their own, and samples of so many programs that a step ran one
 * after another: unit `rank * KEPT_UNIT_PROGRAMS + program`. */
#define KEPT_UNIT_PROGRAMS UINT32_C(512)
#define KEPT_UNIT_RANKS    ((UINT32_C(1) << 29) / KEPT_UNIT_PROGRAMS)

/* How much of a user's profiles is kept: [profile] user_size bytes. A new file takes the place of
 * the user's oldest ones. */
struct profile_room {
    int place; /* the user's directory; the caller's */
    uint64_t most, bytes;
    struct kept_name {
        char *name; /* owned */
        struct timespec made;
        uid_t uid;
        uint64_t bytes;
    } * names;          /* owned: the oldest first */
    size_t count, next; /* those from `next` on are there */
};

/* Counts the files of the directory open at `place`. Returns 0 or -errno; profile_room_free()
 * releases, in every case. */
int profile_room_count(int place, uint64_t most, struct profile_room *room);
void profile_room_free(struct profile_room *room);

/* Removes the oldest files until one more of so many bytes, that is about to get this name, fits.
 * Returns 0; -EFBIG where it does not fit beside those made since the count; or -errno. */
int profile_room_make(struct profile_room *room, const char *name, uint64_t bytes);

struct kept_profiles {
    const struct flush_state *state;
    const struct journal *journal;
    int place; /* -1: not open */
    struct profile_room room;
    uint64_t left_out; /* files beside sets for which there was no room */
    int untold;        /* why a record of a file that is kept could not be made, -errno */

    /* Of one child. */
    const struct journal_step *joined; /* the step whose nodes' files it joins; NULL: none */
    uint64_t most, bytes, files;       /* that it may send; that it has sent */
    uint64_t unit;                     /* 0: none has been begun */
    char last[8];                      /* its last message, a word */
    int error;                         /* of root's own work */

    /* The file that is being written. */
    int fd; /* -1: none */
    enum kept_kind kind;
    char name[NAME_MAX + 1], unfinished[NAME_MAX + 1];
    struct journal_step others; /* stands for steps that the journal does not have */
    const struct journal_step *step;
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t told_count;
    uint64_t size;
};

/* Returns 0 or -errno; kept_profiles_close() releases, in every case. */
int kept_profiles_open(const struct flush_state *state, const struct journal *journal,
                       struct kept_profiles *kept);

/* Hands the records over to the outbox; says where a file has none. Returns `error`. */
int kept_profiles_close(struct kept_profiles *kept, int error);

/* The next child may send so many bytes: files of the node, or of a step that it joins, whose logs
 * may have [profile] size more. */
void kept_profiles_begin(struct kept_profiles *kept, const struct journal_step *joined,
                         uint64_t most);

/* Takes a message of the child. Nothing in it is believed that cannot be. */
enum worker_answer kept_profiles_take(struct kept_profiles *kept,
                                      const struct worker_message *message);

/* Gives the file that is open to its user, and its name, and adds its records; with an `error` of
 * the caller removes it. Returns that, or its own, but not for a record, nor where there is no room
 * for a file beside a set. */
int kept_profiles_end(struct kept_profiles *kept, int error);

/* The name of a step's set, of this node's, or where `node` is "" of the whole. Returns 0 or
 * -ENAMETOOLONG. */
int kept_profiles_name(const struct kept_profiles *kept, uint32_t step, const char *node,
                       char name[NAME_MAX + 1]);
