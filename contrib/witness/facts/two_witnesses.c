/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/facts/two_witnesses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "conf/base/process.h"
#include "conf/policy/policy_read.h"
#include "contrib/witness/facts/kernel_run.h"
#include "contrib/witness/facts/rank_process.h"
#include "preload/ledger.h"
#include "submit/facts/missing_library.h"
#include "submit/facts/program_name.h"

/* NEAR_NS: reading two clocks, of which one goes by the kernel's tick. LATE_NS: for a process to
 * end after its last word. EARLY_NS: for it to begin before the first one. */
#define NEAR_NS  UINT64_C(11000000)
#define LATE_NS  UINT64_C(1000000000)
#define EARLY_NS UINT64_C(1000000000)

/* What is known of a process beside what the kernel reported. */
struct told {
    bool has_capture, has_path; /* of its last program; one that names the kernel's */
    bool is_launched;           /* it is a rank that a launcher's daemon has started */
};

/* A program that ran below the first task of a step. */
struct first_program {
    uint32_t step;
    const char *name;
};

struct two_witnesses {
    struct kernel_comparison source;
    struct witness_agreement found;
    struct told
        *told; /* owned: by processes of the kernel's, and behind them by what others replaced */
    uint64_t *followers; /* owned: by programs of the kernel's: ranks for which another one records,
                            so far as none was found */
    struct first_program *first; /* owned, by step and name */
    size_t first_count;
};

static int mark_launched(void *context, const struct kernel_noted *noted, bool has_number)
{
    struct two_witnesses *witnesses = context;
    (void)has_number;
    witnesses->told[noted - witnesses->source.kernel->noted].is_launched = true;
    return 0;
}

/* Most jobs have no such daemon. */
static int find_launched(struct two_witnesses *witnesses)
{
    const struct kernel_notes *kernel = witnesses->source.kernel;
    struct rank_processes processes = {.notes = NULL};
    int error = 0;
    for (size_t i = 0; error == 0 && i < kernel->count; i++) {
        const struct kernel_program *program = kernel->noted[i].program;
        if (program == NULL || !program_is_daemon(program->name, strlen(program->name)))
            continue;
        if (processes.notes == NULL)
            error = rank_processes_make(kernel, witnesses->source.policy, &processes);
        if (error == 0)
            error = rank_processes_find(&processes, &kernel->noted[i], mark_launched, witnesses);
    }
    rank_processes_free(&processes);
    return error;
}

static int compare_step(const void *left, const void *right)
{
    const struct first_program *a = left, *b = right;
    return a->step < b->step ? -1 : a->step > b->step;
}

static int compare_first(const void *left, const void *right)
{
    const struct first_program *a = left, *b = right;
    const int order = compare_step(a, b);
    return order != 0 ? order : strcmp(a->name, b->name);
}

static void add_first(struct two_witnesses *witnesses, const struct kernel_noted *noted)
{
    const struct kernel_comparison *source = &witnesses->source;
    const struct journal_task *task =
        noted->program == NULL ? NULL
                               : kernel_run_task_above(source->journal, source->kernel, noted);
    if (task != NULL && task->task == 0)
        witnesses->first[witnesses->first_count++] =
            (struct first_program){task->step, noted->program->name};
}

static void find_first(struct two_witnesses *witnesses)
{
    const struct kernel_notes *kernel = witnesses->source.kernel;
    for (size_t i = 0; i < kernel->count; i++)
        add_first(witnesses, &kernel->noted[i]);
    for (size_t i = 0; i < kernel->replaced_count; i++)
        add_first(witnesses, &kernel->replaced[i]);
    qsort(witnesses->first, witnesses->first_count, sizeof *witnesses->first, compare_first);
}

int two_witnesses_new(const struct kernel_comparison *source, struct two_witnesses **made)
{
    struct two_witnesses *witnesses = calloc(1, sizeof *witnesses);
    if (witnesses == NULL)
        return -ENOMEM;
    witnesses->source = *source;
    witnesses->told =
        calloc(source->kernel->count + source->kernel->replaced_count + 1, sizeof *witnesses->told);
    witnesses->followers = calloc(source->kernel->program_count + 1, sizeof *witnesses->followers);
    witnesses->first = calloc(source->kernel->count + source->kernel->replaced_count + 1,
                              sizeof *witnesses->first);
    if (witnesses->told == NULL || witnesses->followers == NULL || witnesses->first == NULL) {
        two_witnesses_free(witnesses);
        return -ENOMEM;
    }
    find_first(witnesses);
    int error = find_launched(witnesses);
    if (error == 0)
        *made = witnesses;
    else
        two_witnesses_free(witnesses);
    return error;
}

