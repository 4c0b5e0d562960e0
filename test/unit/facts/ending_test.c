/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is concluded about the end of a run. Times are in seconds here.
 */
#include <signal.h>
#include <stdbool.h>

#include "conf/base/clocks.h"
#include "preload/ledger.h"
#include "spank/journal.h"
#include "submit/evidence/succession.h"
#include "submit/facts/ending.h"
#include "test/unit/fixture/cases.h"

#define SECOND UINT64_C(1000000000)

/* No process of this machine has started so late. */
#define NEVER UINT64_C(4000000000)

/* Above what the kernel gives out (PID_MAX_LIMIT): for captures whose ticks are only a bound. */
enum { NO_PID = 4200000 };

enum { PROCESSES_MAX = 5, NOBODY = -1, NOW = 1000 };

/* IS_FIRST: ticks are those of the capture. IS_REPLACED: its successor has signed. */
enum { IS_FIRST = 1, IS_REPLACED = 2 };

/* Both lists end with a zero. */
struct process {
    int32_t pid;
    unsigned ticks, start, signed_at; /* signed_at 0: it did not */
    uint32_t step;
    uint32_t signal; /* that our handler caught */
    unsigned is;     /* bits: IS_FIRST, IS_REPLACED */
};

struct expected {
    const char *source;
    unsigned end;
    double min, max;
    int status; /* NOBODY: unknown */
    int is_task;
};

struct ending_case {
    const char *name;
    const char *journal; /* lines behind the one that says whose job it is */
    struct process process[PROCESSES_MAX];
    struct expected expected[PROCESSES_MAX];
};

#define STEP_0 "step time=5.000000000 job=1 uid=1 gid=1 step=0 freezes=1\n"
/* slurmstepd needed at most 50 ms */
#define MEASURED     " thread=1 busy=1"
#define TASK         "task time=10.000000000 step=0 task=0 pid=50 ticks=4000000007" MEASURED "\n"
#define EXIT(status) "exit time=90.000000000 step=0 task=0 pid=50 status=" status MEASURED "\n"
/* its epilog took until 95, and the next line is that of its end */
#define LATE_EXIT(status)                                                                          \
    "exit time=95.000000000 step=0 task=0 pid=50 status=" status                                   \
    " thread=1 busy=3 forked=90000000000 forked_busy=1\n"
/* by a kernel that counts nothing */
#define UNMEASURED_EXIT(status) "exit time=90.000000000 step=0 task=0 pid=50 status=" status "\n"
/* its first thread ended then */
#define DIED_EXIT(status, second)                                                                  \
    "exit time=90.000000000 step=0 task=0 pid=50 status=" status MEASURED " died=" second          \
    "000000000\n"
#define END    "end time=95.000000000 step=0\n"
#define EPILOG "epilog time=100.000000000\n"

