/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/journal_facts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "conf/base/number_list.h"
#include "spank/journal.h"
#include "submit/job/journal_words.h"

static int set_text(char **text, const struct journal_words *line, const char *key)
{
    const char *value = journal_words_value(line, key);
    if (value == NULL)
        return 0;
    char *copy = strdup(value);
    if (copy == NULL)
        return -ENOMEM;
    free(*text);
    *text = copy;
    return 0;
}

/* Makes room for one more element of `size` bytes. Returns 0, -ENOMEM, or -EFBIG beyond
 * JOURNAL_FACTS_MAX. */
static int grow_facts(struct journal *journal, void **array, size_t count, size_t size)
{
    if (journal->facts_bytes > JOURNAL_FACTS_MAX)
        return -EFBIG;
    journal->facts_bytes += size;
    return grow_by_one(array, count, size);
}

static uint32_t number_of_step(const void *steps, size_t i)
{
    return ((const struct journal_step *)steps)[i].step;
}

static uint32_t pid_of_task(const void *tasks, size_t i)
{
    return (uint32_t)((const struct journal_task *)tasks)[i].pid;
}

static struct journal_step *find_step(struct journal *journal, uint32_t step)
{
    return (struct journal_step *)journal_find_step(journal, step);
}

/* Reads whose job it is, and its node. */
static int take_job(struct journal *journal, const struct journal_words *line)
{
    struct job_identity *identity = &journal->identity;
    identity->job = journal_words_number32(line, "job", identity->job);
    if (!journal->has_restart)
        identity->restart = journal_words_number32(line, "restart", identity->restart);
    identity->uid = (uid_t)journal_words_number32(line, "uid", (uint32_t)identity->uid);
    identity->gid = (gid_t)journal_words_number32(line, "gid", (uint32_t)identity->gid);
    return set_text(&identity->node, line, "node") != 0 ||
                   set_text(&journal->boot, line, "boot") != 0
               ? -ENOMEM
               : 0;
}

/* The job's cores on this node, which each of its steps tells. */
static int take_job_cores(struct journal *journal, const struct journal_words *line)
{
    journal->has_whole_cores |= journal_words_number32(line, "whole_cores", 0) != 0;
    return journal->cores.count > 0
               ? 0
               : core_set_parse(journal_words_value(line, "job_cores"), &journal->cores);
}

/* Owns its cores once it is in the journal. */
static int add_step(struct journal *journal, const struct journal_words *line,
                    struct journal_step *step)
{
    int error =
        grow_facts(journal, (void **)&journal->steps, journal->step_count, sizeof *journal->steps);
    if (error == 0)
        error = core_set_parse(journal_words_value(line, "cores"), &step->cores);
    if (error != 0)
        return error;
    journal->facts_bytes += step->cores.word_count * sizeof *step->cores.words;
    journal->steps[journal->step_count++] = *step;
    journal->has_opted_out |= step->opted_out;
    return journal_index_add(&journal->step_index, journal->step_count, number_of_step,
                             journal->steps);
}

static int take_step(struct journal *journal, const struct journal_words *line)
{
    struct journal_step step = {
        .step = journal_words_number32(line, "step", JOURNAL_NONE),
        .nodes = journal_words_number32(line, "nodes", 0),
        .node_id = journal_words_number32(line, "node_id", 0),
        .tasks = journal_words_number32(line, "tasks", 0),
        .local_tasks = journal_words_number32(line, "local_tasks", 0),
        .cpus = journal_words_number32(line, "cpus", 0),
        .memory_mib = journal_words_number(line, "memory", 0),
        .cpus_per_task = journal_words_number32(line, "cpus_per_task", 0),
        .pid = (int32_t)journal_words_number32(line, "pid", 0),
        .ticks = journal_words_number(line, "ticks", 0),
        .name_space = journal_words_number(line, "name_space", 0),
        .start_ns = line->time_ns,
        .opted_out = journal_words_number32(line, "opted_out", 0) != 0,
        .container = journal_words_number32(line, "container", 0) != 0,
    };
    journal->freezes |= journal_words_number32(line, "freezes", 0) != 0;
    const char *ranks = journal_words_value(line, "profile_ranks");
    if (ranks != NULL && number_list_is_valid(ranks))
        snprintf(step.profile_ranks, sizeof step.profile_ranks, "%s", ranks);
    struct job_identity *identity = &journal->identity;
    identity->array_task = journal_words_number32(line, "array_task", identity->array_task);
    if (identity->array_task != JOURNAL_NONE)
        identity->array_job = journal_words_number32(line, "array_job", identity->array_job);
    if (take_job(journal, line) != 0 || set_text(&identity->qos, line, "qos") != 0 ||
        set_text(&journal->submit_host, line, "submit_host") != 0 ||
        take_job_cores(journal, line) != 0)
        return -ENOMEM;
    return add_step(journal, line, &step);
}

