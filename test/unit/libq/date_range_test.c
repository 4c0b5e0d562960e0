/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/date_range.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "conf/base/days.h"

static struct library_days days;

static struct date_range range_of(const char *first, const char *last)
{
    struct date_range range;
    const char *wrong;
    assert_int_equal(date_range_read(&days, first, last, &range, &wrong), 0);
    return range;
}

static void a_bound_that_is_not_given_is_none(void **state)
{
    (void)state;
    struct date_range range = range_of(NULL, NULL);
    assert_true(range.first_s == INT64_MIN && range.last_s == INT64_MAX);
    assert_int_equal(range.first_month, 1);
}

static void a_range_is_from_the_begin_of_one_date_to_the_end_of_the_other(void **state)
{
    (void)state;
    struct date_range range = range_of("Sep_1994", "1995-08");
    assert_int_equal(range.first_s, 778377600);
    assert_int_equal(range.last_s, 809913599);
    assert_int_equal(range.first_month, 9);
    range = range_of("1995-03-06T07:00", "Mon_Mar_06_1995_07:00");
    assert_int_equal(range.last_s - range.first_s, 59);
}

static void words_are_days_of_now(void **state)
{
    (void)state;
    time_t before = time(NULL);
    struct date_range range = range_of("yesterday", "now"), today = range_of("today", "today");
    assert_true(range.last_s >= before && range.last_s <= time(NULL));
    assert_int_equal(today.first_s % 86400, 0);
    assert_int_equal(today.last_s - today.first_s, 86399);
    assert_true(today.first_s - range.first_s == 86400 || today.first_s > before);
}

static void a_faulty_bound_is_told(void **state)
{
    struct date_range range = {.first_month = 7};
    const char *wrong = NULL, *fault = "Tue_Mar_06_1995_07:00";
    (void)state;
    assert_int_equal(date_range_read(&days, fault, NULL, &range, &wrong), -EINVAL);
    assert_ptr_equal(wrong, fault);
    fault = "tomorrow";
    assert_int_equal(date_range_read(&days, "1995", fault, &range, &wrong), -EINVAL);
    assert_ptr_equal(wrong, fault);
    assert_int_equal(date_range_read(&days, "1996", "1995", &range, &wrong), -ERANGE);
    assert_int_equal(range.first_month, 7);
}

static void a_date_is_in_a_range_if_it_can_be(void **state)
{
    (void)state;
    const struct date_range range = {100, 200, 1};
    assert_true(date_range_has(&range, &(struct library_date){.first_s = 40, .last_s = 100}));
    assert_true(date_range_has(&range, &(struct library_date){.first_s = 200, .last_s = 259}));
    assert_false(date_range_has(&range, &(struct library_date){.first_s = 40, .last_s = 99}));
    assert_false(date_range_has(&range, &(struct library_date){.first_s = 201, .last_s = 260}));
}

static void what_clocks_are_set_back_is_known(void **state)
{
    (void)state;
    assert_int_equal(days_use_zone("Europe/Berlin"), 0);
    assert_int_equal(date_range_set_back(1792888200 - 86400), 3600);
    assert_int_equal(date_range_set_back(1792888200 + 86400), 3600);
    assert_int_equal(date_range_set_back(1792888200 + 4 * 86400), 0);
    assert_int_equal(date_range_set_back(1774747800), 0); /* forward */
    assert_int_equal(days_use_zone("UTC"), 0);
}

static int use_utc(void **state)
{
    (void)state;
    return days_use_zone("UTC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_that_is_not_given_is_none),
        cmocka_unit_test(a_range_is_from_the_begin_of_one_date_to_the_end_of_the_other),
        cmocka_unit_test(words_are_days_of_now),
        cmocka_unit_test(a_faulty_bound_is_told),
        cmocka_unit_test(a_date_is_in_a_range_if_it_can_be),
        cmocka_unit_test(what_clocks_are_set_back_is_known),
    };
    return cmocka_run_group_tests(tests, use_utc, NULL);
}
