/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of coverage.
 */
#include "submit/record/coverage_record.h"
#include "test/unit/fixture/cases.h"

/* A record is bounded: what a job has more of goes into further ones. */
TEST(many_facts_make_several_records_each_with_a_name_of_its_own)
{
    enum { FACTS = COVERAGE_RECORD_FACTS + 1 };
    static struct coverage_fact facts[FACTS];
    static const struct command_lines lines;
    static const char step[] =
        "step time=100.000000000 job=7 restart=0 uid=1000 gid=100 step=0 tasks=1\n"
        "task time=110.000000000 step=0 task=0 pid=50 ticks=1\n";
    struct journal journal;
    struct conf conf = {.cluster = (char *)"c", .syshost = (char *)"tiny"};
    const struct coverage coverage = {.facts = facts, .fact_count = FACTS};
    const struct job_allocation allocation = {.start_source = "step", .end_source = "flush"};
    const struct coverage_record_source source = {.conf = &conf,
                                                  .lines = &lines,
                                                  .journal = &journal,
                                                  .coverage = &coverage,
                                                  .allocation = &allocation};
    struct built_record first, again, second;
    assert_int_equal(journal_parse(step, strlen(step), &journal), 0);
    for (uint32_t i = 0; i < FACTS; i++)
        facts[i] = (struct coverage_fact){.step = i, .tasks = 1, .date = "2023-11-14"};
    assert_int_equal(coverage_record_build(&source, 0, &first), 0);
    assert_int_equal(coverage_record_build(&source, 0, &again), 0);
    assert_int_equal(coverage_record_build(&source, COVERAGE_RECORD_FACTS, &second), 0);
    assert_string_equal(first.name, again.name);
    assert_string_equal(first.text, again.text);
    assert_string_not_equal(first.name, second.name);
    assert_memory_equal(first.name, "coverage.tiny.", 14);
    assert_null(strstr(first.text, "\"step_id\":\"500\""));
    assert_non_null(strstr(second.text, "\"step_id\":\"500\""));
    record_free(&first);
    record_free(&again);
    record_free(&second);
    journal_free(&journal);
}
