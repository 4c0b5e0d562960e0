/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/replacement.h"
#include "conf/base/trusted.h"
#include "preload/profile/profile_file.h"
#include "spank/spool_part.h"
#include "submit/flush/profile_reader.h"
#include "submit/flush/roots_notes.h"
#include "submit/job/spool_read.h"
#include "submit/record/record.h"

/* A file that is being written. */
struct kept_file {
    uint64_t unit;           /* 0: none has been begun */
    int fd;                  /* -1: none is open */
    char name[NAME_MAX + 1]; /* in `place` */
    char unfinished[NAME_MAX + 1];
};

struct keeping {
    struct profile_reader reader; /* the child's side */
    int place;
    struct kept_file file;
    uint64_t bytes, files; /* written, in all */
    bool is_none;          /* the child says that there is no profile in the file */
    int error;             /* of the parent's own work */
};

/* What the child may take. */
enum { SILENCE_MS = 60000, CPU_S = 60 };

/* Gives the file its name, or with an error of the caller removes it. Returns that, or its own. */
static int end_file(struct keeping *keeping, int error)
{
    struct kept_file *file = &keeping->file;
    if (file->fd < 0)
        return error;
    error = replacement_end_as(keeping->place, file->unfinished, file->name, file->fd, 0600, error);
    close(file->fd);
    file->fd = -1;
    return error;
}

/* A file of root's, empty, in the directory; the user gets it. */
static int open_kept(struct keeping *keeping)
{
    const struct job_identity *job = keeping->reader.request->identity;
    struct kept_file *file = &keeping->file;
    file->fd = replacement_open_as(keeping->place, file->unfinished);
    if (file->fd < 0)
        return file->fd;
    return fchown(file->fd, job->uid, job->gid) == 0 ? 0 : end_file(keeping, -errno);
}

/* Of one that has a unit: the ranks that a job's profile can have are bounded by its bytes. */
static bool may_begin(const struct keeping *keeping, uint64_t unit)
{
    const struct reading_request *request = keeping->reader.request;
    uint32_t step = PROFILE_UNIT_STEP(unit);
    bool is_step = unit < PROFILE_UNIT_SET(UINT32_MAX) && unit >= PROFILE_UNIT_SET(0) &&
                   journal_find_step(request->journal, step) != NULL;
    bool is_others = unit >= PROFILE_UNIT_SET(UINT32_MAX) &&
                     unit - PROFILE_UNIT_SET(UINT32_MAX) < PROFILE_UNIT_RANKS;
    return unit > keeping->file.unit && (is_step || is_others) &&
           keeping->files <= request->conf->profile_bytes / PROFILE_THREAD_BYTES;
}

/* The child has come to another file. Returns 0 or -errno; -EPROTO where that cannot be. */
static int next_file(struct keeping *keeping, uint64_t unit)
{
    char step[16], base[NAME_MAX - 32];
    struct kept_file *file = &keeping->file;
    const struct job_identity *job = keeping->reader.request->identity;
    uint32_t number = PROFILE_UNIT_STEP(unit);
    if (!may_begin(keeping, unit))
        return -EPROTO;
    int error = end_file(keeping, 0);
    if (error != 0)
        return error;
    record_step_text(number, step, sizeof step);
    snprintf(base, sizeof base, "%" PRIu32 ".%" PRIu32 ".%s.%s", job->job, job->restart, step,
             job->node);
    if (unit == PROFILE_UNIT_SET(number)) {
        snprintf(file->name, sizeof file->name, "%s.profile", base);
        snprintf(file->unfinished, sizeof file->unfinished, "%s.profile.new", base);
    } else {
        uint32_t rank = (uint32_t)(unit - PROFILE_UNIT_SAMPLES(number, 0));
        snprintf(file->name, sizeof file->name, "%s_%" PRIu32 ".vfd", base, rank);
        snprintf(file->unfinished, sizeof file->unfinished, "%s_%" PRIu32 ".tmpvfd", base, rank);
    }
    file->unit = unit;
    keeping->files++;
    return open_kept(keeping);
}

