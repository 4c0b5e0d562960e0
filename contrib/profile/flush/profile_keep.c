/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The part of the flush that keeps profiles. Makes of the file with profiles of a job that is over,
 * in its directory, one for its user for each step, in [profile] directory:
 * JOB.RESTART.STEP.NODE.profile. The user's file is read by a child that has become the user, and
 * is removed when all is kept. Does nothing without that directory, or without such a file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "contrib/profile/flush/kept_profiles.h"
#include "contrib/profile/flush/profile_join.h"
#include "contrib/profile/flush/profile_send.h"
#include "contrib/profile/flush/profile_steps.h"
#include "contrib/profile/flush/told_most.h"
#include "preload/profile/profile_file.h"
#include "spank/spool_part.h"
#include "submit/flush/flush_part.h"
#include "submit/flush/job_read.h"
#include "submit/flush/roots_notes.h"
#include "submit/job/spool_read.h"

struct keeping {
    struct profile_steps steps; /* the child's side */
    struct kept_profiles kept;
    uint64_t unit;         /* 0: none has been begun */
    uint64_t bytes, files; /* in all */
    bool is_none;          /* the child says that there is no profile in the file */
    bool is_too_large;     /* or that it has not the memory for it */
    int error;             /* of the parent's own work */
};

static const char no_profile[] = "the profile is not one of this version of jobtrail";

/* What the child may take, for all steps of the job together. */
enum { SILENCE_MS = 60000, CPU_S = 60, ALL_MS = 180000, FILES_OF_RANK = 4 };

/* Of steps that the journal does not have, that of the first one. */
static struct told_most most_of(const struct keeping *keeping, const struct journal_step *step)
{
    const struct reading_request *request = keeping->steps.request;
    return told_most_of(request->journal, step != NULL ? step : &keeping->kept.others,
                        request->conf->profile_bytes, request->now_ns);
}

/* The child has come to another step, and says what is in its file. Returns 0 or -errno; -EPROTO
 * where that cannot be. */
static int next_step(struct keeping *keeping, const struct worker_message *message)
{
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t count = message->size / sizeof *told;
    uint32_t number = PROFILE_UNIT_STEP(message->unit);
    bool is_others = message->unit == PROFILE_UNIT_SET(UINT32_MAX);
    const struct journal_step *step =
        is_others ? NULL : journal_find_step(keeping->steps.request->journal, number);
    if ((step == NULL && !is_others) || message->size > sizeof told ||
        message->size % sizeof *told != 0)
        return -EPROTO;
    memcpy(told, message->bytes, message->size);
    const struct told_most most = most_of(keeping, step);
    if (!profile_told_is_sound(told, count) || !told_most_has_ranks(&most, told, count))
        return -EPROTO;
    bool is_cut = false;
    for (size_t i = 0; i < count; i++)
        is_cut |= told_most_cut(&most, &told[i]);
    if (is_cut)
        fprintf(stderr,
                "jobtrail-submit: job %" PRIu32
                ": a profile has more time or calls in MPI than can be: none is told\n",
                keeping->kept.journal->identity.job);
    return kept_profile_begin(&keeping->kept, step, told, count);
}

/* Another file: of a step, or beside that of the same step. How many ranks a job's profile can have
 * is bounded by its bytes; none has more than FILES_OF_RANK, with those of its step. */
static int next_file(struct keeping *keeping, const struct worker_message *message)
{
    uint64_t unit = message->unit, last = keeping->unit;
    const struct reading_request *request = keeping->steps.request;
    if (unit <= last || unit < PROFILE_UNIT_SET(0) ||
        unit >= PROFILE_UNIT_SET(UINT32_MAX) + PROFILE_UNIT_SET(0) ||
        keeping->files / FILES_OF_RANK > request->conf->profile_bytes / PROFILE_THREAD_BYTES)
        return -EPROTO;
    keeping->unit = unit;
    keeping->files++;
    int error = kept_profile_end(&keeping->kept, 0);
    if (error != 0)
        return error;
    uint64_t set = unit - unit % PROFILE_UNIT_SET(0);
    if (unit == set)
        return next_step(keeping, message);
    if (last < set || PROFILE_UNIT_KIND(unit) == KEPT_SET)
        return -EPROTO;
    error = kept_profile_beside(&keeping->kept, PROFILE_UNIT_KIND(unit), PROFILE_UNIT_RANK(unit));
    return error != 0 ? error : kept_profile_write(&keeping->kept, message->bytes, message->size);
}

/* What is kept is not larger than what it was made of may be. */
static enum worker_answer take(void *context, const struct worker_message *message)
{
    struct keeping *keeping = context;
    if (message->is_last) {
        keeping->is_none = strcmp(message->bytes, PROFILE_STEPS_NONE) == 0;
        keeping->is_too_large = strcmp(message->bytes, PROFILE_STEPS_LARGE) == 0;
        return WORKER_GO_ON;
    }
    if (message->size > keeping->steps.request->conf->profile_bytes - keeping->bytes)
        return WORKER_NOT_BELIEVED;
    keeping->bytes += message->size;
    if (message->unit != keeping->unit)
        keeping->error = next_file(keeping, message);
    else
        keeping->error = kept_profile_write(&keeping->kept, message->bytes, message->size);
    if (keeping->error == -EPROTO) {
        keeping->error = 0; /* it is the child's */
        return WORKER_NOT_BELIEVED;
    }
    return keeping->error == 0 ? WORKER_GO_ON : WORKER_ENOUGH;
}

