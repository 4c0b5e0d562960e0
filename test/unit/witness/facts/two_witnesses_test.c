/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/facts/two_witnesses.h"

#include "conf/base/process.h"
#include "contrib/witness/facts/kernel_run.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_policy.h"

#define SECOND UINT64_C(1000000000)

/* The witness listens from 1 to 100, since boot and since the Epoch. */
#define LISTEN "left                    0\nlisten 1000000000 1000000000 1 1\n"
#define PROGRAM                                                                                    \
    "program 1 - /opt/a\nprogram 2 - /usr/lib/ld-linux-x86-64.so.2\nprogram 3 - /bin/sh\n"
#define NOTED(pid, times, program, status, lack)                                                   \
    "end " pid " 1 " times " " program " " status " " lack " 0 0 0 0 0 0 0 0 0\n"

#define STEP                                                                                       \
    "step time=5.000000000 job=1 uid=1 gid=1 step=0\n"                                             \
    "task time=10.000000000 step=0 task=0 pid=50 ticks=1000 thread=1 busy=1\n"
#define EXIT(status) "exit time=40.000000000 step=0 task=0 pid=50 status=" status "\n"

/* START, PARENT-START, END, EXEC, EXECS */
#define TIMES "10000000000 0 40000000000 10000000000 1"

static struct capture captured(const char *path)
{
    return (struct capture){.pid = 50,
                            .start_ticks = 1000,
                            .start_ns = 11 * SECOND,
                            .up_ns = 11 * SECOND,
                            .end_ns = 40 * SECOND,
                            .exec = {path, strlen(path), 0}};
}

struct comparison {
    const char *notes;
    const struct capture *capture; /* NULL: there is none */
    const char *journal;           /* NULL: nothing of a task */
    uint64_t dropped;
    bool is_excluded, has_no_ledger, has_not_started; /* the task */
};

static struct witness_agreement compare(const struct comparison *of)
{
    struct witness_agreement agreement;
    struct kernel_notes kernel;
    struct journal journal;
    struct two_witnesses *witnesses;
    const char *text = of->journal == NULL ? STEP : of->journal;
    void *policy = compiled("[paths]\nskip = /bin/.*\n");
    assert_int_equal(kernel_notes_parse(strdup(of->notes), strlen(of->notes), &kernel), 0);
    assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
    kernel.until_ns = 100 * SECOND;
    const struct kernel_comparison source = {.policy = policy,
                                             .journal = &journal,
                                             .kernel = &kernel,
                                             .is_excluded = of->is_excluded,
                                             .has_ledger = !of->has_no_ledger,
                                             .last_ns = 90 * SECOND};
    assert_int_equal(two_witnesses_new(&source, &witnesses), 0);
    if (of->capture != NULL)
        two_witnesses_capture(witnesses, of->capture,
                              kernel_notes_find(&kernel, of->capture->pid, of->capture->start_ticks,
                                                of->capture->first != 0));
    struct coverage_uncaptured task = {.task = journal.tasks, .has_not_started = true};
    const struct coverage coverage = {.uncaptured = &task, .uncaptured_count = of->has_not_started};
    two_witnesses_find(witnesses, &coverage, of->dropped, &agreement);
    two_witnesses_free(witnesses);
    kernel_notes_free(&kernel);
    journal_free(&journal);
    free(policy);
    return agreement;
}

/* The verdict about the only process. */
static enum witness_verdict verdict(const struct comparison *of)
{
    const struct witness_agreement agreement = compare(of);
    enum witness_verdict found = WITNESS_VERDICTS;
    for (enum witness_verdict i = 0; i < WITNESS_VERDICTS; i++) {
        if (agreement.count[i] == 0)
            continue;
        assert_int_equal(agreement.count[i], 1);
        assert_int_equal(found, WITNESS_VERDICTS);
        found = i;
    }
    return found;
}

static enum witness_verdict of_both(const struct capture *capture, const char *notes)
{
    return verdict(&(struct comparison){.notes = notes, .capture = capture});
}

static enum witness_verdict of_kernel(const char *notes)
{
    return verdict(&(struct comparison){.notes = notes});
}

TEST(two_that_say_the_same_agree)
{
    const struct capture capture = captured("/opt/a");
    assert_int_equal(of_both(&capture, LISTEN PROGRAM NOTED("50", TIMES, "1", "768", "0")),
                     WITNESS_AGREED);
}

