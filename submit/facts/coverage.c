/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/coverage.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "conf/policy/policy_read.h"
#include "spank/journal.h"
#include "submit/facts/core_time.h"
#include "submit/facts/program_find.h"

/* A task with its outcome. */
struct task_outcome {
    const struct journal_task *task;
    enum coverage_outcome outcome;
    uint32_t leader;
    char *program; /* owned, until a fact takes it */
};

struct search {
    const struct coverage_source *source;
    const struct journal_program **programs; /* sorted */
    size_t program_count;
    bool is_excluded; /* the job */
    bool is_host_skipped;
};

const char *coverage_outcome_name(enum coverage_outcome outcome)
{
    static const char *const names[] = {
        [COVERAGE_EXCLUDED] = "excluded", [COVERAGE_OPTED_OUT] = "opted_out",
        [COVERAGE_RECORDED] = "recorded", [COVERAGE_CONTAINER] = "container",
        [COVERAGE_FOLLOWER] = "follower", [COVERAGE_SCRIPT] = "script",
        [COVERAGE_MISSING] = "missing",   [COVERAGE_LAUNCHER] = "launcher",
        [COVERAGE_POLICY] = "policy",     [COVERAGE_STATIC] = "static",
        [COVERAGE_SETUID] = "setuid",     [COVERAGE_SPOOL] = "spool",
        [COVERAGE_SAMPLED] = "sampled",   [COVERAGE_KILLED] = "killed",
        [COVERAGE_UNKNOWN] = "unknown",
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

static bool is_launcher(const char *path)
{
    static const char *const names[] = {"orted", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy",
                                        NULL};
    return path != NULL && coverage_is_named(path, strlen(path), names);
}

static int compare_programs(const void *left, const void *right)
{
    const struct journal_program *a = *(const struct journal_program *const *)left;
    const struct journal_program *b = *(const struct journal_program *const *)right;
    return coverage_compare_tasks(a->step, a->task, b->step, b->task);
}

static int collect_programs(struct search *search)
{
    const struct journal *journal = search->source->journal;
    search->programs = calloc(journal->program_count + 1, sizeof *search->programs);
    if (search->programs == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < journal->program_count; i++)
        search->programs[i] = &journal->programs[i];
    search->program_count = journal->program_count;
    qsort(search->programs, search->program_count, sizeof *search->programs, compare_programs);
    return 0;
}

static const struct journal_program *find_program(const struct search *search,
                                                  const struct journal_task *task)
{
    struct journal_program key = {.step = task->step, .task = task->task};
    const struct journal_program *pointer = &key;
    const struct journal_program **found =
        bsearch(&pointer, search->programs, search->program_count, sizeof *search->programs,
                compare_programs);
    return found == NULL ? NULL : *found;
}

/* ---- Outcomes -------------------------------------------------------------------------------- */

static bool has_spool_failed(const struct search *search, const struct journal_step *step)
{
    return search->source->witnesses == NULL || search->source->dropped > 0 ||
           (step != NULL && step->no_ledger);
}

static bool may_be_sampled(const struct search *search, const struct journal_step *step)
{
    const struct policy_header *header = search->source->policy;
    uint32_t tasks = task_count(step);
    return (header->switches & POLICY_SAMPLE) != 0 && (tasks == 1 || tasks < header->always_ranks);
}

/* The outcome of a task that should have left a capture. */
static enum coverage_outcome outcome_of_program(const struct search *search,
                                                const struct journal_task *task,
                                                const struct journal_step *step,
                                                const struct program *program)
{
    bool was_killed = task->end_ns != 0 && WIFSIGNALED(task->status);
    if (program->kind == PROGRAM_MISSING)
        return COVERAGE_MISSING;
    if (coverage_is_runtime(program->path, strlen(program->path)))
        return COVERAGE_CONTAINER;
    if (is_launcher(program->path))
        return COVERAGE_LAUNCHER;
    if (is_left_out(search, step, program->path))
        return COVERAGE_POLICY;
    if (program->kind == PROGRAM_STATIC)
        return COVERAGE_STATIC;
    if (program->kind == PROGRAM_PRIVILEGED)
        return COVERAGE_SETUID;
    if (has_spool_failed(search, step))
        return COVERAGE_SPOOL;
    if (was_killed)
        return COVERAGE_KILLED;
    return may_be_sampled(search, step) ? COVERAGE_SAMPLED : COVERAGE_UNKNOWN;
}

/* The outcome where it is known without reading the program's file, else COVERAGE_UNKNOWN. `leader`
 * is the task that records for this one. */
static enum coverage_outcome known_outcome(const struct search *search,
                                           const struct journal_task *task,
                                           const struct journal_step *step, uint32_t leader)
{
    if (search->is_excluded)
        return COVERAGE_EXCLUDED;
    if (step != NULL && step->opted_out)
        return COVERAGE_OPTED_OUT;
    enum coverage_witness_kind kind = coverage_witness_kind(search->source->witnesses, task);
    if (kind == WITNESS_PROGRAM)
        return COVERAGE_RECORDED;
    if (kind == WITNESS_RUNTIME || (step != NULL && step->container))
        return COVERAGE_CONTAINER;
    if (leader == JOURNAL_NONE ? task->task != 0 : task->task != leader)
        return COVERAGE_FOLLOWER;
    if (task->step != JOURNAL_STEP_BATCH)
        return COVERAGE_UNKNOWN;
    return has_spool_failed(search, step) ? COVERAGE_SPOOL : COVERAGE_SCRIPT;
}

static int find_outcome(const struct search *search, const struct journal_task *task,
                        struct task_outcome *task_outcome)
{
    const struct journal *journal = search->source->journal;
    const struct journal_step *step = journal_find_step(journal, task->step);
    const struct journal_program *launched = find_program(search, task);
    const char *path = launched == NULL ? NULL : launched->path;
    struct program program;
    *task_outcome = (struct task_outcome){
        .task = task, .leader = launched == NULL ? JOURNAL_NONE : launched->leader};
    task_outcome->outcome = known_outcome(search, task, step, task_outcome->leader);
    if (task_outcome->outcome == COVERAGE_UNKNOWN && !search->source->blind) {
        program_find(launched, journal->identity.uid, journal->identity.gid, &program);
        task_outcome->outcome = outcome_of_program(search, task, step, &program);
        path = program.path;
    }
    bool is_named =
        task_outcome->outcome != COVERAGE_EXCLUDED && task_outcome->outcome != COVERAGE_OPTED_OUT;
    if (path == NULL || path[0] == '\0' || !is_named || task->step == JOURNAL_STEP_BATCH)
        return 0;
    task_outcome->program = strdup(path);
    return task_outcome->program == NULL ? -ENOMEM : 0;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static int compare_task_outcomes(const void *left, const void *right)
{
    const struct task_outcome *a = left, *b = right;
    if (a->task->step != b->task->step)
        return a->task->step < b->task->step ? -1 : 1;
    if (a->outcome != b->outcome)
        return a->outcome < b->outcome ? -1 : 1;
    if (a->leader != b->leader)
        return a->leader < b->leader ? -1 : 1;
    int order = strcmp(a->program == NULL ? "" : a->program, b->program == NULL ? "" : b->program);
    if (order != 0)
        return order;
    return a->task->task < b->task->task ? -1 : a->task->task > b->task->task;
}

static bool is_of_fact(const struct coverage_fact *fact, const struct task_outcome *task_outcome)
{
    return fact->step == task_outcome->task->step && fact->outcome == task_outcome->outcome &&
           fact->leader == task_outcome->leader &&
           strcmp(fact->program == NULL ? "" : fact->program,
                  task_outcome->program == NULL ? "" : task_outcome->program) == 0;
}

/* Of a task of which Slurm has seen no end: when it had ended at the latest. */
static uint64_t last_end(const struct coverage_source *source, const struct journal_step *step)
{
    if (step != NULL && step->end_ns != 0)
        return step->end_ns;
    return source->journal->epilog_ns != 0   ? source->journal->epilog_ns
           : source->journal->reboot_ns != 0 ? source->journal->reboot_ns
                                             : source->now_ns;
}

static void fact_add_task(const struct coverage_source *source, const struct journal_task *task,
                          struct coverage_fact *fact)
{
    const struct journal_step *step = journal_find_step(source->journal, task->step);
    bool is_known = task->end_ns != 0;
    uint64_t end_ns = is_known ? task->end_ns : last_end(source, step);
    double seconds = is_launcher(fact->program)
                         ? core_time_of_job(step, task->start_ns, end_ns)
                         : core_time(source->journal, step, task->start_ns, end_ns);
    fact->tasks++;
    if (is_known) {
        fact->core_seconds += seconds;
    } else {
        fact->uncertain_core_seconds += seconds;
        end_ns = task->start_ns;
    }
    if (task->start_ns < fact->start_ns)
        fact->start_ns = task->start_ns;
    if (end_ns > fact->end_ns)
        fact->end_ns = end_ns;
}

/* Both arrays of `*coverage` have room for an entry of each task. */
static void collect_facts(const struct coverage_source *source, struct task_outcome *outcomes,
                          size_t count, struct coverage *coverage)
{
    for (size_t i = 0; i < count; i++) {
        struct task_outcome *task_outcome = &outcomes[i];
        struct coverage_fact *fact =
            coverage->fact_count == 0 ? NULL : &coverage->facts[coverage->fact_count - 1];
        if (fact == NULL || !is_of_fact(fact, task_outcome)) {
            fact = &coverage->facts[coverage->fact_count++];
            *fact = (struct coverage_fact){.outcome = task_outcome->outcome,
                                           .step = task_outcome->task->step,
                                           .leader = task_outcome->leader,
                                           .first_task = task_outcome->task->task,
                                           .start_ns = UINT64_MAX,
                                           .program = task_outcome->program};
            task_outcome->program = NULL;
        }
        fact_add_task(source, task_outcome->task, fact);
        if (task_outcome->outcome == COVERAGE_STATIC)
            coverage->statics[coverage->static_count++] =
                (struct coverage_static){task_outcome->task, fact->program};
    }
}

static int compare_statics(const void *left, const void *right)
{
    const struct coverage_static *a = left, *b = right;
    return a->task < b->task ? -1 : a->task > b->task;
}

static int find_outcomes(const struct search *search, struct task_outcome *outcomes, size_t *count)
{
    const struct journal *journal = search->source->journal;
    for (size_t i = 0; i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        /* The task of the extern step is Slurm's own process, not the user's. A task without a step
         * line began while the site had switched jobtrail off. */
        if (task->step == JOURNAL_STEP_EXTERN || journal_find_step(journal, task->step) == NULL)
            continue;
        int error = find_outcome(search, task, &outcomes[(*count)++]);
        if (error != 0)
            return error;
    }
    qsort(outcomes, *count, sizeof *outcomes, compare_task_outcomes);
    return 0;
}

static int find_facts(const struct search *search, struct coverage *coverage)
{
    size_t count = 0, room = search->source->journal->task_count + 1;
    struct task_outcome *outcomes = calloc(room, sizeof *outcomes);
    coverage->facts = calloc(room, sizeof *coverage->facts);
    coverage->statics = calloc(room, sizeof *coverage->statics);
    int error = outcomes == NULL || coverage->facts == NULL || coverage->statics == NULL
                    ? -ENOMEM
                    : find_outcomes(search, outcomes, &count);
    if (error == 0) {
        collect_facts(search->source, outcomes, count, coverage);
        qsort(coverage->statics, coverage->static_count, sizeof *coverage->statics,
              compare_statics);
    }
    for (size_t i = 0; i < count; i++)
        free(outcomes[i].program);
    free(outcomes);
    return error;
}

int coverage_find(const struct coverage_source *source, struct coverage *coverage)
{
    struct coverage found = {0};
    struct utsname host;
    struct search search = {.source = source,
                            .is_excluded = coverage_excludes(source->policy, source->journal),
                            .is_host_skipped =
                                uname(&host) == 0 &&
                                is_skipped(source->policy, POLICY_HOST, host.nodename)};
    int error = collect_programs(&search);
    if (error == 0)
        error = find_facts(&search, &found);
    free(search.programs);
    if (error == 0)
        *coverage = found;
    else
        coverage_free(&found);
    return error;
}

void coverage_free(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->fact_count; i++)
        free(coverage->facts[i].program);
    free(coverage->facts);
    free(coverage->statics);
    *coverage = (struct coverage){0};
}
