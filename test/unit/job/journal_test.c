/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading the journal.
 */
#include <sys/mman.h>

#include "spank/journal.h"
#include "submit/job/journal_read.h"
#include "test/unit/fixture/cases.h"

#define WHO "step time=1.000000000 job=7 restart=0 step=0 uid=1000 gid=100\n"

static struct journal parsed_bytes(const char *text, size_t size)
{
    struct journal journal;
    assert_int_equal(journal_parse(text, size, &journal), 0);
    return journal;
}

static struct journal parsed(const char *text)
{
    return parsed_bytes(text, strlen(text));
}

TEST(every_verb_gives_its_facts)
{
    struct journal journal = parsed(
        "step time=1700000000.000000001 job=42 restart=3 step=4294967291 node=n%2D1 uid=1000 "
        "gid=100 nodes=0 node_id=0 tasks=1 local_tasks=1 cpus_per_task=2 array_job=40 "
        "array_task=2 cpus=4 pid=90 ticks=91 submit_host=login%201\n"
        "step time=1700000001.5 step=0\n" /* not nine digits: a bad line */
        "step time=1700000002.000000000 job=42 restart=3 step=0 node=n1 uid=1000 gid=100 nodes=2 "
        "node_id=1 tasks=8 local_tasks=4 cpus_per_task=1 cpus=4 array_job=40 array_task=2\n"
        "task time=1700000003.000000000 step=0 task=5 pid=100 ticks=200\n"
        "exit time=1700000004.000000000 step=0 task=5 pid=100 status=256\n"
        "end time=1700000005.000000000 step=0\n"
        "epilog time=1700000006.000000000 user=alice account=proj partition=main cluster=c "
        "nodes=2 cpus=4(x2),2 gpus=0,1,3 het_job=41\n");
    assert_int_equal(journal.identity.job, 42);
    assert_int_equal(journal.identity.restart, 3);
    assert_int_equal(journal.identity.uid, 1000);
    assert_int_equal(journal.identity.gid, 100);
    assert_int_equal(journal.identity.array_job, 40);
    assert_int_equal(journal.identity.array_task, 2);
    assert_int_equal(journal.identity.het_job, 41);
    assert_int_equal(journal.nodes, 2);
    assert_int_equal(journal.cpus, 10);
    assert_int_equal(journal.gpus, 3);
    assert_string_equal(journal.identity.user, "alice");
    assert_string_equal(journal.identity.account, "proj");
    assert_string_equal(journal.identity.partition, "main");
    assert_string_equal(journal.identity.cluster, "c");
    assert_string_equal(journal.identity.node, "n1");
    assert_string_equal(journal.submit_host, "login 1");
    assert_true(journal.epilog_ns == UINT64_C(1700000006000000000));
    assert_int_equal(journal.bad_lines, 1);
    assert_int_equal(journal.step_count, 2);
    assert_int_equal(journal.task_count, 1);

    const struct journal_step *batch = journal_find_step(&journal, JOURNAL_STEP_BATCH);
    assert_non_null(batch);
    assert_int_equal(batch->nodes, 0);
    assert_int_equal(batch->cpus_per_task, 2);
    assert_int_equal(batch->pid, 90);
    assert_int_equal(batch->ticks, 91);
    assert_true(batch->start_ns == UINT64_C(1700000000000000001));
    assert_int_equal(batch->end_ns, 0);
    const struct journal_step *step = journal_find_step(&journal, 0);
    assert_non_null(step);
    assert_int_equal(step->nodes, 2);
    assert_int_equal(step->node_id, 1);
    assert_int_equal(step->tasks, 8);
    assert_int_equal(step->cpus, 4);
    assert_int_equal(step->pid, 0);
    assert_true(step->end_ns == UINT64_C(1700000005000000000));
    assert_null(journal_find_step(&journal, 1));

    const struct journal_task *task = journal_find_task(&journal, 100, 200);
    assert_non_null(task);
    assert_int_equal(task->step, 0);
    assert_int_equal(task->task, 5);
    assert_int_equal(task->status, 256);
    assert_true(task->start_ns == UINT64_C(1700000003000000000));
    assert_true(task->end_ns == UINT64_C(1700000004000000000));
    assert_null(journal_find_task(&journal, 100, 201));
    assert_null(journal_find_task(&journal, 101, 200));
    journal_free(&journal);
}

TEST(what_is_not_told_is_none)
{
    struct journal journal = parsed(WHO);
    assert_int_equal(journal.identity.array_job, JOURNAL_NONE);
    assert_int_equal(journal.identity.array_task, JOURNAL_NONE);
    assert_int_equal(journal.identity.het_job, JOURNAL_NONE);
    assert_int_equal(journal.nodes, 0);
    assert_int_equal(journal.cpus, 0);
    assert_int_equal(journal.gpus, 0);
    assert_int_equal(journal.epilog_ns, 0);
    assert_string_equal(journal.identity.user, "");
    assert_string_equal(journal.identity.account, "");
    assert_string_equal(journal.identity.partition, "");
    assert_string_equal(journal.identity.cluster, "");
    assert_string_equal(journal.identity.node, "");
    assert_string_equal(journal.submit_host, "");
    assert_int_equal(journal.bad_lines, 0);
    journal_free(&journal);
}

