/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the flush has of the kernel witness: what was reported of the processes of captures, and how
 * that agrees with these (two_witnesses.h); the runs of a job that the kernel alone reported
 * (kernel_run.h); its ranks, summarised (rank_summary.h); and a child of the process watch.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/policy_file.h"
#include "contrib/witness/facts/kernel_run.h"
#include "contrib/witness/facts/other_pids.h"
#include "contrib/witness/facts/rank_summary.h"
#include "contrib/witness/facts/two_witnesses.h"
#include "contrib/witness/flush/kernel_ranks.h"
#include "contrib/witness/job/witness_state.h"
#include "spank/spool_path.h"
#include "submit/facts/broadcast.h"
#include "submit/facts/coverage.h"
#include "submit/facts/division.h"
#include "submit/facts/ending.h"
#include "submit/facts/job_tasks.h"
#include "submit/facts/sampling_read.h"
#include "submit/flush/flush_part.h"
#include "submit/flush/kernel_witness.h"
#include "submit/flush/watch_child.h"
#include "submit/record/run_record.h"

/* Behind those of ledger and coverage: page numbers, tasks and facts have 32 bits. */
#define FIRST_UNIT (UINT64_C(1) << 34)

/* How long a flush waits for the witness. */
enum { WITNESS_MS = 2000 };

/* ---- What was reported of captures ----------------------------------------------------------- */

static int read_notes(int spool, int directory, struct kernel_notes **notes)
{
    struct kernel_notes *found = calloc(1, sizeof *found);
    if (found == NULL)
        return -ENOMEM;
    witness_state_wait(spool, WITNESS_MS);
    int error = kernel_notes_read(directory, found);
    found->until_ns = witness_state_heard_until(spool);
    found->is_able = witness_state_refusal(spool) == 0;
    if (error == 0)
        *notes = found;
    else
        free(found);
    return error;
}

static void release_notes(struct kernel_notes *notes)
{
    kernel_notes_free(notes);
    free(notes);
}

static const struct kernel_noted *find_replaced(const struct kernel_notes *notes,
                                                const struct kernel_note *process, uint64_t at_ns)
{
    const struct kernel_noted *replaced =
        notes->lost > 0 ? NULL : kernel_notes_replaced(notes, process, at_ns);
    return replaced == NULL || (replaced->note.lack & KERNEL_LACK_OBJECTS) != 0 ? NULL : replaced;
}

/* A run that the kernel alone reported. */
struct given_run {
    size_t at;     /* of noted_at() */
    size_t run;    /* of the division; SIZE_MAX: the record of its task has the time */
    uint32_t size; /* of its capture */
};

struct kernel_compared {
    const struct kernel_notes *notes;
    struct two_witnesses *witnesses; /* NULL: nobody has listened, or nobody asks */
    struct other_pids *other_pids;
    struct kernel_run run;   /* memory for objects that the kernel saw, and for a run */
    struct given_run *given; /* owned */
    size_t given_count;
};

static void end_compared(struct kernel_compared *compared)
{
    two_witnesses_free(compared->witnesses);
    other_pids_free(compared->other_pids);
    free(compared->given);
    free(compared);
}

static int compare(const struct kernel_comparison *comparison, struct kernel_compared **made)
{
    struct kernel_compared *compared = calloc(1, sizeof *compared);
    if (compared == NULL)
        return -ENOMEM;
    compared->notes = comparison->kernel;
    int error = 0;
    if (comparison->policy != NULL && compared->notes->listeners > 0)
        error = two_witnesses_new(comparison, &compared->witnesses);
    if (error == 0)
        error = other_pids_new(comparison->journal, compared->notes, comparison->succession,
                               &compared->other_pids);
    if (error == 0)
        error = other_pids_pair(compared->other_pids, comparison->reader, comparison->succession);
    if (error == 0)
        *made = compared;
    else
        end_compared(compared);
    return error;
}

static const struct kernel_noted *find(const struct reading_request *request,
                                       const struct kernel_compared *compared,
                                       const struct capture *capture)
{
    if (compared == NULL ||
        journal_knows_pids(request->journal, capture->step, capture->name_space))
        return kernel_notes_find(request->kernel, capture->pid, capture->start_ticks,
                                 capture->first != 0);
    return other_pids_find(compared->other_pids, capture);
}