TEST(another_program_end_or_signal_is_not_explained)
{
    static const char same[] = LISTEN PROGRAM NOTED("50", TIMES, "1", "9", "0");
    struct capture capture = captured("/opt/b");
    assert_int_equal(of_both(&capture, same), WITNESS_UNEXPLAINED);
    capture = captured("/opt/a");
    capture.exec = (struct capture_bytes){"/opt/a\0bcdefgh", 14, 0};
    assert_int_equal(of_both(&capture, same), WITNESS_UNEXPLAINED);
    capture = captured("/opt/a");
    capture.end_ns = 41 * SECOND; /* after the kernel's */
    assert_int_equal(of_both(&capture, same), WITNESS_UNEXPLAINED);
    capture.end_ns = 0;
    capture.signal = 9;
    assert_int_equal(of_both(&capture, same), WITNESS_AGREED);
    capture.signal = 15;
    assert_int_equal(of_both(&capture, same), WITNESS_UNEXPLAINED);
}

TEST(rank_0_of_another_node_has_the_run)
{
    static const char task_1[] = "step time=5.000000000 job=1 uid=1 gid=1 step=0\n"
                                 "task time=10.000000000 step=0 task=1 pid=50 ticks=1000 thread=1 "
                                 "busy=1\n";
    static const char rank[] = LISTEN PROGRAM NOTED("50", TIMES, "1", "768", "0");
    static const char below[] = LISTEN PROGRAM NOTED(
        "50", TIMES, "3", "0", "0") "end 60 50 11000000000 10000000000 "
                                    "20000000000 11000000000 1 1 0 0 0 0 0 0 0 "
                                    "0 0 0 0\n";
    assert_int_equal(of_kernel(rank), WITNESS_UNEXPLAINED); /* task 0 */
    assert_int_equal(verdict(&(struct comparison){.notes = rank, .journal = task_1}),
                     WITNESS_FOLLOWER);
    const struct witness_agreement agreement =
        compare(&(struct comparison){.notes = below, .journal = task_1});
    assert_int_equal(agreement.count[WITNESS_LEFT_OUT], 1); /* the shell */
    assert_int_equal(agreement.count[WITNESS_FOLLOWER], 1);
}

TEST(ranks_below_a_launchers_daemon_are_followers)
{
    static const char below[] = LISTEN PROGRAM "program 4 - /usr/bin/orted\n" NOTED(
        "50", TIMES, "4", "0", "32") "end 60 50 11000000000 10000000000 20000000000 11000000000 1 "
                                     "1 0 0 0 0 0 0 0 0 0 0 0\n"
                                     "end 61 60 12000000000 11000000000 20000000000 12000000000 1 "
                                     "1 0 0 0 0 0 0 0 0 0 0 0\n";
    const struct witness_agreement agreement = compare(&(struct comparison){.notes = below});
    assert_int_equal(agreement.count[WITNESS_UNLOADED], 1);    /* the daemon */
    assert_int_equal(agreement.count[WITNESS_FOLLOWER], 1);    /* its child */
    assert_int_equal(agreement.count[WITNESS_UNEXPLAINED], 1); /* what that has started */
}

TEST(a_copy_in_a_static_program_has_told_of_it)
{
    static const char text[] = LISTEN PROGRAM NOTED("50", TIMES, "1", "768", "96");
    const char *const paths[] = {"/opt/a", "/opt/b"};
    for (size_t i = 0; i < 2; i++) {
        const struct capture capture = captured(paths[i]);
        struct kernel_notes kernel;
        struct journal journal;
        struct two_witnesses *witnesses;
        void *policy = compiled("[paths]\n");
        assert_int_equal(kernel_notes_parse(strdup(text), sizeof text - 1, &kernel), 0);
        assert_int_equal(journal_parse(STEP, sizeof STEP - 1, &journal), 0);
        const struct kernel_comparison source = {
            .policy = policy, .journal = &journal, .kernel = &kernel, .has_ledger = true};
        assert_int_equal(two_witnesses_new(&source, &witnesses), 0);
        assert_false(two_witnesses_is_written(witnesses, 0));
        two_witnesses_capture(witnesses, &capture, &kernel.noted[0]);
        /* a capture that names another program hides none */
        assert_int_equal(two_witnesses_is_written(witnesses, 0), i == 0);
        two_witnesses_free(witnesses);
        kernel_notes_free(&kernel);
        journal_free(&journal);
        free(policy);
    }
}