TEST(an_array_job_without_a_task_is_no_array)
{
    struct journal journal = parsed("step time=1.000000000 job=7 uid=1 gid=1 array_job=0 "
                                    "array_task=4294967294\n");
    assert_int_equal(journal.identity.array_job, JOURNAL_NONE);
    assert_int_equal(journal.identity.array_task, JOURNAL_NONE);
    journal_free(&journal);
}

TEST(a_journal_that_does_not_say_whose_job_it_is_is_refused)
{
    static const char *const texts[] = {
        "",
        "\n",
        "step time=1.000000000 job=7 step=0\n",
        "step time=1.000000000 job=7 step=0 uid=1000\n",
        "step time=1.000000000 job=7 step=0 gid=1000\n",
        "step time=1.000000000 job=7 step=0 uid=x gid=100\n",
        "step time=1.000000000 job=7 step=0 uid=-5 gid=100\n",
        "step time=1.000000000 job=7 step=0 uid=4294967296 gid=100\n",
        "step time=1.000000000 job=7 step=0 uid=1000 gid=100", /* cut: no newline */
        "step job=7 step=0 uid=1000 gid=100\n",                /* no time */
        "epilog time=1.000000000 user=alice\n",
        "task time=1.000000000 step=0 task=0 pid=1 ticks=1 uid=1 gid=1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct journal journal = {.identity = {.job = 123}};
        if (journal_parse(texts[i], strlen(texts[i]), &journal) != -ENODATA)
            fail_msg("not refused: %s", texts[i]);
        assert_int_equal(journal.identity.job, 123);
    }
}

TEST(nobody_is_no_name_of_a_user)
{
    struct journal journal = parsed("prolog time=1.000000000 job=7 uid=1000 gid=100 user=al\n"
                                    "epilog time=2.000000000 user=nobody\n");
    assert_string_equal(journal.identity.user, "al");
    journal_free(&journal);
    journal = parsed("prolog time=1.000000000 job=7 uid=1000 gid=100 user=nobody\n"
                     "epilog time=2.000000000 user=al\n");
    assert_string_equal(journal.identity.user, "al");
    journal_free(&journal);
    journal = parsed("epilog time=2.000000000 user=nobody\n"
                     "prolog time=1.000000000 job=7 uid=3999999999 gid=100\n");
    assert_int_equal(job_identity_name_user(&journal.identity), 0);
    assert_string_equal(journal.identity.user, "3999999999");
    journal_free(&journal);
}

#define RUN    "step time=1.000000000 job=7 restart=1 step=0 uid=1000 gid=100\n"
#define EPILOG "epilog time=4.000000000 "

/* In a job that came back without a prolog, Slurm's word to the batch script counts. Else the
 * epilog of a run that is requeued has the next one's. */
