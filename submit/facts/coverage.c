/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/coverage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "conf/base/grow.h"
#include "conf/policy/policy_read.h"
#include "spank/journal.h"
#include "submit/facts/coverage_pieces.h"
#include "submit/facts/program_find.h"
#include "submit/facts/program_name.h"
#include "submit/facts/static_run.h"
#include "submit/facts/wrapper.h"

/* What a task is apart from its runs. */
struct task_outcome {
    enum coverage_outcome outcome; /* of what was not seen of it */
    const char *program;           /* in `coverage.programs`; NULL: not to be told */
    size_t statics;                /* its place in `coverage.statics`; SIZE_MAX: it is none */
};

struct search {
    const struct coverage_source *source;
    struct task_outcome *task; /* owned, of each */
    struct coverage coverage;
    struct coverage_pieces pieces;
    bool is_excluded; /* the job */
    bool is_host_skipped;
};

const char *coverage_outcome_name(enum coverage_outcome outcome)
{
    static const char *const names[] = {
        [COVERAGE_EXCLUDED] = "excluded",   [COVERAGE_OPTED_OUT] = "opted_out",
        [COVERAGE_RECORDED] = "recorded",   [COVERAGE_CONTAINER] = "container",
        [COVERAGE_FOLLOWER] = "follower",   [COVERAGE_LAUNCH] = "launch",
        [COVERAGE_SCRIPT] = "script",       [COVERAGE_MISSING] = "missing",
        [COVERAGE_LAUNCHER] = "launcher",   [COVERAGE_POLICY] = "policy",
        [COVERAGE_STATIC] = "static",       [COVERAGE_SETUID] = "setuid",
        [COVERAGE_SPOOL] = "spool",         [COVERAGE_SAMPLED] = "sampled",
        [COVERAGE_KILLED] = "killed",       [COVERAGE_UNKNOWN] = "unknown",
        [COVERAGE_UNCERTAIN] = "uncertain", [COVERAGE_IDLE] = "idle",
    };
    return names[outcome];
}

/* ---- The site's rules ------------------------------------------------------------------------ */

static bool is_skipped(const void *policy, enum policy_section which, const char *text)
{
    const struct policy_rule *rule = policy_match(policy, which, text, strlen(text));
    return rule != NULL && rule->action == POLICY_SKIP;
}

static bool has_rules(const void *policy, enum policy_section which)
{
    uint32_t count;
    return policy_rules(policy, which, &count) != NULL && count > 0;
}

bool coverage_excludes(const void *policy, const struct journal *journal)
{
    const struct job_identity *identity = &journal->identity;
    if (identity->partition[0] == '\0') /* a job has one: the journal lacks the credential */
        return has_rules(policy, POLICY_PARTITION) || has_rules(policy, POLICY_ACCOUNT);
    return is_skipped(policy, POLICY_PARTITION, identity->partition) ||
           is_skipped(policy, POLICY_ACCOUNT, identity->account);
}

static uint32_t task_count(const struct journal_step *step)
{
    return step == NULL || step->tasks == 0 ? 1 : step->tasks;
}

static bool is_left_out(const struct search *search, const struct journal_step *step,
                        const char *path)
{
    const struct policy_header *header = search->source->policy;
    uint32_t wanted = task_count(step) > 1 ? POLICY_TRACK_MPI : POLICY_TRACK_SCALAR;
    return search->is_host_skipped || (header->switches & wanted) == 0 ||
           policy_decide(header, path, strlen(path), 0, NULL, NULL).action == POLICY_SKIP;
}

/* ---- Outcomes -------------------------------------------------------------------------------- */

static bool has_spool_failed(const struct search *search, const struct journal_step *step)
{
    return !search->source->has_ledger || search->source->dropped > 0 || step->no_ledger;
}

/* Shells, and programs that only start others: what they started is not known. */
static bool is_starter(const char *path)
{
    size_t size = strlen(path);
    return program_is_shell(path, size) || program_is_launcher(path, size) ||
           wrapper_kind(path, size) != WRAPPER_NONE;
}

