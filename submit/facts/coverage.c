/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/coverage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "conf/policy/policy_read.h"
#include "spank/journal.h"
#include "submit/facts/core_time.h"
#include "submit/facts/program_find.h"

/* A task with its outcome. */
struct verdict {
    const struct journal_task *task;
    enum coverage_outcome outcome;
    uint32_t leader;
    char *program; /* owned, until a fact takes it */
};

struct search {
    const struct coverage_source *source;
    const struct journal_program **programs; /* sorted */
    size_t program_count;
    int excluded;
    int host_skipped;
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

static int skips(const void *policy, enum policy_section which, const char *text)
{
    const struct policy_rule *rule = policy_match(policy, which, text, strlen(text));
    return rule != NULL && rule->action == POLICY_SKIP;
}

static int has_rules(const void *policy, enum policy_section which)
{
    uint32_t count;
    return policy_rules(policy, which, &count) != NULL && count > 0;
}

int coverage_excludes(const void *policy, const struct journal *journal)
{
    if (journal->identity.partition[0] == '\0') /* a job always has one */
        return has_rules(policy, POLICY_PARTITION) || has_rules(policy, POLICY_ACCOUNT);
    return skips(policy, POLICY_PARTITION, journal->identity.partition) ||
           skips(policy, POLICY_ACCOUNT, journal->identity.account);
}

static int skips_this_host(const void *policy)
{
    struct utsname name;
    return uname(&name) == 0 && skips(policy, POLICY_HOST, name.nodename);
}

static uint32_t task_count(const struct journal_step *step)
{
    return step == NULL || step->tasks == 0 ? 1 : step->tasks;
}

static int left_out(const struct search *search, const struct journal_step *step, const char *path)
{
    const struct policy_header *header = search->source->policy;
    uint32_t wanted = task_count(step) > 1 ? POLICY_TRACK_MPI : POLICY_TRACK_SCALAR;
    return search->host_skipped || (header->switches & wanted) == 0 ||
           policy_decide(header, path, strlen(path), 0, NULL).action == POLICY_SKIP;
}

/* ---- What the captures tell ------------------------------------------------------------------ */

/* Whether the last part of the path is one of the names, which end with NULL. */
static int is_named(const char *path, size_t size, const char *const names[])
{
    const char *slash = memrchr(path, '/', size);
    size_t length = slash == NULL ? size : (size_t)(path + size - slash - 1);
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], path + size - length, length) == 0)
            return 1;
    }
    return 0;
}

static int is_runtime(const char *path, size_t size)
{
    static const char *const names[] = {
        "apptainer", "singularity", "starter", "starter-suid", "ch-run", "podman", "docker",
        "enroot",    "shifter",     "sarus",   "udocker",      "runc",   "crun",   NULL,
    };
    return is_named(path, size, names);
}

static int is_launcher(const char *path)
{
    static const char *const names[] = {"orted", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy",
                                        NULL};
    return path != NULL && is_named(path, strlen(path), names);
}

static int by_task(uint32_t step_a, uint32_t task_a, uint32_t step_b, uint32_t task_b)
{
    if (step_a != step_b)
        return step_a < step_b ? -1 : 1;
    return task_a < task_b ? -1 : task_a > task_b;
}

static int compare_witnesses(const void *left, const void *right)
{
    const struct coverage_witness *a = left, *b = right;
    return by_task(a->step, a->task, b->step, b->task);
}

int coverage_witnesses_make(const struct journal *journal, struct coverage_witnesses *witnesses)
{
    struct coverage_witness *task = calloc(journal->task_count + 1, sizeof *task);
    if (task == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < journal->task_count; i++) {
        task[i].step = journal->tasks[i].step;
        task[i].task = journal->tasks[i].task;
    }
    qsort(task, journal->task_count, sizeof *task, compare_witnesses);
    *witnesses = (struct coverage_witnesses){task, journal->task_count};
    return 0;
}