TEST(a_run_without_a_prolog_is_the_one_that_slurm_says)
{
    static const struct {
        const char *lines;
        uint32_t restart;
    } cases[] = {
        {RUN "again time=2.000000000 restart=3\n" RUN EPILOG "restart=4\n", 3},
        {RUN EPILOG "restart=4\n", 3},
        {RUN EPILOG "restart=2\n", 1}, /* or 2, where it is over */
        {RUN EPILOG "restart=0\n", 1},
        {RUN EPILOG "\n", 1},
        {"prolog time=1.000000000 job=7 restart=1 uid=1000 gid=100\n" EPILOG "restart=4\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct journal journal = parsed(cases[i].lines);
        assert_int_equal(journal.identity.restart, cases[i].restart);
        journal_free(&journal);
    }
}

TEST(the_prolog_tells_whose_job_it_is_and_the_first_epilog_counts)
{
    struct journal journal =
        parsed("prolog time=1.000000000 job=7 restart=2 uid=1000 gid=100 node=n1 boot=b-1 user=al "
               "account=a partition=p cluster=c nodes=2 cpus=4(x2) gpus=0,1\n");
    assert_int_equal(journal.identity.job, 7);
    assert_int_equal(journal.identity.restart, 2);
    assert_int_equal(journal.identity.uid, 1000);
    assert_int_equal(journal.step_count, 0);
    assert_int_equal(journal.epilog_ns, 0);
    assert_string_equal(journal.identity.node, "n1");
    assert_string_equal(journal.boot, "b-1");
    assert_string_equal(journal.identity.account, "a");
    assert_string_equal(journal.identity.qos, "");
    assert_int_equal(journal.gpus, 2);
    journal_free(&journal);
    journal = parsed(WHO "epilog time=2.000000000 account=a qos=gold\n"
                         "epilog time=3.000000000 account=b qos=iron\n");
    assert_true(journal.epilog_ns == UINT64_C(2000000000));
    assert_true(journal.last_ns == UINT64_C(3000000000));
    assert_string_equal(journal.identity.account, "a");
    assert_string_equal(journal.identity.qos, "gold");
    journal_free(&journal);
}

TEST(a_step_has_its_cores_and_the_job_has_those_of_the_node)
{
    struct journal journal =
        parsed("step time=1.000000000 job=7 step=0 uid=1 gid=1 cpus=8 local_tasks=3 memory=300 "
               "cores=0-2,65 "
               "job_cores=0-3,64-65\n"
               "step time=2.000000000 job=7 step=1 uid=1 gid=1 cpus=8 cores=3,3 job_cores=0-9\n"
               "step time=2.000000000 job=7 step=2 uid=1 gid=1 cpus=8\n");
    const struct journal_step *step = journal_find_step(&journal, 0);
    assert_int_equal(step->local_tasks, 3);
    assert_int_equal(step->memory_mib, 300);
    assert_int_equal(step->cores.count, 4);
    assert_int_equal(step->cores.word_count, 2);
    assert_int_equal(step->cores.words[0], 7);
    assert_int_equal(step->cores.words[1], 2);
    step = journal_find_step(&journal, 1);
    assert_int_equal(step->cores.count, 1);
    assert_int_equal(step->cores.words[0], 8);
    step = journal_find_step(&journal, 2);
    assert_null(step->cores.words);
    assert_int_equal(step->cores.count, 0);
    assert_int_equal(journal.node_cpus, 8);
    assert_int_equal(journal.cores.count, 6);
    assert_int_equal(journal.cores.words[1], 3);
    journal_free(&journal);
}

TEST(odd_lists_of_cores_are_not_known)
{
    static const char *const lists[] = {
        "",
        ",",
        "-",
        "1-",
        "-1",
        "3-1",
        "1,",
        ",1",
        "1,,2",
        "4096",
        "0-4096",
        "0x1",
        "1 ",
        "4294967296",
        "a",
        "1-2-3",
        "+1",
        "18446744073709551616",
        "0-3%00",
        "(null)",
        "1;2",
        "1--2",
        "99999999999999999999-1",
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct core_set set;
        assert_int_equal(core_set_parse(lists[i], &set), 0);
        if (set.words != NULL || set.count != 0 || set.word_count != 0)
            fail_msg("taken: %s", lists[i]);
    }
    struct core_set set;
    assert_int_equal(core_set_parse(NULL, &set), 0);
    assert_null(set.words);
    assert_int_equal(core_set_parse("0-4095", &set), 0);
    assert_int_equal(set.count, 4096);
    assert_int_equal(set.word_count, 64);
    core_set_free(&set);
    assert_null(set.words);
}

TEST(the_credential_tells_the_nodes_cpus_where_all_nodes_have_the_same)
{
    static const struct {
        const char *cpus;
        unsigned all, node;
    } texts[] = {{"4", 4, 4},   {"4(x3)", 12, 4}, {"4(x2),2", 10, 0},
                 {"4,4", 8, 4}, {"4,", 4, 4},     {"x", 0, 0}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "prolog time=1.000000000 job=7 uid=1 gid=1 cpus=%s\n",
                 texts[i].cpus);
        struct journal journal = parsed(text);
        assert_int_equal(journal.cpus, texts[i].all);
        assert_int_equal(journal.node_cpus, texts[i].node);
        journal_free(&journal);
    }
}

