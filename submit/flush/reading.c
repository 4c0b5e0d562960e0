/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A message of the reader is a record, its name, a NUL and its text; the last one is the summary.
 */
#include "submit/flush/reading.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/process.h"
#include "conf/base/worker.h"
#include "conf/policy_file.h"
#include "submit/facts/file_facts.h"
#include "submit/facts/hasher.h"
#include "submit/flush/kernel_witness.h"
#include "submit/flush/ledger_send.h"
#include "submit/flush/worker_check.h"
#include "submit/hand_in/hand_in_read.h"

/* PATIENCE_MS: records go to the parent together, but it hears of each that takes long, and a
 * reader that breaks down loses few. REAP_MS: so long a hasher that was killed is waited for. */
enum { PATIENCE_MS = 20, REAP_MS = 5000 };

/* A flush hashes as much of a job as so many files of the largest size. */
enum { HASHED_FILES = 16 };

/* silence_ms: how long the reader may be silent: it looks at files of the user's, on file systems
 * that may be the user's too, and hang; and the user may stop it. The process watch has other jobs
 * to look at, and the flush of sessions other users. hash_ms: so long all files may take to be
 * hashed, and one of them: below the silence. */
static const struct {
    uint64_t silence_ms, file_hash_ms, hash_ms;
} bounds_of[] = {
    [READING_JOB] = {180000, 60000, 60000},
    [READING_SESSION] = {10000, 5000, 5000},
    [READING_STARTS] = {2000, 1000, 1000},
    [READING_HAND_IN] = {10000, 0, 0},
};

/* One request while it is worked on. */
struct reading {
    const struct reading_request *request;
    struct ledger_send ledger; /* but of READING_HAND_IN */
    int hasher;                /* whom the reader asks about files; -1: nobody */
    /* In the parent. */
    struct worker_check *check;
    struct reading_summary found;
    int error; /* that `take` returned */
    /* In the reader. */
    struct worker_pipe *pipe;
    uint64_t unit, skipped; /* whose records are given, and how many of them were not wanted */
};

/* ---- In the reader --------------------------------------------------------------------------- */

static int give_record(void *context, const struct built_record *record)
{
    struct reading *reading = context;
    const struct reading_place *from = &reading->request->resume_at;
    if (reading->unit == from->unit && reading->skipped < from->records) {
        reading->skipped++;
        return 0;
    }
    const struct iovec parts[] = {{(void *)record->name, strlen(record->name) + 1},
                                  {record->text, record->length}};
    return worker_send(reading->pipe, reading->unit, parts, 2);
}

static void note_begun(const struct reading *reading, uint64_t unit)
{
    if (reading->request->units.begun != NULL)
        __atomic_store_n(reading->request->units.begun, unit, __ATOMIC_RELAXED);
}

static bool begin_unit(void *context, uint64_t unit)
{
    struct reading *reading = context;
    for (size_t i = 0; i < reading->request->units.passed_over_count; i++)
        if (reading->request->units.passed_over[i] == unit)
            return false;
    note_begun(reading, unit);
    reading->unit = unit;
    return true;
}

static int read_as_user(void *context, struct worker_pipe *pipe)
{
    struct reading *reading = context;
    const struct reading_request *request = reading->request;
    const struct job_identity *identity = request->identity;
    struct reading_summary summary = {0};
    int error;
    reading->pipe = pipe;
    note_begun(reading, READING_UNIT_WHOLE);
    if (request->kind == READING_HAND_IN) {
        const struct hand_in_read read = {.user = request->user,
                                          .uid = identity->uid,
                                          .user_name = identity->user,
                                          .give = give_record,
                                          .context = reading};
        error = hand_in_read(&read, &summary.records, &summary.damaged);
    } else {
        file_facts_hasher(reading->hasher);
        command_lines_make(request->conf, reading->ledger.policy, &reading->ledger.lines);
        error = request->kind == READING_STARTS ? ledger_send_starts(&reading->ledger, &summary)
                                                : ledger_send_ends(&reading->ledger, &summary);
    }
    return error != 0 ? error : worker_send_last(pipe, &summary, sizeof summary);
}

/* ---- In the parent --------------------------------------------------------------------------- */

static enum worker_answer take_message(void *context, const struct worker_message *message)
{
    struct reading *reading = context;
    if (message->is_last) {
        if (message->size != sizeof reading->found)
            return WORKER_NOT_BELIEVED;
        memcpy(&reading->found, message->bytes, sizeof reading->found);
        worker_check_summary(reading->check, &reading->found);
        return WORKER_GO_ON;
    }
    const char *name = message->bytes;
    size_t length = strnlen(name, message->size);
    if (length == message->size || length == 0 || length >= RECORD_NAME_MAX || name[0] == '.' ||
        memchr(name, '/', length) != NULL)
        return WORKER_NOT_BELIEVED;
    const struct record_view record =
        record_view(name, name + length + 1, message->size - length - 1);
    if (!worker_check_record(reading->check, &record))
        return WORKER_NOT_BELIEVED;
    reading->error = reading->request->take(reading->request->context, &record);
    if (reading->error != 0)
        return WORKER_ENOUGH;
    if (reading->request->told != NULL)
        *reading->request->told = *worker_check_taken(reading->check);
    struct reading_place *place = reading->request->taken_up_to;
    if (place != NULL)
        *place = (struct reading_place){message->unit,
                                        place->unit == message->unit ? place->records + 1 : 1};
    return WORKER_GO_ON;
}