static int take_no_ledger(struct journal *journal, const struct journal_words *line)
{
    struct journal_step *step =
        find_step(journal, journal_words_number32(line, "step", JOURNAL_NONE));
    if (step == NULL)
        return -ENOENT;
    step->no_ledger = true;
    return 0;
}

/* Room for a text of `size` bytes; NULL: out of memory. */
static struct journal_shared_text *add_text(struct journal *journal, size_t size)
{
    struct journal_shared_text *shared = calloc(1, sizeof *shared + size + 1);
    if (shared == NULL)
        return NULL;
    shared->size = size;
    shared->next = journal->texts;
    journal->texts = shared;
    journal->facts_bytes += sizeof *shared + size + 1;
    return shared;
}

/* Finds or adds the text of `key`; `last`, that of the program before, is used again where it is
 * the same. */
static int share_text(struct journal *journal, const struct journal_words *line, const char *key,
                      const char *last, const char **text)
{
    const char *value = journal_words_value(line, key);
    *text = value != NULL && last != NULL && strcmp(value, last) == 0 ? last : NULL;
    if (value == NULL || *text != NULL)
        return 0;
    struct journal_shared_text *shared = add_text(journal, strlen(value));
    if (shared == NULL)
        return -ENOMEM;
    memcpy(shared->text, value, shared->size);
    shared->length = shared->size;
    *text = shared->text;
    return 0;
}

static int take_program(struct journal *journal, const struct journal_words *line)
{
    const struct journal_program none = {.path = NULL};
    int error = grow_facts(journal, (void **)&journal->programs, journal->program_count,
                           sizeof *journal->programs);
    if (error != 0)
        return error;
    struct journal_program *program = &journal->programs[journal->program_count];
    const struct journal_program *last = journal->program_count == 0 ? &none : program - 1;
    journal->program_count++;
    *program = (struct journal_program){
        .step = journal_words_number32(line, "step", JOURNAL_NONE),
        .task = journal_words_number32(line, "task", JOURNAL_NONE),
        .leader = journal_words_number32(line, "leader", JOURNAL_NONE),
    };
    error = share_text(journal, line, "path", last->path, &program->path) != 0 ||
                    share_text(journal, line, "cwd", last->cwd, &program->cwd) != 0 ||
                    share_text(journal, line, "search", last->search, &program->search) != 0 ||
                    share_text(journal, line, "copy", last->copy, &program->copy) != 0
                ? -ENOMEM
                : 0;
    journal->has_copies |= program->copy != NULL;
    return error;
}

/* What a line of a step's daemon says beside its words. */
struct daemon_look {
    uint64_t time_ns, busy_ns;        /* of the line */
    uint64_t seen_ns, busy_when_seen; /* of the fork for the task's epilog, or of the line */
    uint64_t died_ns;                 /* the task ended then or later; 0: unknown */
    uint32_t thread;
};

static struct daemon_look daemon_look(const struct journal_words *line)
{
    struct daemon_look look = {.time_ns = line->time_ns,
                               .busy_ns = journal_words_number(line, "busy", 0),
                               .seen_ns = journal_words_number(line, "forked", line->time_ns),
                               .died_ns = journal_words_number(line, "died", 0),
                               .thread = journal_words_number32(line, "thread", 0)};
    look.busy_when_seen = journal_words_number(line, "forked_busy", look.busy_ns);
    /* the clock was set back meanwhile */
    if (look.seen_ns > line->time_ns)
        look.seen_ns = line->time_ns;
    return look;
}

