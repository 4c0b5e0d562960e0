/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/number_list.h"

#include "test/unit/fixture/cases.h"

TEST(numbers_and_ranges_are_in_the_list)
{
    assert_true(number_list_is_valid("0,4-7,9"));
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(number_list_has("0,4-7,9", i), i == 0 || (i >= 4 && i <= 7) || i == 9);
    assert_true(number_list_has("4294967294", UINT32_MAX - 1));
}

TEST(words_mean_none_and_all)
{
    assert_true(number_list_is_valid("none") && number_list_is_valid("all"));
    assert_false(number_list_has("none", 0));
    assert_true(number_list_has("all", 0) && number_list_has("all", UINT32_MAX));
}

TEST(what_is_no_list_is_refused)
{
    static const char *const wrong[] = {"",    ",",   "1,",  ",1",         "1-",    "-1",  "4-3",
                                        "1;2", "0x1", "1 2", "4294967295", "1,all", "1,,2"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(number_list_is_valid(wrong[i]));
    assert_false(number_list_has("1,x", 2));
}
