/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bodies of requests, and what answers say. Answers are those of Elasticsearch 8 and of Splunk 9,
 * as their documentation has them, and of proxies before them.
 */
#include "submit/outbox/http_body.h"
#include "test/unit/fixture/cases.h"

#define UUID_1 "019a9f00-1122-7abc-8def-0102030405ff"
#define UUID_2 "019a9f00-1122-7abc-8def-010203040500"

enum { ITEMS = 2 };

static struct transport_item item[ITEMS];
static struct transport_item *const items[ITEMS] = {&item[0], &item[1]};

static void set_record(struct transport_item *to, const char *name, const char *text)
{
    *to = (struct transport_item){.record = record_view(name, text, strlen(text))};
}

static int start(void **state)
{
    (void)state;
    set_record(&item[0], "run.lab.2024_11_20_10_00_00_0001.alice.zzz." UUID_1 ".json", "{\"a\":1}");
    set_record(&item[1], "pkg.lab.2024_11_20_10_00_00_0001.bob." UUID_2 ".0123456789ab.json",
               "{\"b\":\"\\u00e9\"}");
    return 0;
}

static void expect_body(enum http_format format, size_t count, const char *expected)
{
    size_t size = 0;
    char *body = http_body(format, items, count, &size);
    assert_non_null(body);
    assert_string_equal(body, expected);
    assert_int_equal(size, strlen(expected));
    free(body);
}

TEST_IN(each_format_has_its_body, start, NULL)
{
    expect_body(HTTP_JSON, 1, "{\"a\":1}");
    expect_body(HTTP_JSON, 2, "[{\"a\":1},{\"b\":\"\\u00e9\"}]");
    expect_body(HTTP_BULK, 2,
                "{\"create\":{\"_id\":\"run_fini_" UUID_1 "\"}}\n{\"a\":1}\n"
                "{\"create\":{\"_id\":\"pkg_" UUID_2 "_0123456789ab\"}}\n{\"b\":\"\\u00e9\"}\n");
    expect_body(HTTP_SPLUNK, 2,
                "{\"source\":\"jobtrail\",\"sourcetype\":\"jobtrail:run\",\"host\":\"lab\","
                "\"event\":{\"a\":1}}\n"
                "{\"source\":\"jobtrail\",\"sourcetype\":\"jobtrail:pkg\",\"host\":\"lab\","
                "\"event\":{\"b\":\"\\u00e9\"}}\n");
}

TEST(a_format_is_known_by_its_name)
{
    assert_int_equal(http_format_of("json"), HTTP_JSON);
    assert_int_equal(http_format_of("bulk"), HTTP_BULK);
    assert_int_equal(http_format_of("splunk"), HTTP_SPLUNK);
}

/* A collector that is away, full or closed to us says nothing about a record. */
TEST(a_status_refuses_where_it_is_about_what_was_sent)
{
    static const long refusing[] = {400, 413, 415, 422};
    static const long other[] = {0,   200, 301, 401, 403, 404, 405, 408,
                                 409, 429, 500, 502, 503, 504, 507};
    for (size_t i = 0; i < sizeof refusing / sizeof refusing[0]; i++)
        assert_true(http_status_refuses(refusing[i]));
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        assert_false(http_status_refuses(other[i]));
}

static int bulk(const char *answer, size_t count)
{
    return http_bulk_answer(answer, strlen(answer), items, count);
}

TEST_IN(a_bulk_answer_tells_of_each_record, start, NULL)
{
    assert_int_equal(bulk("{\"took\":30,\"errors\":true,\"items\":["
                          "{\"create\":{\"_index\":\"runs\",\"_id\":\"1\",\"_version\":1,"
                          "\"result\":\"created\",\"status\":201}},"
                          "{\"create\":{\"_index\":\"runs\",\"_id\":\"2\",\"status\":400,"
                          "\"error\":{\"type\":\"mapper_parsing_exception\",\"reason\":"
                          "\"failed to parse\"}}}]}",
                          2),
                     0);
    assert_int_equal(item[0].outcome, TRANSPORT_ACCEPTED);
    assert_int_equal(item[1].outcome, TRANSPORT_REFUSED);
    assert_string_equal(item[1].why, "status 400: {\"type\":\"mapper_parsing_exception\","
                                     "\"reason\":\"failed to parse\"}");
}

TEST_IN(a_record_that_is_there_already_is_accepted_and_one_that_is_not_told_of_waits, start, NULL)
{
    assert_int_equal(bulk("{\"items\":[{\"create\":{\"status\":409}},"
                          "{\"create\":{\"status\":429,\"error\":{}}}]}",
                          2),
                     0);
    assert_int_equal(item[0].outcome, TRANSPORT_ACCEPTED);
    assert_int_equal(item[1].outcome, TRANSPORT_PENDING);
    start(NULL);
    assert_int_equal(bulk("{\"items\":[{\"index\":{\"status\":201}},{\"create\":{}}]}", 2), 0);
    assert_int_equal(item[0].outcome, TRANSPORT_PENDING);
    assert_int_equal(item[1].outcome, TRANSPORT_PENDING);
}