static void take_capture(struct kernel_compared *compared, const struct capture *capture,
                         const struct kernel_noted *noted, bool is_last)
{
    if (compared->witnesses == NULL)
        return;
    if (noted != NULL)
        two_witnesses_replaced(compared->witnesses, capture, noted);
    if (is_last)
        two_witnesses_capture(compared->witnesses, capture, noted);
}

static void add_objects(struct kernel_compared *compared, const struct kernel_noted *noted,
                        struct capture *capture)
{
    kernel_run_add_objects(compared->notes, noted, &compared->run, capture);
}

/* The verdicts are enumerated in the order of the text, "static=3 lived_on=1". */
static void agree(const struct kernel_compared *compared, const struct coverage *coverage,
                  uint64_t dropped, struct kernel_agreement *agreement)
{
    struct witness_agreement found = {{0}};
    size_t length = 0;
    if (compared->witnesses != NULL)
        two_witnesses_find(compared->witnesses, coverage, dropped, &found);
    *agreement = (struct kernel_agreement){.agreed = found.count[WITNESS_AGREED],
                                           .unexplained = found.count[WITNESS_UNEXPLAINED]};
    for (enum witness_verdict verdict = 0; verdict < WITNESS_VERDICTS; verdict++) {
        const char *name = witness_verdict_name(verdict);
        if (name == NULL || found.count[verdict] == 0)
            continue;
        agreement->explained += found.count[verdict];
        length +=
            (size_t)snprintf(agreement->causes + length, sizeof agreement->causes - length,
                             "%s%s=%" PRIu64, length == 0 ? "" : " ", name, found.count[verdict]);
    }
}

/* ---- Runs that the kernel alone reported ----------------------------------------------------- */

/* Processes by their last programs, and behind them programs that others replaced. */
static const struct kernel_noted *noted_at(const struct kernel_notes *kernel, size_t at)
{
    return at < kernel->count ? &kernel->noted[at] : &kernel->replaced[at - kernel->count];
}

/* Whether jobtrail-ld may have linked the library into it, which the kernel does not see; its file
 * says whether. That has reported the run, or its user or the site left it out, or rank 0 has. */
static bool may_have_copy(const struct conf *conf, const struct kernel_note *note)
{
    const bool is_static = (note->lack & KERNEL_LACK_LOADER) != 0;
    return (note->lack & KERNEL_LACK_CAPTURE) == KERNEL_LACK_LIBRARY &&
           (conf->link_startup == CONF_STARTUP_ALL ||
            (conf->link_startup == CONF_STARTUP_STATIC && is_static));
}

static struct kernel_run_source source_of(const struct ledger_send *send)
{
    return (struct kernel_run_source){.policy = send->policy,
                                      .journal = send->request->journal,
                                      .notes = send->request->kernel,
                                      .is_host_skipped = coverage_skips_host(send->policy)};
}

static struct ending ending_of(const struct reading_request *request, size_t at,
                               const struct kernel_run *run)
{
    const struct kernel_noted *noted = noted_at(request->kernel, at);
    const bool is_replaced = at >= request->kernel->count;
    const struct ending_evidence evidence = {.journal = request->journal,
                                             .now_ns = request->now_ns,
                                             .replaced_ns = is_replaced ? noted->end_real_ns : 0,
                                             .kernel = is_replaced ? NULL : noted};
    return ending_find(&run->capture, &evidence);
}

/* The record of a task whose program is static is made of the journal: it has the task's time. */
static bool is_of_static_task(const struct job_tasks *tasks, const struct kernel_noted *noted,
                              const struct kernel_run *run)
{
    const struct job_task *task = kernel_ranks_launched(tasks, run->is_task, noted->program->name);
    return task != NULL && task->seen == JOB_TASK_UNSEEN &&
           (noted->note.lack & KERNEL_LACK_LOADER) != 0;
}

