/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_keep.h"

#include <errno.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "preload/profile/profile_file.h"
#include "submit/flush/kept_profiles.h"
#include "submit/flush/profile_steps.h"
#include "submit/flush/roots_notes.h"
#include "submit/job/spool_read.h"

/* SILENCE_MS, CPU_S: what the child may take. */
enum { SILENCE_MS = 60000, CPU_S = 60 };

struct keeping {
    struct profile_steps steps;
    struct kept_profiles kept;
    uint64_t unit;  /* 0: none has been begun */
    uint64_t bytes; /* written, in all */
    int error;      /* of the parent's own work */
};

/* In the child, as the user. */
static int collect(void *context, struct worker_pipe *pipe)
{
    const struct keeping *keeping = context;
    return profile_steps_send(&keeping->steps, pipe);
}

/* The child has come to another step, and says what is in its file. Returns 0 or -errno; -EPROTO
 * where that cannot be. */
static int next_step(struct keeping *keeping, const struct worker_message *message)
{
    struct profile_told told;
    uint32_t number = (uint32_t)(message->unit - 1);
    const struct journal_step *step =
        message->unit < PROFILE_UNIT_OTHERS
            ? journal_find_step(keeping->steps.request->journal, number)
            : NULL;
    if (message->unit <= keeping->unit || (step == NULL && message->unit != PROFILE_UNIT_OTHERS) ||
        message->size != sizeof told)
        return -EPROTO;
    memcpy(&told, message->bytes, sizeof told);
    if (!profile_told_is_sound(&told))
        return -EPROTO;
    keeping->unit = message->unit;
    int error = kept_profile_end(&keeping->kept, 0);
    return error != 0 ? error : kept_profile_begin(&keeping->kept, step, &told);
}

/* What is kept is not larger than what it was made of may be. */
static enum worker_answer take(void *context, const struct worker_message *message)
{
    struct keeping *keeping = context;
    if (message->size == 0)
        return WORKER_GO_ON;
    if (message->size > keeping->steps.request->conf->profile_bytes - keeping->bytes)
        return WORKER_NOT_BELIEVED;
    keeping->bytes += message->size;
    if (message->unit != keeping->unit)
        keeping->error = next_step(keeping, message);
    else
        keeping->error = kept_profile_write(&keeping->kept, message->bytes, message->size);
    if (keeping->error == -EPROTO)
        return WORKER_NOT_BELIEVED;
    return keeping->error == 0 ? WORKER_GO_ON : WORKER_ENOUGH;
}

static int run_child(struct keeping *keeping)
{
    const struct reading_request *request = keeping->steps.request;
    enum worker_outcome outcome;
    const int keep[] = {keeping->steps.from, request->ledger};
    const struct worker worker = {.uid = request->identity->uid,
                                  .gid = request->identity->gid,
                                  .keep = keep,
                                  .keep_count = sizeof keep / sizeof *keep,
                                  .sandbox = SANDBOX_READS,
                                  .work = collect,
                                  .take = take,
                                  .context = keeping,
                                  .silence_ms = SILENCE_MS,
                                  .cpu_ns = CPU_S * UINT64_C(1000000000)};
    int error = worker_run(&worker, &outcome);
    if (error == 0)
        error = keeping->error;
    return error != 0 ? error : outcome == WORKER_DONE ? 0 : -ECANCELED;
}

/* Makes the kept files of the user's one. Those of steps that are whole stay, whatever happens. */
static int keep_from(const struct flush_state *state, const struct reading_request *request,
                     int from)
{
    struct keeping keeping = {.steps = {.request = request, .from = from, .now = tick_now()}};
    tick_boot(keeping.steps.boot);
    int error = kept_profiles_open(state, request->journal, &keeping.kept);
    if (error == 0)
        error = kept_profile_end(&keeping.kept, run_child(&keeping));
    return kept_profiles_close(&keeping.kept, error);
}

int profile_keep(const struct flush_state *state, const struct journal *journal, int directory)
{
    struct roots_notes notes;
    uid_t uid = journal->identity.uid;
    if (state->conf->profile_directory[0] == '\0')
        return 0;
    CLEANUP_CLOSE int from = spool_open_users(directory, PROFILE_NAME, uid);
    if (from < 0)
        return from == -ENOENT ? 0 : from;
    CLEANUP_CLOSE int ledger = spool_open_users(directory, "ledger", uid);
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
    error = keep_from(state, &request, from);
    roots_notes_free(&notes);
    return error;
}
