/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/job_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "submit/flush/flush_part.h"
#include "submit/flush/job_progress.h"
#include "submit/flush/kernel_witness.h"

struct job_reading {
    struct flush_state *state;
    struct roots_notes notes;
    struct reading_request request;
    struct job_progress progress;
    struct reading_place taken_up_to;
    struct core_time_sums told; /* by the records up to there */
    uint64_t runs;              /* taken since the last commit */
    bool is_out_of_room;        /* the outbox has no room for a record */
};

void roots_notes_free(struct roots_notes *notes)
{
    looks_free(&notes->looks);
    if (notes->kernel != NULL)
        kernel_witness->release(notes->kernel);
}

int roots_notes_read(int spool, int directory, struct roots_notes *notes)
{
    *notes = (struct roots_notes){.looks = {0}};
    int error = looks_read(directory, &notes->looks);
    if (error == 0 && kernel_witness != NULL)
        error = kernel_witness->read(spool, directory, &notes->kernel);
    if (error != 0)
        looks_free(&notes->looks);
    return error;
}

bool job_may_go_on(const struct journal *journal)
{
    return journal->epilog_ns == 0 && journal->reboot_ns == 0;
}

/* When the epilogs of a node wait no longer, one flush at a time goes on: the one that holds the
 * lock on <state>/flush.lock. The other flushes leave their jobs in the spool. The holder flushes
 * these after its own jobs. Returns a descriptor, to be closed; -EAGAIN while another has it; or
 * -errno. */
static int take_slot(const char *state)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/flush.lock", state);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int error = errno;
    close(fd);
    return error == EWOULDBLOCK ? -EAGAIN : -error;
}

uint64_t flush_more_time(void *context)
{
    struct flush_state *state = context;
    if (state->options->dry_run || clock_left_ms(state->job_ns) == 0)
        return 0;
    if (state->slot < 0)
        state->slot = take_slot(state->conf->state);
    state->is_queued = state->slot < 0;
    return state->is_queued ? 0 : state->job_ns;
}

static uint64_t more_time(void *context)
{
    struct job_reading *reading = context;
    return flush_more_time(reading->state);
}

static int take_record(void *context, const struct record_view *record)
{
    struct job_reading *reading = context;
    if (reading->state->options->dry_run)
        return puts(record->text) < 0 ? -EIO : 0;
    int error = outbox_add(reading->state->outbox, record);
    reading->runs += error == 0 && record->kind == RECORD_RUN;
    reading->is_out_of_room = error == -ENOBUFS;
    return error;
}

/* Whether it was in the middle of a unit that the reader came to its end: not where the time was
 * over that another flush left it, or while the unit's records came. */
static bool is_fault_of_unit(const struct job_reading *reading, enum flush_outcome outcome)
{
    const struct reading_place *from = &reading->request.resume_at, *to = &reading->taken_up_to;
    bool comes = to->unit == __atomic_load_n(reading->progress.begun, __ATOMIC_RELAXED) &&
                 (from->unit != to->unit || to->records > from->records);
    return outcome == FLUSH_KILLED || outcome == FLUSH_BROKEN ||
           (outcome == FLUSH_LATE && !reading->state->is_queued && !comes);
}

/* What was taken of a job that is not read to its end stays taken where its ledger and journal do
 * not change any more: the next flush goes on after it. What a reader gave before it broke down for
 * good, or of a ledger that is none, is kept, as the ledger is set aside. */
static int commit_taken(struct job_reading *reading, enum flush_outcome outcome)
{
    struct flush_state *state = reading->state;
    struct job_progress *progress = &reading->progress;
    bool is_last = outcome == FLUSH_DONE || outcome == FLUSH_NO_LEDGER || outcome == FLUSH_SPENT ||
                   (outcome == FLUSH_BROKEN && progress->is_hopeless);
    bool is_kept =
        is_last || (outcome != FLUSH_NO_POLICY && !job_may_go_on(reading->request.journal));
    if (state->options->dry_run)
        return 0;
    if (!is_kept) {
        outbox_abort(state->outbox);
        return 0;
    }
    if (!is_last && progress->directory >= 0 && progress->notes < 0) { /* no room to note it */
        outbox_abort(state->outbox); /* or every flush would send them again */
        return -ENOSPC;
    }
    int error = outbox_commit(state->outbox);
    if (error == 0 && outcome != FLUSH_DONE && outcome != FLUSH_NO_LEDGER) {
        state->count->records += reading->runs;
        progress->place = reading->taken_up_to;
        progress->told = reading->told;
    }
    return error;
}

/* What parts of the flush give ahead of the reader. */
static int give_parts(const struct reading_request *request)
{
    int error = 0;
    for (const struct flush_part *const *part = flush_parts; error == 0 && *part != NULL; part++)
        if ((*part)->give != NULL)
            error = (*part)->give(request);
    return error;
}