TEST(slurms_status_is_compared)
{
    const struct capture capture = captured("/opt/a");
    static const char notes[] = LISTEN PROGRAM NOTED("50", TIMES, "1", "768", "0");
    static const char same[] = STEP EXIT("768"), other[] = STEP EXIT("256");
    assert_int_equal(
        verdict(&(struct comparison){.notes = notes, .capture = &capture, .journal = same}),
        WITNESS_AGREED);
    assert_int_equal(
        verdict(&(struct comparison){.notes = notes, .capture = &capture, .journal = other}),
        WITNESS_UNEXPLAINED);
}

TEST(the_path_of_a_removed_file_is_the_same)
{
    const struct capture capture = captured("/opt/a");
    assert_int_equal(of_both(&capture, LISTEN
                             "program 1 - /opt/a (deleted)\n" NOTED("50", TIMES, "1", "0", "0")),
                     WITNESS_AGREED);
}

TEST(known_causes_explain_a_difference)
{
    struct capture capture = captured("/opt/a");
    capture.end_ns = 20 * SECOND;
    assert_int_equal(of_both(&capture, LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "0")),
                     WITNESS_LIVED_ON);
    capture.has_clock_step = 1;
    capture.clock_step_ns = 1;
    assert_int_equal(of_both(&capture, LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "0")),
                     WITNESS_CLOCK);
    capture = captured("/opt/a");
    assert_int_equal(of_both(&capture, LISTEN PROGRAM NOTED("50", TIMES, "2", "0", "0")),
                     WITNESS_BY_LOADER);
}

TEST(what_the_kernel_alone_tells_is_explained_by_what_was_mapped)
{
    assert_int_equal(of_kernel(LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "96")), WITNESS_STATIC);
    assert_int_equal(of_kernel(LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "32")),
                     WITNESS_UNLOADED);
    assert_int_equal(of_kernel(LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "17")),
                     WITNESS_UNMAPPED);
    assert_int_equal(of_kernel(LISTEN PROGRAM NOTED("50", TIMES, "3", "0", "0")), WITNESS_LEFT_OUT);
    assert_int_equal(of_kernel(LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "0")),
                     WITNESS_UNEXPLAINED);
    assert_int_equal(of_kernel(LISTEN PROGRAM NOTED("50", TIMES, "1", "9", "0")),
                     WITNESS_UNEXPLAINED); /* killed after 30 s */
    assert_int_equal(of_kernel(LISTEN PROGRAM NOTED("50", "10000000000 0 10200000000 10000000000 1",
                                                    "1", "9", "0")),
                     WITNESS_KILLED);
    assert_int_equal(
        of_kernel(LISTEN PROGRAM NOTED("50", "10000000000 0 40000000000 0 0", "1", "0", "0")),
        WITNESS_AGREED); /* it has executed nothing */
}

TEST(what_its_loader_did_not_start_is_explained_by_the_journal_or_its_exit_code)
{
    struct comparison of = {.notes = LISTEN PROGRAM NOTED("50", TIMES, "1", "256", "0")};
    assert_int_equal(verdict(&of), WITNESS_UNEXPLAINED);
    of.has_not_started = true;
    assert_int_equal(verdict(&of), WITNESS_NOT_STARTED);
    assert_int_equal(of_kernel(LISTEN PROGRAM NOTED("51", "10000000000 0 10200000000 10000000000 1",
                                                    "1", "32512", "0")),
                     WITNESS_NOT_STARTED);
    assert_int_equal(of_kernel(LISTEN PROGRAM NOTED("51", TIMES, "1", "32512", "0")),
                     WITNESS_UNEXPLAINED); /* after 30 s */
}

TEST(a_program_after_the_last_capture_is_the_kernels_alone)
{
    const struct capture capture = captured("/opt/a");
    assert_int_equal(
        of_both(&capture, LISTEN PROGRAM NOTED("50", "10000000000 0 40000000000 12000000000 2", "1",
                                               "0", "96")),
        WITNESS_STATIC);
}