TEST(the_cpus_of_a_node_are_those_that_slurm_accounts_for)
{
    static const char batch[] = "step time=1.000000000 job=7 uid=1 gid=1 step=4294967291 ";
    static const char job_step[] = "step time=2.000000000 job=7 uid=1 gid=1 step=0 ";
    static const struct {
        const char *first, *first_keys, *second_keys;
        unsigned cpus;
    } texts[] = {
        /* half a core, with CR_CPU: the job step tells of all threads */
        {batch, "cpus=3 cores=0-1 job_cores=0-1", "cpus=4 cores=0-1 job_cores=0-1", 3},
        /* --hint=nomultithread with CR_Core */
        {batch, "cpus=3 cores=0-2 job_cores=0-2 whole_cores=1",
         "cpus=6 cores=0-2 job_cores=0-2 whole_cores=1", 6},
        {batch, "cpus=4 cores=0-1 job_cores=0-1 whole_cores=1",
         "cpus=2 cores=0 job_cores=0-1 whole_cores=1", 4},
        /* a node without the batch step, whose share the credential does not tell */
        {"prolog time=1.000000000 job=7 uid=1 gid=1 ", "cpus=4,2", "cpus=2 cores=0 job_cores=0", 2},
        {"prolog time=1.000000000 job=7 uid=1 gid=1 ", "cpus=4(x2)", "cpus=2 cores=0 job_cores=0-1",
         4},
        {"prolog time=1.000000000 job=7 uid=1 gid=1 node=n7 ", "cpus=8,4(x2),3 node_list=n[1,5-7]",
         "cpus=2 cores=0 job_cores=0", 3},
        /* a step on the second node alone brings the prolog: the list is the step's, of 3+1 CPUs */
        {"prolog time=1.000000000 job=7 uid=1 gid=1 node=n2 ", "nodes=2 cpus=3,1 node_list=n2",
         "nodes=1 cpus=1 cores=0 job_cores=0", 1},
        {"prolog time=1.000000000 job=7 uid=1 gid=1 ", "", "cpus=2", 2},
        {"prolog time=1.000000000 job=7 uid=1 gid=1 ", "", "", 0},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s\n%s%s\n", texts[i].first, texts[i].first_keys, job_step,
                 texts[i].second_keys);
        struct journal journal = parsed(text);
        if (journal.node_cpus != texts[i].cpus)
            fail_msg("%zu: %u", i, journal.node_cpus);
        journal_free(&journal);
    }
}

TEST(the_cpus_are_the_epilogs_where_a_step_brought_the_prolog)
{
    static const char step[] = "step time=2.000000000 job=7 step=0 uid=1 gid=1 nodes=1 cpus=3\n";
    static const char epilog[] = "epilog time=3.000000000 nodes=2 cpus=3,1 node_list=n[1-2]\n";
    char text[512];
    snprintf(text, sizeof text, "%s%s%s",
             "prolog time=1.000000000 job=7 uid=1 gid=1 node=n2 nodes=2 cpus=3,1 node_list=n2\n",
             step, epilog);
    struct journal journal = parsed(text);
    assert_int_equal(journal.cpus, 4);
    assert_int_equal(journal.node_cpus, 1);
    journal_free(&journal);
}

TEST(the_epilog_tells_when_the_job_started)
{
    struct journal journal = parsed(WHO "epilog time=1700000000.000000000 start=1699999990\n"
                                        "epilog time=1700000009.000000000 start=5\n");
    assert_true(journal.start_ns == UINT64_C(1699999990000000000));
    journal_free(&journal);
    journal = parsed(WHO "epilog time=1700000000.000000000 start=1700000001\n"); /* after its end */
    assert_true(journal.start_ns == 0);
    journal_free(&journal);
    journal = parsed(WHO "epilog time=1700000000.000000000 start=18446744073709551615\n");
    assert_true(journal.start_ns == 0);
    journal_free(&journal);
}

TEST(suspensions_have_uncertain_edges)
{
    struct journal journal =
        parsed(WHO "resume time=1.500000000 since=1.000000000\n" /* of none */
                   "suspend time=3.000000000 since=2.000000000\n"
                   "suspend time=3.500000000 since=3.200000000\n" /* is already */
                   "resume time=5.000000000 since=4.000000000\n"
                   "resume time=6.000000000 since=5.500000000\n"  /* is already */
                   "suspend time=8.000000000 since=4.500000000\n" /* overlaps */
                   "suspend time=8.000000000 since=9.000000000\n" /* later */
                   "suspend time=8.000000000\n"
                   "suspend time=8.000000000 since=7.000000000\n");
    assert_int_equal(journal.bad_lines, 6);
    assert_int_equal(journal.pause_count, 2);
    assert_true(journal.pauses[0].may_start_ns == UINT64_C(2000000000));
    assert_true(journal.pauses[0].start_ns == UINT64_C(3000000000));
    assert_true(journal.pauses[0].end_ns == UINT64_C(4000000000));
    assert_true(journal.pauses[0].may_end_ns == UINT64_C(5000000000));
    assert_true(journal.pauses[1].start_ns == UINT64_C(8000000000));
    assert_true(journal.pauses[1].end_ns == UINT64_C(8000000000));
    assert_true(journal.pauses[1].may_end_ns == UINT64_MAX);
    journal_free(&journal);
}