void two_witnesses_free(struct two_witnesses *witnesses)
{
    if (witnesses == NULL)
        return;
    free(witnesses->told);
    free(witnesses->followers);
    free(witnesses->first);
    free(witnesses);
}

/* ---- Both ------------------------------------------------------------------------------------ */

static bool is_last_program(const struct capture *capture, const struct kernel_noted *noted)
{
    if (noted->note.exec_ns == 0)
        return true;
    if (capture->up_ns != 0)
        return noted->note.exec_ns <= capture->up_ns;
    return noted->exec_real_ns <= capture->start_ns + NEAR_NS; /* a stub */
}

/* The kernel adds a word to the path of a file that was removed. */
static bool is_same_path(struct capture_bytes exec, const char *name)
{
    if (exec.cut)
        return true;
    if (strlen(name) < exec.size || memcmp(name, exec.at, exec.size) != 0)
        return false;
    const char *behind = name + exec.size;
    return behind[0] == '\0' || strcmp(behind, " (deleted)") == 0;
}

/* Short names are not compared: that of a script is the script's. */
static enum witness_verdict compare_program(const struct capture *capture,
                                            const struct kernel_program *program)
{
    if (program == NULL || program->name[0] != '/' || capture->exec.at == NULL ||
        is_same_path(capture->exec, program->name))
        return WITNESS_AGREED;
    const size_t size = strlen(program->name);
    return program_is_loader(program->name, size)     ? WITNESS_BY_LOADER
           : program_is_stand_in(program->name, size) ? WITNESS_AGREED
                                                      : WITNESS_UNEXPLAINED;
}

static bool was_clock_set(const struct two_witnesses *witnesses, const struct capture *capture)
{
    const struct journal *journal = witnesses->source.journal;
    return capture->clock_step_ns != 0 || (journal->is_clock_known && journal->clock_step_ns != 0);
}

static enum witness_verdict compare_end(const struct two_witnesses *witnesses,
                                        const struct capture *capture,
                                        const struct kernel_noted *noted)
{
    bool is_told = (noted->note.lack & KERNEL_LACK_END) == 0;
    if (!is_told || capture->end_ns == 0 || capture->end_by == LEDGER_END_REPLACED)
        return WITNESS_AGREED;
    if (noted->end_real_ns + NEAR_NS < capture->end_ns)
        return was_clock_set(witnesses, capture) ? WITNESS_CLOCK : WITNESS_UNEXPLAINED;
    if (noted->end_real_ns > capture->end_ns + LATE_NS)
        return was_clock_set(witnesses, capture) ? WITNESS_CLOCK : WITNESS_LIVED_ON;
    return WITNESS_AGREED;
}

/* Slurm has waited for a task; the library's handler has written the signal that it caught. */
static enum witness_verdict compare_status(const struct two_witnesses *witnesses,
                                           const struct capture *capture,
                                           const struct kernel_note *note)
{
    const struct journal_task *task =
        capture->first
            ? NULL
            : journal_find_task(witnesses->source.journal, capture->pid, capture->start_ticks);
    if ((note->lack & KERNEL_LACK_STATUS) != 0)
        return WITNESS_AGREED;
    if (task != NULL && task->end_ns != 0 && task->status != note->status)
        return WITNESS_UNEXPLAINED;
    bool is_other = capture->signal != 0 && (!WIFSIGNALED(note->status) ||
                                             (uint32_t)WTERMSIG(note->status) != capture->signal);
    return is_other ? WITNESS_UNEXPLAINED : WITNESS_AGREED;
}