TEST(ranks_stand_for_as_many_as_they_say)
{
    struct capture capture = captured("/opt/a");
    const struct comparison of = {.notes = LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "0") NOTED(
                                      "51", TIMES, "1", "0", "0") NOTED("52", TIMES, "1", "0", "0"),
                                  .capture = &capture};
    capture.size = 2;
    const struct witness_agreement agreement = compare(&of);
    assert_int_equal(agreement.count[WITNESS_AGREED], 1);
    assert_int_equal(agreement.count[WITNESS_FOLLOWER], 1);
    assert_int_equal(agreement.count[WITNESS_UNEXPLAINED], 1);
}

TEST(the_ledgers_losses_explain_as_many)
{
    struct comparison of = {.notes = LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "0")
                                NOTED("51", TIMES, "1", "0", "0"),
                            .dropped = 1};
    struct witness_agreement agreement = compare(&of);
    assert_int_equal(agreement.count[WITNESS_NO_ROOM], 1);
    assert_int_equal(agreement.count[WITNESS_UNEXPLAINED], 1);
    of.has_no_ledger = true;
    assert_int_equal(compare(&of).count[WITNESS_NO_ROOM], 2);
    of.is_excluded = true;
    assert_int_equal(compare(&of).count[WITNESS_LEFT_OUT], 2);
}

/* Its pid is that of no task, and its parent is not here. */
#define OF_NO_STEP LISTEN PROGRAM NOTED("51", TIMES, "1", "0", "32")

static bool makes_run(const char *journal_text, const char *notes)
{
    static struct kernel_run run;
    struct kernel_notes kernel;
    struct journal journal;
    void *policy = compiled("[paths]\n");
    assert_int_equal(kernel_notes_parse(strdup(notes), strlen(notes), &kernel), 0);
    assert_int_equal(journal_parse(journal_text, strlen(journal_text), &journal), 0);
    const struct kernel_run_source source = {
        .policy = policy, .journal = &journal, .notes = &kernel};
    bool makes = kernel_run_find(&source, &kernel.noted[0], &run);
    kernel_notes_free(&kernel);
    journal_free(&journal);
    free(policy);
    return makes;
}

#define TASK_OF(task, pid)                                                                         \
    "task time=10.000000000 step=0 task=" task " pid=" pid " ticks=1000 thread=1 busy=1\n"
#define FOUR_TASKS "step time=5.000000000 job=1 uid=1 gid=1 step=0 nodes=2 nodeid=0 tasks=4\n"

/* Rank 1 runs what rank 0 does not: none of them records it. */
TEST(what_the_first_task_did_not_run_follows_nobody)
{
    static const char notes[] = LISTEN
        "program 1 - /opt/master\nprogram 2 - /opt/worker\n" NOTED("50", TIMES, "1", "0", "0")
            NOTED("51", TIMES, "2", "0", "0") NOTED("52", TIMES, "1", "0", "0");
    const struct capture capture = captured("/opt/master");
    const struct witness_agreement agreement = compare(&(struct comparison){
        .notes = notes,
        .capture = &capture,
        .journal = FOUR_TASKS TASK_OF("0", "50") TASK_OF("1", "51") TASK_OF("2", "52")});
    assert_int_equal(agreement.count[WITNESS_AGREED], 1);
    assert_int_equal(agreement.count[WITNESS_NOT_FIRST], 1);
    assert_int_equal(agreement.count[WITNESS_FOLLOWER], 1);
}

/* Its library told that it could leave no capture. */
#define UNWRITTEN LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "128")

TEST(what_could_leave_no_capture_is_a_run)
{
    struct comparison of = {.notes = UNWRITTEN};
    assert_true(makes_run(STEP, UNWRITTEN));
    assert_false(makes_run(STEP, LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "144")));
    assert_false(makes_run(STEP, LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "0")));
    assert_int_equal(verdict(&of), WITNESS_UNWRITTEN);
    of.dropped = 1;
    assert_int_equal(verdict(&of), WITNESS_NO_ROOM);
}