/* The first one of the task, or NULL. */
static struct coverage_witness *find_witness(const struct coverage_witnesses *witnesses,
                                             uint32_t step, uint32_t task)
{
    size_t low = 0, high = witnesses->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct coverage_witness *witness = &witnesses->task[middle];
        if (by_task(witness->step, witness->task, step, task) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct coverage_witness *found = &witnesses->task[low];
    return low < witnesses->count && found->step == step && found->task == task ? found : NULL;
}

/* A container's runtime tells nothing of what ran inside. */
void coverage_witness(struct coverage_witnesses *witnesses, const struct capture *capture)
{
    struct coverage_witness *witness = find_witness(witnesses, capture->step, capture->task);
    if (witness == NULL)
        return;
    if (!is_runtime(capture->exec.at, capture->exec.size))
        witness->says = WITNESS_PROGRAM;
    else if (witness->says == WITNESS_NONE)
        witness->says = WITNESS_RUNTIME;
}

static int witnesses_say(const struct coverage_witnesses *witnesses,
                         const struct journal_task *task)
{
    const struct coverage_witness *witness =
        witnesses == NULL ? NULL : find_witness(witnesses, task->step, task->task);
    return witness == NULL ? WITNESS_NONE : (int)witness->says;
}

void coverage_witnesses_free(struct coverage_witnesses *witnesses)
{
    free(witnesses->task);
    *witnesses = (struct coverage_witnesses){NULL, 0};
}

/* ---- What the journal tells ------------------------------------------------------------------ */

static int compare_programs(const void *left, const void *right)
{
    const struct journal_program *a = *(const struct journal_program *const *)left;
    const struct journal_program *b = *(const struct journal_program *const *)right;
    return by_task(a->step, a->task, b->step, b->task);
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

static int spool_failed(const struct search *search, const struct journal_step *step)
{
    return search->source->witnesses == NULL || search->source->dropped > 0 ||
           (step != NULL && step->no_ledger);
}

static int may_be_sampled(const struct search *search, const struct journal_step *step)
{
    const struct policy_header *header = search->source->policy;
    uint32_t tasks = task_count(step);
    return (header->switches & POLICY_SAMPLE) != 0 && (tasks == 1 || tasks < header->always_ranks);
}

/* The outcome of a task that should have left a capture. */
static enum coverage_outcome examine(const struct search *search, const struct journal_task *task,
                                     const struct journal_step *step, const struct program *program)
{
    int killed = task->end_ns != 0 && WIFSIGNALED(task->status);
    if (program->kind == PROGRAM_MISSING)
        return COVERAGE_MISSING;
    if (is_runtime(program->path, strlen(program->path)))
        return COVERAGE_CONTAINER;
    if (is_launcher(program->path))
        return COVERAGE_LAUNCHER;
    if (left_out(search, step, program->path))
        return COVERAGE_POLICY;
    if (program->kind == PROGRAM_STATIC)
        return COVERAGE_STATIC;
    if (program->kind == PROGRAM_PRIVILEGED)
        return COVERAGE_SETUID;
    if (spool_failed(search, step))
        return COVERAGE_SPOOL;
    if (killed)
        return COVERAGE_KILLED;
    return may_be_sampled(search, step) ? COVERAGE_SAMPLED : COVERAGE_UNKNOWN;
}

/* The outcome as far as it is known without a look at the program; COVERAGE_UNKNOWN: not known. */
static enum coverage_outcome known_outcome(const struct search *search,
                                           const struct journal_task *task,
                                           const struct journal_step *step, uint32_t leader)
{
    if (search->excluded)
        return COVERAGE_EXCLUDED;
    if (step != NULL && step->opted_out)
        return COVERAGE_OPTED_OUT;
    int says = witnesses_say(search->source->witnesses, task);
    if (says == WITNESS_PROGRAM)
        return COVERAGE_RECORDED;
    if (says == WITNESS_RUNTIME || (step != NULL && step->container))
        return COVERAGE_CONTAINER;
    if (leader == JOURNAL_NONE ? task->task != 0 : task->task != leader)
        return COVERAGE_FOLLOWER;
    if (task->step != JOURNAL_STEP_BATCH)
        return COVERAGE_UNKNOWN;
    return spool_failed(search, step) ? COVERAGE_SPOOL : COVERAGE_SCRIPT;
}

static int judge(const struct search *search, const struct journal_task *task,
                 struct verdict *verdict)
{
    const struct journal *journal = search->source->journal;
    const struct journal_step *step = journal_find_step(journal, task->step);
    const struct journal_program *asked = find_program(search, task);
    const char *path = asked == NULL ? NULL : asked->path;
    struct program program;
    *verdict =
        (struct verdict){.task = task, .leader = asked == NULL ? JOURNAL_NONE : asked->leader};
    verdict->outcome = known_outcome(search, task, step, verdict->leader);
    if (verdict->outcome == COVERAGE_UNKNOWN && !search->source->blind) {
        program_find(asked, journal->identity.uid, journal->identity.gid, &program);
        verdict->outcome = examine(search, task, step, &program);
        path = program.path;
    }
    int is_told = verdict->outcome != COVERAGE_EXCLUDED && verdict->outcome != COVERAGE_OPTED_OUT;
    if (path == NULL || path[0] == '\0' || !is_told || task->step == JOURNAL_STEP_BATCH)
        return 0;
    verdict->program = strdup(path);
    return verdict->program == NULL ? -ENOMEM : 0;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static int compare_verdicts(const void *left, const void *right)
{
    const struct verdict *a = left, *b = right;
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

static int of_same_fact(const struct coverage_fact *fact, const struct verdict *verdict)
{
    return fact->step == verdict->task->step && fact->outcome == verdict->outcome &&
           fact->leader == verdict->leader &&
           strcmp(fact->program == NULL ? "" : fact->program,
                  verdict->program == NULL ? "" : verdict->program) == 0;
}

static uint64_t end_of(const struct coverage_source *source, const struct journal_task *task)
{
    const struct journal_step *step = journal_find_step(source->journal, task->step);
    if (task->end_ns != 0)
        return task->end_ns;
    if (step != NULL && step->end_ns != 0)
        return step->end_ns;
    return source->journal->epilog_ns != 0 ? source->journal->epilog_ns : source->now_ns;
}

static void add_task(const struct coverage_source *source, const struct journal_task *task,
                     struct coverage_fact *fact)
{
    uint64_t end_ns = end_of(source, task);
    const struct journal_step *step = journal_find_step(source->journal, task->step);
    fact->tasks++;
    fact->core_seconds += is_launcher(fact->program)
                              ? core_time_of_job(step, task->start_ns, end_ns)
                              : core_time(source->journal, step, task->start_ns, end_ns);
    if (task->start_ns < fact->start_ns)
        fact->start_ns = task->start_ns;
    if (end_ns > fact->end_ns)
        fact->end_ns = end_ns;
}

/* Both arrays have room for one entry of each verdict. */
static void collect_facts(const struct coverage_source *source, struct verdict *verdicts,
                          size_t count, struct coverage *coverage)
{
    for (size_t i = 0; i < count; i++) {
        struct verdict *verdict = &verdicts[i];
        struct coverage_fact *fact =
            coverage->fact_count == 0 ? NULL : &coverage->facts[coverage->fact_count - 1];
        if (fact == NULL || !of_same_fact(fact, verdict)) {
            fact = &coverage->facts[coverage->fact_count++];
            *fact = (struct coverage_fact){.outcome = verdict->outcome,
                                           .step = verdict->task->step,
                                           .leader = verdict->leader,
                                           .first_task = verdict->task->task,
                                           .start_ns = UINT64_MAX,
                                           .program = verdict->program};
            verdict->program = NULL;
        }
        add_task(source, verdict->task, fact);
        if (verdict->outcome == COVERAGE_STATIC)
            coverage->statics[coverage->static_count++] =
                (struct coverage_static){verdict->task, fact->program};
    }
}

static int by_number(const void *left, const void *right)
{
    const struct coverage_static *a = left, *b = right;
    return a->task < b->task ? -1 : a->task > b->task;
}

/* Slurm's own process in the step of the node's prolog is no task of anybody; and a step that began
 * while the site had switched jobtrail off is none of ours. */
static int counts(const struct journal *journal, const struct journal_task *task)
{
    return task->step != JOURNAL_STEP_EXTERN && journal_find_step(journal, task->step) != NULL;
}

static int judge_all(const struct search *search, struct verdict *verdicts, size_t *count)
{
    const struct journal *journal = search->source->journal;
    for (size_t i = 0; i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        if (!counts(journal, task))
            continue;
        int result = judge(search, task, &verdicts[(*count)++]);
        if (result != 0)
            return result;
    }
    qsort(verdicts, *count, sizeof *verdicts, compare_verdicts);
    return 0;
}

static int find_facts(const struct search *search, struct coverage *coverage)
{
    size_t count = 0, room = search->source->journal->task_count + 1;
    struct verdict *verdicts = calloc(room, sizeof *verdicts);
    coverage->facts = calloc(room, sizeof *coverage->facts);
    coverage->statics = calloc(room, sizeof *coverage->statics);
    int result = verdicts == NULL || coverage->facts == NULL || coverage->statics == NULL
                     ? -ENOMEM
                     : judge_all(search, verdicts, &count);
    if (result == 0) {
        collect_facts(search->source, verdicts, count, coverage);
        qsort(coverage->statics, coverage->static_count, sizeof *coverage->statics, by_number);
    }
    for (size_t i = 0; i < count; i++)
        free(verdicts[i].program);
    free(verdicts);
    return result;
}

int coverage_find(const struct coverage_source *source, struct coverage *coverage)
{
    struct coverage found = {0};
    struct search search = {.source = source,
                            .excluded = coverage_excludes(source->policy, source->journal),
                            .host_skipped = skips_this_host(source->policy)};
    int result = collect_programs(&search);
    if (result == 0)
        result = find_facts(&search, &found);
    free(search.programs);
    if (result == 0)
        *coverage = found;
    else
        coverage_free(&found);
    return result;
}

void coverage_free(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->fact_count; i++)
        free(coverage->facts[i].program);
    free(coverage->facts);
    free(coverage->statics);
    *coverage = (struct coverage){0};
}
