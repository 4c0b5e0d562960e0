/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file of librdkafka's properties: what is taken of it, what is refused, and which secrets would
 * be read on the way.
 */
#include "submit/outbox/kafka_properties.h"
#include "test/unit/fixture/cases.h"

struct taken {
    char text[512];
    const char *unknown; /* a property that librdkafka does not have; may be NULL */
};

static int take(void *context, const char *name, const char *value, char why[KAFKA_WHY_SIZE])
{
    struct taken *taken = context;
    size_t used = strlen(taken->text);
    snprintf(taken->text + used, sizeof taken->text - used, "%s=%s;", name, value);
    if (taken->unknown == NULL || strcmp(name, taken->unknown) != 0)
        return 0;
    snprintf(why, KAFKA_WHY_SIZE, "unknown");
    return -EINVAL;
}

static int parse(const char *text, struct taken *taken, char why[KAFKA_WHY_SIZE])
{
    char copy[512];
    const struct kafka_setter setter = {take, taken};
    strcpy(copy, text);
    strcpy(why, "");
    return kafka_properties_parse(copy, &setter, why);
}

TEST(lines_are_names_and_values)
{
    struct taken taken = {.text = ""};
    char why[KAFKA_WHY_SIZE];
    assert_int_equal(parse("# brokers\n\n  security.protocol = SASL_SSL \r\n"
                           "sasl.password=a=b #c\n=x\nno value\n\tempty=\nlast=1",
                           &taken, why),
                     0);
    assert_string_equal(taken.text,
                        "security.protocol=SASL_SSL;sasl.password=a=b #c;=x;empty=;last=1;");
}

TEST(what_loads_or_runs_something_is_refused)
{
    static const char *const lines[] = {
        "plugin.library.paths=/tmp/x.so", " interceptors = x",
        "ssl.engine.location=/tmp/x.so",  "ssl.engine.id=x",
        "ssl.providers=legacy",           "sasl.kerberos.kinit.cmd=id",
    };
    char text[128], why[KAFKA_WHY_SIZE];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct taken taken = {.text = ""};
        snprintf(text, sizeof text, "a=1\n%s\nb=2\n", lines[i]);
        assert_int_equal(parse(text, &taken, why), -EPERM);
        assert_string_equal(taken.text, "a=1;");
        assert_non_null(strstr(why, "remove it"));
    }
}

TEST(a_token_is_fetched_by_tls_or_from_this_host)
{
    static const struct {
        const char *url;
        int result;
    } cases[] = {
        {"https://login.example.org/token", 0},   {"HTTPS://login.example.org/", 0},
        {"http://localhost:8080/token", 0},       {"http://login.example.org/token", -EPERM},
        {"http://localhost@example.org", -EPERM}, {"", -EPERM},
    };
    char text[128], why[KAFKA_WHY_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct taken taken = {.text = ""};
        snprintf(text, sizeof text, "sasl.oauthbearer.token.endpoint.url=%s", cases[i].url);
        if (parse(text, &taken, why) != cases[i].result)
            fail_msg("%s: %s", cases[i].url, why);
    }
}

TEST(the_reason_is_of_who_refuses)
{
    struct taken taken = {.text = "", .unknown = "b"};
    char why[KAFKA_WHY_SIZE];
    assert_int_equal(parse("a=1\nb=2\nc=3\n", &taken, why), -EINVAL);
    assert_string_equal(taken.text, "a=1;b=2;");
    assert_string_equal(why, "unknown");
}

TEST(a_password_in_clear_text_stays_on_this_host)
{
    static const struct {
        const char *protocol, *mechanism, *brokers;
        int tells;
    } cases[] = {
        {"sasl_plaintext", "PLAIN", "kafka.example.org:9092", 1},
        {"SASL_PLAINTEXT", "plain", "kafka.example.org", 1},
        {"sasl_plaintext", "OAUTHBEARER", "kafka.example.org", 1},
        {"sasl_plaintext", "SCRAM-SHA-512", "kafka.example.org", 0},
        {"sasl_ssl", "PLAIN", "kafka.example.org", 0},
        {"plaintext", "PLAIN", "kafka.example.org", 0},
        {"sasl_plaintext", "PLAIN", "localhost:9092", 0},
        {"sasl_plaintext", "PLAIN", "127.0.0.1, [::1]:9092,localhost", 0},
        {"sasl_plaintext", "PLAIN", "SASL_PLAINTEXT://localhost:9092", 0},
        {"sasl_plaintext", "PLAIN", "localhost,kafka.example.org", 1},
        {"sasl_plaintext", "PLAIN", " , kafka.example.org", 1},
        {"sasl_plaintext", "PLAIN", "localhost.example.org:9092", 1},
        {"sasl_plaintext", "PLAIN", "[::2]:9092", 1},
        {"sasl_plaintext", "PLAIN", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (kafka_tells_secret(cases[i].protocol, cases[i].mechanism, cases[i].brokers) !=
            cases[i].tells)
            fail_msg("%s %s %s", cases[i].protocol, cases[i].mechanism, cases[i].brokers);
}