TEST(what_may_be_of_a_step_that_opted_out_is_left_out)
{
    static const char other[] = STEP "step time=5.000000000 job=1 uid=1 gid=1 step=1 opted_out=1\n";
    static const char of_task[] = LISTEN PROGRAM NOTED("50", TIMES, "1", "0", "32");
    assert_true(makes_run(STEP, OF_NO_STEP));
    assert_int_equal(of_kernel(OF_NO_STEP), WITNESS_UNLOADED);
    assert_false(makes_run(other, OF_NO_STEP));
    assert_int_equal(verdict(&(struct comparison){.notes = OF_NO_STEP, .journal = other}),
                     WITNESS_LEFT_OUT);
    assert_true(makes_run(other, of_task)); /* its step has not */
    assert_int_equal(verdict(&(struct comparison){.notes = of_task, .journal = other}),
                     WITNESS_UNLOADED);
}

TEST(what_the_ledger_alone_tells_is_explained_by_losses)
{
    struct capture capture = captured("/opt/a");
    assert_int_equal(of_both(&capture, LISTEN), WITNESS_UNEXPLAINED);
    assert_int_equal(of_both(&capture, LISTEN "lost 5 5 1\n"), WITNESS_LOST);
    assert_int_equal(of_both(&capture, LISTEN "overrun 5 1\n"), WITNESS_LOST);
    assert_int_equal(of_both(&capture, LISTEN "left 1\n"), WITNESS_LOST);
    assert_int_equal(of_both(&capture, LISTEN "unheard 20000000000 21000000000\n"),
                     WITNESS_UNHEARD);
    assert_int_equal(of_both(&capture, LISTEN "unheard 2000000000 3000000000\n"),
                     WITNESS_UNEXPLAINED); /* before it began */
    capture.name_space = 7;
    assert_int_equal(of_both(&capture, LISTEN), WITNESS_NAME_SPACE);
    capture = captured("/opt/a");
    capture.pid = getpid();
    assert_true(process_start(capture.pid, &capture.start_ticks));
    assert_int_equal(of_both(&capture, LISTEN), WITNESS_OUTLIVED);
}

TEST(a_process_in_another_name_space_counts_once)
{
    struct capture capture = captured("/opt/a");
    const struct comparison of = {.notes = LISTEN PROGRAM NOTED("51", TIMES, "1", "0", "0")
                                      NOTED("52", TIMES, "1", "0", "0"),
                                  .capture = &capture};
    capture.name_space = 7;
    const struct witness_agreement agreement = compare(&of);
    assert_int_equal(agreement.count[WITNESS_NAME_SPACE], 1);
    assert_int_equal(agreement.count[WITNESS_UNEXPLAINED], 1);
}

TEST(time_without_a_listener_is_counted)
{
    struct kernel_notes kernel = {.text = NULL};
    struct kernel_account account =
        kernel_account_find(&kernel, SECOND, 5 * SECOND, CONF_WITNESS_ENDS);
    assert_string_equal(account.level, "none");
    assert_int_equal(account.unheard_ns, 4 * SECOND);
    account = kernel_account_find(&kernel, SECOND, 5 * SECOND, CONF_WITNESS_OFF);
    assert_string_equal(account.level, "off");
    assert_int_equal(account.unheard_ns, 0);
    static const char text[] =
        LISTEN "unheard 20000000000 21000000000\n"
               "listen 21000000000 21000000000 0 1\n"
               "lost 4 5 3\noverrun 5 2\nleft 4\n" NOTED("50", TIMES, "0", "0", "1")
                   NOTED("51", TIMES, "0", "0", "12");
    assert_int_equal(kernel_notes_parse(strdup(text), strlen(text), &kernel), 0);
    kernel.until_ns = 50 * SECOND;
    account = kernel_account_find(&kernel, SECOND / 2, 60 * SECOND, CONF_WITNESS_ENDS);
    assert_string_equal(account.level, "ends");
    assert_int_equal(account.unheard_ns, SECOND / 2 + SECOND + 10 * SECOND);
    assert_int_equal(account.processes, 2);
    assert_int_equal(account.older, 1);
    assert_int_equal(account.partial, 1);
    assert_int_equal(account.lost, 3);
    assert_int_equal(account.overruns, 2);
    assert_int_equal(account.left, 4);
    kernel_notes_free(&kernel);
}

TEST(each_explained_verdict_has_a_name)
{
    for (enum witness_verdict i = 0; i < WITNESS_VERDICTS; i++)
        assert_int_equal(witness_verdict_name(i) == NULL,
                         i == WITNESS_AGREED || i == WITNESS_UNEXPLAINED);
}
