/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/suggest.h"

#include "test/unit/fixture/cases.h"

static const char *const words[] = {"scalar", "spool", "pool", "mpi"};

TEST(the_nearest_word_is_suggested)
{
    static const char *const typed[][2] = {
        {"scaler", "scalar"}, {"scalars", "scalar"}, {"scaar", "scalar"}, {"spol", "spool"},
        {"pol", "pool"},      {"tool", "pool"},      {"mpii", "mpi"},
    };
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++)
        assert_string_equal(suggest(typed[i][0], words, 4), typed[i][1]);
}

TEST(nothing_is_suggested_for_another_word)
{
    static const char *const typed[] = {
        "", "x", "ab", "sampling", "averyveryverylongwordthatisnokeyatall",
    };
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++)
        assert_null(suggest(typed[i], words, 4));
    assert_null(suggest("scalar", words, 0));
}
