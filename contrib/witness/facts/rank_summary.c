/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/facts/rank_summary.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "conf/base/grow.h"
#include "conf/policy/policy_read.h"
#include "contrib/witness/facts/kernel_run.h"
#include "contrib/witness/facts/rank_process.h"
#include "spank/journal.h"
#include "submit/facts/coverage.h"
#include "submit/facts/program_name.h"
#include "submit/record/json_add.h"

/* GENERATIONS_MAX: below a task. */
enum { GENERATIONS_MAX = 256, PATH_BYTES = 4096, END_SIZE = 32 };

static bool is_parallel(const struct journal_step *step)
{
    return step->tasks > 1 && !step->opted_out && step->step < JOURNAL_STEP_INTERACTIVE;
}

/* ---- Which processes are ranks --------------------------------------------------------------- */

struct rank {
    const struct journal_step *step;
    const struct journal_task *task; /* NULL: it has no number */
    const struct kernel_noted *noted;
};

struct ranks {
    struct rank *rank; /* owned */
    size_t count, room;
    uint32_t *seen; /* owned: of each step of the journal the tasks that the kernel reported */
};

struct rank_search {
    const struct journal *journal;
    const struct journal_step *step;
    const struct journal_task *task;
    struct ranks *ranks;
};

static int add_rank(void *context, const struct kernel_noted *noted, bool has_number)
{
    const struct rank_search *search = context;
    struct ranks *ranks = search->ranks;
    int error = GROW_TO(ranks->rank, ranks->room, ranks->count + 1);
    if (error == 0)
        ranks->rank[ranks->count++] =
            (struct rank){search->step, has_number ? search->task : NULL, noted};
    return error;
}

/* The task below which a launcher runs, and no other launcher between. */
static const struct journal_task *task_above(const struct journal *journal,
                                             const struct kernel_notes *notes,
                                             const struct kernel_noted *launcher)
{
    for (int i = 0; i < GENERATIONS_MAX; i++) {
        const struct journal_task *task = kernel_run_task(journal, &launcher->note);
        if (task != NULL)
            return task;
        launcher = kernel_notes_parent(notes, &launcher->note);
        if (launcher == NULL || rank_process_has_ranks(launcher))
            return NULL;
    }
    return NULL;
}

/* The step of one task below which a launcher runs; NULL: there is none. */
static const struct journal_step *step_above(const struct journal *journal,
                                             const struct kernel_notes *notes,
                                             const struct kernel_noted *launcher)
{
    const struct journal_task *task = task_above(journal, notes, launcher);
    const struct journal_step *step = task == NULL ? NULL : journal_find_step(journal, task->step);
    return step == NULL || step->opted_out || is_parallel(step) ? NULL : step;
}

/* One that has started a single program here, and nothing elsewhere, has no ranks. */
static int find_launched(const struct journal *journal, const struct rank_processes *processes,
                         struct ranks *ranks)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < processes->notes->count; i++) {
        const struct kernel_noted *noted = &processes->notes->noted[i];
        const struct journal_step *step =
            rank_process_has_ranks(noted) ? step_above(journal, processes->notes, noted) : NULL;
        struct rank_search search = {journal, step, NULL, ranks};
        const size_t before = ranks->count;
        if (step == NULL)
            continue;
        error = rank_processes_find(processes, noted, add_rank, &search);
        if (ranks->count == before + 1 && !rank_process_is_far(processes, noted))
            ranks->count = before;
    }
    return error;
}

