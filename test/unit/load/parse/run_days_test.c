/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdbool.h>

#include "submit/load/parse/load_record.h"
#include "test/unit/fixture/cases.h"

#define RUN(end, rest)                                                                             \
    "{\"userT\":{\"run_uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\"},\"userDT\":{\"start_"      \
    "time\":5.0,\"end_time\":" end "},\"slurmT\":{" rest "}}"
#define DAYS(core_seconds, days) RUN("9.0", "\"core_seconds\":" core_seconds ",\"core_days\":" days)

/* What load_record() says: "" where it takes the record. */
static const char *said(const char *text, struct record *record)
{
    static struct load_reason reason;
    char *copy = strdup(text);
    reason.text[0] = '\0';
    int error = load_record(copy, strlen(copy), RECORD_KINDS, NULL, record, &reason);
    if (error != 0) {
        assert_int_equal(error, -EBADMSG);
        free(copy);
    }
    return reason.text;
}

static void assert_days(const char *text, const struct run_day *days, size_t count)
{
    struct record record;
    assert_string_equal(said(text, &record), "");
    const struct run_days *found = &record.run.days;
    assert_int_equal(found->count, count);
    assert_int_equal(found->list != NULL, count > 1);
    for (size_t i = 0; i < count; i++) {
        const struct run_day *day = count == 1 ? &found->first : &found->list[i];
        assert_int_equal(day->day, days[i].day);
        assert_float_equal(day->core_seconds, days[i].core_seconds, 0);
    }
    load_record_free(&record);
}

TEST(days_are_read_as_text_and_as_parsed_json)
{
    const struct run_day day[] = {{0, 2.5}, {1, 3}, {31, 4.25}, {20780, 1e6}};
#define LONG(days) RUN("1800000000.0", "\"core_seconds\":1000009.75,\"core_days\":" days)
    assert_days(DAYS("2.5", "[[\"1970-01-01\",2.5]]"), day, 1);
    assert_days(DAYS("2.5", "[ [ \"1970-01-01\" , 25e-1 ] ]"), day, 1);
    assert_days(LONG("[[\"1970-01-01\",2.5],[\"1970-01-02\",3],[\"1970-02-01\",4.25],"
                     "[\"2026-11-23\",1000000.0]]"),
                day, 4);
    assert_days(LONG("[[\"1970-01-01\",2.5],[\"1970-01-02\",3.0],[\"1970-02-01\",4.25], "
                     "[\"2026-11-23\",1.0e6]]"),
                day, 4);
    assert_days(DAYS("0.0", "[]"), day, 0);
    assert_days(DAYS("null", "[]"), day, 0);
    assert_days(RUN("9.0", ""), day, 0);
}