/* How long slurmstepd may have needed to see the end of a task for which it waited: as long as its
 * thread was on a processor or waited for one since it dealt with a task last, and what it may have
 * waited for locks and disks, which is assumed. UINT64_MAX: unknown. */
static uint64_t daemon_delay(const struct journal_step *step, const struct daemon_look *look)
{
    const uint64_t blocked_ns = 50000000;
    bool is_measured = look->busy_when_seen != 0 && step->busy_ns != 0 &&
                       look->thread == step->thread && look->busy_when_seen >= step->busy_ns;
    return is_measured ? look->busy_when_seen - step->busy_ns + blocked_ns : UINT64_MAX;
}

static void note_look(struct journal_step *step, const struct daemon_look *look,
                      uint64_t dead_since_ns)
{
    step->look_ns = look->time_ns;
    step->dead_since_ns = dead_since_ns;
    step->busy_ns = look->busy_ns;
    step->thread = look->thread;
}

static int take_task(struct journal *journal, const struct journal_words *line)
{
    int error =
        grow_facts(journal, (void **)&journal->tasks, journal->task_count, sizeof *journal->tasks);
    if (error != 0)
        return error;
    journal->tasks[journal->task_count++] = (struct journal_task){
        .step = journal_words_number32(line, "step", JOURNAL_NONE),
        .task = journal_words_number32(line, "task", JOURNAL_NONE),
        .pid = (int32_t)journal_words_number32(line, "pid", 0),
        .ticks = journal_words_number(line, "ticks", 0),
        .start_ns = line->time_ns,
    };
    /* tasks may end while others are still being started */
    struct journal_step *step = find_step(journal, journal->tasks[journal->task_count - 1].step);
    const struct daemon_look look = daemon_look(line);
    if (step != NULL)
        note_look(step, &look, step->dead_since_ns != 0 ? step->dead_since_ns : look.time_ns);
    return journal_index_add(&journal->task_index, journal->task_count, pid_of_task,
                             journal->tasks);
}

/* How much earlier a task may have ended than slurmstepd saw it, where the kernel did not say when
 * it died. slurmstepd starts all tasks of a node, blocks until the first one ends, looks for others
 * once, 100 ms later, and blocks again (measured with Slurm 22.05). So a task that is seen shortly
 * after another one may have ended at any time since the others were last known to live. */
static uint64_t exit_error(struct journal_step *step, const struct daemon_look *look,
                           bool others_live)
{
    const uint64_t apart_ns = 1000000000;
    if (step == NULL)
        return UINT64_MAX;
    uint64_t delay_ns = daemon_delay(step, look);
    bool is_alone = step->look_ns == 0 || (look->seen_ns > step->look_ns + apart_ns &&
                                           look->seen_ns - step->look_ns - apart_ns > delay_ns);
    /* 1: at any time before; 0 would be: not yet */
    uint64_t since_ns = look->seen_ns > delay_ns ? look->seen_ns - delay_ns : 1;
    if (!is_alone && step->dead_since_ns < since_ns)
        since_ns = step->dead_since_ns;
    note_look(step, look, others_live ? look->time_ns : since_ns);
    if (delay_ns == UINT64_MAX)
        return delay_ns;
    return look->seen_ns > since_ns ? look->seen_ns - since_ns : 0;
}

/* Notes the end of the youngest task of this step, number and pid that has not ended. Pids are used
 * again, but never two tasks of one step and number run at once. */