TEST(a_clock_that_was_set_shows)
{
    struct journal journal =
        parsed("step time=1000.000000000 up=10.000000000 job=7 step=0 uid=1 gid=1\n"
               "end time=1005.000000000 up=15.000000000 step=0\n");
    assert_true(journal.is_clock_known);
    assert_true(journal.clock_step_ns == 0);
    journal_free(&journal);
    journal = parsed("step time=1000.000000000 up=10.000000000 job=7 step=0 uid=1 gid=1\n"
                     "end time=940.000000000 up=20.000000000 step=0\n");
    assert_true(journal.clock_step_ns == INT64_C(-70000000000));
    journal_free(&journal);
    journal =
        parsed("step time=1000.000000000 up=10.000000000 job=7 step=0 uid=1 gid=1\n"
               "end time=4000000000.000000000 up=11.000000000 step=0\n"
               "end time=1001.000000000 up=10.500000000 step=0\n"); /* older than the one before */
    assert_true(journal.clock_step_ns == INT64_C(3999998999000000000));
    journal_free(&journal);
    journal = parsed(WHO "end time=2.000000000 up=1.000000000 step=0\n");
    assert_false(journal.is_clock_known);
    journal_free(&journal);
}

TEST(ends_that_were_seen_soon_after_others_may_have_been_earlier)
{
    /* 1 was waited for; 2 and 3 found by the look 103 ms later; 4 seen soon after that, when 5 to 7
     * were known to live; 5 waited for by a daemon that had no processor for 83 ms; 6 seen by
     * another thread, and 7 by a daemon whose kernel counts nothing. */
    static const struct {
        const char *seen, *more;
        uint64_t error_ms;
    } exits[] = {{"10.000000000", "thread=9 busy=3000000 others=alive", 52},
                 {"10.103000000", "thread=9 busy=4000000", 103},
                 {"10.104000000", "thread=9 busy=5000000 others=alive", 104},
                 {"10.120000000", "thread=9 busy=6000000 others=alive", 51},
                 {"12.000000000", "thread=9 busy=89000000 others=alive", 133},
                 {"14.500000000", "thread=10 busy=89000000 others=alive", UINT64_MAX / 1000000},
                 {"17.000000000", "", UINT64_MAX / 1000000}};
    enum { EXITS = sizeof exits / sizeof exits[0] };
    char text[4096] = WHO;
    for (unsigned i = 0; i < EXITS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "task time=2.000000000 step=0 task=%u pid=%u ticks=6 thread=9 busy=1000000\n", i,
                 i + 1);
    for (unsigned i = 0; i < EXITS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "exit time=%s step=0 task=%u pid=%u status=9 %s\n", exits[i].seen, i, i + 1,
                 exits[i].more);
    struct journal journal = parsed(text);
    for (unsigned i = 0; i < EXITS; i++)
        assert_int_equal(journal.tasks[i].error_ns / 1000000, exits[i].error_ms);
    journal_free(&journal);
    /* the first had an epilog of three seconds, while the second ended; the third ended later */
    journal =
        parsed(WHO "task time=2.000000000 step=0 task=0 pid=1 ticks=6 thread=9 busy=1000000\n"
                   "task time=2.000000000 step=0 task=1 pid=2 ticks=6 thread=9 busy=1000000\n"
                   "task time=2.000000000 step=0 task=2 pid=3 ticks=6 thread=9 busy=1000000\n"
                   "exit time=13.000000000 step=0 task=0 pid=1 status=9 thread=9 busy=9000000 "
                   "forked=10000000000 forked_busy=3000000\n"
                   "exit time=16.000000000 step=0 task=1 pid=2 status=9 thread=9 busy=19000000 "
                   "forked=13000000000 forked_busy=9500000 others=alive\n"
                   "exit time=23.000000000 step=0 task=2 pid=3 status=9 thread=9 busy=29000000 "
                   "forked=20000000000 forked_busy=21000000\n");
    static const uint64_t told[][3] = {
        {10000, 13000, 52}, {13000, 16000, 3052}, {20000, 23000, 52}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(journal.tasks[i].end_ns / 1000000, told[i][0]);
        assert_int_equal(journal.tasks[i].max_ns / 1000000, told[i][1]);
        assert_int_equal(journal.tasks[i].error_ns / 1000000, told[i][2]);
    }
    journal_free(&journal);
    /* one that ended while others were still being started */
    journal =
        parsed(WHO "task time=2.000000000 step=0 task=0 pid=1 ticks=6 thread=9 busy=1000000\n"
                   "task time=2.900000000 step=0 task=1 pid=2 ticks=7 thread=9 busy=1000000\n"
                   "exit time=3.000000000 step=0 task=0 pid=1 status=9 thread=9 busy=1000000\n");
    assert_int_equal(journal.tasks[0].error_ns / 1000000, 1000);
    journal_free(&journal);
}

