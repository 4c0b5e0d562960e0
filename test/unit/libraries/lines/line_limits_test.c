/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/lines/line_limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct line_limits limits;

static int begin(void **state)
{
    (void)state;
    memset(&limits, 0, sizeof limits);
    return 0;
}

static int write_lines(uint32_t uid, int count, uint64_t now_ms)
{
    int written = 0;
    for (int i = 0; i < count; i++)
        written += line_limits_take(&limits, uid, "app", now_ms);
    return written;
}

static void a_user_writes_some_at_once_and_then_one_now_and_then(void **state)
{
    (void)state;
    assert_int_equal(write_lines(7, LINES_AT_ONCE, 1000), LINES_AT_ONCE);
    assert_int_equal(write_lines(7, 1, 1000 + LINE_MS), 1);
    assert_int_equal(write_lines(7, 1, 1000 + LINE_MS), 0);
    assert_int_equal(write_lines(8, 1, 1000 + LINE_MS), 1);
}

static void what_is_left_out_is_counted_and_told_before_more_is_written(void **state)
{
    (void)state;
    assert_int_equal(write_lines(7, LINES_AT_ONCE + 30, 1000), LINES_AT_ONCE);
    assert_null(line_limits_untold(&limits, 1000, false));
    struct line_user *user = line_limits_untold(&limits, 1000 + 3 * LINE_MS, false);
    assert_non_null(user);
    assert_true(user->uid == 7 && user->left_out == 30);
    assert_string_equal(user->log, "app");
    assert_int_equal(write_lines(7, 1, 1000 + 3 * LINE_MS), 0);
    assert_int_equal(user->left_out, 31);
    user->left_out = 0;
    assert_null(line_limits_untold(&limits, 1000 + 3 * LINE_MS, true));
    assert_int_equal(write_lines(7, 5, 1000 + 3 * LINE_MS), 2);
    assert_non_null(line_limits_untold(&limits, 1000 + 3 * LINE_MS, true));
}

static void the_number_of_users_is_bounded_and_locks_nobody_out(void **state)
{
    (void)state;
    for (uint32_t uid = 0; uid < LINE_USERS_MAX; uid++)
        assert_int_equal(write_lines(uid, uid == 7 ? 1 : 2, 1000), uid == 7 ? 1 : 2);
    assert_int_equal(write_lines(LINE_USERS_MAX, 1, 1000), 1);
    assert_int_equal(limits.count, LINE_USERS_MAX);
    assert_false(line_limits_knows(&limits, 7));
    assert_true(line_limits_knows(&limits, 8) && line_limits_knows(&limits, LINE_USERS_MAX));
}

static void who_finds_no_place_shares_one_and_what_is_left_out_there_is_told(void **state)
{
    (void)state;
    for (uint32_t uid = 0; uid < LINE_USERS_MAX; uid++)
        write_lines(uid, LINES_AT_ONCE + 1, 1000);
    assert_int_equal(write_lines(LINE_USERS_MAX, LINES_AT_ONCE, 1000), LINES_AT_ONCE);
    assert_int_equal(write_lines(LINE_USERS_MAX + 1, 2, 1000), 0);
    assert_int_equal(write_lines(LINE_SHARED, 1, 1000), 0);
    for (uint32_t uid = 0; uid < LINE_USERS_MAX; uid++)
        line_limits_untold(&limits, 1000, true)->left_out = 0;
    struct line_user *user = line_limits_untold(&limits, 1000, true);
    assert_non_null(user);
    assert_true(user->uid == LINE_SHARED && user->left_out == 3);
    user->left_out = 0;
    assert_null(line_limits_untold(&limits, 1000, true));
}

static void a_user_begins_some_logs_a_day(void **state)
{
    (void)state;
    for (int i = 0; i < LINE_NEW_LOGS; i++)
        assert_true(line_limits_begin_log(&limits, 7, 1000));
    assert_false(line_limits_begin_log(&limits, 7, 999 + LINE_DAY_MS));
    assert_true(line_limits_begin_log(&limits, 8, 1000));
    assert_true(line_limits_begin_log(&limits, 7, 1000 + LINE_DAY_MS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_user_writes_some_at_once_and_then_one_now_and_then, begin),
        cmocka_unit_test_setup(what_is_left_out_is_counted_and_told_before_more_is_written, begin),
        cmocka_unit_test_setup(the_number_of_users_is_bounded_and_locks_nobody_out, begin),
        cmocka_unit_test_setup(who_finds_no_place_shares_one_and_what_is_left_out_there_is_told,
                               begin),
        cmocka_unit_test_setup(a_user_begins_some_logs_a_day, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