/* The first difference that is not explained, or else the first one that is. */
static enum witness_verdict compare(const struct two_witnesses *witnesses,
                                    const struct capture *capture, const struct kernel_noted *noted)
{
    const enum witness_verdict verdicts[] = {compare_program(capture, noted->program),
                                             compare_end(witnesses, capture, noted),
                                             compare_status(witnesses, capture, &noted->note)};
    enum witness_verdict verdict = WITNESS_AGREED;
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (verdicts[i] == WITNESS_UNEXPLAINED || verdict == WITNESS_AGREED)
            verdict = verdicts[i];
    return verdict;
}

/* ---- For how much the kernel speaks ---------------------------------------------------------- */

static uint64_t overlap(uint64_t from_ns, uint64_t to_ns, const struct kernel_gap *gap)
{
    uint64_t from = from_ns > gap->from_ns ? from_ns : gap->from_ns;
    uint64_t to = to_ns < gap->to_ns ? to_ns : gap->to_ns;
    return to > from ? to - from : 0;
}

/* Before the first listener, between two, and after the last one. */
static uint64_t unheard(const struct kernel_notes *notes, uint64_t from_ns, uint64_t to_ns)
{
    const struct kernel_gap before = {0, notes->listeners == 0 ? UINT64_MAX : notes->since_ns};
    const struct kernel_gap after = {
        notes->until_ns > notes->since_ns ? notes->until_ns : notes->since_ns, UINT64_MAX};
    uint64_t sum_ns = overlap(from_ns, to_ns, &before);
    if (notes->listeners == 0)
        return sum_ns;
    for (size_t i = 0; i < notes->gap_count; i++)
        sum_ns += overlap(from_ns, to_ns, &notes->gaps[i]);
    return sum_ns + overlap(from_ns, to_ns, &after);
}

struct kernel_account kernel_account_find(const struct kernel_notes *notes, uint64_t start_ns,
                                          uint64_t end_ns, enum conf_witness wanted)
{
    static const struct kernel_notes none;
    notes = notes == NULL ? &none : notes;
    const bool is_wanted =
        wanted == CONF_WITNESS_AUTO ? notes->is_able : wanted != CONF_WITNESS_OFF;
    struct kernel_account account = {
        .level = notes->listeners > 0 ? (notes->has_maps ? "objects" : "ends")
                 : is_wanted          ? "none"
                                      : "off",
        .processes = notes->count,
        .programs = notes->count + notes->replaced_count,
        .left = notes->left,
        .lost = notes->lost,
        .overruns = notes->overruns,
    };
    for (size_t i = 0; i < notes->count; i++) {
        uint32_t lack = notes->noted[i].note.lack;
        account.older += (lack & KERNEL_LACK_START) != 0;
        account.partial +=
            (lack & (KERNEL_LACK_END | KERNEL_LACK_STATUS | KERNEL_LACK_THREADS)) != 0;
    }
    if (notes->listeners > 0 || is_wanted)
        account.unheard_ns = unheard(notes, start_ns, end_ns);
    if (account.unheard_ns > end_ns - start_ns)
        account.unheard_ns = end_ns - start_ns;
    return account;
}

/* ---- The ledger alone ------------------------------------------------------------------------ */

/* A first capture has the start of its run, which is after that of the process. */
static bool still_runs(const struct capture *capture)
{
    uint64_t ticks;
    return process_start(capture->pid, &ticks) &&
           (capture->first ? ticks <= capture->start_ticks : ticks == capture->start_ticks);
}

static enum witness_verdict why_untold(const struct two_witnesses *witnesses,
                                       const struct capture *capture)
{
    const struct kernel_notes *kernel = witnesses->source.kernel;
    if (!journal_knows_pids(witnesses->source.journal, capture->step, capture->name_space))
        return WITNESS_NAME_SPACE;
    if (witnesses->source.journal->reboot_ns == 0 && still_runs(capture))
        return WITNESS_OUTLIVED;
    if (unheard(kernel, capture->start_ns, witnesses->source.last_ns) > 0)
        return WITNESS_UNHEARD;
    bool is_lost = kernel->lost > 0 || kernel->overruns > 0 ||
                   witnesses->found.count[WITNESS_LOST] < kernel->left;
    return is_lost ? WITNESS_LOST : WITNESS_UNEXPLAINED;
}