static int take_exit(struct journal *journal, const struct journal_words *line)
{
    uint32_t step = journal_words_number32(line, "step", JOURNAL_NONE);
    uint32_t task = journal_words_number32(line, "task", JOURNAL_NONE);
    int32_t pid = (int32_t)journal_words_number32(line, "pid", 0);
    uint64_t status = journal_words_number(line, "status", UINT64_MAX);
    const struct daemon_look look = daemon_look(line);
    const char *others = journal_words_value(line, "others");
    bool others_live = others != NULL && strcmp(others, "alive") == 0;
    if (status > UINT32_MAX)
        return -EINVAL;
    const struct journal_index *index = &journal->task_index;
    for (uint32_t i = journal_index_first(index, journal->task_count, (uint32_t)pid); i > 0;
         i = journal_index_next(index, i)) {
        struct journal_task *known = &journal->tasks[i - 1];
        if (known->step != step || known->task != task || known->pid != pid || known->end_ns != 0)
            continue;
        known->end_ns = look.seen_ns;
        known->max_ns = look.time_ns;
        known->max_up_ns = journal_words_time(line, "up");
        known->work_ns = exit_error(find_step(journal, step), &look, others_live);
        known->error_ns = known->work_ns;
        if (look.died_ns >= known->start_ns && look.died_ns <= look.seen_ns)
            known->error_ns = look.seen_ns - look.died_ns;
        else if (look.died_ns != 0) /* the clock was set meanwhile */
            known->error_ns = UINT64_MAX;
        known->status = (int)status;
        const uint64_t executed = journal_words_number(line, "executed", UINT64_MAX);
        known->program_ns = executed == UINT64_MAX ? 0 : executed;
        known->has_no_program = executed == 0;
        return 0;
    }
    return -ENOENT;
}

/* Pieces follow each other. A text that begins anew is of a later run of a requeued job. */
static int take_variable(struct journal *journal, const struct journal_words *line)
{
    struct journal_step *step =
        find_step(journal, journal_words_number32(line, "step", JOURNAL_NONE));
    const char *name = journal_words_value(line, "name");
    const char *piece = journal_words_value(line, "text");
    uint64_t size = journal_words_number(line, "size", UINT64_MAX);
    uint64_t at = journal_words_number(line, "at", UINT64_MAX);
    if (step == NULL || name == NULL || piece == NULL || size > JOURNAL_VARIABLE_MAX)
        return -EINVAL;
    struct journal_shared_text **text =
        strcmp(name, "preload") == 0 ? &step->preload : &step->library_path;
    if (at == 0) {
        if (journal->facts_bytes > JOURNAL_FACTS_MAX)
            return -EFBIG;
        *text = add_text(journal, size);
        if (*text == NULL)
            return -ENOMEM;
    }
    size_t length = strlen(piece);
    if (*text == NULL || (*text)->size != size || (*text)->length != at || length > size - at) {
        *text = NULL;
        return -EINVAL;
    }
    memcpy((*text)->text + at, piece, length);
    (*text)->length += length;
    return 0;
}

/* NULL where a piece is missing. */
static const char *whole_text(const struct journal_shared_text *text)
{
    return text != NULL && text->length == text->size ? text->text : NULL;
}

/* Of the task that ended last as this process. Most tasks of a step have the same. */
static int take_loader(struct journal *journal, const struct journal_words *line)
{
    uint32_t step = journal_words_number32(line, "step", JOURNAL_NONE);
    uint32_t task = journal_words_number32(line, "task", JOURNAL_NONE);
    uint32_t pid = journal_words_number32(line, "pid", 0);
    const struct journal_index *index = &journal->task_index;
    struct journal_task *known = NULL;
    for (uint32_t i = journal_index_first(index, journal->task_count, pid); i > 0;
         i = journal_index_next(index, i)) {
        struct journal_task *one = &journal->tasks[i - 1];
        if (one->step == step && one->task == task && one->end_ns != 0 &&
            (known == NULL || one->end_ns > known->end_ns))
            known = one;
    }
    if (known == NULL)
        return -ENOENT;
    if (journal->facts_bytes > JOURNAL_FACTS_MAX)
        return -EFBIG;
    if (share_text(journal, line, "library_path", journal->library_path, &known->library_path) !=
            0 ||
        share_text(journal, line, "preload", journal->preload, &known->preload) != 0)
        return -ENOMEM;
    if (known->library_path != NULL)
        journal->library_path = known->library_path;
    if (known->preload != NULL)
        journal->preload = known->preload;
    const struct journal_step *of = find_step(journal, step);
    if (known->library_path == NULL && of != NULL)
        known->library_path = whole_text(of->library_path);
    if (known->preload == NULL && of != NULL)
        known->preload = whole_text(of->preload);
    return 0;
}