TEST(kernels_time_of_an_end_bounds_it)
{
    /* a daemon that was blocked; one that told at once; an epilog; a clock that was set back, and
     * forward; what never was in the clock */
    static const struct {
        const char *more;
        uint64_t error_ms, work_ms;
    } exits[] = {{"died=7000000000", 3000, 51},
                 {"died=9999000000", 1, 51},
                 {"died=7000000000 forked=8000000000 forked_busy=1000000", 1000, 50},
                 {"died=10000000001", UINT64_MAX / 1000000, 51},
                 {"died=1999999999", UINT64_MAX / 1000000, 51},
                 {"died=x", 51, 51}};
    for (size_t i = 0; i < sizeof exits / sizeof exits[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 WHO "task time=2.000000000 step=0 task=0 pid=1 ticks=6 thread=9 busy=1000000\n"
                     "exit time=10.000000000 step=0 task=0 pid=1 status=9 thread=9 busy=2000000 "
                     "%s\n",
                 exits[i].more);
        struct journal journal = parsed(text);
        assert_int_equal(journal.tasks[0].error_ns / 1000000, exits[i].error_ms);
        assert_int_equal(journal.tasks[0].work_ns / 1000000, exits[i].work_ms);
        journal_free(&journal);
    }
}

TEST(a_bad_line_is_counted_and_skipped)
{
    static const char *const lines[] = {
        "task step=0 task=0 pid=5 ticks=6\n",                   /* no time */
        "task time=1 step=0 task=0 pid=5 ticks=6\n",            /* no point */
        "task time=1.00000000 step=0 task=0 pid=5 ticks=6\n",   /* eight digits */
        "task time=1.0000000000 step=0 task=0 pid=5 ticks=6\n", /* ten */
        "task time=1.-00000001 step=0 task=0 pid=5 ticks=6\n",  /* a sign */
        "task time=1.00000000x step=0 task=0 pid=5 ticks=6\n",  /* a letter */
        "task time=-1.000000000 step=0 task=0 pid=5 ticks=6\n", /* before the Epoch */
        "task time=99999999999999999999.000000000 task=0 pid=5 ticks=6\n" /* too late */,
        "task time=1.000000000 step=0 task=0 pid=5 ticks=6 x=%\n",
        "task time=1.000000000 step=0 task=0 pid=5 ticks=6 x=%4\n",
        "task time=1.000000000 step=0 task=0 pid=5 ticks=6 x=%4g\n",
        "task time=1.000000000 step=0 task=0 pid=5 ticks=6 x=%4a\n", /* we write capitals */
        "task time=1.000000000 step=0 task=0 pid=5 ticks=6 x=%00\n",
        "\n",
        "   \n",
        "exit time=1.000000000 step=0 task=0 pid=5 status=0\n", /* of no task */
        "end time=1.000000000 step=9\n",                        /* of no step */
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s" WHO, lines[i]);
        struct journal journal = parsed(text);
        if (journal.bad_lines != 1 || journal.task_count != 0 || journal.step_count != 1)
            fail_msg("%zu bad: %s", journal.bad_lines, lines[i]);
        journal_free(&journal);
    }
}

TEST(a_line_of_more_words_than_any_has_is_bad)
{
    char text[1024] = "task time=1.000000000 pid=5 ticks=6";
    for (int i = 0; i < 62; i++)
        strcat(text, " a=b");
    strcat(text, "\n" WHO);
    struct journal journal = parsed(text);
    assert_int_equal(journal.bad_lines, 1);
    assert_int_equal(journal.task_count, 0);
    journal_free(&journal);
}

TEST(unknown_verbs_and_keys_are_skipped_without_a_word)
{
    struct journal journal = parsed(WHO "checkpoint time=1.000000000 what=ever\n"
                                        "task time=2.000000000 colour=blue step=0 task=1 pid=5 "
                                        "ticks=6 ticks2=7 =8 bare\n");
    assert_int_equal(journal.bad_lines, 0);
    assert_int_equal(journal.task_count, 1);
    assert_int_equal(journal.tasks[0].ticks, 6);
    journal_free(&journal);
}

TEST(a_cut_last_line_is_not_believed)
{
    /* status=256 with its last digit missing */
    struct journal journal = parsed(WHO "task time=2.000000000 step=0 task=0 pid=5 ticks=6\n"
                                        "exit time=3.000000000 step=0 task=0 pid=5 status=25");
    assert_int_equal(journal.bad_lines, 1);
    assert_int_equal(journal.tasks[0].end_ns, 0);
    journal_free(&journal);
}

TEST(a_line_that_grew_together_with_a_cut_one_is_not_believed)
{
    struct journal journal = parsed(WHO "task time=2.000000000 step=0 task=0 pid=5 ticks=6\n"
                                        "exit time=3.000000000 step=0 task=0 pid=5 status=2"
                                        "end time=4.000000000 step=0\n");
    assert_int_equal(journal.bad_lines, 1);
    assert_int_equal(journal.tasks[0].end_ns, 0);
    assert_int_equal(journal.steps[0].end_ns, 0);
    journal_free(&journal);
}

