/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The part of the flush that keeps profiles. Of the file that a job's processes left it makes one
 * for each step, for its user, in [profile] directory: JOB.RESTART.STEP.NODE.profile. Then it joins
 * the files of steps whose nodes have all left theirs: JOB.RESTART.STEP.profile. No node waits for
 * another. Two that come at once see all files both, and would write the same. The nodes' files
 * stay.
 *
 * Users' files are read by children that have become the user. The processes' file is removed when
 * all of it is kept.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "contrib/profile/flush/kept_profiles.h"
#include "contrib/profile/flush/profile_steps.h"
#include "preload/profile/profile_file.h"
#include "spank/spool_part.h"
#include "submit/flush/flush_part.h"
#include "submit/job/spool_read.h"

/* SILENCE_MS, CPU_S: what a child may take. KEEP_MS: one for all steps of the job. JOIN_MS: all
 * joins of a flush together. PARTS_BYTES: no more is read of all files of a step. CLOCKS_S: by how
 * much clocks may be set. */
enum {
    SILENCE_MS = 60000,
    CPU_S = 60,
    KEEP_MS = 180000,
    JOIN_MS = 60000,
    PARTS_BYTES = 1 << 30,
    CLOCKS_S = 60
};

static const char no_profile[] = "the profile is not one of this version of jobtrail";

/* A child's work, and what root makes of it. */
struct keeping {
    struct kept_profiles kept;
    struct profile_steps steps; /* of the processes' file */
    struct profile_parts parts; /* of a step that is joined */
};

static int send_steps(void *context, struct worker_pipe *pipe)
{
    const struct keeping *keeping = context;
    return profile_steps_send(&keeping->steps, pipe);
}

static int send_parts(void *context, struct worker_pipe *pipe)
{
    const struct keeping *keeping = context;
    return profile_parts_send(&keeping->parts, pipe);
}

static enum worker_answer take(void *context, const struct worker_message *message)
{
    struct keeping *keeping = context;
    return kept_profiles_take(&keeping->kept, message);
}

/* `keep`: two descriptors that the work needs. `bytes`: that it reads. Returns 0 and how the child
 * ended, or -errno. */
static int run_child(struct keeping *keeping, int (*work)(void *context, struct worker_pipe *pipe),
                     const int keep[2], uint64_t bytes, uint64_t deadline_ms,
                     enum worker_outcome *ended)
{
    const struct job_identity *job = &keeping->kept.journal->identity;
    const struct worker worker = {.uid = job->uid,
                                  .gid = job->gid,
                                  .keep = keep,
                                  .keep_count = 2,
                                  .sandbox = SANDBOX_READS,
                                  .work = work,
                                  .take = take,
                                  .context = keeping,
                                  .silence_ms = SILENCE_MS,
                                  .deadline_ns = deadline_ms * 1000000,
                                  .memory_bytes = worker_memory(bytes),
                                  .cpu_ns = CPU_S * UINT64_C(1000000000)};
    int error = worker_run(&worker, ended);
    return error != 0 ? error : keeping->kept.error;
}

/* ---- Nodes' files ---------------------------------------------------------------------------- */

static const struct kept_name *find_file(const struct profile_room *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->names[i].name, name) == 0)
            return &files->names[i];
    return NULL;
}

/* Whether it is a set of the step's on a node: its name is that of the whole, with a word in it. */
static bool is_part(const struct kept_name *file, const char *whole, uid_t uid)
{
    size_t length = strlen(file->name), end = sizeof KEPT_SET_ENDING - 1;
    size_t size = strlen(whole) - end + 1; /* with the point */
    return (file->uid == 0 || file->uid == uid) && length > size + end &&
           strncmp(file->name, whole, size) == 0 &&
           strcmp(file->name + length - end, KEPT_SET_ENDING) == 0;
}