/* What is kept is not larger than what it was made of may be. */
static enum worker_answer take(void *context, const struct worker_message *message)
{
    struct keeping *keeping = context;
    if (message->is_last) {
        keeping->is_none = message->size > 0;
        return WORKER_GO_ON;
    }
    if (message->size > keeping->reader.request->conf->profile_bytes - keeping->bytes)
        return WORKER_NOT_BELIEVED;
    if (message->unit != keeping->file.unit)
        keeping->error = next_file(keeping, message->unit);
    if (keeping->error == -EPROTO)
        return WORKER_NOT_BELIEVED;
    if (keeping->error == 0)
        keeping->error = io_write_all(keeping->file.fd, message->bytes, message->size);
    keeping->bytes += message->size;
    return keeping->error == 0 ? WORKER_GO_ON : WORKER_ENOUGH;
}

static int read_in_child(void *context, struct worker_pipe *pipe)
{
    const struct keeping *keeping = context;
    return profile_reader_run(&keeping->reader, pipe);
}

static enum flush_outcome outcome_of(const struct keeping *keeping, enum worker_outcome outcome)
{
    switch (outcome) {
    case WORKER_DONE:
        return keeping->is_none ? FLUSH_NO_PROFILE : FLUSH_DONE;
    case WORKER_LATE:
    case WORKER_SPENT:
        return FLUSH_PROFILE_SPENT;
    case WORKER_KILLED:
    case WORKER_STOPPED:
    case WORKER_BROKEN:
        break;
    }
    return FLUSH_PROFILE_BROKEN;
}

static int run_child(struct keeping *keeping, enum flush_outcome *outcome)
{
    enum worker_outcome ended;
    const struct reading_request *request = keeping->reader.request;
    const int keep[] = {keeping->reader.from, request->ledger};
    const struct worker worker = {.uid = request->identity->uid,
                                  .gid = request->identity->gid,
                                  .keep = keep,
                                  .keep_count = sizeof keep / sizeof *keep,
                                  .sandbox = SANDBOX_READS,
                                  .work = read_in_child,
                                  .take = take,
                                  .context = keeping,
                                  .silence_ms = SILENCE_MS,
                                  .cpu_ns = CPU_S * UINT64_C(1000000000)};
    int error = worker_run(&worker, &ended);
    if (error == 0)
        error = keeping->error;
    if (error == 0)
        *outcome = outcome_of(keeping, ended);
    return error;
}

/* Makes the kept files of the user's one. Those of steps that are whole stay, whatever happens. */
static int keep_from(const struct reading_request *request, int from, enum flush_outcome *outcome)
{
    char culprit[PATH_MAX];
    CLEANUP_CLOSE int place =
        trusted_directory(request->conf->profile_directory, TRUSTED_ALONE, culprit, sizeof culprit);
    if (place < 0)
        return place;
    struct keeping keeping = {.reader = {.request = request, .now = tick_now(), .from = from},
                              .place = place,
                              .file = {.fd = -1}};
    tick_boot(keeping.reader.boot);
    int error = run_child(&keeping, outcome);
    int ended = end_file(&keeping, error != 0 ? error : *outcome != FLUSH_DONE ? -ECANCELED : 0);
    return ended == -ECANCELED ? 0 : ended;
}

static int read_with_notes(const struct flush_state *state, const struct journal *journal,
                           int directory, int from, enum flush_outcome *outcome)
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
    error = keep_from(&request, from, outcome);
    roots_notes_free(&notes);
    return error;
}

int profile_keep(const struct flush_state *state, const struct journal *journal, int directory,
                 enum flush_outcome *outcome)
{
    *outcome = FLUSH_DONE;
    if (state->conf->profile_directory[0] == '\0')
        return 0;
    CLEANUP_CLOSE int from = spool_open_users(directory, PROFILE_NAME, journal->identity.uid);
    if (from == -SPOOL_FOREIGN)
        *outcome = FLUSH_PROFILE_FOREIGN;
    else if (from == -EINVAL)
        *outcome = FLUSH_NO_PROFILE;
    if (from < 0)
        return *outcome != FLUSH_DONE || from == -ENOENT ? 0 : from;
    int error = read_with_notes(state, journal, directory, from, outcome);
    CLEANUP_CLOSE int part = spool_part_open(directory);
    if (error == 0 && *outcome == FLUSH_DONE && part >= 0)
        unlinkat(part, PROFILE_NAME, 0); /* not to be copied to the quarantine */
    return error;
}