static int take_end(struct journal *journal, const struct journal_words *line)
{
    struct journal_step *step =
        find_step(journal, journal_words_number32(line, "step", JOURNAL_NONE));
    if (step == NULL)
        return -ENOENT;
    step->end_ns = line->time_ns;
    step->end_up_ns = journal_words_time(line, "up");
    return 0;
}

static int take_credential(struct journal *journal, const struct journal_words *line)
{
    struct job_identity *identity = &journal->identity;
    journal->nodes = journal_words_number32(line, "nodes", 0);
    identity->het_job = journal_words_number32(line, "het_job", JOURNAL_NONE);
    const char *nodes = journal_words_value(line, "node_list");
    long place = nodes == NULL ? -1 : node_list_find(nodes, identity->node);
    const struct journal_cpus cpus = journal_words_cpus(journal_words_value(line, "cpus"), place);
    journal->cpus = cpus.sum;
    /* the CPUs are always those of the job's nodes, the list of the step that brings a prolog */
    bool is_place = cpus.of_place > 0 && node_list_count(nodes) == (long)cpus.nodes;
    if (journal->node_cpus == 0)
        journal->node_cpus = is_place ? cpus.of_place : cpus.each;
    journal->gpus = journal_words_count_list(journal_words_value(line, "gpus"));
    if ((!job_identity_is_named(identity) && set_text(&identity->user, line, "user") != 0) ||
        set_text(&identity->account, line, "account") != 0 ||
        set_text(&identity->partition, line, "partition") != 0 ||
        set_text(&identity->qos, line, "qos") != 0 ||
        set_text(&identity->cluster, line, "cluster") != 0)
        return -ENOMEM;
    return 0;
}

static int take_prolog(struct journal *journal, const struct journal_words *line)
{
    journal->prolog_ns = line->time_ns;
    int error = take_job(journal, line);
    return error == 0 ? take_credential(journal, line) : error;
}

static void take_start(struct journal *journal, const struct journal_words *line)
{
    const uint64_t second_ns = 1000000000;
    uint64_t start_s = journal_words_number(line, "start", 0);
    if (start_s <= line->time_ns / second_ns)
        journal->start_ns = start_s * second_ns;
}

static int take_again(struct journal *journal, const struct journal_words *line)
{
    struct job_identity *identity = &journal->identity;
    identity->restart = journal_words_number32(line, "restart", identity->restart);
    journal->has_restart = true;
    return 0;
}

static int take_script(struct journal *journal, const struct journal_words *line)
{
    take_again(journal, line);
    take_start(journal, line);
    return take_credential(journal, line);
}

static int take_epilog(struct journal *journal, const struct journal_words *line)
{
    struct job_identity *identity = &journal->identity;
    const uint32_t next = journal_words_number32(line, "restart", 0);
    if (journal->epilog_ns != 0)
        return 0;
    journal->epilog_ns = line->time_ns;
    /* without a prolog, on a node without the script, a run since what was noted may be another */
    if (journal->prolog_ns == 0 && !journal->has_restart && next > 0 &&
        next - 1 > identity->restart)
        identity->restart = next - 1;
    take_start(journal, line);
    return take_credential(journal, line);
}

/* The process watch saw the job running at `since` last, and suspended at the line's time. */
static int take_suspend(struct journal *journal, const struct journal_words *line)
{
    const struct journal_pause *last =
        journal->pause_count == 0 ? NULL : &journal->pauses[journal->pause_count - 1];
    uint64_t since_ns = journal_words_time(line, "since");
    if (since_ns == 0 || since_ns > line->time_ns || journal->pause_count >= JOURNAL_PAUSES_MAX ||
        (last != NULL && since_ns < last->may_end_ns))
        return -EINVAL;
    if (GROW(journal->pauses, journal->pause_count) != 0)
        return -ENOMEM;
    journal->pauses[journal->pause_count++] = (struct journal_pause){
        .may_start_ns = since_ns,
        .start_ns = line->time_ns,
        .end_ns = line->time_ns,
        .may_end_ns = UINT64_MAX,
    };
    return 0;
}

