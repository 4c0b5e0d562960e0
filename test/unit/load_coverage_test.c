/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coverage_load.h"

#define JOB   "\"coverageT\":{\"uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\",\"job_id\":7}"
#define FACTS "\"coverageA\":[{\"outcome\":\"static\",\"tasks\":2,\"program\":null}]"

static void a_record_is_told_from_a_run_and_read(void **state)
{
    static const char text[] = "{" JOB "," FACTS "}", run[] = "{\"crc\":\"0x0000\",\"userT\":{}}";
    struct coverage_load record;
    struct load_reason reason;
    (void)state;
    assert_true(coverage_load_is_one(text, sizeof text - 1));
    assert_false(coverage_load_is_one(run, sizeof run - 1));
    assert_int_equal(coverage_load(text, sizeof text - 1, &record, &reason), 0);
    assert_string_equal(record.uuid, "8c8d61fb-98c1-44c0-874c-d613312269f4");
    assert_int_equal(json_object_array_length(record.facts), 1);
    coverage_load_free(&record);
}

static void a_damaged_record_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"{" JOB, "is not one JSON object: unexpected end of data"},
        {"{\"crc\":\"0x0001\"," JOB "," FACTS "}", NULL},
        {"{" JOB "}", "coverageA is not an array"},
        {"{" FACTS "}", "coverageT is not an object"},
        {"{\"coverageT\":{\"uuid\":7}," FACTS "}", "coverageT.uuid is not a uuid"},
        {"{" JOB ",\"coverageA\":[7]}", "a fact of coverageA is not an object"},
        {"{" JOB ",\"coverageA\":[{\"outcome\":\"static\",\"tasks\":[]}]}",
         "a fact of coverageA has a value of a wrong type"},
        {"{" JOB ",\"coverageA\":[{\"tasks\":1}]}", "coverageA[0] has no outcome or no tasks"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct coverage_load record;
        struct load_reason reason = {""};
        assert_int_equal(coverage_load(cases[i].text, strlen(cases[i].text), &record, &reason),
                         -EBADMSG);
        if (cases[i].reason != NULL)
            assert_string_equal(reason.text, cases[i].reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_told_from_a_run_and_read),
        cmocka_unit_test(a_damaged_record_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