static int read_in_child(void *context, struct worker_pipe *pipe)
{
    const struct keeping *keeping = context;
    return profile_steps_send(&keeping->steps, pipe);
}

/* NULL, or why the file is of no use. */
static const char *undone_of(const struct keeping *keeping, enum worker_outcome outcome)
{
    switch (outcome) {
    case WORKER_DONE:
        return keeping->is_none        ? no_profile
               : keeping->is_too_large ? "reading the profile takes too much memory"
                                       : NULL;
    case WORKER_LATE:
    case WORKER_SPENT:
        return "reading the profile takes too long";
    case WORKER_KILLED:
    case WORKER_STOPPED:
    case WORKER_BROKEN:
        break;
    }
    return "reading the profile broke down";
}

static int run_child(struct keeping *keeping, const char **undone)
{
    enum worker_outcome ended;
    const struct reading_request *request = keeping->steps.request;
    const int keep[] = {keeping->steps.from, request->ledger};
    const struct worker worker = {.uid = request->identity->uid,
                                  .gid = request->identity->gid,
                                  .keep = keep,
                                  .keep_count = sizeof keep / sizeof *keep,
                                  .sandbox = SANDBOX_READS,
                                  .work = read_in_child,
                                  .take = take,
                                  .context = keeping,
                                  .silence_ms = SILENCE_MS,
                                  .deadline_ns = clock_deadline(ALL_MS),
                                  .memory_bytes = worker_memory(request->conf->profile_bytes),
                                  .cpu_ns = CPU_S * UINT64_C(1000000000)};
    int error = worker_run(&worker, &ended);
    if (error == 0)
        error = keeping->error;
    if (error == 0)
        *undone = undone_of(keeping, ended);
    return error;
}

/* Makes the kept files of the user's one. Those of steps that are whole stay, whatever happens. */
static int keep_from(const struct flush_state *state, const struct reading_request *request,
                     int from, const char **undone)
{
    struct keeping keeping = {.steps = {.request = request, .now = tick_now(), .from = from}};
    tick_boot(keeping.steps.boot);
    int error = kept_profiles_open(state, request->journal, &keeping.kept);
    if (error == 0)
        error = run_child(&keeping, undone);
    int ended = kept_profile_end(&keeping.kept, error == 0 && *undone != NULL ? -ECANCELED : error);
    if (ended == 0)
        ended = profile_join(&keeping.kept);
    return kept_profiles_close(&keeping.kept, ended == -ECANCELED ? 0 : ended);
}

static int read_with_notes(const struct flush_state *state, const struct journal *journal,
                           int directory, int from, const char **undone)
{
    struct roots_notes notes;
    CLEANUP_CLOSE int ledger = spool_open_users(directory, "ledger", journal->identity.uid);
    int error = roots_notes_read(state->spool, directory, &notes);
    if (error != 0)
        return error;
    const struct reading_request request = {.kind = READING_JOB,
                                            .conf = state->conf,
                                            .identity = &journal->identity,
                                            .journal = journal,
                                            .ledger = ledger < 0 ? -1 : ledger,
                                            .packages = -1,
                                            .looks = &notes.looks,
                                            .kernel = &notes.kernel,
                                            .now_ns = state->now_ns};
    error = keep_from(state, &request, from, undone);
    roots_notes_free(&notes);
    return error;
}

static int keep(const struct flush_state *state, const struct journal *journal, int directory,
                const char **undone)
{
    CLEANUP_CLOSE int from = spool_open_users(directory, PROFILE_NAME, journal->identity.uid);
    if (from == -SPOOL_FOREIGN)
        *undone = "the profile is another user's";
    else if (from == -EINVAL)
        *undone = no_profile;
    if (from < 0)
        return *undone != NULL || from == -ENOENT ? 0 : from;
    int error = read_with_notes(state, journal, directory, from, undone);
    CLEANUP_CLOSE int part = spool_part_open(directory);
    if (error == 0 && *undone == NULL && part >= 0)
        unlinkat(part, PROFILE_NAME, 0); /* not to be copied to the quarantine */
    return error;
}

static const char *end_job(const struct flush_state *state, const struct journal *journal,
                           int directory)
{
    const char *undone = NULL;
    if (state->conf->profile_directory[0] == '\0')
        return NULL;
    int error = keep(state, journal, directory, &undone);
    if (error == 0)
        return undone;
    fprintf(stderr, "jobtrail-submit: job %" PRIu32 ": its profiles cannot be kept: %s\n",
            journal->identity.job, strerror(-error));
    return error == -EFBIG /* [profile] user_size: no other time has more room */
               ? NULL
               : "its profiles cannot be written where they are to be kept";
}

const struct flush_part flush_part_profile = {.name = "profile", .end = end_job};