static int divide_run(const struct ledger_send *send, const struct kernel_run_source *source,
                      const struct job_tasks *tasks, size_t at, struct kernel_compared *compared,
                      struct division *division)
{
    const struct kernel_noted *noted = noted_at(source->notes, at);
    struct kernel_run *run = &compared->run;
    struct given_run given = {at, SIZE_MAX, run->capture.size};
    char path[PATH_MAX];
    double probability;
    const bool reads = send->begin(send->context, FIRST_UNIT + at);
    const bool asks_file = reads && may_have_copy(send->request->conf, &noted->note);
    /* Other files are opened behind the ledger's records only: they may hang. */
    int error = asks_file ? kernel_run_make(source, noted, run) : 0;
    if (reads && !asks_file)
        kernel_run_name(source->journal, &noted->note, &run->capture);
    if (error != 0 || (asks_file && run->is_marked))
        return error;
    if (!is_of_static_task(tasks, noted, run)) {
        const struct ending ending = ending_of(send->request, at, run);
        const bool is_left_out =
            reads && !sampling_keeps(send->policy, &run->capture, &ending, &probability);
        broadcast_name(source->journal, &run->capture, path);
        given.run = division_run_count(division);
        error = division_add(division, &run->capture, &ending,
                             DIVISION_KERNELS | (is_left_out ? DIVISION_LEFT_OUT : 0U) |
                                 (reads ? DIVISION_READS : 0U));
        if (error == 0 && !reads)
            division_pass_over(division);
    }
    if (error == 0)
        error = GROW(compared->given, compared->given_count);
    if (error == 0)
        compared->given[compared->given_count++] = given;
    return error;
}

static int kernel_divide(const struct ledger_send *send, const struct job_tasks *tasks,
                         struct kernel_compared *compared, struct division *division)
{
    const struct kernel_run_source source = source_of(send);
    const size_t count = source.notes->count + source.notes->replaced_count;
    struct kernel_run *run = &compared->run;
    struct kernel_ranks ranks;
    int error = kernel_ranks_make(&source, run, &ranks);
    for (size_t i = 0; error == 0 && i < count; i++) {
        const struct kernel_noted *noted = noted_at(source.notes, i);
        const bool is_written =
            compared->witnesses != NULL && two_witnesses_is_written(compared->witnesses, i);
        if (!is_written && kernel_run_find(&source, noted, run) &&
            kernel_ranks_leads(&ranks, &source, tasks, noted, run))
            error = divide_run(send, &source, tasks, i, compared, division);
    }
    kernel_ranks_free(&ranks);
    return error;
}

static int send_run(const struct ledger_send *send, const struct coverage_told *told,
                    const struct given_run *given, struct kernel_run *run, uint64_t *runs)
{
    const struct reading_request *request = send->request;
    struct built_record record;
    struct allocation_run had;
    char path[PATH_MAX];
    const struct ending ending = ending_of(request, given->at, run);
    struct run_source source = {.conf = request->conf,
                                .lines = &send->lines,
                                .identity = &request->journal->identity,
                                .journal = request->journal,
                                .capture = &run->capture,
                                .ending = &ending,
                                .dropped = told->dropped,
                                .captured_by = CAPTURED_BY_KERNEL,
                                .is_elsewhere = run->is_elsewhere};
    if (!sampling_keeps(send->policy, &run->capture, &ending, &source.probability))
        return 0;
    broadcast_name(request->journal, &run->capture, path);
    if (given->run != SIZE_MAX) {
        had = division_had(told->division, given->run);
        source.had = &had;
    }
    int error = run_record_build(&source, &record);
    error = ledger_send_record(send, error, &record);
    *runs += error == 0;
    return error;
}

/* Gives their records, but for tasks of which one is made in the coverage. */
static int kernel_send(const struct ledger_send *send, const struct coverage *coverage,
                       const struct coverage_told *told, uint64_t *runs)
{
    struct kernel_compared *compared = told->compared;
    int error = 0;
    for (size_t i = 0; error == 0 && compared != NULL && i < compared->given_count; i++) {
        const struct kernel_run_source source = source_of(send);
        const struct given_run *given = &compared->given[i];
        const struct kernel_noted *noted = noted_at(source.notes, given->at);
        const uint64_t unit = FIRST_UNIT + given->at;
        struct kernel_run *run = &compared->run;
        if (unit < send->request->resume_at.unit || !kernel_run_find(&source, noted, run) ||
            coverage_find_uncaptured(coverage, run->is_task) != NULL ||
            !send->begin(send->context, unit))
            continue;
        run->capture.size = given->size;
        run->capture.table = sampling_table(send->policy, given->size);
        error = kernel_run_make(&source, noted, run);
        if (error == 0)
            error = send_run(send, told, given, run, runs);
    }
    return error;
}

