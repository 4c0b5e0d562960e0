/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/log_scan.h"

#include <time.h>

#include "conf/base/days.h"
#include "test/unit/fixture/cases.h"

static struct library_days days;

static struct date_range range_of(const char *first, const char *last)
{
    struct date_range range;
    const char *wrong;
    assert_int_equal(date_range_read(&days, first, last, &range, &wrong), 0);
    return range;
}

TEST(a_bound_that_is_not_given_is_none)
{
    struct date_range range = range_of(NULL, NULL);
    assert_true(range.first_s == INT64_MIN && range.last_s == INT64_MAX);
    assert_int_equal(range.first_month, 1);
}

TEST(a_range_is_from_the_begin_of_one_date_to_the_end_of_the_other)
{
    struct date_range range = range_of("Sep_1994", "1995-08");
    assert_int_equal(range.first_s, 778377600);
    assert_int_equal(range.last_s, 809913599);
    assert_int_equal(range.first_month, 9);
    range = range_of("1995-03-06T07:00", "Mon_Mar_06_1995_07:00");
    assert_int_equal(range.last_s - range.first_s, 59);
}

TEST(words_are_days_of_now)
{
    time_t before = time(NULL);
    struct date_range range = range_of("yesterday", "now"), today = range_of("today", "today");
    assert_true(range.last_s >= before && range.last_s <= time(NULL));
    assert_int_equal(today.first_s % 86400, 0);
    assert_int_equal(today.last_s - today.first_s, 86399);
    assert_true(today.first_s - range.first_s == 86400 || today.first_s > before);
}

TEST(a_faulty_bound_is_told)
{
    struct date_range range = {.first_month = 7};
    const char *wrong = NULL, *fault = "Tue_Mar_06_1995_07:00";
    assert_int_equal(date_range_read(&days, fault, NULL, &range, &wrong), -EINVAL);
    assert_ptr_equal(wrong, fault);
    fault = "tomorrow";
    assert_int_equal(date_range_read(&days, "1995", fault, &range, &wrong), -EINVAL);
    assert_ptr_equal(wrong, fault);
    assert_int_equal(date_range_read(&days, "1996", "1995", &range, &wrong), -ERANGE);
    assert_int_equal(range.first_month, 7);
}

TEST(a_date_is_in_a_range_if_it_can_be)
{
    const struct date_range range = {100, 200, 1};
    assert_true(date_range_has(&range, &(struct library_date){.first_s = 40, .last_s = 100}));
    assert_true(date_range_has(&range, &(struct library_date){.first_s = 200, .last_s = 259}));
    assert_false(date_range_has(&range, &(struct library_date){.first_s = 40, .last_s = 99}));
    assert_false(date_range_has(&range, &(struct library_date){.first_s = 201, .last_s = 260}));
}

TEST(what_clocks_are_set_back_is_known)
{
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

ALL(use_utc, NULL)