static const struct ending_case cases[] = {
    {"a task that signed and that Slurm waited for",
     TASK EXIT("256") END EPILOG,
     {{50, 7, 11, 90, 0, 0, 0}},
     {{"fini", 90, 90, 90.01, 256, 1}}},
    {"a task that signed, lived on and was killed",
     TASK EXIT("9") END EPILOG,
     {{50, 7, 11, 80, 0, 0, 0}},
     {{"task_exit", 90, 89.95, 90, 9, 1}}},
    {"a task that signed and that nobody waited for",
     TASK END EPILOG,
     {{50, 7, 11, 80, 0, 0, 0}},
     {{"fini", 80, 80, 80.01, NOBODY, 1}}},
    {"a process that signed and was no task",
     TASK EXIT("0") END EPILOG,
     {{51, 8, 12, 70, 0, 0, 0}},
     {{"fini", 70, 70, 70.01, NOBODY, 0}}},
    {"a task that was killed",
     TASK EXIT("9") END EPILOG,
     {{50, 7, 11, 0, 0, 0, 0}},
     {{"task_exit", 90, 89.95, 90, 9, 1}}},
    {"a task that ended by _exit",
     TASK EXIT("768") END EPILOG,
     {{50, 7, 11, 0, 0, 0, 0}},
     {{"task_exit", 90, 89.95, 90, 768, 1}}},
    {"a task that ended by _exit(0)",
     TASK EXIT("0") END EPILOG,
     {{50, 7, 11, 0, 0, 0, 0}},
     {{"task_exit", 90, 89.95, 90, 0, 1}}},
    {"a task that replaced itself twice",
     TASK EXIT("0") END EPILOG,
     {{50, 7, 11, 0, 0, 0, 0}, {50, 7, 40, 90, 0, 0, 0}, {50, 7, 20, 0, 0, 0, 0}},
     {{"exec", 20, 11, 20, NOBODY, 1},
      {"fini", 90, 90, 90.01, 0, 1},
      {"exec", 40, 20, 40, NOBODY, 1}}},
    {"a process that replaced itself in its exit handlers",
     EPILOG,
     {{51, 8, 11, 15, 0, 0, 0}, {51, 8, 16, 20, 0, 0, 0}},
     {{"fini", 15, 15, 15.01, NOBODY, 0}, {"fini", 20, 20, 20.01, NOBODY, 0}}},
    {"a task that became an untracked program, which was killed",
     TASK EXIT("9") END EPILOG,
     {{50, 7, 11, 0, 0, 0, 0}},
     {{"task_exit", 90, 89.95, 90, 9, 1}}},
    {"a process that was gone when its step was over",
     TASK EXIT("0") END EPILOG,
     {{51, 8, 12, 0, 0, 0, 0}},
     {{"step_end", 12, 12, 100, NOBODY, 0}}},
    {"a process that may have outlived its step by more than it lived",
     END EPILOG,
     {{51, 8, 94, 0, 0, 0, 0}},
     {{"step_end", 94, 94, 100, NOBODY, 0}}},
    {"a process of a step that has not ended",
     TASK EPILOG,
     {{51, 8, 12, 0, 0, 0, 0}},
     {{"epilog", 12, 12, 100, NOBODY, 0}}},
    {"a process that knows of no step",
     TASK END EPILOG,
     {{51, 8, 12, 0, UINT32_MAX, 0, 0}},
     {{"epilog", 12, 12, 100, NOBODY, 0}}},
    {"a process that claims a step that never was",
     TASK END EPILOG,
     {{51, 8, 12, 0, 77, 0, 0}},
     {{"epilog", 12, 12, 100, NOBODY, 0}}},
    {"what Slurm does not track by cgroups may end after the epilog",
     "step time=5.000000000 job=1 uid=1 gid=1 step=0\n" END EPILOG,
     {{51, 8, 12, 0, 0, 0, 0}},
     {{"step_end", 12, 12, NOW, NOBODY, 0}}},
    {"a job whose epilog has not run",
     TASK,
     {{51, 8, 12, 0, 0, 0, 0}},
     {{"epilog", 12, 12, NOW, NOBODY, 0}}},
    {"a task of which Slurm has not told the end",
     TASK EPILOG,
     {{50, 7, 12, 0, 0, 0, 0}},
     {{"epilog", 12, 12, 100, NOBODY, 1}}},
    {"a pid that came back",
     TASK EXIT("256") "task time=91.000000000 step=0 task=1 pid=50 ticks=4000009000\n"
                      "exit time=92.000000000 step=0 task=1 pid=50 status=0\n" END EPILOG,
     {{50, 9000, 91, 0, 0, 0, 0}, {50, 7, 11, 0, 0, 0, 0}},
     {{"task_exit", 91, 91, 92, 0, 1}, {"task_exit", 90, 89.95, 90, 256, 1}}},
    {"a pid that came back to a process that is no task",
     TASK EXIT("256") END EPILOG,
     {{50, 9000, 91, 0, 0, 0, 0}, {50, 7, 11, 0, 0, 0, 0}},
     {{"step_end", 91, 91, 100, NOBODY, 0}, {"task_exit", 90, 89.95, 90, 256, 1}}},
    {"a clock that went back before a process signed",
     EPILOG,
     {{51, 8, 50, 40, 0, 0, 0}},
     {{"fini", 50, 50, 50, NOBODY, 0}}},
    {"a clock that went back before a task ended",
     "task time=95.000000000 step=0 task=0 pid=50 ticks=4000000007" MEASURED "\n" EXIT("9") EPILOG,
     {{50, 7, 96, 0, 0, 0, 0}},
     {{"task_exit", 96, 96, 96, 9, 1}}},
    {"a clock that went back before the step was over",
     END EPILOG,
     {{51, 8, 97, 0, 0, 0, 0}},
     {{"step_end", 97, 97, 100, NOBODY, 0}}},
    {"a clock that went back before the epilog",
     EPILOG,
     {{51, 8, 120, 0, 0, 0, 0}},
     {{"epilog", 120, 120, 120, NOBODY, 0}}},
    {"three processes at once",
     TASK EXIT("15") END EPILOG,
     {{49, 7, 11, 0, 0, 0, 0}, {50, 7, 11, 0, 0, 0, 0}, {51, 7, 11, 30, 0, 0, 0}},
     {{"step_end", 11, 11, 100, NOBODY, 0},
      {"task_exit", 90, 89.95, 90, 15, 1},
      {"fini", 30, 30, 30.01, NOBODY, 0}}},
    {"a job on which two epilogs were noted",
     EPILOG "epilog time=200.000000000\n",
     {{51, 8, 12, 0, 0, 0, 0}},
     {{"epilog", 12, 12, 100, NOBODY, 0}}},
    {"two captures of one process at the same moment",
     TASK EXIT("0") EPILOG,
     {{50, 7, 11, 0, 0, 0, 0}, {50, 7, 11, 0, 0, 0, 0}},
     {{"exec", 11, 11, 11, NOBODY, 1}, {"task_exit", 90, 89.95, 90, 0, 1}}},
    {"a process whose signal our handler caught",
     TASK EXIT("0") END EPILOG,
     {{51, 8, 12, 70, 0, SIGTERM, 0}},
     {{"fini", 70, 70, 70.01, SIGTERM, 0}}},
    {"a task whose signal our handler caught, and of which Slurm says otherwise",
     TASK EXIT("9") END EPILOG,
     {{50, 7, 12, 90, 0, SIGTERM, 0}},
     {{"task_exit", 90, 90, 90, 9, 1}}},
    {"a process that was not asked for its start, and replaced itself twice",
     END EPILOG,
     {{NO_PID, 8, 11, 0, 0, 0, 1}, {NO_PID, 7, 20, 0, 0, 0, 0}, {NO_PID, 7, 30, 40, 0, 0, 0}},
     {{"exec", 20, 11, 20, NOBODY, 0},
      {"exec", 30, 20, 30, NOBODY, 0},
      {"fini", 40, 40, 40.01, NOBODY, 0}}},
    {"a process that was not asked for its start, and started in the tick of its capture",
     END EPILOG,
     {{NO_PID, 8, 11, 0, 0, 0, 1}, {NO_PID, 8, 12, 20, 0, 0, 0}},
     {{"exec", 12, 11, 12, NOBODY, 0}, {"fini", 20, 20, 20.01, NOBODY, 0}}},
    {"a pid that came back after a process that was not asked for its start",
     END EPILOG,
     {{NO_PID, 8, 11, 0, 0, 0, 1}, {NO_PID, 9, 12, 20, 0, 0, 0}},
     {{"step_end", 11, 11, 100, NOBODY, 0}, {"fini", 20, 20, 20.01, NOBODY, 0}}},
    {"a pid that came back to a process that cannot be an old one",
     END EPILOG,
     {{NO_PID, 8, 11, 0, 0, 0, 0}, {NO_PID, 8, 12, 20, 0, 0, 1}},
     {{"step_end", 11, 11, 100, NOBODY, 0}, {"fini", 20, 20, 20.01, NOBODY, 0}}},
    {"a process that is no task, with a task's pid and the ticks of its capture",
     "task time=10.000000000 step=0 task=0 pid=4200000 ticks=4000000007\n" END EPILOG,
     {{NO_PID, 7, 11, 0, 0, 0, 1}},
     {{"step_end", 11, 11, 100, NOBODY, 0}}},
    {"a task that a program without a capture replaced, which exited with 4",
     TASK EXIT("1024") END EPILOG,
     {{50, 7, 11, 20, 0, 0, IS_REPLACED}},
     {{"exec", 20, 11, 20.01, NOBODY, 1}}},
    {"a task that a program without a capture replaced, and that one with a capture",
     TASK EXIT("0") END EPILOG,
     {{50, 7, 11, 20, 0, 0, IS_REPLACED}, {50, 7, 40, 90, 0, 0, 0}},
     {{"exec", 20, 11, 20.01, NOBODY, 1}, {"fini", 90, 90, 90.01, 0, 1}}},
    {"a task that signed and had an epilog",
     TASK LATE_EXIT("768") EPILOG,
     {{50, 7, 11, 90, 0, 0, 0}},
     {{"fini", 90, 90, 90.01, 768, 1}}},
    {"a task that did not sign and had an epilog",
     TASK LATE_EXIT("768") EPILOG,
     {{50, 7, 11, 0, 0, 0, 0}},
     {{"task_exit", 90, 89.95, 95, 768, 1}}},
    {"a task of which slurmstepd told late",
     TASK EXIT("768") EPILOG,
     {{50, 7, 11, 80, 0, 0, 0}},
     {{"fini", 80, 80, 90, 768, 1}}},
    {"a task that signed, of which an unmeasured slurmstepd told late",
     TASK UNMEASURED_EXIT("768") EPILOG,
     {{50, 7, 11, 80, 0, 0, 0}},
     {{"fini", 80, 80, 90, 768, 1}}},
    {"a task that was killed, of which an unmeasured slurmstepd told",
     TASK UNMEASURED_EXIT("9") EPILOG,
     {{50, 7, 11, 0, 0, 0, 0}},
     {{"task_exit", 11, 11, 90, 9, 1}}},
    {"a task whose signal our handler caught, and of which slurmstepd told late",
     TASK EXIT("15") EPILOG,
     {{50, 7, 11, 80, 0, SIGTERM, 0}},
     {{"fini", 80, 80, 90, 15, 1}}},
    {"a task that signed and lived on in another thread than the first",
     TASK DIED_EXIT("768", "20") EPILOG,
     {{50, 7, 11, 80, 0, 0, 0}},
     {{"fini", 80, 80, 90, 768, 1}}},
    {"a task that signed and whose first thread left while it lived on",
     TASK DIED_EXIT("768", "80") EPILOG,
     {{50, 7, 11, 80, 0, 0, 0}},
     {{"fini", 80, 80, 90, 768, 1}}},
    {"a task that was killed, and may have lived on in another thread",
     TASK DIED_EXIT("9", "20") EPILOG,
     {{50, 7, 11, 0, 0, 0, 0}},
     {{"task_exit", 90, 20, 90, 9, 1}}},
    {"a task that another thread than the first has made this program",
     TASK DIED_EXIT("9", "20") EPILOG,
     {{50, 7, 21, 0, 0, 0, 0}},
     {{"task_exit", 90, 89.95, 90, 9, 1}}},
    {"a process whose forged end is after the job's",
     EPILOG,
     {{51, 8, 12, 4000000000, 0, 0, 0}},
     {{"fini", 100, 100, 100, NOBODY, 0}}},
    {"a process whose forged successor is after the job's",
     EPILOG,
     {{51, 8, 12, 4000000000, 0, 0, IS_REPLACED}},
     {{"exec", 100, 12, 100, NOBODY, 0}}},
    {"no captures at all", EPILOG, {{0}}, {{0}}},
};