static int find_ranks(const struct journal *journal, const struct kernel_notes *notes,
                      const struct policy_header *policy, struct ranks *ranks)
{
    struct rank_processes processes;
    int error = rank_processes_make(notes, policy, &processes);
    for (size_t i = 0; error == 0 && i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        const struct journal_step *step = journal_find_step(journal, task->step);
        if (step == NULL || !is_parallel(step))
            continue;
        const struct kernel_noted *noted = kernel_notes_find(notes, task->pid, task->ticks, false);
        if (noted == NULL)
            continue;
        struct rank_search search = {journal, step, task, ranks};
        ranks->seen[step - journal->steps]++;
        error = rank_processes_find(&processes, noted, add_rank, &search);
    }
    if (error == 0)
        error = find_launched(journal, &processes, ranks);
    rank_processes_free(&processes);
    return error;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const char *program_of(const struct rank *rank)
{
    return rank->noted->program == NULL ? "" : rank->noted->program->name;
}

static uint32_t number_of(const struct rank *rank)
{
    return rank->task == NULL ? JOURNAL_NONE : rank->task->task;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    int order = strcmp(program_of(a), program_of(b));
    if (order != 0)
        return order;
    if (number_of(a) != number_of(b))
        return number_of(a) < number_of(b) ? -1 : 1;
    return a->noted < b->noted ? -1 : a->noted > b->noted;
}

static void spread_add(struct rank_spread *spread, uint64_t value, bool is_first)
{
    spread->least = is_first || value < spread->least ? value : spread->least;
    spread->most = is_first || value > spread->most ? value : spread->most;
    spread->sum += (double)value;
}

static void add_times(struct rank_row *row, const struct kernel_noted *noted)
{
    const struct kernel_note *note = &noted->note;
    uint64_t elapsed_ns = note->end_ns - note->start_ns;
    uint64_t start_ns = noted->end_real_ns < elapsed_ns ? 0 : noted->end_real_ns - elapsed_ns;
    if (row->start_ns == 0 || start_ns < row->start_ns)
        row->start_ns = start_ns;
    if (noted->end_real_ns > row->end_ns)
        row->end_ns = noted->end_real_ns;
    if ((note->lack & KERNEL_LACK_END) == 0)
        spread_add(&row->elapsed_ns, elapsed_ns, row->timed++ == 0);
}

static void add_use(struct rank_row *row, const struct rank *rank)
{
    const struct kernel_note *note = &rank->noted->note;
    if ((note->lack & (KERNEL_LACK_START | KERNEL_LACK_STATUS | KERNEL_LACK_THREADS)) != 0)
        return;
    bool is_first = row->measured++ == 0;
    if (is_first || note->peak_kib > row->peak_kib.most)
        row->largest = number_of(rank);
    if (is_first || note->major_faults > row->major_faults.most)
        row->faulting = number_of(rank);
    spread_add(&row->run_ns, note->run_ns, is_first);
    spread_add(&row->peak_kib, note->peak_kib, is_first);
    spread_add(&row->major_faults, note->major_faults, is_first);
}

static void count_end(struct rank_row *row, int status)
{
    size_t at = 0;
    while (at < row->end_count && row->ends[at].status != status)
        at++;
    if (at == RANK_ENDS_MAX)
        return;
    if (at == row->end_count)
        row->ends[row->end_count++] = (struct rank_end){.status = status};
    row->ends[at].ranks++;
}

/* Slurm and the kernel say the same of a task's own process; that of a program below it is the
 * kernel's alone. */
static bool status_of(const struct rank *rank, int *status)
{
    const struct kernel_note *note = &rank->noted->note;
    bool is_own = rank->task != NULL && rank->task->pid == note->pid;
    if ((note->lack & KERNEL_LACK_STATUS) == 0)
        *status = note->status;
    else if (is_own && rank->task->end_ns != 0)
        *status = rank->task->status;
    else
        return false;
    return true;
}

static void add_end(struct rank_row *row, const struct rank *rank)
{
    int status;
    if (!status_of(rank, &status)) {
        row->unknown++;
        return;
    }
    bool is_zero = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    row->zero += is_zero;
    row->coded += WIFEXITED(status) && !is_zero;
    row->signaled += !WIFEXITED(status);
    count_end(row, WIFSIGNALED(status) ? WTERMSIG(status) : status);
    uint64_t end_ns = rank->noted->end_real_ns;
    if (!is_zero && (row->failed_ns == 0 || end_ns < row->failed_ns)) {
        row->failed_ns = end_ns;
        row->failed_task = number_of(rank);
        row->failed_status = status;
    }
}

static int add_row(struct rank_summary *summary, const struct rank_row *row)
{
    if (summary->count == RANK_ROWS_MAX) {
        summary->left_out++;
        return 0;
    }
    int error = GROW(summary->rows, summary->count);
    if (error == 0)
        summary->rows[summary->count++] = *row;
    return error;
}

static struct rank_row new_row(const struct journal_step *step, const char *program)
{
    return (struct rank_row){.step = step,
                             .program = program,
                             .largest = JOURNAL_NONE,
                             .faulting = JOURNAL_NONE,
                             .failed_task = JOURNAL_NONE};
}

static uint32_t count_tasks(const struct journal *journal, uint32_t step)
{
    uint32_t count = 0;
    for (size_t i = 0; i < journal->task_count; i++)
        count += journal->tasks[i].step == step;
    return count;
}

/* Tasks of the step here that the kernel did not report. */
static uint32_t count_unseen(const struct journal *journal, const struct journal_step *step,
                             const struct ranks *ranks)
{
    uint32_t tasks = step->local_tasks != 0 ? step->local_tasks : count_tasks(journal, step->step);
    uint32_t seen = ranks->seen[step - journal->steps];
    return tasks > seen ? tasks - seen : 0;
}

/* The ranks from `*at` on that are of this step and program, which is that of the first one. */
static void fill_row(const struct ranks *ranks, size_t *at, struct rank_row *row)
{
    for (; *at < ranks->count; ++*at) {
        const struct rank *rank = &ranks->rank[*at];
        if (rank->step != row->step || strcmp(program_of(rank), row->program) != 0)
            break;
        row->ranks++;
        add_times(row, rank->noted);
        add_use(row, rank);
        add_end(row, rank);
    }
}

/* The ranks are sorted by step and program: those without a known program stand before others. */
static int add_step(const struct journal *journal, const struct journal_step *step,
                    const struct ranks *ranks, size_t *at, uint64_t end_ns,
                    struct rank_summary *summary)
{
    struct rank_row row = new_row(step, "");
    row.unseen = is_parallel(step) ? count_unseen(journal, step, ranks) : 0;
    if (row.unseen > 0)
        row.end_ns = step->end_ns == 0 ? end_ns : step->end_ns;
    fill_row(ranks, at, &row);
    int error = row.unseen > 0 || row.ranks > 0 ? add_row(summary, &row) : 0;
    while (error == 0 && *at < ranks->count && ranks->rank[*at].step == step) {
        row = new_row(step, program_of(&ranks->rank[*at]));
        fill_row(ranks, at, &row);
        error = add_row(summary, &row);
    }
    return error;
}

static int add_steps(const struct journal *journal, const struct ranks *ranks, uint64_t end_ns,
                     struct rank_summary *summary)
{
    size_t at = 0;
    int error = 0;
    for (size_t i = 0; error == 0 && i < journal->step_count; i++) {
        const struct journal_step *step = &journal->steps[i];
        if (journal_find_step(journal, step->step) == step)
            error = add_step(journal, step, ranks, &at, end_ns, summary);
    }
    return error;
}

/* Whether there may be ranks: most jobs have none. */
static bool has_parallel(const struct journal *journal, const struct kernel_notes *notes)
{
    for (size_t i = 0; i < journal->step_count; i++)
        if (is_parallel(&journal->steps[i]))
            return true;
    for (size_t i = 0; i < notes->program_count; i++)
        if (program_forks_tasks(notes->programs[i].name, strlen(notes->programs[i].name)))
            return true;
    return false;
}

int rank_summary_make(const struct journal *journal, const struct kernel_notes *notes,
                      const struct policy_header *policy, uint64_t end_ns,
                      struct rank_summary *summary)
{
    struct rank_summary made = {.count = 0};
    struct ranks ranks = {.count = 0};
    int error = 0;
    if (notes->listeners > 0 && has_parallel(journal, notes) &&
        (policy->switches & POLICY_TRACK_MPI) != 0 && !coverage_excludes(policy, journal) &&
        !coverage_skips_host(policy)) {
        ranks.seen = calloc(journal->step_count, sizeof *ranks.seen);
        error = ranks.seen == NULL ? -ENOMEM : find_ranks(journal, notes, policy, &ranks);
        if (error == 0 && ranks.count > 0)
            qsort(ranks.rank, ranks.count, sizeof *ranks.rank, compare_ranks);
        if (error == 0)
            error = add_steps(journal, &ranks, end_ns, &made);
    }
    free(ranks.rank);
    free(ranks.seen);
    if (error == 0)
        *summary = made;
    else
        rank_summary_free(&made);
    return error;
}

void rank_summary_free(struct rank_summary *summary)
{
    free(summary->rows);
    *summary = (struct rank_summary){.count = 0};
}

/* ---- A record -------------------------------------------------------------------------------- */

static void write_ranks(struct json_object *table, const struct rank_row *row)
{
    size_t size = strnlen(row->program, PATH_BYTES);
    json_add_bytes(table, "program", (struct capture_bytes){.at = row->program, .size = size});
    json_add_int(table, "ranks", row->ranks);
    json_add_int(table, "unseen", row->unseen);
    step_part_add_seconds(table, "start_time", (double)row->start_ns, row->start_ns != 0);
    step_part_add_seconds(table, "end_time", (double)row->end_ns, true);
}

static void write_times(struct json_object *table, const struct rank_row *row)
{
    bool is_timed = row->timed > 0;
    json_add_int(table, "timed", row->timed);
    step_part_add_seconds(table, "elapsed_min", (double)row->elapsed_ns.least, is_timed);
    step_part_add_seconds(table, "elapsed_mean", row->elapsed_ns.sum / row->timed, is_timed);
    step_part_add_seconds(table, "elapsed_max", (double)row->elapsed_ns.most, is_timed);
}

/* Least, mean and most, `times` each; keys are literals. */
static void write_spread(struct json_object *table, const char *const key[3],
                         const struct rank_spread *spread, uint32_t ranks, uint64_t times)
{
    const bool is_known = ranks > 0;
    json_add(table, key[0],
             is_known ? json_object_new_int64((int64_t)(spread->least * times)) : NULL);
    if (is_known)
        json_add_exact(table, key[1], spread->sum * (double)times / ranks);
    else
        json_add(table, key[1], NULL);
    json_add(table, key[2],
             is_known ? json_object_new_int64((int64_t)(spread->most * times)) : NULL);
}

static void write_use(struct json_object *table, const struct rank_row *row)
{
    static const char *const memory[] = {"memory_min", "memory_mean", "memory_max"};
    static const char *const faults[] = {"faults_min", "faults_mean", "faults_max"};
    bool is_measured = row->measured > 0;
    json_add_int(table, "measured", row->measured);
    step_part_add_seconds(table, "cpu_min", (double)row->run_ns.least, is_measured);
    step_part_add_seconds(table, "cpu_mean", row->run_ns.sum / row->measured, is_measured);
    step_part_add_seconds(table, "cpu_max", (double)row->run_ns.most, is_measured);
    write_spread(table, memory, &row->peak_kib, row->measured, 1024);
    json_add_optional(table, "largest_task", row->largest, JOURNAL_NONE);
    write_spread(table, faults, &row->major_faults, row->measured, 1);
    json_add_optional(table, "faults_task", row->faulting, JOURNAL_NONE);
}

static void print_end(int status, char text[END_SIZE])
{
    bool was_killed = WIFSIGNALED(status);
    snprintf(text, END_SIZE, "%d:%d", was_killed ? 0 : WEXITSTATUS(status),
             was_killed ? WTERMSIG(status) : 0);
}

static void write_ends(struct json_object *table, const struct rank_row *row)
{
    char ends[RANK_ENDS_MAX * (END_SIZE + 12)] = "", end[END_SIZE];
    size_t length = 0;
    for (size_t i = 0; i < row->end_count; i++) {
        print_end(row->ends[i].status, end);
        length += (size_t)snprintf(ends + length, sizeof ends - length, "%s%s=%u",
                                   i == 0 ? "" : " ", end, row->ends[i].ranks);
    }
    json_add_int(table, "ended_zero", row->zero);
    json_add_int(table, "ended_code", row->coded);
    json_add_int(table, "ended_signal", row->signaled);
    json_add_int(table, "ended_unknown", row->unknown);
    json_add_text(table, "ends", ends);
    json_add_optional(table, "failed_task", row->failed_task, JOURNAL_NONE);
    step_part_add_seconds(table, "failed_time", (double)row->failed_ns, row->failed_ns != 0);
    print_end(row->failed_status, end);
    if (row->failed_ns == 0)
        json_add(table, "failed_end", NULL);
    else
        json_add_text(table, "failed_end", end);
}

int ranks_record_build(const struct ranks_source *source, struct built_record *record)
{
    char uuid[RECORD_UUID_SIZE];
    const struct job_identity *identity = &source->journal->identity;
    const struct step_part part = {source->conf, identity, source->row->step};
    int error = step_part_uuid(&part, "ranks", source->row->program, uuid);
    if (error != 0)
        return error;
    struct json_object *object = record_start();
    if (object == NULL)
        return -ENOMEM;
    struct json_object *table = json_object_new_object();
    json_add_text(table, "uuid", uuid);
    step_part_add_job(table, &part);
    step_part_add_step(table, &part);
    write_ranks(table, source->row);
    write_times(table, source->row);
    write_use(table, source->row);
    write_ends(table, source->row);
    json_add(object, "ranksT", table);
    record_name(record, "ranks", record_syshost(source->conf, identity->cluster), identity->user,
                source->row->step->start_ns, uuid);
    error = table == NULL ? -ENOMEM : record_finish(object, record);
    json_object_put(object);
    return error;
}