/* The next reader goes on where the last one came to. */
static void resume(struct job_reading *reading)
{
    const struct job_progress *progress = &reading->progress;
    struct reading_request *request = &reading->request;
    uint64_t most_ns = reading->state->conf->job_cpu_s * UINT64_C(1000000000);
    bool is_anew = job_may_go_on(request->journal);
    reading->runs = 0;
    reading->is_out_of_room = false;
    request->resume_at = is_anew ? (struct reading_place){0, 0} : progress->place;
    reading->told = is_anew ? (struct core_time_sums){.runs = 0} : progress->told;
    reading->taken_up_to = request->resume_at;
    request->told = &reading->told;
    request->units.passed_over_count = progress->passed_over_count;
    request->cpu_ns = most_ns > progress->used_ns ? most_ns - progress->used_ns : 1;
}

/* After a reader with this outcome, or `error`. Returns 1 where another one is to go on, or 0 and
 * the job's outcome, or -errno. */
static int settle(struct job_reading *reading, int error, enum flush_outcome *outcome)
{
    bool dry_run = reading->state->options->dry_run;
    struct job_progress *progress = &reading->progress;
    bool is_fault = error == 0 && is_fault_of_unit(reading, *outcome);
    if (is_fault)
        job_progress_failed(progress);
    else
        job_progress_ended(progress);
    if (error == 0)
        error = commit_taken(reading, *outcome);
    else if (!dry_run)
        outbox_abort(reading->state->outbox);
    if (error == 0 && (*outcome == FLUSH_DONE || *outcome == FLUSH_NO_LEDGER))
        return 0;
    int noted = dry_run ? 0 : job_progress_note(progress);
    if (error != 0 || noted != 0)
        return error != 0 ? error : noted;
    if (progress->is_hopeless)
        *outcome = FLUSH_BROKEN;
    if (!is_fault || progress->is_hopeless)
        return 0;
    if (clock_left_ms(reading->request.deadline_ns) > 0 || flush_more_time(reading->state) != 0)
        return 1;
    *outcome = FLUSH_LATE;
    return 0;
}

/* Whether the outbox has room for the job's records. Asked before anything is read: a job that
 * waits for room costs next to nothing. */
static bool has_room(const struct flush_state *state, const struct journal *journal)
{
    if (state->options->dry_run)
        return true;
    outbox_owner(state->outbox, journal->identity.uid, journal->identity.job);
    return outbox_has_room(state->outbox);
}

/* Returns 0 or -errno; after success job_read() releases. */
static int begin(struct job_reading *reading, const struct journal *journal, int directory,
                 int ledger, int packages)
{
    struct flush_state *state = reading->state;
    struct job_progress *progress = &reading->progress;
    bool dry_run = state->options->dry_run;
    int error = roots_notes_read(state->spool, directory, &reading->notes);
    if (error != 0)
        return error;
    state->job_ns = clock_deadline(state->conf->job_timeout_s * UINT64_C(1000));
    bool epilog_waits = state->slot < 0 && !dry_run && state->wait_ns < state->job_ns;
    error = job_progress_open(dry_run ? -1 : directory, JOB_PROGRESS_NAME, progress);
    if (error != 0)
        roots_notes_free(&reading->notes);
    reading->request = (struct reading_request){
        .kind = READING_JOB,
        .conf = state->conf,
        .identity = &journal->identity,
        .take = take_record,
        .context = reading,
        .deadline_ns = epilog_waits ? state->wait_ns : state->job_ns,
        .more_time = more_time,
        .used_ns = &progress->used_ns,
        .journal = journal,
        .ledger = ledger,
        .packages = packages,
        .looks = &reading->notes.looks,
        .kernel = reading->notes.kernel,
        .now_ns = state->now_ns,
        .units = {.begun = progress->begun, .passed_over = progress->passed_over},
        .taken_up_to = &reading->taken_up_to,
    };
    return error;
}

int job_read(struct flush_state *state, const struct journal *journal, int directory, int ledger,
             int packages, struct reading_summary *summary, enum flush_outcome *outcome)
{
    struct job_reading reading = {.state = state};
    *outcome = FLUSH_NO_ROOM;
    if (!has_room(state, journal))
        return 0;
    int error = begin(&reading, journal, directory, ledger, packages);
    if (error != 0)
        return error;
    *outcome = FLUSH_BROKEN;
    bool goes_on = !reading.progress.is_hopeless;
    while (goes_on) {
        resume(&reading);
        /* What is given again has the same uuid. */
        if (reading.request.resume_at.unit == READING_UNIT_NONE)
            error = give_parts(&reading.request);
        if (error == 0)
            error = reading_run(&reading.request, summary, outcome);
        if (reading.is_out_of_room) {
            error = 0;
            *outcome = FLUSH_NO_ROOM;
        }
        error = settle(&reading, error, outcome);
        goes_on = error > 0;
        error = goes_on ? 0 : error;
    }
    if (error == 0 && *outcome == FLUSH_DONE && reading.progress.passed_over_count > 0)
        *outcome = FLUSH_PASSED_OVER;
    if (error == 0 && *outcome == FLUSH_LATE && state->is_queued)
        *outcome = FLUSH_QUEUED;
    job_progress_close(&reading.progress);
    roots_notes_free(&reading.notes);
    return error;
}