/* NOW stands for the time of the look, at which a process was gone that may have outlived its job.
 */
static bool is_until(uint64_t ns, double seconds)
{
    return seconds < NOW ? ns == (uint64_t)(seconds * 1e9 + 0.5)
                         : ns > NOW * SECOND && ns <= clock_ns(CLOCK_REALTIME);
}

static uint64_t to_ns(double seconds)
{
    return (uint64_t)(seconds * 1e9 + 0.5);
}

static bool is_consistent(const struct ending *ending)
{
    uint64_t before = ending->end_ns - ending->min_ns, after = ending->max_ns - ending->end_ns;
    return ending->min_ns <= ending->end_ns && ending->end_ns <= ending->max_ns &&
           ending->error_ns == (before > after ? before : after);
}

static void check(const struct ending_case *one)
{
    struct capture capture[PROCESSES_MAX];
    struct succession succession = {.count = 0};
    struct journal journal;
    size_t count = 0;
    char text[1024];
    const char *before = strncmp(one->journal, "step ", 5) == 0 ? "" : STEP_0;
    snprintf(text, sizeof text, "%s%s", before, one->journal);
    assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
    assert_int_equal(journal.bad_lines, 0);
    memset(capture, 0, sizeof capture);
    for (; count < PROCESSES_MAX && one->process[count].pid != 0; count++) {
        const struct process *process = &one->process[count];
        capture[count] = (struct capture){
            .pid = process->pid,
            .start_ticks = NEVER + process->ticks,
            .start_ns = process->start * SECOND,
            .end_ns = process->signed_at * SECOND,
            .step = process->step,
            .signal = process->signal,
            .first = (process->is & IS_FIRST) != 0,
            .end_by = (process->is & IS_REPLACED) != 0 ? LEDGER_END_REPLACED : LEDGER_END_OWN,
        };
        assert_int_equal(succession_add(&succession, &capture[count]), 0);
    }
    assert_int_equal(succession_find(&succession), 0);
    for (size_t i = 0; i < count; i++) {
        const struct expected *expected = &one->expected[i];
        const struct ending_evidence evidence = {
            .journal = &journal, .next_ns = succession.entry[i].next_ns, .now_ns = NOW * SECOND};
        const struct ending found = ending_find(&capture[i], &evidence);
        int status = found.status_known ? found.status : NOBODY;
        if (strcmp(found.source, expected->source) != 0 || found.end_ns != expected->end * SECOND ||
            found.min_ns != to_ns(expected->min) || !is_until(found.max_ns, expected->max) ||
            !is_consistent(&found) || status != expected->status ||
            (found.task != NULL) != expected->is_task)
            fail_msg("%s, process %zu: %s at %.3f s, %.3f to %.3f s, status %d, %s task", one->name,
                     i, found.source, (double)found.end_ns / 1e9, (double)found.min_ns / 1e9,
                     (double)found.max_ns / 1e9, status, found.task != NULL ? "a" : "no");
    }
    succession_free(&succession);
    journal_free(&journal);
}