static enum flush_outcome outcome_of(const struct reading *reading, enum worker_outcome outcome)
{
    switch (outcome) {
    case WORKER_DONE:
        return reading->found.is_no_ledger != 0 ? FLUSH_NO_LEDGER : FLUSH_DONE;
    case WORKER_KILLED:
        return FLUSH_KILLED;
    case WORKER_LATE:
        return FLUSH_LATE;
    case WORKER_SPENT:
        return FLUSH_SPENT;
    case WORKER_STOPPED: /* `take` has said why */
    case WORKER_BROKEN:
        break;
    }
    return FLUSH_BROKEN;
}

/* Returns its pid, 0 where there is to be none, or -errno. */
static pid_t start_hasher(struct reading *reading)
{
    const struct reading_request *request = reading->request;
    const struct conf *conf = request->conf;
    const struct file_hash_bounds bounds = {
        .file_bytes = conf->hash_file_bytes,
        .file_ms = bounds_of[request->kind].file_hash_ms,
        .bytes = HASHED_FILES * conf->hash_file_bytes,
        .ms = bounds_of[request->kind].hash_ms,
    };
    return request->kind == READING_HAND_IN
               ? 0
               : hasher_start(conf, &bounds, request->identity->uid, request->identity->gid,
                              &reading->hasher);
}

static void end_hasher(const struct reading *reading, pid_t hasher)
{
    int status;
    if (hasher <= 0)
        return;
    close(reading->hasher);
    kill(hasher, SIGKILL); /* it may hang in a file system */
    process_reap(hasher, REAP_MS, &status);
}

/* What the parent believes. NULL: out of memory. `*account` is of a job of which the kernel's
 * witness may have reported. */
static struct worker_check *check_of(const struct reading_request *request,
                                     struct kernel_account *account)
{
    bool is_hand_in = request->kind == READING_HAND_IN, is_job = request->kind == READING_JOB;
    struct job_allocation allocation;
    if (is_job)
        allocation = job_allocation_find(request->journal, request->now_ns);
    if (is_job && kernel_witness != NULL)
        *account = kernel_witness->account(request->kernel, allocation.start_ns, allocation.end_ns,
                                           request->conf->witness);
    struct worker_check *check = worker_check_new(
        request->kind, request->conf, request->identity, is_job ? &allocation : NULL, account,
        is_hand_in ? -1 : request->ledger, is_hand_in ? -1 : request->packages);
    if (check != NULL && request->told != NULL)
        worker_check_resume(check, request->told);
    return check;
}

/* `hasher`: its pid, 0: there is none. `keep`: what the reader needs. */
static struct worker worker_of(struct reading *reading, pid_t hasher, const int keep[3])
{
    const struct reading_request *request = reading->request;
    return (struct worker){
        .uid = request->identity->uid,
        .gid = request->identity->gid,
        .keep = keep,
        .keep_count = 3,
        .sandbox = request->kind == READING_HAND_IN ? SANDBOX_RENAMES : SANDBOX_READS,
        .work = read_as_user,
        .take = take_message,
        .context = reading,
        .patience_ms = request->kind == READING_STARTS ? 0 : PATIENCE_MS,
        .silence_ms = bounds_of[request->kind].silence_ms,
        .begun = request->units.begun,
        .deadline_ns = request->deadline_ns,
        .more_time = request->more_time,
        .more_context = request->context,
        .cpu_ns = request->cpu_ns,
        .helper = hasher,
    };
}

int reading_run(const struct reading_request *request, struct reading_summary *summary,
                enum flush_outcome *outcome)
{
    struct reading reading = {.request = request, .hasher = -1};
    struct kernel_account account = {.level = "off"};
    bool is_hand_in = request->kind == READING_HAND_IN;
    uint64_t before = cpu_time_own() + cpu_time_children();
    CLEANUP_FREE void *policy = NULL;
    enum worker_outcome ended = WORKER_BROKEN;
    reading.check = check_of(request, &account);
    int error = reading.check == NULL ? -ENOMEM : 0;
    bool is_usable = error == 0 && (is_hand_in || policy_load(request->conf, &policy) == 0);
    if (is_usable) {
        reading.ledger = (struct ledger_send){.request = request,
                                              .policy = policy,
                                              .account = &account,
                                              .give = give_record,
                                              .begin = begin_unit,
                                              .context = &reading};
        pid_t hasher = start_hasher(&reading);
        const int keep[] = {reading.hasher, is_hand_in ? request->user : request->ledger,
                            is_hand_in ? -1 : request->packages};
        const struct worker worker = worker_of(&reading, hasher, keep);
        error = hasher < 0 ? (int)hasher : worker_run(&worker, &ended);
        end_hasher(&reading, hasher);
    }
    if (error == 0)
        error = reading.error;
    worker_check_free(reading.check);
    if (request->used_ns != NULL)
        *request->used_ns += cpu_time_own() + cpu_time_children() - before;
    if (error != 0)
        return error;
    *outcome = is_usable ? outcome_of(&reading, ended) : FLUSH_NO_POLICY;
    if (*outcome == FLUSH_DONE)
        *summary = reading.found;
    return 0;
}