/* It may be long; what is kept of it is a text. */
TEST_IN(a_long_reason_is_cut, start, NULL)
{
    static char answer[2000];
    strcpy(answer, "{\"items\":[{\"create\":{\"status\":400,\"error\":\"");
    memset(answer + strlen(answer), 'x', 1000);
    strcat(answer, "\"}}]}");
    assert_int_equal(bulk(answer, 1), 0);
    assert_int_equal(item[0].outcome, TRANSPORT_REFUSED);
    assert_int_equal(strlen(item[0].why), sizeof item[0].why - 1);
}

TEST_IN(what_is_no_answer_to_the_request_sets_nothing, start, NULL)
{
    static const char *const answers[] = {
        "",
        "<html><body>502 Bad Gateway</body></html>",
        "{}",
        "[]",
        "7",
        "{\"items\":{}}",
        "{\"items\":[]}",
        "{\"items\":[{\"create\":{\"status\":201}}]}",
        "{\"items\":[{\"create\":{\"status\":201}},{\"create\":{\"status\":201}},{}]}",
        "{\"items\":[{\"create\":{\"status\":201}},{\"create\":{\"status\":201}}]",
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        if (bulk(answers[i], ITEMS) != -EPROTO)
            fail_msg("taken: %s", answers[i]);
        assert_int_equal(item[0].outcome, TRANSPORT_PENDING);
        assert_int_equal(item[1].outcome, TRANSPORT_PENDING);
    }
}

/* "HTTP Event Collector error codes" of Splunk's documentation: 7, 10, 11 and 14 are about how the
 * collector is set up, as is what comes from a proxy. */
TEST(splunk_refuses_what_is_no_event)
{
    static const struct {
        const char *answer;
        int refuses;
    } cases[] = {
        {"{\"text\":\"Invalid data format\",\"code\":6,\"invalid-event-number\":0}", 1},
        {"{\"text\":\"No data\",\"code\":5}", 1},
        {"{\"text\":\"Event field cannot be blank\",\"code\":13}", 1},
        {"{\"text\":\"Incorrect index\",\"code\":7,\"invalid-event-number\":1}", 0},
        {"{\"text\":\"Data channel is missing\",\"code\":10}", 0},
        {"{\"text\":\"Invalid data channel\",\"code\":11}", 0},
        {"{\"text\":\"ACK is disabled\",\"code\":14}", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (http_splunk_refuses(cases[i].answer, strlen(cases[i].answer)) != cases[i].refuses)
            fail_msg("%s", cases[i].answer);
}

TEST(a_receivers_refusal_is_known_by_its_form)
{
    static const struct {
        enum http_format format;
        const char *answer;
        int is_receivers;
    } cases[] = {
        {HTTP_SPLUNK, "{\"text\":\"No data\",\"code\":5}", 1},
        {HTTP_SPLUNK, "{\"text\":\"No data\",\"code\":\"5\"}", 0},
        {HTTP_SPLUNK, "{\"error\":\"no such page\"}", 0},
        {HTTP_SPLUNK, "<html><h1>400 Bad Request</h1></html>", 0},
        {HTTP_SPLUNK, "", 0},
        {HTTP_BULK, "{\"error\":{\"type\":\"parse_exception\"},\"status\":400}", 1},
        {HTTP_BULK, "{\"code\":400}", 0},
        {HTTP_BULK, "[]", 0},
        {HTTP_BULK, "<html><h1>400 Bad Request</h1></html>", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (http_is_receivers(cases[i].format, cases[i].answer, strlen(cases[i].answer)) !=
            cases[i].is_receivers)
            fail_msg("%s", cases[i].answer);
}

TEST(an_acknowledgement_is_asked_for_by_its_number)
{
    static const struct {
        const char *answer;
        int64_t number; /* -1: none */
    } cases[] = {
        {"{\"text\":\"Success\",\"code\":0,\"ackId\":7}", 7},
        {"{\"ackId\":0}", 0},
        {"{\"ackId\":9223372036854775807}", INT64_MAX},
        {"{\"ackId\":-1}", -1},
        {"{\"ackId\":\"7\"}", -1},
        {"{\"ackId\":1.5}", -1},
        {"{\"text\":\"Success\",\"code\":0}", -1},
        {"[7]", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t number = 4711;
        int found = http_splunk_number(cases[i].answer, strlen(cases[i].answer), &number);
        if (found != (cases[i].number >= 0) || number != (found ? (uint64_t)cases[i].number : 4711))
            fail_msg("%s: %d", cases[i].answer, found);
    }
}

TEST(only_true_acknowledges)
{
    static const struct {
        const char *answer;
        int acknowledges; /* request 7 */
    } cases[] = {
        {"{\"acks\":{\"6\":false,\"7\":true}}", 1},
        {"{\"acks\":{\"7\":false}}", 0},
        {"{\"acks\":{\"7\":\"true\"}}", 0},
        {"{\"acks\":{\"7\":1}}", 0},
        {"{\"acks\":{\"70\":true}}", 0},
        {"{\"acks\":[true]}", 0},
        {"{\"7\":true}", 0},
        {"{\"acks\":{\"7\":true}", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (http_splunk_acknowledges(cases[i].answer, strlen(cases[i].answer), 7) !=
            cases[i].acknowledges)
            fail_msg("%s", cases[i].answer);
}