TEST(each_way_to_end_is_told_from_the_others)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i]);
}

TEST(programs_follow_each_other_in_one_namespace_only)
{
    static const struct {
        uint64_t name_space, start, next;
    } programs[] = {{1, 11, 13}, {2, 12, 14}, {1, 13, 15}, {2, 14, 15}, {0, 15, 0}};
    struct succession succession = {.count = 0};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        const struct capture capture = {.pid = 51,
                                        .start_ticks = NEVER,
                                        .start_ns = programs[i].start,
                                        .name_space = programs[i].name_space};
        assert_int_equal(succession_add(&succession, &capture), 0);
    }
    assert_int_equal(succession_find(&succession), 0);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        assert_int_equal(succession.entry[i].next_ns, programs[i].next);
    succession_free(&succession);
}

TEST(an_end_never_lies_before_its_start_and_the_truth_lies_within_the_bounds)
{
    /* Whatever the order of start, end of step and epilog: a death between start and the last
     * moment lies within the bounds, and no time after the start counts as run time. */
    for (unsigned start = 1; start < 12; start++) {
        for (unsigned step_end = 0; step_end < 12; step_end++) {
            for (unsigned epilog = 1; epilog < 12; epilog++) {
                char text[256];
                int length = snprintf(text, sizeof text, STEP_0);
                if (step_end > 0)
                    length += snprintf(text + length, sizeof text - (size_t)length,
                                       "end time=%u.000000000 step=0\n", step_end);
                snprintf(text + length, sizeof text - (size_t)length, "epilog time=%u.000000000\n",
                         epilog);
                struct journal journal;
                struct capture capture = {
                    .pid = 5, .start_ticks = NEVER, .start_ns = start * SECOND, .step = 0};
                assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
                const struct ending_evidence evidence = {.journal = &journal,
                                                         .now_ns = NOW * SECOND};
                const struct ending ending = ending_find(&capture, &evidence);
                assert_true(ending.end_ns == capture.start_ns && is_consistent(&ending));
                for (unsigned death = start; death <= epilog; death++) {
                    uint64_t truth = death * SECOND;
                    if (truth < ending.min_ns || truth > ending.max_ns)
                        fail_msg("start %u, step end %u, epilog %u, death %u", start, step_end,
                                 epilog, death);
                }
                journal_free(&journal);
            }
        }
    }
}

