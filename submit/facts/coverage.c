/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/coverage.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "conf/base/grow.h"
#include "conf/base/text.h"
#include "conf/policy/policy_read.h"
#include "spank/journal.h"
#include "submit/facts/missing_library.h"
#include "submit/facts/program_name.h"
#include "submit/facts/uncaptured_run.h"

/* What a task is apart from its runs. */
struct task_outcome {
    enum coverage_outcome outcome; /* of what was not seen of it */
    const char *program;           /* in `coverage.programs`; NULL: not to be reported */
    const char *library;           /* likewise; NULL: none kept it from starting, or unknown */
    size_t uncaptured;             /* its place in `coverage.uncaptured`; SIZE_MAX: it is none */
};

struct search {
    const struct coverage_source *source;
    struct task_outcome *task; /* owned, of each */
    struct coverage coverage;
    struct coverage_pieces pieces;
    bool is_excluded; /* the job */
    bool is_host_skipped;
    struct loader_places places;     /* of the program that was asked about last */
    char loaded[PATH_MAX];           /* its path; "": none yet */
    enum loader_verdict verdict;     /* the answer */
    char library[LIBRARY_NAME_SIZE]; /* of the answer */
    unsigned looks;
};

const char *coverage_outcome_name(enum coverage_outcome outcome)
{
    static const char *const names[] = {
        [COVERAGE_EXCLUDED] = "excluded",
        [COVERAGE_OPTED_OUT] = "opted_out",
        [COVERAGE_RECORDED] = "recorded",
        [COVERAGE_CONTAINER] = "container",
        [COVERAGE_FOLLOWER] = "follower",
        [COVERAGE_LAUNCH] = "launch",
        [COVERAGE_SCRIPT] = "script",
        [COVERAGE_MISSING] = "missing",
        [COVERAGE_LAUNCHER] = "launcher",
        [COVERAGE_POLICY] = "policy",
        [COVERAGE_STATIC] = "static",
        [COVERAGE_SETUID] = "setuid",
        [COVERAGE_SPOOL] = "spool",
        [COVERAGE_SAMPLED] = "sampled",
        [COVERAGE_KILLED] = "killed",
        [COVERAGE_UNKNOWN] = "unknown",
        [COVERAGE_UNCERTAIN] = "uncertain",
        [COVERAGE_IDLE] = "idle",
        [COVERAGE_NOT_STARTED] = "not_started",
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

bool coverage_skips_host(const void *policy)
{
    struct utsname host;
    return uname(&host) == 0 && is_skipped(policy, POLICY_HOST, host.nodename);
}

bool coverage_leaves_out(const void *policy, const struct journal_step *step, const char *path)
{
    const struct policy_header *header = policy;
    bool is_mpi = step != NULL && step->tasks > 1;
    uint32_t wanted = is_mpi ? POLICY_TRACK_MPI : POLICY_TRACK_SCALAR;
    return (header->switches & wanted) == 0 ||
           policy_decide(header, path, strlen(path), 0, NULL, NULL).action == POLICY_SKIP;
}

static bool is_left_out(const struct search *search, const struct journal_step *step,
                        const char *path)
{
    return search->is_host_skipped || coverage_leaves_out(search->source->policy, step, path);
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

/* Whether the journal says that the program may not have started. */
static bool is_start_doubtful(const struct journal_task *task)
{
    return task->end_ns != 0 && WIFEXITED(task->status) && WEXITSTATUS(task->status) != 0 &&
           (task->has_no_program || (task->library_path != NULL && task->preload != NULL));
}

/* Whether the task ended before its loader was done: it executed nothing; or it ended as the loader
 * ends what it cannot start, and it could not start this: the program has not run, and so cannot
 * have ended likewise. A task that should have left a capture has left none, either, though it
 * could have. */
static bool has_not_started(struct search *search, const struct job_task *task,
                            const struct program *program)
{
    const struct journal_task *known = task->task;
    if (!is_start_doubtful(known) || known->has_no_program)
        return is_start_doubtful(known);
    if (program->kind != PROGRAM_DYNAMIC || has_spool_failed(search, task->step))
        return false;
    const struct loader_places places = {.library_path = known->library_path,
                                         .preload = known->preload,
                                         .passes_over_cwd = !job_task_follows(task)};
    /* texts are shared by tasks that have the same */
    bool is_same = search->places.library_path == places.library_path &&
                   search->places.preload == places.preload &&
                   search->places.passes_over_cwd == places.passes_over_cwd &&
                   strcmp(search->loaded, program->path) == 0;
    if (!is_same) {
        search->verdict = missing_library(program->path, &places, &search->looks, search->library);
        search->places = places;
        memcpy(search->loaded, program->path, sizeof search->loaded);
    }
    return WEXITSTATUS(known->status) == (int)search->verdict;
}

/* The outcome of a task that should have left a capture. */
static enum coverage_outcome outcome_of_program(struct search *search, const struct job_task *task,
                                                const struct program *program)
{
    bool was_killed = task->task->end_ns != 0 && WIFSIGNALED(task->task->status);
    if (has_not_started(search, task, program) && !is_left_out(search, task->step, program->path))
        return COVERAGE_NOT_STARTED;
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
    if (task->task->step != JOURNAL_STEP_BATCH || task->task->has_no_program)
        return COVERAGE_UNKNOWN;
    return has_spool_failed(search, task->step) ? COVERAGE_SPOOL : COVERAGE_SCRIPT;
}

/* Most tasks of a step run the same program, and lack the same library: these texts are shared. */
static int keep_text(struct search *search, const char *text, const char **kept)
{
    struct coverage *coverage = &search->coverage;
    size_t count = coverage->program_count;
    for (size_t i = count; i > 0 && i + 2 > count; i--) {
        *kept = coverage->programs[i - 1];
        if (strcmp(*kept, text) == 0)
            return 0;
    }
    char *copy = strdup(text);
    if (copy == NULL || GROW(coverage->programs, count) != 0) {
        free(copy);
        return -ENOMEM;
    }
    *kept = coverage->programs[coverage->program_count++] = copy;
    return 0;
}

/* Of a task that follows one on another node its own program tells whether it has started. */
static bool is_examined(const struct search *search, size_t task, enum coverage_outcome known)
{
    const struct job_task *one = &search->source->tasks->task[task];
    if (search->source->blind)
        return false;
    return known == COVERAGE_UNKNOWN ||
           (known == COVERAGE_FOLLOWER && is_start_doubtful(one->task) &&
            division_followed(search->source->division, task) == SIZE_MAX);
}

static int find_outcome(struct search *search, size_t index, struct task_outcome *found)
{
    const struct job_task *task = &search->source->tasks->task[index];
    const struct journal *journal = search->source->journal;
    const char *path = task->launched == NULL ? NULL : task->launched->path;
    char asked_for[PATH_MAX] = "";
    struct program program;
    *found = (struct task_outcome){.outcome = known_outcome(search, task), .uncaptured = SIZE_MAX};
    if (is_examined(search, index, found->outcome)) {
        program_find(task->launched, journal->identity.uid, journal->identity.gid, &program);
        enum coverage_outcome outcome = outcome_of_program(search, task, &program);
        if (found->outcome == COVERAGE_UNKNOWN || outcome == COVERAGE_NOT_STARTED)
            found->outcome = outcome;
        /* where nothing was executed, a script's interpreter has not been asked for */
        bool is_of_nothing = outcome == COVERAGE_NOT_STARTED && task->task->has_no_program;
        if (is_of_nothing && path != NULL)
            program_asked_for(task->launched, asked_for);
        path = is_of_nothing ? asked_for : program.path;
        /* The library for which the loader did not start the task's program. One whose name is not
         * plain text is not reported. */
        const char *name = search->library;
        bool is_known = found->outcome == COVERAGE_NOT_STARTED && !task->task->has_no_program &&
                        name[0] != '\0' && text_is_plain_json(name, strlen(name));
        int error = is_known ? keep_text(search, name, &found->library) : 0;
        if (error != 0)
            return error;
    }
    bool is_named = found->outcome != COVERAGE_EXCLUDED && found->outcome != COVERAGE_OPTED_OUT;
    bool is_script =
        task->task->step == JOURNAL_STEP_BATCH && found->outcome != COVERAGE_NOT_STARTED;
    if (path == NULL || path[0] == '\0' || !is_named || is_script)
        return 0;
    return keep_text(search, path, &found->program);
}

/* Those whose program has not started are few, and what failed is wanted: sampling keeps them. */
static int add_uncaptured(struct search *search, size_t task)
{
    const struct coverage_source *source = search->source;
    struct coverage *coverage = &search->coverage;
    struct task_outcome *outcome = &search->task[task];
    struct coverage_uncaptured made = {.task = source->tasks->task[task].task,
                                       .index = task,
                                       .program = outcome->program,
                                       .library = outcome->library,
                                       .probability = 1,
                                       .has_not_started = outcome->outcome == COVERAGE_NOT_STARTED};
    int error = made.has_not_started
                    ? 0
                    : uncaptured_run_decide(source->policy, source->journal, source->now_ns, &made);
    if (error == 0 && GROW(coverage->uncaptured, coverage->uncaptured_count) != 0)
        error = -ENOMEM;
    if (error != 0)
        return error;
    outcome->uncaptured = coverage->uncaptured_count;
    coverage->uncaptured[coverage->uncaptured_count++] = made;
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
        return piece_of(search, task,
                        search->task[task].outcome == COVERAGE_NOT_STARTED ? COVERAGE_NOT_STARTED
                                                                           : COVERAGE_FOLLOWER,
                        program);
    size_t run = division_leading(division, leader), uncaptured = search->task[leader].uncaptured;
    if (run != SIZE_MAX) {
        const struct division_run known = division_run(division, run);
        enum coverage_outcome outcome = outcome_of_run(known);
        return piece_of(search, task, outcome,
                        outcome == COVERAGE_SAMPLED ? known.program : program);
    }
    if (uncaptured == SIZE_MAX)
        return piece_of(search, task, COVERAGE_FOLLOWER, program);
    bool is_left_out = search->coverage.uncaptured[uncaptured].is_left_out;
    return piece_of(search, task, is_left_out ? COVERAGE_SAMPLED : search->task[leader].outcome,
                    search->task[leader].program);
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
        error = find_outcome(search, i, &search->task[i]);
        bool is_uncaptured =
            search->task[i].outcome == COVERAGE_STATIC ||
            (search->task[i].outcome == COVERAGE_NOT_STARTED && search->task[i].program != NULL &&
             !job_task_follows(&tasks->task[i]));
        if (error == 0 && is_uncaptured)
            error = add_uncaptured(search, i);
    }
    return error;
}

static int compare_uncaptured(const void *left, const void *right)
{
    const struct coverage_uncaptured *a = left, *b = right;
    return a->task < b->task ? -1 : a->task > b->task;
}

static int find_facts(struct search *search)
{
    const struct coverage_source *source = search->source;
    struct coverage *coverage = &search->coverage;
    int error = find_outcomes(search);
    if (error != 0)
        return error;
    for (size_t i = 0; i < source->tasks->count; i++) {
        const char *program = search->task[i].program;
        /* As what the time of the task counts in which nothing was seen. */
        const struct task_outcome *known = &search->task[i];
        bool is_left_out = known->uncaptured != SIZE_MAX &&
                           search->coverage.uncaptured[known->uncaptured].is_left_out;
        struct coverage_piece unseen =
            piece_of(search, i, is_left_out ? COVERAGE_SAMPLED : known->outcome, known->program);
        struct coverage_piece follower = piece_of_follower(search, i);
        add_part(search, i, PARTITION_UNSEEN, unseen);
        add_part(search, i, PARTITION_FOLLOWER, follower);
        add_part(search, i, PARTITION_UNCERTAIN, piece_of(search, i, COVERAGE_UNCERTAIN, program));
        add_part(search, i, PARTITION_CONTAINER, piece_of(search, i, COVERAGE_CONTAINER, program));
        struct coverage_piece begin =
            search->task[i].outcome == COVERAGE_FOLLOWER ? follower : unseen;
        begin.runs = search->task[i].uncaptured != SIZE_MAX;
        begin.day = division_day(search->source->division, begin.start_ns);
        coverage_pieces_add(&search->pieces, &begin);
    }
    for (size_t i = 0; i < division_run_count(source->division); i++)
        add_run(search, i);
    add_idle(search);
    if (coverage->uncaptured_count > 0)
        qsort(coverage->uncaptured, coverage->uncaptured_count, sizeof *coverage->uncaptured,
              compare_uncaptured);
    error = coverage_pieces_join(&search->pieces, &coverage->facts, &coverage->fact_count);
    for (size_t i = 0; i < coverage->fact_count; i++)
        coverage->facts[i].date = division_date(source->division, coverage->facts[i].day);
    return error;
}

int coverage_find(const struct coverage_source *source, struct coverage *coverage)
{
    struct search search = {.source = source,
                            .looks = LOADER_LOOKS_MAX,
                            .is_excluded = coverage_excludes(source->policy, source->journal),
                            .is_host_skipped = coverage_skips_host(source->policy)};
    int error = find_facts(&search);
    free(search.pieces.piece);
    free(search.task);
    if (error == 0)
        *coverage = search.coverage;
    else
        coverage_free(&search.coverage);
    return error;
}

const struct coverage_uncaptured *coverage_find_uncaptured(const struct coverage *coverage,
                                                           const struct journal_task *task)
{
    const struct coverage_uncaptured key = {.task = task};
    return task == NULL || coverage->uncaptured_count == 0
               ? NULL
               : bsearch(&key, coverage->uncaptured, coverage->uncaptured_count, sizeof key,
                         compare_uncaptured);
}

void coverage_free(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->program_count; i++)
        free(coverage->programs[i]);
    free(coverage->programs);
    free(coverage->facts);
    free(coverage->uncaptured);
    *coverage = (struct coverage){0};
}