static int take_resume(struct journal *journal, const struct journal_words *line)
{
    struct journal_pause *last =
        journal->pause_count == 0 ? NULL : &journal->pauses[journal->pause_count - 1];
    uint64_t since_ns = journal_words_time(line, "since");
    if (last == NULL || last->may_end_ns != UINT64_MAX || since_ns < last->start_ns ||
        since_ns > line->time_ns)
        return -EINVAL;
    last->end_ns = since_ns;
    last->may_end_ns = line->time_ns;
    return 0;
}

/* The real clock's distance from the boot changes only when somebody sets the clock. Lines of
 * another boot, whose clock begins again, tell nothing. */
static void take_clock(struct journal *journal, const struct journal_words *line)
{
    uint64_t up_ns = journal_words_time(line, "up");
    if (up_ns == 0)
        return;
    uint64_t apart_ns = line->time_ns - up_ns;
    if (journal->up_ns == 0)
        journal->apart_ns = apart_ns;
    else if (up_ns >= journal->up_ns) {
        journal->is_clock_known = true;
        journal->clock_step_ns = (int64_t)(apart_ns - journal->apart_ns);
    }
    if (up_ns > journal->up_ns)
        journal->up_ns = up_ns;
}

static int take_words(struct journal *journal, const struct journal_words *line)
{
    static const struct {
        const char *verb;
        int (*take)(struct journal *, const struct journal_words *);
        bool is_of_watch;
    } verbs[] = {
        {"prolog", take_prolog, false},     {"step", take_step, false},
        {"task", take_task, false},         {"exit", take_exit, false},
        {"end", take_end, false},           {"epilog", take_epilog, false},
        {"program", take_program, false},   {"noledger", take_no_ledger, false},
        {"suspend", take_suspend, true},    {"resume", take_resume, true},
        {"credential", take_script, false}, {"again", take_again, false},
        {"loader", take_loader, false},     {"variable", take_variable, false},
    };
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(line->verb, verbs[i].verb) != 0)
            continue;
        if (!verbs[i].is_of_watch) {
            /* A job that does something is not suspended any more: it goes on, or Slurm has resumed
             * it to kill it. */
            struct journal_pause *last =
                journal->pause_count == 0 ? NULL : &journal->pauses[journal->pause_count - 1];
            if (last != NULL && last->may_end_ns == UINT64_MAX && line->time_ns > last->start_ns)
                last->may_end_ns = line->time_ns;
        }
        return verbs[i].take(journal, line);
    }
    return 0;
}

/* That of the batch step is what the credential says, for this node; those of other steps are more
 * or less (spank/journal.h). */
void journal_facts_finish(struct journal *journal)
{
    uint32_t batch = 0, whole = 0, most = 0;
    for (size_t i = 0; i < journal->step_count; i++) {
        const struct journal_step *step = &journal->steps[i];
        /* of a step on some of the job's nodes Slurm may tell another node's CPUs */
        bool has_all = step->cores.count > 0 && step->cores.count == journal->cores.count &&
                       (journal->nodes <= 1 || step->nodes == journal->nodes);
        if (step->step == JOURNAL_STEP_BATCH)
            batch = step->cpus;
        else if (has_all && step->cpus > whole)
            whole = step->cpus;
        if (step->cpus > most)
            most = step->cpus;
    }
    uint32_t granted = batch > 0 ? batch : journal->node_cpus;
    if (granted == 0)
        granted = whole > 0 ? whole : most;
    journal->node_cpus = journal->has_whole_cores && whole > granted ? whole : granted;
}

int journal_facts_take(struct journal *journal, char *text, size_t length)
{
    struct journal_words line;
    /* bytes of a file that a crash left unwritten are NUL */
    int error = strlen(text) == length ? journal_words_cut(text, &line) : -EINVAL;
    if (error == 0 && line.time_ns > journal->last_ns)
        journal->last_ns = line.time_ns;
    if (error == 0)
        error = take_words(journal, &line);
    if (error == 0)
        take_clock(journal, &line);
    if (error == -ENOMEM)
        return error;
    journal->bad_lines += error != 0;
    return 0;
}
