/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "extensions.h"
#include "submit/load/parse/load_record.h"
#include "test/unit/fixture/cases.h"

#define JOB   "\"coverageT\":{\"uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\",\"job_id\":7}"
#define FACTS "\"coverageA\":[{\"outcome\":\"static\",\"tasks\":2,\"program\":null}]"

/* load_record() owns what it has accepted. */
static int load(const char *text, struct record *record, struct load_reason *reason)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    int result = load_record(copy, strlen(copy), RECORD_KINDS, NULL, record, reason);
    if (result != 0)
        free(copy);
    return result;
}

#define NO_LEVEL "coverageT.witness is no level"
#define NO_CAUSE "coverageT.witness_causes has what is no cause and its number"

#define FACT(more) "{" JOB ",\"coverageA\":[{\"outcome\":\"idle\"," more "}]}"
#define OF_JOB(key, value)                                                                         \
    "{\"coverageT\":{\"uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\",\"" key "\":" value         \
    "}," FACTS "}"

TEST(a_record_is_told_from_a_run_and_read)
{
    struct record record;
    struct load_reason reason = {""};
    assert_int_equal(load("{" JOB "," FACTS "}", &record, &reason), 0);
    assert_int_equal(record.kind, RECORD_COVERAGE);
    assert_string_equal(record.coverage.uuid, "8c8d61fb-98c1-44c0-874c-d613312269f4");
    assert_int_equal(json_object_array_length(record.coverage.facts), 1);
    load_record_free(&record);
    assert_int_equal(load(OF_JOB("clock_step", "-3600.5"), &record, &reason), 0);
    load_record_free(&record);
    assert_int_equal(load(FACT("\"tasks\":4294967295"), &record, &reason), 0);
    load_record_free(&record);
    static const char *const words[] = {
        OF_JOB("witness", "\"objects\""),
        OF_JOB("witness", "null"),
        OF_JOB("witness_causes", "\"\""),
        OF_JOB("witness_causes", "\"static=4294967295 lost=0\""),
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        assert_int_equal(load(words[i], &record, &reason), 0);
        load_record_free(&record);
    }
}

TEST(a_damaged_record_is_refused_with_the_reason)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"{" JOB, "JSON is cut short"},
        {"{\"crc\":\"0x0001\"," JOB "," FACTS "}", NULL},
        {"{" JOB "}", "coverageA is not an array"},
        {"{" FACTS "}", "is no run, link, package, coverage, library, ranks or profile record"},
        {"{\"coverageT\":{\"uuid\":7}," FACTS "}", "coverageT.uuid is not a uuid"},
        {"{" JOB ",\"coverageA\":[7]}", "a fact of coverageA is not an object"},
        {"{" JOB ",\"coverageA\":[{\"outcome\":\"static\",\"tasks\":[]}]}",
         "a fact of coverageA has a value of a wrong type or size"},
        {"{" JOB ",\"coverageA\":[{\"tasks\":1}]}", "coverageA[0] has no outcome or no tasks"},
        {FACT("\"tasks\":-1"), "coverageA.tasks is out of range"},
        {FACT("\"tasks\":4294967296"), "coverageA.tasks is out of range"},
        {FACT("\"tasks\":1,\"runs\":-1"), "coverageA.runs is out of range"},
        {FACT("\"tasks\":1,\"runs\":9223372036854775807"), "coverageA.runs is out of range"},
        {FACT("\"tasks\":1,\"core_seconds\":-0.5"), "coverageA.core_seconds is out of range"},
        {FACT("\"tasks\":1,\"core_seconds\":1e300"), "coverageA.core_seconds is out of range"},
        {OF_JOB("others_runs", "-9223372036854775808"), "coverageT.others_runs is out of range"},
        {OF_JOB("others_runs", "9007199254740990"), "coverageT.others_runs is out of range"},
        {OF_JOB("dropped", "-1"), "coverageT.dropped is out of range"},
        {OF_JOB("core_seconds", "-1.0"), "coverageT.core_seconds is out of range"},
#if JOBTRAIL_WITNESS
        {OF_JOB("witness", "7"), NO_LEVEL},
        {OF_JOB("witness", "\"\\u001b[2Jobjects\""), NO_LEVEL},
        {OF_JOB("witness", "\"off\\u0000\""), NO_LEVEL},
        {OF_JOB("witness_causes", "\"\\u001b[31mRED\\u0007=3\""), NO_CAUSE},
        {OF_JOB("witness_causes", "\"c=99999999\""), NO_CAUSE},
        {OF_JOB("witness_causes", "\"static\""), NO_CAUSE},
        {OF_JOB("witness_causes", "\"static=\""), NO_CAUSE},
        {OF_JOB("witness_causes", "\"static=-1\""), NO_CAUSE},
        {OF_JOB("witness_causes", "\"static=4294967296\""), NO_CAUSE},
        {OF_JOB("witness_causes", "\"static=1 \""), NO_CAUSE},
        {OF_JOB("witness_causes", "\"static=1  lost=1\""), NO_CAUSE},
        {OF_JOB("witness_causes", "\"static=1 static=1\""), NO_CAUSE},
        {OF_JOB("witness_causes", "\"static=1\\u0000\""), NO_CAUSE},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record record;
        struct load_reason reason = {""};
        assert_int_equal(load(cases[i].text, &record, &reason), -EBADMSG);
        if (cases[i].reason != NULL)
            assert_string_equal(reason.text, cases[i].reason);
    }
}
