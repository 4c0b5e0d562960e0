/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/set_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t hash_of(const char *text)
{
    return stack_hash(text, strlen(text));
}

/* The value that Vftrace's documentation gives. */
static void a_stack_has_the_hash_that_vftrace_gives_it(void **state)
{
    (void)state;
    assert_true(hash_of("foo<bar<main<init") == UINT64_C(0x7039dea2f67cce8e));
}

static void each_length_of_the_last_part_is_read(void **state)
{
    (void)state;
    const char *texts[] = {"", "a", "ab", "abc", "abcd", "abcde", "init"};
    enum { COUNT = sizeof texts / sizeof texts[0] };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(hash_of(texts[i]) != hash_of(texts[j]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_has_the_hash_that_vftrace_gives_it),
        cmocka_unit_test(each_length_of_the_last_part_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