static struct ending ending_of(const struct capture *capture, const char *text, uint64_t reboot_ns)
{
    struct journal journal;
    assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
    journal.reboot_ns = reboot_ns;
    const struct ending_evidence evidence = {.journal = &journal, .now_ns = NOW * SECOND};
    const struct ending ending = ending_find(capture, &evidence);
    journal_free(&journal);
    return ending;
}

TEST(an_end_that_is_the_largest_number_does_not_wrap)
{
    const struct capture capture = {
        .pid = 51, .start_ticks = NEVER, .start_ns = 12 * SECOND, .end_ns = UINT64_MAX};
    const struct ending ending = ending_of(&capture, STEP_0 EPILOG, 0);
    assert_string_equal(ending.source, "fini");
    assert_true(ending.end_ns == 100 * SECOND && ending.max_ns == 100 * SECOND);
}

/* The kernel tells inode 5 of the file that was the program at the end. */
static bool has_inode_5(const struct capture *capture, const struct kernel_note *note)
{
    (void)capture;
    return note->inode == 5;
}

static uint64_t inode_at_end; /* of kernel_ending() */

/* Times of the process in seconds since the Epoch; the node was booted at 0. */
static struct ending kernel_ending(const char *journal_text, unsigned signed_at, unsigned exec,
                                   uint32_t lack, struct kernel_noted *kernel)
{
    struct journal journal;
    const struct capture capture = {.pid = 50,
                                    .start_ticks = NEVER + 7,
                                    .start_ns = 11 * SECOND,
                                    .up_ns = 11 * SECOND,
                                    .end_ns = signed_at * SECOND};
    *kernel = (struct kernel_noted){.note = {.pid = 50,
                                             .status = 3 << 8,
                                             .lack = lack,
                                             .exec_ns = exec * SECOND,
                                             .inode = inode_at_end,
                                             .end_ns = 40 * SECOND},
                                    .end_real_ns = 40 * SECOND,
                                    .exec_real_ns = exec * SECOND};
    assert_int_equal(journal_parse(journal_text, strlen(journal_text), &journal), 0);
    const struct ending_evidence evidence = {
        .journal = &journal, .now_ns = NOW * SECOND, .kernel = kernel, .is_program = has_inode_5};
    const struct ending ending = ending_find(&capture, &evidence);
    assert_true(is_consistent(&ending));
    journal_free(&journal);
    return ending;
}

TEST(what_the_kernel_told_is_the_end_that_nobody_waited_for)
{
    static const char journal[] = STEP_0 END EPILOG;
    struct kernel_noted kernel;
    struct ending ending = kernel_ending(journal, 0, 10, 0, &kernel);
    assert_string_equal(ending.source, "kernel");
    assert_int_equal(ending.end_ns, 40 * SECOND);
    assert_true(ending.is_measured && ending.status_known);
    assert_int_equal(ending.status, 3 << 8);
    assert_int_equal(ending.error_ns, 100000);
    ending = kernel_ending(journal, 40, 10, 0, &kernel); /* it signed */
    assert_string_equal(ending.source, "fini");
    assert_int_equal(ending.error_ns, 100000);
    assert_true(ending.status_known);
    assert_int_equal(ending.status, 3 << 8);
    ending = kernel_ending(journal, 20, 10, 0, &kernel); /* and lived on */
    assert_string_equal(ending.source, "kernel");
    assert_int_equal(ending.end_ns, 40 * SECOND);
}

TEST(what_the_kernel_saw_replaced_ended_then)
{
    const struct capture capture = {.pid = 50,
                                    .start_ticks = 500,
                                    .start_ns = 10 * SECOND,
                                    .exec = {.at = "/usr/bin/env", .size = 12}};
    char journal_text[] = STEP_0 END EPILOG;
    struct journal journal;
    assert_int_equal(journal_parse(journal_text, strlen(journal_text), &journal), 0);
    const struct ending_evidence evidence = {
        .journal = &journal, .now_ns = NOW * SECOND, .replaced_ns = 20 * SECOND};
    const struct ending ending = ending_find(&capture, &evidence);
    assert_true(is_consistent(&ending));
    assert_string_equal(ending.source, "exec");
    assert_int_equal(ending.end_ns, 20 * SECOND);
    assert_int_equal(ending.error_ns, 100000);
    assert_true(ending.is_measured && !ending.status_known && ending.seen == NULL);
    journal_free(&journal);
}

TEST(a_status_that_is_another_programs_is_not_told)
{
    static const char journal[] = STEP_0 END EPILOG;
    struct kernel_noted kernel;
    struct ending ending = kernel_ending(journal, 0, 30, 0, &kernel); /* it was replaced at 30 */
    assert_string_equal(ending.source, "exec");
    assert_false(ending.status_known);
    assert_int_equal(ending.max_ns, 30 * SECOND);
    ending = kernel_ending(journal, 0, 0, KERNEL_LACK_START, &kernel); /* that was not heard */
    assert_string_equal(ending.source, "kernel");
    assert_false(ending.status_known);
    assert_int_equal(ending.end_ns, 40 * SECOND);
}

TEST(the_kernels_time_is_the_end_whatever_the_ledger_has)
{
    static const char journal[] = STEP_0 TASK EXIT("0") END EPILOG;
    struct kernel_noted kernel;
    struct ending ending = kernel_ending(journal, 39, 10, 0, &kernel); /* it took a second to end */
    assert_string_equal(ending.source, "fini");
    assert_true(ending.is_measured && ending.end_ns == 40 * SECOND && ending.error_ns == 100000);
    ending = kernel_ending(journal, 90, 10, 0, &kernel); /* it lied */
    assert_true(ending.is_measured && ending.end_ns == 40 * SECOND && ending.error_ns == 100000);
}