/* 2026-03-10 22:00:00 to 2026-03-11 02:00:00 UTC, and days as of other zones. */
TEST(days_lie_in_the_time_of_the_run)
{
    static const char why[] = "slurmT.core_days has days on which the run did not run";
#define AT_NIGHT(days, rest)                                                                       \
    "{\"userT\":{\"run_uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\"},\"userDT\":{\"start_"      \
    "time\":1773180000.0,\"end_time\":1773194400.0},\"slurmT\":{\"core_seconds\":2.0,\"core_"      \
    "days\":[" days "]" rest "}}"
    static const struct {
        const char *text;
        bool is_taken;
    } rows[] = {
        {AT_NIGHT("[\"2026-03-09\",1.0],[\"2026-03-12\",1.0]", ""), true},
        {AT_NIGHT("[\"2026-03-08\",1.0],[\"2026-03-11\",1.0]", ""), false},
        {AT_NIGHT("[\"2026-03-10\",1.0],[\"2026-03-13\",1.0]", ""), false},
        {AT_NIGHT("[\"2026-03-13\",2.0]", ",\"end_time_max\":1773280800.0"), true},
        {AT_NIGHT("[\"2026-03-14\",2.0]", ",\"end_time_max\":1773280800.0"), false},
        {AT_NIGHT("[\"2026-03-15\",2.0]", ",\"clock_step\":-259200.0"), true},
        {AT_NIGHT("[\"2026-03-16\",2.0]", ",\"clock_step\":-259200.0"), false},
        {AT_NIGHT("[\"2026-01-01\",1.0],[\"2026-12-31\",1.0]", ",\"leads\":true"), true},
        {AT_NIGHT("[\"2026-01-01\",1.0],[\"2027-12-31\",1.0]", ",\"leads\":true"), false},
        {"{\"userT\":{\"run_uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\"},\"userDT\":{\"end_"
         "time\":9.0},\"slurmT\":{\"core_seconds\":2.0,\"core_days\":[[\"1970-01-01\",2.0]]}}",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct record record;
        const char *found = said(rows[i].text, &record);
        if (strcmp(found, rows[i].is_taken ? "" : why) != 0)
            fail_msg("%s: '%s'", rows[i].text, found);
        if (rows[i].is_taken)
            load_record_free(&record);
    }
}

TEST(a_start_has_no_days)
{
    assert_days(RUN("0.0", "\"core_seconds\":null,\"core_days\":[]"), NULL, 0);
    assert_days(RUN("0.0", "\"core_seconds\":2.0,\"core_days\":[[\"1970-01-01\",2.0]]"), NULL, 0);
}

TEST(days_elsewhere_are_others)
{
    assert_days("{\"userT\":{\"run_uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\",\"core_days\":"
                "[[\"1970-01-01\",2.0]]},\"userDT\":{\"end_time\":5.0}}",
                NULL, 0);
}

TEST(other_days_are_refused)
{
    static const char form[] = "slurmT.core_days is not an array of dates and core seconds";
    static const char sum[] = "slurmT.core_days does not add up to core_seconds";
    static const char order[] = "slurmT.core_days does not ascend";
    static const struct {
        const char *text, *why;
    } rows[] = {
        {DAYS("2.5", "[[\"1970-01-01\",2.4]]"), sum},
        {DAYS("2.5", "[[\"1970-01-01\",2.0],[\"1970-01-02\",0.6]]"), sum},
        {DAYS("1e9", "[]"), sum},
        {RUN("9.0", "\"core_seconds\":4.0"), sum},
        {DAYS("null", "[[\"1970-01-01\",2.4]]"), "slurmT.core_days is there without core_seconds"},
        {DAYS("3.0", "[[\"1970-01-02\",2.0],[\"1970-01-01\",1.0]]"), order},
        {DAYS("3.0", "[[\"1970-01-02\",2.0],[\"1970-01-02\",1.0]]"), order},
        {DAYS("2.0", "[[\"1970-02-30\",2.0]]"), form},
        {DAYS("2.0", "[[\"1970-1-01\",2.0]]"), form},
        {DAYS("2.0", "[[\"1970-01-011\",2.0]]"), form},
        {DAYS("0.0", "[[\"1970-01-01\",-1.0],[\"1970-01-02\",1.0]]"), form},
        {DAYS("0.0", "[[\"1970-01-01\",NaN]]"), form},
        {DAYS("0.0", "[[\"1970-01-01\",1e300]]"), form},
        {DAYS("2.0", "[[\"1970-01-01\",\"2.0\"]]"), form},
        {DAYS("2.0", "[[\"1970-01-01\",2.0,3]]"), form},
        {DAYS("2.0", "[[2.0,\"1970-01-01\"]]"), form},
        {DAYS("2.0", "[\"1970-01-01\",2.0]"), form},
        {DAYS("2.0", "{\"1970-01-01\":2.0}"), form},
        {DAYS("2.0", "\"1970-01-01\""), form},
        {DAYS("2.0", "2.0"), form},
        {DAYS("0.0", "null"), form},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct record record;
        const char *found = said(rows[i].text, &record);
        if (strcmp(found, rows[i].why) != 0)
            fail_msg("%s: '%s'", rows[i].text, found);
    }
}
