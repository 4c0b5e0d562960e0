/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The keys of jobtrail.conf with one value, all by the same rules.
 */
#include "conf/conf_keys.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct conf conf;

static int set_up(void **state)
{
    struct conf_fault fault;
    const struct conf_key *key;
    (void)state;
    conf = (struct conf){0};
    return conf_keys_default(&conf, &key, &fault);
}

static int tear_down(void **state)
{
    (void)state;
    conf_keys_free(&conf);
    return 0;
}

static void each_key_is_found_once(void **state)
{
    (void)state;
    for (int i = 0; i < CONF_KEYS; i++)
        assert_int_equal(conf_key_find(conf_keys[i].section, conf_keys[i].name), i);
    assert_int_equal(conf_key_find("node", ""), -1);
    assert_int_equal(conf_key_find("", conf_keys[0].name), -1);
    assert_int_equal(conf_key_find(conf_keys[0].section, "no_such_key"), -1);
}

static void no_two_keys_share_a_member(void **state)
{
    (void)state;
    for (int i = 0; i < CONF_KEYS; i++)
        for (int j = 0; j < i; j++)
            assert_int_not_equal(conf_keys[i].offset, conf_keys[j].offset);
}

/* What is printed means the same when it is read again. */
static void each_value_is_printed_as_it_can_be_read(void **state)
{
    (void)state;
    for (int i = 0; i < CONF_KEYS; i++) {
        char printed[4096], again[4096];
        struct conf_fault fault;
        conf_key_print(&conf_keys[i], &conf, printed, sizeof printed);
        assert_int_equal(conf_key_set(&conf_keys[i], &conf, printed, &fault), 0);
        conf_key_print(&conf_keys[i], &conf, again, sizeof again);
        assert_string_equal(printed, again);
    }
}

static int set(const char *section, const char *name, const char *text, struct conf_fault *fault)
{
    int key = conf_key_find(section, name);
    assert_true(key >= 0);
    return conf_key_set(&conf_keys[key], &conf, text, fault);
}

static void a_value_that_is_refused_changes_nothing(void **state)
{
    static const char *const refused[][3] = {
        {"tracking", "scalar", "maybe"},  {"sampling", "always_ranks", "-1"},
        {"syslog", "block_size", "many"}, {"syslog", "socket", "relative"},
        {"http", "format", "xml"},        {"http", "url", "gopher://x"},
        {"kafka", "topic", "a b"},        {"http", "timeout", "0x10"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        int key = conf_key_find(refused[i][0], refused[i][1]);
        char before[256], after[256];
        struct conf_fault fault = {0};
        conf_key_print(&conf_keys[key], &conf, before, sizeof before);
        assert_int_equal(set(refused[i][0], refused[i][1], refused[i][2], &fault), -EINVAL);
        assert_non_null(fault.reason);
        conf_key_print(&conf_keys[key], &conf, after, sizeof after);
        assert_string_equal(before, after);
    }
}

static void a_value_takes_the_place_of_the_one_before(void **state)
{
    struct conf_fault fault;
    (void)state;
    assert_int_equal(set("kafka", "topic", "first", &fault), 0);
    assert_int_equal(set("kafka", "topic", "second", &fault), 0);
    assert_string_equal(conf.kafka_topic, "second");
    assert_int_equal(set("tracking", "mpi", "no", &fault), 0);
    assert_false(conf.track_mpi);
    assert_int_equal(set("sampling", "always_ranks", "64", &fault), 0);
    assert_int_equal(conf.always_ranks, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_key_is_found_once, set_up, tear_down),
        cmocka_unit_test(no_two_keys_share_a_member),
        cmocka_unit_test_setup_teardown(each_value_is_printed_as_it_can_be_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_that_is_refused_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_takes_the_place_of_the_one_before, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