TEST(the_event_of_an_exit_alone_makes_no_end_less_exact)
{
    static const char journal[] = STEP_0 END EPILOG;
    struct kernel_noted kernel;
    struct ending ending = kernel_ending(journal, 40, 10, KERNEL_LACK_STATUS, &kernel);
    assert_string_equal(ending.source, "fini");
    assert_true(ending.is_measured && ending.end_ns == 40 * SECOND && ending.error_ns == 100000);
    ending = kernel_ending(journal, 20, 10, KERNEL_LACK_STATUS, &kernel); /* it lived on */
    assert_true(ending.end_ns == 40 * SECOND && ending.error_ns == SECOND);
}

TEST(an_end_is_as_exact_as_what_the_kernel_told_of_it)
{
    static const char journal[] = STEP_0 TASK EXIT("0") END EPILOG;
    static const struct {
        uint32_t lack;
        uint64_t error_ns;
    } exact[] = {{0, 100000}, {KERNEL_LACK_START, 10000000}, {KERNEL_LACK_STATUS, 1000000000}};
    struct kernel_noted kernel;
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        const struct ending ending = kernel_ending(journal, 0, 10, exact[i].lack, &kernel);
        assert_string_equal(ending.source, "task_exit");
        assert_int_equal(ending.end_ns, 40 * SECOND);
        assert_int_equal(ending.error_ns, exact[i].error_ns);
    }
}

TEST(the_status_of_what_is_older_is_its_programs_if_that_file_ran_at_the_end)
{
    static const char journal[] = STEP_0 END EPILOG;
    struct kernel_noted kernel;
    inode_at_end = 5;
    struct ending ending = kernel_ending(journal, 0, 0, KERNEL_LACK_START, &kernel);
    assert_string_equal(ending.source, "kernel");
    assert_true(ending.status_known);
    assert_int_equal(ending.status, 3 << 8);
    assert_null(ending.used);
    ending = kernel_ending(journal, 40, 0, KERNEL_LACK_START, &kernel); /* it signed */
    assert_string_equal(ending.source, "fini");
    assert_true(ending.status_known);
    inode_at_end = 6;
    assert_false(kernel_ending(journal, 0, 0, KERNEL_LACK_START, &kernel).status_known);
    inode_at_end = 0;
}

TEST(what_the_kernel_lost_is_not_believed)
{
    static const char journal[] = STEP_0 END EPILOG;
    static const uint32_t lacks[] = {KERNEL_LACK_END, KERNEL_LACK_STATUS};
    struct kernel_noted kernel;
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(kernel_ending(journal, 0, 10, lacks[i], &kernel).source, "step_end");
    assert_int_equal(kernel_ending(journal, 0, 10, KERNEL_LACK_STATUS, &kernel).error_ns, SECOND);
}

TEST(slurms_word_stays_and_the_kernel_says_whose_it_is)
{
    static const char journal[] = STEP_0 TASK EXIT("256") END EPILOG;
    struct kernel_noted kernel;
    struct ending ending = kernel_ending(journal, 0, 10, 0, &kernel);
    assert_string_equal(ending.source, "task_exit");
    assert_int_equal(ending.status, 256);
    assert_true(ending.status_known);
    ending = kernel_ending(journal, 0, 30, 0, &kernel);
    assert_string_equal(ending.source, "task_end");
    assert_false(ending.status_known);
    /* Slurm's word came half a second after the end */
    static const char late[] =
        STEP_0 TASK "exit time=40.500000000 step=0 task=0 pid=50 status=256\n" END EPILOG;
    ending = kernel_ending(late, 0, 10, 0, &kernel);
    assert_string_equal(ending.source, "task_exit");
    assert_true(ending.end_ns == 40 * SECOND && ending.error_ns == 100000);
    ending =
        kernel_ending(STEP_0 TASK LATE_EXIT("256") END EPILOG, 0, 10, KERNEL_LACK_END, &kernel);
    assert_true(ending.error_ns > SECOND);
}

TEST(what_ran_when_the_node_was_booted_ended_before)
{
    const struct capture capture = {
        .pid = 51, .start_ticks = NEVER, .start_ns = 12 * SECOND, .step = 0};
    struct ending ending = ending_of(&capture, STEP_0 TASK, 300 * SECOND);
    assert_string_equal(ending.source, "reboot");
    assert_true(ending.end_ns == 12 * SECOND && ending.max_ns == 300 * SECOND);
    ending = ending_of(&capture, STEP_0 TASK EPILOG, 300 * SECOND);
    assert_string_equal(ending.source, "epilog");
    assert_true(ending.end_ns == 12 * SECOND && ending.max_ns == 100 * SECOND);
}

static bool may_be(const struct capture *capture)
{
    (void)capture;
    return true;
}

/* What is concluded of task 50, which began at 12 s, from what root saw beside. */
struct evidence_case {
    const char *name, *journal, *exec;
    unsigned signed_at, alive, gone, flags; /* of the capture; of the look, 0: there was none */
    bool is_replaceable;
    const char *source;
    unsigned end, min, max;
    int status;
};