TEST(a_line_with_nul_bytes_is_bad_and_the_next_one_is_read)
{
    static const char text[] = WHO "task time=2.000000000 step=0 task=0 pid=5\0\0\0 ticks=6\n"
                                   "end time=3.000000000 step=0\n";
    struct journal journal = parsed_bytes(text, sizeof text - 1);
    assert_int_equal(journal.bad_lines, 1);
    assert_int_equal(journal.task_count, 0);
    assert_true(journal.steps[0].end_ns == UINT64_C(3000000000));
    journal_free(&journal);
}

TEST(an_exit_belongs_to_its_task)
{
    struct journal journal =
        parsed(WHO "task time=2.000000000 step=0 task=0 pid=5 ticks=6\n"
                   "task time=2.000000000 step=0 task=1 pid=7 ticks=6\n"
                   "task time=2.000000000 step=1 task=0 pid=9 ticks=6\n"
                   "exit time=3.000000000 step=0 task=1 pid=7 status=9\n"
                   "exit time=4.000000000 step=0 task=0 pid=9 status=1\n" /* step 1's pid */
                   "exit time=5.000000000 step=1 task=1 pid=9 status=1\n" /* no such task */
                   "exit time=6.000000000 step=1 task=0 pid=9 status=256\n"
                   "exit time=7.000000000 step=1 task=0 pid=9 status=0\n"); /* told twice */
    assert_int_equal(journal.bad_lines, 3);
    assert_int_equal(journal.tasks[0].end_ns, 0);
    assert_int_equal(journal.tasks[1].status, 9);
    assert_true(journal.tasks[1].end_ns == UINT64_C(3000000000));
    assert_int_equal(journal.tasks[2].status, 256);
    assert_true(journal.tasks[2].end_ns == UINT64_C(6000000000));
    journal_free(&journal);
}

TEST(a_pid_that_came_back_is_told_apart_by_its_start)
{
    struct journal journal = parsed(WHO "task time=2.000000000 step=0 task=0 pid=5 ticks=6\n"
                                        "exit time=3.000000000 step=0 task=0 pid=5 status=256\n"
                                        "task time=4.000000000 step=1 task=0 pid=5 ticks=60\n"
                                        "exit time=5.000000000 step=1 task=0 pid=5 status=9\n");
    assert_int_equal(journal_find_task(&journal, 5, 6)->status, 256);
    assert_int_equal(journal_find_task(&journal, 5, 60)->status, 9);
    journal_free(&journal);
}

TEST(lists_of_cpus_and_gpus_are_summed)
{
    static const struct {
        const char *cpus, *gpus;
        uint32_t cpu_sum, gpu_count;
    } cases[] = {
        {"4", "0", 4, 1},
        {"4(x2)", "0,1", 8, 2},
        {"4(x2),2", "3,4,5,6", 10, 4},
        {"72(x100),36,1(x3)", "", 7239, 0},
        {"", "", 0, 0},
        {"x", "", 0, 0},
        {"4,", "", 4, 0},
        {",4", "", 0, 0},
        {"4(x2", "", 0, 0},
        {"4(y2)", "", 0, 0},
        {"4(x2)3", "", 0, 0},
        {"-4", "", 0, 0},
        {"65537", "", 0, 0},
        {"65536(x1000000)", "", 0, 0},
        {"1(x1000000)", "", 1000000, 0},
        {"1(x1000001)", "", 0, 0},
        {"99999999999999999999999", "", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, WHO "epilog time=2.000000000 cpus=%s gpus=%s\n", cases[i].cpus,
                 cases[i].gpus);
        struct journal journal = parsed(text);
        if (journal.cpus != cases[i].cpu_sum || journal.gpus != cases[i].gpu_count)
            fail_msg("%s, %s: %u, %u", cases[i].cpus, cases[i].gpus, journal.cpus, journal.gpus);
        journal_free(&journal);
    }
}

TEST(many_steps_and_tasks_are_all_kept)
{
    static char text[200000];
    size_t used = 0;
    for (unsigned i = 0; i < 1000; i++)
        used += (size_t)sprintf(text + used,
                                "step time=1.000000000 job=7 uid=1 gid=1 step=%u\n"
                                "task time=1.000000000 step=%u task=0 pid=%u ticks=3\n",
                                i, i, i + 1);
    struct journal journal = parsed(text);
    assert_int_equal(journal.step_count, 1000);
    assert_int_equal(journal.task_count, 1000);
    for (unsigned i = 0; i < 1000; i++) {
        assert_ptr_equal(journal_find_step(&journal, i), &journal.steps[i]);
        assert_ptr_equal(journal_find_task(&journal, (int32_t)i + 1, 3), &journal.tasks[i]);
    }
    assert_null(journal_find_step(&journal, 1000));
    assert_null(journal_find_task(&journal, 777, 4));
    journal_free(&journal);
}