static void set_told(struct told *told, const struct capture *capture,
                     const struct kernel_noted *noted)
{
    told->has_capture = true;
    told->has_path |= compare_program(capture, noted->program) != WITNESS_UNEXPLAINED;
}

void two_witnesses_replaced(struct two_witnesses *witnesses, const struct capture *capture,
                            const struct kernel_noted *noted)
{
    const struct kernel_notes *kernel = witnesses->source.kernel;
    const struct kernel_noted *replaced =
        capture->up_ns == 0 ? NULL : kernel_notes_replaced(kernel, &noted->note, capture->up_ns);
    if (replaced != NULL)
        set_told(&witnesses->told[kernel->count + (size_t)(replaced - kernel->replaced)], capture,
                 replaced);
}

void two_witnesses_capture(struct two_witnesses *witnesses, const struct capture *capture,
                           const struct kernel_noted *noted)
{
    const struct kernel_notes *kernel = witnesses->source.kernel;
    if (noted == NULL) {
        witnesses->found.count[why_untold(witnesses, capture)]++;
        return;
    }
    if (capture->size > 1)
        witnesses->followers[noted->note.program] += capture->size - 1;
    struct told *told = &witnesses->told[noted - kernel->noted];
    if (told->has_capture || !is_last_program(capture, noted))
        return; /* the program after it is one that only the kernel reports */
    set_told(told, capture, noted);
    witnesses->found.count[compare(witnesses, capture, noted)]++;
}

/* ---- The kernel alone ------------------------------------------------------------------------ */

static bool is_left_out(const struct two_witnesses *witnesses, const struct kernel_program *program)
{
    const struct policy_header *policy = witnesses->source.policy;
    const uint32_t all = POLICY_TRACK_MPI | POLICY_TRACK_SCALAR;
    if (witnesses->source.is_excluded || (policy->switches & all) != all)
        return true;
    if (program == NULL || program->name[0] != '/')
        return false;
    const struct policy_decision decision =
        policy_decide(policy, program->name, strlen(program->name), 0, NULL, NULL);
    return decision.action == POLICY_SKIP ||
           (decision.path != NULL && decision.path->action == POLICY_CUSTOM);
}

/* Takes one of `*left`, if there is one. */
static bool take_one(uint64_t *left)
{
    bool is_there = *left > 0;
    *left -= is_there;
    return is_there;
}

/* Whether the first task of its step was heard of here, and did not run its program. */
static bool is_not_first(const struct two_witnesses *witnesses, uint32_t step,
                         const struct kernel_program *program)
{
    const struct kernel_notes *kernel = witnesses->source.kernel;
    const struct first_program key = {step, program == NULL ? "" : program->name};
    const size_t count = witnesses->first_count;
    return program != NULL && kernel->lost == 0 && kernel->left == 0 &&
           bsearch(&key, witnesses->first, count, sizeof key, compare_step) != NULL &&
           bsearch(&key, witnesses->first, count, sizeof key, compare_first) == NULL;
}

/* Of a task that is not its step's first, or a rank that a launcher's daemon has started, rank 0
 * has the run, which may be on another node; if the first task is here, and ran something else,
 * nobody has. WITNESS_UNEXPLAINED: it is none of these. */
static enum witness_verdict why_behind(const struct two_witnesses *witnesses,
                                       const struct kernel_noted *noted)
{
    const struct kernel_comparison *source = &witnesses->source;
    if (take_one(&witnesses->followers[noted->note.program]) ||
        witnesses->told[noted - source->kernel->noted].is_launched)
        return WITNESS_FOLLOWER;
    const struct journal_task *task = kernel_run_task_above(source->journal, source->kernel, noted);
    if (task == NULL || task->task == 0)
        return WITNESS_UNEXPLAINED;
    return is_not_first(witnesses, task->step, noted->program) ? WITNESS_NOT_FIRST
                                                               : WITNESS_FOLLOWER;
}

/* Its library reported it. */
static bool could_not_write(const struct kernel_noted *noted)
{
    return (noted->note.lack & KERNEL_LACK_LEDGER) != 0;
}

static bool has_not_started(const struct two_witnesses *witnesses, const struct coverage *coverage,
                            const struct kernel_note *note)
{
    const struct coverage_uncaptured *task =
        coverage_find_uncaptured(coverage, kernel_run_task(witnesses->source.journal, note));
    return task != NULL && task->has_not_started;
}