/* The outcome of a task that should have left a capture. */
static enum coverage_outcome outcome_of_program(const struct search *search,
                                                const struct job_task *task,
                                                const struct program *program)
{
    bool was_killed = task->task->end_ns != 0 && WIFSIGNALED(task->task->status);
    if (program->kind == PROGRAM_MISSING)
        return COVERAGE_MISSING;
    if (program_is_runtime(program->path, strlen(program->path)))
        return COVERAGE_CONTAINER;
    if (program_is_daemon(program->path, strlen(program->path)))
        return COVERAGE_LAUNCHER;
    if (is_left_out(search, task->step, program->path))
        return is_starter(program->path) ? COVERAGE_SCRIPT : COVERAGE_POLICY;
    if (program->kind == PROGRAM_STATIC)
        return COVERAGE_STATIC;
    if (program->kind == PROGRAM_PRIVILEGED)
        return COVERAGE_SETUID;
    if (has_spool_failed(search, task->step))
        return COVERAGE_SPOOL;
    return was_killed ? COVERAGE_KILLED : COVERAGE_UNKNOWN;
}

/* Whether the program that Slurm was asked for is what its process was seen to run: not a shell or
 * the like, and after no other program. */
static bool is_launched(const struct job_task *task)
{
    const uint64_t launch_ns = 1000000000; /* takes less, as what only starts a program does */
    const char *path = task->launched == NULL ? NULL : task->launched->path;
    return task->is_program && task->program_ns <= task->task->start_ns + launch_ns &&
           (path == NULL || !is_starter(path));
}

/* The outcome where it is known without reading the program's file, else COVERAGE_UNKNOWN. */
static enum coverage_outcome known_outcome(const struct search *search, const struct job_task *task)
{
    if (search->is_excluded)
        return COVERAGE_EXCLUDED;
    if (task->step->opted_out)
        return COVERAGE_OPTED_OUT;
    if (is_launched(task))
        return COVERAGE_LAUNCH;
    if (task->seen == JOB_TASK_RUNTIME || (task->step->container && task->seen != JOB_TASK_PROGRAM))
        return COVERAGE_CONTAINER;
    if (job_task_follows(task))
        return COVERAGE_FOLLOWER;
    if (task->seen != JOB_TASK_UNSEEN)
        return COVERAGE_SCRIPT;
    if (task->task->step != JOURNAL_STEP_BATCH)
        return COVERAGE_UNKNOWN;
    return has_spool_failed(search, task->step) ? COVERAGE_SPOOL : COVERAGE_SCRIPT;
}

/* Most tasks of a step run the same program: their text is shared. */
static int keep_program(struct search *search, const char *path, const char **kept)
{
    struct coverage *coverage = &search->coverage;
    size_t count = coverage->program_count;
    *kept = count == 0 ? NULL : coverage->programs[count - 1];
    if (*kept != NULL && strcmp(*kept, path) == 0)
        return 0;
    char *copy = strdup(path);
    if (copy == NULL || GROW(coverage->programs, count) != 0) {
        free(copy);
        return -ENOMEM;
    }
    *kept = coverage->programs[coverage->program_count++] = copy;
    return 0;
}

static int find_outcome(struct search *search, const struct job_task *task,
                        struct task_outcome *found)
{
    const struct journal *journal = search->source->journal;
    const char *path = task->launched == NULL ? NULL : task->launched->path;
    struct program program;
    *found = (struct task_outcome){.outcome = known_outcome(search, task), .statics = SIZE_MAX};
    if (found->outcome == COVERAGE_UNKNOWN && !search->source->blind) {
        program_find(task->launched, journal->identity.uid, journal->identity.gid, &program);
        found->outcome = outcome_of_program(search, task, &program);
        path = program.path;
    }
    bool is_named = found->outcome != COVERAGE_EXCLUDED && found->outcome != COVERAGE_OPTED_OUT;
    if (path == NULL || path[0] == '\0' || !is_named || task->task->step == JOURNAL_STEP_BATCH)
        return 0;
    return keep_program(search, path, &found->program);
}

