/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What root takes of the core seconds that a reader tells.
 */
#include "preload/ledger.h"
#include "submit/flush/core_time_check.h"
#include "submit/flush/worker_check.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_run.h"
#include "test/unit/fixture/sample_records.h"

typedef bool value_check(void *context, const char *value, size_t length);

/* 100 core seconds, all on 2023-11-14 and 2023-11-15; four tasks, and room for two stubs. */
static struct core_time_check check_of(void)
{
    const struct job_allocation allocation = {.cpus = 4,
                                              .start_ns = UINT64_C(1699999990000000000),
                                              .end_ns = UINT64_C(1700010000000000000),
                                              .core_seconds = 100,
                                              .tasks = 4};
    struct core_time_check check;
    assert_int_equal(days_use_zone("UTC"), 0);
    core_time_check_make(&check, &allocation, 2 * sizeof(struct ledger_stub) + 1);
    return check;
}

static bool fits(struct core_time_check *check, value_check *ask, const char *value)
{
    bool is_taken = ask(check, value, strlen(value));
    core_time_check_end(check, is_taken);
    return is_taken;
}

TEST(values_beyond_the_allocation_and_what_is_no_number_are_refused)
{
    static const struct {
        value_check *ask;
        const char *value;
        bool is_taken;
    } cases[] = {
        {core_time_check_run, "null", true},
        {core_time_check_run, "0.0", true},
        {core_time_check_run, "100.0", true},
        {core_time_check_run, "100.1", false},
        {core_time_check_run, "1e9", false},
        {core_time_check_run, "-0.5", false},
        {core_time_check_run, "\"7\"", false},
        {core_time_check_run, "NaN", false},
        {core_time_check_run, "[1]", false},
        {core_time_check_run, "true", false},
        {core_time_check_most, "99", true},
        {core_time_check_most, "101", false},
        {core_time_check_most, "-1", false},
        {core_time_check_days, "[]", true},
        {core_time_check_days, "[[\"2023-11-14\",60.5],[\"2023-11-15\",39.5]]", true},
        {core_time_check_days, "[[\"2023-11-14\",60.5],[\"2023-11-15\",40]]", false},
        {core_time_check_days, "[[\"2023-11-13\",1.0]]", false},
        {core_time_check_days, "[[\"2023-11-16\",1.0]]", false},
        {core_time_check_days, "[[\"2023-11-31\",1.0]]", false},
        {core_time_check_days, "[[\"2023-11-14\",-1.0]]", false},
        {core_time_check_days, "[[\"2023-11-14\",1.0,2.0]]", false},
        {core_time_check_days, "[[\"2023-11-14\"]]", false},
        {core_time_check_days, "[\"2023-11-14\",1.0]", false},
        {core_time_check_days, "[[\"2023-11-14\",1.0],]", false},
        {core_time_check_days, "{}", false},
        {core_time_check_days, "null", false},
        {core_time_check_rows, "[]", true},
        {core_time_check_rows, "[{\"day\":\"2023-11-14\",\"core_seconds\":99.5,\"tasks\":1}]",
         true},
        {core_time_check_rows,
         "[{\"core_seconds\":60,\"day\":\"2023-11-14\"},"
         "{\"core_seconds\":41,\"day\":\"2023-11-14\"}]",
         false},
        {core_time_check_rows, "[{\"core_seconds\":1}]", false},
        {core_time_check_rows, "[{\"day\":\"2023-11-14\"}]", false},
        {core_time_check_rows, "[{\"core_seconds\":1,\"day\":\"2023-11-17\"}]", false},
        {core_time_check_rows, "[{\"core_seconds\":-1,\"day\":\"2023-11-14\"}]", false},
        {core_time_check_rows, "[{\"core_seconds\":null,\"day\":\"2023-11-14\"}]", false},
        {core_time_check_rows, "[{\"core_seconds\":1,\"core_seconds\":1,\"day\":\"2023-11-14\"}]",
         false},
        {core_time_check_rows,
         "[{\"core_second\\u0073\":1,\"core_seconds\":1,\"day\":\"2023-11-14\"}]", false},
#define ROW(more) "[{\"core_seconds\":1,\"day\":\"2023-11-14\"," more "}]"
        {core_time_check_rows, ROW("\"tasks\":4,\"runs\":6"), true},
        {core_time_check_rows, ROW("\"tasks\":5,\"runs\":6"), false},
        {core_time_check_rows, ROW("\"tasks\":4,\"runs\":7"), false},
        {core_time_check_rows, ROW("\"tasks\":-1"), false},
        {core_time_check_rows, ROW("\"runs\":-1"), false},
        {core_time_check_rows, ROW("\"runs\":1e0"), false},
        {core_time_check_rows, ROW("\"runs\":0.5"), false},
        {core_time_check_rows, ROW("\"runs\":\"1\""), false},
        {core_time_check_rows, ROW("\"runs\":1,\"runs\":1"), false},
        {core_time_check_rows, ROW("\"runs\":9007199254740990"), false},
#undef ROW
        {core_time_check_others, "1000000", true}, /* 0.1 ms each */
        {core_time_check_others, "1000001", false},
        {core_time_check_others, "9007199254740990", false},
        {core_time_check_others, "-1", false},
        {core_time_check_others, "-9223372036854775808", false},
        {core_time_check_others, "1.5", false},
        {core_time_check_others, "null", false},
        {core_time_check_others_time, "100.0", true},
        {core_time_check_others_time, "101.0", false},
        {core_time_check_others_time, "-1.0", false},
        {core_time_check_dropped, "4294967295", true},
        {core_time_check_dropped, "4294967296", false},
        {core_time_check_dropped, "-1", false},
        {core_time_check_rows, "[{}]", false},
        {core_time_check_rows, "[1]", false},
        {core_time_check_rows, "{}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct core_time_check check = check_of();
        if (fits(&check, cases[i].ask, cases[i].value) != cases[i].is_taken)
            fail_msg("%s", cases[i].value);
    }
}

#define TASKS(n) "[{\"core_seconds\":0,\"day\":\"2023-11-14\",\"tasks\":" #n "}]"

TEST(all_records_together_have_no_more_than_the_allocation)
{
    static const char row[] = "[{\"core_seconds\":60,\"day\":\"2023-11-14\"}]";
    struct core_time_check check = check_of();
    assert_true(fits(&check, core_time_check_run, "60"));
    assert_false(fits(&check, core_time_check_run, "60"));
    assert_true(fits(&check, core_time_check_run, "40"));
    assert_false(fits(&check, core_time_check_run, "1"));
    assert_true(fits(&check, core_time_check_rows, row));
    assert_false(fits(&check, core_time_check_rows, row));
    assert_true(fits(&check, core_time_check_days, "[[\"2023-11-14\",60]]"));
    assert_false(fits(&check, core_time_check_days, "[[\"2023-11-14\",60]]"));
    check = check_of();
    assert_true(fits(&check, core_time_check_rows, TASKS(3)));
    assert_false(fits(&check, core_time_check_rows, TASKS(2)));
    assert_true(fits(&check, core_time_check_rows, TASKS(1)));
}

TEST(a_session_has_no_core_seconds)
{
    struct core_time_check check;
    core_time_check_make(&check, NULL, 4096);
    assert_true(fits(&check, core_time_check_run, "null"));
    assert_true(fits(&check, core_time_check_days, "[]"));
    assert_false(fits(&check, core_time_check_run, "0.5"));
    assert_false(fits(&check, core_time_check_most, "0.5"));
    assert_false(fits(&check, core_time_check_days, "[[\"2023-11-14\",0.0]]"));
}

/* The same record again and again, as a reader could send it that its user has got under control:
 * what it says of itself is what the one before said. */
TEST(a_reader_that_repeats_a_run_is_refused)
{
    struct made made;
    int taken = 0;
    make_whole(&made);
    char *text = sample_record(RECORD_RUN); /* 2.1 core seconds */
    const struct record_view record = record_view(sample_name(), text, strlen(text));
    made.journal.node_cpus = 1;
    made.journal.epilog_ns = made.journal.prolog_ns + 20 * 3600 * SECOND;
    struct job_allocation allocation = job_allocation_find(&made.journal, 0);
    allocation.core_seconds = 10;
    struct worker_check *check = worker_check_new(READING_JOB, &made.conf, &made.journal.identity,
                                                  &allocation, NULL, -1, -1);
    assert_non_null(check);
    while (taken < 10 && worker_check_record(check, &record))
        taken++;
    assert_int_equal(taken, 4);
    worker_check_free(check);
    free(text);
}