/* clang-format off */
static const struct evidence_case evidence_cases[] = {
    {"a user's program with the name of env",
     TASK EXIT("0") EPILOG, "/home/u/bin/env", 0, 0, 0, 0, false, "task_exit", 90, 90, 90, 0},
    {"numactl, wherever it is",
     TASK EXIT("0") EPILOG, "/opt/bin/numactl", 0, 0, 0, 0, false, "exec", 12, 12, 90, NOBODY},
    {"a task that may have replaced itself, and was killed",
     TASK EXIT("9") EPILOG, "/a", 0, 0, 0, 0, true, "task_end", 90, 12, 90, 9},
    {"a task that may have replaced itself, and was killed a minute after it was seen last",
     TASK EXIT("9") EPILOG, "/a", 0, 60, 0, 0, true, "task_end", 90, 60, 90, 9},
    {"a task that may have replaced itself by a program that exits with 4",
     TASK EXIT("1024") EPILOG, "/a", 0, 0, 0, 0, true, "task_end", 12, 12, 90, NOBODY},
    {"a task that may have replaced itself after it was seen last",
     TASK EXIT("1024") EPILOG, "/a", 0, 60, 0, 0, true, "task_end", 60, 60, 90, NOBODY},
    {"a task in which another program was seen, which was killed",
     TASK EXIT("9") EPILOG, "/a", 0, 30, 60, LOOK_OTHER, false, "exec", 30, 30, 60, NOBODY},
    {"a task in which another program was seen, which exited with 4",
     TASK EXIT("1024") EPILOG, "/a", 0, 30, 60, LOOK_OTHER, false, "exec", 30, 30, 60, NOBODY},
    {"a task that signed and was seen afterwards",
     TASK EXIT("9") EPILOG, "/a", 20, 60, 0, LOOK_SIGNED, false, "task_exit", 90, 90, 90, 9},
    {"a task that may have replaced itself after it signed",
     TASK EXIT("1024") EPILOG, "/a", 20, 0, 0, 0, true, "fini", 20, 20, 90, NOBODY},
    {"a task that executed nothing after it signed, and took long to end",
     TASK EXIT("1024 died=90000000000 executed=11000000000") EPILOG,
     "/a", 20, 0, 0, 0, true, "fini", 20, 20, 90, 1024},
    {"a task that executed another program after it signed",
     TASK EXIT("1024 died=90000000000 executed=21000000000") EPILOG,
     "/a", 20, 0, 0, 0, true, "fini", 20, 20, 90, NOBODY},
    {"a task that executed nothing after it signed, of whose end slurmstepd told late",
     TASK EXIT("1024 died=40000000000 executed=11000000000") EPILOG,
     "/a", 20, 0, 0, 0, true, "fini", 20, 20, 90, 1024},
    {"a task that executed nothing after it began, and signed nothing",
     TASK EXIT("1024 died=90000000000 executed=11000000000") EPILOG,
     "/a", 0, 0, 0, 0, true, "task_exit", 90, 90, 90, 1024},
    {"a process that nobody waited for, and that was seen twice",
     TASK END EPILOG, "/a", 0, 30, 60, 0, false, "step_end", 30, 30, 60, NOBODY},
    {"a process that nobody waited for, and that was gone when it was looked for",
     TASK END EPILOG, "/a", 0, 0, 60, 0, false, "step_end", 12, 12, 60, NOBODY},
    {"a process that nobody waited for, and that signed and lived on",
     TASK END EPILOG, "/a", 20, 60, 90, LOOK_SIGNED, false, "step_end", 60, 60, 90, NOBODY},
    {"a process that was seen in the tick in which it signed",
     TASK END EPILOG, "/a", 20, 20, 90, LOOK_SIGNED, false, "fini", 20, 20, 20, NOBODY},
    {"env, of which nothing is seen after its start",
     TASK EXIT("0") EPILOG, "/usr/bin/env", 0, 0, 0, 0, false, "exec", 12, 12, 90, NOBODY},
    {"env, which was seen in the second in which it began",
     TASK EXIT("0") EPILOG, "/usr/bin/env", 0, 13, 0, 0, false, "exec", 13, 13, 90, NOBODY},
    {"a user's program that is called env, and crashed",
     TASK EXIT("11") EPILOG, "/home/u/env", 0, 60, 0, 0, false, "task_exit", 90, 90, 90, 11},
    {"unshare, which waits for its child",
     TASK EXIT("0") EPILOG, "/usr/bin/unshare", 0, 60, 0, 0, true, "task_end", 60, 60, 90, NOBODY},
    {"env, which found no such program",
     TASK EXIT("32512") EPILOG, "/usr/bin/env", 90, 0, 0, 0, false, "fini", 90, 90, 90, 32512},
};
/* clang-format on */