static int add_static(struct search *search, size_t task)
{
    const struct coverage_source *source = search->source;
    struct coverage *coverage = &search->coverage;
    struct task_outcome *outcome = &search->task[task];
    struct coverage_static made = {
        .task = source->tasks->task[task].task, .index = task, .program = outcome->program};
    int error = static_run_decide(source->policy, source->journal, source->now_ns, &made);
    if (error == 0 && GROW(coverage->statics, coverage->static_count) != 0)
        error = -ENOMEM;
    if (error != 0)
        return error;
    outcome->statics = coverage->static_count;
    coverage->statics[coverage->static_count++] = made;
    return 0;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static struct coverage_piece piece_of(const struct search *search, size_t task,
                                      enum coverage_outcome outcome, const char *program)
{
    const struct job_task *known = &search->source->tasks->task[task];
    bool has_end = known->task->end_ns != 0;
    return (struct coverage_piece){.outcome = outcome,
                                   .step = known->task->step,
                                   .leader = known->leader,
                                   .task = known->task->task,
                                   .index = task,
                                   .start_ns = known->task->start_ns,
                                   .end_ns = has_end ? known->task->end_ns : known->task->start_ns,
                                   .program = program};
}

/* One for each day; `runs` are counted in the first. */
static void add_shares(struct search *search, struct coverage_piece piece,
                       struct partition_shares shares)
{
    for (size_t i = 0; i < shares.count; i++) {
        piece.day = shares.share[i].day;
        piece.core_seconds = shares.share[i].core_seconds;
        coverage_pieces_add(&search->pieces, &piece);
    }
}

static void add_part(struct search *search, size_t task, enum partition_part part,
                     struct coverage_piece piece)
{
    add_shares(search, piece, division_of_task(search->source->division, task, part));
}

/* What a run is, and the tasks for which it stands. */
static enum coverage_outcome outcome_of_run(struct division_run run)
{
    return run.is_passed_over ? COVERAGE_UNKNOWN
           : run.is_left_out  ? COVERAGE_SAMPLED
                              : COVERAGE_RECORDED;
}

/* As what the share of a task that follows counts. */
static struct coverage_piece piece_of_follower(const struct search *search, size_t task)
{
    const struct division *division = search->source->division;
    size_t leader = division_followed(division, task);
    const char *program = search->task[task].program;
    if (leader == SIZE_MAX)
        return piece_of(search, task, COVERAGE_FOLLOWER, program);
    size_t run = division_leading(division, leader), statics = search->task[leader].statics;
    if (run != SIZE_MAX) {
        const struct division_run known = division_run(division, run);
        enum coverage_outcome outcome = outcome_of_run(known);
        return piece_of(search, task, outcome,
                        outcome == COVERAGE_SAMPLED ? known.program : program);
    }
    if (statics == SIZE_MAX)
        return piece_of(search, task, COVERAGE_FOLLOWER, program);
    bool is_left_out = search->coverage.statics[statics].is_left_out;
    return piece_of(search, task, is_left_out ? COVERAGE_SAMPLED : COVERAGE_STATIC,
                    search->task[leader].program);
}

/* As what the time of the task counts in which nothing was seen. */
static struct coverage_piece piece_of_unseen(const struct search *search, size_t task)
{
    const struct task_outcome *known = &search->task[task];
    bool is_left_out =
        known->statics != SIZE_MAX && search->coverage.statics[known->statics].is_left_out;
    return piece_of(search, task, is_left_out ? COVERAGE_SAMPLED : known->outcome, known->program);
}

static void add_task(struct search *search, size_t task)
{
    const char *program = search->task[task].program;
    struct coverage_piece unseen = piece_of_unseen(search, task);
    struct coverage_piece follower = piece_of_follower(search, task);
    add_part(search, task, PARTITION_UNSEEN, unseen);
    add_part(search, task, PARTITION_FOLLOWER, follower);
    add_part(search, task, PARTITION_UNCERTAIN,
             piece_of(search, task, COVERAGE_UNCERTAIN, program));
    add_part(search, task, PARTITION_CONTAINER,
             piece_of(search, task, COVERAGE_CONTAINER, program));
    struct coverage_piece begin =
        search->task[task].outcome == COVERAGE_FOLLOWER ? follower : unseen;
    begin.runs = search->task[task].statics != SIZE_MAX;
    begin.day = division_day(search->source->division, begin.start_ns);
    coverage_pieces_add(&search->pieces, &begin);
}

static void add_run(struct search *search, size_t run)
{
    const struct division *division = search->source->division;
    const struct division_run known = division_run(division, run);
    enum coverage_outcome outcome = outcome_of_run(known);
    struct coverage_piece piece = {.outcome = outcome,
                                   .step = JOURNAL_NONE,
                                   .leader = JOURNAL_NONE,
                                   .index = SIZE_MAX,
                                   .start_ns = known.start_ns,
                                   .end_ns = known.start_ns,
                                   .program = known.program};
    if (known.task != SIZE_MAX)
        piece = piece_of(search, known.task, outcome,
                         outcome == COVERAGE_SAMPLED ? known.program
                                                     : search->task[known.task].program);
    if (known.task != SIZE_MAX)
        add_shares(search, piece, division_of_run(division, run));
    if (outcome == COVERAGE_UNKNOWN ||
        (outcome == COVERAGE_RECORDED && (!known.is_program || known.task == SIZE_MAX)))
        return;
    piece.runs = 1;
    piece.day = division_day(division, known.start_ns);
    coverage_pieces_add(&search->pieces, &piece);
}

static void add_idle(struct search *search)
{
    const struct coverage_source *source = search->source;
    struct coverage_piece piece = {.outcome = COVERAGE_IDLE,
                                   .step = JOURNAL_NONE,
                                   .leader = JOURNAL_NONE,
                                   .index = SIZE_MAX,
                                   .start_ns = source->allocation->start_ns,
                                   .end_ns = source->allocation->end_ns};
    add_shares(search, piece, division_idle(source->division));
    piece.outcome = COVERAGE_UNCERTAIN;
    add_shares(search, piece, division_maybe_suspended(source->division));
}

static int find_outcomes(struct search *search)
{
    const struct job_tasks *tasks = search->source->tasks;
    search->task = calloc(tasks->count + 1, sizeof *search->task);
    int error = search->task == NULL ? -ENOMEM : 0;
    for (size_t i = 0; error == 0 && i < tasks->count; i++) {
        error = find_outcome(search, &tasks->task[i], &search->task[i]);
        if (error == 0 && search->task[i].outcome == COVERAGE_STATIC)
            error = add_static(search, i);
    }
    return error;
}

static int compare_statics(const void *left, const void *right)
{
    const struct coverage_static *a = left, *b = right;
    return a->task < b->task ? -1 : a->task > b->task;
}

static int find_facts(struct search *search)
{
    const struct coverage_source *source = search->source;
    struct coverage *coverage = &search->coverage;
    int error = find_outcomes(search);
    if (error != 0)
        return error;
    for (size_t i = 0; i < source->tasks->count; i++)
        add_task(search, i);
    for (size_t i = 0; i < division_run_count(source->division); i++)
        add_run(search, i);
    add_idle(search);
    if (coverage->static_count > 0)
        qsort(coverage->statics, coverage->static_count, sizeof *coverage->statics,
              compare_statics);
    error = coverage_pieces_join(&search->pieces, &coverage->facts, &coverage->fact_count);
    for (size_t i = 0; i < coverage->fact_count; i++)
        coverage->facts[i].date = division_date(source->division, coverage->facts[i].day);
    return error;
}

int coverage_find(const struct coverage_source *source, struct coverage *coverage)
{
    struct utsname host;
    struct search search = {.source = source,
                            .is_excluded = coverage_excludes(source->policy, source->journal),
                            .is_host_skipped =
                                uname(&host) == 0 &&
                                is_skipped(source->policy, POLICY_HOST, host.nodename)};
    int error = find_facts(&search);
    coverage_pieces_free(&search.pieces);
    free(search.task);
    if (error == 0)
        *coverage = search.coverage;
    else
        coverage_free(&search.coverage);
    return error;
}

void coverage_free(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->program_count; i++)
        free(coverage->programs[i]);
    free(coverage->programs);
    free(coverage->facts);
    free(coverage->statics);
    *coverage = (struct coverage){0};
}
