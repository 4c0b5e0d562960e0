/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/libraries/watch/watch_process.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t user_of(const char *status)
{
    uint32_t uid = 12345;
    assert_int_equal(watch_process_user(status, &uid), 0);
    return uid;
}

static void who_starts_a_program_of_roots_is_its_user(void **state)
{
    (void)state;
    assert_int_equal(user_of("Name:\tsu\nUid:\t1001\t0\t0\t0\nGid:\t5\t6\t7\t8\n"), 1001);
    assert_int_equal(user_of("Name:\tcp\nUid:\t0\t0\t0\t0\n"), 0);
    /* a server of root's that acts for a user */
    assert_int_equal(user_of("Name:\tsmbd\nUid:\t0\t1002\t0\t1002\n"), 1002);
}

static void a_text_without_users_is_refused(void **state)
{
    uint32_t uid;
    (void)state;
    assert_int_equal(watch_process_user("", &uid), -EPROTO);
    assert_int_equal(watch_process_user("Name:\tcp\nUid:\t1\n", &uid), -EPROTO);
    assert_int_equal(watch_process_user("Name:\tUid:\t1\t1\n", &uid), -EPROTO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_starts_a_program_of_roots_is_its_user),
        cmocka_unit_test(a_text_without_users_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