TEST(what_root_saw_beside_decides_whose_status_it_is)
{
    for (size_t i = 0; i < sizeof evidence_cases / sizeof evidence_cases[0]; i++) {
        const struct evidence_case *one = &evidence_cases[i];
        const struct look look = {
            .alive_ns = one->alive * SECOND, .gone_ns = one->gone * SECOND, .flags = one->flags};
        const struct capture capture = {
            .pid = 50,
            .start_ticks = NEVER + 7,
            .start_ns = 12 * SECOND,
            .end_ns = one->signed_at * SECOND,
            .exec = {.at = one->exec, .size = strlen(one->exec)},
        };
        struct journal journal;
        char text[512];
        const char *before = strncmp(one->journal, "step ", 5) == 0 ? "" : STEP_0;
        snprintf(text, sizeof text, "%s%s", before, one->journal);
        assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
        const struct ending_evidence evidence = {.journal = &journal,
                                                 .now_ns = NOW * SECOND,
                                                 .look = &look,
                                                 .is_replaceable =
                                                     one->is_replaceable ? may_be : NULL};
        const struct ending found = ending_find(&capture, &evidence);
        int status = found.status_known ? found.status : NOBODY;
        /* but for the error of a signature or of slurmstepd's look */
        if (strcmp(found.source, one->source) != 0 || found.end_ns != one->end * SECOND ||
            (found.min_ns + SECOND / 2) / SECOND != one->min || found.max_ns / SECOND != one->max ||
            !is_consistent(&found) || status != one->status)
            fail_msg("%s: %s at %.3f s, %.3f to %.3f s, status %d", one->name, found.source,
                     (double)found.end_ns / 1e9, (double)found.min_ns / 1e9,
                     (double)found.max_ns / 1e9, status);
        journal_free(&journal);
    }
}

TEST(a_look_after_the_process_began_its_next_run_says_nothing)
{
    struct look look = {.alive_ns = 40 * SECOND};
    const struct capture capture = {.pid = 50, .start_ns = 12 * SECOND};
    const struct ending_evidence evidence = {
        .now_ns = NOW * SECOND, .next_ns = 30 * SECOND, .look = &look};
    struct ending found = ending_find(&capture, &evidence);
    assert_string_equal(found.source, "exec");
    assert_int_equal(found.min_ns, 12 * SECOND);
    assert_int_equal(found.max_ns, 30 * SECOND);
    look.alive_ns = 20 * SECOND;
    found = ending_find(&capture, &evidence);
    assert_int_equal(found.min_ns, 20 * SECOND);
}

static uint64_t own_ticks(void)
{
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    char *at = strrchr(text, ')') + 2;
    for (int i = 3; i < 22; i++)
        at = strchr(at, ' ') + 1;
    return strtoull(at, NULL, 10);
}

TEST(a_process_that_outlived_its_job_ran_until_the_epilog)
{
    struct capture capture = {
        .pid = getpid(), .start_ticks = own_ticks(), .start_ns = 12 * SECOND, .step = 0};
    struct ending ending = ending_of(&capture, STEP_0 TASK END EPILOG, 0);
    assert_string_equal(ending.source, "epilog");
    assert_true(ending.outlived && ending.end_ns == 100 * SECOND && ending.error_ns == 0);
    ending = ending_of(&capture, STEP_0 TASK END EPILOG, 300 * SECOND);
    assert_false(ending.outlived);
    capture.name_space = 4026531836;
    ending = ending_of(&capture, STEP_0 TASK END EPILOG, 0);
    assert_false(ending.outlived);
}

TEST(outside_of_slurm_an_end_is_known_when_a_later_flush_looked)
{
    const struct capture capture = {.pid = 4194303, .start_ticks = NEVER, .start_ns = 12 * SECOND};
    struct ending_evidence evidence = {.now_ns = NOW * SECOND};
    struct ending ending = ending_find(&capture, &evidence);
    assert_string_equal(ending.source, "session");
    assert_int_equal(ending.end_ns, 12 * SECOND);
    assert_true(is_until(ending.max_ns, NOW));
    assert_null(ending.task);
    evidence.next_ns = 20 * SECOND;
    ending = ending_find(&capture, &evidence);
    assert_string_equal(ending.source, "exec");
    assert_int_equal(ending.end_ns, 20 * SECOND);
}

/* a shell that is not recorded may have run in between */
TEST(the_time_until_the_next_program_is_not_that_of_env)
{
    static const char env[] = "/usr/bin/env";
    const struct capture capture = {.pid = 4194303,
                                    .start_ticks = NEVER,
                                    .start_ns = 12 * SECOND,
                                    .exec = {.at = env, .size = sizeof env - 1}};
    const struct ending_evidence evidence = {.now_ns = NOW * SECOND, .next_ns = 20 * SECOND};
    struct ending ending = ending_find(&capture, &evidence);
    assert_string_equal(ending.source, "exec");
    assert_int_equal(ending.end_ns, 12 * SECOND);
    assert_int_equal(ending.max_ns, 20 * SECOND);
}

/* It was seen at 40 by a clock that was set back by 20 s before it signed at 30. */
TEST(a_process_that_was_seen_before_the_clock_was_set_back_has_not_lived_on)
{
    const struct capture capture = {
        .pid = 4194303, .start_ticks = NEVER, .start_ns = 12 * SECOND, .end_ns = 30 * SECOND};
    const struct look look = {.alive_ns = 40 * SECOND};
    struct journal journal = {.is_clock_known = true, .clock_step_ns = -20 * (int64_t)SECOND};
    const struct ending_evidence evidence = {
        .journal = &journal, .now_ns = NOW * SECOND, .look = &look};
    assert_string_equal(ending_find(&capture, &evidence).source, "fini");
    journal.clock_step_ns = 0;
    assert_string_not_equal(ending_find(&capture, &evidence).source, "fini");
}