static enum witness_verdict why_uncaptured(const struct two_witnesses *witnesses,
                                           const struct coverage *coverage,
                                           const struct kernel_noted *noted, uint64_t *dropped)
{
    const struct kernel_note *note = &noted->note;
    const bool is_short =
        (note->lack & KERNEL_LACK_STATUS) == 0 && note->end_ns - note->exec_ns < EARLY_NS;
    if ((note->lack & KERNEL_LACK_OBJECTS) != 0)
        return WITNESS_UNMAPPED;
    if (note->execs == 0)
        return WITNESS_AGREED;
    if (kernel_run_has_opted_out(witnesses->source.journal, witnesses->source.kernel, noted))
        return WITNESS_LEFT_OUT;
    if ((note->lack & KERNEL_LACK_LOADER) != 0)
        return WITNESS_STATIC;
    if ((note->lack & KERNEL_LACK_LIBRARY) != 0)
        return WITNESS_UNLOADED;
    if (is_left_out(witnesses, noted->program))
        return WITNESS_LEFT_OUT;
    if (could_not_write(noted))
        return !witnesses->source.has_ledger || take_one(dropped) ? WITNESS_NO_ROOM
                                                                  : WITNESS_UNWRITTEN;
    if (has_not_started(witnesses, coverage, note))
        return WITNESS_NOT_STARTED;
    if (is_short && WIFSIGNALED(note->status))
        return WITNESS_KILLED;
    const enum witness_verdict behind = why_behind(witnesses, noted);
    if (behind != WITNESS_UNEXPLAINED)
        return behind;
    if (is_short && WIFEXITED(note->status) && WEXITSTATUS(note->status) == LOADER_MISSING)
        return WITNESS_NOT_STARTED;
    return !witnesses->source.has_ledger || take_one(dropped) ? WITNESS_NO_ROOM
                                                              : WITNESS_UNEXPLAINED;
}

/* Those that reported that they could not write, or those that did not. A process of another pid
 * namespace is reported by both, under two pids: it counts once. */
static void judge(const struct two_witnesses *witnesses, const struct coverage *coverage,
                  bool which, uint64_t *dropped, uint64_t *apart,
                  struct witness_agreement *agreement)
{
    const struct kernel_notes *kernel = witnesses->source.kernel;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct kernel_noted *noted = &kernel->noted[i];
        if (witnesses->told[i].has_capture || could_not_write(noted) != which)
            continue;
        enum witness_verdict why = why_uncaptured(witnesses, coverage, noted, dropped);
        bool is_counted = why == WITNESS_UNEXPLAINED && take_one(apart);
        agreement->count[why] += !is_counted;
    }
}

/* What the ledger dropped explains first those that reported it. */
void two_witnesses_find(const struct two_witnesses *witnesses, const struct coverage *coverage,
                        uint64_t dropped, struct witness_agreement *agreement)
{
    const struct kernel_notes *kernel = witnesses->source.kernel;
    *agreement = witnesses->found;
    uint64_t apart = agreement->count[WITNESS_NAME_SPACE];
    for (size_t i = 0; i < kernel->replaced_count; i++)
        if (could_not_write(&kernel->replaced[i]))
            take_one(&dropped);
    judge(witnesses, coverage, true, &dropped, &apart, agreement);
    judge(witnesses, coverage, false, &dropped, &apart, agreement);
}

bool two_witnesses_is_written(const struct two_witnesses *witnesses, size_t at)
{
    const struct kernel_notes *kernel = witnesses->source.kernel;
    const struct kernel_noted *noted =
        at < kernel->count ? &kernel->noted[at] : &kernel->replaced[at - kernel->count];
    const struct told *told = &witnesses->told[at];
    return (noted->note.lack & KERNEL_LACK_LIBRARY) == 0 ? told->has_capture : told->has_path;
}

const char *witness_verdict_name(enum witness_verdict verdict)
{
    static const char *const names[WITNESS_VERDICTS] = {
#define WITNESS_CAUSE(verdict, name) [WITNESS_##verdict] = #name,
#include "contrib/witness/witness_causes.def"
    };
    return names[verdict];
}
