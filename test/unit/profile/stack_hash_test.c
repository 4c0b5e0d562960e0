/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/set_order.h"

#include "test/unit/fixture/cases.h"

static uint64_t hash_of(const char *text)
{
    return stack_hash(text, strlen(text));
}

/* The value that Vftrace's documentation gives. */
TEST(a_stack_has_the_hash_that_vftrace_gives_it)
{
    assert_true(hash_of("foo<bar<main<init") == UINT64_C(0x7039dea2f67cce8e));
}

TEST(each_length_of_the_last_part_is_read)
{
    const char *texts[] = {"", "a", "ab", "abc", "abcd", "abcde", "init"};
    enum { COUNT = sizeof texts / sizeof texts[0] };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(hash_of(texts[i]) != hash_of(texts[j]));
}