static int by_name(const void *left, const void *right)
{
    const struct kept_name *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

/* The files of the step's nodes, as many as there are. Returns their bytes. */
static uint64_t find_parts(const struct kept_profiles *kept, const struct journal_step *step,
                           const struct profile_room *files, const char *whole,
                           const struct kept_name **part, size_t *count)
{
    uint64_t bytes = 0;
    /* When the step began here, or a little earlier, by the clock of the file system that has just
     * made this node's own file: what is older is of a job that had the number before. 0: it is not
     * known, or this node has no file. */
    char name[NAME_MAX + 1];
    int error = kept_profiles_name(kept, step->step, kept->journal->identity.node, name);
    const struct kept_name *own = error != 0 ? NULL : find_file(files, name);
    int64_t ago_s = time(NULL) - (int64_t)(step->start_ns / 1000000000u);
    const int64_t begin_s = own == NULL || ago_s < 0 ? 0 : own->made.tv_sec - ago_s - CLOCKS_S;
    const struct kept_name *old = find_file(files, whole);
    *count = 0;
    if (old != NULL && old->made.tv_sec < begin_s)
        unlinkat(kept->place, whole, 0);
    for (size_t i = 0; i < files->count; i++) {
        const struct kept_name *file = &files->names[i];
        if (!is_part(file, whole, kept->journal->identity.uid) || file->made.tv_sec < begin_s)
            continue;
        part[(*count)++] = file;
        bytes += file->bytes;
    }
    if (*count > 0)
        qsort(part, *count, sizeof *part, by_name);
    return bytes;
}

static void tell_unjoined(const struct kept_profiles *kept, const char *whole, const char *why)
{
    fprintf(stderr,
            "jobtrail-submit: job %" PRIu32 ": %s is not made of its nodes' files: %s; "
            "jobtrail-profile merge does it\n",
            kept->journal->identity.job, whole, why);
}

/* Returns 0 too where they cannot be joined, which it says. */
static int join_parts(struct keeping *keeping, const char *whole, uint64_t bytes,
                      uint64_t deadline_ms)
{
    struct kept_profiles *kept = &keeping->kept;
    const int keep[] = {kept->place, -1};
    enum worker_outcome ended;
    if (bytes > PARTS_BYTES || clock_ms() >= deadline_ms) {
        tell_unjoined(kept, whole,
                      bytes > PARTS_BYTES ? "they are too large" : "other steps took too long");
        return 0;
    }
    kept_profiles_begin(kept, keeping->parts.step, bytes);
    int error = run_child(keeping, send_parts, keep, bytes, deadline_ms, &ended);
    if (error == 0 && ended != WORKER_DONE)
        error = -ECANCELED;
    error = kept_profiles_end(kept, error);
    if (error == -ECANCELED)
        tell_unjoined(kept, whole, "reading them broke down");
    return error == -EAGAIN /* another node writes it */ || error == -ECANCELED ? 0 : error;
}

static int join_step(struct keeping *keeping, const struct journal_step *step,
                     const struct profile_room *files, uint64_t deadline_ms)
{
    char whole[NAME_MAX + 1];
    struct kept_profiles *kept = &keeping->kept;
    size_t count;
    CLEANUP_FREE const struct kept_name **part = calloc(files->count + 1, sizeof *part);
    if (part == NULL)
        return -ENOMEM;
    int error = kept_profiles_name(kept, step->step, "", whole);
    if (error != 0)
        return error;
    uint64_t bytes = find_parts(kept, step, files, whole, part, &count);
    keeping->parts = (struct profile_parts){kept->state->conf, step, kept->place, part, count};
    return count == step->nodes ? join_parts(keeping, whole, bytes, deadline_ms) : 0;
}

static int join_steps(struct keeping *keeping)
{
    const struct kept_profiles *kept = &keeping->kept;
    const struct journal *journal = kept->journal;
    const uint64_t deadline_ms = clock_ms() + JOIN_MS;
    struct profile_room files = {.count = 0};
    bool has_steps = false;
    for (size_t i = 0; i < journal->step_count; i++)
        has_steps |= journal->steps[i].nodes > 1;
    int error = has_steps ? profile_room_count(kept->place, 0, &files) : 0;
    for (size_t i = 0; error == 0 && i < journal->step_count; i++)
        if (journal->steps[i].nodes > 1)
            error = join_step(keeping, &journal->steps[i], &files, deadline_ms);
    profile_room_free(&files);
    return error;
}

/* ---- The processes' file --------------------------------------------------------------------- */

/* NULL, or why it is of no use. */
static const char *undone_of(const struct kept_profiles *kept, enum worker_outcome outcome)
{
    switch (outcome) {
    case WORKER_DONE:
        return strcmp(kept->last, PROFILE_STEPS_NONE) == 0 ? no_profile
               : strcmp(kept->last, PROFILE_STEPS_LARGE) == 0
                   ? "reading the profile takes too much memory"
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

/* Makes the kept files of it. Those of steps that are whole stay, whatever happens. */
static int keep_from(const struct flush_state *state, const struct reading_request *request,
                     int from, const char **undone)
{
    struct keeping keeping = {.steps = {.request = request, .now = tick_now(), .from = from}};
    struct kept_profiles *kept = &keeping.kept;
    const uint64_t bytes = state->conf->profile_bytes;
    const int keep[] = {from, request->ledger};
    enum worker_outcome ended;
    tick_boot(keeping.steps.boot);
    int error = kept_profiles_open(state, request->journal, kept);
    if (error == 0) {
        kept_profiles_begin(kept, NULL, bytes);
        error = run_child(&keeping, send_steps, keep, bytes, clock_ms() + KEEP_MS, &ended);
    }
    if (error == 0)
        *undone = undone_of(kept, ended);
    error = kept_profiles_end(kept, error == 0 && *undone != NULL ? -ECANCELED : error);
    if (error == 0)
        error = join_steps(&keeping);
    return kept_profiles_close(kept, error == -ECANCELED ? 0 : error);
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
                                            .kernel = notes.kernel,
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
               : "its profiles cannot be written to [profile] directory";
}

const struct flush_part flush_part_profile = {.name = "profile", .end = end_job};