const struct kernel_witness kernel_witness_row = {
    .read = read_notes,
    .release = release_notes,
    .account = kernel_account_find,
    .compare = compare,
    .end = end_compared,
    .find = find,
    .replaced = find_replaced,
    .is_program = kernel_run_is_program,
    .take = take_capture,
    .add_objects = add_objects,
    .divide = kernel_divide,
    .agree = agree,
};

/* ---- Ranks ----------------------------------------------------------------------------------- */

static int send_row(const struct reading_request *request, const struct rank_row *row)
{
    const struct ranks_source source = {request->conf, request->journal, row};
    struct built_record record;
    int error = ranks_record_build(&source, &record);
    if (error != 0)
        return error;
    const struct record_view view = record_view_of(&record);
    error = request->take(request->context, &view);
    record_free(&record);
    return error;
}

/* Gives records of the job's ranks. Root makes them of what root's own programs have written; the
 * reader has no part in them. */
static int ranks_send(const struct reading_request *request)
{
    CLEANUP_FREE void *policy = NULL;
    struct rank_summary summary;
    if (request->kernel == NULL || request->kernel->listeners == 0 ||
        policy_load(request->conf, &policy) != 0)
        return 0; /* without a policy nothing else is read, either */
    const struct job_allocation allocation = job_allocation_find(request->journal, request->now_ns);
    int error =
        rank_summary_make(request->journal, request->kernel, policy, allocation.end_ns, &summary);
    if (error != 0)
        return error;
    if (summary.left_out > 0)
        fprintf(stderr,
                "jobtrail-submit: job %u: ranks of %zu steps and programs are not summarised: "
                "there are more than %d\n",
                request->journal->identity.job, summary.left_out, RANK_ROWS_MAX);
    for (size_t i = 0; error == 0 && i < summary.count; i++)
        error = send_row(request, &summary.rows[i]);
    rank_summary_free(&summary);
    return error;
}

const struct flush_part flush_part_witness = {
    .name = "witness", .give = ranks_send, .send = kernel_send};

/* ---- The witness as a child of the process watch -------------------------------------------- */

static struct kept_child child;

static int watch_witness_ended(void)
{
    return child.ended > 0 ? child.ended : -1;
}

/* Whether the kernel has refused it for good: for a want of memory or descriptors it is asked
 * again. */
static bool is_refused(const char *node, const struct conf *conf)
{
    static const int lasting[] = {EPERM, EACCES, EINVAL, ENOSYS, ENOENT, ENOTSUP, EXDEV};
    char path[PATH_MAX];
    CLEANUP_CLOSE int spool = spool_expand(conf->spool, node, path, sizeof path) == 0
                                  ? directory_open(AT_FDCWD, path)
                                  : -1;
    const int refusal = spool < 0 ? 0 : witness_state_refusal(spool);
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
        if (refusal == lasting[i])
            return true;
    return false;
}

static void watch_witness_keep(const char *path, const char *node, const struct conf *conf)
{
    static uint32_t level = CONF_WITNESS_OFF;
    if (kept_child_runs(&child)) {
        if (conf->witness != level)
            kill(child.pid, SIGTERM); /* its end brings another one */
        return;
    }
    if (conf->witness == CONF_WITNESS_AUTO && level == CONF_WITNESS_AUTO && is_refused(node, conf))
        return; /* it was asked once */
    level = conf->witness;
    if (level != CONF_WITNESS_OFF)
        kept_child_start(&child, "/proc/self/exe",
                         (char *[]){"jobtrail-submit", "witness", "--detach", "--conf",
                                    (char *)path, "--node", (char *)node, NULL});
}

const struct watch_child watch_child_witness = {watch_witness_keep, watch_witness_ended};