TEST(of_two_of_the_same_number_the_younger_one_is_found)
{
    struct journal journal = parsed(WHO WHO "step time=1.000000000 job=7 uid=1 gid=1 step=1\n"
                                            "task time=1.000000000 step=0 task=0 pid=5 ticks=6\n"
                                            "task time=1.000000000 step=1 task=0 pid=5 ticks=6\n"
                                            "task time=1.000000000 step=1 task=1 pid=5 ticks=7\n");
    assert_ptr_equal(journal_find_step(&journal, 0), &journal.steps[1]);
    assert_ptr_equal(journal_find_task(&journal, 5, 6), &journal.tasks[1]);
    journal_index_free(&journal.step_index); /* as in one that was not parsed */
    journal_index_free(&journal.task_index);
    assert_ptr_equal(journal_find_step(&journal, 0), &journal.steps[1]);
    assert_ptr_equal(journal_find_task(&journal, 5, 6), &journal.tasks[1]);
    journal_free(&journal);
}

/* A journal in memory, to be read from its start. */
static FILE *start_journal(void)
{
    int fd = memfd_create("journal", MFD_CLOEXEC);
    FILE *file = fdopen(fd, "w+e");
    assert_non_null(file);
    fputs(WHO, file);
    return file;
}

static struct journal read_journal(FILE *file)
{
    struct journal journal;
    assert_int_equal(fflush(file), 0);
    assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
    assert_int_equal(journal_read(fileno(file), &journal), 0);
    fclose(file);
    return journal;
}

TEST(a_journal_of_any_size_is_read_in_bounded_memory)
{
    static char path[4000];
    const size_t lines = 2 * JOURNAL_FACTS_MAX / sizeof path;
    FILE *file = start_journal();
    memset(path, 'x', sizeof path - 1);
    fputs("task time=2.000000000 step=0 task=0 pid=5 ticks=6\n", file);
    for (size_t i = 0; i < lines; i++)
        fprintf(file, "program time=3.000000000 step=0 task=%zu leader=0 path=/%zu/%s\n", i, i,
                path);
    fputs("exit time=4.000000000 step=0 task=0 pid=5 status=9\nepilog time=5.000000000\n", file);
    struct journal journal = read_journal(file);
    assert_true(journal.program_count > lines / 3);
    assert_int_equal(journal.program_count + journal.bad_lines, lines);
    assert_true(journal.facts_bytes < JOURNAL_FACTS_MAX + 2 * sizeof path);
    assert_int_equal(journal.tasks[0].status, 9);
    assert_int_equal(journal.epilog_ns, UINT64_C(5000000000));
    journal_free(&journal);
}

/* Ends are looked up: one by one this would take minutes. */
TEST(many_tasks_that_end_in_the_order_of_their_start_are_found)
{
    enum { TASKS = 300000 };
    FILE *file = start_journal();
    for (int i = 0; i < TASKS; i++)
        fprintf(file, "task time=2.000000000 step=0 task=%d pid=%d ticks=6\n", i, i + 1);
    for (int i = 0; i < TASKS; i++)
        fprintf(file, "exit time=3.000000000 step=0 task=%d pid=%d status=%d\n", i, i + 1, i & 255);
    struct journal journal = read_journal(file);
    assert_int_equal(journal.bad_lines, 0);
    assert_int_equal(journal.task_count, TASKS);
    for (int i = 0; i < TASKS; i++)
        if (journal.tasks[i].end_ns == 0 || journal.tasks[i].status != (i & 255))
            fail_msg("task %d", i);
    journal_free(&journal);
}

TEST(lines_are_found_wherever_blocks_of_the_file_end)
{
    FILE *file = start_journal();
    for (int i = 1; i < 4000; i++) /* lines of 60 to 4000 bytes */
        fprintf(file, "task time=2.000000000 step=0 task=%d pid=%d ticks=6 other=%0*d\n", i, i, i,
                0);
    struct journal journal = read_journal(file);
    assert_int_equal(journal.task_count, 3999);
    assert_int_equal(journal.bad_lines, 0);
    for (int i = 1; i < 4000; i++)
        assert_non_null(journal_find_task(&journal, i, 6));
    journal_free(&journal);
}

TEST(programs_of_a_step_share_their_texts)
{
    struct journal journal =
        parsed(WHO "program time=1.000000000 step=0 task=0 leader=0 path=a cwd=/ search=/bin\n"
                   "program time=1.000000000 step=0 task=1 leader=0 path=a cwd=/ search=/usr\n"
                   "program time=1.000000000 step=0 task=2 leader=0\n");
    assert_ptr_equal(journal.programs[0].path, journal.programs[1].path);
    assert_ptr_equal(journal.programs[0].cwd, journal.programs[1].cwd);
    assert_string_equal(journal.programs[0].search, "/bin");
    assert_string_equal(journal.programs[1].search, "/usr");
    assert_null(journal.programs[2].path);
    journal_free(&journal);
}
