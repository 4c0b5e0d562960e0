/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bodies that carry records by HTTP, and answers of collectors.
 */
#include "submit/outbox/http_body.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define UUID "019a9f00-1122-7abc-8def-0102030405ff"
#define RUN  "run.tiny.2024_11_20_10_00_00_0001.alice.zzz." UUID ".json"

static struct transport_item items[2];
static struct transport_item *const both[] = {&items[0], &items[1]};

static int set_up(void **state)
{
    (void)state;
    items[0] = (struct transport_item){.record = record_view(RUN, "{\"a\":1}", 7)};
    items[1] = (struct transport_item){.record = record_view("odd", "{}", 2)};
    return 0;
}

static void assert_body(enum http_format format, size_t count, const char *expected)
{
    size_t size;
    char *body = http_body(format, both, count, &size);
    assert_non_null(body);
    assert_int_equal(size, strlen(body));
    assert_string_equal(body, expected);
    free(body);
}

static void each_format_has_its_body(void **state)
{
    (void)state;
    assert_int_equal(http_format_of("json"), HTTP_JSON);
    assert_int_equal(http_format_of("bulk"), HTTP_BULK);
    assert_int_equal(http_format_of("splunk"), HTTP_SPLUNK);
    assert_body(HTTP_JSON, 1, "{\"a\":1}");
    assert_body(HTTP_JSON, 2, "[{\"a\":1},{}]");
    assert_body(HTTP_BULK, 2,
                "{\"create\":{\"_id\":\"run_fini_" UUID "\"}}\n{\"a\":1}\n"
                "{\"create\":{\"_id\":\"odd\"}}\n{}\n");
    assert_body(HTTP_SPLUNK, 2,
                "{\"source\":\"jobtrail\",\"sourcetype\":\"jobtrail:run\",\"host\":\"tiny\","
                "\"event\":{\"a\":1}}\n"
                "{\"source\":\"jobtrail\",\"sourcetype\":\"jobtrail:other\",\"host\":\"unknown\","
                "\"event\":{}}\n");
}

static int take_bulk(const char *answer)
{
    return http_bulk_answer(answer, strlen(answer), both, 2);
}

static void a_bulk_answer_tells_of_each_record(void **state)
{
    (void)state;
    assert_int_equal(take_bulk("{\"items\":[{\"create\":{\"status\":201}},"
                               "{\"create\":{\"status\":400,\"error\":{\"type\":\"x\"}}}]}"),
                     0);
    assert_int_equal(items[0].outcome, TRANSPORT_ACCEPTED);
    assert_int_equal(items[1].outcome, TRANSPORT_REFUSED);
    assert_string_equal(items[1].why, "status 400: {\"type\":\"x\"}");

    set_up(NULL);
    assert_int_equal(take_bulk("{\"items\":[{\"create\":{\"status\":409}},"
                               "{\"create\":{\"status\":429}}]}"),
                     0);
    assert_int_equal(items[0].outcome, TRANSPORT_ACCEPTED); /* it is there already */
    assert_int_equal(items[1].outcome, TRANSPORT_PENDING);
}

static void what_is_no_answer_to_the_request_sets_nothing(void **state)
{
    static const char *const answers[] = {
        "",
        "[]",
        "{}",
        "{\"items\":{}}",
        "{\"items\":[{\"create\":{\"status\":201}}]}",
        "{\"items\":[",
    };
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        assert_int_equal(take_bulk(answers[i]), -EPROTO);
        assert_int_equal(items[0].outcome, TRANSPORT_PENDING);
    }
    assert_int_equal(take_bulk("{\"items\":[{\"index\":{}},7]}"), 0);
    assert_int_equal(items[0].outcome, TRANSPORT_PENDING);
    assert_int_equal(items[1].outcome, TRANSPORT_PENDING);
}

static void a_refusal_is_told_from_a_collector_that_is_not_set_up(void **state)
{
    static const long refusals[] = {400, 413, 415, 422}, others[] = {200, 401, 403, 404, 429, 503};
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        assert_true(http_status_refuses(refusals[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(http_status_refuses(others[i]));
    assert_true(http_splunk_refuses("{\"code\":6}", 10)); /* invalid data format */
    assert_true(http_splunk_refuses("no JSON", 7));
    assert_false(http_splunk_refuses("{\"code\":7}", 10)); /* incorrect index */
    assert_false(http_splunk_refuses("{\"code\":14}", 11));
}

static bool acknowledges(const char *answer, uint64_t number)
{
    return http_splunk_acknowledges(answer, strlen(answer), number) != 0;
}

static void an_acknowledgement_is_of_its_number(void **state)
{
    uint64_t number = 0;
    (void)state;
    assert_true(http_splunk_number("{\"ackId\":12}", 12, &number));
    assert_int_equal(number, 12);
    assert_false(http_splunk_number("{\"ackId\":-1}", 12, &number));
    assert_false(http_splunk_number("{\"ackId\":\"3\"}", 13, &number));
    assert_int_equal(number, 12);
    assert_true(acknowledges("{\"acks\":{\"11\":false,\"12\":true}}", 12));
    assert_false(acknowledges("{\"acks\":{\"11\":false,\"12\":true}}", 11));
    assert_false(acknowledges("{\"acks\":{\"12\":\"true\"}}", 12));
    assert_false(acknowledges("{\"acks\":[true]}", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_format_has_its_body, set_up),
        cmocka_unit_test_setup(a_bulk_answer_tells_of_each_record, set_up),
        cmocka_unit_test_setup(what_is_no_answer_to_the_request_sets_nothing, set_up),
        cmocka_unit_test(a_refusal_is_told_from_a_collector_that_is_not_set_up),
        cmocka_unit_test(an_acknowledgement_is_of_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
